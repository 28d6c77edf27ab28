/*
 * Published counters in the block: values, titles, parents, identities, and
 * what is chosen.
 */
#include "format/base/utf.h"
#include "format/block/winperf.h"
#include "logger/linux/published/published.h"
#include "tests/support/allocations.h"
#include "tests/support/publishing.h"
#include "tests/support/sample.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct sample sample;

static void open_with(const char *path)
{
    const char *const paths[] = { path, NULL };
    const char *why = NULL;

    publishing_dir();
    ck_assert_msg(sample_open(&sample, NULL, paths, &why) == PL_OK, "%s", why);
}

/* Nothing of the machine: what is published, and the states of regions. */
#define PUBLISHED "\\Test *(*)\\*"

static const char *label_of(const char *program)
{
    static char label[64];

    snprintf(label, sizeof label, "%s:%d", program, (int)getpid());
    return label;
}

/* "program:pid/instance"; sample.c knows names without parents only. */
static bool is_child_of(const char *object, const char *name,
                        const char *parent_object, const char *parent)
{
    struct pl_object o, up;
    struct pl_instance i, above;
    struct pl_buf utf8 = { 0 };
    bool good = false;

    ck_assert(sample_object(&sample, object, &o));
    ck_assert(sample_object(&sample, parent_object, &up));
    while (!good && !pl_instance_next(&o, &i)) {
        pl_buf_clear(&utf8);
        pl_utf16_to_utf8(&utf8, i.name, i.name_len, false);
        if (utf8.len != strlen(name) || memcmp(utf8.p, name, utf8.len) != 0)
            continue;
        ck_assert_uint_eq(i.parent_object, up.title_index);
        for (uint32_t n = 0; n <= i.parent_instance; n++)
            ck_assert_int_eq(pl_instance_next(&up, &above), PL_OK);
        pl_buf_clear(&utf8);
        pl_utf16_to_utf8(&utf8, above.name, above.name_len, false);
        good = utf8.len == strlen(parent) && !memcmp(utf8.p, parent, utf8.len);
        break;
    }
    pl_buf_release(&utf8);
    return good;
}

