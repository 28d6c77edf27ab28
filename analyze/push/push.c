/* From rows to requests, and how far that has come. */
#include "analyze/push/push.h"

#include "analyze/push/losses.h"
#include "analyze/push/resume.h"
#include "format/base/array.h"
#include "format/base/file.h"
#include "format/time/time_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Samples that wait until they are posted together. */
enum { MOST_WAITING = 20000 };

static int64_t ms_of(int64_t ns)
{
    return ns >= 0 ? ns / PL_NS_PER_MS
                   : -((-ns + PL_NS_PER_MS - 1) / PL_NS_PER_MS);
}

/* ---- hosts ----------------------------------------------------------------- */

static enum pl_status add_host(struct pl_push *p, const struct pl_host *host)
{
    if (!pl_array_grow((void **)&p->hosts, &p->cap_hosts, p->num_hosts,
                       sizeof *p->hosts) ||
        !pl_array_grow((void **)&p->live, &p->cap_live, p->num_hosts,
                       sizeof *p->live))
        return PL_NOMEM;
    p->live[p->num_hosts] = (struct pl_live_host){ .host = host };
    pl_push_host_init(&p->hosts[p->num_hosts++], p, host);
    p->places[host->rank] = p->num_hosts;
    return PL_OK;
}

/* Places of all hosts that there are now. */
static enum pl_status reserve_places(struct pl_push *p)
{
    const size_t num = p->query->registry.num_hosts;

    if (!pl_array_resize((void **)&p->places, num, sizeof *p->places))
        return PL_NOMEM;
    for (; p->num_places < num; p->num_places++)
        p->places[p->num_places] = 0;
    return PL_OK;
}

static const struct pl_host *host_of_row(const struct pl_row *row)
{
    return row->host        ? row->host
           : row->num_cells ? row->cells[0].group->host
                            : NULL;
}

/* The index of a host; SIZE_MAX: out of memory. */
static size_t index_of(struct pl_push *p, const struct pl_host *host)
{
    if (host->rank >= p->num_places && reserve_places(p))
        return SIZE_MAX;
    if (!p->places[host->rank] && add_host(p, host))
        return SIZE_MAX;
    return p->places[host->rank] - 1;
}

/* Once all is read: the position's session may come after others. */
static void say_overtaken(struct pl_push *p)
{
    for (size_t i = 0; i < p->num_hosts; i++) {
        struct pl_push_host *h = &p->hosts[i];
        int64_t last_ns = h->from.time_ns, next_ns = h->overtaken_ns;

        if (h->overtaken && !h->found &&
            (h->log == PL_NO_LOG || !p->logs[h->log].goes_on))
            pl_push_say_overtaken(p, p->live[i].host->name, last_ns, next_ns,
                                  pl_push_was_set_right(p, last_ns, next_ns));
        h->overtaken = false;
    }
}

/* ---- rows ------------------------------------------------------------------- */

/* The time from one row to the next, if nothing is missing; 0: not known. */
static int64_t interval_of(const struct pl_push *p, const struct pl_row *row)
{
    return p->plan.every.ns ? p->plan.every.ns : (int64_t)row->interval_ns;
}

static bool is_after_gap(const struct pl_push *p, const struct pl_row *row,
                         const struct pl_push_host *h)
{
    /* times of logs are any */
    uint64_t passed = (uint64_t)row->time_ns - (uint64_t)h->at.time_ns;
    uint64_t interval = (uint64_t)interval_of(p, row);

    return h->any && (h->at.ended || row->time_ns < h->at.time_ns ||
                      (interval && passed / 2 >= interval));
}

static bool is_same(const struct pl_position *a, const struct pl_position *b)
{
    return a->session == b->session && a->seq == b->seq &&
           a->time_ns == b->time_ns;
}

/* All series of what was read last end after it. */
static enum pl_status end_all(struct pl_push *p, struct pl_push_host *h,
                              struct pl_live_host *l)
{
    /* that may have been sent with the position, or what came after it */
    p->outbox.muted = h->at.ended || h->at_is_past;
    if (is_same(&h->at, &h->upto))
        h->upto.ended = true;
    h->at.ended = true;
    return pl_outbox_end_all(&p->outbox, l, ms_of(h->at.time_ns) + 1);
}

/*
 * Begin a host's row.  Where rows are missing before it, all series ended right
 * after the last one.
 */
