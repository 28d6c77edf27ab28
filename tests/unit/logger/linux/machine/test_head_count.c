/*
 * Counting processes without listing them, and where that cannot be had.
 *
 * test_head_count [BRIEF]: so many processes that end at once; fewer suffice
 * where an emulator is slow.
 */
#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/bpf/counter.h"
#include "logger/linux/source_kinds.h"
#include "tests/support/support.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIES = 200, MANY = 40, CANNOT = 9 };

static struct pl_machine m;
static unsigned long brief = 2000;

static void open_machine(void)
{
    struct pl_sampler_options options = { 0 };

    ck_assert_int_eq(pl_machine_open(&m, &options, pl_source_kinds), PL_OK);
}

static uint64_t count(void)
{
    bool readable;
    uint64_t n;

    m.tick++;
    pl_sampler_clocks(&m.now);
    ck_assert_int_eq(pl_process_count_read(&m, &n, &readable), PL_OK);
    ck_assert(readable);
    return n;
}

/* False in a pid namespace, where there are more than are seen. */
static bool all_are_seen(void)
{
    static const ino_t first_namespace = 0xeffffffc; /* linux/proc_ns.h */
    struct stat st;

    return !stat("/proc/self/ns/pid", &st) && st.st_ino == first_namespace &&
           !access("/sys/module", F_OK);
}

static void settle(void)
{
    for (int i = 0; i < TRIES && !m.head_count.agrees; i++)
        count();
    ck_assert_int_eq(m.head_count.agrees, all_are_seen());
}

static uint64_t listed(void)
{
    m.tick++;
    ck_assert_int_eq(pl_pids_read(&m), PL_OK);
    return m.pids.num;
}

/* Others may come and go meanwhile, but not each time. */
static void check_equal(void)
{
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = listed(), n = count();

        if (listed() == before && n == before)
            return;
    }
    ck_abort_msg("never what a list says");
}

static pid_t start_child(void)
{
    pid_t pid = fork();

    if (!pid)
        for (;;)
            pause();
    ck_assert_int_gt(pid, 0);
    return pid;
}

START_TEST(links_say_what_a_list_says)
{
    pid_t children[MANY];

    open_machine();
    settle();
    check_equal();
    for (int i = 0; i < MANY; i++)
        children[i] = start_child();
    check_equal();
    for (int i = 0; i < MANY; i++)
        kill(children[i], SIGKILL); /* not waited for: they still count */
    check_equal();
    for (int i = 0; i < MANY; i++)
        waitpid(children[i], NULL, 0);
    check_equal();
    pl_machine_close(&m);
}
END_TEST

START_TEST(nothing_is_listed_once_they_agree)
{
    uint64_t calls;

    open_machine();
    settle();
    if (m.head_count.agrees) {
        m.pids.tick = 0;
        calls = m.system_calls;
        count();
        ck_assert_uint_eq(m.system_calls - calls, 2);
        ck_assert_uint_eq(m.pids.tick, 0);
    }
    pl_machine_close(&m);
}
END_TEST

START_TEST(after_a_minute_or_a_module_there_is_a_list)
{
    open_machine();
    settle();
    m.pids.tick = 0;
    m.head_count.listed_ns -= INT64_C(60000000000);
    count();
    ck_assert_uint_eq(m.pids.tick, m.tick);
    settle();
    m.pids.tick = 0;
    m.head_count.modules++;
    count();
    ck_assert_uint_eq(m.pids.tick, m.tick);
    pl_machine_close(&m);
}
END_TEST

/* ---- a pid namespace ------------------------------------------------------ */

