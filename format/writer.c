/* The append side of a log. */
#include "format/writer.h"

#include "format/codec.h"
#include "format/file.h"
#include "format/instant.h"
#include "format/record.h"
#include "format/winperf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK_SAMPLES = 60,
    CHUNK_BYTES = 8 << 20,
    INDEX_CHUNKS = 64,
    MAX_ERRORS_IN_A_ROW = 3,
    FENCE = 8,
};
#define CHUNK_NS (INT64_C(300) * PL_NS_PER_SEC)
#define SPACE_CHECK_NS PL_NS_PER_SEC

struct pl_writer {
    struct pl_writer_options options;
    struct pl_writer_stats stats;
    struct pl_encoder *encoder;
    char *path;    /* as asked for */
    char *current; /* of the file being written */
    struct pl_file *file;

    uint64_t session_id;
    uint32_t seq;        /* of the next record */
    uint64_t segment_at; /* offset of the segment's SESS in the file */
    uint64_t size;       /* end of the last whole record */
    uint32_t segment_no;
    int64_t segment_utc; /* when the segment began */
    uint32_t segment_samples;
    uint64_t missed;     /* all gaps told in 'ends' */

    struct pl_buf block; /* reference: the last written sample */
    uint32_t block_seq;
    bool has_reference;

    struct pl_buf titles; /* payload for the current chunk */
    bool titles_pending;

    struct pl_chunk chunk; /* the one being written; samples = 0: none */
    uint64_t chunk_bytes;
    int64_t chunk_boot; /* of its key */
    uint32_t key_stored;
    struct pl_chunk chunks[INDEX_CHUNKS]; /* finished, not yet in an indx */
    uint32_t num_chunks;
    uint64_t last_index; /* distance from SESS; 0: none */

    struct pl_gaps gaps[PL_NUM_GAP_CAUSES]; /* pending, count 0: none */
    struct pl_buf notes; /* pending records' payloads, see add_note */

    struct pl_buf out; /* records of one write() */
    uint32_t out_records;
    struct pl_buf payload; /* of the sample */
    struct pl_buf meta;    /* of the records around it */

    bool session_pending; /* the segment's SESS is not yet written */
    bool torn;            /* a failed write could not be cut back */

    uint32_t errors_in_a_row;
    int64_t synced_at; /* steady clock */
    bool unsynced;
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
    return w->size + w->out.len - w->segment_at;
}

/*
 * Add one record to the next write(): header, payload, padding.  The header
 * is written last because it holds the payload's hash.
 */
static uint32_t add_record(struct pl_writer *w, struct pl_record *r,
                           const uint8_t *payload, size_t stored_len)
{
    size_t at = w->out.len;
    uint8_t *p;

    r->session = w->session_id;
    r->seq = w->seq + w->out_records;
    r->stored_len = (uint32_t)stored_len;
    pl_buf_zeros(&w->out, PL_RECORD_LEN);
    pl_buf_bytes(&w->out, payload, stored_len);
    pl_buf_zeros(&w->out, pl_padded_len(r->stored_len) - stored_len);
    if (w->out.oom)
        return r->seq;
    p = w->out.p + at;
    r->payload_hash = pl_hash(p + PL_RECORD_LEN, pl_padded_len(r->stored_len),
                              w->session_id);
    pl_record_put(r, p);
    w->out_records++;
    return r->seq;
}

/* A record whose payload is stored as it is. */
static void add_plain(struct pl_writer *w, uint32_t type, int64_t utc_ns,
                      int64_t boot_ns, const struct pl_buf *payload)
{
    struct pl_record r = { .type = type,
                           .utc_ns = utc_ns,
                           .boot_ns = boot_ns,
                           .raw_len = (uint32_t)payload->len };

    r.raw_hash = pl_hash(payload->p, payload->len, w->session_id);
    add_record(w, &r, payload->p, payload->len);
}