static enum pl_status begin_row(struct pl_push *p, const struct pl_row *row,
                                struct pl_push_host *h, struct pl_live_host *l)
{
    enum pl_status s = pl_push_host_judge(p, h, row);

    h->open = true;
    h->had_ended = false;
    if (s || h->skip)
        return s;
    if (is_after_gap(p, row, h))
        s = end_all(p, h, l);
    p->interval_ns = interval_of(p, row);
    l->row++;
    pl_push_host_move(p, h, row);
    return s;
}

static enum pl_status take_row(struct pl_query *e, void *ctx,
                               const struct pl_row *row)
{
    struct pl_push *p = ctx;
    const struct pl_host *host = host_of_row(row);
    struct pl_push_host *h;
    enum pl_status s = PL_OK;
    bool gap = false;
    size_t i;

    (void)e;
    if (!host)
        return PL_OK;
    i = index_of(p, host);
    if (i == SIZE_MAX)
        return PL_NOMEM;
    h = &p->hosts[i];
    h->is_cut = pl_push_is_cut(p, h, row->time_ns);
    if (h->is_cut)
        return PL_OK;
    if (!h->open)
        s = begin_row(p, row, h, &p->live[i]);
    p->outbox.muted = h->muted;
    if (p->top && !s && !h->skip)
        s = pl_top_processes_rank(&h->top, row->cells, row->num_cells,
                                  row->time_ns, p->top);
    for (size_t k = 0; k < row->num_cells && !s && !h->skip; k++) {
        if (p->top && !pl_top_processes_has(&h->top, row->cells[k].group))
            continue;
        gap |= row->cells[k].value.cell == PL_CELL_GAP;
        s = pl_outbox_value(&p->outbox, &p->live[i], &row->cells[k],
                            ms_of(row->time_ns));
    }
    p->lost[PL_PUSH_GAPS] += gap && !h->muted;
    return s;
}

/* ---- delivery --------------------------------------------------------------- */

static enum pl_status say_of_state(const struct pl_push *p, enum pl_status s)
{
    if (!s || s == PL_NOMEM)
        return s;
    pl_say_status(p->state, s, NULL);
    return PL_USAGE;
}

static enum pl_status save(struct pl_push *p, int64_t last_ms)
{
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < p->num_hosts && !s; i++)
        s = pl_push_host_keep(p, &p->hosts[i]);
    if (!s)
        s = pl_positions_save(&p->positions);
    if (!s)
        s = pl_positions_end_sending(&p->positions, last_ms);
    return say_of_state(p, s);
}

static enum pl_status deliver(struct pl_push *p)
{
    int64_t last_ms = p->outbox.last_ms;
    enum pl_status s;

    if (!p->outbox.num_samples)
        return PL_OK;
    s = say_of_state(p, pl_positions_begin_sending(&p->positions, last_ms));
    if (!s)
        s = pl_outbox_deliver(&p->outbox, p->live, p->num_hosts, &p->delivery);
    return s ? s : save(p, last_ms);
}

static void note_time(struct pl_push *p, int64_t time_ns)
{
    if (!p->has_times || time_ns < p->first_ns)
        p->first_ns = time_ns;
    if (!p->has_times || time_ns > p->last_ns)
        p->last_ns = time_ns;
    p->has_times = true;
}

/* A row is sent as a whole, and the position is always between two. */
static enum pl_status end_time(struct pl_query *e, void *ctx, int64_t time_ns)
{
    struct pl_push *p = ctx;
    enum pl_status s = PL_OK;
    bool any = false;

    (void)e;
    for (size_t i = 0; i < p->num_hosts && !s; i++) {
        struct pl_push_host *h = &p->hosts[i];

        if (!h->open)
            continue;
        h->open = false;
        p->outbox.muted = h->muted;
        any |= !h->skip;
        if (!h->skip)
            s = pl_outbox_end_row(&p->outbox, &p->live[i], ms_of(time_ns));
    }
    if (p->forecasts)
        pl_forecast_end_time(&p->forecast);
    if (any) /* a row that is left out says nothing of the time that these take */
        note_time(p, time_ns);
    p->any = true;
    if (p->plan.follow)
        pl_push_say_losses(p, false);
    return s || p->outbox.num_samples < MOST_WAITING ? s : deliver(p);
}

/* ---- ends -------------------------------------------------------------------- */

/*
 * The window of a host whose log has ended, and all of which was read, is complete
 * when its time is over; while it may still be recorded on it is waited for.
 */
