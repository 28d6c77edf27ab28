/*                                                    analyze/push/resume.h
 * Which rows of a host's log are to be sent: where earlier runs stopped, and
 * what no run can send.
 *
 * Sessions are read in the order in which they began by their own clock.  What
 * earlier runs have sent is known by the position, which is their latest row,
 * and by the marks of sessions in which rows were left, being in the future.  A
 * row was sent
 *   - if its session has a mark, or is the position's: up to the number there;
 *   - else if it is read before the position and is not later.
 * All others are to be sent: so nothing is lost where a run stopped between a
 * position and sessions that are earlier, but are read after it as their clock
 * had been in the future.  Rows of windows have no session: they have one mark
 * together, which is the time of the last that followed one in the future.
 */
#ifndef PL_ANALYZE_PUSH_RESUME_H
#define PL_ANALYZE_PUSH_RESUME_H

#include "analyze/push/position.h"
#include "analyze/push/push.h"
#include "analyze/push/top_processes.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Rows before the position that are read again, to know what lives there.  A
 * time that is later than ours by more is of a clock that was wrong.
 */
#define PL_PUSH_READ_AGAIN (15 * 60 * PL_NS_PER_SEC)

#define PL_NO_LOG SIZE_MAX

struct pl_push_host {
    const struct pl_host *host;
    size_t place; /* of its position, see pl_positions_set */
    size_t log;   /* its number in the query; PL_NO_LOG: it is in a pipe */
    /* what earlier runs sent: not passed yet while 'resumes' */
    bool is_known;
    struct pl_position from;
    bool resumes;
    bool found;    /* its sample was read */
    bool is_there; /* or what was recorded up to it, in another way */
    /* neither was, and rows that were not sent are read, from this time on */
    bool overtaken;
    int64_t overtaken_ns;
    /* what was read last; none before the first row */
    struct pl_position at;
    bool any;
    bool at_is_past;         /* earlier runs went on from 'at' */
    struct pl_position upto; /* the latest of what was read: the position */
    /* the session that is being read, and how far earlier runs came in it */
    bool in_session;
    uint64_t session;
    bool was_reached;
    struct pl_position reached;
    /* how far this one came; of windows it is that of earlier runs at first */
    bool has_mark, keeps_mark;
    struct pl_position mark;
    bool is_late; /* rows in the future were read */
    /* rows that were left since the last one that was sent; the latest */
    uint64_t left;
    int64_t left_ns;
    bool left_future; /* the row before was in the future */
    bool is_cut;      /* the window was not sent, see pl_push_is_cut */
    bool open;        /* the row of the current time has begun */
    bool skip;        /* it is not sent: its time is not after the one before,
                       * or in the future */
    bool muted;       /* it was sent by an earlier run */
    bool had_ended;   /* at the last look, after its last row */
    struct pl_top_processes top;
};

/* 'host' must outlive it. */
void pl_push_host_init(struct pl_push_host *h, const struct pl_push *p,
                       const struct pl_host *host);

/* No further rows of the host will come. */
bool pl_push_has_ended(const struct pl_push *p, const struct pl_push_host *h);

/*
 * True of a window that is not complete, as the host's log is cut in it: it is left
 * to a later run, as it would have another value for the same time then.  A log
 * that is not being recorded may be recorded on, or be a copy of one that is:
 * where a position is kept, its last window is complete when its time is over,
 * and quarter of an hour more if the recorder did not write that it has ended.
 */
bool pl_push_is_cut(const struct pl_push *p, const struct pl_push_host *h,
                    int64_t end_ns);

/* In the future; a window is, if its beginning is. */
bool pl_push_is_ahead(const struct pl_push *p, int64_t time_ns);

/* A clock that had been in the future, as one without a battery, was set. */
bool pl_push_was_set_right(const struct pl_push *p, int64_t before_ns,
                           int64_t time_ns);

/*
 * Decide what becomes of the next row, as h->muted and h->skip, and count it if
 * it is lost.  PL_NOMEM.
 */
enum pl_status pl_push_host_judge(struct pl_push *p, struct pl_push_host *h,
                                  const struct pl_row *row);

/* A row that is not skipped becomes the last one read. */
void pl_push_host_move(struct pl_push *p, struct pl_push_host *h,
                       const struct pl_row *row);

/* Set its position and mark in p->positions.  PL_NOMEM. */
enum pl_status pl_push_host_keep(struct pl_push *p, struct pl_push_host *h);

#endif
