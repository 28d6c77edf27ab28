/* Which rows are to be sent. */
#include "analyze/push/resume.h"

#include "format/base/file.h"

#include <string.h>

/* ---- clocks ------------------------------------------------------------------ */

/* The time of a window is its end, which is to come for the one of today. */
static int64_t beginning_of(const struct pl_push *p, int64_t time_ns)
{
    const struct pl_every *every = &p->plan.every;

    return every->ns ? pl_every_start(every, time_ns) : time_ns;
}

bool pl_push_is_ahead(const struct pl_push *p, int64_t time_ns)
{
    int64_t most = pl_clock_utc() + PL_PUSH_READ_AGAIN;

    return time_ns > most && beginning_of(p, time_ns) > most;
}

bool pl_push_was_set_right(const struct pl_push *p, int64_t before_ns,
                           int64_t time_ns)
{
    return pl_push_is_ahead(p, before_ns) && !pl_push_is_ahead(p, time_ns);
}

/* ---- windows ----------------------------------------------------------------- */

bool pl_push_has_ended(const struct pl_push *p, const struct pl_push_host *h)
{
    const struct pl_query *e = p->query;

    return h->log == PL_NO_LOG ? pl_query_has_ended(e)
                               : pl_replay_has_ended(e->replays[h->log]);
}

/* All of the host's log has been read, and it ends within the window. */
static bool is_last(const struct pl_push *p, const struct pl_push_host *h,
                    int64_t end_ns)
{
    const struct pl_query *e = p->query;
    int64_t next_ns;

    if (h->log == PL_NO_LOG)
        return e->cuts_window;
    return p->logs[h->log].last_ns < end_ns &&
           pl_replay_peek(e->replays[h->log], &next_ns) == PL_END;
}

bool pl_push_is_cut(const struct pl_push *p, const struct pl_push_host *h,
                    int64_t end_ns)
{
    const struct pl_time_range *range = &p->plan.replay.window;
    int64_t until_ns = end_ns;

    if (!p->plan.every.ns)
        return false;
    if (p->state && range->has_to && end_ns > range->to_ns)
        return true;
    if (!is_last(p, h, end_ns))
        return false;
    if (!pl_push_has_ended(p, h))
        return true;
    if (!p->state || pl_push_is_ahead(p, end_ns))
        return false;
    if (h->log == PL_NO_LOG || !pl_replay_has_end(p->query->replays[h->log]))
        until_ns += PL_PUSH_READ_AGAIN;
    return pl_clock_utc() < until_ns;
}

/* ---- sessions ---------------------------------------------------------------- */

static uint64_t session_of(const struct pl_row *row)
{
    return row->host ? row->session : 0;
}

/* It, or the position, is of windows, which have no session. */
static bool is_windowed(const struct pl_row *row, const struct pl_push_host *h)
{
    return !session_of(row) || !h->from.session;
}

static bool is_of_position(const struct pl_row *row,
                           const struct pl_push_host *h)
{
    return !is_windowed(row, h) && row->session == h->from.session;
}

/* The row is the last one that earlier runs sent. */
static bool is_position(const struct pl_row *row, const struct pl_push_host *h)
{
    if (is_windowed(row, h))
        return h->is_known && row->time_ns == h->from.time_ns;
    return is_of_position(row, h) && row->seq == h->from.seq;
}

static enum pl_status keep_mark(struct pl_push *p, const struct pl_push_host *h)
{
    return h->keeps_mark && h->has_mark
               ? pl_positions_set_mark(&p->positions, h->host->name, &h->mark)
               : PL_OK;
}

/* The row is of a session that was not read before: how far that has come. */
static enum pl_status enter_session(struct pl_push *p, struct pl_push_host *h,
                                    const struct pl_row *row)
{
    const uint64_t session = session_of(row);
    const struct pl_position *mark;
    enum pl_status s;

    if (h->in_session && h->session == session)
        return PL_OK;
    s = keep_mark(p, h);
    mark = h->is_known
               ? pl_positions_mark(&p->positions, h->host->name, session)
               : NULL;
    h->in_session = true;
    h->session = session;
    h->keeps_mark = mark != NULL;
    h->was_reached = mark || (h->is_known && is_of_position(row, h));
    h->reached = mark ? *mark : h->from;
    h->has_mark = h->was_reached;
    h->mark = h->reached;
    return s;
}

/* ---- what was sent ------------------------------------------------------------ */

/*
 * The log still has what was recorded up to the position, though under another
 * session, as where it was repaired or cut; or of windows, whose rows may have
 * other times than those that were sent.
 */
static bool is_up_to_position(const struct pl_push *p, const struct pl_row *row,
                              const struct pl_push_host *h)
{
    return h->is_known && (row->time_ns == h->from.time_ns ||
                           (is_windowed(row, h) &&
                            beginning_of(p, row->time_ns) < h->from.time_ns));
}

