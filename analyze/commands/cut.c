/* perflog cut: a part of a log as a log. */
#include "analyze/cli/common_options.h"
#include "analyze/cli/damage_report.h"
#include "analyze/copy/log_copy.h"
#include "analyze/copy/block_filter.h"
#include "format/cli/message.h"
#include "format/cli/named_form.h"
#include "format/cli/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

extern const struct pl_command pl_cmd_cut;

enum option {
    OPT_OUTPUT,
    OPT_FROM,
    OPT_TO,
    OPT_AT,
    OPT_COUNTERS,
    OPT_WITHOUT_COMMAND_LINES,
    OPT_TZ,
    OPT_ENCODING,
    OPT_QUIET,
};

/* clang-format off */
static const struct pl_option options[] = {
    [OPT_OUTPUT] = PL_OPTION_OUTPUT_NEW,
    PL_OPTIONS_TIMES,
    [OPT_COUNTERS] = PL_OPTION_COUNTERS,
    [OPT_WITHOUT_COMMAND_LINES] = { 0, "without-command-lines", NULL,
        "leave out the command lines of processes, to hand the log on" },
    [OPT_TZ] = PL_OPTION_TZ,
    [OPT_ENCODING] = PL_OPTION_ENCODING,
    [OPT_QUIET] = PL_OPTION_QUIET,
};
/* clang-format on */

/* The parsed command line. */
struct plan {
    const char *output;
    struct pl_times times;
    enum pl_tz tz;
    bool quiet, without_command_lines;
    struct pl_counter_path_list paths;
};

/* What was left out, and paths that nothing matched. */
static enum pl_exit say_what_is_left(const struct pl_log_copy *c,
                                     const struct pl_block_filter *pick,
                                     const struct plan *p, const char *old)
{
    const char *path = c->where.path, *rest = pl_places_rest(&c->where);
    const struct pl_log_counts *t = &c->tally;
    enum pl_exit code = pl_log_counts_exit(t);

    if (p->paths.num && !c->samples) { /* so nothing can match */
        pl_say("%s: holds no readable samples", old);
        code = pl_exit_worse(code, PL_EXIT_UNREADABLE);
    } else if (pl_say_all_unmatched(old, NULL, &p->paths, pick->matched)) {
        code = code ? code : PL_EXIT_FAILED;
    }
    pl_say_damage(&c->where, t->damaged_ranges, t->damaged_bytes,
                  t->damaged_samples + t->unreachable);
    pl_say_malformed(&c->where, t->malformed);
    if (!t->damaged_ranges && !t->unreachable)
        pl_say_holes(&c->where, t->missing_records);
    if (t->too_new || c->left_out) {
        pl_say("%s%s: %" PRIu64 " records need a newer perflog and were left "
               "out",
               path, rest, t->too_new + c->left_out);
        code = code < PL_EXIT_TOO_NEW ? PL_EXIT_TOO_NEW : code;
    }
    return code;
}

static void say_what_was_done(const struct pl_log_copy *c, const char *old)
{
    const bool one = c->samples == 1;
    char before[80] = "";

    if (c->before)
        snprintf(before, sizeof before,
                 ", and %" PRIu64 " before %s, for the first rates", c->before,
                 one ? "it" : "them");
    pl_say("%s: %" PRIu64 " sample%s now in %s%s", old, c->samples,
           one ? " is" : "s are", c->path, before);
}

static bool any_matched(const struct pl_block_filter *pick,
                        const struct plan *p)
{
    bool any = !p->paths.num;

    for (size_t i = 0; i < p->paths.num; i++)
        any |= pick->matched[i];
    return any;
}

static enum pl_exit finish(struct pl_log_copy *c,
                           const struct pl_block_filter *pick,
                           const struct plan *p, enum pl_status s,
                           const struct pl_host_logs *logs, const char *old)
{
    enum pl_exit code;

    if (s == PL_END) {
        pl_say_window_empty(logs, &p->times, &c->window);
        code = pl_log_counts_exit(&c->tally);
        return code ? code : PL_EXIT_FAILED;
    }
    if (s)
        return pl_say_status(c->bad, s, c->why);
    code = say_what_is_left(c, pick, p, old);
    if (!any_matched(pick, p))
        return code;
    s = pl_log_output_commit(&c->log);
    if (s)
        return pl_say_status(c->path, s, NULL);
    if (!p->quiet)
        say_what_was_done(c, old);
    return code;
}

