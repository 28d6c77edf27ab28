/* A comparison as text, CSV and JSON. */
#include "analyze/compare/compare_print.h"

#include "analyze/output/json.h"
#include "analyze/output/readable.h"
#include "format/base/utf.h"
#include "format/time/zone.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const side_names[PL_SIDES] = { "before", "after" };

/* ---- text ---------------------------------------------------------------- */

enum { NUM_COLUMNS = 5, CHANGE = PL_SIDES, DELTA, CHANCE };
static const char *const titles[NUM_COLUMNS] = {
    "Before", "After", "Change", "Delta", "Chance",
};

struct line {
    char cells[NUM_COLUMNS][PL_READABLE_TEXT];
};

static void put_visible(struct pl_buf *out, const char *s)
{
    pl_utf8_visible(out, s, strlen(s));
}

const char *pl_compared_change_text(const struct pl_compared *s,
                                    char out[PL_READABLE_TEXT])
{
    double change = pl_compared_change(s);
    char times[PL_READABLE_TEXT];

    if (isnan(change))
        snprintf(out, PL_READABLE_TEXT, "was 0");
    else if (fabs(change) < 9.995)
        snprintf(out, PL_READABLE_TEXT, "%+.1f %%", 100 * change);
    else
        snprintf(out, PL_READABLE_TEXT, "x %.*s", PL_READABLE_TEXT - 3,
                 pl_readable(1 + change, PL_UNIT_NUMBER, times));
    return out;
}

static struct line line_of(const struct pl_compared *s)
{
    enum pl_figure_unit unit = pl_unit_of_counter(s->counter);
    struct line l;

    for (int i = 0; i < PL_SIDES; i++)
        pl_readable(pl_compared_mean(s, (enum pl_compare_side)i), unit,
                    l.cells[i]);
    pl_compared_change_text(s, l.cells[CHANGE]);
    snprintf(l.cells[DELTA], PL_READABLE_TEXT, "%+.2f", s->test.delta);
    snprintf(l.cells[CHANCE], PL_READABLE_TEXT, "%.2g", s->chance);
    return l;
}

static void put_path(struct pl_buf *out, const struct pl_compared *s)
{
    if (*s->host) {
        pl_buf_string(out, "\\\\");
        put_visible(out, s->host);
    }
    pl_buf_string(out, "\\");
    put_visible(out, s->object);
    if (*s->instance) {
        pl_buf_string(out, "(");
        put_visible(out, s->instance);
        pl_buf_string(out, ")");
    }
    pl_buf_string(out, "\\");
    put_visible(out, s->counter);
    pl_buf_string(out, "\n");
}

static void put_line(struct pl_buf *out, const struct line *l,
                     const size_t widths[NUM_COLUMNS])
{
    for (int i = 0; i < NUM_COLUMNS; i++) {
        for (size_t n = strlen(l->cells[i]); n < widths[i]; n++)
            pl_buf_u8(out, ' ');
        pl_buf_string(out, l->cells[i]);
        pl_buf_string(out, "  ");
    }
}

static void put_window(struct pl_buf *out, const char *title,
                       const struct pl_compared_window *w)
{
    char from[PL_INSTANT_TEXT], to[PL_INSTANT_TEXT], text[256];

    pl_buf_string(out, title);
    put_visible(out, w->log);
    snprintf(text, sizeof text, ", %s to %s ", pl_zone_text(w->first_ns, from),
             pl_zone_text(w->last_ns, to));
    pl_buf_string(out, text);
    put_visible(out, pl_zone_name());
    snprintf(text, sizeof text, ", %" PRIu64 " sample%s\n", w->rows,
             pl_plural(w->rows));
    pl_buf_string(out, text);
}

static void put_table(struct pl_buf *out, const struct pl_comparison *c,
                      size_t num)
{
    size_t widths[NUM_COLUMNS];
    struct line l;

    for (int i = 0; i < NUM_COLUMNS; i++) {
        widths[i] = strlen(titles[i]);
        snprintf(l.cells[i], PL_READABLE_TEXT, "%s", titles[i]);
    }
    for (size_t k = 0; k < num; k++) {
        struct line of = line_of(&c->series[k]);

        for (int i = 0; i < NUM_COLUMNS; i++)
            if (strlen(of.cells[i]) > widths[i])
                widths[i] = strlen(of.cells[i]);
    }
    pl_buf_string(out, "\n");
    put_line(out, &l, widths);
    pl_buf_string(out, "Series\n");
    for (size_t k = 0; k < num; k++) {
        l = line_of(&c->series[k]);
        put_line(out, &l, widths);
        put_path(out, &c->series[k]);
    }
}

