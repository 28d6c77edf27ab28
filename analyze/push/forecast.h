/*                                                  analyze/push/forecast.h
 * How many series and samples a log makes, object by object: what decides
 * whether an engine can bear it.
 */
#ifndef PL_ANALYZE_PUSH_FORECAST_H
#define PL_ANALYZE_PUSH_FORECAST_H

#include "analyze/series/series_registry.h"
#include "format/base/status.h"

#include <stddef.h>
#include <stdint.h>

struct pl_forecast { /* all zero at first */
    struct pl_forecast_object {
        const struct pl_object_names *object; /* NULL: nothing of it so far */
        uint64_t live, most_live; /* series at once, now and at most */
        uint64_t series, samples; /* different ones; all */
    } * objects;                  /* by rank */
    size_t num, cap;
    uint64_t *seen; /* hash table of hashes of labels; 0: free */
    size_t num_seen, cap_seen;
    uint64_t seed;
};

/* A series of these labels begins, or begins again.  PL_NOMEM. */
enum pl_status pl_forecast_series(struct pl_forecast *f,
                                  const struct pl_object_names *o,
                                  const void *labels, size_t n);
void pl_forecast_end(struct pl_forecast *f, const struct pl_object_names *o);
void pl_forecast_sample(struct pl_forecast *f, const struct pl_object_names *o);

/* All that begins and ends at a time has: as many series are there at once. */
void pl_forecast_end_time(struct pl_forecast *f);

/*
 * Print a table, with what a day will be if it goes on as in 'length_ns' (0: the
 * log has one sample).
 */
void pl_forecast_print(const struct pl_forecast *f, uint64_t length_ns);
void pl_forecast_release(struct pl_forecast *f);

#endif
