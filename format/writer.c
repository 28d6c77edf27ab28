/* The append side of a log. */
#include "format/writer.h"

#include "format/batch.h"
#include "format/chunks.h"
#include "format/codec.h"
#include "format/file.h"
#include "format/instant.h"
#include "format/pending.h"
#include "format/record.h"
#include "format/segment.h"
#include "format/target.h"
#include "format/winperf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_ERRORS_IN_A_ROW = 3,
    MAX_SAME_NAMES = 1000, /* segments of one second */
    MOST_KEPT = 64 << 10,  /* bytes that wait for the next sample */
    FAR = 60000, /* records: a reference reaches back 65,535, the rest wait */
    SEQ_RESERVE = 4096, /* more records than notes can wait */
};
#define SPACE_CHECK_NS PL_NS_PER_SEC
/* At least so long between two segments that errors forced upon us. */
#define RESCUE_NS (INT64_C(60) * PL_NS_PER_SEC)

struct pl_writer {
    struct pl_writer_options options;
    struct pl_writer_stats stats;
    struct pl_encoder *encoder;
    char *path;     /* as asked for */
    char *current;  /* of the file being written */
    char *previous; /* of the segment before it; NULL: none */
    struct pl_file *file;

    uint64_t session_id;
    uint32_t seq;        /* of the next record */
    uint64_t segment_at; /* offset of the segment's SESS in the file */
    uint64_t size;       /* end of the last whole record */
    uint32_t next_no;    /* number of the next segment */
    int64_t segment_utc; /* when the segment began */
    uint32_t segment_samples;
    uint32_t segment_missed; /* told in it */

    int64_t last_utc, last_boot; /* of the last written sample */

    struct pl_buf block; /* reference: the last written sample */
    uint32_t block_seq;

    struct pl_buf titles; /* payload for the current chunk */
    bool titles_pending;

    struct pl_chunks chunks;

    struct pl_pending pending; /* goes with the next sample */
    struct pl_batch batch;     /* records of one write() */
    struct pl_buf payload;     /* of the sample */

    bool session_pending; /* the segment's SESS is not yet written */
    bool torn;            /* a failed write could not be cut back */

    uint32_t errors_in_a_row;
    int64_t rescued_at; /* steady clock; 0: never */
    int64_t synced_at;  /* steady clock */
    bool unsynced;
    bool sync_failed;       /* this file is never synced again */
    struct pl_gaps at_risk; /* samples not yet synced */
    int64_t space_checked_at;
    bool space_low;
};

const char *pl_writer_path(const struct pl_writer *w)
{
    return w->current;
}

const struct pl_writer_stats *pl_writer_stats(const struct pl_writer *w)
{
    return &w->stats;
}

/* ---- records ------------------------------------------------------------- */

/* Where the next record will lie, counted from the segment's SESS. */
static uint64_t distance(const struct pl_writer *w)
{
    return w->size + w->batch.bytes.len - w->segment_at;
}

static void add_session(struct pl_writer *w, int64_t utc_ns, int64_t boot_ns,
                        bool repeat)
{
    struct pl_session s = w->options.session;

    s.previous = pl_text_of(w->previous ? pl_path_name(w->previous) : NULL);
    s.repeat = repeat;
    pl_session_write(&s, pl_batch_payload(&w->batch));
    pl_batch_plain(&w->batch, PL_SESS, utc_ns, boot_ns);
}

static enum pl_status add_titles(struct pl_writer *w, int64_t utc_ns,
                                 int64_t boot_ns)
{
    struct pl_record r = { .type = PL_TITL,
                           .utc_ns = utc_ns,
                           .boot_ns = boot_ns,
                           .raw_len = (uint32_t)w->titles.len };
    struct pl_buf *payload = pl_batch_payload(&w->batch);
    enum pl_codec codec;
    enum pl_status s = pl_encode_whole(w->encoder, w->titles.p, w->titles.len,
                                       payload, &codec);

    if (s)
        return s;
    r.codec = (uint8_t)codec;
    r.raw_hash = pl_hash(w->titles.p, w->titles.len, w->session_id);
    pl_batch_coded(&w->batch, r, payload);
    return PL_OK;
}

