/* Logs as they come: whole, joined, torn, or newer than this program. */
#include "tests/support/logs.h"

#include "format/base/time_text.h"
#include "format/log/record.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NUM(table) (sizeof(table) / sizeof *(table))
#define SECOND PL_NS_PER_SEC

/* ---- tools --------------------------------------------------------------- */

/* Kinds in order, one letter each, of a log given as bytes. */
static const char letters[NUM_ITEM_KINDS + 1] = "stSgneoHDIUNi";

/* As "sSSD": session, two samples, damage. */
static void kinds_of(const void *p, size_t n, char *out, size_t cap)
{
    struct pl_reader *r;
    struct pl_item item;
    uint64_t bytes = 0;
    const char *path = path_in(temp_dir(), "bytes");
    enum pl_status s;
    size_t num = 0;

    write_file(path, p, n);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!(s = pl_reader_next(r, &item))) {
        ck_assert_uint_lt(num + 1, cap);
        out[num++] = letters[item.kind];
        bytes += item.len;
        if (item.kind == PL_ITEM_DAMAGED || item.kind == PL_ITEM_TOO_NEW)
            ck_assert_ptr_nonnull(item.reason);
    }
    out[num] = 0;
    ck_assert_int_eq(s, PL_END);
    /* What is hidden, or told before, is not accounted for. */
    if (!strchr(out, 'N') && !pl_reader_duplicates(r))
        ck_assert_uint_eq(bytes, n);
    pl_reader_close(r);
}

static void check_kinds(const char *what, struct pl_buf *b, const char *want)
{
    char got[64];

    ck_assert(!b->oom);
    kinds_of(b->p, b->len, got, sizeof got);
    ck_assert_msg(!strcmp(got, want), "%s: %s, not %s", what, got, want);
    pl_buf_clear(b);
}

/* ---- whole logs ------------------------------------------------------------ */

START_TEST(a_whole_log_gives_exactly_the_truth)
{
    enum log_shape shape = (enum log_shape)_i;
    const char *path = path_in(temp_dir(), "log");
    struct reading g = { 0 };
    struct log l;

    log_make(&l, path, shape, 1);
    ck_assert_int_eq(read_whole(path, &l, &g), PL_END);
    for (size_t i = 0; i < l.num_samples; i++)
        ck_assert_int_eq(g.seen[i], l.samples[i].session != 0);
    ck_assert_uint_eq(g.wrong + g.twice + reading_alarms(&g), 0);
    ck_assert_uint_eq(g.kinds[PL_ITEM_INTERRUPTED], shape == LOG_SESSIONS);
    ck_assert_uint_eq(g.kinds[PL_ITEM_SESSION], shape == LOG_SESSIONS ? 3 : 1);
    ck_assert_uint_eq(g.kinds[PL_ITEM_TITLES],
                      shape == LOG_SESSIONS ? 3 : 1 + (shape == LOG_TITLES));
    ck_assert_uint_eq(g.kinds[PL_ITEM_GAPS], shape == LOG_SMALL);
    ck_assert_uint_eq(g.kinds[PL_ITEM_NOTE], shape == LOG_SMALL);
    if (shape == LOG_IDENTITIES) /* three processes */
        ck_assert_uint_eq(g.identities, 3 * l.num_samples);
    ck_assert_uint_eq(g.bytes, l.len);
    reading_release(&g);
    log_release(&l);
}
END_TEST

START_TEST(names_are_those_in_force_at_each_sample)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_reader *r;
    struct pl_item item;
    size_t num = 0;
    struct log l;

    log_make(&l, path, LOG_TITLES, 1);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    ck_assert_uint_eq(pl_titles_name(pl_reader_titles(r), 230).n, 0);
    while (!pl_reader_next(r, &item)) {
        const struct pl_titles *t = pl_reader_titles(r);

        if (item.kind != PL_ITEM_SAMPLE)
            continue;
        ck_assert(pl_text_equal(pl_titles_name(t, 230), pl_text_of("Process")));
        ck_assert_int_eq(pl_titles_name(t, 238).n != 0, num++ >= 3);
    }
    ck_assert_uint_eq(num, 6);
    ck_assert(pl_text_equal(pl_reader_session(r)->host, pl_text_of("box")));
    pl_reader_close(r);
    log_release(&l);
}
END_TEST

