/*                                                format/pack/pack_encoder.h
 * Makes packs: samples and short records go in, in the order of their numbers,
 * the payload of a PACK comes out.  Memory: two blocks, 4 bytes for each of
 * their words, 12 for each new one, and 16 for each change of a value.
 */
#ifndef PL_FORMAT_PACK_PACK_ENCODER_H
#define PL_FORMAT_PACK_PACK_ENCODER_H

#include "format/base/buf.h"
#include "format/pack/pack.h"

struct pl_pack_encoder;

/* 'level': zstd's.  PL_NOMEM. */
enum pl_status pl_pack_encoder_new(struct pl_pack_encoder **out, int level);
void pl_pack_encoder_free(struct pl_pack_encoder *e); /* NULL is fine */

/*
 * Add a sample; of 'r' flags, utc_ns, boot_ns and raw_hash are used.  PL_END:
 * the pack is full, nothing was added; PL_NOMEM, after which 'e' is only to be
 * cleared or freed.
 */
enum pl_status pl_pack_encoder_sample(struct pl_pack_encoder *e,
                                      const struct pl_record *r,
                                      const struct pl_buf *block);

/* Add another record with a payload of 'n' bytes; type, flags, utc_ns and
 * boot_ns are used.  As above. */
enum pl_status pl_pack_encoder_record(struct pl_pack_encoder *e,
                                      const struct pl_record *r,
                                      const uint8_t *payload, size_t n);

/* Records and samples added since it was cleared. */
uint32_t pl_pack_encoder_records(const struct pl_pack_encoder *e);
const struct pl_pack_head *
pl_pack_encoder_head(const struct pl_pack_encoder *e);

/*
 * Append the payload to 'out', set codec, raw_len and raw_hash (by r->session)
 * of 'r', and clear 'e'.  There must be a sample.  PL_NOMEM; PL_TOO_LARGE: more
 * than a record can hold.
 */
enum pl_status pl_pack_encoder_finish(struct pl_pack_encoder *e,
                                      struct pl_record *r, struct pl_buf *out);

void pl_pack_encoder_clear(struct pl_pack_encoder *e);

#endif
