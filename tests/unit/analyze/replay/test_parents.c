/* What parents of instances are called, and how equal names are told apart. */
#include "analyze/replay/instance_parents.h"

#include "tests/support/support.h"

#include <string.h>

static void put_object(struct pl_buf *out, uint32_t title,
                       const char *const names[])
{
    struct pl_object o = { .title_index = title };
    size_t object = pl_put_object(out, &o);
    int32_t n = 0;

    pl_put_definitions_close(out, object, 0);
    for (; names[n]; n++) {
        pl_put_instance_called(out, 0, 0, PERF_NO_UNIQUE_ID,
                               pl_text_of(names[n]));
        pl_put_counter_block(out, 8);
    }
    pl_put_object_close(out, object, n);
}

/* By falling titles, 30 twice. */
static void make(struct pl_buf *out)
{
    struct pl_block_stamp stamp = { .perf_freq = 1 };
    size_t block = pl_put_block(out, &stamp, NULL, 0);

    put_object(out, 50, (const char *[]){ "b", "a", "b", "c", "a", "b", NULL });
    put_object(out, 30, (const char *[]){ "first", "first", NULL });
    put_object(out, 30, (const char *[]){ "second", NULL });
    put_object(out, 10, (const char *[]){ "x", NULL });
    pl_put_block_close(out, block, 4, 0);
    ck_assert(!out->oom);
}

static const struct {
    uint32_t title, n;
    const char *name; /* "": there is none */
} wanted[] = {
    { 30, 0, "first" },   { 50, 0, "b" },   { 50, 1, "a" },   { 50, 2, "b#1" },
    { 50, 3, "c" },       { 50, 4, "a#1" }, { 50, 5, "b#2" }, { 50, 6, "" },
    { 30, 1, "first#1" }, { 30, 2, "" },    { 10, 0, "x" },   { 10, 1, "" },
    { 40, 0, "" },        { 60, 0, "" },    { 0, 0, "" },
};

START_TEST(names_and_numbers_of_equal_ones)
{
    struct pl_codepages pages = { 0 };
    struct pl_instance_parents p = { 0 };
    struct pl_buf bytes = { 0 }, name = { 0 };
    struct pl_block b;

    make(&bytes);
    for (int round = 0; round < 2; round++) { /* memory is kept */
        ck_assert_int_eq(pl_block_parse(&b, bytes.p, bytes.len), PL_OK);
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
            pl_buf_clear(&name);
            ck_assert_int_eq(pl_instance_parents_name(&p, &pages, &b,
                                                      wanted[i].title,
                                                      wanted[i].n, &name),
                             PL_OK);
            ck_assert_uint_eq(name.len, strlen(wanted[i].name));
            ck_assert_int_eq(memcmp(name.len ? name.p : (uint8_t *)"",
                                    wanted[i].name, name.len),
                             0);
        }
        pl_instance_parents_forget(&p);
    }
    pl_buf_release(&bytes);
    pl_buf_release(&name);
    pl_instance_parents_release(&p);
    pl_codepages_release(&pages);
}
END_TEST

START_TEST(of_objects_with_one_title_the_first_counts)
{
    static const uint32_t there[] = { 10, 30, 50 }, not_there[] = { 0, 40, 60 };
    const struct pl_object *o, *first = NULL;
    struct pl_instance_parents p = { 0 };
    struct pl_buf bytes = { 0 };
    struct pl_block b;

    make(&bytes);
    ck_assert_int_eq(pl_block_parse(&b, bytes.p, bytes.len), PL_OK);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(pl_instance_parents_object(&p, &b, there[i], &o),
                         PL_OK);
        ck_assert_uint_eq(o->title_index, there[i]);
        first = there[i] == 30 ? o : first;
        ck_assert_int_eq(pl_instance_parents_object(&p, &b, not_there[i], &o),
                         PL_OK);
        ck_assert_ptr_null(o);
    }
    ck_assert_int_eq(first->num_instances, 2);
    pl_buf_release(&bytes);
    pl_instance_parents_release(&p);
}
END_TEST

START_TEST(another_block_has_other_parents)
{
    struct pl_block_stamp stamp = { .perf_freq = 1 };
    struct pl_codepages pages = { 0 };
    struct pl_buf bytes = { 0 }, other = { 0 }, name = { 0 };
    struct pl_instance_parents p = { 0 };
    struct pl_block b;
    size_t block;

    make(&bytes);
    ck_assert_int_eq(pl_block_parse(&b, bytes.p, bytes.len), PL_OK);
    ck_assert_int_eq(pl_instance_parents_name(&p, &pages, &b, 10, 0, &name),
                     PL_OK);
    pl_instance_parents_forget(&p);
    block = pl_put_block(&other, &stamp, NULL, 0);
    put_object(&other, 10, (const char *[]){ "y", NULL });
    pl_put_block_close(&other, block, 1, 0);
    ck_assert_int_eq(pl_block_parse(&b, other.p, other.len), PL_OK);
    ck_assert_int_eq(pl_instance_parents_name(&p, &pages, &b, 10, 0, &name),
                     PL_OK);
    ck_assert_uint_eq(name.len, 2);
    ck_assert_int_eq(memcmp(name.p, "xy", 2), 0);
    ck_assert_int_eq(pl_instance_parents_name(&p, &pages, &b, 50, 0, &name),
                     PL_OK);
    ck_assert_uint_eq(name.len, 2);
    pl_buf_release(&bytes);
    pl_buf_release(&other);
    pl_buf_release(&name);
    pl_instance_parents_release(&p);
    pl_codepages_release(&pages);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("parents");

    tcase_add_test(t, names_and_numbers_of_equal_ones);
    tcase_add_test(t, of_objects_with_one_title_the_first_counts);
    tcase_add_test(t, another_block_has_other_parents);
    return run_suite("parents", (TCase *[]){ t, NULL });
}
