/* Reads what an ends states of what is counted of its segment. */
#include "format/payload/stated_counts.h"

#include "format/payload/stated_part.h"

enum { OBJECT_LEN = 24 };
#define NEVER_ANY UINT32_MAX /* instances, of an object that has none by name */

enum pl_status pl_stated_counts_unpack(struct pl_decoder *d, uint64_t session,
                                       const uint8_t *ends, size_t n,
                                       struct pl_buf *content)
{
    return pl_stated_part_unpack(d, session, ends, n, PL_STATED_COUNTS,
                                 PL_MOST_COUNTS_CONTENT, content);
}

enum pl_status pl_stated_counts_parse(struct pl_stated_counts *counts,
                                      const struct pl_buf *content)
{
    struct pl_cur c = pl_cur_of(content->p, content->len);
    uint32_t num;

    counts->ends_at = pl_cur_u64(&c);
    counts->samples = pl_cur_u64(&c);
    counts->bytes = pl_cur_u64(&c);
    counts->utc_first = (int64_t)pl_cur_u64(&c);
    counts->utc_last = (int64_t)pl_cur_u64(&c);
    num = pl_cur_u32(&c);
    if (num > PL_MOST_COUNTED_OBJECTS)
        return PL_CORRUPT;
    counts->objects = pl_cur_sub(&c, (size_t)num * OBJECT_LEN);
    counts->records = c;
    return c.bad || counts->utc_first > counts->utc_last ? PL_CORRUPT : PL_OK;
}

enum pl_status pl_stated_counts_object(struct pl_stated_counts *counts,
                                       struct pl_counted_object *o)
{
    struct pl_cur *c = &counts->objects;

    if (!c->left)
        return PL_END;
    o->title_index = pl_cur_u32(c);
    o->defined = pl_cur_u32(c);
    o->bases = pl_cur_u32(c);
    o->instances = pl_cur_u32(c);
    o->samples = pl_cur_u64(c);
    if (o->bases > o->defined)
        o->bases = o->defined;
    o->has_instances = o->instances != NEVER_ANY;
    return PL_OK;
}

enum pl_status pl_stated_counts_record(struct pl_stated_counts *counts,
                                       struct pl_record *r,
                                       const uint8_t **payload)
{
    struct pl_cur *c = &counts->records;

    r->type = pl_cur_u32(c);
    r->seq = pl_cur_u32(c);
    r->utc_ns = (int64_t)pl_cur_u64(c);
    r->stored_len = r->raw_len = pl_cur_u32(c);
    *payload = pl_cur_take(c, r->stored_len);
    return c->bad ? PL_END : PL_OK;
}

enum pl_status pl_segment_counts_compare(const struct pl_segment_counts *c,
                                         uint64_t session, uint64_t ends_at,
                                         const uint8_t *ends, size_t len)
{
    struct pl_buf found = { 0 };
    enum pl_status s = pl_segment_counts_content(c, ends_at, &found);

    if (!s)
        s = pl_stated_part_compare(session, ends, len, PL_STATED_COUNTS,
                                   PL_MOST_COUNTS_CONTENT, &found);
    pl_buf_release(&found);
    return s;
}
