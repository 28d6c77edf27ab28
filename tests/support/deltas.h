/*                                                   tests/support/deltas.h
 * Pairs of blocks for the token codec, and what must hold of every pair.
 */
#ifndef PL_TESTS_SUPPORT_DELTAS_H
#define PL_TESTS_SUPPORT_DELTAS_H

#include "format/base/buf.h"
#include "format/record/delta.h"

/* One object: its title and its instances, a letter each; NULL: none. */
struct thing {
    uint32_t title;
    const char *names;
};

/*
 * Append a block of things, ended by title 0; every value follows from 'value'
 * and the instance's letter.
 */
void put_things(struct pl_buf *b, const struct thing *t, uint64_t value);

/* pl_delta_decode of copies that end where they end. */
enum pl_status decode_tokens(const struct pl_buf *tokens,
                             const struct pl_buf *ref, size_t raw_len,
                             uint8_t *raw);

/* Plan, encode and decode 'raw' against 'ref'; the test fails if it changed. */
void check_round_trip(struct pl_plan *plan, const struct pl_buf *ref,
                      const struct pl_buf *raw);

#endif
