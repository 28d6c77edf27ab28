/* Merges the blocks of one instant to one. */
#include "analyze/blocks/block_merge.h"

#include "analyze/blocks/block_scan.h"

static void set_u32(struct pl_block_merge *m, size_t at, uint32_t v)
{
    if (m->big_endian)
        v = v >> 24 | (v >> 8 & 0xFF00) | (v << 8 & 0xFF0000) | v << 24;
    pl_buf_set_u32(&m->out, at, v);
}

static bool is_there(const struct pl_block_merge *m, uint32_t index)
{
    for (uint32_t i = 0; i < m->num_objects; i++)
        if (m->objects[i] == index)
            return true;
    return false;
}

/* Where to count an object that is left out; NULL: it is copied. */
static uint64_t *why_not(struct pl_block_merge *m, const struct pl_object *o)
{
    if (!pl_object_is_whole(*o))
        return &m->num_malformed;
    if (is_there(m, o->title_index))
        return &m->num_twice;
    if (m->num_objects == PL_MAX_OBJECTS ||
        o->len > PL_MAX_BLOCK_LEN - m->out.len)
        return &m->num_too_many;
    return NULL;
}

void pl_block_merge_add(struct pl_block_merge *m, struct pl_block b)
{
    struct pl_object o;
    enum pl_status s;

    if (!m->num_blocks++) {
        pl_buf_clear(&m->out);
        pl_buf_bytes(&m->out, b.bytes, b.len - b.rest.left);
        m->big_endian = b.big_endian;
    } else {
        m->changed = true;
    }
    while (!(s = pl_object_next(&b, &o))) {
        uint64_t *count = why_not(m, &o);

        if (count) {
            m->changed = true;
            ++*count;
        } else {
            m->objects[m->num_objects++] = o.title_index;
            pl_buf_bytes(&m->out, b.bytes + o.at, o.len);
        }
    }
    m->changed = m->changed || s != PL_END || b.objects_seen < b.num_objects;
}

enum pl_status pl_block_merge_end(struct pl_block_merge *m)
{
    if (m->changed) {
        set_u32(m, PL_BLOCK_TOTAL_LEN, (uint32_t)m->out.len);
        set_u32(m, PL_BLOCK_NUM_OBJECTS, m->num_objects);
    }
    m->num_objects = 0;
    m->num_blocks = 0;
    m->changed = false;
    return m->out.oom ? PL_NOMEM : PL_OK;
}

void pl_block_merge_release(struct pl_block_merge *m)
{
    pl_buf_release(&m->out);
}
