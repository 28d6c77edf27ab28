/* perflog record: options, and the loop that takes samples. */
#include "format/config.h"
#include "format/file.h"
#include "format/instant.h"
#include "format/message.h"
#include "format/options.h"
#include "format/record.h"
#include "format/writer.h"
#include "format/zone.h"
#include "logger/clock.h"
#include "logger/forecast.h"
#include "logger/notify.h"
#include "logger/sampler.h"
#include "logger/spool.h"
#include "logger/stop.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct pl_command pl_cmd_record;

enum { ZONE_NAME = 64, COMMAND_LINE = 4096, DEFAULT_MIN_FREE_PERCENT = 5 };
#define MIN_INTERVAL (10 * PL_NS_PER_MS)
#define MAX_INTERVAL (7 * 86400 * PL_NS_PER_SEC)
#define DEFAULT_SYNC (10 * PL_NS_PER_SEC)

enum option {
    OPT_INTERVAL,
    OPT_DURATION,
    OPT_COUNT,
    OPT_COUNTERS,
    OPT_ALL,
    OPT_ALL_DISKS,
    OPT_PROCESSES,
    OPT_SYNC,
    OPT_MAX_SIZE,
    OPT_MAX_TIME,
    OPT_KEEP,
    OPT_MIN_FREE,
    OPT_FORECAST,
    OPT_COMMAND_LINE,
    OPT_CONFIG,
    OPT_QUIET,
    OPT_PROC,
    OPT_SYS,
    OPT_HOST,
    OPT_LANGUAGE,
};

/* clang-format off */
static const struct pl_option options[] = {
    [OPT_INTERVAL] = { 'i', "interval", "TIME",
        "time between samples: 10ms to 7d (default: 1s)" },
    [OPT_DURATION] = { 'd', "duration", "TIME", "end after TIME" },
    [OPT_COUNT] = { 'n', "count", "N", "end after N samples" },
    [OPT_COUNTERS] = { 'c', "counters", "PATH",
        "record only counters that match PATH; '+PATH' adds to the "
        "default set, '@FILE' reads paths from a file, one a line; "
        "may be repeated" },
    [OPT_ALL] = { 0, "all", NULL,
        "everything this machine offers, costly or not" },
    [OPT_ALL_DISKS] = { 0, "all-disks", NULL,
        "loop, ram and zram devices too" },
    [OPT_PROCESSES] = { 0, "processes", "auto|bpf|proc",
        "read processes by 'bpf', from 'proc', or 'auto': by bpf where "
        "the kernel allows (default: auto)" },
    [OPT_SYNC] = { 0, "sync", "TIME",
        "force to disk at least that often, or 'each' (every "
        "sample), or 'never' (default: 10s)" },
    [OPT_MAX_SIZE] = { 0, "max-size", "SIZE",
        "begin a new segment when the file reaches SIZE (64M, 1G)" },
    [OPT_MAX_TIME] = { 0, "max-time", "TIME",
        "begin a new segment at every multiple of TIME (1h, 1d)" },
    [OPT_KEEP] = { 0, "keep", "N", "delete the oldest segments beyond N" },
    [OPT_MIN_FREE] = { 0, "min-free", "SIZE",
        "write nothing while less than SIZE, or 'N%', of the file "
        "system is free (default: 5%)" },
    [OPT_FORECAST] = { 0, "forecast", NULL,
        "tell what it would cost a day, by object; write no log" },
    [OPT_COMMAND_LINE] = { 0, "command-line", NULL,
        "store this command line in the log" },
    [OPT_CONFIG] = { 0, "config", "FILE",
        "take options from FILE, one a line: interval = 5s" },
    [OPT_QUIET] = { 'q', "quiet", NULL, "say nothing but errors" },
    [OPT_PROC] = { 0, "proc", "DIR",
        "read DIR instead of /proc (a saved tree)" },
    [OPT_SYS] = { 0, "sys", "DIR", "read DIR instead of /sys" },
    [OPT_HOST] = { 0, "host", "\\\\NAME",
        "record the machine of that name (Windows only)" },
    [OPT_LANGUAGE] = { 0, "language", "N",
        "names also in Windows' language N, such as 007 (Windows only)" },
};
/* clang-format on */

