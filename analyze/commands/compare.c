/* perflog compare: what differs between two logs, or two windows of one. */
#include "analyze/cli/common_options.h"
#include "analyze/compare/compare.h"
#include "analyze/compare/compare_curves.h"
#include "analyze/compare/compare_print.h"
#include "analyze/query/query.h"
#include "analyze/report/comparison_page.h"
#include "format/cli/named_form.h"
#include "format/time/time_text.h"
#include "format/time/zone.h"
#include "format/cli/message.h"
#include "format/cli/options.h"
#include "format/cli/process_init.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct pl_command pl_cmd_compare;

enum option {
    OPT_OUTPUT,
    OPT_COUNTERS,
    OPT_FROM,
    OPT_TO,
    OPT_AT,
    OPT_SHIFT,
    OPT_AGAINST,
    OPT_ALL,
    OPT_TZ,
    OPT_CSV,
    OPT_JSON,
    OPT_ENCODING,
    OPT_MAX_BLOCK,
    OPT_QUIET,
};

/* clang-format off */
static const struct pl_option options[] = {
    [OPT_OUTPUT] = PL_OPTION_OUTPUT("FILE",
        "write FILE instead of standard output; FILE.html is a page of charts "
        "with both windows drawn one over the other, FILE.csv and FILE.json "
        "are what they are named like" ),
    [OPT_COUNTERS] = PL_OPTION_PATHS(
        "only counters that match PATH; '@FILE' reads paths from a "
        "file; may be repeated"),
    PL_OPTIONS_TIMES,
    [OPT_SHIFT] = { 0, "shift", "T",
        "of one log: the window is compared with the one T before it (1d); "
        "without --from, --to and --at it is the log's last T" },
    [OPT_AGAINST] = { 0, "against", "TIME[+-T]",
        "of one log: the window is compared with this one; also "
        "FROM..TO" },
    [OPT_ALL] = { 0, "all", NULL,
        "as text, also series that do not differ" },
    [OPT_TZ] = PL_OPTION_TZ_OF_LOG,
    [OPT_CSV] = { 0, "csv", NULL, "as CSV: all series, with all digits" },
    [OPT_JSON] = { 0, "json", NULL, "as JSON: all series, with all digits" },
    [OPT_ENCODING] = PL_OPTION_ENCODING,
    [OPT_MAX_BLOCK] = PL_OPTION_MAX_BLOCK,
    [OPT_QUIET] = PL_OPTION_QUIET,
};
/* clang-format on */

struct command_line {
    struct pl_query_plan plan; /* first, as layouts get this */
    struct pl_comparison *comparison;
    struct pl_curves *curves;
    enum pl_form form;
    bool all;
    const char *shift, *against; /* NULL: not given */
    int64_t shift_ns;
};

/* ---- both windows -------------------------------------------------------- */

static enum pl_status gather_before(struct pl_query *e)
{
    struct command_line *l = (struct command_line *)e->plan;

    return pl_comparison_gather(l->comparison, PL_BEFORE, e);
}

static enum pl_status gather_after(struct pl_query *e)
{
    struct command_line *l = (struct command_line *)e->plan;
    enum pl_status s = pl_comparison_gather(l->comparison, PL_AFTER, e);

    if (s)
        return s;
    pl_comparison_judge(l->comparison);
    if (!l->comparison->compared && !l->plan.quiet)
        pl_say("compare: no series is in both windows%s",
               l->comparison->hosts_matter
                   ? "; of several hosts each is compared with the one of its "
                     "name"
                   : "");
    return PL_OK;
}

static enum pl_status print_after(struct pl_query *e)
{
    const struct command_line *l = (struct command_line *)e->plan;
    enum pl_status s = gather_after(e);

    if (s)
        return s;
    if (l->form == PL_FORM_CSV)
        return pl_comparison_print_csv(&e->csv, l->comparison);
    if (l->form == PL_FORM_JSON)
        return pl_comparison_print_json(&e->output, l->comparison);
    return pl_comparison_print_text(&e->output, l->comparison, l->all);
}

static enum pl_status draw_before(struct pl_query *e)
{
    struct command_line *l = (struct command_line *)e->plan;

    return pl_curves_gather(l->curves, PL_BEFORE, e);
}

static enum pl_status draw_after(struct pl_query *e)
{
    const struct command_line *l = (struct command_line *)e->plan;
    enum pl_status s = pl_curves_gather(l->curves, PL_AFTER, e);

