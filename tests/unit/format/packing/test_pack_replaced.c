/* The file of a log: replaced by its packed form at the end only, with its rights; and
 * what stays as it is. */
#include "tests/support/hurt.h"

#include "format/base/file.h"
#include "format/packing/pack_log.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct pl_pack_options fast = { .level = 1 };

static enum pl_status try_to_pack(const char *path, struct pl_pack_result *r)
{
    return pl_pack_log(path, &fast, r);
}

static void check_unchanged(const struct log *l, const char *path)
{
    char part[600];
    size_t len;
    uint8_t *bytes = read_file(path, &len);

    ck_assert_uint_eq(len, l->len);
    ck_assert_mem_eq(bytes, l->bytes, len);
    free(bytes);
    snprintf(part, sizeof part, "%s.packing", path);
    ck_assert(!pl_path_exists(part));
}

START_TEST(a_packed_log_is_not_packed_again)
{
    struct log l;
    const char *path = path_in(temp_dir(), "log");
    struct pl_pack_result r;

    log_make(&l, path, LOG_SMALL, 1);
    log_pack(&l, path);
    ck_assert_int_eq(try_to_pack(path, &r), PL_END);
    ck_assert_str_eq(r.why, "it is packed");
    check_unchanged(&l, path);
    log_release(&l);
}
END_TEST

/* At every byte: nothing that is damaged is replaced. */
START_TEST(a_damaged_log_stays_as_it_is)
{
    struct scratch file;
    struct pl_pack_result r;
    struct log l;

    log_make(&l, path_in(temp_dir(), "log"), LOG_SMALL, 1);
    scratch_open(&file, "damaged");
    for (size_t at = 0; at < l.len; at += 5) {
        uint8_t was = l.bytes[at];

        l.bytes[at] ^= 1;
        scratch_set(&file, l.bytes, l.len);
        ck_assert_int_eq(try_to_pack(file.path, &r), PL_CORRUPT);
        check_unchanged(&l, file.path);
        l.bytes[at] = was;
    }
    scratch_close(&file);
    log_release(&l);
}
END_TEST

/* Once 'path' has been read: another program moves it away, and writes there. */
static void take_its_name(void *ctx, uint64_t done)
{
    const char *path = ctx;
    FILE *f;

    if (!done || pl_path_exists(path_in(temp_dir(), "moved")))
        return;
    ck_assert_int_eq(rename(path, path_in(temp_dir(), "moved")), 0);
    f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs("precious", f), 0);
    ck_assert_int_eq(fclose(f), 0);
}

START_TEST(a_file_that_has_taken_the_name_stays)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_pack_options o = fast;
    struct pl_pack_result r;
    struct log l;
    size_t len;
    uint8_t *there;

    log_make(&l, path, LOG_SMALL, 1);
    o.progress = take_its_name;
    o.ctx = strdup(path);
    ck_assert_int_eq(pl_pack_log(o.ctx, &o, &r), PL_UNSAFE);
    ck_assert_str_eq(r.why, "it has changed meanwhile");
    there = read_file(o.ctx, &len);
    ck_assert_uint_eq(len, 8);
    ck_assert_mem_eq(there, "precious", len);
    free(there);
    check_unchanged(&l, path_in(temp_dir(), "moved"));
    free(o.ctx);
    log_release(&l);
}
END_TEST

#ifndef _WIN32 /* where no file is cut that another program has locked */
/* Once some of the work is done: another program cuts it off. */
static void cut_it(void *ctx, uint64_t done)
{
    if (done)
        ck_assert_int_eq(truncate(ctx, 3000), 0);
}

START_TEST(a_log_that_is_cut_meanwhile_has_changed)
{
    struct pl_pack_options o = fast;
    struct pl_pack_result r;
    struct log l;
    size_t len;
    uint8_t *there;

    o.progress = cut_it;
    o.ctx = strdup(path_in(temp_dir(), "log"));
    log_make(&l, o.ctx, LOG_CHURN, 1);
    ck_assert_int_eq(pl_pack_log(o.ctx, &o, &r), PL_UNSAFE);
    ck_assert_str_eq(r.why, "it has changed meanwhile");
    ck_assert(!r.is_defect);
    there = read_file(o.ctx, &len);
    ck_assert_uint_eq(len, 3000);
    ck_assert_mem_eq(there, l.bytes, len);
    free(there);
    free(o.ctx);
    log_release(&l);
}
END_TEST
#endif