static enum pl_status end_window(struct pl_push *p, const struct pl_host *host)
{
    struct pl_query_windows *w = p->query->windows;
    size_t i = index_of(p, host);
    int64_t end_ns;

    if (i == SIZE_MAX)
        return PL_NOMEM;
    if (!pl_query_windows_is_open(w, host, &end_ns) ||
        pl_clock_utc() < end_ns || pl_push_is_cut(p, &p->hosts[i], end_ns))
        return PL_OK;
    return pl_query_windows_finish_one(w, host);
}

static enum pl_status end_windows(struct pl_push *p)
{
    const struct pl_query *e = p->query;
    enum pl_status s = PL_OK;
    int64_t next_ns;

    for (size_t i = 0; i < e->logs.num && !s; i++) {
        struct pl_replay *r = e->replays[i];

        if (pl_replay_has_ended(r) && pl_replay_host(r) &&
            pl_replay_peek(r, &next_ns) == PL_END)
            s = end_window(p, pl_replay_host(r));
    }
    return s;
}

/* The recording has ended, and with it all series. */
static enum pl_status end_host(struct pl_push *p, size_t i)
{
    struct pl_push_host *h = &p->hosts[i];

    if (!h->any || h->is_cut || h->at.ended || h->at_is_past)
        return PL_OK;
    h->resumes = false;
    return end_all(p, h, &p->live[i]);
}

static enum pl_status end_hosts(struct pl_push *p)
{
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < p->num_hosts && !s; i++)
        if (pl_push_has_ended(p, &p->hosts[i]))
            s = end_host(p, i);
    return s;
}

/*
 * The same where others' logs go on.  One that has ended is read once more
 * before, as its end may have been written after the last look.
 */
static enum pl_status end_hosts_read_to_the_end(struct pl_push *p)
{
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < p->num_hosts && !s; i++) {
        struct pl_push_host *h = &p->hosts[i];
        int64_t end_ns;
        bool has =
            !h->at.ended && pl_push_has_ended(p, h) &&
            !(p->plan.every.ns &&
              pl_query_windows_is_open(p->query->windows, h->host, &end_ns));

        if (has && h->had_ended)
            s = end_host(p, i);
        h->had_ended = has;
    }
    return s;
}

static enum pl_status deliver_now(void *ctx)
{
    struct pl_push *p = ctx;
    enum pl_status s = p->plan.every.ns ? end_windows(p) : PL_OK;

    if (!s)
        s = end_hosts_read_to_the_end(p);
    if (!s)
        s = deliver(p);
    say_overtaken(p);
    pl_push_say_losses(p, false);
    return s;
}

/* ---- the command ------------------------------------------------------------ */

static bool open_state(struct pl_push *p)
{
    const char *why = NULL;
    enum pl_status s;

    if (!p->state)
        return true;
    s = pl_positions_open(&p->positions, p->state, p->delivery.options.url,
                          &why);
    if (s == PL_BUSY)
        pl_say("%s: another push uses it; wait for its end, or name another",
               p->state);
    else if (s == PL_CORRUPT)
        pl_say("%s: is no file of positions that push wrote; name another",
               p->state);
    else if (s == PL_USAGE)
        pl_say("%s: is of another receiver; name another file for this one",
               p->state);
    else if (s)
        pl_say_status(p->state, s, why);
    p->outbox.in_doubt = p->positions.sending_ms != PL_NOTHING_SENDING;
    p->outbox.doubt_ms = p->positions.sending_ms;
    return !s;
}

/*
 * The first window that is sent must be whole, also if the position is of rows, or
 * of windows of another length.
 */
static int64_t begin_of_window(const struct pl_push *p, int64_t time_ns)
{
    const struct pl_every *every = &p->plan.every;

    return every->ns ? pl_every_start(every, pl_every_end(every, time_ns))
                     : time_ns;
}

/*
 * Which of several machines of one name has it as its label, and which has a number
 * behind it, is as it was in earlier runs, whatever logs are read.
 */
static enum pl_status name_hosts(const struct pl_push *p, struct pl_query *e)
{
    for (size_t i = 0; i < p->positions.num; i++) {
        const struct pl_position *at = &p->positions.hosts[i];

        if (at->own_name &&
            !pl_registry_host_as(&e->registry, pl_text_of(at->own_name),
                                 at->machine_hash, at->host))
            return PL_NOMEM;
    }
    return PL_OK;
}

/*
 * Rows before all positions need not be read, unless a host has none: all of its
 * rows are to be sent.
 */
