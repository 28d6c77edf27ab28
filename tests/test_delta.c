/* The token codec: every pair of blocks comes back, every stream that does
 * not add up is refused, nothing is read or written outside. */
#include "format/delta.h"

#include "format/cursor.h"
#include "format/winperf.h"
#include "tests/support.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NUM(table) (sizeof(table) / sizeof *(table))

enum { WORD = 8 };

/* ---- tools --------------------------------------------------------------- */

static uint64_t seed;

static uint64_t random64(void)
{
    seed ^= seed << 13; /* xorshift: the same sequence on every machine */
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static enum pl_status decode(const struct pl_buf *tokens,
                             const struct pl_buf *ref, size_t raw_len,
                             uint8_t *raw)
{
    uint8_t *t = exact_copy(tokens->p, tokens->len);
    uint8_t *r = exact_copy(ref->p, ref->len);
    enum pl_status s =
        pl_delta_decode(t, tokens->len, r, ref->len, raw, raw_len);

    free(t);
    free(r);
    return s;
}

/* Plan, encode and decode 'raw' against 'ref'; both in exact-size copies. */
static void check_round_trip(struct pl_plan *plan, const struct pl_buf *ref,
                             const struct pl_buf *raw)
{
    uint8_t *r = exact_copy(ref->p, ref->len);
    uint8_t *now = exact_copy(raw->p, raw->len);
    uint8_t *back = malloc(raw->len + 1); /* malloc(0) may be NULL */
    struct pl_buf tokens = { 0 };

    ck_assert_int_eq(pl_delta_plan(plan, r, ref->len, now, raw->len), PL_OK);
    pl_delta_encode(&tokens, plan, r, now);
    ck_assert(!tokens.oom);
    ck_assert_int_eq(decode(&tokens, ref, raw->len, back), PL_OK);
    ck_assert(!raw->len || !memcmp(back, now, raw->len));
    ck_assert_uint_le(tokens.len, 2 * raw->len + 65536);
    pl_buf_release(&tokens);
    free(back);
    free(now);
    free(r);
}

/* ---- blocks -------------------------------------------------------------- */

/* One object: its title and its instances, a letter each; NULL: none. */
struct thing {
    uint32_t title;
    const char *names;
};

/* An instance named by a letter is 72 bytes: 24 + 4, padded, + 40. */
enum { INSTANCE_WORDS = 9, OBJECT_WORDS = 28, HEADER_WORDS = 11 };

static void put_values(struct pl_buf *b, uint64_t value)
{
    uint8_t *p = pl_put_counter_block(b, 8 + 4 * 8);

    for (size_t i = 0; i < 4; i++)
        pl_put_le64(p + 8 + 8 * i, value * (i + 1));
}

static void put_thing(struct pl_buf *b, const struct thing *t, uint64_t value)
{
    struct pl_object o = { .title_index = t->title };
    size_t at = pl_put_object(b, &o);
    int32_t num = PERF_NO_INSTANCES;

    for (uint32_t i = 0; i < 4; i++) {
        struct pl_counter_def c = { .title_index = 1000 + i,
                                    .type = PERF_COUNTER_BULK_COUNT,
                                    .size = 8,
                                    .offset = 8 + 8 * i };

        pl_put_counter(b, &c);
    }
    pl_put_definitions_close(b, at, 4);
    if (!t->names) {
        put_values(b, value);
    } else {
        for (num = 0; t->names[num]; num++) {
            uint8_t name[2] = { (uint8_t)t->names[num], 0 };

            pl_put_instance(b, 0, 0, name, sizeof name);
            put_values(b, value + name[0]);
        }
    }
    pl_put_object_close(b, at, num);
}

/* A block of things, ended by title 0. */
static void put_things(struct pl_buf *b, const struct thing *t, uint64_t value)
{
    struct pl_block_stamp stamp = { .utc_ns = (int64_t)value,
                                    .perf_time = (int64_t)value,
                                    .perf_freq = 1000 };
    size_t block = pl_put_block(b, &stamp, NULL, 0);
    uint32_t num = 0;

    for (; t->title; t++, num++)
        put_thing(b, t, value);
    pl_put_block_close(b, block, num, -1);
}

static size_t literal_words(const struct pl_plan *plan)
{
    size_t words = 0;

    for (size_t i = 0; i < plan->num; i++)
        words += plan->copies[i].src ? 0 : plan->copies[i].len;
    return words;
}

/* ---- planning ------------------------------------------------------------ */

static const struct {
    const char *what;
    struct thing then[5], now[5];
    size_t literal; /* words that no older word predicts */
} changes[] = {
    { "only values",
      { { 2, NULL }, { 4, "abc" } },
      { { 2, NULL }, { 4, "abc" } },
      0 },
    { "an instance in front",
      { { 4, "bc" } },
      { { 4, "abc" } },
      INSTANCE_WORDS },
    { "an instance in the middle",
      { { 4, "ac" } },
      { { 4, "abc" } },
      INSTANCE_WORDS },
    { "an instance at the end",
      { { 4, "ab" } },
      { { 4, "abc" } },
      INSTANCE_WORDS },
    { "the first instance", { { 4, NULL } }, { { 4, "a" } }, INSTANCE_WORDS },
    { "an instance gone in front", { { 4, "abc" } }, { { 4, "bc" } }, 0 },
    { "an instance gone in the middle", { { 4, "abc" } }, { { 4, "ac" } }, 0 },
    { "all instances gone", { { 4, "abc" } }, { { 4, "" } }, 0 },
    { "one replaced", { { 4, "abc" } }, { { 4, "axc" } }, INSTANCE_WORDS },
    { "one moved to the end",
      { { 4, "abcd" } },
      { { 4, "bcda" } },
      INSTANCE_WORDS },
    { "two in the other order",
      { { 4, "ab" } },
      { { 4, "ba" } },
      INSTANCE_WORDS },
    { "equal names", { { 4, "aaa" } }, { { 4, "aaaa" } }, INSTANCE_WORDS },
    { "an object in front",
      { { 4, "a" } },
      { { 2, NULL }, { 4, "a" } },
      OBJECT_WORDS + 5 },
    { "an object at the end",
      { { 4, "a" } },
      { { 4, "a" }, { 6, "" } },
      OBJECT_WORDS },
    { "an object gone",
      { { 2, NULL }, { 4, "a" }, { 6, "b" } },
      { { 2, NULL }, { 6, "b" } },
      0 },
    { "objects in the other order",
      { { 2, "a" }, { 4, "b" }, { 6, "c" } },
      { { 6, "c" }, { 4, "b" }, { 2, "a" } },
      0 },
    { "the same letters elsewhere",
      { { 2, "a" }, { 4, "b" } },
      { { 2, "b" }, { 4, "a" } },
      2 * INSTANCE_WORDS },
    { "nothing before",
      { { 0, NULL } },
      { { 4, "a" } },
      OBJECT_WORDS + INSTANCE_WORDS },
};

START_TEST(a_change_costs_what_is_new)
{
    struct pl_buf then = { 0 }, now = { 0 };
    struct pl_plan plan = { 0 };

    put_things(&then, changes[_i].then, 1000);
    put_things(&now, changes[_i].now, 1003);
    check_round_trip(&plan, &then, &now);
    ck_assert_msg(literal_words(&plan) == changes[_i].literal,
                  "%s: %zu literal words", changes[_i].what,
                  literal_words(&plan));
    pl_plan_release(&plan);
    ck_assert_ptr_null(plan.copies);
    pl_buf_release(&then);
    pl_buf_release(&now);
}
END_TEST

/* 'num' instances whose names are numbers from 'first' on. */
static void put_numbered(struct pl_buf *b, uint32_t first, uint32_t num)
{
    struct pl_block_stamp stamp = { 0 };
    struct pl_object o = { .title_index = 4 };
    size_t block = pl_put_block(b, &stamp, NULL, 0);
    size_t at = pl_put_object(b, &o);

    pl_put_definitions_close(b, at, 0);
    for (uint32_t i = first; i < first + num; i++) {
        uint8_t name[4];

        pl_put_le32(name, 0x00010001 + i);
        pl_put_instance(b, 0, 0, name, sizeof name);
        pl_put_counter_block(b, 8);
    }
    pl_put_object_close(b, at, (int32_t)num);
    pl_put_block_close(b, block, 1, -1);
}

START_TEST(the_search_for_an_instance_looks_64_ahead)
{
    struct pl_plan plan = { 0 };

    for (uint32_t gone = 62; gone < 67; gone++) {
        struct pl_buf then = { 0 }, now = { 0 };

        put_numbered(&then, 0, 70);
        put_numbered(&now, gone, 1);
        check_round_trip(&plan, &then, &now);
        ck_assert_msg(!literal_words(&plan) == (gone < 64), "%u", gone);
        pl_buf_release(&then);
        pl_buf_release(&now);
    }
    pl_plan_release(&plan);
}
END_TEST

static void put_five(uint8_t *block, uint64_t id)
{
    for (size_t i = 0; i < 5; i++)
        pl_put_le64(block + 8 + 8 * i, id * (i + 1));
}

/* Processes of one name with the numbers given; every value follows from it. */
static void put_processes(struct pl_buf *b, const uint64_t *ids)
{
    static const uint32_t titles[] = { 6, 784, 684, 142, 12 };
    struct pl_block_stamp stamp = { .perf_freq = 1000 };
    size_t block = pl_put_block(b, &stamp, NULL, 0);
    struct pl_object o = { .title_index = 230 };
    size_t at = pl_put_object(b, &o);
    int32_t num = 0;

    for (uint32_t i = 0; i < 5; i++)
        pl_put_counter(b, &(struct pl_counter_def){ .title_index = titles[i],
                                                    .size = 8,
                                                    .offset = 8 + 8 * i });
    pl_put_definitions_close(b, at, 5);
    for (; ids[num]; num++) {
        pl_put_instance(b, 0, 0, (const uint8_t *)"s\0h\0", 4);
        put_five(pl_put_counter_block(b, 8 + 5 * 8), ids[num]);
    }
    pl_put_object_close(b, at, num);
    pl_put_block_close(b, block, 1, -1);
}

static size_t wrong_predictions(const struct pl_plan *plan,
                                const struct pl_buf *then,
                                const struct pl_buf *now)
{
    size_t at = 0, wrong = 0;

    for (size_t i = 0; i < plan->num; at += plan->copies[i++].len)
        for (size_t k = 0; plan->copies[i].src && k < plan->copies[i].len; k++)
            wrong += memcmp(then->p + (plan->copies[i].src - 1 + k) * 8,
                            now->p + (at + k) * 8, 8) != 0;
    return wrong;
}

START_TEST(processes_of_one_name_are_told_apart)
{
    static const uint64_t all[] = { 2, 3, 5, 7, 11, 13, 0 };
    static const uint64_t replaced[] = { 2, 3, 17, 7, 11, 13, 0 };
    static const uint64_t gone[] = { 3, 7, 11, 0 };
    struct pl_buf then = { 0 }, now = { 0 };
    struct pl_plan plan = { 0 };

    put_processes(&then, all);
    put_processes(&now, replaced);
    check_round_trip(&plan, &then, &now);
    ck_assert_uint_eq(literal_words(&plan), (24 + 8 + 8 + 40) / 8);
    ck_assert_uint_eq(wrong_predictions(&plan, &then, &now), 0);
    pl_buf_clear(&now);
    put_processes(&now, gone);
    check_round_trip(&plan, &then, &now);
    ck_assert_uint_eq(literal_words(&plan), 0);
    /* lengths and number, in the headers of block and object */
    ck_assert_uint_le(wrong_predictions(&plan, &then, &now), 3);
    pl_plan_release(&plan);
    pl_buf_release(&then);
    pl_buf_release(&now);
}
END_TEST

START_TEST(the_walk_over_instances_goes_on_behind_a_stranger)
{
    struct pl_buf then = { 0 }, now = { 0 };
    struct pl_plan plan = { 0 };

    put_numbered(&then, 0, 2000); /* 1000 ones are gone, 10 at a time */
    put_numbered(&now, 0, 0);
    now.len -= PL_SIZEOF_OBJECT;
    {
        struct pl_object o = { .title_index = 4 };
        size_t at = pl_put_object(&now, &o);

        pl_put_definitions_close(&now, at, 0);
        for (uint32_t i = 0; i < 2000; i++) {
            uint8_t name[4];

            if (i / 10 % 2)
                continue;
            pl_put_le32(name, 0x00010001 + i);
            pl_put_instance(&now, 0, 0, name, sizeof name);
            pl_put_counter_block(&now, 8);
        }
        pl_put_object_close(&now, at, 1000);
        pl_put_block_close(&now, 0, 1, -1);
    }
    check_round_trip(&plan, &then, &now);
    ck_assert_uint_eq(literal_words(&plan), 0);
    pl_plan_release(&plan);
    pl_buf_release(&then);
    pl_buf_release(&now);
}
END_TEST

START_TEST(a_definition_that_grew_is_told_anew)
{
    struct pl_buf then = { 0 }, now = { 0 };
    struct pl_plan plan = { 0 };
    struct pl_object o = { .title_index = 4 };
    struct pl_block_stamp stamp = { 0 };
    size_t block, at;

    put_numbered(&then, 0, 3);
    block = pl_put_block(&now, &stamp, NULL, 0);
    at = pl_put_object(&now, &o);
    pl_put_counter(&now, &(struct pl_counter_def){ .size = 4, .offset = 4 });
    pl_put_definitions_close(&now, at, 1);
    for (uint32_t i = 0; i < 3; i++) {
        uint8_t name[4];

        pl_put_le32(name, 0x00010001 + i);
        pl_put_instance(&now, 0, 0, name, sizeof name);
        pl_put_counter_block(&now, 8);
    }
    pl_put_object_close(&now, at, 3);
    pl_put_block_close(&now, block, 1, -1);
    check_round_trip(&plan, &then, &now);
    ck_assert_uint_eq(literal_words(&plan), (64 + 40) / WORD);
    pl_plan_release(&plan);
    pl_buf_release(&then);
    pl_buf_release(&now);
}
END_TEST

START_TEST(a_counter_block_that_grew_is_told_anew)
{
    struct pl_buf blocks[2] = { 0 };
    struct pl_plan plan = { 0 };

    for (uint32_t i = 0; i < 2; i++) {
        struct pl_block_stamp stamp = { 0 };
        struct pl_object o = { .title_index = 4 };
        size_t block = pl_put_block(&blocks[i], &stamp, NULL, 0);
        size_t at = pl_put_object(&blocks[i], &o);

        pl_put_definitions_close(&blocks[i], at, 0);
        pl_put_counter_block(&blocks[i], 16 + 8 * i);
        pl_put_object_close(&blocks[i], at, PERF_NO_INSTANCES);
        pl_put_block_close(&blocks[i], block, 1, -1);
    }
    check_round_trip(&plan, &blocks[0], &blocks[1]);
    ck_assert_uint_eq(literal_words(&plan), 3);
    pl_plan_release(&plan);
    pl_buf_release(&blocks[0]);
    pl_buf_release(&blocks[1]);
}
END_TEST

START_TEST(hundreds_of_objects_are_walked_in_step)
{
    enum { NUM_OBJECTS = 300 };
    struct pl_buf then = { 0 }, now = { 0 };
    struct pl_plan plan = { 0 };
    struct thing things[NUM_OBJECTS + 1] = { 0 };

    for (uint32_t i = 0; i < NUM_OBJECTS; i++)
        things[i] = (struct thing){ 2 * i + 2, "ab" };
    put_things(&then, things, 1);
    put_things(&now, things, 2);
    check_round_trip(&plan, &then, &now);
    ck_assert_uint_eq(literal_words(&plan), 0);
    pl_plan_release(&plan);
    pl_buf_release(&then);
    pl_buf_release(&now);
}
END_TEST

/* What makes the planner give up, by a u32 in the block of "ab" as object. */
static const struct {
    const char *what;
    size_t at;
    uint32_t value;
} malformed[] = {
    { "no signature", 0, 0 },
    { "header length", 24, 1 << 30 },
    { "object length", 88, 1 << 30 },
    { "object length 0", 88, 0 },
    { "object length no multiple of 8", 88, 223 + 2 * 72 },
    { "number of counters", 88 + 32, 1 << 20 },
    { "number of instances", 88 + 40, 3 },
    { "instance length", 88 + 224, 1 << 30 },
    { "instance length no multiple of 8", 88 + 224, 33 },
    { "counter block length", 88 + 224 + 32, 0 },
};

START_TEST(a_malformed_block_is_compared_offset_by_offset)
{
    static const struct thing things[] = { { 4, "ab" }, { 0, NULL } };
    struct pl_buf then = { 0 }, now = { 0 };
    struct pl_plan plan = { 0 };

    put_things(&then, things, 1);
    put_things(&now, things, 2);
    pl_buf_set_u32(&now, malformed[_i].at, malformed[_i].value);
    check_round_trip(&plan, &then, &now);
    ck_assert_msg(plan.num == 1 && plan.copies[0].src == 1, "%s: %zu copies",
                  malformed[_i].what, plan.num);
    /* Malformed on the other side it costs bytes at most. */
    check_round_trip(&plan, &now, &then);
    pl_plan_release(&plan);
    pl_buf_release(&then);
    pl_buf_release(&now);
}
END_TEST

START_TEST(too_many_copies_fall_back_to_offsets)
{
    enum { NUM_INSTANCES = PL_MAX_COPIES + 2 };
    struct pl_buf then = { 0 }, now = { 0 };
    struct pl_plan plan = { 0 };
    size_t first;

    put_numbered(&then, 0, NUM_INSTANCES);
    pl_buf_bytes(&now, then.p, then.len);
    first = HEADER_WORDS * WORD + PL_SIZEOF_OBJECT;
    for (size_t i = 0; i < NUM_INSTANCES; i += 2) /* every other is new */
        pl_buf_set_u32(&now, first + i * 40 + 4, 99);
    check_round_trip(&plan, &then, &now);
    ck_assert_uint_eq(plan.num, 1);
    pl_plan_release(&plan);
    pl_buf_release(&then);
    pl_buf_release(&now);
}
END_TEST

/* An import may bring a block with as many objects as fit. */
START_TEST(many_objects_are_planned_in_passable_time)
{
    struct pl_buf then = { 0 }, now = { 0 };
    struct pl_plan plan = { 0 };
    struct pl_block_stamp stamp = { 0 };
    enum { NUM_OBJECTS = 100000 };

    for (uint32_t side = 0; side < 2; side++) {
        struct pl_buf *b = side ? &now : &then;
        size_t block = pl_put_block(b, &stamp, NULL, 0);

        for (uint32_t i = 0; i < NUM_OBJECTS; i++) {
            struct pl_object o = { .title_index = 2 * i + side };
            size_t at = pl_put_object(b, &o);

            pl_put_definitions_close(b, at, 0);
            pl_put_object_close(b, at, 0);
        }
        pl_put_block_close(b, block, NUM_OBJECTS, -1);
    }
    check_round_trip(&plan, &then, &now);
    pl_plan_release(&plan);
    pl_buf_release(&then);
    pl_buf_release(&now);
}
END_TEST

/* ---- round trips --------------------------------------------------------- */

static void put_random(struct pl_buf *b, size_t words)
{
    for (size_t i = 0; i < words; i++)
        pl_buf_u64(b, random64() >> random64() % 64);
}

START_TEST(random_blocks_come_back)
{
    struct pl_plan plan = { 0 };

    seed = 0x9E3779B97F4A7C15;
    for (int round = 0; round < 3000; round++) {
        struct pl_buf ref = { 0 }, raw = { 0 };

        put_random(&ref, random64() % 40);
        put_random(&raw, random64() % 40);
        for (size_t i = 0; i + WORD <= raw.len && i + WORD <= ref.len;
             i += WORD) /* most words stay, or nearly */
            if (random64() % 4)
                pl_buf_set_u64(&raw, i,
                               pl_get_le64(ref.p + i) + random64() % 3);
        pl_buf_bytes(&ref, "odd end", random64() % WORD);
        check_round_trip(&plan, &ref, &raw);
        pl_buf_release(&ref);
        pl_buf_release(&raw);
    }
    pl_plan_release(&plan);
}
END_TEST

START_TEST(damaged_blocks_come_back_too)
{
    static const struct thing things[] = {
        { 2, NULL }, { 4, "abcdef" }, { 6, "x" }, { 0, NULL }
    };
    struct pl_plan plan = { 0 };

    seed = 42;
    for (int round = 0; round < 3000; round++) {
        struct pl_buf ref = { 0 }, raw = { 0 };

        put_things(&ref, things, 7);
        put_things(&raw, things, 9);
        for (uint64_t n = random64() % 4; n; n--)
            ref.p[random64() % ref.len] ^= (uint8_t)random64();
        for (uint64_t n = random64() % 4; n; n--)
            raw.p[random64() % raw.len] ^= (uint8_t)random64();
        raw.len -= random64() % 9 * WORD;
        ref.len -= random64() % 9;
        check_round_trip(&plan, &ref, &raw);
        pl_buf_release(&ref);
        pl_buf_release(&raw);
    }
    pl_plan_release(&plan);
}
END_TEST

/* Words whose differences are the longest and shortest there are. */
START_TEST(extreme_differences_come_back)
{
    static const uint64_t values[] = {
        0,  1,  UINT64_MAX,      UINT64_C(1) << 63, (UINT64_C(1) << 63) - 1,
        63, 64, UINT64_MAX - 63, UINT64_MAX - 64,
    };
    struct pl_buf ref = { 0 }, raw = { 0 };
    struct pl_plan plan = { 0 };

    for (size_t i = 0; i < NUM(values); i++)
        for (size_t k = 0; k < NUM(values); k++) {
            pl_buf_u64(&ref, values[i]);
            pl_buf_u64(&raw, values[k]);
        }
    check_round_trip(&plan, &ref, &raw);
    check_round_trip(&plan, &raw, &ref);
    pl_plan_release(&plan);
    pl_buf_release(&ref);
    pl_buf_release(&raw);
}
END_TEST

START_TEST(encoding_appends)
{
    struct pl_copy one = { 1, 1 };
    struct pl_plan plan = { &one, 1, 1 };
    struct pl_buf out = { 0 };

    pl_buf_u8(&out, 'x');
    pl_delta_encode(&out, &plan, (const uint8_t *)"12345678",
                    (const uint8_t *)"12345678");
    ck_assert_uint_eq(out.len, 6);
    ck_assert_mem_eq(out.p, "x\1\1\1\1\0", 6);
    pl_buf_release(&out);
}
END_TEST

/* ---- streams ------------------------------------------------------------- */

#define MAX64 "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"
#define HALF64 "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01" /* 2^63 */
#define WRAP61 "\x81\x80\x80\x80\x80\x80\x80\x80\x20"     /* 2^61 + 1 */

/* Against the reference 5, 6, 7, 8 (and 4 loose bytes). */
static const struct {
    const char *what;
    const char *tokens;
    size_t n, words;
    bool good;
} streams[] = {
    { "nothing for nothing", "\0", 1, 0, true },
    { "no stream at all", "", 0, 0, false },
    { "nothing for something", "\0", 1, 1, false },
    { "two words, one changed by +3", "\1\1\2\1\1\6", 6, 2, true },
    { "the same, something left", "\1\1\2\1\1\6\0", 7, 2, false },
    { "changed by -1", "\1\3\1\0\1\1", 6, 1, true },
    { "a literal",
      "\1\0\1"
      "abcdefgh",
      11, 1, true },
    { "a literal cut",
      "\1\0\1"
      "abcdefg",
      10, 1, false },
    { "literal, then predicted",
      "\2\0\1\4\1"
      "abcdefgh"
      "\1\0",
      15, 2, true },
    { "fewer words than raw_len", "\1\1\1\1\0", 5, 2, false },
    { "more words than raw_len", "\1\1\2\2\0", 5, 1, false },
    { "more in the second copy", "\2\1\1\1\2\1\0\2\0", 9, 2, false },
    { "the last word of the reference", "\1\4\1\1\0", 5, 1, true },
    { "one word behind", "\1\5\1\1\0", 5, 1, false },
    { "two words, one behind", "\1\4\2\2\0", 5, 2, false },
    { "five of four words", "\1\1\5\5\0", 5, 5, false },
    { "an empty copy", "\2\1\0\1\1\1\0", 7, 1, false },
    { "an empty literal", "\2\0\0\1\1\1\0", 7, 1, false },
    { "a source that wraps", "\1" MAX64 "\1\1\0", 14, 1, false },
    { "a length that wraps", "\1\1" MAX64 "\1\0", 14, 1, false },
    { "a length that wraps in bytes", "\1\1" WRAP61 "\1\0", 13, 1, false },
    { "a literal that wraps in bytes", "\1\0" WRAP61 "abcdefgh", 19, 1, false },
    { "source and length of 2^63", "\1" HALF64 HALF64 "\1\0", 23, 1, false },
    { "copies beyond the cap", "\x81\x80\x10", 3, 1, false },
    { "2^64 - 1 copies", MAX64, 10, 1, false },
    { "a number of copies that is cut", "\x80", 1, 1, false },
    { "copies that are not there", "\x80\x80\x10", 3, 1, false },
    { "the list is cut", "\2\1\1\2", 4, 2, false },
    { "equal beyond the copy", "\1\1\2\3\0", 5, 2, false },
    { "differing beyond the copy", "\1\1\2\1\2\2\2", 7, 2, false },
    { "equal and differing that wrap", "\1\1\2\1" MAX64, 14, 2, false },
    { "equal that wraps", "\1\1\2" MAX64 "\3\2\2\2", 17, 2, false },
    { "a pair of zeros", "\1\1\1\0\0\1\0", 7, 1, false },
    { "a difference that is missing", "\1\1\1\0\1", 5, 1, false },
    { "a difference that is cut", "\1\1\1\0\1\x80", 6, 1, false },
    { "a difference of 65 bits",
      "\1\1\1\0\1\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
      "\xFF\xFF\x02",
      15, 1, false },
    { "no second pair", "\1\1\2\1\0", 5, 2, false },
    { "long forms of numbers", "\x81\0\x81\0\x81\0\x81\0\x80\0", 10, 1, true },
};

START_TEST(a_stream)
{
    struct pl_buf tokens = { 0 }, ref = { 0 };
    uint8_t *raw = malloc(streams[_i].words * WORD + 1);
    enum pl_status s;

    for (uint64_t v = 5; v < 9; v++)
        pl_buf_u64(&ref, v);
    pl_buf_u32(&ref, 9);
    pl_buf_bytes(&tokens, streams[_i].tokens, streams[_i].n);
    s = decode(&tokens, &ref, streams[_i].words * WORD, raw);
    ck_assert_msg(s == (streams[_i].good ? PL_OK : PL_CORRUPT), "%s",
                  streams[_i].what);
    free(raw);
    pl_buf_release(&tokens);
    pl_buf_release(&ref);
}
END_TEST

START_TEST(streams_say_what_they_should)
{
    static const uint64_t ref[] = { 5, 6, 7, 8 };
    uint8_t bytes[32], raw[16];

    for (size_t i = 0; i < 4; i++)
        pl_put_le64(bytes + WORD * i, ref[i]);
    ck_assert_int_eq(
        pl_delta_decode((const uint8_t *)"\1\1\2\1\1\6", 6, bytes, 32, raw, 16),
        PL_OK);
    ck_assert_uint_eq(pl_get_le64(raw), 5);
    ck_assert_uint_eq(pl_get_le64(raw + 8), 9);
    ck_assert_int_eq(pl_delta_decode((const uint8_t *)"\1\3\2\0\2\1\2", 7,
                                     bytes, 32, raw, 16),
                     PL_OK);
    ck_assert_uint_eq(pl_get_le64(raw), 6);
    ck_assert_uint_eq(pl_get_le64(raw + 8), 9);
}
END_TEST

START_TEST(the_documented_stream_is_one)
{
    static const char tokens[] = "\2\0\1\2\3"
                                 "abcdefgh"
                                 "\1\2\6\1";
    static const uint64_t want[] = { 0x6867666564636261, 6, 10, 7 };
    uint8_t ref[32], raw[32];

    for (size_t i = 0; i < 4; i++)
        pl_put_le64(ref + WORD * i, 5 + i);
    ck_assert_int_eq(pl_delta_decode((const uint8_t *)tokens, sizeof tokens - 1,
                                     ref, sizeof ref, raw, sizeof raw),
                     PL_OK);
    for (size_t i = 0; i < 4; i++)
        ck_assert_uint_eq(pl_get_le64(raw + WORD * i), want[i]);
}
END_TEST

START_TEST(a_length_that_is_no_multiple_of_8_is_refused)
{
    uint8_t raw[9];

    ck_assert_int_eq(pl_delta_decode((const uint8_t *)"\1\1\1\1\0", 5,
                                     (const uint8_t *)"12345678", 8, raw, 9),
                     PL_CORRUPT);
}
END_TEST

/* The stream of a pair with all kinds of copies in it. */
static void make_stream(struct pl_buf *tokens, struct pl_buf *ref,
                        struct pl_buf *raw)
{
    static const struct thing then[] = { { 2, NULL },
                                         { 4, "abc" },
                                         { 0, NULL } };
    static const struct thing now[] = { { 2, NULL },
                                        { 4, "xbcy" },
                                        { 0, NULL } };
    struct pl_plan plan = { 0 };

    put_things(ref, then, 1000);
    put_things(raw, now, 100000);
    ck_assert_int_eq(pl_delta_plan(&plan, ref->p, ref->len, raw->p, raw->len),
                     PL_OK);
    pl_delta_encode(tokens, &plan, ref->p, raw->p);
    pl_plan_release(&plan);
}

START_TEST(no_prefix_of_a_stream_is_a_stream)
{
    struct pl_buf tokens = { 0 }, ref = { 0 }, raw = { 0 };
    size_t whole;

    make_stream(&tokens, &ref, &raw);
    whole = tokens.len;
    for (tokens.len = 0; tokens.len < whole; tokens.len++) {
        uint8_t *out = malloc(raw.len);

        ck_assert_int_eq(decode(&tokens, &ref, raw.len, out), PL_CORRUPT);
        free(out);
    }
    pl_buf_release(&tokens);
    pl_buf_release(&ref);
    pl_buf_release(&raw);
}
END_TEST

START_TEST(no_flipped_bit_reaches_outside)
{
    struct pl_buf tokens = { 0 }, ref = { 0 }, raw = { 0 };
    size_t refused = 0;

    make_stream(&tokens, &ref, &raw);
    for (size_t bit = 0; bit < 8 * tokens.len; bit++) {
        uint8_t *out = malloc(raw.len);
        enum pl_status s;

        tokens.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        s = decode(&tokens, &ref, raw.len, out);
        ck_assert(s == PL_OK || s == PL_CORRUPT);
        refused += s != PL_OK;
        tokens.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        free(out);
    }
    ck_assert_uint_gt(refused, 0);
    pl_buf_release(&tokens);
    pl_buf_release(&ref);
    pl_buf_release(&raw);
}
END_TEST

START_TEST(no_stream_fits_another_length_or_a_shorter_reference)
{
    struct pl_buf tokens = { 0 }, ref = { 0 }, raw = { 0 };

    make_stream(&tokens, &ref, &raw);
    for (size_t n = 0; n < raw.len + 64; n += WORD) {
        uint8_t *out = malloc(n + 1);

        ck_assert_int_eq(decode(&tokens, &ref, n, out),
                         n == raw.len ? PL_OK : PL_CORRUPT);
        free(out);
    }
    while (--ref.len) {
        uint8_t *out = malloc(raw.len);
        enum pl_status s = decode(&tokens, &ref, raw.len, out);

        /* The last instance is still there, so its last word is used. */
        ck_assert_int_eq(s, PL_CORRUPT);
        free(out);
    }
    pl_buf_release(&tokens);
    pl_buf_release(&ref);
    pl_buf_release(&raw);
}
END_TEST

START_TEST(random_streams_reach_nowhere)
{
    struct pl_buf ref = { 0 };

    seed = 1;
    put_random(&ref, 20);
    for (int round = 0; round < 20000; round++) {
        struct pl_buf tokens = { 0 };
        size_t n = random64() % 16 * WORD;
        uint8_t *out = malloc(n + 1);

        for (uint64_t k = random64() % 40; k; k--) /* mostly small numbers */
            pl_buf_u8(&tokens, (uint8_t)(random64() >> random64() % 8 * 8 &
                                         (random64() % 8 ? 7 : 0xFF)));
        decode(&tokens, &ref, n, out);
        free(out);
        pl_buf_release(&tokens);
    }
    pl_buf_release(&ref);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("delta");

    tcase_add_loop_test(t, a_change_costs_what_is_new, 0, NUM(changes));
    tcase_add_test(t, the_search_for_an_instance_looks_64_ahead);
    tcase_add_test(t, processes_of_one_name_are_told_apart);
    tcase_add_test(t, the_walk_over_instances_goes_on_behind_a_stranger);
    tcase_add_test(t, a_definition_that_grew_is_told_anew);
    tcase_add_test(t, a_counter_block_that_grew_is_told_anew);
    tcase_add_test(t, hundreds_of_objects_are_walked_in_step);
    tcase_add_loop_test(t, a_malformed_block_is_compared_offset_by_offset, 0,
                        NUM(malformed));
    tcase_add_test(t, too_many_copies_fall_back_to_offsets);
    tcase_add_test(t, many_objects_are_planned_in_passable_time);
    tcase_add_test(t, random_blocks_come_back);
    tcase_add_test(t, damaged_blocks_come_back_too);
    tcase_add_test(t, extreme_differences_come_back);
    tcase_add_test(t, encoding_appends);
    tcase_add_loop_test(t, a_stream, 0, NUM(streams));
    tcase_add_test(t, streams_say_what_they_should);
    tcase_add_test(t, the_documented_stream_is_one);
    tcase_add_test(t, a_length_that_is_no_multiple_of_8_is_refused);
    tcase_add_test(t, no_prefix_of_a_stream_is_a_stream);
    tcase_add_test(t, no_flipped_bit_reaches_outside);
    tcase_add_test(t, no_stream_fits_another_length_or_a_shorter_reference);
    tcase_add_test(t, random_streams_reach_nowhere);
    return run_suite("delta", (TCase *[]){ t, NULL });
}
