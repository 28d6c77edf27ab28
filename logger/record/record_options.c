/* The options of "perflog record". */
#include "logger/record/record_options.h"

#include "format/time/time_text.h"
#include "format/cli/message.h"
#include "format/cli/named_form.h"
#include "format/cli/shared_options.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MIN_FREE_PERCENT = 5 };
#define MIN_INTERVAL (10 * PL_NS_PER_MS)
#define MAX_INTERVAL (7 * PL_NS_PER_DAY)
#define DEFAULT_SYNC (10 * PL_NS_PER_SEC)

/* clang-format off */
/* Where each goes: record_places. */
const struct pl_option pl_record_option_table[] = {
    { 'i', "interval", "TIME",
        "time between samples: 10ms to 7d (default: 1s)" },
    { 'd', "duration", "TIME", "end after TIME" },
    { 'n', "count", "N", "end after N samples" },
    PL_OPTION_PATHS(
        "record only counters that match PATH; '+PATH' adds to the "
        "default set, '@FILE' reads paths from a file, one a line; "
        "may be repeated"),
    { 0, "all", NULL,
        "everything this machine offers, costly or not" },
    { 0, "all-disks", NULL,
        "loop, ram and zram devices too" },
    { 0, "processes", "auto|bpf|proc",
        "read processes by 'bpf', from 'proc', or 'auto': by bpf where "
        "the kernel allows (default: auto)" },
    { 0, "sync", "TIME",
        "force to disk at least that often, or 'each' (every "
        "sample), or 'never' (default: 10s)" },
    { 0, "max-size", "SIZE",
        "begin a new segment when the file reaches SIZE (64M, 1G)" },
    { 0, "max-time", "TIME",
        "begin a new segment at every multiple of TIME (1h, 1d)" },
    { 0, "keep", "N", "delete the oldest segments beyond N" },
    { 0, "pack", "sealed|never",
        "pack segments that are complete, in the time that other programs "
        "leave (default: sealed)" },
    { 0, "min-free", "SIZE",
        "write nothing while less than SIZE, or 'N%', of the file "
        "system is free (default: 5%)" },
    { 0, "forecast", NULL,
        "estimate what it would cost a day, by object; write no log" },
    { 0, "command-line", NULL,
        "store this command line in the log" },
    { 0, "no-command-lines", NULL,
        "leave out the command lines of processes" },
    { 0, "config", "FILE",
        "take options from FILE, one a line: interval = 5s" },
    PL_OPTION_QUIET,
    { 0, "proc", "DIR",
        "read DIR instead of /proc (a saved tree)" },
    { 0, "sys", "DIR", "read DIR instead of /sys" },
    { 0, "host", "\\\\NAME",
        "record the machine of that name (Windows only)" },
    { 0, "language", "N",
        "names also in Windows' language N, such as 007 (Windows only)" },
};
/* clang-format on */

static bool take_interval(const struct pl_command *c, void *to, int option,
                          const char *arg)
{
    uint64_t *interval = to;

    if (pl_parse_duration(arg, interval))
        return pl_option_wrong(c, option, arg,
                               "give a time such as 1s, 250ms or 5m");
    if (*interval < MIN_INTERVAL || *interval > MAX_INTERVAL)
        return pl_option_wrong(c, option, arg, "must be from 10ms to 7d");
    return true;
}

static bool take_duration(const struct pl_command *c, void *to, int option,
                          const char *arg)
{
    uint64_t *duration = to;

    return (!pl_parse_duration(arg, duration) && *duration) ||
           pl_option_wrong(c, option, arg,
                           "give a time such as 30s, 10m or 1d");
}

static bool take_sync(const struct pl_command *c, void *to, int option,
                      const char *arg)
{
    struct pl_record_options *p = to;

    p->sync_text = arg;
    if (!strcmp(arg, "never"))
        p->writer.sync_ns = PL_SYNC_NEVER;
    else if (!strcmp(arg, "each"))
        p->writer.sync_ns = PL_SYNC_EACH;
    else if (pl_parse_duration(arg, &p->writer.sync_ns) ||
             p->writer.sync_ns == PL_SYNC_EACH)
        return pl_option_wrong(c, option, arg,
                               "give a time such as 10s, 'each' or 'never'");
    return true;
}

