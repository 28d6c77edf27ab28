/* Every system call and every allocation fails while a log is packed: there is
 * always a log with all samples, and a failure is never taken for success. */
#include "format/base/file.h"
#include "format/packing/pack_log.h"
#include "tests/support/faults.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <sys/stat.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct kind {
    const char *what;
    enum faulty_call call;
    int error;
    uint32_t stride;
} kinds[] = {
    { "write: ENOSPC", CALL_WRITE, ENOSPC, 1 },
    { "write: short, then ENOSPC", CALL_WRITE, FAULT_FULL, 1 },
    { "write: EIO", CALL_WRITE, EIO, 1 },
    { "fdatasync: EIO", CALL_SYNC, EIO, 1 },
    { "open: EMFILE", CALL_OPEN, EMFILE, 1 },
    { "flock: EWOULDBLOCK", CALL_LOCK, EWOULDBLOCK, 1 },
    { "read: EIO", CALL_READ, EIO, 1 },
    { "fstat: EIO", CALL_STAT, EIO, 1 },
    { "no memory", CALL_ALLOC, 0, 7 },
};
enum { NUM_KINDS = sizeof kinds / sizeof *kinds };

static void check_log(const struct log *l, const char *path, bool packed)
{
    struct reading g = { 0 };
    size_t len;
    uint8_t *bytes = read_file(path, &len);

    ck_assert_int_eq(read_whole(path, l, &g), PL_END);
    ck_assert_uint_eq(g.num_samples, l->num_samples);
    ck_assert_uint_eq(g.wrong + g.twice + reading_alarms(&g), 0);
    if (packed)
        ck_assert_uint_lt(len, l->len);
    else
        ck_assert(len == l->len && !memcmp(bytes, l->bytes, len));
    reading_release(&g);
    free(bytes);
}

START_TEST(a_call_fails_and_no_sample_is_lost)
{
    const struct kind *k = &kinds[_i];
    const struct pl_pack_options options = { .level = 1 };
    const char *path = path_in(temp_dir(), "packed");
    uint32_t failed = 0;
    struct log l;

    log_make(&l, path_in(temp_dir(), "log"), LOG_IDENTITIES, 1);
    for (uint32_t first = 1;; first += k->stride) {
        const struct fault f = { k->call, first, UINT32_MAX, k->error };
        struct pl_pack_result r;
        enum pl_status s;
        bool hit;

        write_file(path, l.bytes, l.len);
        ck_assert_int_eq(chmod(path, 0640), 0);
        faults_set(&f, 1);
        faults_on();
        s = pl_pack_log(path, &options, &r);
        faults_off();
        hit = faults_hit() > 0;
        faults_set(NULL, 0);
        check_log(&l, path, !s);
        failed += s != PL_OK;
        ck_assert(hit || !s);
        if (!hit)
            break;
    }
    ck_assert_uint_gt(failed, 0);
    printf("packing: %s: failed %u times, 0 lost, 0 wrong\n", k->what, failed);
    log_release(&l);
}
END_TEST

START_TEST(a_sync_that_signals_interrupt_goes_on)
{
    const char *path = path_in(temp_dir(), "log");
    const struct pl_pack_options options = { .level = 1 };
    const struct fault f = { CALL_SYNC, 1, 3, EINTR };
    struct pl_pack_result r;
    struct log l;

    log_make(&l, path, LOG_SMALL, 1);
    faults_set(&f, 1);
    faults_on();
    ck_assert_int_eq(pl_pack_log(path, &options, &r), PL_OK);
    faults_off();
    ck_assert_uint_eq(faults_hit(), 3);
    check_log(&l, path, true);
    log_release(&l);
}
END_TEST

static void take_its_name(void)
{
    const char *path = path_in(temp_dir(), "new");

    ck_assert_int_eq(unlink(path), 0);
    write_file(path, "another", 7);
}

/* Another program took a file for one that was left, and made one of its own:
 * that stays, before the lock is tried and where it cannot be had. */
START_TEST(a_new_file_whose_name_is_anothers_by_now_is_not_deleted)
{
    static const enum faulty_call calls[] = { CALL_STAT, CALL_LOCK };
    const struct fault refused = { CALL_LOCK, 1, 1, EIO };
    const char *path = path_in(temp_dir(), "new"), *why;
    struct pl_file *file;

    for (size_t i = 0; i < 4; i++) {
        faults_set(&refused, i / 2);
        faults_before(calls[i % 2], take_its_name);
        faults_on();
        ck_assert_int_eq(pl_file_open_append(&file, path, PL_MUST_BE_NEW, &why),
                         i == 3 ? PL_IO : PL_BUSY);
        faults_off();
        ck_assert_int_eq(unlink(path), 0);
    }
}
END_TEST

/* Another program that opened a file as soon as it was there writes to it. */
START_TEST(a_new_file_that_another_program_has_locked_stays)
{
    const char *path = path_in(temp_dir(), "new"), *why;
    const struct fault f = { CALL_LOCK, 1, UINT32_MAX, EWOULDBLOCK };
    struct pl_file *file;

    faults_set(&f, 1);
    faults_on();
    ck_assert_int_eq(pl_file_open_append(&file, path, PL_MUST_BE_NEW, &why),
                     PL_BUSY);
    faults_off();
    ck_assert(pl_path_exists(path));
}
END_TEST

/* Under the name of the part, but of another program. */
START_TEST(a_link_in_the_way_stays)
{
    const char *path = path_in(temp_dir(), "log");
    const char *link = path_in(temp_dir(), "log.packing");
    const struct pl_pack_options options = { .level = 1 };
    struct pl_pack_result r;
    struct log l;

    log_make(&l, path, LOG_SMALL, 1);
    ck_assert_int_eq(symlink("elsewhere", link), 0);
    ck_assert_int_eq(pl_pack_log(path, &options, &r), PL_UNSAFE);
    ck_assert_str_eq(r.why, "the name LOG.packing is taken");
    ck_assert(pl_path_exists(link));
    ck_assert_int_eq(unlink(link), 0);
    check_log(&l, path, false);
    log_release(&l);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("pack_faults");

    tcase_add_loop_test(t, a_call_fails_and_no_sample_is_lost, 0, NUM_KINDS);
    tcase_add_test(t, a_sync_that_signals_interrupt_goes_on);
    tcase_add_test(t, a_new_file_that_another_program_has_locked_stays);
    tcase_add_test(t, a_new_file_whose_name_is_anothers_by_now_is_not_deleted);
    tcase_add_test(t, a_link_in_the_way_stays);
    return run_suite("pack_faults", (TCase *[]){ t, NULL });
}
