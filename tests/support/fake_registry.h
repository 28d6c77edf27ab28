/*                                            tests/support/fake_registry.h
 * A registry that answers as a test sets, so that the recorder of Windows runs
 * anywhere.
 */
#ifndef PL_TESTS_SUPPORT_FAKE_REGISTRY_H
#define PL_TESTS_SUPPORT_FAKE_REGISTRY_H

#include "logger/windows/published.h"
#include "logger/windows/registry.h"

#include <stddef.h>
#include <stdint.h>

enum fake_manner {
    FAKE_HONEST,     /* more data: the length is what was there before */
    FAKE_ZEROES_LEN, /* more data: the length becomes 0 */
    FAKE_CUTS,       /* gives what fits and calls it all */
    FAKE_BRAGS,      /* says it wrote more than there was room for */
};

struct fake_value {
    const char *folder; /* NULL: of the performance data */
    const char *name;
    const void *p;
    size_t n;
    uint32_t error; /* instead of the value; 0: none */
    enum fake_manner manner;
    unsigned asked; /* how often */
};

enum { FAKE_VALUES = 8 };

/* What pl_windows_registry_open opens. */
struct fake_registry {
    struct pl_windows_registry base;
    struct fake_value values[FAKE_VALUES]; /* those with a name */
    unsigned opened, let_go, closed;
};
extern struct fake_registry fake;

/* What applications publish, as pl_published_open opens it. */
struct fake_published {
    struct pl_published base;
    struct pl_titles *titles; /* the test's; NULL: it has none */
    struct pl_buf *block;     /* NULL: an empty answer */
    const char *object;       /* of the only table, if it is not NULL */
    uint32_t first;           /* title */
    int64_t perf_freq;        /* that was asked for last */
    unsigned opened, closed, read, reported;
};
extern struct fake_published fake_published;

/* Forget everything. */
void fake_start(void);

/* Answer with these bytes from now on; returns where the rest can be set. */
struct fake_value *fake_set(const char *folder, const char *name, const void *p,
                            size_t n);

#endif
