/*                                              analyze/copy/block_filter.h
 * Leaves of each sample what -c chooses: its objects, counters, instances.
 * Kept as well is all without which these would look different: bases,
 * identities and flags of a chosen counter's object; instances of the same
 * name, since they number each other; the instance that a chosen one was or
 * becomes under another name; a chosen object's parent instances, with
 * nothing but their identity; and if a _Total is chosen that is derived when
 * read, all instances it is made of.
 */
#ifndef PL_ANALYZE_COPY_BLOCK_FILTER_H
#define PL_ANALYZE_COPY_BLOCK_FILTER_H

#include "analyze/replay/u32_map.h"
#include "analyze/replay/instance_parents.h"
#include "format/base/buf.h"
#include "format/base/codepage.h"
#include "format/block/counter_path.h"
#include "format/base/status.h"
#include "format/block/titles.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_object_filter_object;

struct pl_block_filter {
    const struct pl_counter_path_list
        *paths;    /* set by the caller, the rest zero */
    bool *matched; /* by path, set by the caller: something fitted it */

    char *host;
    struct pl_titles *titles;
    uint64_t titles_version;
    struct pl_object_filter_object *objects;
    size_t num_objects, cap_objects;
    struct pl_u32_map by_title; /* place in 'objects' */
    uint32_t *needed;           /* title indexes */
    size_t num_needed, cap_needed;
    struct pl_u32_map is_needed; /* those in 'needed' */
    bool grown; /* they have changed since pl_block_filter_titles wrote them */
    struct pl_buf name;
    struct pl_instance_parents parents;      /* of the sample's instances, */
    struct pl_instance_parents next_parents; /* and of the one's behind it */
    struct pl_codepages pages;
};

void pl_block_filter_release(struct pl_block_filter *p);

/*
 * Samples are of this host, and of this TITL payload, from now on, which is
 * exchanged for an empty buffer.  PL_NOMEM; titles that do not add up are none.
 */
enum pl_status pl_block_filter_host(struct pl_block_filter *p,
                                    struct pl_text host);
enum pl_status pl_block_filter_set_titles(struct pl_block_filter *p,
                                          struct pl_buf *payload);

/*
 * Replace 'out' by what is chosen of 'block'; 'next' is the sample behind it,
 * NULL if it makes a pair with none.  What does not add up is kept whole.
 * PL_NOMEM.
 */
enum pl_status pl_block_filter_block(struct pl_block_filter *p,
                                     const struct pl_buf *block,
                                     const struct pl_buf *next,
                                     struct pl_buf *out);

/* Replace 'out' by the TITL payload of all that has been kept so far. */
void pl_block_filter_titles(struct pl_block_filter *p, struct pl_buf *out);

#endif
