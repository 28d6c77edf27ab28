/* The source of the object Perflog Limit: a row for each limit. */
#include "logger/linux/machine/machine.h"
#include "logger/linux/published/regions.h"

#include <stdlib.h>

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

static void limits_close(struct pl_source *s)
{
    pl_source_release(s);
    free(s);
}

/* Its fields are present once a limit has refused anything. */
static enum pl_status limits_open(struct pl_source **out, struct pl_machine *m,
                                  const struct pl_source_kind *kind)
{
    struct pl_source *s = calloc(1, sizeof *s);
    enum pl_status status;

    if (!s)
        return PL_NOMEM;
    status = pl_source_init(s, m, kind);
    if (status) {
        limits_close(s);
        return status;
    }
    s->readable = m->regions && pl_regions_have_refused(m->regions);
    *out = s;
    return PL_OK;
}

const struct pl_source_kind pl_provider_limits_kind = {
    .name = "provider_limits",
    .open = limits_open,
    .read = limits_read,
    .close = limits_close,
    .fields = fields,
    .num_fields = NUM_FIELDS,
    .absent = "no application here has exceeded a limit",
};
