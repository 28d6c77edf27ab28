/* Counted numbers: processes and processors. */
#include "format/base/file.h"
#include "logger/linux/machine/machine.h"

#include <stdlib.h>

enum { PROCESSES_NOW, PROCESSORS, NUM_FIELDS };

static const struct pl_field fields[NUM_FIELDS] = {
    [PROCESSES_NOW] = PL_FIELD("processes_now"),
    [PROCESSORS] = PL_FIELD("processors"),
};

struct counts {
    struct pl_source base;
    struct pl_source *cpu;
};

/* Read Process early; the cost is charged to Process. */
static enum pl_status read_ahead(struct pl_machine *m)
{
    uint64_t calls = m->system_calls, errors = m->read_errors;
    uint64_t bytes = m->bytes_read;
    int64_t begun_ns = m->measures ? pl_clock_steady() : 0;
    enum pl_status status = pl_source_read(m->sources[PL_PROCESS]);

    if (m->measures)
        m->ahead.collected_ns += (uint64_t)(pl_clock_steady() - begun_ns);
    m->ahead.system_calls += m->system_calls - calls;
    m->ahead.read_errors += m->read_errors - errors;
    m->ahead.bytes_read += m->bytes_read - bytes;
    return status;
}

/* If processes are recorded, reading or listing them gives their number. */
static enum pl_status count_processes(struct pl_source *s, uint64_t *n)
{
    struct pl_machine *m = s->machine;
    enum pl_status status;
    bool readable;

    if (m->tasks) {
        status = read_ahead(m);
        readable = m->count_tasks(m->tasks, n);
    } else if (m->sources[PL_PROCESS]) {
        status = pl_pids_read(m);
        *n = m->pids.num;
        readable = m->pids.readable;
    } else {
        status = pl_process_count_read(m, n, &readable);
    }
    pl_source_set_present(s, PROCESSES_NOW, readable);
    return status;
}

static enum pl_status counts_read(struct pl_source *s)
{
    struct counts *c = (struct counts *)s;
    uint64_t *values =
        pl_source_rows_add(&s->rows, (struct pl_text){ NULL, 0 });
    enum pl_status status;

    if (!values)
        return PL_NOMEM;
    status = pl_source_read(c->cpu);
    if (!status && s->fields[PROCESSES_NOW].wanted)
        status = count_processes(s, &values[PROCESSES_NOW]);
    pl_source_set_present(s, PROCESSORS, c->cpu->readable);
    values[PROCESSORS] = c->cpu->rows.num;
    return status;
}

static void counts_close(struct pl_source *s)
{
    pl_source_release(s);
    free(s);
}

static enum pl_status counts_open(struct pl_source **out, struct pl_machine *m,
                                  const struct pl_source_kind *kind)
{
    struct counts *c = calloc(1, sizeof *c);
    enum pl_status s;

    if (!c)
        return PL_NOMEM;
    s = pl_source_init(&c->base, m, kind);
    if (!s)
        s = pl_source_open(&c->cpu, m, PL_CPU);
    if (s) {
        counts_close(&c->base);
        return s;
    }
    c->base.fields[PROCESSORS].present = c->cpu->readable;
    *out = &c->base;
    return PL_OK;
}

const struct pl_source_kind pl_counts_kind = {
    .name = "counts",
    .open = counts_open,
    .read = counts_read,
    .close = counts_close,
    .fields = fields,
    .num_fields = NUM_FIELDS,
};
