/*                                                  logger/windows/titles.h
 * Titles of everything that has been in a block so far: looked up in the
 * registry's lists when an index occurs for the first time.
 */
#ifndef PL_WINDOWS_LABELS_H
#define PL_WINDOWS_LABELS_H

#include "format/base/buf.h"
#include "format/block/titles.h"
#include "format/block/winperf.h"
#include "logger/windows/counter_filter.h"
#include "logger/windows/registry.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_labels {
    struct pl_titles *titles;
    uint32_t generation; /* changes with them */
    struct pl_buf known; /* a bit per index and kind */
    struct pl_names names;
    struct pl_title_text helps[2]; /* in the same languages */
    uint16_t languages[2];         /* 0: no second one */
};

/* All zero is empty.  PL_NOMEM. */
enum pl_status pl_labels_init(struct pl_labels *l);

/*
 * The same, with the lists of the registry: names and help in English and, if
 * it is not NULL, in 'language', Windows' number ("00C").  PL_IO: Windows has
 * none (*why says so); PL_UNSUPPORTED: not in that language; PL_NOMEM.
 */
enum pl_status pl_labels_fetch(struct pl_labels *l,
                               struct pl_windows_registry *r,
                               const char *language, const char **why);
void pl_labels_release(struct pl_labels *l);

/* Take what is not known yet of an object and its counters.  PL_NOMEM. */
enum pl_status pl_labels_object(struct pl_labels *l, struct pl_object o);

#endif
