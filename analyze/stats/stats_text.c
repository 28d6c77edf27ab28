/* Statistics as a table for people: a line a series. */
#include "analyze/stats/stats_print.h"

#include "analyze/output/readable.h"
#include "analyze/replay/group_identity.h"
#include "format/base/utf.h"
#include "format/time/zone.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Before the series' path, which may be long. */
enum { MIN, MEAN, P50, P95, MAX, PEAK, VALUES, BLANKS, NUM_COLUMNS };
enum { FIGURES = PEAK, USUAL_PATH = 50 };
static const char *const titles[NUM_COLUMNS] = {
    "Min", "Mean", "P50", "P95", "Max", "Max at", "Values", "Blanks",
};
static const int figures[FIGURES] = { 0, 1, 3, 5, 7 };

struct line {
    char cells[NUM_COLUMNS][PL_TIME_TEXT];
    double rank_error;
};

static struct line line_of(struct pl_stat *s, const struct pl_time_format *time)
{
    const struct pl_counter_names *c = &s->group->object->counters[s->slot];
    enum pl_figure_unit unit =
        c->is_code ? PL_UNIT_CODE : pl_unit_of_counter(c->name);
    struct line l = { .rank_error = 0 };

    snprintf(l.cells[VALUES], PL_TIME_TEXT, "%" PRIu64, s->num);
    snprintf(l.cells[BLANKS], PL_TIME_TEXT, "%" PRIu64, pl_stat_blanks(s));
    if (s->num) {
        struct pl_stat_figures f = pl_stat_figures(s);

        for (int i = 0; i < FIGURES; i++)
            pl_readable(f.of[figures[i]], unit, l.cells[i]);
        l.cells[PEAK][pl_time_text(time, s->peak_ns, l.cells[PEAK])] = 0;
        l.rank_error = f.rank_error;
    }
    return l;
}

static void put_right(struct pl_buf *out, const char *text, size_t width)
{
    for (size_t n = strlen(text); n < width; n++)
        pl_buf_u8(out, ' ');
    pl_buf_string(out, text);
}

/* ---- a series ------------------------------------------------------------ */

static void put_path(struct pl_buf *out, const struct pl_stat *s, bool host)
{
    struct pl_buf path = { 0 };

    pl_series_path(&path, s->group, s->slot, host, false);
    pl_utf8_visible(out, path.p, path.len);
    out->oom |= path.oom;
    pl_buf_release(&path);
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
    pl_buf_string(out, "  ");
    pl_utf8_visible(out, what.p, what.n);
    pl_buf_string(out, what.n ? " (" : "(");
    pl_utf8_visible(out, user.p, user.n);
    pl_buf_string(out, ", ");
    pl_utf8_visible(out, unit.p, unit.n);
    pl_buf_string(out, ")");
}

static void put_cells(struct pl_buf *out,
                      const char cells[NUM_COLUMNS][PL_TIME_TEXT],
                      const size_t widths[NUM_COLUMNS])
{
    for (int i = 0; i < NUM_COLUMNS; i++) {
        if (!widths[i])
            continue;
        put_right(out, cells[i], widths[i]);
        pl_buf_string(out, "  ");
    }
}

/* ---- the table ----------------------------------------------------------- */

struct table {
    struct pl_stats *stats;
    const struct pl_time_format *time;
    size_t columns;             /* of a terminal; 0: of none */
    size_t widths[NUM_COLUMNS]; /* 0: left out */
    size_t path;                /* the longest */
    double rank_error;          /* the greatest */
    bool hosts;                 /* there are several */
};

static size_t path_columns(const struct pl_stat *s, bool host)
{
    struct pl_buf path = { 0 };
    size_t n;

    put_path(&path, s, host);
    n = pl_utf8_columns(path.p, path.len);
    pl_buf_release(&path);
    return n;
}

static void measure(struct table *t)
{
    for (int i = 0; i < NUM_COLUMNS; i++)
        t->widths[i] = strlen(titles[i]);
    for (size_t k = 0; k < t->stats->num; k++) {
        struct line l = line_of(&t->stats->stats[k], t->time);

        for (int i = 0; i < NUM_COLUMNS; i++)
            if (strlen(l.cells[i]) > t->widths[i])
                t->widths[i] = strlen(l.cells[i]);
        if (l.rank_error > t->rank_error)
            t->rank_error = l.rank_error;
        t->hosts |=
            t->stats->stats[k].group->host != t->stats->stats[0].group->host;
    }
}

