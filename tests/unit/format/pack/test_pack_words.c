/* New words of a pack: the bytes of each way to store a field, by hand. */
#include "format/pack/pack_words.h"

#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 16 };

struct words {
    struct pl_pack_rows rows;
    struct pl_pack_order order;
    uint8_t in[MOST_WORDS * PL_PACK_WORD], out[MOST_WORDS * PL_PACK_WORD];
    struct pl_buf bytes;
};

/* Rows of one group, each of that many words. */
static void add_rows(struct words *w, const uint64_t *lens, size_t num)
{
    for (size_t i = 0; i < num; i++)
        ck_assert_int_eq(pl_pack_rows_add(&w->rows, lens[i], 0, 0), PL_OK);
    ck_assert_int_eq(pl_pack_rows_order(&w->rows, &w->order), PL_OK);
}

/* Read what 'bytes' hold, and give it to the rows, one after the other. */
static enum pl_status get_all(const struct pl_pack_rows *rows,
                              const uint8_t *bytes, size_t n, uint8_t *out)
{
    struct pl_pack_sources sources = { 0 };
    struct pl_cur c = pl_cur_of(bytes, n);
    enum pl_status s;

    ck_assert_int_eq(pl_pack_sources_make(&sources, rows), PL_OK);
    s = pl_pack_words_find(&sources, rows->num_groups, &c);
    ck_assert(s || !c.left);
    for (size_t i = 0; !s && i < rows->num; i++) {
        const struct pl_pack_row *row = &rows->rows[i];

        pl_pack_words_take(pl_pack_sources_of(&sources, row->group), bytes,
                           row->len, out + (size_t)row->first * PL_PACK_WORD);
    }
    pl_pack_sources_release(&sources);
    return s;
}

static enum pl_status get(struct words *w, const uint8_t *bytes, size_t n)
{
    return get_all(&w->rows, bytes, n, w->out);
}

static void words_release(struct words *w)
{
    pl_pack_rows_release(&w->rows);
    pl_pack_order_release(&w->order);
    pl_buf_release(&w->bytes);
}

static uint64_t word(const struct words *w, size_t i)
{
    return pl_get_le64(w->out + i * PL_PACK_WORD);
}

START_TEST(rows_are_put_in_order_by_field)
{
    const uint64_t lens[] = { 2, 3, 1 };
    const uint32_t want[] = { 1, 4, 5, 0, 3, 2 };
    struct words w = { .bytes = { 0 } };

    add_rows(&w, lens, 3);
    ck_assert_uint_eq(w.order.num_fields, 3);
    ck_assert_mem_eq(w.order.series, want, sizeof want);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_uint_eq(w.order.fields[i].distance, i);
    ck_assert_uint_eq(w.order.fields[0].end, 3);
    ck_assert_uint_eq(w.order.fields[1].end, 5);
    ck_assert_uint_eq(w.order.fields[2].end, 6);
    words_release(&w);
}
END_TEST

/* Two rows of three words: the last field by the row before, the middle one as
 * it is, the first one by the word that is two behind it. */
START_TEST(each_way_is_read_as_described)
{
    static const uint8_t bytes[] = { 2, 14, 1,                   /* 7, 6 */
                                     0, 1,  2, 3, 4, 5, 6, 7, 8, /* as it is */
                                     9, 0,  0, 0, 0, 0, 0, 0, 4, 0, /* 9, 7 */
                                     5 };                           /* 6 - 3 */
    const uint64_t lens[] = { 3, 3 };
    struct words w = { .bytes = { 0 } };

    add_rows(&w, lens, 2);
    ck_assert_int_eq(get(&w, bytes, sizeof bytes), PL_OK);
    ck_assert_uint_eq(word(&w, 2), 7);
    ck_assert_uint_eq(word(&w, 5), 6);
    ck_assert_uint_eq(word(&w, 1), 0x0807060504030201);
    ck_assert_uint_eq(word(&w, 4), 9);
    ck_assert_uint_eq(word(&w, 0), 7);
    ck_assert_uint_eq(word(&w, 3), 3);
    for (size_t n = 0; n < sizeof bytes; n++)
        ck_assert_int_eq(get(&w, bytes, n), PL_CORRUPT);
    words_release(&w);
}
END_TEST

/* Of a row's last word nothing is behind it, of the one before that one word. */
START_TEST(a_word_behind_its_row_is_refused)
{
    static const uint8_t last[] = { 3, 0, 1, 0 }, first[] = { 1, 0, 4, 0 };
    static const uint8_t good[] = { 1, 8, 3, 0 };
    const uint64_t lens[] = { 2 };
    struct words w = { .bytes = { 0 } };

    add_rows(&w, lens, 1);
    ck_assert_int_eq(get(&w, last, sizeof last), PL_CORRUPT);
    ck_assert_int_eq(get(&w, first, sizeof first), PL_CORRUPT);
    ck_assert_int_eq(get(&w, good, sizeof good), PL_OK);
    ck_assert_uint_eq(word(&w, 0), 4);
    ck_assert_uint_eq(word(&w, 1), 4);
    words_release(&w);
}
END_TEST

