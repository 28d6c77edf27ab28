/* Gathers what 'info' shows of a log. */
#include "analyze/inspect/log_summary.h"

#include "analyze/inspect/publisher_note.h"
#include "analyze/replay/replay.h"
#include "format/time/time_text.h"
#include "format/base/utf.h"
#include "format/time/zone.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep_text(struct pl_log_summary *a, char **to, struct pl_text t)
{
    struct pl_buf b = { 0 };

    pl_utf8_visible(&b, t.p, t.n);
    pl_buf_u8(&b, 0);
    if (b.oom) {
        a->oom = true;
        pl_buf_release(&b);
    }
    free(*to);
    *to = (char *)b.p;
}

static void keep_session(struct pl_log_summary *a, const struct pl_session *s)
{
    keep_text(a, &a->host, s->host);
    keep_text(a, &a->os, s->os);
    keep_text(a, &a->architecture, s->architecture);
    keep_text(a, &a->tool, s->tool);
    keep_text(a, &a->zone, s->zone);
    keep_text(a, &a->process_path, s->process_path);
    keep_text(a, &a->process_reason, s->process_reason);
    a->num_cpus = s->num_cpus;
    a->imported = s->sha256 != NULL;
}

/* The line that an equal publisher already has: publishers come and go. */
static struct pl_log_event *find_event(struct pl_log_summary *a,
                                       enum pl_log_event_weight weight,
                                       struct pl_text text)
{
    for (size_t i = 0; i < a->num_events; i++) {
        struct pl_log_event *e = &a->events[i];

        if (e->weight == weight && e->text &&
            pl_publisher_note_same(pl_text_of(e->text), text))
            return e;
    }
    return NULL;
}

/*
 * A place for one more event: a free one, or that of the last less important
 * one.
 */
static struct pl_log_event *event_place(struct pl_log_summary *a,
                                        enum pl_log_event_weight weight)
{
    struct pl_log_event *least = a->events;

    if (a->num_events < PL_MAX_EVENTS_KEPT)
        return &a->events[a->num_events++];
    for (size_t i = 1; i < PL_MAX_EVENTS_KEPT; i++)
        if (a->events[i].weight >= least->weight)
            least = &a->events[i];
    return least->weight > weight ? least : NULL;
}

/* 'utc_ns' NULL: its time is not known. */
static void keep_event(struct pl_log_summary *a,
                       enum pl_log_event_weight weight, const int64_t *utc_ns,
                       const char *kind, struct pl_text text)
{
    bool folds = weight == PL_EVENT_LEFT_OUT || weight == PL_EVENT_PUBLISHER;
    struct pl_log_event *e = folds ? find_event(a, weight, text) : NULL;

    if (!e) {
        a->all_events++;
        e = event_place(a, weight);
        if (!e)
            return;
        free(e->text);
        *e = (struct pl_log_event){ .weight = weight,
                                    .utc_ns = utc_ns ? *utc_ns : 0,
                                    .timed = utc_ns,
                                    .order = a->all_events,
                                    .kind = kind };
    }
    e->times++;
    e->until_ns = utc_ns ? *utc_ns : 0;
    keep_text(a, &e->text, text);
}

