/* Packs by themselves: blocks of every kind go in and come out the same, and no
 * bytes whatever lead a decoder astray. */
#include "format/pack/pack_decoder.h"
#include "format/pack/pack_encoder.h"

#include "format/record/codec.h"
#include "tests/support/deltas.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"
#include "tests/unit/format/pack/made_pack.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static struct pl_pack_encoder *encoder;
static struct pl_pack_decoder *decoder;

static void setup(void)
{
    ck_assert_int_eq(pl_pack_encoder_new(&encoder, 1), PL_OK);
    ck_assert_int_eq(pl_pack_decoder_new(&decoder), PL_OK);
}

static void teardown(void)
{
    pl_pack_encoder_free(encoder);
    pl_pack_decoder_free(decoder);
}

static struct pl_record sample_of(const struct pl_buf *block, size_t i)
{
    return (struct pl_record){
        .type = PL_SMPL,
        .session = SESSION,
        .flags = (uint8_t)(i % 16),
        .utc_ns = INT64_C(1000000007) * (int64_t)i - 5 * (int64_t)(i % 3),
        .boot_ns = INT64_C(1000000000) * (int64_t)i,
        .raw_hash = pl_hash(block->p, block->len, SESSION),
    };
}

/* Add a copy of 'block'; false: the pack is full. */
static bool put(struct made_pack *m, const struct pl_buf *block)
{
    struct pl_record r = sample_of(block, m->num);
    enum pl_status s = pl_pack_encoder_sample(encoder, &r, block);

    if (s == PL_END)
        return false;
    ck_assert_int_eq(s, PL_OK);
    ck_assert_uint_lt(m->num, MOST);
    pl_buf_bytes(&m->blocks[m->num], block->p, block->len);
    m->num++;
    return true;
}

static void finish(struct made_pack *m)
{
    m->record = (struct pl_record){ .type = PL_PACK, .session = SESSION };
    ck_assert_int_eq(pl_pack_encoder_finish(encoder, &m->record, &m->payload),
                     PL_OK);
    m->record.stored_len = (uint32_t)m->payload.len;
    ck_assert(pl_codec_is_plausible(&m->record));
}

/* Lengths without blocks, after the first: then none can be decoded any more. */
static void check_lengths(const struct made_pack *m)
{
    struct pl_buf first = { 0 }, other = { 0 };
    struct pl_record r;
    const uint8_t *payload;

    ck_assert_int_eq(pl_pack_decoder_open(decoder, &m->record, m->payload.p),
                     PL_OK);
    for (size_t i = 0; i < m->num; i++) {
        ck_assert_int_eq(pl_pack_decoder_next(decoder, &r, &payload), PL_OK);
        ck_assert_int_eq(
            i ? pl_pack_decoder_pass(decoder, &r)
              : pl_pack_decoder_block(decoder, NULL, UINT64_MAX, &r, &first),
            PL_OK);
        ck_assert_uint_eq(r.raw_len, m->blocks[i].len);
        if (i)
            ck_assert_int_eq(pl_pack_decoder_block(decoder, &m->blocks[i - 1],
                                                   UINT64_MAX, &r, &other),
                             PL_CORRUPT);
    }
    pl_buf_release(&first);
    pl_buf_release(&other);
}

static void check(const struct made_pack *m)
{
    struct pl_buf slots[2] = { { 0 } };
    struct pl_record r;
    const uint8_t *payload;

    ck_assert_int_eq(pl_pack_decoder_open(decoder, &m->record, m->payload.p),
                     PL_OK);
    for (size_t i = 0; i < m->num; i++) {
        struct pl_record want = sample_of(&m->blocks[i], i);

        ck_assert_int_eq(pl_pack_decoder_next(decoder, &r, &payload), PL_OK);
        ck_assert_int_eq(r.utc_ns, want.utc_ns);
        ck_assert_int_eq(r.boot_ns, want.boot_ns);
        ck_assert_uint_eq(r.flags, want.flags);
        ck_assert_uint_eq(r.seq, i);
        ck_assert_int_eq(pl_pack_decoder_block(decoder, &slots[(i + 1) % 2],
                                               UINT64_MAX, &r, &slots[i % 2]),
                         PL_OK);
        ck_assert_uint_eq(slots[i % 2].len, m->blocks[i].len);
        ck_assert_uint_eq(r.raw_len, m->blocks[i].len);
        ck_assert_uint_eq(r.raw_hash, want.raw_hash);
        if (m->blocks[i].len)
            ck_assert_mem_eq(slots[i % 2].p, m->blocks[i].p, m->blocks[i].len);
    }
    ck_assert_int_eq(pl_pack_decoder_next(decoder, &r, &payload), PL_END);
    pl_buf_release(&slots[0]);
    pl_buf_release(&slots[1]);
    check_lengths(m);
}