static void add_index(struct pl_writer *w, int64_t utc_ns, int64_t boot_ns)
{
    pl_index_write(distance(w), w->chunks.last_index, w->chunks.done,
                   w->chunks.num_done, pl_batch_payload(&w->batch));
    pl_batch_plain(&w->batch, PL_INDX, utc_ns, boot_ns);
}

static bool is_copy(const struct pl_writer *w)
{
    return w->options.begun_utc_ns != 0;
}

/* Start collecting records; a segment's SESS goes before all others. */
static void begin(struct pl_writer *w)
{
    const struct pl_writer_options *o = &w->options;

    pl_batch_begin(&w->batch, w->session_id, w->seq);
    if (w->session_pending && is_copy(w))
        add_session(w, o->begun_utc_ns, o->begun_boot_ns, false);
    else if (w->session_pending)
        add_session(w, w->segment_utc, pl_clock_boot(), false);
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

/*
 * Write what has been added since begin().  On failure the file is cut back,
 * so that it ends on a whole record and the sequence has no hole.
 */
static enum pl_status flush(struct pl_writer *w)
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

/* All that was said to be missing is in the file now. */
static void forget_pending(struct pl_writer *w)
{
    w->segment_missed += pl_pending_missed(&w->pending);
    pl_pending_clear(&w->pending);
}

/* ---- syncing ------------------------------------------------------------- */

/* What was written since the last good sync may be lost: tell of it. */
static void tell_risk(struct pl_writer *w, int error)
{
    struct pl_gaps *g = &w->at_risk;

    if (g->count) {
        g->cause = PL_GAP_SYNC_FAILED;
        g->error = error;
        pl_pending_gap(&w->pending, g);
        g->count = 0;
    }
}

/* Force the file to disk; after a failure it is never tried again. */
static enum pl_status sync_now(struct pl_writer *w)
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
        tell_risk(w, error);
    }
    w->at_risk.count = 0;
    errno = error;
    return s;
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

/* ---- files ---------------------------------------------------------------- */

static bool rotates(const struct pl_writer *w)
{
    return w->options.max_size || w->options.max_time_ns || w->options.keep;
}

static enum pl_status look_at_space(struct pl_writer *w, struct pl_file *file)
{
    uint64_t total, least;
    enum pl_status s;

    w->space_checked_at = pl_clock_steady();
    w->stats.system_calls++;
    s = pl_file_space(file, &w->stats.free_bytes, &total);
    if (s)
        return s;
    least = w->options.min_free_percent
                ? total / 100 * w->options.min_free_percent
                : w->options.min_free;
    w->space_low = w->stats.free_bytes < least;
    return PL_OK;
}

/* Open 'path', which is taken over, where there is room to begin. */
static enum pl_status open_target(struct pl_writer *w, char *path,
                                  bool must_be_new, struct pl_target *t,
                                  const char **why)
{
    enum pl_status s = pl_target_open(t, path, must_be_new, why);

    if (s)
        return s;
    s = look_at_space(w, t->file);
    if (!s && w->space_low && !w->file)
        s = PL_NO_SPACE;
    if (!s)
        s = pl_target_fence(t);
    if (s)
        pl_target_drop(t);
    return s;
}

/* Open the next segment.  Another run may have had the same name before. */
static enum pl_status open_next(struct pl_writer *w, int64_t utc_ns,
                                struct pl_target *t, const char **why)
{
    enum pl_status s;
    int tries = 0;

    do
        s = open_target(
            w, pl_segment_path(w->path, utc_ns, w->next_no + (uint32_t)tries),
            true, t, why);
    while (s == PL_IO && errno == EEXIST && ++tries < MAX_SAME_NAMES);
    if (!s)
        w->next_no += (uint32_t)tries + 1;
    return s;
}

/* ---- segments -------------------------------------------------------------- */

/* Everything that counts from a SESS begins anew at w->size. */
static void start_segment(struct pl_writer *w, int64_t utc_ns)
{
    w->segment_at = w->size;
    w->segment_utc = utc_ns;
    w->segment_samples = 0;
    w->segment_missed = 0;
    w->session_pending = true;
    w->titles_pending = w->titles.len > 0;
    w->chunks = (struct pl_chunks){ 0 };
}