static void begin_at_positions(struct pl_push *p, struct pl_query *e)
{
    struct pl_time_range *w = &p->plan.replay.window;
    int64_t least = INT64_MAX;
    bool all = true;

    p->chose_from = w->has_from;
    for (size_t i = 0; i < e->logs.num; i++) {
        const struct pl_host_log *log = &e->logs.logs[i];
        const struct pl_host *host = pl_registry_host(
            &e->registry, pl_text_of(log->host), log->machine_hash);
        const struct pl_position *at =
            host ? pl_positions_find(&p->positions, host->name) : NULL;
        int64_t begin = at ? begin_of_window(p, at->time_ns) : 0;

        all &= at && begin >= INT64_MIN + PL_PUSH_READ_AGAIN &&
               !pl_push_is_ahead(p, at->time_ns);
        if (at)
            p->logs[i] =
                (struct pl_push_log){ .has_position = true, .from = *at };
        if (at && begin < least)
            least = begin;
    }
    if (!all)
        return;
    least -= PL_PUSH_READ_AGAIN;
    if (w->has_from && w->from_ns >= least)
        return;
    w->has_from = w->onwards = true;
    w->from_ns = least;
}

static void say_sent(const struct pl_push *p)
{
    if (p->plan.quiet || p->forecasts)
        return;
    pl_say("%s: %" PRIu64 " sample%s sent in %" PRIu64 " request%s",
           p->delivery.options.url, p->outbox.sent, pl_plural(p->outbox.sent),
           p->delivery.requests, pl_plural(p->delivery.requests));
}

static enum pl_status send_rows(struct pl_query *e, struct pl_push *p)
{
    const struct pl_rows rows = { take_row, end_time, p };
    enum pl_status s;

    e->plan->idle = deliver_now;
    e->plan->idle_ctx = p;
    e->plan->replay.watch = pl_push_watch;
    e->plan->replay.watch_ctx = p;
    s = pl_query_begin(e);
    if (!s)
        s = pl_query_rows(e, &rows);
    if (!s)
        s = end_hosts(p);
    if (!s)
        s = p->forecasts ? PL_OK : deliver(p);
    return s == PL_END ? PL_OK : s; /* interrupted; the position is safe */
}

/* Something of one of the logs was sent before, so there may be no more now. */
static bool has_positions(const struct pl_push *p)
{
    for (size_t i = 0; i < p->query->logs.num; i++)
        if (p->logs[i].has_position)
            return true;
    return false;
}

static enum pl_status run_push(struct pl_query *e)
{
    struct pl_push *p = (struct pl_push *)e->plan;
    enum pl_status s;

    p->query = e;
    p->delivery.options.is_over = pl_query_is_interrupted;
    if (!p->forecasts && (!open_state(p) || !pl_delivery_open(&p->delivery)))
        s = PL_USAGE;
    else {
        if (p->forecasts)
            p->outbox.forecast = &p->forecast;
        p->logs = calloc(e->logs.num, sizeof *p->logs);
        s = p->logs ? name_hosts(p, e) : PL_NOMEM;
        if (!s) {
            begin_at_positions(p, e);
            s = send_rows(e, p);
        }
    }
    if (p->any && (!s || p->delivery.requests)) {
        say_overtaken(p);
        say_sent(p);
        pl_push_say_losses(p, true);
    }
    if (s == PL_USAGE)
        e->code = PL_EXIT_FAILED; /* whatever of the log was damaged */
    if (s)
        return s;
    if (!p->any && !has_positions(p) && !p->plan.follow)
        return PL_END;
    if (p->forecasts)
        pl_forecast_print(&p->forecast, (uint64_t)p->last_ns -
                                            (uint64_t)p->first_ns +
                                            (uint64_t)p->interval_ns);
    return pl_query_say_unmatched(e) ? PL_USAGE : PL_OK;
}

void pl_push_release(struct pl_push *p)
{
    for (size_t i = 0; i < p->num_hosts; i++) {
        pl_live_host_release(&p->live[i]);
        pl_top_processes_release(&p->hosts[i].top);
    }
    free(p->live);
    free(p->hosts);
    free(p->places);
    free(p->logs);
    pl_outbox_release(&p->outbox);
    pl_forecast_release(&p->forecast);
    pl_positions_close(&p->positions);
    pl_delivery_close(&p->delivery);
}

const struct pl_layout pl_layout_push = {
    .name = "push",
    .numbers_only = true,
    .own_output = true,
    .own_windows = true,
    .run = run_push,
};
