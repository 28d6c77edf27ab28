/* Logs that were interrupted or damaged. */
#include "tests/support/item_kinds.h"

#include "format/time/time_text.h"
#include "format/record/record.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NUM(table) (sizeof(table) / sizeof *(table))

#define SECOND PL_NS_PER_SEC

/*
 * Session A with one sample and a second one cut to 'keep' bytes, then
 * 'zeros', then 'next' (0: nothing) with a sample.  Returns where the second
 * one begins.
 */
static size_t put_torn_of(struct pl_buf *b, size_t len, size_t keep,
                          size_t zeros, uint64_t next)
{
    size_t at;

    craft_session(b, A, 0);
    craft_sample(b, A, 1, LEN);
    at = b->len;
    craft_sample(b, A, 2, len);
    b->len = at + keep;
    pl_buf_zeros(b, zeros);
    if (next) {
        craft_session(b, next, next == A ? 3 : 0);
        craft_sample(b, next, next == A ? 4 : 1, LEN);
    }
    return at;
}

static size_t put_torn(struct pl_buf *b, size_t keep, size_t zeros,
                       uint64_t next)
{
    return put_torn_of(b, LEN, keep, zeros, next);
}

/* clang-format off */
static const struct {
    const char *what;
    size_t keep, zeros;
    uint64_t next;
    const char *kinds;
} torn[] = { /* a whole one has 272 bytes, a session 104 */
    { "one byte at the end", 1, 0, 0, "sSI" },
    { "a fragment at the end", 71, 0, 0, "sSI" },
    { "a header at the end", 72, 0, 0, "sSI" },
    { "half a record at the end", 150, 0, 0, "sSI" },
    { "all but its last byte", 271, 0, 0, "sSI" },
    { "a fragment and a fence at the end", 71, 15, 0, "sSI" },
    { "a fragment and more zeros", 71, 16, 0, "sSI" },
    { "a fragment before a new session", 64, 0, B, "sSIsS" },
    { "a fragment and a fence", 67, 5 + 8, B, "sSIsS" },
    { "the longest of both", 71, 15, B, "sSIsS" },
    { "a fragment and more zeros before a session", 71, 16, B, "sSIsS" },
    { "a fragment and more zeros before the same one", 71, 16, A, "sSDHoS" },
    { "zeros alone, as many as a fence has", 0, 15, B, "sSIsS" },
    { "zeros alone, more than that", 0, 87, B, "sSIsS" },
    { "zeros alone at the end", 0, 87, 0, "sSI" },
    { "zeros alone inside a session", 0, 8, A, "sSDHoS" },
    { "a claim beyond a new session", 150, 2 + 8, B, "sSIsS" },
    { "the same, cut at a multiple of 8", 152, 0, B, "sSIsS" },
    { "a claim that ends where a later record begins", 155, 13, B, "sSIsS" },
    { "torn before its last byte", 271, 1 + 8, B, "sSIsS" },
    { "torn 15 bytes before its end, fence inside", 257, 15, B, "sSIsS" },
    { "torn 9 bytes before its end, fence inside", 263, 9, B, "sSIsS" },
    { "torn 8 bytes before its end", 264, 0, B, "sSIsS" },
    { "too few zeros for a fence", 264, 8, B, "sSDsS" },
    { "zeros for its last bytes, at the end", 263, 9, 0, "sSI" },
    { "zeros for its last bytes, too few", 264, 8, 0, "sSD" },
    { "zeros for its last bytes, then the same session", 200, 72, A, "sSDHoS" },
    { "a claim into the same session", 150, 2 + 8, A, "sSDHoS" },
    { "a fragment before the same session", 64, 0, A, "sSDHoS" },
};

/* Its payload is complete, but for a flipped bit far from its end. */
static const struct {
    const char *what;
    size_t zeros;
    uint64_t next;
    const char *kinds;
} bad[] = {
    { "at the end", 0, 0, "sSD" },
    { "zeros at the end", 8, 0, "sSD" },
    { "before a new session", 0, B, "sSDsS" },
    { "before too short a fence", 7, B, "sSDsS" },
    { "before the shortest fence", 8, B, "sSDsS" },
    { "before zeros", 500, B, "sSDsS" },
    { "before a fence and the same session", 8, A, "sSDHoS" },
    { "before the same session", 0, A, "sSDHoS" },
};
/* clang-format on */

