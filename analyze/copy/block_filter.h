/*                                              analyze/copy/block_filter.h
 * Reduces each sample to what -c selects: its objects, counters, instances.
 * Also kept is everything that the display of these depends on: bases,
 * identities and flags of a selected counter's object; instances of the same
 * name, since they number each other; an instance that has a selected name in
 * the previous or next sample; a selected object's parent instances, with their
 * identity only; and if a selected _Total is derived when read, all instances
 * it is made of.
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
    bool *matched; /* per path, set by the caller: something matched it */

    char *host;
    struct pl_titles *titles;
    uint64_t titles_version;
    struct pl_object_filter_object *objects;
    size_t num_objects, cap_objects;
    struct pl_u32_map by_title; /* place in 'objects' */
    uint32_t *needed;           /* title indexes */
    size_t num_needed, cap_needed;
    struct pl_u32_map is_needed; /* those in 'needed' */
    /* 'needed' has changed since pl_block_filter_titles wrote them */
    bool grown;
    struct pl_buf name;
    struct pl_instance_parents parents;      /* of the sample's instances, */
    struct pl_instance_parents next_parents; /* and of the next sample's */
    struct pl_codepages pages;
};

void pl_block_filter_release(struct pl_block_filter *p);

/*
 * The following samples are of this host and have this TITL payload, which is
 * exchanged for an empty buffer.  PL_NOMEM; inconsistent titles are ignored.
 */
enum pl_status pl_block_filter_host(struct pl_block_filter *p,
                                    struct pl_text host);
enum pl_status pl_block_filter_set_titles(struct pl_block_filter *p,
                                          struct pl_buf *payload);

/*
 * Replace 'out' by the selected part of 'block'; 'next' is the sample after it,
 * NULL if they are not a pair.  Inconsistent parts are kept complete.
 * PL_NOMEM.
 */
enum pl_status pl_block_filter_block(struct pl_block_filter *p,
                                     const struct pl_buf *block,
                                     const struct pl_buf *next,
                                     struct pl_buf *out);

/* Replace 'out' by the TITL payload of everything kept so far. */
void pl_block_filter_titles(struct pl_block_filter *p, struct pl_buf *out);

#endif
