/* perflog info: a summary of a log, on one screen. */
#include "analyze/output/json.h"
#include "analyze/inspect/damage_summary.h"
#include "analyze/output/progress.h"
#include "analyze/inspect/publisher_note.h"
#include "analyze/replay/replay.h"
#include "analyze/inspect/log_counts.h"
#include "analyze/inspect/object_counts.h"
#include "analyze/input/host_log.h"
#include "format/base/time_text.h"
#include "format/cli/message.h"
#include "analyze/cli/common_options.h"
#include "format/cli/options.h"
#include "format/base/utf.h"
#include "format/base/zone.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct pl_command pl_cmd_info;

enum option { OPT_TZ, OPT_ENCODING, OPT_JSON };
enum {
    LINE = 79, /* columns of a line of objects */
    /* events shown, the most important ones; all are counted */
    MAX_EVENTS = 20,
    MAX_KEPT = 256, /* events kept, from which these are selected */
};

static const struct pl_option options[] = {
    [OPT_TZ] = PL_OPTION_TZ_OF_LOG,
    [OPT_ENCODING] = PL_OPTION_ENCODING,
    [OPT_JSON] = PL_OPTION_JSON,
};

/* The most important first. */
enum weight {
    DAMAGE,
    LOST,
    NOT_TAKEN,
    SESSION,
    CLOCK,
    LEFT_OUT,
    NOTE,
    PUBLISHER
};

/* A line about a gap, a note or another session. */
struct event {
    enum weight weight;
    int64_t utc_ns;   /* of the first, */
    int64_t until_ns; /* and of the last of those that are one line */
    bool timed;       /* both are known */
    uint64_t times;
    uint64_t order;   /* of the first in the log, whatever its clock said */
    const char *kind; /* for programs */
    char *text;
};

/* What is known of one host log. */
struct about {
    const struct pl_host_log *log;
    struct pl_log_counts tally;
    struct pl_object_counts objects;
    char *host, *os, *architecture, *tool, *zone, *process_path;
    char *process_reason;
    uint32_t num_cpus;
    uint64_t bytes;
    const struct pl_foreign *foreign; /* another format; NULL: a .plog */
    bool live;
    bool imported; /* the last session: its blocks were imported */
    struct event events[MAX_KEPT];
    size_t num_events, all_events;
    struct pl_damage_summary losses;
    uint64_t session; /* current session; 0: none yet */
    uint8_t boot_id[PL_BOOT_ID_LEN];
    /* its start, until its first sample gives a better time */
    int64_t begun_ns;
    /* the text to report it with; NULL: reported, or the first session */
    const char *begun;
    uint64_t reboots;
    bool oom; /* a text is missing */
};

/* ---- gathering ----------------------------------------------------------- */

static void keep_text(struct about *a, char **to, struct pl_text t)
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

