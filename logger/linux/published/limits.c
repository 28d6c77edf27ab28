/* The source of the object Perflog Limit: a row for each limit. */
#include "logger/linux/machine/machine.h"
#include "logger/linux/published/regions.h"

enum { REFUSALS, NUM_FIELDS };

static const struct pl_field fields[NUM_FIELDS] = {
    [REFUSALS] = PL_FIELD("refusals"),
};

static enum pl_status limits_read(struct pl_source *s)
{
    for (int i = 0; s->machine->regions && i < PL_NUM_LIMITS; i++) {
        const enum pl_limit limit = (enum pl_limit)i;
        uint64_t *v =
            pl_source_rows_add(&s->rows, pl_text_of(pl_limit_name(limit)));

        if (!v)
            return PL_NOMEM;
        v[REFUSALS] = pl_regions_refusals(s->machine->regions, limit);
    }
    return PL_OK;
}

/* Its fields are present once a limit has refused anything. */
static bool limits_is_readable(struct pl_machine *m)
{
    return m->regions && pl_regions_have_refused(m->regions);
}

const struct pl_source_kind pl_provider_limits_kind = {
    .name = "provider_limits",
    .open = pl_rows_source_open,
    .read = limits_read,
    .close = pl_rows_source_close,
    .is_readable = limits_is_readable,
    .fields = fields,
    .num_fields = NUM_FIELDS,
    .absent = "no application here has exceeded a limit",
};
