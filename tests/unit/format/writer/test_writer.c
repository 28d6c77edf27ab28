/* When a writer begins chunks, when it syncs, and what it counts. */
#include "format/writer/writer.h"

#include "format/payload/chunk_index.h"
#include "format/base/cursor.h"
#include "format/base/file.h"
#include "format/time/time_text.h"
#include "format/record/record.h"
#include "format/block/winperf.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NUM(table) (sizeof(table) / sizeof *(table))
#define SECOND PL_NS_PER_SEC
#define MS PL_NS_PER_MS

/* ---- tools --------------------------------------------------------------- */

/* A block that is all one's own; the writer does not look into it. */
static enum pl_status put_raw(struct pl_writer *w, struct pl_buf *block,
                              int64_t seconds)
{
    struct pl_sample_stamp stamp = { seconds * SECOND, seconds * SECOND, 0 };

    return pl_writer_sample(w, &stamp, block);
}

/* How many samples each chunk has: "60 60 5". */
static void chunks_of(const char *path, struct log *l, char *out, size_t cap)
{
    size_t num = 0, len = 0;

    out[0] = 0;
    log_load(l, path);
    for (size_t i = 0; i <= l->num_samples; i++) {
        if (i == l->num_samples || (l->samples[i].is_key && num)) {
            len += (size_t)snprintf(out + len, cap - len, "%s%zu",
                                    len ? " " : "", num);
            ck_assert_uint_lt(len, cap);
            num = 0;
        }
        num++;
    }
}

/* ---- chunks -------------------------------------------------------------------- */

START_TEST(a_chunk_has_sixty_samples)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_writer *w = log_open(path, &log_options);
    struct log l = { 0 };
    struct machine m;
    char chunks[256];

    machine_start(&m, 1, 3);
    log_add(&l, w, &m, SECOND, 185);
    log_close(w, NULL);
    chunks_of(path, &l, chunks, sizeof chunks);
    ck_assert_str_eq(chunks, "60 60 60 5");
    machine_stop(&m);
    log_release(&l);
}
END_TEST

START_TEST(a_chunk_lasts_five_minutes)
{
    static const struct {
        int64_t ns;
        const char *want;
    } rows[] = {
        { 299 * SECOND, "2 2 2 1" },        { 300 * SECOND, "1 1 1 1 1 1 1" },
        { 150 * SECOND - 1, "3 3 1" },      { 150 * SECOND, "2 2 2 1" },
        { 3600 * SECOND, "1 1 1 1 1 1 1" },
    };
    struct log l = { 0 };
    struct machine m;
    char path[64], chunks[256];

    machine_start(&m, 1, 3);
    for (size_t i = 0; i < NUM(rows); i++) {
        struct pl_writer *w;

        snprintf(path, sizeof path, "%s/%zu", temp_dir(), i);
        w = log_open(path, &log_options);
        log_add(&l, w, &m, rows[i].ns, 7);
        log_close(w, NULL);
        chunks_of(path, &l, chunks, sizeof chunks);
        ck_assert_str_eq(chunks, rows[i].want);
        log_release(&l);
    }
    machine_stop(&m);
}
END_TEST

