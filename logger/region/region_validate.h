/*                                          logger/region/region_validate.h
 * Validates a published region (logger/provider/region.h) before its contents
 * are used.  Works only on a copy in the reader's own memory, which cannot
 * change after it was validated.
 */
#ifndef PL_REGION_CHECK_H
#define PL_REGION_CHECK_H

#include "logger/provider/region.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a region is not, or only partly, in a sample.  In logs: append only. */
enum pl_region_reason {
    PL_REASON_NONE,
    PL_REASON_FILE,       /* not a regular file, or an invalid name */
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
    PL_REASON_NAME, /* an object or counter has that of one of perflog's own */
    PL_REASON_INSTANCE,
    PL_REASON_LIMIT,
    PL_REASON_SPARSE,
    PL_REASON_TRUNCATED,
    PL_REASON_BUSY,
    PL_REASON_DUPLICATE,
    PL_NUM_REASONS
};

/* A static text of one or two words. */
const char *pl_region_reason_text(enum pl_region_reason reason);

/*
 * Validate the first 'n' bytes of a file of 'size' bytes.  After PL_REASON_NONE
 * header, definitions and areas lie within 'size', in this order, and *h is a
 * copy of the header.
 */
enum pl_region_reason pl_region_check_header(struct pl_region_header *h,
                                             const uint8_t *p, size_t n,
                                             uint64_t size);

/*
 * Validate the definitions: the h->def_len bytes at 'p', a multiple of 8.
 * After PL_REASON_NONE every offset, count and stride of an object lies in the
 * areas of 'h', every word in its set; every text is UTF-8 of allowed length
 * without control characters and ends in these bytes; every type can be
 * published and is followed by the base it needs.
 */
enum pl_region_reason
pl_region_check_definitions(const struct pl_region_header *h, const uint8_t *p);

/*
 * True if both regions, whose headers are valid, have the same table.  The
 * header's counts are part of it: they determine the meaning of the bytes.
 */
bool pl_region_is_same_table(const struct pl_region_header *a,
                             const uint8_t *a_definitions,
                             const struct pl_region_header *b,
                             const uint8_t *b_definitions);

/* The parts of validated definitions. */
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