static bool was_sent(const struct pl_push *p, const struct pl_row *row,
                     const struct pl_push_host *h)
{
    if (!h->is_known)
        return false;
    if (session_of(row) && h->was_reached)
        return row->seq <= h->reached.seq;
    if (row->time_ns > h->from.time_ns ||
        pl_push_was_set_right(p, h->from.time_ns, row->time_ns))
        return false;
    return (h->resumes && !h->found) ||
           (!session_of(row) && h->is_late && h->was_reached &&
            row->time_ns <= h->reached.time_ns);
}

/*
 * An earlier run left the row, and sent what follows, as it was in the future
 * then.  A window with such a time is one if it still is.
 */
static bool was_left(const struct pl_push *p, const struct pl_row *row,
                     const struct pl_push_host *h)
{
    if (!h->was_reached)
        return false;
    if (session_of(row))
        return h->muted && row->time_ns > h->reached.time_ns;
    return !h->muted && h->resumes && !h->found &&
           beginning_of(p, row->time_ns) > pl_clock_utc();
}

/*
 * A row in the future is left to a later run.  Receivers would refuse what comes
 * once the clock is right, or take it to be older.
 */
static void leave(struct pl_push *p, struct pl_push_host *h,
                  const struct pl_row *row)
{
    h->skip = h->left_future = h->is_late = h->keeps_mark = true;
    if (h->muted || !pl_push_is_ahead(p, row->time_ns))
        return;
    if (!h->left || row->time_ns > h->left_ns)
        h->left_ns = row->time_ns;
    h->left++;
    p->lost[PL_PUSH_FUTURE]++;
}

/* A row that is to be sent: the position is behind, and so is what was left. */
static void go_on(struct pl_push *p, const struct pl_row *row,
                  struct pl_push_host *h)
{
    h->overtaken |= h->resumes && !h->found && !h->is_there && !p->chose_from;
    if (h->resumes)
        h->overtaken_ns = row->time_ns;
    h->resumes = false;
    if (h->left && row->time_ns > h->left_ns)
        p->lost[PL_PUSH_PASSED] += h->left;
    h->left = 0;
}

/* ---- rows ---------------------------------------------------------------------- */

/* That of a pipe's log is not known. */
static size_t log_of(const struct pl_push *p, const struct pl_host *host)
{
    const struct pl_host_logs *all = &p->query->logs;

    for (size_t i = 0; i < all->num; i++)
        if (all->logs[i].host &&
            all->logs[i].machine_hash == host->machine_hash &&
            !strcmp(all->logs[i].host, host->own_name))
            return i;
    return PL_NO_LOG;
}

void pl_push_host_init(struct pl_push_host *h, const struct pl_push *p,
                       const struct pl_host *host)
{
    const struct pl_position *from =
        pl_positions_find(&p->positions, host->name);

    *h = (struct pl_push_host){ .host = host, .log = log_of(p, host) };
    if (from) {
        h->from = *from;
        h->is_known = h->resumes = true;
    }
}

enum pl_status pl_push_host_judge(struct pl_push *p, struct pl_push_host *h,
                                  const struct pl_row *row)
{
    enum pl_status s = enter_session(p, h, row);

    h->muted = was_sent(p, row, h);
    h->found |= is_position(row, h);
    h->is_there |= is_up_to_position(p, row, h);
    if (pl_push_is_ahead(p, row->time_ns) || was_left(p, row, h)) {
        leave(p, h, row);
        return s;
    }
    if (!h->muted)
        go_on(p, row, h);
    h->skip = h->any && !h->left_future && row->time_ns <= h->at.time_ns &&
              !pl_push_was_set_right(p, h->at.time_ns, row->time_ns);
    p->lost[PL_PUSH_WENT_BACK] += h->skip && !h->muted;
    return s;
}

/* Of windows, which follow each other in any session, only of those after one
 * that was left. */
static void move_mark(struct pl_push_host *h, const struct pl_row *row)
{
    if (h->muted || (!session_of(row) && !h->is_late))
        return;
    h->has_mark = true;
    h->mark = (struct pl_position){ .session = session_of(row),
                                    .seq = row->seq,
                                    .time_ns = row->time_ns };
}

void pl_push_host_move(struct pl_push *p, struct pl_push_host *h,
                       const struct pl_row *row)
{
    const bool is_from = is_position(row, h), is_first = !h->any;

    move_mark(h, row);
    h->left_future = false;
    h->any = true;
    h->at_is_past = h->muted && !is_from;
    h->at = (struct pl_position){ .session = row->session,
                                  .seq = row->seq,
                                  .time_ns = row->time_ns,
                                  .ended = is_from && h->from.ended };
    if (is_first || h->at.time_ns >= h->upto.time_ns ||
        pl_push_was_set_right(p, h->upto.time_ns, h->at.time_ns))
        h->upto = h->at;
}

enum pl_status pl_push_host_keep(struct pl_push *p, struct pl_push_host *h)
{
    struct pl_position upto = h->upto;
    enum pl_status s = keep_mark(p, h);

    if (s || !h->any || h->resumes)
        return s;
    upto.own_name = h->host->own_name;
    upto.machine_hash = h->host->machine_hash;
    return pl_positions_set(&p->positions, h->host->name, &h->place, &upto);
}