/* Where it is known whether paths name hosts. */
static void measure_paths(struct table *t)
{
    for (size_t k = 0; t->columns && k < t->stats->num; k++) {
        const size_t n = path_columns(&t->stats->stats[k], t->hosts);

        t->path = n > t->path ? n : t->path;
    }
}

/* Leave out figures until the others leave room for paths of usual lengths. */
static void fit(struct table *t)
{
    static const int least[] = { BLANKS, VALUES, PEAK, P50, MIN };
    size_t all = t->path < USUAL_PATH ? t->path : USUAL_PATH;

    for (int i = 0; i < NUM_COLUMNS; i++)
        all += t->widths[i] + 2;
    for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
        if (!t->columns || all <= t->columns)
            return;
        all -= t->widths[least[i]] + 2;
        t->widths[least[i]] = 0;
    }
}

/* End a line that begins at 'from'; its path, up to 'path', is never cut. */
static void end_line(struct pl_buf *out, const struct table *t, size_t from,
                     size_t path)
{
    if (t->columns) {
        const size_t shown = pl_utf8_columns(out->p + from, path - from);

        pl_utf8_cut(out, path, shown < t->columns ? t->columns - shown : 0);
    }
    pl_buf_u8(out, '\n');
}

static void put_head(struct pl_buf *out, const struct table *t)
{
    char cells[NUM_COLUMNS][PL_TIME_TEXT];

    pl_buf_string(out, "Times: ");
    pl_utf8_visible(out, pl_zone_name(), strlen(pl_zone_name()));
    if (t->stats->num && !t->hosts) {
        const char *host = t->stats->stats[0].group->host->name;

        pl_buf_string(out, "\nHost: ");
        pl_utf8_visible(out, host, strlen(host));
    }
    for (int i = 0; i < NUM_COLUMNS; i++)
        snprintf(cells[i], sizeof cells[i], "%s", titles[i]);
    pl_buf_string(out, "\n\n");
    put_cells(out, (const char(*)[PL_TIME_TEXT])cells, t->widths);
    pl_buf_string(out, "Series\n");
}

static void put_stat(struct pl_buf *out, const struct table *t,
                     struct pl_stat *s)
{
    const size_t from = out->len;
    size_t path;
    struct line l = line_of(s, t->time);

    put_cells(out, (const char(*)[PL_TIME_TEXT])l.cells, t->widths);
    put_path(out, s, t->hosts);
    path = out->len;
    put_identity(out, s->group);
    end_line(out, t, from, path);
}

/* "Left out, as the terminal is narrow: Values, Blanks" */
static void put_left_out(struct pl_buf *out, const struct table *t)
{
    bool any = false;

    for (int i = 0; i < NUM_COLUMNS; i++) {
        if (t->widths[i])
            continue;
        pl_buf_string(out,
                      any ? ", " : "\nLeft out, as the terminal is narrow: ");
        pl_buf_string(out, titles[i]);
        any = true;
    }
    if (any)
        pl_buf_u8(out, '\n');
}

static void put_foot(struct pl_buf *out, const struct table *t)
{
    char text[96];

    put_left_out(out, t);
    if (!(t->rank_error > 0))
        return;
    snprintf(text, sizeof text, "\nPercentiles: ranks within %.2g %%\n",
             100 * t->rank_error);
    pl_buf_string(out, text);
}

static enum pl_status flush(struct pl_output_file *out, struct pl_buf *text,
                            size_t from)
{
    enum pl_status s = PL_OK;

    if (text->oom)
        return PL_NOMEM;
    if (text->len >= from) {
        s = pl_output_file_write(out, text->p, text->len);
        pl_buf_clear(text);
    }
    return s;
}

enum pl_status pl_stats_print_text(struct pl_output_file *out,
                                   struct pl_stats *stats,
                                   const struct pl_time_format *time,
                                   size_t columns)
{
    struct table t = { .stats = stats, .time = time, .columns = columns };
    struct pl_buf text = { 0 };
    enum pl_status s = PL_OK;

    measure(&t);
    measure_paths(&t);
    fit(&t);
    put_head(&text, &t);
    for (size_t i = 0; i < stats->num && !s; i++) {
        put_stat(&text, &t, &stats->stats[i]);
        s = flush(out, &text, PL_CSV_CHUNK);
    }
    put_foot(&text, &t);
    if (!s)
        s = flush(out, &text, 0);
    pl_buf_release(&text);
    return s;
}
