/* Which logs belong together, and in which order they are read. */
#include "analyze/input/host_log.h"
#include "format/base/file.h"
#include "format/block/winperf.h"
#include "tests/support/recorded.h"
#include "tests/support/support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NS_PER_S UINT64_C(1000000000)
enum { GAUGE = 1004 };

static const struct made_counter counters[] = {
    { GAUGE, "Size", PERF_COUNTER_LARGE_RAWCOUNT, PL_NO_FLAG, PL_TOTAL_NONE },
};
static const struct made_object disk = {
    .index = 900, .name = "Disk", .counters = counters, .num_counters = 1
};

/* A log of 'host' with one sample at each of two seconds. */
static void make_log(const char *path, const char *host, int first_second)
{
    const struct made_instance t[] = { { "a", { 1 } } };
    struct maker m;

    make_begin(&m, path, host, &disk, NS_PER_S);
    make_sample(&m, first_second * 1000, t, 1);
    make_sample(&m, (first_second + 1) * 1000, t, 1);
    make_end(&m);
}

/* Seconds of the samples a log gives, in its order. */
static void check_seconds(const struct pl_host_log *log, const char *want)
{
    struct pl_host_log_reader r;
    struct pl_item item;
    char text[256] = "";
    enum pl_status s = pl_host_log_start(&r, log, NULL);

    ck_assert_int_eq(s, PL_OK);
    while (!(s = pl_host_log_next(&r, &item)))
        if (item.kind == PL_ITEM_SAMPLE)
            snprintf(
                text + strlen(text), sizeof text - strlen(text), "%d ",
                (int)((item.record.utc_ns - MADE_START) / (int64_t)NS_PER_S));
    ck_assert_int_eq(s, PL_END);
    pl_host_log_stop(&r);
    ck_assert_str_eq(text, want);
}

static char *in_dir(const char *name)
{
    return (char *)(uintptr_t)path_in(temp_dir(), name);
}

START_TEST(files_of_a_host_are_read_by_time)
{
    char *operands[3];
    struct pl_host_logs t;
    const char *bad;
    uint64_t interval;
    int64_t last;

    make_log(in_dir("x.plog"), "h", 20);
    make_log(in_dir("y.plog"), "h", 5);
    make_log(in_dir("z.plog"), "other", 1);
    operands[0] = in_dir("x.plog");
    operands[1] = in_dir("z.plog");
    operands[2] = in_dir("y.plog");
    ck_assert_int_eq(pl_host_logs_open(&t, operands, 3, &bad), PL_OK);
    ck_assert_uint_eq(t.num, 2);
    ck_assert_str_eq(t.logs[0].host, "h");
    check_seconds(&t.logs[0], "5 6 20 21 ");
    check_seconds(&t.logs[1], "1 2 ");
    ck_assert_int_eq(pl_host_logs_last_time(&t, &last, &interval), PL_OK);
    ck_assert_int_eq(last, MADE_START + 21 * (int64_t)NS_PER_S);
    ck_assert_uint_eq(interval, NS_PER_S);
    ck_assert_uint_gt(pl_host_logs_bytes(&t), 1000);
    pl_host_logs_release(&t);
}
END_TEST

/* As a recorder does to those who read what it does not keep any more. */
START_TEST(files_deleted_meanwhile_are_passed_over)
{
    static const char *const names[] = { "1.plog", "2.plog", "3.plog",
                                         "4.plog" };
    char *operand = (char *)(uintptr_t)temp_dir();
    struct pl_host_logs t;
    const char *bad;
    struct pl_host_log_reader r;
    char path[1024];

    for (int i = 0; i < 4; i++)
        make_log(in_dir(names[i]), "h", 10 * i);
    ck_assert_int_eq(pl_host_logs_open(&t, &operand, 1, &bad), PL_OK);
    check_seconds(t.logs, "0 1 10 11 20 21 30 31 ");
    remove(in_dir(names[0]));
    check_seconds(t.logs, "10 11 20 21 30 31 ");
    remove(in_dir(names[2]));
    check_seconds(t.logs, "10 11 30 31 ");
    remove(in_dir(names[1]));
    snprintf(path, sizeof path, "%s", in_dir(names[3]));
    remove(path);
    ck_assert_int_eq(pl_host_log_start(&r, t.logs, NULL), PL_IO);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_str_eq(pl_host_log_path(&r), path);
    pl_host_log_stop(&r);
    pl_host_logs_release(&t);
}
END_TEST

START_TEST(folder_stands_for_the_logs_in_it)
{
    char path[512], *folder = path; /* in_dir's own lives only for a while */
    struct pl_host_logs t;
    const char *bad;

    snprintf(path, sizeof path, "%s", in_dir("logs"));
    ck_assert_int_eq(pl_dir_make(folder), PL_OK);
    write_file(path_in(folder, "notes.txt"), "no log", 6);
    ck_assert_int_eq(pl_host_logs_open(&t, &folder, 1, &bad), PL_END);
    ck_assert_str_eq(bad, folder);
    make_log(path_in(folder, "b.plog"), "h", 3);
    make_log(path_in(folder, "a.plog"), "h", 9);
    ck_assert_int_eq(pl_host_logs_open(&t, &folder, 1, &bad), PL_OK);
    ck_assert_uint_eq(t.num, 1);
    check_seconds(&t.logs[0], "3 4 9 10 ");
    pl_host_logs_release(&t);
    write_file(path_in(folder, "c.plog"), "no log either", 13);
    ck_assert_int_eq(pl_host_logs_open(&t, &folder, 1, &bad), PL_OK);
    ck_assert_uint_eq(t.num, 1);
    ck_assert_uint_eq(t.logs[0].num_paths, 3);
    check_seconds(&t.logs[0], "3 4 9 10 ");
    pl_host_logs_release(&t);
    ck_assert_int_eq(pl_file_delete(path_in(folder, "a.plog")), PL_OK);
    ck_assert_int_eq(pl_file_delete(path_in(folder, "b.plog")), PL_OK);
    ck_assert_int_eq(pl_host_logs_open(&t, &folder, 1, &bad), PL_NOT_A_LOG);
    ck_assert_ptr_nonnull(strstr(bad, "c.plog"));
}
END_TEST

START_TEST(what_cannot_be_read_is_named)
{
    char *operands[2];
    struct pl_host_logs t;
    const char *bad;

    make_log(in_dir("x.plog"), "h", 1);
    write_file(in_dir("empty.plog"), "", 0);
    operands[0] = in_dir("x.plog");
    operands[1] = in_dir("none.plog");
    ck_assert_int_eq(pl_host_logs_open(&t, operands, 2, &bad), PL_IO);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_str_eq(bad, operands[1]);
    operands[1] = in_dir("empty.plog");
    ck_assert_int_eq(pl_host_logs_open(&t, operands, 2, &bad), PL_TRUNCATED);
    ck_assert_str_eq(bad, operands[1]);
}
END_TEST

int main(void)
{
    TCase *log = tcase_create("host_log"), *all[] = { log, NULL };

    tcase_add_test(log, files_of_a_host_are_read_by_time);
    tcase_add_test(log, files_deleted_meanwhile_are_passed_over);
    tcase_add_test(log, folder_stands_for_the_logs_in_it);
    tcase_add_test(log, what_cannot_be_read_is_named);
    return run_suite("host_log", all);
}
