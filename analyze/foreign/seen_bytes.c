/* Reads of a file no more than was seen of it. */
#include "analyze/foreign/seen_bytes.h"

enum pl_status pl_seen_size(struct pl_file *f, uint64_t seen, uint64_t *size)
{
    enum pl_status s = pl_file_size(f, size);

    if (!s && *size > seen)
        *size = seen;
    return s;
}

enum pl_status pl_seen_read(struct pl_file *f, uint64_t size, uint64_t at,
                            void *p, size_t n, size_t *got)
{
    uint64_t left = at < size ? size - at : 0;

    return pl_file_read(f, at, p, n < left ? n : (size_t)left, got);
}
