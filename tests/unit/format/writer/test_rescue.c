/* Files that cannot be written on: when another one is begun, and what that has
 * of them. */
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

/* ---- when it is begun --------------------------------------------------------------- */

START_TEST(after_a_calm_time_another_file_is_begun_within_a_minute)
{
    struct pl_writer_options o = { .sync_ns = 1, .max_size = 1 << 30 };
    struct recorder r;

    recorder_start(&r, &o);
    for (int i = 0; i < 9; i++, recorder_ahead += 3 * 60 * MINUTE) {
        let_fail(CALL_SYNC, 2, EIO); /* the second one in the next file */
        recorder_add(&r);
        recorder_add(&r);
        faults_set(NULL, 0);
        recorder_ahead += MINUTE + SECOND;
        recorder_add(&r);
        ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 3 + 2 * (unsigned)i);
    }
    recorder_stop(&r);
}
END_TEST

/* After 1, 2, 4, 8, 16, 32 and then always 60 minutes. */
START_TEST(errors_that_go_on_begin_a_file_an_hour)
{
    struct pl_writer_options o = { .sync_ns = 1, .max_size = 1 << 30 };
    struct recorder r;

    recorder_start(&r, &o);
    let_fail(CALL_SYNC, UINT32_MAX, EIO);
    for (int i = 0; i <= 63 + 5 * 60; i++, recorder_ahead += MINUTE)
        recorder_add(&r);
    ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 1 + 1 + 6 + 5);
    recorder_stop(&r);
}
END_TEST

/* The folder, or its server, is away: it is noticed when it is back. */
START_TEST(while_no_file_can_be_begun_the_pauses_stay_as_they_are)
{
    struct pl_writer_options o = { .sync_ns = 1, .max_size = 1 << 30 };
    struct fault away[] = { { CALL_OPEN, 1, UINT32_MAX, ENOENT },
                            { CALL_SYNC, 1, UINT32_MAX, EIO } };
    struct recorder r;

    recorder_start(&r, &o);
    faults_set(away, 2);
    for (int i = 0; i < 10; i++, recorder_ahead += 20 * MINUTE)
        recorder_add(&r);
    ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 1);
    let_fail(CALL_SYNC, UINT32_MAX, EIO);
    recorder_add(&r);
    ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 2);
    recorder_add(&r);
    recorder_ahead += MINUTE;
    recorder_add(&r);
    ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 3);
    recorder_stop(&r);
}
END_TEST

static const char *its_path;

static void cut(void)
{
    ck_assert_int_eq(truncate(its_path, 100), 0);
}

static void lengthen(void)
{
    ck_assert_int_eq(truncate(its_path, 1 << 20), 0);
}

/* Every minute there is another file, however often: errors go on longer. */
START_TEST(a_file_that_another_program_cuts_is_followed_by_one_each_minute)
{
    struct pl_writer_options o = { .sync_ns = 1, .max_size = 1 << 30 };
    struct recorder r;

    recorder_start(&r, &o);
    recorder_add(&r);
    for (unsigned i = 0; i < 9; i++, recorder_ahead += MINUTE) {
        its_path = pl_writer_path(r.w);
        if (i % 2)
            lengthen();
        else
            cut();
        recorder_ahead += 2 * SECOND;
        recorder_add(&r);
        ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 2 + i);
        ck_assert_uint_eq(pl_writer_stats(r.w)->taken_away, 1 + i);
    }
    recorder_stop(&r);
}
END_TEST

/* The file begins with a note that the one before it was changed then. */
static void check_note(const char *path, int64_t utc_ns)
{
    struct pl_reader *reader;
    struct pl_item item;

    ck_assert_int_eq(pl_reader_open(&reader, path, NULL), PL_OK);
    do
        ck_assert_int_eq(pl_reader_next(reader, &item), PL_OK);
    while (item.kind != PL_ITEM_NOTE);
    ck_assert_int_eq(item.record.utc_ns, utc_ns);
    pl_reader_close(reader);
}

