/*                                              logger/region/region_read.h
 * A region's mapping (logger/provider/region.h), and the copies made of it: the
 * occupant of each slot, and the values of each set, consistent if possible.
 * The definitions have been validated (region_validate.h), nothing else: the
 * contents of the mapping may change, and be wrong, at any time.
 */
#ifndef PL_REGION_IMAGE_H
#define PL_REGION_IMAGE_H

#include "format/base/status.h"
#include "format/base/text.h"
#include "logger/region/region_validate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pl_copied {
    PL_COPIED_NONE, /* the slot is free */
    PL_COPIED_GOOD,
    PL_COPIED_LOOSE, /* each word is valid, but they are not consistent */
};

/* The copy of one slot. */
struct pl_region_copy {
    uint64_t serial;   /* of the occupant that follows; 0: none */
    uint64_t identity; /* unique among occupants of all regions */
    uint64_t parent_serial;
    uint32_t parent_object; /* place in the table, from 1; 0: none */
    int32_t unique_id;
    uint16_t parent_slot;
    uint16_t name_len;
    bool wanted;      /* by the paths of -c */
    uint8_t copied;   /* enum pl_copied, in this sample */
    uint32_t written; /* its place in this block's object; UINT32_MAX: not */
    uint32_t changed; /* bytes of its words that are other ones, about; the
                         reader sets it back */
};

struct pl_region_image {
    uint8_t *map; /* NULL: not mapped.  The caller's to unmap */
    uint64_t region_id;
    const struct pl_region_object *objects; /* validated, the caller's */
    uint32_t num_objects;
    uint32_t set_at;
    size_t num_sets;
    struct pl_region_copy *copies; /* by set */
    uint8_t *values;               /* as in the region, from val_at */
    uint32_t val_at, val_len;
    char *names; /* num_sets times the longest */
    size_t name_room;
    uint32_t refused; /* instances that found no slot, so far */
    uint32_t busy;    /* inconsistent sets of this sample */
    uint64_t retries; /* so far */
    bool closed;      /* set by its owner */
};

enum { PL_REGION_LABEL = PL_REGION_MAX_PROGRAM + 12 };

/* The parts of the file's name "PROGRAM.PID.REGIONID.plr". */
struct pl_region_file_name {
    char label[PL_REGION_LABEL]; /* "program:pid" */
    uint32_t pid;
    uint64_t region_id;
};

/* False: not the name of a region. */
bool pl_region_parse_name(struct pl_region_file_name *out, const char *file);

/* Bytes that pl_region_image_init allocates. */
size_t pl_region_image_size(const struct pl_region_header *h,
                            const uint8_t *definitions);

/* Allocate the copies of a region; 'map' is unchanged.  PL_OK, PL_NOMEM. */
enum pl_status pl_region_image_init(struct pl_region_image *image,
                                    const struct pl_region_header *h,
                                    const uint8_t *definitions);
void pl_region_image_release(struct pl_region_image *image);

/* Selects what is copied. */
struct pl_region_wants {
    /* True if any counter of an object is selected. */
    bool (*object)(const void *context, uint32_t object);
    /* Called for each new occupant: true if it is selected. */
    bool (*instance)(const void *context, uint32_t object, struct pl_text name);
    const void *context;
};

/*
 * Copy all wanted sets.  A set with an open group is retried until
 * 'deadline_ns' (pl_clock_steady), then counted in 'busy'.  'wants' NULL: copy
 * everything.  Reasons: NONE, BUSY, INSTANCE (an invalid name), LIMIT (5 ms
 * after the deadline there was still more to copy).
 */
enum pl_region_reason pl_region_image_copy(struct pl_region_image *image,
                                           const struct pl_region_wants *wants,
                                           int64_t deadline_ns);

/* The name of a slot's occupant; not terminated. */
static inline struct pl_text
pl_region_image_name(const struct pl_region_image *image, size_t set)
{
    return (struct pl_text){ image->names + set * image->name_room,
                             image->copies[set].name_len };
}

/* The words of a slot. */
static inline const uint64_t *
pl_region_image_words(const struct pl_region_image *image,
                      const struct pl_region_object *o, size_t slot)
{
    return (const void *)(image->values + (o->val_at - image->val_at) +
                          slot * o->val_stride);
}

#endif
