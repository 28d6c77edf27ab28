/* perflog repair: a clean log with all that is good in another. */
#include "analyze/copy/log_copy.h"
#include "format/cli/message.h"
#include "analyze/cli/common_options.h"
#include "format/cli/named_form.h"
#include "format/cli/options.h"

#include <inttypes.h>

extern const struct pl_command pl_cmd_repair;

enum option { OPT_OUTPUT, OPT_ENCODING, OPT_QUIET };

/* clang-format off */
static const struct pl_option options[] = {
    [OPT_OUTPUT] = PL_OPTION_OUTPUT_NEW,
    [OPT_ENCODING] = PL_OPTION_ENCODING,
    [OPT_QUIET] = PL_OPTION_QUIET,
};
/* clang-format on */

static void say_what_was_done(const struct pl_log_copy *c, const char *old)
{
    const struct pl_log_counts *t = &c->tally;
    const char *where = c->where.path ? c->where.path : old;

    pl_say("%s: %" PRIu64 " sample%s in %" PRIu64 " session%s written to %s",
           old, t->samples, pl_plural(t->samples), t->sessions,
           pl_plural(t->sessions), c->path);
    if (c->lost || c->lost_at_least || t->damaged_ranges || t->unreachable)
        pl_say("%s%s: lost: %s%" PRIu64 " sample%s; damaged ranges: %" PRIu64
               " (%" PRIu64 " byte%s); unreachable samples: %" PRIu64
               "; missing records: %" PRIu64,
               where, pl_places_rest(&c->where),
               c->lost_at_least ? "at least " : "", c->lost, pl_plural(c->lost),
               t->damaged_ranges, t->damaged_bytes, pl_plural(t->damaged_bytes),
               t->unreachable, t->missing_records);
}

/* Report what differs from the source, even with -q. */
static enum pl_exit say_what_is_left(const struct pl_log_copy *c)
{
    const char *path = c->where.path, *rest = pl_places_rest(&c->where);
    const struct pl_log_counts *t = &c->tally;
    enum pl_exit code = pl_log_counts_exit(t);

    if (t->malformed)
        pl_say("%s%s: %" PRIu64
               " samples were recorded with blocks that do not "
               "add up; they are kept as they are",
               path, rest, t->malformed);
    if (t->too_new || c->left_out) {
        pl_say("%s%s: %" PRIu64 " records need a newer perflog and are not in "
               "%s; repair it with that",
               path, rest, t->too_new + c->left_out, c->path);
        if (code < PL_EXIT_TOO_NEW)
            code = PL_EXIT_TOO_NEW;
    }
    return code;
}

static enum pl_exit repair(const char *new_path, bool quiet, char **operands,
                           int num)
{
    struct pl_progress progress;
    struct pl_host_logs logs;
    struct pl_log_copy c = { .path = new_path, .progress = &progress };
    enum pl_form form = PL_FORM_LOG;
    enum pl_exit code;
    enum pl_status s = pl_log_output_check(new_path, operands, num, &c.why);

    if (s)
        return pl_say_status(new_path, s, c.why);
    if (!pl_form_settle("repair", new_path, 0, &form))
        return PL_EXIT_FAILED;
    code = pl_host_logs_open_whole_or_say(&logs, operands, num, quiet);
    if (code)
        return code;
    if (!pl_host_logs_are_one_file(&logs) && logs.num > 1) {
        pl_say("repair: these are logs of several hosts, or some whose host is "
               "lost to damage; repair them one by one");
        pl_host_logs_release(&logs);
        return PL_EXIT_FAILED;
    }
    pl_progress_start(&progress, "repairing", pl_host_logs_bytes(&logs), quiet);
    s = pl_log_copy_all(&c, &logs);
    pl_progress_end(&progress);
    if (s == PL_END ||
        (!s && pl_log_counts_exit(&c.tally) == PL_EXIT_UNREADABLE)) {
        pl_say("%s: holds no readable samples", operands[0]);
        code = PL_EXIT_UNREADABLE;
    } else if (s) {
        code = pl_say_status(c.bad, s, c.why);
    } else if ((s = pl_log_output_commit(&c.log))) {
        code = pl_say_status(new_path, s, NULL);
    } else {
        code = say_what_is_left(&c);
        if (!quiet)
            say_what_was_done(&c, operands[0]);
    }
    pl_log_copy_release(&c);
    pl_host_logs_release(&logs);
    return code;
}

static enum pl_exit run_repair(const struct pl_command *self, int argc,
                               char **argv)
{
    const char *new_path = NULL;
    bool quiet = false;
    const struct pl_shared_values to = { .output = &new_path, .quiet = &quiet };
    enum pl_exit code;

    if (!pl_command_options(self, argc, argv, &to, NULL, NULL, &code))
        return code;
    if (pl_operands() == argc || !new_path) {
        pl_say("repair: name a log and, with -o, the one to be made; see "
               "'perflog repair --help'");
        return PL_EXIT_FAILED;
    }
    return repair(new_path, quiet, argv + pl_operands(), argc - pl_operands());
}

const struct pl_command pl_cmd_repair = {
    .name = "repair",
    .summary = "A clean log with all that is good in a damaged one",
    .usage = "[OPTION...] LOG... -o NEW",
    .options = options,
    .num_options = sizeof options / sizeof *options,
    .notes =
        "LOG is not changed.  NEW shows where something is missing, so that "
        "an export of\nit has the same values and the same blanks.\n"
        "Exit status: 0 LOG was complete, 1 failed, 2 something was lost, 3 "
        "part of it\nneeds a newer perflog, 4 nothing readable.",
    .run = run_repair,
};
