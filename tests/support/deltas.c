/* Blocks made of letters, and their way through the token codec. */
#include "tests/support/deltas.h"

#include "format/block/winperf.h"
#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>

enum pl_status decode_tokens(const struct pl_buf *tokens,
                             const struct pl_buf *ref, size_t raw_len,
                             uint8_t *raw)
{
    uint8_t *t = exact_copy(tokens->p, tokens->len);
    uint8_t *r = exact_copy(ref->p, ref->len);
    enum pl_status s =
        pl_delta_decode(t, tokens->len, r, ref->len, raw, raw_len);

    free(t);
    free(r);
    return s;
}

void check_round_trip(struct pl_plan *plan, const struct pl_buf *ref,
                      const struct pl_buf *raw)
{
    uint8_t *r = exact_copy(ref->p, ref->len);
    uint8_t *now = exact_copy(raw->p, raw->len);
    uint8_t *back = malloc(raw->len + 1); /* malloc(0) may be NULL */
    struct pl_buf tokens = { 0 };

    ck_assert_int_eq(pl_delta_plan(plan, r, ref->len, now, raw->len), PL_OK);
    pl_delta_encode(&tokens, plan, r, now, SIZE_MAX);
    ck_assert(!tokens.oom);
    ck_assert_int_eq(decode_tokens(&tokens, ref, raw->len, back), PL_OK);
    ck_assert(!raw->len || !memcmp(back, now, raw->len));
    ck_assert_uint_le(tokens.len, 2 * raw->len + 65536);
    pl_buf_release(&tokens);
    free(back);
    free(now);
    free(r);
}
static void put_values(struct pl_buf *b, uint64_t value)
{
    uint8_t *p = pl_put_counter_block(b, 8 + 4 * 8);

    for (size_t i = 0; i < 4; i++)
        pl_put_le64(p + 8 + 8 * i, value * (i + 1));
}

static void put_thing(struct pl_buf *b, const struct thing *t, uint64_t value)
{
    struct pl_object o = { .title_index = t->title };
    size_t at = pl_put_object(b, &o);
    int32_t num = PERF_NO_INSTANCES;

    for (uint32_t i = 0; i < 4; i++) {
        struct pl_counter_def c = { .title_index = 1000 + i,
                                    .type = PERF_COUNTER_BULK_COUNT,
                                    .size = 8,
                                    .offset = 8 + 8 * i };

        pl_put_counter(b, &c);
    }
    pl_put_definitions_close(b, at, 4);
    if (!t->names) {
        put_values(b, value);
    } else {
        for (num = 0; t->names[num]; num++) {
            uint8_t name[2] = { (uint8_t)t->names[num], 0 };

            pl_put_instance(b, 0, 0, name, sizeof name);
            put_values(b, value + name[0]);
        }
    }
    pl_put_object_close(b, at, num);
}

void put_things(struct pl_buf *b, const struct thing *t, uint64_t value)
{
    struct pl_block_stamp stamp = { .utc_ns = (int64_t)value,
                                    .perf_time = (int64_t)value,
                                    .perf_freq = 1000 };
    size_t block = pl_put_block(b, &stamp, NULL, 0);
    uint32_t num = 0;

    for (; t->title; t++, num++)
        put_thing(b, t, value);
    pl_put_block_close(b, block, num, -1);
}
