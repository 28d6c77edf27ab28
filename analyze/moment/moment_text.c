/* A moment as text. */
#include "analyze/moment/moment_text.h"

#include "format/base/utf.h"
#include "format/base/zone.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 80,
    LABEL = 12,      /* of a line's name */
    MOST_LISTED = 4, /* disks, interfaces, states on a page */
    MOST_EACH = 16,  /* processors on a page */
    FEWEST = 5,      /* processes on a page, however low the screen */
};

static void put(struct pl_buf *out, const char *s)
{
    pl_buf_bytes(out, s, strlen(s));
}

static void put_blanks(struct pl_buf *out, size_t n)
{
    while (n--)
        pl_buf_u8(out, ' ');
}

/* ---- lines of figures, wrapped ------------------------------------------- */

struct line {
    struct pl_buf *out;
    size_t at; /* characters so far */
};

static void begin_line(struct line *l, struct pl_buf *out, const char *label)
{
    *l = (struct line){ out, strlen(label) };
    put(out, label);
}

/* Two blanks before it, on a line of its own if it does not fit. */
static void put_item(struct line *l, const char *text)
{
    size_t n = strlen(text);

    if (l->at > LABEL && l->at + 2 + n > WIDTH) {
        pl_buf_u8(l->out, '\n');
        l->at = 0;
    }
    if (l->at < LABEL) {
        put_blanks(l->out, LABEL - l->at);
        l->at = LABEL;
    } else if (l->at > LABEL) {
        put(l->out, "  ");
        l->at += 2;
    }
    put(l->out, text);
    l->at += n;
}

static void end_line(struct line *l)
{
    pl_buf_u8(l->out, '\n');
}

static bool is_shown(const struct pl_moment_column *c, double v)
{
    return !isnan(v) && (v != 0 || !c->minor);
}

/* True for a column that belongs to the one before it. */
static bool goes_on(const struct pl_moment_column *c)
{
    return c->title && (!*c->title || !strcmp(c->title, "of"));
}

static void put_figures(struct line *l, enum pl_moment_section section,
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
        put_item(l, text);
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
                             enum pl_moment_section section, const char *label)
{
    const struct pl_moment_table *t = &m->tables[section];
    struct line l;

    if (!t->num || is_quiet(section, &t->rows[t->num - 1]))
        return;
    begin_line(&l, out, label);
    put_figures(&l, section, &t->rows[t->num - 1]); /* _Total is the last */
    end_line(&l);
}

/* ---- processors and pressure --------------------------------------------- */

static bool is_total(const struct pl_moment_row *row)
{
    return row->group->is_total;
}

/* Each processor's load, where they are few. */
static void put_each_processor(struct pl_buf *out, const struct pl_moment *m)
{
    const struct pl_moment_table *t = &m->tables[PL_MOMENT_PROCESSOR];
    char text[PL_READABLE_TEXT + 32], v[PL_READABLE_TEXT];
    struct line l;

    if (t->num < 3 || t->num > MOST_EACH + 1)
        return;
    begin_line(&l, out, "");
    for (size_t i = 0; i < t->num; i++) {
        if (is_total(&t->rows[i]) || !t->rows[i].group->instance)
            continue;
        snprintf(text, sizeof text, "#%.16s %s", t->rows[i].group->instance,
                 pl_readable(t->rows[i].values[0], PL_UNIT_PERCENT, v));
        put_item(&l, text);
    }
    end_line(&l);
}

/* "some: cpu 1.2 %  io 33 %", and a line of the same with full. */
static void put_pressure(struct pl_buf *out, const struct pl_moment *m,
                         size_t column, const char *label)
{
    const struct pl_moment_table *t = &m->tables[PL_MOMENT_PRESSURE];
    const struct pl_moment_column *c =
        &pl_moment_columns[PL_MOMENT_PRESSURE].columns[column];
    char text[PL_READABLE_TEXT + 32], v[PL_READABLE_TEXT];
    struct line l;

    if (!t->num)
        return;
    begin_line(&l, out, label);
    snprintf(text, sizeof text, "%s:", c->title);
    put_item(&l, text);
    for (size_t i = 0; i < t->num; i++) {
        if (isnan(t->rows[i].values[column]) || !t->rows[i].group->instance)
            continue;
        snprintf(text, sizeof text, "%.16s %s", t->rows[i].group->instance,
                 pl_readable(t->rows[i].values[column], c->unit, v));
        put_item(&l, text);
    }
    end_line(&l);
}

/* ---- tables -------------------------------------------------------------- */

/* Widths of the columns, by their titles and the rows shown; 0: left out. */
static void measure(const struct pl_moment_columns *columns,
                    const struct pl_moment_row *const *rows, size_t num,
                    size_t widths[PL_MOMENT_COLUMNS])
{
    char v[PL_READABLE_TEXT];

    for (size_t i = 0; i < PL_MOMENT_COLUMNS; i++)
        widths[i] = 0;
    for (size_t i = 0; i < PL_MOMENT_COLUMNS && columns->columns[i].title; i++)
        for (size_t k = 0; k < num; k++) {
            const struct pl_moment_column *c = &columns->columns[i];
            size_t n;

            if (isnan(rows[k]->values[i]))
                continue;
            n = strlen(pl_readable(rows[k]->values[i], c->unit, v));
            if (n < strlen(c->title))
                n = strlen(c->title);
            if (n > widths[i])
                widths[i] = n;
        }
}