static void add_session(struct pl_writer *w, int64_t utc_ns, int64_t boot_ns,
                        bool repeat)
{
    struct pl_session s = w->options.session;

    s.repeat = repeat;
    pl_buf_clear(&w->meta);
    pl_session_write(&s, &w->meta);
    w->out.oom |= w->meta.oom;
    add_plain(w, PL_SESS, utc_ns, boot_ns, &w->meta);
}

static enum pl_status add_titles(struct pl_writer *w, int64_t utc_ns,
                                 int64_t boot_ns)
{
    struct pl_record r = { .type = PL_TITL,
                           .utc_ns = utc_ns,
                           .boot_ns = boot_ns,
                           .raw_len = (uint32_t)w->titles.len };
    enum pl_codec codec;
    enum pl_status s;

    pl_buf_clear(&w->meta);
    s = pl_encode_whole(w->encoder, w->titles.p, w->titles.len, &w->meta,
                        &codec);
    if (s)
        return s;
    r.codec = (uint8_t)codec;
    r.raw_hash = pl_hash(w->titles.p, w->titles.len, w->session_id);
    add_record(w, &r, w->meta.p, w->meta.len);
    return PL_OK;
}

static void add_index(struct pl_writer *w, int64_t utc_ns, int64_t boot_ns)
{
    uint64_t self = distance(w);

    pl_buf_clear(&w->meta);
    pl_index_write(self, w->last_index, w->chunks, w->num_chunks,
                   &w->meta);
    w->out.oom |= w->meta.oom;
    add_plain(w, PL_INDX, utc_ns, boot_ns, &w->meta);
}

static void add_gaps(struct pl_writer *w, int64_t utc_ns, int64_t boot_ns)
{
    for (uint32_t cause = 1; cause < PL_NUM_GAP_CAUSES; cause++) {
        if (!w->gaps[cause].count)
            continue;
        pl_buf_clear(&w->meta);
        pl_gaps_write(&w->gaps[cause], &w->meta);
        w->out.oom |= w->meta.oom;
        add_plain(w, PL_GAPS, utc_ns, boot_ns, &w->meta);
    }
}

/* Pending notes lie in w->notes as {utc, boot, length, payload}. */
static void add_notes(struct pl_writer *w)
{
    struct pl_cur c = pl_cur_of(w->notes.p, w->notes.len);

    while (c.left) {
        int64_t utc_ns = (int64_t)pl_cur_u64(&c);
        int64_t boot_ns = (int64_t)pl_cur_u64(&c);
        uint32_t len = pl_cur_u32(&c);
        struct pl_buf payload = { .len = len };

        payload.p = (uint8_t *)(uintptr_t)pl_cur_take(&c, len);
        add_plain(w, PL_NOTE, utc_ns, boot_ns, &payload);
    }
}

static bool gaps_pending(const struct pl_writer *w)
{
    for (uint32_t cause = 1; cause < PL_NUM_GAP_CAUSES; cause++)
        if (w->gaps[cause].count)
            return true;
    return false;
}

static void forget_pending(struct pl_writer *w)
{
    for (uint32_t cause = 1; cause < PL_NUM_GAP_CAUSES; cause++)
        w->gaps[cause].count = 0;
    pl_buf_clear(&w->notes);
}

/* ---- writing ------------------------------------------------------------- */

/* Start collecting records; a segment's SESS goes before all others. */
static void begin(struct pl_writer *w)
{
    pl_buf_clear(&w->out);
    w->out_records = 0;
    if (w->session_pending)
        add_session(w, w->segment_utc, pl_clock_boot(), false);
}

/* Cut back to the last whole record; remembered if even that fails. */
static void cut_back(struct pl_writer *w)
{
    int error = errno;

    w->torn = pl_file_truncate(w->file, w->size) != PL_OK;
    w->stats.system_calls++;
    errno = error;
}

/*
 * Write what has been added since begin().  On failure the file is cut back,
 * so that it ends on a whole record and the sequence has no hole.
 */
static enum pl_status flush(struct pl_writer *w)
{
    int64_t start = pl_clock_steady();
    enum pl_status s;

