/* Deadlines: aligned, never drifting, and sane after every clock accident. */
#include "logger/record/clock.h"

#include "format/time/time_text.h"
#include "tests/support/support.h"

#define NUM(table) (sizeof(table) / sizeof *(table))
#define MS PL_NS_PER_MS
#define S PL_NS_PER_SEC

/* A machine's three clocks; only the wall clock can be set. */
struct clocks {
    int64_t utc, boot, monotonic;
};

/* Ten seconds past an hour that is a multiple of everything used here. */
static const struct clocks start = { 1790000 * 1000 * S + 10 * S, 5000 * S,
                                     4000 * S };

static void pass(struct clocks *c, int64_t ns)
{
    c->utc += ns;
    c->boot += ns;
    c->monotonic += ns;
}

static void suspend(struct clocks *c, int64_t ns)
{
    c->utc += ns;
    c->boot += ns;
}

static struct pl_tick tick_of(const struct clocks *c)
{
    return (struct pl_tick){ c->utc, c->boot, c->monotonic };
}

static void begin(struct pl_ticks *t, const struct clocks *c, int64_t interval)
{
    struct pl_tick now = tick_of(c);

    pl_ticks_start(t, (uint64_t)interval, &now);
}

static bool due(struct pl_ticks *t, const struct clocks *c,
                struct pl_wake *wake)
{
    struct pl_tick now = tick_of(c);

    return pl_ticks_due(t, &now, wake);
}

/* Sleep exactly until the deadline, then 'late' more; it must be due. */
static struct pl_wake wake_up(struct pl_ticks *t, struct clocks *c,
                              int64_t late)
{
    struct pl_wake wake;
    int64_t at = pl_ticks_wake_at(t);

    if (at > c->boot)
        pass(c, at - c->boot);
    pass(c, late);
    ck_assert(due(t, c, &wake));
    ck_assert_uint_eq(wake.late_ns, (uint64_t)(c->utc - wake.deadline_utc));
    return wake;
}

/* ---- undisturbed ------------------------------------------------------------ */

static const int64_t intervals[] = { 10 * MS, 250 * MS, S,       3 * S,
                                     10 * S,  60 * S,   3600 * S };

START_TEST(deadlines_are_multiples_and_none_is_left_out)
{
    int64_t interval = intervals[_i];
    struct clocks c = start;
    struct pl_ticks t;
    int64_t before = 0;

    pass(&c, 123456789);
    begin(&t, &c, interval);
    for (int i = 0; i < 1000; i++) {
        struct pl_wake wake = wake_up(&t, &c, i * 997 % (interval / 3));

        if (i > 0 || interval <= 10 * S)
            ck_assert_int_eq(wake.deadline_utc % interval, 0);
        if (i > 1)
            ck_assert_int_eq(wake.deadline_utc - before, interval);
        ck_assert_uint_eq(wake.missed, 0);
        ck_assert_int_eq(wake.step_ns, 0);
        before = wake.deadline_utc;
    }
}
END_TEST

START_TEST(the_first_waits_for_a_multiple_unless_that_is_far_away)
{
    struct clocks c = start;
    struct pl_wake wake;
    struct pl_ticks t;

    pass(&c, 300 * MS);
    begin(&t, &c, 10 * S);
    ck_assert_int_eq(pl_ticks_wake_at(&t), c.boot + 10 * S - 300 * MS);
    ck_assert(!due(&t, &c, &wake));
    begin(&t, &c, 11 * S);
    ck_assert_int_eq(pl_ticks_wake_at(&t), c.boot);
    ck_assert(due(&t, &c, &wake));
    ck_assert_int_eq(wake.deadline_utc, c.utc);
    ck_assert_uint_eq(wake.late_ns + wake.missed, 0);
    ck_assert(!due(&t, &c, &wake)); /* the next waits */
    wake = wake_up(&t, &c, 0);
    ck_assert_int_eq(wake.deadline_utc % (11 * S), 0);
}
END_TEST

START_TEST(exactly_on_a_multiple_the_first_is_the_next_one)
{
    struct clocks c = start;
    struct pl_ticks t;

    begin(&t, &c, S);
    ck_assert_int_eq(pl_ticks_wake_at(&t), c.boot + S);
}
END_TEST

START_TEST(a_signal_before_the_deadline_takes_no_sample)
{
    struct clocks c = start;
    struct pl_wake wake;
    struct pl_ticks t;

    begin(&t, &c, S);
    pass(&c, S - 1);
    ck_assert(!due(&t, &c, &wake));
    pass(&c, 1);
    ck_assert(due(&t, &c, &wake));
    ck_assert(!due(&t, &c, &wake));
}
END_TEST

