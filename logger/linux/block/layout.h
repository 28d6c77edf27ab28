/*                                              logger/linux/block/layout.h
 * Layout of one object of the block: which rows of its table are recorded, the
 * offset of each value, and the bytes of its header and definitions, made once
 * and copied into every sample.  It is computed again when fields of a source
 * come or go.
 */
#ifndef PL_LOGGER_LINUX_BLOCK_LAYOUT_H
#define PL_LOGGER_LINUX_BLOCK_LAYOUT_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/block/titles.h"
#include "logger/linux/tables/counter_filter.h"
#include "logger/linux/block/expr.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/tables/objects.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A row of the object's table, and whether it was requested. */
struct pl_candidate {
    const struct pl_counter *row;
    enum pl_want want;
};

/* One counter of the block.  Small, as every sample reads all of them. */
struct pl_layout_cell {
    const struct pl_conversion *convert;
    const struct pl_counter *row;
    const struct pl_counter *titled; /* 'row', or the row above a base */
    uint32_t offset;
    uint32_t first_term; /* in the layout's terms */
    uint8_t num_terms;
    uint8_t width;
    uint8_t group; /* of its fields, for Data Flags; or PL_NO_GROUP */
};

/* A value that is stored as its field has it, without a computation. */
struct pl_layout_copy {
    uint32_t offset;
    struct pl_place from;
};

/* The sum of two fields, in 8 bytes. */
struct pl_layout_sum {
    uint32_t offset;
    struct pl_place of[2];
};

struct pl_object_layout {
    const struct pl_object_def *def;
    struct pl_source *sources[PL_MAX_OBJECT_SOURCES];
    bool used[PL_MAX_OBJECT_SOURCES]; /* by a counter, now or before */
    size_t num_sources;
    struct pl_filter filter;
    struct pl_candidate *candidates;
    size_t num_candidates;
    struct pl_layout_cell *cells;
    size_t num_cells;
    /* How a sample stores the cells, which is most of what it does. */
    struct pl_layout_copy *copies, *copies_4; /* to 8 bytes; to 4 */
    size_t num_copies, num_copies_4;
    struct pl_layout_sum *sums;
    size_t num_sums;
    uint16_t *computed; /* the other cells, by position */
    size_t num_computed;
    struct pl_term *terms; /* of all cells */
    size_t num_terms, cap_terms;
    uint32_t block_len;     /* of one counter block */
    struct pl_buf prepared; /* header and definitions */
    uint32_t built_for;     /* sum of the sources' generations */
    bool labelled;          /* its titles match the present layout */
};

/*
 * Compute the layout of 'def'.  It has no cells if no counter of the object is
 * both requested and available.  PL_OK or PL_NOMEM; release 'l' in any case.
 */
enum pl_status pl_object_layout_init(struct pl_object_layout *l,
                                     struct pl_machine *m,
                                     const struct pl_object_def *def,
                                     const struct pl_counter_filter *choice);
/* Reason for the object to have no instances; NULL: it has, or none known. */
const char *pl_object_layout_none(const struct pl_object_layout *l);

void pl_object_layout_release(struct pl_object_layout *l);

/* Compute it again if fields of its sources came or went; sets *changed. */
enum pl_status pl_object_layout_refresh(struct pl_object_layout *l,
                                        const struct pl_machine *m,
                                        bool *changed);

/* True if a counter matching 'pattern' is recorded; NULL text: any. */
bool pl_object_layout_has(const struct pl_object_layout *l,
                          struct pl_text pattern);

/*
 * Read the object's sources and append it; nothing is appended while it has
 * no cells.  *written: it was appended.  PL_OK, PL_NOMEM or PL_TOO_LARGE.
 */
enum pl_status pl_object_layout_write(struct pl_object_layout *l,
                                      struct pl_machine *m,
                                      struct pl_buf *block, bool *written);

/* Put the object's names, help texts and facts into 't'. */
enum pl_status pl_object_layout_label(const struct pl_object_layout *l,
                                      struct pl_titles *t);

#endif