START_TEST(gaps_and_notes_say_what_the_writer_was_told)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_reader *r;
    struct pl_item item;
    struct log l;

    log_make(&l, path, LOG_SMALL, 1);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!pl_reader_next(r, &item)) {
        if (item.kind == PL_ITEM_GAPS) {
            ck_assert_uint_eq(item.gaps.count, 2);
            ck_assert_uint_eq(item.gaps.cause, PL_GAP_LATE);
        } else if (item.kind == PL_ITEM_NOTE) {
            ck_assert_uint_eq(item.note.kind, PL_NOTE_TEXT);
            ck_assert(pl_text_equal(item.note.text, pl_text_of("a note")));
        } else if (item.kind == PL_ITEM_ENDS) {
            ck_assert_uint_eq(item.ends.samples, 8);
            ck_assert_uint_eq(item.ends.missed, 2);
            ck_assert_uint_eq(item.ends.reason, PL_END_ASKED);
        } else if (item.kind == PL_ITEM_SAMPLE) {
            ck_assert_int_eq((item.record.flags & PL_FLAG_MISSED) != 0,
                             item.record.seq == 8);
        }
    }
    pl_reader_close(r);
    log_release(&l);
}
END_TEST

/* Pairs are looked at without a copy, also where a session ends. */
START_TEST(a_block_stays_until_the_sample_after_the_next)
{
    const char *path = path_in(temp_dir(), "log");
    const struct pl_buf *before = NULL;
    struct pl_reader *r;
    struct pl_item item;
    size_t num = 0;
    struct log l;

    log_make(&l, path, LOG_SESSIONS, 1);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!pl_reader_next(r, &item)) {
        if (item.kind != PL_ITEM_SAMPLE)
            continue;
        while (!l.samples[num].session)
            num++;
        if (before) {
            const struct sample *s = &l.samples[num - 1];

            s -= !s->session;
            ck_assert(before->len == s->block.len &&
                      !memcmp(before->p, s->block.p, before->len));
        }
        before = item.block;
        num++;
    }
    pl_reader_close(r);
    log_release(&l);
}
END_TEST

/* Sessions of one sample each, and one whose samples come again. */
START_TEST(a_block_stays_when_sessions_change_and_copies_are_passed_over)
{
    static const uint64_t sessions[] = { 7, 8, 9, 7, 8, 10 };
    const char *path = path_in(temp_dir(), "log");
    struct pl_buf b = { 0 }, copy = { 0 };
    const struct pl_buf *before = NULL;
    struct pl_reader *r;
    struct pl_item item;

    for (size_t i = 0; i < NUM(sessions); i++) {
        craft_session(&b, sessions[i], 0);
        craft_sample(&b, sessions[i], 1, 100);
    }
    write_file(path, b.p, b.len);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!pl_reader_next(r, &item)) {
        if (item.kind != PL_ITEM_SAMPLE)
            continue;
        if (before)
            ck_assert(before->len == copy.len &&
                      !memcmp(before->p, copy.p, copy.len));
        before = item.block;
        pl_buf_clear(&copy);
        pl_buf_bytes(&copy, before->p, before->len);
    }
    pl_reader_close(r);
    pl_buf_release(&copy);
    pl_buf_release(&b);
}
END_TEST

/* ---- logs joined -------------------------------------------------------------- */

struct joined {
    struct log a, b, both;
};

static void join_start(struct joined *j)
{
    const char *path = path_in(temp_dir(), "a");

    log_make(&j->a, path, LOG_SMALL, 1);
    path = path_in(temp_dir(), "b");
    log_make(&j->b, path, LOG_CHURN, 2);
}

static void join_stop(struct joined *j)
{
    log_release(&j->a);
    log_release(&j->b);
}

static void put_log(struct pl_buf *out, const struct log *l)
{
    pl_buf_bytes(out, l->bytes, l->len);
}

