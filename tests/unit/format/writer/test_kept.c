/* Which segments are kept, and when the others are deleted. */
#include "format/base/file.h"
#include "format/writer/segment.h"
#include "format/time/time_text.h"
#include "tests/support/recorder.h"
#include "tests/support/support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

START_TEST(a_disk_that_refuses_to_sync_costs_no_older_segment)
{
    struct pl_writer_options o = { .sync_ns = 1,
                                   .max_time_ns = DAY,
                                   .keep = 3 };
    struct recorder r;

    make_segments("log-20200101T000000Z", 0, 3, 1);
    recorder_start(&r, &o);
    ck_assert_uint_eq(num_files("log-2020"), 3);
    let_fail(CALL_SYNC, UINT32_MAX, EIO);
    for (int i = 0; i < 60; i++, recorder_ahead += MINUTE)
        recorder_add(&r);
    ck_assert_uint_eq(num_files("log-2020"), 3);
    /* Now, and after 1, 3, 7, 15 and 31 minutes. */
    ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 1 + 6);
    for (int i = 0; i < 24 * 10; i++, recorder_ahead += 6 * MINUTE)
        recorder_add(&r);
    ck_assert_uint_eq(num_files("log-2020"), 3);
    ck_assert_uint_le(pl_writer_stats(r.w)->segments, 1 + 6 + 24);
    faults_set(NULL, 0);
    recorder_ahead += 61 * MINUTE;
    recorder_add(&r); /* the file is never synced again; the next one is */
    recorder_add(&r);
    ck_assert_uint_eq(num_files("log-2020"), 0);
    ck_assert_uint_eq(num_files("log-"), 3);
    recorder_stop(&r);
}
END_TEST

/* Twice as many as asked for and 32; or, by size, twice the bytes. */
static const struct {
    uint64_t keep, max_size;
    size_t bytes, num, left;
} unreliable[] = {
    { 3, 0, 1, 50, 38 },           /* of any size: 2 x 3 + 32 */
    { 1000, 0, 1, 1010, 1012 },    /* before a sample is on the disk, none */
    { 3, 10000, 1, 1010, 1006 },   /* 2 x 3 + 1000 */
    { 3, 10000, 9000, 20, 5 + 2 }, /* 50,000 bytes beside the new ones */
};

START_TEST(segments_that_are_never_reliable_have_a_bound)
{
    struct pl_writer_options o = { .sync_ns = 1,
                                   .max_time_ns = DAY,
                                   .max_size = unreliable[_i].max_size,
                                   .keep = unreliable[_i].keep };
    struct recorder r;

    make_segments("log-20200101T000000Z", 0, (unsigned)unreliable[_i].num,
                  unreliable[_i].bytes);
    let_fail(CALL_SYNC, UINT32_MAX, EIO);
    recorder_start(&r, &o);
    recorder_add(&r); /* another segment is begun */
    ck_assert_uint_eq(num_files("log-"), unreliable[_i].left);
    recorder_stop(&r);
}
END_TEST

/* Where it cannot be known, a sample that is written counts. */
START_TEST(a_file_system_that_cannot_sync_is_as_if_not_asked_to)
{
    struct pl_writer_options o = { .sync_ns = 1,
                                   .max_time_ns = DAY,
                                   .keep = 2 };
    struct recorder r;

    make_segments("log-20200101T000000Z", 0, 5, 1);
    recorder_start(&r, &o);
    let_fail(CALL_SYNC, UINT32_MAX, _i ? ENOTSUP : EINVAL);
    for (int i = 0; i < 3; i++)
        recorder_add(&r);
    ck_assert_uint_eq(faults_hit(), 3);
    ck_assert_uint_eq(num_files("log-2020"), 1);
    recorder_stop(&r);
    ck_assert_uint_eq(r.final.segments, 1);
    ck_assert_uint_eq(r.final.may_be_lost, 0);
}
END_TEST

