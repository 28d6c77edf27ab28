/* A line per value, with the reason for every blank. */
#include "analyze/export/layouts.h"
#include "analyze/query/parts.h"

#include "format/base/file.h"
#include "format/time/time_text.h"

static enum pl_status take_long_row(struct pl_query *e, void *ctx,
                                    const struct pl_row *row)
{
    return pl_long_row(ctx, &e->csv, &e->plan->time, row, e->plan->identity);
}

/* Ranking takes a pass of its own; afterwards no series counts as present. */
static enum pl_status measure(struct pl_query *e)
{
    enum pl_status s;

    if (!pl_query_measures(e))
        return PL_OK;
    s = pl_query_scan(e);
    for (struct pl_group *g = e->registry.groups; g; g = g->later)
        for (uint32_t k = 0; g->series && k < g->num_slots; k++)
            g->series[k].present = false;
    e->rows = 0;
    return s;
}

/* The last row's time; when following, or from a pipe, the current time. */
static int64_t last_time(const struct pl_query *e)
{
    uint64_t interval;
    int64_t last;

    if (e->plan->follow || pl_host_logs_is_stream(&e->logs) ||
        pl_host_logs_last_time(&e->logs, &last, &interval))
        last = pl_clock_utc();
    return last;
}

/*
 * By the records of sessions: has one of them such times, of whatever range?  What
 * cannot be read is reported when rows are.
 */
static bool has_fractions(const struct pl_host_log *log)
{
    struct pl_host_log_reader r;
    struct pl_item item;
    size_t file = 0;
    bool found = false;
    enum pl_status s = pl_host_log_start(&r, log, NULL);

    if (!s)
        pl_reader_times_only(r.reader);
    while (!s && !found && !(s = pl_host_log_next(&r, &item))) {
        found =
            item.kind == PL_ITEM_SESSION &&
            !pl_row_times_are_whole(pl_reader_session(r.reader)->interval_ns);
        if (item.kind != PL_ITEM_SESSION && r.next == file)
            continue; /* or it goes on in another file */
        file = r.next;
        pl_reader_skip_session(r.reader);
    }
    pl_host_log_stop(&r);
    return found;
}

/* The same of the rows that are exported, whatever the clocks of sessions did. */
static bool has_rows_with_fractions(const struct pl_query *e,
                                    const struct pl_host_log *log)
{
    struct pl_registry hosts = { 0 };
    struct pl_replay_options o = e->plan->replay;
    struct pl_replay *r = NULL;
    struct pl_row row;
    int64_t time_ns;
    bool found = false;
    enum pl_status s;

    o.registry = &hosts;
    o.times_only = true;
    s = pl_replay_start(&r, log, &o);
    while (!s && !found && !(s = pl_replay_peek(r, &time_ns))) {
        found = !pl_row_times_are_whole(pl_replay_interval(r));
        s = pl_replay_row(r, &row);
    }
    pl_replay_stop(r);
    pl_registry_release(&hosts);
    return found;
}

/*
 * All rows have milliseconds or none, so sessions are read beforehand, and where one
 * has such times and not all rows are wanted, the times of those that are.  Later
 * sessions, and those in a pipe, are not known.
 */
static void plan_fractions(struct pl_query *e)
{
    const struct pl_time_range *w = &e->plan->replay.window;
    bool *shown = &e->plan->time.milliseconds;

    if (e->plan->every.ns || pl_host_logs_is_stream(&e->logs))
        return;
    for (size_t i = 0; i < e->logs.num && !*shown; i++) {
        const struct pl_host_log *log = &e->logs.logs[i];

        /* Logs of other programs have no interval, and need not be read. */
        *shown = log->foreign[0].file ||
                 (has_fractions(log) && ((!w->has_from && !w->has_to) ||
                                         has_rows_with_fractions(e, log)));
    }
}

static enum pl_status begin_long_part(struct pl_query *part, void *state,
                                      const void *whole)
{
    (void)part;
    (void)state;
    (void)whole;
    return PL_OK;
}

static void release_long_part(void *state)
{
    pl_long_release(state);
}

/*
 * The header is written with the first row, so that a log without rows makes no
 * file.
 */
static enum pl_status run(struct pl_query *e, struct pl_long *lines)
{
    static const struct pl_part_layout parts = { .size = sizeof *lines,
                                                 .begin = begin_long_part,
                                                 .release = release_long_part,
                                                 .take = take_long_row };
    const struct pl_rows rows = { take_long_row, NULL, lines };
    enum pl_status s = measure(e);
    int64_t first = 0, last;

    if (s)
        return s;
    /* before the pass, so that only one reader holds the log's titles */
    last = last_time(e);
    plan_fractions(e);
    s = pl_query_begin(e);
    if (s)
        return s;
    s = pl_query_next_time(e, &first);
    if (s && (s != PL_END || !e->plan->follow))
        return s;
    e->rows = 1;
    e->first_ns = first;
    e->last_ns = last > first ? last : first;
    pl_query_plan_offset(e);
    pl_long_header(&e->csv, &e->plan->time, e->plan->identity);
    s = pl_query_rows_by_parts(e, &rows, &parts);
    if (!s)
        pl_query_say_rows(e, NULL, e->csv.rows);
    return !s && pl_query_say_unmatched(e) ? PL_USAGE : s;
}

static enum pl_status run_long(struct pl_query *e)
{
    struct pl_long lines = { .num_objects = 0 };
    enum pl_status s = run(e, &lines);

    pl_long_release(&lines);
    return s;
}

const struct pl_layout pl_layout_long = {
    .name = "long",
    .want_absent = true,
    .identifies = true,
    .run = run_long,
};
