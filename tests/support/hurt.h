/*                                                     tests/support/hurt.h
 * Does damage to copies of a log, thousands of ways, reads each copy and adds
 * up what it cost beyond what damage may cost.  The unit tests run it on small
 * numbers, tests/crash/damage.c on those meant for a release.
 */
#ifndef PL_TESTS_SUPPORT_HURT_H
#define PL_TESTS_SUPPORT_HURT_H

#include "tests/support/logs.h"

/* Sums over copies that were read; only 'tried' should ever be above 0. */
struct toll {
    uint64_t tried;
    uint64_t lost;   /* samples that no damage touched */
    uint64_t wrong;  /* values, statuses, or bytes that were changed */
    uint64_t silent; /* damage that nothing told of */
    uint64_t alarms; /* told of where there is none */
    char first[160]; /* the first of these in words */
};

void toll_add(struct toll *sum, const struct toll *t);
bool toll_is_clean(const struct toll *t);

/* Cut 'l' at every byte. */
void hurt_cuts(const struct log *l, struct toll *t);

/* Flip 'bits' (1 to 8) of the bits of every byte, one at a time; other ones than
 * of the byte before. */
void hurt_bits(const struct log *l, unsigned bits, struct toll *t);

/* Flip a bit in every 'step'th byte that belongs to no sample: costs none. */
void hurt_hints(const struct log *l, size_t step, struct toll *t);

/* Cases 'seed' to seed + num - 1: ranges overwritten, zeroed, removed,
 * inserted, swapped, doubled. */
void hurt_at_random(const struct log *l, uint64_t seed, uint64_t num,
                    struct toll *t);

/* Cut a log of 'shape' at every 'step'th byte and append a session to it. */
void hurt_and_append(enum log_shape shape, uint64_t seed, size_t step,
                     struct toll *t);

#endif