/* Read 'b' twice, once for the truth of each log. */
static void check_joined(struct pl_buf *b, const struct joined *j,
                         size_t num_duplicates)
{
    const char *path = path_in(temp_dir(), "joined");
    struct reading g = { 0 };
    struct pl_reader *r;
    struct pl_item item;

    write_file(path, b->p, b->len);
    ck_assert_int_eq(read_whole(path, &j->a, &g), PL_END);
    ck_assert_uint_eq(g.num_samples, j->a.num_samples);
    ck_assert_uint_eq(g.twice + reading_alarms(&g), 0);
    ck_assert_int_eq(read_whole(path, &j->b, &g), PL_END);
    ck_assert_uint_eq(g.num_samples, j->b.num_samples);
    ck_assert_uint_eq(g.twice + reading_alarms(&g), 0);
    ck_assert_uint_eq(g.kinds[PL_ITEM_SAMPLE],
                      j->a.num_samples + j->b.num_samples);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!pl_reader_next(r, &item))
        ;
    ck_assert_uint_eq(pl_reader_duplicates(r), num_duplicates);
    pl_reader_close(r);
    reading_release(&g);
    pl_buf_clear(b);
}

START_TEST(joined_logs_are_a_log_and_what_comes_twice_is_told_once)
{
    struct pl_buf b = { 0 };
    struct joined j;
    size_t cut;

    join_start(&j);
    put_log(&b, &j.a);
    put_log(&b, &j.b);
    check_joined(&b, &j, 0);
    put_log(&b, &j.a);
    put_log(&b, &j.a);
    put_log(&b, &j.b);
    put_log(&b, &j.a);
    put_log(&b, &j.b);
    check_joined(&b, &j, 2 * j.a.num_records + j.b.num_records);
    /* A copy made while the log grew, and the whole of it later. */
    for (size_t i = 1; i < j.a.num_records; i++) {
        cut = j.a.records[i].at;
        pl_buf_bytes(&b, j.a.bytes, cut);
        put_log(&b, &j.a);
        put_log(&b, &j.b);
        check_joined(&b, &j, i);
    }
    pl_buf_release(&b);
    join_stop(&j);
}
END_TEST

/* Back in a session after another one: its facts and names are those. */
START_TEST(who_recorded_is_told_again_when_a_session_goes_on)
{
    struct pl_buf b = { 0 };
    struct joined j;
    struct pl_reader *r;
    struct pl_item item;
    uint64_t told = 0;
    size_t num_titles = 0;
    const char *path;

    join_start(&j);
    pl_buf_bytes(&b, j.a.bytes, j.a.samples[3].at);
    put_log(&b, &j.b);
    put_log(&b, &j.a);
    path = path_in(temp_dir(), "joined");
    write_file(path, b.p, b.len);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!pl_reader_next(r, &item)) {
        if (item.kind == PL_ITEM_SESSION)
            told = item.record.session;
        num_titles += item.kind == PL_ITEM_TITLES;
        if (item.kind != PL_ITEM_SAMPLE)
            continue;
        ck_assert_uint_eq(told, item.record.session);
        ck_assert(pl_reader_has_session(r));
        ck_assert_uint_gt(pl_titles_name(pl_reader_titles(r), 230).n, 0);
    }
    ck_assert_uint_eq(num_titles, 3);
    pl_reader_close(r);
    pl_buf_release(&b);
    join_stop(&j);
}
END_TEST

/* Segments of one session: a pair across the seam, a hole between files. */
START_TEST(a_session_goes_on_in_the_next_file)
{
    struct pl_buf b = { 0 };
    struct pl_item item;
    struct pl_reader *r;
    const char *first = path_in(temp_dir(), "first");
    const char *second = path_in(temp_dir(), "second");
    const char *third = path_in(temp_dir(), "third");
    uint32_t hole = 0;
    size_t num = 0;

    craft_session(&b, 7, 0);
    craft_sample(&b, 7, 1, 100);
    write_file(first, b.p, b.len);
    pl_buf_clear(&b);
    craft_session(&b, 7, 2);
    craft_sample(&b, 7, 3, 100);
    write_file(second, b.p, b.len);
    pl_buf_clear(&b);
    craft_session(&b, 7, 9);
    craft_sample(&b, 7, 10, 100);
    write_file(third, b.p, b.len);
    ck_assert_int_eq(pl_reader_open(&r, first, NULL), PL_OK);
    for (int i = 0; i < 3; i++) {
        while (!pl_reader_next(r, &item)) {
            num += item.kind == PL_ITEM_SAMPLE;
            ck_assert(item.kind != PL_ITEM_DAMAGED);
            if (item.kind != PL_ITEM_HOLE)
                continue;
            ck_assert(item.between_files);
            hole += item.count;
        }
        if (i == 0)
            ck_assert_int_eq(pl_reader_continue(r, second), PL_OK);
        if (i == 1)
            ck_assert_int_eq(pl_reader_continue(r, third), PL_OK);
    }
    ck_assert_uint_eq(num, 3);
    ck_assert_uint_eq(hole, 5);
    ck_assert_int_eq(pl_reader_continue(r, "/nonexistent"), PL_IO);
    ck_assert_int_eq(pl_reader_next(r, &item), PL_END);
    pl_reader_close(r);
    pl_buf_release(&b);
}
END_TEST

