/* Order of columns, times in every style, wide and long lines. */
#include "analyze/query/rows_csv.h"
#include "format/time/zone.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 2026-03-29 00:59:59.500 UTC, half a second before Berlin's summer. */
#define BEFORE_SUMMER INT64_C(1774745999500000000)

static const struct pl_csv_style plain, guarded = { .guard = true };

static struct pl_buf written;

static enum pl_status keep(void *ctx, const void *p, size_t n)
{
    (void)ctx;
    pl_buf_bytes(&written, p, n);
    return PL_OK;
}

static const char *text_of(struct pl_csv *c)
{
    pl_buf_clear(&written);
    ck_assert_int_eq(pl_csv_flush(c), PL_OK);
    pl_buf_u8(&written, 0);
    pl_csv_release(c);
    return (const char *)written.p;
}

static const struct {
    enum pl_time_style style;
    const char *zone;
    bool milliseconds, offset;
    int64_t utc_ns;
    const char *want;
} styles[] = {
    { PL_TIME_SPACE, "UTC", false, false, INT64_C(1795246502) * 1000000000,
      "Time (UTC)\n2026-11-21 07:35:02\n" },
    { PL_TIME_SPACE, "UTC", true, false, INT64_C(1795246502) * 1000000000,
      "Time (UTC)\n2026-11-21 07:35:02.000\n" },
    /* milliseconds that are there are always printed */
    { PL_TIME_ISO, "UTC", false, false, BEFORE_SUMMER,
      "Time (UTC)\n2026-03-29T00:59:59.500\n" },
    { PL_TIME_PDH, "UTC", false, false, INT64_C(1795246502) * 1000000000,
      "Time (UTC)\n11/21/2026 07:35:02.000\n" },
    { PL_TIME_UNIX, "UTC", false, false, BEFORE_SUMMER,
      "Time (Unix)\n1774745999.500\n" },
    /* 1970-01-02 12:00 is day 25570.5 since 1899-12-30 */
    { PL_TIME_SERIAL, "UTC", false, false, INT64_C(129600) * 1000000000,
      "Time (UTC)\n25570.5\n" },
    { PL_TIME_SPACE, "Europe/Berlin", false, true, BEFORE_SUMMER,
      "Time (Europe/Berlin),UTC Offset\n2026-03-29 01:59:59.500,+01:00\n" },
    { PL_TIME_SPACE, "Europe/Berlin", false, true, BEFORE_SUMMER + 500000000,
      "Time (Europe/Berlin),UTC Offset\n2026-03-29 03:00:00,+02:00\n" },
    { PL_TIME_SPACE, "-05:30", false, true, INT64_C(1795246502) * 1000000000,
      "Time (-05:30),UTC Offset\n2026-11-21 02:05:02,-05:30\n" },
};

START_TEST(time_is_written_as_asked)
{
    const struct pl_time_format f = {
        styles[_i].style, styles[_i].milliseconds, styles[_i].offset, { 0 }
    };
    struct pl_csv c;

    if (!use_zone(styles[_i].zone))
        return;
    pl_csv_init(&c, &plain, keep, NULL);
    pl_time_header(&c, &f);
    pl_csv_end_row(&c);
    pl_time_cells(&c, &f, styles[_i].utc_ns);
    pl_csv_end_row(&c);
    ck_assert_str_eq(text_of(&c), styles[_i].want);
    pl_zone_set("UTC");
}
END_TEST

START_TEST(natural_order_counts_and_keeps_totals_last)
{
    static const char *const sorted[] = { "0",    "2",   "10",  "a",
                                          "a1",   "a1b", "a2",  "a10",
                                          "a010", "b",   "sda", "_Total" };
    enum { N = sizeof sorted / sizeof *sorted };

    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            int order = pl_natural_compare(sorted[i], sorted[k]);
            int swapped = pl_natural_compare(sorted[k], sorted[i]);

            ck_assert_int_eq(order<0, swapped> 0);
            ck_assert_int_eq(order == 0, i == k);
            if (strcmp(sorted[i], "a010") && strcmp(sorted[k], "a010"))
                ck_assert_msg((order < 0) == (i < k), "%s %s", sorted[i],
                              sorted[k]);
        }
}
END_TEST

