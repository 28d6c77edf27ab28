/* perflog report: a page of charts. */
#include "analyze/cli/common_options.h"
#include "analyze/report/report.h"
#include "analyze/report/assets.h"
#include "analyze/query/default_series.h"
#include "format/cli/message.h"
#include "format/cli/named_form.h"
#include "format/cli/options.h"
#include "format/cli/process_init.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct pl_command pl_cmd_report;

enum option {
    OPT_OUTPUT,
    OPT_COUNTERS,
    OPT_FROM,
    OPT_TO,
    OPT_AT,
    OPT_TZ,
    OPT_TOP,
    OPT_ENCODING,
    OPT_MAX_BLOCK,
    OPT_QUIET,
};
enum { TOP = 8, MOST_TOP = 50 };

/* clang-format off */
static const struct pl_option options[] = {
    [OPT_OUTPUT] = PL_OPTION_OUTPUT("FILE",
        "write FILE.html instead of standard output; it appears when it is "
        "complete"),
    [OPT_COUNTERS] = PL_OPTION_PATHS(
        "a chart for each counter that matches PATH, instead of the machine's "
        "vital ones; '@FILE' reads paths from a file; may be repeated"),
    PL_OPTIONS_TIMES,
    [OPT_TZ] = PL_OPTION_TZ_OF_LOG,
    [OPT_TOP] = { 0, "top", "N[:max|:mean]",
        "the N busiest instances in each chart, 1 to 50 (default: 8): those "
        "that did most, or had the highest peak or mean; the others are "
        "added up where that is right" },
    [OPT_ENCODING] = PL_OPTION_ENCODING,
    [OPT_MAX_BLOCK] = PL_OPTION_MAX_BLOCK,
    [OPT_QUIET] = PL_OPTION_QUIET,
};
/* clang-format on */

static bool take_top(struct pl_ranking *top, const char *arg)
{
    return !pl_parse_top(arg, top) && !top->counter.n && top->num <= MOST_TOP;
}

static bool take_option(const struct pl_command *self, void *ctx, int option,
                        const char *arg)
{
    struct pl_query_plan *p = ctx;

    return take_top(&p->top, arg) ||
           pl_option_wrong(
               self, option, arg,
               "give a number from 1 to 50, or such as 5:max, 5:mean");
}

/* The default series, if the user selected none. */
static enum pl_status choose_vitals(struct pl_counter_path_list *list)
{
    char path[160];
    const char *why;
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < PL_NUM_VITALS; i++)
        for (size_t k = 0;
             k < PL_VITAL_COUNTERS && pl_vitals[i].counters[k] && !s; k++) {
            const char *instance = pl_vitals[i].instance;

            snprintf(path, sizeof path, "\\%s%s%s%s\\%s", pl_vitals[i].object,
                     instance ? "(" : "", instance ? instance : "",
                     instance ? ")" : "", pl_vitals[i].counters[k]);
            s = pl_counter_path_list_add(list, path, &why);
        }
    return s;
}

static bool can_run(const struct pl_query_plan *p, int operands)
{
    enum pl_form form = PL_FORM_PAGE;

    if (!pl_report_assets.uplot_js.n) {
        pl_say("report: this perflog was built without uPlot and makes no "
               "reports; take export --xlsx, or build with "
               "-DPERFLOG_UPLOT=npm");
        return false;
    }
    if (!operands) {
        pl_say("report: name a log, such as out.plog; see 'perflog report "
               "--help'");
        return false;
    }
    if (!pl_form_settle("report", p->output, 0, &form))
        return false;
    if ((!p->output || !strcmp(p->output, "-")) && pl_is_terminal(stdout)) {
        pl_say("report: a page is nothing for a terminal; name a file with "
               "-o report.html");
        return false;
    }
    return true;
}

static enum pl_exit run_plan(struct pl_query_plan *p, char **operands, int num)
{
    struct pl_counter_path_list vital = { 0 };
    enum pl_exit code;
    enum pl_status s = PL_OK;

    p->replay.choice.paths = p->paths.num ? &p->paths : &vital;
    if (p->paths.num) {
        p->replay.choice.matched =
            calloc(p->paths.num, sizeof *p->replay.choice.matched);
        s = p->replay.choice.matched ? PL_OK : PL_NOMEM;
    } else {
        s = choose_vitals(&vital);
    }
    pl_process_ignore_pipes();
    code =
        s ? pl_say_status("report", s, NULL) : pl_query_run(p, operands, num);
    free(p->replay.choice.matched);
    pl_counter_path_list_release(&vital);
    return code;
}

static enum pl_exit run_report(const struct pl_command *self, int argc,
                               char **argv)
{
    struct pl_query_plan p = { .command = self->name,
                               .identity = true,
                               .layout = &pl_layout_report,
                               .top = { .num = TOP } };
    enum pl_exit code;

    if (pl_query_options(self, argc, argv, take_option, &p, &p, &code)) {
        int first = pl_operands();

        if (can_run(&p, argc - first))
            code = run_plan(&p, argv + first, argc - first);
    }
    pl_counter_path_list_release(&p.paths);
    return code;
}

const struct pl_command pl_cmd_report = {
    .name = "report",
    .summary = "A page of charts: one file of HTML that needs nothing else",
    .usage = "[OPTION...] LOG... -o FILE.html",
    .options = options,
    .num_options = sizeof options / sizeof *options,
    .notes =
        "LOG is a file or a folder of segments. The page shows processors, "
        "pressure,\nmemory, disks, network, processes and control groups, and "
        "where samples are\nmissing. Tables and their order are of the time "
        "zoomed to: an instance that\nhas no curve otherwise counts at those "
        "points, at most 2000, at which it is\namong the 8 largest of such.\n"
        "Exit status: 0 good, 1 failed or nothing matched, 2 damage was "
        "left\nout, 3 part of it needs a newer perflog, 4 nothing "
        "readable.",
    .run = run_report,
};
