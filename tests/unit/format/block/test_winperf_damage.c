/* Blocks that are damaged or lie: they are refused, and nothing is read outside. */
#include "tests/support/machine_block.h"

#include "tests/support/support.h"

#include <stdlib.h>

#define NUM(table) (sizeof(table) / sizeof *(table))

/* ---- damage -------------------------------------------------------------- */

START_TEST(no_prefix_makes_anybody_read_outside)
{
    struct pl_buf b = { 0 };
    struct walk w;

    put_machine(&b);
    for (size_t n = 0; n < b.len; n++) {
        enum pl_status s = walk_copy(&w, b.p, n);

        ck_assert_msg(s == PL_TRUNCATED, "%zu: %d", n, s);
    }
    ck_assert_int_eq(walk_copy(&w, b.p, b.len), PL_END);
    ck_assert_uint_eq(w.values, 6);
    pl_buf_release(&b);
}
END_TEST

START_TEST(no_changed_byte_makes_anybody_read_outside)
{
    static const uint8_t masks[] = { 0x01, 0x80, 0xFF, 0x55 };
    struct pl_buf b = { 0 };
    uint8_t *twin;
    struct walk w;

    put_machine(&b);
    twin = exact_copy(b.p, b.len);
    make_big_endian(twin, b.p, b.len);
    for (size_t at = 0; at < b.len; at++) {
        for (size_t m = 0; m < sizeof masks; m++) {
            b.p[at] ^= masks[m];
            twin[at] ^= masks[m];
            walk_copy(&w, b.p, b.len);
            walk_copy(&w, twin, b.len);
            b.p[at] ^= masks[m];
            twin[at] ^= masks[m];
        }
    }
    free(twin);
    pl_buf_release(&b);
}
END_TEST

/* Where a lie stands; the second object is Processor. */
enum place { BLOCK, OBJECT, COUNTER, INSTANCE, VALUES };

static const struct {
    const char *what;
    enum place place;
    size_t at;
    uint32_t value;
    enum pl_status want;
} lies[] = {
    { "signature", BLOCK, 0, 0, PL_NOT_A_LOG },
    { "TotalByteLength short", BLOCK, 20, 8, PL_END },
    { "TotalByteLength long", BLOCK, 20, UINT32_MAX, PL_END },
    { "HeaderLength below its fields", BLOCK, 24, 87, PL_CORRUPT },
    { "HeaderLength beyond the block", BLOCK, 24, 1 << 20, PL_TRUNCATED },
    { "HeaderLength with all bits", BLOCK, 24, UINT32_MAX, PL_TRUNCATED },
    { "fewer objects than there are", BLOCK, 28, 1, PL_CORRUPT },
    { "more objects than there are", BLOCK, 28, 3, PL_END },
    { "name longer than the header", BLOCK, 80, 9, PL_CORRUPT },
    { "name length that wraps", BLOCK, 80, UINT32_MAX - 87, PL_CORRUPT },
    { "name behind the header", BLOCK, 84, 97, PL_CORRUPT },
    { "name offset with all bits", BLOCK, 84, UINT32_MAX, PL_CORRUPT },
    { "object longer than the block", OBJECT, 0, 1 << 20, PL_TRUNCATED },
    { "object shorter than its definitions", OBJECT, 0, 143, PL_CORRUPT },
    { "object of length 0", OBJECT, 0, 0, PL_CORRUPT },
    { "definitions longer than the object", OBJECT, 4, 1 << 20, PL_CORRUPT },
    { "definitions shorter than the header", OBJECT, 4, 63, PL_CORRUPT },
    { "header shorter than in 1992", OBJECT, 8, 47, PL_CORRUPT },
    { "header longer than definitions", OBJECT, 8, 145, PL_CORRUPT },
    { "more counters than fit", OBJECT, 32, 3, PL_CORRUPT },
    { "counters with all bits", OBJECT, 32, UINT32_MAX, PL_CORRUPT },
    { "counters that wrap to 80 bytes", OBJECT, 32, 0x06666668, PL_CORRUPT },
    { "-2 instances", OBJECT, 40, UINT32_MAX - 1, PL_CORRUPT },
    { "more instances than fit", OBJECT, 40, 4, PL_CORRUPT },
    { "one instance more than there are", OBJECT, 40, 3, PL_TRUNCATED },
    { "most negative instances", OBJECT, 40, 0x80000000, PL_CORRUPT },
    { "most instances", OBJECT, 40, 0x7FFFFFFF, PL_CORRUPT },
    { "definition of length 0", COUNTER, 0, 0, PL_CORRUPT },
    { "definition of 39 bytes", COUNTER, 0, 39, PL_CORRUPT },
    { "definition that eats its sibling", COUNTER, 0, 80, PL_TRUNCATED },
    { "definition longer than all", COUNTER, 0, UINT32_MAX, PL_TRUNCATED },
    { "one counter fewer than there are", OBJECT, 32, 1, PL_CORRUPT },
    { "one instance fewer than there are", OBJECT, 40, 1, PL_CORRUPT },
    { "instance name in its header", INSTANCE, 16, 23, PL_CORRUPT },
    { "instance of length 0", INSTANCE, 0, 0, PL_CORRUPT },
    { "instance of 23 bytes", INSTANCE, 0, 23, PL_CORRUPT },
    { "instance longer than the object", INSTANCE, 0, 1 << 20, PL_TRUNCATED },
    { "instance name behind it", INSTANCE, 16, 33, PL_CORRUPT },
    { "instance name at its very end", INSTANCE, 16, 32, PL_CORRUPT },
    { "instance name too long", INSTANCE, 20, 9, PL_CORRUPT },
    { "instance name that wraps", INSTANCE, 20, UINT32_MAX - 23, PL_CORRUPT },
    { "no name", INSTANCE, 20, 0, PL_END },
    { "counter block of length 0", VALUES, 0, 0, PL_CORRUPT },
    { "counter block of 3 bytes", VALUES, 0, 3, PL_CORRUPT },
    { "counter block unlike its sibling's", VALUES, 0, 24, PL_CORRUPT },
    { "counter block beyond the object", VALUES, 0, 1 << 20, PL_TRUNCATED },
};

