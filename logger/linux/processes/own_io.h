/*                                          logger/linux/processes/own_io.h
 * What a process read and wrote itself, from /proc.  The kernel's sum for a
 * process, PID/io, is that of its threads, of its threads that ended, and of the
 * children that it reaped; a thread's, PID/task/TID/io, is its own only.  To
 * read those of all threads is dear.  The sum is enough while no child is
 * reaped, since what was inherited does not change then; a process reaps no
 * child without the faults of its children growing (PID/stat), as a child that
 * does anything has faults, but for one that shares its parent's memory (see below).  A
 * process with one thread needs its thread's file only, as long as it reaps none; when
 * it is met, the sum only, which costs less: most are met once.
 *
 * Where threads are not seen to end, what one did between its last sample and
 * its end counts as inherited if a child was reaped in the same time, or if the
 * process had one thread in both samples.  What threads did that ended before
 * the first sample is unknown, and a constant, or its own if it had reaped no child by
 * then nor by the second one.
 *
 * Where they are, the sum is read as well when one has ended, also of a process
 * with one thread, as the kernel rounds what it reports (taskstats.h); the
 * report counts where a child was reaped in the same time.  It adds to what the sum
 * had taught in earlier samples, but for the last one: there it may have been in the
 * sum before it was reported.
 *
 * Where they are, a child without faults is seen to end as well: of its parent the sum
 * and the threads' files are read from then on, as if it reaped in each sample.
 *
 * Where they are, one may end after the reports of a sample were taken and
 * before its process is read: what it did is then in no file, and its report
 * comes with the next sample.  Until then the process' own is too low, never
 * too high; where it was separated from what was inherited at that moment, that
 * is done once more.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_OWN_IO_H
#define PL_LOGGER_LINUX_PROCESSES_OWN_IO_H

#include <stdbool.h>
#include <stdint.h>

enum { PL_IO_WORDS = 7 }; /* in the order of the lines of PID/io */

/* All zero: nothing is known. */
struct pl_own_io {
    bool is_known;
    bool has_rest;
    bool is_new_split;     /* 'inherited' was found with the last reading */
    uint64_t started;      /* identifies the process */
    uint64_t child_faults; /* of children that it had reaped */
    uint64_t num_ended;    /* of its threads, as far as seen */
    uint64_t own[PL_IO_WORDS];
    uint64_t inherited[PL_IO_WORDS]; /* of the kernel's sum */
    uint64_t rest[PL_IO_WORDS];      /* of its own, ended threads' */
    uint64_t ended[PL_IO_WORDS];     /* as they were last reported */
    uint64_t reported[PL_IO_WORDS];  /* what those did at least that were */
};

/* The process, as PID/stat has it, and what its ended threads did as far as
 * seen: PL_IO_WORDS words; NULL: threads are not seen to end. */
struct pl_io_owner {
    uint64_t started;
    uint64_t child_faults;
    bool has_one_thread;
    bool is_seen_from_start; /* it began when threads were seen to end */
    bool reaps_unseen;       /* it has had children without faults */
    uint64_t num_ended;      /* threads */
    const uint64_t *ended;
};

enum pl_io_need {
    PL_NEEDS_SUM = 1 << 0,     /* PID/io */
    PL_NEEDS_THREADS = 1 << 1, /* the sum over PID/task */
};

/* True if the process' own would grow by the sum, if no child was reaped. */
bool pl_own_io_has_grown(const struct pl_own_io *o,
                         const struct pl_io_owner *who, const uint64_t *sum);

/* What must be read: bits of enum pl_io_need. */
unsigned pl_own_io_needs(const struct pl_own_io *o,
                         const struct pl_io_owner *who);

/* True if threads were seen to end since the last reading. */
bool pl_own_io_has_new_ends(const struct pl_own_io *o, uint64_t num_ended);

/*
 * Take what was read: 'sum' and 'threads', NULL for what was not needed, read
 * in that order, and both after PID/stat: a child that is reaped meanwhile is
 * then noticed in the next sample.
 */
void pl_own_io_take(struct pl_own_io *o, const struct pl_io_owner *who,
                    const uint64_t *sum, const uint64_t *threads);

#endif
