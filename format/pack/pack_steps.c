/*
 * Changes words of blocks as their columns say.  A column's bytes lie together, and
 * those of a sample all over the pack.  So of each column the steps of some samples
 * are worked out in one go, as far as there are any, and a sample costs as much as
 * changes in it, whatever else the block holds.
 */
#include "format/pack/pack_decoder_state.h"

#include "format/base/array.h"

#include <string.h>

/* Steps that are kept, unless one sample has more: they stay in the cache. */
enum { MOST_STEPS = 1 << 17 };

/* So many places ahead of its own a column is fetched, and then its bytes. */
enum { FETCH_COLUMN = 16, FETCH_BYTES = 8 };

static uint32_t samples_ahead(const struct pl_pack_decoder *d)
{
    size_t most = MOST_STEPS / (d->num_listed + 1);

    return most < 1 ? 1 : most > PL_PACK_AHEAD ? PL_PACK_AHEAD : (uint32_t)most;
}

enum pl_status pl_pack_make_steps(struct pl_pack_decoder *d)
{
    d->ahead_first = d->ahead_end = 0;
    return pl_array_reserve((void **)&d->steps, &d->steps_cap,
                            d->num_listed * samples_ahead(d) + 1,
                            sizeof *d->steps)
               ? PL_OK
               : PL_NOMEM;
}

/* A column while its steps are worked out: wide, so that it stays in registers. */
struct going {
    uint32_t column;
    uint32_t run, change;
    uint32_t sample, unchanged, changed, form;
    uint64_t scale, step;
};

static inline uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The next sample's step. */
static inline void put_step(struct pl_pack_decoder *d, struct going *g,
                            uint64_t step)
{
    const uint32_t k = g->sample++ - d->ahead_first;

    d->steps[k * d->num_listed + d->num_steps[k]++] =
        (struct pl_pack_step){ g->column, step * g->scale };
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

/* From the current sample on, of the columns that have a word of its block: a pack
 * may have very many in all. */
static void look_ahead(struct pl_pack_decoder *d)
{
    const uint32_t left = d->head.samples + 1 - d->sample;
    const uint32_t most = samples_ahead(d);

    d->ahead_first = d->sample;
    d->ahead_end = d->sample + (left < most ? left : most);
    memset(d->num_steps, 0, sizeof d->num_steps);
    for (size_t i = 0; i < d->num_places; i++) {
        const uint32_t column = d->places[i].column;

        fetch_ahead(d, i);
        if (d->columns[column].sample < d->ahead_end)
            work_out(d, column, d->columns[column].sample);
    }
}

void pl_pack_take_steps(struct pl_pack_decoder *d, uint8_t *block)
{
    const struct pl_pack_step *step, *end;

    if (d->sample >= d->ahead_end)
        look_ahead(d);
    step = d->steps + (d->sample - d->ahead_first) * d->num_listed;
    end = step + d->num_steps[d->sample - d->ahead_first];
    for (; step < end; step++) {
        const uint32_t at = d->word_of[step->column];
        uint8_t *word = block + (size_t)at * PL_PACK_WORD;

        if (at != PL_PACK_NOWHERE)
            pl_put_le64(word, pl_get_le64(word) + step->by);
    }
}
