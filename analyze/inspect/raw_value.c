/* A counter's stored bytes as text, for dump. */
#include "analyze/inspect/raw_value.h"

#include "analyze/calc/calc.h"

#include <inttypes.h>
#include <stdio.h>

void pl_raw_reader_release(struct pl_raw_reader *r)
{
    pl_codepages_release(&r->pages);
    pl_buf_release(&r->text);
}

static void put_bytes(struct pl_buf *out, const uint8_t *p, size_t n)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        pl_buf_u8(out, (uint8_t)digits[p[i] >> 4]);
        pl_buf_u8(out, (uint8_t)digits[p[i] & 15]);
    }
}

static bool is_text(const struct pl_counter_def *c)
{
    return (pl_type_resolve(c->type, c->size) & PERF_TYPE_MASK) ==
           PERF_TYPE_TEXT;
}

static bool is_label(const struct pl_counter_def *c)
{
    struct pl_formula scratch;
    const struct pl_formula *f = pl_formula_of(c->type, c->size, &scratch);

    return (!c->size && !is_text(c)) ||
           (f && f->kind == PL_VALUE_NONE && !f->is_base);
}

/* Read a counter that is not a number; its bytes lie in the block. */
static void read_letters(struct pl_raw_value *v, struct pl_raw_reader *r,
                         const struct pl_object *o, const struct pl_instance *i,
                         const struct pl_counter_def *c)
{
    if (c->size > r->budget) {
        v->status = "shares its bytes with too many others";
        return;
    }
    r->budget -= c->size;
    v->is_bytes = !is_text(c);
    if (v->is_bytes)
        put_bytes(&r->text, i->block + c->offset, c->size);
    else
        pl_counter_text(&r->pages, &r->text, o, i, c);
    pl_buf_u8(&r->text, 0); /* so that an empty text has an address */
    if (!r->text.oom)
        v->text = (struct pl_text){ (const char *)r->text.p, r->text.len - 1 };
}

void pl_raw_value_read(struct pl_raw_value *v, struct pl_raw_reader *r,
                       const struct pl_object *o, const struct pl_instance *i,
                       const struct pl_counter_def *c)
{
    *v = (struct pl_raw_value){ 0 };
    pl_buf_clear(&r->text);
    if (is_label(c)) {
        v->status = "label, no data";
    } else if (!pl_counter_is_inside(c, i)) {
        v->status = "outside the counter block";
    } else if (!is_text(c) && pl_counter_get(o, i, c, &v->number)) {
        v->is_number = true;
        snprintf(v->hex, sizeof v->hex, "0x%0*" PRIx64, (int)c->size * 2,
                 v->number);
    } else {
        read_letters(v, r, o, i, c);
    }
}
