/*                                               logger/provider/internal.h
 * What the files of the library share.
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

/* Fill 'region' (zeros, as long as measured) but for who and when. */
PL_PROV_HIDDEN void pl_prov_fill(uint8_t *region,
                                 const struct pl_region_header *header,
                                 const struct pl_prov_object *table,
                                 uint32_t n);

/* The word of counter 'i' of an object. */
PL_PROV_HIDDEN uint32_t pl_prov_word_number(const struct pl_prov_object *o,
                                            uint32_t i);

/* A program's name as regions have it. */
PL_PROV_HIDDEN void pl_prov_clean_name(char out[PL_REGION_MAX_PROGRAM + 1],
                                       const char *program);

/* ---- the system underneath: place_*.c ----------------------------------- */

/* A region's file in one of the folders for regions. */
struct pl_prov_file {
    uint8_t *map; /* NULL: there is none */
    size_t size;
    char folder[PL_PROV_PATH];
    char name[PL_PROV_NAME];
    char hidden[PL_PROV_NAME + 5]; /* POSIX: until it is whole */
    char path[PL_PROV_PATH];       /* "" unless it is shown */
    bool alone;                    /* POSIX: the folder is this file's own */
    int dir, fd;                   /* POSIX: as long as it is being made */
    void *handle;                  /* Windows: as long as it is mapped */
};

/*
 * Make a file of 'size' bytes that are there, all 0, map it, and let it be
 * known that it lives as long as the mapping does.  Nobody believes it yet.
 * 0 or an errno value, and 'why' says what cannot be done where.
 */
PL_PROV_HIDDEN int pl_prov_file_make(struct pl_prov_file *f, const char *dir,
                                     mode_t mode, size_t size, const char *name,
                                     char why[PL_PROV_WHY]);
/* Give it its name once it is whole.  If that fails it is no more. */
PL_PROV_HIDDEN int pl_prov_file_show(struct pl_prov_file *f,
                                     char why[PL_PROV_WHY]);
/* Nobody finds it any more, but those who know it. */
PL_PROV_HIDDEN void pl_prov_file_withdraw(struct pl_prov_file *f);
/* Unmap it. */
PL_PROV_HIDDEN void pl_prov_file_release(struct pl_prov_file *f);
/* The child of a fork gets memory of its own in its place; false: there is none,
 * and all is as it was. */
PL_PROV_HIDDEN bool pl_prov_file_detach(struct pl_prov_file *f);

/* ---- the system underneath: system_*.c ---------------------------------- */

/*
 * One lock for all that is rare: opening, closing, instances.  Nothing is
 * counted under it, and no thread is cancelled that has it.  It may be taken
 * again by the thread that has it: in a signal's handler that forks or exits.
 */
PL_PROV_HIDDEN void pl_prov_lock(void);
PL_PROV_HIDDEN bool pl_prov_try_lock(void);
PL_PROV_HIDDEN void pl_prov_unlock(void);

/*
 * To be called first: makes the lock, and sees to it that the next two are
 * called.  An errno value if that cannot be: fork and exit would do harm then.
 */
PL_PROV_HIDDEN int pl_prov_prepare(void);
PL_PROV_HIDDEN void pl_prov_in_child(void); /* of fork, under the lock */
PL_PROV_HIDDEN void pl_prov_at_exit(void);

PL_PROV_HIDDEN uint64_t pl_prov_random(void); /* never 0 */
PL_PROV_HIDDEN uint32_t pl_prov_process(void);
PL_PROV_HIDDEN uint32_t pl_prov_user(void);
PL_PROV_HIDDEN int64_t pl_prov_utc_ns(void);

#endif
