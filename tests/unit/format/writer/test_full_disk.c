/* What a writer does when the disk is full: begin nothing, lose what does not
 * fit, tell of it, and go on when there is room. */
#include "format/writer/writer.h"

#include "format/time/time_text.h"
#include "format/record/record.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECOND PL_NS_PER_SEC

/* ---- space ------------------------------------------------------------------------ */

START_TEST(below_min_free_nothing_is_begun)
{
    struct pl_writer_options options = log_options;
    const char *why, *path = path_in(temp_dir(), "log");
    struct pl_buf torn = { 0 };
    struct log l = { 0 };
    uint8_t *now;
    size_t n;

    log_make(&l, path, LOG_SMALL, 1);
    pl_buf_bytes(&torn, l.bytes, l.len);
    pl_buf_u8(&torn, 0); /* a fence would be due */
    write_file(path, torn.p, torn.len);
    options.min_free = UINT64_MAX;
    ck_assert_int_eq(log_try_open(path, &options, &why), PL_NO_SPACE);
    ck_assert_int_eq(log_try_open(path_in(temp_dir(), "new"), &options, &why),
                     PL_NO_SPACE);
    ck_assert_int_ne(access(path_in(temp_dir(), "new"), F_OK), 0);
    options.min_free = 0;
    options.min_free_percent = 101;
    ck_assert_int_eq(log_try_open(path, &options, &why), PL_NO_SPACE);
    now = read_file(path, &n);
    ck_assert(n == torn.len && !memcmp(now, torn.p, n));
    free(now);
    pl_buf_release(&torn);
    options.min_free_percent = 0;
    options.min_free = 1;
    ck_assert_int_eq(log_try_open(path, &options, &why), PL_OK);
    log_release(&l);
}
END_TEST

static rlim_t file_limit; /* while a sample is written; 0: none */

/* No assertion here: Check writes a file for each, which the limit would cut. */
static void set_limit(rlim_t n)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit))
        abort();
    limit.rlim_cur = n ? n : limit.rlim_max;
    if (setrlimit(RLIMIT_FSIZE, &limit))
        abort();
}

/* One sample that may be lost; kept in 'l' only if it was written. */
static enum pl_status add_if_possible(struct log *l, struct pl_writer *w,
                                      struct machine *m)
{
    struct pl_buf block = { 0 };
    struct pl_sample_stamp stamp;
    enum pl_status s;
    int error;

    machine_run(m, SECOND);
    stamp = (struct pl_sample_stamp){ m->utc_ns, m->boot_ns, 0 };
    machine_block(m, &block);
    log_keep(l, &stamp, &block);
    set_limit(file_limit); /* not for the test's own files */
    s = pl_writer_sample(w, &stamp, &block);
    error = errno;
    set_limit(0);
    if (s)
        pl_buf_release(&l->samples[--l->num_samples].block);
    pl_buf_release(&block);
    errno = error;
    return s;
}

/* The file ends on a whole record: nothing interrupted, all samples there. */
static void check_whole(struct log *l, const char *path)
{
    struct reading g = { 0 };

    log_load(l, path);
    ck_assert_int_eq(read_whole(path, l, &g), PL_END);
    ck_assert_uint_eq(g.num_samples, l->num_samples);
    ck_assert_uint_eq(g.wrong + g.twice + reading_alarms(&g) +
                          g.kinds[PL_ITEM_INTERRUPTED],
                      0);
    reading_release(&g);
}

/*
 * Write until the disk is full, lose 'lost' samples, make room with 'free_up',
 * and go on.
 */
static void fill_and_go_on(const char *path, void (*free_up)(void))
{
    struct pl_writer *w = log_open(path, &log_options);
    struct pl_gaps gaps[PL_NUM_GAP_CAUSES];
    struct log l = { 0 };
    struct machine m;
    int64_t first;
    size_t lost = 0;

    machine_start(&m, 1, 50);
    m.churn = 5;
    while (!add_if_possible(&l, w, &m))
        ck_assert_uint_lt(l.num_samples, 100000);
    ck_assert_int_eq(errno, ENOSPC);
    first = m.utc_ns;
    check_whole(&l, path);
    for (lost = 1; lost < 10; lost++)
        ck_assert_int_eq(add_if_possible(&l, w, &m), PL_IO);
    ck_assert_uint_eq(pl_writer_stats(w)->not_written, lost);
    check_whole(&l, path);
    free_up();
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(add_if_possible(&l, w, &m), PL_OK);
    log_close(w, NULL);
    check_whole(&l, path);
    ck_assert_uint_eq(log_gaps(path, gaps), 1);
    ck_assert_uint_eq(gaps[PL_GAP_DISK_FULL].count, lost);
    ck_assert_int_eq(gaps[PL_GAP_DISK_FULL].error, ENOSPC);
    ck_assert_int_eq(gaps[PL_GAP_DISK_FULL].utc_first, first);
    ck_assert_int_eq(gaps[PL_GAP_DISK_FULL].utc_last,
                     first + (int64_t)(lost - 1) * SECOND);
    ck_assert_uint_eq(log_find(&l, PL_GAPS, 0)->at +
                          log_find(&l, PL_GAPS, 0)->len,
                      l.samples[l.num_samples - 5].at);
    printf("disk full: %zu samples, %zu lost and reported\n", l.num_samples,
           lost);
    machine_stop(&m);
    log_release(&l);
}

