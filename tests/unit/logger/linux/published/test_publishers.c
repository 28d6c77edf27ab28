/* Shares of users who publish counters. */
#include "logger/linux/published/publishers.h"
#include "tests/support/support.h"

#include <unistd.h>

enum { FIRST = 70000, MANY = 40, SAMPLES = 4000, LEAST = 4096 };

static struct pl_publishers all;

static struct pl_publisher *untrusted(uid_t n)
{
    struct pl_publisher *who = pl_publishers_find(&all, FIRST + n);

    ck_assert_ptr_nonnull(who);
    return who;
}

static uint64_t take_all(struct pl_publisher *who, enum pl_limit share)
{
    uint64_t taken = 0;

    for (uint64_t step = 1 << 30; step; step /= 2)
        while (pl_publisher_take(&all, who, share, step))
            taken += step;
    return taken;
}

START_TEST(root_and_we_are_one_and_other_users_are_each_one)
{
    pl_publishers_init(&all);
    ck_assert_ptr_eq(pl_publishers_find(&all, 0), &all.trusted);
    ck_assert_ptr_eq(pl_publishers_find(&all, geteuid()), &all.trusted);
    ck_assert_ptr_eq(untrusted(1), untrusted(1));
    ck_assert_ptr_ne(untrusted(1), untrusted(2));
    ck_assert(untrusted(1)->untrusted && !all.trusted.untrusted);
    pl_publishers_release(&all);
}
END_TEST

/* However many untrusted publishers take what they can get. */
START_TEST(no_share_is_taken_from_whom_is_trusted)
{
    pl_publishers_init(&all);
    for (int share = 0; share < PL_NUM_SHARES; share++) {
        uint64_t one = take_all(untrusted(0), share), sum = one, mine;

        for (uid_t n = 1; n < 200; n++)
            sum += take_all(untrusted(n), share);
        mine = take_all(&all.trusted, share);
        ck_assert_uint_gt(one, 0);
        ck_assert_uint_gt(sum, one);
        ck_assert_msg(mine >= (sum + mine) / 4, "share %d leaves %llu", share,
                      (unsigned long long)mine);
        ck_assert(!pl_publisher_take(&all, untrusted(201), share, 1));
        pl_publisher_give(&all, untrusted(0), share, one);
        ck_assert_uint_eq(take_all(untrusted(201), share), one);
    }
    pl_publishers_release(&all);
}
END_TEST

START_TEST(numbers_that_are_far_too_large_are_refused)
{
    pl_publishers_init(&all);
    for (int share = 0; share < PL_NUM_SHARES; share++) {
        ck_assert(!pl_publisher_take(&all, untrusted(0), share, UINT64_MAX));
        ck_assert(!pl_publisher_take(&all, &all.trusted, share, UINT64_MAX));
        ck_assert(!pl_publisher_may_ever_take(untrusted(0), share, UINT64_MAX));
    }
    ck_assert(pl_publisher_may_ever_take(untrusted(0), PL_SHARE_PLACES, 1));
    pl_publishers_release(&all);
}
END_TEST

/* What untrusted publishers add to the log in many samples, at most. */
static uint64_t pay_all(unsigned num, uint64_t own, uint64_t bytes)
{
    uint64_t paid = 0;

    pl_publishers_init(&all);
    for (unsigned n = 0; n < num; n++)
        pl_publisher_take(&all, untrusted(n), PL_SHARE_MEMORY, 1);
    for (uint64_t pass = 1; pass <= SAMPLES; pass++) {
        pl_publishers_begin(&all, pass, own);
        for (struct pl_publisher *who = all.first; who; who = who->next)
            while (pl_publisher_pay(&all, who, bytes))
                paid += bytes;
    }
    return paid;
}

START_TEST(untrusted_users_add_no_more_to_a_log_than_the_machine_does)
{
    static const unsigned nums[] = { 1, 2, MANY };
    const uint64_t at_first = 256 * LEAST + nums[_i] * 16384;
    uint64_t paid = pay_all(nums[_i], 0, 100);

    ck_assert_uint_le(paid, (uint64_t)SAMPLES * LEAST + at_first);
    ck_assert_uint_ge(paid, (uint64_t)SAMPLES * LEAST * 9 / 10);
    pl_publishers_release(&all);
    paid = pay_all(nums[_i], 32 * 10000, 100); /* a larger machine */
    ck_assert_uint_le(paid, (uint64_t)SAMPLES * 10000 + at_first * 3);
    ck_assert_uint_ge(paid, (uint64_t)SAMPLES * 10000 * 9 / 10);
    pl_publishers_release(&all);
}
END_TEST

