/* Counts a segment. */
#include "format/payload/segment_counts.h"

#include "format/base/array.h"
#include "format/block/winperf.h"

#include <stdlib.h>

enum { NO_INSTANCES = -1 }; /* of an object, as its header says it */

struct counted {
    struct pl_counted_object is;
    uint64_t called;  /* a hash of its name */
    uint64_t seen_in; /* number of the last sample that holds it */
};

/* ---- life ----------------------------------------------------------------- */

void pl_segment_counts_begin(struct pl_segment_counts *c)
{
    struct pl_segment_counts fresh = { .objects = c->objects,
                                       .cap = c->cap,
                                       .records = c->records };

    *c = fresh;
    pl_buf_drop(&c->records);
}

void pl_segment_counts_release(struct pl_segment_counts *c)
{
    free(c->objects);
    pl_buf_release(&c->records);
    *c = (struct pl_segment_counts){ 0 };
}

void pl_segment_counts_give_up(struct pl_segment_counts *c)
{
    pl_segment_counts_begin(c);
    c->given_up = true;
}

/* ---- names ---------------------------------------------------------------- */

/* 0: it has no name, and so none that others cannot have. */
static uint64_t hash_of_name(const struct pl_titles *titles,
                             uint32_t title_index)
{
    struct pl_text name = pl_titles_name(titles, title_index);

    return name.n ? pl_hash(name.p, name.n, 0) : 0;
}

/* True if an object of that name is among the first 'num'. */
static bool is_taken(const struct pl_segment_counts *c, size_t num,
                     uint64_t name)
{
    for (size_t i = 0; i < num; i++)
        if (c->objects[i].called == name)
            return true;
    return false;
}

void pl_segment_counts_titles(struct pl_segment_counts *c,
                              const struct pl_titles *titles)
{
    for (size_t i = 0; i < c->num; i++)
        if (hash_of_name(titles, c->objects[i].is.title_index) !=
            c->objects[i].called) {
            pl_segment_counts_give_up(c);
            return;
        }
}

/* ---- samples -------------------------------------------------------------- */

/*
 * The entry of an object.  Samples have their objects in the same order, so the
 * next one is tried first.  PL_TOO_LARGE: nothing can be stated of it; PL_NOMEM.
 */
static enum pl_status entry(struct pl_segment_counts *c, uint32_t title_index,
                            const struct pl_titles *titles,
                            struct counted **out)
{
    size_t i = c->next;
    uint64_t name;

    if (i >= c->num || c->objects[i].is.title_index != title_index)
        for (i = 0; i < c->num; i++)
            if (c->objects[i].is.title_index == title_index)
                break;
    if (i == c->num) {
        name = hash_of_name(titles, title_index);
        if (!name || i == PL_MOST_COUNTED_OBJECTS || is_taken(c, i, name))
            return PL_TOO_LARGE;
        if (!pl_array_grow((void **)&c->objects, &c->cap, i,
                           sizeof *c->objects))
            return PL_NOMEM;
        c->objects[c->num++] =
            (struct counted){ .is.title_index = title_index, .called = name };
    }
    c->next = i + 1;
    *out = &c->objects[i];
    return PL_OK;
}

static uint32_t bases_of(struct pl_object *o)
{
    struct pl_counter_def def;
    uint32_t num = 0;

    while (!pl_counter_next(o, &def))
        num += pl_type_is_base(def.type);
    return num;
}

static void count(struct pl_segment_counts *c, struct counted *to,
                  struct pl_object *o)
{
    struct pl_counted_object *is = &to->is;

    is->samples += to->seen_in != c->samples;
    to->seen_in = c->samples;
    if (o->num_counters > is->defined) {
        is->defined = o->num_counters;
        is->bases = bases_of(o);
    }
    if (o->num_instances == NO_INSTANCES)
        return;
    is->has_instances = true;
    if ((uint32_t)o->num_instances > is->instances)
        is->instances = (uint32_t)o->num_instances;
}

enum pl_status pl_segment_counts_sample(struct pl_segment_counts *c,
                                        const struct pl_record *r,
                                        const struct pl_buf *block,
                                        const struct pl_titles *titles)
{
    struct counted *to = NULL;
    struct pl_block b;
    struct pl_object o;
    enum pl_status s;

    if (c->given_up)
        return PL_OK;
    if (!c->samples || r->utc_ns < c->utc_first)
        c->utc_first = r->utc_ns;
    if (!c->samples || r->utc_ns > c->utc_last)
        c->utc_last = r->utc_ns;
    c->samples++;
    c->bytes += block->len;
    c->next = 0;
    s = pl_block_parse(&b, block->p, block->len);
    while (!s && !pl_object_next(&b, &o)) {
        s = entry(c, o.title_index, titles, &to);
        if (!s)
            count(c, to, &o);
    }
    if (s == PL_NOMEM)
        return s;
    if (s)
        pl_segment_counts_give_up(c);
    return PL_OK;
}

/* ---- records between samples ----------------------------------------------- */

enum pl_status pl_segment_counts_record(struct pl_segment_counts *c,
                                        const struct pl_record *r,
                                        const uint8_t *payload, size_t n)
{
    if (c->given_up)
        return PL_OK;
    if (n > PL_MOST_COUNTED_RECORDS ||
        c->records.len > PL_MOST_COUNTED_RECORDS - n) {
        pl_segment_counts_give_up(c);
        return PL_OK;
    }
    pl_buf_u32(&c->records, r->type);
    pl_buf_u32(&c->records, r->seq);
    pl_buf_u64(&c->records, (uint64_t)r->utc_ns);
    pl_buf_u32(&c->records, (uint32_t)n);
    pl_buf_bytes(&c->records, payload, n);
    return c->records.oom ? PL_NOMEM : PL_OK;
}

/* ---- writing -------------------------------------------------------------- */

enum pl_status pl_segment_counts_content(const struct pl_segment_counts *c,
                                         uint64_t ends_at, struct pl_buf *out)
{
    if (c->given_up || !c->samples)
        return PL_OK;
    pl_buf_u64(out, ends_at);
    pl_buf_u64(out, c->samples);
    pl_buf_u64(out, c->bytes);
    pl_buf_u64(out, (uint64_t)c->utc_first);
    pl_buf_u64(out, (uint64_t)c->utc_last);
    pl_buf_u32(out, (uint32_t)c->num);
    for (size_t i = 0; i < c->num; i++) {
        const struct pl_counted_object *o = &c->objects[i].is;

        pl_buf_u32(out, o->title_index);
        pl_buf_u32(out, o->defined);
        pl_buf_u32(out, o->bases);
        pl_buf_u32(out,
                   o->has_instances ? o->instances : (uint32_t)NO_INSTANCES);
        pl_buf_u64(out, o->samples);
    }
    pl_buf_bytes(out, c->records.p, c->records.len);
    return out->oom ? PL_NOMEM : PL_OK;
}
