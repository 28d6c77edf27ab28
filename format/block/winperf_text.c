/* Instance names and text counters of a block, as UTF-8. */
#include "format/base/codepage.h"
#include "format/base/utf.h"
#include "format/block/winperf.h"

#include <inttypes.h>
#include <stdio.h>

static void put_text(struct pl_codepages *pages, struct pl_buf *out,
                     const struct pl_object *o, bool unicode, const uint8_t *p,
                     size_t n)
{
    if (unicode)
        pl_utf16_to_utf8(out, p, n, o->big_endian);
    else
        pl_codepage_to_utf8(pages, out, o->code_page, p, n);
}

void pl_instance_name(struct pl_codepages *pages, struct pl_buf *out,
                      const struct pl_object *o, const struct pl_instance *i)
{
    size_t start = out->len;
    char number[16];

    if (i->name_len)
        put_text(pages, out, o, !o->code_page, i->name, i->name_len);
    if (out->len == start && i->unique_id != PERF_NO_UNIQUE_ID) {
        snprintf(number, sizeof number, "%" PRId32, i->unique_id);
        pl_buf_string(out, number);
    }
}

bool pl_counter_text(struct pl_codepages *pages, struct pl_buf *out,
                     const struct pl_object *o, const struct pl_instance *i,
                     const struct pl_counter_def *c)
{
    bool ascii = (c->type & PERF_SUBTYPE_MASK) == PERF_TEXT_ASCII;

    if (!pl_counter_is_inside(c, i))
        return false;
    put_text(pages, out, o, !ascii, i->block + c->offset, c->size);
    return true;
}
