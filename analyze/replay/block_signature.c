/* The bytes of a block that make up its layout. */
#include "analyze/replay/block_signature.h"

#include "format/base/array.h"

#include <stdlib.h>
#include <string.h>

/* Fields of headers before their first clock. */
enum { BLOCK_FIELDS = 36, OBJECT_FIELDS = PL_SIZEOF_OBJECT_REV0 };

void pl_block_signature_release(struct pl_block_signature *f)
{
    free(f->ranges);
    *f = (struct pl_block_signature){ 0 };
}

void pl_block_signature_bytes(struct pl_block_signature *f, size_t at,
                              size_t len)
{
    struct pl_range *last = f->num ? &f->ranges[f->num - 1] : NULL;

    if (!f->known || !len)
        return;
    if (last && last->at + last->len == at) {
        last->len += (uint32_t)len;
        return;
    }
    f->known =
        pl_array_grow((void **)&f->ranges, &f->cap, f->num, sizeof *f->ranges);
    if (!f->known)
        return;
    f->ranges[f->num++] = (struct pl_range){ (uint32_t)at, (uint32_t)len };
}

void pl_block_signature_begin(struct pl_block_signature *f,
                              const struct pl_block *block)
{
    f->num = 0;
    f->known = block->len <= PL_MAX_BLOCK_LEN;
    pl_block_signature_bytes(f, 0, BLOCK_FIELDS);
}

void pl_block_signature_header(struct pl_block_signature *f,
                               const struct pl_object *o)
{
    pl_block_signature_bytes(f, o->at, OBJECT_FIELDS);
}

void pl_block_signature_definitions(struct pl_block_signature *f,
                                    const struct pl_object *o)
{
    size_t from = o->header_len < PL_SIZEOF_OBJECT ? PL_SIZEOF_OBJECT_REV0
                                                   : PL_SIZEOF_OBJECT;

    pl_block_signature_bytes(f, o->at + from, o->definition_len - from);
}

void pl_block_signature_instance(struct pl_block_signature *f,
                                 const struct pl_block *block,
                                 const struct pl_instance *i)
{
    const uint8_t *start = i->definition ? i->definition : i->block;

    pl_block_signature_bytes(f, (size_t)(start - block->bytes),
                             (size_t)(i->block - start) +
                                 PL_SIZEOF_COUNTER_BLOCK);
}

bool pl_block_signature_is_same(const struct pl_block_signature *f,
                                const uint8_t *was, const uint8_t *now)
{
    if (!f->known) /* 'was' may be gone */
        return false;
    for (size_t i = 0; i < f->num; i++) {
        const struct pl_range *r = &f->ranges[i];

        if (memcmp(was + r->at, now + r->at, r->len))
            return false;
    }
    return true;
}
