/*                                                      format/base/array.h
 * Arrays that grow; only this and buf.h call realloc().  Room doubles, so that
 * appending N elements copies at most 2 N.  The caller owns the array, which
 * free() releases, its number of elements, and 'cap', how many there is room
 * for; NULL and 0 at first.
 */
#ifndef PL_FORMAT_BASE_ARRAY_H
#define PL_FORMAT_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Room for 'num' elements of 'size' bytes, or for one more than 'num', cast
 * from a pointer to the array.  New elements are not set.  False: out of
 * memory, or more bytes than a size_t counts; the array is then as it was.
 */
bool pl_array_reserve(void **array, size_t *cap, size_t num, size_t size);
static inline bool pl_array_grow(void **array, size_t *cap, size_t num,
                                 size_t size)
{
    return num < *cap ||
           (num < SIZE_MAX && pl_array_reserve(array, cap, num + 1, size));
}

/*
 * Room for exactly 'num' elements, more or fewer than now: for arrays of which
 * there are many, and for those that grow with another.  The caller knows how
 * many there were.  False as above; 'num' is not 0.
 */
bool pl_array_resize(void **array, size_t num, size_t size);

#endif