START_TEST(values_titles_and_definitions_are_as_declared)
{
    struct pl_prov *p = publish("declared");
    struct pl_prov_set engine = pl_prov_single(p, ENGINE), valve;
    uint64_t began = pl_prov_clock() - 50000000, base = 0; /* 5 s ago */
    const struct pl_titles *titles;
    struct pl_counter_def d;
    struct pl_object o;
    uint32_t generation;

    pl_add(pl_prov_word_of(engine, TURNS), 0x123456789A);
    pl_avg(engine, pl_prov_word_of(engine, LOAD),
           pl_prov_word_of(engine, LOAD_BASE), 30);
    pl_set(pl_prov_word_of(engine, SINCE), began);
    valve = pl_prov_add(p, VALVE, "l\xC3\xA4ngs", -1, NULL);
    pl_add(pl_prov_word_of(valve, OPENED), 0x123456789A);
    pl_set(pl_prov_word_of(valve, PRESSURE), 0x123456789A);
    open_with(PUBLISHED);
    sample_take(&sample);

    ck_assert_uint_eq(value_of(&sample, "Test Engine", NULL, "Turns"),
                      0x123456789A);
    ck_assert_uint_eq(value_of(&sample, "Test Engine", NULL, "Turns/sec"),
                      0x123456789A);
    ck_assert_uint_eq(value_of(&sample, "Test Engine", NULL, "Avg. Load"), 30);
    ck_assert(
        sample_value(&sample, "Test Engine", NULL, "Avg. Load", true, &base));
    ck_assert_uint_eq(base, 1);
    ck_assert(sample_object(&sample, "Test Engine", &o));
    ck_assert_int_eq(o.perf_freq, 10000000);
    base = (uint64_t)o.perf_time -
           value_of(&sample, "Test Engine", NULL, "Elapsed Time");
    ck_assert_uint_ge(base, 50000000);
    ck_assert_uint_lt(base, 600000000);
    /* Of types without LARGE, too, no count wraps and no gauge stops. */
    ck_assert_uint_eq(
        value_of(&sample, "Test Valve", "l\xC3\xA4ngs", "Opened/sec"),
        0x123456789A);
    ck_assert_uint_eq(
        value_of(&sample, "Test Valve", "l\xC3\xA4ngs", "Pressure"),
        0x123456789A);
    ck_assert(sample_counter(&sample, "Test Valve", "Opened/sec", false, &d));
    ck_assert_uint_eq(d.type, PERF_COUNTER_COUNTER);
    ck_assert_uint_eq(d.size, 8);

    ck_assert_uint_ge(o.title_index, PL_PUBLISHED_TITLES);
    ck_assert_uint_eq(o.detail_level, PL_PROV_NOVICE);
    ck_assert_int_eq(o.num_instances, PERF_NO_INSTANCES);
    ck_assert_int_eq(o.default_counter, 1);
    titles = pl_sampler_titles(sample.sampler, &generation);
    ck_assert(pl_text_equal(pl_titles_help(titles, o.help_index),
                            pl_text_of("An engine.")));
    ck_assert(sample_counter(&sample, "Test Engine", "Turns/sec", false, &d));
    ck_assert_uint_eq(d.type, PERF_COUNTER_BULK_COUNT);
    ck_assert_int_eq(d.scale, -3);
    ck_assert_uint_eq(d.detail_level, PL_PROV_ADVANCED);
    ck_assert_uint_eq(d.title_index % 2, 0);
    ck_assert(pl_text_equal(pl_titles_help(titles, d.help_index),
                            pl_text_of("Turns a second.")));
    ck_assert_uint_eq(
        value_of(&sample, "Perflog Provider", label_of("declared"), "State"),
        0);
    ck_assert_uint_eq(value_of(&sample, "Perflog Provider",
                               label_of("declared"), "ID Process"),
                      (uint64_t)getpid());
    sample_close(&sample);
    pl_prov_close(p);
}
END_TEST

START_TEST(instances_hang_on_their_process_or_on_their_parent)
{
    struct pl_prov *p = publish("one"), *q = publish("two");
    struct pl_prov_set v[3];

    for (int i = 0; i < 3; i++) {
        char name[16];

        snprintf(name, sizeof name, "v%d", i);
        v[i] = pl_prov_add(p, VALVE, name, -1, NULL);
    }
    pl_prov_add(q, VALVE, "w", -1, NULL);
    pl_prov_add(p, PIPE, "of v2", -1, &v[2]);
    pl_prov_add(p, PIPE, "alone", -1, NULL);
    pl_prov_remove(&v[0]); /* position 0 is not slot 0 any more */
    open_with(PUBLISHED);
    sample_take(&sample);
    ck_assert(
        is_child_of("Test Valve", "v1", "Perflog Provider", label_of("one")));
    ck_assert(
        is_child_of("Test Valve", "w", "Perflog Provider", label_of("two")));
    ck_assert(is_child_of("Test Pipe", "of v2", "Test Valve", "v2"));
    ck_assert(
        is_child_of("Test Pipe", "alone", "Perflog Provider", label_of("one")));
    ck_assert(!has_instance(&sample, "Test Valve", "v0"));
    pl_prov_remove(&v[2]); /* whose pipe is not to be placed any more */
    sample_take(&sample);
    ck_assert(!has_instance(&sample, "Test Pipe", "of v2"));
    ck_assert(has_instance(&sample, "Test Pipe", "alone"));
    for (int i = 0; i < 3; i++) /* one of them in the slot of v2 */
        pl_prov_add(p, VALVE, "new", -1, NULL);
    sample_take(&sample);
    ck_assert(!has_instance(&sample, "Test Pipe", "of v2"));
    sample_close(&sample);
    pl_prov_close(p);
    pl_prov_close(q);
}
END_TEST

