/* Where one is in a log, and how one gets elsewhere. */
#include "analyze/browse/browse_state.h"

#include "analyze/cli/given_time.h"
#include "analyze/cli/time_window.h"
#include "format/base/file.h"
#include "format/time/zone.h"

#include <stdlib.h>
#include <string.h>

#define MINUTE (60 * PL_NS_PER_SEC)

/* ---- what comes of a move ------------------------------------------------ */

enum pl_status pl_browse_list(struct pl_browse *b)
{
    enum pl_status s = PL_OK;

    if (b->page.there)
        s = pl_process_list_make(&b->list, &b->page.moment, &b->view);
    else
        pl_process_list_release(&b->list);
    if (b->first >= b->list.num)
        b->first = b->list.num ? b->list.num - 1 : 0;
    return s;
}

enum pl_browse_news pl_browse_moved(struct pl_browse *b, enum pl_status s,
                                    const char *otherwise)
{
    if (s == PL_END) {
        pl_browse_say(b, "%s", otherwise);
        return PL_BROWSE_CHANGED;
    }
    if (s == PL_IO)
        pl_browse_say(b, "the log cannot be read here");
    else if (s == PL_NOMEM)
        return PL_BROWSE_FAILED;
    /* Its entries point into the sample before. */
    if (pl_browse_list(b) ||
        (b->page.there &&
         pl_history_show(&b->history, &b->page,
                         b->page.older_ns == b->history.to_ns)))
        return PL_BROWSE_FAILED;
    return PL_BROWSE_CHANGED;
}

static enum pl_status go_to_end(struct pl_browse *b)
{
    enum pl_status s = pl_page_reader_last(&b->page);

    if (!s && b->page.time_ns > b->last_ns)
        b->last_ns = b->page.time_ns;
    return s;
}

enum pl_browse_news pl_browse_go(struct pl_browse *b, int64_t time_ns)
{
    enum pl_status s = pl_page_reader_at(&b->page, time_ns);

    if (s == PL_END)
        s = go_to_end(b);
    return pl_browse_moved(b, s, "there is no such sample");
}

/* ---- a log that grows ---------------------------------------------------- */

/* The same host in the logs as they are now. */
static size_t find_host(const struct pl_host_logs *logs,
                        const struct pl_host_log *host)
{
    for (size_t i = 0; i < logs->num; i++)
        if (host->host && logs->logs[i].host &&
            !strcmp(logs->logs[i].host, host->host) &&
            logs->logs[i].machine_hash == host->machine_hash)
            return i;
    return SIZE_MAX;
}

static void swap_logs(struct pl_host_logs *x, struct pl_host_logs *y)
{
    const struct pl_host_logs was = *x;

    *x = *y;
    *y = was;
}

void pl_browse_set_span(struct pl_browse *b, int64_t utc_ns,
                        uint64_t interval_ns)
{
    b->last_ns = pl_row_time(utc_ns, interval_ns);
    b->first_ns = b->logs.logs[0].first_utc;
    for (size_t i = 1; i < b->logs.num; i++)
        if (b->logs.logs[i].first_utc < b->first_ns)
            b->first_ns = b->logs.logs[i].first_utc;
}

/* The page, which points into the old logs, is read again before they go. */
static enum pl_status take_logs(struct pl_browse *b, struct pl_host_logs *logs,
                                size_t host)
{
    uint64_t interval_ns;
    int64_t utc_ns;
    enum pl_status s;

    b->host = host;
    swap_logs(&b->logs, logs);
    pl_browse_forget_events(b);
    pl_history_move(&b->history, &b->logs.logs[host]);
    if (!pl_host_logs_last_time(&b->logs, &utc_ns, &interval_ns))
        pl_browse_set_span(b, utc_ns, interval_ns);
    s = pl_browse_read_anew(b, b->sort);
    return s ? s : pl_browse_list(b);
}

