/*                                           tests/support/item_kinds.h
 * What a reader makes of crafted bytes, as one letter an item.
 */
#ifndef PL_TESTS_SUPPORT_ITEM_KINDS_H
#define PL_TESTS_SUPPORT_ITEM_KINDS_H

#include "format/base/buf.h"
#include "format/record/record.h"

#include <stddef.h>

/* Sessions, a usual payload, and the record that it makes. */
enum { A = 0x1111, B = 0x2222, LEN = 200, TOTAL = PL_RECORD_LEN + LEN };

/* The length of a record whose payload has 'n' bytes, with padding. */
size_t total_of(size_t n);

/* As "sSSD": session, two samples, damage. */
void kinds_of(const void *p, size_t n, char *out, size_t cap);

/* The bytes have these kinds; the buffer is cleared.  'what' names the case. */
void check_kinds(const char *what, struct pl_buf *b, const char *want);

#endif