/* ---- a full disk ------------------------------------------------------------------ */

static const struct pl_writer_options two = { .sync_ns = 1,
                                              .max_time_ns = DAY,
                                              .keep = 2 };

/* Segments of yesterday, which are of the last two days. */
static const char *yesterday(void)
{
    static char name[64];
    char *path = pl_segment_path("log", pl_clock_utc() - DAY, 0);

    snprintf(name, sizeof name, "%.*s", (int)strlen("log-20200101T000000Z"),
             path);
    free(path);
    return name;
}

static void start_beside_three(struct recorder *r, const char *name)
{
    make_segments(name, 0, 3, 1);
    recorder_start(r, &two);
}

/* The log itself may be what fills it. */
START_TEST(on_a_full_disk_a_new_segment_takes_the_place_of_the_oldest)
{
    static const int errors[] = { ENOSPC, EDQUOT };
    const char *old = yesterday();
    struct recorder r;

    start_beside_three(&r, old);
    let_fail(CALL_WRITE, 1, errors[_i]);
    ck_assert_int_eq(recorder_try(&r), PL_OK);
    ck_assert_uint_eq(faults_hit(), 1);
    ck_assert_uint_eq(num_files(old), 1);
    let_fail(CALL_WRITE, 1, errors[_i]); /* now nothing is due */
    ck_assert_int_eq(recorder_try(&r), PL_IO);
    ck_assert_uint_eq(num_files(old), 1);
    recorder_stop(&r);
    ck_assert_uint_eq(r.final.not_written, 1);
}
END_TEST

/* Where not even as many as asked for leave room, there are new samples again
 * when the others are out of their time. */
START_TEST(on_a_full_disk_what_began_before_so_many_periods_goes)
{
    struct recorder r;

    make_segments("log-20200101T000000Z", 0, 1, 1);
    recorder_start(&r, &two);
    let_fail(CALL_WRITE, 1, ENOSPC);
    ck_assert_int_eq(recorder_try(&r), PL_OK);
    ck_assert_uint_eq(num_files("log-"), 1);
    recorder_stop(&r);
    /* Of the same day, until the day after tomorrow. */
    recorder_start(&r, &two);
    for (int day = 0; day < 2; day++, r.m.utc_ns += DAY) {
        recorder_ahead += 2 * SECOND;
        let_fail(CALL_WRITE, 2, ENOSPC);
        ck_assert_int_eq(recorder_try(&r), PL_IO);
        ck_assert_uint_eq(num_files("log-"), 2);
    }
    recorder_ahead += 2 * SECOND;
    let_fail(CALL_WRITE, 1, ENOSPC);
    ck_assert_int_eq(recorder_try(&r), PL_OK);
    ck_assert_uint_eq(num_files("log-"), 1);
    recorder_stop(&r);
}
END_TEST

/* What was in use then, by packing for instance, is deleted later. */
START_TEST(a_disk_that_is_still_full_is_looked_at_once_a_second)
{
    const char *old = yesterday();
    struct recorder r;

    start_beside_three(&r, old);
    let_fail(CALL_WRITE, 4, ENOSPC);
    ck_assert_int_eq(recorder_try(&r), PL_IO);
    ck_assert_uint_eq(num_files(old), 1);
    make_segments(old, 0, 3, 1);
    ck_assert_int_eq(recorder_try(&r), PL_IO);
    ck_assert_uint_eq(num_files(old), 3);
    recorder_ahead += SECOND;
    ck_assert_int_eq(recorder_try(&r), PL_OK);
    ck_assert_uint_eq(num_files(old), 1);
    recorder_stop(&r);
}
END_TEST

START_TEST(a_file_that_may_not_grow_costs_no_older_segment)
{
    const char *old = yesterday();
    struct recorder r;

    start_beside_three(&r, old);
    let_fail(CALL_WRITE, 1, EFBIG);
    ck_assert_int_eq(recorder_try(&r), PL_IO);
    ck_assert_uint_eq(num_files(old), 3);
    recorder_stop(&r);
}
END_TEST

