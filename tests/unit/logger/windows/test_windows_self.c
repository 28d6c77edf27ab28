/* What the recorder says of itself has one name and one meaning everywhere. */
#include "format/block/titles.h"
#include "format/block/winperf.h"
#include "logger/linux/tables/objects.h"
#include "logger/windows/self.h"
#include "tests/support/support.h"

#include <string.h>

static const struct pl_counter *row_on_linux(uint32_t index, uint32_t type)
{
    const struct pl_table *t = &pl_object_performance_logger.tables[0];

    for (size_t i = 0; i < t->num; i++)
        if (t->rows[i].index == index && t->rows[i].type == type)
            return &t->rows[i];
    return NULL;
}

static void check_text(struct pl_text text, const char *want)
{
    ck_assert_uint_eq(text.n, strlen(want));
    ck_assert_int_eq(memcmp(text.p, want, text.n), 0);
}

START_TEST(counters_are_those_of_linux)
{
    static const struct pl_self self;
    const struct pl_block_stamp stamp = { 0 };
    struct pl_buf out = { 0 };
    struct pl_titles *titles;
    struct pl_counter_def c;
    struct pl_block b;
    struct pl_object o;

    ck_assert_int_eq(pl_titles_new(&titles), PL_OK);
    ck_assert_int_eq(pl_self_label(titles), PL_OK);
    pl_put_block(&out, &stamp, NULL, 0);
    pl_self_put(&out, &self, 1);
    pl_put_block_close(&out, 0, 1, 0);
    ck_assert_int_eq(pl_block_parse(&b, out.p, out.len), PL_OK);
    ck_assert_int_eq(pl_object_next(&b, &o), PL_OK);
    check_text(pl_titles_name(titles, o.title_index), "Performance Logger");
    while (!pl_counter_next(&o, &c)) {
        const struct pl_counter *row = row_on_linux(c.title_index, c.type);

        ck_assert_msg(row != NULL, "counter %u is not there", c.title_index);
        ck_assert_uint_eq(c.size, pl_counter_width(c.type));
        if (!row->name)
            continue;
        check_text(pl_titles_name(titles, c.title_index), row->name);
        check_text(pl_titles_help(titles, c.help_index), row->help);
        ck_assert_int_eq(c.scale, row->scale);
        ck_assert_uint_eq(c.detail_level, row->level);
    }
    ck_assert_uint_gt(o.num_counters, 25);
    pl_titles_free(titles);
    pl_buf_release(&out);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("self");

    tcase_add_test(t, counters_are_those_of_linux);
    return run_suite("windows_self", (TCase *[]){ t, NULL });
}
