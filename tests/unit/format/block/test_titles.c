/* The title database: what is set is found, what is written is read, and a
 * payload that lies is refused without a byte read outside. */
#include "format/block/titles.h"

#include "format/base/cursor.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUM(table) (sizeof(table) / sizeof *(table))

enum { PROCESS = 230, THREAD = 232, PROCESSOR = 238, GERMAN = 7 };

static struct pl_titles *titles;

static void setup(void)
{
    ck_assert_int_eq(pl_titles_new(&titles), PL_OK);
}

static void teardown(void)
{
    pl_titles_free(titles);
}

static void set(uint32_t index, enum pl_title_kind kind, uint16_t language,
                const char *text)
{
    ck_assert_int_eq(
        pl_titles_set(titles, index, kind, language, pl_text_of(text)), PL_OK);
}

static void check_text(struct pl_text got, const char *want)
{
    ck_assert_msg(pl_text_equal(got, pl_text_of(want)), "%.*s, not %s",
                  (int)got.n, got.p, want);
}

/* pl_titles_parse of an exact-size copy. */
static enum pl_status parse(const void *p, size_t n)
{
    uint8_t *copy = exact_copy(p, n);
    enum pl_status s = pl_titles_parse(titles, copy, n);

    free(copy); /* nothing may point into it */
    return s;
}

static const struct pl_counter_facts processor_counters[] = {
    { 6, PL_NO_FLAG, PL_TOTAL_MEAN },
    { 142, 3, PL_TOTAL_SUM },
    { UINT32_MAX, 0, PL_TOTAL_NONE },
};
static const struct pl_object_facts processor_facts = {
    .identity = { 1, 2, 3, 4 },
    .num_identity = 4,
    .flags_counter = 99,
    .counters = processor_counters,
    .num_counters = NUM(processor_counters),
};

static void check_processor_facts(void)
{
    const struct pl_object_facts f = pl_titles_facts(titles, PROCESSOR);
    struct pl_counter_facts c;

    ck_assert_uint_eq(f.num_identity, 4);
    ck_assert_mem_eq(f.identity, processor_facts.identity, 16);
    ck_assert_uint_eq(f.flags_counter, 99);
    ck_assert_uint_eq(f.num_counters, 3);
    c = pl_counter_facts_of(&f, 142);
    ck_assert_uint_eq(c.flag_bit, 3);
    ck_assert_uint_eq(c.total_rule, PL_TOTAL_SUM);
    ck_assert_uint_eq(pl_counter_facts_of(&f, UINT32_MAX).flag_bit, 0);
    ck_assert_uint_eq(pl_counter_facts_of(&f, 7).flag_bit, PL_NO_FLAG);
    ck_assert_uint_eq(pl_counter_facts_of(&f, 7).total_rule, PL_TOTAL_NONE);
}

/* ---- set and ask --------------------------------------------------------- */

START_TEST(names_and_helps_are_kept_apart)
{
    set(6, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH, "% Processor Time");
    set(6, PL_TITLE_HELP, PL_LANGUAGE_ENGLISH, "How busy it is.");
    set(7, PL_TITLE_HELP, PL_LANGUAGE_ENGLISH, "Only a help text.");
    check_text(pl_titles_name(titles, 6), "% Processor Time");
    check_text(pl_titles_help(titles, 6), "How busy it is.");
    check_text(pl_titles_name(titles, 7), "");
    check_text(pl_titles_help(titles, 8), "");
    ck_assert_ptr_nonnull(pl_titles_name(titles, 8).p);
}
END_TEST

START_TEST(a_later_text_replaces_an_earlier_one)
{
    set(6, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH, "first");
    set(6, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH, "");
    check_text(pl_titles_name(titles, 6), "");
    set(6, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH, "third, and longer");
    check_text(pl_titles_name(titles, 6), "third, and longer");
}
END_TEST

