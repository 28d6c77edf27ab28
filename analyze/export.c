/* An export under way, whatever its layout. */
#include "analyze/export.h"

#include "format/file.h"
#include "format/instant.h"
#include "format/zone.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLLOW_PAUSE (50 * PL_NS_PER_MS)

static volatile sig_atomic_t interrupted;

static void on_interrupt(int sig)
{
    interrupted = sig;
}

/* ---- opening -------------------------------------------------------------------- */

static enum pl_exit fail(const char *file, enum pl_status s)
{
    return pl_say_status(file, s, NULL);
}

/* Writing over a log one reads from would be the end of it. */
static bool output_is_input(const struct pl_export *e)
{
    for (size_t i = 0; e->plan->output && i < e->tapes.num; i++)
        for (size_t k = 0; k < e->tapes.tapes[i].num_paths; k++)
            if (pl_file_is_same(e->plan->output, e->tapes.tapes[i].paths[k]))
                return true;
    return false;
}

static enum pl_status start_replays(struct pl_export *e, bool names_only)
{
    struct pl_replay_options o = e->plan->replay;

    o.names_only = names_only;
    o.reader.follow = e->plan->follow && !names_only;
    for (size_t i = 0; i < e->tapes.num; i++) {
        enum pl_status s =
            pl_replay_start(&e->replays[i], &e->tapes.tapes[i], &o);

        if (s) {
            e->code = fail(e->tapes.tapes[i].paths[0], s);
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

static void stop_replays(struct pl_export *e)
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
            e->code = fail(pl_replay_path(e->replays[i]), s);
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
    stop_replays(e);
    pl_progress_end(&e->progress);
    return s;
}

enum pl_status pl_export_begin(struct pl_export *e)
{
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

/* ---- the whole ------------------------------------------------------------------- */

/* What was passed over, and the exit status it asks for. */
static enum pl_exit say_losses(const struct pl_export *e)
{
    const struct pl_replay_losses *l = &e->losses;
    const char *path = e->tapes.tapes[0].paths[0];
    enum pl_exit code = PL_EXIT_GOOD;

    if (l->damaged_ranges || l->unreachable || l->malformed) {
        pl_say("%s: damaged: %" PRIu64 " ranges (%" PRIu64
               " bytes) and %" PRIu64
               " samples passed over; 'perflog verify' tells where",
               path, l->damaged_ranges, l->damaged_bytes,
               l->unreachable + l->malformed);
        code = PL_EXIT_DAMAGED;
    }
    if (l->too_large)
        pl_say("%s: %" PRIu64 " samples are larger than --max-block allows; "
               "raise it",
               path, l->too_large);
    if (l->too_new) {
        pl_say("%s: %" PRIu64 " records need a newer perflog and were passed "
               "over",
               path, l->too_new);
        code = PL_EXIT_TOO_NEW;
    }
    return code;
}

static void say_brief(const struct pl_export *e)
{
    for (const struct pl_object_names *o = e->registry.objects; o; o = o->next)
        if (!strcmp(o->name, "Process") && !e->plan->quiet)
            pl_say("only the sum of all processes is shown; for single ones "
                   "give -c '\\Process(*)\\%% Processor Time' or --layout "
                   "long");
}

static enum pl_exit nothing_there(const struct pl_export *e)
{
    const char *path = e->tapes.tapes[0].paths[0];
    enum pl_exit code = say_losses(e);

    if (e->plan->from || e->plan->to) {
        pl_say("%s: no samples between --from and --to; 'perflog info' tells "
               "what it spans",
               path);
        return PL_EXIT_FAILED;
    }
    pl_say("%s: holds no readable samples", path);
    return code > PL_EXIT_UNREADABLE ? code : PL_EXIT_UNREADABLE;
}

static enum pl_exit wrong_time(const char *option, const char *arg)
{
    pl_say("export: --%s '%s': not a time; see 'perflog export --help'", option,
           arg);
    return PL_EXIT_FAILED;
}

/* From the options' times to a window; may need the log's span. */
static enum pl_exit set_window(struct pl_export *e)
{
    struct pl_export_plan *p = e->plan;
    struct pl_window *w = &p->replay.window;
    int64_t first = e->tapes.tapes[0].first_utc, last = 0;

    for (size_t i = 1; i < e->tapes.num; i++)
        if (e->tapes.tapes[i].first_utc < first)
            first = e->tapes.tapes[i].first_utc;
    if ((p->from && pl_time_is_from_end(p->from)) ||
        (p->to && pl_time_is_from_end(p->to))) {
        enum pl_status s = pl_tapes_last_time(&e->tapes, &last);

        if (s)
            return fail(e->tapes.tapes[0].paths[0], s);
    }
    if (p->from && pl_parse_time(p->from, first, last, &w->from_ns))
        return wrong_time("from", p->from);
    if (p->to && pl_parse_time(p->to, first, last, &w->to_ns))
        return wrong_time("to", p->to);
    w->has_from = p->from != NULL;
    w->has_to = p->to != NULL;
    if (w->has_from && w->has_to && w->from_ns >= w->to_ns) {
        pl_say("export: --from is not before --to");
        return PL_EXIT_FAILED;
    }
    return PL_EXIT_GOOD;
}

static enum pl_exit finish(struct pl_export *e, enum pl_status s)
{
    enum pl_exit code;
    int error;

    if (!s)
        s = pl_csv_flush(&e->csv);
    error = errno;
    stop_replays(e);
    errno = error;
    if (s == PL_END)
        return nothing_there(e);
    if (!s)
        s = pl_output_commit(&e->output);
    if (s && e->code)
        return e->code; /* told already */
    if (s == PL_IO && errno == EPIPE)
        return PL_EXIT_GOOD; /* the reader has seen enough */
    if (s == PL_USAGE)
        return PL_EXIT_FAILED;
    if (s)
        return fail(e->plan->output ? e->plan->output : "output", s);
    code = say_losses(e);
    if (e->plan->layout->brief && !e->plan->paths.num)
        say_brief(e);
    for (size_t i = 0; i < e->plan->paths.num; i++)
        if (!e->plan->replay.choice.matched[i] && !code)
            code = PL_EXIT_FAILED;
    return code;
}

static enum pl_exit open_output(struct pl_export *e)
{
    const char *path = e->plan->output;
    enum pl_status s = pl_output_open(&e->output, path);

    if (s == PL_IO && errno == EISDIR) {
        pl_say("%s: is a folder; name a file to write", path);
        return PL_EXIT_FAILED;
    }
    if (s)
        return fail(path ? path : "output", s);
    if (e->plan->follow) { /* then this is how an export ends */
        signal(SIGINT, on_interrupt);
        signal(SIGTERM, on_interrupt);
    }
    return PL_EXIT_GOOD;
}

/* What the layout wants of the replay. */
static void set_replay(struct pl_export *e)
{
    const struct pl_layout *layout = e->plan->layout;
    struct pl_replay_options *o = &e->plan->replay;

    o->registry = &e->registry;
    o->choice.brief = layout->brief;
    o->numbers_only = layout->numbers_only;
    o->want_absent = layout->want_absent;
}

/*
 * PDH has local times.  An imported log knows where it was local, and keeps
 * the one offset it has from beginning to end.
 */
static void use_zone_of_log(struct pl_export *e)
{
    const struct pl_tape *t = &e->tapes.tapes[0];
    int64_t minutes;
    char offset[32];

    for (size_t i = 1; i < e->tapes.num; i++)
        if (e->tapes.tapes[i].first_utc < t->first_utc)
            t = &e->tapes.tapes[i];
    if (!t->zone)
        return;
    minutes = t->zone_minutes < 0 ? -(int64_t)t->zone_minutes : t->zone_minutes;
    snprintf(offset, sizeof offset, "%c%02" PRId64 ":%02" PRId64,
             t->zone_minutes < 0 ? '-' : '+', minutes / 60, minutes % 60);
    if (!pl_zone_set(offset)) /* else it is no offset */
        e->log_zone = t->zone;
}

static enum pl_exit check_operands(const struct pl_export *e)
{
    if (output_is_input(e)) {
        pl_say("%s: is the log itself; name another output", e->plan->output);
        return PL_EXIT_FAILED;
    }
    if (pl_tapes_is_stream(&e->tapes) &&
        (e->plan->layout->reads_twice || e->tapes.num > 1)) {
        pl_say("export: a pipe can be read only once: take --layout long, or "
               "a file");
        return PL_EXIT_FAILED;
    }
    return PL_EXIT_GOOD;
}

enum pl_exit pl_export_run(struct pl_export_plan *plan, char **operands,
                           int num)
{
    struct pl_export e = { .plan = plan };
    enum pl_exit code = pl_tapes_open_or_say(&e.tapes, operands, num);

    if (code)
        return code;
    e.replays = calloc(e.tapes.num, sizeof *e.replays);
    set_replay(&e);
    code = e.replays ? check_operands(&e) : fail("export", PL_NOMEM);
    if (plan->layout->pdh && !plan->tz)
        use_zone_of_log(&e);
    if (!code)
        code = set_window(&e);
    if (!code)
        code = open_output(&e);
    if (!code) {
        e.total_bytes = pl_tapes_bytes(&e.tapes);
        pl_csv_init(&e.csv, &plan->style, pl_output_write, &e.output);
        code = finish(&e, plan->layout->run(&e));
        pl_csv_release(&e.csv);
    }
    pl_output_discard(&e.output);
    free(e.replays);
    pl_registry_release(&e.registry);
    pl_tapes_release(&e.tapes);
    return code;
}
