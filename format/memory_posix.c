/* A limit on memory, by RLIMIT_DATA. */
#include "format/memory.h"

#include <sys/resource.h>

/* 1 or more: the build has a sanitizer. */
enum {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SANITIZED = 1
#else
    SANITIZED = 0
#endif
};

static uint64_t in_force;

void pl_memory_set_limit(uint64_t bytes)
{
    struct rlimit limit;

    if (SANITIZED || getrlimit(RLIMIT_DATA, &limit))
        return;
    if (limit.rlim_max != RLIM_INFINITY && bytes > limit.rlim_max)
        bytes = limit.rlim_max;
    limit.rlim_cur = bytes;
    if (!setrlimit(RLIMIT_DATA, &limit))
        in_force = bytes;
}

uint64_t pl_memory_limit(void)
{
    return in_force;
}
