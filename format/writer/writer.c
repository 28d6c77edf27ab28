/* Appends samples to a log: opening, samples, closing. */
#include "format/writer/writer.h"

#include "format/time/time_text.h"
#include "format/record/record.h"
#include "format/block/winperf.h"
#include "format/writer/writer_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_ERRORS_IN_A_ROW = 3,
    MOST_KEPT = 64 << 10, /* bytes that wait for the next sample */
    FAR = 60000, /* records: 'ref' reaches 65,535, less pending records */
};
#define SPACE_CHECK_NS PL_NS_PER_SEC

const char *pl_writer_path(const struct pl_writer *w)
{
    return w->current;
}

const struct pl_writer_stats *pl_writer_stats(const struct pl_writer *w)
{
    return &w->stats;
}

/* ---- opening and closing -------------------------------------------------- */

static void writer_free(struct pl_writer *w)
{
    pl_encoder_free(w->encoder);
    pl_identity_set_free(w->identities);
    pl_file_close(w->file);
    pl_buf_release(&w->block);
    pl_buf_release(&w->titles);
    pl_buf_release(&w->payload);
    pl_pending_records_release(&w->pending);
    pl_record_batch_release(&w->batch);
    free(w->current);
    free(w->previous);
    free(w->path);
    free(w);
}

enum pl_status pl_writer_open(struct pl_writer **out, const char *path,
                              const struct pl_writer_options *options,
                              const char **why)
{
    struct pl_writer *w = calloc(1, sizeof *w);
    enum pl_status s;

    *why = NULL;
    if (!w)
        return PL_NOMEM;
    w->options = *options;
    w->options.session.minor = PL_MINOR;
    w->last_utc = options->begun_utc_ns;
    w->last_boot = options->begun_boot_ns;
    w->session_id = pl_random();
    w->path = strdup(path);
    s = w->path ? pl_encoder_new(&w->encoder) : PL_NOMEM;
    if (!s)
        s = pl_writer_open_first(w, why);
    if (s) {
        PL_KEEP_ERRNO;

        writer_free(w);
        return s;
    }
    w->synced_at = pl_clock_steady();
    *out = w;
    return PL_OK;
}

enum pl_status pl_writer_close(struct pl_writer *w, enum pl_end_reason reason,
                               struct pl_writer_stats *final)
{
    bool was_taken = !w->gone && !pl_writer_is_as_left(w) && w->gone;
    enum pl_status s = pl_writer_finish_segment(w, reason);
    PL_KEEP_ERRNO;

    w->stats.ended_taken = was_taken;
    if (final)
        *final = w->stats;
    writer_free(w);
    return s;
}

/* ---- records for the next sample ------------------------------------------ */

void pl_writer_titles(struct pl_writer *w, struct pl_buf *titles)
{
    if (titles->len == w->titles.len &&
        (!titles->len || !memcmp(w->titles.p, titles->p, titles->len)))
        return;
    pl_buf_swap(&w->titles, titles);
    w->titles_pending = w->titles.len > 0;
}

enum pl_status pl_writer_identities(struct pl_writer *w,
                                    const struct pl_buf *payload)
{
    if (!w->identities && pl_identity_set_new(&w->identities))
        return PL_NOMEM;
    return pl_identity_set_add(w->identities, payload->p, payload->len);
}

void pl_writer_missed(struct pl_writer *w, const struct pl_gaps *g)
{
    if (!g->count || !g->cause || g->cause >= PL_NUM_GAP_CAUSES)
        return;
    pl_pending_records_gap(&w->pending, g);
    w->stats.missed += g->count;
}

void pl_writer_note(struct pl_writer *w, enum pl_note_kind kind, int64_t utc_ns,
                    int64_t boot_ns, const char *text)
{
    pl_pending_records_note(&w->pending, kind, utc_ns, boot_ns, text);
}

enum pl_status pl_writer_keep(struct pl_writer *w, const struct pl_record *r,
                              const uint8_t *payload)
{
    struct pl_gaps gaps;
    enum pl_status s = PL_OK;

    if (w->pending.notes.len > MOST_KEPT) {
        pl_writer_begin(w);
        pl_pending_records_put(&w->pending, &w->batch, w->last_utc,
                               w->last_boot);
        s = pl_writer_flush(w);
        if (s)
            return s;
        pl_writer_forget_pending(w);
    }
    s = pl_pending_records_record(&w->pending, r, payload);
    if (!s && r->type == PL_GAPS &&
        !pl_gaps_parse(&gaps, payload, r->stored_len))
        w->segment_missed += gaps.count;
    return s;
}

/* ---- samples -------------------------------------------------------------- */

/* One sample was taken and is lost. */
static void lose(struct pl_writer *w, const struct pl_sample_stamp *stamp,
                 enum pl_gap_cause cause, int error)
{
    struct pl_gaps g = { .utc_first = stamp->utc_ns,
                         .utc_last = stamp->utc_ns,
                         .boot_first = (uint64_t)stamp->boot_ns,
                         .boot_last = (uint64_t)stamp->boot_ns,
                         .count = 1,
                         .cause = cause,
                         .error = error };