START_TEST(who_comes_below_a_busy_parent_waits_for_it)
{
    struct pl_prov_object table[] = { publishing_table[VALVE - 1],
                                      publishing_table[PIPE - 1] };
    struct pl_prov_set a, b;
    struct pl_prov *p;

    table[0].counters = publishing_table[ENGINE - 1].counters; /* an average */
    table[0].num_counters = publishing_table[ENGINE - 1].num_counters;
    publishing_dir();
    ck_assert_int_eq(pl_prov_open(&p, "waits", table, 2, NULL), 0);
    a = pl_prov_add(p, VALVE, "a", -1, NULL);
    b = pl_prov_add(p, VALVE, "b", -1, NULL);
    pl_prov_add(p, PIPE, "of a", -1, &a);
    pl_prov_add(p, PIPE, "of b", -1, &b);
    pl_begin(b);
    open_with(PUBLISHED);
    sample_take(&sample);
    ck_assert(is_child_of("Test Pipe", "of a", "Test Valve", "a"));
    ck_assert(!has_instance(&sample, "Test Pipe", "of b"));
    pl_end(b);
    sample_take(&sample);
    ck_assert(is_child_of("Test Pipe", "of b", "Test Valve", "b"));
    sample_close(&sample);
    pl_prov_close(p);
}
END_TEST

/* As if no instance of the parent's object were chosen. */
START_TEST(instances_whose_parent_is_not_chosen_hang_on_their_process)
{
    const char *const paths[] = { "\\Test Valve(*a)\\*", "\\Test Pipe(*)\\*",
                                  NULL };
    struct pl_prov *p = publish("chosen");
    struct pl_prov_set a = pl_prov_add(p, VALVE, "a", -1, NULL);
    struct pl_prov_set b = pl_prov_add(p, VALVE, "b", -1, NULL);
    const char *why = NULL;

    pl_prov_add(p, PIPE, "of a", -1, &a);
    pl_prov_add(p, PIPE, "of b", -1, &b);
    ck_assert_msg(sample_open(&sample, NULL, paths, &why) == PL_OK, "%s", why);
    for (int i = 0; i < 2; i++) {
        sample_take(&sample);
        ck_assert(!has_instance(&sample, "Test Valve", "b"));
        ck_assert(is_child_of("Test Pipe", "of a", "Test Valve", "a"));
        ck_assert(is_child_of("Test Pipe", "of b", "Perflog Provider",
                              label_of("chosen")));
    }
    sample_close(&sample);
    pl_prov_close(p);
}
END_TEST

START_TEST(identities_change_with_the_occupant)
{
    struct pl_prov *p = publish("identity");
    struct pl_prov_set engine = pl_prov_single(p, ENGINE);
    struct pl_prov_set valve = pl_prov_add(p, VALVE, "v", -1, NULL);
    uint64_t id, valve_id;

    open_with(PUBLISHED);
    sample_take(&sample);
    id = value_of(&sample, "Test Engine", NULL, "Identity");
    valve_id = value_of(&sample, "Test Valve", "v", "Identity");
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, "Test Engine", NULL, "Identity"), id);
    pl_prov_renew(&engine);
    pl_prov_remove(&valve);
    pl_prov_add(p, VALVE, "v", -1, NULL);
    sample_take(&sample);
    ck_assert_uint_ne(value_of(&sample, "Test Engine", NULL, "Identity"), id);
    ck_assert_uint_ne(value_of(&sample, "Test Valve", "v", "Identity"),
                      valve_id);
    sample_close(&sample);
    pl_prov_close(p);
}
END_TEST