START_TEST(a_log_that_is_recorded_is_not_packed)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_pack_result r;
    struct pl_writer *w;
    struct log l;

    log_make(&l, path, LOG_SMALL, 1);
    w = log_open(path, &log_options);
    log_load(&l, path);
    ck_assert_int_eq(try_to_pack(path, &r), PL_BUSY);
    check_unchanged(&l, path);
    log_close(w, NULL);
    log_release(&l);
}
END_TEST

/* What the log and its part may be read by at some moments of packing. */
struct watched {
    const char *path;
    unsigned first_of_part; /* the part's, when it had just been made */
};

static void note_rights(void *ctx, char *part)
{
    struct watched *w = ctx;

    if (part)
        ck_assert_int_eq(pl_file_rights(part, &w->first_of_part), PL_OK);
}

static void take_rights_away(void *ctx, uint64_t done)
{
    const struct watched *w = ctx;

    (void)done;
    ck_assert_int_eq(chmod(w->path, 0600), 0);
}

START_TEST(a_part_is_private_and_gets_the_rights_of_the_end)
{
    struct watched w = { .path = path_in(temp_dir(), "log") };
    const struct pl_pack_options options = {
        .level = 1, .part = note_rights, .progress = take_rights_away, .ctx = &w
    };
    struct pl_pack_result r;
    unsigned rights;
    struct log l;

    log_make(&l, w.path, LOG_SMALL, 1);
    ck_assert_int_eq(chmod(w.path, 0644), 0);
    ck_assert_int_eq(pl_pack_log(w.path, &options, &r), PL_OK);
    ck_assert_int_eq(pl_file_rights(w.path, &rights), PL_OK);
    if (PL_ALL_RIGHTS != rights) { /* of a system that has rights */
        ck_assert_uint_eq(w.first_of_part, 0600);
        ck_assert_uint_eq(rights, 0600);
    }
    log_release(&l);
}
END_TEST

START_TEST(what_an_earlier_try_left_is_deleted)
{
    const char *path = path_in(temp_dir(), "log");
    struct scratch left;
    struct log l;

    log_make(&l, path, LOG_SMALL, 1);
    scratch_open(&left, "log.packing");
    scratch_set(&left, l.bytes, l.len);
    scratch_close(&left);
    log_pack(&l, path);
    ck_assert(!pl_path_exists(left.path));
    log_release(&l);
}
END_TEST

START_TEST(a_log_that_would_not_become_smaller_stays_as_it_is)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_pack_result r;
    struct pl_writer *w = log_open(path, &log_options);
    struct log l = { 0 };
    struct machine m;

    machine_start(&m, 1, 0);
    log_add(&l, w, &m, 1000000000, 1);
    log_close(w, NULL);
    log_load(&l, path);
    ck_assert_int_eq(try_to_pack(path, &r), PL_END);
    ck_assert_str_eq(r.why, "it would not become smaller");
    check_unchanged(&l, path);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("pack_replaced");

    tcase_add_test(t, a_packed_log_is_not_packed_again);
    tcase_add_test(t, a_damaged_log_stays_as_it_is);
    tcase_add_test(t, a_file_that_has_taken_the_name_stays);
#ifndef _WIN32
    tcase_add_test(t, a_log_that_is_cut_meanwhile_has_changed);
#endif
    tcase_add_test(t, a_log_that_is_recorded_is_not_packed);
    tcase_add_test(t, a_log_that_would_not_become_smaller_stays_as_it_is);
    tcase_add_test(t, what_an_earlier_try_left_is_deleted);
    tcase_add_test(t, a_part_is_private_and_gets_the_rights_of_the_end);
    return run_suite("pack_replaced", (TCase *[]){ t, NULL });
}
