/*                                    logger/linux/identity/identity_budget.h
 * How many bytes of identities may be written: PL_IDENTITY_RATE a second, after a
 * reserve.
 */
#ifndef PL_LOGGER_LINUX_IDENTITY_IDENTITY_BUDGET_H
#define PL_LOGGER_LINUX_IDENTITY_IDENTITY_BUDGET_H

#include "format/time/time_text.h"

#include <stdint.h>

enum { PL_IDENTITY_RATE = 16 << 10 };

struct pl_identity_budget {
    int64_t reserve;
    int64_t left; /* may be below 0 by the last entry */
    int64_t filled_ns;
};

static inline void pl_identity_budget_refill(struct pl_identity_budget *b,
                                             int64_t now)
{
    int64_t passed = now - b->filled_ns;

    if (passed > b->reserve / PL_IDENTITY_RATE * PL_NS_PER_SEC)
        b->left = b->reserve;
    else if (passed > 0)
        b->left += passed / PL_NS_PER_MS * PL_IDENTITY_RATE / 1000;
    if (b->left > b->reserve)
        b->left = b->reserve;
    b->filled_ns = now;
}

#endif
