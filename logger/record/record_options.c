/* The options of "perflog record". */
#include "logger/record/record_options.h"

#include "format/base/time_text.h"
#include "format/cli/message.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MIN_FREE_PERCENT = 5 };
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
    OPT_NO_COMMAND_LINES,
    OPT_CONFIG,
    OPT_QUIET,
    OPT_PROC,
    OPT_SYS,
    OPT_HOST,
    OPT_LANGUAGE,
};

static_assert(OPT_LANGUAGE + 1 == PL_NUM_RECORD_OPTIONS, "as many as named");

/* clang-format off */
const struct pl_option pl_record_option_table[PL_NUM_RECORD_OPTIONS] = {
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
    [OPT_NO_COMMAND_LINES] = { 0, "no-command-lines", NULL,
        "leave out the command lines of processes" },
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

static bool wrong(const char *option, const char *arg, const char *what)
{
    pl_say("record: --%s '%s': %s", option, arg, what);
    return false;
}

static bool take_interval(struct pl_record_options *p, const char *arg)
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

static bool take_sync(struct pl_record_options *p, const char *arg)
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

static bool take_processes(struct pl_record_options *p, const char *arg)
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

static bool take_min_free(struct pl_record_options *p, const char *arg)
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

static bool take_option(const struct pl_command *self,
                        struct pl_record_options *p, int option,
                        const char *arg)
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
    case OPT_NO_COMMAND_LINES:
        p->sampler.no_command_lines = true;
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

static bool take_config(const struct pl_command *self,
                        struct pl_record_options *p, const char *path)
{
    const char *arg;
    int option = 0;

    if (!pl_option_file_open(&p->config, self, path))
        return false;
    while ((option = pl_option_file_next(&p->config, &arg)) >= 0)
        if (!take_option(self, p, option, arg))
            return false;
    return option == PL_OPTION_END;
}

/* One operand, or none with --forecast. */
static bool take_operands(struct pl_record_options *p, int argc, char **argv)
{
    if (p->forecast && argc == pl_operands())
        return true;
    if (p->forecast) {
        pl_say("record: --forecast writes no log; leave '%s' out",
               argv[pl_operands()]);
        return false;
    }
    if (argc - pl_operands() != 1 || !*argv[pl_operands()]) {
        pl_say("record: name one log to record into, such as out.plog; see "
               "'perflog record --help'");
        return false;
    }
    p->path = argv[pl_operands()];
    if (!strcmp(p->path, "-")) {
        pl_say("record: a log cannot be written to standard output; name a "
               "file");
        return false;
    }
    if (p->writer.keep && !p->writer.max_size && !p->writer.max_time_ns) {
        pl_say("record: --keep needs --max-size or --max-time");
        return false;
    }
    return true;
}

int pl_record_options_read(struct pl_record_options *p,
                           const struct pl_command *self, int argc, char **argv)
{
    const char *arg;
    int option;

    *p = (struct pl_record_options){
        .interval_ns = PL_NS_PER_SEC,
        .sync_text = "10s",
        .writer = { .sync_ns = DEFAULT_SYNC,
                    .min_free_percent = DEFAULT_MIN_FREE_PERCENT },
    };
    while ((option = pl_option_next(self, argc, argv, &arg)) >= 0) {
        bool opens = option == OPT_CONFIG && !p->config.path;

        if (!(opens ? take_config(self, p, arg)
                    : take_option(self, p, option, arg)))
            return PL_OPTION_WRONG;
    }
    if (option == PL_OPTION_END && !take_operands(p, argc, argv))
        return PL_OPTION_WRONG;
    p->sampler.choice = &p->choice;
    p->sampler.interval_ns = p->interval_ns;
    return option;
}

void pl_record_options_release(struct pl_record_options *p)
{
    pl_counter_path_list_release(&p->choice);
    pl_option_file_release(&p->config);
}
