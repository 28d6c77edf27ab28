/* Windows limits the memory of jobs, not of single processes: no limit. */
#include "format/base/memory_limit.h"

void pl_memory_set_limit(uint64_t bytes)
{
    (void)bytes;
}

void pl_memory_return_freed(void)
{
}

uint64_t pl_memory_limit(void)
{
    return 0;
}
