/* Statistics as text, CSV and JSON. */
#include "analyze/stats/stats_print.h"

#include "analyze/output/json.h"
#include "analyze/output/number.h"
#include "analyze/query/identity_json.h"
#include "analyze/replay/group_identity.h"
#include "format/base/time_text.h"
#include "format/base/utf.h"
#include "format/base/zone.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The figures of a series, in the order of all forms. */
enum { NUM_FIGURES = 4 + PL_STATS_PERCENTS };
static const char *const titles[NUM_FIGURES] = {
    "Min", "Mean", "Std Dev", "P50", "P90", "P95", "P99", "Max",
};
static const char *const keys[NUM_FIGURES] = {
    "min", "mean", "stddev", "p50", "p90", "p95", "p99", "max",
};

struct figures {
    double of[NUM_FIGURES];
    double rank_error; /* the greatest of the percentiles */
};

static struct figures figures_of(struct pl_stat *s)
{
    struct figures f = { .of = { s->min, pl_stat_mean(s),
                                 pl_stat_deviation(s) } };

    for (int i = 0; i < PL_STATS_PERCENTS; i++) {
        struct pl_percentile q =
            pl_percentiles_at(&s->quantiles, pl_stats_percents[i]);

        f.of[3 + i] = q.value;
        if (q.rank_error > f.rank_error)
            f.rank_error = q.rank_error;
    }
    f.of[NUM_FIGURES - 1] = s->max;
    return f;
}

/* ---- text ---------------------------------------------------------------- */

enum { FIGURE_WIDTH = 9, FIGURE_DIGITS = 5, ROW_TEXT = 1024 };

static void put_string(struct pl_buf *out, const char *s)
{
    pl_buf_bytes(out, s, strlen(s));
}

static void put_right(struct pl_buf *out, const char *text, size_t n)
{
    for (size_t i = n; i < FIGURE_WIDTH; i++)
        pl_buf_u8(out, ' ');
    pl_buf_bytes(out, text, n);
}

/* Five digits and at most as many characters as a column has. */
static void put_figure(struct pl_buf *out, double v)
{
    char text[PL_NUMBER_TEXT];
    double size = fabs(v);
    size_t n;

    if (size != 0 && (size < 1e-3 || size >= 1e9))
        n = (size_t)snprintf(text, sizeof text, "%.3e", v);
    else
        n = pl_number_put_rounded(v, FIGURE_DIGITS, text);
    put_right(out, text, n);
}

static void put_figures(struct pl_buf *out, const struct figures *f)
{
    for (int i = 0; i < NUM_FIGURES; i++) {
        if (i)
            pl_buf_u8(out, ' ');
        put_figure(out, f->of[i]);
    }
    pl_buf_u8(out, '\n');
}

/* ", 3 blanks (1 first, 2 gap)" */
static void put_blanks(struct pl_buf *out, const struct pl_stat *s)
{
    uint64_t all = pl_stat_blanks(s);
    const char *before = "(";
    char text[96];

    if (!all)
        return;
    snprintf(text, sizeof text, ", %" PRIu64 " blank%s ", all,
             all == 1 ? "" : "s");
    put_string(out, text);
    for (int i = 0; i < PL_STATS_BLANKS; i++) {
        if (!s->blanks[i])
            continue;
        snprintf(text, sizeof text, "%s%" PRIu64 " %s", before, s->blanks[i],
                 pl_cell_name((enum pl_cell)i));
        put_string(out, text);
        before = ", ";
    }
    put_string(out, ")");
}

static void put_path(struct pl_buf *out, const struct pl_stat *s)
{
    struct pl_buf path = { 0 };

    pl_series_path(&path, s->group, s->slot, true, false);
    pl_utf8_visible(out, path.p, path.len);
    out->oom |= path.oom;
    pl_buf_release(&path);
    pl_buf_u8(out, '\n');
}