/* Offset of 'place' in the block of put_machine. */
static size_t find_place(enum place place, const uint8_t *p, size_t n)
{
    struct pl_block b;
    struct pl_object o;
    struct pl_instance i;

    if (place == BLOCK)
        return 0;
    ck_assert_int_eq(pl_block_parse(&b, p, n), PL_OK);
    ck_assert_int_eq(pl_object_next(&b, &o), PL_OK);
    ck_assert_int_eq(pl_object_next(&b, &o), PL_OK);
    if (place == OBJECT)
        return o.at;
    if (place == COUNTER)
        return (size_t)(o.definitions - p);
    ck_assert_int_eq(pl_instance_next(&o, &i), PL_OK);
    return (size_t)((place == INSTANCE ? i.definition : i.block) - p);
}

START_TEST(a_lying_field_is_refused)
{
    struct pl_buf b = { 0 };
    enum pl_status s;
    struct walk w;

    put_machine(&b);
    pl_buf_set_u32(&b, find_place(lies[_i].place, b.p, b.len) + lies[_i].at,
                   lies[_i].value);
    s = walk_copy(&w, b.p, b.len);
    ck_assert_msg(s == lies[_i].want, "%s: %d", lies[_i].what, s);
    pl_buf_release(&b);
}
END_TEST

START_TEST(definitions_must_hold_their_header_even_without_counters)
{
    struct pl_buf b = { 0 };
    struct pl_object o = { .title_index = 2 };
    struct pl_block view;
    size_t block = pl_put_block(&b, &stamp, NULL, 0);
    size_t at = pl_put_object(&b, &o);

    pl_put_definitions_close(&b, at, 0);
    pl_put_object_close(&b, at, 0);
    pl_put_block_close(&b, block, 1, -1);
    pl_buf_set_u32(&b, at + 4, PL_SIZEOF_OBJECT - 4);
    ck_assert_int_eq(pl_block_parse(&view, b.p, b.len), PL_OK);
    ck_assert_int_eq(pl_object_next(&view, &o), PL_CORRUPT);
    pl_buf_release(&b);
}
END_TEST

/* Two instances whose counter blocks differ in length, though all adds up. */
static enum pl_status walk_unequal(uint32_t type)
{
    struct pl_buf b = { 0 };
    struct pl_object o = { .title_index = 2 };
    struct pl_counter_def c = {
        .title_index = 4, .type = type, .size = 4, .offset = 4
    };
    struct walk w;
    size_t block = pl_put_block(&b, &stamp, NULL, 0);
    size_t at = pl_put_object(&b, &o);
    enum pl_status s;