static void keep_session(struct about *a, const struct pl_session *s)
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
static struct event *find_event(struct about *a, enum weight weight,
                                struct pl_text text)
{
    for (size_t i = 0; i < a->num_events; i++) {
        struct event *e = &a->events[i];

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
static struct event *event_place(struct about *a, enum weight weight)
{
    struct event *least = a->events;

    if (a->num_events < MAX_KEPT)
        return &a->events[a->num_events++];
    for (size_t i = 1; i < MAX_KEPT; i++)
        if (a->events[i].weight >= least->weight)
            least = &a->events[i];
    return least->weight > weight ? least : NULL;
}

/* 'utc_ns' NULL: its time is not known. */
static void keep_event(struct about *a, enum weight weight,
                       const int64_t *utc_ns, const char *kind,
                       struct pl_text text)
{
    bool folds = weight == LEFT_OUT || weight == PUBLISHER;
    struct event *e = folds ? find_event(a, weight, text) : NULL;

    if (!e) {
        a->all_events++;
        e = event_place(a, weight);
        if (!e)
            return;
        free(e->text);
        *e = (struct event){ .weight = weight,
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
    const struct event *a = one, *b = other;

    if (a->weight != b->weight)
        return a->weight < b->weight ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Sort the events, fold equal ones, and keep as many as are shown. */
static void choose_events(struct about *a)
{
    qsort(a->events, a->num_events, sizeof *a->events, compare_events);
    for (; a->num_events > MAX_EVENTS; a->num_events--)
        free(a->events[a->num_events - 1].text);
    for (size_t i = 0; i < a->num_events; i++) {
        struct event *e = &a->events[i];
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
static void keep_loss(struct about *a, const struct pl_damage *l)
{
    char text[128], until[PL_INSTANT_TEXT];
    int n;

    if (!l->damaged)
        return;
    n = snprintf(text, sizeof text,
                 "%" PRIu64 " damaged bytes: %s%" PRIu64 " sample%s lost",
                 l->damaged_bytes, l->at_least ? "at least " : "", l->samples,
                 l->samples == 1 ? "" : "s");
    if (l->has_from && l->has_to)
        n += snprintf(text + n, sizeof text - (size_t)n, " until %s",
                      pl_zone_text(l->to_ns, until));
    keep_event(a, DAMAGE,
               l->has_from ? &l->from_ns
               : l->has_to ? &l->to_ns
                           : NULL,
               "damage", (struct pl_text){ text, (size_t)n });
}

/* "43 samples missing until 2026-11-21 07:36:02: the machine was suspended" */
static void keep_gap(struct about *a, const struct pl_gaps *g)
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
                 pl_gap_cause_text(g->cause), g->error ? ": " : "",
                 g->error ? strerror(g->error) : "");
    keep_event(a, not_taken ? NOT_TAKEN : LOST, &g->utc_first, "gap",
               (struct pl_text){ text, (size_t)n });
}

static void keep_note(struct about *a, const struct pl_item *item)
{
    enum weight weight = item->note.kind == PL_NOTE_CLOCK_STEP ? CLOCK
                         : item->note.kind == PL_NOTE_LEFT_OUT ? LEFT_OUT
                         : item->note.kind == PL_NOTE_PROVIDER ? PUBLISHER
                                                               : NOTE;

    keep_event(a, weight, &item->record.utc_ns,
               weight == CLOCK      ? "clock_step"
               : weight == LEFT_OUT ? "left_out"
                                    : "note",
               item->note.text);
}

/* Report the session that began, now that its time is known. */
static void report_session(struct about *a)
{
    if (a->begun)
        keep_event(a, SESSION, &a->begun_ns, "session", pl_text_of(a->begun));
    a->begun = NULL;
}

/* A session begins, or the facts of the current one come late. */
static void begin_session(struct about *a, const struct pl_item *item,
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

static void gather_item(struct about *a, const struct pl_reader *r,
                        const struct pl_item *item)
{
    bool ended = a->tally.ended;
    struct pl_damage loss;

    pl_log_counts_add(&a->tally, r, item);
    if (pl_damage_summary_take(&a->losses, item, a->tally.interval_ns, &loss))
        keep_loss(a, &loss);
    switch (item->kind) {
    case PL_ITEM_SESSION:
        begin_session(a, item, pl_reader_session(r), ended);
        break;
    case PL_ITEM_SAMPLE:
        if (a->begun)
            a->begun_ns =
                pl_row_time(item->record.utc_ns, a->tally.interval_ns);
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

static enum pl_status gather(struct about *a, struct pl_progress *progress)
{
    struct pl_host_log_reader r;
    struct pl_item item;
    struct pl_damage loss;
    enum pl_status s = pl_host_log_start(&r, a->log, NULL);

    if (!s)
        pl_reader_outline(r.reader);
    while (!s && !(s = pl_host_log_next(&r, &item))) {
        gather_item(a, r.reader, &item);
        s = pl_object_counts_add(&a->objects, r.reader, &item);
        if (progress->on)
            pl_progress_at(progress,
                           r.bytes_before + pl_reader_position(r.reader));
    }
    report_session(a);
    if (s == PL_END &&
        pl_damage_summary_end(&a->losses, a->tally.interval_ns, &loss))
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

static void release(struct about *a)
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

/* ---- lines --------------------------------------------------------------- */

static const char *or_unknown(const char *s)
{
    return s && *s ? s : "unknown";
}

/* A log of another format: its name, and whether it has checksums. */
static void print_format(const struct about *a)
{
    if (!a->foreign)
        return;
    printf("  Format     %s\n", a->foreign->format);
    if (a->foreign->unchecked)
        printf("  Checksums  none in this format: a changed byte may give a "
               "wrong number\n"
               "             and nothing shows it\n");
}

/* An imported block has only the name of its machine. */
static void print_host(const struct about *a)
{
    printf("  Host       %s", or_unknown(a->host));
    if (a->num_cpus)
        printf(" (%s, %s, %" PRIu32 " processor%s)", or_unknown(a->os),
               or_unknown(a->architecture), a->num_cpus,
               a->num_cpus == 1 ? "" : "s");
    printf("\n");
}

static void print_health(const struct about *a)
{
    const struct pl_log_counts *t = &a->tally;
    char text[PL_HEALTH_TEXT], lost[PL_LOST_TEXT];
    const char *missed = pl_log_counts_lost(t, lost);

    printf("  Health     ");
    if (pl_log_counts_exit(t) == PL_EXIT_GOOD)
        printf(missed ? "no damage" : "good");
    else if (!t->records)
        printf("no complete record: it was cut in its first moment");
    else
        printf("%s; 'perflog verify' shows where",
               pl_log_counts_health(t, text));
    if (missed)
        printf("; %s", missed);
    if (t->left_out)
        printf("; limits left out counters published by %s",
               pl_log_counts_left_out(t, text));
    printf("\n");
}

static void print_end(const struct about *a)
{
    const struct pl_log_counts *t = &a->tally;

    printf("  Ended      ");
    if (a->foreign)
        printf("%s\n", t->ended ? "yes" : "no, it was not closed");
    else if (t->ended && a->imported)
        printf("all its blocks were imported\n");
    else if (t->ended)
        printf("%s\n", pl_end_reason_text(t->end_reason));
    else if (t->rotated)
        printf("no, it goes on in a segment that is not here\n");
    else if (a->live)
        printf("no, it is being recorded\n");
    else
        printf("no: the recorder was killed, or the machine went down\n");
}

static void print_span(const struct pl_log_counts *t)
{
    char from[PL_INSTANT_TEXT], to[PL_INSTANT_TEXT], span[PL_DURATION_TEXT];
    int64_t first, last;

    if (!t->samples) {
        printf("  Span       no samples\n");
        return;
    }
    first = pl_row_time(t->first_utc, t->interval_ns);
    last = pl_row_time(t->last_utc, t->interval_ns);
    printf("  Span       %s to %s %s (%s)\n", pl_zone_text(first, from),
           pl_zone_text(last, to), pl_zone_name(),
           pl_duration_text((uint64_t)last - (uint64_t)first, span));
}

static enum pl_status print_about(const struct about *a)
{
    const struct pl_log_counts *t = &a->tally;
    char size[PL_SIZE_TEXT], interval[PL_DURATION_TEXT], each[PL_SIZE_TEXT];
    uint64_t samples = t->samples ? t->samples : 1;
    char cost[PL_COST_TEXT];
    enum pl_status s = PL_OK;

    pl_print_visible(a->log->paths[0]);
    printf("%s\n", a->log->num_paths > 1 ? " and further segments" : "");
    print_format(a);
    print_host(a);
    printf("  Recorder   %s%s%s\n", or_unknown(a->tool),
           a->process_path && *a->process_path ? ", processes by " : "",
           a->process_path ? a->process_path : "");
    if (a->process_reason && *a->process_reason)
        printf("             not by BPF: %s\n", a->process_reason);
    print_span(t);
    printf("  Sessions   %" PRIu64, t->sessions);
    if (a->reboots)
        printf(", with %" PRIu64 " reboot%s in between", a->reboots,
               a->reboots == 1 ? "" : "s");
    printf("\n");
    printf("  Interval   %s\n", t->interval_ns
                                    ? pl_duration_text(t->interval_ns, interval)
                                    : "none");
    printf("  Samples    %" PRIu64 ", %" PRIu64 " missed\n", t->samples,
           pl_log_counts_missed(t));
    printf("  Size       %s", pl_size_text(a->bytes, size));
    if (t->samples)
        printf(", a sample %" PRIu64 " bytes (%s before compression)",
               a->bytes / samples, pl_size_text(t->raw_bytes / samples, each));
    printf("\n");
    if (a->objects.num)
        s = pl_object_counts_print(&a->objects, "  Objects    ", LINE);
    if (t->missing_between_files)
        printf("  Not here   %" PRIu64 " records, in segments that are not "
               "here\n",
               t->missing_between_files);
    if (pl_log_counts_cost(t, cost))
        printf("  Cost       %s\n", cost);
    print_end(a);
    print_health(a);
    if (t->interrupted)
        printf("  Cut short  %" PRIu64 " records, by a kill or crash\n",
               t->interrupted);
    for (size_t i = 0; i < a->num_events; i++) {
        const struct event *e = &a->events[i];
        char when[PL_INSTANT_TEXT];

        printf("  %s %s%s%s  %s\n", i ? "          " : "Events    ",
               e->timed ? pl_zone_text(e->utc_ns, when) : "time not known",
               e->timed ? " " : "", e->timed ? pl_zone_name() : "",
               e->text ? e->text : "");
    }
    if (a->all_events > a->num_events)
        printf("             and %zu more\n", a->all_events - a->num_events);
    return s;
}

/* ---- JSON ---------------------------------------------------------------- */

static void json_about(struct pl_json *j, const struct about *a)
{
    const struct pl_log_counts *t = &a->tally;

    pl_json_open_object(j);
    pl_json_key(j, "files");
    pl_json_open_array(j);
    for (size_t i = 0; i < a->log->num_paths; i++)
        pl_json_string(j, a->log->paths[i]);
    pl_json_close_array(j);
    pl_json_put_string(j, "format",
                       a->foreign ? a->foreign->format : "perflog log (.plog)");
    pl_json_key(j, "checksums");
    pl_json_bool(j, !a->foreign || !a->foreign->unchecked);
    pl_json_put_string(j, "host", a->host);
    pl_json_put_string(j, "os", a->os);
    pl_json_put_string(j, "architecture", a->architecture);
    pl_json_put_count(j, "processors", a->num_cpus);
    pl_json_put_string(j, "recorder", a->tool);
    pl_json_put_string(j, "process_path", a->process_path);
    if (a->process_reason && *a->process_reason)
        pl_json_put_string(j, "process_reason", a->process_reason);
    pl_json_put_string(j, "zone", a->zone);
    pl_json_put_instant(j, "first", t->samples,
                        pl_row_time(t->first_utc, t->interval_ns));
    pl_json_put_instant(j, "last", t->samples,
                        pl_row_time(t->last_utc, t->interval_ns));
    pl_json_key(j, "interval_seconds");
    pl_json_number(j, (double)t->interval_ns / 1e9);
    pl_json_put_count(j, "sessions", t->sessions);
    pl_json_put_count(j, "samples", t->samples);
    pl_json_put_count(j, "missed", pl_log_counts_missed(t));
    pl_json_put_count(j, "bytes", a->bytes);
    pl_json_put_count(j, "raw_bytes", t->raw_bytes);
    pl_json_key(j, "cpu_seconds");
    pl_json_number(j, (double)pl_log_counts_cpu_100ns(t) / 1e7);
    pl_json_key(j, "cpu_seconds_before_first");
    pl_json_number(j, (double)pl_log_counts_first_cpu_100ns(t) / 1e7);
    pl_json_key(j, "ended");
    pl_json_bool(j, t->ended);
    pl_json_key(j, "live");
    pl_json_bool(j, a->live);
    pl_json_put_count(j, "reboots", a->reboots);
    pl_json_put_count(j, "clock_steps", t->clock_steps);
    pl_json_put_count(j, "left_out_notes", t->left_out);
    pl_json_put_count(j, "damaged_ranges", t->damaged_ranges);
    pl_json_put_count(j, "damaged_bytes", t->damaged_bytes);
    pl_json_put_count(j, "unreachable_samples", t->unreachable);
    pl_json_put_count(j, "malformed_blocks", t->malformed);
    pl_json_put_count(j, "missing_records", t->missing_records);
    pl_json_put_count(j, "interrupted_records", t->interrupted);
    pl_json_put_count(j, "too_new_records", t->too_new);
    pl_object_counts_json(&a->objects, j);
    pl_json_key(j, "events");
    pl_json_open_array(j);
    for (size_t i = 0; i < a->num_events; i++) {
        pl_json_open_object(j);
        pl_json_put_instant(j, "time", a->events[i].timed, a->events[i].utc_ns);
        pl_json_put_string(j, "kind", a->events[i].kind);
        pl_json_put_string(j, "text", a->events[i].text);
        pl_json_close_object(j);
    }
    pl_json_close_array(j);
    pl_json_close_object(j);
}

/* ---- the command --------------------------------------------------------- */

/* The zone in which a log is shown; of JSON all times are UTC. */
static enum pl_status use_zone(const struct pl_host_log *log, enum pl_tz tz,
                               bool json)
{
    if (json)
        return pl_zone_set("UTC");
    return tz == PL_TZ_GIVEN ? PL_OK : pl_zone_use_log(log);
}

static enum pl_exit info(struct pl_json *json, enum pl_tz tz, char **operands,
                         int num)
{
    struct pl_progress progress;
    struct pl_host_logs logs;
    enum pl_exit code = pl_host_logs_open_or_say(&logs, operands, num);
    enum pl_status s = PL_OK;

    if (code)
        return code;
    if (json) {
        pl_json_init(json, stdout);
        pl_json_open_array(json);
    }
    pl_progress_start(&progress, "reading", pl_host_logs_bytes(&logs), false);
    for (size_t i = 0; i < logs.num; i++) {
        struct about a = { .log = &logs.logs[i] };
        enum pl_exit one;

        s = use_zone(a.log, tz, json != NULL);
        if (!s)
            s = gather(&a, &progress);
        pl_progress_end(&progress);
        if (!s && json)
            json_about(json, &a);
        else if (!s)
            s = print_about(&a);
        if (s)
            one = pl_say_status(logs.logs[i].paths[0], s, NULL);
        else
            one = pl_log_counts_exit(&a.tally);
        code = one > code ? one : code;
        release(&a);
    }
    if (json) {
        pl_json_close_array(json);
        s = pl_json_finish(json);
        if (s)
            code = pl_say_status("output", s, NULL);
    }
    pl_host_logs_release(&logs);
    return code;
}

static enum pl_exit run_info(const struct pl_command *self, int argc,
                             char **argv)
{
    struct pl_json json;
    bool as_json = false;
    enum pl_tz tz = PL_TZ_USUAL;
    const struct pl_shared_values to = { .json = &as_json, .tz = &tz };
    enum pl_exit code;

    if (!pl_command_options(self, argc, argv, &to, NULL, NULL, &code))
        return code;
    if (pl_operands() == argc) {
        pl_say("info: name a log, such as out.plog; see 'perflog info "
               "--help'");
        return PL_EXIT_FAILED;
    }
    code = info(as_json ? &json : NULL, tz, argv + pl_operands(),
                argc - pl_operands());
    if (!as_json && !pl_flush_stdout() && code == PL_EXIT_GOOD)
        code = pl_say_status("output", PL_IO, NULL);
    return code;
}

const struct pl_command pl_cmd_info = {
    .name = "info",
    .summary = "Host, span, objects, gaps, size, health and cost of a log",
    .usage = "[OPTION...] LOG...",
    .options = options,
    .num_options = sizeof options / sizeof *options,
    .notes = "The exit status is that of 'perflog verify', which unpacks "
             "every sample.",
    .run = run_info,
};
