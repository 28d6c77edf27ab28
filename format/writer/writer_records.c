/* The records of a log: built in memory, written at once, synced. */
#include "format/writer/writer_state.h"

#include "format/record/record.h"

#include <errno.h>

enum {
    LAST_WORDS = 8 << 10, /* bytes for gaps of all causes, an index, ends */
    AT_ONCE = 64 << 10,   /* bytes per call, instead of a call per sample */
};

/* ---- records ------------------------------------------------------------- */

uint64_t pl_writer_distance(const struct pl_writer *w)
{
    return w->size + w->batch.bytes.len - w->segment_at;
}

void pl_writer_add_session(struct pl_writer *w, int64_t utc_ns, int64_t boot_ns,
                           bool repeat)
{
    struct pl_session s = w->options.session;

    s.previous = pl_text_of(w->previous ? pl_path_name(w->previous) : NULL);
    s.repeat = repeat;
    s.root = w->root;
    s.place = w->size + w->batch.bytes.len;
    pl_session_write(&s, pl_record_batch_payload(&w->batch));
    pl_record_batch_plain(&w->batch, PL_SESS, utc_ns, boot_ns);
}

/* Add a record whose payload is compressed if that is shorter.  PL_NOMEM. */
static enum pl_status add_packed(struct pl_writer *w, struct pl_record r,
                                 const struct pl_buf *raw)
{
    enum pl_codec codec;
    enum pl_status s =
        pl_encode_whole(w->encoder, raw->p, raw->len,
                        pl_record_batch_payload(&w->batch), &codec);

    if (s)
        return s;
    r.raw_len = (uint32_t)raw->len;
    r.codec = (uint8_t)codec;
    r.raw_hash = pl_hash(raw->p, raw->len, w->session_id);
    pl_record_batch_built(&w->batch, r);
    return PL_OK;
}

enum pl_status pl_writer_add_titles(struct pl_writer *w, int64_t utc_ns,
                                    int64_t boot_ns)
{
    struct pl_record r = { .type = PL_TITL,
                           .utc_ns = utc_ns,
                           .boot_ns = boot_ns };

    return add_packed(w, r, &w->titles);
}

enum pl_status pl_writer_add_identities(struct pl_writer *w,
                                        const struct pl_sample_stamp *stamp,
                                        const struct pl_buf *block)
{
    struct pl_record r = { .type = PL_IDEN,
                           .utc_ns = stamp->utc_ns,
                           .boot_ns = stamp->boot_ns };
    struct pl_buf raw = { 0 };
    enum pl_status s = PL_OK;

    if (pl_identity_set_version(w->identities) == w->identities_put)
        return PL_OK;
    pl_identity_set_keep_live(w->identities, block->p, block->len);
    pl_identity_set_write(w->identities, w->identities_put, &raw);
    if (raw.oom)
        s = PL_NOMEM;
    else if (raw.len)
        s = add_packed(w, r, &raw);
    pl_buf_release(&raw);
    return s;
}

void pl_writer_add_index(struct pl_writer *w, int64_t utc_ns, int64_t boot_ns)
{
    uint64_t self = pl_writer_distance(w);

    pl_index_write(self, w->chunks.last_index, w->chunks.done,
                   w->chunks.num_done, pl_record_batch_payload(&w->batch));
    pl_record_batch_plain(&w->batch, PL_INDX, utc_ns, boot_ns);
}

void pl_writer_begin(struct pl_writer *w)
{
    const struct pl_writer_options *o = &w->options;

    pl_record_batch_begin(&w->batch, w->session_id, w->seq);
    if (w->session_pending && pl_writer_is_copy(w))
        pl_writer_add_session(w, o->begun_utc_ns, o->begun_boot_ns, false);
    else if (w->session_pending)
        pl_writer_add_session(w, w->segment_utc, pl_clock_boot(), false);
}

/* ---- writing ------------------------------------------------------------- */

/* Truncate to the last complete record; sets w->torn if that fails, too. */
static enum pl_status cut_back(struct pl_writer *w)
{
    enum pl_status s = pl_file_truncate(w->file, w->size);