/* What is newer may not be there after a power cut. */
START_TEST(a_full_disk_that_refuses_to_sync_costs_no_older_segment)
{
    const char *old = yesterday();
    struct recorder r;

    start_beside_three(&r, old);
    let_fail(CALL_SYNC, UINT32_MAX, EIO);
    recorder_add(&r);
    ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 2);
    let_fail(CALL_SYNC, 1, ENOSPC); /* which says nothing else */
    recorder_add(&r);
    ck_assert_uint_eq(faults_hit(), 1);
    let_fail(CALL_WRITE, 1, ENOSPC);
    ck_assert_int_eq(recorder_try(&r), PL_IO);
    ck_assert_uint_eq(num_files(old), 3);
    faults_set(NULL, 0);
    recorder_ahead += MINUTE;
    recorder_add(&r);
    recorder_add(&r); /* it syncs again */
    ck_assert_uint_eq(num_files(old), 0);
    recorder_stop(&r);
}
END_TEST

/* It is no wonder that it does: there is no room.  (NFS, btrfs) */
START_TEST(a_full_disk_that_shows_when_it_syncs_costs_the_oldest_segment)
{
    static const int errors[] = { ENOSPC, EDQUOT };
    const char *old = yesterday();
    struct recorder r;

    start_beside_three(&r, old);
    let_fail(CALL_SYNC, 1, errors[_i]);
    recorder_add(&r);
    ck_assert_uint_eq(num_files(old), 1);
    ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 2);
    make_segments(old, 0, 3, 1);
    let_fail(CALL_WRITE, 1, errors[_i]);
    recorder_ahead += SECOND;
    ck_assert_int_eq(recorder_try(&r), PL_OK);
    ck_assert_uint_eq(num_files(old), 0);
    recorder_stop(&r);
    ck_assert_uint_eq(r.final.may_be_lost, 1);
}
END_TEST

/* Where files are counted, or need room of their own, not even the file of the
 * next segment can be made.  By size, and by time. */
START_TEST(a_disk_without_room_for_another_file_has_that_of_the_oldest)
{
    struct pl_writer_options o = { .sync_ns = 1,
                                   .max_size = _i ? 1 << 30 : 1,
                                   .max_time_ns = _i ? DAY : 0,
                                   .keep = _i ? 2 : 4 };
    const char *old = yesterday();
    struct recorder r;

    make_segments(old, 0, 3, 1);
    recorder_start(&r, &o);
    recorder_add(&r);
    r.m.utc_ns += _i * DAY;
    let_fail(CALL_OPEN, 1, EACCES);
    recorder_add(&r);
    ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 1);
    ck_assert_uint_eq(num_files(old), 3);
    /* Twice, beside the calls for those that are deleted. */
    faults_set((struct fault[]){ { CALL_OPEN, 1, 1, ENOSPC },
                                 { CALL_OPEN, _i ? 6 : 3, 1, ENOSPC } },
               2);
    recorder_add(&r);
    ck_assert_uint_eq(faults_hit(), 2);
    ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 1);
    ck_assert_uint_eq(num_files(old), _i ? 0 : 2);
    make_segments(old, 0, 3, 1);
    let_fail(CALL_OPEN, 1, ENOSPC);
    recorder_ahead += SECOND;
    recorder_add(&r);
    ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 2);
    ck_assert_uint_eq(num_files(old), _i ? 0 : 2);
    recorder_stop(&r);
    ck_assert_uint_eq(r.final.samples, 4);
}
END_TEST

