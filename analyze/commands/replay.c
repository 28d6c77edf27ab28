/* perflog replay: the page of 'perflog top' on a screen, sample by sample. */
#include "analyze/browse/browse.h"
#include "analyze/cli/common_options.h"
#include "analyze/moment/moment.h"
#include "analyze/screen/screen.h"
#include "format/time/zone.h"
#include "format/cli/message.h"
#include "format/cli/options.h"

#include <string.h>

extern const struct pl_command pl_cmd_replay;

enum option { OPT_AT, OPT_SORT, OPT_TZ, OPT_ENCODING, OPT_MAX_BLOCK };

/* clang-format off */
static const struct pl_option options[] = {
    [OPT_AT] = { 0, "at", "TIME",
        "begin with the sample of TIME; otherwise with the last one, following "
        "a log that is being written" },
    [OPT_SORT] = { 0, "sort", "cpu|memory|disk|io|COUNTER",
        "the processes with the most processor time (default), memory, bytes "
        "read from and written to storage, bytes read and written anywhere, "
        "or of a counter of theirs" },
    [OPT_TZ] = PL_OPTION_TZ_OF_LOG,
    [OPT_ENCODING] = PL_OPTION_ENCODING,
    [OPT_MAX_BLOCK] = PL_OPTION_MAX_BLOCK,
};
/* clang-format on */

static bool take_option(const struct pl_command *self, void *ctx, int option,
                        const char *arg)
{
    struct pl_browse_plan *p = ctx;
    const char *near;
    char what[64];

    if (option != OPT_SORT)
        return false;
    p->sort = arg;
    near = *arg && !pl_moment_sort_of(arg) ? pl_moment_sort_near(arg) : NULL;
    if (near) {
        snprintf(what, sizeof what, "did you mean %s?", near);
        return pl_option_wrong(self, OPT_SORT, arg, what);
    }
    return *arg || pl_option_wrong(self, OPT_SORT, arg, "name a counter");
}

static enum pl_exit show(const struct pl_browse_plan *p)
{
    struct pl_browse *b;
    enum pl_exit code = pl_screen_check(p->command), read;

    if (!code)
        code = pl_browse_open(&b, p);
    if (code)
        return code;
    code = pl_screen_run(p->command, b);
    read = pl_browse_close(b);
    return read > code ? read : code;
}

static enum pl_exit run_replay(const struct pl_command *self, int argc,
                               char **argv)
{
    struct pl_times times = { 0 };
    struct pl_browse_plan p = { .command = self->name };
    const struct pl_shared_values to = {
        .times = &times,
        .max_block = &p.max_block,
        .tz = &p.tz,
    };
    enum pl_exit code;

    if (!pl_command_options(self, argc, argv, &to, take_option, &p, &code))
        return code;
    p.operands = argv + pl_operands();
    p.num = argc - pl_operands();
    p.at = times.at;
    if (p.num)
        return show(&p);
    pl_say("replay: name a log, such as out.plog; see 'perflog replay --help'");
    return PL_EXIT_FAILED;
}

const struct pl_command pl_cmd_replay = {
    .name = "replay",
    .summary = "The page of 'top' on a screen, from sample to sample by keys",
    .usage = "[OPTION...] LOG...",
    .options = options,
    .num_options = sizeof options / sizeof *options,
    .notes = "LOG is a file or a folder of segments.  The key ? lists all "
             "keys, q quits.\n"
             "Exit status: 0 good, 1 failed or nothing there, 2 damage was "
             "left out,\n3 part of it needs a newer perflog, 4 nothing "
             "readable.",
    .run = run_replay,
};
