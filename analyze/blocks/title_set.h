/*                                               analyze/blocks/title_set.h
 * A set of title indexes: which ones occur in blocks somebody else made.  No
 * choice of them makes it slow, since where they go is different in every run.
 */
#ifndef PL_ANALYZE_BLOCKS_TITLE_SET_H
#define PL_ANALYZE_BLOCKS_TITLE_SET_H

#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_title_set {
    uint32_t *slots; /* 0: free, since no title has that index */
    size_t cap, num;
    uint64_t seed;
};

/*
 * 0 is no index and is passed over.  Beyond PL_MAX_TITLES nothing is added: a
 * log could not name more.  PL_NOMEM.
 */
enum pl_status pl_title_set_add(struct pl_title_set *s, uint32_t index);
bool pl_title_set_has(const struct pl_title_set *s, uint32_t index);
void pl_title_set_release(struct pl_title_set *s);

#endif