static struct pl_group *group_of(struct pl_registry *r, const struct pl_host *h,
                                 struct pl_object_names *o,
                                 const char *instance)
{
    bool made;
    struct pl_group *g = pl_registry_group(r, h, o, instance, &made);

    ck_assert_ptr_nonnull(g);
    if (made) {
        g->series = calloc(o->num_counters, sizeof *g->series);
        g->num_slots = o->num_counters;
        for (uint32_t i = 0; i < o->num_counters; i++)
            g->series[i] = (struct pl_series){ .column = PL_NO_COLUMN,
                                               .wanted = true,
                                               .present = true };
    }
    return g;
}

START_TEST(wide_and_long_show_the_same_cells)
{
    const struct pl_time_format f = { PL_TIME_SPACE, false, false, { 0 } };
    const struct pl_text none = { "", 0 };
    struct pl_registry r = { 0 };
    struct pl_host *h = pl_registry_host(&r, pl_text_of("web"), 1);
    struct pl_object_names *o =
        pl_registry_object(&r, pl_text_of("Disk"), none);
    struct pl_group **groups, *ten, *two;
    struct pl_cell_at cells[3];
    struct pl_row row = { .time_ns = INT64_C(1795246502) * 1000000000,
                          .cells = cells,
                          .num_cells = 3 };
    struct pl_wide wide;
    struct pl_long lines = { .num_objects = 0 };
    struct pl_columns columns = { 0, 0 };
    struct pl_csv c;
    size_t num_groups;
    uint32_t num_columns;

    ck_assert_uint_eq(pl_object_slot(&r, o, pl_text_of("Reads, all"), none, 0),
                      0);
    ck_assert_uint_eq(pl_object_slot(&r, o, pl_text_of("Size"), none, 0), 1);
    ten = group_of(&r, h, o, "d10");
    two = group_of(&r, h, o, "d2");
    cells[0] = (struct pl_cell_at){
        ten, 0, true, { .kind = PL_VALUE_DOUBLE, .number = 1.5 }
    };
    cells[1] = (struct pl_cell_at){
        ten, 1, true, { .kind = PL_VALUE_INTEGER, .integer = UINT64_MAX }
    };
    cells[2] = (struct pl_cell_at){ two, 0, true, { .cell = PL_CELL_FIRST } };
    ck_assert_int_eq(
        pl_registry_columns(&r, &groups, &num_groups, &num_columns), PL_OK);
    ck_assert_uint_eq(num_columns, 4);
    ck_assert_int_eq(pl_wide_init(&wide, num_columns), PL_OK);
    columns.to = num_columns; /* the second row has none of the first */

    pl_csv_init(&c, &guarded, keep, NULL);
    pl_wide_header(&c, &f, groups, num_groups, &columns);
    pl_wide_add(&wide, &row);
    pl_wide_end_row(&wide, &c, &f, row.time_ns, &columns);
    pl_wide_end_row(&wide, &c, &f, row.time_ns + 1000000000, &columns);
    ck_assert_str_eq(text_of(&c),
                     "Time (UTC),\"\\\\web\\Disk(d2)\\Reads, all\","
                     "\\\\web\\Disk(d2)\\Size,"
                     "\"\\\\web\\Disk(d10)\\Reads, all\","
                     "\\\\web\\Disk(d10)\\Size\n"
                     "2026-11-21 07:35:02,,,1.5,18446744073709551615\n"
                     "2026-11-21 07:35:03,,,,\n");

    pl_csv_init(&c, &guarded, keep, NULL);
    pl_long_header(&c, &f, false);
    pl_long_row(&lines, &c, &f, &row, false);
    row.time_ns += 1000000000;
    row.num_cells = 1;
    pl_long_row(&lines, &c, &f, &row, false);
    ck_assert_str_eq(
        text_of(&c),
        "Time (UTC),Host,Object,Instance,Counter,Value,Status\n"
        "2026-11-21 07:35:02,web,Disk,d10,\"Reads, all\",1.5,\n"
        "2026-11-21 07:35:02,web,Disk,d10,Size,18446744073709551615,\n"
        "2026-11-21 07:35:02,web,Disk,d2,\"Reads, all\",,first\n"
        "2026-11-21 07:35:03,web,Disk,d10,\"Reads, all\",1.5,\n");
    pl_long_release(&lines);
    pl_wide_release(&wide);
    free(groups);
    pl_registry_release(&r);
}
END_TEST