/* As a log may have them that is repaired. */
START_TEST(a_chunk_ends_however_far_the_next_sample_is)
{
    static const int64_t boots[] = { INT64_MIN, -1, INT64_MAX, INT64_MIN + 1 };
    const char *path = path_in(temp_dir(), "log");
    struct pl_writer *w = log_open(path, &log_options);
    struct pl_sample_stamp stamp = { 0 };
    struct pl_buf block = { 0 };
    struct log l = { 0 };
    struct machine m;
    char chunks[256];

    machine_start(&m, 1, 3);
    for (size_t i = 0; i < NUM(boots); i++) {
        stamp.boot_ns = boots[i];
        machine_block(&m, &block);
        log_keep(&l, &stamp, &block);
        ck_assert_int_eq(pl_writer_sample(w, &stamp, &block), PL_OK);
    }
    log_close(w, NULL);
    chunks_of(path, &l, chunks, sizeof chunks);
    ck_assert_str_eq(chunks, "1 1 2"); /* back is no distance */
    pl_buf_release(&block);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

START_TEST(other_titles_end_a_chunk_and_the_same_do_not)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_writer *w = log_open(path, &log_options);
    struct log l = { 0 };
    struct machine m;
    char chunks[256];

    machine_start(&m, 1, 3);
    log_add(&l, w, &m, SECOND, 5); /* hands over the same titles each time */
    m.has_processor = true;
    log_add(&l, w, &m, SECOND, 4);
    log_close(w, NULL);
    chunks_of(path, &l, chunks, sizeof chunks);
    ck_assert_str_eq(chunks, "5 4");
    ck_assert_ptr_nonnull(log_find(&l, PL_TITL, 1));
    ck_assert_ptr_null(log_find(&l, PL_TITL, 2));
    ck_assert_uint_eq(log_find(&l, PL_TITL, 1)->at +
                          log_find(&l, PL_TITL, 1)->len,
                      l.samples[5].at);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

/* Blocks of noise; 'changed' of 'words' differ from the one before. */
static void put_noise(struct log *l, struct pl_writer *w, size_t words,
                      size_t changed, size_t num)
{
    struct pl_buf now = { 0 }, given = { 0 };
    uint64_t random = 1;

    for (size_t i = 0; i < words; i++)
        pl_buf_u64(&now, random_next(&random));
    for (size_t i = 0; i < num; i++) {
        struct pl_sample_stamp stamp = { (int64_t)i + 1, (int64_t)i + 1, 0 };

        for (size_t k = 0; k < changed; k++)
            pl_buf_set_u64(&now, 8 * k, random_next(&random));
        pl_buf_clear(&given);
        pl_buf_bytes(&given, now.p, now.len);
        log_keep(l, &stamp, &given);
        ck_assert_int_eq(pl_writer_sample(w, &stamp, &given), PL_OK);
    }
    pl_buf_release(&now);
    pl_buf_release(&given);
}

START_TEST(a_delta_larger_than_half_the_key_becomes_a_key)
{
    static const struct {
        size_t changed;
        const char *want;
    } rows[] = { { 300, "8" }, { 400, "8" }, { 550, "1 1 1 1 1 1 1 1" } };
    struct log l = { 0 };
    char path[64], chunks[256];

    for (size_t i = 0; i < NUM(rows); i++) {
        struct pl_writer *w;

        snprintf(path, sizeof path, "%s/%zu", temp_dir(), i);
        w = log_open(path, &log_options);
        put_noise(&l, w, 1000, rows[i].changed, 8);
        log_close(w, NULL);
        chunks_of(path, &l, chunks, sizeof chunks);
        ck_assert_str_eq(chunks, rows[i].want);
        for (size_t k = 0; k < l.num_samples; k++)
            if (!l.samples[k].is_key)
                ck_assert_uint_le(l.samples[k].end - l.samples[k].at,
                                  PL_RECORD_LEN + 8 + 4004);
        log_release(&l);
    }
}
END_TEST

/* 8 MiB: a key of 1 MiB, deltas of 0.45 MiB. */
START_TEST(a_chunk_has_eight_mebibytes)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_writer *w = log_open(path, &log_options);
    struct reading g = { 0 };
    struct log l = { 0 };
    char chunks[256];
    size_t in_first = 0;

    put_noise(&l, w, 128 << 10, 50000, 30);
    log_close(w, NULL);
    chunks_of(path, &l, chunks, sizeof chunks);
    while (l.samples[in_first].chunk == 0)
        in_first++;
    ck_assert_uint_ge(l.samples[in_first - 1].end - l.samples[0].at, 8 << 20);
    ck_assert_uint_lt(l.samples[in_first - 1].at - l.samples[0].at, 8 << 20);
    ck_assert_int_eq(read_whole(path, &l, &g), PL_END);
    ck_assert_uint_eq(g.num_samples, 30);
    reading_release(&g);
    log_release(&l);
}
END_TEST

START_TEST(blocks_of_odd_length_are_keys)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_writer *w = log_open(path, &log_options);
    struct pl_buf block = { 0 };
    struct reading g = { 0 };
    struct log l = { 0 };
    char chunks[256];

    for (int i = 1; i <= 6; i++) {
        struct pl_sample_stamp stamp = { i, i, 0 };

        pl_buf_clear(&block);
        pl_buf_zeros(&block, i == 3 || i == 4 ? 801 : 800);
        log_keep(&l, &stamp, &block);
        ck_assert_int_eq(pl_writer_sample(w, &stamp, &block), PL_OK);
    }
    log_close(w, NULL);
    chunks_of(path, &l, chunks, sizeof chunks);
    ck_assert_str_eq(chunks, "2 1 3"); /* 5 may refer to 4's whole words */
    ck_assert_int_eq(read_whole(path, &l, &g), PL_END);
    ck_assert_uint_eq(g.num_samples, 6);
    reading_release(&g);
    pl_buf_release(&block);
    log_release(&l);
}
END_TEST

