/* The sheets of a workbook: names, columns, limits, text that fits. */
#include "analyze/workbook/sheet_plan.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const taken[] = { "Summary", "Charts", NULL };

/* A registry with one series each of objects called so, ended by NULL. */
struct fixture {
    struct pl_registry registry;
    struct pl_group **groups;
    size_t num_groups;
    uint32_t num_columns;
    struct pl_xlsx_plan plan;
};

static void add_series(struct fixture *f, const char *host, const char *object,
                       const char *instance, const char *counter)
{
    struct pl_registry *r = &f->registry;
    struct pl_host *h = pl_registry_host(r, pl_text_of(host), 1);
    struct pl_object_names *o =
        pl_registry_object(r, pl_text_of(object), pl_text_of(""));
    bool made;
    struct pl_group *g;
    uint32_t slot;

    o->mark++;
    slot = pl_object_slot(r, o, pl_text_of(counter), pl_text_of(""), 0x10100);
    g = pl_registry_group(r, h, o, instance, &made);
    g->series = realloc(g->series, (slot + 1) * sizeof *g->series);
    g->series[slot] = (struct pl_series){ .wanted = true, .present = true };
    g->num_slots = slot + 1;
}

static void plan(struct fixture *f, const struct pl_xlsx_limits *limits)
{
    ck_assert_int_eq(pl_registry_columns(&f->registry, &f->groups,
                                         &f->num_groups, &f->num_columns),
                     PL_OK);
    ck_assert_int_eq(
        pl_xlsx_plan_make(&f->plan, f->groups, f->num_groups, taken, limits),
        PL_OK);
}

static void release(struct fixture *f)
{
    pl_xlsx_plan_release(&f->plan);
    free(f->groups);
    pl_registry_release(&f->registry);
}

#define LONG31 "1234567890123456789012345678901"

static const struct {
    const char *object;
    const char *name;
} names[] = {
    { "Memory", "Memory" },
    { "memory", "memory (2)" },
    { "SUMMARY", "SUMMARY (2)" },
    { "Charts", "Charts (2)" },
    { LONG31, LONG31 },
    { LONG31 "2", "12345678901234567890123456789"
                  "0\xE2\x80\xA6" },
    { LONG31 "3", "12345678901234567890123456\xE2\x80\xA6 (2)" },
    { "a[b]c:d*e?f/g\\h", "a_b_c_d_e_f_g_h" },
    { "'quoted'", "_quoted_" },
    { "a_b_c_d_e_f_g_h", "a_b_c_d_e_f_g_h (2)" },
    { "bell\a", "bell_x07" },
    { "history", "history (2)" }, /* Excel's own */
    /* 16 letters of two UTF-16 units each are one too many. */
    { "\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E"
      "\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E"
      "\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E"
      "\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E",
      "\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E"
      "\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E"
      "\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E"
      "\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E\xF0\x9F\x90\x9E\xE2\x80\xA6" },
};
enum { NUM_NAMES = sizeof names / sizeof *names };

START_TEST(names_are_allowed_and_unique)
{
    struct fixture f = { 0 };

    for (int i = 0; i < NUM_NAMES; i++)
        add_series(&f, "web", names[i].object, NULL, "c");
    plan(&f, &pl_xlsx_limits);
    ck_assert_uint_eq(f.plan.num_sheets, NUM_NAMES);
    for (int i = 0; i < NUM_NAMES; i++)
        ck_assert_str_eq(f.plan.sheets[i].name, names[i].name);
    release(&f);
}
END_TEST

/* Objects of two hosts share a sheet, whatever lies between them. */
START_TEST(columns_of_an_object_stand_together)
{
    struct fixture f = { 0 };

    add_series(&f, "a", "Disk", "1", "x");
    add_series(&f, "a", "Disk", "1", "y");
    add_series(&f, "a", "Net", NULL, "z");
    add_series(&f, "b", "Disk", "1", "x");
    plan(&f, &pl_xlsx_limits);
    ck_assert_uint_eq(f.plan.num_sheets, 2);
    ck_assert_uint_eq(f.plan.num_columns, 4);
    ck_assert_uint_eq(f.plan.sheets[0].num, 3);
    ck_assert_uint_eq(f.plan.sheets[1].first, 3);
    ck_assert_str_eq(f.plan.columns[2].group->host->name, "b");
    ck_assert_str_eq(f.plan.columns[3].group->object->name, "Net");
    release(&f);
}
END_TEST

START_TEST(what_does_not_fit_is_reported)
{
    const struct pl_xlsx_limits limits = { 10, 4, 2 };
    struct fixture f = { 0 };
    struct pl_xlsx_misfit m;

    add_series(&f, "a", "Disk", "1", "x");
    add_series(&f, "a", "Disk", "2", "x");
    add_series(&f, "a", "Disk", "3", "x");
    add_series(&f, "a", "Net", NULL, "z");
    plan(&f, &limits);
    ck_assert_ptr_null(pl_xlsx_plan_check(&f.plan, 9, 1, &limits).what);
    m = pl_xlsx_plan_check(&f.plan, 10, 1, &limits);
    ck_assert_str_eq(m.what, "rows");
    ck_assert_uint_eq(m.has, 11);
    m = pl_xlsx_plan_check(&f.plan, 9, 2, &limits);
    ck_assert_str_eq(m.what, "columns");
    ck_assert_str_eq(m.sheet, "Disk");
    ck_assert_uint_eq(m.has, 5);
    ck_assert_uint_eq(m.limit, 4);
    pl_xlsx_plan_release(&f.plan);
    free(f.groups);
    add_series(&f, "a", "Third", NULL, "z");
    add_series(&f, "a", "Fourth", NULL, "z");
    plan(&f, &limits);
    ck_assert_str_eq(pl_xlsx_plan_check(&f.plan, 1, 1, &limits).what, "sheets");
    release(&f);
}
END_TEST