START_TEST(of_several_processes_the_oldest_is_shown_until_it_ends)
{
    struct pl_prov *p = publish("old"), *q;

    usleep(2000); /* a later moment for sure */
    q = publish("young");
    pl_add(pl_prov_word_of(pl_prov_single(p, ENGINE), TURNS), 1);
    pl_add(pl_prov_word_of(pl_prov_single(q, ENGINE), TURNS), 2);
    open_with(PUBLISHED);
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, "Test Engine", NULL, "Turns"), 1);
    ck_assert_uint_eq(
        value_of(&sample, "Perflog Provider", label_of("young"), "State"), 4);
    pl_prov_close(p);
    sample_take(&sample); /* the last values of the old one */
    ck_assert_uint_eq(value_of(&sample, "Test Engine", NULL, "Turns"), 1);
    ck_assert_uint_eq(
        value_of(&sample, "Perflog Provider", label_of("old"), "State"), 1);
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, "Test Engine", NULL, "Turns"), 2);
    ck_assert_uint_eq(
        value_of(&sample, "Perflog Provider", label_of("young"), "State"), 0);
    sample_close(&sample);
    pl_prov_close(q);
}
END_TEST

START_TEST(objects_may_have_an_instance_for_each_process)
{
    struct pl_prov_object table = publishing_table[0];
    struct pl_prov *p, *q;

    table.flags = PL_PROV_PER_PROCESS;
    publishing_dir();
    ck_assert_int_eq(pl_prov_open(&p, "a", &table, 1, NULL), 0);
    ck_assert_int_eq(pl_prov_open(&q, "b", &table, 1, NULL), 0);
    pl_add(pl_prov_word_of(pl_prov_single(p, ENGINE), TURNS), 1);
    pl_add(pl_prov_word_of(pl_prov_single(q, ENGINE), TURNS), 2);
    open_with(PUBLISHED);
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, "Test Engine", label_of("a"), "Turns"),
                      1);
    ck_assert_uint_eq(value_of(&sample, "Test Engine", label_of("b"), "Turns"),
                      2);
    sample_close(&sample);
    pl_prov_close(p);
    pl_prov_close(q);
}
END_TEST

START_TEST(paths_choose_counters_and_instances)
{
    struct pl_prov *p = publish("chosen");

    pl_prov_add(p, VALVE, "left", -1, NULL);
    pl_prov_add(p, VALVE, "right", -1, NULL);
    open_with("\\Test Valve(*/l*)\\Pressure");
    sample_take(&sample);
    ck_assert(has_instance(&sample, "Test Valve", "left"));
    ck_assert(!has_instance(&sample, "Test Valve", "right"));
    ck_assert(has_counter(&sample, "Test Valve", "Pressure"));
    ck_assert(!has_counter(&sample, "Test Valve", "Opened/sec"));
    ck_assert_uint_eq(sample_index(&sample, "Test Engine"), 0);
    sample_close(&sample);

    open_with("\\Test Engine\\Avg. Load"); /* and its base */
    sample_take(&sample);
    ck_assert(has_counter(&sample, "Test Engine", "Avg. Load"));
    ck_assert(!has_counter(&sample, "Test Engine", "Turns"));
    sample_close(&sample);
    pl_prov_close(p);
}
END_TEST

START_TEST(a_path_that_nobody_publishes_is_reported)
{
    static const char *const paths[] = { "\\Test Engine\\No Such", NULL };
    const char *why = NULL;
    struct pl_prov *p = publish("path");

    ck_assert_int_eq(sample_open(&sample, NULL, paths, &why), PL_USAGE);
    ck_assert_str_eq(why, paths[0]);
    sample_close(&sample);
    pl_prov_close(p);
}
END_TEST

START_TEST(who_publishes_later_is_seen_with_titles_of_its_own)
{
    struct pl_prov *p, *q;
    const struct pl_titles *titles;
    uint32_t generation, later, index;

    open_with("+System");
    sample_take(&sample);
    ck_assert_uint_eq(sample_index(&sample, "Perflog Provider"), 0);
    pl_sampler_titles(sample.sampler, &generation);
    p = publish("later");
    sample_take(&sample);
    titles = pl_sampler_titles(sample.sampler, &later);
    ck_assert_uint_ne(later, generation);
    index = sample_index(&sample, "Test Engine");
    ck_assert_uint_eq(index, PL_PUBLISHED_TITLES);
    ck_assert(pl_text_equal(pl_titles_name(titles, PL_PROVIDER_OBJECT),
                            pl_text_of("Perflog Provider")));
    pl_prov_close(p);
    sample_take(&sample);
    sample_take(&sample);
    ck_assert_uint_eq(sample_index(&sample, "Test Engine"), 0);
    q = publish("again"); /* the same table, so the same numbers */
    sample_take(&sample);
    ck_assert_uint_eq(sample_index(&sample, "Test Engine"), index);
    sample_close(&sample);
    pl_prov_close(q);
}
END_TEST

