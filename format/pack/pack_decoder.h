/*                                                format/pack/pack_decoder.h
 * Gives back the records of a pack, one after the other: samples with their
 * raw blocks, byte for byte, and the short records between them.  The content
 * is untrusted: work and memory are bounded by its length and by the length of
 * the blocks, and a block counts only if its hash is right.
 */
#ifndef PL_FORMAT_PACK_PACK_DECODER_H
#define PL_FORMAT_PACK_PACK_DECODER_H

#include "format/base/buf.h"
#include "format/pack/pack.h"

struct pl_pack_decoder;

/* PL_NOMEM. */
enum pl_status pl_pack_decoder_new(struct pl_pack_decoder **out);
void pl_pack_decoder_free(struct pl_pack_decoder *d); /* NULL is fine */

/* What stands before the frame of a payload.  False: it does not add up. */
bool pl_pack_head_get(struct pl_pack_head *h, const struct pl_record *r,
                      const uint8_t *payload);

/*
 * Begin with the pack 'r', whose payload hash has been checked.  The payload is
 * not needed afterwards.  PL_CORRUPT, PL_UNSUPPORTED (codec), PL_NOMEM.
 */
enum pl_status pl_pack_decoder_open(struct pl_pack_decoder *d,
                                    const struct pl_record *r,
                                    const uint8_t *payload);

/*
 * The next record.  Of a sample, codec is PL_CODEC_PACK, and raw_len and
 * raw_hash are set by pl_pack_decoder_block; any other is stored, its payload
 * is valid until the pack is closed.  PL_END after the last one; PL_CORRUPT,
 * after which the rest of the pack is lost.
 */
enum pl_status pl_pack_decoder_next(struct pl_pack_decoder *d,
                                    struct pl_record *record,
                                    const uint8_t **payload);

/*
 * The block of the sample that pl_pack_decoder_next returned, into 'out';
 * 'before' is that of the sample before it in the pack, NULL for the first.
 * None may be left out, until the pack ends.  PL_CORRUPT; PL_TOO_LARGE: over
 * 'most' bytes; PL_NOMEM.
 */
enum pl_status pl_pack_decoder_block(struct pl_pack_decoder *d,
                                     const struct pl_buf *before, uint64_t most,
                                     struct pl_record *record,
                                     struct pl_buf *out);

/*
 * Instead: only the length of the block, as raw_len; of all samples that follow,
 * too, none can be decoded any more.  PL_CORRUPT.
 */
enum pl_status pl_pack_decoder_pass(struct pl_pack_decoder *d,
                                    struct pl_record *record);

/* True if none of the samples to come has a time from first_ns to last_ns. */
bool pl_pack_decoder_has_none(const struct pl_pack_decoder *d, int64_t first_ns,
                              int64_t last_ns);

/* True until the last record has been returned. */
bool pl_pack_decoder_is_open(const struct pl_pack_decoder *d);

/* Drop the rest of the pack, and large buffers. */
void pl_pack_decoder_close(struct pl_pack_decoder *d);

#endif
