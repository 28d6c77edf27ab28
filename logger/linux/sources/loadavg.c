/* /proc/loadavg (fs/proc/loadavg.c): "0.20 0.18 0.12 1/80 11206". */
#include "logger/linux/machine/machine.h"
#include "logger/linux/machine/proctext.h"

#include <stdlib.h>

enum { LOAD_1, LOAD_5, LOAD_15, RUNNABLE, THREADS, NUM_FIELDS };

/* clang-format off */
static const struct pl_field fields[NUM_FIELDS] = {
    [LOAD_1] = PL_FIELD("load_1"), /* thousandths, as the next two */
    [LOAD_5] = PL_FIELD("load_5"),
    [LOAD_15] = PL_FIELD("load_15"),
    [RUNNABLE] = PL_FIELD("runnable"),
    [THREADS] = PL_FIELD("threads"),
};
/* clang-format on */

struct loadavg {
    struct pl_source base;
    struct pl_procfile *file;
};

static bool scan(struct pl_text text, uint64_t *values)
{
    struct pl_proctext line = pl_proctext_of(text);

    return text.p && pl_proctext_thousandths(&line, &values[LOAD_1]) &&
           pl_proctext_thousandths(&line, &values[LOAD_5]) &&
           pl_proctext_thousandths(&line, &values[LOAD_15]) &&
           pl_proctext_number(&line, &values[RUNNABLE]) &&
           pl_proctext_skip(&line, '/') &&
           pl_proctext_number(&line, &values[THREADS]);
}

static enum pl_status loadavg_read(struct pl_source *s)
{
    struct loadavg *l = (struct loadavg *)s;
    uint64_t *values =
        pl_source_rows_add(&s->rows, (struct pl_text){ NULL, 0 });

    if (!values)
        return PL_NOMEM;
    pl_source_set_readable(s, scan(pl_procfile_read(l->file), values));
    return PL_OK;
}

static void loadavg_close(struct pl_source *s)
{
    pl_source_release(s);
    free(s);
}

static enum pl_status loadavg_open(struct pl_source **out, struct pl_machine *m,
                                   const struct pl_source_kind *kind)
{
    struct loadavg *l = calloc(1, sizeof *l);
    uint64_t values[NUM_FIELDS];
    enum pl_status s;

    if (!l)
        return PL_NOMEM;
    s = pl_source_init(&l->base, m, kind);
    if (!s)
        s = pl_procfile_open(&l->file, m, kind->path, kind->file_kind);
    if (s) {
        loadavg_close(&l->base);
        return s;
    }
    l->base.readable = scan(pl_procfile_read(l->file), values);
    *out = &l->base;
    return PL_OK;
}

const struct pl_source_kind pl_loadavg_kind = {
    .name = "loadavg",
    .open = loadavg_open,
    .read = loadavg_read,
    .close = loadavg_close,
    .path = "loadavg",
    .file_kind = PL_IN_ONE_PIECE,
    .fields = fields,
    .num_fields = NUM_FIELDS,
};
