/* The cost of each object of the block, as measured by the sampler. */
#include "logger/linux/machine/machine.h"

/* clang-format off */
enum {
    COLLECTED, TIMES, BYTES, INSTANCES, BYTES_READ, SYSTEM_CALLS, READ_ERRORS,
    NUM_FIELDS
};
/* clang-format on */

static const struct pl_field fields[NUM_FIELDS] = {
    [COLLECTED] = PL_FIELD("collected"), /* 100 ns */
    [TIMES] = PL_FIELD("times"),
    [BYTES] = PL_FIELD("bytes"), /* of the block, as the next in it */
    [INSTANCES] = PL_FIELD("instances"),
    [BYTES_READ] = PL_FIELD("bytes_read"),
    [SYSTEM_CALLS] = PL_FIELD("system_calls"),
    [READ_ERRORS] = PL_FIELD("read_errors"),
};

static enum pl_status costs_read(struct pl_source *s)
{
    const struct pl_machine *m = s->machine;

    for (size_t i = 0; i < m->num_costs; i++) {
        const struct pl_cost *c = &m->costs[i];
        uint64_t *values;

        if (!c->times)
            continue;
        values = pl_source_rows_add(&s->rows, pl_text_of(c->name));
        if (!values)
            return PL_NOMEM;
        values[COLLECTED] = c->collected_ns / 100;
        values[TIMES] = c->times;
        values[BYTES] = c->bytes;
        values[INSTANCES] = c->instances;
        values[BYTES_READ] = c->bytes_read;
        values[SYSTEM_CALLS] = c->system_calls;
        values[READ_ERRORS] = c->read_errors;
    }
    return PL_OK;
}

/* The sampler measures from now on. */
static bool costs_is_readable(struct pl_machine *m)
{
    m->measures = true;
    return true;
}

const struct pl_source_kind pl_costs_kind = {
    .name = "costs",
    .open = pl_rows_source_open,
    .read = costs_read,
    .close = pl_rows_source_close,
    .is_readable = costs_is_readable,
    .fields = fields,
    .num_fields = NUM_FIELDS,
};