    pl_pending_records_gap(&w->pending, &g);
    w->stats.not_written++;
}

/*
 * After 64 chunks, write an index and repeat SESS and TITL.  If that fails, it
 * is tried again at the next chunk's end.
 */
static void end_chunk(struct pl_writer *w, const struct pl_sample_stamp *stamp)
{
    uint64_t self;

    pl_chunk_index_finish(&w->chunks);
    if (w->chunks.num_done < PL_INDEX_CHUNKS)
        return;
    pl_writer_begin(w);
    self = pl_writer_distance(w);
    pl_writer_add_index(w, stamp->utc_ns, stamp->boot_ns);
    pl_writer_add_session(w, stamp->utc_ns, stamp->boot_ns, true);
    if (w->titles.len && !w->titles_pending &&
        pl_writer_add_titles(w, stamp->utc_ns, stamp->boot_ns))
        return;
    if (pl_writer_flush(w))
        return;
    pl_chunk_index_indexed(&w->chunks, self);
    w->identities_put = 0; /* repeat them with the next key */
}

/* Encode 'block' into w->payload, as a delta if that is short enough. */
static enum pl_status encode(struct pl_writer *w,
                             const struct pl_sample_stamp *stamp,
                             const struct pl_buf *ref,
                             const struct pl_buf *block, struct pl_record *r,
                             bool *is_key)
{
    int64_t start = pl_clock_steady();
    enum pl_codec codec = PL_CODEC_STORED;
    enum pl_status s = PL_UNSUPPORTED;

    *is_key = true;
    pl_buf_clear(&w->payload);
    if (ref && !w->titles_pending && block->len % 8 == 0 &&
        w->seq - w->block_seq < FAR &&
        !pl_chunk_index_is_over(&w->chunks, stamp->boot_ns)) {
        s = pl_encode_delta(w->encoder, ref->p, ref->len, block->p, block->len,
                            &w->payload, &codec);
        *is_key = s != PL_OK || w->payload.len > w->chunks.key_len / 2;
    }
    if (pl_writer_is_copy(w)) /* to save memory: its source takes some, too */
        pl_encoder_drop(w->encoder);
    if (*is_key && s != PL_NOMEM) {
        pl_buf_clear(&w->payload);
        s = pl_encode_whole(w->encoder, block->p, block->len, &w->payload,
                            &codec);
    }
    r->codec = (uint8_t)codec;
    r->raw_len = (uint32_t)block->len;
    r->raw_hash = pl_hash(block->p, block->len, w->session_id);
    w->stats.encode_ns += (uint64_t)(pl_clock_steady() - start);
    return s;
}

/* Build gaps, notes, TITL if due, and the sample, and write them at once. */
static enum pl_status write_sample(struct pl_writer *w,
                                   const struct pl_sample_stamp *stamp,
                                   const struct pl_buf *ref,
                                   const struct pl_buf *block)
{
    struct pl_record r = { .type = PL_SMPL,
                           .utc_ns = stamp->utc_ns,
                           .boot_ns = stamp->boot_ns,
                           .flags = stamp->flags };
    uint64_t offset;
    uint32_t seq;
    size_t len;
    bool is_key;
    enum pl_status s = encode(w, stamp, ref, block, &r, &is_key);

    if (s)
        return s;
    if (is_key && pl_writer_is_copy(w))
        pl_buf_drop(&w->block);
    if (is_key)
        end_chunk(w, stamp);
    pl_writer_begin(w);
    if (pl_pending_records_missed(&w->pending))
        r.flags |= PL_FLAG_MISSED;
    pl_pending_records_put(&w->pending, &w->batch, stamp->utc_ns,
                           stamp->boot_ns);
    s = pl_writer_add_identities(w, stamp, block);
    if (!s && w->titles_pending)
        s = pl_writer_add_titles(w, stamp->utc_ns, stamp->boot_ns);
    if (s)
        return s;
    offset = pl_writer_distance(w);
    seq = pl_record_batch_seq(&w->batch);
    if (!is_key)
        r.ref = (uint16_t)(seq - w->block_seq);
    pl_record_batch_coded(&w->batch, r, &w->payload);
    len = w->payload.len;
    if (pl_writer_is_copy(w))
        pl_buf_drop(&w->payload);
    s = pl_writer_flush(w);
    if (pl_writer_is_copy(w))
        pl_buf_drop(&w->batch.bytes);
    if (s)
        return s;
    pl_writer_forget_pending(w);
    w->titles_pending = false;
    w->identities_put = pl_identity_set_version(w->identities);
    w->block_seq = seq;
    w->last_utc = stamp->utc_ns;
    w->last_boot = stamp->boot_ns;
    if (is_key)
        pl_chunk_index_begin(&w->chunks, stamp->utc_ns, stamp->boot_ns, seq,
                             offset, len);
    pl_chunk_index_extend(&w->chunks, stamp->utc_ns,
                          PL_RECORD_LEN + pl_padded_len((uint32_t)len));
    return PL_OK;
}