static void put(struct words *w, const uint64_t *values, size_t num)
{
    for (size_t i = 0; i < num; i++)
        pl_put_le64(w->in + i * PL_PACK_WORD, values[i]);
    pl_pack_words_put(&w->order, w->in, &w->bytes);
    ck_assert_int_eq(get(w, w->bytes.p, w->bytes.len), PL_OK);
    ck_assert_mem_eq(w->in, w->out, num * PL_PACK_WORD);
}

/* Numbers that count up, like others, large and random: each in the way that
 * takes the fewest bytes. */
START_TEST(the_shortest_way_is_chosen)
{
    static const struct {
        uint64_t words[8]; /* of four rows of two */
        uint8_t ways[2];   /* of the last field and of the first one */
        size_t len;
    } cases[] = {
        { { 1, 5000, 2, 5001, 3, 5002, 4, 5003 }, { 2, 1 }, 11 },
        { { 1 << 20, 1 << 20, 9, 9, 1 << 30, 1 << 30, 7, 7 }, { 1, 3 }, 17 },
        { { 0, 1ULL << 63, 0, 1ULL << 62, 0, 3ULL << 61, 0, 5ULL << 61 },
          { 0, 1 },
          1 + 32 + 1 + 4 },
    };
    const uint64_t lens[] = { 2, 2, 2, 2 };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct words w = { .bytes = { 0 } };

        add_rows(&w, lens, 4);
        put(&w, cases[i].words, 8);
        ck_assert_uint_eq(w.bytes.len, cases[i].len);
        ck_assert_uint_eq(w.bytes.p[0], cases[i].ways[0]);
        ck_assert_uint_eq(w.bytes.p[w.bytes.len - 5], cases[i].ways[1]);
        words_release(&w);
    }
}
END_TEST

/* Each eleventh of these rows is tried, and a 0; all others are as large as can be. */
START_TEST(rows_that_are_not_tried_cost_no_more_than_they_are_long)
{
    enum { MANY = 2561, STEP = 11 };
    uint64_t lens[MANY];
    uint8_t in[MANY * PL_PACK_WORD] = { 0 }, out[sizeof in];
    struct words w = { .bytes = { 0 } };

    for (size_t i = 0; i < MANY; i++) {
        lens[i] = 1;
        if (i % STEP)
            pl_put_le64(in + i * PL_PACK_WORD,
                        UINT64_C(1) << 62 ^ (uint64_t)i << 40);
    }
    add_rows(&w, lens, MANY);
    pl_pack_words_put(&w.order, in, &w.bytes);
    ck_assert_uint_eq(w.bytes.len, 1 + sizeof in);
    ck_assert_int_eq(get_all(&w.rows, w.bytes.p, w.bytes.len, out), PL_OK);
    ck_assert_mem_eq(out, in, sizeof in);
    words_release(&w);
}
END_TEST

/* Zeros are passed eight at a time: runs of each length, between numbers. */
START_TEST(runs_of_zeros_of_any_length_are_read)
{
    for (size_t zeros = 0; zeros < MOST_WORDS - 2; zeros++) {
        struct words w = { .bytes = { 0 } };
        uint64_t lens[MOST_WORDS], values[MOST_WORDS] = { 0 };

        for (size_t i = 0; i < MOST_WORDS; i++)
            lens[i] = 1;
        values[1] = 300;
        values[zeros + 2] = 5;
        add_rows(&w, lens, MOST_WORDS);
        put(&w, values, MOST_WORDS);
        for (size_t i = 1; i < MOST_WORDS; i++) /* the same number again */
            values[i] = i > zeros ? 8 : 9;
        pl_buf_clear(&w.bytes);
        put(&w, values, MOST_WORDS);
        ck_assert_uint_eq(w.bytes.p[0], 2);
        words_release(&w);
    }
}
END_TEST

/* Two groups, rows of different lengths: the longer one's first word is by the last
 * one, two behind it, which the shorter one has, too. */
START_TEST(rows_take_their_words_from_the_fields_of_their_groups)
{
    static const uint8_t bytes[] = { 2, 10, 2, 1, 20, 40, 4, 2, 1, 8 };
    static const uint64_t want[] = { 10, 5, 7, 20, 6, 4 };
    static const uint64_t lens[] = { 2, 3, 1 };
    static const uint64_t groups[] = { 0, 0, 1 };
    struct pl_pack_rows rows = { 0 };
    uint8_t out[sizeof want];

    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(pl_pack_rows_add(&rows, lens[i], groups[i], 0), PL_OK);
    ck_assert_int_eq(get_all(&rows, bytes, sizeof bytes, out), PL_OK);
    for (size_t i = 0; i < 6; i++)
        ck_assert_uint_eq(pl_get_le64(out + i * PL_PACK_WORD), want[i]);
    pl_pack_rows_release(&rows);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("pack_words");

    tcase_add_test(t, rows_are_put_in_order_by_field);
    tcase_add_test(t, each_way_is_read_as_described);
    tcase_add_test(t, rows_take_their_words_from_the_fields_of_their_groups);
    tcase_add_test(t, a_word_behind_its_row_is_refused);
    tcase_add_test(t, the_shortest_way_is_chosen);
    tcase_add_test(t, rows_that_are_not_tried_cost_no_more_than_they_are_long);
    tcase_add_test(t, runs_of_zeros_of_any_length_are_read);
    return run_suite("pack_words", (TCase *[]){ t, NULL });
}
