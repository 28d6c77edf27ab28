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
enum { WORD = PL_PACK_WORD, MOST_STEPS = 1 << 18 };

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

/* A varint that has been checked. */
static inline uint64_t checked_varint(const uint8_t *part, uint32_t *at)
{
    const uint8_t *p = part + *at;
    uint64_t v = *p & 0x7F;

    for (int shift = 7; *p++ & 0x80; shift += 7)
        v |= (uint64_t)(*p & 0x7F) << shift;
    *at = (uint32_t)(p - part);
    return v;
}

static inline void put_step(struct pl_pack_decoder *d, uint32_t sample,
                            uint32_t column, uint64_t by)
{
    const uint32_t k = sample - d->ahead_first;

    d->steps[k * d->num_listed + d->num_steps[k]++] =
        (struct pl_pack_step){ column, by };
}

/* The steps of a column in the samples before 'ahead_end'. */
static void work_out(struct pl_pack_decoder *d, uint32_t column)
{
    struct pl_pack_column c = d->columns[column]; /* stays in registers */
    const uint32_t end = d->ahead_end;

    while (c.sample < end) {
        uint64_t change = 0;

        if (!c.changed && !c.unchanged && c.runs) {
            c.unchanged = (uint16_t)checked_varint(d->runs, &c.run);
            c.changed = (uint16_t)checked_varint(d->runs, &c.run);
            c.runs--;
        }
        if (!c.bent || !c.step) { /* a step that is not bent ends at once */
            c.sample = c.changed ? c.sample + c.unchanged : PL_PACK_NOWHERE;
            c.unchanged = 0;
            if (c.sample >= end)
                break;
        }
        if (c.unchanged) {
            c.unchanged--;
        } else if (c.changed) {
            c.changed--;
            change = pl_unzigzag(checked_varint(d->changes, &c.change) + 1);
        }
        c.step = c.bent ? c.step + change : change;
        put_step(d, c.sample++, column, c.step * c.scale);
    }
    d->columns[column] = c;
}

void pl_pack_begin_steps(struct pl_pack_decoder *d, uint32_t column)
{
    d->columns[column].sample = d->sample + 1;
    work_out(d, column);
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
    for (size_t i = 0; i < d->num_places; i++)
        if (d->columns[d->places[i].column].sample < d->ahead_end)
            work_out(d, d->places[i].column);
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
        uint8_t *word = block + (size_t)at * WORD;

        if (at != PL_PACK_NOWHERE)
            pl_put_le64(word, pl_get_le64(word) + step->by);
    }
}
