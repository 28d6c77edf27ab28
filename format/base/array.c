/* Arrays that grow. */
#include "format/base/array.h"

#include <stdint.h>
#include <stdlib.h>

enum { FIRST_CAP = 64 };

bool pl_array_reserve(void **array, size_t *cap, size_t num, size_t size)
{
    size_t more = *cap ? *cap : FIRST_CAP;
    void *p;

    if (num <= *cap)
        return true;
    while (more < num && more <= SIZE_MAX / 2)
        more *= 2;
    if (more < num || more > SIZE_MAX / size)
        return false;
    p = realloc(*array, more * size);
    if (!p)
        return false;
    *array = p;
    *cap = more;
    return true;
}