START_TEST(english_is_preferred_and_anything_better_than_nothing)
{
    set(6, PL_TITLE_NAME, GERMAN, "Prozessorzeit");
    check_text(pl_titles_name(titles, 6), "Prozessorzeit");
    set(6, PL_TITLE_NAME, 0x0409, "English (US)");
    check_text(pl_titles_name(titles, 6), "Prozessorzeit");
    set(6, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH, "English");
    check_text(pl_titles_name(titles, 6), "English");
    set(5, PL_TITLE_NAME, 0x0C09, "behind nine");
    check_text(pl_titles_name(titles, 5), "behind nine");
    check_text(pl_titles_name(titles, 4), ""); /* not its neighbour's */
}
END_TEST

START_TEST(texts_are_copied)
{
    char text[] = "before";

    set(2, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH, text);
    memcpy(text, "after!", 6);
    check_text(pl_titles_name(titles, 2), "before");
}
END_TEST

START_TEST(facts_are_kept)
{
    ck_assert_int_eq(pl_titles_set_facts(titles, PROCESSOR, &processor_facts),
                     PL_OK);
    check_processor_facts();
    ck_assert_int_eq(pl_titles_set_facts(titles, PROCESSOR, &processor_facts),
                     PL_OK); /* twice is once */
    check_processor_facts();
}
END_TEST

START_TEST(processes_and_threads_have_facts_without_an_entry)
{
    struct pl_object_facts f = pl_titles_facts(titles, PROCESS);

    ck_assert_uint_eq(f.num_identity, 2);
    ck_assert_uint_eq(f.identity[0], 784);
    ck_assert_uint_eq(f.identity[1], 684);
    f = pl_titles_facts(titles, THREAD);
    ck_assert_uint_eq(f.num_identity, 2);
    ck_assert_uint_eq(f.identity[0], 804);
    ck_assert_uint_eq(f.identity[1], 684);
    f = pl_titles_facts(titles, PROCESSOR);
    ck_assert_uint_eq(f.num_identity, 0);
    ck_assert_uint_eq(f.flags_counter, 0);
    ck_assert_uint_eq(pl_counter_facts_of(&f, 6).flag_bit, PL_NO_FLAG);
    ck_assert_int_eq(pl_titles_set_facts(titles, PROCESS, &processor_facts),
                     PL_OK);
    f = pl_titles_facts(titles, PROCESS);
    ck_assert_uint_eq(f.num_identity, 4); /* the entry wins */
}
END_TEST

/* ---- payloads ------------------------------------------------------------ */

/* Worked out by hand; FORMAT.md has the layout. */
static const uint8_t payload[] = {
    2, 0,   9,   0, 6, 'S', 'y', 's', 't',  'e', 'm', 2, 1, 9, 0,
    2, 'H', '.', 2, 2, 0,   0,   15,  1,    5,   0,   0, 0, 0, 0,
    0, 0,   7,   0, 0, 0,   255, 1,   0xAC, 2,   0,   9, 0, 0, /* index 300, an empty name */
};

START_TEST(titles_are_written_sorted_and_as_documented)
{
    static const struct pl_counter_facts counter = { 7, 255, 1 };
    struct pl_object_facts f = { .identity = { 5 },
                                 .num_identity = 1,
                                 .counters = &counter,
                                 .num_counters = 1 };
    struct pl_buf b = { 0 };

    set(300, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH, "");
    ck_assert_int_eq(pl_titles_set_facts(titles, 2, &f), PL_OK);
    set(2, PL_TITLE_HELP, PL_LANGUAGE_ENGLISH, "H.");
    set(2, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH, "System");
    pl_titles_write(titles, &b);
    ck_assert_uint_eq(b.len, sizeof payload);
    ck_assert_mem_eq(b.p, payload, sizeof payload);
    pl_buf_release(&b);
}
END_TEST

START_TEST(what_was_written_is_read_back)
{
    struct pl_buf b = { 0 }, again = { 0 };

    for (uint32_t i = 1; i < 3000; i += 7) {
        char name[32];

        snprintf(name, sizeof name, "Counter %u", i * 40503);
        set(i * 40503, PL_TITLE_NAME, (uint16_t)(i % 3 ? 9 : 7), name);
        set(i, PL_TITLE_HELP, PL_LANGUAGE_ENGLISH, name);
    }
    ck_assert_int_eq(pl_titles_set_facts(titles, PROCESSOR, &processor_facts),
                     PL_OK);
    pl_titles_write(titles, &b);
    set(1, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH, "replaced by the payload");
    ck_assert_int_eq(parse(b.p, b.len), PL_OK);
    check_text(pl_titles_name(titles, 1), "");
    check_text(pl_titles_name(titles, 8 * 40503), "Counter 324024");
    check_text(pl_titles_help(titles, 8), "Counter 324024");
    check_processor_facts();
    pl_titles_write(titles, &again);
    ck_assert_uint_eq(again.len, b.len);
    ck_assert_mem_eq(again.p, b.p, b.len);
    pl_buf_release(&b);
    pl_buf_release(&again);
}
END_TEST