START_TEST(below_min_free_a_new_segment_takes_the_place_of_the_oldest)
{
    struct pl_writer_options o = {
        .sync_ns = 1, .max_time_ns = DAY, .keep = 2, .min_free = 1
    };
    struct recorder r;

    recorder_start(&r, &o);
    recorder_add(&r);
    make_segments("log-20200101T000000Z", 0, 3, 1);
    let_fail(CALL_SPACE, 1, FAULT_NOTHING);
    recorder_ahead += 2 * SECOND;
    ck_assert_int_eq(recorder_try(&r), PL_NO_SPACE);
    ck_assert_uint_eq(num_files("log-2020"), 3); /* none is due */
    ck_assert_int_eq(pl_writer_rotate(r.w), PL_OK);
    let_fail(CALL_SPACE, 1, FAULT_NOTHING);
    recorder_ahead += 2 * SECOND;
    ck_assert_int_eq(recorder_try(&r), PL_OK);
    ck_assert_uint_eq(num_files("log-2020"), 0);
    ck_assert_uint_eq(num_files("log-"), 2);
    recorder_stop(&r);
}
END_TEST

/* Too little space came within a segment, of which only its time ends. */
START_TEST(below_min_free_the_time_of_a_segment_ends_too)
{
    struct pl_writer_options o = {
        .sync_ns = 1, .max_time_ns = DAY, .keep = _i ? 2 : 0, .min_free = 1
    };
    struct recorder r;

    make_segments("log-20200101T000000Z", 0, 1, 1);
    recorder_start(&r, &o);
    recorder_add(&r);
    for (int day = 0; day < 2; day++, r.m.utc_ns += DAY) {
        recorder_ahead += 2 * SECOND;
        let_fail(CALL_SPACE, _i && day ? 1 : UINT32_MAX, FAULT_NOTHING);
        ck_assert_int_eq(recorder_try(&r), _i && day ? PL_OK : PL_NO_SPACE);
        ck_assert_uint_eq(num_files("log-2020"), !(_i && day));
        ck_assert_uint_eq(pl_writer_stats(r.w)->segments, _i && day ? 2 : 1);
    }
    faults_set(NULL, 0);
    recorder_add(&r);
    recorder_stop(&r);
    ck_assert_uint_eq(r.final.segments, _i ? 3 : 2);
    ck_assert_uint_eq(r.final.not_written, _i ? 1 : 2);
}
END_TEST

/* A start is no other case: in the check of free space, when its file is made, or
 * with the first words.  By number, and by time. */
static const struct fault no_room_at_start[] = {
    { CALL_SPACE, 1, 1, FAULT_NOTHING },
    { CALL_OPEN, 5, 1, ENOSPC }, /* after a look at each that is there */
    { CALL_WRITE, 1, 1, ENOSPC },
};

START_TEST(where_a_recording_finds_no_room_at_its_start_what_is_due_goes)
{
    struct pl_writer_options o = {
        .sync_ns = 1, .keep = 2, .max_time_ns = _i < 3 ? 0 : DAY, .min_free = 1
    };
    struct recorder r;

    make_segments("log-20200101T000000Z", 0, 3, 1);
    faults_set(&no_room_at_start[_i % 3], 1);
    faults_on();
    recorder_start(&r, &o);
    faults_off();
    ck_assert_uint_eq(faults_hit(), 1);
    ck_assert_uint_eq(num_files("log-2020"), _i < 3);
    recorder_add(&r);
    recorder_stop(&r);
    ck_assert_uint_eq(r.final.samples, 1);
}
END_TEST

/* Nothing is due, or it does not suffice: there is no recording, nor its file. */
START_TEST(where_that_is_not_enough_nothing_is_begun)
{
    struct pl_writer_options o = {
        .sync_ns = 1, .max_size = 1 << 20, .keep = _i ? 2 : 0, .min_free = 1
    };
    const char *why;

    make_segments("log-20200101T000000Z", 0, 3, 1);
    let_fail(CALL_SPACE, UINT32_MAX, FAULT_NOTHING);
    faults_on();
    ck_assert_int_eq(log_try_open(path_in(temp_dir(), "log.plog"), &o, &why),
                     PL_NO_SPACE);
    faults_off();
    ck_assert_uint_eq(num_files("log-"), _i ? 1 : 3);
}
END_TEST