/* A folder sorted wrongly still gives everything. */
START_TEST(segments_in_the_wrong_order_lose_nothing)
{
    struct pl_buf b = { 0 };

    craft_session(&b, 7, 2);
    craft_sample(&b, 7, 3, 100);
    craft_session(&b, 7, 0);
    craft_sample(&b, 7, 1, 100);
    craft_sample(&b, 7, 4, 100);
    check_kinds("later half first", &b, "sSDoSDS");
    pl_buf_release(&b);
}
END_TEST

START_TEST(a_session_that_goes_on_with_a_repeat_is_told_all_the_same)
{
    struct pl_buf b = { 0 };

    craft_session(&b, 7, 0);
    craft_sample(&b, 7, 1, 100);
    craft_session(&b, 8, 0);
    craft_sample(&b, 8, 1, 100);
    craft_session(&b, 7, 0);
    craft_session(&b, 7, 2);
    craft_sample(&b, 7, 3, 100);
    check_kinds("repeat", &b, "sSsSsoS");
    pl_buf_release(&b);
}
END_TEST

/* Its record is proven, and makes no sense: who recorded is not known. */
START_TEST(a_session_whose_record_is_bad_is_told_before_its_samples)
{
    struct pl_buf b = { 0 };

    craft(&b, (struct pl_record){ .type = PL_SESS, .session = 7 }, "nonsense",
          8);
    craft_sample(&b, 7, 1, 100);
    craft_sample(&b, 7, 2, 100);
    check_kinds("a bad session", &b, "DsSS");
    pl_buf_release(&b);
}
END_TEST

START_TEST(records_in_any_order_are_read_once_each)
{
    static const uint32_t order[] = { 9, 5, 6, 2, 8, 7, 5, 3, 1, 4, 9, 10 };
    struct pl_buf b = { 0 };

    craft_session(&b, 7, 0);
    for (size_t i = 0; i < NUM(order); i++)
        craft_sample(&b, 7, order[i], 100);
    check_kinds("any order", &b, "sHSDSSDSDSDSDSDSDSDS");
    pl_buf_release(&b);
}
END_TEST

/* ---- interrupted or damaged ----------------------------------------------------- */

enum { A = 0x1111, B = 0x2222, LEN = 200, TOTAL = PL_RECORD_LEN + LEN };

static size_t total_of(size_t n)
{
    return PL_RECORD_LEN + pl_padded_len((uint32_t)n);
}

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

/* Somebody cuts the file while it is read: what is gone is told as damage. */
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

/* ---- records of other files -------------------------------------------------------- */

/* What of a file is put together: records, or bytes that are none. */
struct part {
    enum { END, SESSION, OLDER, REPEAT, UNROOTED, SAMPLE, NOISE } what;
    uint64_t session;
    uint32_t seq; /* NOISE: how many bytes */
    uint64_t root;
    int64_t place; /* of its file's beginning in this one; not where it is.
                      SAMPLE: its length, 0 for the usual one */
};

enum { X = 0x3333, Y = 0x4444, FAR = 1 << 20 };

