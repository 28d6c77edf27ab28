/*                                                     format/base/cursor.h
 * A bounds-checked cursor over untrusted bytes.  The first read past the end
 * sets 'bad' and every later read returns NULL or 0, so a parser checks once,
 * at the end.  Also here: loads and stores of fixed-width integers at any
 * alignment.
 */
#ifndef PL_FORMAT_BASE_CURSOR_H
#define PL_FORMAT_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pl_cur {
    const uint8_t *p;
    size_t left;
    bool bad;
};

static inline struct pl_cur pl_cur_of(const void *p, size_t n)
{
    return (struct pl_cur){ p, n, false };
}

/* The next 'n' bytes, or NULL (and 'bad') if fewer are left. */
static inline const uint8_t *pl_cur_take(struct pl_cur *c, size_t n)
{
    const uint8_t *p = c->p;

    if (c->bad || n > c->left) {
        c->bad = true;
        return NULL;
    }
    c->p += n;
    c->left -= n;
    return p;
}

/* A cursor on only the next 'n' bytes; 'c' moves past them. */
struct pl_cur pl_cur_sub(struct pl_cur *c, size_t n);

/* Little-endian integers; 0 (and 'bad') past the end. */
uint8_t pl_cur_u8(struct pl_cur *c);
uint16_t pl_cur_u16(struct pl_cur *c);
uint32_t pl_cur_u32(struct pl_cur *c);
uint64_t pl_cur_u64(struct pl_cur *c);

/* Unaligned loads; compilers make one instruction of each. */
static inline uint16_t pl_get_le16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t pl_get_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static inline uint64_t pl_get_le64(const uint8_t *p)
{
    return pl_get_le32(p) | (uint64_t)pl_get_le32(p + 4) << 32;
}

static inline uint16_t pl_get_be16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t pl_get_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
           (uint32_t)p[3];
}

static inline uint64_t pl_get_be64(const uint8_t *p)
{
    return (uint64_t)pl_get_be32(p) << 32 | pl_get_be32(p + 4);
}

/*
 * A number in stored (little-endian) order.  Stores use memcpy, because
 * compilers often do not merge stores of single bytes into one instruction.
 */
static inline uint64_t pl_stored(uint64_t v, size_t size)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(v) >> (64 - 8 * size);
#else
    (void)size;
    return v;
#endif
}

static inline void pl_put_le16(uint8_t *p, uint16_t v)
{
    v = (uint16_t)pl_stored(v, sizeof v);
    memcpy(p, &v, sizeof v);
}

static inline void pl_put_le32(uint8_t *p, uint32_t v)
{
    v = (uint32_t)pl_stored(v, sizeof v);
    memcpy(p, &v, sizeof v);
}

static inline void pl_put_le64(uint8_t *p, uint64_t v)
{
    v = pl_stored(v, sizeof v);
    memcpy(p, &v, sizeof v);
}

static inline void pl_put_le64s(uint8_t *p, const uint64_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        pl_put_le64(p + i * sizeof *v, v[i]);
}

/* LEB128, at most 10 bytes and 64 bits; anything longer is 'bad'. */
uint64_t pl_cur_long_varint(struct pl_cur *c);

/* The number formed by the low 7 bits of each byte of 'word'. */
static inline uint64_t pl_join_sevens(uint64_t word)
{
    word = (word & 0x007F007F007F007F) | (word & 0x7F007F007F007F00) >> 1;
    word = (word & 0x00003FFF00003FFF) | (word & 0x3FFF00003FFF0000) >> 2;
    return (word & 0x0FFFFFFF) | (word & 0x0FFFFFFF00000000) >> 4;
}

/* What pl_zigzag() was given. */
static inline uint64_t pl_unzigzag(uint64_t v)
{
    return v >> 1 ^ (0 - (v & 1));
}

/* Read 'num' varints whose values are not needed; 'bad' as if each was read. */
void pl_cur_pass_varints(struct pl_cur *c, size_t num);

/* The varint at 'at', which moves past it.  It has been passed before, by
 * pl_cur_pass_varints, or read: it is not checked again. */
static inline uint64_t pl_checked_varint(const uint8_t *bytes, uint32_t *at)
{
    const uint8_t *p = bytes + *at;
    uint64_t v = *p & 0x7F;

    for (int shift = 7; *p++ & 0x80; shift += 7)
        v |= (uint64_t)(*p & 0x7F) << shift;
    *at = (uint32_t)(p - bytes);
    return v;
}

/* A varint; most are one byte, and few are longer than eight. */
static inline uint64_t pl_cur_varint(struct pl_cur *c)
{
    const uint64_t ones = 0x0101010101010101;
    struct pl_cur slow;
    uint64_t word, last;

    if (!c->bad && c->left && !(*c->p & 0x80)) {
        c->left--;
        return *c->p++;
    }
    if (!c->bad && c->left >= sizeof word) {
        word = pl_get_le64(c->p);
        last = ~word & 0x8080808080808080; /* lowest bit: its last byte */
        last ^= last - 1;                  /* that bit and all below it */
        if (last >> 63 == 0) {
            size_t len = (last & ones) * ones >> 56; /* number of bytes */

            c->p += len;
            c->left -= len;
            return pl_join_sevens(word & last);
        }
    }
    slow = *c; /* so that '*c' may stay in registers */
    word = pl_cur_long_varint(&slow);
    *c = slow;
    return word;
}

#endif
