/* The rows of a query: logs replayed side by side and merged by time. */
#include "analyze/query/query.h"

#include "analyze/cli/common_options.h"
#include "format/base/file.h"
#include "format/time/time_text.h"
#include "format/time/zone.h"

#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define FOLLOW_PAUSE (50 * PL_NS_PER_MS)
/* While a log is followed: how long a window waits for rows of other hosts. */
#define LEAST_PATIENCE (2 * PL_NS_PER_SEC)
#define MOST_PATIENCE (60 * PL_NS_PER_SEC)

static volatile sig_atomic_t interrupted;

static void on_interrupt(int sig)
{
    interrupted = sig;
}

/* ---- the logs ------------------------------------------------------------ */

static struct pl_replay_options replay_options(const struct pl_query *e,
                                               bool names_only)
{
    struct pl_replay_options o = e->plan->replay;

    o.names_only = names_only && !pl_query_measures(e) && !e->plan->group;
    o.ranks_only = names_only && e->plan->top.num && !e->plan->drop_empty &&
                   !e->plan->group;
    o.keys_only = o.names_only && e->keys_only;
    o.keep = pl_query_keeps_names(e);
    o.choice.top = names_only && e->plan->top.num ? &e->plan->top : NULL;
    o.identities = e->plan->identity || e->plan->layout->one_window ||
                   (e->plan->group && pl_regroup_identifies(e->plan->group));
    o.want_steps = (!names_only && e->plan->every.ns) || e->plan->group ||
                   e->plan->layout->one_window;
    if (names_only)
        o.want_absent = false;
    /* ranking uses uncapped amounts, and windows are capped when complete */
    if (names_only || e->plan->every.ns)
        o.calc.cap100 = false;
    o.reader.follow = e->plan->follow && !names_only;
    return o;
}

/* A failure of reading; that of a part is reported when it is read again. */
static void say_unreadable(struct pl_query *e, const char *path,
                           enum pl_status s)
{
    e->code = e->is_part ? PL_EXIT_FAILED : pl_say_status(path, s, NULL);
}

static enum pl_status start_replay(struct pl_query *e, size_t i,
                                   const struct pl_replay_options *o)
{
    enum pl_status s = pl_replay_start(&e->replays[i], &e->logs.logs[i], o);

    if (s)
        say_unreadable(e, e->logs.logs[i].paths[0], s);
    return s;
}

static enum pl_status start_replays(struct pl_query *e, bool names_only)
{
    const struct pl_replay_options o = replay_options(e, names_only);
    enum pl_status s = PL_OK;

    e->regroup.calc = o.calc;
    for (size_t i = 0; i < e->logs.num && !s; i++)
        s = start_replay(e, i, &o);
    return s;
}

/*
 * Copies the path, as the path of a followed segment is freed with its replay.
 */
static void add_places(struct pl_query *e, const struct pl_places *where)
{
    struct pl_places *sum = &e->losses.where;

    if (!where->path)
        return;
    if (!sum->path)
        sum->path = e->loss_path = strdup(where->path);
    if (!sum->path) /* no memory: report the first log instead */
        sum->path = e->logs.logs[0].paths[0];
    sum->others |= where->others || strcmp(sum->path, where->path) != 0;
}

static void add_losses(struct pl_query *e, const struct pl_replay_losses *l)
{
    add_places(e, &l->where);
    e->losses.damaged_ranges += l->damaged_ranges;
    e->losses.damaged_bytes += l->damaged_bytes;
    e->losses.damaged_samples += l->damaged_samples;
    e->losses.unreachable += l->unreachable;
    e->losses.too_large += l->too_large;
    e->losses.malformed += l->malformed;
    e->losses.overfull += l->overfull;
    e->losses.too_new += l->too_new;
    e->losses.holes += l->holes;
    e->losses.missing += l->missing;
}

