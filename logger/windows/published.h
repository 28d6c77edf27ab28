/*                                               logger/windows/published.h
 * Counters published by applications (logger/provider/), read from their
 * regions: the interface to the reader of Windows' files.  published_windows.c
 * implements it; tests have their own.
 */
#ifndef PL_WINDOWS_PUBLISHED_H
#define PL_WINDOWS_PUBLISHED_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/base/text.h"
#include "format/block/titles.h"

#include <stdbool.h>
#include <stdint.h>

#define PL_PUBLISHED_NAME "Perflog Provider" /* the list of processes */

/*
 * Title indexes: the list of processes has those of Linux.  Tables have theirs
 * from PL_PUBLISHED_FIRST up, or so far after Windows' last title that counters
 * installed during the recording do not reach them.
 */
enum {
    PL_PUBLISHED_OWN = 21950,
    PL_PUBLISHED_FIRST = 40000,
    PL_PUBLISHED_AWAY = 10000,
    PL_PUBLISHED_MOST = 2 * 8192, /* of all tables */
};

/* What is asked for. */
struct pl_published_wish {
    int64_t perf_freq; /* of the block that the objects go into */
    int64_t budget_ns; /* to look for regions */
    /* True if an object of that name is in the sample already: tables that
     * have one are left alone. */
    bool (*is_there)(const void *context, struct pl_text name);
    const void *context;
};

struct pl_published {
    const struct pl_titles *titles; /* of all tables met so far, in English */
    /* A table found no room among the titles, or the tables, in the last read:
     * one makes room when no region of it was found for some reads. */
    bool left_out;
    /* Replace 'block' by one of all objects there are.  PL_NOMEM. */
    enum pl_status (*read)(struct pl_published *p,
                           const struct pl_published_wish *wish,
                           struct pl_buf *block);
    /* What was read last is recorded: the last counts of the dead are in the log. */
    void (*reported)(struct pl_published *p);
    void (*close)(struct pl_published *p);
};

/* 'first' is the index of the first title.  PL_NOMEM. */
enum pl_status pl_published_open(struct pl_published **out, uint32_t first);

#endif
