/* The table of hosts. */
#include "analyze/hosts/hosts_print.h"

#include "analyze/output/readable.h"
#include "format/base/text.h"
#include "format/base/utf.h"
#include "format/time/zone.h"
#include "format/cli/message.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static size_t shown(const struct pl_hosts *h, size_t most)
{
    return h->num < most ? h->num : most;
}

/* For people: of many, those that are at all unlike the others, as shown. */
static size_t shown_lines(const struct pl_hosts *h, size_t most)
{
    size_t n = shown(h, most);

    while (n < h->num && n && pl_host_unlikeness(&h->hosts[n - 1]) < 0.05)
        n--;
    return n;
}

/* ---- text ---------------------------------------------------------------------- */

enum { UNLIKE, HOST, HERE, MEDIAN, NUM_COLUMNS, MOST_NAME = 40 };

struct line {
    const char *host;
    char figures[NUM_COLUMNS][PL_READABLE_TEXT];
};
static const struct line titles = {
    "Host", { [UNLIKE] = "Unlike", [HERE] = "Here", [MEDIAN] = "Median" }
};

static void put_cell(struct pl_buf *out, const struct line *l, int i)
{
    if (i == HOST)
        pl_utf8_visible_part(out, pl_text_of(l->host), MOST_NAME);
    else
        pl_buf_string(out, l->figures[i]);
}

static size_t columns_of(const struct line *l, int i)
{
    struct pl_buf cell = { 0 };
    size_t n;

    put_cell(&cell, l, i);
    n = pl_utf8_columns(cell.p, cell.len);
    pl_buf_release(&cell);
    return n;
}

/* The first line of a host has its name. */
static struct line line_of(const struct pl_compared_host *h, size_t i)
{
    const struct pl_host_reason *r = &h->reasons[i];
    enum pl_figure_unit unit;
    struct line l = { .host = "" };

    if (!i) {
        snprintf(l.figures[UNLIKE], PL_READABLE_TEXT, "%.1f",
                 pl_host_unlikeness(h));
        l.host = h->host->name;
    }
    if (i >= h->num_reasons)
        return l;
    unit = pl_unit_of_counter(r->group->object->counters[r->slot].name);
    pl_readable(r->value, unit, l.figures[HERE]);
    pl_readable(r->median, unit, l.figures[MEDIAN]);
    return l;
}

/* All reasons where the host is unusual, else the first. */
static size_t num_lines(const struct pl_compared_host *h)
{
    size_t n = 1;

    while (n < h->num_reasons &&
           fabs(h->reasons[n].distance) >= PL_HOST_UNUSUAL)
        n++;
    return n;
}

static void put_line(struct pl_buf *out, const struct line *l,
                     const size_t widths[NUM_COLUMNS])
{
    for (int i = 0; i < NUM_COLUMNS; i++) {
        size_t n = columns_of(l, i);

        if (i == HOST)
            put_cell(out, l, i);
        for (; n < widths[i]; n++)
            pl_buf_u8(out, ' ');
        if (i != HOST)
            put_cell(out, l, i);
        pl_buf_string(out, "  ");
    }
}

static void put_series(struct pl_buf *out, const struct pl_hosts *all,
                       const struct pl_compared_host *h, size_t i)
{
    const struct pl_host_reason *r = &h->reasons[i];
    struct pl_buf path = { 0 };

    if (i >= h->num_reasons) {
        pl_buf_string(out, "-\n");
        return;
    }
    pl_series_path(&path, r->group, r->slot, false, false);
    pl_utf8_visible(out, path.p, path.len);
    out->oom |= path.oom;
    pl_buf_release(&path);
    if (!all->one_row) {
        pl_buf_string(out, ", ");
        pl_buf_string(out, pl_host_statistic_names[r->statistic]);
    }
    pl_buf_string(out, "\n");
}

static void measure(const struct pl_hosts *h, size_t num,
                    size_t widths[NUM_COLUMNS])
{
    for (int i = 0; i < NUM_COLUMNS; i++)
        widths[i] = columns_of(&titles, i);
    for (size_t k = 0; k < num; k++)
        for (size_t n = 0; n < num_lines(&h->hosts[k]); n++) {
            struct line l = line_of(&h->hosts[k], n);

            for (int i = 0; i < NUM_COLUMNS; i++)
                if (columns_of(&l, i) > widths[i])
                    widths[i] = columns_of(&l, i);
        }
}

static void put_head(struct pl_buf *out, const struct pl_hosts *h, size_t num)
{
    char from[PL_INSTANT_TEXT], to[PL_INSTANT_TEXT], text[192];

    snprintf(text, sizeof text, "%zu hosts, %s to %s ", h->num,
             pl_zone_text(h->first_ns, from), pl_zone_text(h->last_ns, to));
    pl_buf_string(out, text);
    pl_utf8_visible(out, pl_zone_name(), strlen(pl_zone_name()));
    snprintf(text, sizeof text, ", compared by %zu series\n", h->compared);
    pl_buf_string(out, text);
    if (num && num < h->num) {
        snprintf(text, sizeof text,
                 num == 1 ? "The one that is most unlike the others:\n"
                          : "The %zu that are most unlike the others:\n",
                 num);
        pl_buf_string(out, text);
    }
}

static void put_foot(struct pl_buf *out, const struct pl_hosts *h)
{
    char text[256];
    size_t n = 0;

    while (n < h->num && pl_host_unlikeness(&h->hosts[n]) >= PL_HOST_UNUSUAL)
        n++;
    if (!h->compared)
        snprintf(text, sizeof text,
                 "\nNothing can be compared: of no series half of the hosts, "
                 "and three, have a value.\n");
    else if (n)
        snprintf(text, sizeof text,
                 "\n%zu host%s unlike the others: %g spreads or more from the "
                 "median.\n",
                 n, n == 1 ? " is" : "s are", PL_HOST_UNUSUAL);
    else
        snprintf(text, sizeof text,
                 "\nNo host is unlike the others: none is %g spreads or more "
                 "from a median.\n",
                 PL_HOST_UNUSUAL);
    pl_buf_string(out, text);
}

