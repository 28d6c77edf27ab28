/* perflog stats: statistics of each series of a log. */
#include "analyze/cli/common_options.h"
#include "analyze/hosts/hosts_print.h"
#include "analyze/query/query.h"
#include "analyze/stats/stats.h"
#include "analyze/stats/stats_print.h"
#include "analyze/stats/stats_sort.h"
#include "format/cli/message.h"
#include "format/cli/named_form.h"
#include "format/cli/options.h"
#include "format/time/zone.h"

extern const struct pl_command pl_cmd_stats;

enum option {
    OPT_COUNTERS,
    OPT_FROM,
    OPT_TO,
    OPT_AT,
    OPT_EVERY,
    OPT_SORT,
    OPT_TOP,
    OPT_TZ,
    OPT_CSV,
    OPT_JSON,
    OPT_IDENTITY,
    OPT_HOSTS,
    OPT_OUTPUT,
    OPT_ENCODING,
    OPT_MAX_BLOCK,
    OPT_QUIET,
};

/* clang-format off */
static const struct pl_option options[] = {
    [OPT_COUNTERS] = PL_OPTION_PATHS(
        "only counters that match PATH; '@FILE' reads paths from a "
        "file; may be repeated"),
    PL_OPTIONS_TIMES,
    [OPT_EVERY] = { 0, "every", "T",
        "statistics of means over T (1m, 1h) instead of single samples; "
        "T:max, T:min or T:last takes one value of each T" },
    [OPT_SORT] = { 0, "sort", "min|mean|stddev|p50|p90|p95|p99|max",
        "the greatest first, counter by counter" },
    [OPT_TOP] = { 0, "top", "N",
        "of each counter only the first N by --sort (default: mean), and "
        "its _Total; with --hosts, N hosts" },
    [OPT_TZ] = PL_OPTION_TZ_OF_LOG,
    [OPT_CSV] = { 0, "csv", NULL, "as CSV, with all digits" },
    [OPT_JSON] = { 0, "json", NULL, "as JSON, with all digits" },
    [OPT_IDENTITY] = { 0, "identity", NULL,
        "with --csv also command line, executable, user, control group and "
        "parent of processes; text and JSON have them always" },
    [OPT_HOSTS] = { 0, "hosts", NULL,
        "compare hosts instead: the most unlike the others first (20, or "
        "--top N)" },
    [OPT_OUTPUT] = PL_OPTION_OUTPUT("FILE",
        "write FILE instead of standard output; FILE.csv and FILE.json are "
        "what they are named like"),
    [OPT_ENCODING] = PL_OPTION_ENCODING,
    [OPT_MAX_BLOCK] = PL_OPTION_MAX_BLOCK,
    [OPT_QUIET] = PL_OPTION_QUIET,
};
/* clang-format on */

enum { IN_ORDER = -1 };

struct command_line {
    struct pl_query_plan plan; /* first, as layouts get this */
    int figure;                /* sorted by; IN_ORDER: as in a sheet */
    uint64_t top;              /* 0: all */
    bool identity;             /* columns of it in CSV */
    bool hosts;                /* compare them instead */
};

/* ---- gathering ----------------------------------------------------------- */

static enum pl_status take_row(struct pl_query *e, void *ctx,
                               const struct pl_row *row)
{
    struct pl_stats *t = ctx;

    (void)e;
    return pl_stats_add(t, row);
}

static enum pl_status put_in_order(struct pl_query *e, struct pl_stats *t)
{
    const struct command_line *l = (const struct command_line *)e->plan;
    enum pl_status s = pl_stats_sort(t, &e->registry);

    if (!s && l->figure != IN_ORDER)
        pl_stats_rank(t, l->figure, l->top);
    return s;
}

static enum pl_status gather(struct pl_query *e, struct pl_stats *t)
{
    const struct pl_rows rows = { take_row, NULL, t };
    enum pl_status s = pl_query_begin(e);

    if (!s)
        s = pl_query_rows(e, &rows);
    if (!s && !e->rows)
        return PL_END;
    if (!s && pl_query_say_unmatched(e))
        return PL_USAGE;
    return s ? s : put_in_order(e, t);
}

static enum pl_status print_text(struct pl_query *e, struct pl_stats *t)
{
    unsigned lines, columns = 0;

