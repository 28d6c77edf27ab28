/* Looks up the older instance that predicts a new one. */
#include "format/record/delta_rows.h"

#include "format/base/array.h"
#include "format/base/cursor.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_SLOTS = 64 };

/* What became of an older instance: it is there still; it predicts another. */
enum { IS_SAME = 1, IS_ALIKE = 2 };

struct pl_delta_row {
    const uint8_t *definition; /* the counter block follows */
    uint32_t definition_len, block_len;
    uint32_t same, alike;           /* hashes: of this one, of its name */
    uint32_t next_same, next_alike; /* in its slot: position + 1; 0: none */
};

struct pl_delta_slot {
    uint32_t same, alike; /* first of its rows, position + 1; 0: none */
    uint32_t passed;      /* the last of the rows that was used, likewise */
};

void pl_delta_rows_release(struct pl_delta_rows *r)
{
    free(r->used);
    free(r->rows);
    free(r->slots);
    *r = (struct pl_delta_rows){ 0 };
}

/* ---- what is the same, and what is alike ---------------------------------- */

/* The counters that distinguish instances of the same name. */
static void find_identity(struct pl_delta_rows *r, struct pl_object o)
{
    const struct pl_object_facts *f = pl_default_facts(o.title_index);
    struct pl_counter_def c;

    r->num_identity = 0;
    while (r->num_identity < f->num_identity && !pl_counter_next(&o, &c))
        for (size_t i = 0; i < f->num_identity; i++)
            if (c.title_index == f->identity[i])
                r->identity[r->num_identity++] = c;
}

static bool has_value(const struct pl_instance *i,
                      const struct pl_counter_def *c)
{
    return c->offset <= i->block_len && c->size <= i->block_len - c->offset;
}

static bool same_value(const struct pl_instance *a, const struct pl_instance *b,
                       const struct pl_counter_def *c)
{
    return has_value(a, c) &&
           !memcmp(a->block + c->offset, b->block + c->offset, c->size);
}

static bool same_identity(const struct pl_delta_rows *r,
                          const struct pl_instance *a,
                          const struct pl_instance *b)
{
    for (size_t i = 0; i < r->num_identity; i++)
        if (!same_value(a, b, &r->identity[i]))
            return false;
    return true;
}

static bool same_instance(const struct pl_delta_rows *r,
                          const struct pl_instance *a,
                          const struct pl_instance *b)
{
    if (a->definition_len != b->definition_len ||
        a->block_len != b->block_len || !same_identity(r, a, b))
        return false;
    return !a->definition_len ||
           !memcmp(a->definition, b->definition, a->definition_len);
}

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

static uint64_t hash_of(uint64_t h, const uint8_t *p, size_t n)
{
    uint64_t word;

    for (; n >= sizeof word; p += sizeof word, n -= sizeof word) {
        memcpy(&word, p, sizeof word);
        h = mix(h, word);
    }
    word = 0;
    if (n)
        memcpy(&word, p, n);
    return mix(h, word + n);
}

static uint32_t folded(uint64_t h)
{
    return (uint32_t)(h ^ h >> 32);
}

static uint32_t hash_same(const struct pl_delta_rows *r,
                          const struct pl_instance *i)
{
    uint64_t h = i->definition_len;

    for (size_t k = 0; k < r->num_identity; k++)
        if (has_value(i, &r->identity[k]))
            h = hash_of(h, i->block + r->identity[k].offset,
                        r->identity[k].size);
    if (!r->num_identity)
        h = hash_of(h, i->definition, i->definition_len);
    return folded(h);
}

/* The name without what tells two of one program apart: UTF-16 digits at its
 * end, or a terminator. */
static uint32_t hash_alike(const struct pl_instance *i)
{
    size_t n = i->name_len & ~(size_t)1;

    while (n && ((i->name[n - 2] >= '0' && i->name[n - 2] <= '9') ||
                 !i->name[n - 2]))
        n -= 2;
    return folded(hash_of(0, i->name, n));
}

/* ---- the table ------------------------------------------------------------ */

static struct pl_delta_slot *slot_of(const struct pl_delta_rows *r, uint32_t h)
{
    return &r->slots[h & (r->num_slots - 1)];
}

