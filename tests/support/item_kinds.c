/* What a reader makes of crafted bytes. */
#include "tests/support/item_kinds.h"

#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <string.h>

size_t total_of(size_t n)
{
    return PL_RECORD_LEN + pl_padded_len((uint32_t)n);
}

/* Kinds in order, one letter each, of a log given as bytes. */
static const char letters[NUM_ITEM_KINDS + 1] = "stSgneoHDIUNi";

void kinds_of(const void *p, size_t n, char *out, size_t cap)
{
    struct pl_reader *r;
    struct pl_item item;
    uint64_t bytes = 0;
    const char *path = path_in(temp_dir(), "bytes");
    enum pl_status s;
    size_t num = 0;

    write_file(path, p, n);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!(s = pl_reader_next(r, &item))) {
        ck_assert_uint_lt(num + 1, cap);
        out[num++] = letters[item.kind];
        bytes += item.len;
        if (item.kind == PL_ITEM_DAMAGED || item.kind == PL_ITEM_TOO_NEW)
            ck_assert_ptr_nonnull(item.reason);
    }
    out[num] = 0;
    ck_assert_int_eq(s, PL_END);
    /* What is hidden, or told before, is not accounted for. */
    if (!strchr(out, 'N') && !pl_reader_duplicates(r))
        ck_assert_uint_eq(bytes, n);
    pl_reader_close(r);
}

void check_kinds(const char *what, struct pl_buf *b, const char *want)
{
    char got[64];

    ck_assert(!b->oom);
    kinds_of(b->p, b->len, got, sizeof got);
    ck_assert_msg(!strcmp(got, want), "%s: %s, not %s", what, got, want);
    pl_buf_clear(b);
}
