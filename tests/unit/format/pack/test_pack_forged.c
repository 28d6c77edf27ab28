/* Packs that no encoder makes: what a layout, a column or a record says that leads
 * a decoder astray. */
#include "format/pack/pack_decoder.h"

#include "tests/support/support.h"
#include "tests/unit/format/pack/made_pack.h"

static struct pl_pack_decoder *decoder;

static void setup(void)
{
    ck_assert_int_eq(pl_pack_decoder_new(&decoder), PL_OK);
}

static void teardown(void)
{
    pl_pack_decoder_free(decoder);
}

static void begin_forged(struct made_pack *m, uint32_t records,
                         uint32_t samples)
{
    pl_buf_u32(&m->payload, records);
    pl_buf_u32(&m->payload, samples);
    pl_buf_zeros(&m->payload, 16);
    m->record = (struct pl_record){ .type = PL_PACK,
                                    .session = SESSION,
                                    .codec = PL_CODEC_PACK_OLD };
}

/* Parts in their old order, which are released. */
static void end_forged(struct made_pack *m, struct pl_buf *parts)
{
    struct pl_buf content = { 0 };

    pack_content(&content, parts, PL_PACK_OLD_PARTS);
    pack_wrap(m, content.p, content.len);
    for (size_t i = 0; i < PL_PACK_NUM_PARTS; i++)
        pl_buf_release(&parts[i]);
    pl_buf_release(&content);
}

/* Two samples of the words 7 and 8, of the second with that layout; or one, and
 * a record of 'type' after it. */
static void forge(struct made_pack *m, const uint8_t *layout, size_t n,
                  uint32_t type)
{
    static const uint8_t first[] = { 16, 2 << 1 | 1, 2, 0 };
    struct pl_buf parts[PL_PACK_NUM_PARTS] = { { 0 } };
    uint64_t words[2] = { 7, 8 };

    begin_forged(m, 2, type ? 1 : 2);
    pl_buf_u8(&parts[PL_PACK_KINDS], PL_PACK_IS_SAMPLE | PL_PACK_HAS_LAYOUT);
    pl_buf_u8(&parts[PL_PACK_KINDS],
              type ? 0 : PL_PACK_IS_SAMPLE | PL_PACK_HAS_LAYOUT);
    pl_buf_zeros(&parts[PL_PACK_TIMES], 4);
    pl_buf_u32(&parts[PL_PACK_HASHES], (uint32_t)pl_hash(words, 16, SESSION));
    pl_buf_bytes(&parts[PL_PACK_LAYOUTS], first, sizeof first);
    pl_buf_bytes(&parts[PL_PACK_WORDS], words, 16);
    if (type) {
        pl_buf_u32(&parts[PL_PACK_OTHERS], type);
        pl_buf_varint(&parts[PL_PACK_OTHERS], 0);
    } else {
        if (layout[n - 1])
            words[1] = words[0];
        pl_buf_u32(&parts[PL_PACK_HASHES],
                   (uint32_t)pl_hash(words, 16, SESSION));
        pl_buf_bytes(&parts[PL_PACK_LAYOUTS], layout, n);
    }
    end_forged(m, parts);
}

/* What a layout says that predicts the second sample's words, and how many
 * samples are read. */
static const struct prediction {
    uint8_t layout[12];
    size_t n, num_read;
} predictions[] = {
    { { 16, 1 << 1, 0, 1 << 1, 0 }, 5, 2 },
    { { 16, 1 << 1, 0, 1 << 1, 1 }, 5, 1 }, /* the first predicts both */
    { { 16, 2 << 1, 1 << 1 }, 3, 1 },       /* one is behind the block */
    { { 16, 2 << 1, 128, 128, 128, 128, 128, 128, 128, 128, 64 }, 11, 1 },
    { { 24, 3 << 1, 0 }, 3, 1 }, /* there are only two */
};

START_TEST(each_word_that_is_there_predicts_one_at_most)
{
    const struct prediction *p = &predictions[_i];
    struct made_pack m = { .num = 0 };

    forge(&m, p->layout, p->n, 0);
    ck_assert_uint_eq(pack_read_all(decoder, &m.record, m.payload.p),
                      p->num_read);
    pack_release(&m);
}
END_TEST

/* The words 7 and 8, then 7 and, in the place of 8, which is gone, 9; 8 would
 * have changed. */
