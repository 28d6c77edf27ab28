/*                                                 tests/support/made_blg.h
 * A small log as Performance Monitor writes it (.blg), made of parts that a
 * test can hurt one by one: where its lengths, counts and places stand is
 * known.  Buffers are of 1 KB, so that there are many and messages have parts.
 */
#ifndef PL_TESTS_SUPPORT_MADE_BLG_H
#define PL_TESTS_SUPPORT_MADE_BLG_H

#include "format/base/buf.h"

#include <stddef.h>
#include <stdint.h>

enum made_blg_kind {
    MADE_BLG_ITEMS,  /* raw items, single ones and arrays of instances */
    MADE_BLG_BLOCKS, /* two whole blocks a sample, and titles */
    NUM_MADE_BLG
};

enum { MADE_BLG_SAMPLES = 12, MADE_BLG_MAX_PLACES = 4096 };

struct made_blg {
    struct pl_buf file;
    /* Lengths and counts.  Where a name stands cannot be told from where
     * another one does. */
    struct made_place {
        uint32_t at, size;
    } places[MADE_BLG_MAX_PLACES];
    size_t num_places;
};

void made_blg(struct made_blg *m, enum made_blg_kind kind);
void made_blg_release(struct made_blg *m);

#endif
