/*                                         logger/linux/published/regions.h
 * The regions published by applications (logger/provider/): found by listing
 * folders, and untrusted.  Their structure is copied and validated
 * (region/region_validate.h) before use, and their values are copied from a
 * mapping; SIGBUS from a truncated file ends the copy, not the process.
 *
 * Per sample: pl_regions_scan first, then the copies may be read.  The scan
 * takes at most a tenth of the interval; regions without time are copied first
 * in the next sample.  Untrusted publishers (publishers.h) share a thousandth
 * of the interval, at most half a millisecond, and each gets its part of what
 * the others leave.  Used by one thread.
 */
#ifndef PL_LOGGER_LINUX_PUBLISHED_REGIONS_H
#define PL_LOGGER_LINUX_PUBLISHED_REGIONS_H

#include "format/payload/payloads.h"
#include "format/base/status.h"
#include "logger/linux/published/published.h"
#include "logger/region/region_read.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* As in the counter State: append only. */
enum pl_region_state {
    PL_STATE_LIVE,
    PL_STATE_FINAL,     /* closed, or its owner ended: the last values */
    PL_STATE_INVALID,   /* rejected; no values */
    PL_STATE_BUSY,      /* live, but groups stayed open */
    PL_STATE_DUPLICATE, /* live, but another region is shown in its place */
    PL_STATE_OVER_LIMIT,
    PL_STATE_HIDDEN, /* in no sample: unfinished, or ended and not removable */
};

enum { PL_REGION_SHOWN = PL_REGION_LABEL + sizeof " of user 4294967295" };

struct pl_region {
    struct pl_region_file_name called;
    /* Its name in the log, followed by the user if the process number in the
     * name of an untrusted publisher's file is not that of a process of this
     * user. */
    char label[PL_REGION_SHOWN];
    char *file;
    unsigned dir; /* index of its folder */
    uint64_t device, inode;
    uid_t uid; /* owner of the file, by the file system */
    struct pl_publisher *publisher;
    struct pl_region *peer; /* the publisher's next region */
    uint64_t memory;        /* taken of the publisher's share */
    bool unvalidated;       /* not validated so far */
    enum pl_region_state state;
    enum pl_region_reason reason;
    struct pl_region *next; /* in its list of the hash table by inode */
    unsigned chances;       /* samples in which it was unfinished, unlocked */
    int fd;                 /* -1: not open */
    size_t size;
    struct pl_region_image image;
    uint64_t seen;              /* pass in which it was first found */
    int64_t born_ns;            /* when its file was created */
    struct pl_published *table; /* NULL: invalid or over a limit */
    struct pl_region *same;     /* the next region with that table */
    uint64_t loose;             /* inconsistent sets so far */
    uint64_t shown;             /* last pass in which it was in the block */
    uint64_t listed;            /* last pass with its row of Perflog Provider */
    uint64_t left_out;          /* samples left out because of a limit */
    enum pl_limit limit;        /* that one, if its state is over a limit */
    unsigned busy;              /* consecutive samples in which it was busy */
    uint32_t position; /* in the object Perflog Provider of this sample */
    bool sampled;      /* was in a sample */
    int watch;         /* -1: none, it is checked in every sample */
    bool verified;     /* live and complete when checked; watched since */
    unsigned noted;    /* state and reason last reported; 0: none */
    unsigned times;    /* number of such reports */
    bool last;         /* its last values are in this sample */
};

struct pl_machine;
struct pl_regions;

/*
 * 'use_events': use inotify where possible to learn which folders and regions
 * to check; else all are checked in every sample.  'choice' must outlive *out.
 * PL_OK or PL_NOMEM.
 */
enum pl_status pl_regions_open(struct pl_regions **out, struct pl_machine *m,
                               const struct pl_counter_filter *choice,
                               uint64_t interval_ns, bool use_events);
void pl_regions_close(struct pl_regions *r); /* NULL is fine */

/* Find, validate and copy the regions of this sample. */
void pl_regions_scan(struct pl_regions *r);

/* Those of this sample, in a stable order; some are hidden. */
size_t pl_regions_num(const struct pl_regions *r);
struct pl_region *pl_regions_at(const struct pl_regions *r, size_t i);
/* True if this sample has its row of Perflog Provider. */
bool pl_regions_lists(const struct pl_regions *r, const struct pl_region *g);
struct pl_published_list *pl_regions_tables(struct pl_regions *r);

/*
 * The next change of a region's state, or refusal of a user by a limit, as a
 * line of text; false: none.  Only the first few changes of a region are
 * reported, and of an untrusted publisher only as many as its share of notes.
 */
bool pl_regions_news(struct pl_regions *r, enum pl_note_kind *kind, char *text,
                     size_t size);

/* Leave it out of this sample: it is over a limit. */
void pl_region_leave_out(struct pl_publishers *p, struct pl_region *g,
                         enum pl_limit limit);
/* True if a limit has refused anything so far. */
bool pl_regions_have_refused(const struct pl_regions *r);
/* So many refusals by a limit. */
uint64_t pl_regions_refusals(const struct pl_regions *r, enum pl_limit limit);

/* ---- for regions.c: copying numbers (region_guard.c) -------------------- */

/* Catch SIGBUS in mappings being copied; elsewhere it keeps its effect. */
void pl_region_guard(void);

/*
 * Copy all wanted sets of 'r'.  A set with an open group is retried until
 * 'deadline_ns' (CLOCK_MONOTONIC), then counted in its image's busy.  Reasons:
 * NONE, BUSY, TRUNCATED (the file has shrunk), INSTANCE (an invalid name),
 * LIMIT (it takes too long).
 */
enum pl_region_reason pl_region_copy_values(struct pl_region *r,
                                            struct pl_published_list *l,
                                            int64_t deadline_ns);

#endif
