/* Requests from outside, however they fall: a sleep does not outlast them. */
#include "logger/record/stop.h"

#include "format/base/file.h"
#include "format/time/time_text.h"
#include "tests/support/support.h"

#include <signal.h>

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

int main(void)
{
    TCase *t = tcase_create("stop");

    tcase_add_test(t, a_request_to_end_just_before_a_sleep_interrupts_it);
    tcase_add_test(t,
                   a_request_for_a_segment_just_before_a_sleep_interrupts_it);
    return run_suite("stop", (TCase *[]){ t, NULL });
}