    return s ? s : pl_comparison_put_page(&e->output, l->curves);
}

/* A pass over a window, 'own_output' if it writes nothing. */
#define PASS(function, writes_nothing)                                         \
    {                                                                          \
        .numbers_only = true, .keeps_names = true, .for_people = true,         \
        .reads_twice = true, .own_output = writes_nothing, .run = function     \
    }

/* Passes over both windows: to print the comparison; to draw it. */
static const struct pl_layout printing[PL_SIDES] = {
    PASS(gather_before, true),
    PASS(print_after, false),
};
static const struct pl_layout judging[PL_SIDES] = {
    PASS(gather_before, true),
    PASS(gather_after, true),
};
static const struct pl_layout drawing[PL_SIDES] = {
    PASS(draw_before, true),
    PASS(draw_after, false),
};

/* ---- the command --------------------------------------------------------- */

static bool take_form(struct command_line *l, enum pl_form form)
{
    if (l->form != PL_FORM_TEXT && l->form != form) {
        pl_say("compare: --csv and --json exclude each other; choose one");
        return false;
    }
    l->form = form;
    return true;
}

static bool take_option(const struct pl_command *self, void *ctx, int option,
                        const char *arg)
{
    struct command_line *l = ctx;
    uint64_t ns;

    switch ((enum option)option) {
    case OPT_SHIFT:
        l->shift = arg;
        if (pl_parse_duration(arg, &ns) || !ns || ns > INT64_MAX)
            return pl_option_wrong(self, option, arg,
                                   "give a length of time such as 1d");
        l->shift_ns = (int64_t)ns;
        return true;
    case OPT_AGAINST:
        l->against = arg;
        return true;
    case OPT_ALL:
        l->all = true;
        return true;
    default:
        return take_form(l, option == OPT_CSV ? PL_FORM_CSV : PL_FORM_JSON);
    }
}

/* "A..B" is from A to B, all else a time as of --at; *text keeps the parts. */
static bool split_against(const char *arg, struct pl_times *times, char **text)
{
    const char *const option = "against";
    char *dots;

    *text = pl_text_copy(pl_text_of(arg));
    if (!*text)
        return false;
    dots = strstr(*text, "..");
    *times = (struct pl_times){ .at = *text, .option = option };
    if (!dots)
        return true;
    *dots = 0;
    *times = (struct pl_times){ *text, dots + 2, .option = option };
    return true;
}

/* Without times, the last T of the log: "-T" to its end. */
static void settle_times(struct command_line *l, char *back, size_t cap)
{
    struct pl_times *t = &l->plan.times;

    if (!l->shift || t->at)
        return;
    snprintf(back, cap, "-%s", l->shift);
    if (!t->from && !t->to)
        t->from = back;
    if (!t->to)
        t->to = "-0s";
}

/* Where both windows are: of one log or two. */
struct both {
    struct pl_times times[PL_SIDES];
    char *logs[PL_SIDES];
};

static enum pl_exit pass(struct command_line *l, struct both *b,
                         const struct pl_layout layouts[PL_SIDES],
                         enum pl_compare_side side)
{
    l->plan.layout = &layouts[side];
    l->plan.times = b->times[side];
    l->plan.shift_ns = side == PL_BEFORE ? l->shift_ns : 0;
    l->plan.unmatched_later = side == PL_BEFORE; /* the other may have it */
    return pl_query_run(&l->plan, &b->logs[side], 1);
}

/* Whatever a log lacks, without the output the command has failed. */
static enum pl_exit after(const struct command_line *l, enum pl_exit before,
                          enum pl_exit code)
{
    return l->plan.not_written ? code : pl_exit_worse(before, code);
}

/* What was wrong with the logs has been reported by the passes before. */
static enum pl_exit draw(struct command_line *l, struct both *b)
{
    struct pl_curves curves = { 0 };
    enum pl_exit code = PL_EXIT_GOOD;

    l->curves = &curves;
    l->plan.quiet = true;
    if (pl_curves_start(&curves, l->comparison))
        code = pl_say_status("compare", PL_NOMEM, NULL);
    if (!code)
        code = pass(l, b, drawing, PL_BEFORE);
    if (!code)
        code = pass(l, b, drawing, PL_AFTER);
    pl_curves_release(&curves);
    return code;
}

static enum pl_exit run_passes(struct command_line *l, struct both *b)
{
    const struct pl_layout *layouts =
        l->form == PL_FORM_PAGE ? judging : printing;
    enum pl_exit code = pass(l, b, layouts, PL_BEFORE), other;