/* A counter may have been a number when the columns were chosen. */
START_TEST(texts_and_hexadecimals_have_no_place_in_wide)
{
    const struct pl_time_format f = { PL_TIME_SPACE, false, false, { 0 } };
    const struct pl_text none = { "", 0 };
    struct pl_registry r = { 0 };
    struct pl_host *h = pl_registry_host(&r, pl_text_of("web"), 1);
    struct pl_object_names *o =
        pl_registry_object(&r, pl_text_of("Disk"), none);
    struct pl_group **groups, *disk;
    struct pl_cell_at cells[2];
    struct pl_row row = { .cells = cells, .num_cells = 2 };
    struct pl_wide wide;
    struct pl_csv c;
    size_t num_groups;
    uint32_t num_columns;

    pl_object_slot(&r, o, pl_text_of("Model"), none, 0);
    pl_object_slot(&r, o, pl_text_of("Flags"), none, 0);
    disk = group_of(&r, h, o, "d");
    cells[0] = (struct pl_cell_at){
        disk, 0, true, { .kind = PL_VALUE_TEXT, .text = { "abc", 3 } }
    };
    cells[1] = (struct pl_cell_at){
        disk, 1, true, { .kind = PL_VALUE_HEX, .integer = 7, .digits = 8 }
    };
    ck_assert_int_eq(
        pl_registry_columns(&r, &groups, &num_groups, &num_columns), PL_OK);
    ck_assert_int_eq(pl_wide_init(&wide, num_columns), PL_OK);
    pl_csv_init(&c, &guarded, keep, NULL);
    pl_wide_add(&wide, &row);
    pl_wide_end_row(&wide, &c, &f, row.time_ns,
                    &(struct pl_columns){ 0, num_columns });
    ck_assert_str_eq(text_of(&c), "1970-01-01 00:00:00,,\n");
    pl_wide_release(&wide);
    free(groups);
    pl_registry_release(&r);
}
END_TEST

START_TEST(equal_hosts_of_different_machines_are_told_apart)
{
    struct pl_registry r = { 0 };

    ck_assert_str_eq(pl_registry_host(&r, pl_text_of("web"), 1)->name, "web");
    ck_assert_str_eq(pl_registry_host(&r, pl_text_of("web"), 2)->name, "web#1");
    ck_assert_str_eq(pl_registry_host(&r, pl_text_of("web"), 1)->name, "web");
    ck_assert_str_eq(pl_registry_host(&r, pl_text_of("web"), 3)->name, "web#2");
    pl_registry_release(&r);
}
END_TEST

START_TEST(groups_are_found_and_forgotten)
{
    enum { N = 5000 };
    const struct pl_text none = { "", 0 };
    struct pl_registry r = { 0 };
    struct pl_host *h = pl_registry_host(&r, pl_text_of("h"), 0);
    struct pl_object_names *o = pl_registry_object(&r, pl_text_of("P"), none);
    char name[16];
    bool made;

    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "p%d", i);
        pl_registry_group(&r, h, o, name, &made);
        ck_assert(made);
    }
    for (int i = 0; i < N; i += 2) {
        snprintf(name, sizeof name, "p%d", i);
        pl_registry_drop(&r, pl_registry_group(&r, h, o, name, &made));
        ck_assert(!made);
    }
    ck_assert_uint_eq(r.num_groups, N / 2);
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "p%d", i);
        ck_assert_str_eq(pl_registry_group(&r, h, o, name, &made)->instance,
                         name);
        ck_assert_int_eq(made, i % 2 == 0);
    }
    pl_registry_release(&r);
}
END_TEST

int main(void)
{
    TCase *time = tcase_create("time"), *lines = tcase_create("lines");
    TCase *names = tcase_create("names"), *all[] = { time, lines, names, NULL };

    tcase_add_loop_test(time, time_is_written_as_asked, 0,
                        sizeof styles / sizeof *styles);
    tcase_add_test(lines, wide_and_long_show_the_same_cells);
    tcase_add_test(lines, texts_and_hexadecimals_have_no_place_in_wide);
    tcase_add_test(names, natural_order_counts_and_keeps_totals_last);
    tcase_add_test(names, equal_hosts_of_different_machines_are_told_apart);
    tcase_add_test(names, groups_are_found_and_forgotten);
    return run_suite("sheet", all);
}