/* Leave the file there is, if any, and begin a segment in 't'. */
static enum pl_status enter(struct pl_writer *w, const struct pl_target *t,
                            int64_t utc_ns)
{
    pl_file_close(w->file);
    free(w->previous);
    w->previous = w->current;
    w->file = t->file;
    w->current = t->path;
    w->size = t->size;
    w->stats.file_bytes = t->size;
    w->stats.segments++;
    w->torn = false;
    w->sync_failed = false;
    if (w->options.keep)
        pl_segment_drop_old(w->path, w->current, w->options.keep);
    start_segment(w, utc_ns);
    begin(w);
    return flush(w); /* if not now, then with the first sample */
}

/* indx and ends, synced.  The segment's samples are safe without them. */
static enum pl_status finish_segment(struct pl_writer *w,
                                     enum pl_end_reason reason)
{
    int64_t utc_ns = is_copy(w) ? w->last_utc : pl_clock_utc();
    int64_t boot_ns = is_copy(w) ? w->last_boot : pl_clock_boot();
    struct pl_ends ends = { .last_index = w->chunks.last_index,
                            .samples = w->segment_samples,
                            .reason = reason };
    enum pl_status s, synced;
    int error;

    ends.missed = w->segment_missed + pl_pending_missed(&w->pending);
    begin(w);
    pl_chunks_finish(&w->chunks);
    pl_pending_put(&w->pending, &w->batch, utc_ns, boot_ns);
    if (w->chunks.num_done) {
        ends.last_index = distance(w);
        add_index(w, utc_ns, boot_ns);
    }
    if (reason != PL_END_NONE) {
        pl_ends_write(&ends, pl_batch_payload(&w->batch));
        pl_batch_plain(&w->batch, PL_ENDS, utc_ns, boot_ns);
    }
    s = flush(w);
    error = errno;
    if (!s)
        forget_pending(w);
    synced = sync_now(w);
    if (!s)
        return synced;
    errno = error;
    return s;
}

/*
 * End the segment in order and begin the next.  If that cannot be had, the
 * old one goes on: too large a file is better than none.
 */
static enum pl_status rotate(struct pl_writer *w, int64_t utc_ns)
{
    struct pl_target next;
    const char *why;
    enum pl_status s = open_next(w, utc_ns, &next, &why);

    if (s)
        return s;
    finish_segment(w, PL_END_ROTATED);
    enter(w, &next, utc_ns);
    return PL_OK;
}

/*
 * The file cannot be trusted any more: go on in another one, but do not fill
 * the folder with them if that does not help.
 */
static void rescue(struct pl_writer *w, int64_t utc_ns)
{
    int64_t now = pl_clock_steady();
    struct pl_target next;
    const char *why;

    if (w->rescued_at && now - w->rescued_at < RESCUE_NS)
        return;
    w->rescued_at = now;
    if (open_next(w, utc_ns, &next, &why))
        return;
    sync_now(w);
    if (w->options.sync_ns != PL_SYNC_NEVER)
        tell_risk(w, EIO); /* nobody will sync it any more */
    enter(w, &next, utc_ns);
}

enum pl_status pl_writer_rotate(struct pl_writer *w)
{
    return rotates(w) ? rotate(w, pl_clock_utc()) : PL_OK;
}

/* ---- opening and closing -------------------------------------------------- */

static void writer_free(struct pl_writer *w)
{
    pl_encoder_free(w->encoder);
    pl_file_close(w->file);
    pl_buf_release(&w->block);
    pl_buf_release(&w->titles);
    pl_buf_release(&w->payload);
    pl_pending_release(&w->pending);
    pl_batch_release(&w->batch);
    free(w->current);
    free(w->previous);
    free(w->path);
    free(w);
}

/* The first file; without rotation it counts as segment 000. */
static enum pl_status open_first(struct pl_writer *w, const char **why)
{
    int64_t utc_ns = pl_clock_utc();
    struct pl_target first;
    enum pl_status s;

    if (rotates(w))
        s = open_next(w, utc_ns, &first, why);
    else
        s = open_target(w, strdup(w->path), w->options.must_be_new, &first,
                        why);
    if (s)
        return s;
    w->next_no = w->next_no ? w->next_no : 1;
    s = enter(w, &first, utc_ns);
    if (s && pl_file_is_new(w->file)) {
        int error = errno;

        pl_file_delete(w->current);
        errno = error;
    }
    return s;
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
        s = open_first(w, why);
    if (s) {
        int error = errno;

        writer_free(w);
        errno = error;
        return s;
    }
    w->synced_at = pl_clock_steady();
    *out = w;
    return PL_OK;
}