/* Those of a pass before would be counted twice. */
static void forget_losses(struct pl_query *e)
{
    e->losses = (struct pl_replay_losses){ 0 };
    free(e->loss_path);
    e->loss_path = NULL;
}

/* Add up the losses of this pass. */
static void sum_losses(struct pl_query *e)
{
    forget_losses(e);
    for (size_t i = 0; i < e->logs.num; i++)
        if (e->replays[i])
            add_losses(e, pl_replay_losses(e->replays[i]));
}

void pl_query_stop(struct pl_query *e)
{
    PL_KEEP_ERRNO;

    if (e->replays && e->replays[0])
        sum_losses(e);
    for (size_t i = 0; e->replays && i < e->logs.num; i++) {
        pl_replay_stop(e->replays[i]);
        e->replays[i] = NULL;
    }
}

/* ---- rows, merged by time ------------------------------------------------ */

static void show_progress(struct pl_query *e)
{
    uint64_t done = 0;

    if (!e->progress.on)
        return;
    for (size_t i = 0; i < e->logs.num; i++)
        if (e->replays[i])
            done += pl_replay_position(e->replays[i]);
    pl_progress_at(&e->progress, done);
}

static void note_interval(struct pl_query *e, const struct pl_replay *r,
                          int64_t time_ns)
{
    if (e->plan->every.ns)
        e->plan->time.milliseconds = e->plan->every.ns % PL_NS_PER_SEC != 0;
    else if (pl_replay_interval(r) % (uint64_t)PL_NS_PER_SEC ||
             time_ns % PL_NS_PER_SEC)
        e->plan->time.milliseconds = true;
}

/* The recorded interval is known once reading of a log has begun. */
static enum pl_status check_every(struct pl_query *e, const struct pl_replay *r)
{
    uint64_t interval = pl_replay_interval(r);
    char wanted[PL_DURATION_TEXT], there[PL_DURATION_TEXT];

    if (!e->plan->every.ns || (uint64_t)e->plan->every.ns >= interval ||
        e->rows)
        return PL_OK;
    pl_duration_text((uint64_t)e->plan->every.ns, wanted);
    pl_duration_text(interval, there);
    pl_say("%s: --every %s is shorter than the interval of %s it was recorded "
           "with; give %s or more, or leave --every out",
           pl_replay_path(r), wanted, there, there);
    e->code = PL_EXIT_FAILED;
    return PL_USAGE;
}

/* The time of the earliest row of any host that has not been passed on. */
enum pl_status pl_query_next_time(struct pl_query *e, int64_t *time_ns)
{
    enum pl_status result = PL_END;

    for (size_t i = 0; i < e->logs.num; i++) {
        int64_t t;
        enum pl_status s = pl_replay_peek(e->replays[i], &t);

        if (s == PL_END)
            continue;
        if (s) {
            say_unreadable(e, pl_replay_path(e->replays[i]), s);
            return s;
        }
        note_interval(e, e->replays[i], t);
        s = check_every(e, e->replays[i]);
        if (s)
            return s;
        if (result == PL_END || t < *time_ns)
            *time_ns = t;
        result = PL_OK;
    }
    return result;
}

/* Pass on the rows that all hosts have at 'time_ns', or only skip them. */
static enum pl_status do_time(struct pl_query *e, const struct pl_rows *to,
                              int64_t time_ns)
{
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < e->logs.num && !s; i++) {
        struct pl_row row;
        int64_t t;

        if (pl_replay_peek(e->replays[i], &t) || t != time_ns)
            continue;
        if (e->windows)
            s = pl_query_windows_reach(e->windows,
                                       pl_replay_host(e->replays[i]), time_ns);
        if (!s)
            s = pl_replay_row(e->replays[i], &row);
        if (e->silent_since)
            e->silent_since[i] = 0;
        if (!s && to)
            s = to->take(e, to->ctx, &row);
    }
    if (!s && to && to->end)
        s = to->end(e, to->ctx, time_ns);
    return s;
}