/* Others fill the disk: what is deleted would not help. */
START_TEST(requests_for_segments_without_samples_cost_no_older_segment)
{
    struct pl_writer_options o = {
        .sync_ns = 1, .max_time_ns = DAY, .keep = 3, .min_free = 1
    };
    const char *old = yesterday();
    struct recorder r;

    make_segments(old, 0, 2, 1);
    recorder_start(&r, &o);
    for (int i = 0; i < 9; i++) {
        recorder_ahead += 2 * SECOND;
        let_fail(CALL_SPACE, UINT32_MAX, FAULT_NOTHING);
        ck_assert_int_eq(recorder_try(&r), PL_NO_SPACE);
        ck_assert_int_eq(pl_writer_rotate(r.w), PL_OK);
    }
    ck_assert_uint_eq(num_files(old), 2);
    ck_assert_uint_eq(num_files("log-"), 3);
    recorder_stop(&r);
}
END_TEST

/* ---- how many ----------------------------------------------------------------------- */

/* Samples do not fall on the periods' beginnings. */
START_TEST(with_both_limits_as_many_are_kept_as_asked_for)
{
    struct pl_writer_options o = { .sync_ns = PL_SYNC_NEVER,
                                   .max_time_ns = MINUTE,
                                   .max_size = 1 << 20,
                                   .keep = 3 };
    struct recorder r;

    recorder_start(&r, &o);
    for (int i = 0; i < 200; i++) {
        log_add(&r.l, r.w, &r.m, (_i ? 7 : 20) * SECOND, 1);
        ck_assert_uint_le(num_files("log-"), 3);
    }
    ck_assert_uint_eq(num_files("log-"), 3);
    recorder_stop(&r);
}
END_TEST

/* The new one, too, may become as large. */
START_TEST(all_that_is_kept_takes_no_more_than_so_many_of_the_size)
{
    struct pl_writer_options o = { .sync_ns = PL_SYNC_NEVER,
                                   .max_time_ns = DAY,
                                   .max_size = 30000,
                                   .keep = 4 };
    struct recorder r;
    uint64_t most = 0;

    recorder_start(&r, &o);
    for (int i = 0; i < 60; i++) { /* each is small, and the last grows */
        for (int k = 0; k < 10; k++)
            recorder_add(&r);
        recorder_restart(&r);
    }
    for (int i = 0; pl_writer_stats(r.w)->segments < 2; i++) {
        if (num_bytes("log-") > most)
            most = num_bytes("log-");
        recorder_add(&r);
    }
    ck_assert_uint_le(most, 4 * 30000 + 1000); /* a sample more in the last */
    ck_assert_uint_ge(most, 3 * 30000);
    ck_assert_uint_gt(num_files("log-"), 4);
    recorder_stop(&r);
}
END_TEST

START_TEST(what_is_never_synced_is_reliable_with_its_first_sample)
{
    struct pl_writer_options o = { .sync_ns = PL_SYNC_NEVER,
                                   .max_size = 1 << 30,
                                   .keep = 2 };
    struct recorder r;

    make_segments("log-20200101T000000Z", 0, 3, 1);
    recorder_start(&r, &o);
    ck_assert_uint_eq(num_files("log-2020"), 3);
    recorder_add(&r);
    ck_assert_uint_eq(num_files("log-2020"), 1);
    recorder_stop(&r);
}
END_TEST