START_TEST(indexes_and_repeats_stand_between_chunks)
{
    const char *path = path_in(temp_dir(), "log");
    struct log l;
    size_t num_chunks = 0;

    log_make(&l, path, LOG_CHUNKS, 1);
    for (size_t i = 0; i < l.num_records; i++) {
        const struct pl_record *r = &l.records[i].record;
        struct pl_index x;
        struct pl_session s;

        num_chunks += r->type == PL_SMPL && !r->ref;
        if (r->type != PL_INDX)
            continue;
        ck_assert_int_eq(
            pl_index_parse(&x, l.bytes + l.records[i].at + PL_RECORD_LEN,
                           r->stored_len),
            PL_OK);
        ck_assert_uint_eq(x.self, l.records[i].at);
        ck_assert_uint_eq(x.num_chunks, num_chunks);
        num_chunks = 0;
        if (l.records[i + 1].record.type == PL_ENDS)
            continue; /* at the close nothing is repeated */
        ck_assert_uint_eq(x.num_chunks, 64);
        ck_assert_uint_eq(l.records[i + 1].record.type, PL_SESS);
        ck_assert_int_eq(
            pl_session_parse(&s, l.bytes + l.records[i + 1].at + PL_RECORD_LEN,
                             l.records[i + 1].record.stored_len),
            PL_OK);
        ck_assert(s.repeat);
        ck_assert_uint_eq(l.records[i + 2].record.type, PL_TITL);
        ck_assert_uint_eq(l.records[i + 3].record.type, PL_SMPL);
        ck_assert_uint_eq(l.records[i + 3].record.ref, 0);
    }
    ck_assert_uint_eq(l.records[l.num_records - 1].record.type, PL_ENDS);
    log_release(&l);
}
END_TEST

START_TEST(an_index_tells_the_times_of_each_chunk)
{
    static const int64_t seconds[] = { 100, 50, 170, 70 };
    const char *path = path_in(temp_dir(), "log");
    struct pl_writer *w = log_open(path, &log_options);
    struct pl_buf block = { 0 };
    const struct whole_record *r;
    struct log l = { 0 };
    struct pl_index x;
    struct pl_chunk c;

    for (size_t i = 0; i < NUM(seconds); i++) {
        struct pl_sample_stamp stamp = { seconds[i] * SECOND, (int64_t)i, 0 };

        pl_buf_clear(&block);
        pl_buf_zeros(&block, 80);
        log_keep(&l, &stamp, &block);
        ck_assert_int_eq(pl_writer_sample(w, &stamp, &block), PL_OK);
    }
    log_close(w, NULL);
    log_load(&l, path);
    r = log_find(&l, PL_INDX, 0);
    ck_assert_ptr_nonnull(r);
    ck_assert_int_eq(pl_index_parse(&x, l.bytes + r->at + PL_RECORD_LEN,
                                    r->record.stored_len),
                     PL_OK);
    ck_assert_uint_eq(x.num_chunks, 1);
    c = pl_index_chunk(&x, 0);
    ck_assert_int_eq(c.utc_first, 50 * SECOND);
    ck_assert_int_eq(c.utc_last, 170 * SECOND);
    ck_assert_uint_eq(c.samples, 4);
    ck_assert_uint_eq(c.offset, l.samples[0].at);
    ck_assert_uint_eq(c.key_seq, l.samples[0].seq);
    pl_buf_release(&block);
    log_release(&l);
}
END_TEST

/* Where the disk is too full for an index, the last of its chunks has all. */
START_TEST(chunks_that_no_index_took_widen_the_last)
{
    static const int64_t late[] = { 5, 5000, 70 };
    struct pl_chunk_index c = { 0 };

    for (uint32_t i = 0; i < PL_INDEX_CHUNKS + NUM(late); i++) {
        int64_t t = i < PL_INDEX_CHUNKS ? 1000 + i : late[i - PL_INDEX_CHUNKS];

        pl_chunk_index_begin(&c, t, t, i, 100 * i, 10);
        pl_chunk_index_extend(&c, t, 90);
        pl_chunk_index_finish(&c);
    }
    ck_assert_uint_eq(c.num_done, PL_INDEX_CHUNKS);
    ck_assert_int_eq(c.done[PL_INDEX_CHUNKS - 2].utc_first, 1062);
    ck_assert_int_eq(c.done[PL_INDEX_CHUNKS - 1].utc_first, 5);
    ck_assert_int_eq(c.done[PL_INDEX_CHUNKS - 1].utc_last, 5000);
    ck_assert_uint_eq(c.done[PL_INDEX_CHUNKS - 1].samples, 1 + NUM(late));
    ck_assert_uint_eq(c.done[PL_INDEX_CHUNKS - 1].key_seq, PL_INDEX_CHUNKS - 1);
}
END_TEST

