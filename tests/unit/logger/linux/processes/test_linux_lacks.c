/*
 * The BPF program on a kernel that lacks whatever a kernel may lack
 * (other_kernels.cmake): it is loaded all the same, and what there is is right.
 * Needs what BPF needs; says so and is skipped else.
 */
#include "logger/linux/processes/bpf/program.h"
#include "tests/support/sample.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <unistd.h>

static struct sample by_bpf;

static const char *const paths[] = { "+Process", "+Thread", "System", NULL };

/* The same names and numbers as from /proc, and only those. */
START_TEST(identity_is_left)
{
    char name[64];
    uint64_t pid;

    snprintf(name, sizeof name, "test_linux_lack:%d", (int)getpid());
    sample_take(&by_bpf);
    ck_assert(
        sample_value(&by_bpf, "Process", name, "ID Process", false, &pid));
    ck_assert_uint_eq(pid, (uint64_t)getpid());
    ck_assert(has_counter(&by_bpf, "Process", "Elapsed Time"));
    ck_assert(has_counter(&by_bpf, "Thread", "ID Thread"));
    ck_assert(has_counter(&by_bpf, "Thread", "Elapsed Time"));
}
END_TEST

START_TEST(what_is_missing_is_not_recorded)
{
    static const char *const of_process[] = {
        "% Processor Time",
        "% User Time",
        "% Privileged Time",
        "Page Faults/sec",
        "Working Set",
        "Virtual Bytes",
        "Private Bytes",
        "Thread Count",
        "Handle Count",
        "Priority Base",
        "User ID",
        "Creating Process ID",
        "State",
        "IO Read Bytes/sec",
    };
    static const char *const of_thread[] = {
        "% Processor Time", "Thread State",         "Priority Current",
        "Priority Base",    "Context Switches/sec",
    };

    sample_take(&by_bpf);
    for (size_t i = 0; i < sizeof of_process / sizeof *of_process; i++)
        ck_assert_msg(!has_counter(&by_bpf, "Process", of_process[i]), "%s",
                      of_process[i]);
    for (size_t i = 0; i < sizeof of_thread / sizeof *of_thread; i++)
        ck_assert_msg(!has_counter(&by_bpf, "Thread", of_thread[i]), "%s",
                      of_thread[i]);
}
END_TEST

START_TEST(processes_are_seen_to_end)
{
    struct pl_task_program *p = NULL;
    const char *why = NULL;

    ck_assert_int_eq(pl_task_program_open(&p, &why), PL_OK);
    ck_assert_msg(pl_task_program_sees_ends(p), "%s", why);
    ck_assert(!pl_task_program_is_quick(p));
    pl_task_program_close(p);
}
END_TEST

static void open_it(void)
{
    const char *why = NULL;

    ck_assert_msg(sample_open_way(&by_bpf, PL_PROCESSES_BPF, paths, &why) ==
                      PL_OK,
                  "%s", why);
}

static void close_it(void)
{
    sample_close(&by_bpf);
}

int main(void)
{
    TCase *t = tcase_create("lacks");
    int status = sample_without_bpf("linux_lacks");

    if (status)
        return status;
    tcase_add_checked_fixture(t, open_it, close_it);
    tcase_add_test(t, identity_is_left);
    tcase_add_test(t, what_is_missing_is_not_recorded);
    tcase_add_test(t, processes_are_seen_to_end);
    return run_suite("linux_lacks", (TCase *const[]){ t, NULL });
}
