/*                                                 tests/support/recorded.h
 * Logs made to order for tests of the analyzer: say which object has which
 * counters and, sample by sample, which instances with which values.
 */
#ifndef PL_TESTS_SUPPORT_RECORDED_H
#define PL_TESTS_SUPPORT_RECORDED_H

#include "format/block/titles.h"
#include "format/writer/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_VALUES = 8, INDEX_NAME_ONLY = 0 };

struct made_counter {
    uint32_t index;
    const char *name;
    uint32_t type;
    uint8_t flag_bit; /* PL_NO_FLAG */
    uint8_t total_rule;
};

struct made_object {
    uint32_t index;
    const char *name;
    const struct made_counter *counters;
    size_t num_counters;
    uint32_t identity[PL_MAX_IDENTITY]; /* counter indexes, 0: none */
    uint32_t flags_counter;
    uint32_t birth; /* index of the counter with the time, 0: none; then all
                       that are counted begin at 0 */
    uint32_t birth_slack;
    bool some_left_out; /* of _Total, where bit 4 of the flags is set */
};

struct made_instance {
    const char *name;            /* NULL: the object has no instances */
    uint64_t values[MAX_VALUES]; /* by counter */
};

/* A log being made; all clocks run at 10 MHz from 'second' 0. */
struct maker {
    struct pl_writer *writer;
    struct pl_titles *titles;
    const struct made_object *object;
    int64_t start_utc;
};

/* Begin a session in 'path' as host 'host'; appends if the file is there. */
void make_begin(struct maker *m, const char *path, const char *host,
                const struct made_object *object, uint64_t interval_ns);

/* One sample 'at_ms' after the start: instances up to one without values. */
void make_sample(struct maker *m, int64_t at_ms,
                 const struct made_instance *instances, size_t num);

void make_gap(struct maker *m, enum pl_gap_cause cause, uint32_t count);
void make_end(struct maker *m);

/* 2026-11-21 12:00:00 UTC, where every made log begins. */
#define MADE_START (INT64_C(1795262400) * 1000000000)

#endif