    if (w->out.oom)
        return PL_NOMEM;
    if (w->torn)
        cut_back(w);
    if (w->torn)
        return PL_IO;
    s = pl_file_append(w->file, w->out.p, w->out.len);
    w->stats.system_calls++;
    w->stats.write_ns += (uint64_t)(pl_clock_steady() - start);
    w->stats.num_writes++;
    if (s) {
        cut_back(w);
        return s;
    }
    w->size += w->out.len;
    w->seq += w->out_records;
    w->unsynced = true;
    w->session_pending = false;
    w->stats.log_bytes += w->out.len;
    w->stats.file_bytes = w->size;
    return PL_OK;
}

static enum pl_status sync_now(struct pl_writer *w)
{
    int64_t start = pl_clock_steady();
    enum pl_status s;

    if (!w->unsynced)
        return PL_OK;
    s = pl_file_sync(w->file);
    w->synced_at = pl_clock_steady();
    w->unsynced = false;
    w->stats.sync_ns += (uint64_t)(w->synced_at - start);
    w->stats.num_syncs++;
    w->stats.system_calls++;
    return s;
}

/* ---- segments ------------------------------------------------------------ */

static bool rotates(const struct pl_writer *w)
{
    return w->options.max_size || w->options.max_time_ns || w->options.keep;
}

static const char suffix[] = ".plog";
enum { SUFFIX_LEN = sizeof suffix - 1 };

/* "x.plog" is made of segments "x-…": the length of "x". */
static size_t stem_len(const char *path)
{
    size_t n = strlen(path);

    if (n > SUFFIX_LEN && !strcmp(path + n - SUFFIX_LEN, suffix))
        return n - SUFFIX_LEN;
    return n;
}

static char *segment_path(const struct pl_writer *w, int64_t utc_ns)
{
    struct pl_civil c = pl_civil_of(utc_ns);
    size_t stem = stem_len(w->path), cap = stem + 64;
    char *path = malloc(cap);

    if (path)
        snprintf(path, cap, "%.*s-%04d%02d%02dT%02d%02d%02dZ-%03" PRIu32 "%s",
                 (int)stem, w->path, c.year, c.month, c.day, c.hour, c.minute,
                 c.second, w->segment_no, suffix);
    return path;
}

static bool digits(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] < '0' || p[i] > '9')
            return false;
    return true;
}

int pl_segment_matches(const char *stem, const char *name)
{
    size_t n = strlen(stem), len = strlen(name);

    /* STEM - 8 digits T 6 digits Z - 3 or more digits .plog */
    if (len < n + 21 + SUFFIX_LEN || strncmp(name, stem, n) != 0)
        return 0;
    name += n;
    len -= n;
    return name[0] == '-' && digits(name + 1, 8) && name[9] == 'T' &&
           digits(name + 10, 6) && name[16] == 'Z' && name[17] == '-' &&
           digits(name + 18, len - 18 - SUFFIX_LEN) &&
           !strcmp(name + len - SUFFIX_LEN, suffix);
}

/* Delete the oldest segments beyond --keep; failures only cost space. */
static void drop_old_segments(struct pl_writer *w)
{
    const char *slash = strrchr(w->path, '/');
    const char *base = slash ? slash + 1 : w->path;
    size_t folder_len = (size_t)(base - w->path), num, ours = 0;
    char *folder, *stem, **names;

    if (!w->options.keep)
        return;
    folder = strndup(w->path, folder_len);
    stem = strndup(base, stem_len(base));
    if (folder && stem &&
        !pl_dir_list(folder_len ? folder : ".", &names, &num)) {
        for (size_t i = 0; i < num; i++)
            ours += (size_t)pl_segment_matches(stem, names[i]);
        /* Sorted by name is sorted by time. */
        for (size_t i = 0; i < num && ours > w->options.keep; i++) {
            char *path;

            if (!pl_segment_matches(stem, names[i]))
                continue;
            path = malloc(folder_len + strlen(names[i]) + 1);
            if (!path)
                break;
            memcpy(path, folder, folder_len);
            strcpy(path + folder_len, names[i]);
            if (strcmp(path, w->current) != 0)
                pl_file_delete(path);
            free(path);
            ours--;
        }
        pl_dir_list_free(names, num);
    }
    free(folder);
    free(stem);
}

