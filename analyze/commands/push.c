/* perflog push: sends a log to an engine, by Prometheus remote write. */
#include "analyze/push/losses.h"
#include "analyze/push/push.h"
#include "analyze/cli/common_options.h"
#include "format/base/file.h"
#include "format/time/time_text.h"
#include "format/cli/message.h"
#include "format/cli/options.h"

#include <string.h>

extern const struct pl_command pl_cmd_push;

enum option {
    OPT_URL,
    OPT_STATE,
    OPT_FOLLOW,
    OPT_COUNTERS,
    OPT_FROM,
    OPT_TO,
    OPT_AT,
    OPT_EVERY,
    OPT_TZ,
    OPT_GROUP,
    OPT_EACH_PROCESS,
    OPT_TOP,
    OPT_FORECAST,
    OPT_BEARER,
    OPT_USER,
    OPT_CA,
    OPT_CERT,
    OPT_KEY,
    OPT_RETRY_FOR,
    OPT_ENCODING,
    OPT_MAX_BLOCK,
    OPT_QUIET,
};

/* clang-format off */
static const struct pl_option options[] = {
    [OPT_URL] = { 0, "url", "URL",
        "where the receiver accepts remote write, such as "
        "http://localhost:8428/api/v1/write" },
    [OPT_STATE] = { 0, "state", "FILE",
        "go on after what was sent before, and keep in FILE how far that has "
        "come" },
    [OPT_FOLLOW] = { 'f', "follow", NULL,
        "go on as the log grows, until interrupted or it ends" },
    [OPT_COUNTERS] = PL_OPTION_COUNTERS,
    PL_OPTIONS_TIMES,
    [OPT_EVERY] = { 0, "every", "T",
        "a value per T (15s, 1m) instead of per sample, calculated from all "
        "samples in it; T:max, T:min or T:last takes one of their values" },
    [OPT_TZ] = PL_OPTION_TZ,
    [OPT_GROUP] = { 0, "group", "name|user|unit|command|parent",
        "processes summed by user, unit (of systemd, or container), command "
        "line or parent instead of name" },
    [OPT_EACH_PROCESS] = { 0, "each-process", NULL,
        "single processes, NAME:PID as instance: see --forecast first" },
    [OPT_TOP] = { 0, "top", "N",
        "of processes only those that are, or were within ten minutes, among "
        "the N first by processor time, working set or input and output" },
    [OPT_FORECAST] = { 0, "forecast", NULL,
        "send nothing; show how many series and samples a day these are" },
    [OPT_BEARER] = { 0, "bearer", "FILE",
        "the token in FILE says who we are" },
    [OPT_USER] = { 0, "user", "FILE",
        "the NAME:PASSWORD in FILE says who we are" },
    [OPT_CA] = { 0, "ca", "FILE",
        "certificates (PEM) of who may sign the receiver's, instead of the "
        "system's" },
    [OPT_CERT] = { 0, "cert", "FILE", "our own certificate (PEM)" },
    [OPT_KEY] = { 0, "key", "FILE", "its key (PEM)" },
    [OPT_RETRY_FOR] = { 0, "retry-for", "T",
        "give up when the receiver accepts nothing for T (default: 5m; with "
        "--follow never)" },
    [OPT_ENCODING] = PL_OPTION_ENCODING,
    [OPT_MAX_BLOCK] = PL_OPTION_MAX_BLOCK,
    [OPT_QUIET] = PL_OPTION_QUIET,
};
/* clang-format on */

struct command_line {
    struct pl_push push; /* first, as the layout gets this */
    bool has_group, each_process, has_retry_for;
};

static bool take_group(const struct pl_command *self, struct command_line *l,
                       const char *arg)
{
    l->has_group = true;
    l->push.plan.group = pl_regroup_key(arg);
    return l->push.plan.group || pl_option_wrong_choice(self, OPT_GROUP, arg);
}

/* In the delivery 0 is no limit; given here it is the shortest one. */
static bool take_retry_for(const struct pl_command *self,
                           struct command_line *l, const char *arg)
{
    uint64_t *ns = &l->push.delivery.give_up_ns;

    l->has_retry_for = true;
    if (pl_parse_duration(arg, ns))
        return pl_option_wrong(self, OPT_RETRY_FOR, arg,
                               "give a length of time such as 10m");
    if (!*ns)
        *ns = 1;
    return true;
}

/* Found now, not after all has been sent. */
static bool take_state(const struct pl_command *self, struct command_line *l,
                       const char *arg)
{
    size_t n = strlen(arg);

    l->push.state = arg;
    return (n && !pl_path_is_separator(arg[n - 1]) && !pl_dir_exists(arg)) ||
           pl_option_wrong(self, OPT_STATE, arg, "give the name of a file");
}