START_TEST(who_pays_little_always_can_whatever_others_do)
{
    pl_publishers_init(&all);
    pl_publisher_take(&all, untrusted(1), PL_SHARE_MEMORY, 1);
    for (uint64_t pass = 1; pass <= SAMPLES; pass++) {
        pl_publishers_begin(&all, pass, 0);
        if (pass == 100)
            pl_publisher_take(&all, untrusted(2), PL_SHARE_MEMORY, 1);
        while (pl_publisher_pay(&all, untrusted(1), 1000))
            ;
        if (pass >= 100)
            ck_assert(pl_publisher_pay(&all, untrusted(2), LEAST / 4));
    }
    ck_assert(pl_publisher_pay(&all, &all.trusted, UINT64_MAX / 2));
    pl_publishers_release(&all);
}
END_TEST

START_TEST(what_is_more_than_was_saved_is_refused_and_costs_nothing)
{
    pl_publishers_init(&all);
    ck_assert(!pl_publisher_pay(&all, untrusted(0), 1 << 20));
    ck_assert(pl_publisher_pay(&all, untrusted(0), 1000));
    pl_publishers_release(&all);
}
END_TEST

START_TEST(who_is_gone_is_forgotten_when_he_has_paid)
{
    unsigned passes = 0;

    pl_publishers_init(&all);
    pl_publisher_take(&all, untrusted(0), PL_SHARE_PLACES, 1);
    while (pl_publisher_pay(&all, untrusted(0), 20000))
        ;
    ck_assert_int_lt(untrusted(0)->allowance, 0);
    pl_publisher_give(&all, untrusted(0), PL_SHARE_PLACES, 1);
    pl_publishers_begin(&all, ++passes, 0);
    ck_assert_uint_eq(all.num, 1); /* else he came back without a debt */
    while (all.num && passes < 100)
        pl_publishers_begin(&all, ++passes, 0);
    ck_assert_uint_eq(all.num, 0);
    pl_publishers_release(&all);
}
END_TEST

/* All titles are stored again when there are new ones: not in every sample. */
START_TEST(untrusted_users_seldom_cause_a_record_of_all_titles)
{
    unsigned records = 0;
    enum pl_limit limit = PL_NUM_LIMITS;

    pl_publishers_init(&all);
    for (uid_t n = 0; n < MANY; n++) {
        pl_publisher_take(&all, untrusted(n), PL_SHARE_MEMORY, 1);
        untrusted(n)->allowance = 1000000;
    }
    for (uint64_t pass = 1; pass <= 8 * (MANY / 2); pass++) {
        const uid_t n = (uid_t)(pass % (MANY / 2));

        pl_publishers_begin(&all, pass, 0);
        ck_assert(pl_publisher_pay_titles(&all, &all.trusted, 1, &limit));
        if (!pl_publisher_pay_titles(&all, untrusted(n), 1, &limit)) {
            ck_assert_int_eq(limit, PL_LIMIT_TITLE_RECORDS);
            continue;
        }
        records++; /* which has the titles of another one, too */
        ck_assert(
            pl_publisher_pay_titles(&all, untrusted(n + MANY / 2), 1, &limit));
    }
    ck_assert_uint_ge(records, MANY / 2);
    ck_assert_uint_le(records, MANY / 2 + 2);
    pl_publishers_begin(&all, 1, 0);
    untrusted(0)->allowance = 0;
    ck_assert(!pl_publisher_pay_titles(&all, untrusted(0), 1, &limit));
    ck_assert_int_eq(limit, PL_LIMIT_LOG);
    pl_publishers_release(&all);
}
END_TEST

/* New titles as often as they may be, beside users that add all they can and
 * whose texts are stored again each time. */
START_TEST(long_titles_are_paid_for_like_all_that_is_added_to_a_log)
{
    enum { LONG = 7, TEXTS = 60000, OWN = 16384 };
    const uint64_t record = OWN + LONG * TEXTS;
    const uid_t num = LONG + (_i ? 16 : 1);
    uint64_t stored = 0, records = 0;
    enum pl_limit limit;

    pl_publishers_init(&all);
    for (uid_t n = 0; n < num; n++) {
        pl_publisher_take(&all, untrusted(n), PL_SHARE_MEMORY, 1);
        if (n < LONG)
            pl_publisher_take(&all, untrusted(n), PL_SHARE_TEXTS, TEXTS);
    }
    for (uint64_t pass = 1; pass <= SAMPLES; pass++) {
        bool has_record = false;

        pl_publishers_begin(&all, pass, 0);
        for (uid_t n = LONG; n < num && !has_record; n++)
            has_record =
                pl_publisher_pay_titles(&all, untrusted(n), OWN, &limit);
        records += has_record;
        for (uid_t n = 0; n < LONG; n++) {
            uint64_t before = stored;

            while (pl_publisher_pay(&all, untrusted(n), 10))
                stored += 10;
            /* Half of their part at least. */
            ck_assert_uint_ge(stored - before, LEAST / 2 / num / 10 * 10);
        }
    }
    stored += records * record;
    ck_assert_uint_ge(records, 15);
    ck_assert_uint_le(stored, (uint64_t)SAMPLES * LEAST + 256 * LEAST +
                                  LONG * 16384 + record);
    pl_publishers_release(&all);
}
END_TEST

