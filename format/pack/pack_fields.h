/*                                                 format/pack/pack_fields.h
 * The fields of a pack, as a reader goes through them.  New words and columns are
 * stored by field, in the order of the rows, and rows are needed one after the
 * other: each takes what comes next from each of its fields.  So memory is read
 * from its beginning to its end, field beside field; and words are decoded only
 * then, as eight bytes of each would be much more memory than what is stored.
 */
#ifndef PL_FORMAT_PACK_PACK_FIELDS_H
#define PL_FORMAT_PACK_PACK_FIELDS_H

#include "format/pack/pack.h"

struct pl_pack_source {
    uint64_t last;   /* the word before the next one */
    uint32_t next;   /* in the order: the next word of the field */
    uint32_t column; /* the next one of its columns */
    uint32_t stored; /* where the next word is stored */
    uint32_t how;    /* its words are stored (pack_words.c) */
};

/* All zero is empty. */
struct pl_pack_sources {
    uint32_t
        *first; /* field of each group, that of the last words of its rows */
    struct pl_pack_source *fields; /* and one more, where they end */
    size_t num;
    size_t first_cap, fields_cap;
};

void pl_pack_sources_release(struct pl_pack_sources *s);

/* The fields of the rows, at their beginnings; memory is used again.  PL_NOMEM. */
enum pl_status pl_pack_sources_make(struct pl_pack_sources *s,
                                    const struct pl_pack_rows *r);

/* The field of the last words of a group's rows; that of the words before them
 * comes next. */
static inline struct pl_pack_source *
pl_pack_sources_of(const struct pl_pack_sources *s, uint64_t group)
{
    return s->fields + s->first[group];
}

#endif