static void put_table(struct pl_buf *out, const struct pl_hosts *h, size_t num)
{
    size_t widths[NUM_COLUMNS];

    measure(h, num, widths);
    pl_buf_string(out, "\n");
    put_line(out, &titles, widths);
    pl_buf_string(out, "Most unusual\n");
    for (size_t k = 0; k < num; k++)
        for (size_t n = 0; n < num_lines(&h->hosts[k]); n++) {
            struct line l = line_of(&h->hosts[k], n);

            put_line(out, &l, widths);
            put_series(out, h, &h->hosts[k], n);
        }
}

void pl_hosts_put_text(struct pl_buf *out, const struct pl_hosts *h,
                       size_t most)
{
    const size_t num = shown_lines(h, most);

    put_head(out, h, num);
    if (num && h->compared)
        put_table(out, h, num);
    put_foot(out, h);
}

/* ---- CSV ------------------------------------------------------------------------ */

static void csv_number(struct pl_csv *csv, double number)
{
    const struct pl_value v = { .kind = PL_VALUE_DOUBLE, .number = number };

    pl_csv_value(csv, &v);
}

static const char *const csv_names[] = { "Host",     "Unlike",  "Object",
                                         "Instance", "Counter", "Statistic",
                                         "Value",    "Median",  "Distance" };
enum { CSV_COLUMNS = sizeof csv_names / sizeof *csv_names, CSV_OF_HOST = 2 };

static void csv_host(struct pl_csv *csv, const struct pl_compared_host *h)
{
    pl_csv_text(csv, pl_text_of(h->host->name));
    csv_number(csv, pl_host_unlikeness(h));
}

/* Of a host without a series that can be compared. */
static enum pl_status csv_no_reason(struct pl_csv *csv,
                                    const struct pl_compared_host *h)
{
    csv_host(csv, h);
    for (int i = CSV_OF_HOST; i < CSV_COLUMNS; i++)
        pl_csv_blank(csv);
    return pl_csv_end_row(csv);
}

static enum pl_status csv_reason(struct pl_csv *csv,
                                 const struct pl_compared_host *h,
                                 const struct pl_host_reason *r)
{
    const struct pl_group *g = r->group;

    csv_host(csv, h);
    pl_csv_text(csv, pl_text_of(g->object->name));
    pl_csv_text(csv, pl_text_of(g->instance ? g->instance : ""));
    pl_csv_text(csv, pl_text_of(g->object->counters[r->slot].name));
    pl_csv_text(csv, pl_text_of(pl_host_statistic_names[r->statistic]));
    csv_number(csv, r->value);
    csv_number(csv, r->median);
    csv_number(csv, r->distance);
    return pl_csv_end_row(csv);
}

enum pl_status pl_hosts_print_csv(struct pl_csv *csv, const struct pl_hosts *h,
                                  size_t most)
{
    enum pl_status s;

    for (int i = 0; i < CSV_COLUMNS; i++)
        pl_csv_text(csv, pl_text_of(csv_names[i]));
    s = pl_csv_end_row(csv);
    for (size_t k = 0; k < shown(h, most) && !s; k++) {
        if (!h->hosts[k].num_reasons)
            s = csv_no_reason(csv, &h->hosts[k]);
        for (size_t i = 0; i < h->hosts[k].num_reasons && !s; i++)
            s = csv_reason(csv, &h->hosts[k], &h->hosts[k].reasons[i]);
    }
    return s ? s : pl_csv_flush(csv);
}

/* ---- JSON ----------------------------------------------------------------------- */

static void json_number(struct pl_json *j, const char *key, double number)
{
    pl_json_key(j, key);
    pl_json_number(j, number);
}

static void json_reason(struct pl_json *j, const struct pl_host_reason *r)
{
    const struct pl_group *g = r->group;

    pl_json_open_object(j);
    pl_json_put_string(j, "object", g->object->name);
    pl_json_key(j, "instance");
    if (g->instance)
        pl_json_string(j, g->instance);
    else
        pl_json_null(j);
    pl_json_put_string(j, "counter", g->object->counters[r->slot].name);
    pl_json_put_string(j, "statistic", pl_host_statistic_names[r->statistic]);
    json_number(j, "value", r->value);
    json_number(j, "median", r->median);
    json_number(j, "distance", r->distance);
    pl_json_close_object(j);
}

void pl_hosts_put_json(struct pl_json *j, const struct pl_hosts *h, size_t most)
{
    pl_json_open_array(j);
    for (size_t k = 0; k < shown(h, most); k++) {
        const struct pl_compared_host *c = &h->hosts[k];

        pl_json_open_object(j);
        pl_json_put_string(j, "host", c->host->name);
        json_number(j, "unlike", pl_host_unlikeness(c));
        pl_json_key(j, "reasons");
        pl_json_open_array(j);
        for (size_t i = 0; i < c->num_reasons; i++)
            json_reason(j, &c->reasons[i]);
        pl_json_close_array(j);
        pl_json_close_object(j);
    }
    pl_json_close_array(j);
}

enum pl_status pl_hosts_print_json(struct pl_output_file *out,
                                   const struct pl_hosts *h, size_t most)
{
    struct pl_json j;

    pl_json_init(&j, out->f);
    pl_hosts_put_json(&j, h, most);
    return pl_json_finish(&j);
}
