/*                                               logger/provider/internal.h
 * Private to the files of the library.
 */
#ifndef PL_PROVIDER_INTERNAL_H
#define PL_PROVIDER_INTERNAL_H

#include "logger/provider/pl_provider.h"
#include "logger/provider/region.h"

#include <stdbool.h>

#ifdef __ELF__ /* only there is the library a shared one */
#define PL_PROV_API __attribute__((visibility("default")))
#define PL_PROV_HIDDEN __attribute__((visibility("hidden")))
#else
#define PL_PROV_API
#define PL_PROV_HIDDEN
#endif

enum { PL_PROV_WHY = 256, PL_PROV_PATH = 4096, PL_PROV_NAME = 96 };

/* UTF-8 without control characters, of at most 'max' bytes. */
PL_PROV_HIDDEN bool pl_prov_is_text(const char *text, size_t max);

/* Bytes that a table needs; 0 if that is more than a region may have. */
PL_PROV_HIDDEN size_t pl_prov_measure(const struct pl_prov_object *table,
                                      uint32_t n,
                                      struct pl_region_header *header);

/* Fill 'region' (zeros, as long as measured) except for owner and time. */
PL_PROV_HIDDEN void pl_prov_fill(uint8_t *region,
                                 const struct pl_region_header *header,
                                 const struct pl_prov_object *table,
                                 uint32_t n);

/* The word of counter 'i' of an object. */
PL_PROV_HIDDEN uint32_t pl_prov_word_number(const struct pl_prov_object *o,
                                            uint32_t i);

/* A program's name in the form that regions have. */
PL_PROV_HIDDEN void pl_prov_clean_name(char out[PL_REGION_MAX_PROGRAM + 1],
                                       const char *program);

/* ---- the system underneath: region_file_*.c -------------------------- */

/* A region's file in one of the folders for regions. */
struct pl_prov_file {
    uint8_t *map; /* NULL: there is none */
    size_t size;
    char folder[PL_PROV_PATH];
    char name[PL_PROV_NAME];
    char hidden[PL_PROV_NAME + 5]; /* POSIX: until complete */
    char path[PL_PROV_PATH];       /* "" unless it is shown */
    bool alone;                    /* POSIX: the folder is this file's own */
    int unmade;        /* POSIX: the errno of making the folder; 0: made */
    uint32_t recorder; /* POSIX: the user of one that serves all; 0: root */
    int dir, fd;       /* POSIX: as long as it is being made */
    void *handle;      /* Windows: as long as it is mapped */
};

/*
 * Create a file of 'size' allocated bytes, all 0, map it, and mark it as live
 * for as long as the mapping exists.  Readers ignore it until it is shown.  0
 * or an errno value, and 'why' says what failed where.
 */
PL_PROV_HIDDEN int pl_prov_file_make(struct pl_prov_file *f, const char *dir,
                                     mode_t mode, size_t size, const char *name,
                                     char why[PL_PROV_WHY]);
/* Give the complete file its name.  On failure the file is removed. */
PL_PROV_HIDDEN int pl_prov_file_show(struct pl_prov_file *f,
                                     char why[PL_PROV_WHY]);
/* Hide it from new readers; those that have it open keep it. */
PL_PROV_HIDDEN void pl_prov_file_withdraw(struct pl_prov_file *f);
/* Unmap it. */
PL_PROV_HIDDEN void pl_prov_file_release(struct pl_prov_file *f);
/* In the child of a fork: replace the mapping by private memory.  False: no
 * memory, and nothing is changed. */
PL_PROV_HIDDEN bool pl_prov_file_detach(struct pl_prov_file *f);

/* ---- the system underneath: system_*.c ---------------------------------- */

/*
 * One lock for all rare operations: opening, closing, instances.  Counting does
 * not take it, and its holder is not cancelled.  It is recursive: a signal
 * handler of its holder may fork or exit.
 */
PL_PROV_HIDDEN void pl_prov_lock(void);
PL_PROV_HIDDEN bool pl_prov_try_lock(void);
PL_PROV_HIDDEN void pl_prov_unlock(void);

/*
 * Called first: creates the lock and registers the next two functions.  0, or
 * an errno value if that fails: fork and exit would then corrupt counts.
 */
PL_PROV_HIDDEN int pl_prov_prepare(void);
PL_PROV_HIDDEN void pl_prov_in_child(void); /* of fork, under the lock */
PL_PROV_HIDDEN void pl_prov_at_exit(void);

PL_PROV_HIDDEN uint64_t pl_prov_random(void); /* never 0 */
PL_PROV_HIDDEN uint32_t pl_prov_process(void);
PL_PROV_HIDDEN uint32_t pl_prov_user(void);
PL_PROV_HIDDEN int64_t pl_prov_utc_ns(void);

#endif
