/* Bounds-checked reading of untrusted bytes. */
#include "format/base/cursor.h"

struct pl_cur pl_cur_sub(struct pl_cur *c, size_t n)
{
    const uint8_t *p = pl_cur_take(c, n);

    if (!p)
        return (struct pl_cur){ NULL, 0, true };
    return pl_cur_of(p, n);
}

uint8_t pl_cur_u8(struct pl_cur *c)
{
    const uint8_t *p = pl_cur_take(c, 1);

    return p ? *p : 0;
}

uint16_t pl_cur_u16(struct pl_cur *c)
{
    const uint8_t *p = pl_cur_take(c, 2);

    return p ? pl_get_le16(p) : 0;
}

uint32_t pl_cur_u32(struct pl_cur *c)
{
    const uint8_t *p = pl_cur_take(c, 4);

    return p ? pl_get_le32(p) : 0;
}

uint64_t pl_cur_u64(struct pl_cur *c)
{
    const uint8_t *p = pl_cur_take(c, 8);

    return p ? pl_get_le64(p) : 0;
}

uint64_t pl_cur_long_varint(struct pl_cur *c)
{
    uint64_t v = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = pl_cur_u8(c);

        if (shift == 63 && byte > 1)
            break; /* would not fit in 64 bits */
        v |= (uint64_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80))
            return c->bad ? 0 : v;
    }
    c->bad = true;
    return 0;
}

/* Eight bytes at a time: as many varints as end among them. */
void pl_cur_pass_varints(struct pl_cur *c, size_t num)
{
    const uint64_t ones = 0x0101010101010101;
    struct pl_cur at = *c; /* a local copy, which stays in registers */

    while (num) {
        uint64_t ends = 0, behind;
        size_t here, passed;

        if (!at.bad && at.left >= sizeof ends)
            ends = ~pl_get_le64(at.p) & 0x8080808080808080;
        if (!ends) { /* a long one, or the last ones */
            pl_cur_varint(&at);
            num--;
            continue;
        }
        here = (ends >> 7) * ones >> 56;
        if (here > num) {
            behind = ends;
            for (here = 0; here < num; here++)
                behind &= behind - 1; /* without its lowest bit */
            ends ^= behind;
        }
        num -= here;
        passed = sizeof ends - (size_t)__builtin_clzll(ends) / 8;
        at.p += passed;
        at.left -= passed;
    }
    *c = at;
}
