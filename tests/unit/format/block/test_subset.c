/* Blocks with parts left out, in both byte orders and revisions. */
#include "format/block/block_subset.h"
#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>

enum { NUM_COUNTERS = 4, NUM_INSTANCES = 3, SIZEOF_BLOCK = 96, SINGLE = 9 };

/* How a block is made. */
static bool big, old_revision;

static void put32(struct pl_buf *b, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        pl_buf_u8(b, (uint8_t)(v >> (big ? 24 - 8 * i : 8 * i)));
}

static void put64(struct pl_buf *b, uint64_t v)
{
    put32(b, (uint32_t)(big ? v >> 32 : v));
    put32(b, (uint32_t)(big ? v : v >> 32));
}

static const struct {
    uint32_t title, size, offset;
} defs[NUM_COUNTERS] = {
    { 100, 4, 4 }, { 102, 8, 16 }, { 104, 4, 8 }, { 106, 8, 24 }
};

static uint64_t value_of(uint32_t instance, size_t counter)
{
    return defs[counter].size == 8 ? UINT64_C(0x1122334455660000) + instance
                                   : 0xABC00000u + 256 * counter + instance;
}

static void put_header(struct pl_buf *b, uint32_t total, uint32_t title,
                       uint32_t instances)
{
    uint32_t header = old_revision ? PL_SIZEOF_OBJECT_REV0 : PL_SIZEOF_OBJECT;

    put32(b, total);
    put32(b, header + NUM_COUNTERS * PL_SIZEOF_COUNTER);
    put32(b, header);
    put32(b, title);
    put32(b, 0);
    put32(b, title + 1);
    put32(b, 0);
    put32(b, 100);
    put32(b, NUM_COUNTERS);
    put32(b, 2); /* default counter */
    put32(b, instances);
    put32(b, 0);
    if (!old_revision) {
        put64(b, 7);
        put64(b, 8);
    }
    for (size_t i = 0; i < NUM_COUNTERS; i++) {
        put32(b, PL_SIZEOF_COUNTER);
        put32(b, defs[i].title);
        put32(b, 0);
        put32(b, defs[i].title + 1);
        put32(b, 0);
        put32(b, 0);
        put32(b, 100);
        put32(b, PERF_COUNTER_RAWCOUNT);
        put32(b, defs[i].size);
        put32(b, defs[i].offset);
    }
}

/* The block of the object without instances is too short for its last counter. */
static void put_values(struct pl_buf *b, uint32_t instance)
{
    put32(b, instance == SINGLE ? 24 : 32);
    put32(b, (uint32_t)value_of(instance, 0));
    put32(b, (uint32_t)value_of(instance, 2));
    put32(b, 0xEEEEEEEE); /* no counter's */
    put64(b, value_of(instance, 1));
    if (instance != SINGLE)
        put64(b, value_of(instance, 3));
}

static void make_block(struct pl_buf *b)
{
    uint32_t head = (old_revision ? PL_SIZEOF_OBJECT_REV0 : PL_SIZEOF_OBJECT) +
                    NUM_COUNTERS * PL_SIZEOF_COUNTER;
    uint32_t many = head + NUM_INSTANCES * 64, single = head + 24;

    for (const char *p = "PERF"; *p; p++) {
        pl_buf_u8(b, big ? 0 : (uint8_t)*p);
        pl_buf_u8(b, big ? (uint8_t)*p : 0);
    }
    put32(b, !big);
    put32(b, 1);
    put32(b, !old_revision);
    put32(b, SIZEOF_BLOCK + many + single);
    put32(b, SIZEOF_BLOCK);
    put32(b, 2);
    pl_buf_zeros(b, SIZEOF_BLOCK - 32);
    put_header(b, many, 10, NUM_INSTANCES);
    for (uint32_t i = 0; i < NUM_INSTANCES; i++) {
        put32(b, 32);
        put32(b, 0);
        put32(b, 0);
        put32(b, UINT32_MAX);
        put32(b, 24);
        put32(b, 4);
        pl_buf_u8(b, big ? 0 : (uint8_t)('a' + i));
        pl_buf_u8(b, big ? (uint8_t)('a' + i) : 0);
        pl_buf_zeros(b, 6);
        put_values(b, i);
    }
    put_header(b, single, 20, old_revision ? 0 : UINT32_MAX);
    put_values(b, SINGLE);
}

