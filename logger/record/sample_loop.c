/* The sampling loop, its messages and its counts. */
#include "logger/record/sample_loop.h"

#include "format/base/file.h"
#include "format/cli/message.h"
#include "logger/record/start_pages.h"
#include "logger/record/stop.h"

#include <errno.h>
#include <inttypes.h>

static uint64_t to_100ns(uint64_t ns)
{
    return ns / 100;
}

static void update_stats(struct pl_sample_loop *r)
{
    struct pl_write_queue_report report;
    struct pl_logger_stats *s = &r->stats;

    pl_write_queue_report(r->spool, &report);
    s->samples_written = report.stats.samples;
    s->samples_not_written =
        report.stats.not_written + r->ring_full + r->not_made;
    s->encoding_100ns = to_100ns(report.stats.encode_ns);
    s->write_100ns = to_100ns(report.stats.write_ns);
    s->num_writes = report.stats.num_writes;
    s->sync_100ns = to_100ns(report.stats.sync_ns);
    s->num_syncs = report.stats.num_syncs;
    s->block_bytes = report.stats.block_bytes;
    s->log_bytes = report.stats.log_bytes;
    s->file_bytes = report.stats.file_bytes;
    s->free_bytes = report.stats.free_bytes;
    s->system_calls = report.stats.system_calls;
}

void pl_sample_loop_tell_taken_away(struct pl_sample_loop *r, const char *path,
                                    const struct pl_writer_stats *s)
{
    if (s->taken_away != r->taken_away)
        pl_say("%s: another program deleted or changed it; going on in another "
               "segment",
               path);
    r->taken_away = s->taken_away;
}

/* Report once that writing fails, and once that it works again. */
static void report_trouble(struct pl_sample_loop *r, const char *path)
{
    struct pl_write_queue_report report;

    pl_write_queue_report(r->spool, &report);
    pl_sample_loop_tell_taken_away(r, path, &report.stats);
    if (report.last == r->reported)
        return;
    errno = report.error;
    pl_notify_send(&r->notify, "STATUS=%s: %s", path,
                   report.last ? pl_status_text(report.last)
                               : "writing works again");
    errno = report.error;
    if (report.last)
        pl_say("%s: %s; sampling goes on, lost samples are counted", path,
               pl_status_text(report.last));
    else
        pl_say("%s: writing works again", path);
    r->reported = report.last;
}

/* The same for the sampler's sources; another reason is not reported again. */
static void report_source(struct pl_sample_loop *r)
{
    const char *trouble = pl_sampler_trouble(r->sampler);

    if (!trouble == !r->source_reported)
        return;
    if (trouble)
        pl_say("record: %s; recording goes on", trouble);
    else
        pl_say("record: samples are complete again");
    r->source_reported = trouble != NULL;
}

/* Report once that samples cannot be made, and once that they can again. */
static void report_unmade(struct pl_sample_loop *r, enum pl_status s)
{
    const char *text = "samples can be made again";

    if (s == r->unmade_reported)
        return;
    if (s == PL_TOO_LARGE)
        text = "samples are larger than 64 MiB and are lost; choose less with "
               "-c";
    else if (s == PL_NOMEM)
        text = "there is too little memory for samples; sampling goes on, lost "
               "samples are counted";
    else if (s)
        return; /* the recording ends */
    pl_say("record: %s", text);
    pl_notify_send(&r->notify, "STATUS=%s", text);
    r->unmade_reported = s;
}

static void report_missed(struct pl_sample_loop *r, const struct pl_wake *wake,
                          const struct pl_tick *now)
{
    struct pl_gaps g = {
        .utc_first = wake->first_missed_utc,
        .utc_last = wake->last_missed_utc,
        .boot_first =
            (uint64_t)(wake->first_missed_utc - now->utc_ns + now->boot_ns),
        .boot_last =
            (uint64_t)(wake->last_missed_utc - now->utc_ns + now->boot_ns),
        .count = wake->missed,
        .cause = wake->suspended ? PL_GAP_SUSPEND : PL_GAP_LATE,
    };

    if (!wake->missed)
        return;
    if (!wake->suspended)
        r->stats.samples_missed += wake->missed;
    pl_write_queue_missed(r->spool, &g);
}

