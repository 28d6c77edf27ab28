/* Files that cannot be written on: what another file, the next one, has of
 * them, and what becomes of the segments before. */
#include "format/base/file.h"
#include "format/log/segment.h"
#include "format/time/time_text.h"
#include "tests/support/faults.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND PL_NS_PER_SEC
#define MINUTE (60 * SECOND)
#define DAY (24 * 60 * MINUTE)

static int64_t ahead; /* of the steady clock */

int64_t __real_pl_clock_steady(void);
int64_t __wrap_pl_clock_steady(void);
int64_t __wrap_pl_clock_steady(void)
{
    return __real_pl_clock_steady() + ahead;
}

/* ---- a log with old segments ------------------------------------------------ */

static const char *log_path(void)
{
    return path_in(temp_dir(), "log.plog");
}

/* Segments "NAME-ddd.plog" of the log. */
static void make_segments(const char *name, unsigned from, unsigned num,
                          size_t bytes)
{
    char *content = calloc(bytes, 1);

    for (unsigned i = from; i < from + num; i++) {
        char file[64];

        snprintf(file, sizeof file, "%s-%03u.plog", name, i);
        write_file(path_in(temp_dir(), file), content, bytes);
    }
    free(content);
}

/* The number of files whose names begin so. */
static size_t num_files(const char *begin)
{
    size_t num, n = 0;
    char **names;

    ck_assert_int_eq(pl_dir_list(temp_dir(), &names, &num), PL_OK);
    for (size_t i = 0; i < num; i++)
        n += !strncmp(names[i], begin, strlen(begin));
    pl_dir_list_free(names, num);
    return n;
}

static struct pl_gaps reported[PL_NUM_GAP_CAUSES];

/* Add the gaps of a file, by cause; returns its samples. */
static size_t read_one(const char *path)
{
    size_t samples = 0;
    struct pl_reader *r;
    struct pl_item item;

    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!pl_reader_next(r, &item)) {
        samples += item.kind == PL_ITEM_SAMPLE;
        if (item.kind == PL_ITEM_GAPS) {
            reported[item.gaps.cause].count += item.gaps.count;
            reported[item.gaps.cause].error = item.gaps.error;
        }
    }
    pl_reader_close(r);
    return samples;
}

/* The same for all files. */
static size_t read_all(void)
{
    size_t num, samples = 0;
    char **names;

    ck_assert_int_eq(pl_dir_list(temp_dir(), &names, &num), PL_OK);
    for (size_t i = 0; i < num; i++)
        samples += read_one(path_in(temp_dir(), names[i]));
    pl_dir_list_free(names, num);
    return samples;
}

struct recorder {
    struct pl_writer_options options;
    struct pl_writer_stats final;
    struct pl_writer *w;
    struct machine m;
    struct log l;
};

static void start(struct recorder *r, const struct pl_writer_options *o)
{
    *r = (struct recorder){ .options = *o };
    machine_start(&r->m, 1, 3);
    r->m.utc_ns = pl_clock_utc();
    r->w = log_open(log_path(), o);
}

/* Another sample, which is accepted. */
static void add(struct recorder *r)
{
    faults_on();
    log_add(&r->l, r->w, &r->m, SECOND, 1);
    faults_off();
}

static void stop(struct recorder *r)
{
    faults_on();
    pl_writer_close(r->w, PL_END_ASKED, &r->final);
    faults_off();
    faults_set(NULL, 0);
    machine_stop(&r->m);
    log_release(&r->l);
}

static void restart(struct recorder *r)
{
    struct pl_writer_options options = r->options;

    stop(r);
    start(r, &options);
}

static void let_fail(enum faulty_call call, uint32_t num, int error)
{
    struct fault f = { call, 1, num, error };

    faults_set(&f, 1);
}

/* ---- segments that are kept --------------------------------------------------- */

START_TEST(a_disk_that_refuses_to_sync_costs_no_older_segment)
{
    struct pl_writer_options o = { .sync_ns = 1,
                                   .max_time_ns = DAY,
                                   .keep = 3 };
    struct recorder r;

    make_segments("log-20200101T000000Z", 0, 3, 1);
    start(&r, &o);
    ck_assert_uint_eq(num_files("log-2020"), 3);
    let_fail(CALL_SYNC, UINT32_MAX, EIO);
    for (int i = 0; i < 60; i++, ahead += MINUTE)
        add(&r);
    ck_assert_uint_eq(num_files("log-2020"), 3);
    /* Now, and after 1, 3, 7, 15 and 31 minutes. */
    ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 1 + 6);
    for (int i = 0; i < 24 * 10; i++, ahead += 6 * MINUTE)
        add(&r);
    ck_assert_uint_eq(num_files("log-2020"), 3);
    ck_assert_uint_le(pl_writer_stats(r.w)->segments, 1 + 6 + 24);
    faults_set(NULL, 0);
    ahead += 61 * MINUTE;
    add(&r); /* the file is never synced again; the next one is */
    add(&r);
    ck_assert_uint_eq(num_files("log-2020"), 0);
    ck_assert_uint_eq(num_files("log-"), 3);
    stop(&r);
}
END_TEST