static void put_right(struct pl_buf *out, const char *text, size_t width)
{
    size_t n = strlen(text);

    put_blanks(out, n < width ? width - n : 0);
    put(out, text);
}

static void put_name(struct pl_buf *out, const char *name, size_t width)
{
    size_t from = out->len, shown = 0;

    pl_utf8_visible(out, name, strlen(name));
    for (size_t i = from; i < out->len; i++)
        shown += (out->p[i] & 0xC0) != 0x80; /* characters, not bytes */
    put_blanks(out, shown < width ? width - shown : 0);
}

static void put_titles(struct pl_buf *out,
                       const struct pl_moment_columns *columns,
                       const size_t widths[PL_MOMENT_COLUMNS])
{
    for (size_t i = 0; i < PL_MOMENT_COLUMNS; i++)
        if (widths[i]) {
            put_blanks(out, 2);
            put_right(out, columns->columns[i].title, widths[i]);
        }
}

static void put_cells(struct pl_buf *out,
                      const struct pl_moment_columns *columns,
                      const size_t widths[PL_MOMENT_COLUMNS],
                      const struct pl_moment_row *row)
{
    char v[PL_READABLE_TEXT];

    for (size_t i = 0; i < PL_MOMENT_COLUMNS; i++)
        if (widths[i]) {
            put_blanks(out, 2);
            put_right(out,
                      pl_readable(row->values[i], columns->columns[i].unit, v),
                      widths[i]);
        }
}

static size_t name_width(const char *title,
                         const struct pl_moment_row *const *rows, size_t num)
{
    size_t width = strlen(title);

    for (size_t i = 0; i < num; i++)
        if (rows[i]->group->instance &&
            strlen(rows[i]->group->instance) > width)
            width = strlen(rows[i]->group->instance);
    return width;
}

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
    put(out, text);
}

static void put_table(struct pl_buf *out, const struct pl_moment *m,
                      enum pl_moment_section section, const char *title)
{
    const struct pl_moment_columns *columns = &pl_moment_columns[section];
    size_t num, idle, shown, width, widths[PL_MOMENT_COLUMNS];
    const struct pl_moment_row **rows =
        sorted_rows(&m->tables[section], &num, &idle);

    out->oom |= !rows;
    shown = num > MOST_LISTED ? MOST_LISTED : num;
    if (rows && num) {
        measure(columns, rows, shown, widths);
        width = name_width(title, rows, shown);
        put_name(out, title, width);
        put_titles(out, columns, widths);
        pl_buf_u8(out, '\n');
        for (size_t i = 0; i < shown; i++) {
            put_name(out, rows[i]->group->instance, width);
            put_cells(out, columns, widths, rows[i]);
            pl_buf_u8(out, '\n');
        }
        put_rest(out, num - shown, idle);
    } else if (rows && idle) {
        put_name(out, title, LABEL);
        put(out, "idle\n");
    }
    free(rows);
}

/* ---- processes ----------------------------------------------------------- */

/* "dd:123 (12 of 60 samples)" */
static void put_state(struct line *l, const struct pl_moment_states *s,
                      uint32_t times)
{
    struct pl_buf text = { 0 };
    char more[64] = "";

    pl_utf8_visible(&text, s->group->instance, strlen(s->group->instance));
    if (s->samples > 1)
        snprintf(more, sizeof more, " (%" PRIu32 " of %" PRIu32 ")", times,
                 s->samples);
    pl_buf_bytes(&text, more, strlen(more) + 1);
    l->out->oom |= text.oom;
    if (!text.oom)
        put_item(l, (const char *)text.p);
    pl_buf_release(&text);
}

static uint32_t times_in(const struct pl_moment_states *s, char state)
{
    return state == 'D' ? s->waiting : s->zombie;
}

/* The processes that were in a state most often. */
static void put_states(struct pl_buf *out, const struct pl_moment *m,
                       char state, const char *label)
{
    uint32_t before = UINT32_MAX, next;
    size_t shown = 0, all = 0;
    char more[64];
    struct line l;

    for (size_t i = 0; i < m->num_states; i++)
        all += m->states[i].group->host == m->host &&
               times_in(&m->states[i], state);
    if (!all)
        return;
    begin_line(&l, out, label);
    for (; shown < MOST_LISTED && before; before = next) {
        next = 0;
        for (size_t i = 0; i < m->num_states; i++) {
            uint32_t times = times_in(&m->states[i], state);

            if (m->states[i].group->host != m->host || times >= before)
                continue;
            next = times > next ? times : next;
        }
        for (size_t i = 0; next && i < m->num_states && shown < MOST_LISTED;
             i++)
            if (m->states[i].group->host == m->host &&
                times_in(&m->states[i], state) == next) {
                put_state(&l, &m->states[i], next);
                shown++;
            }
    }
    if (all > shown) {
        snprintf(more, sizeof more, "and %zu more", all - shown);
        put_item(&l, more);
    }
    end_line(&l);
}