/* The blocks put are those that come out; what the test made is released. */
static void check_pack(struct made_pack *m, struct pl_buf *block)
{
    finish(m);
    check(m);
    pl_buf_release(block);
    pack_release(m);
}

/* ---- round trips ------------------------------------------------------------ */

/* Some have more samples than steps are worked out for in one go. */
START_TEST(blocks_of_a_machine_come_out_as_they_went_in)
{
    struct made_pack m = { .num = 0 };
    struct pl_buf block = { 0 };
    struct machine machine;

    machine_start(&machine, 3 + (uint64_t)_i, 20);
    machine.churn = (unsigned)_i * 3;
    for (int i = 0; i < (_i % 2 ? 50 : 200); i++) {
        machine.has_processor = i % 20 > 10;
        machine_run(&machine, 1000000000);
        machine_block(&machine, &block);
        ck_assert(put(&m, &block));
    }
    machine_stop(&machine);
    check_pack(&m, &block);
}
END_TEST

/* Change, insert and remove bytes: lengths that are no multiple of 8, blocks
 * that are none, blocks without a byte. */
static void edit(struct pl_buf *b, uint64_t *random)
{
    size_t n = (size_t)(random_next(random) % 40);

    for (size_t i = 0; i < n && b->len; i++)
        b->p[random_next(random) % b->len] = (uint8_t)random_next(random);
    if (random_next(random) % 4 == 0 && b->len)
        b->len -= (size_t)(random_next(random) % b->len) / 3;
    if (random_next(random) % 3 == 0)
        for (n = (size_t)(random_next(random) % 100); n; n--)
            pl_buf_u8(b, (uint8_t)random_next(random));
    if (random_next(random) % 50 == 0)
        b->len = 0;
}

START_TEST(any_bytes_come_out_as_they_went_in)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct made_pack m = { .num = 0 };
        struct pl_buf block = { 0 };
        uint64_t random = seed * UINT64_C(0x9E3779B97F4A7C15);
        struct machine machine;

        machine_start(&machine, seed, (unsigned)(seed % 9));
        machine_block(&machine, &block);
        for (int i = 0; i < 30; i++) {
            ck_assert(put(&m, &block));
            edit(&block, &random);
        }
        machine_stop(&machine);
        check_pack(&m, &block);
    }
}
END_TEST

/* Steps that a column can only just hold: extremes, bends, long pauses. */
START_TEST(values_at_the_limits_come_out_as_they_went_in)
{
    static const uint64_t values[] = {
        0, 1, UINT64_MAX, UINT64_C(1) << 63, 1000000, 2000000, 3000000, 3000001
    };
    struct made_pack m = { .num = 0 };
    struct pl_buf block = { 0 };

    for (size_t i = 0; i < 200; i++) {
        pl_buf_clear(&block);
        for (size_t k = 0; k < 16; k++)
            pl_buf_u64(&block, k < 8    ? values[(i / (k + 1)) % 8]
                               : k < 12 ? i * values[k % 8]
                                        : i * i * (k + 1) / (1 + i / 50));
        ck_assert(put(&m, &block));
    }
    check_pack(&m, &block);
}
END_TEST

/* Of so many columns the steps of one sample are all that is kept; a part of them
 * moves in some samples. */
START_TEST(very_many_columns_come_out_as_they_went_in)
{
    enum { WORDS = 270000, SAMPLES = 4 };
    struct made_pack m = { .num = 0 };
    struct pl_buf block = { 0 };

    for (uint64_t n = 0; n < SAMPLES; n++) {
        pl_buf_clear(&block);
        if (n == 2)
            pl_buf_u64(&block, UINT64_C(0x0102030405060708));
        for (uint64_t i = 0; i < WORDS; i++)
            pl_buf_u64(&block, i * i * 0x9E3779B97F4A7C15 + n * (i % 100 + 1));
        ck_assert(put(&m, &block));
    }
    check_pack(&m, &block);
}
END_TEST

/* When few columns are there, steps of many samples are worked out in one go; then
 * so many begin that theirs are more than are kept; and then some more. */