/* In the same minute: what went into it could not be read. */
START_TEST(samples_for_a_file_that_was_cut_again_are_lost_and_counted)
{
    struct pl_writer_options o = { .sync_ns = 1, .max_size = 1 << 30 };
    struct recorder r;
    int64_t noticed = 0;
    char *newest;

    recorder_start(&r, &o);
    for (int i = 0; i < 2; i++) {
        recorder_add(&r);
        recorder_add(&r);
        its_path = pl_writer_path(r.w);
        cut();
        recorder_ahead += 2 * SECOND;
        if (!i)
            recorder_add(&r);
    }
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(recorder_try(&r), PL_IO);
        noticed = i ? noticed : r.m.utc_ns;
    }
    recorder_ahead += MINUTE;
    recorder_add(&r);
    recorder_add(&r);
    newest = strdup(pl_writer_path(r.w));
    recorder_stop(&r);
    check_note(newest, noticed);
    free(newest);
    ck_assert_uint_eq(r.final.not_written, 5);
    ck_assert_uint_eq(r.final.taken_away, 2);
    ck_assert_uint_eq(read_all(), 2);
    ck_assert_uint_eq(reported[PL_GAP_DISK_ERROR].count, 5);
}
END_TEST

/* More than a sample takes, and no multiple of 8. */
static void append_to_it(void)
{
    static const char more[9999];
    FILE *f = fopen(its_path, "ab");

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(more, 1, sizeof more, f), sizeof more);
    ck_assert_int_eq(fclose(f), 0);
}

/* In the same minute: what is recorded follows what was appended, as after a
 * restart.  Either that is appended last, or the minute passes. */
START_TEST(samples_for_a_file_that_became_longer_again_can_be_read)
{
    struct pl_writer_options o = { .sync_ns = 1, .max_size = 1 << 30 };
    struct recorder r;

    recorder_start(&r, &o);
    for (int i = 0; i < 3; i++) {
        recorder_add(&r);
        its_path = pl_writer_path(r.w);
        append_to_it();
        for (int k = 0; k < 5; k++) {
            recorder_ahead += 2 * SECOND;
            recorder_add(&r);
        }
    }
    ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 2);
    recorder_ahead += _i * MINUTE;
    recorder_add(&r);
    ck_assert_uint_eq(pl_writer_stats(r.w)->segments, _i ? 3 : 2);
    if (!_i)
        append_to_it();
    recorder_stop(&r);
    ck_assert(!r.final.ended_taken);
    ck_assert_uint_eq(r.final.not_written, 0);
    ck_assert_uint_eq(r.final.samples, 19);
    ck_assert_uint_eq(read_all(), 19);
    ck_assert_uint_eq(num_bytes("log-") % 8, 0);
}
END_TEST

/* ---- what the next file reports --------------------------------------------------- */

/* Where a segment is asked for before it is noticed that the file is gone. */
START_TEST(what_a_deleted_file_would_report_is_in_the_next)
{
    struct pl_gaps gaps = { .count = 3, .cause = PL_GAP_LATE };
    struct pl_writer_options o = { .sync_ns = 1, .max_size = 1 << 30 };
    struct recorder r;

    recorder_start(&r, &o);
    recorder_add(&r);
    pl_writer_missed(r.w, &gaps);
    unlink(pl_writer_path(r.w));
    ck_assert_int_eq(pl_writer_rotate(r.w), PL_OK);
    ck_assert_uint_eq(pl_writer_stats(r.w)->taken_away, 1);
    recorder_add(&r);
    recorder_stop(&r);
    ck_assert_uint_eq(read_all(), 1);
    ck_assert_uint_eq(reported[PL_GAP_LATE].count, 3);
}
END_TEST

