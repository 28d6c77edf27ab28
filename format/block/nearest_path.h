/*                                              format/block/nearest_path.h
 * What a path that matches nothing may have meant: the nearest of the objects,
 * instances and counters that there are.
 */
#ifndef PL_FORMAT_BLOCK_NEAREST_PATH_H
#define PL_FORMAT_BLOCK_NEAREST_PATH_H

#include "format/base/buf.h"
#include "format/block/counter_path.h"

#include <stdbool.h>

struct pl_near_name {
    struct pl_text name; /* p is NULL: none is near */
    unsigned distance;
};

/* All zero at first.  Names must outlive it. */
struct pl_nearest_path {
    struct pl_near_name object, counter;
    struct pl_text of; /* the object of the nearest counter */
    bool has_object;   /* one matches */
    bool has_counter;  /* one of an object that matches does */
};

/* Keep the name, if it is nearer to 'wanted' than the one before. */
void pl_near_name_try(struct pl_near_name *n, struct pl_text wanted,
                      struct pl_text name);

/* True if the name matches; a pattern that was left out matches any. */
bool pl_part_fits(struct pl_text pattern, struct pl_text name);

/*
 * Called for each object; true: it matches, and pl_nearest_path_counter is to be
 * called for each of its counters.
 */
bool pl_nearest_path_object(struct pl_nearest_path *n,
                            const struct pl_counter_path *path,
                            struct pl_text object);
void pl_nearest_path_counter(struct pl_nearest_path *n,
                             const struct pl_counter_path *path,
                             struct pl_text object, struct pl_text counter);

/*
 * Append 'like' with the object, instance or counter replaced (p NULL: it
 * stays), and a terminator.  The instance is appended as it is, the others with
 * wildcards escaped.
 */
void pl_path_put_changed(struct pl_buf *out, const struct pl_counter_path *like,
                         struct pl_text object, struct pl_text instance,
                         struct pl_text counter);

/* Append the nearest path and a terminator; nothing if none is near, or if
 * object and counter match. */
void pl_nearest_path_put(struct pl_buf *out, const struct pl_nearest_path *n,
                         const struct pl_counter_path *path);

struct pl_near_instance {
    struct pl_text name; /* p is NULL: none is near */
    size_t part; /* of a process, whose number may be any; 0: all of it */
    unsigned distance;
};

/*
 * Keep the instance, if it is nearer to 'wanted' than the one before, a process
 * by its name with or without its number.  Names must outlive it; it is all zero
 * at first.
 */
void pl_near_instance_try(struct pl_near_instance *best, struct pl_text wanted,
                          struct pl_text instance);

/*
 * Append 'path' with this instance, "python3:*" or "_Total", and a terminator;
 * nothing if none is near.
 */
void pl_near_instance_put(struct pl_buf *out, const struct pl_near_instance *i,
                          const struct pl_counter_path *path);

#endif
