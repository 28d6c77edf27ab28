/*                                              tests/support/allocations.h
 * Counts what is allocated, in a program linked with --wrap for malloc, calloc
 * and realloc (pl_count_allocations in CMakeLists.txt).
 */
#ifndef PL_TESTS_SUPPORT_ALLOCATIONS_H
#define PL_TESTS_SUPPORT_ALLOCATIONS_H

#include <stddef.h>

extern size_t allocations; /* so far; to be set back by who wants to */

#endif
