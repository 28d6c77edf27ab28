/* Thrift's compact protocol. */
#include "analyze/parquet/thrift.h"

#include <assert.h>

void pl_thrift_put_zigzag(struct pl_buf *out, int64_t v)
{
    pl_buf_varint(out, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

/* A step of up to 15 from the last number shares a byte with the type. */
static void put_field(struct pl_thrift *t, int id, enum pl_thrift_type type)
{
    int step = id - t->last[t->depth];

    if (step > 0 && step <= 15) {
        pl_buf_u8(t->out, (uint8_t)((unsigned)step << 4 | type));
    } else {
        pl_buf_u8(t->out, (uint8_t)type);
        pl_thrift_put_zigzag(t->out, id);
    }
    t->last[t->depth] = id;
}

void pl_thrift_i32(struct pl_thrift *t, int id, int32_t v)
{
    put_field(t, id, PL_THRIFT_I32);
    pl_thrift_put_zigzag(t->out, v);
}

void pl_thrift_i64(struct pl_thrift *t, int id, int64_t v)
{
    put_field(t, id, PL_THRIFT_I64);
    pl_thrift_put_zigzag(t->out, v);
}

void pl_thrift_byte(struct pl_thrift *t, int id, int8_t v)
{
    put_field(t, id, PL_THRIFT_BYTE);
    pl_buf_u8(t->out, (uint8_t)v);
}

void pl_thrift_bool(struct pl_thrift *t, int id, bool v)
{
    put_field(t, id, v ? PL_THRIFT_TRUE : PL_THRIFT_FALSE);
}

void pl_thrift_text(struct pl_thrift *t, int id, struct pl_text v)
{
    put_field(t, id, PL_THRIFT_BINARY);
    pl_thrift_item_text(t, v);
}

void pl_thrift_begin(struct pl_thrift *t, int id)
{
    if (id)
        put_field(t, id, PL_THRIFT_STRUCT);
    assert(t->depth + 1 < PL_THRIFT_DEPTH);
    t->last[++t->depth] = 0;
}

void pl_thrift_end(struct pl_thrift *t)
{
    pl_buf_u8(t->out, 0);
    if (t->depth)
        t->depth--;
}

void pl_thrift_list(struct pl_thrift *t, int id, enum pl_thrift_type type,
                    size_t num)
{
    put_field(t, id, PL_THRIFT_LIST);
    pl_buf_u8(t->out, (uint8_t)((num < 15 ? (unsigned)num : 15U) << 4 | type));
    if (num >= 15)
        pl_buf_varint(t->out, num);
}

void pl_thrift_item(struct pl_thrift *t, int32_t v)
{
    pl_thrift_put_zigzag(t->out, v);
}

void pl_thrift_item_text(struct pl_thrift *t, struct pl_text v)
{
    pl_buf_varint(t->out, v.n);
    pl_buf_bytes(t->out, v.p, v.n);
}
