/* A growing byte buffer for output. */
#include "format/base/buf.h"

#include "format/base/cursor.h"

#include <stdlib.h>
#include <string.h>

/*
 * Large ones lie whole pages apart, whatever an allocator puts before each (HEAD), so
 * that a block is copied between two of them at its best: where the copy lies a little
 * further in its page than the original, a processor takes each load to depend on the
 * stores just before it.
 */
enum { PAGE = 4096, HEAD = 16 };

void pl_buf_release(struct pl_buf *b)
{
    free(b->p);
    *b = (struct pl_buf){ 0 };
}

void pl_buf_clear(struct pl_buf *b)
{
    b->len = 0;
    b->oom = false;
}

void pl_buf_drop(struct pl_buf *b)
{
    if (b->cap > PL_LARGE)
        pl_buf_release(b);
    pl_buf_clear(b);
}

uint8_t *pl_buf_grow(struct pl_buf *b, size_t n)
{
    size_t cap = b->cap;
    uint8_t *p;

    if (b->oom)
        return NULL;
    if (b->p && n <= cap - b->len)
        return b->p + b->len;
    if (n > SIZE_MAX / 4 - b->len) {
        b->oom = true;
        return NULL;
    }
    cap = cap ? cap : 64;
    while (cap - b->len < n)
        cap += cap / 2;
    if (cap > PAGE)
        cap = ((cap + HEAD - 1) / PAGE + 1) * PAGE - HEAD;
    p = realloc(b->p, cap);
    if (!p) {
        b->oom = true;
        return NULL;
    }
    b->p = p;
    b->cap = cap;
    return p + b->len;
}

uint8_t *pl_buf_zeros(struct pl_buf *b, size_t n)
{
    uint8_t *p = pl_buf_room(b, n);

    if (!p)
        return NULL;
    memset(p, 0, n);
    b->len += n;
    return p;
}

void pl_buf_bytes(struct pl_buf *b, const void *src, size_t n)
{
    uint8_t *p = pl_buf_room(b, n);

    if (!p || !n)
        return;
    memcpy(p, src, n);
    b->len += n;
}

void pl_buf_string(struct pl_buf *b, const char *s)
{
    pl_buf_bytes(b, s, strlen(s));
}

void pl_buf_u8(struct pl_buf *b, uint8_t v)
{
    pl_buf_bytes(b, &v, 1);
}

void pl_buf_u16(struct pl_buf *b, uint16_t v)
{
    uint8_t raw[2];

    pl_put_le16(raw, v);
    pl_buf_bytes(b, raw, sizeof raw);
}

void pl_buf_u32(struct pl_buf *b, uint32_t v)
{
    uint8_t raw[4];

    pl_put_le32(raw, v);
    pl_buf_bytes(b, raw, sizeof raw);
}

void pl_buf_u64(struct pl_buf *b, uint64_t v)
{
    uint8_t raw[8];

    pl_put_le64(raw, v);
    pl_buf_bytes(b, raw, sizeof raw);
}

void pl_buf_varint(struct pl_buf *b, uint64_t v)
{
    uint8_t raw[10];
    size_t n = 0;

    while (v >= 0x80) {
        raw[n++] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    raw[n++] = (uint8_t)v;
    pl_buf_bytes(b, raw, n);
}

void pl_buf_align(struct pl_buf *b, size_t n)
{
    size_t over = b->len % n;

    if (over)
        pl_buf_zeros(b, n - over);
}

size_t pl_buf_open(struct pl_buf *b)
{
    size_t at = b->len;

    pl_buf_u32(b, 0);
    return at;
}

void pl_buf_close(struct pl_buf *b, size_t start)
{
    pl_buf_set_u32(b, start, (uint32_t)(b->len - start));
}

void pl_buf_set_u32(struct pl_buf *b, size_t at, uint32_t v)
{
    if (!b->oom)
        pl_put_le32(b->p + at, v);
}

void pl_buf_set_u64(struct pl_buf *b, size_t at, uint64_t v)
{
    if (!b->oom)
        pl_put_le64(b->p + at, v);
}

void pl_buf_swap(struct pl_buf *a, struct pl_buf *b)
{
    struct pl_buf t = *a;

    *a = *b;
    *b = t;
}