START_TEST(a_torn_record_is_interrupted)
{
    struct pl_buf b = { 0 };

    put_torn(&b, torn[_i].keep, torn[_i].zeros, torn[_i].next);
    check_kinds(torn[_i].what, &b, torn[_i].kinds);
    pl_buf_release(&b);
}
END_TEST

START_TEST(a_bad_payload_that_zeros_did_not_take_is_damage)
{
    struct pl_buf b = { 0 };

    for (size_t padding = 0; padding < 8; padding++) { /* no tear's zeros */
        size_t at =
            put_torn_of(&b, LEN - padding, TOTAL, bad[_i].zeros, bad[_i].next);

        b.p[at + PL_RECORD_LEN + 20] ^= 4;
        check_kinds(bad[_i].what, &b, bad[_i].kinds);
    }
    pl_buf_release(&b);
}
END_TEST

enum { PAD = 5, MOST_ZEROS = 4100 };

/*
 * A record of TOTAL bytes, the last 'padding' of them zeros that belong to it,
 * was cut to 'keep' bytes; zeros come next.  What is that taken for?
 */
static const char *kinds_of_zeros(size_t keep, size_t zeros, size_t padding,
                                  uint64_t next)
{
    bool whole = keep + (zeros < padding ? zeros : padding) >= TOTAL;
    size_t rest = keep + zeros > TOTAL ? keep + zeros - TOTAL : 0;

    if (next == A) /* nothing in a session is a power cut's */
        return whole ? (rest ? "sSSDoS" : "sSSoS") : "sSDHoS";
    if (whole)
        return next ? (rest ? "sSSIsS" : "sSSsS") : (rest ? "sSSI" : "sSS");
    if (!keep && !zeros)
        return next ? "sSsS" : "sS";
    if (keep + zeros >= TOTAL && zeros <= 8) /* it may have been changed */
        return next ? "sSDsS" : "sSD";
    return next ? "sSIsS" : "sSI";
}

static void try_zeros(size_t keep, size_t zeros, size_t padding)
{
    static const uint64_t nexts[] = { 0, B, A };
    struct pl_buf b = { 0 };

    for (size_t i = 0; i < NUM(nexts); i++) {
        char what[80];

        if (nexts[i] == A && zeros < PL_RECORD_LEN)
            continue; /* there a cut alone is damage, which is not the point */
        put_torn_of(&b, LEN - padding, keep, zeros, nexts[i]);
        snprintf(what, sizeof what, "%zu of it, %zu zeros, padding %zu", keep,
                 zeros, padding);
        check_kinds(what, &b, kinds_of_zeros(keep, zeros, padding, nexts[i]));
    }
    pl_buf_release(&b);
}

/* All numbers up to a record's length and more; beyond it, of each keep some. */
START_TEST(any_number_of_zeros_between_sessions_is_interrupted)
{
    static const size_t keeps[] = { 0, 1, 71, 72, 150, 264, 271, 272 };
    size_t zeros = 0;

    for (; zeros <= TOTAL + PL_RECORD_LEN; zeros++)
        try_zeros(keeps[_i], zeros, 0);
    for (zeros += (size_t)_i; zeros <= MOST_ZEROS; zeros += _i ? 67 : 1)
        try_zeros(keeps[_i], zeros, 0);
    try_zeros(keeps[_i], 300000, 0); /* more than is looked at once */
}
END_TEST

START_TEST(zeros_may_take_the_place_of_any_part_of_a_record)
{
    static const size_t zeros[] = { 0, 1, 7, 8, 9, 15, 16, 200, 272, 4096 };

    for (size_t keep = 0; keep <= TOTAL; keep++)
        for (size_t i = 0; i < NUM(zeros); i++)
            try_zeros(keep, zeros[i], keep % 2 ? PAD : 0);
}
END_TEST

START_TEST(a_run_that_was_killed_in_its_first_record_is_interrupted)
{
    struct pl_buf b = { 0 };
    struct pl_reader *r;
    struct pl_item item;
    const char *path = path_in(temp_dir(), "first");

    for (size_t keep = 4; keep < total_of(25); keep++) {
        pl_buf_clear(&b);
        craft_session(&b, A, 0);
        b.len = keep;
        write_file(path, b.p, b.len);
        ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
        ck_assert_int_eq(pl_reader_next(r, &item), PL_OK);
        ck_assert_int_eq(item.kind, PL_ITEM_INTERRUPTED);
        ck_assert_int_eq(pl_reader_next(r, &item), PL_END);
        pl_reader_close(r);
        if (keep % 8)
            pl_buf_zeros(&b, 8 - keep % 8 + 8);
        craft_session(&b, B, 0);
        craft_sample(&b, B, 1, LEN);
        /* where all that is lost is one bit or none, see test_damage.c */
        if (keep < 88 || keep % 8 == 0)
            check_kinds("first record", &b, "IsS");
    }
    pl_buf_release(&b);
}
END_TEST