static bool take_every(const struct pl_command *self, struct command_line *l,
                       const char *arg)
{
    return !pl_parse_every(arg, &l->push.plan.every) ||
           pl_option_wrong(self, OPT_EVERY, arg, PL_EVERY_WANTED);
}

static bool take_option(const struct pl_command *self, void *ctx, int option,
                        const char *arg)
{
    struct command_line *l = ctx;
    struct pl_sender_options *o = &l->push.delivery.options;

    switch ((enum option)option) {
    case OPT_URL:
        o->url = arg;
        return true;
    case OPT_STATE:
        return take_state(self, l, arg);
    case OPT_FOLLOW:
        l->push.plan.follow = true;
        return true;
    case OPT_EVERY:
        return take_every(self, l, arg);
    case OPT_GROUP:
        return take_group(self, l, arg);
    case OPT_EACH_PROCESS:
        l->each_process = true;
        return true;
    case OPT_TOP:
        return (!pl_parse_count(arg, &l->push.top) && l->push.top) ||
               pl_option_wrong(self, option, arg, "give a number such as 10");
    case OPT_FORECAST:
        l->push.forecasts = true;
        return true;
    case OPT_BEARER:
        o->bearer = arg;
        return true;
    case OPT_USER:
        o->user = arg;
        return true;
    case OPT_CA:
        o->ca = arg;
        return true;
    case OPT_CERT:
        o->cert = arg;
        return true;
    case OPT_KEY:
        o->key = arg;
        return true;
    case OPT_RETRY_FOR:
        return take_retry_for(self, l, arg);
    default:
        return false;
    }
}

/* What is wrong with the options together; NULL: nothing. */
static const char *misfit(const struct command_line *l)
{
    const struct pl_sender_options *o = &l->push.delivery.options;

    if (!o->url && !l->push.forecasts)
        return "name the receiver with --url, or take --forecast";
    if (l->has_group && l->each_process)
        return "--group and --each-process exclude each other; choose one";
    if (o->bearer && o->user)
        return "--bearer and --user exclude each other; choose one";
    if (o->key && !o->cert)
        return "--key is the key of --cert; name that, too";
    if (l->push.forecasts && l->push.plan.follow)
        return "--forecast is of what the log has; leave out --follow";
    return NULL;
}

static bool settle(struct command_line *l)
{
    const char *what = misfit(l);

    if (what)
        pl_say("push: %s", what);
    if (!l->has_group && !l->each_process)
        l->push.plan.group = pl_regroup_key("name");
    l->push.plan.ungrouped = l->has_group
                                 ? "take --each-process instead of --group"
                                 : "take --each-process";
    if (!l->has_retry_for)
        l->push.delivery.give_up_ns =
            l->push.plan.follow ? 0 : 300 * (uint64_t)PL_NS_PER_SEC;
    return !what;
}

static enum pl_exit run_push(const struct pl_command *self, int argc,
                             char **argv)
{
    struct command_line l = { .push = {
                                  .plan = { .layout = &pl_layout_push } } };
    enum pl_exit code;

    if (pl_query_options(self, argc, argv, take_option, &l, &l.push.plan,
                         &code)) {
        code = PL_EXIT_FAILED;
        if (settle(&l))
            code = pl_query_command(self, &l.push.plan, argc, argv);
    }
    if (l.push.forecasts && !pl_flush_stdout() && code != PL_EXIT_FAILED)
        code = pl_say_status("output", PL_IO, NULL);
    if (code != PL_EXIT_FAILED && pl_push_losses(&l.push) > code)
        code = pl_push_losses(&l.push);
    pl_push_release(&l.push);
    pl_counter_path_list_release(&l.push.plan.paths);
    return code;
}

const struct pl_command pl_cmd_push = {
    .name = "push",
    .summary = "Send a log to Prometheus, VictoriaMetrics and others",
    .usage = "--url URL [OPTION...] LOG...",
    .options = options,
    .num_options = sizeof options / sizeof *options,
    .notes =
        "LOG is a file, a folder of segments, or - for standard input. Sent "
        "by\n"
        "Prometheus remote write, as perflog_<object>_<counter>_<unit>.\n"
        "Exit status: 0 good, 1 failed or nothing matched, 2 damage was "
        "left\nout, or samples were refused or lost, 3 part of it needs a "
        "newer perflog,\n4 nothing readable.",
    .run = run_push,
};
