/* A process' own I/O from the two files of /proc, read by read. */
#include "logger/linux/processes/own_io.h"
#include "tests/support/support.h"

static struct pl_own_io o;
static struct pl_io_owner who;

enum { NOT_READ = -1, UNSEEN = -1 };

static void set_up(void)
{
    o = (struct pl_own_io){ 0 };
    who = (struct pl_io_owner){ .started = 5, .has_one_thread = true };
}

static const uint64_t *words(uint64_t room[PL_IO_WORDS], int n)
{
    for (int i = 0; i < PL_IO_WORDS; i++)
        room[i] = (uint64_t)n + (uint64_t)i;
    return n < 0 ? NULL : room;
}

/* What is read must be what is needed; 'ended': what 'num' threads did. */
static void take_ends(int sum, int threads, int ended, uint64_t num)
{
    uint64_t a[PL_IO_WORDS], b[PL_IO_WORDS], c[PL_IO_WORDS];

    who.ended = words(c, ended);
    who.num_ended = num;
    ck_assert_uint_eq(pl_own_io_needs(&o, &who),
                      (sum < 0 ? 0 : PL_NEEDS_SUM) |
                          (threads < 0 ? 0 : PL_NEEDS_THREADS));
    pl_own_io_take(&o, &who, words(a, sum), words(b, threads));
    who.ended = NULL;
}

/* As many threads have ended as they did. */
static void take(int sum, int threads, int ended)
{
    take_ends(sum, threads, ended, ended > 0 ? (uint64_t)ended : 0);
}

/* Every word has its own offset, which sums of two have twice. */
static void check_own(uint64_t own, uint64_t last)
{
    ck_assert_uint_eq(o.own[0], own);
    ck_assert_uint_eq(o.own[PL_IO_WORDS - 1], last);
}

START_TEST(one_thread_needs_its_own_file)
{
    take(100, NOT_READ, UNSEEN); /* but for the first time */
    check_own(100, 106);
    take(120, 120, UNSEEN);
    check_own(120, 126);
    take(NOT_READ, 130, UNSEEN);
    check_own(130, 136);
    ck_assert_uint_eq(o.inherited[0], 0);
}
END_TEST

/* It began when threads were seen to end: those that did before it was met are in
 * the sum, and are its own. */
START_TEST(who_began_when_threads_are_seen_has_the_sum)
{
    who.is_seen_from_start = true;
    take_ends(5000, NOT_READ, 1024, 1); /* 4,000 by one that ended */
    check_own(5000, 5006);
    take_ends(5100, 1100, 1024, 1);
    check_own(5100, 5106);
    take_ends(NOT_READ, 1110, 1024, 1);
    check_own(5110, 5116);
    ck_assert_uint_eq(o.inherited[0], 0);
    who.started++;
    who.child_faults = 1;
    take_ends(9000, 100, 0, 0);
    check_own(100, 112);
    who.started++;
    who.child_faults = 0;
    who.has_one_thread = false; /* one may end unseen until the next sample */
    take_ends(200, 100, 0, 0);
    check_own(200, 206);
}
END_TEST

START_TEST(what_a_reaped_child_did_is_inherited)
{
    take(100, NOT_READ, UNSEEN);
    who.child_faults = 3;
    take(100130, 130, UNSEEN);
    check_own(130, 136);
    ck_assert_uint_eq(o.inherited[0], 100000);
    take(NOT_READ, 140, UNSEEN);
    check_own(140, 146);
    who.child_faults = 4;
    take(300140, 140, UNSEEN);
    check_own(140, 146);
    ck_assert_uint_eq(o.inherited[0], 300000);
}
END_TEST

