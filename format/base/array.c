/* Arrays that grow. */
#include "format/base/array.h"

#include <stdint.h>
#include <stdlib.h>

enum { FIRST_CAP = 64 };

bool pl_array_resize(void **array, size_t num, size_t size)
{
    void *p = num <= SIZE_MAX / size ? realloc(*array, num * size) : NULL;

    if (!p)
        return false;
    *array = p;
    return true;
}

bool pl_array_reserve(void **array, size_t *cap, size_t num, size_t size)
{
    size_t more = *cap ? *cap : FIRST_CAP;

    if (num <= *cap)
        return true;
    while (more < num && more <= SIZE_MAX / 2)
        more *= 2;
    if (more < num || !pl_array_resize(array, more, size))
        return false;
    *cap = more;
    return true;
}
