/*                                                    logger/windows/self.h
 * The object Performance Logger: the recorder's own cost, with the same title
 * indexes as on Linux.
 */
#ifndef PL_WINDOWS_SELF_H
#define PL_WINDOWS_SELF_H

#include "format/base/buf.h"
#include "format/block/counter_path.h"
#include "format/block/titles.h"
#include "logger/sampler.h"

#include <stdbool.h>
#include <stdint.h>

/* Title indexes that are perflog's own, on every system; the first is the
 * object's. */
#define PL_SELF_NAME "Performance Logger"
enum { PL_SELF_FIRST = 21700, PL_SELF_LAST = 21999 };

/* What the system knows of this process; times in 100 ns. */
struct pl_process_facts {
    uint64_t cpu, user, privileged;
    uint64_t page_faults;
    uint64_t working_set, working_set_peak; /* bytes */
    uint64_t id;
};

/* Ask the system (self_windows.c). */
void pl_process_facts_read(struct pl_process_facts *facts);

/* Everything the object shows: one field per counter. */
struct pl_self {
    struct pl_process_facts process;
    struct pl_logger_stats recorder;
    uint64_t last_lateness_us, last_collection_us;
    uint64_t started_100ns; /* the session, on the boot clock */
    uint64_t read_errors;   /* blocks refused, whole or in part */
    uint64_t instances;     /* in this sample */
};

/* Append the object; now_100ns is its clock, the boot clock's. */
void pl_self_put(struct pl_buf *block, const struct pl_self *self,
                 int64_t now_100ns);

/* True if a path names the object and one of its counters. */
bool pl_self_fits(const struct pl_counter_path *path);

/* Its names and help texts.  PL_NOMEM. */
enum pl_status pl_self_label(struct pl_titles *titles);

#endif
