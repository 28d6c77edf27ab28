/* perflog export: time series as CSV. */
#include "analyze/output.h"
#include "analyze/progress.h"
#include "analyze/replay.h"
#include "analyze/sheet.h"
#include "format/file.h"
#include "format/instant.h"
#include "format/message.h"
#include "format/options.h"
#include "format/zone.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

extern const struct pl_command pl_cmd_export;

#define FOLLOW_PAUSE (50 * PL_NS_PER_MS)

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
    [OPT_MAX_BLOCK] = { 0, "max-block", "SIZE",
        "pass over samples larger than SIZE (default: 64M)" },
    [OPT_QUIET] = { 'q', "quiet", NULL, "say nothing but errors" },
};
/* clang-format on */

/* The command line, understood. */
struct plan {
    const char *output;
    const char *from, *to;
    bool is_long;
    bool follow;
    bool guard;
    bool wide_anyway;
    bool quiet;
    struct pl_path_list paths;
    struct pl_time_format time;
    struct pl_replay_options replay;
};

/* One export under way. */
struct export
{
    struct plan *plan;
    struct pl_tapes tapes;
    struct pl_registry registry;
    struct pl_replay **replays; /* one per tape */
    struct pl_output output;
    struct pl_csv csv;
    struct pl_progress progress;
    uint64_t total_bytes;
    uint64_t rows;
    int64_t first_ns, last_ns; /* row times seen by the first pass */
    struct pl_replay_losses losses;
    enum pl_exit code;
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int sig)
{
    interrupted = sig;
}

/* ---- options ------------------------------------------------------------------ */

static bool wrong(const char *option, const char *arg, const char *what)
{
    pl_say("export: --%s '%s': %s", option, arg, what);
    return false;
}

static bool take_option(const struct pl_command *self, struct plan *p,
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
        p->is_long = !strcmp(arg, "long");
        return p->is_long || !strcmp(arg, "wide") ||
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
        p->guard = false;
        return true;
    case OPT_WIDE_ANYWAY:
        p->wide_anyway = true;
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

/* ---- opening -------------------------------------------------------------------- */

static enum pl_exit fail(const char *file, enum pl_status s)
{
    return pl_say_status(file, s, NULL);
}

/* Writing over a log one reads from would be the end of it. */
static bool output_is_input(const struct export *e)
{
    for (size_t i = 0; e->plan->output && i < e->tapes.num; i++)
        for (size_t k = 0; k < e->tapes.tapes[i].num_paths; k++)
            if (pl_file_is_same(e->plan->output, e->tapes.tapes[i].paths[k]))
                return true;
    return false;
}

static enum pl_status start_replays(struct export *e, bool names_only)
{
    struct pl_replay_options o = e->plan->replay;

    o.names_only = names_only;
    o.reader.follow = e->plan->follow && !names_only;
    for (size_t i = 0; i < e->tapes.num; i++) {
        enum pl_status s =
            pl_replay_start(&e->replays[i], &e->tapes.tapes[i], &o);

        if (s) {
            e->code = fail(e->tapes.tapes[i].paths[0], s);
            return s;
        }
    }
    return PL_OK;
}

/* What this pass over the logs had to pass over. */
static void sum_losses(struct export *e)
{
    e->losses = (struct pl_replay_losses){ 0 };
    for (size_t i = 0; i < e->tapes.num; i++) {
        const struct pl_replay_losses *l;

        if (!e->replays[i])
            continue;
        l = pl_replay_losses(e->replays[i]);
        e->losses.damaged_ranges += l->damaged_ranges;
        e->losses.damaged_bytes += l->damaged_bytes;
        e->losses.unreachable += l->unreachable;
        e->losses.too_large += l->too_large;
        e->losses.malformed += l->malformed;
        e->losses.too_new += l->too_new;
    }
}

static void stop_replays(struct export *e)
{
    if (e->replays && e->replays[0])
        sum_losses(e);
    for (size_t i = 0; e->replays && i < e->tapes.num; i++) {
        pl_replay_stop(e->replays[i]);
        e->replays[i] = NULL;
    }
}

/* ---- rows, merged by time -------------------------------------------------------- */

static void show_progress(struct export *e)
{
    uint64_t done = 0;

    if (!e->progress.on)
        return;
    for (size_t i = 0; i < e->tapes.num; i++)
        done += pl_replay_position(e->replays[i]);
    pl_progress_at(&e->progress, done);
}

/* The earliest row of any host.  PL_END: none has one. */
static enum pl_status next_time(struct export *e, int64_t *time_ns)
{
    enum pl_status result = PL_END;

    for (size_t i = 0; i < e->tapes.num; i++) {
        int64_t t;
        enum pl_status s = pl_replay_peek(e->replays[i], &t);

        if (s == PL_END)
            continue;
        if (s) {
            e->code = fail(pl_replay_path(e->replays[i]), s);
            return s;
        }
        if (result == PL_END || t < *time_ns)
            *time_ns = t;
        result = PL_OK;
    }
    return result;
}

static void note_interval(struct export *e, const struct pl_replay *r,
                          int64_t time_ns)
{
    if (pl_replay_interval(r) % (uint64_t)PL_NS_PER_SEC ||
        time_ns % PL_NS_PER_SEC)
        e->plan->time.milliseconds = true;
}

/* Write or look at what all hosts have at 'time_ns'. */
static enum pl_status do_time(struct export *e, struct pl_wide *wide,
                              int64_t time_ns, bool names_only)
{
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < e->tapes.num && !s; i++) {
        struct pl_row row;
        int64_t t;

        if (pl_replay_peek(e->replays[i], &t) || t != time_ns)
            continue;
        note_interval(e, e->replays[i], t);
        s = pl_replay_row(e->replays[i], &row);
        if (s || names_only)
            continue;
        if (wide)
            pl_wide_add(wide, &row);
        else
            s = pl_long_row(&e->csv, &e->plan->time, &row);
    }
    if (!s && wide && !names_only)
        s = pl_wide_end_row(wide, &e->csv, &e->plan->time, time_ns);
    e->rows++;
    return s;
}

