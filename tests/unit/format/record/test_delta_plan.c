/* Which words of a block are predicted by which of the block before: what is there
 * is found again, what is new costs itself, and no block misleads it. */
#include "format/block/winperf.h"
#include "tests/support/deltas.h"
#include "tests/support/support.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUM(table) (sizeof(table) / sizeof *(table))

enum { WORD = 8 };

/* An instance named by a letter is 72 bytes: 24 + 4, padded, + 40. */
enum { INSTANCE_WORDS = 9, OBJECT_WORDS = 28, HEADER_WORDS = 11 };

static size_t literal_words(const struct pl_plan *plan)
{
    size_t words = 0;

    for (size_t i = 0; i < plan->num; i++)
        words += plan->copies[i].src ? 0 : plan->copies[i].len;
    return words;
}

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
    { "one moved to the end", { { 4, "abcd" } }, { { 4, "bcda" } }, 0 },
    { "two in the other order", { { 4, "ab" } }, { { 4, "ba" } }, 0 },
    { "all in the other order", { { 4, "abcd" } }, { { 4, "dcba" } }, 0 },
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

/* The literal words of one instance that is older instance 'at' of 'num'. */
static size_t literal_of_one(uint32_t num, uint32_t at)
{
    struct pl_buf then = { 0 }, now = { 0 };
    struct pl_plan plan = { 0 };
    size_t words;

    put_numbered(&then, 0, num);
    put_numbered(&now, at, 1);
    check_round_trip(&plan, &then, &now);
    words = literal_words(&plan);
    pl_plan_release(&plan);
    pl_buf_release(&then);
    pl_buf_release(&now);
    return words;
}

START_TEST(an_instance_is_found_wherever_it_is)
{
    const uint32_t most = PL_MAX_DELTA_ROWS;

    for (uint32_t gone = 62; gone < 67; gone++)
        ck_assert_uint_eq(literal_of_one(70, gone), 0);
    ck_assert_uint_eq(literal_of_one(most, most - 1), 0);
}
END_TEST

START_TEST(of_very_many_instances_the_next_64_are_looked_at)
{
    const uint32_t many = PL_MAX_DELTA_ROWS + 1;

    ck_assert_uint_eq(literal_of_one(many, 63), 0);
    ck_assert_uint_ne(literal_of_one(many, 64), 0);
}
END_TEST

static void put_five(uint8_t *block, uint64_t id)
{
    for (size_t i = 0; i < 5; i++)
        pl_put_le64(block + 8 + 8 * i, id * (i + 1));
}

/* A process: its name is one letter, a colon and its number. */
struct process {
    char letter;
    uint64_t id;
    uint64_t value; /* times 1 to 5: its values; 0: its number */
};

static void put_process(struct pl_buf *b, const struct process *p)
{
    char text[8];
    uint8_t name[2 * sizeof text] = { 0 };
    int n = snprintf(text, sizeof text, "%c:%d", p->letter, (int)p->id);

    for (int i = 0; i < n; i++)
        name[2 * i] = (uint8_t)text[i];
    pl_put_instance(b, 0, 0, name, 2 * (size_t)n);
    put_five(pl_put_counter_block(b, 8 + 5 * 8), p->value ? p->value : p->id);
}

/* Up to one without a number. */
static void put_processes(struct pl_buf *b, const struct process *p)
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
    for (; p[num].id; num++)
        put_process(b, &p[num]);
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

enum { PROCESS_WORDS = (24 + 8 + 8 + 40) / WORD, HUGE_VALUE = 1 << 30 };

/* clang-format off */
static const struct {
    const char *what;
    struct process then[6], now[6];
    size_t literal; /* words that no older word predicts, */
    size_t wrong;   /* and words that are predicted wrongly, at most: lengths
                       and numbers in headers are three */
} populations[] = {
    { "one gone",
      { { 's', 2, 0 }, { 's', 3, 0 }, { 's', 5, 0 } },
      { { 's', 2, 0 }, { 's', 5, 0 } }, 0, 3 },
    { "one replaced by a stranger",
      { { 's', 2, 0 }, { 's', 3, 0 }, { 's', 5, 0 } },
      { { 's', 2, 0 }, { 'x', 7, 0 }, { 's', 5, 0 } }, PROCESS_WORDS, 0 },
    { "one ended, and stands behind the others",
      { { 's', 2, 0 }, { 's', 3, 0 }, { 's', 5, 0 } },
      { { 's', 2, 0 }, { 's', 5, 0 }, { 's', 3, 0 } }, 0, 0 },
    { "one of the same name is new, in front of those there still",
      { { 's', 2, 0 }, { 's', 3, 0 } },
      { { 's', 7, 0 }, { 's', 2, 0 }, { 's', 3, 0 } }, 0, 3 + 1 + 5 },
    { "likewise, and the one it is predicted by comes later",
      { { 's', 2, 0 }, { 's', 3, 0 } },
      { { 's', 3, 0 }, { 's', 7, 0 }, { 's', 2, 0 } }, 0, 3 + 1 + 5 },
    { "a series is predicted by the series before, in its order",
      { { 'x', 1, 0 }, { 'a', 2, 1000 }, { 'b', 3, 7 }, { 'a', 4, 2000 } },
      { { 'x', 1, 0 }, { 'a', 5, 1000 }, { 'b', 6, 7 }, { 'a', 7, 2000 } },
      0, 3 },
    { "a longer series by the last of the one before",
      { { 'x', 1, 0 }, { 'a', 2, 1000 }, { 'a', 3, 2000 } },
      { { 'x', 1, 0 }, { 'a', 4, 1000 }, { 'a', 5, 2000 }, { 'a', 6, 2000 } },
      0, 3 + 3 },
    { "not where the differences are longer than the values",
      { { 's', 2, HUGE_VALUE } },
      { { 's', 3, 1 } }, PROCESS_WORDS, 0 },
    { "nor where another process has the number, and so the name, of one before",
      { { 's', 2, UINT64_C(1) << 60 } },
      { { 's', 2, 1 } }, PROCESS_WORDS, 0 },
};
/* clang-format on */