static char ballast[512];

static void delete_ballast(void)
{
    ck_assert_int_eq(unlink(ballast), 0);
}

/* A disk of 512 kB at 'dir', for this process alone. */
static bool has_small_disk(const char *dir)
{
    mkdir(dir, 0700);
    if (!unshare(CLONE_NEWNS) &&
        !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
        !mount("none", dir, "tmpfs", 0, "size=512k"))
        return true;
    printf("full disk: skipped, nothing can be mounted here: %s\n",
           strerror(errno));
    return false;
}

START_TEST(a_full_disk_costs_what_does_not_fit_and_that_is_reported)
{
    const char *dir = path_in(temp_dir(), "small");
    static uint8_t bytes[256 << 10];

    if (!has_small_disk(dir))
        return;
    snprintf(ballast, sizeof ballast, "%s/ballast", dir);
    write_file(ballast, bytes, sizeof bytes);
    fill_and_go_on(path_in(dir, "log"), delete_ballast);
    ck_assert_int_eq(umount(dir), 0);
}
END_TEST

/* All that is left, by another's file. */
static void fill_up(const char *path)
{
    static const uint8_t bytes[4096];
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

    ck_assert_int_ge(fd, 0);
    for (size_t n = sizeof bytes; n; n /= 2)
        while (write(fd, bytes, n) > 0)
            ;
    ck_assert_int_eq(errno, ENOSPC);
    close(fd);
}

/*
 * The log is as full as it can be and nothing gets free again; in the second
 * round others fill the disk, in the third there is more to be noted than room.
 */
START_TEST(a_disk_that_stays_full_to_the_end_is_reported)
{
    struct pl_gaps gaps[PL_NUM_GAP_CAUSES];
    char dir[256], path[300], others[300];
    struct log l = { 0 };
    struct pl_writer *w;
    struct machine m;
    size_t lost = 0;

    snprintf(dir, sizeof dir, "%s/small", temp_dir());
    snprintf(path, sizeof path, "%s/log", dir);
    snprintf(others, sizeof others, "%s/others", dir);
    if (!has_small_disk(dir))
        return;
    w = log_open(path, &log_options);
    machine_start(&m, 1, 50);
    m.churn = 5;
    if (_i)
        fill_up(others);
    while (!add_if_possible(&l, w, &m))
        ck_assert_uint_lt(l.num_samples, 100000);
    for (lost = 1; lost < 10; lost++)
        ck_assert_int_eq(add_if_possible(&l, w, &m), PL_IO);
    for (int i = 0; _i == 2 && i < 100; i++)
        pl_writer_note(w, PL_NOTE_TEXT, m.utc_ns, m.boot_ns,
                       "a hundred characters, a hundred characters, a hundred "
                       "characters, a hundred characters, and some");
    ck_assert_int_eq(pl_writer_close(w, PL_END_ASKED, NULL), PL_OK);
    if (l.num_samples)
        check_whole(&l, path);
    ck_assert_uint_eq(log_gaps(path, gaps), 1);
    ck_assert_uint_eq(gaps[PL_GAP_DISK_FULL].count, lost);
    log_load(&l, path);
    ck_assert_ptr_nonnull(log_find(&l, PL_ENDS, 0));
    machine_stop(&m);
    log_release(&l);
    ck_assert_int_eq(umount(dir), 0);
}
END_TEST

/* A file that may not grow is followed by another: no sample is lost. */
START_TEST(a_file_size_limit_costs_no_sample)
{
    struct pl_writer *w = log_open(path_in(temp_dir(), "log"), &log_options);
    struct pl_reader *r = NULL;
    struct reading g = { 0 };
    struct log l = { 0 };
    struct machine m;
    size_t num_files;
    char **names;

    signal(SIGXFSZ, SIG_IGN);
    file_limit = 100001; /* in the middle of a record */
    machine_start(&m, 1, 50);
    m.churn = 5;
    for (int i = 0; i < 2000; i++)
        ck_assert_int_eq(add_if_possible(&l, w, &m), PL_OK);
    log_close(w, NULL);
    ck_assert_int_eq(pl_dir_list(temp_dir(), &names, &num_files), PL_OK);
    ck_assert_uint_gt(num_files, 2);
    for (size_t i = 0; i < num_files; i++) {
        const char *path = path_in(temp_dir(), names[i]);

        ck_assert_int_eq(i ? pl_reader_continue(r, path)
                           : pl_reader_open(&r, path, NULL),
                         PL_OK);
        ck_assert_int_eq(read_on(r, &l, &g), PL_END);
    }
    ck_assert_uint_eq(g.num_samples, 2000);
    ck_assert_uint_eq(g.wrong + g.twice + reading_alarms(&g) +
                          g.kinds[PL_ITEM_INTERRUPTED],
                      0);
    pl_reader_close(r);
    pl_dir_list_free(names, num_files);
    reading_release(&g);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

int main(void)
{
    TCase *space = tcase_create("space");

    tcase_add_test(space, below_min_free_nothing_is_begun);
    tcase_add_test(space,
                   a_full_disk_costs_what_does_not_fit_and_that_is_reported);
    tcase_add_loop_test(space, a_disk_that_stays_full_to_the_end_is_reported, 0,
                        3);
    tcase_add_test(space, a_file_size_limit_costs_no_sample);
    return run_suite("full_disk", (TCase *[]){ space, NULL });
}