static int compare_events(const void *one, const void *other)
{
    const struct pl_log_event *a = one, *b = other;

    if (a->weight != b->weight)
        return a->weight < b->weight ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Sort the events, fold equal ones, and keep as many as are shown. */
static void choose_events(struct pl_log_summary *a)
{
    qsort(a->events, a->num_events, sizeof *a->events, compare_events);
    for (; a->num_events > PL_MAX_EVENTS; a->num_events--)
        free(a->events[a->num_events - 1].text);
    for (size_t i = 0; i < a->num_events; i++) {
        struct pl_log_event *e = &a->events[i];
        struct pl_buf b = { 0 };

        if (!e->text || e->times < 2)
            continue;
        pl_publisher_note_fold(&b, pl_text_of(e->text), e->times, e->until_ns);
        a->oom = a->oom || b.oom;
        free(e->text);
        e->text = b.oom ? NULL : (char *)b.p;
        if (b.oom)
            pl_buf_release(&b);
    }
}

/* Keep a loss by damage, from the good sample before it to the one after it. */
static void keep_loss(struct pl_log_summary *a, const struct pl_damage *l)
{
    char text[128], until[PL_INSTANT_TEXT];
    int n;

    if (!l->damaged)
        return;
    n = snprintf(text, sizeof text,
                 "%" PRIu64 " damaged byte%s: %s%" PRIu64 " sample%s lost",
                 l->damaged_bytes, pl_plural(l->damaged_bytes),
                 l->at_least ? "at least " : "", l->samples,
                 l->samples == 1 ? "" : "s");
    if (l->has_from && l->has_to)
        n += snprintf(text + n, sizeof text - (size_t)n, " until %s",
                      pl_zone_text(l->to_ns, until));
    keep_event(a, PL_EVENT_DAMAGE,
               l->has_from ? &l->from_ns
               : l->has_to ? &l->to_ns
                           : NULL,
               "damage", (struct pl_text){ text, (size_t)n });
}

/* "43 samples missing until 2026-11-21 07:36:02: the machine was suspended" */
static void keep_gap(struct pl_log_summary *a, const struct pl_gaps *g)
{
    const bool not_taken =
        g->cause == PL_GAP_LATE || g->cause == PL_GAP_SUSPEND;
    char text[256], until[PL_INSTANT_TEXT + sizeof " until "] = "";
    int n;

    if (g->count > 1 && g->utc_last > g->utc_first) {
        strcpy(until, " until ");
        pl_zone_text(g->utc_last, until + strlen(until));
    }
    n = snprintf(text, sizeof text, "%" PRIu32 " sample%s missing%s: %s%s%s",
                 g->count, g->count == 1 ? "" : "s", until,
                 pl_gap_cause_text(pl_gap_shown_cause(g)), g->error ? ": " : "",
                 g->error ? strerror(g->error) : "");
    keep_event(a, not_taken ? PL_EVENT_NOT_TAKEN : PL_EVENT_LOST, &g->utc_first,
               "gap", (struct pl_text){ text, (size_t)n });
}

static void keep_note(struct pl_log_summary *a, const struct pl_item *item)
{
    enum pl_log_event_weight weight =
        item->note.kind == PL_NOTE_CLOCK_STEP ? PL_EVENT_CLOCK
        : item->note.kind == PL_NOTE_LEFT_OUT ? PL_EVENT_LEFT_OUT
        : item->note.kind == PL_NOTE_PROVIDER ? PL_EVENT_PUBLISHER
                                              : PL_EVENT_NOTE;

    keep_event(a, weight, &item->record.utc_ns,
               weight == PL_EVENT_CLOCK      ? "clock_step"
               : weight == PL_EVENT_LEFT_OUT ? "left_out"
                                             : "note",
               item->note.text);
}

/* Report the session that began, now that its time is known. */
static void report_session(struct pl_log_summary *a)
{
    if (a->begun)
        keep_event(a, PL_EVENT_SESSION, &a->begun_ns, "session",
                   pl_text_of(a->begun));
    a->begun = NULL;
}

/* A session begins, or the facts of the current one come late. */
static void begin_session(struct pl_log_summary *a, const struct pl_item *item,
                          const struct pl_session *s, bool ended)
{
    bool rebooted = pl_is_reboot(a->boot_id, s->boot_id);

    keep_session(a, s);
    memcpy(a->boot_id, s->boot_id, sizeof a->boot_id);
    if (item->record.session == a->session)
        return;
    report_session(a);
    if (a->session) {
        a->reboots += rebooted;
        a->begun_ns = item->record.utc_ns;
        if (ended)
            a->begun = rebooted ? "recording begins again after a reboot"
                                : "recording begins again";
        else
            a->begun = rebooted ? "recording begins again after a reboot; it "
                                  "had not been ended"
                                : "recording begins again; it had not been "
                                  "ended";
    }
    a->session = item->record.session;
}

static void gather_item(struct pl_log_summary *a, const struct pl_reader *r,
                        const struct pl_item *item)
{
    bool ended = a->counts.ended;
    struct pl_damage loss;

    pl_log_counts_add(&a->counts, r, item);
    if (pl_damage_summary_take(&a->losses, item, a->counts.interval_ns, &loss))
        keep_loss(a, &loss);
    switch (item->kind) {
    case PL_ITEM_SESSION:
        begin_session(a, item, pl_reader_session(r), ended);
        break;
    case PL_ITEM_SAMPLE:
        if (a->begun)
            a->begun_ns =
                pl_row_time(item->record.utc_ns, a->counts.interval_ns);
        report_session(a);
        break;
    case PL_ITEM_GAPS:
        keep_gap(a, &item->gaps);
        break;
    case PL_ITEM_NOTE:
        keep_note(a, item);
        break;
    default:
        break;
    }
}

enum pl_status pl_log_summary_gather(struct pl_log_summary *a,
                                     struct pl_progress *progress)
{
    struct pl_host_log_reader r;
    struct pl_item item;
    struct pl_damage loss;
    enum pl_status s = pl_host_log_start(&r, a->log, NULL);

    if (!s)
        pl_reader_brief(r.reader);
    while (!s && !(s = pl_host_log_next(&r, &item))) {
        gather_item(a, r.reader, &item);
        s = pl_object_counts_add(&a->objects, r.reader, &item);
        if (progress->on)
            pl_progress_at(progress,
                           r.bytes_before + pl_reader_position(r.reader));
    }
    report_session(a);
    if (s == PL_END &&
        pl_damage_summary_end(&a->losses, a->counts.interval_ns, &loss))
        keep_loss(a, &loss);
    choose_events(a);
    pl_object_counts_sort(&a->objects);
    if (s == PL_END) {
        a->bytes = r.bytes_before + pl_reader_position(r.reader);
        a->live = pl_reader_is_live(r.reader);
        a->foreign = pl_reader_foreign(r.reader);
        s = a->oom ? PL_NOMEM : PL_OK;
    }
    pl_host_log_stop(&r);
    return s;
}

void pl_log_summary_release(struct pl_log_summary *a)
{
    free(a->host);
    free(a->os);
    free(a->architecture);
    free(a->tool);
    free(a->zone);
    free(a->process_path);
    free(a->process_reason);
    for (size_t i = 0; i < a->num_events; i++)
        free(a->events[i].text);
    pl_object_counts_release(&a->objects);
}