START_TEST(processes_come_and_go)
{
    struct pl_buf then = { 0 }, now = { 0 };
    struct pl_plan plan = { 0 };

    put_processes(&then, populations[_i].then);
    put_processes(&now, populations[_i].now);
    check_round_trip(&plan, &then, &now);
    ck_assert_msg(literal_words(&plan) == populations[_i].literal,
                  "%s: %zu literal words", populations[_i].what,
                  literal_words(&plan));
    ck_assert_msg(wrong_predictions(&plan, &then, &now) <=
                      populations[_i].wrong,
                  "%s: %zu wrong", populations[_i].what,
                  wrong_predictions(&plan, &then, &now));
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

static size_t literal_of(const struct pl_buf *then, const struct pl_buf *now)
{
    struct pl_plan plan = { 0 };
    size_t words;

    check_round_trip(&plan, then, now);
    words = literal_words(&plan);
    pl_plan_release(&plan);
    return words;
}

/* The memory of the older block ends where the block does. */
START_TEST(an_older_block_that_is_cut_is_not_read_beyond_its_end)
{
    static const struct thing things[] = { { 4, "ab" }, { 0, NULL } };
    const uint32_t last = INSTANCE_WORDS * WORD;
    struct pl_buf then = { 0 }, now = { 0 };

    put_things(&now, things, 2);
    for (uint32_t cut = 1; cut <= last; cut++) {
        pl_buf_clear(&then);
        put_things(&then, things, 1);
        then.len -= cut;
        pl_buf_set_u32(&then, 20, (uint32_t)then.len);
        pl_buf_set_u32(&then, 88, (uint32_t)then.len - 88);
        ck_assert_uint_eq(literal_of(&then, &now), INSTANCE_WORDS);
    }
    pl_buf_release(&then);
    pl_buf_release(&now);
}
END_TEST

START_TEST(what_lies_behind_the_last_instance_is_none)
{
    static const struct thing things[] = { { 4, "ab" }, { 0, NULL } };
    struct pl_buf then = { 0 }, now = { 0 };

    put_things(&then, things, 1);
    pl_buf_set_u32(&then, 88 + 40, 1);
    put_things(&now, things, 2);
    ck_assert_uint_eq(literal_of(&then, &now), INSTANCE_WORDS);
    pl_buf_release(&then);
    pl_buf_release(&now);
}
END_TEST

/* Instances of one word of values and of two. */
static void put_different(struct pl_buf *b, uint32_t type)
{
    struct pl_block_stamp stamp = { 0 };
    struct pl_object o = { .title_index = 4 };
    size_t block = pl_put_block(b, &stamp, NULL, 0);
    size_t at = pl_put_object(b, &o);

    pl_put_counter(
        b, &(struct pl_counter_def){ .type = type, .size = 8, .offset = 8 });
    pl_put_definitions_close(b, at, 1);
    for (uint32_t i = 0; i < 2; i++) {
        uint8_t name[2] = { 'a', (uint8_t)i };

        pl_put_instance(b, 0, 0, name, sizeof name);
        pl_put_counter_block(b, 16 + 8 * i);
    }
    pl_put_object_close(b, at, 2);
    pl_put_block_close(b, block, 1, -1);
}

/* Only texts may be of different lengths: an instance that is longer than those
 * before it is an error else. */
START_TEST(an_instance_of_another_length_is_found_where_it_may_be)
{
    struct pl_buf then = { 0 }, now = { 0 };

    put_different(&now, PERF_SIZE_VARIABLE_LEN);
    put_different(&then, PERF_SIZE_VARIABLE_LEN);
    ck_assert_uint_eq(literal_of(&then, &now), 0);
    pl_buf_clear(&then);
    put_different(&then, PERF_COUNTER_BULK_COUNT);
    ck_assert_uint_eq(literal_of(&then, &now), (24 + 8 + 24) / WORD);
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

int main(void)
{
    TCase *t = tcase_create("delta_plan");

    tcase_add_loop_test(t, a_change_costs_what_is_new, 0, NUM(changes));
    tcase_add_test(t, an_instance_is_found_wherever_it_is);
    tcase_add_test(t, of_very_many_instances_the_next_64_are_looked_at);
    tcase_add_loop_test(t, processes_come_and_go, 0, NUM(populations));
    tcase_add_test(t, the_walk_over_instances_goes_on_behind_a_stranger);
    tcase_add_test(t, a_definition_that_grew_is_told_anew);
    tcase_add_test(t, a_counter_block_that_grew_is_told_anew);
    tcase_add_test(t, hundreds_of_objects_are_walked_in_step);
    tcase_add_loop_test(t, a_malformed_block_is_compared_offset_by_offset, 0,
                        NUM(malformed));
    tcase_add_test(t, an_older_block_that_is_cut_is_not_read_beyond_its_end);
    tcase_add_test(t, what_lies_behind_the_last_instance_is_none);
    tcase_add_test(t, an_instance_of_another_length_is_found_where_it_may_be);
    tcase_add_test(t, too_many_copies_fall_back_to_offsets);
    tcase_add_test(t, many_objects_are_planned_in_passable_time);
    return run_suite("delta_plan", (TCase *[]){ t, NULL });
}