    pl_put_counter(&b, &c);
    pl_put_definitions_close(&b, at, 1);
    for (uint32_t i = 0; i < 2; i++) {
        pl_put_instance(&b, 0, 0, (const uint8_t *)"a", 2);
        ck_assert_ptr_nonnull(pl_put_counter_block(&b, 8 + 8 * i));
    }
    pl_put_object_close(&b, at, 2);
    pl_put_block_close(&b, block, 1, -1);
    s = walk_copy(&w, b.p, b.len);
    pl_buf_release(&b);
    return s;
}

START_TEST(counter_blocks_of_an_object_are_equally_long)
{
    ck_assert_int_eq(walk_unequal(PERF_COUNTER_RAWCOUNT), PL_CORRUPT);
    ck_assert_int_eq(walk_unequal(PERF_COUNTER_TEXT), PL_END);
}
END_TEST

START_TEST(no_value_is_read_out_of_a_blocks_own_length)
{
    static const uint8_t bytes[16] = { 16 };
    const struct pl_instance i = { .block = bytes, .block_len = 16 };
    struct pl_object o = { .num_counters = 1 };
    uint64_t v;

    for (uint32_t at = 0; at < 6; at++) {
        const struct pl_counter_def c = { .size = 4, .offset = at };

        ck_assert(pl_counter_get(&o, &i, &c, &v) == (at >= 4));
    }
}
END_TEST

START_TEST(objects_behind_their_stated_number_are_not_looked_at)
{
    struct pl_buf b = { 0 };
    struct walk w;

    put_machine(&b);
    pl_buf_set_u32(&b, 28, 1); /* NumObjectTypes */
    ck_assert_int_eq(walk_copy(&w, b.p, b.len), PL_CORRUPT);
    ck_assert_uint_eq(w.values, 2);
    pl_buf_set_u32(&b, 20, 8); /* TotalByteLength: who knows what follows */
    ck_assert_int_eq(walk_copy(&w, b.p, b.len), PL_END);
    ck_assert_uint_eq(w.values, 2);
    pl_buf_release(&b);
}
END_TEST

START_TEST(there_is_a_cap_on_counters_and_instances)
{
    static const struct {
        size_t field, unit;
        uint32_t cap;
    } caps[] = {
        { 32, PL_SIZEOF_COUNTER, PL_MAX_COUNTERS },
        { 40, PL_SIZEOF_INSTANCE + PL_SIZEOF_COUNTER_BLOCK, PL_MAX_INSTANCES },
    };

    for (size_t i = 0; i < 4; i++) {
        uint32_t over = i % 2, n = caps[i / 2].cap + over;
        struct pl_buf b = { 0 };
        struct pl_object o = { .title_index = 2 };
        struct pl_block view;
        size_t block = pl_put_block(&b, &stamp, NULL, 0);
        size_t at = pl_put_object(&b, &o), first = b.len;

        pl_put_definitions_close(&b, at, 0);
        pl_buf_zeros(&b, n * caps[i / 2].unit);
        if (caps[i / 2].unit == PL_SIZEOF_COUNTER) {
            for (size_t k = 0; k < n; k++)
                pl_buf_set_u32(&b, first + k * PL_SIZEOF_COUNTER,
                               PL_SIZEOF_COUNTER);
            pl_put_definitions_close(&b, at, 0);
        }
        pl_put_object_close(&b, at, 0);
        pl_put_block_close(&b, block, 1, -1);
        pl_buf_set_u32(&b, at + caps[i / 2].field, n);
        ck_assert_int_eq(pl_block_parse(&view, b.p, b.len), PL_OK);
        ck_assert_int_eq(pl_object_next(&view, &o), over ? PL_CORRUPT : PL_OK);
        pl_buf_release(&b);
    }
}
END_TEST