bool pl_query_is_interrupted(void)
{
    return interrupted;
}

bool pl_query_has_ended(const struct pl_query *e)
{
    for (size_t i = 0; i < e->logs.num; i++)
        if (!pl_replay_has_ended(e->replays[i]))
            return false;
    return true;
}

static uint64_t bytes_read(const struct pl_query *e)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < e->logs.num; i++)
        sum += pl_replay_position(e->replays[i]);
    return sum;
}

/* Logs that seemed to have ended after so many bytes. */
struct end {
    bool seen;
    uint64_t bytes;
};

/*
 * At the current end of the logs: flush the output, and wait for more.  Logs
 * that have ended are read once more, as their ends may have been written after
 * the last look; they have only if nothing was read then, as it may have been
 * the end of a segment, and the next one is still empty.
 */
static enum pl_status wait_for_more(struct pl_query *e, struct end *end)
{
    enum pl_status s = pl_csv_flush(&e->csv);
    uint64_t bytes = bytes_read(e);

    if (!s && e->plan->idle)
        s = e->plan->idle(e->plan->idle_ctx);
    if (s || interrupted || (end->seen && end->bytes == bytes))
        return s ? s : PL_END;
    *end = (struct end){ pl_query_has_ended(e), bytes };
    if (!end->seen)
        pl_sleep((uint64_t)FOLLOW_PAUSE);
    return PL_OK;
}

/*
 * True if the log is being recorded, and a row of it is due at that time or before;
 * also if it has just ended, with rows that were not there at the last look, or if
 * only a segment of it has.
 */
static bool lacks_row(const struct pl_query *e, size_t i, int64_t until_ns)
{
    int64_t t;

    return pl_replay_peek(e->replays[i], &t) == PL_END &&
           pl_replay_next_due(e->replays[i]) <= until_ns &&
           (!pl_replay_has_ended(e->replays[i]) ||
            pl_replay_peek(e->replays[i], &t) != PL_END ||
            !pl_replay_has_ended(e->replays[i]));
}

/*
 * Hosts do not write their rows at the same moment: the window that is open is not
 * ended by a row of one host, at 'time_ns', as long as another's rows of it may come.
 * A host that writes nothing is waited for as long as a window takes, once: until
 * it writes again others are not held up by it, as they may have much to catch up.
 */
static bool must_wait(const struct pl_query *e, int64_t time_ns)
{
    int64_t patience = e->plan->every.ns, now = 0, end_ns;
    bool waits = false;

    if (!e->silent_since ||
        !pl_query_windows_is_open(e->windows, NULL, &end_ns) ||
        pl_every_end(&e->plan->every, time_ns) == end_ns)
        return false;
    if (patience < LEAST_PATIENCE)
        patience = LEAST_PATIENCE;
    if (patience > MOST_PATIENCE)
        patience = MOST_PATIENCE;
    for (size_t i = 0; i < e->logs.num; i++) {
        int64_t *since = &e->silent_since[i];

        if (!lacks_row(e, i, end_ns))
            continue;
        if (!now)
            now = pl_clock_steady();
        if (!*since)
            *since = now;
        waits |= now - *since < patience;
    }
    return waits;
}

/* Count a row of the output, which may be a window of many. */
static void count_row(struct pl_query *e, int64_t time_ns)
{
    if (e->plan->every.ns)
        time_ns = pl_every_end(&e->plan->every, time_ns);
    if (!e->rows)
        e->first_ns = time_ns;
    else if (e->plan->every.ns && time_ns == e->last_ns)
        return;
    e->last_ns = time_ns;
    e->rows++;
}

