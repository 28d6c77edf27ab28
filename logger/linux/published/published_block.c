/* Published objects in one sample: which regions are shown, and the bytes. */
#include "logger/linux/published/published.h"

#include "format/base/cursor.h"
#include "format/block/winperf.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/published/regions.h"

enum {
    MAX_BYTES = 16 << 20,
    KEY_EVERY = 60,       /* samples: a block is stored complete */
    TITLES_BYTES = 16384, /* approximate size of a log's own titles, stored */
    INSTANCE_BYTES = 32,  /* its definition without its name */
};

static bool is_readable(const struct pl_published_object *o,
                        const struct pl_region_copy *c)
{
    return c->copied == PL_COPIED_GOOD ||
           (c->copied == PL_COPIED_LOOSE && !o->is_ratio);
}

/* ---- cost --------------------------------------------------------------- */

static size_t slots_of(const struct pl_published_object *o)
{
    return o->layout->max_instances < 0 ? 1 : (size_t)o->layout->max_instances;
}

static void weigh_object(const struct pl_published_object *o,
                         struct pl_region *g, bool is_new,
                         struct pl_published_weight *w)
{
    for (size_t i = 0; i < slots_of(o); i++) {
        struct pl_region_copy *c = &g->image.copies[o->layout->first_set + i];
        size_t bytes = INSTANCE_BYTES + 2u * c->name_len + o->block_len;

        if (!is_readable(o, c))
            continue;
        w->block += bytes;
        w->log += is_new || c->changed > bytes ? bytes : c->changed;
        c->changed = 0;
    }
}

struct pl_published_weight pl_published_weigh(struct pl_region *g, bool is_new)
{
    struct pl_published_weight w = { 0, 0 };

    for (uint32_t k = 0; k < g->table->header.num_objects; k++) {
        const struct pl_published_object *o = &g->table->objects[k];

        if (!o->num_cells)
            continue;
        w.block += o->prepared.len;
        w.log += is_new ? o->prepared.len : 0;
        weigh_object(o, g, is_new, &w);
    }
    w.log += w.block / KEY_EVERY;
    return w;
}

/* ---- regions shown ------------------------------------------------------ */

/* An object without instances shows the oldest region; others are reported. */
static void select_region(struct pl_published *t, struct pl_published_object *o)
{
    o->holder = NULL;
    o->is_held = false;
    if (o->def.has_instances || !o->num_cells)
        return;
    for (struct pl_region *r = t->first; r; r = r->same) {
        if (!is_readable(o, &r->image.copies[o->layout->first_set]))
            continue;
        if (!o->namesake->is_held) {
            o->namesake->is_held = true;
            o->holder = r;
        } else if (r->state == PL_STATE_LIVE) {
            r->state = PL_STATE_DUPLICATE;
            r->reason = PL_REASON_DUPLICATE;
        }
    }
}

void pl_published_select_regions(struct pl_published_list *l)
{
    for (struct pl_published *t = l->first; t; t = t->next)
        for (uint32_t k = 0; k < t->header.num_objects; k++)
            select_region(t, &t->objects[k]);
}

static void put_value(const struct pl_region_cell *cell, uint64_t v,
                      const struct pl_machine *m, uint8_t *p)
{
    if (cell->since_boot) /* 0: not started yet */
        v = (v ? v : (uint64_t)m->now.boot_ns / 100) + (uint64_t)m->boot_100ns;
    pl_region_cell_put(cell, p, v);
}

static void put_values(const struct pl_published_object *o,
                       const struct pl_region *r, size_t slot,
                       const struct pl_machine *m, uint8_t *p)
{
    const struct pl_region_copy *c =
        &r->image.copies[o->layout->first_set + slot];
    const uint64_t *words = pl_region_image_words(&r->image, o->layout, slot);

    for (size_t i = 0; i < o->num_cells;) {
        const struct pl_region_cell *cell = &o->cells[i];
        const uint64_t *from = words + cell->word;

        if (cell->run)
            pl_put_le64s(p + cell->offset, from, cell->run);
        else
            put_value(cell, *from, m, p);
        i += cell->run ? cell->run : 1;
    }
    pl_put_le64(p + o->identity_at, c->identity);
}

/* A counter block without its values; zeroed only where no value is placed. */
static uint8_t *put_counter_block(struct pl_buf *block,
                                  const struct pl_published_object *o)
{
    uint8_t *p;

    if (!o->is_dense)
        return pl_put_counter_block(block, o->block_len);
    p = pl_buf_room(block, o->block_len);
    if (p) {
        pl_put_le64(p, o->block_len);
        block->len += o->block_len;
    }
    return p;
}

struct parent {
    uint32_t object, position;
};

/* False: its parent is not in this sample, so the instance is left out. */
static bool find_parent(const struct pl_published *t,
                        const struct pl_published_object *o,
                        const struct pl_region *r,
                        const struct pl_region_copy *c, struct parent *out)
{
    const struct pl_published_object *up;
    const struct pl_region_copy *at;

    *out = (struct parent){ PL_PROVIDER_OBJECT, r->position };
    if (!c->parent_object || c->parent_object > (size_t)(o - t->objects))
        return !c->parent_object;
    up = &t->objects[c->parent_object - 1];
    if (!up->num_cells)
        return true;
    if (up->layout->max_instances <= c->parent_slot)
        return false;
    at = &r->image.copies[up->layout->first_set + c->parent_slot];
    if (at->serial != c->parent_serial)
        return false;
    if (!at->wanted) /* as if its object were not chosen */
        return true;
    *out = (struct parent){ up->def.index, at->written };
    return at->written != UINT32_MAX;
}