/* A file that is there must be a log, or we do not touch it. */
static enum pl_status check_existing(struct pl_file *f, uint64_t size)
{
    uint8_t head[PL_RECORD_LEN];
    struct pl_record r;
    enum pl_status s;
    size_t got;

    if (!size)
        return PL_OK;
    s = pl_file_read(f, 0, head, sizeof head, &got);
    if (s)
        return s;
    if (got < sizeof head) /* killed in its first write, or none of ours */
        return pl_record_may_begin(head, got) ? PL_OK : PL_NOT_A_LOG;
    s = pl_record_get(&r, head);
    if (s == PL_UNSUPPORTED)
        return s;
    return s || r.type != PL_SESS ? PL_NOT_A_LOG : PL_OK;
}

/* Leave a fence of zeros behind a torn tail; a whole log needs none. */
static enum pl_status fence(struct pl_file *f, uint64_t *size)
{
    static const uint8_t zeros[8 + FENCE];
    uint64_t pad = *size % 8 ? 8 - *size % 8 + FENCE : 0;
    enum pl_status s = pad ? pl_file_append(f, zeros, (size_t)pad) : PL_OK;

    if (s) {
        int error = errno;

        pl_file_truncate(f, *size);
        errno = error;
        return s;
    }
    *size += pad;
    return PL_OK;
}

static enum pl_status look_at_space(struct pl_writer *w,
                                    struct pl_file *file)
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

/* Everything that counts from a SESS begins anew at w->size. */
static void start_segment(struct pl_writer *w, int64_t utc_ns)
{
    w->segment_at = w->size;
    w->segment_utc = utc_ns;
    w->segment_samples = 0;
    w->session_pending = true;
    w->has_reference = false;
    w->titles_pending = w->titles.len > 0;
    w->chunk.samples = 0;
    w->num_chunks = 0;
    w->last_index = 0;
}

/*
 * Open 'path' and begin a segment there.  'path' is taken over.  If only the
 * SESS cannot be written, session_pending stays set.
 */
static enum pl_status open_segment(struct pl_writer *w, char *path,
                                   bool must_be_new, int64_t utc_ns,
                                   const char **why)
{
    struct pl_file *file;
    enum pl_status s;
    uint64_t size;

    if (!path)
        return PL_NOMEM;
    s = pl_file_open_append(&file, path, must_be_new, why);
    if (s) {
        free(path);
        return s;
    }
    s = pl_file_size(file, &size);
    if (!s)
        s = check_existing(file, size);
    if (!s)
        s = look_at_space(w, file);
    if (!s && w->space_low && !w->file)
        s = PL_NO_SPACE;
    if (!s)
        s = fence(file, &size);
    if (s) {
        if (pl_file_is_new(file)) /* by us, and nothing is in it */
            pl_file_delete(path);
        pl_file_close(file);
        free(path);
        return s;
    }
    pl_file_close(w->file);
    free(w->current);
    w->file = file;
    w->current = path;
    w->size = size;
    w->stats.file_bytes = size;
    w->stats.segments++;
    w->torn = false;
    start_segment(w, utc_ns);
    begin(w);
    flush(w); /* if not now, then with the first sample */
    return PL_OK;
}

/* indx and ends, synced.  The segment's samples are safe without them. */
static enum pl_status finish_segment(struct pl_writer *w,
                                     enum pl_end_reason reason)
{
    int64_t utc_ns = pl_clock_utc(), boot_ns = pl_clock_boot();
    uint64_t last_index = w->last_index;
    struct pl_ends ends = { .samples = w->segment_samples,
                            .missed = (uint32_t)w->missed,
                            .reason = reason };
    enum pl_status s;