/* The command line, understood. */
struct plan {
    const char *path;
    uint64_t interval_ns;
    uint64_t duration_ns; /* 0: none */
    uint64_t count;       /* 0: none */
    bool quiet;
    bool forecast;
    bool store_command_line;
    const char *sync_text;
    struct pl_config config;
    struct pl_path_list choice;
    struct pl_sampler_options sampler;
    struct pl_writer_options writer;
};

/* ---- options ------------------------------------------------------------------ */

static bool wrong(const char *option, const char *arg, const char *what)
{
    pl_say("record: --%s '%s': %s", option, arg, what);
    return false;
}

static bool take_interval(struct plan *p, const char *arg)
{
    if (pl_parse_duration(arg, &p->interval_ns))
        return wrong("interval", arg, "give a time such as 1s, 250ms or 5m");
    if (p->interval_ns < MIN_INTERVAL || p->interval_ns > MAX_INTERVAL)
        return wrong("interval", arg, "must be from 10ms to 7d");
    return true;
}

static bool take_duration(const char *option, const char *arg, uint64_t *out)
{
    if (!pl_parse_duration(arg, out) && *out)
        return true;
    return wrong(option, arg, "give a time such as 30s, 10m or 1d");
}

static bool take_sync(struct plan *p, const char *arg)
{
    p->sync_text = arg;
    if (!strcmp(arg, "never"))
        p->writer.sync_ns = PL_SYNC_NEVER;
    else if (!strcmp(arg, "each"))
        p->writer.sync_ns = PL_SYNC_EACH;
    else if (pl_parse_duration(arg, &p->writer.sync_ns) ||
             p->writer.sync_ns == PL_SYNC_EACH)
        return wrong("sync", arg,
                     "give a time such as 10s, 'each' or "
                     "'never'");
    return true;
}

static bool take_processes(struct plan *p, const char *arg)
{
    static const char *const ways[] = { [PL_PROCESSES_AUTO] = "auto",
                                        [PL_PROCESSES_BPF] = "bpf",
                                        [PL_PROCESSES_PROC] = "proc" };

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (!strcmp(arg, ways[i])) {
            p->sampler.processes = (enum pl_process_way)i;
            return true;
        }
    }
    return wrong("processes", arg, "give 'auto', 'bpf' or 'proc'");
}

static bool take_min_free(struct plan *p, const char *arg)
{
    size_t n = strlen(arg);
    char *end;

    p->writer.min_free_percent = 0;
    if (n > 1 && arg[n - 1] == '%') {
        unsigned long percent = strtoul(arg, &end, 10);

        if (*arg >= '0' && *arg <= '9' && end == arg + n - 1 && percent < 100) {
            p->writer.min_free_percent = (uint32_t)percent;
            return true;
        }
    } else if (!pl_parse_size(arg, &p->writer.min_free)) {
        return true;
    }
    return wrong("min-free", arg, "give a size such as 500M, or 5%");
}

static bool take_option(const struct pl_command *self, struct plan *p,
                        int option, const char *arg)
{
    switch ((enum option)option) {
    case OPT_INTERVAL:
        return take_interval(p, arg);
    case OPT_DURATION:
        return take_duration("duration", arg, &p->duration_ns);
    case OPT_COUNT:
        if (!pl_parse_count(arg, &p->count) && p->count)
            return true;
        return wrong("count", arg, "give a number from 1 up");
    case OPT_COUNTERS:
        return pl_option_paths(self, &p->choice, arg);
    case OPT_ALL:
        p->sampler.all = true;
        return true;
    case OPT_ALL_DISKS:
        p->sampler.all_disks = true;
        return true;
    case OPT_PROCESSES:
        return take_processes(p, arg);
    case OPT_SYNC:
        return take_sync(p, arg);
    case OPT_MAX_SIZE:
        if (!pl_parse_size(arg, &p->writer.max_size) &&
            p->writer.max_size >= 65536)
            return true;
        return wrong("max-size", arg, "give a size from 64K up, such as 64M");
    case OPT_MAX_TIME:
        return take_duration("max-time", arg, &p->writer.max_time_ns);
    case OPT_KEEP:
        if (!pl_parse_count(arg, &p->writer.keep) && p->writer.keep)
            return true;
        return wrong("keep", arg, "give a number from 1 up");
    case OPT_MIN_FREE:
        return take_min_free(p, arg);
    case OPT_FORECAST:
        p->forecast = true;
        return true;
    case OPT_COMMAND_LINE:
        p->store_command_line = true;
        return true;
    case OPT_CONFIG:
        pl_say("record: --config '%s': one configuration is all there can be",
               arg);
        return false;
    case OPT_QUIET:
        p->quiet = true;
        return true;
    case OPT_PROC:
        p->sampler.proc = arg;
        return true;
    case OPT_SYS:
        p->sampler.sys = arg;
        return true;
    case OPT_HOST:
        p->sampler.host = arg;
        return true;
    case OPT_LANGUAGE:
        p->sampler.language = arg;
        return true;
    }
    return false;
}

