/* perflog diagnose: findings of a log, the most severe first. */
#include "analyze/cli/common_options.h"
#include "analyze/diagnose/diagnose.h"
#include "analyze/output/output_file.h"
#include "format/base/text_lines.h"
#include "format/cli/message.h"
#include "format/cli/named_form.h"
#include "format/cli/options.h"
#include "format/cli/process_init.h"

#include <stdlib.h>
#include <string.h>

extern const struct pl_command pl_cmd_diagnose;

enum option {
    OPT_FROM,
    OPT_TO,
    OPT_AT,
    OPT_FINDINGS,
    OPT_RULES,
    OPT_PRINT_RULES,
    OPT_JSON,
    OPT_TZ,
    OPT_OUTPUT,
    OPT_ENCODING,
    OPT_MAX_BLOCK,
    OPT_QUIET,
};

/* clang-format off */
static const struct pl_option options[] = {
    PL_OPTIONS_TIMES,
    [OPT_FINDINGS] = { 'n', "findings", "N",
        "the N most severe findings (default: 10)" },
    [OPT_RULES] = { 0, "rules", "FILE",
        "rules of your own, which add to the built-in ones or replace them; "
        "may be repeated" },
    [OPT_PRINT_RULES] = { 0, "print-rules", NULL,
        "print the rules in the form that --rules reads, and do nothing else" },
    [OPT_JSON] = PL_OPTION_JSON,
    [OPT_TZ] = PL_OPTION_TZ_OF_LOG,
    [OPT_OUTPUT] = PL_OPTION_OUTPUT("FILE",
        "write FILE instead of standard output; FILE.json is JSON"),
    [OPT_ENCODING] = PL_OPTION_ENCODING,
    [OPT_MAX_BLOCK] = PL_OPTION_MAX_BLOCK,
    [OPT_QUIET] = PL_OPTION_QUIET,
};
/* clang-format on */

struct command {
    struct pl_diagnose_plan plan; /* the first member */
    bool print;
    struct pl_buf printed; /* texts of the user's rules */
};

/* ---- rules --------------------------------------------------------------- */

static bool add_rules(struct command *c, const char *path, const char *text)
{
    char why[PL_RULE_WHY];
    size_t line;
    enum pl_status s = pl_rules_add(&c->plan.rules, text, &line, why);

    if (s == PL_USAGE)
        pl_say("%s: line %zu: %s", path, line, why);
    else if (s)
        pl_say_status(path, s, NULL);
    return !s;
}

static bool take_rules(struct command *c, const char *path)
{
    struct pl_buf text = { 0 };
    enum pl_status s = pl_text_lines_read(&text, path);
    bool good = false;

    if (s)
        pl_say_status(path, s, NULL);
    else if (strlen((const char *)text.p) + 1 != text.len)
        pl_say("%s: is not text", path);
    else
        good = add_rules(c, path, (const char *)text.p);
    if (good) {
        pl_buf_bytes(&c->printed, text.p, text.len - 1);
        if (text.len > 1 && text.p[text.len - 2] != '\n')
            pl_buf_u8(&c->printed, '\n');
    }
    pl_buf_release(&text);
    return good;
}

static enum pl_exit print_rules(const struct command *c)
{
    const char *path = c->plan.query.output;
    struct pl_output_file out;
    enum pl_form form = PL_FORM_RULES;
    enum pl_exit code;
    enum pl_status s;

    if (!pl_form_settle("diagnose", path, 0, &form))
        return PL_EXIT_FAILED;
    code = pl_output_file_open_or_say(&out, path, 0666);
    if (code)
        return code;
    s = c->printed.oom ? PL_NOMEM
                       : pl_output_file_write(&out, pl_built_in_rules,
                                              strlen(pl_built_in_rules));
    if (!s && c->printed.len)
        s = pl_output_file_write(&out, c->printed.p, c->printed.len);
    if (!s)
        s = pl_output_file_commit(&out);
    code = s ? pl_say_status(path ? path : "output", s, NULL) : PL_EXIT_GOOD;
    pl_output_file_discard(&out);
    return code;
}

