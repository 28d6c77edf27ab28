/* A limit on memory, by RLIMIT_DATA. */
#include "format/base/memory_limit.h"

#include "format/base/buf.h"

#include <sys/resource.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* gcc defines macros for sanitizers; clang has __has_feature. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#define HAS_SANITIZER                                                          \
    (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||    \
     __has_feature(memory_sanitizer))
#else
#define HAS_SANITIZER 0
#endif

static uint64_t in_force;

void pl_memory_return_freed(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, PL_LARGE);
#endif
}

void pl_memory_set_limit(uint64_t bytes)
{
    struct rlimit limit;

    if (HAS_SANITIZER || getrlimit(RLIMIT_DATA, &limit))
        return;
    pl_memory_return_freed();
    if (!in_force && limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur)
        bytes = limit.rlim_cur; /* the user's own, until it is changed here */
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
