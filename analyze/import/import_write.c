/* Writes indexed blocks to a log. */
#include "analyze/import/import_write.h"

#include "analyze/output/progress.h"
#include "format/base/file.h"
#include "format/time/time_text.h"
#include "format/record/record.h"

/* Begin a session: one boot of one machine. */
static enum pl_status begin_session(struct pl_import_write *c)
{
    const struct pl_block_machine *m = &c->gathered->machines[c->machine];
    struct pl_session session = {
        .host = pl_text_of(m->name),
        .tool = pl_text_of("perflog " PL_VERSION),
        .provider = pl_text_of(m->big_endian ? PL_PROVIDER_IMPORT_BIG
                                             : PL_PROVIDER_IMPORT),
        .zone_minutes = m->zone_minutes,
        .sha256 = c->sha256,
        .source = pl_text_of(c->source),
    };
    struct pl_buf titles = { 0 };
    enum pl_status s;

    if (pl_block_boot(&c->header))
        session.perf_freq = (uint64_t)c->header.perf_freq;
    if (c->sessions++)
        s = pl_log_output_session(&c->log, &session, &c->why);
    else
        s = pl_log_output_open(&c->log, c->output, &session, &c->why);
    if (s)
        return s;
    pl_buf_bytes(&titles, c->titles->p, c->titles->len);
    if (titles.oom)
        s = PL_NOMEM;
    else
        pl_writer_titles(c->log.writer, &titles);
    pl_buf_release(&titles);
    c->session_machine = c->machine;
    return s;
}

/* Write the sample that has been merged, if any. */
static enum pl_status end_sample(struct pl_import_write *c)
{
    struct pl_sample_stamp stamp = { .utc_ns = c->utc_ns,
                                     .boot_ns = pl_block_boot(&c->header) };
    enum pl_status s;
    bool begun;

    if (!c->merge.num_blocks)
        return PL_OK;
    begun = c->machine != c->session_machine ||
            pl_clock_steps_is_new(&c->steps, &c->header);
    s = pl_block_merge_end(&c->merge);
    if (!s && begun)
        s = begin_session(c);
    if (s)
        return s;
    if (!begun && pl_clock_steps_is_step(&c->steps, c->utc_ns, stamp.boot_ns)) {
        stamp.flags |= PL_FLAG_CLOCK_STEPPED;
        pl_writer_note(c->log.writer, PL_NOTE_CLOCK_STEP, c->utc_ns,
                       stamp.boot_ns, "the clock was set");
    }
    s = pl_writer_sample(c->log.writer, &stamp, &c->merge.out);
    if (s)
        return s;
    if (!c->samples++ || c->utc_ns < c->first_utc)
        c->first_utc = c->utc_ns;
    c->last_utc = c->utc_ns;
    c->last_boot = stamp.boot_ns;
    pl_clock_steps_go_on(&c->steps, &c->header, c->utc_ns, stamp.boot_ns);
    return PL_OK;
}

/* Read one block again.  PL_CORRUPT: the file changed since it was indexed. */
static enum pl_status read_piece(struct pl_file *f, const struct pl_piece *p,
                                 struct pl_buf *bytes, struct pl_block *b,
                                 int64_t *utc_ns)
{
    uint8_t *room;
    size_t got;
    enum pl_status s;

    pl_buf_clear(bytes);
    room = pl_buf_room(bytes, p->len);
    if (!room)
        return PL_NOMEM;
    s = pl_file_read(f, p->at, room, p->len, &got);
    if (s)
        return s;
    if (got < p->len || pl_block_parse(b, room, p->len) ||
        !pl_block_utc(b, utc_ns))
        return PL_CORRUPT;
    return PL_OK;
}

static enum pl_status add_piece(struct pl_import_write *c,
                                const struct pl_piece *p,
                                const struct pl_block *b, int64_t utc_ns)
{
    enum pl_status s = PL_OK;

    if (c->merge.num_blocks &&
        (p->machine != c->machine || utc_ns != c->utc_ns))
        s = end_sample(c);
    if (s)
        return s;
    if (!c->merge.num_blocks) {
        c->header = *b;
        c->utc_ns = utc_ns;
        c->machine = p->machine;
    }
    pl_block_merge_add(&c->merge, *b);
    return PL_OK;
}

/* Read a piece, opening its file if it is not the one that is open. */
static enum pl_status fetch(struct pl_import_write *c, const struct pl_piece *p,
                            struct pl_file **f, struct pl_buf *bytes,
                            struct pl_block *b, int64_t *utc_ns)
{
    enum pl_status s = PL_OK;

    if (c->bad_file != (int)p->file || !*f) {
        pl_file_close(*f);
        *f = NULL;
        s = pl_file_open(f, c->paths[p->file]);
    }
    c->bad_file = (int)p->file;
    return s ? s : read_piece(*f, p, bytes, b, utc_ns);
}

enum pl_status pl_import_write(struct pl_import_write *c)
{
    struct pl_progress progress;
    struct pl_buf bytes = { 0 };
    struct pl_file *f = NULL;
    enum pl_status s = PL_OK;
    uint64_t done = 0;

    pl_progress_start(&progress, "importing", c->source_bytes, c->quiet);
    for (size_t i = 0; i < c->gathered->num_pieces && !s; i++) {
        const struct pl_piece *p = &c->gathered->pieces[i];
        struct pl_block b;
        int64_t utc_ns;

        s = fetch(c, p, &f, &bytes, &b, &utc_ns);
        if (s)
            break;
        s = add_piece(c, p, &b, utc_ns);
        if (s)
            c->bad_file = -1;
        done += p->len;
        pl_progress_at(&progress, done);
    }
    if (!s) {
        c->bad_file = -1;
        s = end_sample(c);
    }
    pl_progress_end(&progress);
    pl_file_close(f);
    pl_buf_release(&bytes);
    return s;
}

void pl_import_write_release(struct pl_import_write *c)
{
    pl_log_output_discard(&c->log);
    pl_block_merge_release(&c->merge);
}