static void craft_rooted(struct pl_buf *b, const struct part *x)
{
    struct pl_session s = { .host = pl_text_of("craft"),
                            .repeat = x->what == REPEAT,
                            .root = x->root,
                            .place = (uint64_t)((int64_t)b->len - x->place) };
    struct pl_buf payload = { 0 };

    pl_session_write(&s, &payload);
    craft(b,
          (struct pl_record){ .type = PL_SESS,
                              .session = x->session,
                              .seq = x->seq,
                              .utc_ns = x->what == OLDER ? -1 : 0 },
          payload.p, payload.len);
    pl_buf_release(&payload);
}

static void craft_part(struct pl_buf *b, const struct part *x)
{
    switch (x->what) {
    case SAMPLE:
        craft_sample(b, x->session, x->seq,
                     x->place ? (size_t)x->place - PL_RECORD_LEN : LEN);
        break;
    case NOISE:
        for (uint32_t i = 0; i < x->seq; i++)
            pl_buf_u8(b, 'x');
        break;
    case UNROOTED:
        craft_session(b, x->session, x->seq);
        break;
    default:
        craft_rooted(b, x);
    }
}

/* A log of session A with one sample takes 128 + 272 bytes. */
#define LOG_A                                                                  \
    { SESSION, A, 0, A, 0 },                                                   \
    {                                                                          \
        SAMPLE, A, 1, 0, 0                                                     \
    }
#define CHILD_OF_A pl_session_child(A, UINT64_C(0x77777777) << 24)