START_TEST(the_documented_payload_is_understood)
{
    struct pl_object_facts f;

    ck_assert_int_eq(parse(payload, sizeof payload), PL_OK);
    check_text(pl_titles_name(titles, 2), "System");
    check_text(pl_titles_help(titles, 2), "H.");
    f = pl_titles_facts(titles, 2);
    ck_assert_uint_eq(f.num_identity, 1);
    ck_assert_uint_eq(f.identity[0], 5);
    ck_assert_uint_eq(f.num_counters, 1);
    ck_assert_uint_eq(pl_counter_facts_of(&f, 7).total_rule, PL_TOTAL_SUM);
}
END_TEST

/* ---- birth ---------------------------------------------------------------- */

static const uint32_t zeros[] = { 9, 3, 200, 1, 77000 };
static const struct pl_birth_facts birth = {
    .counter = 684,
    .slack = 100000,
    .zeros = zeros,
    .num_zeros = NUM(zeros),
};

static void check_birth(void)
{
    struct pl_birth_facts b;

    ck_assert(pl_titles_birth(titles, PROCESS, &b));
    ck_assert_uint_eq(b.counter, 684);
    ck_assert_uint_eq(b.slack, 100000);
    ck_assert_uint_eq(b.num_zeros, NUM(zeros));
    for (size_t i = 0; i < NUM(zeros); i++)
        ck_assert(pl_starts_at_zero(&b, zeros[i]));
    ck_assert(!pl_starts_at_zero(&b, 2));
    ck_assert(!pl_starts_at_zero(&b, 77001));
}

START_TEST(counters_that_begin_at_zero_are_kept)
{
    struct pl_birth_facts b;
    struct pl_buf text = { 0 };

    ck_assert(!pl_titles_birth(titles, PROCESS, &b));
    ck_assert_int_eq(pl_titles_set_birth(titles, PROCESS, &birth), PL_OK);
    check_birth();
    ck_assert(!pl_titles_birth(titles, THREAD, &b));
    pl_titles_write(titles, &text);
    ck_assert_int_eq(parse(text.p, text.len), PL_OK);
    check_birth();
    pl_buf_release(&text);
}
END_TEST

START_TEST(a_birth_is_written_as_documented)
{
    static const uint8_t want[] = { 2, 3, 0, 0, 12, 5, 0, 0, 0,
                                    6, 0, 0, 0, 7,  0, 0, 0 };
    const struct pl_birth_facts b = { 5, 6, (const uint32_t[]){ 7 }, NULL, 1 };
    struct pl_buf text = { 0 };

    ck_assert_int_eq(pl_titles_set_birth(titles, 2, &b), PL_OK);
    pl_titles_write(titles, &text);
    ck_assert_uint_eq(text.len, sizeof want);
    ck_assert_mem_eq(text.p, want, sizeof want);
    pl_buf_release(&text);
}
END_TEST

START_TEST(a_malformed_birth_is_as_if_it_were_not_there)
{
    struct pl_buf b = { 0 };
    struct pl_birth_facts got;

    for (uint8_t n = 0; n < 12; n++) {
        pl_buf_clear(&b);
        pl_buf_bytes(&b, "\2\3\0\0", 4);
        pl_buf_u8(&b, n);
        pl_buf_bytes(&b, "\1\0\0\0\1\0\0\0\1\0\0\0", n);
        pl_buf_bytes(&b, "\3\0\11\0\1x", 6); /* 3 is called x */
        ck_assert_int_eq(parse(b.p, b.len), PL_OK);
        ck_assert_msg(pl_titles_birth(titles, 2, &got) == (n == 8), "%u", n);
        check_text(pl_titles_name(titles, 3), "x");
    }
    ck_assert(!pl_starts_at_zero(&(struct pl_birth_facts){ 0 }, 0));
    pl_buf_release(&b);
}
END_TEST