/* All rows; 'to' NULL: only their names and times. */
static enum pl_status do_rows(struct pl_query *e, const struct pl_rows *to,
                              bool follow)
{
    int64_t time_ns = 0;
    enum pl_status s = PL_OK;
    struct end end = { 0 };

    e->rows = 0;
    while (!s && !interrupted) {
        s = pl_query_next_time(e, &time_ns);
        if (!s && follow && must_wait(e, time_ns)) {
            pl_sleep((uint64_t)FOLLOW_PAUSE);
        } else if (!s) {
            end.seen = false;
            count_row(e, time_ns);
            s = do_time(e, to, time_ns);
            pl_query_size_look(e);
            show_progress(e);
        } else if (s == PL_END && follow) {
            s = wait_for_more(e, &end);
        }
    }
    return s == PL_END ? PL_OK : s;
}

/* ---- for layouts --------------------------------------------------------- */

enum pl_status pl_query_scan(struct pl_query *e)
{
    const struct pl_rows measured = { pl_query_measure_row, NULL, NULL };
    struct pl_query_groups groups = { &measured };
    const struct pl_rows grouped = { pl_query_groups_take, pl_query_groups_end,
                                     &groups };
    enum pl_status s;

    pl_progress_start(&e->progress, "looking for columns", e->total_bytes,
                      e->plan->quiet);
    s = start_replays(e, true);
    if (!s)
        s = do_rows(e,
                    e->plan->group         ? &grouped
                    : pl_query_measures(e) ? &measured
                                           : NULL,
                    false);
    pl_query_stop(e);
    if (!s && pl_query_measures(e))
        s = pl_query_choose(e);
    pl_progress_end(&e->progress);
    return s;
}

bool pl_query_needs_all_names(const struct pl_query *e)
{
    const struct pl_replay_losses *l = &e->losses;
    bool odd = !e->rows || l->damaged_ranges || l->unreachable ||
               l->malformed || l->too_new;

    for (size_t i = 0; i < e->plan->paths.num && !odd; i++)
        odd = !e->plan->replay.choice.matched[i];
    return odd;
}

void pl_query_forget_names(struct pl_query *e)
{
    const struct pl_registry none = { .seed = e->registry.seed,
                                      .keep_help = e->registry.keep_help };

    pl_registry_release(&e->registry);
    e->registry = none;
}

enum pl_status pl_query_begin(struct pl_query *e)
{
    if (e->plan->follow) { /* this is the usual end of such an export */
        signal(SIGINT, on_interrupt);
        signal(SIGTERM, on_interrupt);
    }
    return start_replays(e, false);
}

/* Without stages in between, what _Other is of need not become cells. */
static void add_up(struct pl_query *e, struct pl_others *others)
{
    const bool direct = e->plan->top.num && !e->plan->every.ns &&
                        !e->plan->group && !e->plan->layout->one_window;

    for (size_t i = 0; i < e->logs.num; i++)
        if (e->replays[i])
            pl_replay_add_up(e->replays[i], direct ? others : NULL);
}

/* Hosts that are followed wait for each other to end a window.  PL_NOMEM. */
static enum pl_status follow_many(struct pl_query *e)
{
    if (!e->windows || e->windows->own || !e->plan->follow || e->logs.num < 2)
        return PL_OK;
    e->silent_since = calloc(e->logs.num, sizeof *e->silent_since);
    return e->silent_since ? PL_OK : PL_NOMEM;
}

enum pl_status pl_query_rows(struct pl_query *e, const struct pl_rows *to)
{
    struct pl_query_windows windows;
    const struct pl_rows gathered = { pl_query_windows_take,
                                      pl_query_windows_end, &windows };
    struct pl_query_others others = { .to = to,
                                      .e = e,
                                      .others.calc = e->plan->replay.calc };
    const struct pl_rows added_up = { pl_query_others_take, pl_query_others_end,
                                      &others };
    struct pl_query_groups groups;
    const struct pl_rows grouped = { pl_query_groups_take, pl_query_groups_end,
                                     &groups };
    enum pl_status s;

