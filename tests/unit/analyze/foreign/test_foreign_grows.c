/*
 * Logs of other formats that change between the first pass over them and their
 * reading: Windows writes on while a log is imported, or a copy of it is still
 * being made.
 */
#include "analyze/foreign/foreign.h"
#include "tests/support/logs.h"
#include "tests/support/made_blg.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <string.h>

enum { CUTS = 100 };

/* How many samples are read of a file with the first 'now' bytes of 'bytes', of
 * which the first pass saw 'seen'; the others were zeros if 'zeros'. */
static uint64_t samples_of(const struct pl_buf *bytes, size_t seen, size_t now,
                           bool zeros)
{
    const char *path = path_in(temp_dir(), "grows");
    struct pl_buf first = { 0 };
    struct pl_foreign_file *f;
    uint64_t num = 0;
    enum pl_status s;

    pl_buf_bytes(&first, bytes->p, seen);
    if (zeros)
        pl_buf_zeros(&first, now - seen);
    write_file(path, first.p, first.len);
    s = pl_foreign_look(&f, path);
    write_file(path, bytes->p, now);
    for (size_t host = 0; !s && f && host < f->num_hosts; host++) {
        struct pl_reader *r = NULL;
        struct pl_item item;

        ck_assert_int_eq(pl_foreign_read(&r, f, host, NULL), PL_OK);
        while (!(s = pl_reader_next(r, &item)))
            num += item.kind == PL_ITEM_SAMPLE;
        ck_assert_int_eq(s, PL_END);
        s = PL_OK;
        pl_reader_close(r);
    }
    pl_foreign_drop(f);
    pl_buf_release(&first);
    return num;
}

START_TEST(what_a_log_of_windows_grows_by_is_not_read)
{
    struct made_blg m;

    made_blg(&m, (enum made_blg_kind)_i);
    for (size_t i = 0; i < CUTS; i++) {
        size_t seen = m.file.len * i / CUTS;

        ck_assert_uint_eq(samples_of(&m.file, seen, m.file.len, false),
                          samples_of(&m.file, seen, seen, false));
    }
    made_blg_release(&m);
}
END_TEST

START_TEST(a_log_of_windows_that_was_replaced_is_survived)
{
    struct made_blg m;

    made_blg(&m, (enum made_blg_kind)_i);
    for (size_t i = 0; i < CUTS; i++)
        samples_of(&m.file, m.file.len * i / CUTS, m.file.len, true);
    made_blg_release(&m);
}
END_TEST

/* A blank cell in a column that had none would be a number. */
START_TEST(what_a_sheet_grows_by_is_not_read)
{
    static const char sheet[] =
        "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\pc\\Memory\\Pages\"\n"
        "\"01/02/2020 00:00:01.000\",\"1\"\n",
                      more[] = "\"01/02/2020 00:00:02.000\",\" \"\n";
    struct pl_buf all = { 0 };

    pl_buf_string(&all, sheet);
    pl_buf_string(&all, more);
    ck_assert_uint_eq(samples_of(&all, all.len, all.len, false), 2);
    ck_assert_uint_eq(samples_of(&all, strlen(sheet), all.len, false), 1);
    pl_buf_release(&all);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("grows");
    TCase *const tcases[] = { t, NULL };

    tcase_add_loop_test(t, what_a_log_of_windows_grows_by_is_not_read, 0,
                        NUM_MADE_BLG);
    tcase_add_loop_test(t, a_log_of_windows_that_was_replaced_is_survived, 0,
                        NUM_MADE_BLG);
    tcase_add_test(t, what_a_sheet_grows_by_is_not_read);
    return run_suite("foreign grows", tcases);
}