static void set_variant(int i)
{
    big = i & 1;
    old_revision = i & 2;
}

/* Take 'in' apart and leave of each object what the arrays say. */
static enum pl_status subset(const struct pl_buf *in, const bool *counters,
                             const bool *instances, struct pl_buf *out)
{
    struct pl_block block, walk;
    struct pl_object o;
    uint32_t num = 0;
    enum pl_status s = pl_block_parse(&block, in->p, in->len);

    if (s)
        return s;
    walk = block;
    pl_block_subset_begin(out, &block);
    while (!s && !pl_object_next(&walk, &o)) {
        s = pl_block_subset_object(out, &block, &o, counters,
                                   o.num_instances > 0 ? instances : NULL);
        num += !s;
    }
    pl_block_subset_end(out, &block, num);
    return s;
}

static void check_values(struct pl_object *o, const bool *counters,
                         const bool *instances)
{
    struct pl_instance i;
    uint32_t place = 0;

    while (!pl_instance_next(o, &i)) {
        struct pl_object walk = *o;
        struct pl_counter_def def;
        size_t k = 0;

        while (o->num_instances > 0 && !instances[place])
            place++;
        if (o->num_instances > 0)
            ck_assert_uint_eq(i.name[big], 'a' + place);
        for (; !pl_counter_next(&walk, &def); k++) {
            uint32_t who = o->num_instances > 0 ? place : SINGLE;
            uint64_t value = 0;

            while (!counters[k])
                k++;
            ck_assert_uint_eq(def.title_index, defs[k].title);
            ck_assert_uint_eq(def.help_index, defs[k].title + 1);
            if (who == SINGLE && k == 3) {
                ck_assert(!pl_counter_get(o, &i, &def, &value));
                continue;
            }
            ck_assert(pl_counter_get(o, &i, &def, &value));
            ck_assert_uint_eq(value, value_of(who, k));
        }
        place++;
    }
}

START_TEST(every_choice)
{
    struct pl_buf in = { 0 }, out = { 0 };

    set_variant(_i);
    make_block(&in);
    for (unsigned choice = 0; choice < 128; choice++) {
        bool counters[NUM_COUNTERS], instances[NUM_INSTANCES];
        uint32_t num_counters = 0, num_instances = 0;
        struct pl_block block;
        struct pl_object o;

        for (unsigned i = 0; i < NUM_COUNTERS; i++)
            num_counters += counters[i] = choice >> i & 1;
        for (unsigned i = 0; i < NUM_INSTANCES; i++)
            num_instances += instances[i] = choice >> (4 + i) & 1;
        ck_assert_int_eq(subset(&in, counters, instances, &out), PL_OK);
        ck_assert_int_eq(pl_block_parse(&block, out.p, out.len), PL_OK);
        ck_assert_uint_eq(block.num_objects, 2);
        ck_assert_uint_eq(block.big_endian, big);
        ck_assert_uint_eq(block.revision, !old_revision);
        ck_assert_mem_eq(out.p + 32, in.p + 32, SIZEOF_BLOCK - 32);
        for (int i = 0; i < 2; i++) {
            ck_assert_int_eq(pl_object_next(&block, &o), PL_OK);
            ck_assert_uint_eq(o.title_index, i ? 20 : 10);
            ck_assert_uint_eq(o.num_counters, num_counters);
            ck_assert_int_eq(o.default_counter,
                             counters[2] ? counters[0] + counters[1] : -1);
            ck_assert_int_eq(o.num_instances,
                             i ? PERF_NO_INSTANCES : (int32_t)num_instances);
            ck_assert_int_eq(o.perf_time, old_revision ? 0 : 7);
            check_values(&o, counters, instances);
        }
        ck_assert_int_eq(pl_object_next(&block, &o), PL_END);
    }
    pl_buf_release(&in);
    pl_buf_release(&out);
}
END_TEST

