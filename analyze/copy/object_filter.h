/*                                             analyze/copy/object_filter.h
 * One object of the samples that pl_block_filter reduces: which of its counters
 * are selected, determined once per set of definitions, and which instances,
 * sample by sample.  Private to block_filter.
 */
#ifndef PL_ANALYZE_COPY_OBJECT_FILTER_H
#define PL_ANALYZE_COPY_OBJECT_FILTER_H

#include "analyze/copy/block_filter.h"
#include "format/block/winperf.h"

struct pl_identity {
    uint64_t part[PL_MAX_IDENTITY];
};

struct pl_identities {
    struct pl_identity *p;
    size_t num, cap;
};

/* A path that matches an object. */
struct pl_matching_path {
    size_t place; /* in the filter's list */
    struct pl_text instance;
    size_t past; /* of the first of those with an equal instance: the next one
                  * with another, in o->paths */
};

/* An object and what is known from its definitions. */
struct pl_object_filter_object {
    uint32_t title_index;
    uint64_t titles_version;
    struct pl_buf definitions;
    /* NumCounters, which may differ from the counters read */
    uint32_t stated_counters;
    bool wanted; /* a path matches it */
    bool every;  /* and all of its instances */
    bool *counters, *identity_only;
    size_t num_counters;
    struct pl_matching_path *paths; /* sorted by instance */
    size_t num_paths;
    struct pl_counter_def identity[PL_MAX_IDENTITY];
    size_t num_identity;
    struct pl_identities chosen; /* selected by name in the last sample */

    /* of the current sample */
    struct pl_object view;
    bool there, is_parent;
    bool *instances;
    size_t cap_instances;
};

/* The entry of the object with that title, NULL if there is none. */
struct pl_object_filter_object *
pl_object_filter_of(const struct pl_block_filter *p, uint32_t title);

/* The entry of an object, made again if it has changed.  PL_NOMEM. */
enum pl_status pl_object_filter_find(struct pl_block_filter *p,
                                     const struct pl_object *view,
                                     struct pl_object_filter_object **out);
void pl_object_filter_release(struct pl_object_filter_object *o);

/* Note the titles of 'o' and of those of its counters that are set. */
enum pl_status pl_object_filter_need(struct pl_block_filter *p,
                                     const struct pl_object *o,
                                     const bool *counters);

/* Does 'pattern' match?  A part left out matches all. */
bool pl_object_filter_fits(struct pl_text pattern, const char *text, size_t n);

/*
 * Select among the instances of o->view, which is in 'block', to o->instances;
 * 'next' as for pl_block_filter_block.  PL_NOMEM.
 */
enum pl_status pl_object_filter_instances(struct pl_block_filter *p,
                                          struct pl_object_filter_object *o,
                                          const struct pl_block *block,
                                          const struct pl_buf *next);

/* Is an object without instances selected?  It has the name "". */
bool pl_object_filter_is_single(const struct pl_object_filter_object *o);
bool pl_object_filter_single(struct pl_block_filter *p,
                             const struct pl_object_filter_object *o);

#endif