START_TEST(a_bit_of_what_is_left_out_is_written_as_documented)
{
    static const uint8_t want[] = { 2, 4, 0, 0, 1, 16 };
    struct pl_buf b = { 0 };

    ck_assert_uint_eq(pl_titles_left_out(titles, 2), PL_NO_FLAG);
    ck_assert_int_eq(pl_titles_set_left_out(titles, 2, 16), PL_OK);
    ck_assert_uint_eq(pl_titles_left_out(titles, 2), 16);
    pl_titles_write(titles, &b);
    ck_assert_uint_eq(b.len, sizeof want);
    ck_assert_mem_eq(b.p, want, sizeof want);
    for (uint8_t n = 0; n < 3; n++) {
        pl_buf_clear(&b);
        pl_buf_bytes(&b, "\2\4\0\0", 4);
        pl_buf_u8(&b, n);
        pl_buf_bytes(&b, "\7\7", n);
        ck_assert_int_eq(parse(b.p, b.len), PL_OK);
        ck_assert_uint_eq(pl_titles_left_out(titles, 2),
                          n == 1 ? 7 : PL_NO_FLAG);
    }
    pl_buf_release(&b);
}
END_TEST

/* As long as they are, they are looked up where they lie. */
START_TEST(facts_in_any_order_are_found)
{
    uint8_t facts[5 + 6 * 5] = { 0 };
    static const uint8_t indexes[] = { 9, 3, 200, 1, 77 };
    struct pl_object_facts f;
    struct pl_buf b = { 0 };

    for (size_t i = 0; i < NUM(indexes); i++) {
        facts[5 + 6 * i] = indexes[i];
        facts[5 + 6 * i + 4] = (uint8_t)i;
    }
    pl_buf_varint(&b, 2);
    pl_buf_u8(&b, PL_TITLE_FACTS);
    pl_buf_u16(&b, 0);
    pl_buf_varint(&b, sizeof facts);
    pl_buf_bytes(&b, facts, sizeof facts);
    ck_assert_int_eq(parse(b.p, b.len), PL_OK);
    f = pl_titles_facts(titles, 2);
    ck_assert_uint_eq(f.num_counters, NUM(indexes));
    for (uint8_t i = 0; i < NUM(indexes); i++)
        ck_assert_uint_eq(pl_counter_facts_of(&f, indexes[i]).flag_bit, i);
    pl_buf_release(&b);
}
END_TEST

START_TEST(a_payload_is_taken_over)
{
    struct pl_buf b = { 0 };

    pl_buf_bytes(&b, payload, sizeof payload);
    ck_assert_int_eq(pl_titles_take(titles, &b), PL_OK);
    ck_assert_uint_eq(b.len, 0);
    check_text(pl_titles_name(titles, 2), "System");
    pl_buf_release(&b);
}
END_TEST

START_TEST(an_empty_payload_empties)
{
    set(2, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH, "System");
    ck_assert_int_eq(parse("", 0), PL_OK);
    check_text(pl_titles_name(titles, 2), "");
    ck_assert_int_eq(pl_titles_parse(titles, NULL, 0), PL_OK);
}
END_TEST

START_TEST(no_prefix_is_taken_for_the_whole)
{
    static const size_t whole[] = { 0, 11, 18, 38, 44 }; /* entries end */
    size_t next = 0;

    for (size_t n = 0; n <= sizeof payload; n++) {
        bool ends = n == whole[next];

        next += ends;
        ck_assert_msg(parse(payload, n) == (ends ? PL_OK : PL_CORRUPT),
                      "%zu bytes", n);
        if (n >= whole[1]) /* what came before the cut is kept */
            check_text(pl_titles_name(titles, 2), "System");
    }
    ck_assert_uint_eq(next, NUM(whole));
}
END_TEST

