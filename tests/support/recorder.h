/*                                                 tests/support/recorder.h
 * A writer of segments in the folder of the test, with a clock that is only put
 * ahead, and calls that fail on demand (faults.h).  For programs that link with
 * --wrap=pl_clock_steady.
 */
#ifndef PL_TESTS_SUPPORT_RECORDER_H
#define PL_TESTS_SUPPORT_RECORDER_H

#include "tests/support/faults.h"
#include "tests/support/logs.h"

#define SECOND PL_NS_PER_SEC
#define MINUTE (60 * SECOND)
#define DAY (24 * 60 * MINUTE)

extern int64_t
    recorder_ahead; /* the steady clock, since it was first read, ns */

struct recorder {
    struct pl_writer_options options;
    struct pl_writer_stats final;
    struct pl_writer *w;
    struct machine m;
    struct log l;
};

/* The log is "log.plog", its machine has the present time. */
void recorder_start(struct recorder *r, const struct pl_writer_options *o);

/* Another sample, a second later, which is accepted; or one that may be lost. */
void recorder_add(struct recorder *r);
enum pl_status recorder_try(struct recorder *r);

/* End it, with r->final; or begin another one. */
void recorder_stop(struct recorder *r);
void recorder_restart(struct recorder *r);

/* The next 'num' calls fail. */
void let_fail(enum faulty_call call, uint32_t num, int error);

/* Make segments "NAME-ddd.plog" of the log. */
void make_segments(const char *name, unsigned from, unsigned num, size_t bytes);

/* The number of files whose names begin so, and their bytes. */
size_t num_files(const char *begin);
uint64_t num_bytes(const char *begin);
void delete_all(void);

/* Gaps by cause, summed up over what has been read. */
extern struct pl_gaps reported[PL_NUM_GAP_CAUSES];

/* Read a file, or all; returns the samples. */
size_t read_one(const char *path);
size_t read_all(void);

#endif