/* A reboot loop, or a watchdog: the days before are what the log is for. */
START_TEST(restarts_cost_no_older_segment_that_is_small_and_young)
{
    struct pl_writer_options o = {
        .sync_ns = 1, .max_size = 10000, .max_time_ns = DAY, .keep = 4
    };
    struct recorder r;

    make_segments("log-20200101T000000Z", 0, 3, 1);
    recorder_start(&r, &o);
    for (int i = 0; i < 8; i++) {
        recorder_add(&r);
        recorder_restart(&r);
    }
    recorder_add(&r);
    ck_assert_uint_eq(num_files("log-2020"), 0); /* too old */
    ck_assert_uint_eq(num_files("log-"), 9);
    recorder_stop(&r);
}
END_TEST

/* The newest of yesterday: sizes up to 30,000 bytes beside the new
 * one, and up to 1,000 files. */
static void check_yesterday(size_t bytes, unsigned num, size_t kept)
{
    struct pl_writer_options o = {
        .sync_ns = 1, .max_size = 10000, .max_time_ns = DAY, .keep = 4
    };
    char *name = pl_segment_path("log", pl_clock_utc() - DAY, 0);
    struct recorder r;

    name[strlen("log-20200101T000000Z")] = 0;
    make_segments(name, 0, num, bytes);
    recorder_start(&r, &o);
    recorder_add(&r);
    ck_assert_uint_eq(num_files(name), kept);
    recorder_stop(&r);
    delete_all();
    free(name);
}

START_TEST(what_is_spared_has_bounds)
{
    check_yesterday(9000, 9, 3);
    check_yesterday(4500, 9, 6);
    check_yesterday(20000, 9, 3); /* and never fewer than asked for */
    check_yesterday(4, 1010, 999);
}
END_TEST

int main(void)
{
    TCase *kept = tcase_create("kept"), *full = tcase_create("full");
    TCase *num = tcase_create("num");

    tcase_add_test(kept, a_disk_that_refuses_to_sync_costs_no_older_segment);
    tcase_add_loop_test(kept, segments_that_are_never_reliable_have_a_bound, 0,
                        4);
    tcase_add_loop_test(
        kept, a_file_system_that_cannot_sync_is_as_if_not_asked_to, 0, 2);
    tcase_add_test(kept,
                   what_is_never_synced_is_reliable_with_its_first_sample);
    tcase_add_test(kept,
                   restarts_cost_no_older_segment_that_is_small_and_young);
    tcase_add_test(num, what_is_spared_has_bounds);
    tcase_add_loop_test(num, with_both_limits_as_many_are_kept_as_asked_for, 0,
                        2);
    tcase_add_test(num,
                   all_that_is_kept_takes_no_more_than_so_many_of_the_size);
    tcase_add_loop_test(
        full, on_a_full_disk_a_new_segment_takes_the_place_of_the_oldest, 0, 2);
    tcase_add_loop_test(
        full, a_full_disk_that_shows_when_it_syncs_costs_the_oldest_segment, 0,
        2);
    tcase_add_loop_test(
        full, a_disk_without_room_for_another_file_has_that_of_the_oldest, 0,
        2);
    tcase_add_loop_test(full, below_min_free_the_time_of_a_segment_ends_too, 0,
                        2);
    tcase_add_test(full, on_a_full_disk_what_began_before_so_many_periods_goes);
    tcase_add_test(full, a_disk_that_is_still_full_is_looked_at_once_a_second);
    tcase_add_test(full, a_file_that_may_not_grow_costs_no_older_segment);
    tcase_add_test(full,
                   a_full_disk_that_refuses_to_sync_costs_no_older_segment);
    tcase_add_test(full,
                   below_min_free_a_new_segment_takes_the_place_of_the_oldest);
    tcase_add_test(full,
                   requests_for_segments_without_samples_cost_no_older_segment);
    tcase_add_loop_test(
        full, where_a_recording_finds_no_room_at_its_start_what_is_due_goes, 0,
        6);
    tcase_add_loop_test(full, where_that_is_not_enough_nothing_is_begun, 0, 2);
    return run_suite("kept", (TCase *[]){ kept, full, num, NULL });
}