/* True when a log that was followed has come to its end. */
static bool all_ended(const struct export *e)
{
    for (size_t i = 0; i < e->tapes.num; i++)
        if (!pl_replay_has_ended(e->replays[i]))
            return false;
    return true;
}

/* At the end of what there is: hand it out, and wait for more. */
static enum pl_status wait_for_more(struct export *e)
{
    enum pl_status s = pl_csv_flush(&e->csv);

    if (s || interrupted || all_ended(e))
        return s ? s : PL_END;
    pl_sleep((uint64_t)FOLLOW_PAUSE);
    return PL_OK;
}

static enum pl_status do_rows(struct export *e, struct pl_wide *wide,
                              bool names_only)
{
    int64_t time_ns = 0;
    enum pl_status s = PL_OK;

    e->rows = 0;
    while (!s) {
        s = next_time(e, &time_ns);
        if (!s) {
            if (!e->rows)
                e->first_ns = time_ns;
            e->last_ns = time_ns;
            s = do_time(e, wide, time_ns, names_only);
            show_progress(e);
        } else if (s == PL_END && e->plan->follow && !names_only) {
            s = wait_for_more(e);
        }
    }
    return s == PL_END ? PL_OK : s;
}

/* ---- layouts ---------------------------------------------------------------------- */

static void say_too_wide(const struct export *e, uint32_t num_columns)
{
    pl_say("export: %" PRIu32 " columns, and a spreadsheet takes %d; choose "
           "counters with -c, take --layout long, or give --wide-anyway",
           num_columns + 1, PL_SHEET_COLUMNS);
    (void)e;
}

static void plan_offset_column(struct export *e)
{
    e->plan->time.offset = e->plan->time.style != PL_TIME_UNIX && e->rows &&
                           !pl_zone_is_constant(e->first_ns, e->last_ns);
}

/* What no path of -c fitted.  True if there is one. */
static bool say_unmatched(const struct export *e)
{
    const struct plan *p = e->plan;
    bool any = false;

    for (size_t i = 0; i < p->paths.num; i++)
        if (!p->replay.choice.matched[i]) {
            pl_say("%s: nothing matches '%s'; 'perflog list' tells what "
                   "there is",
                   e->tapes.tapes[0].paths[0], p->paths.texts[i]);
            any = true;
        }
    return any;
}

static bool any_matched(const struct export *e)
{
    for (size_t i = 0; i < e->plan->paths.num; i++)
        if (e->plan->replay.choice.matched[i])
            return true;
    return false;
}

/* Columns are known when all names are, so the log is read twice. */
static enum pl_status export_wide(struct export *e)
{
    struct pl_group **groups = NULL;
    struct pl_wide wide = { 0 };
    size_t num_groups = 0;
    uint32_t num_columns = 0;
    enum pl_status s;