/* "  sleep 10 (root, cron.service)"; nothing where the log does not say. */
static void put_identity(struct pl_buf *out, const struct pl_group *g)
{
    struct pl_text what = pl_group_identity_text(g, PL_COMMAND_LINE);
    struct pl_text user = pl_group_identity_text(g, PL_USER);
    struct pl_text unit =
        pl_control_group_unit(pl_group_identity_text(g, PL_CONTROL_GROUP));

    if (!g->identity)
        return;
    if (!what.n)
        what = pl_group_identity_text(g, PL_EXECUTABLE);
    put_string(out, "  ");
    pl_utf8_visible(out, what.p, what.n);
    put_string(out, what.n ? " (" : "(");
    pl_utf8_visible(out, user.p, user.n);
    put_string(out, ", ");
    pl_utf8_visible(out, unit.p, unit.n);
    put_string(out, ")\n");
}

static void put_stat(struct pl_buf *out, struct pl_stat *s,
                     const struct pl_time_format *time)
{
    char text[ROW_TEXT], peak[PL_TIME_TEXT];
    struct figures f = { .rank_error = 0 };

    pl_buf_u8(out, '\n');
    put_path(out, s);
    put_identity(out, s->group);
    if (s->num) {
        f = figures_of(s);
        put_figures(out, &f);
    }
    snprintf(text, sizeof text, "  %" PRIu64 " value%s", s->num,
             s->num == 1 ? "" : "s");
    put_string(out, text);
    put_blanks(out, s);
    if (s->num) {
        size_t n = pl_time_text(time, s->peak_ns, peak);

        put_string(out, ", max at ");
        pl_buf_bytes(out, peak, n);
    }
    if (f.rank_error > 0) {
        snprintf(text, sizeof text, "\n  percentiles: ranks within %.2g %%",
                 100 * f.rank_error);
        put_string(out, text);
    }
    pl_buf_u8(out, '\n');
}

enum pl_status pl_stats_print_text(struct pl_output_file *out,
                                   struct pl_stats *t,
                                   const struct pl_time_format *time)
{
    struct pl_buf text = { 0 };
    enum pl_status s = PL_OK;

    put_string(&text, "Times: ");
    pl_utf8_visible(&text, pl_zone_name(), strlen(pl_zone_name()));
    pl_buf_u8(&text, '\n');
    for (int i = 0; i < NUM_FIGURES; i++) {
        if (i)
            pl_buf_u8(&text, ' ');
        put_right(&text, titles[i], strlen(titles[i]));
    }
    pl_buf_u8(&text, '\n');
    for (size_t i = 0; i < t->num && !s; i++) {
        put_stat(&text, &t->stats[i], time);
        if (text.oom) {
            s = PL_NOMEM;
        } else if (text.len >= PL_CSV_CHUNK) {
            s = pl_output_file_write(out, text.p, text.len);
            pl_buf_clear(&text);
        }
    }
    if (!s && text.oom)
        s = PL_NOMEM;
    if (!s)
        s = pl_output_file_write(out, text.p, text.len);
    pl_buf_release(&text);
    return s;
}

/* ---- CSV ----------------------------------------------------------------- */

static void csv_count(struct pl_csv *csv, uint64_t n)
{
    const struct pl_value v = { .kind = PL_VALUE_INTEGER, .integer = n };

    pl_csv_value(csv, &v);
}

static void csv_number(struct pl_csv *csv, double number)
{
    const struct pl_value v = { .kind = PL_VALUE_DOUBLE, .number = number };

    pl_csv_value(csv, &v);
}

static enum pl_status csv_header(struct pl_csv *csv)
{
    static const char *const names[] = { "Host",    "Object", "Instance",
                                         "Counter", "Values", "Blanks" };
    char peak[128];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        pl_csv_text(csv, pl_text_of(names[i]));
    for (int i = 0; i < NUM_FIGURES; i++)
        pl_csv_text(csv, pl_text_of(titles[i]));
    pl_csv_text(csv, pl_text_of("Rank Error"));
    snprintf(peak, sizeof peak, "Time of Max (%s)", pl_zone_name());
    pl_csv_text(csv, pl_text_of(peak));
    for (int i = 1; i < PL_STATS_BLANKS; i++)
        pl_csv_text(csv, pl_text_of(pl_cell_name((enum pl_cell)i)));
    return pl_csv_end_row(csv);
}