/* State of the block while objects are appended. */
struct put {
    struct pl_machine *m;
    struct pl_buf *block;
    struct pl_publishers *publishers;
    size_t end; /* limit of published objects */
};

static bool put_slot(const struct put *to, const struct pl_published *t,
                     const struct pl_published_object *o, struct pl_region *r,
                     size_t slot, uint32_t num)
{
    struct pl_region_copy *c = &r->image.copies[o->layout->first_set + slot];
    bool per_process = o->layout->max_instances < 0;
    struct pl_text name =
        pl_region_image_name(&r->image, o->layout->first_set + slot);
    struct parent parent = { 0, 0 };
    uint8_t *p;

    if (!is_readable(o, c) ||
        (!per_process && !find_parent(t, o, r, c, &parent)))
        return false;
    if (to->block->len > to->end || num >= PL_MAX_INSTANCES) {
        if (r->state != PL_STATE_OVER_LIMIT)
            pl_region_leave_out(to->publishers, r, PL_SHARE_BLOCK);
        return false;
    }
    pl_put_instance_called(to->block, parent.object, parent.position,
                           c->unique_id,
                           per_process ? pl_text_of(r->label) : name);
    p = put_counter_block(to->block, o);
    if (!p)
        return false;
    put_values(o, r, slot, to->m, p);
    c->written = num;
    return true;
}

static uint32_t put_instances(const struct put *to,
                              const struct pl_published *t,
                              const struct pl_published_object *o)
{
    uint32_t num = 0;

    for (struct pl_region *r = t->first; r; r = r->same)
        for (size_t i = 0; i < slots_of(o); i++)
            num += put_slot(to, t, o, r, i, num);
    return num;
}

static void put_object(const struct put *to, const struct pl_published *t,
                       const struct pl_published_object *o)
{
    struct pl_buf *block = to->block;
    size_t at = block->len;
    int32_t num = PERF_NO_INSTANCES;
    uint8_t *p;

    pl_buf_bytes(block, o->prepared.p, o->prepared.len);
    if (o->def.has_clock)
        pl_put_object_clock(block, at,
                            to->m->boot_100ns + to->m->now.boot_ns / 100,
                            PL_PERF_FREQ);
    if (o->def.has_instances) {
        num = (int32_t)put_instances(to, t, o);
        to->m->instances += (uint32_t)num;
    } else {
        p = put_counter_block(block, o);
        if (p)
            put_values(o, o->holder, 0, to->m, p);
    }
    pl_put_object_close(block, at, num);
}

static void leave_out_all(const struct put *to, struct pl_published *t,
                          enum pl_limit limit)
{
    for (struct pl_region *g = t->first; g; g = g->same)
        pl_region_leave_out(to->publishers, g, limit);
}

static bool is_shown(const struct pl_published_object *o)
{
    return o->num_cells && (o->def.has_instances || o->holder);
}

/* May the object be put?  Else *limit.  New titles cause all titles to be
 * stored again, once per sample. */
static bool has_room(const struct put *to, const struct pl_published *t,
                     const struct pl_published_object *o, uint32_t num,
                     enum pl_limit *limit)
{
    *limit = PL_SHARE_BLOCK;
    if (num >= PL_MAX_OBJECTS - 1 || to->block->len > to->end)
        return false;
    return o->titles_stored || pl_publisher_pay_titles(to->publishers, t->owner,
                                                       TITLES_BYTES, limit);
}

static enum pl_status put_table(const struct put *to,
                                struct pl_published_list *l,
                                struct pl_published *t, uint32_t *num,
                                struct pl_titles *titles, uint32_t *generation)
{
    enum pl_status s = PL_OK;
    enum pl_limit limit;

    for (uint32_t k = 0; k < t->header.num_objects && !s; k++) {
        struct pl_published_object *o = &t->objects[k];

        if (!is_shown(o))
            continue;
        if (!has_room(to, t, o, *num, &limit)) {
            leave_out_all(to, t, limit);
            break;
        }
        put_object(to, t, o);
        ++*num;
        if (!o->titles_stored)
            s = pl_published_label(l, t, o, titles, generation);
    }
    return s;
}

enum pl_status pl_published_write(struct pl_published_list *l,
                                  struct pl_machine *m, struct pl_buf *block,
                                  uint32_t *num, struct pl_titles *titles,
                                  uint32_t *generation)
{
    struct put to = { m, block, l->publishers, block->len + MAX_BYTES };
    enum pl_status s = PL_OK;

    l->own_bytes = block->len;
    if (to.end > PL_MAX_BLOCK_LEN / 2)
        to.end = PL_MAX_BLOCK_LEN / 2;
    for (int untrusted = 0; untrusted < 2; untrusted++)
        for (struct pl_published *t = l->first; t && !s; t = t->next)
            if (t->first && !t->displaced && t->owner->untrusted == untrusted)
                s = put_table(&to, l, t, num, titles, generation);
    return block->oom ? PL_NOMEM : s;
}