enum pl_status pl_writer_close(struct pl_writer *w, enum pl_end_reason reason,
                               struct pl_writer_stats *final)
{
    enum pl_status s = finish_segment(w, reason);
    int error = errno;

    if (final)
        *final = w->stats;
    writer_free(w);
    errno = error;
    return s;
}

/* ---- what belongs to the next sample -------------------------------------- */

void pl_writer_titles(struct pl_writer *w, struct pl_buf *titles)
{
    if (titles->len == w->titles.len &&
        (!titles->len || !memcmp(w->titles.p, titles->p, titles->len)))
        return;
    pl_buf_swap(&w->titles, titles);
    w->titles_pending = w->titles.len > 0;
}

void pl_writer_missed(struct pl_writer *w, const struct pl_gaps *g)
{
    if (!g->count || !g->cause || g->cause >= PL_NUM_GAP_CAUSES)
        return;
    pl_pending_gap(&w->pending, g);
    w->stats.missed += g->count;
}

void pl_writer_note(struct pl_writer *w, enum pl_note_kind kind, int64_t utc_ns,
                    int64_t boot_ns, const char *text)
{
    pl_pending_note(&w->pending, kind, utc_ns, boot_ns, text);
}

enum pl_status pl_writer_keep(struct pl_writer *w, const struct pl_record *r,
                              const uint8_t *payload)
{
    struct pl_gaps gaps;
    enum pl_status s = PL_OK;

    if (w->pending.notes.len > MOST_KEPT) {
        begin(w);
        pl_pending_put(&w->pending, &w->batch, w->last_utc, w->last_boot);
        s = flush(w);
        if (s)
            return s;
        forget_pending(w);
    }
    s = pl_pending_record(&w->pending, r, payload);
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

    pl_pending_gap(&w->pending, &g);
    w->stats.not_written++;
}

/*
 * After 64 chunks an index and the metadata again.  If they cannot be written
 * now, the next chunk's end is another chance.
 */
static void end_chunk(struct pl_writer *w, const struct pl_sample_stamp *stamp)
{
    uint64_t self;

    pl_chunks_finish(&w->chunks);
    if (w->chunks.num_done < PL_INDEX_CHUNKS)
        return;
    begin(w);
    self = distance(w);
    add_index(w, stamp->utc_ns, stamp->boot_ns);
    add_session(w, stamp->utc_ns, stamp->boot_ns, true);
    if (w->titles.len && !w->titles_pending &&
        add_titles(w, stamp->utc_ns, stamp->boot_ns))
        return;
    if (!flush(w))
        pl_chunks_indexed(&w->chunks, self);
}

/* Encode 'block' into w->payload as a delta if that is worth it. */
static enum pl_status encode(struct pl_writer *w,
                             const struct pl_sample_stamp *stamp,
                             const struct pl_buf *block, struct pl_record *r,
                             bool *is_key)
{
    int64_t start = pl_clock_steady();
    enum pl_codec codec = PL_CODEC_STORED;
    enum pl_status s = PL_UNSUPPORTED;

    *is_key = true;
    pl_buf_clear(&w->payload);
    if (!w->titles_pending && block->len % 8 == 0 &&
        w->seq - w->block_seq < FAR &&
        !pl_chunks_is_over(&w->chunks, stamp->boot_ns)) {
        s = pl_encode_delta(w->encoder, w->block.p, w->block.len, block->p,
                            block->len, &w->payload, &codec);
        *is_key = s != PL_OK || w->payload.len > w->chunks.key_len / 2;
    }
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
                                   const struct pl_buf *block)
{
    struct pl_record r = { .type = PL_SMPL,
                           .utc_ns = stamp->utc_ns,
                           .boot_ns = stamp->boot_ns,
                           .flags = stamp->flags };
    uint64_t offset;
    uint32_t seq;
    bool is_key;
    enum pl_status s = encode(w, stamp, block, &r, &is_key);

    if (s)
        return s;
    if (is_key)
        end_chunk(w, stamp);
    begin(w);
    if (pl_pending_missed(&w->pending))
        r.flags |= PL_FLAG_MISSED;
    pl_pending_put(&w->pending, &w->batch, stamp->utc_ns, stamp->boot_ns);
    if (w->titles_pending)
        s = add_titles(w, stamp->utc_ns, stamp->boot_ns);
    if (s)
        return s;
    offset = distance(w);
    seq = pl_batch_seq(&w->batch);
    if (!is_key)
        r.ref = (uint16_t)(seq - w->block_seq);
    pl_batch_coded(&w->batch, r, &w->payload);
    s = flush(w);
    if (s)
        return s;
    forget_pending(w);
    w->titles_pending = false;
    w->block_seq = seq;
    w->last_utc = stamp->utc_ns;
    w->last_boot = stamp->boot_ns;
    if (is_key)
        pl_chunks_begin(&w->chunks, stamp->utc_ns, stamp->boot_ns, seq, offset,
                        w->payload.len);
    pl_chunks_extend(&w->chunks, stamp->utc_ns,
                     PL_RECORD_LEN + pl_padded_len((uint32_t)w->payload.len));
    return PL_OK;
}