    pl_progress_start(&e->progress, pl_query_doing(e), e->total_bytes,
                      e->plan->quiet);
    pl_query_size_begin(e);
    if (e->plan->top.num)
        to = &added_up;
    pl_query_windows_begin(&windows, e, to);
    groups.to = e->plan->every.ns ? &gathered : to;
    add_up(e, &others.others);
    e->windows = e->plan->every.ns ? &windows : NULL;
    s = follow_many(e);
    if (!s)
        s = do_rows(e, e->plan->group ? &grouped : groups.to, e->plan->follow);
    free(e->silent_since);
    e->silent_since = NULL;
    add_up(e, NULL);
    e->windows = NULL;
    e->cuts_window = true;
    if (!s)
        s = pl_query_windows_finish(&windows);
    pl_query_windows_release(&windows);
    pl_others_release(&others.others);
    pl_progress_end(&e->progress);
    return s;
}

static enum pl_status do_host(struct pl_query *e, struct pl_replay *r,
                              const struct pl_host_rows *to)
{
    enum pl_status s = PL_OK;
    int64_t time_ns;

    while (!s) {
        struct pl_row row;

        s = pl_replay_peek(r, &time_ns);
        if (s == PL_END)
            return to->end ? to->end(e, to->ctx, pl_replay_has_ended(r))
                           : PL_OK;
        if (s) {
            say_unreadable(e, pl_replay_path(r), s);
            return s;
        }
        s = pl_replay_row(r, &row);
        if (!s)
            s = to->take(e, to->ctx, &row);
        count_row(e, time_ns);
        show_progress(e);
    }
    return s;
}

enum pl_status pl_query_rows_by_host(struct pl_query *e,
                                     const struct pl_host_rows *to)
{
    const struct pl_replay_options o = replay_options(e, false);
    enum pl_status s = PL_OK;

    e->rows = 0;
    forget_losses(e);
    pl_progress_start(&e->progress, pl_query_doing(e), e->total_bytes,
                      e->plan->quiet);
    for (size_t i = 0; i < e->logs.num && !s; i++) {
        s = start_replay(e, i, &o);
        if (!s)
            s = do_host(e, e->replays[i], to);
        if (e->replays[i])
            add_losses(e, pl_replay_losses(e->replays[i]));
        pl_replay_stop(e->replays[i]);
        e->replays[i] = NULL;
    }
    pl_progress_end(&e->progress);
    return s;
}

void pl_query_plan_offset(struct pl_query *e)
{
    e->plan->time.offset = e->plan->time.style != PL_TIME_UNIX && e->rows &&
                           !pl_zone_is_constant(e->first_ns, e->last_ns);
}

struct pl_csv_pages pl_query_pages(const struct pl_query *e)
{
    struct pl_csv_pages pages = { 0, pl_paged_next };

    if (e->plan->split)
        pages.max_rows = PL_SHEET_ROWS - 1;
    return pages;
}

const char *pl_query_doing(const struct pl_query *e)
{
    return strcmp(e->plan->command, "export") ? "reading" : "exporting";
}

void pl_query_say_rows(const struct pl_query *e, const char *what,
                       uint64_t rows)
{
    if (rows < PL_SHEET_ROWS || e->plan->split || e->plan->quiet)
        return;
    pl_say("%s%s%" PRIu64 " rows with the header, and a spreadsheet takes %d; "
           "take --every, --from and --to, or --split",
           what ? what : "", what ? ": " : "", rows + 1, PL_SHEET_ROWS);
}

bool pl_query_say_unmatched_of(const struct pl_query *e,
                               const struct pl_registry *names)
{
    const struct pl_query_plan *p = e->plan;

    if (p->unmatched_later)
        return false;
    return pl_say_all_unmatched(e->logs.logs[0].paths[0], names, &p->paths,
                                p->replay.choice.matched) == p->paths.num &&
           p->paths.num;
}

bool pl_query_say_unmatched(const struct pl_query *e)
{
    return pl_query_say_unmatched_of(e, &e->registry);
}