/* While no file can be begun, what is lost is reported in the one that can. */
START_TEST(without_a_file_no_segment_is_ended)
{
    struct pl_writer_options o = { .sync_ns = 1, .max_size = 1 << 30 };
    struct recorder r;

    recorder_start(&r, &o);
    recorder_add(&r);
    unlink(pl_writer_path(r.w));
    let_fail(CALL_OPEN, UINT32_MAX, EMFILE);
    recorder_ahead += 2 * SECOND;
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(recorder_try(&r), PL_IO);
        faults_on();
        ck_assert_int_eq(pl_writer_rotate(r.w), PL_OK);
        faults_off();
    }
    faults_set(NULL, 0);
    ck_assert_int_eq(pl_writer_rotate(r.w), PL_OK);
    recorder_add(&r);
    recorder_stop(&r);
    ck_assert_uint_eq(read_all(), 1);
    ck_assert_uint_eq(reported[PL_GAP_DISK_ERROR].count, 5);
}
END_TEST

START_TEST(lack_of_memory_is_reported_beside_errors_of_the_disk)
{
    struct pl_gaps gaps = { .count = 3, .cause = PL_GAP_DISK_ERROR };
    struct pl_writer_options o = { .sync_ns = 1, .max_size = 1 << 30 };
    uint32_t no_memory = 0, others = 0;
    struct pl_reader *reader;
    struct pl_item item;
    struct recorder r;
    char *path;

    recorder_start(&r, &o);
    path = strdup(pl_writer_path(r.w));
    for (uint32_t i = 0; i < 4; i++, gaps.count++) {
        gaps.error = i % 2 ? EIO : ENOMEM;
        pl_writer_missed(r.w, &gaps);
    }
    recorder_add(&r);
    recorder_stop(&r);
    ck_assert_int_eq(pl_reader_open(&reader, path, NULL), PL_OK);
    while (!pl_reader_next(reader, &item))
        if (item.kind == PL_ITEM_GAPS &&
            pl_gap_shown_cause(&item.gaps) == PL_GAP_NO_MEMORY)
            no_memory += item.gaps.count;
        else if (item.kind == PL_ITEM_GAPS)
            others += item.gaps.count;
    pl_reader_close(reader);
    ck_assert_uint_eq(no_memory, 3 + 5);
    ck_assert_uint_eq(others, 4 + 6);
    free(path);
}
END_TEST

/* Two samples of a file that was not synced, when it ends before another one
 * may be begun: by rotation, or with the recording. */
START_TEST(samples_at_risk_are_reported_when_the_file_ends)
{
    struct pl_writer_options o = { .sync_ns = _i == 2 ? PL_SYNC_NEVER : 1,
                                   .max_size = 1 << 30 };
    static const uint32_t in_newest[] = { 2, 4, 0 };
    struct recorder r;
    char *newest;

    recorder_start(&r, &o);
    let_fail(CALL_SYNC, UINT32_MAX, EIO);
    recorder_add(&r); /* fails; another file is begun */
    recorder_add(&r); /* the same there */
    recorder_add(&r);
    recorder_add(&r);
    faults_set(NULL, 0);
    if (_i == 0) {
        ck_assert_int_eq(pl_writer_rotate(r.w), PL_OK);
        recorder_add(&r);
    }
    newest = strdup(pl_writer_path(r.w));
    recorder_stop(&r);
    ck_assert_uint_eq(read_all(), _i == 0 ? 5 : 4);
    ck_assert_uint_eq(reported[PL_GAP_SYNC_FAILED].count, _i == 2 ? 0 : 4);
    /* Two of them in the file after theirs, if there is one. */
    memset(reported, 0, sizeof reported);
    read_one(newest);
    ck_assert_uint_eq(reported[PL_GAP_SYNC_FAILED].count, in_newest[_i]);
    free(newest);
}
END_TEST

/* ---- files that may become no larger ------------------------------------------------ */