    begin(w);
    if (w->chunk.samples && w->num_chunks < INDEX_CHUNKS)
        w->chunks[w->num_chunks++] = w->chunk;
    w->chunk.samples = 0;
    add_gaps(w, utc_ns, boot_ns);
    add_notes(w);
    if (w->num_chunks) {
        last_index = distance(w);
        add_index(w, utc_ns, boot_ns);
    }
    ends.last_index = last_index;
    pl_buf_clear(&w->meta);
    pl_ends_write(&ends, &w->meta);
    w->out.oom |= w->meta.oom;
    add_plain(w, PL_ENDS, utc_ns, boot_ns, &w->meta);
    s = flush(w);
    if (!s)
        forget_pending(w);
    if (w->options.sync_ns != PL_SYNC_NEVER) {
        enum pl_status synced = sync_now(w);

        s = s ? s : synced;
    }
    return s;
}

/*
 * Go on in another file.  If that cannot be had, the old one is kept: what
 * can still be written there is better than nothing.
 */
static enum pl_status next_segment(struct pl_writer *w, int64_t utc_ns)
{
    const char *slash = strrchr(w->current, '/');
    struct pl_text before = w->options.session.previous;
    char *name = strdup(slash ? slash + 1 : w->current);
    const char *why;
    enum pl_status s;

    if (!name)
        return PL_NOMEM;
    w->segment_no++;
    w->options.session.previous = pl_text_of(name);
    s = open_segment(w, segment_path(w, utc_ns), true, utc_ns, &why);
    if (s) {
        w->segment_no--;
        w->options.session.previous = before;
        free(name);
        return s;
    }
    if (w->segment_no > 1) /* the one before was ours as well */
        free((char *)(uintptr_t)before.p);
    drop_old_segments(w);
    return PL_OK;
}

enum pl_status pl_writer_rotate(struct pl_writer *w)
{
    if (!rotates(w))
        return PL_OK;
    finish_segment(w, PL_END_ROTATED);
    return next_segment(w, pl_clock_utc());
}

/* ---- opening and closing -------------------------------------------------- */

static void writer_free(struct pl_writer *w)
{
    if (w->segment_no > 0)
        free((char *)(uintptr_t)w->options.session.previous.p);
    pl_encoder_free(w->encoder);
    pl_file_close(w->file);
    pl_buf_release(&w->block);
    pl_buf_release(&w->titles);
    pl_buf_release(&w->notes);
    pl_buf_release(&w->out);
    pl_buf_release(&w->payload);
    pl_buf_release(&w->meta);
    free(w->current);
    free(w->path);
    free(w);
}

