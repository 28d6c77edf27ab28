/*                                             tests/support/replayed.h
 * What a replay shows of a made log, as text; and objects to make logs of.
 */
#ifndef PL_TESTS_SUPPORT_REPLAYED_H
#define PL_TESTS_SUPPORT_REPLAYED_H

#include "analyze/replay/replay.h"
#include "format/block/winperf.h"
#include "tests/support/recorded.h"

enum { RATE = 1002, GAUGE = 1004, PID = 1006, START = 1008, FLAGS = 1010 };
enum { SECOND = 1000 };
enum { BUSY = 10000000 }; /* 1 s of 100 ns at 100 % */
#define NS_PER_S UINT64_C(1000000000)

extern const struct made_counter disk_counters[2]; /* RATE and GAUGE */
extern const struct made_object disk, process;
/* As 'process', and it is known when an instance began to count from 0. */
extern const struct made_object born;

const char *log_path(void);

/* What the log shows for 'choice', one row a line. */
char *replayed(const char *path, const char *choice,
               const struct pl_time_range *window);

#endif
