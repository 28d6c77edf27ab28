/* Packed logs: the same samples, cut, flipped, hurt, sought and continued like
 * others. */
#include "tests/support/hurt.h"
#include "tests/support/seeker.h"

#include "format/base/file.h"
#include "format/time/time_text.h"
#include "format/packing/pack_log.h"
#include "format/pack/pack_decoder.h"
#include "format/payload/payloads.h"
#include "format/record/record.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND PL_NS_PER_SEC

enum { RANDOM_CASES = 750 };

static const struct pl_pack_options fast = { .level = 1 };

static const enum log_shape shapes[] = { LOG_SMALL,  LOG_SESSIONS,
                                         LOG_TITLES, LOG_IDENTITIES,
                                         LOG_CHURN,  LOG_CHUNKS,
                                         LOG_BIG };
enum {
    NUM_SHAPES = sizeof shapes / sizeof *shapes,
    NUM_SHORT = NUM_SHAPES - 2, /* all but the last two */
};

/* A log of 'shape', packed. */
static const char *make(struct log *l, enum log_shape shape)
{
    const char *path = path_in(temp_dir(), log_shape_name(shape));

    log_make(l, path, shape, 1);
    log_pack(l, path);
    return path;
}

static enum pl_status try_to_pack(const char *path, struct pl_pack_result *r)
{
    return pl_pack_log(path, &fast, r);
}

/* ---- what a packed log gives back ------------------------------------------ */

/* Sessions say where they are, ends where the last index of theirs is. */
static void check_places(const struct log *l)
{
    uint64_t session_at = 0, index_at = 0;

    for (size_t i = 0; i < l->num_records; i++) {
        const struct whole_record *w = &l->records[i];
        const uint8_t *p = l->bytes + w->at + PL_RECORD_LEN;
        struct pl_session session;
        struct pl_ends ends;

        if (w->record.type == PL_INDX)
            index_at = w->at;
        if (w->record.type == PL_SESS) {
            ck_assert_int_eq(
                pl_session_parse(&session, p, w->record.stored_len), PL_OK);
            ck_assert_uint_eq(session.place, w->at);
            if (!session.repeat)
                session_at = index_at = w->at;
        }
        if (w->record.type == PL_ENDS) {
            ck_assert_int_eq(pl_ends_parse(&ends, p, w->record.stored_len),
                             PL_OK);
            ck_assert_uint_eq(ends.last_index, index_at - session_at);
        }
    }
}

START_TEST(a_packed_log_gives_every_sample_and_record_of_the_old_one)
{
    enum log_shape shape = shapes[_i];
    const char *path = path_in(temp_dir(), "log");
    struct reading before = { 0 }, after = { 0 };
    char part[600];
    struct log l;

    log_make(&l, path, shape, 1);
    ck_assert_int_eq(read_whole(path, &l, &before), PL_END);
    log_pack(&l, path);
    ck_assert_int_eq(read_whole(path, &l, &after), PL_END);
    ck_assert_uint_eq(after.num_samples, before.num_samples);
    ck_assert_uint_eq(after.wrong + after.twice + reading_alarms(&after), 0);
    ck_assert_uint_eq(after.identities, before.identities);
    ck_assert_uint_eq(after.bytes, l.len);
    before.kinds[PL_ITEM_INTERRUPTED] = 0; /* torn bytes are left out */
    ck_assert_mem_eq(after.kinds, before.kinds, sizeof after.kinds);
    check_places(&l);
    snprintf(part, sizeof part, "%s.packing", path);
    ck_assert(!pl_path_exists(part));
    reading_release(&before);
    reading_release(&after);
    log_release(&l);
}
END_TEST

