/* Changes inputs that are one winperf block. */
#include "tests/fuzz/mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t *p, size_t n, size_t cap, unsigned seed)
{
    uint64_t state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;

    if (!mutate_below(&state, 8))
        return LLVMFuzzerMutate(p, n, cap);
    return mutate_block(&state, p, n, cap);
}