static void forge_gone(struct made_pack *m)
{
    static const uint8_t layouts[] = {
        16,         2 << 1 | 1, 2, 0, /* and then */
        16,         1 << 1,     0,    /* the first one */
        1 << 1 | 1, 1,          0
    };
    static const uint8_t series[] = { 0, 1 << 1, 1 }, runs[] = { 0, 1 };
    const uint64_t first[] = { 7, 8 }, second[] = { 7, 9 };
    struct pl_buf parts[PL_PACK_NUM_PARTS] = { { 0 } };

    begin_forged(m, 2, 2);
    for (int i = 0; i < 2; i++)
        pl_buf_u8(&parts[PL_PACK_KINDS],
                  PL_PACK_IS_SAMPLE | PL_PACK_HAS_LAYOUT);
    pl_buf_zeros(&parts[PL_PACK_TIMES], 4);
    pl_buf_u32(&parts[PL_PACK_HASHES], (uint32_t)pl_hash(first, 16, SESSION));
    pl_buf_u32(&parts[PL_PACK_HASHES], (uint32_t)pl_hash(second, 16, SESSION));
    pl_buf_bytes(&parts[PL_PACK_LAYOUTS], layouts, sizeof layouts);
    pl_buf_bytes(&parts[PL_PACK_WORDS], first, 16);
    pl_buf_bytes(&parts[PL_PACK_WORDS], second + 1, 8);
    pl_buf_bytes(&parts[PL_PACK_SERIES], series, sizeof series);
    pl_buf_bytes(&parts[PL_PACK_RUNS], runs, sizeof runs);
    pl_buf_u8(&parts[PL_PACK_CHANGES], 3);
    end_forged(m, parts);
}

START_TEST(a_word_that_is_gone_changes_no_other_one)
{
    struct made_pack m = { .num = 0 };

    forge_gone(&m);
    ck_assert_uint_eq(pack_read_all(decoder, &m.record, m.payload.p), 2);
    pack_release(&m);
}
END_TEST

/* As many samples as the lists of columns have room for, all of the words 7 and
 * 8; the second one would change in the sample after the last one. */
static void forge_late(struct made_pack *m, uint32_t num)
{
    static const uint8_t layout[] = { 16, 2 << 1 | 1, 2, 0 };
    static const uint8_t series[] = { 0, 1 << 1, 1 };
    const uint64_t words[] = { 7, 8 };
    struct pl_buf parts[PL_PACK_NUM_PARTS] = { { 0 } };

    begin_forged(m, num, num);
    for (uint32_t i = 0; i < num; i++) {
        pl_buf_u8(&parts[PL_PACK_KINDS],
                  PL_PACK_IS_SAMPLE | (i ? 0 : PL_PACK_HAS_LAYOUT));
        pl_buf_u32(&parts[PL_PACK_HASHES],
                   (uint32_t)pl_hash(words, 16, SESSION));
    }
    pl_buf_zeros(&parts[PL_PACK_TIMES], 2 * (size_t)num);
    pl_buf_bytes(&parts[PL_PACK_LAYOUTS], layout, sizeof layout);
    pl_buf_bytes(&parts[PL_PACK_WORDS], words, 16);
    pl_buf_bytes(&parts[PL_PACK_SERIES], series, sizeof series);
    pl_buf_varint(&parts[PL_PACK_RUNS], num - 1);
    pl_buf_varint(&parts[PL_PACK_RUNS], 1);
    pl_buf_u8(&parts[PL_PACK_CHANGES], 3);
    end_forged(m, parts);
}

START_TEST(a_word_that_would_change_after_the_last_sample_does_not)
{
    enum { FEWEST = 1 << 2, LARGEST = 1 << 10 };

    for (uint32_t room = FEWEST; room <= LARGEST; room *= 2) {
        struct made_pack m = { .num = 0 };

        forge_late(&m, room - 1);
        ck_assert_uint_eq(pack_read_all(decoder, &m.record, m.payload.p),
                          room - 1);
        pack_release(&m);
    }
}
END_TEST

START_TEST(a_record_with_offsets_is_in_no_pack)
{
    static const struct {
        uint32_t type;
        enum pl_status want;
    } cases[] = { { PL_NOTE, PL_OK },
                  { PL_INDX, PL_CORRUPT },
                  { PL_ENDS, PL_CORRUPT },
                  { PL_TITL, PL_CORRUPT } };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made_pack m = { .num = 0 };
        struct pl_record r;
        const uint8_t *p;

        forge(&m, NULL, 0, cases[i].type);
        ck_assert_int_eq(pl_pack_decoder_open(decoder, &m.record, m.payload.p),
                         PL_OK);
        ck_assert_int_eq(pl_pack_decoder_next(decoder, &r, &p), PL_OK);
        ck_assert_int_eq(pl_pack_decoder_next(decoder, &r, &p), cases[i].want);
        pl_pack_decoder_close(decoder);
        pack_release(&m);
    }
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("pack_forged");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, each_word_that_is_there_predicts_one_at_most, 0,
                        sizeof predictions / sizeof *predictions);
    tcase_add_test(t, a_word_that_is_gone_changes_no_other_one);
    tcase_add_test(t, a_word_that_would_change_after_the_last_sample_does_not);
    tcase_add_test(t, a_record_with_offsets_is_in_no_pack);
    return run_suite("pack_forged", (TCase *[]){ t, NULL });
}
