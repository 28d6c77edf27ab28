/*                                              tests/support/made_blocks.h
 * Blocks that hold something of everything a block can hold: every counter
 * type with its base, instances with parents, with equal names and with
 * numbers for names, objects without instances, identities.  And the same
 * blocks as a big-endian machine or one of 1992 would have made them.
 */
#ifndef PL_TESTS_SUPPORT_MADE_BLOCKS_H
#define PL_TESTS_SUPPORT_MADE_BLOCKS_H

#include "format/base/buf.h"

/* Replace 'out' by sample 'step' (0, 1, 2 ...) of one made-up machine. */
void made_block(struct pl_buf *out, unsigned step);

/* Replace 'out' by the TITL payload that fits these blocks. */
void made_titles(struct pl_buf *out);

/*
 * Turn a whole, little-endian block over: every field is swapped, names and
 * the values of 4 and 8 bytes included.
 */
void block_to_big_endian(struct pl_buf *block);

/* Cut the clocks off all object headers, as Revision 0 had it. */
void block_to_revision_0(struct pl_buf *block);

#endif
