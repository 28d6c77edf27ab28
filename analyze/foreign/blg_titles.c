/* Titles in a Performance Monitor log for its blocks. */
#include "analyze/foreign/blg_titles.h"

#include "format/time/time_text.h"
#include "format/base/text.h"
#include "format/block/titles.h"
#include "format/base/utf.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY = 4 }; /* a title whose English name is known */

void pl_blg_titles_release(struct pl_blg_titles *t)
{
    free(t->starts);
    pl_buf_release(&t->names);
    *t = (struct pl_blg_titles){ 0 };
}

/* The UTF-16 text at *at, appended with a NUL; false: no more. */
static bool next_text(const uint8_t *p, size_t n, size_t *at,
                      struct pl_buf *out)
{
    size_t from = *at;

    while (*at + 2 <= n && (p[*at] || p[*at + 1]))
        *at += 2;
    if (*at + 2 > n)
        return false;
    pl_utf16_to_utf8(out, p + from, *at - from, false);
    pl_buf_u8(out, 0);
    *at += 2;
    return !out->oom;
}

static uint32_t number_of(const struct pl_buf *text)
{
    uint64_t n;

    return pl_parse_count((const char *)text->p, &n) || n >= PL_MAX_TITLES
               ? 0
               : (uint32_t)n;
}

static const char *name_of(const struct pl_blg_titles *t, uint32_t index)
{
    return (const char *)t->names.p + t->starts[index] - 1;
}

enum pl_status pl_blg_titles_take(struct pl_blg_titles *t, const uint8_t *p,
                                  size_t n)
{
    struct pl_buf number = { 0 };
    size_t at = 0;

    if (!t->starts)
        t->starts = calloc(PL_MAX_TITLES, sizeof *t->starts);
    if (!t->starts)
        return PL_NOMEM;
    next_text(p, n, &at, &number); /* the machine's name */
    for (;;) {
        size_t start = t->names.len + 1;
        uint32_t index;

        pl_buf_clear(&number);
        if (!next_text(p, n, &at, &number) || !next_text(p, n, &at, &t->names))
            break;
        index = number_of(&number);
        if (index)
            t->starts[index] = start;
        else
            t->names.len = start - 1;
        if (index == MEMORY)
            t->english = !strcmp(name_of(t, index), "Memory");
    }
    at = number.oom || t->names.oom;
    pl_buf_release(&number);
    return at ? PL_NOMEM : PL_OK;
}

static int by_index(const void *x, const void *y)
{
    const uint32_t *a = x, *b = y;

    return *a < *b ? -1 : *a > *b;
}

enum pl_status pl_blg_titles_keep(const struct pl_blg_titles *t,
                                  struct pl_title_set *used, struct pl_buf *out)
{
    struct pl_titles *kept;
    enum pl_status s = pl_titles_new(&kept);

    /* it is not queried again: sort its slots, free ones first */
    if (used->num)
        qsort(used->slots, used->cap, sizeof *used->slots, by_index);
    for (size_t i = 0; !s && t->starts && i < used->cap; i++) {
        uint32_t index = used->slots[i];

        if (index < PL_MAX_TITLES && t->starts[index] && *name_of(t, index))
            s = pl_titles_set(kept, index, PL_TITLE_NAME,
                              t->english ? PL_LANGUAGE_ENGLISH : 0,
                              pl_text_of(name_of(t, index)));
    }
    if (!s)
        pl_titles_write(kept, out);
    pl_titles_free(kept);
    return s ? s : out->oom ? PL_NOMEM : PL_OK;
}
