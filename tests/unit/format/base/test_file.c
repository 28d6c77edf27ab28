/* Files, folders and clocks, the same on every system. */
#include "format/base/file.h"
#include "tests/support/support.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME "Gr\xC3\xB6\xC3\x9F\x65 \xE6\x97\xA5\xE6\x9C\xAC.plog"

static struct pl_file *open_append(const char *path)
{
    const char *why = NULL;
    struct pl_file *f = NULL;

    ck_assert_int_eq(pl_file_open_append(&f, path, PL_MAY_EXIST, &why), PL_OK);
    return f;
}

static void make_file(const char *path)
{
    FILE *f = pl_file_stream(path, "wb");

    ck_assert_ptr_nonnull(f);
    fclose(f);
}

/* ---- logs ------------------------------------------------------------------ */

START_TEST(what_is_appended_is_read_anywhere)
{
    const char *path = path_in(temp_dir(), NAME);
    struct pl_file *log = open_append(path), *f;
    uint64_t size;
    char text[8];
    size_t got;

    ck_assert(pl_file_is_new(log));
    ck_assert_int_eq(pl_file_append(log, "0123", 4), PL_OK);
    pl_file_close(log);
    log = open_append(path);
    ck_assert(!pl_file_is_new(log));
    ck_assert_int_eq(pl_file_append(log, "456789", 6), PL_OK);
    ck_assert_int_eq(pl_file_truncate(log, 8), PL_OK);
    ck_assert_int_eq(pl_file_append(log, "x", 1), PL_OK);
    ck_assert_int_eq(pl_file_sync(log), PL_OK);

    ck_assert_int_eq(pl_file_open(&f, path), PL_OK);
    ck_assert(!pl_file_is_stream(f));
    ck_assert_int_eq(pl_file_size(f, &size), PL_OK);
    ck_assert_uint_eq(size, 9);
    ck_assert_int_eq(pl_file_read(f, 3, text, 5, &got), PL_OK);
    ck_assert_uint_eq(got, 5);
    ck_assert_int_eq(memcmp(text, "34567", 5), 0);
    ck_assert_int_eq(pl_file_read(f, 7, text, 8, &got), PL_OK);
    ck_assert_uint_eq(got, 2);
    ck_assert_int_eq(memcmp(text, "7x", 2), 0);
    ck_assert_int_eq(pl_file_read(f, 1000, text, 8, &got), PL_OK);
    ck_assert_uint_eq(got, 0);
    ck_assert_int_eq(pl_file_sync(f), PL_OK);
    pl_file_close(f);
    pl_file_close(log);
}
END_TEST

START_TEST(a_log_has_one_writer)
{
    const char *path = path_in(temp_dir(), "a.plog"), *why = NULL;
    struct pl_file *log = open_append(path), *reader, *second;

    ck_assert_int_eq(pl_file_open(&reader, path), PL_OK);
    ck_assert(pl_file_is_locked(reader));
    ck_assert(pl_file_is_locked(reader));
    ck_assert_int_eq(pl_file_open_append(&second, path, PL_MAY_EXIST, &why),
                     PL_BUSY);
    pl_file_close(log);
    ck_assert(!pl_file_is_locked(reader));
    pl_file_close(open_append(path));
    pl_file_close(reader);
}
END_TEST

START_TEST(what_is_no_log_is_refused)
{
    const char *path = path_in(temp_dir(), "a.plog"), *why = NULL;
    struct pl_file *f;

    make_file(path);
    ck_assert_int_eq(pl_file_open_append(&f, path, PL_MUST_BE_NEW, &why),
                     PL_IO);
    ck_assert_int_eq(errno, EEXIST);
    ck_assert_int_eq(pl_file_open_append(&f, temp_dir(), PL_MAY_EXIST, &why),
                     PL_IO);
    ck_assert_int_eq(errno, EISDIR);
    ck_assert_int_eq(pl_file_open(&f, temp_dir()), PL_IO);
    ck_assert_int_eq(errno, EISDIR);
    ck_assert_int_eq(pl_file_open(&f, path_in(temp_dir(), "none")), PL_IO);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_int_eq(pl_file_open_append(&f, path_in(temp_dir(), "no/x"),
                                         PL_MAY_EXIST, &why),
                     PL_IO);
    ck_assert_int_eq(errno, ENOENT);
}
END_TEST

