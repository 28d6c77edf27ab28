/*                                       logger/linux/published/published.h
 * Tables of applications as objects of the block.  A table is known by the
 * publisher (publishers.h) and the hash of its definitions: all regions of his
 * that have it are one set of objects with one set of title indexes, given out
 * in the order in which tables are first seen and never used for anything else.
 *
 * The name of an object is that of one publisher while he has a region with
 * it: the trusted one's, else that of the stranger in whose region it was seen
 * first.  Tables of others stand apart: "NAME of user 1000".
 */
#ifndef PL_LOGGER_LINUX_PUBLISHED_PUBLISHED_H
#define PL_LOGGER_LINUX_PUBLISHED_PUBLISHED_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/block/titles.h"
#include "logger/linux/tables/counter_filter.h"
#include "logger/linux/tables/objects.h"
#include "logger/linux/published/publishers.h"
#include "logger/region/region_values.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    PL_PUBLISHED_TITLES = 40000, /* the first index */
    PL_PUBLISHED_NUM_TITLES = 8192,
    PL_PUBLISHED_IDENTITY = 21990, /* title of the counter "Identity" */
    PL_PROVIDER_OBJECT = 21950,    /* Perflog Provider */
};

struct pl_machine;
struct pl_region;

struct pl_published_object {
    struct pl_object_def def;
    char *apart_name;   /* if the table stands apart; def.name is it */
    uint64_t name_hash; /* of the name alone, in lower case */
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
    struct pl_published_object *namesake; /* his first of that name */
    const struct pl_region *holder;       /* of a single object: who is shown */
};

struct pl_published {
    struct pl_published *next;
    struct pl_region_header header; /* as it was first seen */
    uint8_t *definitions;
    struct pl_published_object *objects;
    struct pl_publisher *owner;
    size_t num_regions; /* that have it; 0: it is kept for who comes back */
    bool apart;         /* its names were another's when it was first seen */
    bool displaced;     /* and this one's have become another's since */
    uint32_t num_titles;
    struct pl_region *first; /* those of this sample, by pl_region.same */
};

struct pl_published_list {
    struct pl_published *first, **last;
    const struct pl_counter_filter *choice;
    struct pl_publishers *publishers;
    uint32_t num_titles;
    size_t own_bytes; /* of the block before what is published */
    struct pl_buf name;
};

/* Both must live on. */
void pl_published_init(struct pl_published_list *l,
                       const struct pl_counter_filter *choice,
                       struct pl_publishers *publishers);
void pl_published_release(struct pl_published_list *l);

/*
 * The table with these proven definitions, which are taken over in any case, for
 * a region of 'owner'.  PL_NOMEM; PL_TOO_LARGE: that is more than his share of
 * tables, titles or texts; PL_USAGE: an object has the name of one of perflog's
 * own.
 */
enum pl_status pl_published_get(struct pl_published_list *l,
                                const struct pl_region_header *h,
                                uint8_t *definitions,
                                struct pl_publisher *owner,
                                struct pl_published **out);

/* A region has it no more. */
void pl_published_let_go(struct pl_published *t);

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

/* Bytes that a copied region adds to the block, and to the log: what differs
 * from the sample before, or all of it if it was not in that ('anew'). */
struct pl_published_weight {
    uint64_t block, log;
};
struct pl_published_weight pl_published_weigh(struct pl_region *g, bool anew);

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
