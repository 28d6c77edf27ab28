/*                                                      tests/fuzz/mutate.h
 * For mutators that know what they change.  libFuzzer's own mutator stays the
 * tool for single stretches of bytes; these keep the lengths around them true,
 * so that what is changed is reached at all.
 */
#ifndef PL_TESTS_FUZZ_MUTATE_H
#define PL_TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's: change p[0..n) in place, to at most 'cap'; the new length. */
size_t LLVMFuzzerMutate(uint8_t *p, size_t n, size_t cap);

/* libFuzzer's hook, defined by each mutator. */
size_t LLVMFuzzerCustomMutator(uint8_t *p, size_t n, size_t cap, unsigned seed);

/* A number below 'below' (0 if that is 0); 'state' must not be 0. */
size_t mutate_below(uint64_t *state, size_t below);

/* A number that programs trip over, near 'was' or near an edge. */
uint64_t mutate_number(uint64_t *state, uint64_t was);

/* Change one field, value or instance of a block; as LLVMFuzzerMutate. */
size_t mutate_block(uint64_t *state, uint8_t *p, size_t n, size_t cap);

/* Change one number of a token stream; as LLVMFuzzerMutate. */
size_t mutate_tokens(uint64_t *state, uint8_t *p, size_t n, size_t cap);

#endif