START_TEST(many_columns_that_begin_late_come_out_as_they_went_in)
{
    enum { FEW = 10, MANY = 6000, MORE = 6500, SAMPLES = 80 };
    struct made_pack m = { .num = 0 };
    struct pl_buf block = { 0 };

    for (uint64_t n = 0; n < SAMPLES; n++) {
        const uint64_t words = n < 2 ? FEW : n < 5 ? MANY : MORE;

        pl_buf_clear(&block);
        for (uint64_t i = 0; i < words; i++)
            pl_buf_u64(&block,
                       i * i * 0x9E3779B97F4A7C15 + n * n * n * (i % 7 + 1));
        ck_assert(put(&m, &block));
    }
    check_pack(&m, &block);
}
END_TEST

/* The steps of each sample fill their last chunk. */
START_TEST(as_many_columns_as_chunks_have_room_for_come_out_as_they_went_in)
{
    enum { CHUNK = 64, SAMPLES = 200 };
    struct made_pack m = { .num = 0 };
    struct pl_buf block = { 0 };

    for (uint64_t n = 0; n < SAMPLES; n++) {
        pl_buf_clear(&block);
        for (int i = 1; i <= CHUNK * _i; i++)
            pl_buf_u64(&block, n * n * n * (uint64_t)(i % 7 + 1));
        ck_assert(put(&m, &block));
    }
    check_pack(&m, &block);
}
END_TEST

START_TEST(a_full_pack_says_so_and_takes_nothing)
{
    struct made_pack m = { .num = 0 };
    struct pl_buf block = { 0 };

    pl_buf_u64(&block, 1);
    while (put(&m, &block))
        ;
    ck_assert_uint_eq(m.num, 301);
    ck_assert_uint_eq(pl_pack_encoder_records(encoder), 301);
    finish(&m);
    ck_assert_uint_eq(pl_pack_encoder_records(encoder), 0);
    check(&m);
    pl_buf_release(&block);
    pack_release(&m);
}
END_TEST

/* Samples of a pack are less than half an hour apart; of a log that was made
 * up, times may be any. */
static const struct {
    int64_t first, second;
    bool fits;
} times[] = {
    { 0, INT64_C(1799999999999), true },  { 0, INT64_C(1800000000000), false },
    { 0, INT64_C(-1799999999999), true }, { 0, INT64_C(-1800000000000), false },
    { INT64_MIN, INT64_MAX, false },      { INT64_MAX, INT64_MIN, false },
    { INT64_MAX, INT64_MAX, true },
};

START_TEST(what_was_sampled_half_an_hour_apart_is_in_two_packs)
{
    struct pl_buf block = { 0 };
    struct pl_record r;

    pl_buf_u64(&block, 1);
    r = sample_of(&block, 0);
    r.utc_ns = times[_i].first;
    ck_assert_int_eq(pl_pack_encoder_sample(encoder, &r, &block), PL_OK);
    r.utc_ns = times[_i].second;
    ck_assert_int_eq(pl_pack_encoder_sample(encoder, &r, &block),
                     times[_i].fits ? PL_OK : PL_END);
    pl_buf_release(&block);
}
END_TEST

/* ---- hostile content --------------------------------------------------------- */

static uint8_t *content_of(const struct made_pack *m)
{
    uint8_t *content = malloc(m->record.raw_len);

    ck_assert_ptr_nonnull(content);
    ck_assert_uint_eq(ZSTD_decompress(content, m->record.raw_len,
                                      m->payload.p + PL_PACK_HEAD,
                                      m->payload.len - PL_PACK_HEAD),
                      m->record.raw_len);
    return content;
}

START_TEST(no_content_leads_the_decoder_astray)
{
    struct made_pack m = { .num = 0 };
    struct pl_buf block = { 0 };
    struct machine machine;
    uint64_t random = 99;
    uint8_t *content, *bad;
    size_t len, changed = 0;

    machine_start(&machine, 5, 3);
    machine.churn = 1;
    for (int i = 0; i < 6; i++) {
        machine_run(&machine, 1000000000);
        machine_block(&machine, &block);
        put(&m, &block);
    }
    finish(&m);
    content = content_of(&m);
    len = m.record.raw_len;
    bad = malloc(len);
    for (size_t i = 0; i < 20000; i++) {
        size_t n = 1 + random_next(&random) % 3, cut = len;

        memcpy(bad, content, len);
        for (; n; n--)
            bad[random_next(&random) % (i % 2 ? len : 600)] =
                (uint8_t)(random_next(&random) % 3 ? random_next(&random)
                                                   : 0xFF);
        if (i % 7 == 0)
            cut = (size_t)(random_next(&random) % len);
        pack_wrap(&m, bad, cut);
        changed += pack_read_all(decoder, &m.record, m.payload.p) < m.num;
    }
    ck_assert_uint_gt(changed, 15000);
    pack_wrap(&m, content, len);
    ck_assert_uint_eq(pack_read_all(decoder, &m.record, m.payload.p), m.num);
    free(content);
    free(bad);
    machine_stop(&machine);
    pl_buf_release(&block);
    pack_release(&m);
}
END_TEST

