/*                                       logger/linux/published/published.h
 * Tables of applications as objects of the block.  A table is known by the
 * hash of its definitions: all regions that have it, now or later, are one
 * set of objects with one set of title indexes, given out in the order in
 * which tables are first seen and never used for anything else.
 */
#ifndef PL_LOGGER_LINUX_PUBLISHED_PUBLISHED_H
#define PL_LOGGER_LINUX_PUBLISHED_PUBLISHED_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/block/titles.h"
#include "logger/linux/tables/counter_filter.h"
#include "logger/linux/tables/objects.h"
#include "logger/region/region_values.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    PL_PUBLISHED_TITLES = 40000, /* the first index */
    PL_PUBLISHED_NUM_TITLES = 8192,
    PL_PUBLISHED_USER_TITLES = 2048,
    PL_PUBLISHED_IDENTITY = 21990, /* title of the counter "Identity" */
    PL_PROVIDER_OBJECT = 21950,    /* Perflog Provider */
};

struct pl_machine;
struct pl_region;

struct pl_published_object {
    struct pl_object_def def;
    const struct pl_region_object *layout; /* in the table's definitions */
    struct pl_filter filter;
    struct pl_region_cell *cells; /* none: nothing of it is chosen */
    size_t num_cells;
    uint32_t identity_at; /* offset of Identity */
    uint32_t block_len;
    bool is_dense;          /* values fill the block but for its length */
    struct pl_buf prepared; /* header and definitions */
    bool is_ratio;          /* a set that is not of one moment is left out */
    bool has_total;         /* brings a _Total of its own */
    bool labelled;
    struct pl_published_object *namesake; /* the first of that name */
    const struct pl_region *holder;       /* of a single object: who is shown */
};

struct pl_published {
    struct pl_published *next;
    struct pl_region_header header; /* as it was first seen */
    uint8_t *definitions;
    struct pl_published_object *objects;
    uid_t user; /* in whose region */
    uint32_t num_titles;
    struct pl_region *first; /* those of this sample, by pl_region.same */
};

struct pl_published_list {
    struct pl_published *first, **last;
    const struct pl_counter_filter *choice;
    uint32_t num_titles;
    size_t bytes; /* of tables */
    struct pl_buf name;
};

void pl_published_init(struct pl_published_list *l,
                       const struct pl_counter_filter *choice);
void pl_published_release(struct pl_published_list *l);

/* The table with these proven definitions, if it is known; else NULL. */
struct pl_published *pl_published_find(const struct pl_published_list *l,
                                       const struct pl_region_header *h,
                                       const uint8_t *definitions);

/*
 * A new table, first seen in a region of that user; takes 'definitions' over on
 * PL_OK.  PL_NOMEM; PL_TOO_LARGE: there are no titles left for it, or for more
 * of a stranger, who may have PL_PUBLISHED_USER_TITLES; PL_USAGE: an object has
 * the name of one of perflog's own.
 */
enum pl_status pl_published_add(struct pl_published_list *l,
                                const struct pl_region_header *h,
                                uint8_t *definitions, uid_t user,
                                bool is_stranger, struct pl_published **out);

/* True if 'path' chooses something of a known table. */
bool pl_published_fits(const struct pl_published_list *l,
                       const struct pl_counter_path *path);

/* Whose region is copied, for struct pl_region_wants. */
struct pl_published_taker {
    struct pl_published_list *list;
    const struct pl_published *table;
    const char *label; /* of the region */
};

/* True if something of the object is chosen. */
bool pl_published_takes_object(const void *taker, uint32_t object);

/* True if instances of that name and parent are; notes a _Total. */
bool pl_published_takes_instance(const void *taker, uint32_t object,
                                 struct pl_text name);

/* Names, help texts and facts of an object into 't'.  PL_OK or PL_NOMEM. */
enum pl_status pl_published_label(const struct pl_published *table,
                                  struct pl_published_object *o,
                                  struct pl_titles *t, uint32_t *generation);

/* Which regions are shown where an object has place for one only. */
void pl_published_settle(struct pl_published_list *l);

/*
 * Append all objects of this sample's regions to the block and count them in
 * *num.  New titles go to 't', and *generation changes.  PL_OK or PL_NOMEM.
 */
enum pl_status pl_published_write(struct pl_published_list *l,
                                  struct pl_machine *m, struct pl_buf *block,
                                  uint32_t *num, struct pl_titles *t,
                                  uint32_t *generation);

#endif