/* Sync if the policy says so; a failure costs us the file, not the samples. */
static void sync_if_due(struct pl_writer *w, int64_t utc_ns)
{
    uint64_t age = (uint64_t)(pl_clock_steady() - w->synced_at);
    uint64_t interval = w->options.session.interval_ns;

    if (w->options.sync_ns == PL_SYNC_NEVER)
        return;
    /* The next chance comes an interval from now. */
    if (w->sync_failed || w->chunks.now.samples == 1 ||
        interval >= w->options.sync_ns || age > w->options.sync_ns - interval) {
        sync_now(w);
        if (w->sync_failed) /* never the same descriptor again */
            rescue(w, utc_ns);
    }
}

static bool segment_is_over(const struct pl_writer *w, int64_t utc_ns)
{
    int64_t period = (int64_t)w->options.max_time_ns;

    if (w->options.max_size && w->segment_samples &&
        w->size - w->segment_at >= w->options.max_size)
        return true;
    return period && w->segment_samples &&
           utc_ns / period != w->segment_utc / period;
}

/* A session's numbers are used up: an unlikely end, and a plain one. */
static bool seq_is_over(const struct pl_writer *w)
{
    return w->seq > UINT32_MAX - SEQ_RESERVE;
}

static void new_session(struct pl_writer *w, int64_t utc_ns)
{
    finish_segment(w, PL_END_ASKED);
    w->session_id = pl_random();
    w->seq = 0;
    start_segment(w, utc_ns);
}

enum pl_status pl_writer_sample(struct pl_writer *w,
                                const struct pl_sample_stamp *stamp,
                                struct pl_buf *block)
{
    enum pl_status s;
    int error;

    if (block->len > PL_MAX_BLOCK_LEN) {
        lose(w, stamp, PL_GAP_TOO_LARGE, 0);
        return PL_TOO_LARGE;
    }
    /* Once a second; while there is too little, each time. */
    if (w->space_low ||
        pl_clock_steady() - w->space_checked_at >= SPACE_CHECK_NS)
        look_at_space(w, w->file);
    if (w->space_low) {
        lose(w, stamp, PL_GAP_SPACE_GUARD, 0);
        return PL_NO_SPACE;
    }
    if (!w->segment_samples)
        w->segment_utc = stamp->utc_ns; /* not when its file was made */
    if (segment_is_over(w, stamp->utc_ns)) {
        rotate(w, stamp->utc_ns);
    } else if (seq_is_over(w)) {
        new_session(w, stamp->utc_ns);
    }
    s = write_sample(w, stamp, block);
    error = errno;
    if (s) {
        bool full = s == PL_IO && pl_file_is_full(error);

        lose(w, stamp, full ? PL_GAP_DISK_FULL : PL_GAP_DISK_ERROR,
             s == PL_IO ? error : ENOMEM);
        if (!full && s == PL_IO &&
            ++w->errors_in_a_row >= MAX_ERRORS_IN_A_ROW) {
            w->errors_in_a_row = 0;
            rescue(w, stamp->utc_ns);
        }
        errno = error;
        return s;
    }
    w->errors_in_a_row = 0;
    w->segment_samples++;
    w->stats.samples++;
    w->stats.block_bytes += block->len;
    pl_buf_swap(&w->block, block);
    put_at_risk(w, stamp);
    sync_if_due(w, stamp->utc_ns);
    return PL_OK;
}