/* The objects of one title are all predicted by the one there was; its words
 * go on with the first of them, and others are new. */
START_TEST(objects_of_the_same_title_come_out_as_they_went_in)
{
    static const struct thing one[] = { { 5, "abc" }, { 0, NULL } };
    static const struct thing three[] = {
        { 5, "abc" }, { 5, "abc" }, { 5, "ab" }, { 0, NULL }
    };
    struct made_pack m = { .num = 0 };

    for (uint64_t i = 0; i < 12; i++) {
        struct pl_buf block = { 0 };

        put_things(&block, i % 4 < 2 ? one : three, 100 * i);
        ck_assert(put(&m, &block));
        pl_buf_release(&block);
    }
    finish(&m);
    check(&m);
    pack_release(&m);
}
END_TEST

/* ---- packs of the first writers ---------------------------------------------- */

/* The three varints of each series lay together. */
static void join_series(struct pl_buf *out, struct pl_cur *parts)
{
    static const int order[] = { PL_PACK_SERIES, PL_PACK_FORMS,
                                 PL_PACK_SCALES };

    while (parts[PL_PACK_SERIES].left)
        for (int i = 0; i < 3; i++)
            pl_buf_varint(out, pl_cur_varint(&parts[order[i]]));
}

/* New words lay as they are: of samples that are laid out alike, those of the
 * first one, and the bytes that are no complete word. */
static void join_words(struct pl_buf *out, const struct made_pack *m)
{
    for (size_t i = 0; i < m->num; i++) {
        const struct pl_buf *b = &m->blocks[i];
        size_t n = i ? b->len % PL_PACK_WORD : b->len;

        pl_buf_bytes(out, b->p + b->len - n, n);
    }
}

/* Store the pack as they did. */
static void make_old(struct made_pack *m)
{
    uint8_t *content = content_of(m);
    struct pl_cur c = pl_cur_of(content, m->record.raw_len);
    struct pl_cur parts[PL_PACK_NUM_PARTS];
    struct pl_buf old[PL_PACK_OLD_PARTS] = { { 0 } }, whole = { 0 };
    size_t lens[PL_PACK_NUM_PARTS];

    for (int i = 0; i < PL_PACK_NUM_PARTS; i++)
        lens[i] = (size_t)pl_cur_varint(&c);
    for (int i = 0; i < PL_PACK_NUM_PARTS; i++)
        parts[i] = pl_cur_sub(&c, lens[i]);
    for (int i = 0; i < PL_PACK_OLD_PARTS; i++)
        if (i != PL_PACK_SERIES && i != PL_PACK_WORDS)
            pl_buf_bytes(&old[i], parts[i].p, parts[i].left);
    join_series(&old[PL_PACK_SERIES], parts);
    join_words(&old[PL_PACK_WORDS], m);
    pack_content(&whole, old, PL_PACK_OLD_PARTS);
    pack_wrap(m, whole.p, whole.len);
    m->record.codec = PL_CODEC_PACK_OLD;
    for (int i = 0; i < PL_PACK_OLD_PARTS; i++)
        pl_buf_release(&old[i]);
    pl_buf_release(&whole);
    free(content);
}

START_TEST(packs_of_the_first_writers_are_read)
{
    struct made_pack m = { .num = 0 };
    struct pl_buf block = { 0 };
    uint64_t random = 5;

    for (size_t i = 0; i < 43; i++)
        pl_buf_u8(&block, (uint8_t)(i * 7));
    for (size_t i = 0; i < 60; i++) {
        put(&m, &block);
        pl_put_le64(block.p + 8, i * i);
        pl_put_le64(block.p + 16, i * 1000);
        pl_put_le64(block.p + 32, random_next(&random) >> i);
        block.p[42]++;
    }
    finish(&m);
    ck_assert_uint_eq(m.record.codec, PL_CODEC_PACK);
    check(&m);
    make_old(&m);
    ck_assert(pl_codec_is_plausible(&m.record));
    check(&m);
    pl_buf_release(&block);
    pack_release(&m);
}
END_TEST