/* No faults show that a child was reaped which shared the memory. */
START_TEST(what_a_child_without_faults_did_is_inherited)
{
    take(100, NOT_READ, UNSEEN);
    who.reaps_unseen = true;
    take(5100, 100, UNSEEN);
    check_own(100, 106);
    take(9130, 130, UNSEEN);
    check_own(130, 136);
    ck_assert_uint_eq(o.inherited[0], 9000);
    who.started++;
    who.has_one_thread = false;
    take(9000, 70, UNSEEN); /* met when it had reaped */
    check_own(70, 76);
    ck_assert_uint_eq(o.inherited[0], 8930);
}
END_TEST

/* Seen for the first time when it has reaped. */
START_TEST(what_it_inherited_before_is_not_its_own)
{
    who.child_faults = 3;
    take(5000, 70, UNSEEN);
    check_own(70, 76);
    ck_assert_uint_eq(o.inherited[0], 4930);
}
END_TEST

START_TEST(many_threads_need_the_sum)
{
    who.has_one_thread = false;
    take(100, 60, UNSEEN);
    check_own(100, 106); /* it never had a child: others have ended */
    take(150, NOT_READ, UNSEEN);
    check_own(150, 156);
    who.child_faults = 1;
    take(9000, 90, UNSEEN); /* what is known to be its own */
    check_own(150, 156);
    ck_assert_uint_eq(o.inherited[0], 8850);
    take(9020, NOT_READ, UNSEEN);
    check_own(170, 176);
}
END_TEST

START_TEST(ended_threads_that_were_seen_count)
{
    uint64_t inherited;

    who.has_one_thread = false;
    take(500, 60, 0); /* 440 before this began: a constant */
    check_own(60, 72);
    inherited = o.inherited[0];
    take(600, NOT_READ, 0);
    check_own(160, 172);
    who.child_faults = 1;
    take(9000, 100, 110);
    check_own(210, 222);
    ck_assert_uint_eq(o.inherited[0] - inherited, 9000 - 210 - inherited);
    who.has_one_thread = true;
    take(9030, 105, 140); /* it may have ended while threads were read */
    check_own(245, 257);
    take(9041, 106, 150);
    check_own(256, 268);
    take(NOT_READ, 107, 150);
    check_own(257, 269);
}
END_TEST

/* One thread did 30 and ended after the reports were taken, before the others'
 * files were read; its report comes with the next sample. */
START_TEST(a_thread_that_ends_while_a_child_is_reaped_is_not_inherited)
{
    who.has_one_thread = false;
    take(100, 100, 0);
    take(100, NOT_READ, 0);
    who.child_faults = 1;
    take(5130, 100, 0);
    check_own(100, 112);
    ck_assert_uint_eq(o.inherited[0], 5030); /* too much */
    take(5130, 100, 30);
    check_own(130, 142);
    ck_assert_uint_eq(o.inherited[0], 5000);
    take(5140, NOT_READ, 40); /* once is enough */
    check_own(140, 152);
}
END_TEST

/* It came and went between two samples of one thread, and the kernel rounds 30
 * of each word down to nothing; the sum has them as long as no child is reaped. */
START_TEST(a_short_thread_has_done_what_the_kernel_rounds_down)
{
    take_ends(100, 100, 0, 0);
    take_ends(140, 110, 0, 1); /* in the first sample after the split */
    check_own(140, 146);
    take_ends(180, 120, 0, 2); /* in a later one */
    check_own(180, 186);
    take_ends(NOT_READ, 125, 0, 2);
    check_own(185, 191);
    ck_assert_uint_eq(o.inherited[0], 0);
}
END_TEST

/* A thousand threads did 1,000 each, which the kernel rounds down to nothing; then
 * one did 921,600 while a child was reaped. */
START_TEST(a_report_adds_to_what_the_sum_has_taught)
{
    take_ends(100, 100, 0, 0);
    take_ends(1000100, 100, 0, 1000);
    check_own(1000100, 1000106);
    take_ends(NOT_READ, 110, 0, 1000);
    check_own(1000110, 1000116);
    who.child_faults = 1;
    take_ends(5000000, 110, 921600, 1001);
    check_own(1921710, 1921716);
    take_ends(5000010, 110, 921610, 1002);
    check_own(1921720, 1921726);
}
END_TEST

