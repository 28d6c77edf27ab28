/* Trees as people and programs see them, and dumps of blocks that lie. */
#include "analyze/inspect/block_dump.h"
#include "analyze/output/dump_tree.h"
#include "format/block/winperf.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void grow(struct pl_dump_tree *t)
{
    pl_dump_tree_integer(t, "number", -5);
    pl_dump_tree_open(t, "branch", "A branch");
    pl_dump_tree_count(t, "count", UINT64_MAX);
    pl_dump_tree_string(t, "none", NULL);
    pl_dump_tree_open_list(t, "list");
    pl_dump_tree_open_item(t, "First\033[1m");
    pl_dump_tree_string(t, "a key that is longer than most", "x\ny");
    pl_dump_tree_close(t);
    pl_dump_tree_open_item(t, "Second");
    pl_dump_tree_close(t);
    pl_dump_tree_close_list(t);
    pl_dump_tree_close(t);
}

static const char *const grown[] = {
    "number                  -5\n"
    "A branch\n"
    "  count                   18446744073709551615\n"
    "  First\\x1B[1m\n"
    "    a key that is longer than most x\\x0Ay\n"
    "  Second\n",
    "{\n"
    "  \"number\": -5,\n"
    "  \"branch\": {\n"
    "    \"count\": 18446744073709551615,\n"
    "    \"none\": null,\n"
    "    \"list\": [\n"
    "      {\n"
    "        \"a key that is longer than most\": \"x\\ny\"\n"
    "      },\n"
    "      {}\n"
    "    ]\n"
    "  }\n"
    "}\n",
};

START_TEST(people_and_programs_see_the_same)
{
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    struct pl_dump_tree t;

    pl_dump_tree_start(&t, f, _i);
    grow(&t);
    ck_assert_int_eq(pl_dump_tree_finish(&t), PL_OK);
    fclose(f);
    ck_assert_str_eq(text, grown[_i]);
    free(text);
}
END_TEST

START_TEST(a_full_disk_is_reported)
{
    FILE *f = fopen("/dev/full", "w");
    struct pl_dump_tree t;

    ck_assert_ptr_nonnull(f);
    pl_dump_tree_start(&t, f, _i);
    grow(&t);
    ck_assert_int_eq(pl_dump_tree_finish(&t), PL_IO);
    fclose(f);
}
END_TEST

/* ---- dumps --------------------------------------------------------------------- */

/* Two objects: instances with texts and parents, and one without instances. */
static void put_block(struct pl_buf *b)
{
    const struct pl_block_stamp stamp = { .perf_freq = 1000 };
    const struct pl_counter_def c[] = {
        { .type = PERF_COUNTER_TEXT, .size = 8, .offset = 8 },
        { .type = PERF_COUNTER_TEXT | PERF_TEXT_ASCII, .size = 3, .offset = 5 },
        { .type = PERF_COUNTER_RAWCOUNT, .size = 4, .offset = 4 },
        { .type = PERF_COUNTER_NODATA },
    };
    struct pl_object o = { .title_index = 900, .code_page = 1252 };
    size_t block = pl_put_block(b, &stamp, (const uint8_t *)"P\0C", 4);

    for (uint32_t k = 0; k < 2; k++) {
        size_t at = pl_put_object(b, &o);

        for (size_t i = 0; i < sizeof c / sizeof *c; i++)
            pl_put_counter(b, &c[i]);
        pl_put_definitions_close(b, at, sizeof c / sizeof *c);
        for (uint32_t i = 0; i < 3; i++) {
            if (!k)
                pl_put_instance(b, 900, i, (const uint8_t *)"ab", 2);
            if (!k || !i)
                memset(pl_put_counter_block(b, 16) + 4, 'a', 12);
        }
        pl_put_object_close(b, at, k ? PERF_NO_INSTANCES : 3);
        o.title_index++;
    }
    pl_put_block_close(b, block, 2, 900);
}

/* The dump of an exact copy; true if all of it added up. */
static bool dump(FILE *f, const struct pl_titles *titles, const void *p,
                 size_t n, bool json)
{
    uint8_t *copy = exact_copy(p, n);
    struct pl_dump_choice choice = { 0 };
    struct pl_misfit misfit;
    struct pl_dump_tree t;

    pl_dump_tree_start(&t, f, json);
    ck_assert_int_eq(pl_dump_block(&t, copy, n, titles, &choice, &misfit),
                     PL_OK);
    ck_assert_int_eq(pl_dump_tree_finish(&t), PL_OK);
    ck_assert_uint_le(misfit.at, n);
    free(copy);
    return !misfit.reason;
}

START_TEST(no_cut_and_no_changed_byte_makes_dump_read_outside)
{
    static const uint8_t masks[] = { 0x01, 0x80, 0xFF };
    struct pl_buf b = { 0 };
    struct pl_titles *titles;
    FILE *f = fopen("/dev/null", "w");
    struct pl_misfit m;

    ck_assert_int_eq(pl_titles_new(&titles), PL_OK);
    put_block(&b);
    ck_assert(dump(f, titles, b.p, b.len, false));
    for (size_t n = 0; n < b.len; n++)
        ck_assert(dump(f, titles, b.p, n, n & 1) == pl_block_check(b.p, n, &m));
    for (size_t at = 0; at < b.len; at++)
        for (size_t k = 0; k < sizeof masks; k++) {
            b.p[at] ^= masks[k];
            ck_assert(dump(f, titles, b.p, b.len, k & 1) ==
                      pl_block_check(b.p, b.len, &m));
            b.p[at] ^= masks[k];
        }
    fclose(f);
    pl_titles_free(titles);
    pl_buf_release(&b);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("tree"), *all[] = { t, NULL };

    tcase_add_loop_test(t, people_and_programs_see_the_same, 0, 2);
    tcase_add_loop_test(t, a_full_disk_is_reported, 0, 2);
    tcase_add_test(t, no_cut_and_no_changed_byte_makes_dump_read_outside);
    return run_suite("tree", all);
}