static bool take_config(const struct pl_command *self, struct plan *p,
                        const char *path)
{
    const char *arg;
    int option = 0;

    if (!pl_config_open(&p->config, self, path))
        return false;
    while ((option = pl_config_next(&p->config, &arg)) >= 0)
        if (!take_option(self, p, option, arg))
            return false;
    return option == PL_OPTION_END;
}

/* PL_OPTION_END: go on; else the command is over. */
static int read_plan(struct plan *p, const struct pl_command *self, int argc,
                     char **argv)
{
    const char *arg;
    int option;

    while ((option = pl_option_next(self, argc, argv, &arg)) >= 0) {
        bool opens = option == OPT_CONFIG && !p->config.path;

        if (!(opens ? take_config(self, p, arg)
                    : take_option(self, p, option, arg)))
            return PL_OPTION_WRONG;
    }
    if (option != PL_OPTION_END)
        return option;
    if (p->forecast && argc == pl_operands())
        return PL_OPTION_END;
    if (p->forecast) {
        pl_say("record: --forecast writes no log; leave '%s' out",
               argv[pl_operands()]);
        return PL_OPTION_WRONG;
    }
    if (argc - pl_operands() != 1) {
        pl_say("record: name one log to record into, such as out.plog; see "
               "'perflog record --help'");
        return PL_OPTION_WRONG;
    }
    p->path = argv[pl_operands()];
    if (!strcmp(p->path, "-")) {
        pl_say("record: a log cannot be written to standard output; name a "
               "file");
        return PL_OPTION_WRONG;
    }
    if (p->writer.keep && !p->writer.max_size && !p->writer.max_time_ns) {
        pl_say("record: --keep needs --max-size or --max-time");
        return PL_OPTION_WRONG;
    }
    return PL_OPTION_END;
}

/* ---- the recording -------------------------------------------------------------- */

struct recording {
    struct pl_sampler *sampler;
    struct pl_spool *spool;
    struct pl_ticks ticks;
    struct pl_notify notify;
    struct pl_logger_stats stats;
    struct pl_buf titles;
    uint32_t titles_generation;
    bool titles_waiting; /* not yet handed to the writing thread */
    uint64_t ring_full;  /* deadlines without a place for their sample */
    uint64_t too_large;  /* samples taken, but over the cap */
    enum pl_status told; /* the trouble last spoken of */
    bool told_source;    /* that samples lack something */
};

static uint64_t to_100ns(uint64_t ns)
{
    return ns / 100;
}

