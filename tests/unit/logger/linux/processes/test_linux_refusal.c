/*
 * Why the BPF program is not loaded: causes that are made here, one by one, and
 * a program that the kernel refuses (other_kernels.cmake: a member is missing
 * that no kernel lacks).  Needs root; says so and is skipped else.
 */
#include "logger/linux/processes/bpf/program.h"
#include "logger/linux/processes/bpf/refusal.h"
#include "tests/support/support.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SKIP = 77, NOBODY = 65534 };

static const char *refusal(void)
{
    struct pl_task_program *p = NULL;
    const char *why = NULL;

    ck_assert_int_eq(pl_task_program_open(&p, &why), PL_UNSUPPORTED);
    ck_assert_ptr_nonnull(why);
    return why;
}

/* From now on bpf() fails with 'error' in this process. */
static void filter_bpf(unsigned error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof code / sizeof *code, code };

    ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

START_TEST(the_verifier_is_quoted)
{
    const char *why = refusal();

    /* What a member that is nowhere becomes, libbpf's poison. */
    ck_assert_msg(strstr(why, "this kernel refuses the program: ") == why, "%s",
                  why);
    ck_assert_msg(strstr(why, "unknown#195896080") != NULL, "%s", why);
    ck_assert_msg(strstr(why, "; Invalid argument") != NULL, "%s", why);
    ck_assert_ptr_null(strchr(why, '\n'));
}
END_TEST

START_TEST(privilege_is_asked_for)
{
    ck_assert(pl_bpf_is_permitted());
    ck_assert_int_eq(setresuid(NOBODY, NOBODY, NOBODY), 0);
    ck_assert(!pl_bpf_is_permitted());
    ck_assert(!pl_task_program_is_expected());
    ck_assert_str_eq(refusal(),
                     "not permitted; be root, or have CAP_BPF and CAP_PERFMON");
}
END_TEST

START_TEST(a_filter_is_told_from_privilege)
{
    static const unsigned errors[] = { EPERM, EINVAL, ENOSYS };

    filter_bpf(errors[_i]);
    ck_assert_ptr_nonnull(strstr(refusal(), "a seccomp filter"));
    ck_assert(pl_task_program_is_expected());
}
END_TEST

START_TEST(too_many_open_files)
{
    struct rlimit usual, few;
    const char *why;

    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &usual), 0);
    few = (struct rlimit){ 4, usual.rlim_max };
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    while (dup(0) >= 0)
        continue;
    why = refusal();
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &usual), 0);
    ck_assert_str_eq(why, "too many open files; raise the limit");
}
END_TEST

static void check_verdict(const char *log, const char *want)
{
    struct pl_text t = pl_bpf_verdict(log);

    ck_assert_uint_eq(t.n, strlen(want));
    ck_assert_mem_eq(t.p, want, t.n);
}

START_TEST(statistics_are_no_verdict)
{
    check_verdict("", "");
    check_verdict("\n\n", "");
    check_verdict("processed 0 insns (limit 1000000)\n", "");
    check_verdict("back-edge from insn 83 to 84\nprocessed 0 insns\n",
                  "back-edge from insn 83 to 84");
    check_verdict("5: (85) call x\ninvalid func\nverification time 3 usec\n"
                  "stack depth 8+0\nprocessed 7 insns\n\n",
                  "invalid func");
    check_verdict("one line", "one line");
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("refusal");

    if (geteuid() || !pl_bpf_is_permitted()) {
        printf("linux_refusal: skipped, BPF needs root\n");
        return SKIP;
    }
    tcase_add_test(t, the_verifier_is_quoted);
    tcase_add_test(t, privilege_is_asked_for);
    tcase_add_loop_test(t, a_filter_is_told_from_privilege, 0, 3);
    tcase_add_test(t, too_many_open_files);
    tcase_add_test(t, statistics_are_no_verdict);
    return run_suite("linux_refusal", (TCase *const[]){ t, NULL });
}