static void put_at_risk(struct pl_writer *w,
                        const struct pl_sample_stamp *stamp)
{
    struct pl_gaps *g = &w->at_risk;

    if (!g->count) {
        g->utc_first = stamp->utc_ns;
        g->boot_first = (uint64_t)stamp->boot_ns;
    }
    g->utc_last = stamp->utc_ns;
    g->boot_last = (uint64_t)stamp->boot_ns;
    g->count++;
}

/* The segment is reliable. */
static void settle(struct pl_writer *w)
{
    if (w->drop_due)
        pl_writer_drop_old(w);
    w->drop_due = false;
}

/* Sync if it is due; after a failure, continue in another file.  A disk that
 * refuses to sync costs no older segment. */
static void sync_if_due(struct pl_writer *w, int64_t utc_ns)
{
    uint64_t age = (uint64_t)(pl_clock_steady() - w->synced_at);
    uint64_t interval = w->options.session.interval_ns;

    if (w->options.sync_ns == PL_SYNC_NEVER) {
        settle(w);
        return;
    }
    /* The next call comes an interval from now. */
    if (w->sync_failed || w->chunks.now.samples == 1 ||
        interval >= w->options.sync_ns || age > w->options.sync_ns - interval) {
        pl_writer_sync(w);
        if (w->sync_failed) {       /* never retry on the same descriptor */
            pl_writer_make_room(w); /* it may have failed for want of that */
            pl_writer_rescue(w, utc_ns);
        } else {
            settle(w);
        }
    }
}

/* The sample is lost; after repeated errors, continue in another file. */
static void meet_error(struct pl_writer *w, const struct pl_sample_stamp *stamp,
                       enum pl_status s, int error)
{
    bool full = s == PL_IO && pl_file_is_full(error);

    lose(w, stamp, full ? PL_GAP_DISK_FULL : PL_GAP_DISK_ERROR,
         s == PL_IO ? error : ENOMEM);
    if ((!full || error == EFBIG) && s == PL_IO &&
        ++w->errors_in_a_row >= MAX_ERRORS_IN_A_ROW) {
        w->errors_in_a_row = 0;
        pl_writer_rescue(w, stamp->utc_ns);
    }
}

/* True if there is no room, though the file might become larger. */
static bool is_disk_full(enum pl_status s, int error)
{
    return s == PL_IO && pl_file_is_full(error) && error != EFBIG;
}

enum pl_status pl_writer_sample_kept(struct pl_writer *w,
                                     const struct pl_sample_stamp *stamp,
                                     const struct pl_buf *ref,
                                     const struct pl_buf *block)
{
    enum pl_status s;
    int error;

    if (block->len > PL_MAX_BLOCK_LEN) {
        lose(w, stamp, PL_GAP_TOO_LARGE, 0);
        return PL_TOO_LARGE;
    }
    if (!w->segment_samples)
        w->segment_utc = stamp->utc_ns; /* not the time of its file */
    /* Once a second; with every sample while there is too little space, or
     * no file. */
    if (w->space_low || w->gone ||
        pl_clock_steady() - w->space_checked_at >= SPACE_CHECK_NS) {
        pl_writer_look_at_file(w, stamp->utc_ns, stamp->boot_ns);
        pl_writer_look_at_space(w, w->file);
    }
    /* Without an end of the segment nothing would ever be due to be deleted. */
    if (!w->gone && (!w->space_low || w->options.keep))
        pl_writer_turn_over(w, stamp->utc_ns);
    if (w->space_low && pl_writer_make_room(w))
        pl_writer_look_at_space(w, w->file);
    if (w->space_low) {
        lose(w, stamp, PL_GAP_SPACE_GUARD, 0);
        return PL_NO_SPACE;
    }
    if (w->gone) {
        lose(w, stamp, PL_GAP_DISK_ERROR, w->gone);
        errno = w->gone;
        return PL_IO;
    }
    s = write_sample(w, stamp, ref, block);
    if (pl_writer_is_too_big(w, s, errno)) {
        pl_writer_begin_next(w, stamp->utc_ns);
        s = write_sample(w, stamp, ref, block);
    }
    error = errno;
    if (is_disk_full(s, error) && pl_writer_make_room(w))
        s = write_sample(w, stamp, ref, block);
    else
        errno = error;
    error = errno;
    if (s) {
        meet_error(w, stamp, s, error);
        errno = error;
        return s;
    }
    w->errors_in_a_row = 0;
    w->segment_samples++;
    w->stats.samples++;
    w->stats.block_bytes += block->len;
    put_at_risk(w, stamp);
    sync_if_due(w, stamp->utc_ns);
    return PL_OK;
}

void pl_writer_forget_reference(struct pl_writer *w)
{
    if (w->block.len > PL_LARGE)
        pl_buf_drop(&w->block);
}

enum pl_status pl_writer_sample(struct pl_writer *w,
                                const struct pl_sample_stamp *stamp,
                                struct pl_buf *block)
{
    const struct pl_buf *ref = w->block.len ? &w->block : NULL;
    enum pl_status s = pl_writer_sample_kept(w, stamp, ref, block);

    if (!s)
        pl_buf_swap(&w->block, block);
    return s;
}
