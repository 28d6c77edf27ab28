/* Writes rows as lines of CSV. */
#include "analyze/query/rows_csv.h"

#include "analyze/output/number.h"
#include "analyze/replay/group_identity.h"
#include "format/base/array.h"
#include "format/time/time_text.h"
#include "format/time/zone.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Days from 1899-12-30, day 0 of spreadsheets, to 1970-01-01. */
static const double serial_of_1970 = 25569;
static const double ns_per_day = 86400e9;

/* ---- time ---------------------------------------------------------------- */

bool pl_time_style_of(const char *name, enum pl_time_style *out)
{
    static const char *const names[] = {
        [PL_TIME_SPACE] = "space",   [PL_TIME_ISO] = "iso",
        [PL_TIME_PDH] = "pdh",       [PL_TIME_UNIX] = "unix",
        [PL_TIME_SERIAL] = "serial",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i])) {
            *out = (enum pl_time_style)i;
            return true;
        }
    return false;
}

void pl_time_header(struct pl_csv *c, const struct pl_time_format *f)
{
    char text[128];
    int n;

    if (f->header.n) {
        pl_csv_text(c, f->header);
        return;
    }
    if (f->style == PL_TIME_UNIX)
        n = snprintf(text, sizeof text, "Time (Unix)");
    else
        n = snprintf(text, sizeof text, "Time (%s)", pl_zone_name());
    pl_csv_text(c, (struct pl_text){ text, (size_t)n });
    if (f->offset)
        pl_csv_text(c, pl_text_of("UTC Offset"));
}

/* 'n' decimal digits of 'v'. */
static char *put_digits(char *p, unsigned v, int n)
{
    for (int i = n - 1; i >= 0; i--) {
        p[i] = (char)('0' + v % 10);
        v /= 10;
    }
    return p + n;
}

static char *put_date(char *p, const struct pl_civil *c, enum pl_time_style s)
{
    if (s == PL_TIME_PDH) {
        p = put_digits(p, (unsigned)c->month, 2);
        *p++ = '/';
        p = put_digits(p, (unsigned)c->day, 2);
        *p++ = '/';
        return put_digits(p, (unsigned)c->year, 4);
    }
    p = put_digits(p, (unsigned)c->year, 4);
    *p++ = '-';
    p = put_digits(p, (unsigned)c->month, 2);
    *p++ = '-';
    return put_digits(p, (unsigned)c->day, 2);
}

static size_t put_civil(char *out, int64_t local_ns,
                        const struct pl_time_format *f)
{
    struct pl_civil c = pl_civil_of(local_ns);
    unsigned ms = (unsigned)(c.ns / PL_NS_PER_MS);
    char *p = put_date(out, &c, f->style);

    *p++ = f->style == PL_TIME_ISO ? 'T' : ' ';
    p = put_digits(p, (unsigned)c.hour, 2);
    *p++ = ':';
    p = put_digits(p, (unsigned)c.minute, 2);
    *p++ = ':';
    p = put_digits(p, (unsigned)c.second, 2);
    if (f->milliseconds || ms || f->style == PL_TIME_PDH) {
        *p++ = '.';
        p = put_digits(p, ms, 3);
    }
    return (size_t)(p - out);
}

/* Local time of the zone, as if it were UTC. */
static int64_t local_of(int64_t utc_ns)
{
    return (int64_t)((uint64_t)utc_ns +
                     (uint64_t)(pl_zone_offset(utc_ns) * PL_NS_PER_SEC));
}

size_t pl_time_offset_text(int64_t utc_ns, char out[PL_TIME_TEXT])
{
    int32_t seconds = pl_zone_offset(utc_ns);
    int32_t minutes = (seconds < 0 ? -seconds : seconds) / 60;

    return (size_t)snprintf(out, PL_TIME_TEXT, "%c%02d:%02d",
                            seconds < 0 ? '-' : '+', (int)(minutes / 60 % 100),
                            (int)(minutes % 60));
}

/*
 * An offset begins with a sign; the guard against formulas must not change it.
 */
static void put_offset(struct pl_csv *c, int64_t utc_ns)
{
    char text[PL_TIME_TEXT];

    pl_csv_raw(c, text, pl_time_offset_text(utc_ns, text));
}

static size_t put_unix(char *out, int64_t utc_ns)
{
    int64_t ms = utc_ns / PL_NS_PER_MS;
    uint64_t size = ms < 0 ? (uint64_t)-ms : (uint64_t)ms;

    return (size_t)snprintf(out, PL_TIME_TEXT, "%s%" PRIu64 ".%03d",
                            ms < 0 ? "-" : "", size / 1000, (int)(size % 1000));
}