START_TEST(whole_objects_are_copied)
{
    struct pl_buf in = { 0 }, out = { 0 };
    struct pl_block block, walk;
    struct pl_object o;

    set_variant(_i);
    make_block(&in);
    ck_assert_int_eq(pl_block_parse(&block, in.p, in.len), PL_OK);
    walk = block;
    pl_block_subset_begin(&out, &block);
    while (!pl_object_next(&walk, &o))
        pl_block_subset_whole(&out, &block, &o);
    pl_block_subset_end(&out, &block, 2);
    ck_assert_uint_eq(out.len, in.len);
    ck_assert_mem_eq(out.p, in.p, in.len);
    pl_buf_release(&in);
    pl_buf_release(&out);
}
END_TEST

/* What does not add up is refused, and never read beyond. */
START_TEST(every_byte_damaged)
{
    static const bool counters[PL_MAX_COUNTERS] = { true, false, true, true };
    static const bool instances[NUM_INSTANCES] = { true, false, true };
    static const uint8_t bytes[] = { 0, 1, 0x7F, 0x80, 0xFF };
    struct pl_buf in = { 0 }, out = { 0 };

    set_variant(_i);
    make_block(&in);
    for (size_t at = 0; at < in.len; at++)
        for (size_t k = 0; k < sizeof bytes; k++) {
            uint8_t *copy = exact_copy(in.p, in.len);
            struct pl_block block;
            struct pl_object o;

            copy[at] = bytes[k];
            if (!pl_block_parse(&block, copy, in.len)) {
                struct pl_block walk = block;

                pl_block_subset_begin(&out, &block);
                while (!pl_object_next(&walk, &o))
                    pl_block_subset_object(
                        &out, &block, &o, counters,
                        o.num_instances == NUM_INSTANCES ? instances : NULL);
                ck_assert(!out.oom);
                ck_assert_uint_le(out.len, 3 * in.len);
            }
            free(copy);
        }
    pl_buf_release(&in);
    pl_buf_release(&out);
}
END_TEST

/* A value that is missing, since it would begin in its counter block's length
 * or before, is missing from the copy, and so is what comes behind it. */
START_TEST(a_value_in_the_length_of_its_counter_block_stays_missing)
{
    static const bool all[NUM_COUNTERS] = { true, true, true, true };
    static const bool instances[NUM_INSTANCES] = { true, true, true };
    const size_t definition =
        SIZEOF_BLOCK + PL_SIZEOF_OBJECT + (size_t)_i * PL_SIZEOF_COUNTER;
    struct pl_buf in = { 0 }, out = { 0 };
    struct pl_block block;
    struct pl_object o;
    struct pl_instance i;

    set_variant(0);
    make_block(&in);
    pl_buf_set_u32(&in, definition + 36, 3); /* offset of the value */
    ck_assert_int_eq(subset(&in, all, instances, &out), PL_OK);
    ck_assert_int_eq(pl_block_parse(&block, out.p, out.len), PL_OK);
    ck_assert_int_eq(pl_object_next(&block, &o), PL_OK);
    for (uint32_t at = 0; at < NUM_INSTANCES; at++) {
        struct pl_object walk = o;
        struct pl_counter_def def;

        ck_assert_int_eq(pl_instance_next(&o, &i), PL_OK);
        for (int k = 0; k < NUM_COUNTERS; k++) {
            uint64_t value = 0;
            bool has = !pl_counter_next(&walk, &def) &&
                       pl_counter_get(&o, &i, &def, &value);

            ck_assert_msg(has == (k != _i), "counter %d", k);
            if (has)
                ck_assert_uint_eq(value, value_of(at, (size_t)k));
        }
    }
    pl_buf_release(&in);
    pl_buf_release(&out);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("subset");

    tcase_add_loop_test(t, every_choice, 0, 4);
    tcase_add_loop_test(t, whole_objects_are_copied, 0, 4);
    tcase_add_loop_test(t, every_byte_damaged, 0, 4);
    tcase_add_loop_test(
        t, a_value_in_the_length_of_its_counter_block_stays_missing, 0,
        NUM_COUNTERS);
    return run_suite("subset", (TCase *[]){ t, NULL });
}
