/* A moment as text. */
#include "analyze/moment/moment_text.h"

#include "analyze/moment/text_parts.h"
#include "format/base/utf.h"
#include "format/time/zone.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_EACH = 16, /* processors on a page */
    FEWEST = 5,     /* processes on a page, however low the screen */
};

static bool is_shown(const struct pl_moment_column *c, double v)
{
    return !isnan(v) && (v != 0 || !c->minor);
}

/* True for a column that belongs to the one before it. */
static bool goes_on(const struct pl_moment_column *c)
{
    return c->title && (!*c->title || !strcmp(c->title, "of"));
}

static void put_figures(struct pl_moment_line *l,
                        enum pl_moment_section section,
                        const struct pl_moment_row *row)
{
    const struct pl_moment_column *c = pl_moment_columns[section].columns;
    char text[4 * PL_READABLE_TEXT], v[PL_READABLE_TEXT];

    for (size_t i = 0; i < PL_MOMENT_COLUMNS && c[i].title; i++) {
        int n;

        if (!is_shown(&c[i], row->values[i]))
            continue;
        n = snprintf(text, sizeof text, "%s %s", c[i].title,
                     pl_readable(row->values[i], c[i].unit, v));
        for (; i + 1 < PL_MOMENT_COLUMNS && goes_on(&c[i + 1]); i++)
            if (!isnan(row->values[i + 1]))
                n += snprintf(text + n, sizeof text - (size_t)n, "%s%s %s",
                              *c[i + 1].title ? " " : "", c[i + 1].title,
                              pl_readable(row->values[i + 1], c[i].unit, v));
        pl_moment_put_item(l, text);
    }
}

/* True if a line of it would show nothing. */
static bool is_quiet(enum pl_moment_section section,
                     const struct pl_moment_row *row)
{
    const struct pl_moment_column *c = pl_moment_columns[section].columns;

    for (size_t i = 0; i < PL_MOMENT_COLUMNS && c[i].title; i++)
        if (is_shown(&c[i], row->values[i]))
            return false;
    return true;
}

static void put_section_line(struct pl_buf *out, const struct pl_moment *m,
                             const struct pl_moment_size *size,
                             enum pl_moment_section section, const char *label)
{
    const struct pl_moment_row *whole = pl_moment_whole(m, section);
    struct pl_moment_line l;

    if (!whole || is_quiet(section, whole))
        return;
    pl_moment_begin_line(&l, out, size, section, label);
    put_figures(&l, section, whole);
    pl_moment_end_line(&l);
}

/* ---- processors and pressure --------------------------------------------- */

static bool is_total(const struct pl_moment_row *row)
{
    return row->group->is_total;
}

/* Each processor's load, where they are few. */
static void put_each_processor(struct pl_buf *out, const struct pl_moment *m,
                               const struct pl_moment_size *size)
{
    const struct pl_moment_table *t = &m->tables[PL_MOMENT_PROCESSOR];
    char text[PL_READABLE_TEXT + 1], v[PL_READABLE_TEXT];
    struct pl_moment_line l;

    if (t->num < 3 || t->num > MOST_EACH + 1 || size->low)
        return;
    pl_moment_begin_line(&l, out, size, PL_MOMENT_SECTIONS, "");
    for (size_t i = 0; i < t->num; i++) {
        if (is_total(&t->rows[i]) || !t->rows[i].group->instance)
            continue;
        snprintf(text, sizeof text, " %s",
                 pl_readable(t->rows[i].values[0], PL_UNIT_PERCENT, v));
        pl_moment_put_named(&l, "#", t->rows[i].group->instance, text);
    }
    pl_moment_end_line(&l);
}

/* "some: cpu 1.2 %  io 33 %", and a line of the same with full. */
static void put_pressure(struct pl_buf *out, const struct pl_moment *m,
                         const struct pl_moment_size *size, size_t column,
                         const char *label)
{
    const struct pl_moment_table *t = &m->tables[PL_MOMENT_PRESSURE];
    const struct pl_moment_column *c =
        &pl_moment_columns[PL_MOMENT_PRESSURE].columns[column];
    char text[PL_READABLE_TEXT + 32], v[PL_READABLE_TEXT];
    struct pl_moment_line l;

    if (!t->num)
        return;
    pl_moment_begin_line(
        &l, out, size, *label ? PL_MOMENT_PRESSURE : PL_MOMENT_SECTIONS, label);
    snprintf(text, sizeof text, "%s:", c->title);
    pl_moment_put_item(&l, text);
    for (size_t i = 0; i < t->num; i++) {
        if (isnan(t->rows[i].values[column]) || !t->rows[i].group->instance)
            continue;
        snprintf(text, sizeof text, " %s",
                 pl_readable(t->rows[i].values[column], c->unit, v));
        pl_moment_put_named(&l, "", t->rows[i].group->instance, text);
    }
    pl_moment_end_line(&l);
}