START_TEST(longer_headers_of_a_newer_system_are_passed_over)
{
    struct pl_buf b = { 0 };
    struct pl_object o = { .title_index = 2 };
    struct pl_block view;
    struct pl_instance i;
    uint64_t v;
    size_t block = pl_put_block(&b, &stamp, NULL, 0), at;

    pl_buf_zeros(&b, 8);
    pl_buf_set_u32(&b, block + 24, 96); /* HeaderLength */
    at = pl_put_object(&b, &o);
    pl_buf_zeros(&b, 8);
    pl_buf_set_u32(&b, at + 8, 72);
    pl_put_counter(&b, &large);
    pl_buf_zeros(&b, 8);
    pl_buf_set_u32(&b, at + 72, 48); /* the definition's ByteLength */
    pl_put_counter(&b, &large);
    pl_put_definitions_close(&b, at, 2);
    put_values(&b, 5, 6);
    pl_put_object_close(&b, at, PERF_NO_INSTANCES);
    pl_put_block_close(&b, block, 1, -1);
    ck_assert_int_eq(pl_block_parse(&view, b.p, b.len), PL_OK);
    ck_assert_int_eq(pl_object_next(&view, &o), PL_OK);
    for (int n = 0; n < 2; n++) {
        struct pl_counter_def c;

        ck_assert_int_eq(pl_counter_next(&o, &c), PL_OK);
        ck_assert_uint_eq(c.type, large.type);
    }
    ck_assert_int_eq(pl_instance_next(&o, &i), PL_OK);
    ck_assert(pl_counter_get(&o, &i, &large, &v));
    ck_assert_uint_eq(v, 6);
    pl_buf_release(&b);
}
END_TEST

static const struct {
    const char *what;
    uint32_t offset, size;
    bool want;
} reaches[] = {
    { "first 4 bytes of values", 4, 4, true },
    { "last 8 bytes", 8, 8, true },
    { "last 4 bytes", 12, 4, true },
    { "one byte beyond", 9, 8, false },
    { "at the end", 16, 4, false },
    { "behind the end", 17, 4, false },
    { "offset that wraps", UINT32_MAX - 3, 8, false },
    { "size that wraps", 8, UINT32_MAX - 7, false },
    { "no size", 4, 0, false },
    { "2 bytes", 4, 2, false },
    { "12 bytes", 4, 12, false },
};

START_TEST(a_counter_is_read_only_where_it_lies_inside)
{
    uint8_t *bytes =
        exact_copy("\x10\0\0\0\1\2\3\4\5\6\7\x08\x09\x0A\x0B\x0C", 16);
    struct pl_object o = { 0 };
    struct pl_instance i = { .block = bytes, .block_len = 16 };
    struct pl_counter_def c = { .offset = reaches[_i].offset,
                                .size = reaches[_i].size };
    uint64_t v;

    ck_assert_msg(pl_counter_get(&o, &i, &c, &v) == reaches[_i].want, "%s",
                  reaches[_i].what);
    free(bytes);
}
END_TEST

START_TEST(base_types_are_told_from_the_rest)
{
    ck_assert(pl_type_is_base(PERF_SAMPLE_BASE));
    ck_assert(pl_type_is_base(PERF_AVERAGE_BASE));
    ck_assert(pl_type_is_base(PERF_RAW_BASE));
    ck_assert(pl_type_is_base(PERF_LARGE_RAW_BASE));
    ck_assert(pl_type_is_base(PERF_COUNTER_MULTI_BASE));
    ck_assert(!pl_type_is_base(PERF_COUNTER_COUNTER));
    ck_assert(!pl_type_is_base(PERF_RAW_FRACTION));
    ck_assert(!pl_type_is_base(PERF_PRECISION_100NS_TIMER));
    ck_assert(!pl_type_is_base(PERF_COUNTER_RAWCOUNT));
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("damage");

    tcase_add_test(t, no_prefix_makes_anybody_read_outside);
    tcase_add_test(t, no_changed_byte_makes_anybody_read_outside);
    tcase_add_loop_test(t, a_lying_field_is_refused, 0, NUM(lies));
    tcase_add_test(t, definitions_must_hold_their_header_even_without_counters);
    tcase_add_test(t, counter_blocks_of_an_object_are_equally_long);
    tcase_add_test(t, no_value_is_read_out_of_a_blocks_own_length);
    tcase_add_test(t, objects_behind_their_stated_number_are_not_looked_at);
    tcase_add_test(t, there_is_a_cap_on_counters_and_instances);
    tcase_add_test(t, longer_headers_of_a_newer_system_are_passed_over);
    tcase_add_loop_test(t, a_counter_is_read_only_where_it_lies_inside, 0,
                        NUM(reaches));
    tcase_add_test(t, base_types_are_told_from_the_rest);
    return run_suite("winperf_damage", (TCase *[]){ t, NULL });
}