START_TEST(no_flipped_bit_reaches_outside)
{
    uint8_t bytes[sizeof payload];

    for (size_t bit = 0; bit < 8 * sizeof payload; bit++) {
        struct pl_buf b = { 0 };
        enum pl_status s;

        memcpy(bytes, payload, sizeof bytes);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        s = parse(bytes, sizeof bytes);
        ck_assert(s == PL_OK || s == PL_CORRUPT);
        pl_titles_write(titles, &b);
        pl_buf_release(&b);
    }
}
END_TEST

static const struct {
    const char *what;
    const char *bytes;
    size_t n;
    enum pl_status want;
    const char *name; /* of 2 afterwards */
} payloads[] = {
    { "an unknown kind", "\2\3\11\0\1x\2\0\11\0\1y", 12, PL_OK, "y" },
    { "kind 255", "\2\xFF\11\0\1x\2\0\11\0\1y", 12, PL_OK, "y" },
    { "a 16-bit language", "\2\0\11\4\1x", 6, PL_OK, "x" },
    { "the largest index", "\xFF\xFF\xFF\xFF\x0F\0\11\0\1x", 10, PL_OK, "" },
    { "an index of 33 bits", "\x80\x80\x80\x80\x10\0\11\0\1x", 10, PL_CORRUPT,
      "" },
    { "a text longer than all", "\2\0\11\0\2x", 6, PL_CORRUPT, "" },
    { "a length that wraps", "\2\0\11\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\1x",
      15, PL_CORRUPT, "" },
    { "no facts at all", "\2\2\0\0\0\2\0\11\0\1y", 11, PL_OK, "y" },
    { "the same twice", "\2\0\11\0\1x\2\0\11\0\1y", 12, PL_CORRUPT, "x" },
};

START_TEST(a_payload)
{
    enum pl_status s = parse(payloads[_i].bytes, payloads[_i].n);

    ck_assert_msg(s == payloads[_i].want, "%s: %d", payloads[_i].what, s);
    check_text(pl_titles_name(titles, 2), payloads[_i].name);
}
END_TEST

static const struct {
    const char *what;
    const char *bytes;
    size_t n;
} bad_facts[] = {
    { "empty", "", 0 },
    { "five identity counters",
      "\5\1\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0"
      "\0\0\0\0",
      25 },
    { "identity cut", "\1\1\0\0", 4 },
    { "no flags counter", "\0\0\0\0", 4 },
    { "half a counter", "\0\0\0\0\0\1\0\0", 8 },
};

START_TEST(malformed_facts_are_as_if_they_were_not_there)
{
    struct pl_buf b = { 0 };

    pl_buf_varint(&b, PROCESS);
    pl_buf_u8(&b, PL_TITLE_FACTS);
    pl_buf_u16(&b, 0);
    pl_buf_varint(&b, bad_facts[_i].n);
    pl_buf_bytes(&b, bad_facts[_i].bytes, bad_facts[_i].n);
    pl_buf_bytes(&b, "\xE8\7\0\11\0\1x", 7); /* 1000 is called x */
    ck_assert_msg(parse(b.p, b.len) == PL_OK, "%s", bad_facts[_i].what);
    ck_assert_msg(pl_titles_facts(titles, PROCESS).num_identity == 2, "%s",
                  bad_facts[_i].what); /* the built-in ones */
    check_text(pl_titles_name(titles, 1000), "x");
    pl_buf_release(&b);
}
END_TEST

/* 64 MiB hold 10 million entries, and a crafted file in any order. */
START_TEST(entries_in_the_worst_order_cost_no_more_than_sorted_ones)
{
    enum { NUM_ENTRIES = 60000 };
    struct pl_buf b = { 0 };
    double start, sorted, reversed;
    enum pl_status s;

    for (uint32_t i = 0; i < NUM_ENTRIES; i++) {
        pl_buf_varint(&b, i);
        pl_buf_bytes(&b, "\0\11\0\0", 4);
    }
    start = cpu_seconds();
    ck_assert_int_eq(parse(b.p, b.len), PL_OK);
    sorted = cpu_seconds() - start;
    pl_buf_clear(&b);
    for (uint32_t i = NUM_ENTRIES; i > 0; i--) {
        pl_buf_varint(&b, i);
        pl_buf_bytes(&b, "\0\11\0\0", 4);
    }
    start = cpu_seconds();
    s = parse(b.p, b.len);
    reversed = cpu_seconds() - start;
    ck_assert(s == PL_OK || s == PL_CORRUPT);
    ck_assert_msg(reversed < 10 * sorted + 0.2, "%f against %f", reversed,
                  sorted);
    pl_buf_release(&b);
}
END_TEST