START_TEST(space_is_reported)
{
    struct pl_file *f = open_append(path_in(temp_dir(), "a.plog"));
    uint64_t available = 0, total = 0;

    ck_assert_int_eq(pl_file_space(f, &available, &total), PL_OK);
    ck_assert(total && available <= total);
    pl_file_close(f);
    ck_assert(pl_file_is_full(ENOSPC) && !pl_file_is_full(EIO));
}
END_TEST

/* ---- names ------------------------------------------------------------------- */

START_TEST(names_stand_behind_separators)
{
    ck_assert_str_eq(pl_path_name("a"), "a");
    ck_assert_str_eq(pl_path_name("a/b/c.plog"), "c.plog");
    ck_assert_str_eq(pl_path_name("a/"), "");
    ck_assert(pl_path_is_separator('/') && !pl_path_is_separator('a'));
}
END_TEST

START_TEST(a_name_is_given_once)
{
    const char *a = path_in(temp_dir(), "a"), *b = path_in(temp_dir(), "b");

    write_file(a, "a", 1);
    write_file(b, "b", 1);
    ck_assert_int_eq(pl_file_rename_new(a, b), PL_IO);
    ck_assert_int_eq(errno, EEXIST);
    ck_assert_int_eq(pl_file_delete(b), PL_OK);
    ck_assert(!pl_path_exists(b));
    ck_assert_int_eq(pl_file_rename_new(a, b), PL_OK);
    ck_assert(pl_path_exists(b) && !pl_path_exists(a));
    write_file(a, "new", 3);
    ck_assert_int_eq(pl_file_replace(a, b), PL_OK);
    ck_assert(pl_path_exists(b) && !pl_path_exists(a));
    ck_assert_int_eq(pl_file_replace(a, b), PL_IO);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_int_eq(pl_file_delete(a), PL_IO);
}
END_TEST

START_TEST(a_file_in_use_can_be_deleted_and_replaced)
{
    const char *a = path_in(temp_dir(), "a"), *b = path_in(temp_dir(), "b");
    FILE *f = pl_file_stream(a, "wb");

    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(pl_file_delete(a), PL_OK);
    fclose(f);
    make_file(a);
    f = pl_file_stream(a, "ab");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(pl_file_replace(a, b), PL_OK);
    ck_assert_int_ge(fputs("line\n", f), 0);
    ck_assert_int_eq(fclose(f), 0);
    ck_assert(pl_path_exists(b));
}
END_TEST

START_TEST(streams_carry_bytes)
{
    const char *path = path_in(temp_dir(), NAME);
    FILE *f = pl_file_stream(path, "wbx");
    uint8_t *p;
    size_t n;

    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs("a\n\x1A", f), 0);
    ck_assert_int_eq(fclose(f), 0);
    ck_assert_ptr_null(pl_file_stream(path, "wbx"));
    ck_assert_int_eq(errno, EEXIST);
    f = pl_file_stream(path, "ab");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs("b\r\n", f), 0);
    ck_assert_int_eq(fclose(f), 0);
    ck_assert_int_eq(pl_file_rename_new(path, path_in(temp_dir(), "plain")),
                     PL_OK);
    p = read_file(path_in(temp_dir(), "plain"), &n);
    ck_assert_uint_eq(n, 6);
    ck_assert_int_eq(memcmp(p,
                            "a\n\x1A"
                            "b\r\n",
                            6),
                     0);
    free(p);
}
END_TEST