static bool take_processes(const struct pl_command *c, void *to, int option,
                           const char *arg)
{
    static const char *const ways[] = { [PL_PROCESSES_AUTO] = "auto",
                                        [PL_PROCESSES_BPF] = "bpf",
                                        [PL_PROCESSES_PROC] = "proc" };
    enum pl_process_way *way = to;

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (!strcmp(arg, ways[i])) {
            *way = (enum pl_process_way)i;
            return true;
        }
    }
    return pl_option_wrong_choice(c, option, arg);
}

static bool take_pack(const struct pl_command *c, void *to, int option,
                      const char *arg)
{
    bool *never = to;

    *never = !strcmp(arg, "never");
    return *never || !strcmp(arg, "sealed") ||
           pl_option_wrong_choice(c, option, arg);
}

static bool take_max_size(const struct pl_command *c, void *to, int option,
                          const char *arg)
{
    uint64_t *size = to;

    return (!pl_parse_size(arg, size) && *size >= PL_LEAST_SEGMENT) ||
           pl_option_wrong(c, option, arg,
                           "give a size from 64K up, such as 64M");
}

static bool take_min_free(const struct pl_command *c, void *to, int option,
                          const char *arg)
{
    struct pl_writer_options *writer = to;
    size_t n = strlen(arg);
    char *end;

    writer->min_free_percent = 0;
    writer->min_free = 0;
    if (n > 1 && arg[n - 1] == '%') {
        unsigned long percent = strtoul(arg, &end, 10);

        if (*arg >= '0' && *arg <= '9' && end == arg + n - 1 && percent < 100) {
            writer->min_free_percent = (uint32_t)percent;
            return true;
        }
    } else if (!pl_parse_size(arg, &writer->min_free)) {
        return true;
    }
    return pl_option_wrong(c, option, arg, "give a size such as 500M, or 5%");
}

/* Its options are stored as those of the command line are. */
static bool take_config(const struct pl_command *c, void *to, int option,
                        const char *path);

static bool take(const struct pl_command *c, struct pl_record_options *p,
                 int option, const char *arg)
{
    const struct pl_option_place record_places[] = {
        { "interval", take_interval, &p->interval_ns },
        { "duration", take_duration, &p->duration_ns },
        { "count", pl_take_count, &p->count },
        { "counters", pl_take_paths, &p->choice },
        { "all", pl_take_flag, &p->sampler.all },
        { "all-disks", pl_take_flag, &p->sampler.all_disks },
        { "processes", take_processes, &p->sampler.processes },
        { "sync", take_sync, p },
        { "max-size", take_max_size, &p->writer.max_size },
        { "max-time", take_duration, &p->writer.max_time_ns },
        { "keep", pl_take_count, &p->writer.keep },
        { "pack", take_pack, &p->never_pack },
        { "min-free", take_min_free, &p->writer },
        { "forecast", pl_take_flag, &p->forecast },
        { "command-line", pl_take_flag, &p->store_command_line },
        { "no-command-lines", pl_take_flag, &p->sampler.no_command_lines },
        { "config", take_config, p },
        { "quiet", pl_take_flag, &p->quiet },
        { "proc", pl_take_text, &p->sampler.proc },
        { "sys", pl_take_text, &p->sampler.sys },
        { "host", pl_take_text, &p->sampler.host },
        { "language", pl_take_text, &p->sampler.language },

    };
    const struct pl_option_places places = {
        .rows = record_places,
        .num = sizeof record_places / sizeof *record_places,
    };

    return pl_option_take(c, option, arg, &places);
}

static bool take_config(const struct pl_command *c, void *to, int option,
                        const char *path)
{
    struct pl_record_options *p = to;
    const char *arg;

    if (p->config.path)
        return pl_option_wrong(c, option, path,
                               "one configuration is all there can be");
    if (!pl_option_file_open(&p->config, c, path))
        return false;
    while ((option = pl_option_file_next(&p->config, &arg)) >= 0)
        if (!take(c, p, option, arg))
            return false;
    return option == PL_OPTION_END;
}

/* One operand, or none with --forecast. */
static bool take_operands(struct pl_record_options *p, int argc, char **argv)
{
    enum pl_form form = PL_FORM_LOG;

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
    if (!pl_form_settle("record", p->path, 0, &form))
        return false;
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
    while ((option = pl_option_next(self, argc, argv, &arg)) >= 0)
        if (!take(self, p, option, arg))
            return PL_OPTION_WRONG;
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
