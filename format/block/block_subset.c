/* Copies of blocks without some objects, counters and instances. */
#include "format/block/block_subset.h"

#include <stdlib.h>
#include <string.h>

enum {
    COUNTER_OFFSET = 36,
    MOST_VALUES = 1 << 20, /* bytes; no valid counter block has more */
};

/* A counter that is kept: the old and the new offset of its value. */
struct value {
    struct pl_counter_def def;
    const uint8_t *definition;
    uint32_t to;
};

struct values {
    struct value *p;       /* in the order of their definitions */
    struct value **sorted; /* by the old ends of the values */
    size_t num, num_sorted;
    uint32_t len; /* of a counter block with all of them */
};

void pl_block_subset_begin(struct pl_buf *b, const struct pl_block *block)
{
    const uint8_t *p = block->bytes;

    pl_buf_clear(b);
    pl_buf_bytes(b, p,
                 block->big_endian ? pl_get_be32(p + PL_BLOCK_HEADER_LEN)
                                   : pl_get_le32(p + PL_BLOCK_HEADER_LEN));
}

void pl_block_subset_end(struct pl_buf *b, const struct pl_block *block,
                         uint32_t num_objects)
{
    pl_block_set_u32(b, PL_BLOCK_TOTAL_LEN, block->big_endian,
                     (uint32_t)b->len);
    pl_block_set_u32(b, PL_BLOCK_NUM_OBJECTS, block->big_endian, num_objects);
}

void pl_block_subset_whole(struct pl_buf *b, const struct pl_block *block,
                           const struct pl_object *o)
{
    pl_buf_bytes(b, block->bytes + o->at, o->len);
}

/* ---- counters -------------------------------------------------------------- */

/* By the ends of values: those missing from a short counter block then are at
 * the end of the new one, too. */
static int by_end(const void *a, const void *b)
{
    const struct value *x = *(struct value *const *)a;
    const struct value *y = *(struct value *const *)b;
    uint64_t x_end = (uint64_t)x->def.offset + x->def.size;
    uint64_t y_end = (uint64_t)y->def.offset + y->def.size;

    if (x_end != y_end)
        return x_end < y_end ? -1 : 1;
    return x->definition < y->definition ? -1 : 1;
}

/* Values that no counter block can have keep their offset, and stay missing. */
static void sort_values(struct values *v)
{
    v->num_sorted = 0;
    for (size_t i = 0; i < v->num; i++)
        if (v->p[i].def.offset >= PL_SIZEOF_COUNTER_BLOCK)
            v->sorted[v->num_sorted++] = &v->p[i];
        else
            v->p[i].to = v->p[i].def.offset;
    qsort(v->sorted, v->num_sorted, sizeof *v->sorted, by_end);
}

/* Place the values one after the other; false: over MOST_VALUES bytes. */
static bool place_values(struct values *v)
{
    uint64_t at = PL_SIZEOF_COUNTER_BLOCK;

    sort_values(v);
    for (size_t i = 0; i < v->num_sorted; i++) {
        uint32_t grain = v->sorted[i]->def.size >= 8 ? 8 : 4;

        at = (at + grain - 1) / grain * grain;
        v->sorted[i]->to = (uint32_t)at;
        at += v->sorted[i]->def.size;
        if (at > MOST_VALUES)
            return false;
    }
    v->len = (uint32_t)(at + 7) & ~7u;
    return true;
}

/* The counters that are kept. */
static enum pl_status find_values(const struct pl_object *o,
                                  const bool *counters, struct values *v)
{
    struct pl_object walk = *o;
    struct pl_counter_def def;
    enum pl_status s;

    for (size_t i = 0;; i++) {
        const uint8_t *p = walk.counters.p;

        s = pl_counter_next(&walk, &def);
        if (s)
            return s == PL_END ? PL_OK : PL_CORRUPT;
        if (counters[i])
            v->p[v->num++] = (struct value){ .def = def, .definition = p };
    }
}

