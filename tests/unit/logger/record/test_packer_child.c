/* How the packing child ends.  The program that is started is this one. */
#include "logger/record/packer_child.h"

#include "format/cli/message.h"
#include "tests/support/support.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST_SECONDS = 60 };

/* Argument 'how': "wait" for a signal, or the status to end with. */
static int be_child(const char *how)
{
    if (strcmp(how, "wait") != 0)
        return atoi(how);
    alarm(LONGEST_SECONDS);
    for (;;)
        pause();
}

static struct pl_packer_child *start(char *how)
{
    struct pl_packer_child *c;

    ck_assert_int_eq(
        pl_packer_child_start(&c, (char *[]){ "self", "pack", how, NULL }), 0);
    return c;
}

/* Wait for its end, and free it. */
static enum pl_packer_end_kind end_of(struct pl_packer_child *c)
{
    enum pl_packer_end_kind end;
    siginfo_t info;

    ck_assert_int_eq(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
    ck_assert(pl_packer_child_has_ended(c, &end));
    return end;
}

START_TEST(what_was_packed_and_what_is_to_be_tried_again)
{
    ck_assert_int_eq(end_of(start("0")), PL_PACKER_DONE);
    ck_assert_int_eq(end_of(start("4")), PL_PACKER_DONE); /* never can be */
    ck_assert_int_eq(end_of(start("1")), PL_PACKER_FAILED);
}
END_TEST

START_TEST(it_is_asked_to_end)
{
    struct pl_packer_child *c = start("wait");
    enum pl_packer_end_kind end;

    ck_assert(!pl_packer_child_has_ended(c, &end));
    pl_packer_child_stop(c, false);
    ck_assert_int_eq(end_of(c), PL_PACKER_STOPPED);
}
END_TEST

START_TEST(it_is_ended)
{
    siginfo_t info;

    pl_packer_child_stop(start("wait"), true);
    ck_assert_int_eq(waitid(P_ALL, 0, &info, WEXITED), 0);
    ck_assert_int_eq(info.si_code, CLD_KILLED);
    ck_assert_int_eq(info.si_status, SIGKILL);
}
END_TEST

int main(int argc, char **argv)
{
    TCase *t;

    if (argc > 2 && !strcmp(argv[1], "pack"))
        return be_child(argv[2]);
    t = tcase_create("packer_child");
    tcase_add_test(t, what_was_packed_and_what_is_to_be_tried_again);
    tcase_add_test(t, it_is_asked_to_end);
    tcase_add_test(t, it_is_ended);
    return run_suite("packer_child", (TCase *[]){ t, NULL });
}
