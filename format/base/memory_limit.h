/*                                               format/base/memory_limit.h
 * How much memory the program may take, whatever it reads: the system refuses
 * it more, and every refused allocation is a PL_NOMEM.  Per process.
 */
#ifndef PL_FORMAT_BASE_MEMORY_LIMIT_H
#define PL_FORMAT_BASE_MEMORY_LIMIT_H

#include <stdint.h>

/* What commands that read may take unless --max-memory says otherwise. */
#define PL_DEFAULT_MEMORY (UINT64_C(1) << 30)

/*
 * Take no more than 'bytes' from now on, or less where the user's own limit
 * (ulimit -d) is lower.  No effect in programs built with a sanitizer, which
 * takes terabytes of address space for itself.
 */
void pl_memory_set_limit(uint64_t bytes);

/* The 'bytes' in force; 0: none. */
uint64_t pl_memory_limit(void);

#endif
