/*                                              logger/windows/dll/shelf.h
 * The regions that a program publishes now (logger/provider/), each copied and
 * checked; nothing of them stays mapped.  Files that are no regions of the
 * table asked for, or not believed, are as if they were not there.
 *
 * Who publishes has its file open for writing and shares that with nobody: by
 * that it lives.  What the dead have left is on the shelf once more if its
 * file may be removed, which pl_shelf_close does.
 */
#ifndef PL_WINDOWS_DLL_SHELF_H
#define PL_WINDOWS_DLL_SHELF_H

#include "format/status.h"
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
    struct pl_shelf_region regions[PL_SHELF_MOST]; /* the oldest first */
    size_t num;
    size_t bytes;
};

/*
 * All regions of 'program' whose definitions have this hash.  PL_NOMEM.  To be
 * closed in any case.
 */
enum pl_status pl_shelf_open(struct pl_shelf *s, const wchar_t *program,
                             uint64_t def_hash);

/* 'answered': what the dead have left was told, and is removed. */
void pl_shelf_close(struct pl_shelf *s, bool answered);

#endif
