/*                                               analyze/blocks/title_set.h
 * A set of title indexes: those that occur in imported blocks.  Hashing is
 * seeded differently in every run, so that no file can choose indexes that
 * collide.
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
 * 0 is not an index and is ignored.  Beyond PL_MAX_TITLES nothing is added: a
 * log cannot name more.  PL_NOMEM.
 */
enum pl_status pl_title_set_add(struct pl_title_set *s, uint32_t index);
bool pl_title_set_has(const struct pl_title_set *s, uint32_t index);
void pl_title_set_release(struct pl_title_set *s);

#endif
