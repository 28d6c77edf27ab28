/* What is lost: counted, and reported. */
#include "analyze/push/losses.h"

#include "format/cli/message.h"
#include "format/time/time_text.h"

#include <inttypes.h>

static void say_refused(const struct pl_push *p)
{
    const struct pl_outbox *b = &p->outbox;

    pl_say("%s: %" PRIu64 " sample%s refused and left out; HTTP %ld%s%s",
           p->delivery.options.url, b->refused, pl_plural(b->refused),
           b->refusal.code, *b->refusal.text ? ": " : "", b->refusal.text);
}

static void say_loss(const struct pl_push *p, enum pl_push_loss what)
{
    const uint64_t n = p->lost[what];

    switch (what) {
    case PL_PUSH_REFUSED:
        say_refused(p);
        break;
    case PL_PUSH_GAPS:
        pl_say("%" PRIu64 " row%s follow%s lost samples of the log", n,
               pl_plural(n), n == 1 ? "s" : "");
        break;
    case PL_PUSH_WENT_BACK:
        pl_say("%" PRIu64 " row%s, whose time is not after the one before, "
               "cannot be sent",
               n, pl_plural(n));
        break;
    case PL_PUSH_FUTURE:
        pl_say("%" PRIu64 " row%s more than 15 minutes ahead of this machine's "
               "clock: not sent by this run",
               n, n == 1 ? " is" : "s are");
        break;
    case PL_PUSH_PASSED:
        pl_say("%" PRIu64 " of the rows that were ahead of this machine's "
               "clock %s lost here: later ones were sent",
               n, n == 1 ? "is" : "are");
        break;
    default:
        pl_say("%" PRIu64 " record%s missing: the segments were deleted before "
               "they were read",
               n, pl_plural(n));
    }
}

void pl_push_say_losses(struct pl_push *p, bool is_over)
{
    p->lost[PL_PUSH_REFUSED] = p->outbox.refused;
    for (int i = 0; i < PL_PUSH_LOSSES; i++) {
        if (p->lost[i] == p->said[i] ||
            (!is_over && p->lost[i] / 2 < p->said[i]))
            continue;
        say_loss(p, (enum pl_push_loss)i);
        p->said[i] = p->lost[i];
    }
}

void pl_push_say_overtaken(struct pl_push *p, const char *host, int64_t last_ns,
                           int64_t next_ns, bool is_future)
{
    char last[PL_INSTANT_TEXT], next[PL_INSTANT_TEXT];

    p->overtaken++;
    pl_instant_text(last_ns, last);
    pl_instant_text(next_ns, next);
    if (is_future)
        pl_say("%s: the last sample that was sent, of %s UTC, is in the future "
               "and no longer in the log, which is sent from %s UTC on",
               host, last, next);
    else
        pl_say("%s: the last sample that was sent, of %s UTC, is no longer in "
               "the log; what was recorded between it and %s UTC is lost here",
               host, last, next);
}

/* A record that an earlier run has read. */
static bool was_read(const struct pl_push_log *log,
                     const struct pl_record *record)
{
    if (!log->has_position)
        return false;
    return log->from.session == record->session
               ? record->seq <= log->from.seq
               : record->utc_ns <= log->from.time_ns;
}

/*
 * True of the sample that is due right after the position, which may be that of a
 * window: none can be missing between them, though rotation has deleted the
 * position's.
 */
static bool is_next(const struct pl_push_log *log, int64_t time_ns,
                    uint64_t interval_ns)
{
    /* of one that is earlier this is more than any interval */
    return log->has_position &&
           (uint64_t)time_ns - (uint64_t)log->from.time_ns <= interval_ns;
}

static void watch_sample(struct pl_push_log *log,
                         const struct pl_record *record, uint64_t interval_ns)
{
    int64_t time_ns = pl_row_time(record->utc_ns, interval_ns);

    log->goes_on |= is_next(log, time_ns, interval_ns);
    if (!log->any || time_ns > log->last_ns)
        log->last_ns = time_ns;
    log->any = true;
}

void pl_push_watch(void *ctx, const struct pl_host_log *log,
                   const struct pl_item *item)
{
    struct pl_push *p = ctx;
    size_t i = (size_t)(log - p->query->logs.logs);

    if (item->kind == PL_ITEM_SAMPLE)
        watch_sample(&p->logs[i], &item->record,
                     pl_replay_interval(p->query->replays[i]));
    if (p->plan.follow && item->kind == PL_ITEM_HOLE && item->between_files &&
        !was_read(&p->logs[i], &item->record))
        p->lost[PL_PUSH_DELETED] += item->count;
}

enum pl_exit pl_push_losses(const struct pl_push *p)
{
    return p->outbox.refused || p->overtaken || p->lost[PL_PUSH_WENT_BACK] ||
                   p->lost[PL_PUSH_PASSED] || p->lost[PL_PUSH_DELETED]
               ? PL_EXIT_DAMAGED
               : PL_EXIT_GOOD;
}