START_TEST(folders_list_their_files_in_order)
{
    char folder[512]; /* path_in's turn is short */
    static const char *const want[] = { "B", NAME, "a" }; /* by bytes */
    char **names;
    size_t num;

    snprintf(folder, sizeof folder, "%s/folder", temp_dir());
    ck_assert_int_eq(pl_dir_make(folder), PL_OK);
    ck_assert_int_eq(pl_dir_make(folder), PL_IO);
    ck_assert_int_eq(errno, EEXIST);
    ck_assert(pl_dir_exists(folder) && pl_path_exists(folder));
    ck_assert_int_eq(pl_dir_make(path_in(folder, "sub")), PL_OK);
    for (size_t i = 0; i < 3; i++)
        make_file(path_in(folder, want[i]));
    ck_assert_int_eq(pl_dir_list(folder, &names, &num), PL_OK);
    ck_assert_uint_eq(num, 3);
    for (size_t i = 0; i < num; i++)
        ck_assert_str_eq(names[i], want[i]);
    pl_dir_list_free(names, num);
    ck_assert_int_eq(pl_dir_delete(folder), PL_IO);
    ck_assert_int_eq(errno, ENOTEMPTY);
    ck_assert_int_eq(pl_dir_list(path_in(folder, "no"), &names, &num), PL_IO);
}
END_TEST

START_TEST(two_names_of_one_file)
{
    const char *a = path_in(temp_dir(), "a"), *b = path_in(temp_dir(), "b");
    char *temporary;

    make_file(a);
    make_file(b);
    ck_assert(pl_file_is_same(a, path_in(temp_dir(), "./a")));
    ck_assert(!pl_file_is_same(a, b));
    ck_assert(!pl_file_is_same(a, path_in(temp_dir(), "c")));
    ck_assert_int_eq(pl_file_make_temporary(&temporary), PL_OK);
    ck_assert(pl_path_exists(temporary));
    ck_assert_int_eq(pl_file_delete(temporary), PL_OK);
    free(temporary);
}
END_TEST

START_TEST(a_file_is_nothing_special)
{
    const char *a = path_in(temp_dir(), "a");
    FILE *f = stdin;

    ck_assert_int_eq(pl_file_open_special(&f, a), PL_OK);
    ck_assert_ptr_null(f);
    make_file(a);
    ck_assert_int_eq(pl_file_open_special(&f, a), PL_OK);
    ck_assert_ptr_null(f);
}
END_TEST

/* ---- clocks -------------------------------------------------------------------- */

START_TEST(clocks_go_on_and_sleep_lasts)
{
    const int64_t ms = 1000000;
    int64_t utc = pl_clock_utc(), boot = pl_clock_boot();
    int64_t cpu = pl_clock_cpu(), steady = pl_clock_steady();
    volatile unsigned spin = 0;

    ck_assert_int_gt(utc, INT64_C(1700000000) * 1000 * ms);
    ck_assert(pl_sleep_until(boot + 50 * ms));
    ck_assert_int_ge(pl_clock_boot(), boot + 50 * ms);
    ck_assert_int_gt(pl_clock_steady(), steady);
    ck_assert_int_ge(pl_clock_utc(), utc + 40 * ms);
    pl_sleep(20 * 1000000);
    ck_assert_int_ge(pl_clock_boot(), boot + 65 * ms);
    /* Sleep is not work. */
    ck_assert_int_lt(pl_clock_cpu() - cpu, 60 * ms);
    while (pl_clock_cpu() - cpu < 60 * ms)
        spin++;
    ck_assert_uint_ne(pl_random(), pl_random());
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("file");

    tcase_add_test(t, what_is_appended_is_read_anywhere);
    tcase_add_test(t, a_log_has_one_writer);
    tcase_add_test(t, what_is_no_log_is_refused);
    tcase_add_test(t, space_is_reported);
    tcase_add_test(t, names_stand_behind_separators);
    tcase_add_test(t, a_name_is_given_once);
    tcase_add_test(t, a_file_in_use_can_be_deleted_and_replaced);
    tcase_add_test(t, streams_carry_bytes);
    tcase_add_test(t, folders_list_their_files_in_order);
    tcase_add_test(t, two_names_of_one_file);
    tcase_add_test(t, a_file_is_nothing_special);
    tcase_add_test(t, clocks_go_on_and_sleep_lasts);
    return run_suite("file", (TCase *[]){ t, NULL });
}
