/* Blocks taken apart: what an instance is called hangs on this block alone. */
#include "analyze/replay/sample_view.h"

#include "format/base/cursor.h"
#include "tests/support/made_blocks.h"
#include "tests/support/support.h"

#include <stdio.h>

enum { AT_CODE_PAGE = 44, AT_FIRST_OBJECT = 96, AT_UTF8 = 65001 };

struct taken {
    struct pl_registry registry;
    struct pl_counter_path_list paths;
    struct pl_titles *titles;
    struct pl_sample_view samples;
};

static void begin(struct taken *t)
{
    *t = (struct taken){ 0 };
    ck_assert_int_eq(pl_titles_new(&t->titles), PL_OK);
    t->samples.registry = &t->registry;
    t->samples.choice.paths = &t->paths;
    t->samples.titles = t->titles;
    t->samples.host = pl_registry_host(&t->registry, pl_text_of("host"), 1);
    ck_assert_ptr_nonnull(t->samples.host);
}

static void end(struct taken *t)
{
    pl_sample_view_release(&t->samples);
    pl_titles_free(t->titles);
    pl_registry_release(&t->registry);
}

/* The name of the first instance of the first object. */
static const char *first_name(struct taken *t, const struct pl_buf *block)
{
    ck_assert_int_eq(pl_sample_view_read(&t->samples, block), PL_OK);
    ck_assert_uint_eq(t->samples.malformed, 0);
    return pl_sample_view_now(&t->samples)->instances[0].group->instance;
}

START_TEST(a_name_is_read_anew_when_its_code_page_changes)
{
    struct pl_buf wide = { 0 }, narrow = { 0 };
    struct taken t;

    begin(&t);
    made_block(&wide, 0);
    made_block(&narrow, 1);
    pl_put_le32(narrow.p + AT_FIRST_OBJECT + AT_CODE_PAGE, AT_UTF8);
    ck_assert_str_eq(first_name(&t, &wide), "twin");
    ck_assert_str_eq(first_name(&t, &narrow), "t"); /* 't', 0: it ends there */
    ck_assert_str_eq(first_name(&t, &wide), "twin");
    end(&t);
    pl_buf_release(&wide);
    pl_buf_release(&narrow);
}
END_TEST

/* The number of objects in the newer sample. */
static size_t num_objects(struct taken *t, const struct pl_buf *block)
{
    ck_assert_int_eq(pl_sample_view_read(&t->samples, block), PL_OK);
    return pl_sample_view_now(&t->samples)->num_objects;
}

START_TEST(a_sparse_object_is_read_in_few_samples)
{
    struct pl_buf blocks[2] = { { 0 }, { 0 } };
    char name[16];
    size_t all;
    struct taken t;

    begin(&t);
    for (unsigned i = 0; i < 2; i++) /* of one layout */
        made_block(&blocks[i], 2);
    all = num_objects(&t, &blocks[0]);
    snprintf(name, sizeof name, "%s",
             pl_sample_view_now(&t.samples)->objects[0].plan->names->name);
    ck_assert_uint_gt(all, 1);
    end(&t);
    begin(&t);
    t.samples.sparse = (struct pl_sparse_object){ name, 4 };
    for (size_t i = 0; i < 17; i++)
        ck_assert_uint_eq(num_objects(&t, &blocks[i % 2]), all - (i % 4 != 0));
    end(&t);
    for (size_t i = 0; i < 2; i++)
        pl_buf_release(&blocks[i]);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("sample");
    TCase *const tcases[] = { t, NULL };

    tcase_add_test(t, a_name_is_read_anew_when_its_code_page_changes);
    tcase_add_test(t, a_sparse_object_is_read_in_few_samples);
    return run_suite("sample", tcases);
}