START_TEST(records_belong_to_the_file_in_which_they_were_written)
{
    const uint64_t child = CHILD_OF_A;
    const int64_t end_of_a = 128 + 272;
    const struct {
        const char *what, *kinds;
        struct part parts[8];
    } rows[] = {
        { "samples of nobody knows whom",
          "sSDDS",
          { LOG_A,
            { SAMPLE, X, 7, 0, 0 },
            { SAMPLE, X, 8, 0, 0 },
            { SAMPLE, A, 2, 0, 0 } } },
        { "a later session without its SESS",
          "sSsSS",
          { LOG_A, { SAMPLE, child, 7, 0, 0 }, { SAMPLE, child, 8, 0, 0 } } },
        { "a later session",
          "sSsSS",
          { LOG_A,
            { SESSION, child, 0, A, 0 },
            { SAMPLE, child, 1, 0, 0 },
            { SAMPLE, child, 2, 0, 0 } } },
        { "a log joined to it",
          "sSsS",
          { LOG_A, { SESSION, X, 0, X, end_of_a }, { SAMPLE, X, 1, 0, 0 } } },
        { "an older log joined to it",
          "sSsS",
          { LOG_A, { OLDER, X, 0, X, end_of_a }, { SAMPLE, X, 1, 0, 0 } } },
        { "an older log joined behind bytes that are no record",
          "sSDsS",
          { LOG_A,
            { NOISE, 0, 4096 - 400 + 8, 0, 0 },
            { OLDER, X, 0, X, 4096 + 8 },
            { SAMPLE, X, 1, 0, 0 } } },
        { "an older log joined to one that ends with a block",
          "sSSsS",
          { LOG_A,
            { SAMPLE, A, 2, 0, 4096 - 400 },
            { OLDER, X, 0, X, 4096 },
            { SAMPLE, X, 1, 0, 0 } } },
        { "a newer log joined where a block begins",
          "sSDsS",
          { LOG_A,
            { NOISE, 0, 4096 - 400, 0, 0 },
            { SESSION, X, 0, X, 4096 },
            { SAMPLE, X, 1, 0, 0 } } },
        { "a deleted log with its first block",
          "sSDDDDS",
          { LOG_A,
            { NOISE, 0, 4096 - 400, 0, 0 },
            { OLDER, X, 0, X, 4096 },
            { SAMPLE, X, 1, 0, 0 },
            { OLDER, X, 2, X, 4096 },
            { SAMPLE, A, 2, 0, 0 } } },
        { "one joined that lost its SESS",
          "sSDsSS",
          { LOG_A,
            { NOISE, 0, 104, 0, 0 },
            { SAMPLE, X, 1, 0, 0 },
            { SAMPLE, X, 2, 0, 0 } } },
        { "a second record behind a block's beginning",
          "sSDDDD",
          { LOG_A,
            { NOISE, 0, 4096 - 400 + 8, 0, 0 },
            { SAMPLE, X, 1, 0, 0 },
            { SAMPLE, X, 2, 0, 0 },
            { SAMPLE, X, 3, 0, 0 } } },
        { "one joined that lost its beginning, up to a repeat",
          "sSDDsS",
          { LOG_A,
            { NOISE, 0, 500, 0, 0 },
            { SAMPLE, X, 7, 0, 0 },
            { REPEAT, X, 8, X, end_of_a },
            { SAMPLE, X, 9, 0, 0 } } },
        { "a repeat of another file",
          "sSDDS",
          { LOG_A,
            { REPEAT, X, 8, X, end_of_a - 1 },
            { SAMPLE, X, 9, 0, 0 },
            { SAMPLE, A, 2, 0, 0 } } },
        { "a later session of another file",
          "sSDDS",
          { LOG_A,
            { SESSION, X, 0, Y, -FAR },
            { SAMPLE, X, 7, 0, 0 },
            { SAMPLE, A, 2, 0, 0 } } },
        { "a later session of another file, its second record",
          "sSDDS",
          { LOG_A,
            { SESSION, X, 0, Y, -FAR },
            { SAMPLE, X, 1, 0, 0 },
            { SAMPLE, A, 2, 0, 0 } } },
        { "a session of an older perflog",
          "sSsSS",
          { LOG_A,
            { UNROOTED, X, 0, 0, 0 },
            { SAMPLE, X, 1, 0, 0 },
            { SAMPLE, X, 2, 0, 0 } } },
        { "nothing shows what the file is",
          "sSsS",
          { { SAMPLE, A, 5, 0, 0 }, { SAMPLE, X, 7, 0, 0 } } },
        { "a file of an older perflog",
          "sSsSDsS",
          { { UNROOTED, A, 0, 0, 0 },
            { SAMPLE, A, 1, 0, 0 },
            { SESSION, child, 0, A, 0 },
            { SAMPLE, child, 1, 0, 0 },
            { SAMPLE, X, 7, 0, 0 },
            { SAMPLE, A, 2, 0, 0 } } },
        { "a segment, and an older one's sample",
          "sSDS",
          { { SESSION, A, 100, A, 0 },
            { SAMPLE, A, 101, 0, 0 },
            { SAMPLE, A, 50, 0, 0 },
            { SAMPLE, A, 102, 0, 0 } } },
        { "segments joined in another order",
          "sSDoSDS",
          { { SESSION, A, 100, A, 0 },
            { SAMPLE, A, 101, 0, 0 },
            { SESSION, A, 50, A, end_of_a },
            { SAMPLE, A, 51, 0, 0 },
            { SAMPLE, A, 102, 0, 0 } } },
    };
    struct pl_buf b = { 0 };

    for (size_t i = 0; i < NUM(rows); i++) {
        for (const struct part *x = rows[i].parts; x->what; x++)
            craft_part(&b, x);
        check_kinds(rows[i].what, &b, rows[i].kinds);
    }
    pl_buf_release(&b);
}
END_TEST