START_TEST(a_head_that_contradicts_the_content_is_refused)
{
    struct made_pack m = { .num = 0 };
    struct pl_buf block = { 0 };
    struct pl_pack_head h;

    pl_buf_u64(&block, 1);
    put(&m, &block);
    put(&m, &block);
    finish(&m);
    ck_assert(pl_pack_head_get(&h, &m.record, m.payload.p));
    ck_assert_uint_eq(h.records, 2);
    ck_assert_uint_eq(h.samples, 2);
    for (uint8_t records = 0; records < 5; records++)
        for (uint8_t samples = 0; samples < 5; samples++) {
            enum pl_status s;

            m.payload.p[0] = records;
            m.payload.p[4] = samples;
            s = pl_pack_decoder_open(decoder, &m.record, m.payload.p);
            ck_assert_int_eq(s,
                             records == 2 && samples == 2 ? PL_OK : PL_CORRUPT);
        }
    m.payload.p[0] = m.payload.p[4] = 2;
    m.record.seq = UINT32_MAX;
    ck_assert(!pl_pack_head_get(&h, &m.record, m.payload.p));
    m.record.seq = UINT32_MAX - 1;
    ck_assert(pl_pack_head_get(&h, &m.record, m.payload.p));
    m.record.type = PL_PACK;
    m.record.stored_len = PL_PACK_HEAD - 1;
    ck_assert(!pl_pack_head_get(&h, &m.record, m.payload.p));
    ck_assert(!pl_codec_is_plausible(&m.record));
    pl_buf_release(&block);
    pack_release(&m);
}
END_TEST

/* By its head a pack is passed over where a time is looked for: a sample of
 * another time would be lost without a word. */
START_TEST(a_sample_outside_the_times_of_the_head_is_refused)
{
    struct made_pack m = { .num = 0 };
    struct pl_buf block = { 0 };

    pl_buf_u64(&block, 1);
    for (int i = 0; i < 3; i++)
        put(&m, &block);
    finish(&m);
    ck_assert_uint_eq(pack_read_all(decoder, &m.record, m.payload.p), 3);
    for (size_t at = 8; at < PL_PACK_HEAD; at += 8) {
        uint64_t utc = pl_get_le64(m.payload.p + at);

        pl_put_le64(m.payload.p + at, at == 8 ? utc + 1 : utc - 1);
        ck_assert_uint_eq(pack_read_all(decoder, &m.record, m.payload.p),
                          at == 8 ? 0 : 2);
        pl_put_le64(m.payload.p + at, at == 8 ? utc - 1 : utc + 1);
        ck_assert_uint_eq(pack_read_all(decoder, &m.record, m.payload.p), 3);
        pl_put_le64(m.payload.p + at, utc);
    }
    pl_buf_release(&block);
    pack_release(&m);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("pack");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, blocks_of_a_machine_come_out_as_they_went_in, 0, 4);
    tcase_add_test(t, any_bytes_come_out_as_they_went_in);
    tcase_add_test(t, values_at_the_limits_come_out_as_they_went_in);
    tcase_add_test(t, very_many_columns_come_out_as_they_went_in);
    tcase_add_test(t, many_columns_that_begin_late_come_out_as_they_went_in);
    tcase_add_loop_test(
        t, as_many_columns_as_chunks_have_room_for_come_out_as_they_went_in, 1,
        4);
    tcase_add_test(t, a_full_pack_says_so_and_takes_nothing);
    tcase_add_loop_test(t, what_was_sampled_half_an_hour_apart_is_in_two_packs,
                        0, sizeof times / sizeof *times);
    tcase_add_test(t, no_content_leads_the_decoder_astray);
    tcase_add_test(t, objects_of_the_same_title_come_out_as_they_went_in);
    tcase_add_test(t, packs_of_the_first_writers_are_read);
    tcase_add_test(t, a_head_that_contradicts_the_content_is_refused);
    tcase_add_test(t, a_sample_outside_the_times_of_the_head_is_refused);
    return run_suite("pack", (TCase *[]){ t, NULL });
}