START_TEST(what_is_refused_is_counted_by_limit)
{
    pl_publishers_init(&all);
    for (int i = 0; i < PL_NUM_LIMITS; i++) {
        pl_publisher_refuse(&all, untrusted(1), (enum pl_limit)i);
        pl_publisher_refuse(&all, &all.trusted, (enum pl_limit)i);
        ck_assert_uint_eq(all.refusals[i], 2);
        ck_assert(untrusted(1)->exceeded & 1u << i);
        ck_assert_str_ne(pl_limit_name((enum pl_limit)i), "");
    }
    ck_assert_uint_eq(untrusted(2)->exceeded, 0);
    pl_publishers_release(&all);
}
END_TEST

START_TEST(an_untrusted_user_causes_few_notes)
{
    unsigned notes = 0;

    pl_publishers_init(&all);
    for (uint64_t pass = 1; pass <= 640; pass++) {
        pl_publisher_take(&all, untrusted(0), PL_SHARE_PLACES, 1);
        while (pl_publisher_may_note(untrusted(0)))
            notes++;
        ck_assert(pl_publisher_may_note(&all.trusted));
        if (_i) /* leaves, and comes back */
            pl_publisher_give(&all, untrusted(0), PL_SHARE_PLACES, 1);
        pl_publishers_begin(&all, pass, 0);
    }
    ck_assert_uint_ge(notes, 20);
    ck_assert_uint_le(notes, 30);
    pl_publishers_release(&all);
}
END_TEST

/* A user may have many numbers, each of which causes all notes that it may. */
START_TEST(who_is_gone_leaves_room_for_others)
{
    pl_publishers_init(&all);
    for (uint64_t pass = 1; pass < 2048; pass++) {
        while (pl_publisher_may_note(untrusted((uid_t)pass)))
            ;
        pl_publishers_begin(&all, pass, 0);
    }
    ck_assert_uint_le(all.num, 512);
    ck_assert_uint_ge(all.num, 500);
    pl_publishers_release(&all);
}
END_TEST

START_TEST(there_are_not_too_many_untrusted_users)
{
    pl_publishers_init(&all);
    for (uid_t n = 0; n < 1024; n++)
        untrusted(n);
    ck_assert(!all.is_excess_to_note);
    ck_assert_ptr_null(pl_publishers_find(&all, FIRST + 5000));
    ck_assert(all.is_excess_to_note);
    ck_assert_uint_eq(all.excess, FIRST + 5000);
    ck_assert_uint_eq(all.refusals[PL_LIMIT_USERS], 1);
    all.is_excess_to_note = false;
    ck_assert_ptr_null(pl_publishers_find(&all, FIRST + 5000));
    ck_assert(!all.is_excess_to_note); /* said so before */
    ck_assert_ptr_nonnull(pl_publishers_find(&all, 0));
    pl_publishers_release(&all);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("publishers");
    TCase *const tcases[] = { t, NULL };

    tcase_add_test(t, root_and_we_are_one_and_other_users_are_each_one);
    tcase_add_test(t, no_share_is_taken_from_whom_is_trusted);
    tcase_add_test(t, numbers_that_are_far_too_large_are_refused);
    tcase_add_loop_test(
        t, untrusted_users_add_no_more_to_a_log_than_the_machine_does, 0, 3);
    tcase_add_test(t, who_pays_little_always_can_whatever_others_do);
    tcase_add_test(t, what_is_more_than_was_saved_is_refused_and_costs_nothing);
    tcase_add_test(t, who_is_gone_is_forgotten_when_he_has_paid);
    tcase_add_test(t, untrusted_users_seldom_cause_a_record_of_all_titles);
    tcase_add_loop_test(
        t, long_titles_are_paid_for_like_all_that_is_added_to_a_log, 0, 2);
    tcase_add_test(t, what_is_refused_is_counted_by_limit);
    tcase_add_loop_test(t, an_untrusted_user_causes_few_notes, 0, 2);
    tcase_add_test(t, who_is_gone_leaves_room_for_others);
    tcase_add_test(t, there_are_not_too_many_untrusted_users);
    return run_suite("publishers", tcases);
}
