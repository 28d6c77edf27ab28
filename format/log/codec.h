/*                                                       format/log/codec.h
 * From a raw block to a record's payload and back: whole (codec 0, 1) or as
 * the difference to an earlier block (codec 2, 3).  Both sides keep their
 * zstd contexts and buffers, so they stop allocating once sizes settle.
 */
#ifndef PL_FORMAT_LOG_CODEC_H
#define PL_FORMAT_LOG_CODEC_H

#include "format/base/buf.h"
#include "format/log/record.h"
#include "format/base/status.h"

struct pl_encoder;

/* PL_OK or PL_NOMEM. */
enum pl_status pl_encoder_new(struct pl_encoder **out);
void pl_encoder_free(struct pl_encoder *e); /* NULL is fine */

/*
 * Append the payload of 'raw' to 'out' and say which codec it has: zstd where
 * it helps, else stored.  PL_OK or PL_NOMEM; 'out' is then unchanged.
 */
enum pl_status pl_encode_whole(struct pl_encoder *e, const uint8_t *raw,
                               size_t raw_len, struct pl_buf *out,
                               enum pl_codec *codec);

/*
 * The same as a difference to 'ref'.  PL_UNSUPPORTED if raw_len is no
 * multiple of 8, or a large block's difference is not half as long: such a
 * block is stored whole.
 */
enum pl_status pl_encode_delta(struct pl_encoder *e, const uint8_t *ref,
                               size_t ref_len, const uint8_t *raw,
                               size_t raw_len, struct pl_buf *out,
                               enum pl_codec *codec);

/* Between two blocks: give back what was large. */
void pl_encoder_drop(struct pl_encoder *e);

struct pl_decoder;

enum pl_status pl_decoder_new(struct pl_decoder **out);
void pl_decoder_free(struct pl_decoder *d); /* NULL is fine */

/*
 * Decode a payload whose hash has been checked into exactly r->raw_len bytes
 * and compare the hash of the result.  'ref' may be NULL for codecs 0 and 1.
 * 'out' is cleared first.  PL_CORRUPT, PL_UNSUPPORTED (codec), PL_NOMEM.
 */
enum pl_status pl_decode(struct pl_decoder *d, const struct pl_record *r,
                         const uint8_t *payload, const struct pl_buf *ref,
                         struct pl_buf *out);

/*
 * The first half of pl_decode, which takes NULL for the payload then: from
 * here on what the payload lay in is not needed.  As pl_decode.
 */
enum pl_status pl_decode_unpack(struct pl_decoder *d, const struct pl_record *r,
                                const uint8_t *payload);

/* True if there is a first half. */
bool pl_decode_has_halves(const struct pl_record *r);

/*
 * False if no payload of r's codec that decodes to r->raw_len can be as long
 * as r->stored_len; asked before memory is set aside for it.
 */
bool pl_codec_is_plausible(const struct pl_record *r);

#endif
