/*                                       logger/linux/published/published.h
 * Tables of applications as objects of the block.  A table is identified by its
 * publisher (publishers.h) and the hash of its definitions: all regions of this
 * publisher with the same table give one set of objects with one set of title
 * indexes, assigned in the order in which tables are first seen and never
 * reused.
 *
 * An object name belongs to one publisher while a region with it exists: to the
 * trusted publisher, else to the untrusted one whose region was seen first.
 * Objects of other publishers are renamed: "NAME of user 1000".
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
    PL_PUBLISHED_TITLES = 40000,       /* the first index */
    PL_PUBLISHED_NUM_TITLES = 1 << 29, /* in a session: none is reused, */
    PL_UNTRUSTED_NUM_TITLES = 1 << 28, /* and the later ones are not for
                                        * untrusted publishers */
    PL_PUBLISHED_IDENTITY = 21990,     /* title of the counter "Identity" */
    PL_PROVIDER_OBJECT = 21950,        /* Perflog Provider */
};

struct pl_machine;
struct pl_region;

struct pl_published_object {
    struct pl_object_def def;
    char *new_name;     /* def.name if the table is renamed, else NULL */
    uint64_t name_hash; /* of the plain name, in lower case */
    const struct pl_region_object *layout; /* in the table's definitions */
    struct pl_filter filter;
    struct pl_region_cell *cells; /* none: no counter is selected */
    size_t num_cells;
    uint32_t identity_at; /* offset of Identity */
    uint32_t block_len;
    bool is_dense;          /* values and ByteLength fill the block */
    struct pl_buf prepared; /* header and definitions */
    bool is_ratio;          /* inconsistent sets are left out */
    bool has_total;         /* publishes its own _Total */
    bool titles_stored;
    struct pl_published_object *namesake; /* publisher's first of that name */
    bool is_held; /* this, or one of which it is the namesake, has a holder */
    const struct pl_region *holder; /* of a single object: region shown, which
                                     * has the object's own table */
};

struct pl_published {
    struct pl_published *next;
    struct pl_region_header header; /* as it was first seen */
    uint8_t *definitions;
    struct pl_published_object *objects;
    struct pl_publisher *owner;
    size_t num_regions; /* that have it; 0: kept in case one returns */
    bool renamed;       /* another publisher had its names when first seen */
    bool displaced;     /* a trusted publisher took over its names since */
    struct pl_title_range titles; /* its indexes, two for each title */
    bool has_titles;              /* the log's titles have some of them */
    struct pl_region *first;      /* those of this sample, by pl_region.same */
};

struct pl_published_list {
    struct pl_published *first, **last;
    const struct pl_counter_filter *choice;
    struct pl_publishers *publishers;
    uint32_t num_titles; /* so far */
    struct pl_title_range
        *removed; /* titles of forgotten tables, to be removed */
    size_t num_removed, cap_removed;
    enum pl_limit exceeded; /* if pl_published_get gives PL_TOO_LARGE */
    size_t own_bytes;       /* of the block before the published objects */
    struct pl_buf name;
};

/* Keeps both pointers, which must outlive 'l'. */
void pl_published_init(struct pl_published_list *l,
                       const struct pl_counter_filter *choice,
                       struct pl_publishers *publishers);
void pl_published_release(struct pl_published_list *l);

/*
 * The table with these validated definitions for a region of 'owner'.
 * 'definitions' is freed or kept by 'l' in every case.  PL_NOMEM; PL_TOO_LARGE:
 * the owner's share of tables, titles or texts is exceeded ('exceeded' says
 * which); PL_USAGE: an object
 * has the name of one of perflog's own.
 */
enum pl_status pl_published_get(struct pl_published_list *l,
                                const struct pl_region_header *h,
                                uint8_t *definitions,
                                struct pl_publisher *owner,
                                struct pl_published **out);

/* A region that had this table was dropped. */
void pl_published_unref(struct pl_published *t);

/* True if 'path' selects something of a known table. */
bool pl_published_fits(const struct pl_published_list *l,
                       const struct pl_counter_path *path);

/* The region being copied, context of struct pl_region_wants. */
struct pl_published_taker {
    struct pl_published_list *list;
    const struct pl_published *table;
    const char *label; /* of the region */
};

/* True if a counter of the object is selected. */
bool pl_published_takes_object(const void *taker, uint32_t object);

/* True if instances of that name and parent are selected; notes a _Total. */
bool pl_published_takes_instance(const void *taker, uint32_t object,
                                 struct pl_text name);

/* Names, help texts and facts of an object into 't'.  PL_OK or PL_NOMEM. */
enum pl_status pl_published_label(struct pl_published_list *l,
                                  struct pl_published *table,
                                  struct pl_published_object *o,
                                  struct pl_titles *t, uint32_t *generation);

/* Bytes that a copied region adds to the block, and to the log: its difference
 * to the previous sample, or all of it if it was not in that ('is_new'). */
struct pl_published_weight {
    uint64_t block, log;
};
struct pl_published_weight pl_published_weigh(struct pl_region *g, bool is_new);

/* Determine which region is shown for objects without instances. */
void pl_published_select_regions(struct pl_published_list *l);

/*
 * Append all objects of this sample's regions to the block and count them in
 * *num.  New titles go to 't', and *generation changes.  PL_OK or PL_NOMEM.
 */
enum pl_status pl_published_write(struct pl_published_list *l,
                                  struct pl_machine *m, struct pl_buf *block,
                                  uint32_t *num, struct pl_titles *t,
                                  uint32_t *generation);

#endif