/* ---- syncing --------------------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *what;
    uint64_t sync_ns;
    int64_t interval_ns, pause_ns;
    size_t num;
    uint64_t least, most; /* syncs, the one at the close included */
} policies[] = { /* chunks of 60: keys 1 and 61 */
    { "each", PL_SYNC_EACH, SECOND, 0, 70, 71, 71 },
    { "never", PL_SYNC_NEVER, SECOND, 0, 70, 0, 0 },
    { "10s in no time: keys alone", 10000000000, SECOND, 0, 70, 3, 3 },
    { "less often than samples: each", 1000000000, SECOND, 0, 70, 71, 71 },
    { "every 100 ms", 100000000, 10 * MS, 10 * MS, 60, 6, 12 },
};
/* clang-format on */

/* Syncs that may come on top when the machine is too busy to be in time. */
static uint64_t syncs_of_delay(int i, int64_t since_ns)
{
    uint64_t sync_ns = policies[i].sync_ns;
    uint64_t took = (uint64_t)(pl_clock_steady() - since_ns);
    uint64_t planned = policies[i].num * (uint64_t)policies[i].pause_ns;

    if (sync_ns == PL_SYNC_NEVER ||
        sync_ns <= (uint64_t)policies[i].interval_ns)
        return 0;
    return took / sync_ns - planned / sync_ns;
}

START_TEST(syncs_follow_the_policy)
{
    struct pl_writer_options options = log_options;
    const char *why, *path = path_in(temp_dir(), "log");
    struct pl_writer_stats final;
    struct pl_writer *w;
    struct log l = { 0 };
    struct machine m;
    int64_t begun = pl_clock_steady();
    uint64_t most;

    options.sync_ns = policies[_i].sync_ns;
    options.session.interval_ns = (uint64_t)policies[_i].interval_ns;
    ck_assert_int_eq(pl_writer_open(&w, path, &options, &why), PL_OK);
    machine_start(&m, 1, 3);
    for (size_t i = 0; i < policies[_i].num; i++) {
        log_add(&l, w, &m, SECOND, 1);
        usleep((useconds_t)(policies[_i].pause_ns / 1000));
    }
    log_close(w, &final);
    most = policies[_i].most + syncs_of_delay(_i, begun);
    ck_assert_msg(final.num_syncs >= policies[_i].least &&
                      final.num_syncs <= most,
                  "%s: %llu syncs", policies[_i].what,
                  (unsigned long long) final.num_syncs);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

/* ---- numbers ---------------------------------------------------------------------- */

START_TEST(one_write_a_sample_and_sums_that_add_up)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_writer *w = log_open(path, &log_options);
    struct pl_writer_stats final;
    struct log l = { 0 };
    struct machine m;
    uint64_t raw = 0;

    machine_start(&m, 1, 5);
    log_add(&l, w, &m, SECOND, 50);
    ck_assert_uint_eq(pl_writer_stats(w)->num_writes, 51);
    log_close(w, &final);
    log_load(&l, path);
    for (size_t i = 0; i < l.num_samples; i++)
        raw += l.samples[i].block.len;
    ck_assert_uint_eq(final.samples, 50);
    ck_assert_uint_eq(final.block_bytes, raw);
    ck_assert_uint_eq(final.log_bytes, l.len);
    ck_assert_uint_eq(final.file_bytes, l.len);
    ck_assert_uint_eq(final.num_writes, 52);
    ck_assert_uint_eq(final.not_written + final.missed + final.may_be_lost, 0);
    ck_assert_uint_eq(final.segments, 1);
    ck_assert_uint_gt(final.free_bytes, 0);
    ck_assert_uint_gt(final.encode_ns, 0);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

START_TEST(a_block_over_the_limit_is_told_and_not_written)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_writer *w = log_open(path, &log_options);
    struct pl_gaps gaps[PL_NUM_GAP_CAUSES];
    struct pl_buf block = { 0 };

    pl_buf_zeros(&block, PL_MAX_BLOCK_LEN + 8);
    ck_assert(!block.oom);
    ck_assert_int_eq(put_raw(w, &block, 1), PL_TOO_LARGE);
    ck_assert_int_eq(put_raw(w, &block, 2), PL_TOO_LARGE);
    ck_assert_uint_eq(pl_writer_stats(w)->not_written, 2);
    block.len = 800;
    ck_assert_int_eq(put_raw(w, &block, 3), PL_OK);
    log_close(w, NULL);
    ck_assert_uint_eq(log_gaps(path, gaps), 1);
    ck_assert_uint_eq(gaps[PL_GAP_TOO_LARGE].count, 2);
    ck_assert_int_eq(gaps[PL_GAP_TOO_LARGE].utc_first, SECOND);
    ck_assert_int_eq(gaps[PL_GAP_TOO_LARGE].utc_last, 2 * SECOND);
    pl_buf_release(&block);
}
END_TEST

