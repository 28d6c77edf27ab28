/*                                       logger/windows/dll/region_groups.h
 * The regions that programs publish now (logger/provider/), each copied and
 * validated, grouped by table; nothing stays mapped.  Files that are not valid
 * regions are ignored.
 *
 * A publisher has its file open for writing without sharing: this shows that it
 * lives.  The last values of an ended one are in the group once more if its
 * file can be removed, which pl_region_groups_clear does.
 */
#ifndef PL_WINDOWS_DLL_REGION_GROUPS_H
#define PL_WINDOWS_DLL_REGION_GROUPS_H

#include "format/base/status.h"
#include "logger/region/region_read.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

enum { PL_GROUPS_MOST = 256 };

/* As in the counter State. */
enum pl_region_groups_state {
    PL_GROUPS_LIVE,
    PL_GROUPS_FINAL,
    PL_GROUPS_BUSY = 3,
    PL_GROUPS_DUPLICATE,
};

struct pl_region_groups_region {
    struct pl_region_file_name called;
    int64_t created_ns;
    enum pl_region_groups_state state;
    struct pl_region_image image; /* map is NULL */
    void *file;                   /* a handle, of the dead: to be removed */
};

struct pl_region_groups {
    struct pl_region_header header; /* of the table */
    uint8_t *definitions;           /* proven; NULL: no region was found */
    struct pl_region_groups_region *regions;
    size_t num, cap;
};

/* True if a region with these proven definitions is of the table of these groups. */
bool pl_region_groups_is_of(const struct pl_region_groups *s,
                            const struct pl_region_header *h,
                            const uint8_t *definitions);

/* Who keeps the groups. */
struct pl_region_groups_keeper {
    /*
     * The groups of a table with these definitions, which are proven; NULL: it
     * is not wanted.  New groups take them over.
     */
    struct pl_region_groups *(*groups_of)(void *context,
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
 * Put all regions whose files' names begin with 'program' into their groups,
 * for as long as the time lasts.
 */
void pl_region_groups_fill(const struct pl_region_groups_keeper *keeper,
                           const wchar_t *program, int64_t budget_ns);

/* The oldest first. */
void pl_region_groups_sort(struct pl_region_groups *s);

/*
 * Take all regions off.  'answered': what the dead have left was read, and is
 * removed.
 */
void pl_region_groups_clear(struct pl_region_groups *s, bool answered);
void pl_region_groups_release(struct pl_region_groups *s); /* which is empty */

/* All regions of 'program' whose definitions have this hash, sorted. */
void pl_region_groups_open(struct pl_region_groups *s, const wchar_t *program,
                           uint64_t def_hash);
void pl_region_groups_close(struct pl_region_groups *s, bool answered);

#endif
