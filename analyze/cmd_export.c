/* perflog export: time series as CSV. */
#include "analyze/export.h"
#include "format/instant.h"
#include "format/message.h"
#include "format/options.h"
#include "format/zone.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

extern const struct pl_command pl_cmd_export;

enum option {
    OPT_CSV,
    OPT_OUTPUT,
    OPT_COUNTERS,
    OPT_FROM,
    OPT_TO,
    OPT_LAYOUT,
    OPT_TZ,
    OPT_TIME,
    OPT_FOLLOW,
    OPT_NO_GUARD,
    OPT_WIDE_ANYWAY,
    OPT_UNWRAP32,
    OPT_CAP100,
    OPT_PDH_MULTI,
    OPT_MAX_BLOCK,
    OPT_QUIET,
};

/* clang-format off */
static const struct pl_option options[] = {
    [OPT_CSV] = { 0, "csv", NULL, "as CSV, which is the default" },
    [OPT_OUTPUT] = { 'o', "output", "FILE",
        "write FILE instead of standard output; it appears when it "
        "is whole" },
    [OPT_COUNTERS] = { 'c', "counters", "PATH",
        "only counters that match \\Object(Instance)\\Counter, where "
        "* and ? stand for anything; '@FILE' reads paths from a "
        "file; may be repeated" },
    [OPT_FROM] = { 0, "from", "TIME",
        "only what happened after TIME: 2026-11-21T07:35, 07:35 (of "
        "the first day), -10m (from the end), @1795246502" },
    [OPT_TO] = { 0, "to", "TIME", "only what happened up to TIME" },
    [OPT_LAYOUT] = { 0, "layout", "LAYOUT",
        "wide: a column per series (default); long: a line per "
        "value, with the reason for every blank" },
    [OPT_TZ] = { 0, "tz", "ZONE",
        "times of ZONE: UTC (default), local, +02:00, Europe/Berlin" },
    [OPT_TIME] = { 0, "time", "STYLE",
        "space: 2026-11-21 07:35:02 (default, a date for Excel); iso: "
        "2026-11-21T07:35:02 (a date for LibreOffice); unix; serial (a "
        "spreadsheet's number of days); pdh" },
    [OPT_FOLLOW] = { 'f', "follow", NULL,
        "go on as the log grows, until interrupted or it ends" },
    [OPT_NO_GUARD] = { 0, "no-guard", NULL,
        "do not protect text that a spreadsheet takes for a formula" },
    [OPT_WIDE_ANYWAY] = { 0, "wide-anyway", NULL,
        "more than 16384 columns, though no spreadsheet opens them" },
    [OPT_UNWRAP32] = { 0, "unwrap32", NULL,
        "take a 4-byte counter that fell for one that wrapped" },
    [OPT_CAP100] = { 0, "cap100", NULL,
        "percentages stop at 100, but for those of several components" },
    [OPT_PDH_MULTI] = { 0, "pdh-multi", NULL,
        "multi timers of the tick clock times its frequency, as Windows' "
        "PDH has them" },
    [OPT_MAX_BLOCK] = { 0, "max-block", "SIZE",
        "pass over samples larger than SIZE (default: 64M)" },
    [OPT_QUIET] = { 'q', "quiet", NULL, "say nothing but errors" },
};
/* clang-format on */

static const struct pl_layout *const layouts[] = {
    &pl_layout_wide,
    &pl_layout_long,
};

/* ---- options ------------------------------------------------------------------ */

static bool wrong(const char *option, const char *arg, const char *what)
{
    pl_say("export: --%s '%s': %s", option, arg, what);
    return false;
}

static bool take_layout(struct pl_export_plan *p, const char *name)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (!strcmp(name, layouts[i]->name)) {
            p->layout = layouts[i];
            return true;
        }
    return false;
}

static bool take_option(const struct pl_command *self, struct pl_export_plan *p,
                        int option, const char *arg)
{
    switch ((enum option)option) {
    case OPT_CSV:
        return true;
    case OPT_OUTPUT:
        p->output = arg;
        return true;
    case OPT_COUNTERS:
        return pl_option_paths(self, &p->paths, arg);
    case OPT_FROM:
        p->from = arg;
        return true;
    case OPT_TO:
        p->to = arg;
        return true;
    case OPT_LAYOUT:
        return take_layout(p, arg) ||
               wrong("layout", arg, "give 'wide' or 'long'");
    case OPT_TZ:
        return !pl_zone_set(arg) ||
               wrong("tz", arg,
                     "no such zone; give UTC, local, +02:00 or a "
                     "name such as Europe/Berlin");
    case OPT_TIME:
        return pl_time_style_of(arg, &p->time.style) ||
               wrong("time", arg, "give space, iso, unix, serial or pdh");
    case OPT_FOLLOW:
        p->follow = true;
        return true;
    case OPT_NO_GUARD:
        p->style.guard = false;
        return true;
    case OPT_WIDE_ANYWAY:
        p->wide_anyway = true;
        return true;
    case OPT_UNWRAP32:
        p->replay.calc.unwrap32 = true;
        return true;
    case OPT_CAP100:
        p->replay.calc.cap100 = true;
        return true;
    case OPT_PDH_MULTI:
        p->replay.calc.pdh_multi = true;
        return true;
    case OPT_MAX_BLOCK:
        return (!pl_parse_size(arg, &p->replay.reader.max_block) &&
                p->replay.reader.max_block) ||
               wrong("max-block", arg, "give a size such as 64M");
    case OPT_QUIET:
        p->quiet = true;
        return true;
    }
    return false;
}

/* ---- the command ------------------------------------------------------------------ */

static enum pl_exit run_export(const struct pl_command *self, int argc,
                               char **argv)
{
    struct pl_export_plan p = { .layout = &pl_layout_wide,
                                .style = { .guard = true } };
    enum pl_exit code = PL_EXIT_FAILED;
    const char *arg;
    bool good = true;
    int option = 0;

    while (good && (option = pl_option_next(self, argc, argv, &arg)) >= 0)
        good = take_option(self, &p, option, arg);
    if (option == PL_OPTION_HELP) {
        code = PL_EXIT_GOOD;
    } else if (good && option == PL_OPTION_END) {
        int first = pl_operands();

        p.replay.choice.paths = &p.paths;
        p.replay.choice.matched =
            calloc(p.paths.num + 1, sizeof *p.replay.choice.matched);
        signal(SIGPIPE, SIG_IGN);
        if (first == argc)
            pl_say("export: name a log, such as out.plog; see 'perflog "
                   "export --help'");
        else if (!p.replay.choice.matched)
            code = pl_say_status("export", PL_NOMEM, NULL);
        else
            code = pl_export_run(&p, argv + first, argc - first);
    }
    free(p.replay.choice.matched);
    pl_path_list_release(&p.paths);
    return code;
}

const struct pl_command pl_cmd_export = {
    .name = "export",
    .summary = "Time series of a log as CSV",
    .usage = "[OPTION...] LOG...",
    .options = options,
    .num_options = sizeof options / sizeof *options,
    .notes =
        "LOG is a file, a folder of segments, or - for standard input. Rates\n"
        "and percentages need two samples, so their first cell is blank.\n"
        "Exit status: 0 good, 1 failed or nothing matched, 2 damage was "
        "passed\nover, 3 part of it needs a newer perflog, 4 nothing "
        "readable.",
    .run = run_export,
};
