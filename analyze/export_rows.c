/* The rows of an export: logs replayed side by side and merged by time. */
#include "analyze/export.h"

#include "format/file.h"
#include "format/instant.h"
#include "format/zone.h"

#include <signal.h>
#include <stddef.h>

#define FOLLOW_PAUSE (50 * PL_NS_PER_MS)

static volatile sig_atomic_t interrupted;

static void on_interrupt(int sig)
{
    interrupted = sig;
}

/* ---- the logs -------------------------------------------------------------------- */

static enum pl_status start_replays(struct pl_export *e, bool names_only)
{
    struct pl_replay_options o = e->plan->replay;

    o.names_only = names_only;
    o.reader.follow = e->plan->follow && !names_only;
    for (size_t i = 0; i < e->tapes.num; i++) {
        enum pl_status s =
            pl_replay_start(&e->replays[i], &e->tapes.tapes[i], &o);

        if (s) {
            e->code = pl_say_status(e->tapes.tapes[i].paths[0], s, NULL);
            return s;
        }
    }
    return PL_OK;
}

/* What this pass over the logs had to pass over. */
static void sum_losses(struct pl_export *e)
{
    e->losses = (struct pl_replay_losses){ 0 };
    for (size_t i = 0; i < e->tapes.num; i++) {
        const struct pl_replay_losses *l;

        if (!e->replays[i])
            continue;
        l = pl_replay_losses(e->replays[i]);
        e->losses.damaged_ranges += l->damaged_ranges;
        e->losses.damaged_bytes += l->damaged_bytes;
        e->losses.unreachable += l->unreachable;
        e->losses.too_large += l->too_large;
        e->losses.malformed += l->malformed;
        e->losses.too_new += l->too_new;
    }
}

void pl_export_stop(struct pl_export *e)
{
    if (e->replays && e->replays[0])
        sum_losses(e);
    for (size_t i = 0; e->replays && i < e->tapes.num; i++) {
        pl_replay_stop(e->replays[i]);
        e->replays[i] = NULL;
    }
}

/* ---- rows, merged by time -------------------------------------------------------- */

static void show_progress(struct pl_export *e)
{
    uint64_t done = 0;

    if (!e->progress.on)
        return;
    for (size_t i = 0; i < e->tapes.num; i++)
        done += pl_replay_position(e->replays[i]);
    pl_progress_at(&e->progress, done);
}

static void note_interval(struct pl_export *e, const struct pl_replay *r,
                          int64_t time_ns)
{
    if (pl_replay_interval(r) % (uint64_t)PL_NS_PER_SEC ||
        time_ns % PL_NS_PER_SEC)
        e->plan->time.milliseconds = true;
}

/* The earliest row of any host that is yet to come. */
enum pl_status pl_export_next_time(struct pl_export *e, int64_t *time_ns)
{
    enum pl_status result = PL_END;

    for (size_t i = 0; i < e->tapes.num; i++) {
        int64_t t;
        enum pl_status s = pl_replay_peek(e->replays[i], &t);

        if (s == PL_END)
            continue;
        if (s) {
            e->code = pl_say_status(pl_replay_path(e->replays[i]), s, NULL);
            return s;
        }
        note_interval(e, e->replays[i], t);
        if (result == PL_END || t < *time_ns)
            *time_ns = t;
        result = PL_OK;
    }
    return result;
}

/* Hand on, or only look at, what all hosts have at 'time_ns'. */
static enum pl_status do_time(struct pl_export *e, const struct pl_rows *to,
                              int64_t time_ns)
{
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < e->tapes.num && !s; i++) {
        struct pl_row row;
        int64_t t;

        if (pl_replay_peek(e->replays[i], &t) || t != time_ns)
            continue;
        s = pl_replay_row(e->replays[i], &row);
        if (!s && to)
            s = to->take(e, to->ctx, &row);
    }
    if (!s && to && to->end)
        s = to->end(e, to->ctx, time_ns);
    e->rows++;
    return s;
}

/* True when a log that was followed has come to its end. */
static bool all_ended(const struct pl_export *e)
{
    for (size_t i = 0; i < e->tapes.num; i++)
        if (!pl_replay_has_ended(e->replays[i]))
            return false;
    return true;
}

/* At the end of what there is: hand it out, and wait for more. */
static enum pl_status wait_for_more(struct pl_export *e)
{
    enum pl_status s = pl_csv_flush(&e->csv);

    if (s || interrupted || all_ended(e))
        return s ? s : PL_END;
    pl_sleep((uint64_t)FOLLOW_PAUSE);
    return PL_OK;
}

/* All rows; 'to' NULL: only their names and times. */
static enum pl_status do_rows(struct pl_export *e, const struct pl_rows *to)
{
    int64_t time_ns = 0;
    enum pl_status s = PL_OK;

    e->rows = 0;
    while (!s) {
        s = pl_export_next_time(e, &time_ns);
        if (!s) {
            if (!e->rows)
                e->first_ns = time_ns;
            e->last_ns = time_ns;
            s = do_time(e, to, time_ns);
            show_progress(e);
        } else if (s == PL_END && e->plan->follow && to) {
            s = wait_for_more(e);
        }
    }
    return s == PL_END ? PL_OK : s;
}

/* ---- for layouts ------------------------------------------------------------------ */

enum pl_status pl_export_scan(struct pl_export *e)
{
    enum pl_status s;

    pl_progress_start(&e->progress, "looking for columns", e->total_bytes);
    s = start_replays(e, true);
    if (!s)
        s = do_rows(e, NULL);
    pl_export_stop(e);
    pl_progress_end(&e->progress);
    return s;
}

enum pl_status pl_export_begin(struct pl_export *e)
{
    if (e->plan->follow) { /* then this is how an export ends */
        signal(SIGINT, on_interrupt);
        signal(SIGTERM, on_interrupt);
    }
    return start_replays(e, false);
}

enum pl_status pl_export_rows(struct pl_export *e, const struct pl_rows *to)
{
    enum pl_status s;

    pl_progress_start(&e->progress, "exporting", e->total_bytes);
    s = do_rows(e, to);
    pl_progress_end(&e->progress);
    return s;
}

void pl_export_plan_offset(struct pl_export *e)
{
    e->plan->time.offset = e->plan->time.style != PL_TIME_UNIX && e->rows &&
                           !pl_zone_is_constant(e->first_ns, e->last_ns);
}

bool pl_export_say_unmatched(const struct pl_export *e)
{
    const struct pl_export_plan *p = e->plan;
    bool any = false;

    for (size_t i = 0; i < p->paths.num; i++) {
        if (!p->replay.choice.matched[i])
            pl_say("%s: nothing matches '%s'; 'perflog list' tells what "
                   "there is",
                   e->tapes.tapes[0].paths[0], p->paths.texts[i]);
        any |= p->replay.choice.matched[i];
    }
    return p->paths.num && !any;
}
