/* The records of a log: put together, written at once, synced. */
#include "format/log/writer_state.h"

#include "format/log/record.h"

#include <errno.h>

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
    pl_session_write(&s, pl_record_batch_payload(&w->batch));
    pl_record_batch_plain(&w->batch, PL_SESS, utc_ns, boot_ns);
}

enum pl_status pl_writer_add_titles(struct pl_writer *w, int64_t utc_ns,
                                    int64_t boot_ns)
{
    struct pl_record r = { .type = PL_TITL,
                           .utc_ns = utc_ns,
                           .boot_ns = boot_ns,
                           .raw_len = (uint32_t)w->titles.len };
    enum pl_codec codec;
    enum pl_status s =
        pl_encode_whole(w->encoder, w->titles.p, w->titles.len,
                        pl_record_batch_payload(&w->batch), &codec);

    if (s)
        return s;
    r.codec = (uint8_t)codec;
    r.raw_hash = pl_hash(w->titles.p, w->titles.len, w->session_id);
    pl_record_batch_built(&w->batch, r);
    return PL_OK;
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

/* Cut back to the last whole record; remembered if even that fails. */
static enum pl_status cut_back(struct pl_writer *w)
{
    enum pl_status s = pl_file_truncate(w->file, w->size);

    w->torn = s != PL_OK;
    w->stats.system_calls++;
    return s;
}

enum pl_status pl_writer_flush(struct pl_writer *w)
{
    const struct pl_buf *out = &w->batch.bytes;
    int64_t start = pl_clock_steady();
    enum pl_status s = PL_OK;
    int error;

    if (out->oom)
        return PL_NOMEM;
    if (w->torn)
        s = cut_back(w);
    if (s)
        return s;
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

void pl_writer_forget_pending(struct pl_writer *w)
{
    w->segment_missed += pl_pending_records_missed(&w->pending);
    pl_pending_records_clear(&w->pending);
}

/* ---- syncing ------------------------------------------------------------- */

void pl_writer_tell_risk(struct pl_writer *w, int error)
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
        pl_writer_tell_risk(w, error);
    }
    w->at_risk.count = 0;
    errno = error;
    return s;
}
