/*                                              logger/linux/machine/rows.h
 * The values a source delivers in a sample: rows (one per instance, or a
 * single row without a name) of unsigned 64-bit fields.  Rows are filled again
 * in every sample, in memory that is reused.
 */
#ifndef PL_LOGGER_LINUX_MACHINE_ROWS_H
#define PL_LOGGER_LINUX_MACHINE_ROWS_H

#include "format/base/buf.h"
#include "format/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pl_show {
    PL_SHOWN,
    PL_BY_NAME, /* an instance only if a counter path names it */
    PL_HIDDEN,  /* never an instance: other rows need its values */
};

struct pl_source_row {
    size_t name_at;
    size_t name_len;
    uint32_t parent; /* position of its parent, for objects that have one */
    enum pl_show show;
    bool anew;      /* another thing had this name in the previous sample */
    bool gone;      /* ended, with known final values: see process_ended.c */
    bool ends;      /* a process that is about to end, or has ended */
    bool has_ended; /* a process whose end no sample has shown before */
    uint8_t missed; /* samples since it was last seen */
};

struct pl_source_rows {
    size_t width; /* fields of a row */
    size_t num;
    size_t cap;
    struct pl_source_row *row;
    uint64_t *values;    /* row after row */
    struct pl_buf names; /* kernel's bytes */
};

#define PL_NO_ROW SIZE_MAX

void pl_source_rows_release(struct pl_source_rows *r);
void pl_source_rows_clear(struct pl_source_rows *r);

/*
 * Add a row with show PL_SHOWN and all fields 0.  NULL if memory is exhausted.
 * Valid until the next row is added.
 */
uint64_t *pl_source_rows_add(struct pl_source_rows *r, struct pl_text name);

/* Remove the row added last. */
void pl_source_rows_drop(struct pl_source_rows *r);

static inline uint64_t *pl_source_rows_values(const struct pl_source_rows *r,
                                              size_t i)
{
    return r->values + i * r->width;
}

static inline struct pl_text pl_source_rows_name(const struct pl_source_rows *r,
                                                 size_t i)
{
    return (struct pl_text){ (const char *)r->names.p + r->row[i].name_at,
                             r->row[i].name_len };
}

/* The row named 'name', searched from 'guess'; PL_NO_ROW if there is none. */
size_t pl_source_rows_find(const struct pl_source_rows *r, struct pl_text name,
                           size_t guess);

#endif
