/*                                          logger/windows/counter_filter.h
 * Translates -c and --all for Windows: the values to query of the performance
 * data ("Global", "Costly", or title indexes such as "238 2"), and the objects
 * and counters of the results to record.  Instances are not filtered.
 */
#ifndef PL_WINDOWS_CHOICE_H
#define PL_WINDOWS_CHOICE_H

#include "format/block/counter_path.h"
#include "format/block/title_text.h"
#include "format/block/titles.h"
#include "format/block/winperf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PL_MAX_QUERIES = 2, PL_MAX_QUERY = 1024 };

/*
 * The names of this machine, in English and in the requested language, and
 * those of published objects.
 */
struct pl_names {
    struct pl_title_text lists[2];
    const struct pl_titles *published; /* NULL: nothing */
};

struct pl_counter_filter {
    const struct pl_counter_path_list *paths; /* NULL: none */
    struct pl_value_query {
        char value[PL_MAX_QUERY];
        bool by_paths; /* take what a path names only; else everything */
    } queries[PL_MAX_QUERIES];
    size_t num_queries;
    bool published_by_paths; /* as by_paths, of what applications publish */
};

/*
 * Make the queries.  A name without wildcards is queried by its indexes, if it
 * has any; with one, everything is queried and filtered afterwards.
 */
void pl_counter_filter_make(struct pl_counter_filter *c,
                            const struct pl_counter_path_list *paths, bool all,
                            const struct pl_names *names);

/* True if a path names the object with title 'index'. */
bool pl_counter_filter_names(const struct pl_counter_filter *c,
                             const struct pl_names *names, uint32_t index);

/* True if a path names the object and one of its counters. */
bool pl_counter_filter_object(const struct pl_counter_filter *c,
                              const struct pl_names *names, struct pl_object o);

/*
 * The object's counters to record, by position: those a path names, each with
 * the base after it, and those that identify the occupant of an instance name.
 * True: all of them.
 */
bool pl_counter_filter_keep(const struct pl_counter_filter *c,
                            const struct pl_names *names,
                            const struct pl_titles *titles, struct pl_object o,
                            bool *kept);

/* True if 'pattern' matches the title of 'index'; NULL text matches all. */
bool pl_names_fit(const struct pl_names *names, struct pl_text pattern,
                  uint32_t index);

#endif
