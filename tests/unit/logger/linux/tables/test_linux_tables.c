/* The tables of counters as data: what every row must keep to. */
#include "logger/linux/block/expr.h"
#include "logger/linux/tables/objects.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls 'check' for every row with the row it takes its name from. */
typedef void check_row(const struct pl_object_def *o,
                       const struct pl_counter *row,
                       const struct pl_counter *above);

static void for_rows_of(const struct pl_object_def *o, check_row *check)
{
    for (size_t t = 0; t < PL_MAX_TABLES && o->tables[t].rows; t++)
        for (size_t i = 0; i < o->tables[t].num; i++)
            check(o, &o->tables[t].rows[i],
                  i ? &o->tables[t].rows[i - 1] : NULL);
}

static void for_rows(check_row *check)
{
    for (size_t i = 0; i < pl_num_objects; i++)
        for_rows_of(pl_objects[i], check);
}

static void named_row(const struct pl_object_def *o,
                      const struct pl_counter *row,
                      const struct pl_counter *above)
{
    size_t n;

    (void)above;
    ck_assert_msg(row->index && row->index % 2 == 0, "%s %u is odd", o->name,
                  row->index);
    ck_assert_msg(row->from && *row->from, "%s %u", o->name, row->index);
    ck_assert_msg(!row->since || (row->name && row->since >= PL_LINUX(2, 6) &&
                                  row->since < PL_LINUX(8, 0)),
                  "first kernel of %s %u", o->name, row->index);
    if (!row->name)
        return;
    n = strlen(row->help);
    ck_assert_msg(n > 1 && row->help[n - 1] == '.' && row->help[n - 2] != '.',
                  "help of %s %s", o->name, row->name);
    ck_assert_msg(!strstr(row->help, ". "), "help of %s %s is one sentence",
                  o->name, row->name);
    ck_assert_msg(row->level >= PL_NOVICE && row->level <= PL_WIZARD &&
                      row->level % 100 == 0,
                  "level of %s %s", o->name, row->name);
    ck_assert_msg(row->scale >= -9 && row->scale <= 9, "scale of %s %s",
                  o->name, row->name);
}

START_TEST(rows_have_even_numbers_and_a_help_of_one_sentence)
{
    for_rows(named_row);
}
END_TEST

static void understood_row(const struct pl_object_def *o,
                           const struct pl_counter *row,
                           const struct pl_counter *above)
{
    struct pl_expr e;

    (void)above;
    ck_assert_msg(pl_expr_compile(&e, row->from, NULL, 0) != PL_USAGE,
                  "\"%s\" of %s %u", row->from, o->name, row->index);
}

START_TEST(what_a_row_is_made_of_is_understood)
{
    for_rows(understood_row);
}
END_TEST

/* Ranges of indexes that belong to one object, as the catalogue gives them. */
static void ranged_row(const struct pl_object_def *o,
                       const struct pl_counter *row,
                       const struct pl_counter *above)
{
    (void)above;
    if (o->index < PL_OWN_TITLES || row->index < PL_OWN_TITLES)
        return;
    ck_assert_msg(row->index > o->index && row->index < o->index + 200,
                  "%s has %u", o->name, row->index);
    for (size_t i = 0; i < pl_num_objects; i++)
        ck_assert_msg(pl_objects[i]->index <= o->index ||
                          row->index < pl_objects[i]->index,
                      "%u of %s is in the range of %s", row->index, o->name,
                      pl_objects[i]->name);
}

START_TEST(rows_keep_to_the_range_of_their_object)
{
    for_rows(ranged_row);
}
END_TEST

static uint32_t base_of(uint32_t type)
{
    switch (type) {
    case PERF_AVERAGE_TIMER:
    case PERF_AVERAGE_BULK:
        return PERF_AVERAGE_BASE;
    case PERF_LARGE_RAW_FRACTION:
        return PERF_LARGE_RAW_BASE;
    default:
        return 0;
    }
}

static void based_row(const struct pl_object_def *o,
                      const struct pl_counter *row,
                      const struct pl_counter *above)
{
    uint32_t expected = above && above->name ? base_of(above->type) : 0;

    ck_assert_msg(!row->name == pl_type_is_base(row->type), "%s %u", o->name,
                  row->index);
    ck_assert_msg(!row->name == (expected != 0),
                  "%s %u: numerators and bases go in pairs", o->name,
                  row->index);
    if (row->name)
        return;
    ck_assert_uint_eq(row->type, expected);
    ck_assert_uint_eq(row->index, above->index);
}

START_TEST(a_base_follows_its_numerator)
{
    for_rows(based_row);
}
END_TEST

enum { MAX_INDEX = 65536 };

static const char *names[MAX_INDEX], *helps[MAX_INDEX];
static bool in_object[MAX_INDEX];

static void one_text(const char *texts[], uint32_t index, const char *text)
{
    ck_assert_uint_lt(index, MAX_INDEX);
    ck_assert_msg(!texts[index] || !strcmp(texts[index], text),
                  "%u is \"%s\" and \"%s\"", index, texts[index], text);
    texts[index] = text;
}

