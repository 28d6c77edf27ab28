/* Reads the names that an ends states. */
#include "format/payload/stated_names.h"

#include "format/payload/stated_part.h"

enum { NAMED_OBJECT = 12 };

enum pl_status pl_stated_names_unpack(struct pl_decoder *d, uint64_t session,
                                      const uint8_t *ends, size_t n,
                                      struct pl_buf *content)
{
    return pl_stated_part_unpack(d, session, ends, n, PL_STATED_NAMES,
                                 PL_MOST_NAMES_CONTENT, content);
}

enum pl_status pl_stated_names_parse(struct pl_stated_names *names,
                                     const struct pl_buf *content)
{
    struct pl_cur c = pl_cur_of(content->p, content->len);
    uint64_t num;

    names->ends_at = pl_cur_u64(&c);
    names->titles_at = pl_cur_u64(&c);
    names->samples = pl_cur_u64(&c);
    num = pl_cur_u32(&c);
    names->objects = pl_cur_sub(&c, num * NAMED_OBJECT);
    names->blocks = c;
    return c.bad || num > PL_MOST_NAMED_OBJECTS ? PL_CORRUPT : PL_OK;
}

enum pl_status pl_stated_names_object(struct pl_stated_names *names,
                                      struct pl_named_object *o)
{
    if (!names->objects.left)
        return PL_END;
    o->title_index = pl_cur_u32(&names->objects);
    o->samples = pl_cur_u64(&names->objects);
    return PL_OK;
}

enum pl_status pl_stated_names_block(struct pl_stated_names *names,
                                     struct pl_cur *block)
{
    uint32_t len;

    if (names->blocks.left < sizeof len)
        return PL_END;
    len = pl_cur_u32(&names->blocks);
    if (len < sizeof len || len - sizeof len > names->blocks.left)
        return PL_END;
    *block = pl_cur_sub(&names->blocks, len - sizeof len);
    return PL_OK;
}

enum pl_status pl_segment_names_compare(struct pl_segment_names *n,
                                        uint64_t session, uint64_t ends_at,
                                        const uint8_t *ends, size_t len)
{
    struct pl_buf found = { 0 };
    enum pl_status s = pl_segment_names_content(n, ends_at, &found);

    if (!s)
        s = pl_stated_part_compare(session, ends, len, PL_STATED_NAMES,
                                   PL_MOST_NAMES_CONTENT, &found);
    pl_buf_release(&found);
    return s;
}