/* ---- tables -------------------------------------------------------------- */

/* Disks and interfaces: the busiest by the first figures that differ. */
static int by_values(const void *x, const void *y)
{
    const struct pl_moment_row *a = *(const struct pl_moment_row *const *)x;
    const struct pl_moment_row *b = *(const struct pl_moment_row *const *)y;

    for (size_t i = 0; i < PL_MOMENT_COLUMNS; i++) {
        double p = isnan(a->values[i]) ? 0 : a->values[i];
        double q = isnan(b->values[i]) ? 0 : b->values[i];

        if (p != q)
            return p > q ? -1 : 1;
    }
    return pl_natural_compare(a->group->instance ? a->group->instance : "",
                              b->group->instance ? b->group->instance : "");
}

static bool did_something(const struct pl_moment_row *row)
{
    for (size_t i = 0; i < PL_MOMENT_COLUMNS; i++)
        if (!isnan(row->values[i]) && row->values[i] != 0)
            return true;
    return false;
}

/*
 * The single instances of a section that did something, the busiest first; to
 * be freed.  *idle: how many did nothing.
 */
static const struct pl_moment_row **sorted_rows(const struct pl_moment_table *t,
                                                size_t *num, size_t *idle)
{
    const struct pl_moment_row **rows = malloc((t->num + 1) * sizeof *rows);

    *num = *idle = 0;
    for (size_t i = 0; rows && i < t->num; i++) {
        if (is_total(&t->rows[i]) || !t->rows[i].group->instance)
            continue;
        if (did_something(&t->rows[i]))
            rows[(*num)++] = &t->rows[i];
        else
            ++*idle;
    }
    if (rows)
        qsort(rows, *num, sizeof *rows, by_values);
    return rows;
}

/* "and 3 more; 2 idle" */
static void put_rest(struct pl_buf *out, size_t more, size_t idle)
{
    char text[96] = "";

    if (more && idle)
        snprintf(text, sizeof text, "and %zu more, and %zu idle\n", more, idle);
    else if (more || idle)
        snprintf(text, sizeof text, "and %zu %s\n", more ? more : idle,
                 more ? "more" : "idle");
    pl_moment_put(out, text);
}

/* A table's name, and its spark line where the table leaves room for it. */
static void put_table_title(struct pl_buf *out,
                            const struct pl_moment_size *size,
                            enum pl_moment_section section, const char *title,
                            size_t name)
{
    if (size->spark && name > strlen(title) + size->spark_width) {
        pl_moment_put_name(out, title, strlen(title) + 1);
        size->spark(size->ctx, section, out);
        pl_moment_put_blanks(out, name - strlen(title) - 1 - size->spark_width);
    } else {
        pl_moment_put_name(out, title, name);
    }
}

static size_t table_name_width(const struct pl_moment_size *size,
                               const char *title, size_t name,
                               const size_t widths[PL_MOMENT_COLUMNS])
{
    const size_t with = strlen(title) + 1 + size->spark_width;
    size_t all = with;

    for (size_t i = 0; i < PL_MOMENT_COLUMNS; i++)
        all += widths[i] ? widths[i] + 2 : 0;
    return size->spark && name < with && all <= size->width ? with : name;
}

static void put_table(struct pl_buf *out, const struct pl_moment *m,
                      const struct pl_moment_size *size,
                      enum pl_moment_section section, const char *title)
{
    const struct pl_moment_columns *columns = &pl_moment_columns[section];
    const size_t most = size->low ? PL_MOMENT_LISTED / 2 : PL_MOMENT_LISTED;
    size_t num, idle, shown, width, widths[PL_MOMENT_COLUMNS];
    const struct pl_moment_row **rows =
        sorted_rows(&m->tables[section], &num, &idle);

