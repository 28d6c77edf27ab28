/* What damage cost, from the numbers of records and the clocks around them. */
#include "analyze/inspect/damage_summary.h"

#include "format/time/time_text.h"
#include "tests/support/support.h"

#define SECOND PL_NS_PER_SEC

/* Items of one session, sampled every second. */
static struct pl_damage_summary losses;
static struct pl_damage lost;

static bool take(struct pl_item item)
{
    item.record.session = 5;
    return pl_damage_summary_take(&losses, &item, SECOND, &lost);
}

static bool sample(int64_t second)
{
    return take((struct pl_item){ .kind = PL_ITEM_SAMPLE,
                                  .record = { .type = PL_SMPL,
                                              .utc_ns = second * SECOND,
                                              .boot_ns = second * SECOND } });
}

static void gaps(enum pl_gap_cause cause, uint32_t count)
{
    struct pl_item item = { .kind = PL_ITEM_GAPS,
                            .record = { .type = PL_GAPS } };

    item.gaps.cause = cause;
    item.gaps.count = count;
    ck_assert(!take(item));
}

static void hole(uint32_t records)
{
    ck_assert(
        !take((struct pl_item){ .kind = PL_ITEM_HOLE, .count = records }));
}

static void begin(void)
{
    losses = (struct pl_damage_summary){ 0 };
}

START_TEST(records_that_are_missing_were_samples_as_far_as_there_was_time)
{
    ck_assert(!sample(100));
    hole(9);
    ck_assert(sample(110));
    ck_assert_uint_eq(lost.samples, 9);
    ck_assert_uint_eq(lost.ns, 10 * SECOND);
    ck_assert(!sample(111)); /* told once */
    hole(9);
    ck_assert(sample(115));
    ck_assert_uint_eq(lost.samples, 3); /* the others were other records */
}
END_TEST

START_TEST(what_gaps_have_told_is_not_lost_once_more)
{
    ck_assert(!sample(100));
    hole(9);
    gaps(PL_GAP_LATE, 6);
    ck_assert(sample(110));
    ck_assert_uint_eq(lost.samples, 3);
    hole(9); /* these gaps were of the time before */
    ck_assert(sample(120));
    ck_assert_uint_eq(lost.samples, 9);
}
END_TEST

START_TEST(samples_whose_sync_failed_were_written_and_may_be_lost)
{
    ck_assert(!sample(100));
    hole(9);
    gaps(PL_GAP_SYNC_FAILED, 6);
    ck_assert(sample(110));
    ck_assert_uint_eq(lost.samples, 9);
}
END_TEST

START_TEST(gaps_that_tell_all_leave_nothing)
{
    ck_assert(!sample(100));
    hole(4);
    gaps(PL_GAP_DISK_FULL, 30);
    ck_assert(sample(110));
    ck_assert_uint_eq(lost.samples, 0);
    ck_assert_uint_eq(lost.missing, 4);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("loss");

    tcase_add_checked_fixture(t, begin, NULL);
    tcase_add_test(
        t, records_that_are_missing_were_samples_as_far_as_there_was_time);
    tcase_add_test(t, what_gaps_have_told_is_not_lost_once_more);
    tcase_add_test(t, samples_whose_sync_failed_were_written_and_may_be_lost);
    tcase_add_test(t, gaps_that_tell_all_leave_nothing);
    return run_suite("loss", (TCase *[]){ t, NULL });
}
