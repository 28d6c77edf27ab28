/* Complete logs: every item, and how long a block stays. */
#include "tests/support/item_kinds.h"

#include "format/record/record.h"
#include "format/time/time_text.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <string.h>

#define NUM(table) (sizeof(table) / sizeof *(table))

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

START_TEST(gaps_and_notes_say_what_the_writer_was_given)
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

/* The last chunk of its session that is in the file. */
static bool is_of_last_chunk(const struct log *l, const struct sample *s)
{
    for (size_t i = 0; i < l->num_samples; i++)
        if (l->samples[i].session == s->session &&
            l->samples[i].chunk > s->chunk)
            return false;
    return true;
}

/* The first of its session that is no key. */
static bool is_second(const struct log *l, const struct sample *s)
{
    for (const struct sample *p = l->samples; p < s; p++)
        if (p->session == s->session && !p->is_key)
            return false;
    return true;
}

/*
 * An outline reports everything, with the blocks of keys, of the second sample of
 * each session, and of what follows its last key.
 */
START_TEST(an_outline_has_keys_and_ends)
{
    const char *path = path_in(temp_dir(), "log");
    struct reading g = { 0 };
    size_t kinds[NUM_ITEM_KINDS] = { 0 }, num = 0, without = 0;
    struct pl_reader *r;
    struct pl_item item;
    struct log l;

    log_make(&l, path, (enum log_shape)_i, 1);
    ck_assert_int_eq(read_whole(path, &l, &g), PL_END);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    pl_reader_outline(r);
    while (!pl_reader_next(r, &item)) {
        const struct sample *s;

        kinds[item.kind]++;
        if (item.kind != PL_ITEM_SAMPLE)
            continue;
        while (!l.samples[num].session)
            num++;
        s = &l.samples[num++];
        ck_assert_int_eq(item.record.utc_ns, s->utc_ns);
        ck_assert_int_eq(item.block != NULL, s->is_key ||
                                                 is_of_last_chunk(&l, s) ||
                                                 is_second(&l, s));
        without += !item.block;
        if (item.block)
            ck_assert(item.block->len == s->block.len &&
                      !memcmp(item.block->p, s->block.p, s->block.len));
    }
    ck_assert(!memcmp(kinds, g.kinds, sizeof kinds));
    if (_i == LOG_CHUNKS)
        ck_assert_uint_gt(without, 100);
    pl_reader_close(r);
    reading_release(&g);
    log_release(&l);
}
END_TEST

/* Keys that are large are not kept for samples that refer to others. */
START_TEST(an_outline_misses_no_large_block)
{
    const char *path = path_in(temp_dir(), "log");
    struct log l = { 0 };
    struct pl_writer *w = log_open(path, &log_options);
    struct pl_reader *r;
    struct pl_item item;
    struct machine m;
    size_t num = 0, without = 0;

    machine_start(&m, 1, 4000);
    log_add(&l, w, &m, PL_NS_PER_SEC, 6);
    m.has_processor = true; /* its titles end the chunk */
    log_add(&l, w, &m, PL_NS_PER_SEC, 2);
    log_close(w, NULL);
    machine_stop(&m);
    ck_assert_uint_gt(l.samples[0].block.len, PL_LARGE);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    pl_reader_outline(r);
    while (!pl_reader_next(r, &item)) {
        ck_assert_int_ne(item.kind, PL_ITEM_UNREACHABLE);
        num += item.kind == PL_ITEM_SAMPLE;
        without += item.kind == PL_ITEM_SAMPLE && !item.block;
    }
    ck_assert_uint_eq(num, l.num_samples);
    ck_assert_uint_gt(without, 2);
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

int main(void)
{
    TCase *whole = tcase_create("whole");

    tcase_add_loop_test(whole, a_whole_log_gives_exactly_the_truth, 0,
                        NUM_LOG_SHAPES);
    tcase_add_test(whole, names_are_those_in_force_at_each_sample);
    tcase_add_test(whole, gaps_and_notes_say_what_the_writer_was_given);
    tcase_add_test(whole, a_block_stays_until_the_sample_after_the_next);
    tcase_add_test(
        whole, a_block_stays_when_sessions_change_and_copies_are_passed_over);
    tcase_add_loop_test(whole, an_outline_has_keys_and_ends, 0, NUM_LOG_SHAPES);
    tcase_add_test(whole, an_outline_misses_no_large_block);
    return run_suite("reader", (TCase *[]){ whole, NULL });
}
