/*
 * Blocks of differences: the least of a block, then in parts how much greater
 * the others are, each part with as many bits a number as its greatest needs.
 */
#include "analyze/parquet/delta.h"

#include "analyze/parquet/thrift.h"

enum { BLOCK = 128, PARTS = 4, PART = BLOCK / PARTS };

static unsigned width_of(const uint64_t *v, size_t num)
{
    uint64_t all = 0;
    unsigned width = 0;

    for (size_t i = 0; i < num; i++)
        all |= v[i];
    while (width < 64 && all >> width)
        width++;
    return width;
}

/* A part of PART numbers fills whole bytes, whatever their width. */
static void put_part(struct pl_buf *out, const uint64_t *v, unsigned width)
{
    uint8_t *p = pl_buf_zeros(out, (size_t)PART / 8 * width);

    for (size_t i = 0, at = 0; p && i < PART; i++)
        for (unsigned bit = 0, n; bit < width; bit += n, at += n) {
            n = 8 - at % 8 < width - bit ? 8 - (unsigned)(at % 8) : width - bit;
            p[at / 8] |= (uint8_t)(v[i] >> bit << at % 8);
        }
}

/* Differences modulo 2^64, as readers add them; their least as signed ones. */
static void put_block(struct pl_buf *out, const uint64_t *v, size_t num)
{
    uint64_t off[BLOCK] = { 0 };
    uint64_t least = v[0] - v[-1];

    for (size_t i = 0; i < num; i++) {
        off[i] = v[i] - v[(ptrdiff_t)i - 1];
        if ((int64_t)off[i] < (int64_t)least)
            least = off[i];
    }
    for (size_t i = 0; i < num; i++)
        off[i] -= least;
    pl_thrift_put_zigzag(out, (int64_t)least);
    for (size_t i = 0; i < BLOCK; i += PART)
        pl_buf_u8(out, (uint8_t)width_of(off + i, PART));
    for (size_t i = 0; i < num; i += PART)
        put_part(out, off + i, width_of(off + i, PART));
}

void pl_delta_put(struct pl_buf *out, const uint64_t *v, size_t num)
{
    pl_buf_varint(out, BLOCK);
    pl_buf_varint(out, PARTS);
    pl_buf_varint(out, num);
    pl_thrift_put_zigzag(out, (int64_t)v[0]);
    for (size_t i = 1; i < num; i += BLOCK)
        put_block(out, v + i, num - i < BLOCK ? num - i : BLOCK);
}