/* The widths of a table of processes. */
struct widths {
    size_t name, ranked_by;   /* 0: no such column */
    enum pl_figure_unit unit; /* of what they are ranked by */
    size_t columns[PL_MOMENT_COLUMNS];
};

static void measure_processes(const struct pl_moment *m,
                              const struct pl_moment_row *const *rows,
                              size_t num, struct widths *w)
{
    char v[PL_READABLE_TEXT];

    measure(&pl_moment_columns[PL_MOMENT_PROCESS], rows, num, w->columns);
    w->name = name_width("Process", rows, num);
    w->unit = pl_unit_of_counter(m->sort->counters[0]);
    w->ranked_by = m->sort->title ? strlen(m->sort->title) : 0;
    for (size_t i = 0; w->ranked_by && i < num; i++) {
        size_t n = strlen(pl_readable(rows[i]->ranked_by, w->unit, v));

        w->ranked_by = n > w->ranked_by ? n : w->ranked_by;
    }
}

static void put_ranked_by(struct pl_buf *out, const char *text,
                          const struct widths *w)
{
    if (!w->ranked_by)
        return;
    put_blanks(out, 2);
    put_right(out, text, w->ranked_by);
}

static void put_process(struct pl_buf *out, const struct pl_moment_row *row,
                        const struct widths *w)
{
    char v[PL_READABLE_TEXT];

    put_name(out, row->group->instance ? row->group->instance : "", w->name);
    put_ranked_by(out, pl_readable(row->ranked_by, w->unit, v), w);
    put_cells(out, &pl_moment_columns[PL_MOMENT_PROCESS], w->columns, row);
    if (row->state) {
        put_blanks(out, 2);
        pl_buf_u8(out, (uint8_t)row->state);
    }
    pl_buf_u8(out, '\n');
}

static void put_processes(struct pl_buf *out, const struct pl_moment *m,
                          size_t most)
{
    const struct pl_moment_table *t = &m->tables[PL_MOMENT_PROCESS];
    size_t num = t->num < most ? t->num : most;
    const struct pl_moment_row **rows = malloc((num + 1) * sizeof *rows);
    struct widths w;

    out->oom |= !rows;
    for (size_t i = 0; rows && i < num; i++)
        rows[i] = &t->rows[i];
    if (rows && num) {
        measure_processes(m, rows, num, &w);
        put_name(out, "Process", w.name);
        put_ranked_by(out, m->sort->title ? m->sort->title : "", &w);
        put_titles(out, &pl_moment_columns[PL_MOMENT_PROCESS], w.columns);
        put(out, rows[0]->state ? "  S\n" : "\n");
        for (size_t i = 0; i < num; i++)
            put_process(out, rows[i], &w);
    }
    free(rows);
}

/* ---- the page ------------------------------------------------------------ */

/* "web  2026-11-22 03:12:07 Europe/Berlin, one sample of the 1s before" */
static void put_title(struct pl_buf *out, const struct pl_moment *m)
{
    const struct pl_moment_span *s = &m->spans[m->host->rank];
    char first[PL_INSTANT_TEXT], last[PL_INSTANT_TEXT];
    char text[2 * PL_INSTANT_TEXT + 64], length[PL_DURATION_TEXT];

    put_name(out, m->host->name, 0);
    pl_zone_text(s->first_ns, first);
    pl_zone_text(s->last_ns, last);
    if (s->samples > 1)
        snprintf(text, sizeof text,
                 "  %s to %s %s, means of %" PRIu64 " samples\n\n", first, last,
                 pl_zone_name(), s->samples);
    else if (s->interval_ns)
        snprintf(text, sizeof text, "  %s %s, one sample of the %s before\n\n",
                 last, pl_zone_name(),
                 pl_duration_text(s->interval_ns, length));
    else
        snprintf(text, sizeof text, "  %s %s\n\n", last, pl_zone_name());
    put(out, text);
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

void pl_moment_put_text(struct pl_buf *out, const struct pl_moment *m,
                        size_t processes, size_t lines)
{
    size_t from = out->len, used;

    put_title(out, m);
    put_section_line(out, m, PL_MOMENT_PROCESSOR, "Processors");
    put_each_processor(out, m);
    put_section_line(out, m, PL_MOMENT_SYSTEM, "System");
    put_pressure(out, m, 0, "Pressure");
    put_pressure(out, m, 1, "");
    put_section_line(out, m, PL_MOMENT_MEMORY, "Memory");
    put_section_line(out, m, PL_MOMENT_PAGING, "Paging");
    put_states(out, m, 'D', "Waiting D");
    put_states(out, m, 'Z', "Zombies Z");
    end_part(out);
    put_table(out, m, PL_MOMENT_DISK, "Disk");
    put_table(out, m, PL_MOMENT_NETWORK, "Network");
    end_part(out);
    used = lines_in(out, from) + 2; /* a header, and the shell's line */
    if (lines)
        processes = lines > used + FEWEST ? lines - used : FEWEST;
    put_processes(out, m, processes);
}
