/* perflog info: a summary of a log, on one screen. */
#include "analyze/output/json.h"
#include "analyze/replay/replay.h"
#include "analyze/output/progress.h"
#include "analyze/inspect/log_summary.h"
#include "analyze/input/host_log.h"
#include "format/time/time_text.h"
#include "format/cli/message.h"
#include "analyze/cli/common_options.h"
#include "format/cli/options.h"
#include "format/time/zone.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct pl_command pl_cmd_info;

enum option { OPT_TZ, OPT_ENCODING, OPT_JSON };
enum { LINE = 79 }; /* columns of a line of objects */

static const struct pl_option options[] = {
    [OPT_TZ] = PL_OPTION_TZ_OF_LOG,
    [OPT_ENCODING] = PL_OPTION_ENCODING,
    [OPT_JSON] = PL_OPTION_JSON,
};

/* ---- lines --------------------------------------------------------------- */

static const char *or_unknown(const char *s)
{
    return s && *s ? s : "unknown";
}

/* A log of another format: its name, and whether it has checksums. */
static void print_format(const struct pl_log_summary *a)
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
static void print_host(const struct pl_log_summary *a)
{
    printf("  Host       %s", or_unknown(a->host));
    if (a->num_cpus)
        printf(" (%s, %s, %" PRIu32 " processor%s)", or_unknown(a->os),
               or_unknown(a->architecture), a->num_cpus,
               a->num_cpus == 1 ? "" : "s");
    printf("\n");
}