/* Files of other programs have no segments, and to look at one is to read it. */
static bool are_foreign(const struct pl_host_logs *logs)
{
    for (size_t i = 0; i < logs->num; i++)
        for (size_t k = 0; k < logs->logs[i].num_paths; k++)
            if (!logs->logs[i].foreign[k].file)
                return false;
    return true;
}

/*
 * Take the logs as they are now, with the segments begun meanwhile; the sample
 * stays.  PL_END: they have not grown; a file that is just begun or being removed
 * is tried again.
 */
static enum pl_status renew(struct pl_browse *b)
{
    struct pl_host_logs logs;
    enum pl_status s = PL_END;
    const char *bad;
    uint64_t bytes;
    size_t host;

    b->looked_ns = pl_clock_steady();
    if (are_foreign(&b->logs) && pl_host_logs_bytes(&b->logs) == b->bytes)
        return PL_END;
    if (pl_host_logs_open(&logs, b->plan.operands, (size_t)b->plan.num, &bad))
        return PL_END;
    bytes = pl_host_logs_bytes(&logs);
    host = find_host(&logs, &b->logs.logs[b->host]);
    if (bytes != b->bytes && host != SIZE_MAX) {
        b->bytes = bytes;
        s = take_logs(b, &logs, host);
    }
    pl_host_logs_release(&logs);
    return s;
}

enum pl_browse_news pl_browse_look(struct pl_browse *b)
{
    enum pl_status s = renew(b);

    if (s == PL_END)
        return PL_BROWSE_SAME;
    return pl_browse_moved(b, s ? s : go_to_end(b), "there is no sample");
}

/* ---- keys ---------------------------------------------------------------- */

static enum pl_status next_sample(struct pl_browse *b)
{
    enum pl_status s = pl_page_reader_next(&b->page);

    if (s != PL_END)
        return s;
    s = renew(b);
    return s ? s : pl_page_reader_next(&b->page);
}

enum pl_browse_news pl_browse_sample(struct pl_browse *b, int direction)
{
    b->follows = false;
    if (direction > 0)
        return pl_browse_moved(b, next_sample(b), "this is the last sample");
    return pl_browse_moved(b, pl_page_reader_previous(&b->page),
                           "this is the first sample");
}

/* If nothing was recorded then, the last sample before, else the first. */
static enum pl_status minute_back(struct pl_browse *b, int64_t now)
{
    const int64_t to = now < INT64_MIN + MINUTE ? INT64_MIN : now - MINUTE;
    enum pl_status s = pl_page_reader_at(&b->page, to);

    if (!s && b->page.time_ns == to)
        return PL_OK; /* as nearly always; and this took one search */
    if (!s)
        s = pl_page_reader_before(&b->page, to);
    return s == PL_END ? pl_page_reader_at(&b->page, INT64_MIN) : s;
}

enum pl_browse_news pl_browse_minute(struct pl_browse *b, int direction)
{
    const int64_t now = b->page.time_ns;

    b->follows = false;
    if (direction > 0)
        return pl_browse_go(b, now > INT64_MAX - MINUTE ? now : now + MINUTE);
    return pl_browse_moved(b, minute_back(b, now), "there is no such sample");
}

bool pl_browse_is_live(const struct pl_browse *b)
{
    const struct pl_host_log *log = &b->logs.logs[b->host];
    struct pl_reader *r = NULL;
    bool is;

    if (pl_host_log_open_file(&r, log, log->num_paths - 1, NULL))
        return false;
    is = pl_reader_is_live(r);
    pl_reader_close(r);
    return is;
}

enum pl_browse_news pl_browse_edge(struct pl_browse *b, int direction)
{
    enum pl_status s = direction > 0 ? renew(b) : PL_END;

    if (!s || s == PL_END)
        s = direction > 0 ? go_to_end(b)
                          : pl_page_reader_at(&b->page, INT64_MIN);
    b->follows = direction > 0 && pl_browse_is_live(b);
    return pl_browse_moved(b, s, "there is no sample");
}

