/* A line per value, with the reason for every blank. */
#include "analyze/export.h"

#include "format/file.h"

static enum pl_status take_row(struct pl_export *e, void *ctx,
                               const struct pl_row *row)
{
    (void)ctx;
    return pl_long_row(&e->csv, &e->plan->time, row);
}

/* Which series are wanted takes a pass of its own; then nothing has occurred. */
static enum pl_status measure(struct pl_export *e)
{
    enum pl_status s;

    if (!pl_export_measures(e))
        return PL_OK;
    s = pl_export_scan(e);
    for (struct pl_group *g = e->registry.groups; g; g = g->later)
        for (uint32_t k = 0; g->series && k < g->num_slots; k++)
            g->series[k].present = false;
    e->rows = 0;
    return s;
}

/* The last row's time; of one that is yet to come, or in a pipe, that is now. */
static int64_t last_time(const struct pl_export *e)
{
    int64_t last;

    if (e->plan->follow || pl_tapes_is_stream(&e->tapes) ||
        pl_tapes_last_time(&e->tapes, &last))
        last = pl_clock_utc();
    return last;
}

/* The header comes with the first row, so that nothing makes no file. */
static enum pl_status run_long(struct pl_export *e)
{
    static const struct pl_rows rows = { take_row, NULL, NULL };
    enum pl_status s = measure(e);
    int64_t first = 0, last;

    if (s)
        return s;
    last = last_time(e); /* before, lest two readers hold the log's titles */
    s = pl_export_begin(e);
    if (s)
        return s;
    s = pl_export_next_time(e, &first);
    if (s && (s != PL_END || !e->plan->follow))
        return s;
    e->rows = 1;
    e->first_ns = first;
    e->last_ns = last > first ? last : first;
    pl_export_plan_offset(e);
    pl_long_header(&e->csv, &e->plan->time);
    s = pl_export_rows(e, &rows);
    if (!s)
        pl_export_say_rows(e, NULL, e->csv.rows);
    return !s && pl_export_say_unmatched(e) ? PL_USAGE : s;
}

const struct pl_layout pl_layout_long = {
    .name = "long",
    .want_absent = true,
    .run = run_long,
};
