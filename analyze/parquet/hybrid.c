/* Run lengths and packed bits. */
#include "analyze/parquet/hybrid.h"

/* Packed bits come in groups of 8; a run shorter than two groups is packed. */
enum { GROUP = 8, LEAST_RUN = 2 * GROUP };

unsigned pl_hybrid_width(uint32_t num)
{
    unsigned width = 1;

    while (width < 32 && UINT32_C(1) << width < num)
        width++;
    return width;
}

void pl_hybrid_put_run(struct pl_buf *out, uint32_t v, size_t num,
                       unsigned width)
{
    pl_buf_varint(out, (uint64_t)num << 1);
    for (unsigned bits = 0; bits < width; bits += 8)
        pl_buf_u8(out, (uint8_t)(v >> bits));
}

static size_t run_at(const uint32_t *v, size_t num)
{
    size_t n = 1;

    while (n < num && v[n] == v[0])
        n++;
    return n;
}

/* How many of 'num' numbers lie before a run that is worth a run of its own. */
static size_t packed_at(const uint32_t *v, size_t num)
{
    size_t n = 0;

    while (n < num) {
        size_t run = run_at(v + n, num - n);
        size_t fill = (GROUP - n % GROUP) % GROUP; /* completes a group */

        if (run >= fill + LEAST_RUN)
            return n + fill;
        n += run;
    }
    return num;
}

/* Pack 'num' numbers; what lacks of the last group is zeros. */
static void put_packed(struct pl_buf *out, const uint32_t *v, size_t num,
                       unsigned width)
{
    size_t groups = (num + GROUP - 1) / GROUP;
    uint8_t *p;
    uint64_t bits = 0;
    unsigned held = 0;

    pl_buf_varint(out, (uint64_t)groups << 1 | 1);
    p = pl_buf_zeros(out, groups * width);
    for (size_t i = 0; p && i < num; i++) {
        bits |= (uint64_t)v[i] << held;
        for (held += width; held >= 8; held -= 8, bits >>= 8)
            *p++ = (uint8_t)bits;
    }
    if (p && held)
        *p = (uint8_t)bits;
}

void pl_hybrid_put(struct pl_buf *out, const uint32_t *v, size_t num,
                   unsigned width)
{
    while (num) {
        size_t n = run_at(v, num);

        if (n >= LEAST_RUN || n == num) {
            pl_hybrid_put_run(out, *v, n, width);
        } else {
            n = packed_at(v, num);
            put_packed(out, v, n, width);
        }
        v += n;
        num -= n;
    }
}
