/*                                      logger/linux/processes/reaped_times.h
 * Processor time that taskstats' messages lack: what a process does after its
 * message, such as freeing its memory, and before it since the last tick or
 * switch.  When a parent waits for a process, the kernel charges all that the
 * process used to the parent (cutime and cstime of /proc/PID/stat).  What a parent was
 * charged in a sample beyond what the rows show is shared among its children
 * that ended, and theirs, by what each seems to have used.
 *
 * It adds up over samples: what is given to one process too much is missing for
 * the next ones of that parent.  No process is given more than it can have
 * used, and none anything if its parent does not wait for it.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_REAPED_TIMES_H
#define PL_LOGGER_LINUX_PROCESSES_REAPED_TIMES_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "logger/linux/machine/source.h"

#include <stddef.h>
#include <stdint.h>

/* What is known after a sample. */
struct pl_reaped_sample {
    struct pl_buf reapers; /* struct reaper, ascending by pid */
    uint64_t tick;         /* its number; 0: there was none */
    int64_t boot_ns;
    uint64_t lost; /* m->exits_lost */
};

/* State, kept between samples; all zero at first. */
struct pl_reaped_times {
    struct pl_reaped_sample was, now;
    struct pl_buf members; /* struct member: those that ended */
    struct pl_buf table;   /* of them, by pid */
    struct pl_buf parents; /* struct parent, one for each row of the walk */
};

void pl_reaped_times_release(struct pl_reaped_times *t);

/*
 * Add to the first 'num' of the reports (struct pl_task_exit with the starts of
 * process_ended_starts.c, in the order of their ends).  's->rows' has the rows of
 * the walk only, 's->before' the previous sample's, of which the first
 * 'live_before' are of the walk.  Once per sample.  PL_OK or PL_NOMEM.
 */
enum pl_status pl_reaped_times_add(struct pl_reaped_times *t,
                                   const struct pl_source *s,
                                   size_t live_before,
                                   const struct pl_buf *reports, size_t num);

/* The sample 'tick' is lost; its reports come again. */
void pl_reaped_times_undo(struct pl_reaped_times *t, uint64_t tick);

#endif