START_TEST(a_file_that_may_not_grow_is_followed_by_another)
{
    struct pl_writer_options o = { .sync_ns = PL_SYNC_NEVER };
    struct recorder r;

    recorder_start(&r, &o);
    while (pl_writer_stats(r.w)->file_bytes < PL_LEAST_SEGMENT)
        recorder_add(&r);
    let_fail(CALL_WRITE, 2, EFBIG); /* the sample, and the last words */
    recorder_add(&r);
    ck_assert_uint_eq(faults_hit(), 2);
    ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 2);
    ck_assert_uint_eq(pl_writer_stats(r.w)->not_written, 0);
    recorder_add(&r);
    recorder_stop(&r);
    ck_assert_uint_eq(read_all(), r.final.samples);
}
END_TEST

/* It was as large before; the first record finds no room, or the first sample. */
START_TEST(a_log_that_may_not_grow_is_continued_in_another_file)
{
    struct pl_writer_options o = { .sync_ns = PL_SYNC_NEVER };
    struct recorder r;

    recorder_start(&r, &o);
    while (pl_writer_stats(r.w)->file_bytes < PL_LEAST_SEGMENT)
        recorder_add(&r);
    recorder_stop(&r);
    if (_i) {
        let_fail(CALL_WRITE, 1, EFBIG);
        faults_on();
    }
    recorder_start(&r, &o);
    faults_off();
    if (!_i)
        let_fail(CALL_WRITE, 1, EFBIG);
    recorder_add(&r);
    ck_assert_uint_eq(faults_hit(), 1);
    ck_assert_uint_eq(num_files(""), 2);
    recorder_add(&r);
    recorder_stop(&r);
    ck_assert_uint_eq(r.final.samples, 2);
    ck_assert_uint_eq(r.final.not_written, 0);
}
END_TEST

/* That could fill the folder with files of one sample. */
START_TEST(a_small_one_only_after_three_errors)
{
    struct pl_writer_options o = { .sync_ns = PL_SYNC_NEVER };
    struct recorder r;

    recorder_start(&r, &o);
    recorder_add(&r);
    let_fail(CALL_WRITE, 3, EFBIG);
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 1);
        ck_assert_int_eq(recorder_try(&r), PL_IO);
    }
    ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 2);
    recorder_add(&r);
    recorder_stop(&r);
    ck_assert_uint_eq(read_all(), 2);
    ck_assert_uint_eq(reported[PL_GAP_DISK_FULL].count, 3);
    ck_assert_int_eq(reported[PL_GAP_DISK_FULL].error, EFBIG);
}
END_TEST

int main(void)
{
    TCase *begun = tcase_create("begun"), *next = tcase_create("next");
    TCase *large = tcase_create("large");

    tcase_add_test(begun,
                   after_a_calm_time_another_file_is_begun_within_a_minute);
    tcase_add_test(begun, errors_that_go_on_begin_a_file_an_hour);
    tcase_add_test(begun,
                   while_no_file_can_be_begun_the_pauses_stay_as_they_are);
    tcase_add_test(
        begun, a_file_that_another_program_cuts_is_followed_by_one_each_minute);
    tcase_add_test(begun,
                   samples_for_a_file_that_was_cut_again_are_lost_and_counted);
    tcase_add_loop_test(
        begun, samples_for_a_file_that_became_longer_again_can_be_read, 0, 2);
    tcase_add_test(next, what_a_deleted_file_would_report_is_in_the_next);
    tcase_add_test(next, without_a_file_no_segment_is_ended);
    tcase_add_test(next, lack_of_memory_is_reported_beside_errors_of_the_disk);
    tcase_add_loop_test(next, samples_at_risk_are_reported_when_the_file_ends,
                        0, 3);
    tcase_add_test(large, a_file_that_may_not_grow_is_followed_by_another);
    tcase_add_loop_test(
        large, a_log_that_may_not_grow_is_continued_in_another_file, 0, 2);
    tcase_add_test(large, a_small_one_only_after_three_errors);
    return run_suite("rescue", (TCase *[]){ begun, next, large, NULL });
}