START_TEST(causes_are_told_apart_and_summed)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_writer *w = log_open(path, &log_options);
    struct pl_gaps gaps[PL_NUM_GAP_CAUSES];
    struct pl_buf block = { 0 };

    for (uint32_t i = 0; i < 30; i++) {
        struct pl_gaps g = { .utc_first = i,
                             .utc_last = i,
                             .boot_first = i,
                             .boot_last = i,
                             .count = i,
                             .cause = 1 + i % 2,
                             .error = (int32_t)i };

        pl_writer_missed(w, &g);
    }
    pl_writer_note(w, PL_NOTE_TEXT, 1, 2, "first");
    pl_writer_note(w, PL_NOTE_CLOCK_STEP, 3, 4, "second");
    pl_buf_zeros(&block, 80);
    ck_assert_int_eq(put_raw(w, &block, 1), PL_OK);
    ck_assert_int_eq(put_raw(w, &block, 2), PL_OK);
    log_close(w, NULL);
    ck_assert_uint_eq(log_gaps(path, gaps), 2);
    ck_assert_uint_eq(gaps[1].count, 2 + 4 + 6 + 8 + 10 + 12 + 14 + 16 + 18 +
                                         20 + 22 + 24 + 26 + 28);
    ck_assert_int_eq(gaps[1].utc_first, 2);
    ck_assert_int_eq(gaps[1].utc_last, 28);
    ck_assert_uint_eq(gaps[2].boot_first, 1);
    ck_assert_uint_eq(gaps[2].boot_last, 29);
    ck_assert_int_eq(gaps[1].error, 28); /* the last one's */
    pl_buf_release(&block);
}
END_TEST

/* A disk may be full for long, and memory is not to be. */
START_TEST(notes_that_wait_take_no_more_than_64_KiB)
{
    static const char text[] = "somebody set the clock";
    enum { EACH = 28 + sizeof text - 1, MOST = (64 << 10) / EACH + 1 };
    const char *path = path_in(temp_dir(), "log");
    struct pl_writer *w = log_open(path, &log_options);
    const struct pl_sample_stamp stamp = { SECOND, SECOND, 0 };
    struct pl_buf block = { 0 };
    struct log l = { 0 };
    size_t num = 0;

    for (int i = 0; i < 2 * MOST; i++)
        pl_writer_note(w, PL_NOTE_TEXT, i, i, text);
    pl_buf_zeros(&block, 80);
    log_keep(&l, &stamp, &block);
    ck_assert_int_eq(pl_writer_sample(w, &stamp, &block), PL_OK);
    log_close(w, NULL);
    log_load(&l, path);
    while (log_find(&l, PL_NOTE, num))
        num++;
    ck_assert_uint_le(num, MOST);
    ck_assert_uint_gt(num, MOST / 2);
    pl_buf_release(&block);
    log_release(&l);
}
END_TEST

int main(void)
{
    TCase *chunks = tcase_create("chunks"), *sync = tcase_create("sync");

    tcase_add_test(chunks, a_chunk_has_sixty_samples);
    tcase_add_test(chunks, a_chunk_lasts_five_minutes);
    tcase_add_test(chunks, a_chunk_ends_however_far_the_next_sample_is);
    tcase_add_test(chunks, other_titles_end_a_chunk_and_the_same_do_not);
    tcase_add_test(chunks, a_delta_larger_than_half_the_key_becomes_a_key);
    tcase_add_test(chunks, a_chunk_has_eight_mebibytes);
    tcase_add_test(chunks, blocks_of_odd_length_are_keys);
    tcase_add_test(chunks, indexes_and_repeats_stand_between_chunks);
    tcase_add_test(chunks, an_index_tells_the_times_of_each_chunk);
    tcase_add_test(chunks, chunks_that_no_index_took_widen_the_last);
    tcase_add_loop_test(sync, syncs_follow_the_policy, 0, NUM(policies));
    tcase_add_test(sync, one_write_a_sample_and_sums_that_add_up);
    tcase_add_test(sync, a_block_over_the_limit_is_told_and_not_written);
    tcase_add_test(sync, causes_are_told_apart_and_summed);
    tcase_add_test(sync, notes_that_wait_take_no_more_than_64_KiB);
    return run_suite("writer", (TCase *[]){ chunks, sync, NULL });
}
