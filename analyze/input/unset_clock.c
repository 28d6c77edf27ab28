/* When a session began whose clock was not set then. */
#include "analyze/input/unset_clock.h"

#include "format/base/file.h"
#include "format/reader/reader.h"
#include "format/time/time_text.h"

#include <string.h>

/* No recorder of ours ran before September 2001. */
#define EARLIEST (1000000000 * PL_NS_PER_SEC)
/* A clock that is ahead of ours by more is wrong. */
#define MOST_AHEAD (15 * 60 * PL_NS_PER_SEC)

static bool is_credible(int64_t utc_ns)
{
    return utc_ns >= EARLIEST && utc_ns <= pl_clock_utc() + MOST_AHEAD;
}

/* Logs of others, and what is made of them, are of any time. */
static bool is_recorded(const struct pl_discovered_log *f)
{
    return f->session && !f->imported && !f->foreign.file;
}

static bool is_being_recorded(const char *path)
{
    struct pl_file *f;
    bool is;

    if (pl_file_open(&f, path))
        return false;
    is = pl_file_is_locked(f);
    pl_file_close(f);
    return is;
}

/* The clocks of a file's last sample.  False: it has none. */
static bool last_sample(const char *path, struct pl_record *last)
{
    struct pl_reader *r;
    struct pl_item item;
    bool found = false;
    enum pl_status s = pl_reader_open(&r, path, NULL);

    if (s)
        return false;
    pl_reader_times_only(r);
    s = pl_reader_seek(r, INT64_MAX - 1);
    while (!s && !(s = pl_reader_next(r, &item)))
        if (item.kind == PL_ITEM_SAMPLE) {
            *last = item.record;
            found = true;
        }
    pl_reader_close(r);
    return found;
}

/*
 * What the clock would have shown at 'boot_ns' of the session if it had been set;
 * false: it never was.  A file may end with a later session, on another boot: then
 * it was not later than that.
 */
static bool set_time(const struct pl_record *last,
                     const struct pl_discovered_log *f, int64_t *utc_ns)
{
    uint64_t since = 0;

    /* of a clock that ran back, which is none since boot, more than any time */
    if (last->session == f->session)
        since = (uint64_t)last->boot_ns - (uint64_t)f->first_boot;
    if (!is_credible(last->utc_ns) || since > (uint64_t)last->utc_ns)
        return false;
    *utc_ns = last->utc_ns - (int64_t)since;
    return is_credible(*utc_ns);
}

/* Of the last file that has any, as a kill or a power cut may leave some without. */
static bool last_of_all(const struct pl_discovered_log *first,
                        const struct pl_discovered_log *end,
                        struct pl_record *last)
{
    while (end-- > first)
        if (last_sample(end->path, last))
            return true;
    return false;
}

/*
 * Files 'first' to 'end' are those of one session.  What has no record has no clock,
 * and begins with the file after it.
 */
static void set_clock(struct pl_discovered_log *first,
                      const struct pl_discovered_log *end)
{
    struct pl_record last = { 0 };
    size_t n = (size_t)(end - first);

    if (!is_recorded(first) || is_credible(first->first_utc) ||
        !last_of_all(first, end, &last))
        return;
    if (!is_credible(last.utc_ns) && is_being_recorded(end[-1].path))
        last.utc_ns = pl_clock_utc();
    while (n--) {
        struct pl_discovered_log *f = &first[n];

        if (f->foreign.no_record && f + 1 < end)
            f->right_utc = f[1].right_utc;
        else if (!f->foreign.no_record && !is_credible(f->first_utc))
            set_time(&last, f, &f->right_utc);
    }
}

static bool is_one_session(const struct pl_discovered_log *a,
                           const struct pl_discovered_log *b)
{
    return a->session && a->session == b->session && a->host && b->host &&
           !strcmp(a->host, b->host) && a->machine_hash == b->machine_hash;
}

void pl_log_discovery_set_clocks(struct pl_log_discovery *e)
{
    size_t end;

    for (size_t i = 0; i < e->num; i++)
        e->p[i].right_utc = e->p[i].first_utc;
    /* a single file is before and after no other */
    for (size_t i = 0; e->num > 1 && i < e->num; i = end) {
        for (end = i + 1; end < e->num && is_one_session(&e->p[i], &e->p[end]);
             end++)
            ;
        set_clock(&e->p[i], &e->p[end]);
    }
}
