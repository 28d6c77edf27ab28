/* Blocks taken apart: what an instance is called hangs on this block alone. */
#include "analyze/replay/sample_view.h"

#include "format/base/cursor.h"
#include "tests/support/made_blocks.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <string.h>

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

START_TEST(a_name_is_read_again_when_its_code_page_changes)
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

/* ---- as the sample before, or by itself --------------------------------------- */

enum { MOST = 40, SAMPLES = 1500, CROWD = 900, CHILDREN = 902 };
enum { NAME_LEN_AT = 20 };

/* Instances that come, go and bear equal names, some like numbered ones. */
struct crowd {
    const char *names[MOST];
    size_t num;
    uint64_t random;
    bool bare;    /* their names have no terminator */
    bool orphans; /* the other object's have the same names, and no parents */
    bool none;    /* their objects have no instances, but one set of counters */
};

static size_t below(struct crowd *c, size_t n)
{
    c->random ^= c->random << 13;
    c->random ^= c->random >> 7;
    c->random ^= c->random << 17;
    return (size_t)((c->random >> 11) % n);
}

static void change(struct crowd *c)
{
    static const char *const all[] = { "a",   "a",     "a",       "a", "b",
                                       "a#1", "a#1#1", "a#2#1",   "",  "_Total",
                                       "b#2", "a#12",  "\xC3\xA9" };
    size_t at;

    if (c->num < MOST && !below(c, 3)) {
        at = below(c, c->num + 1);
        memmove(&c->names[at + 1], &c->names[at],
                (c->num - at) * sizeof *c->names);
        c->names[at] = all[below(c, sizeof all / sizeof *all)];
        c->num++;
    }
    if (c->num && !below(c, 3)) {
        at = below(c, c->num--);
        memmove(&c->names[at], &c->names[at + 1],
                (c->num - at) * sizeof *c->names);
    }
}

static void put_object(struct pl_buf *b, const struct crowd *c, uint32_t title,
                       uint32_t parent)
{
    size_t at = pl_put_object(b, &(struct pl_object){ .title_index = title });

    pl_put_counter(b, &(struct pl_counter_def){ .title_index = title + 1000,
                                                .type = PERF_COUNTER_RAWCOUNT,
                                                .size = 4,
                                                .offset = 4 });
    pl_put_definitions_close(b, at, 1);
    if (c->none) {
        ck_assert_ptr_nonnull(pl_put_counter_block(b, 8));
        pl_put_object_close(b, at, PERF_NO_INSTANCES);
        return;
    }
    for (size_t i = 0; i < c->num; i++) {
        const char *name = parent ? "a" : c->names[i];
        const size_t start = b->len;

        pl_put_instance_called(b, parent, parent ? (uint32_t)i : 0,
                               PERF_NO_UNIQUE_ID, pl_text_of(name));
        if (c->bare && *name)
            pl_put_le32(b->p + start + NAME_LEN_AT,
                        pl_get_le32(b->p + start + NAME_LEN_AT) - 2);
        ck_assert_ptr_nonnull(pl_put_counter_block(b, 8));
    }
    pl_put_object_close(b, at, (int32_t)c->num);
}

static void put_crowd(struct pl_buf *b, const struct crowd *c)
{
    size_t at;

    pl_buf_clear(b);
    at = pl_put_block(b, &(struct pl_block_stamp){ .perf_freq = 1 }, NULL, 0);
    put_object(b, c, CROWD, 0);
    put_object(b, c, CHILDREN, c->orphans ? 0 : CROWD);
    pl_put_block_close(b, at, 2, -1);
    ck_assert(!b->oom);
}

/* What is known of the sample read last. */
static void tell(struct taken *t, const struct pl_buf *block,
                 struct pl_buf *out)
{
    const struct pl_sample *now;

    pl_buf_clear(out);
    ck_assert_int_eq(pl_sample_view_read(&t->samples, block), PL_OK);
    now = pl_sample_view_now(&t->samples);
    ck_assert_uint_eq(t->samples.malformed, 0);
    for (size_t k = 0; k < now->num_objects; k++) {
        const struct pl_sampled_object *o = &now->objects[k];

        pl_buf_u8(out, o->has_own_total);
        for (size_t i = o->first; i < o->first + o->num; i++) {
            const struct pl_sampled_instance *one = &now->instances[i];

            ck_assert_uint_eq(one->group->place.row, now->row);
            ck_assert_uint_eq(one->group->place.index, i);
            ck_assert(one->view.block > block->p);
            if (one->group->instance)
                pl_buf_bytes(out, one->group->instance,
                             strlen(one->group->instance) + 1);
            pl_buf_u32(out, (uint32_t)(one->view.block - block->p));
        }
    }
}