    pl_progress_start(&e->progress, "looking for columns", e->total_bytes);
    s = start_replays(e, true);
    if (!s)
        s = do_rows(e, &wide, true);
    stop_replays(e);
    pl_progress_end(&e->progress);
    if (!s)
        s = pl_registry_columns(&e->registry, &groups, &num_groups,
                                &num_columns);
    if (!s && num_columns >= PL_SHEET_COLUMNS && !e->plan->wide_anyway) {
        say_too_wide(e, num_columns);
        e->code = PL_EXIT_FAILED;
        s = PL_USAGE;
    }
    if (!s && !e->rows && !e->plan->follow)
        s = PL_END;
    if (!s && e->plan->paths.num && say_unmatched(e) && !num_columns)
        s = PL_USAGE;
    if (!s)
        s = start_replays(e, false);
    if (!s)
        s = pl_wide_init(&wide, num_columns);
    if (!s) {
        plan_offset_column(e);
        pl_progress_start(&e->progress, "exporting", e->total_bytes);
        pl_wide_header(&e->csv, &e->plan->time, groups, num_groups);
        s = do_rows(e, &wide, false);
        pl_progress_end(&e->progress);
        if (wide.incomplete)
            pl_say("series that appeared while the log was being read are "
                   "not in the sheet; export again to have them");
    }
    pl_wide_release(&wide);
    free(groups);
    return s;
}

/* The header comes with the first row, so that nothing makes no file. */
static enum pl_status export_long(struct export *e)
{
    enum pl_status s = start_replays(e, false);
    int64_t first = 0;

    if (s)
        return s;
    s = next_time(e, &first);
    if (s && (s != PL_END || !e->plan->follow))
        return s;
    e->rows = 1;
    e->first_ns = first;
    e->last_ns = pl_clock_utc() > first ? pl_clock_utc() : first;
    plan_offset_column(e);
    for (size_t i = 0; i < e->tapes.num; i++)
        note_interval(e, e->replays[i], first);
    pl_progress_start(&e->progress, "exporting", e->total_bytes);
    pl_long_header(&e->csv, &e->plan->time);
    s = do_rows(e, NULL, false);
    pl_progress_end(&e->progress);
    if (!s && say_unmatched(e) && !any_matched(e))
        s = PL_USAGE;
    return s;
}

/* ---- the command ------------------------------------------------------------------ */

/* What was passed over, and the exit status it asks for. */
static enum pl_exit say_losses(const struct export *e)
{
    const struct pl_replay_losses *l = &e->losses;
    const char *path = e->tapes.tapes[0].paths[0];
    enum pl_exit code = PL_EXIT_GOOD;

    if (l->damaged_ranges || l->unreachable || l->malformed) {
        pl_say("%s: damaged: %" PRIu64 " ranges (%" PRIu64
               " bytes) and %" PRIu64
               " samples passed over; 'perflog verify' tells where",
               path, l->damaged_ranges, l->damaged_bytes,
               l->unreachable + l->malformed);
        code = PL_EXIT_DAMAGED;
    }
    if (l->too_large)
        pl_say("%s: %" PRIu64 " samples are larger than --max-block allows; "
               "raise it",
               path, l->too_large);
    if (l->too_new) {
        pl_say("%s: %" PRIu64 " records need a newer perflog and were passed "
               "over",
               path, l->too_new);
        code = PL_EXIT_TOO_NEW;
    }
    return code;
}

static void say_brief(const struct export *e)
{
    for (const struct pl_object_names *o = e->registry.objects; o; o = o->next)
        if (!strcmp(o->name, "Process") && !e->plan->quiet)
            pl_say("only the sum of all processes is shown; for single ones "
                   "give -c '\\Process(*)\\%% Processor Time' or --layout "
                   "long");
}

static enum pl_exit nothing_there(const struct export *e)
{
    const char *path = e->tapes.tapes[0].paths[0];
    enum pl_exit code = say_losses(e);

    if (e->plan->from || e->plan->to) {
        pl_say("%s: no samples between --from and --to; 'perflog info' tells "
               "what it spans",
               path);
        return PL_EXIT_FAILED;
    }
    pl_say("%s: holds no readable samples", path);
    return code > PL_EXIT_UNREADABLE ? code : PL_EXIT_UNREADABLE;
}

/* From the options' times to a window; may need the log's span. */
static enum pl_exit set_window(struct export *e)
{
    struct plan *p = e->plan;
    struct pl_window *w = &p->replay.window;
    int64_t first = e->tapes.tapes[0].first_utc, last = 0;