    if (e->plan->output || !pl_stdout_size(&lines, &columns))
        columns = 0;
    return pl_stats_print_text(&e->output, t, &e->plan->time, columns);
}

static enum pl_status print_csv(struct pl_query *e, struct pl_stats *t)
{
    const struct command_line *l = (const struct command_line *)e->plan;

    return pl_stats_print_csv(&e->csv, t, &e->plan->time, l->identity);
}

static enum pl_status print_json(struct pl_query *e, struct pl_stats *t)
{
    return pl_stats_print_json(&e->output, t);
}

static enum pl_status run_form(struct pl_query *e,
                               enum pl_status (*print)(struct pl_query *e,
                                                       struct pl_stats *t))
{
    struct pl_stats t = { 0 };
    enum pl_status s = gather(e, &t);

    if (!s)
        s = print(e, &t);
    pl_stats_release(&t);
    return s;
}

static enum pl_status run_text(struct pl_query *e)
{
    return run_form(e, print_text);
}

static enum pl_status run_csv(struct pl_query *e)
{
    return run_form(e, print_csv);
}

static enum pl_status run_json(struct pl_query *e)
{
    return run_form(e, print_json);
}

#define FORM(function, people)                                                 \
    {                                                                          \
        .brief = true, .numbers_only = true, .want_absent = true,              \
        .keeps_names = true, .for_people = people, .run = function             \
    }

static const struct pl_layout text = FORM(run_text, true),
                              csv = FORM(run_csv, false),
                              json = FORM(run_json, false);

/* ---- hosts --------------------------------------------------------------- */

enum { USUAL_HOSTS = 20 };

/* How many are shown, 'usual' if the user did not choose. */
static size_t most_hosts(const struct pl_query *e, size_t usual)
{
    const struct command_line *l = (const struct command_line *)e->plan;

    return l->top ? (size_t)l->top : usual;
}

static enum pl_status print_hosts_text(struct pl_query *e,
                                       const struct pl_hosts *h)
{
    struct pl_buf out = { 0 };
    enum pl_status s;

    pl_hosts_put_text(&out, h, most_hosts(e, USUAL_HOSTS));
    s = out.oom ? PL_NOMEM : pl_output_file_write(&e->output, out.p, out.len);
    pl_buf_release(&out);
    return s;
}

static enum pl_status print_hosts_csv(struct pl_query *e,
                                      const struct pl_hosts *h)
{
    return pl_hosts_print_csv(&e->csv, h, most_hosts(e, SIZE_MAX));
}

static enum pl_status print_hosts_json(struct pl_query *e,
                                       const struct pl_hosts *h)
{
    return pl_hosts_print_json(&e->output, h, most_hosts(e, SIZE_MAX));
}

static enum pl_status
run_hosts(struct pl_query *e,
          enum pl_status (*print)(struct pl_query *e, const struct pl_hosts *h))
{
    struct pl_hosts h = { 0 };
    enum pl_status s = pl_hosts_gather(&h, e);

    if (!s && pl_query_say_unmatched_of(e, &h.registry))
        s = PL_USAGE;
    if (!s && h.num < PL_HOSTS_FEWEST) {
        pl_say("stats: --hosts compares %d hosts or more; these logs are of "
               "%zu",
               PL_HOSTS_FEWEST, h.num);
        s = PL_USAGE;
    }
    if (!s)
        s = print(e, &h);
    pl_hosts_release(&h);
    return s;
}

static enum pl_status run_hosts_text(struct pl_query *e)
{
    return run_hosts(e, print_hosts_text);
}

static enum pl_status run_hosts_csv(struct pl_query *e)
{
    return run_hosts(e, print_hosts_csv);
}

static enum pl_status run_hosts_json(struct pl_query *e)
{
    return run_hosts(e, print_hosts_json);
}

static const struct pl_layout hosts_text = { .for_people = true,
                                             .run = run_hosts_text },
                              hosts_csv = { .run = run_hosts_csv },
                              hosts_json = { .run = run_hosts_json };

static const struct pl_layout *of_hosts(const struct pl_layout *form)
{
    return form == &csv    ? &hosts_csv
           : form == &json ? &hosts_json
                           : &hosts_text;
}

/* ---- the command --------------------------------------------------------- */

