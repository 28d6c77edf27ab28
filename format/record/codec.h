/*                                                       format/record/codec.h
 * Encodes a raw block as a record's payload and decodes it: complete (codec
 * 0, 1) or as the difference to an earlier block (codec 2, 3).  Encoder and
 * decoder keep their zstd contexts and buffers, so they stop allocating once
 * these have reached the largest size needed.
 */
#ifndef PL_FORMAT_RECORD_CODEC_H
#define PL_FORMAT_RECORD_CODEC_H

#include "format/base/buf.h"
#include "format/record/record.h"
#include "format/base/status.h"

struct pl_encoder;

/* PL_OK or PL_NOMEM. */
enum pl_status pl_encoder_new(struct pl_encoder **out);
void pl_encoder_free(struct pl_encoder *e); /* NULL is fine */

/*
 * Append the payload of 'raw' to 'out' and set *codec: zstd if that is
 * shorter, else stored.  PL_OK or PL_NOMEM; 'out' is then unchanged.
 */
enum pl_status pl_encode_whole(struct pl_encoder *e, const uint8_t *raw,
                               size_t raw_len, struct pl_buf *out,
                               enum pl_codec *codec);

/*
 * The same as a difference to 'ref'.  PL_UNSUPPORTED if raw_len is not a
 * multiple of 8, or if a large block's difference is over half its length:
 * such a block is to be stored complete.
 */
enum pl_status pl_encode_delta(struct pl_encoder *e, const uint8_t *ref,
                               size_t ref_len, const uint8_t *raw,
                               size_t raw_len, struct pl_buf *out,
                               enum pl_codec *codec);

/* Between two blocks: free large buffers. */
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
 * The first half of pl_decode, which is then called with a NULL payload: after
 * this the payload's bytes are no longer needed.  Errors as pl_decode.
 */
enum pl_status pl_decode_unpack(struct pl_decoder *d, const struct pl_record *r,
                                const uint8_t *payload);

/* True if r's codec has a first half. */
bool pl_decode_has_halves(const struct pl_record *r);

/*
 * False if no payload of r's codec that decodes to r->raw_len can be as long
 * as r->stored_len; checked before memory is allocated for it.
 */
bool pl_codec_is_plausible(const struct pl_record *r);

#endif