/* Pages of rows, and parts of columns on each, named like equal names. */
START_TEST(a_split_plan_has_all_once)
{
    static const struct {
        const char *name;
        uint32_t first, num, page;
    } want[] = {
        { "Disk", 0, 3, 0 },     { "Disk (2)", 3, 2, 0 },
        { "Disk (3)", 0, 3, 1 }, { "Disk (4)", 3, 2, 1 },
        { "Net", 5, 1, 0 },      { "Net (2)", 5, 1, 1 },
    };
    const struct pl_xlsx_limits limits = { 10, 4, 6 };
    struct fixture f = { 0 };

    for (int i = 0; i < 5; i++)
        add_series(&f, "a", "Disk", &"01234"[i], "x");
    add_series(&f, "a", "Net", NULL, "z");
    plan(&f, &limits);
    ck_assert_int_eq(pl_xlsx_plan_split(&f.plan, 10, 1, taken, &limits), PL_OK);
    ck_assert_ptr_null(pl_xlsx_plan_check(&f.plan, 10, 1, &limits).what);
    ck_assert_uint_eq(f.plan.num_pages, 2);
    ck_assert_uint_eq(f.plan.page_rows, 9);
    ck_assert_uint_eq(f.plan.num_sheets, sizeof want / sizeof *want);
    for (size_t i = 0; i < f.plan.num_sheets; i++) {
        const struct pl_xlsx_sheet *s = &f.plan.sheets[i];

        ck_assert_str_eq(s->name, want[i].name);
        ck_assert_uint_eq(s->first, want[i].first);
        ck_assert_uint_eq(s->num, want[i].num);
        ck_assert_uint_eq(s->page, want[i].page);
    }
    release(&f);
}
END_TEST

/* What fits stays as it is; what would be too much is not made. */
START_TEST(a_plan_is_split_no_further_than_it_must)
{
    const struct pl_xlsx_limits limits = { 10, 4, 6 };
    struct fixture f = { 0 };
    struct pl_xlsx_misfit m;

    add_series(&f, "a", "Disk", "1", "x");
    add_series(&f, "a", "Disk", "2", "x");
    plan(&f, &limits);
    ck_assert_int_eq(pl_xlsx_plan_split(&f.plan, 9, 2, taken, &limits), PL_OK);
    ck_assert_uint_eq(f.plan.num_sheets, 1);
    ck_assert_uint_eq(f.plan.num_pages, 1);
    ck_assert_str_eq(f.plan.sheets[0].name, "Disk");
    ck_assert_int_eq(
        pl_xlsx_plan_split(&f.plan, UINT64_C(1) << 40, 1, taken, &limits),
        PL_OK);
    ck_assert_uint_eq(f.plan.num_sheets, 1);
    m = pl_xlsx_plan_check(&f.plan, UINT64_C(1) << 40, 1, &limits);
    ck_assert_str_eq(m.what, "sheets");
    ck_assert_uint_eq(m.has, (UINT64_C(1) << 40) / 9 + 1);
    release(&f);
}
END_TEST

static void check_text(const char *text, size_t n, size_t max, const char *want)
{
    struct pl_buf b = { 0 };

    pl_xlsx_text(&b, text, n, max);
    pl_buf_u8(&b, 0);
    ck_assert_str_eq((char *)b.p, want);
    pl_buf_release(&b);
}

START_TEST(text_fits_a_cell)
{
    check_text("abc", 3, 3, "abc");
    check_text("abcd", 4, 3, "ab\xE2\x80\xA6");
    check_text("a\x1b[1mb\n", 7, 20, "a\\x1B[1mb\\x0A");
    check_text("a\0b", 3, 20, "a\\x00b");
    check_text("\xff", 1, 20, "\\xFF");
    check_text("", 0, 3, "");
    check_text("\xEF\xBF\xBE\xEF\xBF\xBF", 6, 20, "\xEF\xBF\xBD\xEF\xBF\xBD");
    /* A letter of two units is never cut in half. */
    check_text("a\xF0\x9F\x90\x9E"
               "b",
               6, 4,
               "a\xF0\x9F\x90\x9E"
               "b");
    check_text("a\xF0\x9F\x90\x9E"
               "b",
               6, 3, "a\xE2\x80\xA6");
}
END_TEST

int main(void)
{
    TCase *sheets = tcase_create("sheets"), *text = tcase_create("text");
    TCase *all[] = { sheets, text, NULL };

    tcase_add_test(sheets, names_are_allowed_and_unique);
    tcase_add_test(sheets, columns_of_an_object_stand_together);
    tcase_add_test(sheets, what_does_not_fit_is_reported);
    tcase_add_test(sheets, a_split_plan_has_all_once);
    tcase_add_test(sheets, a_plan_is_split_no_further_than_it_must);
    tcase_add_test(text, text_fits_a_cell);
    return run_suite("xlsx_plan", all);
}
