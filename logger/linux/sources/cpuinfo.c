/*
 * Processor clocks in /proc/cpuinfo: "cpu MHz : 2700.000" (on x86 only:
 * arch/x86/kernel/cpu/proc.c).
 */
#include "logger/linux/machine/machine.h"
#include "logger/linux/machine/proctext.h"

#include <stdlib.h>
#include <string.h>

static const struct pl_field fields[] = { PL_FIELD("khz") };

struct cpuinfo {
    struct pl_source base;
    struct pl_procfile *file;
};

/* Skip "KEY<tab>: "; false if the line does not begin with it. */
static bool take_key(struct pl_proctext *line, const char *key)
{
    size_t n = strlen(key);
    const char *colon;

    if ((size_t)(line->end - line->p) <= n || memcmp(line->p, key, n) != 0 ||
        (line->p[n] != '\t' && line->p[n] != ' '))
        return false;
    colon = memchr(line->p, ':', (size_t)(line->end - line->p));
    if (!colon)
        return false;
    line->p = colon + 1;
    return true;
}

/* A row for each processor that has a clock. */
static enum pl_status scan(struct pl_text text, struct pl_source_rows *rows)
{
    struct pl_proctext rest = pl_proctext_of(text), line;
    struct pl_text name = { NULL, 0 };
    uint64_t khz, *values;

    while (pl_proctext_line(&rest, &line)) {
        if (take_key(&line, "processor")) {
            pl_proctext_word(&line, &name);
        } else if (name.n && take_key(&line, "cpu MHz") &&
                   pl_proctext_thousandths(&line, &khz)) {
            values = pl_source_rows_add(rows, name);
            if (!values)
                return PL_NOMEM;
            *values = khz;
            name.n = 0;
        }
    }
    return PL_OK;
}

static enum pl_status cpuinfo_read(struct pl_source *s)
{
    struct cpuinfo *c = (struct cpuinfo *)s;
    enum pl_status status = scan(pl_procfile_read(c->file), &s->rows);

    pl_source_set_readable(s, s->rows.num > 0);
    return status;
}

static void cpuinfo_close(struct pl_source *s)
{
    pl_source_release(s);
    free(s);
}

static enum pl_status cpuinfo_open(struct pl_source **out, struct pl_machine *m,
                                   const struct pl_source_kind *kind)
{
    struct cpuinfo *c = calloc(1, sizeof *c);
    enum pl_status s;

    if (!c)
        return PL_NOMEM;
    s = pl_source_init(&c->base, m, kind);
    if (!s)
        s = pl_procfile_open(&c->file, m, kind->path, kind->file_kind);
    if (!s)
        s = cpuinfo_read(&c->base);
    if (s) {
        cpuinfo_close(&c->base);
        return s;
    }
    *out = &c->base;
    return PL_OK;
}

const struct pl_source_kind pl_cpuinfo_kind = {
    .name = "cpuinfo",
    .open = cpuinfo_open,
    .read = cpuinfo_read,
    .close = cpuinfo_close,
    .path = "cpuinfo",
    .file_kind = PL_IN_PIECES,
    .fields = fields,
    .num_fields = 1,
    .joined = true,
};
