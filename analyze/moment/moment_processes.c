/* The processes of a page, as text. */
#include "analyze/moment/moment_text.h"

#include "analyze/moment/text_parts.h"
#include "analyze/replay/group_identity.h"
#include "format/base/utf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- states -------------------------------------------------------------- */

/* "dd:123 (12 of 60 samples)" */
static void put_state(struct pl_moment_line *l,
                      const struct pl_moment_states *s, uint32_t times)
{
    char more[64] = "";

    if (s->samples > 1)
        snprintf(more, sizeof more, " (%" PRIu32 " of %" PRIu32 ")", times,
                 s->samples);
    pl_moment_put_named(l, "", s->group->instance, more);
}

static uint32_t times_in(const struct pl_moment_states *s, char state)
{
    return state == 'D' ? s->waiting : s->zombie;
}

/* The process after *last in the order of times, most first; NULL: none. */
static const struct pl_moment_states *
next_in(const struct pl_moment *m, char state,
        const struct pl_moment_states *last)
{
    const struct pl_moment_states *next = NULL;

    for (const struct pl_moment_states *s = m->states;
         s < m->states + m->num_states; s++) {
        uint32_t times = times_in(s, state);

        if (!s->group || s->group->host != m->host || !times ||
            (last && (times > times_in(last, state) ||
                      (times == times_in(last, state) && s <= last))))
            continue;
        if (!next || times > times_in(next, state))
            next = s;
    }
    return next;
}

void pl_moment_put_states(struct pl_buf *out, const struct pl_moment *m,
                          const struct pl_moment_size *size, char state,
                          const char *label)
{
    const struct pl_moment_states *s = next_in(m, state, NULL);
    size_t all = 0, shown = 0;
    char more[64];
    struct pl_moment_line l;

    if (!s)
        return;
    for (size_t i = 0; i < m->num_states; i++)
        all += m->states[i].group && m->states[i].group->host == m->host &&
               times_in(&m->states[i], state);
    pl_moment_begin_line(&l, out, size, PL_MOMENT_SECTIONS, label);
    for (; s && shown < PL_MOMENT_LISTED; shown++, s = next_in(m, state, s))
        put_state(&l, s, times_in(s, state));
    if (all > shown) {
        snprintf(more, sizeof more, "and %zu more", all - shown);
        pl_moment_put_item(&l, more);
    }
    pl_moment_end_line(&l);
}

/* ---- texts that identify a process --------------------------------------- */

/* What is shown of them; beyond 'most' columns it is cut. */
static const struct text_column {
    const char *title;
    enum pl_identity_column column;
    size_t most;
} text_columns[] = {
    { "user", PL_USER, 12 },
    { "unit", PL_CONTROL_GROUP, 20 },
    { "command", PL_COMMAND_LINE, 200 },
};
/* Units are left out on screens that have no room for command lines then. */
enum { UNIT = 1, COMMAND = 2, ROOM = 120, MOST_OF_GROUP = 40 };
enum { TEXTS = sizeof text_columns / sizeof *text_columns };

static struct pl_text text_of(const struct pl_moment_row *row, size_t k)
{
    struct pl_text t;

    if (!row->group) /* a sum */
        return (struct pl_text){ 0 };
    t = pl_group_identity_text(row->group, text_columns[k].column);
    if (text_columns[k].column == PL_CONTROL_GROUP)
        t = pl_control_group_unit(t);
    /* The kernel's own threads have none; others may have cleared it. */
    if (text_columns[k].column == PL_COMMAND_LINE && !t.n)
        t = pl_group_identity_text(row->group, PL_EXECUTABLE);
    return t;
}

/* Append a text as it is shown; returns its columns. */
static size_t put_text(struct pl_buf *out, struct pl_text t, size_t most)
{
    size_t from = out->len;

    pl_utf8_visible(out, t.p, t.n);
    pl_utf8_cut(out, from, most);
    return pl_utf8_columns(out->p + from, out->len - from);
}

/* ---- the table ----------------------------------------------------------- */

