/*                                                logger/provider/internal.h
 * What the files of the library share.
 */
#ifndef PL_PROVIDER_INTERNAL_H
#define PL_PROVIDER_INTERNAL_H

#include "logger/provider/pl_provider.h"
#include "logger/provider/region.h"

#include <limits.h>
#include <stdbool.h>

#define PL_PROV_API __attribute__((visibility("default")))
#define PL_PROV_HIDDEN __attribute__((visibility("hidden")))

enum { PL_PROV_WHY = 256 };

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

/* A file that is being made in one of the folders for regions. */
struct pl_prov_file {
    int dir, fd;
    char folder[PATH_MAX];
    char name[64]; /* as long as it is hidden */
};

/*
 * Make a hidden file of 'size' bytes that are there.  0 or an errno value, and
 * 'why' says what cannot be done where.
 */
PL_PROV_HIDDEN int pl_prov_file_make(struct pl_prov_file *f, const char *dir,
                                     mode_t mode, size_t size,
                                     uint64_t region_id, char why[PL_PROV_WHY]);
/* Give it its name, or take it away again; ends 'f'. */
PL_PROV_HIDDEN int pl_prov_file_show(struct pl_prov_file *f, const char *name,
                                     char why[PL_PROV_WHY]);
PL_PROV_HIDDEN void pl_prov_file_drop(struct pl_prov_file *f);

#endif
