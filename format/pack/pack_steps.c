/*
 * Changes words of blocks as their columns say.  A column's bytes lie together, and
 * those of a sample all over the pack.  So of each column the steps of some samples
 * are worked out in one go, as far as there are any, and a sample costs as much as
 * changes in it, whatever else the block holds.  How many columns begin among those
 * samples is not known: so steps lie in chunks, which any sample can have.
 */
#include "format/pack/pack_decoder_state.h"

#include "format/base/array.h"

#include <string.h>

/* Steps that are kept, unless one sample has more: they stay in the cache. */
enum { MOST_STEPS = 1 << 17 };

/* So many places ahead of its own a column is fetched, and then its bytes. */
enum { FETCH_COLUMN = 16, FETCH_BYTES = 8 };

static inline uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- chunks ---------------------------------------------------------------- */

/* Chunks that are not free may be so many fewer than all: one sample's steps, and
 * what a column adds, in each sample a step. */
static size_t least_free(const struct pl_pack_decoder *d)
{
    return d->num_listed / PL_PACK_CHUNK + 1 + PL_PACK_AHEAD;
}

enum pl_status pl_pack_make_steps(struct pl_pack_decoder *d)
{
    const size_t all = d->num_listed * PL_PACK_AHEAD;
    const size_t most = all < MOST_STEPS ? all : MOST_STEPS;
    const size_t num = least_free(d) + most / PL_PACK_CHUNK +
                       PL_PACK_AHEAD; /* the last ones */

    d->ahead_end = d->free_chunk = 0;
    memset(d->ahead_of, 0, sizeof d->ahead_of);
    if (!pl_array_reserve((void **)&d->steps, &d->steps_cap,
                          num * PL_PACK_CHUNK, sizeof *d->steps) ||
        !pl_array_reserve((void **)&d->chunk_after, &d->chunks_cap, num,
                          sizeof *d->chunk_after))
        return PL_NOMEM;
    for (size_t i = 0; i < num; i++)
        d->chunk_after[i] = (uint32_t)i + 1;
    d->num_free = (uint32_t)num;
    return PL_OK;
}

static void add_chunk(struct pl_pack_decoder *d, struct pl_pack_chunks *c)
{
    const uint32_t chunk = d->free_chunk;

    d->free_chunk = d->chunk_after[chunk];
    d->num_free--;
    if (c->end)
        d->chunk_after[c->end / PL_PACK_CHUNK - 1] = chunk;
    else
        c->first = chunk;
    c->end = chunk * PL_PACK_CHUNK;
}

static void free_chunk(struct pl_pack_decoder *d, uint32_t chunk)
{
    d->chunk_after[chunk] = d->free_chunk;
    d->free_chunk = chunk;
    d->num_free++;
}

/* If there is no room for another column's steps up to 'ahead_end', only the current
 * sample's are worked out, until others have been taken. */
static void keep_room(struct pl_pack_decoder *d)
{
    if (d->num_free < least_free(d))
        d->ahead_end = least(d->ahead_end, d->sample + 1);
}

/* ---- columns --------------------------------------------------------------- */

/* A column while its steps are worked out: wide, so that it stays in registers. */
struct going {
    uint32_t column;
    uint32_t run, change;
    uint32_t sample, unchanged, changed, form;
    uint64_t scale, step;
};

/* The next sample's step. */
static inline void put_step(struct pl_pack_decoder *d, struct going *g,
                            uint64_t step)
{
    struct pl_pack_chunks *c = &d->ahead_of[g->sample++ % PL_PACK_AHEAD];

    if (c->end % PL_PACK_CHUNK == 0)
        add_chunk(d, c);
    d->steps[c->end++] = (struct pl_pack_step){ g->column, step * g->scale };
}

static inline uint64_t next_change(struct pl_pack_decoder *d, struct going *g)
{
    g->changed--;
    return pl_unzigzag(pl_checked_varint(d->changes, &g->change) + 1);
}

/* Each change is a step, and where there is none nothing changes. */
static inline void go_on_plain(struct pl_pack_decoder *d, struct going *g,
                               uint32_t end)
{
    g->sample += g->unchanged;
    g->unchanged = 0;
    while (g->changed && g->sample < end)
        put_step(d, g, next_change(d, g));
}

/* Each change is one of the step, which stays as it is where there is none. */
static inline void go_on_bent(struct pl_pack_decoder *d, struct going *g,
                              uint32_t end)
{
    uint32_t n = least(g->unchanged, end - g->sample);

    g->unchanged -= n;
    for (; n && g->step; n--)
        put_step(d, g, g->step);
    g->sample += n;
    while (g->changed && g->sample < end) {
        g->step += next_change(d, g);
        put_step(d, g, g->step);
    }
}