/* Somebody cuts the file while it is read: what is gone is reported as damage. */
START_TEST(a_file_that_shrinks_ends_where_it_does)
{
    const char *path = path_in(temp_dir(), "log");
    struct reading g = { 0 };
    struct log l = { 0 };
    struct pl_writer *w;
    struct machine m;

    w = log_open(path, &log_options);
    machine_start(&m, 1, 500);
    m.churn = 500;
    log_add(&l, w, &m, 300 * SECOND, 150);
    ck_assert_int_eq(pl_writer_close(w, PL_END_ASKED, NULL), PL_OK);
    log_load(&l, path);
    ck_assert_uint_gt(l.len, 2 << 18); /* more than is read at once */
    for (size_t len = 0; len < l.len; len += l.len / 20) {
        struct pl_reader *r;
        struct pl_item item;

        write_file(path, l.bytes, l.len);
        ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
        ck_assert_int_eq(pl_reader_next(r, &item), PL_OK);
        ck_assert_int_eq(truncate(path, (off_t)len), 0);
        reading_start(&g, &l);
        ck_assert_int_eq(read_on(r, &l, &g), PL_END);
        ck_assert_uint_eq(g.wrong + g.twice, 0);
        ck_assert_uint_gt(reading_alarms(&g), 0);
        pl_reader_close(r);
    }
    machine_stop(&m);
    reading_release(&g);
    log_release(&l);
}
END_TEST

START_TEST(what_is_no_log_is_said_not_to_be_one)
{
    static const char text[] = "#!/bin/sh\necho this is no log\n";
    const char *path = path_in(temp_dir(), "script");
    struct pl_reader *r;

    write_file(path, text, sizeof text);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_NOT_A_LOG);
    ck_assert_int_eq(pl_reader_open(&r, temp_dir(), NULL), PL_IO);
    ck_assert_int_eq(pl_reader_open(&r, "/nonexistent", NULL), PL_IO);
}
END_TEST

/* A power cut leaves zeros up to the end of a key, a kill the first bytes of
 * another one: both are far larger than all else. */
START_TEST(what_a_large_key_costs_is_not_taken_from_the_next_one)
{
    enum { LARGE = 24000, C = 0x3333 };
    struct pl_buf b = { 0 };

    put_torn_of(&b, LARGE, 9000, total_of(LARGE) - 9000, B);
    craft_sample(&b, B, 2, LARGE);
    b.len -= LARGE - 3000;
    pl_buf_zeros(&b, 8);
    craft_session(&b, C, 0);
    for (uint32_t seq = 1; seq <= 9; seq++)
        craft_sample(&b, C, seq, LARGE / 6);
    check_kinds("two torn keys", &b, "sSIsSIsSSSSSSSSS");
    pl_buf_release(&b);
}
END_TEST

/* A record inside another one's payload, at 'inner', that ends with it, in
 * zeros: is the second of them searched for a flipped bit, too? */
static const char *kinds_of_nested(size_t inner, char *out, size_t cap)
{
    struct pl_buf b = { 0 };
    size_t at;

    craft_session(&b, A, 0);
    craft_sample(&b, A, 1, LEN);
    at = b.len;
    craft_sample(&b, A, 2, 600);
    b.len = at + inner;
    craft_sample(&b, A, 3, total_of(600) - inner - PL_RECORD_LEN);
    b.len -= 20;
    pl_buf_zeros(&b, 20);
    craft_session(&b, B, 0);
    craft_sample(&b, B, 1, LEN);
    kinds_of(b.p, b.len, out, cap);
    pl_buf_release(&b);
    return out;
}

/* Those before a torn record have no more bytes than there are before it. */
START_TEST(no_more_bytes_than_there_are_are_searched_for_a_flipped_bit)
{
    char got[64];

    ck_assert_str_eq(kinds_of_nested(368, got, sizeof got), "sSDIsS");
    ck_assert_str_eq(kinds_of_nested(296, got, sizeof got), "sSDIsS");
    ck_assert_str_eq(kinds_of_nested(288, got, sizeof got), "sSDDsS");
    ck_assert_str_eq(kinds_of_nested(72, got, sizeof got), "sSDDsS");
}
END_TEST