/* It is in the sum of the sample before that in which it is reported. */
START_TEST(what_the_sum_had_before_the_report_counts_once)
{
    take_ends(100, 100, 0, 0);
    take_ends(5100, 100, 1000, 1); /* 4,000 are not reported yet */
    check_own(5100, 5106);
    who.child_faults = 1;
    take_ends(9000, 100, 5000, 2);
    check_own(5100, 5112); /* the last word had 6 reported at first */
    ck_assert_uint_eq(o.inherited[0], 3900);
    take_ends(9000, 100, 5200, 3); /* what is reported later adds */
    check_own(5300, 5312);
}
END_TEST

START_TEST(threads_that_ended_are_noticed)
{
    ck_assert(!pl_own_io_has_new_ends(&o, 0));
    take_ends(100, 100, 0, 7);
    ck_assert(!pl_own_io_has_new_ends(&o, 7));
    ck_assert(pl_own_io_has_new_ends(&o, 8));
}
END_TEST

/* From many threads to one: none was seen to end, but no child was reaped. */
START_TEST(the_last_of_many_threads)
{
    who.has_one_thread = false;
    take(100, 100, UNSEEN);
    take(180, NOT_READ, UNSEEN);
    who.has_one_thread = true;
    take(200, 20, UNSEEN);
    check_own(200, 206);
    take(NOT_READ, 30, UNSEEN);
    check_own(210, 216);
}
END_TEST

START_TEST(it_never_decreases)
{
    take(100, NOT_READ, UNSEEN);
    take(100, 50, UNSEEN);
    take(NOT_READ, 40, UNSEEN);
    check_own(100, 106);
    who.child_faults = 1;
    take(90, 50, UNSEEN);
    ck_assert_uint_ge(o.own[0], 100);
    ck_assert_uint_eq(o.inherited[0], 0);
}
END_TEST

START_TEST(another_process_of_that_number_begins)
{
    take(100, NOT_READ, UNSEEN);
    who.started++;
    take(7, NOT_READ, UNSEEN);
    check_own(7, 13);
}
END_TEST

START_TEST(growth_is_noticed)
{
    uint64_t room[PL_IO_WORDS];

    ck_assert(pl_own_io_has_grown(&o, &who, words(room, 0)));
    who.child_faults = 1;
    take(1100, 100, UNSEEN);
    ck_assert(!pl_own_io_has_grown(&o, &who, words(room, 1100)));
    ck_assert(pl_own_io_has_grown(&o, &who, words(room, 1101)));
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("all");

    tcase_add_checked_fixture(tc, set_up, NULL);
    tcase_add_test(tc, one_thread_needs_its_own_file);
    tcase_add_test(tc, who_began_when_threads_are_seen_has_the_sum);
    tcase_add_test(tc, what_a_reaped_child_did_is_inherited);
    tcase_add_test(tc, what_a_child_without_faults_did_is_inherited);
    tcase_add_test(tc, what_it_inherited_before_is_not_its_own);
    tcase_add_test(tc, many_threads_need_the_sum);
    tcase_add_test(tc, ended_threads_that_were_seen_count);
    tcase_add_test(tc,
                   a_thread_that_ends_while_a_child_is_reaped_is_not_inherited);
    tcase_add_test(tc, a_short_thread_has_done_what_the_kernel_rounds_down);
    tcase_add_test(tc, a_report_adds_to_what_the_sum_has_taught);
    tcase_add_test(tc, what_the_sum_had_before_the_report_counts_once);
    tcase_add_test(tc, threads_that_ended_are_noticed);
    tcase_add_test(tc, the_last_of_many_threads);
    tcase_add_test(tc, it_never_decreases);
    tcase_add_test(tc, another_process_of_that_number_begins);
    tcase_add_test(tc, growth_is_noticed);
    return run_suite("own_io_words", (TCase *const[]){ tc, NULL });
}