static void put_foot(struct pl_buf *out, const struct pl_comparison *c)
{
    char text[256];

    if (!c->unusual)
        snprintf(text, sizeof text,
                 "\nNone of %zu series differs by more than chance.\n",
                 c->compared);
    else
        snprintf(text, sizeof text,
                 "\n%zu of %zu series differ%s by more than chance.\n",
                 c->unusual, c->compared, c->unusual == 1 ? "s" : "");
    pl_buf_string(out, text);
    if (!c->alone[PL_BEFORE] && !c->alone[PL_AFTER])
        return;
    snprintf(text, sizeof text, "Only before: %zu series; only after: %zu.\n",
             c->alone[PL_BEFORE], c->alone[PL_AFTER]);
    pl_buf_string(out, text);
}

enum pl_status pl_comparison_print_text(struct pl_output_file *out,
                                        const struct pl_comparison *c, bool all)
{
    struct pl_buf text = { 0 };
    size_t num = all ? c->num : c->unusual;
    enum pl_status s;

    put_window(&text, "Before: ", &c->windows[PL_BEFORE]);
    put_window(&text, "After:  ", &c->windows[PL_AFTER]);
    if (num)
        put_table(&text, c, num);
    put_foot(&text, c);
    s = text.oom ? PL_NOMEM : pl_output_file_write(out, text.p, text.len);
    pl_buf_release(&text);
    return s;
}

/* ---- CSV ----------------------------------------------------------------- */

static void csv_number(struct pl_csv *csv, double number)
{
    const struct pl_value v = { .kind = PL_VALUE_DOUBLE, .number = number };

    if (isfinite(number))
        pl_csv_value(csv, &v);
    else
        pl_csv_blank(csv);
}

static enum pl_status csv_series(struct pl_csv *csv,
                                 const struct pl_compared *s)
{
    const double figures[] = {
        pl_compared_mean(s, PL_BEFORE),
        pl_compared_mean(s, PL_AFTER),
        pl_compared_change(s),
        s->test.delta,
        s->test.z,
        s->chance,
    };

    pl_csv_text(csv, pl_text_of(s->host));
    pl_csv_text(csv, pl_text_of(s->object));
    pl_csv_text(csv, pl_text_of(s->instance));
    pl_csv_text(csv, pl_text_of(s->counter));
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        csv_number(csv, figures[i]);
    return pl_csv_end_row(csv);
}

enum pl_status pl_comparison_print_csv(struct pl_csv *csv,
                                       const struct pl_comparison *c)
{
    static const char *const names[] = { "Host",    "Object", "Instance",
                                         "Counter", "Before", "After",
                                         "Change",  "Delta",  "z",
                                         "Chance" };
    enum pl_status s;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        pl_csv_text(csv, pl_text_of(names[i]));
    s = pl_csv_end_row(csv);
    for (size_t i = 0; i < c->num && !s; i++)
        s = csv_series(csv, &c->series[i]);
    return s ? s : pl_csv_flush(csv);
}

/* ---- JSON ---------------------------------------------------------------- */

static void json_window(struct pl_json *j, const char *key,
                        const struct pl_compared_window *w)
{
    pl_json_key(j, key);
    pl_json_open_object(j);
    pl_json_put_string(j, "log", w->log);
    pl_json_put_instant(j, "from", true, w->first_ns);
    pl_json_put_instant(j, "to", true, w->last_ns);
    pl_json_put_count(j, "samples", w->rows);
    pl_json_close_object(j);
}

/* Not finite is null. */
static void json_number(struct pl_json *j, const char *key, double v)
{
    pl_json_key(j, key);
    pl_json_number(j, v);
}

static void json_series(struct pl_json *j, const struct pl_compared *s)
{

    pl_json_open_object(j);
    pl_json_put_string(j, "host", s->host);
    pl_json_put_string(j, "object", s->object);
    pl_json_put_string(j, "instance", s->instance);
    pl_json_put_string(j, "counter", s->counter);
    for (int i = 0; i < PL_SIDES; i++)
        json_number(j, side_names[i],
                    pl_compared_mean(s, (enum pl_compare_side)i));
    json_number(j, "change", pl_compared_change(s));
    json_number(j, "delta", s->test.delta);
    json_number(j, "z", s->test.z);
    json_number(j, "chance", s->chance);
    pl_json_key(j, "unusual");
    pl_json_bool(j, s->chance < PL_UNUSUAL);
    pl_json_close_object(j);
}

enum pl_status pl_comparison_print_json(struct pl_output_file *out,
                                        const struct pl_comparison *c)
{
    struct pl_json j;

    pl_json_init(&j, out->f);
    pl_json_open_object(&j);
    json_window(&j, side_names[PL_BEFORE], &c->windows[PL_BEFORE]);
    json_window(&j, side_names[PL_AFTER], &c->windows[PL_AFTER]);
    pl_json_put_count(&j, "compared", c->compared);
    pl_json_put_count(&j, "unusual", c->unusual);
    pl_json_key(&j, "series");
    pl_json_open_array(&j);
    for (size_t i = 0; i < c->num; i++)
        json_series(&j, &c->series[i]);
    pl_json_close_array(&j);
    pl_json_close_object(&j);
    return pl_json_finish(&j);
}
