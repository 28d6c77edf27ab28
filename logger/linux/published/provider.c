/* The source of the object Perflog Provider: a row for each region listed. */
#include "logger/linux/machine/machine.h"
#include "logger/linux/published/regions.h"

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

/* Its fields are present once a region was found by pl_regions_scan. */
static bool provider_is_readable(struct pl_machine *m)
{
    return m->regions && pl_regions_num(m->regions);
}

const struct pl_source_kind pl_providers_kind = {
    .name = "provider",
    .open = pl_rows_source_open,
    .read = provider_read,
    .close = pl_rows_source_close,
    .is_readable = provider_is_readable,
    .fields = fields,
    .num_fields = NUM_FIELDS,
    .absent = "no application here publishes counters",
};
