/* Logs of the simulated machine, of several shapes, and logs made by hand. */
#include "tests/support/logs.h"

#include "format/time/time_text.h"
#include "format/pack/pack_decoder.h"
#include "format/packing/pack_log.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUM(table) (sizeof(table) / sizeof *(table))
#define SECOND PL_NS_PER_SEC

/* ---- logs ------------------------------------------------------------------- */

const struct pl_writer_options log_options = { .sync_ns = PL_SYNC_NEVER };

void log_release(struct log *l)
{
    for (size_t i = 0; i < l->num_samples; i++)
        pl_buf_release(&l->samples[i].block);
    free(l->samples);
    free(l->bytes);
    free(l->records);
    *l = (struct log){ 0 };
}

void log_keep(struct log *l, const struct pl_sample_stamp *stamp,
              const struct pl_buf *block)
{
    struct sample *s;

    if (l->num_samples == l->cap_samples) {
        l->cap_samples = l->cap_samples ? l->cap_samples * 2 : 64;
        l->samples = realloc(l->samples, l->cap_samples * sizeof *l->samples);
        ck_assert_ptr_nonnull(l->samples);
    }
    s = &l->samples[l->num_samples++];
    *s = (struct sample){ .utc_ns = stamp->utc_ns, .boot_ns = stamp->boot_ns };
    pl_buf_bytes(&s->block, block->p, block->len);
    ck_assert(!s->block.oom);
}

void log_add(struct log *l, struct pl_writer *w, struct machine *m, int64_t ns,
             size_t n)
{
    struct pl_buf block = { 0 }, titles = { 0 }, identities = { 0 };

    for (size_t i = 0; i < n; i++) {
        struct pl_sample_stamp stamp;

        machine_run(m, ns);
        if (m->has_identities) {
            machine_identities(m, i ? m->boot_ns : 0, &identities);
            ck_assert_int_eq(pl_writer_identities(w, &identities), PL_OK);
        }
        stamp = (struct pl_sample_stamp){ .utc_ns = m->utc_ns,
                                          .boot_ns = m->boot_ns };
        machine_titles(m, &titles);
        machine_block(m, &block);
        log_keep(l, &stamp, &block);
        pl_writer_titles(w, &titles);
        ck_assert_int_eq(pl_writer_sample(w, &stamp, &block), PL_OK);
    }
    pl_buf_release(&block);
    pl_buf_release(&titles);
    pl_buf_release(&identities);
}

void log_think(struct log *l, struct machine *m, int64_t ns, size_t n)
{
    struct pl_buf block = { 0 };

    while (n--) {
        struct pl_sample_stamp stamp;

        machine_run(m, ns);
        stamp = (struct pl_sample_stamp){ .utc_ns = m->utc_ns,
                                          .boot_ns = m->boot_ns };
        machine_block(m, &block);
        log_keep(l, &stamp, &block);
    }
    pl_buf_release(&block);
}

/* Records are found one by one; torn bytes between them are passed over. */
static size_t record_at(const struct log *l, size_t at, struct pl_record *r)
{
    size_t total;

    if (l->len - at < PL_RECORD_LEN || pl_record_get(r, l->bytes + at))
        return 0;
    total = PL_RECORD_LEN + pl_padded_len(r->stored_len);
    if (total > l->len - at ||
        pl_hash(l->bytes + at + PL_RECORD_LEN, total - PL_RECORD_LEN,
                r->session) != r->payload_hash)
        return 0;
    return total;
}

/* 'r' is the record 'w', or one in it. */
static void attach(struct log *l, const struct whole_record *w,
                   const struct pl_record *r, bool is_key)
{
    l->num_chunks += is_key;
    for (size_t i = 0; i < l->num_samples; i++) {
        struct sample *s = &l->samples[i];

        if (s->boot_ns != r->boot_ns || s->session)
            continue;
        s->session = r->session;
        s->seq = r->seq;
        s->is_key = is_key;
        s->chunk = l->num_chunks - 1;
        s->at = w->at;
        s->end = w->at + w->len;
        return;
    }
    ck_abort_msg("the log has a sample nobody took");
}

