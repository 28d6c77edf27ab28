/*                                           analyze/series/series_filter.h
 * What the user wants to see: which series (-c) and which time (--from,
 * --to).
 */
#ifndef PL_ANALYZE_SERIES_SERIES_FILTER_H
#define PL_ANALYZE_SERIES_SERIES_FILTER_H

#include "analyze/series/series_registry.h"
#include "format/block/counter_path.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* How instances are ranked. */
enum pl_ranking_way {
    PL_TOP_AMOUNT, /* their total amount: see ranking.h */
    PL_TOP_MEAN,   /* their mean while they were there */
    PL_TOP_MAX,    /* their greatest value */
};

struct pl_ranking {
    uint64_t num; /* instances shown of each object; 0: all */
    /* the counter to rank by; n 0: see pl_series_filter_rank_slot */
    struct pl_text counter;
    enum pl_ranking_way way;
};

struct pl_series_filter {
    const struct pl_counter_path_list *paths; /* empty: everything */
    bool *matched; /* per path: some series matched it; NULL: not recorded */
    /* asked about a sample that makes no row: nothing is recorded */
    bool outside;
    /* Of Process and Thread only _Total, if no path was given. */
    bool brief;
    /* and these instances of Process, ending with NULL; NULL: none */
    const char *const *processes;
    /* counters it ranks by are wanted too; NULL: none */
    const struct pl_ranking *top;
    /* counters of processes wanted too, ending with NULL */
    const char *const *needed;
};

/* Could anything of this object be wanted? */
bool pl_series_filter_has_object(const struct pl_series_filter *c,
                                 const char *host, const char *object);

/* Could this counter be wanted in any instance on any host? */
bool pl_series_filter_has_counter(const struct pl_series_filter *c,
                                  const char *object, const char *counter);

/*
 * Is this counter wanted in every instance on every host?  It then says so in
 * c->matched; false: ask of each series.
 */
bool pl_series_filter_has_everywhere(const struct pl_series_filter *c,
                                     const char *object, const char *counter);

/* Is anything of this instance wanted? */
bool pl_series_filter_has_instance(const struct pl_series_filter *c,
                                   const char *host, const char *object,
                                   const char *instance);

/* Is it one of c->needed? */
bool pl_series_filter_needs(const struct pl_series_filter *c,
                            const char *object, const char *counter);

/* Is this series wanted?  'instance' is NULL for objects without instances. */
bool pl_series_filter_has(const struct pl_series_filter *c, const char *host,
                          const char *object, const char *instance,
                          const char *counter);

/*
 * The slot of 'o' that its instances are ranked by: c->top's counter if it has
 * one, else the only counter that the paths select, whatever the instance and
 * host, else the object's default counter.  PL_NO_SLOT: it has no counters yet.
 */
uint32_t pl_series_filter_rank_slot(const struct pl_series_filter *c,
                                    const struct pl_object_names *o);

/* Rows with from < t <= to. */
struct pl_time_range {
    bool has_from, has_to;
    int64_t from_ns, to_ns;
    /*
     * Reading begins with the last file that begins no later than 'from', and
     * ends with the one that has the first row after 'to': of the rows that a
     * clock, set back, leaves in other files too, those recorded last are found.
     */
    bool in_file;
    /* But if there are none, all files are searched. */
    bool or_elsewhere;
    /* But reading ends with the last file: the range is that of the log's end. */
    bool to_last;
    /* And it ends with that row: those that follow it there are not found. */
    bool ends;
    /*
     * 'from' is where the range is entered: from the first row after it on, all
     * rows are in it, those of a clock that was set back, too.
     */
    bool onwards;
    /*
     * What a time names, such as a second, ends with 'unit_to'.  Of the rows
     * after it only those are in the range that cover its beginning 'unit_from':
     * sessions and hosts differ in their intervals.
     */
    bool has_unit;
    int64_t unit_from_ns, unit_to_ns;
};

/* Is a row, or a sample of a session of this interval, behind the range? */
bool pl_time_range_is_behind(const struct pl_time_range *w, int64_t time_ns,
                             uint64_t interval_ns);

#endif
