/* The source of the object Perflog Provider: a row for each region listed. */
#include "logger/linux/machine/machine.h"
#include "logger/linux/published/regions.h"

#include <stdlib.h>

/* clang-format off */
enum {
    STATE, REASON, BUSY, LOOSE, RETRIES, REFUSED, BYTES, PID, USER, REGION,
    AGE, LEFT_OUT, NUM_FIELDS
};
/* clang-format on */

static const struct pl_field fields[NUM_FIELDS] = {
    [STATE] = PL_FIELD("state"),     [REASON] = PL_FIELD("reason"),
    [BUSY] = PL_FIELD("busy"),       [LOOSE] = PL_FIELD("loose"),
    [RETRIES] = PL_FIELD("retries"), [REFUSED] = PL_FIELD("refused"),
    [BYTES] = PL_FIELD("bytes"),     [PID] = PL_FIELD("pid"),
    [USER] = PL_FIELD("uid"),        [REGION] = PL_FIELD("region"),
    [AGE] = PL_FIELD("age"),         [LEFT_OUT] = PL_FIELD("left_out"),
};

static uint64_t age(const struct pl_region *g, const struct pl_machine *m)
{
    int64_t ns = m->now.utc_ns - g->born_ns;

    return g->born_ns > 0 && ns > 0 ? (uint64_t)ns / 1000000000 : 0;
}

static enum pl_status provider_read(struct pl_source *s)
{
    const struct pl_machine *m = s->machine;

    for (size_t i = 0; m->regions && i < pl_regions_num(m->regions); i++) {
        const struct pl_region *g = pl_regions_at(m->regions, i);
        uint64_t *v;

        if (!pl_regions_lists(m->regions, g))
            continue;
        v = pl_source_rows_add(&s->rows, pl_text_of(g->label));
        if (!v)
            return PL_NOMEM;
        v[STATE] = g->state;
        v[REASON] = g->reason;
        v[BUSY] = g->image.busy;
        v[LOOSE] = g->loose;
        v[RETRIES] = g->image.retries;
        v[REFUSED] = g->image.refused;
        v[BYTES] = g->size;
        v[PID] = g->called.pid;
        v[USER] = g->uid;
        v[REGION] = g->called.region_id ? g->called.region_id : g->inode;
        v[AGE] = age(g, m);
        v[LEFT_OUT] = g->left_out;
    }
    return PL_OK;
}

static void provider_close(struct pl_source *s)
{
    pl_source_release(s);
    free(s);
}

/* Its fields are present once a region was found by pl_regions_scan. */
static enum pl_status provider_open(struct pl_source **out,
                                    struct pl_machine *m,
                                    const struct pl_source_kind *kind)
{
    struct pl_source *s = calloc(1, sizeof *s);
    enum pl_status status;

    if (!s)
        return PL_NOMEM;
    status = pl_source_init(s, m, kind);
    if (status) {
        provider_close(s);
        return status;
    }
    s->readable = m->regions && pl_regions_num(m->regions);
    *out = s;
    return PL_OK;
}

const struct pl_source_kind pl_provider_kind = {
    .name = "provider",
    .open = provider_open,
    .read = provider_read,
    .close = provider_close,
    .fields = fields,
    .num_fields = NUM_FIELDS,
    .absent = "no application here publishes counters",
};