static bool take_form(struct pl_query_plan *p, const struct pl_layout *form)
{
    if (p->layout != &text && p->layout != form) {
        pl_say("stats: --csv and --json exclude each other; choose one");
        return false;
    }
    p->layout = form;
    return true;
}

static bool take_sort(const struct pl_command *self, struct command_line *l,
                      const char *arg)
{
    return pl_stats_figure_of(arg, &l->figure) ||
           pl_option_wrong_choice(self, OPT_SORT, arg);
}

static bool take_top(const struct pl_command *self, struct command_line *l,
                     const char *arg)
{
    return (!pl_parse_count(arg, &l->top) && l->top) ||
           pl_option_wrong(self, OPT_TOP, arg,
                           "give a number such as 5; --sort chooses by what");
}

static bool take_every(const struct pl_command *self, struct command_line *l,
                       const char *arg)
{
    return !pl_parse_every(arg, &l->plan.every) ||
           pl_option_wrong(self, OPT_EVERY, arg, PL_EVERY_WANTED);
}

static bool take_option(const struct pl_command *self, void *ctx, int option,
                        const char *arg)
{
    struct command_line *l = ctx;

    switch ((enum option)option) {
    case OPT_EVERY:
        return take_every(self, l, arg);
    case OPT_SORT:
        return take_sort(self, l, arg);
    case OPT_TOP:
        return take_top(self, l, arg);
    case OPT_IDENTITY:
        l->identity = true;
        return true;
    case OPT_HOSTS:
        l->hosts = true;
        return true;
    default:
        return take_form(&l->plan, option == OPT_CSV ? &csv : &json);
    }
}

/* What is wrong with the options together; NULL: nothing. */
static const char *misfit(const struct command_line *l)
{
    if (l->hosts && (l->identity || l->figure != IN_ORDER || l->plan.every.ns))
        return "--hosts compares means and P95; leave out --sort, --every and "
               "--identity";
    if (l->identity && l->plan.layout != &csv)
        return "--identity is for --csv; text and JSON have it always";
    return NULL;
}

/* FILE.csv and FILE.json are what they are named like. */
static bool settle_form(struct pl_query_plan *p)
{
    enum pl_form form = p->layout == &csv    ? PL_FORM_CSV
                        : p->layout == &json ? PL_FORM_JSON
                                             : PL_FORM_TEXT;

    if (!pl_form_settle("stats", p->output,
                        1U << PL_FORM_CSV | 1U << PL_FORM_JSON, &form))
        return false;
    p->layout = form == PL_FORM_CSV    ? &csv
                : form == PL_FORM_JSON ? &json
                                       : &text;
    return true;
}

static bool settle(struct command_line *l, enum pl_exit *code)
{
    const char *what;
    int by_mean;

    if (!settle_form(&l->plan)) {
        *code = PL_EXIT_FAILED;
        return false;
    }
    what = misfit(l);

    if (what) {
        pl_say("stats: %s", what);
        *code = PL_EXIT_FAILED;
        return false;
    }
    if (l->hosts)
        l->plan.layout = of_hosts(l->plan.layout);
    else if (l->top && l->figure == IN_ORDER &&
             pl_stats_figure_of("mean", &by_mean))
        l->figure = by_mean;
    return true;
}

static enum pl_exit run_stats(const struct pl_command *self, int argc,
                              char **argv)
{
    struct command_line l = { .plan = { .layout = &text,
                                        .identity = true,
                                        .style = { .guard = true } },
                              .figure = IN_ORDER };
    enum pl_exit code;

    if (pl_query_options(self, argc, argv, take_option, &l, &l.plan, &code) &&
        settle(&l, &code))
        code = pl_query_command(self, &l.plan, argc, argv);
    pl_counter_path_list_release(&l.plan.paths);
    return code;
}

const struct pl_command pl_cmd_stats = {
    .name = "stats",
    .summary = "Mean, extremes and percentiles of each counter of a log",
    .usage = "[OPTION...] LOG...",
    .options = options,
    .num_options = sizeof options / sizeof *options,
    .notes =
        "LOG is a file, a folder of segments, or - for standard input. Without "
        "-c, of\nthe processes only their sum is shown.\n"
        "Exit status: 0 good, 1 failed or nothing matched, 2 damage was "
        "left\nout, 3 part of it needs a newer perflog, 4 nothing "
        "readable.",
    .run = run_stats,
};