/* The samples of a pack; the first one is its key. */
static void attach_all(struct log *l, const struct whole_record *w)
{
    struct pl_pack_decoder *d;
    struct pl_record r;
    const uint8_t *payload;
    bool is_key = true;

    ck_assert_int_eq(pl_pack_decoder_new(&d), PL_OK);
    ck_assert_int_eq(
        pl_pack_decoder_open(d, &w->record, l->bytes + w->at + PL_RECORD_LEN),
        PL_OK);
    while (!pl_pack_decoder_next(d, &r, &payload)) {
        if (r.type != PL_SMPL)
            continue;
        attach(l, w, &r, is_key);
        is_key = false;
    }
    pl_pack_decoder_free(d);
}

void log_load(struct log *l, const char *path)
{
    size_t cap = 0, at = 0;

    free(l->bytes);
    free(l->records);
    l->records = NULL;
    l->num_records = l->num_chunks = 0;
    for (size_t i = 0; i < l->num_samples; i++)
        l->samples[i].session = 0;
    l->bytes = read_file(path, &l->len);
    while (at < l->len) {
        struct pl_record r;
        size_t len = record_at(l, at, &r);

        if (!len) {
            at++;
            continue;
        }
        if (l->num_records == cap) {
            cap = cap ? cap * 2 : 64;
            l->records = realloc(l->records, cap * sizeof *l->records);
            ck_assert_ptr_nonnull(l->records);
        }
        l->records[l->num_records] = (struct whole_record){ at, len, r };
        if (r.type == PL_SMPL)
            attach(l, &l->records[l->num_records], &r, !r.ref);
        if (r.type == PL_PACK)
            attach_all(l, &l->records[l->num_records]);
        l->num_records++;
        at += len;
    }
}

void log_pack(struct log *l, const char *path)
{
    const struct pl_pack_options options = { .level = 1 };
    struct pl_pack_result result;

    ck_assert_int_eq(pl_pack_log(path, &options, &result), PL_OK);
    ck_assert_uint_eq(result.old_size, l->len);
    log_load(l, path);
    ck_assert_uint_eq(result.new_size, l->len);
    ck_assert_ptr_null(log_find(l, PL_SMPL, 0));
}

const struct whole_record *log_find(const struct log *l, uint32_t type,
                                    size_t nth)
{
    for (size_t i = 0; i < l->num_records; i++)
        if (l->records[i].record.type == type && !nth--)
            return &l->records[i];
    return NULL;
}

/* ---- shapes ----------------------------------------------------------------- */

static const char *const shape_names[NUM_LOG_SHAPES] = {
    [LOG_SMALL] = "small",           [LOG_BIG] = "big",
    [LOG_CHURN] = "churn",           [LOG_SESSIONS] = "sessions",
    [LOG_TITLES] = "titles",         [LOG_CHUNKS] = "chunks",
    [LOG_IDENTITIES] = "identities",
};

const char *log_shape_name(enum log_shape shape)
{
    return shape_names[shape];
}

struct pl_writer *log_open(const char *path,
                           const struct pl_writer_options *options)
{
    struct pl_writer_options with = *options;
    struct pl_writer *w;
    const char *why;

    with.session.host = pl_text_of("box");
    with.session.provider = pl_text_of("little test");
    with.session.interval_ns = (uint64_t)SECOND;
    ck_assert_int_eq(pl_writer_open(&w, path, &with, &why), PL_OK);
    return w;
}

void log_close(struct pl_writer *w, struct pl_writer_stats *final)
{
    ck_assert_int_eq(pl_writer_close(w, PL_END_ASKED, final), PL_OK);
}

enum pl_status log_try_open(const char *path,
                            const struct pl_writer_options *options,
                            const char **why)
{
    struct pl_writer *w;
    enum pl_status s = pl_writer_open(&w, path, options, why);

    if (!s)
        pl_writer_close(w, PL_END_ASKED, NULL);
    return s;
}

static void make_small(struct log *l, struct pl_writer *w, struct machine *m)
{
    struct pl_gaps late = { .utc_first = m->utc_ns + 5 * SECOND,
                            .utc_last = m->utc_ns + 6 * SECOND,
                            .count = 2,
                            .cause = PL_GAP_LATE };

    log_add(l, w, m, SECOND, 4);
    pl_writer_missed(w, &late);
    pl_writer_note(w, PL_NOTE_TEXT, m->utc_ns, m->boot_ns, "a note");
    machine_run(m, 2 * SECOND);
    log_add(l, w, m, SECOND, 4);
}