double pl_time_serial(int64_t utc_ns)
{
    return serial_of_1970 + (double)local_of(utc_ns) / ns_per_day;
}

size_t pl_time_text(const struct pl_time_format *f, int64_t utc_ns,
                    char out[PL_TIME_TEXT])
{
    switch (f->style) {
    case PL_TIME_UNIX:
        return put_unix(out, utc_ns);
    case PL_TIME_SERIAL:
        return pl_number_put(pl_time_serial(utc_ns), out);
    default:
        return put_civil(out, local_of(utc_ns), f);
    }
}

void pl_time_cells(struct pl_csv *c, const struct pl_time_format *f,
                   int64_t utc_ns)
{
    char text[PL_TIME_TEXT];

    pl_csv_decimal(c, text, pl_time_text(f, utc_ns, text));
    if (f->offset)
        put_offset(c, utc_ns);
}

/* ---- wide ---------------------------------------------------------------- */

enum pl_status pl_wide_init(struct pl_wide *w, uint32_t num_columns)
{
    w->num_columns = num_columns;
    w->cells = calloc((size_t)num_columns + 1, sizeof *w->cells);
    return w->cells ? PL_OK : PL_NOMEM; /* all zero is a blank */
}

void pl_wide_release(struct pl_wide *w)
{
    free(w->cells);
    w->cells = NULL;
}

void pl_wide_header(struct pl_csv *c, const struct pl_time_format *f,
                    struct pl_group *const *groups, size_t num_groups,
                    const struct pl_columns *columns)
{
    size_t num = columns->to - columns->from;
    struct {
        const struct pl_group *group;
        uint32_t slot;
    } *at = calloc(num + 1, sizeof *at);
    struct pl_buf path = { 0 };
    bool oom = !at;

    pl_time_header(c, f);
    for (size_t i = 0; i < num_groups && at; i++)
        for (uint32_t k = 0; k < groups[i]->num_slots; k++) {
            const struct pl_series *s = pl_group_series(groups[i], k);

            if (!s || !s->present || s->column < columns->from ||
                s->column >= columns->to)
                continue;
            at[s->column - columns->from].group = groups[i];
            at[s->column - columns->from].slot = k;
        }
    for (size_t i = 0; i < num && at; i++) {
        pl_buf_clear(&path);
        pl_series_path(&path, at[i].group, at[i].slot, true, false);
        pl_csv_text(c, (struct pl_text){ (char *)path.p, path.len });
        oom = oom || path.oom;
    }
    if (oom && !c->status)
        c->status = PL_NOMEM;
    free(at);
    pl_buf_release(&path);
    pl_csv_end_header(c);
}

void pl_wide_add(struct pl_wide *w, const struct pl_row *row)
{
    for (size_t i = 0; i < row->num_cells; i++) {
        const struct pl_cell_at *at = &row->cells[i];
        uint32_t column = at->group->series[at->slot].column;

        /* Columns were selected by the first type of the counter. */
        if (at->value.kind == PL_VALUE_TEXT || at->value.kind == PL_VALUE_HEX)
            continue;
        /* A growing log may have new series that the header lacks. */
        if (column < w->num_columns)
            w->cells[column] = at->value;
        else
            w->incomplete = true;
    }
}

enum pl_status pl_wide_end_row(struct pl_wide *w, struct pl_csv *c,
                               const struct pl_time_format *f, int64_t utc_ns,
                               const struct pl_columns *columns)
{
    pl_time_cells(c, f, utc_ns);
    pl_csv_numbers(c, w->cells + columns->from, columns->to - columns->from);
    /* all zero is a blank */
    memset(w->cells + columns->from, 0,
           (columns->to - columns->from) * sizeof *w->cells);
    return pl_csv_end_row(c);
}

/* ---- long ---------------------------------------------------------------- */

void pl_identity_header(struct pl_csv *c)
{
    for (size_t i = 0; i < PL_NUM_IDENTITY_COLUMNS; i++)
        pl_csv_text(c, pl_text_of(pl_identity_headers[i]));
}

void pl_identity_cells(struct pl_csv *c, const struct pl_group *g)
{
    for (size_t i = 0; i < PL_NUM_IDENTITY_COLUMNS; i++) {
        struct pl_text t =
            pl_group_identity_text(g, (enum pl_identity_column)i);

        pl_csv_text(c, t.n ? t : pl_text_of(""));
    }
}