static void update_stats(struct recording *r)
{
    struct pl_spool_report report;
    struct pl_logger_stats *s = &r->stats;

    pl_spool_report(r->spool, &report);
    s->samples_written = report.stats.samples;
    s->samples_not_written =
        report.stats.not_written + r->ring_full + r->too_large;
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

/* Say once that writing fails, and once that it works again. */
static void tell_trouble(struct recording *r, const char *path)
{
    struct pl_spool_report report;

    pl_spool_report(r->spool, &report);
    if (report.last == r->told)
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
    r->told = report.last;
}

/* The same of what samples are made of; which trouble does not matter. */
static void tell_source(struct recording *r)
{
    const char *trouble = pl_sampler_trouble(r->sampler);

    if (!trouble == !r->told_source)
        return;
    if (trouble)
        pl_say("record: %s; recording goes on", trouble);
    else
        pl_say("record: samples are whole again");
    r->told_source = trouble != NULL;
}

static void report_missed(struct recording *r, const struct pl_wake *wake,
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
    pl_spool_missed(r->spool, &g);
}

/* Nowhere to put this sample: the disk has been too slow for too long. */
static void report_ring_full(struct recording *r, const struct pl_wake *wake,
                             const struct pl_tick *now)
{
    struct pl_gaps g = { .utc_first = wake->deadline_utc,
                         .utc_last = wake->deadline_utc,
                         .boot_first = (uint64_t)now->boot_ns,
                         .boot_last = (uint64_t)now->boot_ns,
                         .count = 1,
                         .cause = PL_GAP_RING_FULL };

    r->ring_full++;
    pl_spool_missed(r->spool, &g);
}

/* Titles of objects that appeared with this sample go with it. */
static void refresh_titles(struct recording *r)
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

enum { MAX_NEWS = 4 }; /* of a sample; what is left comes with the next */

static void tell_news(struct recording *r, const struct pl_tick *now)
{
    char text[PL_NEWS_TEXT];

    for (int i = 0; i < MAX_NEWS && pl_sampler_news(r->sampler, text); i++)
        pl_spool_note(r->spool, PL_NOTE_PROVIDER, now->utc_ns, now->boot_ns,
                      text);
}

static enum pl_status take_sample(struct recording *r,
                                  const struct pl_wake *wake,
                                  const struct pl_tick *now)
{
    struct pl_sample_stamp stamp = { .utc_ns = now->utc_ns,
                                     .boot_ns = now->boot_ns };
    struct pl_buf *block = pl_spool_slot(r->spool);
    int64_t end;
    enum pl_status s;

    if (!block) {
        report_ring_full(r, wake, now);
        return PL_OK;
    }
    r->stats.samples_taken++;
    r->stats.last_lateness_100ns = to_100ns(wake->late_ns);
    r->stats.lateness_100ns += to_100ns(wake->late_ns);
    s = pl_sampler_read(r->sampler, now, &r->stats, block);
    end = pl_clock_steady();
    r->stats.last_collection_100ns =
        to_100ns((uint64_t)(end - now->monotonic_ns));
    r->stats.collection_100ns += r->stats.last_collection_100ns;
    if (s == PL_TOO_LARGE) {
        struct pl_gaps g = { .utc_first = now->utc_ns,
                             .utc_last = now->utc_ns,
                             .boot_first = (uint64_t)now->boot_ns,
                             .boot_last = (uint64_t)now->boot_ns,
                             .count = 1,
                             .cause = PL_GAP_TOO_LARGE };

        r->too_large++;
        pl_spool_missed(r->spool, &g);
        return PL_OK;
    }
    if (s)
        return s;
    if (wake->step_ns) {
        stamp.flags |= PL_FLAG_CLOCK_STEPPED;
        pl_spool_clock_step(r->spool, now->utc_ns, now->boot_ns, wake->step_ns);
    }
    tell_news(r, now);
    refresh_titles(r);
    s = pl_spool_push(r->spool, &stamp, r->titles_waiting ? &r->titles : NULL);
    r->titles_waiting = s != PL_OK && r->titles_waiting;
    return PL_OK;
}

/* True when the recording has what it was asked for. */
static bool is_complete(const struct plan *p, const struct recording *r,
                        int64_t first_boot, const struct pl_tick *now)
{
    if (p->count && r->stats.samples_taken >= p->count) {
        struct pl_spool_report report;

        /* Lost ones do not count; those on their way most likely do. */
        pl_spool_report(r->spool, &report);
        if (r->stats.samples_taken - r->too_large - report.stats.not_written >=
            p->count)
            return true;
    }
    return p->duration_ns && now->boot_ns + (int64_t)p->interval_ns / 2 >
                                 first_boot + (int64_t)p->duration_ns;
}

/* Sample until something ends it; returns what that was. */
static enum pl_end_reason run(const struct plan *p, struct recording *r,
                              enum pl_status *trouble)
{
    int64_t first_boot = 0;
    struct pl_tick now;
    struct pl_wake wake;

    *trouble = PL_OK;
    pl_sampler_clocks(&now);
    pl_ticks_start(&r->ticks, p->interval_ns, &now);
    while (!pl_stop_asked()) {
        int64_t sample = pl_ticks_wake_at(&r->ticks);
        int64_t sign = pl_notify_alive(&r->notify, now.boot_ns);

        pl_sleep_until(sample < sign ? sample : sign);
        if (pl_stop_take_rotation())
            pl_spool_rotate(r->spool);
        pl_sampler_clocks(&now);
        if (pl_stop_asked() || !pl_ticks_due(&r->ticks, &now, &wake))
            continue;
        if (!first_boot)
            first_boot = now.boot_ns;
        report_missed(r, &wake, &now);
        update_stats(r);
        *trouble = take_sample(r, &wake, &now);
        if (*trouble)
            return PL_END_ERROR;
        tell_trouble(r, p->path);
        tell_source(r);
        if (is_complete(p, r, first_boot, &now))
            return p->count ? PL_END_ASKED : PL_END_TIME_LIMIT;
    }
    return PL_END_SIGNAL;
}

/* Samples that were due and are not in the log; told as missed or not. */
static uint64_t num_lost(const struct recording *r,
                         const struct pl_writer_stats *s)
{
    return r->stats.samples_taken + r->ring_full - s->samples;
}

static void say_summary(const struct plan *p, const char *path,
                        const struct recording *r,
                        const struct pl_writer_stats *s, double cpu_seconds)
{
    char bytes[PL_SIZE_TEXT];
    uint64_t lost = num_lost(r, s);
    uint64_t late = s->missed - r->ring_full - r->too_large;
    char segments[48] = "";

    if (s->segments > 1)
        snprintf(segments, sizeof segments, " in %" PRIu32 " segments",
                 s->segments);
    if (!p->quiet)
        pl_say("%s: %" PRIu64 " sample%s%s, %" PRIu64 " missed, %s, "
               "%.3f s CPU time (%.2f ms and %" PRIu64 " bytes a sample)",
               s->segments > 1 ? p->path : path, s->samples,
               s->samples == 1 ? "" : "s", segments, late + lost,
               pl_size_text(s->log_bytes, bytes), cpu_seconds,
               s->samples ? cpu_seconds * 1000 / (double)s->samples : 0,
               s->samples ? s->log_bytes / s->samples : 0);
    if (lost)
        pl_say("%s: %" PRIu64 " samples could not be written", path, lost);
    if (s->may_be_lost)
        pl_say("%s: forcing to disk failed %" PRIu32 " times; 'perflog "
               "verify' tells what is there",
               path, s->may_be_lost);
}

static char *join_words(int argc, char **argv)
{
    struct pl_buf line = { 0 };

    pl_buf_bytes(&line, "perflog", 7);
    for (int i = 0; i < argc; i++) {
        pl_buf_u8(&line, ' ');
        pl_buf_bytes(&line, argv[i], strlen(argv[i]));
    }
    pl_buf_u8(&line, 0);
    if (line.oom)
        pl_buf_release(&line);
    return (char *)line.p;
}

/* What the SESS record says; texts are static or the plan's. */
static void describe(struct plan *p, const struct pl_sampler *sampler)
{
    static char zone[ZONE_NAME];
    struct pl_session *s = &p->writer.session;

    pl_zone_of_machine(zone, sizeof zone, &s->zone_minutes);
    s->zone = pl_text_of(zone);
    s->tool = pl_text_of("perflog " PL_VERSION);
    s->interval_ns = p->interval_ns;
    s->sync = pl_text_of(p->sync_text);
    pl_sampler_describe(sampler, s);
}

/* Open both ends, sample in between, close, and say how it went. */
/* False: a message has been printed. */
static bool open_sampler(const struct plan *p, struct pl_sampler **out)
{
    const char *why = NULL;
    enum pl_status s = pl_sampler_open(out, &p->sampler, &why);

    if (s == PL_USAGE)
        pl_say("record: nothing here matches '%s'; 'perflog list --all' shows "
               "what is there, 'perflog list --why' what is not",
               why);
    else if (s == PL_UNSUPPORTED && why && p->sampler.processes)
        pl_say("record: cannot read processes by BPF: %s", why);
    else if ((s == PL_UNSUPPORTED || s == PL_IO) && why)
        pl_say("record: %s", why);
    else if (s == PL_UNSUPPORTED)
        pl_say("record: this build cannot sample this system");
    else if (s)
        pl_say_status(p->sampler.proc ? p->sampler.proc : "/proc", s, NULL);
    return !s;
}

/* The costs of objects are recorded too: their shares come from there. */
static enum pl_exit forecast(struct plan *p)
{
    struct pl_sampler *sampler;
    const char *why;
    enum pl_exit code;
    enum pl_status s =
        pl_path_list_add(&p->choice, "+Performance Logger Source", &why);

    if (s)
        return pl_say_status("record", s, NULL);
    if (!open_sampler(p, &sampler))
        return PL_EXIT_FAILED;
    code = pl_forecast(sampler, p->interval_ns);
    pl_sampler_close(sampler);
    return code;
}

static enum pl_exit record(struct plan *p)
{
    struct recording r = { 0 };
    struct pl_spool_report final;
    struct pl_writer *writer;
    enum pl_end_reason reason;
    enum pl_status s, trouble;
    const char *why = NULL;
    char interval[PL_DURATION_TEXT], *path;

    if (!open_sampler(p, &r.sampler))
        return PL_EXIT_FAILED;
    describe(p, r.sampler);
    s = pl_writer_open(&writer, p->path, &p->writer, &why);
    if (s) {
        enum pl_exit code = pl_say_status(p->path, s, why);

        pl_sampler_close(r.sampler);
        return code == PL_EXIT_UNREADABLE ? PL_EXIT_FAILED : code;
    }
    path = strdup(pl_writer_path(writer));
    s = path ? pl_spool_start(&r.spool, writer) : PL_NOMEM;
    if (s) {
        pl_say_status("record", s, NULL);
        pl_writer_close(writer, PL_END_ERROR, NULL);
        pl_sampler_close(r.sampler);
        free(path);
        return PL_EXIT_FAILED;
    }
    if (!p->quiet)
        pl_say("recording into %s every %s%s", path,
               pl_duration_text(p->interval_ns, interval),
               p->count || p->duration_ns ? "" : "; Ctrl-C ends it");
    pl_notify_open(&r.notify);
    pl_notify_send(&r.notify, "READY=1\nSTATUS=recording into %s every %s",
                   p->path, pl_duration_text(p->interval_ns, interval));
    reason = run(p, &r, &trouble);
    pl_notify_send(&r.notify, "STOPPING=1");
    pl_notify_close(&r.notify);
    pl_spool_stop(r.spool, reason, &final);
    if (final.last) {
        errno = final.error;
        pl_say_status(path, final.last, NULL);
    }
    if (trouble)
        pl_say_status("record", trouble, NULL);
    say_summary(p, path, &r, &final.stats, (double)pl_clock_cpu() / 1e9);
    pl_sampler_close(r.sampler);
    pl_buf_release(&r.titles);
    free(path);
    if (trouble || (final.last && !final.stats.samples))
        return PL_EXIT_FAILED;
    return final.last || final.stats.may_be_lost || num_lost(&r, &final.stats)
               ? PL_EXIT_DAMAGED
               : PL_EXIT_GOOD;
}

static enum pl_exit run_record(const struct pl_command *self, int argc,
                               char **argv)
{
    struct plan p = { .interval_ns = PL_NS_PER_SEC,
                      .sync_text = "10s",
                      .writer = { .sync_ns = DEFAULT_SYNC,
                                  .min_free_percent =
                                      DEFAULT_MIN_FREE_PERCENT } };
    char *command_line = join_words(argc, argv); /* getopt moves words */
    enum pl_exit code;
    int option = read_plan(&p, self, argc, argv);

    if (option == PL_OPTION_END) {
        if (p.store_command_line)
            p.writer.session.command_line = pl_text_of(command_line);
        p.sampler.choice = &p.choice;
        p.sampler.interval_ns = p.interval_ns;
        pl_stop_catch(p.writer.max_size || p.writer.max_time_ns);
        code = p.forecast ? forecast(&p) : record(&p);
    } else {
        code = option == PL_OPTION_HELP ? PL_EXIT_GOOD : PL_EXIT_FAILED;
    }
    pl_path_list_release(&p.choice);
    pl_config_release(&p.config);
    free(command_line);
    pl_stop_release();
    return code;
}

const struct pl_command pl_cmd_record = {
    .name = "record",
    .summary = "Sample this machine into a log until interrupted",
    .usage = "[OPTION...] OUT.plog | --forecast [OPTION...]",
    .options = options,
    .num_options = sizeof options / sizeof *options,
    .notes =
        "A log that exists is continued. With --max-size or --max-time the\n"
        "segments are called OUT-YYYYmmddTHHMMSSZ-NNN.plog; HUP begins a new "
        "one.\n"
        "Exit status: 0 good, 1 could not record, 2 samples were lost.",
    .unlimited = true,
    .run = run_record,
};