static void titled_row(const struct pl_object_def *o,
                       const struct pl_counter *row,
                       const struct pl_counter *above)
{
    (void)above;
    if (!row->name)
        return;
    one_text(names, row->index, row->name);
    one_text(helps, pl_help_index(o, row->index), row->help);
    ck_assert_msg(!in_object[row->index], "%s has %u twice", o->name,
                  row->index);
    in_object[row->index] = true;
}

START_TEST(a_title_index_has_one_text)
{
    for (size_t i = 0; i < pl_num_objects; i++) {
        memset(in_object, 0, sizeof in_object);
        for_rows_of(pl_objects[i], titled_row);
        one_text(names, pl_objects[i]->index, pl_objects[i]->name);
        one_text(helps, pl_objects[i]->index + 1, pl_objects[i]->help);
    }
    for (size_t i = 0; i < MAX_INDEX; i++)
        ck_assert_msg(!names[i] || !helps[i], "%zu is a name and a help", i);
}
END_TEST

static bool found;
static uint32_t sought;

static void seek(const struct pl_object_def *o, const struct pl_counter *row,
                 const struct pl_counter *above)
{
    (void)o;
    (void)above;
    found = found || (row->name && row->index == sought);
}

static bool has_row(const struct pl_object_def *o, uint32_t index)
{
    found = false;
    sought = index;
    for_rows_of(o, seek);
    return found;
}

START_TEST(what_an_object_names_is_in_its_tables)
{
    for (size_t i = 0; i < pl_num_objects; i++) {
        const struct pl_object_def *o = pl_objects[i];

        ck_assert_msg(has_row(o, o->default_counter), "%s", o->name);
        for (size_t k = 0; k < PL_MAX_IDENTITY && o->identity[k]; k++)
            ck_assert_msg(has_row(o, o->identity[k]), "%s", o->name);
        ck_assert_msg(!o->flags_counter || has_row(o, o->flags_counter), "%s",
                      o->name);
        ck_assert_msg(o->has_clock == has_row(o, 684) ||
                          (o->has_clock && has_row(o, 674)),
                      "%s: only ages need a clock", o->name);
        ck_assert(o->help[strlen(o->help) - 1] == '.');
    }
}
END_TEST

START_TEST(widths_follow_from_types)
{
    ck_assert_uint_eq(pl_counter_width(PERF_COUNTER_RAWCOUNT), 4);
    ck_assert_uint_eq(pl_counter_width(PL_NUMBER_DEC_1000), 4);
    ck_assert_uint_eq(pl_counter_width(PERF_COUNTER_BULK_COUNT), 8);
    ck_assert_uint_eq(pl_counter_width(PERF_100NSEC_TIMER_INV), 8);
    ck_assert_uint_eq(pl_counter_width(PERF_LARGE_RAW_BASE), 8);
    ck_assert_uint_eq(pl_counter_width(PERF_AVERAGE_TIMER), 8);
    ck_assert_uint_eq(pl_counter_width(PERF_AVERAGE_BASE), 8);
}
END_TEST

/* Lines "index TAB name"; true if 'index' is there, 'name' then filled. */
static bool windows_name(FILE *f, uint32_t index, char name[256])
{
    unsigned i;

    rewind(f);
    while (fscanf(f, "%u\t%255[^\r\n]%*[\r\n]", &i, name) == 2)
        if (i == index)
            return true;
    return false;
}

START_TEST(shared_titles_are_those_of_windows)
{
    const char *path = PL_SHARED_DATA "/vista/titles.tsv";
    FILE *f = fopen(path, "r");
    char name[256];

    if (!f) {
        fprintf(stderr, "skipped: there is no %s\n", path);
        return;
    }
    for (size_t i = 0; i < pl_num_objects; i++) {
        memset(in_object, 0, sizeof in_object);
        for_rows_of(pl_objects[i], titled_row);
        one_text(names, pl_objects[i]->index, pl_objects[i]->name);
    }
    for (uint32_t i = 0; i < PL_OWN_TITLES; i++) {
        if (!names[i])
            continue;
        ck_assert_msg(windows_name(f, i, name), "Windows has no %u", i);
        ck_assert_str_eq(names[i], name);
    }
    fclose(f);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("tables");
    TCase *const tcases[] = { t, NULL };

    tcase_add_test(t, rows_have_even_numbers_and_a_help_of_one_sentence);
    tcase_add_test(t, what_a_row_is_made_of_is_understood);
    tcase_add_test(t, rows_keep_to_the_range_of_their_object);
    tcase_add_test(t, a_base_follows_its_numerator);
    tcase_add_test(t, a_title_index_has_one_text);
    tcase_add_test(t, what_an_object_names_is_in_its_tables);
    tcase_add_test(t, widths_follow_from_types);
    tcase_add_test(t, shared_titles_are_those_of_windows);
    return run_suite("linux_tables", tcases);
}