static void put(struct pl_delta_rows *r, size_t at)
{
    struct pl_delta_row *row = &r->rows[at];
    struct pl_delta_slot *same = slot_of(r, row->same);
    struct pl_delta_slot *alike = slot_of(r, row->alike);

    row->next_same = same->same;
    same->same = (uint32_t)at + 1;
    row->next_alike = alike->alike;
    alike->alike = (uint32_t)at + 1;
}

static enum pl_status make_room(struct pl_delta_rows *r)
{
    size_t slots = LEAST_SLOTS, num = (size_t)r->all.num_instances;

    while (slots < num + num / 2)
        slots *= 2;
    if (!pl_array_reserve((void **)&r->rows, &r->cap, num, sizeof *r->rows) ||
        !pl_array_reserve((void **)&r->slots, &r->slots_cap, slots,
                          sizeof *r->slots))
        return PL_NOMEM;
    r->num_slots = slots;
    memset(r->slots, 0, slots * sizeof *r->slots);
    return PL_OK;
}

/* From the last to the first, so that each slot has them in order. */
static enum pl_status make_table(struct pl_delta_rows *r)
{
    struct pl_object walk = r->all;
    struct pl_instance i;
    enum pl_status s = make_room(r);

    while (!s && !pl_instance_next(&walk, &i))
        r->rows[r->num++] = (struct pl_delta_row){
            .definition = i.definition,
            .definition_len = (uint32_t)i.definition_len,
            .block_len = (uint32_t)i.block_len,
            .same = hash_same(r, &i),
            .alike = r->num_identity ? hash_alike(&i) : 0,
        };
    for (size_t k = r->num; k > 0; k--)
        put(r, k - 1);
    return s;
}

static bool wants_table(const struct pl_delta_rows *r)
{
    return !r->num && r->all.num_instances > 0 &&
           r->all.num_instances <= PL_MAX_DELTA_ROWS;
}

/* ---- searching ------------------------------------------------------------ */

static struct pl_instance instance(const struct pl_delta_rows *r, size_t at)
{
    const struct pl_delta_row *row = &r->rows[at];

    return (struct pl_instance){ .definition = row->definition,
                                 .definition_len = row->definition_len,
                                 .block = row->definition + row->definition_len,
                                 .block_len = row->block_len };
}

static void use(struct pl_delta_rows *r, size_t at, uint8_t as)
{
    if (at < r->used_cap)
        r->used[at] |= as;
}

/* True if the older block goes on with the very bytes of 'now' up to its values:
 * then they are an instance there, too, and need not be parsed. */
static bool goes_on_with(const struct pl_delta_rows *r,
                         const struct pl_instance *now)
{
    const struct pl_object *o = &r->next;
    size_t same = now->definition_len + PL_SIZEOF_COUNTER_BLOCK;

    return r->is_same_order && now->definition &&
           o->instances_seen < o->num_instances &&
           (!o->block_len || o->block_len == now->block_len) &&
           pl_instance_len(now) <= o->data.left &&
           !memcmp(o->data.p, now->definition, same);
}

/* Mostly it is the next one, and all that is to be done. */
static bool find_next(struct pl_delta_rows *r, const struct pl_instance *now,
                      struct pl_instance *found)
{
    struct pl_object *o = &r->next;

    if (!goes_on_with(r, now))
        return false;
    *found = (struct pl_instance){ .definition = o->data.p,
                                   .definition_len = now->definition_len,
                                   .block = o->data.p + now->definition_len,
                                   .block_len = now->block_len };
    if (!same_identity(r, found, now))
        return false;
    pl_cur_take(&o->data, pl_instance_len(now));
    o->block_len = now->block_len;
    use(r, (size_t)o->instances_seen++, IS_SAME);
    return true;
}

static bool find_ahead(struct pl_delta_rows *r, const struct pl_instance *now,
                       struct pl_instance *found)
{
    struct pl_object probe = r->next;

    for (int i = 0; i < (r->num ? 1 : PL_DELTA_LOOK_AHEAD); i++) {
        if (pl_instance_next(&probe, found))
            return false;
        if (same_instance(r, found, now)) {
            r->next = probe;
            use(r, (size_t)probe.instances_seen - 1, IS_SAME);
            return true;
        }
    }
    return false;
}