    w->torn = s != PL_OK;
    w->room_end = 0;
    w->stats.system_calls++;
    return s;
}

/* Reserve disk space up to offset 'end', if possible some more for later. */
static enum pl_status reserve(struct pl_writer *w, uint64_t end)
{
    enum pl_status s = PL_OK;

    for (uint64_t more = AT_ONCE;; more = 0) {
        w->stats.system_calls++;
        s = pl_file_reserve(w->file, w->size, end + more - w->size);
        if (!s)
            w->room_end = end + more;
        if (s != PL_IO || !more)
            return s;
    }
}

/* Make sure there is space for the batch, and for LAST_WORDS after it. */
static enum pl_status keep_room(struct pl_writer *w)
{
    uint64_t end = w->size + w->batch.bytes.len + LAST_WORDS;
    enum pl_status s = PL_OK;

    if (!w->has_no_room && !pl_writer_is_copy(w) && end > w->room_end)
        s = reserve(w, end);
    if (s == PL_UNSUPPORTED)
        w->has_no_room = true;
    return s == PL_UNSUPPORTED ? PL_OK : s;
}

/* Append the batch to a file that ends with a complete record. */
static enum pl_status append(struct pl_writer *w)
{
    const struct pl_buf *out = &w->batch.bytes;
    int64_t start = pl_clock_steady();
    enum pl_status s;
    int error;

    s = pl_file_append(w->file, out->p, out->len);
    error = errno;
    w->stats.system_calls++;
    w->stats.write_ns += (uint64_t)(pl_clock_steady() - start);
    w->stats.num_writes++;
    if (s) {
        cut_back(w);
        errno = error;
        return s;
    }
    w->size += out->len;
    w->seq += w->batch.num;
    w->unsynced = true;
    w->session_pending = false;
    w->stats.log_bytes += out->len;
    w->stats.file_bytes = w->size;
    return PL_OK;
}

enum pl_status pl_writer_flush(struct pl_writer *w)
{
    enum pl_status s = w->batch.bytes.oom ? PL_NOMEM : PL_OK;

    if (!s && w->torn)
        s = cut_back(w);
    if (!s)
        s = keep_room(w);
    return s ? s : append(w);
}

enum pl_status pl_writer_flush_last(struct pl_writer *w)
{
    enum pl_status s = w->batch.bytes.oom ? PL_NOMEM : PL_OK;

    if (!s && w->torn)
        s = cut_back(w);
    if (!s)
        s = append(w);
    if (w->room_end > w->size) {
        PL_KEEP_ERRNO;

        cut_back(w);
    }
    return s;
}

void pl_writer_forget_pending(struct pl_writer *w)
{
    w->segment_missed += pl_pending_records_missed(&w->pending);
    pl_pending_records_clear(&w->pending);
}

/* ---- syncing ------------------------------------------------------------- */

void pl_writer_report_risk(struct pl_writer *w, int error)
{
    struct pl_gaps *g = &w->at_risk;

    if (g->count) {
        g->cause = PL_GAP_SYNC_FAILED;
        g->error = error;
        pl_pending_records_gap(&w->pending, g);
        g->count = 0;
    }
}

enum pl_status pl_writer_sync(struct pl_writer *w)
{
    int64_t start = pl_clock_steady();
    enum pl_status s;
    int error;

    if (!w->unsynced || w->sync_failed || w->options.sync_ns == PL_SYNC_NEVER)
        return PL_OK;
    s = pl_file_sync(w->file);
    error = errno;
    w->synced_at = pl_clock_steady();
    w->unsynced = false;
    w->stats.sync_ns += (uint64_t)(w->synced_at - start);
    w->stats.num_syncs++;
    w->stats.system_calls++;
    if (s) {
        w->sync_failed = true;
        w->stats.may_be_lost++;
        pl_writer_report_risk(w, error);
    }
    w->in_doubt = s && (w->in_doubt || !pl_file_is_full(error));
    w->at_risk.count = 0;
    errno = error;
    return s;
}