enum { LOST = PL_FIRST_LOOK + (300 << 10) }; /* bytes, more than a pipe's */

/* A log whose first LOST bytes are 'byte', then a session or one's sample. */
static void put_lost(struct pl_buf *b, uint8_t byte, bool session)
{
    memset(pl_buf_zeros(b, LOST), byte, LOST);
    if (session)
        craft_session(b, A, 0);
    craft_sample(b, A, 1, LEN);
    craft_sample(b, A, 2, LEN);
}

START_TEST(a_log_is_read_behind_any_number_of_lost_bytes)
{
    struct pl_buf b = { 0 };

    put_lost(&b, 0, false);
    check_kinds("zeros", &b, "DsSS");
    put_lost(&b, 0, true);
    check_kinds("zeros and a session", &b, "IsSS");
    put_lost(&b, 'x', false);
    check_kinds("noise", &b, "DsSS");
    put_lost(&b, 'x', true);
    check_kinds("noise and a session", &b, "DsSS");
    pl_buf_release(&b);
}
END_TEST

/* Of a file all is read before it is called that, of a pipe the first MiB. */
START_TEST(only_a_file_of_zeros_is_said_to_be_one)
{
    const char *path = path_in(temp_dir(), "zeros");
    struct pl_reader_options too = { .damaged_too = true };
    struct pl_buf b = { 0 };
    struct pl_reader *r;
    struct pl_item item;

    ck_assert_ptr_nonnull(pl_buf_zeros(&b, LOST));
    write_file(path, b.p, b.len);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_ZEROS);
    ck_assert_int_eq(pl_reader_open(&r, path, &too), PL_OK);
    pl_reader_close(r);
    b.p[LOST - 1] = 1;
    write_file(path, b.p, b.len);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_NOT_A_LOG);
    ck_assert_int_eq(pl_reader_open(&r, path, &too), PL_OK);
    ck_assert_int_eq(pl_reader_next(r, &item), PL_OK);
    ck_assert_int_eq(item.kind, PL_ITEM_DAMAGED);
    pl_reader_close(r);
    pl_buf_release(&b);
}
END_TEST

/* ---- damage by hand --------------------------------------------------------------- */

static void delete_range(struct pl_buf *b, size_t at, size_t n)
{
    memmove(b->p + at, b->p + at + n, b->len - at - n);
    b->len -= n;
}

/* Removed bytes can make a record's claim end where a later one begins. */
START_TEST(as_many_bytes_removed_as_the_next_record_has_hide_nothing)
{
    struct pl_buf b = { 0 };

    craft_session(&b, A, 0);
    craft_sample(&b, A, 1, 400);
    craft_sample(&b, A, 2, 100);
    craft_sample(&b, A, 3, 100);
    delete_range(&b, total_of(25) + PL_RECORD_LEN + 50, total_of(100));
    check_kinds("removed", &b, "sDHSS");
    pl_buf_release(&b);
}
END_TEST

START_TEST(look_alikes_in_a_payload_are_never_records)
{
    struct pl_buf b = { 0 }, inside = { 0 };
    struct pl_record r = { .type = PL_SMPL, .session = A, .seq = 1 };

    pl_buf_bytes(&inside, "some text", 9);
    craft_sample(&inside, B, 5, 40);
    pl_buf_bytes(&inside, "some more", 9);
    for (int damaged = 0; damaged < 2; damaged++) {
        craft_session(&b, A, 0);
        craft(&b, r, inside.p, inside.len);
        craft_sample(&b, A, 2, LEN);
        if (damaged)
            b.p[total_of(25) + PL_RECORD_LEN] ^= 1;
        check_kinds("look-alike", &b, damaged ? "sDHS" : "sSS");
    }
    pl_buf_release(&b);
    pl_buf_release(&inside);
}
END_TEST