static void print_health(const struct pl_log_summary *a)
{
    const struct pl_log_counts *t = &a->counts;
    char text[PL_HEALTH_TEXT], lost[PL_LOST_TEXT];
    const char *missed = pl_log_counts_lost(t, lost);

    printf("  Health     ");
    if (pl_log_counts_exit(t) == PL_EXIT_GOOD && t->unread)
        printf("no damage in what was read; 'perflog verify' reads all, also "
               "the %" PRIu64 " packed sample%s that were not",
               t->unread, pl_plural(t->unread));
    else if (pl_log_counts_exit(t) == PL_EXIT_GOOD)
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

static void print_end(const struct pl_log_summary *a)
{
    const struct pl_log_counts *t = &a->counts;

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

static void print_recorder(const struct pl_log_summary *a)
{
    printf("  Recorder   %s%s%s\n", or_unknown(a->tool),
           a->process_path && *a->process_path ? ", processes by " : "",
           a->process_path ? a->process_path : "");
    if (a->process_reason && *a->process_reason)
        printf("             not by BPF: %s\n", a->process_reason);
}

static void print_events(const struct pl_log_summary *a)
{
    for (size_t i = 0; i < a->num_events; i++) {
        const struct pl_log_event *e = &a->events[i];
        char when[PL_INSTANT_TEXT];

        printf("  %s %s%s%s  %s\n", i ? "          " : "Events    ",
               e->timed ? pl_zone_text(e->utc_ns, when) : "time not known",
               e->timed ? " " : "", e->timed ? pl_zone_name() : "",
               e->text ? e->text : "");
    }
    if (a->all_events > a->num_events)
        printf("             and %zu more\n", a->all_events - a->num_events);
}

static enum pl_status print_about(const struct pl_log_summary *a)
{
    const struct pl_log_counts *t = &a->counts;
    char size[PL_SIZE_TEXT], interval[PL_DURATION_TEXT], each[PL_SIZE_TEXT];
    uint64_t samples = t->samples ? t->samples : 1;
    char cost[PL_COST_TEXT];
    size_t others = a->log->num_paths - 1;
    enum pl_status s = PL_OK;

    pl_print_visible(a->log->paths[0]);
    if (others)
        printf(" and %zu further file%s", others, others == 1 ? "" : "s");
    printf("\n");
    print_format(a);
    print_host(a);
    print_recorder(a);
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
        printf("  Not here   %" PRIu64 " record%s, in segments that are not "
               "here\n",
               t->missing_between_files, pl_plural(t->missing_between_files));
    if (pl_log_counts_cost(t, cost))
        printf("  Cost       %s\n", cost);
    print_end(a);
    print_health(a);
    if (t->interrupted)
        printf("  Cut short  %" PRIu64 " record%s, by a kill or crash\n",
               t->interrupted, pl_plural(t->interrupted));
    print_events(a);
    return s;
}

/* ---- JSON ---------------------------------------------------------------- */

static void json_wrong(struct pl_json *j, const struct pl_log_counts *t)
{
    pl_json_put_count(j, "damaged_ranges", t->damaged_ranges);
    pl_json_put_count(j, "damaged_bytes", t->damaged_bytes);
    pl_json_put_count(j, "unreachable_samples", t->unreachable);
    pl_json_put_count(j, "malformed_blocks", t->malformed);
    pl_json_put_count(j, "missing_records", t->missing_records);
    pl_json_put_count(j, "interrupted_records", t->interrupted);
    pl_json_put_count(j, "too_new_records", t->too_new);
}

static void json_recorder(struct pl_json *j, const struct pl_log_summary *a)
{
    pl_json_put_string(j, "host", a->host);
    pl_json_put_string(j, "os", a->os);
    pl_json_put_string(j, "architecture", a->architecture);
    pl_json_put_count(j, "processors", a->num_cpus);
    pl_json_put_string(j, "recorder", a->tool);
    pl_json_put_string(j, "process_path", a->process_path);
    if (a->process_reason && *a->process_reason)
        pl_json_put_string(j, "process_reason", a->process_reason);
    pl_json_put_string(j, "zone", a->zone);
}

static void json_events(struct pl_json *j, const struct pl_log_summary *a)
{
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
}

static void json_about(struct pl_json *j, const struct pl_log_summary *a)
{
    const struct pl_log_counts *t = &a->counts;

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
    json_recorder(j, a);
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
    pl_json_key(j, "cpu_seconds_to_start");
    pl_json_number(j, (double)pl_log_counts_start_cpu_100ns(t) / 1e7);
    pl_json_key(j, "ended");
    pl_json_bool(j, t->ended);
    pl_json_key(j, "live");
    pl_json_bool(j, a->live);
    pl_json_put_count(j, "reboots", a->reboots);
    pl_json_put_count(j, "clock_steps", t->clock_steps);
    pl_json_put_count(j, "left_out_notes", t->left_out);
    json_wrong(j, t);
    pl_json_key(j, "read_whole");
    pl_json_bool(j, !t->unread);
    pl_object_counts_json(&a->objects, j);
    json_events(j, a);
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
    enum pl_exit code = pl_host_logs_open_or_say(&logs, operands, num, false);
    enum pl_status s = PL_OK;

    if (code)
        return code;
    if (json) {
        pl_json_init(json, stdout);
        pl_json_open_array(json);
    }
    pl_progress_start(&progress, "reading", pl_host_logs_bytes(&logs), false);
    for (size_t i = 0; i < logs.num; i++) {
        struct pl_log_summary a = { .log = &logs.logs[i] };
        enum pl_exit one;

        s = use_zone(a.log, tz, json != NULL);
        if (!s)
            s = pl_log_summary_gather(&a, &progress);
        pl_progress_end(&progress);
        if (!s && json)
            json_about(json, &a);
        else if (!s)
            s = print_about(&a);
        if (s)
            one = pl_say_status(logs.logs[i].paths[0], s, NULL);
        else
            one = pl_log_counts_exit(&a.counts);
        code = one > code ? one : code;
        pl_log_summary_release(&a);
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
    if (!as_json && !pl_flush_stdout() && code != PL_EXIT_FAILED)
        code = pl_say_status("output", PL_IO, NULL);
    return code;
}

const struct pl_command pl_cmd_info = {
    .name = "info",
    .summary = "Host, span, objects, gaps, size, health and cost of a log",
    .usage = "[OPTION...] LOG...",
    .options = options,
    .num_options = sizeof options / sizeof *options,
    .notes = "The exit status is that of 'perflog verify' as far as the log is "
             "read;\nthat reads every sample, also those that are packed.",
    .run = run_info,
};