/* The write queue is full: the disk has been too slow for too long. */
static void report_ring_full(struct pl_sample_loop *r,
                             const struct pl_wake *wake,
                             const struct pl_tick *now)
{
    struct pl_gaps g = { .utc_first = wake->deadline_utc,
                         .utc_last = wake->deadline_utc,
                         .boot_first = (uint64_t)now->boot_ns,
                         .boot_last = (uint64_t)now->boot_ns,
                         .count = 1,
                         .cause = PL_GAP_RING_FULL };

    r->ring_full++;
    pl_write_queue_missed(r->spool, &g);
}

/* Titles of objects that appeared with this sample are written with it. */
static void refresh_titles(struct pl_sample_loop *r)
{
    uint32_t generation;
    const struct pl_titles *titles = pl_sampler_titles(r->sampler, &generation);

    if (generation == r->titles_generation)
        return;
    pl_buf_clear(&r->titles);
    pl_titles_write(titles, &r->titles);
    if (r->titles.oom)
        return;
    r->titles_generation = generation;
    r->titles_waiting = true;
}

enum { MAX_NEWS = 4 }; /* per sample; the rest waits for the next one */

static void report_news(struct pl_sample_loop *r, const struct pl_tick *now)
{
    char text[PL_NEWS_TEXT];
    enum pl_note_kind kind;

    for (int i = 0; i < MAX_NEWS && pl_sampler_news(r->sampler, &kind, text);
         i++)
        pl_write_queue_note(r->spool, kind, now->utc_ns, now->boot_ns, text);
}

static void pass_identities(struct pl_sample_loop *r)
{
    struct pl_buf *payload = pl_sampler_identities(r->sampler);

    if (payload && payload->len)
        pl_write_queue_identities(r->spool, payload);
}

/* A sample that the sampler could not make is lost, as one that could not be
 * written. */
static void lose_unmade(struct pl_sample_loop *r, const struct pl_tick *now,
                        enum pl_status s)
{
    bool large = s == PL_TOO_LARGE;
    struct pl_gaps g = { .utc_first = now->utc_ns,
                         .utc_last = now->utc_ns,
                         .boot_first = (uint64_t)now->boot_ns,
                         .boot_last = (uint64_t)now->boot_ns,
                         .count = 1,
                         .cause = large ? PL_GAP_TOO_LARGE : PL_GAP_DISK_ERROR,
                         .error = large ? 0 : ENOMEM };

    r->not_made++;
    pl_write_queue_missed(r->spool, &g);
}

/* The sample of that deadline may be lost: the next one has the flag, too. */
static void report_step(struct pl_sample_loop *r, const struct pl_wake *wake,
                        const struct pl_tick *now)
{
    if (!wake->step_ns)
        return;
    r->stepped = true;
    pl_write_queue_clock_step(r->spool, now->utc_ns, now->boot_ns,
                              wake->step_ns);
}

static enum pl_status take_sample(struct pl_sample_loop *r,
                                  const struct pl_wake *wake,
                                  const struct pl_tick *now)
{
    struct pl_sample_stamp stamp = { .utc_ns = now->utc_ns,
                                     .boot_ns = now->boot_ns };
    struct pl_buf *block = pl_write_queue_slot(r->spool);
    int64_t end;
    enum pl_status s;

    report_step(r, wake, now);
    if (!block) {
        report_ring_full(r, wake, now);
        return PL_OK;
    }
    if (r->stats.samples_taken == 1)
        r->begin_cpu_ns = pl_clock_cpu(); /* the first one is written, too */
    r->stats.samples_taken++;
    r->stats.last_lateness_100ns = to_100ns(wake->late_ns);
    r->stats.lateness_100ns += to_100ns(wake->late_ns);
    s = pl_sampler_read(r->sampler, now, &r->stats, block);
    end = pl_clock_steady();
    r->stats.last_collection_100ns =
        to_100ns((uint64_t)(end - now->monotonic_ns));
    r->stats.collection_100ns += r->stats.last_collection_100ns;
    report_unmade(r, s);
    if (s == PL_TOO_LARGE || s == PL_NOMEM)
        lose_unmade(r, now, s);
    if (s)
        return s == PL_TOO_LARGE || s == PL_NOMEM ? PL_OK : s;
    if (r->stepped)
        stamp.flags |= PL_FLAG_CLOCK_STEPPED;
    r->stepped = false;
    report_news(r, now);
    refresh_titles(r);
    pass_identities(r);
    s = pl_write_queue_push(r->spool, &stamp,
                            r->titles_waiting ? &r->titles : NULL);
    r->titles_waiting = s != PL_OK && r->titles_waiting;
    if (!r->titles_waiting)
        pl_buf_release(&r->titles); /* mostly there are no others */
    if (r->stats.samples_taken == 1)
        r->begin_cpu_ns = pl_clock_cpu();
    return PL_OK;
}