/* Killed between two records, or copied by repair, which makes up no end. */
START_TEST(a_log_that_ends_with_any_record_is_packed)
{
    struct reading before = { 0 }, after = { 0 };
    size_t packed = 0;
    const char *path = path_in(temp_dir(), "prefix");
    struct pl_pack_result r;
    uint32_t last = 0;
    struct log l;

    log_make(&l, path_in(temp_dir(), "log"), shapes[_i], 1);
    for (size_t i = 0; i < l.num_records; i++) {
        const struct whole_record *w = &l.records[i];
        enum pl_status s;

        if (w->record.type == last || w->at < l.len / 2)
            continue; /* like the one before, or too small */
        last = w->record.type;
        remove(path); /* what is there may be packed */
        write_file(path, l.bytes, i + 1 < l.num_records ? w[1].at : l.len);
        ck_assert_int_eq(read_whole(path, &l, &before), PL_END);
        s = try_to_pack(path, &r);
        ck_assert_msg(s == PL_OK || s == PL_END, "%.4s: %s",
                      (const char *)&w->record.type, r.why);
        packed += s == PL_OK;
        if (!s) /* torn bytes are left out */
            before.kinds[PL_ITEM_INTERRUPTED] = 0;
        ck_assert_int_eq(read_whole(path, &l, &after), PL_END);
        ck_assert_mem_eq(after.kinds, before.kinds, sizeof after.kinds);
    }
    ck_assert_uint_gt(packed, 0);
    reading_release(&before);
    reading_release(&after);
    log_release(&l);
}
END_TEST

START_TEST(a_block_stays_until_the_sample_after_the_next)
{
    struct log l;
    const char *path = make(&l, LOG_CHURN);
    const struct pl_buf *before = NULL;
    struct pl_reader *r;
    struct pl_item item;
    size_t num = 0;

    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!pl_reader_next(r, &item)) {
        if (item.kind != PL_ITEM_SAMPLE)
            continue;
        if (before)
            ck_assert_mem_eq(before->p, l.samples[num - 1].block.p,
                             l.samples[num - 1].block.len);
        ck_assert_mem_eq(item.block->p, l.samples[num].block.p,
                         l.samples[num].block.len);
        before = item.block;
        num++;
    }
    ck_assert_uint_eq(num, l.num_samples);
    pl_reader_close(r);
    log_release(&l);
}
END_TEST

START_TEST(with_keys_only_a_sample_of_a_pack_has_a_block_with_times_only_none)
{
    struct log l;
    const char *path = make(&l, LOG_CHURN);
    struct pl_reader *r;
    struct pl_item item;
    size_t num = 0, blocks = 0;

    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    (_i ? pl_reader_times_only : pl_reader_keys_only)(r);
    while (!pl_reader_next(r, &item)) {
        ck_assert(!_i || !pl_reader_identities(r));
        if (item.kind != PL_ITEM_SAMPLE)
            continue;
        ck_assert_uint_eq(item.record.raw_len, l.samples[num++].block.len);
        blocks += item.block != NULL;
    }
    ck_assert_uint_eq(num, l.num_samples);
    ck_assert_uint_eq(blocks, _i ? 0 : l.num_chunks);
    pl_reader_close(r);
    log_release(&l);
}
END_TEST

/* Reads of each pack the first sample only.  Returns how many records are missing;
 * *pack is the file's third one. */
static uint64_t missing_of(const char *path, struct pl_item *pack)
{
    struct pl_reader *r;
    struct pl_item item;
    uint64_t missing = 0;

    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    pl_reader_first_times_only(r);
    for (int n = 0; !pl_reader_next(r, &item);) {
        if (item.kind == PL_ITEM_SAMPLE && ++n == 3)
            *pack = item;
        missing += item.kind == PL_ITEM_HOLE ? item.count : 0;
    }
    pl_reader_close(r);
    return missing;
}

START_TEST(with_first_times_only_a_pack_that_is_missing_is_reported)
{
    struct log l;
    const char *path = make(&l, LOG_CHUNKS);
    struct pl_item pack = { 0 };
    size_t n;
    uint8_t *p = read_file(path, &n);
    struct pl_pack_head head;

    ck_assert_uint_eq(missing_of(path, &pack), 0);
    ck_assert_uint_gt(pack.len, 0);
    ck_assert(
        pl_pack_head_get(&head, &pack.record, p + pack.at + PL_RECORD_LEN));
    memmove(p + pack.at, p + pack.at + pack.len,
            n - (size_t)(pack.at + pack.len));
    write_file(path, p, n - (size_t)pack.len);
    ck_assert_uint_eq(missing_of(path, &pack), head.records);
    free(p);
    log_release(&l);
}
END_TEST

