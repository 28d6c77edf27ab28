/*                                             format/writer/record_batch.h
 * The records of one write(), built in memory: header, payload, padding, one
 * after the other, with consecutive numbers.  bytes.oom is set when memory runs
 * out; the caller that writes the batch checks it once.
 */
#ifndef PL_FORMAT_WRITER_RECORD_BATCH_H
#define PL_FORMAT_WRITER_RECORD_BATCH_H

#include "format/base/buf.h"
#include "format/record/record.h"

#include <stdint.h>

/* All zero is an empty batch; it keeps its memory between writes. */
struct pl_record_batch {
    struct pl_buf bytes; /* what is to be written */
    uint32_t num;        /* records in it */
    uint64_t session;    /* of all records in it */
    uint32_t first_seq;  /* number of the first of them */
    size_t open;         /* offset in 'bytes' of the record being built */
};

void pl_record_batch_release(struct pl_record_batch *b);

/* Drop all records; the next ones are numbered from 'first_seq'. */
void pl_record_batch_begin(struct pl_record_batch *b, uint64_t session,
                           uint32_t first_seq);

/* The number the next record will get. */
uint32_t pl_record_batch_seq(const struct pl_record_batch *b);

/* The buffer to which the payload of the next record is to be appended. */
struct pl_buf *pl_record_batch_payload(struct pl_record_batch *b);

/* Add the record whose payload was put there, stored as it is. */
void pl_record_batch_plain(struct pl_record_batch *b, uint32_t type,
                           int64_t utc_ns, int64_t boot_ns);

/*
 * The same with another codec: 'r' is complete but for session, seq,
 * stored_len and the payload's hash.
 */
void pl_record_batch_built(struct pl_record_batch *b, struct pl_record r);

/* The same with a payload from another buffer. */
void pl_record_batch_coded(struct pl_record_batch *b, struct pl_record r,
                           const struct pl_buf *payload);

#endif