static bool find_same(struct pl_delta_rows *r, const struct pl_instance *now,
                      struct pl_instance *found)
{
    uint32_t h = hash_same(r, now), at = slot_of(r, h)->same;

    for (int i = 0; i < PL_DELTA_LOOK_AHEAD && at;
         i++, at = r->rows[at - 1].next_same) {
        if (r->rows[at - 1].same != h || (r->used[at - 1] & IS_SAME))
            continue;
        *found = instance(r, at - 1);
        if (same_instance(r, found, now)) {
            use(r, at - 1, IS_SAME);
            return true;
        }
    }
    return false;
}

/* Step over rows that were used, but remember the last of them. */
static void skip_used(struct pl_delta_rows *r, struct pl_delta_slot *slot)
{
    while (slot->alike && r->used[slot->alike - 1]) {
        slot->passed = slot->alike;
        slot->alike = r->rows[slot->alike - 1].next_alike;
    }
}

static bool is_alike(const struct pl_delta_rows *r, size_t at, uint32_t h,
                     const struct pl_instance *now)
{
    const struct pl_delta_row *row = &r->rows[at];

    return row->alike == h && row->definition_len == now->definition_len &&
           row->block_len == now->block_len;
}

/* Bytes that a number takes at least. */
static size_t size_of(uint64_t n)
{
    size_t bytes = 0;

    for (; n; n >>= 8)
        bytes++;
    return bytes;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return (int64_t)(a - b) < 0 ? b - a : a - b;
}

/* True if the differences are shorter than the numbers themselves. */
static bool costs_less(const struct pl_instance *was,
                       const struct pl_instance *now)
{
    size_t len = pl_instance_len(now);
    size_t predicted = 0, literal = 0;

    for (size_t i = 0; i + PL_DELTA_WORD <= len; i += PL_DELTA_WORD) {
        uint64_t a = pl_get_le64(was->definition + i);
        uint64_t b = pl_get_le64(now->definition + i);

        predicted += a == b ? 0 : size_of(distance(a, b));
        literal += size_of(b);
    }
    return predicted < literal;
}

static bool find_alike(struct pl_delta_rows *r, const struct pl_instance *now,
                       struct pl_instance *found)
{
    uint32_t h = hash_alike(now), at, last;
    struct pl_delta_slot *slot = slot_of(r, h);

    skip_used(r, slot);
    last = slot->passed;
    at = slot->alike;
    for (int i = 0; i < PL_DELTA_LOOK_AHEAD && at; i++) {
        if (is_alike(r, at - 1, h, now)) {
            last = at;
            if (!r->used[at - 1])
                break;
        }
        at = r->rows[at - 1].next_alike;
    }
    if (!last || !is_alike(r, last - 1, h, now))
        return false;
    *found = instance(r, last - 1);
    if (!costs_less(found, now))
        return false;
    use(r, last - 1, IS_ALIKE);
    return true;
}

enum pl_status pl_delta_rows_find(struct pl_delta_rows *r,
                                  const struct pl_instance *now,
                                  struct pl_instance *found, bool *is_found)
{
    enum pl_status s = PL_OK;

    *is_found = find_next(r, now, found) || find_ahead(r, now, found);
    if (!*is_found && wants_table(r))
        s = make_table(r);
    if (!*is_found && !s && r->num)
        *is_found = find_same(r, now, found) ||
                    (r->num_identity && find_alike(r, now, found));
    return s;
}

enum pl_status pl_delta_rows_begin(struct pl_delta_rows *r,
                                   const struct pl_object *older,
                                   const struct pl_object *now)
{
    size_t num = older->num_instances > 0 ? (size_t)older->num_instances : 0;

    r->next = r->all = *older;
    r->is_same_order = older->big_endian == now->big_endian;
    r->num = 0;
    find_identity(r, *now);
    if (num > PL_MAX_DELTA_ROWS)
        num = 0;
    if (num > r->used_cap && !pl_array_reserve((void **)&r->used, &r->used_cap,
                                               num, sizeof *r->used))
        return PL_NOMEM;
    if (num)
        memset(r->used, 0, num);
    return PL_OK;
}