static enum pl_status csv_stat(struct pl_csv *csv, struct pl_stat *s,
                               const struct pl_time_format *time)
{
    const struct pl_group *g = s->group;

    pl_csv_text(csv, pl_text_of(g->host->name));
    pl_csv_text(csv, pl_text_of(g->object->name));
    pl_csv_text(csv, pl_text_of(g->instance ? g->instance : ""));
    pl_csv_text(csv, pl_text_of(g->object->counters[s->slot].name));
    csv_count(csv, s->num);
    csv_count(csv, pl_stat_blanks(s));
    if (s->num) {
        struct figures f = figures_of(s);

        for (int i = 0; i < NUM_FIGURES; i++)
            csv_number(csv, f.of[i]);
        csv_number(csv, f.rank_error);
        pl_time_cells(csv, time, s->peak_ns);
    } else {
        for (int i = 0; i < NUM_FIGURES + 2; i++)
            pl_csv_blank(csv);
    }
    for (int i = 1; i < PL_STATS_BLANKS; i++)
        csv_count(csv, s->blanks[i]);
    return pl_csv_end_row(csv);
}

enum pl_status pl_stats_print_csv(struct pl_csv *csv, struct pl_stats *t,
                                  const struct pl_time_format *time)
{
    enum pl_status s = csv_header(csv);

    for (size_t i = 0; i < t->num && !s; i++)
        s = csv_stat(csv, &t->stats[i], time);
    return s ? s : pl_csv_flush(csv);
}

/* ---- JSON ---------------------------------------------------------------- */

static void json_names(struct pl_json *j, const struct pl_stat *s)
{
    pl_json_put_string(j, "host", s->group->host->name);
    pl_json_put_string(j, "object", s->group->object->name);
    pl_json_key(j, "instance");
    if (s->group->instance)
        pl_json_string(j, s->group->instance);
    else
        pl_json_null(j);
    pl_json_put_string(j, "counter", s->group->object->counters[s->slot].name);
}

static void json_blanks(struct pl_json *j, const struct pl_stat *s)
{
    pl_json_key(j, "blanks");
    pl_json_open_object(j);
    for (int i = 1; i < PL_STATS_BLANKS; i++)
        if (s->blanks[i]) {
            pl_json_key(j, pl_cell_name((enum pl_cell)i));
            pl_json_count(j, s->blanks[i]);
        }
    pl_json_close_object(j);
}

static void json_figures(struct pl_json *j, struct pl_stat *s)
{
    struct figures f = { .rank_error = 0 };

    if (s->num)
        f = figures_of(s);
    for (int i = 0; i < NUM_FIGURES; i++) {
        pl_json_key(j, keys[i]);
        if (s->num)
            pl_json_number(j, f.of[i]);
        else
            pl_json_null(j);
    }
    pl_json_key(j, "rank_error");
    pl_json_number(j, f.rank_error);
    pl_json_put_instant(j, "max_at", s->num, s->peak_ns);
}

enum pl_status pl_stats_print_json(struct pl_output_file *out,
                                   struct pl_stats *t)
{
    struct pl_json j;

    /* JSON is written in small pieces, and nothing has been written yet. */
    setvbuf(out->f, NULL, _IOFBF, PL_CSV_CHUNK);
    pl_json_init(&j, out->f);
    pl_json_open_array(&j);
    for (size_t i = 0; i < t->num; i++) {
        struct pl_stat *s = &t->stats[i];

        pl_json_open_object(&j);
        json_names(&j, s);
        pl_identity_json(&j, s->group);
        pl_json_put_count(&j, "values", s->num);
        json_blanks(&j, s);
        json_figures(&j, s);
        pl_json_close_object(&j);
    }
    pl_json_close_array(&j);
    return pl_json_finish(&j);
}