enum pl_browse_news pl_browse_follow(struct pl_browse *b, int direction)
{
    (void)direction;
    b->follows = !b->follows;
    return b->follows ? pl_browse_moved(b, go_to_end(b), "there is no sample")
                      : PL_BROWSE_CHANGED;
}

/* The same time on another host, as far as it was recorded then. */
enum pl_browse_news pl_browse_host(struct pl_browse *b, int direction)
{
    const size_t was = b->host;

    if (b->logs.num < 2) {
        pl_browse_say(b, "this log has one host");
        return PL_BROWSE_CHANGED;
    }
    pl_browse_forget_events(b);
    pl_history_clear(&b->history);
    b->host = (was + (direction > 0 ? 1 : b->logs.num - 1)) % b->logs.num;
    return pl_browse_moved(b, pl_browse_read_anew(b, b->sort),
                           "this host has no samples");
}

/* ---- another reading ----------------------------------------------------- */

enum pl_status pl_browse_read_anew(struct pl_browse *b,
                                   const struct pl_moment_sort *sort)
{
    struct pl_page_reader was = b->page;
    enum pl_status s;

    /* In its place, as what it reads from points to its choice of counters. */
    s = pl_page_reader_open(&b->page, &b->logs.logs[b->host], sort,
                            b->plan.max_block);
    if (s) {
        b->page = was;
        return s;
    }
    s = PL_END;
    if (was.there)
        s = pl_page_reader_at_place(&b->page, was.time_ns, was.place);
    if (s == PL_END) /* as of another host */
        s = pl_page_reader_at(&b->page, was.there ? was.time_ns : INT64_MIN);
    if (s == PL_END)
        s = pl_page_reader_last(&b->page);
    pl_process_list_release(&b->list);
    pl_page_reader_close(&was);
    b->damaged |= was.damaged;
    b->too_new |= was.too_new;
    b->sort = sort;
    return s;
}

/* ---- times --------------------------------------------------------------- */

static enum pl_browse_news say_outside(struct pl_browse *b, int64_t ns)
{
    char at[PL_INSTANT_TEXT], span[PL_SPAN_TEXT];

    pl_browse_say(b, "nothing was recorded at %s; the log %s",
                  pl_zone_text(ns, at),
                  pl_span_text(b->first_ns, b->last_ns, span));
    return PL_BROWSE_CHANGED;
}

/* What the time names, or the first sample after it. */
static enum pl_browse_news go_to_time(struct pl_browse *b,
                                      const struct pl_given_at *at)
{
    const int64_t length =
        at->end_ns > at->ns ? at->end_ns - at->ns : PL_NS_PER_MS;
    const int64_t to =
        at->ns > INT64_MAX - length ? INT64_MAX : at->ns + length - 1;
    enum pl_status s = pl_page_reader_between(&b->page, at->ns, to);

    if (s == PL_END && (at->ns > b->last_ns ||
                        (at->ns < b->first_ns && at->end_ns <= b->first_ns)))
        return say_outside(b, at->ns);
    b->follows = false;
    return s == PL_END ? pl_browse_go(b, at->ns)
                       : pl_browse_moved(b, s, "there is no such sample");
}

enum pl_browse_news pl_browse_to_time(struct pl_browse *b, const char *text)
{
    const enum pl_status s = renew(b); /* "-10m" is before the end as it is */
    const struct pl_given_span span = { b->first_ns, b->last_ns,
                                        b->page.time_ns };
    char why[PL_GIVEN_WHY];
    struct pl_given_time t;
    struct pl_given_at at;

    if (s && s != PL_END)
        return pl_browse_moved(b, s, "there is no sample");
    if (pl_given_time_read(text, pl_date_order(), &t, why)) {
        pl_browse_say(b, "'%s': %s; known are %s", text, why, pl_given_forms);
        return PL_BROWSE_CHANGED;
    }
    at = pl_given_time_find(&t, PL_GIVEN_LAST, &span);
    return go_to_time(b, &at);
}