START_TEST(segments_that_are_never_reliable_have_a_bound)
{
    struct pl_writer_options o = { .sync_ns = 1,
                                   .max_time_ns = DAY,
                                   .keep = 3 };
    struct recorder r;

    make_segments("log-20200101T000000Z", 0, 1010, 1);
    let_fail(CALL_SYNC, UINT32_MAX, EIO);
    start(&r, &o);
    add(&r); /* another segment is begun */
    ck_assert_uint_eq(num_files("log-"), 1000);
    stop(&r);
}
END_TEST

START_TEST(after_a_calm_time_another_file_is_begun_within_a_minute)
{
    struct pl_writer_options o = { .sync_ns = 1, .max_size = 1 << 30 };
    struct recorder r;

    start(&r, &o);
    for (int i = 0; i < 9; i++, ahead += 3 * 60 * MINUTE) {
        let_fail(CALL_SYNC, 2, EIO); /* the second one in the next file */
        add(&r);
        add(&r);
        faults_set(NULL, 0);
        ahead += MINUTE + SECOND;
        add(&r);
        ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 3 + 2 * (unsigned)i);
    }
    stop(&r);
}
END_TEST

START_TEST(what_is_never_synced_is_reliable_with_its_first_sample)
{
    struct pl_writer_options o = { .sync_ns = PL_SYNC_NEVER,
                                   .max_size = 1 << 30,
                                   .keep = 2 };
    struct recorder r;

    make_segments("log-20200101T000000Z", 0, 3, 1);
    start(&r, &o);
    ck_assert_uint_eq(num_files("log-2020"), 3);
    add(&r);
    ck_assert_uint_eq(num_files("log-2020"), 1);
    stop(&r);
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
    start(&r, &o);
    for (int i = 0; i < 8; i++) {
        add(&r);
        restart(&r);
    }
    add(&r);
    ck_assert_uint_eq(num_files("log-2020"), 0); /* too old */
    ck_assert_uint_eq(num_files("log-"), 9);
    stop(&r);
}
END_TEST

static void delete_all(void)
{
    size_t num;
    char **names;

    ck_assert_int_eq(pl_dir_list(temp_dir(), &names, &num), PL_OK);
    for (size_t i = 0; i < num; i++)
        ck_assert_int_eq(unlink(path_in(temp_dir(), names[i])), 0);
    pl_dir_list_free(names, num);
}

/* The newest of yesterday: sizes up to 40,000 bytes, and up to 1,000 files. */
static void check_yesterday(size_t bytes, unsigned num, size_t kept)
{
    struct pl_writer_options o = {
        .sync_ns = 1, .max_size = 10000, .max_time_ns = DAY, .keep = 4
    };
    char *name = pl_segment_path("log", pl_clock_utc() - DAY, 0);
    struct recorder r;

    name[strlen("log-20200101T000000Z")] = 0;
    make_segments(name, 0, num, bytes);
    start(&r, &o);
    add(&r);
    ck_assert_uint_eq(num_files(name), kept);
    stop(&r);
    delete_all();
    free(name);
}

START_TEST(what_is_spared_has_bounds)
{
    check_yesterday(9000, 9, 4);
    check_yesterday(4500, 9, 8);
    check_yesterday(20000, 9, 3); /* and never fewer than asked for */
    check_yesterday(4, 1010, 999);
}
END_TEST

/* ---- what the next file reports --------------------------------------------------- */

/* Where a segment is asked for before it is noticed that the file is gone. */
START_TEST(what_a_deleted_file_would_report_is_in_the_next)
{
    struct pl_gaps gaps = { .count = 3, .cause = PL_GAP_LATE };
    struct pl_writer_options o = { .sync_ns = 1, .max_size = 1 << 30 };
    struct recorder r;

    start(&r, &o);
    add(&r);
    pl_writer_missed(r.w, &gaps);
    unlink(pl_writer_path(r.w));
    ck_assert_int_eq(pl_writer_rotate(r.w), PL_OK);
    ck_assert_uint_eq(pl_writer_stats(r.w)->taken_away, 1);
    add(&r);
    stop(&r);
    ck_assert_uint_eq(read_all(), 1);
    ck_assert_uint_eq(reported[PL_GAP_LATE].count, 3);
}
END_TEST

