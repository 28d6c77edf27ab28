/* Copies items of a host log to records of a new log. */
#include "analyze/copy/log_copy.h"

#include "analyze/copy/block_filter.h"
#include "analyze/replay/replay.h"
#include "format/base/cursor.h"
#include "format/time/time_text.h"

#include <string.h>

/*
 * Records between two samples kept until it is known whether they are wanted.
 */
enum { MOST_KEPT = 1 << 19, IGNORABLE_FLAGS = 0x0F };

static bool has_window(const struct pl_log_copy *c)
{
    return c->window.has_from || c->window.has_to;
}

static bool is_inside(const struct pl_log_copy *c, int64_t utc_ns)
{
    return (!c->window.has_from || utc_ns > c->window.from_ns) &&
           !pl_time_range_is_behind(&c->window, utc_ns, c->interval_ns);
}

/* ---- sessions ------------------------------------------------------------ */

/* Begin the session being read in the new log, unless it has begun. */
static enum pl_status open_session(struct pl_log_copy *c)
{
    struct pl_session session;
    struct pl_buf facts = { 0 };
    enum pl_status s;

    if (c->is_open)
        return PL_OK;
    /* The writer's own texts must stay valid until it has ended its session. */
    pl_buf_bytes(&facts, c->facts.p, c->facts.len);
    s = facts.oom ? PL_NOMEM : pl_session_parse(&session, facts.p, facts.len);
    if (!s)
        s = pl_log_output_copy(&c->log, c->path, &session, &c->begun, &c->why);
    pl_buf_swap(&c->open, &facts);
    pl_buf_release(&facts);
    c->bad = c->path;
    c->is_open = !s;
    c->titles_put = false;
    return s;
}

/* Set the end reason of the open session, as far as it is known. */
static void note_end(struct pl_log_copy *c)
{
    if (!c->is_open)
        return;
    if (has_window(c) && !c->was_inside)
        c->log.reason = PL_END_ASKED; /* it continues after the time range */
    else
        c->log.reason = c->ended ? (enum pl_end_reason)c->reason : PL_END_NONE;
}

/* ---- gaps, notes and others ---------------------------------------------- */

static enum pl_status keep_now(struct pl_log_copy *c, const struct pl_record *r,
                               const uint8_t *payload)
{
    enum pl_status s = open_session(c);

    c->bad = c->path;
    return s ? s : pl_writer_keep(c->log.writer, r, payload);
}

static bool record_is_inside(const struct pl_log_copy *c,
                             const struct pl_record *r, const uint8_t *payload)
{
    struct pl_gaps gaps;

    if (r->type == PL_GAPS && !pl_gaps_parse(&gaps, payload, r->stored_len))
        return is_inside(c, gaps.utc_first) || is_inside(c, gaps.utc_last);
    return is_inside(c, r->utc_ns);
}

/* Copy the kept records: all, or those inside the time range. */
static enum pl_status flush_kept(struct pl_log_copy *c, bool all)
{
    struct pl_cur cur = pl_cur_of(c->kept.p, c->kept.len);
    enum pl_status s = PL_OK;

    while (cur.left && !s) {
        struct pl_record r = { .type = pl_cur_u32(&cur) };
        const uint8_t *payload;

        r.utc_ns = (int64_t)pl_cur_u64(&cur);
        r.boot_ns = (int64_t)pl_cur_u64(&cur);
        r.stored_len = pl_cur_u32(&cur);
        payload = pl_cur_take(&cur, r.stored_len);
        if (all || record_is_inside(c, &r, payload))
            s = keep_now(c, &r, payload);
    }
    pl_buf_clear(&c->kept);
    return s;
}

