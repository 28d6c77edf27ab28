/*                                                       format/base/text.h
 * A view of UTF-8 text in memory that it does not own: no terminator, may hold
 * any byte, valid as long as the bytes it points into.
 */
#ifndef PL_FORMAT_BASE_TEXT_H
#define PL_FORMAT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct pl_text {
    const char *p;
    size_t n;
};

static inline struct pl_text pl_text_of(const char *s)
{
    return (struct pl_text){ s, s ? strlen(s) : 0 };
}

static inline bool pl_text_equal(struct pl_text a, struct pl_text b)
{
    return a.n == b.n && (!a.n || !memcmp(a.p, b.p, a.n));
}

/* A copy that ends with a NUL, to be freed; NULL: no memory. */
/* As memcmp; what begins with the other comes after it. */
static inline int pl_text_compare(struct pl_text a, struct pl_text b)
{
    const size_t n = a.n < b.n ? a.n : b.n;
    const int order = n ? memcmp(a.p, b.p, n) : 0;

    return order ? order : (a.n > b.n) - (a.n < b.n);
}

static inline char *pl_text_copy(struct pl_text t)
{
    char *copy = (char *)malloc(t.n + 1); /* C++ reads this, too */

    if (!copy)
        return NULL;
    if (t.n)
        memcpy(copy, t.p, t.n);
    copy[t.n] = 0;
    return copy;
}

#endif
