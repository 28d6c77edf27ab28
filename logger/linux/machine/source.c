/* Opening, reading and field lookup common to all sources. */
#include "logger/linux/machine/source.h"

#include "logger/linux/machine/machine.h"

#include <stdlib.h>
#include <string.h>

enum pl_status pl_source_open(struct pl_source **out, struct pl_machine *m,
                              enum pl_source_id id)
{
    enum pl_status s = PL_OK;

    if (!m->sources[id])
        s = m->kinds[id]->open(&m->sources[id], m, m->kinds[id]);
    *out = m->sources[id];
    return s;
}

/*
 * Continue the sum when the printed 32 bits wrap.  No counter grows by half of
 * their range between two samples: one that seems to has decreased, as after a
 * reset of its device, and is stored as read.
 */
static uint64_t widened(uint64_t sum, uint64_t now)
{
    uint32_t more = (uint32_t)(now - sum);

    return more > INT32_MAX ? now : sum + more;
}

static void widen(struct pl_source *s)
{
    for (size_t f = 0; f < s->num_fields; f++) {
        if (!s->fields[f].widen)
            continue;
        for (size_t i = 0; i < s->rows.num; i++) {
            uint64_t *now = pl_source_rows_values(&s->rows, i) + f;
            size_t before = pl_source_before(s, i);

            if (before != PL_NO_ROW && !s->rows.row[i].anew)
                *now =
                    widened(pl_source_rows_values(&s->before, before)[f], *now);
        }
    }
}

static void swap_rows(struct pl_source *s)
{
    struct pl_source_rows t = s->before;

    s->before = s->rows;
    s->rows = t;
}

enum pl_status pl_source_read(struct pl_source *s)
{
    enum pl_status status;

    if (s->tick == s->machine->tick)
        return PL_OK;
    s->tick = s->machine->tick;
    if (!s->kind->forgets && s->kept != s->machine->tick) {
        swap_rows(s);
        s->kept = s->machine->tick;
    }
    pl_source_rows_clear(&s->rows);
    status = s->kind->read(s);
    if (!status)
        widen(s);
    return status;
}

void pl_source_undo(struct pl_source *s)
{
    if (!s || s->kept != s->machine->tick)
        return;
    swap_rows(s);
    s->kept = 0;
    if (s->kind->undo)
        s->kind->undo(s);
}

void pl_source_close(struct pl_source *s)
{
    if (s)
        s->kind->close(s);
}

size_t pl_source_find(const struct pl_source *s, struct pl_text field)
{
    for (size_t i = 0; s->readable && i < s->num_fields; i++) {
        const struct pl_field *f = &s->fields[i];

        if (f->present && f->name_len == field.n &&
            !memcmp(f->name, field.p, field.n))
            return i;
    }
    return PL_NO_FIELD;
}

enum pl_status pl_source_init(struct pl_source *s, struct pl_machine *m,
                              const struct pl_source_kind *kind)
{
    size_t size = kind->num_fields * sizeof *kind->fields;

    s->kind = kind;
    s->machine = m;
    s->readable = true;
    s->rows.width = s->before.width = kind->num_fields;
    if (!size)
        return PL_OK;
    s->fields = malloc(size);
    if (!s->fields)
        return PL_NOMEM;
    memcpy(s->fields, kind->fields, size);
    s->num_fields = kind->num_fields;
    return PL_OK;
}

void pl_source_release(struct pl_source *s)
{
    free(s->fields);
    pl_source_rows_release(&s->rows);
    pl_source_rows_release(&s->before);
}

void pl_source_set_readable(struct pl_source *s, bool readable)
{
    if (s->readable != readable)
        s->generation++;
    s->readable = readable;
}

void pl_source_set_present(struct pl_source *s, size_t i, bool present)
{
    if (s->fields[i].present != present)
        s->generation++;
    s->fields[i].present = present;
}

size_t pl_source_before(const struct pl_source *s, size_t i)
{
    return pl_source_rows_find(&s->before, pl_source_rows_name(&s->rows, i), i);
}

enum pl_status pl_rows_source_open(struct pl_source **out, struct pl_machine *m,
                                   const struct pl_source_kind *kind)
{
    struct pl_source *s = calloc(1, sizeof *s);
    enum pl_status status;

    if (!s)
        return PL_NOMEM;
    status = pl_source_init(s, m, kind);
    if (status) {
        pl_rows_source_close(s);
        return status;
    }
    if (kind->is_readable)
        s->readable = kind->is_readable(m);
    *out = s;
    return PL_OK;
}

void pl_rows_source_close(struct pl_source *s)
{
    pl_source_release(s);
    free(s);
}
