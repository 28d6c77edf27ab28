/*                                              analyze/browse/page_reader.h
 * The samples of one host as moments, one at a time and in any order: the one
 * at a time, the next one, the one before.  An index leads to a sample, so that
 * none costs more than reading a few chunks.
 */
#ifndef PL_ANALYZE_BROWSE_PAGE_READER_H
#define PL_ANALYZE_BROWSE_PAGE_READER_H

#include "analyze/input/host_log.h"
#include "analyze/moment/moment.h"
#include "analyze/amounts/interval_sums.h"
#include "analyze/replay/replay.h"
#include "format/block/counter_path.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_page_reader {
    const struct pl_host_log *log;
    const struct pl_moment_sort *sort;
    uint64_t max_block;
    /* as in replay.h; set them after opening */
    bool key_rows;
    void (*watch)(void *ctx, const struct pl_host_log *log,
                  const struct pl_item *item);
    void *watch_ctx;
    struct pl_counter_path_list paths; /* what a page shows */
    bool *matched;                     /* one for each of them */
    /* Where reading goes on; names live as long as it does. */
    struct pl_page_source {
        struct pl_registry *registry;
        struct pl_replay *replay;
        unsigned samples; /* read so far */
        bool is_read; /* nothing behind the current sample is read from it */
    } source;
    struct pl_interval_sums sums;
    struct pl_moment moment; /* the current sample, ranked, if 'there' */
    bool there;
    uint64_t interval_ns; /* 0: none */
    int64_t time_ns;      /* its row time */
    /* of the sample read before it; not before it if it is not known */
    int64_t older_ns;
    /* which samples they are, as in struct pl_row */
    struct pl_page_place {
        uint64_t session;
        uint32_t seq;
    } place, older;
    /* damage left out, by this reading and all before */
    bool damaged, too_new;
};

/*
 * Begin with a host's log, which outlives it; no sample is read.  'sort' NULL:
 * nothing of processes is read.  PL_USAGE: 'sort' names no counter; PL_NOMEM.
 */
enum pl_status pl_page_reader_open(struct pl_page_reader *r,
                                   const struct pl_host_log *log,
                                   const struct pl_moment_sort *sort,
                                   uint64_t max_block);
void pl_page_reader_close(struct pl_page_reader *r);

/*
 * Each makes another sample the current one; PL_END: there is none, and the
 * current one stays.  PL_IO, PL_NOMEM.  Where a clock was set back, several may
 * have a time, which then leads to one in the last file that begins before it, or if
 * that has none to any; the next one and the one before are those recorded then.
 */
/* The first one at or after a time; INT64_MIN: the first of all. */
enum pl_status pl_page_reader_at(struct pl_page_reader *r, int64_t time_ns);
/* The first one from a time to another. */
enum pl_status pl_page_reader_between(struct pl_page_reader *r, int64_t from_ns,
                                      int64_t to_ns);
/* The one of a time that is at this place. */
enum pl_status pl_page_reader_at_place(struct pl_page_reader *r,
                                       int64_t time_ns,
                                       struct pl_page_place place);
enum pl_status pl_page_reader_next(struct pl_page_reader *r);
/* The one before the current sample. */
enum pl_status pl_page_reader_previous(struct pl_page_reader *r);
/* The last one before a time. */
enum pl_status pl_page_reader_before(struct pl_page_reader *r, int64_t time_ns);
/* The one recorded last; and where its time is known. */
enum pl_status pl_page_reader_last(struct pl_page_reader *r);
enum pl_status pl_page_reader_last_at(struct pl_page_reader *r,
                                      int64_t time_ns);

/* The instant before, if there is one: logs may hold any time. */
static inline int64_t pl_just_before(int64_t time_ns)
{
    return time_ns > INT64_MIN ? time_ns - 1 : time_ns;
}

#endif
