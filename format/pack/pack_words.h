/*                                                  format/pack/pack_words.h
 * New words of a pack, field by field: each as the difference to a word that a
 * reader knows by then, whose place is chosen per field.  A process that begins
 * is like the one that began before it, and some of its counters are alike.
 */
#ifndef PL_FORMAT_PACK_PACK_WORDS_H
#define PL_FORMAT_PACK_PACK_WORDS_H

#include "format/base/buf.h"
#include "format/base/cursor.h"
#include "format/pack/pack.h"
#include "format/pack/pack_fields.h"

/* Append the words of all series, by their numbers, to 'out'. */
void pl_pack_words_put(const struct pl_pack_order *order, const uint8_t *words,
                       struct pl_buf *out);

/* Find what is stored of each field's words, and pass it.  PL_CORRUPT. */
enum pl_status pl_pack_words_find(struct pl_pack_sources *s,
                                  uint32_t num_groups, struct pl_cur *from);

/* The words of the next row, which has 'len'; 'field' is that of its last one, and
 * 'stored' is where the words of all fields were found. */
void pl_pack_words_take(struct pl_pack_source *field, const uint8_t *stored,
                        size_t len, uint8_t *row);

#endif
