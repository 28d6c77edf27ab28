/*                                                  analyze/browse/history.h
 * The vitals of the minutes before a sample, for spark lines.  They are read in
 * pieces; what was read stays while one moves about in it.
 */
#ifndef PL_ANALYZE_BROWSE_HISTORY_H
#define PL_ANALYZE_BROWSE_HISTORY_H

#include "analyze/browse/page_reader.h"
#include "analyze/browse/vitals.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PL_SPARKS = 20 }; /* characters of the longest spark line */

struct pl_history {
    struct pl_page_reader reader;
    bool reading;
    int64_t step_ns;        /* what a character stands for */
    int64_t from_ns, to_ns; /* what is known: (from, to]; equal: nothing */
    int64_t wanted_ns;      /* while reading: up to here */
    /* The greatest values of a part of a step, the oldest first. */
    struct pl_history_part {
        int64_t number; /* its time by 'part_ns' */
        float values[PL_PAGE_VITALS];
    } * parts;
    size_t num, cap;
    int64_t part_ns;
};

/*
 * The sample of 'page' is shown now, the one after the last that was shown if
 * 'next'.  Sets h->reading if something must be read.  PL_NOMEM.
 */
enum pl_status pl_history_show(struct pl_history *h,
                               const struct pl_page_reader *page, bool next);

/* Read on for some milliseconds; h->reading is false when all is there. */
enum pl_status pl_history_read(struct pl_history *h);

/*
 * The values of the last 'n' steps before and with the sample at 'time_ns', the
 * oldest first; NAN: not known.
 */
void pl_history_values(const struct pl_history *h, int64_t time_ns,
                       size_t vital, size_t n, float *out);

/* The same log is opened again as 'log', because it has grown. */
void pl_history_move(struct pl_history *h, const struct pl_host_log *log);

/* Forget all, as the log is another one. */
void pl_history_clear(struct pl_history *h);

#endif