/* A child that only one bit in its id makes another's. */
START_TEST(nearly_all_ids_descend_from_no_other)
{
    uint64_t id = CHILD_OF_A, hits = 0;

    ck_assert(pl_session_descends(id, A) && pl_session_descends(A, A));
    for (int bit = 0; bit < 64; bit++)
        hits += pl_session_descends(id ^ UINT64_C(1) << bit, A);
    for (uint64_t root = 1; root < 10000; root++)
        hits += root != A && pl_session_descends(id, root);
    ck_assert_uint_eq(hits, 0);
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
        { .type = PL_TITL, .codec = PL_CODEC_DELTA },
        { .type = PL_NOTE, .raw_hash = 1 },
        { .type = PL_GAPS },
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

/* ---- newer than this program --------------------------------------------------------- */

#define XTRA PL_TYPE('X', 'T', 'R', 'A')
#define xtra PL_TYPE('x', 't', 'r', 'a')

/* clang-format off */
static const struct {
    const char *what;
    struct pl_record record; /* between samples 1 and 3 of session A */
    const char *kinds;       /* of A; then session B with a sample */
} newer[] = {
    { "codec 4", { .type = PL_SMPL, .codec = 4 }, "sSNSsS" },
    { "codec 255", { .type = PL_SMPL, .codec = 255 }, "sSNSsS" },
    { "flag bit 4", { .type = PL_SMPL, .flags = 0x10 }, "sSNSsS" },
    { "flag bit 7", { .type = PL_SMPL, .flags = 0x80 }, "sSNSsS" },
    { "flag bits 2 and 3", { .type = PL_SMPL, .flags = 0x0C }, "sSSSsS" },
    { "titles in codec 9", { .type = PL_TITL, .codec = 9 }, "sSNSsS" },
    { "an unknown critical type", { .type = XTRA }, "sSNsS" },
    { "an unknown ancillary type", { .type = xtra }, "sSoSsS" },
    { "the same in an unknown codec", { .type = xtra, .codec = 9 }, "sSoSsS" },
    { "a session in an unknown codec", { .type = PL_SESS, .codec = 9 }, "sSNsS" },
    { "gaps in an unknown codec", { .type = PL_GAPS, .codec = 9 }, "sSNSsS" },
};
/* clang-format on */

START_TEST(newer_things_are_left_out_and_said)
{
    struct pl_record r = newer[_i].record;
    struct pl_buf b = { 0 };

    craft_session(&b, A, 0);
    craft_sample(&b, A, 1, 16);
    r.session = A;
    r.seq = 2;
    craft(&b, r, "0123456789abcdef", 16);
    craft_sample(&b, A, 3, 16);
    craft_session(&b, B, 0);
    craft_sample(&b, B, 1, 16);
    check_kinds(newer[_i].what, &b, newer[_i].kinds);
    pl_buf_release(&b);
}
END_TEST

/* SESS with tag 1000 and 'flags'. */
static void put_tagged(struct pl_buf *b, uint16_t flags)
{
    struct pl_buf payload = { 0 };

    pl_buf_u16(&payload, 1000);
    pl_buf_u16(&payload, flags);
    pl_buf_u32(&payload, 0);
    craft(b, (struct pl_record){ .type = PL_SESS, .session = A }, payload.p,
          payload.len);
    pl_buf_release(&payload);
}

START_TEST(a_critical_tag_hides_its_session_alone)
{
    struct pl_buf b = { 0 };

    put_tagged(&b, 0x8000);
    craft_sample(&b, A, 1, 16);
    craft_session(&b, B, 0);
    craft_sample(&b, B, 1, 16);
    check_kinds("critical", &b, "NsS");
    put_tagged(&b, 0x7fff);
    craft_sample(&b, A, 1, 16);
    check_kinds("not critical", &b, "sS");
    pl_buf_release(&b);
}
END_TEST

START_TEST(what_depends_on_a_newer_sample_is_unreachable)
{
    struct pl_record r = {
        .type = PL_SMPL, .session = A, .seq = 2, .codec = 4
    };
    struct pl_buf b = { 0 };

    craft_session(&b, A, 0);
    craft_sample(&b, A, 1, 16);
    craft(&b, r, "0123456789abcdef", 16);
    r.seq = 3;
    r.ref = 1;
    r.codec = PL_CODEC_DELTA;
    craft(&b, r, "0123456789abcdef", 16);
    check_kinds("delta to codec 4", &b, "sSNU");
    pl_buf_release(&b);
}
END_TEST

/* Make the record at 'at' one of major version 2. */
static void make_newer(struct pl_buf *b, size_t at)
{
    uint64_t hash;

    b->p[at + 3] = '2';
    hash = pl_hash(b->p + at, 64, 0);
    pl_buf_set_u64(b, at + 64, hash);
}

START_TEST(another_major_version_is_said_and_passed_over)
{
    const char *path = path_in(temp_dir(), "newer");
    struct pl_buf b = { 0 };
    struct pl_reader *r;
    size_t at;

    craft_session(&b, A, 0);
    at = b.len;
    craft_session(&b, B, 0);
    make_newer(&b, at);
    craft_sample(&b, A, 1, 16);
    check_kinds("in between", &b, "sNS");
    craft_session(&b, A, 0);
    make_newer(&b, 0);
    write_file(path, b.p, b.len);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_UNSUPPORTED);
    pl_buf_release(&b);
}
END_TEST

