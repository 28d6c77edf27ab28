/* Requests from outside, however they fall: a sleep does not outlast them. */
#include "logger/record/stop.h"

#include "format/base/file.h"
#include "format/time/time_text.h"
#include "tests/support/support.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Far longer than the second after which an interruption is due. */
#define LONG_SLEEP (30 * PL_NS_PER_SEC)

static void check_interrupted(void)
{
    ck_assert(!pl_sleep_until(pl_clock_boot() + LONG_SLEEP));
}

START_TEST(a_request_to_end_just_before_a_sleep_interrupts_it)
{
    pl_stop_catch(true);
    ck_assert(!pl_stop_asked());
    raise(SIGTERM);
    check_interrupted();
    ck_assert(pl_stop_asked());
    check_interrupted(); /* it stays, as long as it is not met */
    pl_stop_release();
}
END_TEST

/* As of a terminal that closes, and of timeout(1). */
START_TEST(requests_to_end_of_one_moment_are_one)
{
    pl_stop_catch(true);
    raise(SIGTERM);
    raise(SIGTERM);
    raise(SIGINT);
    ck_assert(pl_stop_asked());
    pl_stop_release();
}
END_TEST

START_TEST(a_request_for_a_segment_just_before_a_sleep_interrupts_it)
{
    pl_stop_catch(true);
    ck_assert(!pl_stop_take_rotation());
    raise(SIGHUP);
    check_interrupted();
    ck_assert(!pl_stop_asked());
    ck_assert(pl_stop_take_rotation());
    ck_assert(!pl_stop_take_rotation());
    pl_stop_release();
}
END_TEST

/* perl -e 'alarm 2; exec @ARGV' perflog record ...: a timeout of the poor. */
START_TEST(an_alarm_of_others_ends_the_program)
{
    pid_t child = fork();
    int status;

    if (!child) {
        signal(SIGALRM, SIG_DFL); /* Check has a handler */
        alarm(1);
        pl_stop_catch(true);
        if (_i)
            raise(SIGHUP);
        for (int n = 0; n < 30; n++) {
            pl_sleep_until(pl_clock_boot() + PL_NS_PER_SEC);
            pl_stop_take_rotation();
        }
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGALRM);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("stop");

    tcase_add_test(t, a_request_to_end_just_before_a_sleep_interrupts_it);
    tcase_add_test(t, requests_to_end_of_one_moment_are_one);
    tcase_add_test(t,
                   a_request_for_a_segment_just_before_a_sleep_interrupts_it);
    tcase_add_loop_test(t, an_alarm_of_others_ends_the_program, 0, 2);
    return run_suite("stop", (TCase *[]){ t, NULL });
}