static void put_definitions(struct pl_buf *b, const struct pl_object *o,
                            const struct values *v)
{
    for (size_t i = 0; i < v->num; i++) {
        pl_buf_bytes(b, v->p[i].definition, v->p[i].def.len);
        pl_block_set_u32(b, b->len - v->p[i].def.len + COUNTER_OFFSET,
                         o->big_endian, v->p[i].to);
    }
}

static void put_counter_block(struct pl_buf *b, const struct pl_object *o,
                              const struct pl_instance *i,
                              const struct values *v)
{
    size_t present = 0, at = b->len;
    uint32_t len = v->len;
    uint8_t *p;

    while (present < v->num_sorted &&
           pl_counter_is_inside(&v->sorted[present]->def, i))
        present++;
    if (present < v->num_sorted) /* its counter block was short, so is this */
        len = present ? v->sorted[present - 1]->to +
                            v->sorted[present - 1]->def.size
                      : PL_SIZEOF_COUNTER_BLOCK;
    p = pl_buf_zeros(b, len);
    if (!p)
        return;
    pl_block_set_u32(b, at, o->big_endian, len);
    for (size_t k = 0; k < present; k++)
        memcpy(p + v->sorted[k]->to, i->block + v->sorted[k]->def.offset,
               v->sorted[k]->def.size);
}

/* ---- objects --------------------------------------------------------------- */

/* The position of the default counter among those kept; -1: it is not kept. */
static int32_t default_counter(const struct pl_object *o, const bool *counters)
{
    int32_t place = 0;

    if (o->default_counter < 0 ||
        (uint32_t)o->default_counter >= o->num_counters ||
        !counters[o->default_counter])
        return -1;
    for (int32_t i = 0; i < o->default_counter; i++)
        place += counters[i];
    return place;
}

static enum pl_status put_object(struct pl_buf *b, const struct pl_block *block,
                                 const struct pl_object *o,
                                 const bool *counters, const bool *instances,
                                 struct values *v)
{
    struct pl_object walk = *o;
    struct pl_instance view;
    const uint8_t *header = block->bytes + o->at;
    size_t at = b->len;
    uint32_t kept = 0;
    bool big = o->big_endian;
    enum pl_status s = find_values(o, counters, v);

    if (s || !place_values(v))
        return PL_CORRUPT;
    pl_buf_bytes(b, header, (size_t)(o->definitions - header));
    put_definitions(b, o, v);
    pl_block_set_u32(b, at + PL_OBJ_DEF_LEN, big, (uint32_t)(b->len - at));
    pl_block_set_u32(b, at + PL_OBJ_NUM_COUNTERS, big, (uint32_t)v->num);
    pl_block_set_u32(b, at + PL_OBJ_DEFAULT_COUNTER, big,
                     (uint32_t)default_counter(o, counters));
    for (size_t i = 0; !(s = pl_instance_next(&walk, &view)); i++) {
        if (instances && !instances[i])
            continue;
        pl_buf_bytes(b, view.definition, view.definition_len);
        put_counter_block(b, o, &view, v);
        kept++;
        if (b->len - at > 2 * o->len) /* overlapping values made it grow */
            return PL_CORRUPT;
    }
    if (s != PL_END)
        return PL_CORRUPT;
    if (o->num_instances != PERF_NO_INSTANCES)
        pl_block_set_u32(b, at + PL_OBJ_NUM_INSTANCES, big, kept);
    if (kept)
        pl_buf_align(b, 8);
    pl_block_set_u32(b, at + PL_OBJ_TOTAL_LEN, big, (uint32_t)(b->len - at));
    return PL_OK;
}

enum pl_status pl_block_subset_object(struct pl_buf *b,
                                      const struct pl_block *block,
                                      const struct pl_object *o,
                                      const bool *counters,
                                      const bool *instances)
{
    struct values v = {
        .p = malloc((o->num_counters + 1) * sizeof *v.p),
        .sorted = malloc((o->num_counters + 1) * sizeof *v.sorted),
    };
    size_t before = b->len;
    enum pl_status s = PL_NOMEM;

    if (v.p && v.sorted)
        s = put_object(b, block, o, counters, instances, &v);
    if (s)
        b->len = before;
    free(v.p);
    free(v.sorted);
    return b->oom ? PL_NOMEM : s;
}