/* ---- options ------------------------------------------------------------- */

static bool take_findings(struct pl_diagnose_plan *p, const char *arg)
{
    return !pl_parse_count(arg, &p->most) && p->most &&
           p->most <= PL_DIAGNOSE_MOST;
}

static bool take_option(const struct pl_command *self, void *ctx, int option,
                        const char *arg)
{
    struct command *c = ctx;

    switch ((enum option)option) {
    case OPT_FINDINGS:
        return take_findings(&c->plan, arg) ||
               pl_option_wrong(self, option, arg,
                               "give a number of findings up to 1000");
    case OPT_RULES:
        return take_rules(c, arg);
    case OPT_PRINT_RULES:
        c->print = true;
        return true;
    case OPT_JSON:
        c->plan.query.layout = &pl_layout_diagnose_json;
        return true;
    default:
        return false;
    }
}

/* ---- the command --------------------------------------------------------- */

static enum pl_exit run_plan(struct pl_diagnose_plan *p, char **operands,
                             int num)
{
    struct pl_counter_path_list list = { 0 };
    struct pl_replay_options *o = &p->query.replay;
    enum pl_exit code;

    o->choice.paths = &list;
    if (!pl_diagnose_choose(&p->rules, &list))
        o->choice.matched = calloc(list.num + 1, sizeof(bool));
    if (!o->choice.matched)
        code = pl_say_status("diagnose", PL_NOMEM, NULL);
    else
        code = pl_query_run(&p->query, operands, num);
    free(o->choice.matched);
    pl_counter_path_list_release(&list);
    return code;
}

/* FILE.json is JSON. */
static bool settle_form(struct pl_query_plan *p)
{
    enum pl_form form =
        p->layout == &pl_layout_diagnose_json ? PL_FORM_JSON : PL_FORM_TEXT;

    if (!pl_form_settle("diagnose", p->output, 1U << PL_FORM_JSON, &form))
        return false;
    if (form == PL_FORM_JSON)
        p->layout = &pl_layout_diagnose_json;
    return true;
}

static enum pl_exit run(struct command *c, int argc, char **argv)
{
    int first = pl_operands();

    if (c->print)
        return print_rules(c);
    if (first == argc) {
        pl_say("diagnose: name a log, such as out.plog; see 'perflog diagnose "
               "--help'");
        return PL_EXIT_FAILED;
    }
    if (!settle_form(&c->plan.query))
        return PL_EXIT_FAILED;
    return run_plan(&c->plan, argv + first, argc - first);
}

static enum pl_exit run_diagnose(const struct pl_command *self, int argc,
                                 char **argv)
{
    struct command c = {
        .plan = { .query = { .command = self->name,
                             .layout = &pl_layout_diagnose },
                  .most = PL_DIAGNOSE_USUAL },
    };
    enum pl_exit code = PL_EXIT_FAILED;

    pl_process_ignore_pipes();
    if (add_rules(&c, "built-in rules", pl_built_in_rules) &&
        pl_query_options(self, argc, argv, take_option, &c, &c.plan.query,
                         &code))
        code = run(&c, argc, argv);
    pl_rules_release(&c.plan.rules);
    pl_counter_path_list_release(&c.plan.query.paths);
    pl_buf_release(&c.printed);
    return code;
}

const struct pl_command pl_cmd_diagnose = {
    .name = "diagnose",
    .summary = "What was wrong with the machine, when, and who did it",
    .usage = "[OPTION...] LOG...",
    .options = options,
    .num_options = sizeof options / sizeof *options,
    .notes =
        "LOG is a file or a folder of segments. Findings are the most severe "
        "first; with\n--from and --to, those of that time.\n"
        "Exit status: 0 good, with findings or without, 1 failed or nothing "
        "there,\n2 damage was left out, 3 part of it needs a newer perflog, "
        "4 nothing readable.",
    .run = run_diagnose,
};
