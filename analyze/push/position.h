/*                                                  analyze/push/position.h
 * How far each host's log has been sent: (session, seq) of the last sample that
 * the receiver has, in a small file that is replaced as a whole, and synced.  It
 * keeps which machine has which label, too, as two machines may have one name.
 * One process at a time has it: it locks a file beside it, which also notes what
 * is being sent, as a later run cannot know whether that was taken.
 */
#ifndef PL_ANALYZE_PUSH_POSITION_H
#define PL_ANALYZE_PUSH_POSITION_H

#include "format/base/file.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_position {
    char *host; /* as its samples are labelled; no two machines have the same */
    /* the machine, as pl_host has it; NULL: not known, as in older files */
    char *own_name;
    uint64_t machine_hash;
    uint64_t session;
    uint32_t seq;
    int64_t time_ns; /* row time of that sample */
    bool ended;      /* the ends of all series after it were sent, too */
};

struct pl_positions { /* all zero at first */
    char *path, *part, *lock_path;
    char *url; /* of the receiver */
    struct pl_position *hosts;
    size_t num, cap;
    /* how far each of some sessions has come, of whatever hosts; see resume.h */
    struct pl_position *marks;
    size_t num_marks, cap_marks;
    struct pl_file *lock;
    /*
     * An earlier run began to send samples up to that time, and did not learn
     * whether they were taken; PL_NOTHING_SENDING: there are none.
     */
    int64_t sending_ms;
};

#define PL_NOTHING_SENDING INT64_MIN

/*
 * Lock and read 'path', which need not exist.  PL_BUSY: another process has it;
 * PL_CORRUPT: it is no such file; PL_USAGE: it is of another receiver; PL_UNSAFE
 * with *why, PL_IO, PL_NOMEM.
 */
enum pl_status pl_positions_open(struct pl_positions *p, const char *path,
                                 const char *url, const char **why);

/* NULL: nothing of that host was sent. */
struct pl_position *pl_positions_find(const struct pl_positions *p,
                                      const char *host);

/*
 * Set the position of 'host'.  Names are copied; the machine stays once it is known.
 * *place is 0 at first, and then where that position is, so that it is not searched
 * again.  PL_NOMEM.
 */
enum pl_status pl_positions_set(struct pl_positions *p, const char *host,
                                size_t *place, const struct pl_position *to);

/* NULL: that session of the host has no mark. */
const struct pl_position *pl_positions_mark(const struct pl_positions *p,
                                            const char *host, uint64_t session);

/*
 * Set the mark of a session, to->session.  A host has PL_MOST_MARKS at most: the
 * one that was set first is dropped, and its session counts as not sent.
 * PL_NOMEM.
 */
enum { PL_MOST_MARKS = 64 };
enum pl_status pl_positions_set_mark(struct pl_positions *p, const char *host,
                                     const struct pl_position *to);

/*
 * Note, before they are posted, that samples up to 'ms' are being sent.  It is
 * for kills of the process, so it is not synced.  PL_IO.
 */
enum pl_status pl_positions_begin_sending(struct pl_positions *p, int64_t ms);

/* They were answered: of what is noted up to 'ms' nothing is left.  PL_IO. */
enum pl_status pl_positions_end_sending(struct pl_positions *p, int64_t ms);

/* Write the file, and sync it before it gets its name.  PL_IO, PL_NOMEM. */
enum pl_status pl_positions_save(struct pl_positions *p);
void pl_positions_close(struct pl_positions *p);

#endif
