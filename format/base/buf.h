/*                                                        format/base/buf.h
 * A growing byte buffer for output.  Its writing functions return no error:
 * when memory runs out 'oom' is set, nothing more is stored, and the owner
 * checks once, at the end.  pl_buf_close fills in lengths that are known only
 * afterwards.  A cleared buffer keeps its memory, so a reused buffer stops
 * allocating once it has reached the largest size needed.
 */
#ifndef PL_FORMAT_BASE_BUF_H
#define PL_FORMAT_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_buf {
    uint8_t *p;
    size_t len; /* bytes stored */
    size_t cap; /* bytes allocated */
    bool oom;
};

/* All zero is an empty buffer; release frees and empties it again. */
void pl_buf_release(struct pl_buf *b);
void pl_buf_clear(struct pl_buf *b);

/* Clear it, and free its memory if that is over PL_LARGE bytes: for buffers
 * that must not all hold large blocks at the same time. */
enum { PL_LARGE = 256 << 10 };
void pl_buf_drop(struct pl_buf *b);

/* Room for 'n' more bytes after 'len', not yet counted; NULL if oom. */
uint8_t *pl_buf_grow(struct pl_buf *b, size_t n); /* if it must be allocated */
static inline uint8_t *pl_buf_room(struct pl_buf *b, size_t n)
{
    return b->p && !b->oom && n <= b->cap - b->len ? b->p + b->len
                                                   : pl_buf_grow(b, n);
}

/* 'n' zero bytes, counted; NULL if oom.  Valid until the next put. */
uint8_t *pl_buf_zeros(struct pl_buf *b, size_t n);

void pl_buf_bytes(struct pl_buf *b, const void *p, size_t n);
void pl_buf_string(struct pl_buf *b, const char *s); /* without its zero */
void pl_buf_u8(struct pl_buf *b, uint8_t v);
void pl_buf_u16(struct pl_buf *b, uint16_t v); /* little-endian, as below */
void pl_buf_u32(struct pl_buf *b, uint32_t v);
void pl_buf_u64(struct pl_buf *b, uint64_t v);
void pl_buf_varint(struct pl_buf *b, uint64_t v); /* LEB128 */

/* How many bytes it takes as a varint. */
static inline size_t pl_varint_len(uint64_t v)
{
    size_t n = 1;

    while (v >>= 7)
        n++;
    return n;
}

/* A difference as a varint: small ones of both signs are short. */
static inline uint64_t pl_zigzag(uint64_t v)
{
    return v << 1 ^ (uint64_t)((int64_t)v >> 63);
}

/* Zero bytes up to a multiple of 'n' counted from the buffer's start. */
void pl_buf_align(struct pl_buf *b, size_t n);

/* A 32-bit length field that counts itself; open returns its offset for
 * close. */
size_t pl_buf_open(struct pl_buf *b);
void pl_buf_close(struct pl_buf *b, size_t start);

/* Overwrite 4 or 8 bytes stored before; ignored after oom. */
void pl_buf_set_u32(struct pl_buf *b, size_t at, uint32_t v);
void pl_buf_set_u64(struct pl_buf *b, size_t at, uint64_t v);

/* Exchange two buffers without copying. */
void pl_buf_swap(struct pl_buf *a, struct pl_buf *b);

#endif
