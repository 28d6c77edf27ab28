/*                                        tests/support/machine_block.h
 * A block of a small machine, and a walk through all of a block.
 */
#ifndef PL_TESTS_SUPPORT_MACHINE_BLOCK_H
#define PL_TESTS_SUPPORT_MACHINE_BLOCK_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/block/winperf.h"

#include <stddef.h>
#include <stdint.h>

enum { MEMORY = 4, PROCESSOR = 238, ROUND_UP_8 = 7 };

extern const struct pl_block_stamp stamp;
extern const struct pl_counter_def small, large; /* of each object */

/* The values of an instance. */
void put_values(struct pl_buf *b, uint32_t small_value, uint64_t large_value);

/* Begin an object; returns its place, for pl_put_object_close. */
size_t put_object(struct pl_buf *b, uint32_t title);

/* A machine "HOST" with Memory and two processors. */
void put_machine(struct pl_buf *b);

struct walk {
    uint64_t sum; /* of all bytes and values seen: makes ASan look at them */
    size_t steps, values;
};

/* Everything a reader would look at; PL_END if all of it was well formed. */
enum pl_status walk(struct walk *w, const uint8_t *p, size_t n);

/* The same through an exact-size copy; every step takes bytes, so it ends. */
enum pl_status walk_copy(struct walk *w, const uint8_t *p, size_t n);

/* Make 'twin', a copy of the little-endian 'p', big-endian. */
void make_big_endian(uint8_t *twin, const uint8_t *p, size_t n);

#endif