struct widths {
    bool names_last;          /* the last column, of any width */
    size_t name, ranked_by;   /* 0: no such column, here and below */
    enum pl_figure_unit unit; /* of what they are ranked by */
    bool states;
    size_t columns[PL_MOMENT_COLUMNS];
    size_t texts[TEXTS];
};

static void measure_texts(const struct pl_moment_row *const *rows, size_t num,
                          struct widths *w, struct pl_buf *scratch)
{
    for (size_t k = 0; k < TEXTS; k++) {
        w->texts[k] = 0;
        for (size_t i = 0; i < num; i++) {
            size_t n;

            pl_buf_clear(scratch);
            n = put_text(scratch, text_of(rows[i], k), text_columns[k].most);
            w->texts[k] = n > w->texts[k] ? n : w->texts[k];
        }
        if (w->texts[k] && w->texts[k] < strlen(text_columns[k].title))
            w->texts[k] = strlen(text_columns[k].title);
    }
}

/* The user's number is left out where the name is known. */
static void leave_out_numbers(struct widths *w)
{
    const struct pl_moment_column *c =
        pl_moment_columns[PL_MOMENT_PROCESS].columns;

    for (size_t i = 0; i < PL_MOMENT_COLUMNS && c[i].title; i++)
        for (size_t k = 0; k < TEXTS; k++)
            if (w->texts[k] && !strcmp(c[i].title, text_columns[k].title))
                w->columns[i] = 0;
}

static void measure(const struct pl_moment *m,
                    const struct pl_moment_row *const *rows, size_t num,
                    struct widths *w, struct pl_buf *scratch)
{
    char v[PL_READABLE_TEXT];

    pl_moment_measure(&pl_moment_columns[PL_MOMENT_PROCESS], rows, num,
                      w->columns);
    w->unit = pl_unit_of_counter(m->sort->counters[0]);
    w->ranked_by = m->sort->title ? strlen(m->sort->title) : 0;
    w->states = false;
    for (size_t i = 0; i < num; i++) {
        size_t n = strlen(pl_readable(rows[i]->ranked_by, w->unit, v));

        if (w->ranked_by && n > w->ranked_by)
            w->ranked_by = n;
        w->states |= rows[i]->state != 0;
    }
    measure_texts(rows, num, w, scratch);
    leave_out_numbers(w);
}

static void put_ranked_by(struct pl_buf *out, const char *text,
                          const struct widths *w)
{
    if (!w->ranked_by)
        return;
    pl_moment_put_blanks(out, 2);
    pl_moment_put_right(out, text, w->ranked_by);
}

/* No blanks at the end of a line: they come with what is next. */
static void put_texts(struct pl_buf *out, const struct pl_moment_row *row,
                      const struct widths *w)
{
    size_t blanks = 2;

    for (size_t k = 0; k < TEXTS; k++) {
        struct pl_text t =
            row ? text_of(row, k) : pl_text_of(text_columns[k].title);

        if (!w->texts[k])
            continue;
        if (t.n) {
            pl_moment_put_blanks(out, blanks);
            blanks = w->texts[k] + 2 - put_text(out, t, text_columns[k].most);
        } else {
            blanks += w->texts[k] + 2;
        }
    }
}

static const char *title_of_names(const struct pl_moment *m)
{
    return m->processes ? m->processes : "Process";
}

static void put_header(struct pl_buf *out, const struct pl_moment *m,
                       const struct widths *w, size_t width)
{
    const size_t from = out->len;

    if (!w->names_last)
        pl_moment_put_name(out, title_of_names(m), w->name);
    put_ranked_by(out, m->sort->title ? m->sort->title : "", w);
    pl_moment_put_titles(out, &pl_moment_columns[PL_MOMENT_PROCESS],
                         w->columns);
    if (w->states)
        pl_moment_put(out, "  S");
    put_texts(out, NULL, w);
    if (w->names_last) {
        pl_moment_put_blanks(out, 2);
        pl_moment_put(out, title_of_names(m));
    }
    if (width)
        pl_utf8_cut(out, from, width);
    pl_buf_u8(out, '\n');
}