/* Record in the new log what is lost before the next sample. */
static enum pl_status report_loss(struct pl_log_copy *c,
                                  const struct pl_damage *loss)
{
    int64_t step = (int64_t)c->interval_ns;
    bool around = loss->has_from && loss->has_to && !loss->crossed;
    struct pl_gaps g = {
        .utc_first = loss->has_from ? loss->from_ns : loss->to_ns,
        .utc_last = loss->has_to ? loss->to_ns : loss->from_ns,
        .count =
            loss->samples > UINT32_MAX ? UINT32_MAX : (uint32_t)loss->samples,
        .cause = loss->damaged ? PL_GAP_DAMAGED : PL_GAP_NOT_HERE,
    };
    struct pl_record r = { .type = PL_GAPS };
    struct pl_buf payload = { 0 };
    enum pl_status s;

    g.boot_first =
        (uint64_t)(loss->has_from ? loss->from_boot_ns : loss->to_boot_ns);
    g.boot_last =
        (uint64_t)(loss->has_to ? loss->to_boot_ns : loss->from_boot_ns);
    if (around && g.count && loss->ns > 2 * c->interval_ns) {
        g.utc_first += step; /* the good samples are not missing */
        g.utc_last -= step;
        g.boot_first += (uint64_t)step;
        g.boot_last -= (uint64_t)step;
    }
    r.utc_ns = loss->has_to ? loss->to_ns : loss->from_ns;
    r.boot_ns = loss->has_to ? loss->to_boot_ns : loss->from_boot_ns;
    pl_gaps_write(&g, &payload);
    r.stored_len = (uint32_t)payload.len;
    s = payload.oom ? PL_NOMEM : keep_now(c, &r, payload.p);
    pl_buf_release(&payload);
    c->lost += loss->samples;
    c->lost_at_least |= loss->at_least;
    return s;
}

/* ---- samples ------------------------------------------------------------- */

/* The titles of the current sample, if they are not the last one's. */
static enum pl_status refresh_titles(struct pl_log_copy *c,
                                     const struct pl_reader *r)
{
    enum pl_status s;

    if (!c->titles_changed)
        return PL_OK;
    c->titles_changed = false;
    c->titles_put = false;
    pl_buf_clear(&c->titles);
    pl_titles_write(pl_reader_titles(r), &c->titles);
    if (c->titles.oom)
        return PL_NOMEM;
    if (!c->pick)
        return PL_OK;
    s = pl_block_filter_set_titles(c->pick, &c->titles);
    pl_buf_drop(&c->titles);
    return s;
}

static enum pl_status put_titles(struct pl_log_copy *c)
{
    if (c->titles_put && !(c->pick && c->pick->grown))
        return PL_OK;
    if (c->pick)
        pl_block_filter_titles(c->pick, &c->titles);
    if (c->titles.oom)
        return PL_NOMEM;
    pl_writer_titles(c->log.writer, &c->titles);
    pl_buf_drop(&c->titles);
    c->titles_put = true;
    return PL_OK;
}

/*
 * Write the selected part of the last sample, which depends on 'next', too.
 * Then the sample is no longer needed.
 */
static enum pl_status put_chosen(struct pl_log_copy *c, struct pl_reader *r,
                                 const struct pl_sample_stamp *stamp,
                                 const struct pl_item *next)
{
    enum pl_status s = pl_block_filter_block(
        c->pick, c->last.block, next ? next->block : NULL, &c->block);

    c->last.block = NULL;
    pl_reader_forget_older(r);
    if (!s)
        s = put_titles(c);
    if (!s)
        s = pl_copied_identities_put_chosen(
            &c->identities, pl_reader_identities(r), &c->block, c->log.writer);
    c->bad = s ? c->bad : c->path;
    return s ? s : pl_writer_sample(c->log.writer, stamp, &c->block);
}

/* 'ref' is the previous sample's block, if that one was written last. */
static enum pl_status put_whole(struct pl_log_copy *c, struct pl_reader *r,
                                const struct pl_sample_stamp *stamp,
                                const struct pl_buf *ref)
{
    enum pl_status s = put_titles(c);

    c->bad = s ? c->bad : c->path;
    if (!s)
        s = pl_writer_sample_kept(c->log.writer, stamp, ref, c->last.block);
    pl_reader_forget_older(r); /* the older sample was 'ref' */
    return s;
}

/*
 * Write the last sample unless it is written.  'next' NULL: there is no pair.
 */
static enum pl_status put_last(struct pl_log_copy *c, struct pl_reader *reader,
                               const struct pl_buf *ref,
                               const struct pl_item *next)
{
    const struct pl_record *r = &c->last.record;
    struct pl_sample_stamp stamp = {
        .utc_ns = r->utc_ns,
        .boot_ns = r->boot_ns,
        .flags = (uint8_t)((r->flags & IGNORABLE_FLAGS) |
                           (c->last_loss ? PL_FLAG_MISSED : 0)),
    };
    enum pl_status s;

    if (!c->last.block || c->last_put)
        return PL_OK;
    c->last_put = true;
    c->before += !c->was_inside;
    s = open_session(c);
    if (!s)
        s = pl_copied_identities_put(&c->identities, c->log.writer);
    if (s)
        return s;
    return c->pick ? put_chosen(c, reader, &stamp, next)
                   : put_whole(c, reader, &stamp, ref);
}

/*
 * Handle the next sample.  The previous one is wanted if either is in the time
 * range, as they are a pair.  Records between them are wanted then, too, or if
 * they are in the time range themselves.
 */