START_TEST(unknown_causes_and_kinds_are_handed_on)
{
    struct pl_gaps gaps = { .count = 1, .cause = 99 };
    struct pl_note note = { 99, pl_text_of("what") };
    struct pl_buf b = { 0 }, payload = { 0 };

    craft_session(&b, A, 0);
    pl_gaps_write(&gaps, &payload);
    craft(&b, (struct pl_record){ .type = PL_GAPS, .session = A, .seq = 1 },
          payload.p, payload.len);
    pl_buf_clear(&payload);
    pl_note_write(&note, &payload);
    craft(&b, (struct pl_record){ .type = PL_NOTE, .session = A, .seq = 2 },
          payload.p, payload.len);
    check_kinds("unknown numbers", &b, "sgn");
    pl_buf_release(&payload);
    pl_buf_release(&b);
}
END_TEST

int main(void)
{
    TCase *whole = tcase_create("whole"), *cut = tcase_create("torn");
    TCase *hand = tcase_create("by hand"), *new = tcase_create("newer");

    tcase_add_loop_test(whole, a_whole_log_gives_exactly_the_truth, 0,
                        NUM_LOG_SHAPES);
    tcase_add_test(whole, names_are_those_in_force_at_each_sample);
    tcase_add_test(whole, gaps_and_notes_say_what_the_writer_was_told);
    tcase_add_test(whole, a_block_stays_until_the_sample_after_the_next);
    tcase_add_test(
        whole, a_block_stays_when_sessions_change_and_copies_are_passed_over);
    tcase_add_test(whole,
                   joined_logs_are_a_log_and_what_comes_twice_is_told_once);
    tcase_add_test(whole, who_recorded_is_told_again_when_a_session_goes_on);
    tcase_add_test(whole, a_session_goes_on_in_the_next_file);
    tcase_add_test(whole, segments_in_the_wrong_order_lose_nothing);
    tcase_add_test(whole,
                   a_session_that_goes_on_with_a_repeat_is_told_all_the_same);
    tcase_add_test(whole,
                   a_session_whose_record_is_bad_is_told_before_its_samples);
    tcase_add_test(whole, records_in_any_order_are_read_once_each);
    tcase_add_loop_test(cut, a_torn_record_is_interrupted, 0, NUM(torn));
    tcase_add_loop_test(
        cut, any_number_of_zeros_between_sessions_is_interrupted, 0, 8);
    tcase_add_test(hand, records_belong_to_the_file_in_which_they_were_written);
    tcase_add_test(hand, nearly_all_ids_descend_from_no_other);
    tcase_add_test(cut, zeros_may_take_the_place_of_any_part_of_a_record);
    tcase_add_loop_test(cut, a_bad_payload_that_zeros_did_not_take_is_damage, 0,
                        NUM(bad));
    tcase_add_test(cut,
                   a_run_that_was_killed_in_its_first_record_is_interrupted);
    tcase_add_test(cut, a_file_that_shrinks_ends_where_it_does);
    tcase_add_test(cut, what_is_no_log_is_said_not_to_be_one);
    tcase_add_test(hand,
                   as_many_bytes_removed_as_the_next_record_has_hide_nothing);
    tcase_add_test(hand, look_alikes_in_a_payload_are_never_records);
    tcase_add_test(hand, good_on_disk_but_not_to_be_rebuilt_is_damage);
    tcase_add_test(
        hand, a_sample_without_its_reference_is_unreachable_up_to_the_next_key);
    tcase_add_test(hand, larger_blocks_than_the_caller_wants_are_passed_over);
    tcase_add_loop_test(new, newer_things_are_left_out_and_said, 0, NUM(newer));
    tcase_add_test(new, a_critical_tag_hides_its_session_alone);
    tcase_add_test(new, what_depends_on_a_newer_sample_is_unreachable);
    tcase_add_test(new, another_major_version_is_said_and_passed_over);
    tcase_add_test(new, unknown_causes_and_kinds_are_handed_on);
    return run_suite("reader", (TCase *[]){ whole, cut, hand, new, NULL });
}