    if (!l->comparison->windows[PL_BEFORE].log)
        return code;
    other = pass(l, b, layouts, PL_AFTER);
    code = after(l, code, other);
    if (l->form != PL_FORM_PAGE || !l->comparison->windows[PL_AFTER].log)
        return code;
    other = draw(l, b);
    return after(l, code, other);
}

static enum pl_exit run_both(struct command_line *l, char **operands, int num)
{
    struct both b = { { l->plan.times, l->plan.times },
                      { operands[0], operands[num - 1] } };
    char *text = NULL;
    enum pl_exit code;

    if (l->against && !split_against(l->against, &b.times[PL_BEFORE], &text))
        return pl_say_status("compare", PL_NOMEM, NULL);
    code = run_passes(l, &b);
    free(text);
    return code;
}

/* FILE.csv, FILE.json and FILE.html are what they are named like. */
static bool settle_form(struct command_line *l)
{
    if (!pl_form_settle("compare", l->plan.output,
                        1U << PL_FORM_CSV | 1U << PL_FORM_JSON |
                            1U << PL_FORM_PAGE,
                        &l->form))
        return false;
    if (l->form == PL_FORM_PAGE && !pl_comparison_page_can()) {
        pl_say("compare: this perflog was built without uPlot and makes no "
               "pages; name another file, or build with -DPERFLOG_UPLOT=npm");
        return false;
    }
    return true;
}

static bool check(const struct command_line *l, int num)
{
    const char *wrong = NULL;

    if (num < 1 || num > 2)
        wrong = "name two logs, or one with --shift or --against; see "
                "'perflog compare --help'";
    else if (l->shift && l->against)
        wrong = "--shift and --against exclude each other; choose one";
    else if (num == 2 && (l->shift || l->against))
        wrong = "--shift and --against are for windows of one log; name one";
    else if (num == 1 && !l->shift && !l->against)
        wrong = "one log is compared with itself: give --shift 1d, or "
                "--against TIME, or name another log";
    else if (l->shift && l->plan.times.to && !l->plan.times.from &&
             !l->plan.times.at)
        wrong = "--shift with --to needs the window's beginning: give --from, "
                "too";
    else if (l->against && !pl_times_given(&l->plan.times))
        wrong = "--against needs a window to compare with: give --from and "
                "--to, or --at";
    if (wrong)
        pl_say("compare: %s", wrong);
    return !wrong;
}

static enum pl_exit run(struct command_line *l, char **operands, int num)
{
    struct pl_comparison c = { 0 };
    struct pl_replay_options *o = &l->plan.replay;
    char back[64];
    enum pl_exit code;

    if (!check(l, num) || !settle_form(l))
        return PL_EXIT_FAILED;
    pl_process_ignore_pipes();
    settle_times(l, back, sizeof back);
    l->comparison = &c;
    o->choice.paths = &l->plan.paths;
    o->choice.matched = calloc(l->plan.paths.num + 1, sizeof(bool));
    code = o->choice.matched ? run_both(l, operands, num)
                             : pl_say_status("compare", PL_NOMEM, NULL);
    free(o->choice.matched);
    pl_comparison_release(&c);
    return code;
}

static enum pl_exit run_compare(const struct pl_command *self, int argc,
                                char **argv)
{
    struct command_line l = { .plan = { .command = self->name,
                                        .group = pl_regroup_key("name"),
                                        .group_keeps_sheets = true,
                                        .style = { .guard = true } } };
    enum pl_exit code;

    if (pl_query_options(self, argc, argv, take_option, &l, &l.plan, &code)) {
        int first = pl_operands();

        code = run(&l, argv + first, argc - first);
    }
    pl_counter_path_list_release(&l.plan.paths);
    return code;
}

const struct pl_command pl_cmd_compare = {
    .name = "compare",
    .summary = "What differs between two logs, or two windows of one",
    .usage = "[OPTION...] LOG [LOG]",
    .options = options,
    .num_options = sizeof options / sizeof *options,
    .notes =
        "LOG is a file or a folder of segments; the first one is before, the "
        "second\nafter. Processes are added up by name.\n"
        "Exit status: 0 good, 1 failed or nothing matched, 2 damage was "
        "left\nout, 3 part of it needs a newer perflog, 4 nothing "
        "readable.",
    .run = run_compare,
};