/* ---- late and asleep ----------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *what;
    int64_t awake, asleep; /* that pass behind the deadline */
    uint32_t missed;
    bool suspended;
} lateness[] = {
    { "on time", 0, 0, 0, false },
    { "a little late", 300 * MS, 0, 0, false },
    { "late by nearly an interval", 998 * MS, 0, 0, false },
    { "a millisecond before the next", 999 * MS, 0, 1, false },
    { "late by exactly one", S, 0, 1, false },
    { "late by several", 5 * S + 400 * MS, 0, 5, false },
    { "stopped for an hour", 3600 * S, 0, 3600, false },
    { "asleep for less than an interval", 0, 900 * MS, 0, false },
    { "asleep for several", 0, 7 * S + 100 * MS, 7, true },
    { "asleep for a night", 0, 8 * 3600 * S, 8 * 3600, true },
    { "a doze that is not why", 5 * S, 100 * MS, 5, false },
    { "asleep for less than half an interval", 600 * MS, 499 * MS, 1, false },
    { "asleep for more than half an interval", 600 * MS, 501 * MS, 1, true },
};
/* clang-format on */

START_TEST(a_late_wake_serves_the_newest_deadline_and_counts_the_others)
{
    struct clocks c = start;
    struct pl_wake wake;
    struct pl_ticks t;
    int64_t first;

    begin(&t, &c, S);
    wake_up(&t, &c, 0);
    first = wake_up(&t, &c, 0).deadline_utc + S;
    pass(&c, S + lateness[_i].awake);
    suspend(&c, lateness[_i].asleep);
    ck_assert(due(&t, &c, &wake));
    ck_assert_msg(wake.missed == lateness[_i].missed, "%s: %u missed",
                  lateness[_i].what, wake.missed);
    ck_assert_int_eq(wake.suspended, lateness[_i].suspended);
    ck_assert_int_eq(wake.deadline_utc, first + wake.missed * S);
    ck_assert_int_eq(wake.step_ns, 0);
    if (wake.missed) {
        ck_assert_int_eq(wake.first_missed_utc, first);
        ck_assert_int_eq(wake.last_missed_utc, wake.deadline_utc - S);
    }
    ck_assert_int_eq(wake_up(&t, &c, 0).deadline_utc, wake.deadline_utc + S);
}
END_TEST

START_TEST(a_suspend_is_told_once)
{
    struct clocks c = start;
    struct pl_wake wake;
    struct pl_ticks t;

    begin(&t, &c, S);
    wake_up(&t, &c, 0);
    suspend(&c, 100 * S);
    ck_assert(due(&t, &c, &wake));
    ck_assert(wake.suspended);
    wake = wake_up(&t, &c, 0);
    ck_assert(!wake.suspended && !wake.missed);
    pass(&c, 10 * S); /* late now, and awake all the time */
    ck_assert(due(&t, &c, &wake));
    ck_assert(wake.missed && !wake.suspended);
}
END_TEST

/* ---- the wall clock is set ------------------------------------------------------- */

static const int64_t to_1970 = -1790000000 * S;

/* clang-format off */
static const struct {
    const char *what;
    int64_t interval, step;
} steps[] = {
    { "a second on", S, S }, { "a second back", S, -S },
    { "an hour on", S, 3600 * S }, { "an hour back", S, -3600 * S },
    { "to 1970", S, to_1970 }, { "before 1970", S, to_1970 - 3600 * S },
    { "to 2106", S, INT64_C(2500000000) * S },
    { "half a second on", S, 500 * MS }, { "half a second back", S, -500 * MS },
    { "by an odd bit", S, 123456789 }, { "back by one", S, -876543210 },
    { "a second on, short interval", 10 * MS, S },
    { "a second back, short interval", 10 * MS, -S },
    { "an hour on, long interval", 60 * S, 3600 * S },
    { "an hour back, long interval", 60 * S, -3600 * S },
    { "to 1970, long interval", 3600 * S, to_1970 },
};
/* clang-format on */

/* The next is the first new multiple half an interval or more away. */
START_TEST(a_step_is_told_once_and_no_deadline_is_missed_for_it)
{
    int64_t interval = steps[_i].interval, last;
    struct clocks c = start;
    struct pl_wake wake;
    struct pl_ticks t;

    begin(&t, &c, interval);
    wake_up(&t, &c, 0);
    wake_up(&t, &c, 0);
    last = c.boot;
    pass(&c, interval / 5);
    c.utc += steps[_i].step;
    if (!due(&t, &c, &wake)) /* a signal, or the old deadline */
        wake = wake_up(&t, &c, 0);
    ck_assert_msg(wake.step_ns == steps[_i].step, "%s: %lld", steps[_i].what,
                  (long long)wake.step_ns);
    ck_assert_uint_eq(wake.missed, 0);
    ck_assert_int_eq(wake.deadline_utc % interval, 0);
    ck_assert_int_ge(c.boot - last, interval / 2);
    ck_assert_int_lt(c.boot - last, interval / 2 + interval);
    last = wake.deadline_utc;
    wake = wake_up(&t, &c, 0);
    ck_assert_int_eq(wake.step_ns, 0);
    ck_assert_int_eq(wake.deadline_utc - last, interval);
}
END_TEST