/* From the one sought on, or all; nothing is missing where packs were passed. */
START_TEST(with_first_times_only_a_pack_has_its_first_sample)
{
    struct log l;
    const char *path = make(&l, shapes[_i / 2]);
    const struct sample *next = l.samples, *sought = l.samples + l.num_samples;
    struct pl_reader *r;
    struct pl_item item;

    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    pl_reader_first_times_only(r);
    while (!(--sought)->is_key)
        ;
    if (_i % 2) {
        ck_assert_int_eq(pl_reader_seek(r, sought->utc_ns + 1), PL_OK);
        next = sought;
    }
    while (!pl_reader_next(r, &item)) {
        ck_assert_int_ne(item.kind, PL_ITEM_HOLE);
        ck_assert_int_ne(item.kind, PL_ITEM_DAMAGED);
        if (item.kind != PL_ITEM_SAMPLE)
            continue;
        while (!next->is_key)
            next++;
        ck_assert_int_eq(item.record.utc_ns, next->utc_ns);
        ck_assert_int_eq(item.record.boot_ns, next->boot_ns);
        ck_assert_uint_eq(item.record.session, next->session);
        ck_assert_ptr_null(item.block);
        next++;
    }
    ck_assert_ptr_eq(next, sought + 1);
    ck_assert_uint_eq(pl_reader_duplicates(r), 0);
    pl_reader_close(r);
    log_release(&l);
}
END_TEST

/* An outline has the length of every block, and the last block of a session. */
START_TEST(an_outline_of_a_packed_log_has_lengths_and_ends)
{
    struct log l;
    const char *path = make(&l, shapes[_i]);
    struct pl_reader *r;
    struct pl_item item;
    size_t num = 0, without = 0;

    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    pl_reader_outline(r);
    while (!pl_reader_next(r, &item)) {
        const struct sample *s;

        if (item.kind != PL_ITEM_SAMPLE)
            continue;
        while (!l.samples[num].session)
            num++;
        s = &l.samples[num++];
        ck_assert_uint_eq(item.record.raw_len, s->block.len);
        without += !item.block;
        if (item.block)
            ck_assert_mem_eq(item.block->p, s->block.p, s->block.len);
        if (num == l.num_samples || s[1].session != s->session)
            ck_assert_ptr_nonnull(item.block);
    }
    ck_assert_uint_eq(num, l.num_samples);
    if (shapes[_i] == LOG_CHUNKS)
        ck_assert_uint_gt(without, 100);
    pl_reader_close(r);
    log_release(&l);
}
END_TEST

/* ---- damage ------------------------------------------------------------------ */

static void check(const char *what, enum log_shape shape, const struct toll *t)
{
    ck_assert_msg(toll_is_clean(t), "%s: %s: %s", what, log_shape_name(shape),
                  t->first);
    ck_assert_uint_gt(t->tried, 0);
    printf("packed, %s: %s: %llu\n", what, log_shape_name(shape),
           (unsigned long long)t->tried);
}

START_TEST(a_cut_anywhere_costs_only_what_is_behind_it)
{
    struct log l;
    struct toll t = { 0 };

    make(&l, shapes[_i]);
    hurt_cuts(&l, &t);
    check("cut", shapes[_i], &t);
    log_release(&l);
}
END_TEST

START_TEST(every_flipped_bit_is_noticed_and_costs_a_pack_at_most)
{
    struct log l;
    struct toll t = { 0 };

    make(&l, shapes[_i]);
    hurt_bits(&l, shapes[_i] == LOG_CHURN ? 1 : runs_in_full() ? 8 : 2, &t);
    check("flip", shapes[_i], &t);
    log_release(&l);
}
END_TEST

START_TEST(packs_that_random_damage_leaves_alone_come_back)
{
    struct log l;
    struct toll t = { 0 };

    make(&l, _i ? LOG_CHUNKS : LOG_SESSIONS);
    hurt_at_random(&l, 1, RANDOM_CASES, &t);
    check("random damage", _i ? LOG_CHUNKS : LOG_SESSIONS, &t);
    log_release(&l);
}
END_TEST

START_TEST(flips_in_indexes_and_repeats_cost_nothing)
{
    struct log l;
    struct toll t = { 0 };

    make(&l, LOG_CHUNKS);
    ck_assert_ptr_nonnull(log_find(&l, PL_INDX, 2));
    ck_assert_ptr_nonnull(log_find(&l, PL_SESS, 1));
    hurt_hints(&l, 41, &t);
    check("flip outside of samples", LOG_CHUNKS, &t);
    log_release(&l);
}
END_TEST

/* ---- seeking ----------------------------------------------------------------- */