/* While no file can be begun, what is lost is reported in the one that can. */
START_TEST(without_a_file_no_segment_is_ended)
{
    struct pl_writer_options o = { .sync_ns = 1, .max_size = 1 << 30 };
    struct recorder r;

    start(&r, &o);
    add(&r);
    unlink(pl_writer_path(r.w));
    let_fail(CALL_OPEN, UINT32_MAX, EMFILE);
    faults_on();
    ahead += 2 * SECOND;
    for (int i = 0; i < 5; i++) {
        struct pl_sample_stamp stamp = { r.m.utc_ns, r.m.boot_ns, 0 };
        struct pl_buf block = { 0 };

        machine_block(&r.m, &block);
        ck_assert_int_eq(pl_writer_sample(r.w, &stamp, &block), PL_IO);
        pl_buf_release(&block);
        ck_assert_int_eq(pl_writer_rotate(r.w), PL_OK);
    }
    faults_off();
    faults_set(NULL, 0);
    ck_assert_int_eq(pl_writer_rotate(r.w), PL_OK);
    add(&r);
    stop(&r);
    ck_assert_uint_eq(read_all(), 1);
    ck_assert_uint_eq(reported[PL_GAP_DISK_ERROR].count, 5);
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

    start(&r, &o);
    let_fail(CALL_SYNC, UINT32_MAX, EIO);
    add(&r); /* fails; another file is begun */
    add(&r); /* the same there */
    add(&r);
    add(&r);
    faults_set(NULL, 0);
    if (_i == 0) {
        ck_assert_int_eq(pl_writer_rotate(r.w), PL_OK);
        add(&r);
    }
    newest = strdup(pl_writer_path(r.w));
    stop(&r);
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

    start(&r, &o);
    while (pl_writer_stats(r.w)->file_bytes < PL_LEAST_SEGMENT)
        add(&r);
    let_fail(CALL_WRITE, 2, EFBIG); /* the sample, and the last words */
    add(&r);
    ck_assert_uint_eq(faults_hit(), 2);
    ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 2);
    ck_assert_uint_eq(pl_writer_stats(r.w)->not_written, 0);
    add(&r);
    stop(&r);
    ck_assert_uint_eq(read_all(), r.final.samples);
}
END_TEST

/* That could fill the folder with files of one sample. */
START_TEST(a_small_one_only_after_three_errors)
{
    struct pl_writer_options o = { .sync_ns = PL_SYNC_NEVER };
    struct recorder r;

    start(&r, &o);
    add(&r);
    let_fail(CALL_WRITE, 3, EFBIG);
    faults_on();
    for (int i = 0; i < 3; i++) {
        struct pl_sample_stamp stamp = { r.m.utc_ns, r.m.boot_ns, 0 };
        struct pl_buf block = { 0 };

        ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 1);
        machine_block(&r.m, &block);
        ck_assert_int_eq(pl_writer_sample(r.w, &stamp, &block), PL_IO);
        pl_buf_release(&block);
    }
    faults_off();
    ck_assert_uint_eq(pl_writer_stats(r.w)->segments, 2);
    add(&r);
    stop(&r);
    ck_assert_uint_eq(read_all(), 2);
    ck_assert_uint_eq(reported[PL_GAP_DISK_FULL].count, 3);
    ck_assert_int_eq(reported[PL_GAP_DISK_FULL].error, EFBIG);
}
END_TEST

int main(void)
{
    TCase *kept = tcase_create("kept"), *next = tcase_create("next");
    TCase *large = tcase_create("large");

    tcase_add_test(kept, a_disk_that_refuses_to_sync_costs_no_older_segment);
    tcase_add_test(kept, segments_that_are_never_reliable_have_a_bound);
    tcase_add_test(kept,
                   after_a_calm_time_another_file_is_begun_within_a_minute);
    tcase_add_test(kept,
                   what_is_never_synced_is_reliable_with_its_first_sample);
    tcase_add_test(kept,
                   restarts_cost_no_older_segment_that_is_small_and_young);
    tcase_add_test(kept, what_is_spared_has_bounds);
    tcase_add_test(next, what_a_deleted_file_would_report_is_in_the_next);
    tcase_add_test(next, without_a_file_no_segment_is_ended);
    tcase_add_loop_test(next, samples_at_risk_are_reported_when_the_file_ends,
                        0, 3);
    tcase_add_test(large, a_file_that_may_not_grow_is_followed_by_another);
    tcase_add_test(large, a_small_one_only_after_three_errors);
    return run_suite("rescue", (TCase *[]){ kept, next, large, NULL });
}