START_TEST(sets_in_a_group_that_does_not_end_are_left_out_if_they_have_ratios)
{
    struct pl_prov *p = publish("stuck");
    struct pl_prov_set valve = pl_prov_add(p, VALVE, "v", -1, NULL);

    pl_begin(pl_prov_single(p, ENGINE));
    pl_begin(valve);
    pl_set(pl_prov_word_of(valve, PRESSURE), 9);
    open_with(PUBLISHED);
    sample_take(&sample);
    ck_assert_uint_eq(sample_index(&sample, "Test Engine"), 0);
    ck_assert_uint_eq(value_of(&sample, "Test Valve", "v", "Pressure"), 9);
    ck_assert_uint_eq(
        value_of(&sample, "Perflog Provider", label_of("stuck"), "State"), 3);
    ck_assert_uint_eq(
        value_of(&sample, "Perflog Provider", label_of("stuck"), "Busy Sets"),
        2);
    sample_close(&sample);
    pl_prov_close(p);
}
END_TEST

/* Published objects without instances in the sample. */
static unsigned num_single_objects(void)
{
    struct pl_block b;
    struct pl_object o;
    unsigned num = 0;

    ck_assert_int_eq(pl_block_parse(&b, sample.block.p, sample.block.len),
                     PL_OK);
    while (!pl_object_next(&b, &o))
        num += o.title_index >= PL_PUBLISHED_TITLES && o.num_instances < 0;
    return num;
}

START_TEST(two_tables_with_one_name_do_not_share_a_column)
{
    struct pl_prov_object other = publishing_table[0];
    struct pl_prov *p = publish("version1"), *q;

    other.help = "An engine of another make.";
    ck_assert_int_eq(pl_prov_open(&q, "version2", &other, 1, NULL), 0);
    open_with(PUBLISHED);
    sample_take(&sample);
    ck_assert_uint_eq(num_single_objects(), 1);
    sample_close(&sample);
    pl_prov_close(p);
    pl_prov_close(q);
}
END_TEST

/* The older table's set lies where the newer one's region has none. */
START_TEST(a_busy_table_leaves_its_name_to_another_with_values_of_its_own)
{
    const struct pl_prov_object tables[] = { publishing_table[VALVE - 1],
                                             publishing_table[ENGINE - 1] };
    struct pl_prov *p, *q;

    publishing_dir();
    ck_assert_int_eq(pl_prov_open(&p, "version1", tables, 2, NULL), 0);
    open_with(PUBLISHED);
    ck_assert_int_eq(pl_prov_open(&q, "version2", publishing_table, 1, NULL),
                     0);
    pl_begin(pl_prov_single(p, ENGINE));
    pl_add(pl_prov_word_of(pl_prov_single(q, ENGINE), TURNS), 2);
    sample_take(&sample);
    ck_assert_uint_eq(num_single_objects(), 1);
    ck_assert_uint_eq(value_of(&sample, "Test Engine", NULL, "Turns"), 2);
    pl_end(pl_prov_single(p, ENGINE));
    sample_take(&sample);
    ck_assert_uint_eq(
        value_of(&sample, "Perflog Provider", label_of("version2"), "State"),
        4);
    sample_close(&sample);
    pl_prov_close(p);
    pl_prov_close(q);
}
END_TEST