START_TEST(a_seek_gives_what_reading_all_gives)
{
    struct log l;
    const char *path = make(&l, shapes[_i]);
    struct seeker s;

    seek_start(&s, &l, path);
    check_all(&s, shapes[_i] == LOG_CHUNKS ? 7 : 1);
    if (shapes[_i] == LOG_CHUNKS)
        ck_assert_uint_gt(s.num_shorter, 60);
    seek_stop(&s);
    log_release(&l);
}
END_TEST

START_TEST(a_seek_past_damaged_indexes_costs_nothing)
{
    struct log l;
    struct toll t = { 0 };

    make(&l, LOG_CHUNKS);
    seek_past_damage(&l, 37, 1, &t);
    check("seek past damage", LOG_CHUNKS, &t);
    log_release(&l);
}
END_TEST

/* In the middle of a pack, what is still to come of it counts, too. */
START_TEST(it_is_certain_what_times_no_later_sample_has)
{
    struct log l;
    const char *path = make(&l, LOG_SMALL);
    struct pl_reader *r;
    struct pl_item item;
    size_t num = 0;

    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!pl_reader_next(r, &item)) {
        if (item.kind != PL_ITEM_SAMPLE)
            continue;
        num++;
        for (size_t i = 0; i < l.num_samples; i++)
            ck_assert_int_eq(pl_reader_none_between(r, l.samples[i].utc_ns,
                                                    l.samples[i].utc_ns, NULL),
                             i < num);
    }
    ck_assert_uint_eq(num, l.num_samples);
    pl_reader_close(r);
    log_release(&l);
}
END_TEST

/* ---- packed logs that go on ---------------------------------------------------- */

START_TEST(a_packed_log_is_continued_and_packed_again)
{
    struct log l;
    const char *path = make(&l, LOG_SMALL);
    struct reading g = { 0 };
    struct pl_writer *w;
    struct machine m;

    machine_start(&m, 7, 4);
    m.boot_ns += 10000 * SECOND;
    w = log_open(path, &log_options);
    log_add(&l, w, &m, SECOND, 5);
    log_close(w, NULL);
    log_load(&l, path);
    ck_assert_ptr_nonnull(log_find(&l, PL_SMPL, 0));
    ck_assert_ptr_nonnull(log_find(&l, PL_PACK, 0));
    for (int packed = 0; packed < 2; packed++) {
        ck_assert_int_eq(read_whole(path, &l, &g), PL_END);
        ck_assert_uint_eq(g.num_samples, l.num_samples);
        ck_assert_uint_eq(g.wrong + g.twice + reading_alarms(&g), 0);
        if (!packed)
            log_pack(&l, path);
    }
    machine_stop(&m);
    reading_release(&g);
    log_release(&l);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("pack_log");

    tcase_add_loop_test(t, a_log_that_ends_with_any_record_is_packed, 0,
                        NUM_SHAPES);
    tcase_add_loop_test(
        t, a_packed_log_gives_every_sample_and_record_of_the_old_one, 0,
        NUM_SHAPES);
    tcase_add_test(t, a_block_stays_until_the_sample_after_the_next);
    tcase_add_loop_test(
        t, with_keys_only_a_sample_of_a_pack_has_a_block_with_times_only_none,
        0, 2);
    tcase_add_test(t, with_first_times_only_a_pack_that_is_missing_is_reported);
    tcase_add_loop_test(t, with_first_times_only_a_pack_has_its_first_sample, 0,
                        2 * NUM_SHAPES);
    tcase_add_loop_test(t, an_outline_of_a_packed_log_has_lengths_and_ends, 0,
                        NUM_SHAPES);
    tcase_add_loop_test(t, a_cut_anywhere_costs_only_what_is_behind_it, 0,
                        NUM_SHORT);
    tcase_add_loop_test(
        t, every_flipped_bit_is_noticed_and_costs_a_pack_at_most, 0, NUM_SHORT);
    tcase_add_loop_test(t, packs_that_random_damage_leaves_alone_come_back, 0,
                        2);
    tcase_add_test(t, flips_in_indexes_and_repeats_cost_nothing);
    tcase_add_loop_test(t, a_seek_gives_what_reading_all_gives, 0, NUM_SHAPES);
    tcase_add_test(t, a_seek_past_damaged_indexes_costs_nothing);
    tcase_add_test(t, it_is_certain_what_times_no_later_sample_has);
    tcase_add_test(t, a_packed_log_is_continued_and_packed_again);
    return run_suite("pack_log", (TCase *[]){ t, NULL });
}
