/*                                         logger/linux/published/regions.h
 * The regions that applications publish (logger/provider/): found by listing
 * folders, believed in nothing.  Their structure is copied and checked
 * (region/check.h) before it is used, and their numbers are copied out of a
 * mapping in which a truncated file is met with, not died of.
 *
 * Per sample: pl_regions_scan first, then the copies may be looked at.  It
 * takes at most a tenth of the interval; what there is no time for has its
 * turn in the next sample.  Strangers (publishers.h) share a thousandth of it,
 * half a millisecond at most, and each has his part of what the others leave.  One thread.
 */
#ifndef PL_LOGGER_LINUX_PUBLISHED_REGIONS_H
#define PL_LOGGER_LINUX_PUBLISHED_REGIONS_H

#include "format/log/payloads.h"
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
    PL_STATE_FINAL,     /* closed or dead: these are its last values */
    PL_STATE_INVALID,   /* not believed; no values */
    PL_STATE_BUSY,      /* live, but groups did not end while we waited */
    PL_STATE_DUPLICATE, /* live, but another one is shown in its place */
    PL_STATE_OVER_LIMIT,
    PL_STATE_HIDDEN, /* in no sample: half made, or dead and not to remove */
};

enum { PL_REGION_SHOWN = PL_REGION_LABEL + sizeof " of user 4294967295" };

struct pl_region {
    struct pl_region_file_name called;
    /* As it is called in the log: with its user if the process number in the
     * name of a stranger's file is not that of a process of his. */
    char label[PL_REGION_SHOWN];
    char *file;
    unsigned dir; /* of the list of folders */
    uint64_t device, inode;
    uid_t uid; /* by the file system, as all that says whose it is */
    struct pl_publisher *publisher;
    struct pl_region *peer; /* the next one of his */
    uint64_t memory;        /* of his share */
    bool doubted;           /* has not been believed so far */
    enum pl_region_state state;
    enum pl_region_reason reason;
    struct pl_region *next; /* of files with such inode numbers */
    unsigned chances;       /* samples in which it was half made and unlocked */
    int fd;                 /* -1: not open */
    size_t size;
    struct pl_region_image image;
    uint64_t seen;              /* the pass in which it was met first */
    int64_t born_ns;            /* when its file was made */
    struct pl_published *table; /* NULL: not believed, or over limit */
    struct pl_region *same;     /* the next one of that table */
    uint64_t loose;             /* sets, so far */
    uint64_t shown;             /* the last pass in which it was in the block */
    uint64_t left_out;          /* samples in which a limit left it out */
    unsigned busy;              /* samples in a row in which it was */
    uint32_t position; /* in the object Perflog Provider of this sample */
    bool met;          /* was in a sample */
    int watch;         /* -1: none, it is asked in every sample */
    bool settled;      /* alive and whole when asked, and watched since */
    unsigned told;     /* the state and reason last told; 0: none */
    unsigned times;    /* that any were told */
    bool last;         /* not to be looked at again */
};

struct pl_machine;
struct pl_regions;

/*
 * 'told': have the kernel tell (inotify) which folders and regions to look at,
 * where it can; else all are, in every sample.  PL_OK or PL_NOMEM.  'choice'
 * must live on.
 */
enum pl_status pl_regions_open(struct pl_regions **out, struct pl_machine *m,
                               const struct pl_counter_filter *choice,
                               uint64_t interval_ns, bool told);
void pl_regions_close(struct pl_regions *r); /* NULL is fine */

/* Find, check, copy.  PL_OK or PL_NOMEM. */
enum pl_status pl_regions_scan(struct pl_regions *r);

/* Those of this sample, in a stable order; some are hidden. */
size_t pl_regions_num(const struct pl_regions *r);
struct pl_region *pl_regions_at(const struct pl_regions *r, size_t i);
struct pl_published_list *pl_regions_tables(struct pl_regions *r);

/*
 * A region whose state has changed, or a user whom a limit refuses something,
 * in words for people; false: none has.  Of what changes for ever only the first
 * few are reported, and of a stranger no more than his share.
 */
bool pl_regions_news(struct pl_regions *r, enum pl_note_kind *kind, char *text,
                     size_t size);

/* ---- for regions.c: copying numbers (region_guard.c) -----------------------*/

/* Catch SIGBUS in mappings from now on; other causes are as deadly as ever. */
void pl_region_guard(void);

/*
 * Copy all wanted sets of 'r'.  Those in which a group does not end are tried
 * again until 'deadline_ns' (CLOCK_MONOTONIC), then counted in its image's busy.
 * Reasons: NONE, BUSY, TRUNCATED (the file has shrunk), INSTANCE (a name lies),
 * LIMIT (it takes too long).
 */
enum pl_region_reason pl_region_copy_values(struct pl_region *r,
                                            struct pl_published_list *l,
                                            int64_t deadline_ns);

#endif