static enum pl_status take_sample(struct pl_log_copy *c, struct pl_reader *r,
                                  const struct pl_item *item,
                                  const struct pl_damage *loss)
{
    bool inside =
        is_inside(c, pl_row_time(item->record.utc_ns, c->interval_ns));
    bool between = inside || (c->was_inside && c->is_open);
    const struct pl_buf *ref;
    enum pl_status s = PL_OK;

    if (inside || c->was_inside)
        s = put_last(c, r, NULL, item);
    if (!s && between)
        s = flush_kept(c, inside);
    if (!s && between && loss)
        s = report_loss(c, loss);
    pl_buf_clear(&c->kept);
    ref = c->last.block; /* it has been written if this one will be */
    c->last = *item;
    c->last_put = false;
    c->last_loss = loss && inside;
    c->was_inside = inside;
    c->samples += inside;
    c->ended = false;
    if (!s)
        s = refresh_titles(c, r);
    if (!s)
        s = pl_copied_identities_take(&c->identities, pl_reader_identities(r));
    if (!s && inside && !c->pick)
        s = put_last(c, r, ref, NULL);
    return s;
}

/* Kept records belong to the session, or log, that ended. */
static enum pl_status end_samples(struct pl_log_copy *c, struct pl_reader *r)
{
    enum pl_status s = PL_OK;

    if (c->was_inside || !has_window(c))
        s = put_last(c, r, NULL, NULL);
    if (!s && c->is_open && (c->was_inside || !has_window(c)))
        s = flush_kept(c, !has_window(c));
    pl_buf_clear(&c->kept);
    c->last.block = NULL;
    return s;
}

/* ---- records kept until the next sample ---------------------------------- */

static enum pl_status keep(struct pl_log_copy *c, struct pl_reader *r,
                           const struct pl_item *item)
{
    const struct pl_record *record = &item->record;

    if (c->kept.len > MOST_KEPT && !has_window(c)) {
        enum pl_status s = end_samples(c, r);

        if (s)
            return s;
    }
    if (c->kept.len > MOST_KEPT) {
        c->left_out++;
        return PL_OK;
    }
    pl_buf_u32(&c->kept, record->type);
    pl_buf_u64(&c->kept, (uint64_t)record->utc_ns);
    pl_buf_u64(&c->kept, (uint64_t)record->boot_ns);
    pl_buf_u32(&c->kept, record->stored_len);
    pl_buf_bytes(&c->kept, item->payload, record->stored_len);
    return c->kept.oom ? PL_NOMEM : PL_OK;
}

/* Ancillary records of a newer perflog are copied as far as possible. */
static enum pl_status keep_other(struct pl_log_copy *c, struct pl_reader *r,
                                 const struct pl_item *item)
{
    switch (item->record.type) {
    case PL_SESS:
    case PL_TITL:
    case PL_SMPL:
    case PL_INDX:
        return PL_OK; /* the new log has its own */
    default:
        break;
    }
    if (item->record.codec == PL_CODEC_STORED)
        return keep(c, r, item);
    c->left_out++;
    return PL_OK;
}

/* ---- items --------------------------------------------------------------- */

static enum pl_status begin_session(struct pl_log_copy *c, struct pl_reader *r,
                                    const struct pl_item *item)
{
    const struct pl_session *session = pl_reader_session(r);
    struct pl_session facts = *session;
    enum pl_status s = end_samples(c, r);

    if (s)
        return s;
    note_end(c);
    if (c->source) {
        facts.sha256 = c->sha256;
        facts.source = pl_text_of(c->source);
    }
    pl_buf_clear(&c->facts);
    pl_session_write(&facts, &c->facts);
    c->left_out += session->minor > PL_MINOR; /* its SESS may hold more */
    c->interval_ns = session->interval_ns;
    c->begun.utc_ns = item->record.utc_ns;
    c->begun.boot_ns = item->record.boot_ns;
    c->is_open = c->ended = c->was_inside = false;
    c->titles_changed = true;
    pl_copied_identities_begin(&c->identities);
    if (c->facts.oom)
        return PL_NOMEM;
    if (c->pick)
        s = pl_block_filter_host(c->pick, session->host);
    if (s)
        return s;
    return has_window(c) ? PL_OK : open_session(c);
}