/* The steps of a column in the samples from 'sample' to before 'ahead_end'. */
static void work_out(struct pl_pack_decoder *d, uint32_t column,
                     uint32_t sample)
{
    struct pl_pack_column *c = &d->columns[column];
    const uint32_t end = d->ahead_end;
    struct going g = { column,     c->run,  c->change, sample, c->unchanged,
                       c->changed, c->form, c->scale,  c->step };

    while (g.sample < end) {
        /* With && a compiler loads both at once, and that waits for the stores. */
        if (!(g.unchanged | g.changed)) {
            if (g.form >= PL_PACK_RUN) {
                g.unchanged = (uint32_t)pl_checked_varint(d->runs, &g.run);
                g.changed = (uint32_t)pl_checked_varint(d->runs, &g.run);
                g.form -= PL_PACK_RUN;
            } else if (g.form && g.step) {
                g.unchanged = UINT16_MAX; /* the step stays as it is */
            } else {
                g.sample = PL_PACK_NEVER;
                break;
            }
        }
        if (g.form & PL_PACK_BENT)
            go_on_bent(d, &g, end);
        else
            go_on_plain(d, &g, end);
    }
    c->run = g.run;
    c->change = g.change;
    c->sample = (uint16_t)g.sample;
    c->unchanged = (uint16_t)g.unchanged;
    c->changed = (uint16_t)g.changed;
    c->form = (uint16_t)g.form;
    c->step = g.step;
}

void pl_pack_begin_steps(struct pl_pack_decoder *d, uint32_t column)
{
    keep_room(d);
    work_out(d, column, d->sample + 1);
}

/* Fetch what the columns of the places behind 'i' need. */
static inline void fetch_ahead(const struct pl_pack_decoder *d, size_t i)
{
    const struct pl_pack_column *c;

    if (i + FETCH_COLUMN < d->num_places)
        pl_pack_fetch(d->columns + d->places[i + FETCH_COLUMN].column);
    if (i + FETCH_BYTES >= d->num_places)
        return;
    c = d->columns + d->places[i + FETCH_BYTES].column;
    if (c->sample < d->ahead_end) {
        pl_pack_fetch(d->runs + c->run);
        pl_pack_fetch(d->changes + c->change);
    }
}

static uint32_t samples_ahead(const struct pl_pack_decoder *d)
{
    const size_t most = MOST_STEPS / (d->num_places + 1);

    return most < 1 ? 1 : most > PL_PACK_AHEAD ? PL_PACK_AHEAD : (uint32_t)most;
}

/* From the current sample on, of the columns that have a word of its block: a pack
 * may have very many in all. */
static void look_ahead(struct pl_pack_decoder *d)
{
    const uint32_t left = d->head.samples + 1 - d->sample;

    d->ahead_end = d->sample + least(left, samples_ahead(d));
    for (size_t i = 0; i < d->num_places; i++) {
        const uint32_t column = d->places[i].column;

        fetch_ahead(d, i);
        keep_room(d);
        if (d->columns[column].sample < d->ahead_end)
            work_out(d, column, d->columns[column].sample);
    }
}

static void take_chunk(const struct pl_pack_decoder *d, uint32_t first,
                       uint32_t end, uint8_t *block)
{
    for (uint32_t i = first; i < end; i++) {
        const struct pl_pack_step *step = d->steps + i;
        const uint32_t at = d->word_of[step->column];
        uint8_t *word = block + (size_t)at * PL_PACK_WORD;

        if (at != PL_PACK_NOWHERE)
            pl_put_le64(word, pl_get_le64(word) + step->by);
    }
}

void pl_pack_take_steps(struct pl_pack_decoder *d, uint8_t *block)
{
    struct pl_pack_chunks *c = &d->ahead_of[d->sample % PL_PACK_AHEAD];
    uint32_t chunk, next;

    if (d->sample >= d->ahead_end)
        look_ahead(d);
    for (chunk = c->first; c->end; chunk = next) {
        const uint32_t first = chunk * PL_PACK_CHUNK;
        const bool is_last = chunk == (c->end - 1) / PL_PACK_CHUNK;

        next = d->chunk_after[chunk];
        take_chunk(d, first, is_last ? c->end : first + PL_PACK_CHUNK, block);
        free_chunk(d, chunk);
        if (is_last)
            c->end = 0;
    }
}
