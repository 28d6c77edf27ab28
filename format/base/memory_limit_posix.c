/* A limit on memory, by RLIMIT_DATA, and a heap of huge pages. */
#include "format/base/memory_limit.h"

#include "format/base/buf.h"

#include <stdlib.h>
#include <sys/resource.h>
#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
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

#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)

enum { HUGE_PAGE = 2 << 20, MOST_HEAP = 64 << 20, MALLOC_STEP = 128 << 10 };

/*
 * malloc() has the heap grow by MALLOC_STEP, so that the kernel, which gives memory
 * where it is touched first, can only give small pages.  Here the heap is made once
 * as large as a sixteenth of the limit, and huge pages are asked for; what is larger
 * lies where malloc() puts it.  Threads share it.
 */
static void make_heap(uint64_t limit)
{
    const size_t size =
        limit / 16 < MOST_HEAP ? (size_t)(limit / 16) : MOST_HEAP;
    char *first;
    uintptr_t begin, end;

    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TRIM_THRESHOLD, 2 * (int)size); /* it is kept while it is free */
    if (in_force)
        malloc_trim(size); /* it was made for a higher limit */
    mallopt(M_TOP_PAD, (int)size);
    first =
        malloc(PL_LARGE - 4096); /* more than is left, and not mapped apart */
    mallopt(M_TOP_PAD, MALLOC_STEP);
    begin = ((uintptr_t)first + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
    end = (uintptr_t)sbrk(0);
    if (first && begin < end && end - begin <= size + PL_LARGE)
        madvise((void *)begin, end - begin, MADV_HUGEPAGE);
    free(first);
}

#else

static void make_heap(uint64_t limit)
{
    (void)limit;
}

#endif

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
    make_heap(bytes);
    limit.rlim_cur = bytes;
    if (!setrlimit(RLIMIT_DATA, &limit))
        in_force = bytes;
}

uint64_t pl_memory_limit(void)
{
    return in_force;
}