/* Cut the last record of the file in its middle, as a kill would. */
static void tear(struct log *l, const char *path)
{
    const struct whole_record *last;

    log_load(l, path);
    last = &l->records[l->num_records - 1];
    cut_file(path, last->at + last->len / 2 + 3);
}

static void make_sessions(struct log *l, const char *path, struct machine *m)
{
    struct pl_writer *w = log_open(path, &log_options);

    log_add(l, w, m, SECOND, 3);
    log_close(w, NULL);
    w = log_open(path, &log_options);
    log_add(l, w, m, SECOND, 4);
    log_close(w, NULL);
    tear(l, path); /* 'ends' */
    tear(l, path); /* 'indx' */
    tear(l, path); /* the last sample */
    w = log_open(path, &log_options);
    log_add(l, w, m, SECOND, 3);
    log_close(w, NULL);
}

void log_make(struct log *l, const char *path, enum log_shape shape,
              uint64_t seed)
{
    static const unsigned num_processes[NUM_LOG_SHAPES] = {
        [LOG_SMALL] = 4,      [LOG_BIG] = 400,  [LOG_CHURN] = 24,
        [LOG_SESSIONS] = 4,   [LOG_TITLES] = 4, [LOG_CHUNKS] = 1,
        [LOG_IDENTITIES] = 3,
    };
    struct pl_writer *w = NULL;
    struct machine m;

    *l = (struct log){ 0 };
    machine_start(&m, seed, num_processes[shape]);
    if (shape != LOG_SESSIONS)
        w = log_open(path, &log_options);
    switch (shape) {
    case LOG_SMALL:
        make_small(l, w, &m);
        break;
    case LOG_BIG:
        log_add(l, w, &m, SECOND, 3);
        break;
    case LOG_CHURN:
        m.churn = 3;
        log_add(l, w, &m, SECOND, 10);
        break;
    case LOG_SESSIONS:
        make_sessions(l, path, &m);
        break;
    case LOG_TITLES:
        log_add(l, w, &m, SECOND, 3);
        m.has_processor = true;
        log_add(l, w, &m, SECOND, 3);
        break;
    case LOG_CHUNKS: /* five minutes end a chunk: three samples each */
        log_add(l, w, &m, 100 * SECOND, 3 * 150);
        break;
    case LOG_IDENTITIES:
        m.has_identities = true;
        m.churn = 1;
        log_add(l, w, &m, SECOND, 5);
        break;
    case NUM_LOG_SHAPES:
        break;
    }
    if (w)
        log_close(w, NULL);
    machine_stop(&m);
    log_load(l, path);
}

/* ---- logs made by hand --------------------------------------------------------- */

void craft(struct pl_buf *b, struct pl_record r, const void *payload, size_t n)
{
    size_t at = b->len;
    uint8_t *p;

    r.stored_len = r.stored_len ? r.stored_len : (uint32_t)n;
    r.raw_len = r.raw_len ? r.raw_len : (uint32_t)n;
    r.raw_hash = r.raw_hash ? r.raw_hash : pl_hash(payload, n, r.session);
    pl_buf_zeros(b, PL_RECORD_LEN);
    pl_buf_bytes(b, payload, n);
    pl_buf_zeros(b, pl_padded_len((uint32_t)n) - n);
    ck_assert(!b->oom);
    p = b->p + at;
    if (!r.payload_hash)
        r.payload_hash =
            pl_hash(p + PL_RECORD_LEN, pl_padded_len((uint32_t)n), r.session);
    pl_record_put(&r, p);
}

void craft_session(struct pl_buf *b, uint64_t session, uint32_t seq)
{
    struct pl_buf payload = { 0 };

    pl_session_write(&(struct pl_session){ .host = pl_text_of("craft") },
                     &payload);
    craft(b,
          (struct pl_record){ .type = PL_SESS, .session = session, .seq = seq },
          payload.p, payload.len);
    pl_buf_release(&payload);
}

void craft_sample(struct pl_buf *b, uint64_t session, uint32_t seq, size_t n)
{
    uint64_t random = session ^ seq ^ UINT64_C(0x5DEECE66D);
    struct pl_buf payload = { 0 };

    while (n--) /* no zeros: they would look like a fence */
        pl_buf_u8(&payload, (uint8_t)(random_next(&random) | 1));
    craft(b,
          (struct pl_record){ .type = PL_SMPL, .session = session, .seq = seq },
          payload.p, payload.len);
    pl_buf_release(&payload);
}
