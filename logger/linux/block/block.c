/* Writes one object of one sample: reads its sources, appends its values. */
#include "format/base/cursor.h"
#include "format/base/utf.h"
#include "format/block/winperf.h"
#include "logger/linux/block/layout.h"

/*
 * Read the sources of the cells.  If fields came or went the layout changes;
 * then the sources are read again, as it may need other fields.
 */
static enum pl_status read_sources(struct pl_object_layout *l,
                                   struct pl_machine *m)
{
    bool changed = true;

    for (unsigned pass = 0; changed && pass < 2; pass++) {
        enum pl_status s = PL_OK;

        for (size_t i = 0; i < l->num_sources && !s; i++)
            if (l->used[i])
                s = pl_source_read(l->sources[i]);
        if (!s)
            s = pl_object_layout_refresh(l, m, &changed);
        if (s)
            return s;
        for (size_t i = 0; changed && i < l->num_sources; i++)
            l->sources[i]->tick = 0;
    }
    if (changed) { /* still changing: left out of this sample */
        l->num_cells = 0;
        l->built_for--;
    }
    return PL_OK;
}

/* A gauge that does not fit into 4 bytes is set to the largest value. */
static uint32_t fitting(uint64_t v)
{
    return v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

static void put_computed(const struct pl_object_layout *l,
                         const struct pl_layout_cell *c,
                         const uint64_t *const rows[], uint8_t *p)
{
    uint64_t v = pl_convert(c->convert, pl_terms_value(l->terms + c->first_term,
                                                       c->num_terms, rows));

    if (c->width == 8)
        pl_put_le64(p + c->offset, v);
    else
        pl_put_le32(p + c->offset,
                    c->convert->wraps ? (uint32_t)v : fitting(v));
}

static uint64_t at_place(const uint64_t *const rows[], struct pl_place p)
{
    return rows[p.source][p.field];
}

static void put_values(const struct pl_object_layout *l,
                       const uint64_t *const rows[], uint8_t *p)
{
    const struct pl_layout_copy *c = l->copies, *end = c + l->num_copies;
    const struct pl_layout_sum *s = l->sums, *last = s + l->num_sums;

    for (; c < end; c++)
        pl_put_le64(p + c->offset, at_place(rows, c->from));
    for (; s < last; s++)
        pl_put_le64(p + s->offset,
                    at_place(rows, s->of[0]) + at_place(rows, s->of[1]));
    for (c = l->copies_4, end = c + l->num_copies_4; c < end; c++)
        pl_put_le32(p + c->offset, fitting(at_place(rows, c->from)));
    for (size_t i = 0; i < l->num_computed; i++)
        put_computed(l, &l->cells[l->computed[i]], rows, p);
}

/*
 * Find the rows of the other sources for instance 'i'.  False if one is
 * missing: a processor going on or off line is left out of this sample.
 */
static bool join(const struct pl_object_layout *l, size_t i,
                 const uint64_t *rows[])
{
    struct pl_text name = pl_source_rows_name(&l->sources[0]->rows, i);

    for (size_t k = 1; k < l->num_sources; k++) {
        const struct pl_source *s = l->sources[k];
        size_t row;

        if (!s->kind->joined || !l->used[k] || !s->readable)
            continue;
        row = pl_source_rows_find(&s->rows, name, i);
        if (row == PL_NO_ROW)
            return false;
        rows[k] = pl_source_rows_values(&s->rows, row);
    }
    return true;
}

/* Append all instances; returns their number. */
static uint32_t put_instances(struct pl_object_layout *l,
                              const uint64_t *rows[], struct pl_buf *block)
{
    const struct pl_source_rows *r = &l->sources[0]->rows;
    uint32_t n = 0;

    for (size_t i = 0; i < r->num && n < PL_MAX_INSTANCES; i++) {
        struct pl_text name = pl_source_rows_name(r, i);
        uint8_t *p;

        /* With a parent the source filters: names alone are ambiguous. */
        if ((!l->def->parent &&
             !pl_filter_allows(&l->filter, name, r->row[i].show)) ||
            !join(l, i, rows))
            continue;
        pl_put_instance_called(block, l->def->parent, r->row[i].parent,
                               PERF_NO_UNIQUE_ID, name);
        p = pl_put_counter_block(block, l->block_len);
        if (!p || block->len > PL_MAX_BLOCK_LEN)
            break;
        rows[0] = pl_source_rows_values(r, i);
        put_values(l, rows, p);
        n++;
    }
    return n;
}

static uint32_t put_single(const struct pl_object_layout *l,
                           const uint64_t *const rows[], struct pl_buf *block)
{
    uint8_t *p = pl_put_counter_block(block, l->block_len);

    if (p)
        put_values(l, rows, p);
    return 0;
}

enum pl_status pl_object_layout_write(struct pl_object_layout *l,
                                      struct pl_machine *m,
                                      struct pl_buf *block, bool *written)
{
    const uint64_t *rows[PL_MAX_OBJECT_SOURCES] = { NULL };
    bool has_instances = l->def->has_instances;
    enum pl_status s = read_sources(l, m);
    size_t at = block->len;
    uint32_t n;

    *written = false;
    if (s || !l->num_cells)
        return s;
    pl_buf_bytes(block, l->prepared.p, l->prepared.len);
    if (l->def->has_clock)
        pl_put_object_clock(block, at, m->boot_100ns + m->now.boot_ns / 100,
                            PL_PERF_FREQ);
    for (size_t i = 0; i < l->num_sources; i++)
        rows[i] = l->sources[i]->rows.values; /* sources of one row */
    n = has_instances ? put_instances(l, rows, block)
                      : put_single(l, rows, block);
    m->instances += n;
    if (block->oom)
        return PL_NOMEM;
    if (block->len > PL_MAX_BLOCK_LEN)
        return PL_TOO_LARGE;
    pl_put_object_close(block, at,
                        has_instances ? (int32_t)n : PERF_NO_INSTANCES);
    *written = true;
    return PL_OK;
}
