/*                                               logger/windows/dll/shelf.h
 * The regions that programs publish now (logger/provider/), each copied and
 * checked, those of one table on one shelf; nothing of them stays mapped.
 * Files that are no regions, or not believed, are as if they were not there.
 *
 * Who publishes has its file open for writing and shares that with nobody: by
 * that it lives.  What the dead have left is on the shelf once more if its
 * file may be removed, which pl_shelf_close does.
 */
#ifndef PL_WINDOWS_DLL_SHELF_H
#define PL_WINDOWS_DLL_SHELF_H

#include "format/base/status.h"
#include "logger/region/image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

enum { PL_SHELF_MOST = 256 };

/* As in the counter State. */
enum pl_shelf_state {
    PL_SHELF_LIVE,
    PL_SHELF_FINAL,
    PL_SHELF_BUSY = 3,
    PL_SHELF_DUPLICATE,
};

struct pl_shelf_region {
    struct pl_region_file_name called;
    int64_t created_ns;
    enum pl_shelf_state state;
    struct pl_region_image image; /* map is NULL */
    void *file;                   /* a handle, of the dead: to be removed */
};

struct pl_shelf {
    struct pl_region_header header; /* of the table */
    uint8_t *definitions;           /* proven; NULL: no region was found */
    struct pl_shelf_region *regions;
    size_t num, cap;
};

/* True if a region with these proven definitions is of the shelf's table. */
bool pl_shelf_is_of(const struct pl_shelf *s, const struct pl_region_header *h,
                    const uint8_t *definitions);

/* Who has shelves. */
struct pl_shelf_keeper {
    /*
     * The shelf of a table with these definitions, which are proven; NULL: it
     * is not wanted.  A new shelf takes them over.
     */
    struct pl_shelf *(*shelf_of)(void *context,
                                 const struct pl_region_header *h,
                                 uint8_t *definitions);
    void *context;
    /* Regions that are looked at first, before the others take the time. */
    const struct pl_region_file_name *known;
    size_t num_known;
    unsigned *skip; /* of the others, since they were looked at the last time;
                     * NULL: none.  0 at first */
};

/*
 * Put all regions whose files' names begin with 'program' onto their shelves,
 * for as long as the time lasts.
 */
void pl_shelves_fill(const struct pl_shelf_keeper *keeper,
                     const wchar_t *program, int64_t budget_ns);

/* The oldest first. */
void pl_shelf_sort(struct pl_shelf *s);

/*
 * Take all regions off.  'answered': what the dead have left was told, and is
 * removed.
 */
void pl_shelf_clear(struct pl_shelf *s, bool answered);
void pl_shelf_release(struct pl_shelf *s); /* which is empty */

/* All regions of 'program' whose definitions have this hash, sorted. */
void pl_shelf_open(struct pl_shelf *s, const wchar_t *program,
                   uint64_t def_hash);
void pl_shelf_close(struct pl_shelf *s, bool answered);

#endif
