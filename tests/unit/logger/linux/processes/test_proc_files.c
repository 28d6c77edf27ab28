/* Files of processes that are held open. */
#include "logger/linux/processes/proc_files.h"

#include "logger/linux/machine/machine.h"
#include "tests/support/support.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static struct pl_machine machine;
static struct pl_proc_files files;

static pid_t start(void)
{
    pid_t pid = fork();

    ck_assert_int_ge(pid, 0);
    while (!pid)
        pause();
    return pid;
}

/* It ends, and keeps its number until it is waited for. */
static void end(pid_t pid)
{
    siginfo_t unused;

    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    ck_assert_int_eq(waitid(P_PID, (id_t)pid, &unused, WEXITED | WNOWAIT), 0);
}

START_TEST(a_number_is_its_own_until_it_is_waited_for)
{
    uint32_t pid = (uint32_t)start();
    const struct pl_pids pids = { .pid = &pid, .num = 1 };

    machine = (struct pl_machine){ .live = true };
    machine.proc = open("/proc", O_RDONLY | O_DIRECTORY);
    pl_proc_files_init(&files, &machine);
    ck_assert_int_eq(pl_proc_files_follow(&files, &pids), PL_OK);
    ck_assert(!pl_proc_files_has_number(&files, pid)); /* it is not held */
    ck_assert_int_eq(pl_proc_files_read(&files, &files.list[0], PL_PROC_STAT),
                     PL_GOOD);
    ck_assert(pl_proc_files_has_number(&files, pid));
    ck_assert(!pl_proc_files_has_number(&files, pid - 1));
    ck_assert(!pl_proc_files_has_number(&files, pid + 1));
    end((pid_t)pid);
    ck_assert(pl_proc_files_has_number(&files, pid));
    ck_assert_int_eq(waitpid((pid_t)pid, NULL, 0), (pid_t)pid);
    ck_assert(!pl_proc_files_has_number(&files, pid));
    pl_proc_files_release(&files);
    close(machine.proc);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, a_number_is_its_own_until_it_is_waited_for);
    return run_suite("proc_files", (TCase *const[]){ tc, NULL });
}