START_TEST(good_on_disk_but_not_to_be_rebuilt_is_damage)
{
    static const struct pl_record rows[] = {
        { .type = PL_SMPL, .raw_hash = 1 },
        { .type = PL_SMPL, .ref = 1 },
        { .type = PL_SMPL, .codec = PL_CODEC_ZSTD },
        { .type = PL_SMPL, .codec = PL_CODEC_DELTA },
        { .type = PL_SMPL, .codec = PL_CODEC_DELTA, .ref = 1 },
        { .type = PL_SMPL, .codec = PL_CODEC_DELTA_ZSTD, .ref = 1 },
        { .type = PL_TITL },
        { .type = PL_TITL, .codec = PL_CODEC_ZSTD },
        { .type = PL_IDEN, .codec = PL_CODEC_ZSTD },
        { .type = PL_NOTE, .raw_hash = 1 },
        { .type = PL_GAPS },
        { .type = PL_INDX },
        { .type = PL_ENDS },
    };
    struct pl_buf b = { 0 };

    for (size_t i = 0; i < NUM(rows); i++) {
        struct pl_record r = rows[i];

        r.session = A;
        r.seq = 2;
        craft_session(&b, A, 0);
        craft_sample(&b, A, 1, 16);
        craft(&b, r, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
        craft_sample(&b, A, 3, 16);
        check_kinds("forged", &b, "sSDS");
    }
    pl_buf_release(&b);
}
END_TEST

START_TEST(a_sample_without_its_reference_is_unreachable_up_to_the_next_key)
{
    struct pl_record delta = { .type = PL_SMPL,
                               .session = A,
                               .seq = 4,
                               .ref = 2,
                               .codec = PL_CODEC_DELTA };
    struct pl_buf b = { 0 };

    craft_session(&b, A, 0);
    craft_sample(&b, A, 1, 16);
    craft_sample(&b, A, 3, 16);
    craft(&b, delta, "\1\1\2\2", 4);
    craft_sample(&b, A, 5, 16);
    check_kinds("lost reference", &b, "sSHSUS");
    pl_buf_release(&b);
}
END_TEST

START_TEST(larger_blocks_than_the_caller_wants_are_passed_over)
{
    struct pl_reader_options options = { .max_block = 100 };
    const char *path = path_in(temp_dir(), "large");
    struct pl_buf b = { 0 };
    struct pl_reader *r;
    struct pl_item item;
    size_t kinds[NUM_ITEM_KINDS] = { 0 };

    craft_session(&b, A, 0);
    craft_sample(&b, A, 1, 100);
    craft_sample(&b, A, 2, 101);
    write_file(path, b.p, b.len);
    ck_assert_int_eq(pl_reader_open(&r, path, &options), PL_OK);
    while (!pl_reader_next(r, &item))
        kinds[item.kind]++;
    ck_assert_uint_eq(kinds[PL_ITEM_SAMPLE], 1);
    ck_assert_uint_eq(kinds[PL_ITEM_UNREACHABLE], 1);
    pl_reader_close(r);
    pl_buf_release(&b);
}
END_TEST

int main(void)
{
    TCase *cut = tcase_create("torn");
    TCase *hand = tcase_create("by hand");

    tcase_add_loop_test(cut, a_torn_record_is_interrupted, 0, NUM(torn));
    tcase_add_loop_test(
        cut, any_number_of_zeros_between_sessions_is_interrupted, 0, 8);
    tcase_add_test(cut, zeros_may_take_the_place_of_any_part_of_a_record);
    tcase_add_loop_test(cut, a_bad_payload_that_zeros_did_not_take_is_damage, 0,
                        NUM(bad));
    tcase_add_test(cut,
                   a_run_that_was_killed_in_its_first_record_is_interrupted);
    tcase_add_test(cut, a_file_that_shrinks_ends_where_it_does);
    tcase_add_test(cut, what_is_no_log_is_said_not_to_be_one);
    tcase_add_test(cut, what_a_large_key_costs_is_not_taken_from_the_next_one);
    tcase_add_test(cut,
                   no_more_bytes_than_there_are_are_searched_for_a_flipped_bit);
    tcase_add_test(cut, a_log_is_read_behind_any_number_of_lost_bytes);
    tcase_add_test(cut, only_a_file_of_zeros_is_said_to_be_one);
    tcase_add_test(hand,
                   as_many_bytes_removed_as_the_next_record_has_hide_nothing);
    tcase_add_test(hand, look_alikes_in_a_payload_are_never_records);
    tcase_add_test(hand, good_on_disk_but_not_to_be_rebuilt_is_damage);
    tcase_add_test(
        hand, a_sample_without_its_reference_is_unreachable_up_to_the_next_key);
    tcase_add_test(hand, larger_blocks_than_the_caller_wants_are_passed_over);
    return run_suite("reader_torn", (TCase *[]){ cut, hand, NULL });
}
