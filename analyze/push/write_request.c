/* Protocol buffers, as far as remote write needs them. */
#include "analyze/push/write_request.h"

#include <string.h>

/* Wire types, in the low bits of a field's key. */
enum { VARINT = 0, FIXED64 = 1, BYTES = 2 };

static uint8_t key(unsigned field, unsigned type)
{
    return (uint8_t)(field << 3 | type);
}

static size_t varint_length(uint64_t v)
{
    size_t n = 1;

    for (; v >= 0x80; v >>= 7)
        n++;
    return n;
}

static void put_bytes(struct pl_buf *b, unsigned field, const void *p, size_t n)
{
    pl_buf_u8(b, key(field, BYTES));
    pl_buf_varint(b, n);
    pl_buf_bytes(b, p, n);
}

void pl_write_label(struct pl_buf *b, const char *name, const char *value)
{
    size_t n = strlen(name), m = strlen(value);

    pl_buf_u8(b, key(1, BYTES));
    pl_buf_varint(b, 2 + varint_length(n) + n + varint_length(m) + m);
    put_bytes(b, 1, name, n);
    put_bytes(b, 2, value, m);
}

void pl_write_sample(struct pl_buf *b, uint64_t bits, int64_t ms)
{
    pl_buf_u8(b, key(2, BYTES));
    pl_buf_varint(b, 1 + 8 + 1 + varint_length((uint64_t)ms));
    pl_buf_u8(b, key(1, FIXED64));
    pl_buf_u64(b, bits);
    pl_buf_u8(b, key(2, VARINT));
    pl_buf_varint(b, (uint64_t)ms);
}

void pl_write_series(struct pl_buf *b, const void *labels, size_t num_labels,
                     const struct pl_buf *samples)
{
    pl_buf_u8(b, key(1, BYTES));
    pl_buf_varint(b, num_labels + samples->len);
    pl_buf_bytes(b, labels, num_labels);
    pl_buf_bytes(b, samples->p, samples->len);
}