/* Nobody wakes us when the clock is set; we find out at the old deadline. */
START_TEST(a_step_found_at_the_deadline_is_as_good)
{
    int64_t interval = steps[_i].interval, last;
    struct clocks c = start;
    struct pl_wake wake;
    struct pl_ticks t;

    begin(&t, &c, interval);
    wake_up(&t, &c, 0);
    last = c.boot;
    c.utc += steps[_i].step;
    pass(&c, pl_ticks_wake_at(&t) - c.boot);
    if (!due(&t, &c, &wake))
        wake = wake_up(&t, &c, 0);
    ck_assert_int_eq(wake.step_ns, steps[_i].step);
    ck_assert_uint_le(wake.missed, 1);
    ck_assert_int_ge(c.boot - last, interval / 2);
    ck_assert_int_le(c.boot - last, 2 * interval);
}
END_TEST

START_TEST(steps_there_and_back_cancel_out)
{
    struct clocks c = start;
    struct pl_wake wake;
    struct pl_ticks t;

    begin(&t, &c, S);
    wake_up(&t, &c, 0);
    pass(&c, 100 * MS);
    c.utc += 3600 * S;
    ck_assert(!due(&t, &c, &wake));
    pass(&c, 100 * MS);
    c.utc -= 3600 * S;
    ck_assert(!due(&t, &c, &wake));
    wake = wake_up(&t, &c, 0);
    ck_assert_int_eq(wake.step_ns, 0);
    ck_assert_uint_eq(wake.missed, 0);
}
END_TEST

/* 500 ppm is what the kernel slews by; ten times that is followed as well. */
START_TEST(slewing_is_no_step_and_leaves_out_no_deadline)
{
    static const int64_t ppm[] = { 500, -500, 5000, -5000 };
    struct clocks c = start;
    struct pl_ticks t;
    int64_t before = 0;

    begin(&t, &c, S);
    for (int i = 0; i < 10000; i++) {
        int64_t sleep = pl_ticks_wake_at(&t) - c.boot;
        struct pl_wake wake;

        pass(&c, sleep);
        c.utc += sleep * ppm[_i] / 1000000;
        while (!due(&t, &c, &wake)) { /* the clock goes slow: wait on */
            sleep = pl_ticks_wake_at(&t) - c.boot;
            pass(&c, sleep);
            c.utc += sleep * ppm[_i] / 1000000;
        }
        ck_assert_int_eq(wake.step_ns, 0);
        ck_assert_uint_eq(wake.missed, 0);
        ck_assert_uint_lt(wake.late_ns, 10 * MS);
        if (i)
            ck_assert_int_eq(wake.deadline_utc - before, S);
        before = wake.deadline_utc;
    }
}
END_TEST

START_TEST(a_step_before_the_first_sample_does_not_delay_it)
{
    struct clocks c = start;
    struct pl_wake wake;
    struct pl_ticks t;

    begin(&t, &c, 60 * S);
    c.utc -= 3600 * S;
    ck_assert(due(&t, &c, &wake));
    ck_assert_int_eq(wake.deadline_utc, c.utc);
    wake = wake_up(&t, &c, 0);
    ck_assert_int_eq(wake.deadline_utc % (60 * S), 0);
    ck_assert_int_le(wake.deadline_utc - c.utc, 60 * S);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("clock");

    tcase_add_loop_test(t, deadlines_are_multiples_and_none_is_left_out, 0,
                        NUM(intervals));
    tcase_add_test(t, the_first_waits_for_a_multiple_unless_that_is_far_away);
    tcase_add_test(t, exactly_on_a_multiple_the_first_is_the_next_one);
    tcase_add_test(t, a_signal_before_the_deadline_takes_no_sample);
    tcase_add_loop_test(
        t, a_late_wake_serves_the_newest_deadline_and_counts_the_others, 0,
        NUM(lateness));
    tcase_add_test(t, a_suspend_is_told_once);
    tcase_add_loop_test(t, a_step_is_told_once_and_no_deadline_is_missed_for_it,
                        0, NUM(steps));
    tcase_add_loop_test(t, a_step_found_at_the_deadline_is_as_good, 0,
                        NUM(steps));
    tcase_add_test(t, steps_there_and_back_cancel_out);
    tcase_add_loop_test(t, slewing_is_no_step_and_leaves_out_no_deadline, 0, 4);
    tcase_add_test(t, a_step_before_the_first_sample_does_not_delay_it);
    return run_suite("clock", (TCase *[]){ t, NULL });
}
