/*                                          analyze/inspect/object_counts.h
 * Counts what a log holds of each object: the samples that have it, its
 * counters, and the instances that it had at the same time.  Definitions are
 * counted, not values, so this takes little time beside reading.
 */
#ifndef PL_ANALYZE_INSPECT_OBJECT_COUNTS_H
#define PL_ANALYZE_INSPECT_OBJECT_COUNTS_H

#include "analyze/output/json.h"
#include "format/base/status.h"
#include "format/reader/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Objects counted; a log may name more, but no recorder does. */
enum { PL_MAX_COUNTED_OBJECTS = 512 };

struct pl_object_count {
    char *name;
    uint64_t samples;   /* that hold it */
    uint32_t defined;   /* the most counters defined, denominators included, */
    uint32_t counters;  /* and those of them that are shown */
    uint32_t instances; /* the most in one sample */
    bool has_instances;
    uint64_t seen_in; /* number of the last sample that holds it */
};

/* All zero is a valid initial state. */
struct pl_object_counts {
    struct pl_object_count *list; /* in order of appearance */
    size_t num, cap;
    size_t next; /* index of the object that is likely to come next */
    uint64_t samples;
    bool more; /* objects were left out */
};

void pl_object_counts_release(struct pl_object_counts *c);

/*
 * Count the objects of an item that 'r' returned.  Without a block
 * (pl_reader_options.names_only) the sample is like the one before; with
 * names_suffice only the samples that hold an object are counted.  PL_NOMEM.
 */
enum pl_status pl_object_counts_add(struct pl_object_counts *c,
                                    const struct pl_reader *r,
                                    const struct pl_item *item);

/* Sort by name. */
void pl_object_counts_sort(struct pl_object_counts *c);

/* The object 'name'; NULL: no sample has it. */
const struct pl_object_count *
pl_object_counts_find(const struct pl_object_counts *c, const char *name);

/*
 * Print "Memory, Process (312), ..." on lines of at most 'width' columns, the
 * first of them begun by 'title' and the others by as many spaces; after each
 * name the most instances that it had at the same time.  PL_NOMEM.
 */
enum pl_status pl_object_counts_print(const struct pl_object_counts *c,
                                      const char *title, size_t width);

/* The array of a JSON object's key "objects". */
void pl_object_counts_json(const struct pl_object_counts *c, struct pl_json *j);

#endif
