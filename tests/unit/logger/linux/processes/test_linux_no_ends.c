/*
 * A kernel that takes the program that reads processes, but not the one that
 * also sees them end (kernels.cmake: a member is missing that only this one
 * needs): processes are read all the same, and the reason is known.  Needs
 * root; says so and is skipped else.
 */
#include "logger/linux/processes/bpf/program.h"
#include "logger/linux/processes/bpf/refusal.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SKIP = 77 };

START_TEST(the_reason_is_known)
{
    struct pl_task_program *p = NULL;
    const char *why = NULL;
    char byte;
    int fd;

    ck_assert_int_eq(pl_task_program_open(&p, &why), PL_OK);
    ck_assert(!pl_task_program_sees_ends(p));
    ck_assert_ptr_nonnull(why);
    ck_assert_msg(strstr(why, "this kernel refuses the program: ") == why, "%s",
                  why);
    /* What a member that is nowhere becomes, libbpf's poison. */
    ck_assert_msg(strstr(why, "unknown#195896080") != NULL, "%s", why);
    pl_task_program_ask(p, 0);
    fd = pl_task_program_walk(p);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(read(fd, &byte, 0), 0);
    close(fd);
    pl_task_program_close(p);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("no_ends");

    if (geteuid() || !pl_bpf_is_permitted()) {
        printf("linux_no_ends: skipped, BPF needs root\n");
        return SKIP;
    }
    tcase_add_test(t, the_reason_is_known);
    return run_suite("linux_no_ends", (TCase *const[]){ t, NULL });
}
