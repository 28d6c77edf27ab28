/*
 * Changes words of blocks as their columns say.  Each column waits in the list of
 * the sample in which it changes its word next, so that a sample costs as much as
 * changes in it, whatever else the block holds.
 */
#include "format/pack/pack_decoder_state.h"

enum { WORD = PL_PACK_WORD };

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

/* A step that is not bent is over with its sample. */
void pl_pack_await_change(struct pl_pack_decoder *d, uint32_t column)
{
    struct pl_pack_column *c = &d->columns[column];
    uint32_t sample = d->sample + 1;

    if (!c->changed && !c->unchanged && c->runs) {
        c->unchanged = (uint16_t)checked_varint(d->runs, &c->run);
        c->changed = (uint16_t)checked_varint(d->runs, &c->run);
        c->runs--;
    }
    if (!c->bent || !c->step) {
        if (!c->changed)
            return;
        sample += c->unchanged;
        c->unchanged = 0;
    }
    if (sample > d->head.samples)
        return;
    c->next = d->due[sample];
    d->due[sample] = column + 1;
}

/* The next step of a column whose word changes. */
static inline void take_step(const struct pl_pack_decoder *d,
                             struct pl_pack_column *c)
{
    uint64_t change = 0;

    if (c->unchanged) {
        c->unchanged--;
    } else if (c->changed) {
        c->changed--;
        change = pl_unzigzag(checked_varint(d->changes, &c->change) + 1);
    }
    c->step = c->bent ? c->step + change : change;
}

void pl_pack_take_steps(struct pl_pack_decoder *d, uint8_t *block)
{
    uint32_t due = d->due[d->sample];

    while (due) {
        uint32_t column = due - 1;
        struct pl_pack_column *c = &d->columns[column];
        uint8_t *word;

        due = c->next;
        if (c->at == PL_PACK_NOWHERE)
            continue;
        word = block + (size_t)c->at * WORD;
        take_step(d, c);
        pl_put_le64(word, pl_get_le64(word) + c->step * c->scale);
        pl_pack_await_change(d, column);
    }
}
