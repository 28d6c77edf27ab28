/* How the packing child ends.  The program that is started is this one. */
#include "logger/record/packer_child.h"

#include "format/cli/message.h"
#include "tests/support/support.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST_SECONDS = 60 };

#ifdef SCHED_IDLE
static void end_as_it_is_scheduled(int signal_number)
{
    (void)signal_number;
    _exit(sched_getscheduler(0) == SCHED_OTHER ? 0 : PL_EXIT_FAILED);
}

static bool be_scheduled(int policy)
{
    const struct sched_param none = { 0 };

    return !sched_setscheduler(0, policy, &none);
}

/* False: who is idle must stay so here. */
static bool be_idle(void)
{
    if (!be_scheduled(SCHED_IDLE) || !be_scheduled(SCHED_OTHER) ||
        !be_scheduled(SCHED_IDLE))
        return false;
    signal(SIGTERM, end_as_it_is_scheduled);
    raise(SIGSTOP);
    return true;
}
#else
static bool be_idle(void)
{
    return false;
}
#endif

/* Signals are blocked until SIGUSR1. */
static void be_late(void)
{
    sigset_t all, before, go;
    int got;

    sigfillset(&all);
    sigemptyset(&go);
    sigaddset(&go, SIGUSR1);
    sigprocmask(SIG_SETMASK, &all, &before);
    raise(SIGSTOP);
    sigwait(&go, &got);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* Argument 'how': "wait" for a signal, which "stop", "idle" and "late" do once they
 * have stopped; or the status to end with. */
static int be_child(const char *how)
{
    alarm(LONGEST_SECONDS);
    if (!strcmp(how, "stop"))
        raise(SIGSTOP);
    else if (!strcmp(how, "late"))
        be_late();
    else if (strcmp(how, "wait") != 0 &&
             (strcmp(how, "idle") != 0 || !be_idle()))
        return atoi(how);
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
    pl_packer_child_stop(c);
    ck_assert_int_eq(end_of(c), PL_PACKER_STOPPED);
}
END_TEST

START_TEST(one_that_was_stopped_ends_all_the_same)
{
    struct pl_packer_child *c = start("stop");
    siginfo_t info;

    ck_assert_int_eq(waitid(P_ALL, 0, &info, WSTOPPED), 0);
    pl_packer_child_stop(c);
    ck_assert_int_eq(end_of(c), PL_PACKER_STOPPED);
}
END_TEST

/* On a busy machine it would not be asked in time else. */
START_TEST(one_that_is_idle_is_not_while_it_ends)
{
    struct pl_packer_child *c = start("idle");
    siginfo_t info;

    ck_assert_int_eq(waitid(P_ALL, 0, &info, WSTOPPED | WEXITED | WNOWAIT), 0);
    if (info.si_code != CLD_STOPPED) {
        printf("skipped: who is idle must stay so here\n");
        end_of(c);
        return;
    }
    pl_packer_child_stop(c);
    ck_assert_int_eq(end_of(c), PL_PACKER_DONE);
}
END_TEST

/* As one that waits for its disk: killed, it would leave its file behind. */
START_TEST(one_that_cannot_end_yet_ends_by_itself)
{
    struct pl_packer_child *c = start("late");
    siginfo_t info;

    ck_assert_int_eq(waitid(P_ALL, 0, &info, WSTOPPED), 0);
    pl_packer_child_stop(c);
    pl_packer_child_leave(c);
    kill(info.si_pid, SIGUSR1);
    ck_assert_int_eq(waitid(P_ALL, 0, &info, WEXITED), 0);
    ck_assert_int_eq(info.si_code, CLD_KILLED);
    ck_assert_int_eq(info.si_status, SIGTERM);
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
    tcase_add_test(t, one_that_was_stopped_ends_all_the_same);
    tcase_add_test(t, one_that_is_idle_is_not_while_it_ends);
    tcase_add_test(t, one_that_cannot_end_yet_ends_by_itself);
    return run_suite("packer_child", (TCase *[]){ t, NULL });
}