/* True when the log has the requested number of samples. */
static bool has_all(const struct pl_record_options *p,
                    const struct pl_sample_loop *r)
{
    struct pl_write_queue_report report;

    if (!p->count || r->stats.samples_taken < p->count)
        return false;
    /* Lost samples do not count; queued ones do, as most are written. */
    pl_write_queue_report(r->spool, &report);
    return r->stats.samples_taken - r->not_made - report.stats.not_written >=
           p->count;
}

/* Fewer lost samples than this do not make an error permanent. */
enum { LEAST_LOST = 10 };

/*
 * True if writing seems to fail permanently: as many samples as were requested
 * have been lost in a row.
 */
static bool gives_up(const struct pl_record_options *p,
                     struct pl_sample_loop *r)
{
    uint64_t most = p->count > LEAST_LOST ? p->count : LEAST_LOST;
    struct pl_write_queue_report report;
    uint64_t lost;

    if (!p->count)
        return false;
    pl_write_queue_report(r->spool, &report);
    lost = report.stats.not_written + r->not_made;
    if (report.stats.samples != r->written) {
        r->written = report.stats.samples;
        r->lost_then = lost;
    }
    if (lost - r->lost_then < most)
        return false;
    pl_say("%s: the last %" PRIu64 " samples are lost; giving up", p->path,
           lost - r->lost_then);
    return true;
}

/* Is the next sample due after the duration?  By deadlines: samples may be late. */
static bool is_over(const struct pl_record_options *p, int64_t first_utc,
                    const struct pl_ticks *t)
{
    return p->duration_ns && t->due_utc - first_utc > (int64_t)p->duration_ns;
}

/* Opening needed what samples do not; of these the first is a whole one, the second
 * the first difference, and from the third on they are alike. */
static void unmap_what_was_needed(uint64_t before, uint64_t samples)
{
    enum { WHOLE = 1, ALIKE = 3 };

    if (samples != before && (samples == WHOLE || samples == ALIKE))
        pl_start_pages_unmap();
}

enum pl_end_reason pl_sample_loop_run(struct pl_sample_loop *r,
                                      const struct pl_record_options *p,
                                      enum pl_status *trouble)
{
    int64_t first_utc = 0; /* its deadline, by the clock as it is set now */
    bool began = false;
    struct pl_tick now;
    struct pl_wake wake;

    *trouble = PL_OK;
    pl_start_pages_unmap();
    pl_sampler_clocks(&now);
    pl_ticks_start(&r->ticks, p->interval_ns, &now);
    while (!pl_stop_asked()) {
        int64_t sample = pl_ticks_wake_at(&r->ticks);
        int64_t sign = pl_notify_alive(&r->notify, now.boot_ns);
        const uint64_t before = r->stats.samples_taken;

        pl_sleep_until(sample < sign ? sample : sign);
        if (pl_stop_take_rotation())
            pl_write_queue_rotate(r->spool);
        pl_sampler_clocks(&now);
        if (pl_stop_asked() || !pl_ticks_due(&r->ticks, &now, &wake))
            continue;
        first_utc = began ? first_utc + wake.step_ns : wake.deadline_utc;
        began = true;
        report_missed(r, &wake, &now);
        update_stats(r);
        *trouble = take_sample(r, &wake, &now);
        if (*trouble)
            return PL_END_ERROR;
        report_trouble(r, p->path);
        report_source(r);
        unmap_what_was_needed(before, r->stats.samples_taken);
        if (has_all(p, r))
            return PL_END_ASKED;
        if (gives_up(p, r))
            return PL_END_ERROR;
        if (is_over(p, first_utc, &r->ticks))
            return PL_END_TIME_LIMIT;
    }
    return PL_END_SIGNAL;
}

uint64_t pl_sample_loop_num_lost(const struct pl_sample_loop *r,
                                 const struct pl_writer_stats *s)
{
    return r->stats.samples_taken + r->ring_full - s->samples;
}

void pl_sample_loop_release(struct pl_sample_loop *r)
{
    pl_buf_release(&r->titles);
}