    out->oom |= !rows;
    shown = num > most ? most : num;
    if (rows && num) {
        pl_moment_measure(columns, rows, shown, widths);
        width = pl_moment_name_width(title, rows, shown);
        width = table_name_width(size, title, width, widths);
        put_table_title(out, size, section, title, width);
        pl_moment_put_titles(out, columns, widths);
        pl_buf_u8(out, '\n');
        for (size_t i = 0; i < shown; i++) {
            pl_moment_put_name(out, rows[i]->group->instance, width);
            pl_moment_put_cells(out, columns, widths, rows[i]);
            pl_buf_u8(out, '\n');
        }
        if (!size->low)
            put_rest(out, num - shown, idle);
    } else if (rows && idle && !size->low) {
        pl_moment_put_name(out, title, PL_MOMENT_LABEL);
        pl_moment_put(out, "idle\n");
    }
    free(rows);
}

/* ---- the page ------------------------------------------------------------ */

/* How long a pair was: as many intervals, one at least. */
static uint64_t whole_intervals(const struct pl_moment_span *s)
{
    uint64_t num = (s->length_ns + s->interval_ns / 2) / s->interval_ns;

    return (num ? num : 1) * s->interval_ns;
}

/* "web  2026-11-22 03:12:07 Europe/Berlin, one sample of the 1s before" */
static void put_title(struct pl_buf *out, const struct pl_moment *m)
{
    const struct pl_moment_span *s = &m->spans[m->host->rank];
    char first[PL_INSTANT_TEXT], last[PL_INSTANT_TEXT];
    char text[2 * PL_INSTANT_TEXT + 64], length[PL_DURATION_TEXT];

    pl_moment_put_name(out, m->host->name, 0);
    pl_zone_text(s->first_ns, first);
    pl_zone_text(s->last_ns, last);
    if (s->samples > 1)
        snprintf(text, sizeof text,
                 "  %s to %s %s, means of %" PRIu64 " samples\n\n", first, last,
                 pl_zone_name(), s->samples);
    else if (s->interval_ns)
        snprintf(text, sizeof text, "  %s %s, one sample of the %s before\n\n",
                 last, pl_zone_name(),
                 pl_duration_text(whole_intervals(s), length));
    else
        snprintf(text, sizeof text, "  %s %s\n\n", last, pl_zone_name());
    pl_moment_put(out, text);
}

static size_t lines_in(const struct pl_buf *b, size_t from)
{
    size_t lines = 0;

    for (size_t i = from; i < b->len; i++)
        lines += b->p[i] == '\n';
    return lines;
}

/* A blank line, unless there is one. */
static void end_part(struct pl_buf *out)
{
    if (out->len < 2 || out->p[out->len - 2] != '\n')
        pl_buf_u8(out, '\n');
}

/* On a low screen its first lines follow each other without a blank one. */
static void put_lines(struct pl_buf *out, const struct pl_moment *m,
                      const struct pl_moment_size *size)
{
    put_title(out, m);
    if (size->low)
        out->len--;
    put_section_line(out, m, size, PL_MOMENT_PROCESSOR, "Processors");
    put_each_processor(out, m, size);
    put_section_line(out, m, size, PL_MOMENT_SYSTEM, "System");
    put_pressure(out, m, size, 0, "Pressure");
    put_pressure(out, m, size, 1, "");
    put_section_line(out, m, size, PL_MOMENT_MEMORY, "Memory");
    put_section_line(out, m, size, PL_MOMENT_PAGING, "Paging");
    pl_moment_put_states(out, m, size, 'D', "Waiting D");
    pl_moment_put_states(out, m, size, 'Z', "Zombies Z");
    if (!size->low)
        end_part(out);
    put_table(out, m, size, PL_MOMENT_DISK, "Disk");
    put_table(out, m, size, PL_MOMENT_NETWORK, "Network");
    end_part(out);
}

void pl_moment_put_text(struct pl_buf *out, const struct pl_moment *m,
                        const struct pl_moment_size *size)
{
    const struct pl_process_view all = { 0 };
    struct pl_process_list ranked = { 0 };
    size_t from = out->len, processes = size->processes, used;

    put_lines(out, m, size);
    used = lines_in(out, from) + 2; /* a header, and the shell's line */
    if (size->lines)
        processes = size->lines > used + FEWEST ? size->lines - used : FEWEST;
    if (!size->list && pl_process_list_make(&ranked, m, &all))
        out->oom = true;
    pl_moment_put_processes(out, m, size, size->list ? size->list : &ranked,
                            processes);
    pl_process_list_release(&ranked);
}