/* Blanks show how deep it is in its tree. */
static void put_entry_name(struct pl_buf *out, const struct pl_process_entry *e,
                           size_t width)
{
    const size_t blanks = pl_process_indent(e), from = out->len;
    size_t shown;

    pl_moment_put_blanks(out, blanks);
    if (e->row->group) {
        pl_moment_put_short(out, e->name);
    } else {
        pl_utf8_visible(out, e->name.p, e->name.n);
        pl_utf8_cut(out, from, MOST_OF_GROUP);
    }
    shown = pl_utf8_columns(out->p + from, out->len - from);
    pl_moment_put_blanks(out, shown < width ? width - shown : 0);
}

/* The log may hold any byte. */
static uint8_t shown_state(const struct pl_moment_row *row)
{
    if (!row->state)
        return row->group ? '-' : ' ';
    return row->state > ' ' && row->state <= '~' ? (uint8_t)row->state : '?';
}

static void put_process(struct pl_buf *out, const struct pl_process_entry *e,
                        const struct widths *w)
{
    const struct pl_moment_row *row = e->row;
    char v[PL_READABLE_TEXT];

    if (!w->names_last)
        put_entry_name(out, e, w->name);
    put_ranked_by(out, pl_readable(row->ranked_by, w->unit, v), w);
    pl_moment_put_cells(out, &pl_moment_columns[PL_MOMENT_PROCESS], w->columns,
                        row);
    if (w->states) {
        pl_moment_put_blanks(out, 2);
        pl_buf_u8(out, shown_state(row));
    }
    put_texts(out, row, w);
    if (w->names_last) {
        pl_moment_put_blanks(out, 2);
        put_text(out, e->name, text_columns[COMMAND].most);
    }
    while (out->len && out->p[out->len - 1] == ' ')
        out->len--;
    pl_buf_u8(out, '\n');
}

/* A name as it is shown takes more room where it has control characters. */
static size_t names_width(const char *title,
                          const struct pl_process_entry *entries, size_t num,
                          struct pl_buf *scratch)
{
    size_t width = strlen(title);

    for (size_t i = 0; i < num; i++) {
        size_t n;

        pl_buf_clear(scratch);
        put_entry_name(scratch, &entries[i], 0);
        n = pl_utf8_columns(scratch->p, scratch->len);
        width = n > width ? n : width;
    }
    return width;
}

static void put_entries(struct pl_buf *out, const struct pl_process_entry *e,
                        size_t num, const struct widths *w, size_t width)
{
    struct pl_buf line = { 0 };

    for (size_t i = 0; i < num; i++) {
        pl_buf_clear(&line);
        put_process(&line, &e[i], w);
        if (width) {
            pl_utf8_cut(&line, 0, width);
            if (line.len && line.p[line.len - 1] != '\n')
                pl_buf_u8(&line, '\n');
        }
        pl_buf_bytes(out, line.p, line.len);
    }
    out->oom |= line.oom;
    pl_buf_release(&line);
}

void pl_moment_put_processes(struct pl_buf *out, const struct pl_moment *m,
                             const struct pl_moment_size *size,
                             const struct pl_process_list *list, size_t most)
{
    const size_t first = size->first < list->num ? size->first : list->num;
    const struct pl_process_entry *entries = list->entries + first;
    const size_t num = list->num - first < most ? list->num - first : most;
    const struct pl_moment_row **rows = malloc((num + 1) * sizeof *rows);
    struct pl_buf scratch = { 0 };
    struct widths w;

    out->oom |= !rows;
    for (size_t i = 0; rows && i < num; i++)
        rows[i] = entries[i].row;
    if (rows && num) {
        measure(m, rows, num, &w, &scratch);
        w.names_last = m->names_last;
        w.name = names_width(title_of_names(m), entries, num, &scratch);
        if (size->columns && size->columns < ROOM)
            w.texts[UNIT] = 0;
        put_header(out, m, &w, size->columns);
        put_entries(out, entries, num, &w, size->columns);
    }
    out->oom |= scratch.oom;
    pl_buf_release(&scratch);
    free(rows);
}