void pl_long_header(struct pl_csv *c, const struct pl_time_format *f,
                    bool identity)
{
    static const char *const names[] = { "Host",    "Object", "Instance",
                                         "Counter", "Value",  "Status" };

    pl_time_header(c, f);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        pl_csv_text(c, pl_text_of(names[i]));
    if (identity)
        pl_identity_header(c);
    pl_csv_end_header(c);
}

static void release_object(struct pl_long_object *o)
{
    for (size_t i = 0; i < o->num; i++)
        pl_buf_release(&o->counters[i]);
    free(o->counters);
    *o = (struct pl_long_object){ 0 };
}

void pl_long_release(struct pl_long *l)
{
    pl_buf_release(&l->time);
    pl_buf_release(&l->names);
    for (size_t i = 0; i < PL_NUM_CELLS; i++)
        pl_buf_release(&l->last[i]);
    for (size_t i = 0; i < l->num_objects; i++)
        release_object(&l->objects[i]);
    free(l->objects);
}

/* Make '*array' of 'num' elements longer by zeros, so that it has 'at'. */
static bool reach(void **array, size_t *num, size_t at, size_t size)
{
    if (at < *num)
        return true;
    if (!pl_array_resize(array, at + 1, size))
        return false;
    memset((char *)*array + *num * size, 0, (at + 1 - *num) * size);
    *num = at + 1;
    return true;
}

/* The cell of the counter's name.  NULL: no memory. */
static const struct pl_buf *counter_cell(struct pl_long *l, struct pl_csv *c,
                                         const struct pl_object_names *names,
                                         uint32_t slot)
{
    const size_t begin = pl_csv_position(c);
    struct pl_long_object *o;

    if (!reach((void **)&l->objects, &l->num_objects, names->rank, sizeof *o))
        return NULL;
    o = &l->objects[names->rank];
    if (o->object != names)
        release_object(o);
    o->object = names;
    if (!reach((void **)&o->counters, &o->num, slot, sizeof *o->counters))
        return NULL;
    if (!o->counters[slot].len) {
        pl_csv_text(c, pl_text_of(names->counters[slot].name));
        pl_csv_keep(c, begin, &o->counters[slot]);
    }
    return &o->counters[slot];
}

/* The cells before and after those that differ from counter to counter. */
static void begin_group(struct pl_long *l, struct pl_csv *c,
                        const struct pl_group *g, bool identity)
{
    const size_t begin = pl_csv_position(c);

    pl_csv_kept(c, &l->time);
    pl_csv_text(c, pl_text_of(g->host->name));
    pl_csv_text(c, pl_text_of(g->object->name));
    pl_csv_text(c, pl_text_of(g->instance ? g->instance : ""));
    pl_csv_keep(c, begin, &l->names);
    for (size_t i = 0; i < PL_NUM_CELLS && identity; i++)
        pl_buf_clear(&l->last[i]);
}

/* Status and identity of a cell. */
static const struct pl_buf *last_cells(struct pl_long *l, struct pl_csv *c,
                                       const struct pl_cell_at *at,
                                       bool identity)
{
    const size_t begin = pl_csv_position(c);
    const char *status = pl_cell_name(at->value.cell);
    struct pl_buf *last = &l->last[at->value.cell];

    if (last->len)
        return last;
    pl_csv_raw(c, status, strlen(status));
    if (identity)
        pl_identity_cells(c, at->group);
    pl_csv_keep(c, begin, last);
    return last;
}

enum pl_status pl_long_row(struct pl_long *l, struct pl_csv *c,
                           const struct pl_time_format *f,
                           const struct pl_row *row, bool identity)
{
    const size_t begin = pl_csv_position(c);
    const struct pl_group *group = NULL;
    enum pl_status s = PL_OK;

    pl_time_cells(c, f, row->time_ns);
    pl_csv_keep(c, begin, &l->time);
    for (size_t i = 0; i < row->num_cells && !s; i++) {
        const struct pl_cell_at *at = &row->cells[i];
        const struct pl_group *g = at->group;
        const struct pl_buf *counter;

        if (g != group)
            begin_group(l, c, g, identity);
        group = g;
        counter = counter_cell(l, c, g->object, at->slot);
        if (!counter)
            return PL_NOMEM;
        pl_csv_kept_value(c, &l->names, counter, &at->value,
                          last_cells(l, c, at, identity));
        s = pl_csv_end_row(c);
    }
    return s;
}
