/*                                          logger/region/region_validate.h
 * Is this a region (logger/provider/region.h), or does somebody lie?  Looks at
 * a copy in the reader's own memory only: what is proven stays proven.
 */
#ifndef PL_REGION_CHECK_H
#define PL_REGION_CHECK_H

#include "logger/provider/region.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a region is not, or not wholly, in a sample.  In the log: append only. */
enum pl_region_reason {
    PL_REASON_NONE,
    PL_REASON_FILE,       /* no regular file of one name, or badly called */
    PL_REASON_PERMISSION, /* not readable, or others may write to it */
    PL_REASON_SHORT,
    PL_REASON_MAGIC,
    PL_REASON_VERSION, /* newer, or of a machine of another byte order */
    PL_REASON_SIZE,
    PL_REASON_AREA,
    PL_REASON_HASH,
    PL_REASON_OBJECT,
    PL_REASON_COUNTER,
    PL_REASON_STRING,
    PL_REASON_NAME, /* calls an object like one of perflog's own */
    PL_REASON_INSTANCE,
    PL_REASON_LIMIT,
    PL_REASON_SPARSE,
    PL_REASON_TRUNCATED,
    PL_REASON_BUSY,
    PL_REASON_DUPLICATE,
    PL_NUM_REASONS
};

/* One word or two, static. */
const char *pl_region_reason_text(enum pl_region_reason reason);

/*
 * Look at the first 'n' bytes of a file of 'size' bytes.  Once this says
 * PL_REASON_NONE, header, definitions and areas lie within 'size', in this
 * order, and *h is a copy of the header.
 */
enum pl_region_reason pl_region_check_header(struct pl_region_header *h,
                                             const uint8_t *p, size_t n,
                                             uint64_t size);

/*
 * Look at the definitions: the h->def_len bytes at 'p', a multiple of 8.  Once
 * this says PL_REASON_NONE, every place, count and stride of an object lies in
 * the areas of 'h', every word in its set, every text is UTF-8 of allowed
 * length without control characters and ends in these bytes, every type is
 * one that can be published and has the base it needs behind it.
 */
enum pl_region_reason
pl_region_check_definitions(const struct pl_region_header *h, const uint8_t *p);

/*
 * True if both regions, whose headers have been proven, have the same table.
 * Their counts belong to it: the same bytes mean something else with others.
 */
bool pl_region_is_same_table(const struct pl_region_header *a,
                             const uint8_t *a_definitions,
                             const struct pl_region_header *b,
                             const uint8_t *b_definitions);

/* The parts of definitions that have been proven. */
static inline const struct pl_region_object *
pl_region_objects(const uint8_t *definitions)
{
    return (const struct pl_region_object *)(const void *)definitions;
}

static inline const struct pl_region_counter *
pl_region_counters(const struct pl_region_header *h, const uint8_t *definitions)
{
    return (const struct pl_region_counter *)(const void *)(pl_region_objects(
                                                                definitions) +
                                                            h->num_objects);
}

static inline const char *pl_region_text(const struct pl_region_header *h,
                                         const uint8_t *definitions,
                                         uint32_t at)
{
    return (const char *)definitions + (h->str_at - h->def_at) + at;
}

/* UTF-8 without control characters. */
bool pl_region_is_text(const char *text, size_t n);

#endif
