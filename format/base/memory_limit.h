/*                                               format/base/memory_limit.h
 * A limit on the memory of this process, whatever it reads: the system refuses
 * allocations beyond it, and each refused allocation becomes PL_NOMEM.
 */
#ifndef PL_FORMAT_BASE_MEMORY_LIMIT_H
#define PL_FORMAT_BASE_MEMORY_LIMIT_H

#include <stdint.h>

/* The limit of commands that read logs, unless --max-memory sets another. */
#define PL_DEFAULT_MEMORY (UINT64_C(1) << 30)

/*
 * Limit memory to 'bytes' from now on, or to the user's own limit (ulimit -d)
 * if that is lower.  No effect on Windows, or in programs built with a
 * sanitizer, which takes terabytes of address space for itself.
 */
void pl_memory_set_limit(uint64_t bytes);

/*
 * From now on large allocations return to the system when they are freed, and
 * leave no gap; pl_memory_set_limit includes it.  For a program that runs for
 * years, and of which one busy moment should not be seen for ever.
 */
void pl_memory_return_freed(void);

/* The limit in force, in bytes; 0: none. */
uint64_t pl_memory_limit(void);

#endif