static enum pl_exit take_window(const struct plan *p,
                                const struct pl_host_logs *logs,
                                struct pl_time_range *window)
{
    enum pl_exit code;

    if (pl_zone_use(p->tz, false, logs))
        return pl_say_status("cut", PL_NOMEM, NULL);
    code = pl_time_window("cut", &p->times, logs, window);
    if (!code && !p->quiet)
        pl_say_window(&p->times, window);
    return code;
}

static enum pl_exit cut(const struct plan *p, char **operands, int num)
{
    struct pl_progress progress;
    struct pl_host_logs logs;
    struct pl_block_filter pick = { .paths = &p->paths };
    struct pl_log_copy c = { .path = p->output, .progress = &progress };
    enum pl_form form = PL_FORM_LOG;
    enum pl_exit code;
    enum pl_status s = pl_log_output_check(p->output, operands, num, &c.why);

    if (s)
        return pl_say_status(p->output, s, c.why);
    if (!pl_form_settle("cut", p->output, 0, &form))
        return PL_EXIT_FAILED;
    code = pl_host_logs_open_whole_or_say(&logs, operands, num, p->quiet);
    if (code)
        return code;
    if (!pl_host_logs_are_one_file(&logs) && logs.num > 1) {
        pl_say("cut: these are logs of several hosts; cut them one by one");
        code = PL_EXIT_FAILED;
    }
    if (!code)
        code = take_window(p, &logs, &c.window);
    if (!code && p->paths.num) {
        c.pick = &pick;
        pick.matched = calloc(p->paths.num, sizeof *pick.matched);
        if (!pick.matched)
            code = pl_say_status("cut", PL_NOMEM, NULL);
    }
    if (!code) {
        c.identities.without_command_lines = p->without_command_lines;
        pl_progress_start(&progress, "cutting", pl_host_logs_bytes(&logs),
                          p->quiet);
        s = pl_log_copy_all(&c, &logs);
        pl_progress_end(&progress);
        code = finish(&c, &pick, p, s, &logs, operands[0]);
    }
    pl_log_copy_release(&c);
    pl_block_filter_release(&pick);
    pl_host_logs_release(&logs);
    return code;
}

/* The only option that is not shared. */
static bool take_option(const struct pl_command *self, void *ctx, int option,
                        const char *arg)
{
    struct plan *p = ctx;

    (void)self;
    (void)arg;
    p->without_command_lines |= option == OPT_WITHOUT_COMMAND_LINES;
    return option == OPT_WITHOUT_COMMAND_LINES;
}

/* Is anything to be left out? */
static bool chooses(const struct plan *p)
{
    return pl_times_given(&p->times) || p->paths.num ||
           p->without_command_lines;
}

static enum pl_exit run_cut(const struct pl_command *self, int argc,
                            char **argv)
{
    struct plan p = { 0 };
    const struct pl_shared_values to = { .output = &p.output,
                                         .times = &p.times,
                                         .paths = &p.paths,
                                         .tz = &p.tz,
                                         .quiet = &p.quiet };
    enum pl_exit code;

    if (pl_command_options(self, argc, argv, &to, take_option, &p, &code)) {
        int first = pl_operands();

        if (first == argc || !p.output || !chooses(&p))
            pl_say("cut: name a log, what to cut out with --from, --to, --at "
                   "or -c, and with -o the log to be made; see 'perflog cut "
                   "--help'");
        else
            code = cut(&p, argv + first, argc - first);
    }
    pl_counter_path_list_release(&p.paths);
    return code;
}

const struct pl_command pl_cmd_cut = {
    .name = "cut",
    .summary = "A part of a log as a log: a time, and chosen counters",
    .usage = "[OPTION...] --from TIME --to TIME LOG... -o NEW",
    .options = options,
    .num_options = sizeof options / sizeof *options,
    .notes =
        "LOG is not changed.  The last sample up to --from is taken along, so "
        "that the\nfirst rates can be calculated.\n"
        "Exit status: 0 good, 1 failed or nothing there, 2 damage was left "
        "out, 3 part\nof it needs a newer perflog, 4 nothing readable.",
    .run = run_cut,
};