    for (size_t i = 1; i < e->tapes.num; i++)
        if (e->tapes.tapes[i].first_utc < first)
            first = e->tapes.tapes[i].first_utc;
    if ((p->from && pl_time_is_from_end(p->from)) ||
        (p->to && pl_time_is_from_end(p->to))) {
        enum pl_status s = pl_tapes_last_time(&e->tapes, &last);

        if (s)
            return fail(e->tapes.tapes[0].paths[0], s);
    }
    if (p->from && pl_parse_time(p->from, first, last, &w->from_ns)) {
        wrong("from", p->from, "not a time; see 'perflog export --help'");
        return PL_EXIT_FAILED;
    }
    if (p->to && pl_parse_time(p->to, first, last, &w->to_ns)) {
        wrong("to", p->to, "not a time; see 'perflog export --help'");
        return PL_EXIT_FAILED;
    }
    w->has_from = p->from != NULL;
    w->has_to = p->to != NULL;
    if (w->has_from && w->has_to && w->from_ns >= w->to_ns) {
        pl_say("export: --from is not before --to");
        return PL_EXIT_FAILED;
    }
    return PL_EXIT_GOOD;
}

static enum pl_exit finish(struct export *e, enum pl_status s)
{
    enum pl_exit code;
    int error;

    if (!s)
        s = pl_csv_flush(&e->csv);
    error = errno;
    stop_replays(e);
    errno = error;
    if (s == PL_END)
        return nothing_there(e);
    if (!s)
        s = pl_output_commit(&e->output);
    if (s && e->code)
        return e->code; /* told already */
    if (s == PL_IO && errno == EPIPE)
        return PL_EXIT_GOOD; /* the reader has seen enough */
    if (s == PL_USAGE)
        return PL_EXIT_FAILED;
    if (s)
        return fail(e->plan->output ? e->plan->output : "output", s);
    code = say_losses(e);
    if (!e->plan->is_long && e->plan->replay.choice.brief &&
        !e->plan->paths.num)
        say_brief(e);
    for (size_t i = 0; i < e->plan->paths.num; i++)
        if (!e->plan->replay.choice.matched[i] && !code)
            code = PL_EXIT_FAILED;
    return code;
}

static enum pl_exit open_output(struct export *e)
{
    const char *path = e->plan->output;
    enum pl_status s = pl_output_open(&e->output, path);

    if (s == PL_IO && errno == EISDIR) {
        pl_say("%s: is a folder; name a file to write", path);
        return PL_EXIT_FAILED;
    }
    if (s)
        return fail(path ? path : "output", s);
    if (e->plan->follow) { /* then this is how an export ends */
        signal(SIGINT, on_interrupt);
        signal(SIGTERM, on_interrupt);
    }
    return PL_EXIT_GOOD;
}

static enum pl_exit export_logs(struct plan *p, char **operands, int num)
{
    struct export e = { .plan = p };
    enum pl_exit code = pl_tapes_open_or_say(&e.tapes, operands, num);

    if (code)
        return code;
    e.replays = calloc(e.tapes.num, sizeof *e.replays);
    p->replay.registry = &e.registry;
    if (!e.replays)
        code = fail("export", PL_NOMEM);
    else if (output_is_input(&e)) {
        pl_say("%s: is the log itself; name another output", p->output);
        code = PL_EXIT_FAILED;
    } else if (pl_tapes_is_stream(&e.tapes) &&
               (!p->is_long || e.tapes.num > 1)) {
        pl_say("export: a pipe can be read only once: take --layout long, or "
               "a file");
        code = PL_EXIT_FAILED;
    } else {
        code = set_window(&e);
    }
    if (!code)
        code = open_output(&e);
    if (!code) {
        e.total_bytes = pl_tapes_bytes(&e.tapes);
        pl_csv_init(&e.csv, p->guard, pl_output_write, &e.output);
        code = finish(&e, p->is_long ? export_long(&e) : export_wide(&e));
        pl_csv_release(&e.csv);
    }
    pl_output_discard(&e.output);
    free(e.replays);
    pl_registry_release(&e.registry);
    pl_tapes_release(&e.tapes);
    return code;
}

static enum pl_exit run_export(const struct pl_command *self, int argc,
                               char **argv)
{
    struct plan p = { .guard = true };
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
        p.replay.choice.brief = !p.is_long;
        p.replay.choice.matched =
            calloc(p.paths.num + 1, sizeof *p.replay.choice.matched);
        p.replay.numbers_only = !p.is_long;
        p.replay.want_absent = p.is_long;
        signal(SIGPIPE, SIG_IGN);
        if (first == argc)
            pl_say("export: name a log, such as out.plog; see 'perflog "
                   "export --help'");
        else if (!p.replay.choice.matched)
            code = fail("export", PL_NOMEM);
        else
            code = export_logs(&p, argv + first, argc - first);
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