/* Bytes of an instance's counter block that belong to no counter. */
static size_t check_gaps(const struct pl_object *o, const struct pl_instance *i)
{
    struct pl_object walk = *o;
    struct pl_counter_def d;
    uint8_t owned[256] = { 1, 1, 1, 1 }; /* its length */
    size_t gaps = 0;

    ck_assert_uint_le(i->block_len, sizeof owned);
    walk.counters = pl_cur_of(o->definitions, o->definitions_len);
    walk.counters_seen = 0;
    while (!pl_counter_next(&walk, &d))
        memset(owned + d.offset, 1, d.size);
    for (size_t at = 0; at < i->block_len; at++) {
        gaps += !owned[at];
        ck_assert(owned[at] || !i->block[at]);
    }
    return gaps;
}

/* What a buffer held before is none of a log's business. */
START_TEST(between_values_there_are_zeros)
{
    static const char *const chosen[] = { "\\Test *(*)\\*",
                                          "\\Test *(*)\\Pressure" };
    struct pl_prov *p = publish("gaps");
    struct pl_object o;
    struct pl_instance i;

    pl_set(pl_prov_word_of(pl_prov_add(p, VALVE, "v", -1, NULL), PRESSURE), 1);
    for (size_t k = 0; k < sizeof chosen / sizeof *chosen; k++) {
        size_t gaps = 0, blocks = 0;
        struct pl_block walk;

        open_with(chosen[k]);
        sample_take(&sample);
        memset(sample.block.p, 0xA5, sample.block.cap);
        sample_take(&sample);
        ck_assert_int_eq(
            pl_block_parse(&walk, sample.block.p, sample.block.len), PL_OK);
        while (!pl_object_next(&walk, &o)) {
            struct pl_object all = o;

            if (o.title_index < PL_PUBLISHED_TITLES)
                continue;
            while (!pl_instance_next(&all, &i)) {
                gaps += check_gaps(&o, &i);
                blocks++;
            }
        }
        ck_assert_uint_gt(blocks, 0);
        ck_assert(k || gaps > 0);
        sample_close(&sample);
    }
    pl_prov_close(p);
}
END_TEST

START_TEST(a_settled_sample_allocates_nothing)
{
    struct pl_prov *p = publish("settled");
    struct pl_prov_set v = pl_prov_add(p, VALVE, "v", -1, NULL);
    size_t least = SIZE_MAX;

    open_with(PUBLISHED);
    for (int i = 0; i < 20; i++) {
        enum pl_status s;
        size_t n;

        pl_add(pl_prov_word_of(v, OPENED), 1);
        pl_sampler_clocks(&sample.tick);
        allocations = 0;
        s = pl_sampler_read(sample.sampler, &sample.tick, &sample.stats,
                            &sample.block);
        n = allocations;
        ck_assert_int_eq(s, PL_OK);
        least = n < least ? n : least;
    }
    ck_assert_uint_eq(least, 0);
    sample_close(&sample);
    pl_prov_close(p);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("published");
    TCase *const tcases[] = { t, NULL };

    tcase_add_test(t, values_titles_and_definitions_are_as_declared);
    tcase_add_test(t, instances_hang_on_their_process_or_on_their_parent);
    tcase_add_test(t, who_comes_below_a_busy_parent_waits_for_it);
    tcase_add_test(t,
                   instances_whose_parent_is_not_chosen_hang_on_their_process);
    tcase_add_test(t, identities_change_with_the_occupant);
    tcase_add_test(t, of_several_processes_the_oldest_is_shown_until_it_ends);
    tcase_add_test(t, objects_may_have_an_instance_for_each_process);
    tcase_add_test(t, paths_choose_counters_and_instances);
    tcase_add_test(t, a_path_that_nobody_publishes_is_reported);
    tcase_add_test(t, who_publishes_later_is_seen_with_titles_of_its_own);
    tcase_add_test(
        t, sets_in_a_group_that_does_not_end_are_left_out_if_they_have_ratios);
    tcase_add_test(t, two_tables_with_one_name_do_not_share_a_column);
    tcase_add_test(
        t, a_busy_table_leaves_its_name_to_another_with_values_of_its_own);
    tcase_add_test(t, between_values_there_are_zeros);
    tcase_add_test(t, a_settled_sample_allocates_nothing);
    return run_suite("linux_published", tcases);
}
