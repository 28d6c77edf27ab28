/* Statistics as CSV and JSON; text: stats_text.c. */
#include "analyze/stats/stats_print.h"

#include "analyze/output/json.h"
#include "analyze/query/identity_json.h"
#include "format/time/time_text.h"
#include "format/time/zone.h"

#include <inttypes.h>
#include <stdio.h>

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

static enum pl_status csv_header(struct pl_csv *csv, bool identity)
{
    static const char *const names[] = { "Host",    "Object", "Instance",
                                         "Counter", "Values", "Blanks" };
    char peak[128];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        pl_csv_text(csv, pl_text_of(names[i]));
    for (int i = 0; i < PL_STATS_FIGURES; i++)
        pl_csv_text(csv, pl_text_of(pl_stats_figures[i].title));
    pl_csv_text(csv, pl_text_of("Rank Error"));
    snprintf(peak, sizeof peak, "Time of Max (%s)", pl_zone_name());
    pl_csv_text(csv, pl_text_of(peak));
    for (int i = 1; i < PL_STATS_BLANKS; i++)
        pl_csv_text(csv, pl_text_of(pl_cell_name((enum pl_cell)i)));
    if (identity)
        pl_identity_header(csv);
    return pl_csv_end_row(csv);
}

static enum pl_status csv_stat(struct pl_csv *csv, struct pl_stat *s,
                               const struct pl_time_format *time, bool identity)
{
    const struct pl_group *g = s->group;

    pl_csv_text(csv, pl_text_of(g->host->name));
    pl_csv_text(csv, pl_text_of(g->object->name));
    pl_csv_text(csv, pl_text_of(g->instance ? g->instance : ""));
    pl_csv_text(csv, pl_text_of(g->object->counters[s->slot].name));
    csv_count(csv, s->num);
    csv_count(csv, pl_stat_blanks(s));
    if (s->num) {
        struct pl_stat_figures f = pl_stat_figures(s);

        for (int i = 0; i < PL_STATS_FIGURES; i++)
            csv_number(csv, f.of[i]);
        csv_number(csv, f.rank_error);
        pl_time_cells(csv, time, s->peak_ns);
    } else {
        for (int i = 0; i < PL_STATS_FIGURES + 2; i++)
            pl_csv_blank(csv);
    }
    for (int i = 1; i < PL_STATS_BLANKS; i++)
        csv_count(csv, s->blanks[i]);
    if (identity)
        pl_identity_cells(csv, g);
    return pl_csv_end_row(csv);
}

enum pl_status pl_stats_print_csv(struct pl_csv *csv, struct pl_stats *t,
                                  const struct pl_time_format *time,
                                  bool identity)
{
    enum pl_status s = csv_header(csv, identity);

    for (size_t i = 0; i < t->num && !s; i++)
        s = csv_stat(csv, &t->stats[i], time, identity);
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
    struct pl_stat_figures f = { .rank_error = 0 };

    if (s->num)
        f = pl_stat_figures(s);
    for (int i = 0; i < PL_STATS_FIGURES; i++) {
        pl_json_key(j, pl_stats_figures[i].key);
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