START_TEST(freeing_nothing_is_fine)
{
    pl_titles_free(NULL);
}
END_TEST

/* The others stay, and so does no memory of those. */
START_TEST(ranges_are_removed)
{
    static const struct pl_title_range ranges[] = { { 10, 20 }, { 40, 41 } };
    static const struct pl_title_range last = { 45, 50 };
    struct pl_titles *t;
    struct pl_buf one = { 0 }, other = { 0 };
    struct pl_object_facts facts = { .num_identity = 1, .identity = { 4 } };

    ck_assert_int_eq(pl_titles_new(&t), PL_OK);
    for (uint32_t i = 0; i < 50; i++) {
        ck_assert_int_eq(pl_titles_set(t, i, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH,
                                       pl_text_of("name")),
                         PL_OK);
        if ((i < 10 || i >= 20) && i != 40)
            pl_titles_write_some(t, &i, 1, &one);
    }
    ck_assert_int_eq(pl_titles_set_facts(t, 12, &facts), PL_OK);
    pl_titles_remove(t, ranges, 2);
    pl_titles_write(t, &other);
    ck_assert_uint_eq(one.len, other.len);
    ck_assert_int_eq(memcmp(one.p, other.p, one.len), 0);
    ck_assert_uint_eq(pl_titles_facts(t, 12).num_identity, 0);
    ck_assert_int_eq(pl_titles_set(t, 12, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH,
                                   pl_text_of("again")),
                     PL_OK);
    ck_assert_uint_eq(pl_titles_name(t, 12).n, 5);
    ck_assert_uint_eq(pl_titles_name(t, 49).n, 4);
    pl_titles_remove(t, &last, 1);
    ck_assert_uint_eq(pl_titles_name(t, 44).n, 4);
    for (uint32_t i = last.first; i < last.past; i++)
        ck_assert_uint_eq(pl_titles_name(t, i).n, 0);
    pl_buf_release(&one);
    pl_buf_release(&other);
    pl_titles_free(t);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("titles");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, ranges_are_removed);
    tcase_add_test(t, names_and_helps_are_kept_apart);
    tcase_add_test(t, a_later_text_replaces_an_earlier_one);
    tcase_add_test(t, english_is_preferred_and_anything_better_than_nothing);
    tcase_add_test(t, texts_are_copied);
    tcase_add_test(t, facts_are_kept);
    tcase_add_test(t, processes_and_threads_have_facts_without_an_entry);
    tcase_add_test(t, titles_are_written_sorted_and_as_documented);
    tcase_add_test(t, what_was_written_is_read_back);
    tcase_add_test(t, the_documented_payload_is_understood);
    tcase_add_test(t, counters_that_begin_at_zero_are_kept);
    tcase_add_test(t, a_birth_is_written_as_documented);
    tcase_add_test(t, a_malformed_birth_is_as_if_it_were_not_there);
    tcase_add_test(t, a_bit_of_what_is_left_out_is_written_as_documented);
    tcase_add_test(t, facts_in_any_order_are_found);
    tcase_add_test(t, a_payload_is_taken_over);
    tcase_add_test(t, an_empty_payload_empties);
    tcase_add_test(t, no_prefix_is_taken_for_the_whole);
    tcase_add_test(t, no_flipped_bit_reaches_outside);
    tcase_add_loop_test(t, a_payload, 0, NUM(payloads));
    tcase_add_loop_test(t, malformed_facts_are_as_if_they_were_not_there, 0,
                        NUM(bad_facts));
    tcase_add_test(t, entries_in_the_worst_order_cost_no_more_than_sorted_ones);
    tcase_add_test(t, freeing_nothing_is_fine);
    return run_suite("titles", (TCase *[]){ t, NULL });
}
