/*                                                     tests/crash/source.h
 * Samples that follow from a seed, so that what one process wrote can be
 * compared by another that knows nothing but the seed.
 */
#ifndef PL_TESTS_CRASH_SOURCE_H
#define PL_TESTS_CRASH_SOURCE_H

#include "format/base/buf.h"
#include "format/writer/writer.h"

#include <stddef.h>
#include <stdint.h>

/* A block that changes a little at each step, and now and then a lot. */
struct source {
    uint64_t random;
    uint32_t number; /* of the sample, from 1 */
    struct pl_buf block;
};

void source_start(struct source *s, uint64_t seed);
void source_step(struct source *s);

/* Run and number of a sample stand in its clocks. */
struct pl_sample_stamp source_stamp(const struct source *s, size_t run);

/* Replace 'out' by a TITL payload: one name, as if an object had appeared. */
void source_titles(struct pl_buf *out, uint32_t index);

#endif
