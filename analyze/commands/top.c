/* perflog top: the machine at a moment, as a page of text. */
#include "analyze/cli/common_options.h"
#include "analyze/cli/given_time.h"
#include "analyze/moment/top.h"
#include "format/cli/named_form.h"
#include "format/time/zone.h"
#include "format/cli/message.h"
#include "format/cli/options.h"
#include "format/cli/process_init.h"

#include <stdlib.h>
#include <string.h>

extern const struct pl_command pl_cmd_top;

enum option {
    OPT_FROM,
    OPT_TO,
    OPT_AT,
    OPT_EVERY,
    OPT_SORT,
    OPT_GROUP,
    OPT_ROWS,
    OPT_TZ,
    OPT_OUTPUT,
    OPT_ENCODING,
    OPT_MAX_BLOCK,
    OPT_QUIET,
};

/* clang-format off */
static const struct pl_option options[] = {
    PL_OPTIONS_TIMES,
    [OPT_EVERY] = { 0, "every", "T",
        "means over the T (1m, 1h) up to the time --at, or to the log's end" },
    [OPT_SORT] = { 0, "sort", "cpu|memory|disk|io|COUNTER",
        "the processes with the most processor time (default), memory, bytes "
        "read from and written to storage, bytes read and written anywhere, "
        "or of a counter of theirs" },
    [OPT_GROUP] = { 0, "group", "name|user|unit|command|parent",
        "instead of single processes the sum of those of one name, user, unit "
        "(of systemd, or container), command line or parent" },
    [OPT_ROWS] = { 'n', "rows", "N",
        "N processes (default: as many as fit on the terminal, else 20)" },
    [OPT_TZ] = PL_OPTION_TZ_OF_LOG,
    [OPT_OUTPUT] = PL_OPTION_OUTPUT("FILE",
        "write FILE instead of standard output; it appears when it is "
        "complete"),
    [OPT_ENCODING] = PL_OPTION_ENCODING,
    [OPT_MAX_BLOCK] = PL_OPTION_MAX_BLOCK,
    [OPT_QUIET] = PL_OPTION_QUIET,
};
/* clang-format on */

/* ---- options ------------------------------------------------------------- */

static bool take_every(struct pl_top_plan *p, const char *arg)
{
    struct pl_every every;

    if (pl_parse_every(arg, &every) || every.way != PL_EVERY_ALL)
        return false;
    p->query.moment_ns = every.ns;
    return true;
}

static bool take_sort(const struct pl_command *self, struct pl_top_plan *p,
                      const char *arg)
{
    const char *near = *arg ? pl_moment_sort_near(arg) : NULL;
    char what[64];

    p->sort = pl_moment_sort_of(arg);
    if (p->sort)
        return true;
    if (near) {
        snprintf(what, sizeof what, "did you mean %s?", near);
        return pl_option_wrong(self, OPT_SORT, arg, what);
    }
    if (!strcmp(arg, "net"))
        return pl_option_wrong(
            self, OPT_SORT, arg,
            "no counter of processes is about the network; '% Privileged "
            "Time' has what the kernel did for them, io what they read and "
            "wrote");
    p->named = (struct pl_moment_sort){ .title = arg, .counters = { arg } };
    p->sort = &p->named;
    return *arg || pl_option_wrong(self, OPT_SORT, arg, "name a counter");
}

static bool take_rows(struct pl_top_plan *p, const char *arg)
{
    return !pl_parse_count(arg, &p->rows) && p->rows && p->rows <= UINT32_MAX;
}

static bool take_option(const struct pl_command *self, void *ctx, int option,
                        const char *arg)
{
    struct pl_top_plan *p = ctx;

    switch ((enum option)option) {
    case OPT_EVERY:
        return take_every(p, arg) ||
               pl_option_wrong(self, option, arg,
                               "give a length of time such as 1m");
    case OPT_SORT:
        return take_sort(self, p, arg);
    case OPT_GROUP:
        p->query.group = pl_regroup_key(arg);
        return p->query.group || pl_option_wrong_choice(self, option, arg);
    case OPT_ROWS:
        return take_rows(p, arg) ||
               pl_option_wrong(self, option, arg, "give a number of processes");
    default:
        return false;
    }
}

/* ---- the command --------------------------------------------------------- */

/* Without times it is the last sample. */
static bool settle(struct pl_top_plan *p)
{
    struct pl_times *times = &p->query.times;
    enum pl_form form = PL_FORM_TEXT;
    int64_t around = 0;
    size_t n;

    if (!pl_form_settle("top", p->query.output, 0, &form))
        return false;
    p->query.of_end = !pl_times_given(times);
    if (p->query.of_end)
        times->at = "-0s";
    if (!p->query.moment_ns)
        return true;
    if (times->at)
        pl_given_around(times->at, &n, &around);
    if (!times->from && !times->to && !around)
        return true;
    pl_say("top: --every is for one moment; leave it out with --from, --to "
           "and +-, whose page has means over all of that time");
    return false;
}

static enum pl_exit run_plan(struct pl_top_plan *p, char **operands, int num)
{
    struct pl_counter_path_list list = { 0 };
    struct pl_replay_options *o = &p->query.replay;
    enum pl_status s = pl_top_choose(p->sort, &list);
    enum pl_exit code;

    if (s == PL_USAGE) {
        pl_say("top: --sort '%s': not the name of a counter",
               p->sort->counters[0]);
        code = PL_EXIT_FAILED;
    } else {
        o->choice.paths = &list;
        o->choice.matched = s ? NULL : calloc(list.num, sizeof(bool));
        if (!o->choice.matched)
            code = pl_say_status("top", PL_NOMEM, NULL);
        else
            code = pl_query_run(&p->query, operands, num);
    }
    free(o->choice.matched);
    pl_counter_path_list_release(&list);
    return code;
}

static enum pl_exit run_top(const struct pl_command *self, int argc,
                            char **argv)
{
    struct pl_top_plan p = {
        .query = { .command = self->name, .layout = &pl_layout_top },
        .sort = pl_moment_sort_of("cpu"),
    };
    enum pl_exit code;

    if (pl_query_options(self, argc, argv, take_option, &p, &p.query, &code)) {
        int first = pl_operands();

        code = PL_EXIT_FAILED;
        pl_process_ignore_pipes();
        if (first == argc)
            pl_say("top: name a log, such as out.plog; see 'perflog top "
                   "--help'");
        else if (settle(&p))
            code = run_plan(&p, argv + first, argc - first);
    }
    pl_counter_path_list_release(&p.query.paths);
    return code;
}

const struct pl_command pl_cmd_top = {
    .name = "top",
    .summary = "The machine at a moment: a page with its busiest processes",
    .usage = "[OPTION...] LOG...",
    .options = options,
    .num_options = sizeof options / sizeof *options,
    .notes =
        "LOG is a file or a folder of segments; without a time, its last "
        "sample is\nshown. A page of several samples has their means.\n"
        "Exit status: 0 good, 1 failed or nothing there, 2 damage was left "
        "out,\n3 part of it needs a newer perflog, 4 nothing readable.",
    .run = run_top,
};