/* What 'run' says as the first process of one, with a /proc of its own. */
static int in_a_namespace(int (*run)(void))
{
    struct {
        uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, rest[6];
    } args = { .flags = CLONE_NEWPID | CLONE_NEWNS, .exit_signal = SIGCHLD };
    long pid = syscall(SYS_clone3, &args, sizeof args);
    int status;

    if (!pid && (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
                 mount("proc", "/proc", "proc", 0, NULL)))
        _exit(CANNOT);
    if (!pid)
        _exit(run());
    if (pid < 0)
        return CANNOT;
    ck_assert_int_eq(waitpid((pid_t)pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void check_in_a_namespace(int (*run)(void))
{
    int result = in_a_namespace(run);

    if (result == CANNOT)
        fprintf(stderr, "skipped: no namespaces, or no BPF, to be had here\n");
    else
        ck_assert_int_eq(result, 0);
}

static int list_alone(void)
{
    open_machine();
    for (int i = 0; i < 20; i++)
        if (count() != 1)
            return 1;
    return m.head_count.agrees;
}

START_TEST(in_a_pid_namespace_it_is_listed)
{
    check_in_a_namespace(list_alone);
}
END_TEST

/* ---- another way to count ------------------------------------------------- */

static bool can_count;

static bool say_seven(void *of, uint64_t *n)
{
    *n = 7;
    return *(const bool *)of;
}

START_TEST(another_way_is_asked_and_if_it_fails_there_is_a_list)
{
    open_machine();
    pl_process_count_use(&m, say_seven, &can_count);
    can_count = true;
    m.pids.tick = 0;
    ck_assert_uint_eq(count(), 7);
    ck_assert_uint_eq(m.pids.tick, 0);
    can_count = false;
    settle();
    check_equal();
    pl_machine_close(&m);
}
END_TEST

START_TEST(another_way_is_not_for_the_proc_of_another_namespace)
{
    open_machine();
    close(m.proc);
    m.proc = open(temp_dir(), O_RDONLY | O_DIRECTORY);
    ck_assert_int_ge(m.proc, 0);
    pl_process_count_use(&m, say_seven, &can_count);
    ck_assert(!m.head_count.way);
    pl_machine_close(&m);
}
END_TEST

/* At once, and without a list. */
static bool is_counted(uint64_t want)
{
    uint64_t n;
    bool lists;

    m.pids.tick = 0;
    n = count();
    lists = m.pids.tick != 0;
    if (lists || n != want)
        fprintf(stderr, "%ju %s, not %ju\n", (uintmax_t)n,
                lists ? "listed" : "counted", (uintmax_t)want);
    return !lists && n == want;
}

static bool count_with(void *counter, uint64_t *n)
{
    return pl_process_counter_read(counter, n);
}

static bool counts_come_and_go(void)
{
    pid_t children[MANY];

    for (int i = 0; i < MANY; i++)
        children[i] = start_child();
    if (!is_counted(1 + MANY))
        return false;
    for (int i = 0; i < MANY; i++)
        kill(children[i], SIGKILL);
    if (!is_counted(1 + MANY)) /* not waited for */
        return false;
    for (uint64_t i = 0; i < MANY; i++) {
        waitpid(children[i], NULL, 0);
        if (!is_counted(MANY - i))
            return false;
    }
    return listed() == 1;
}

static bool counts_brief_ones(void)
{
    for (unsigned long i = 0; i < brief; i++) {
        pid_t pid = fork();

        if (!pid)
            _exit(0);
        if (!is_counted(2))
            return false;
        waitpid(pid, NULL, 0);
        if (!is_counted(1))
            return false;
    }
    return true;
}

static void *pause_thread(void *arg)
{
    for (;;)
        pause();
    return arg;
}

static bool counts_no_threads(void)
{
    pthread_t thread;

    return !pthread_create(&thread, NULL, pause_thread, NULL) &&
           is_counted(1) && !pthread_cancel(thread) &&
           !pthread_join(thread, NULL);
}

static int count_by_bpf(void)
{
    struct pl_process_counter *c = pl_process_counter_open();
    bool good;

    if (!c)
        return CANNOT;
    open_machine();
    pl_process_count_use(&m, count_with, c);
    good = counts_come_and_go() && counts_brief_ones() && counts_no_threads();
    pl_machine_close(&m);
    pl_process_counter_close(c);
    return !good;
}

START_TEST(in_a_pid_namespace_bpf_counts)
{
    check_in_a_namespace(count_by_bpf);
}
END_TEST

int main(int argc, char **argv)
{
    TCase *tc = tcase_create("all");

    if (argc > 1)
        brief = strtoul(argv[1], NULL, 10);
    tcase_add_test(tc, links_say_what_a_list_says);
    tcase_add_test(tc, nothing_is_listed_once_they_agree);
    tcase_add_test(tc, after_a_minute_or_a_module_there_is_a_list);
    tcase_add_test(tc, in_a_pid_namespace_it_is_listed);
    tcase_add_test(tc, another_way_is_asked_and_if_it_fails_there_is_a_list);
    tcase_add_test(tc, another_way_is_not_for_the_proc_of_another_namespace);
    tcase_add_test(tc, in_a_pid_namespace_bpf_counts);
    return run_suite("head_count", (TCase *const[]){ tc, NULL });
}