static void name_objects(struct taken *t, const char *crowd,
                         const char *children)
{
    pl_titles_set(t->titles, CROWD, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH,
                  pl_text_of(crowd));
    pl_titles_set(t->titles, CHILDREN, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH,
                  pl_text_of(children));
}

/*
 * Samples that follow one another, and each of them alone.  Objects called 'sparse'
 * are read in every second, and their groups are dropped in between.
 */
static void compare_samples(const char *sparse, const char *children,
                            bool orphans)
{
    const struct pl_sparse_object some = { sparse, sparse ? 2 : 0 };
    struct crowd c = { .random = 0x9E3779B97F4A7C15u, .orphans = orphans };
    struct pl_buf blocks[3] = { { 0 }, { 0 }, { 0 } };
    struct pl_buf seen = { 0 }, alone = { 0 };
    struct taken t, first;

    begin(&t);
    name_objects(&t, "Crowd", children);
    t.samples.sparse = some;
    t.samples.forget = sparse != NULL;
    for (unsigned i = 0; i < SAMPLES; i++) {
        struct pl_buf *b = &blocks[i % 3];

        change(&c);
        c.bare = i >= SAMPLES / 2;
        c.none = c.orphans && i % 16 == 8;
        put_crowd(b, &c);
        tell(&t, b, &seen);
        if (sparse && i % 2)
            continue;
        begin(&first);
        name_objects(&first, "Crowd", children);
        tell(&first, b, &alone);
        end(&first);
        ck_assert_uint_eq(seen.len, alone.len);
        ck_assert_msg(!memcmp(seen.p, alone.p, seen.len), "sample %u", i);
    }
    end(&t);
    for (size_t i = 0; i < 3; i++)
        pl_buf_release(&blocks[i]);
    pl_buf_release(&seen);
    pl_buf_release(&alone);
}

START_TEST(instances_are_called_as_in_a_sample_that_is_the_first)
{
    compare_samples(NULL, "Children", false);
}
END_TEST

START_TEST(instances_of_a_sparse_object_are_called_the_same)
{
    compare_samples("Crowd", "Children", false);
    compare_samples("Children", "Children", false);
    compare_samples("Crowd", "Crowd", false);
    compare_samples("Crowd", "Crowd", true);
}
END_TEST

/* They would be made again, with all that was chosen of them, each time. */
START_TEST(groups_of_a_sparse_object_last_until_it_is_read_again)
{
    struct crowd c = { .names = { "a", "b", "a" }, .num = 3 };
    struct pl_group *groups[3];
    struct pl_buf blocks[3] = { { 0 }, { 0 }, { 0 } };
    struct taken t;

    begin(&t);
    name_objects(&t, "Crowd", "Children");
    t.samples.sparse = (struct pl_sparse_object){ "Crowd", 4 };
    t.samples.forget = true;
    for (unsigned i = 0; i < 9; i++) {
        struct pl_buf *b = &blocks[i % 3];
        const struct pl_sample *now;

        put_crowd(b, &c);
        ck_assert_int_eq(pl_sample_view_read(&t.samples, b), PL_OK);
        now = pl_sample_view_now(&t.samples);
        for (size_t k = 0; k < c.num && i % 4 == 0; k++) {
            struct pl_group *g = now->instances[k].group;

            ck_assert(!i || g == groups[k]);
            groups[k] = g;
        }
    }
    c.num = 1; /* those of the others are dropped with the samples */
    for (unsigned i = 0; i < 6; i++) {
        put_crowd(&blocks[i % 3], &c);
        ck_assert_int_eq(pl_sample_view_read(&t.samples, &blocks[i % 3]),
                         PL_OK);
    }
    ck_assert_uint_eq(t.registry.num_groups, 2); /* a, and the child */
    end(&t);
    for (size_t i = 0; i < 3; i++)
        pl_buf_release(&blocks[i]);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("sample");
    TCase *const tcases[] = { t, NULL };

    tcase_add_test(t, a_name_is_read_again_when_its_code_page_changes);
    tcase_add_test(t, a_sparse_object_is_read_in_few_samples);
    tcase_add_test(t, instances_are_called_as_in_a_sample_that_is_the_first);
    tcase_add_test(t, instances_of_a_sparse_object_are_called_the_same);
    tcase_add_test(t, groups_of_a_sparse_object_last_until_it_is_read_again);
    return run_suite("sample", tcases);
}