static enum pl_status take_item(struct pl_log_copy *c, struct pl_reader *r,
                                const struct pl_item *item)
{
    struct pl_damage loss;
    bool lost = pl_damage_summary_take(&c->losses, item, c->interval_ns, &loss);

    pl_log_counts_add(&c->tally, r, item);
    switch (item->kind) {
    case PL_ITEM_SESSION:
        return begin_session(c, r, item);
    case PL_ITEM_TITLES:
        c->titles_changed = true;
        return PL_OK;
    case PL_ITEM_SAMPLE:
        return take_sample(c, r, item, lost ? &loss : NULL);
    case PL_ITEM_GAPS:
    case PL_ITEM_NOTE:
        return keep(c, r, item);
    case PL_ITEM_ENDS:
        c->ended = true;
        c->reason = item->ends.reason;
        return PL_OK;
    case PL_ITEM_OTHER:
        return keep_other(c, r, item);
    default:
        return PL_OK; /* counted in the losses */
    }
}

/* ---- all of it ----------------------------------------------------------- */

static enum pl_status finish(struct pl_log_copy *c, struct pl_reader *r)
{
    struct pl_damage loss;
    enum pl_status s = end_samples(c, r);

    if (!s && pl_damage_summary_end(&c->losses, c->interval_ns, &loss) &&
        c->is_open && (!has_window(c) || c->was_inside))
        s = report_loss(c, &loss);
    note_end(c);
    if (!s && (has_window(c) ? !c->samples : !c->log.writer))
        s = PL_END;
    return s;
}

/* The number of losses that commands report with the file. */
static uint64_t num_odd(const struct pl_log_copy *c)
{
    const struct pl_log_counts *t = &c->tally;

    return t->damaged_ranges + t->unreachable + t->malformed +
           t->missing_records + t->too_new + c->left_out;
}

/* Free the previous selected block; without it the next sample is a key. */
static void make_room(void *ctx)
{
    struct pl_log_copy *c = ctx;

    if (c->log.writer)
        pl_writer_forget_reference(c->log.writer);
}

/*
 * After the time range: can samples in it still follow, after a clock step?
 * Determined once.
 */
static bool is_over(struct pl_log_copy *c, struct pl_host_log_reader *r)
{
    if (!c->window.has_to || c->was_inside || !c->last.block ||
        c->last.record.utc_ns <= c->window.to_ns || c->looked_ahead)
        return false;
    c->looked_ahead = true;
    return pl_host_log_is_past(r, c->window.to_ns, c->interval_ns);
}

enum pl_status pl_log_copy_run(struct pl_log_copy *c,
                               const struct pl_host_log *log)
{
    struct pl_host_log_reader r;
    struct pl_item item;
    enum pl_status s;

    c->bad = log->paths[0];
    c->losses = (struct pl_damage_summary){ 0 };
    s = c->window.has_from
            ? pl_host_log_start_after(&r, log, NULL, c->window.from_ns)
            : pl_host_log_start(&r, log, NULL);
    if (!s)
        pl_reader_on_need(r.reader, make_room, c);
    /* A row may be a millisecond later than its sample. */
    if (!s && c->window.has_from &&
        c->window.from_ns > INT64_MIN + PL_NS_PER_MS)
        s = pl_reader_seek(r.reader, c->window.from_ns - PL_NS_PER_MS);
    while (!s && !(s = pl_host_log_next(&r, &item))) {
        uint64_t odd = num_odd(c);

        s = take_item(c, r.reader, &item);
        if (num_odd(c) != odd)
            pl_places_note(&c->where, &r);
        if (!s)
            c->bad = pl_host_log_path(&r);
        if (!s && is_over(c, &r))
            s = PL_END;
        pl_progress_at(c->progress,
                       r.bytes_before + pl_reader_position(r.reader));
    }
    if (s == PL_END)
        s = finish(c, r.reader);
    pl_host_log_stop(&r);
    return s;
}

enum pl_status pl_log_copy_all(struct pl_log_copy *c,
                               const struct pl_host_logs *logs)
{
    enum pl_status s = PL_END;
    bool any = false;

    for (size_t i = 0; i < logs->num && (!s || s == PL_END); i++) {
        uint64_t before = c->samples;

        s = pl_log_copy_run(c, &logs->logs[i]);
        any |= !s || c->samples > before;
    }
    return s == PL_END && any ? PL_OK : s;
}

void pl_log_copy_release(struct pl_log_copy *c)
{
    PL_KEEP_ERRNO;

    pl_log_output_discard(&c->log);
    pl_copied_identities_release(&c->identities);
    pl_buf_release(&c->facts);
    pl_buf_release(&c->open);
    pl_buf_release(&c->titles);
    pl_buf_release(&c->kept);
    pl_buf_release(&c->block);
}