enum pl_status pl_writer_open(struct pl_writer **out, const char *path,
                              const struct pl_writer_options *options,
                              const char **why)
{
    struct pl_writer *w = calloc(1, sizeof *w);
    int64_t utc_ns = pl_clock_utc();
    enum pl_status s;
    int error;

    *why = NULL;
    if (!w)
        return PL_NOMEM;
    w->options = *options;
    w->options.session.minor = PL_MINOR;
    w->options.session.previous = (struct pl_text){ 0 };
    w->session_id = pl_random();
    w->path = strdup(path);
    s = w->path ? pl_encoder_new(&w->encoder) : PL_NOMEM;
    if (!s)
        s = open_segment(w,
                         rotates(w) ? segment_path(w, utc_ns) : strdup(path),
                         rotates(w), utc_ns, why);
    if (!s && w->session_pending)
        s = PL_IO;
    if (s) {
        error = errno;
        writer_free(w);
        errno = error;
        return s;
    }
    w->synced_at = pl_clock_steady();
    drop_old_segments(w);
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

enum pl_status pl_writer_titles(struct pl_writer *w, const uint8_t *payload,
                                size_t n)
{
    if (n == w->titles.len && (!n || !memcmp(w->titles.p, payload, n)))
        return PL_OK;
    pl_buf_clear(&w->titles);
    pl_buf_bytes(&w->titles, payload, n);
    w->titles_pending = true;
    return w->titles.oom ? PL_NOMEM : PL_OK;
}

static void count_gap(struct pl_writer *w, const struct pl_gaps *g)
{
    struct pl_gaps *sum = &w->gaps[g->cause];

    if (!sum->count) {
        *sum = *g;
    } else {
        sum->utc_last = g->utc_last;
        sum->boot_last = g->boot_last;
        sum->count += g->count;
        sum->error = g->error;
    }
    w->missed += g->count;
}

void pl_writer_missed(struct pl_writer *w, const struct pl_gaps *g)
{
    if (!g->count || g->cause >= PL_NUM_GAP_CAUSES)
        return;
    count_gap(w, g);
    w->stats.missed += g->count;
}

void pl_writer_note(struct pl_writer *w, enum pl_note_kind kind,
                    int64_t utc_ns, int64_t boot_ns, const char *text)
{
    struct pl_note note = { (uint16_t)kind, pl_text_of(text) };
    size_t length_at, start;

    pl_buf_u64(&w->notes, (uint64_t)utc_ns);
    pl_buf_u64(&w->notes, (uint64_t)boot_ns);
    length_at = w->notes.len;
    pl_buf_u32(&w->notes, 0);
    start = w->notes.len;
    pl_note_write(&note, &w->notes);
    pl_buf_set_u32(&w->notes, length_at, (uint32_t)(w->notes.len - start));
    if (w->notes.oom)
        pl_buf_clear(&w->notes); /* half a note is none */
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

    count_gap(w, &g);
    w->stats.not_written++;
}

static bool chunk_is_over(const struct pl_writer *w,
                          const struct pl_sample_stamp *stamp)
{
    return w->chunk.samples >= CHUNK_SAMPLES ||
           stamp->boot_ns - w->chunk_boot >= CHUNK_NS ||
           w->chunk_bytes >= CHUNK_BYTES || w->titles_pending;
}

/* The chunk is complete; after 64 of them an index and the metadata again. */
static enum pl_status end_chunk(struct pl_writer *w,
                                const struct pl_sample_stamp *stamp)
{
    enum pl_status s = PL_OK;

    if (w->chunk.samples) {
        w->chunks[w->num_chunks++] = w->chunk;
        w->chunk.samples = 0;
    }
    if (w->num_chunks < INDEX_CHUNKS)
        return PL_OK;
    begin(w);
    add_index(w, stamp->utc_ns, stamp->boot_ns);
    add_session(w, stamp->utc_ns, stamp->boot_ns, true);
    if (w->titles.len && !w->titles_pending)
        s = add_titles(w, stamp->utc_ns, stamp->boot_ns);
    if (!s) {
        uint64_t self = distance(w) - w->out.len;

        s = flush(w);
        if (!s) {
            w->last_index = self;
            w->num_chunks = 0;
        } else {
            w->num_chunks--; /* keep room: this chunk stays unindexed */
        }
    }
    return s;
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
    if (w->has_reference && w->chunk.samples && !chunk_is_over(w, stamp) &&
        block->len % 8 == 0) {
        s = pl_encode_delta(w->encoder, w->block.p, w->block.len, block->p,
                            block->len, &w->payload, &codec);
        *is_key = s != PL_OK || w->payload.len > w->key_stored / 2;
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
    enum pl_status s = PL_OK;

    if (w->chunk.samples && chunk_is_over(w, stamp))
        s = end_chunk(w, stamp);
    if (!s)
        s = encode(w, stamp, block, &r, &is_key);
    if (!s && is_key && w->chunk.samples) /* the delta was too large */
        s = end_chunk(w, stamp);
    if (s)
        return s;
    begin(w);
    if (gaps_pending(w))
        r.flags |= PL_FLAG_MISSED;
    add_gaps(w, stamp->utc_ns, stamp->boot_ns);
    add_notes(w);
    if (w->titles_pending)
        s = add_titles(w, stamp->utc_ns, stamp->boot_ns);
    if (s)
        return s;
    offset = distance(w);
    if (!is_key)
        r.ref = (uint16_t)(w->seq + w->out_records - w->block_seq);
    seq = add_record(w, &r, w->payload.p, w->payload.len);
    s = flush(w);
    if (s)
        return s;
    forget_pending(w);
    w->titles_pending = false;
    w->block_seq = seq;
    w->has_reference = true;
    if (is_key) {
        w->chunk = (struct pl_chunk){ .offset = offset,
                                      .utc_first = stamp->utc_ns,
                                      .utc_last = stamp->utc_ns,
                                      .boot_first = (uint64_t)stamp->boot_ns,
                                      .key_seq = seq };
        w->chunk_bytes = 0;
        w->chunk_boot = stamp->boot_ns;
        w->key_stored = r.stored_len;
    }
    w->chunk.samples++;
    w->chunk.utc_first = stamp->utc_ns < w->chunk.utc_first
                             ? stamp->utc_ns
                             : w->chunk.utc_first;
    w->chunk.utc_last = stamp->utc_ns > w->chunk.utc_last
                            ? stamp->utc_ns
                            : w->chunk.utc_last;
    w->chunk_bytes += PL_RECORD_LEN + pl_padded_len(r.stored_len);
    return PL_OK;
}

/* Sync if the policy says so; a failure costs us the file, not the samples. */
static void sync_if_due(struct pl_writer *w, int64_t utc_ns)
{
    int64_t age = pl_clock_steady() - w->synced_at;
    uint64_t interval = w->options.session.interval_ns;
    bool due;

    if (w->options.sync_ns == PL_SYNC_NEVER || !w->unsynced)
        return;
    /* The next chance comes an interval from now. */
    due = w->chunk.samples == 1 || w->options.sync_ns == PL_SYNC_EACH ||
          interval >= w->options.sync_ns ||
          (uint64_t)age > w->options.sync_ns - interval;
    if (!due || !sync_now(w))
        return;
    w->stats.may_be_lost++;
    {
        struct pl_gaps g = { .utc_first = w->chunk.utc_first,
                             .utc_last = utc_ns,
                             .boot_first = w->chunk.boot_first,
                             .boot_last = (uint64_t)pl_clock_boot(),
                             .count = w->chunk.samples,
                             .cause = PL_GAP_SYNC_FAILED,
                             .error = errno };

        count_gap(w, &g);
    }
    next_segment(w, utc_ns); /* never the same descriptor again */
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
    return w->seq > UINT32_MAX - 64;
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
    if (pl_clock_steady() - w->space_checked_at >= SPACE_CHECK_NS)
        look_at_space(w, w->file);
    if (w->space_low) {
        lose(w, stamp, PL_GAP_SPACE_GUARD, 0);
        return PL_NO_SPACE;
    }
    if (!w->segment_samples)
        w->segment_utc = stamp->utc_ns; /* not when its file was made */
    if (segment_is_over(w, stamp->utc_ns)) {
        finish_segment(w, PL_END_ROTATED);
        next_segment(w, stamp->utc_ns);
    } else if (seq_is_over(w)) {
        new_session(w, stamp->utc_ns);
    }
    s = write_sample(w, stamp, block);
    error = errno;
    if (s) {
        bool full = s == PL_IO && (error == ENOSPC || error == EDQUOT ||
                                   error == EFBIG);

        lose(w, stamp, full ? PL_GAP_DISK_FULL : PL_GAP_DISK_ERROR,
             s == PL_IO ? error : ENOMEM);
        if (!full && s == PL_IO &&
            ++w->errors_in_a_row >= MAX_ERRORS_IN_A_ROW) {
            w->errors_in_a_row = 0;
            next_segment(w, stamp->utc_ns);
        }
        errno = error;
        return s;
    }
    w->errors_in_a_row = 0;
    w->segment_samples++;
    w->stats.samples++;
    w->stats.block_bytes += block->len;
    pl_buf_swap(&w->block, block);
    sync_if_due(w, stamp->utc_ns);
    return PL_OK;
}
