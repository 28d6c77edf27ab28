/* perflog pack: logs that are complete, in half the space. */
#include "analyze/cli/common_options.h"
#include "analyze/copy/packed_log.h"
#include "analyze/input/host_log.h"
#include "format/base/file.h"
#include "format/base/privileges.h"
#include "format/threads/priority.h"
#include "format/time/time_text.h"
#include "format/cli/message.h"
#include "format/cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

extern const struct pl_command pl_cmd_pack;

enum option { OPT_IDLE, OPT_MIN_FREE, OPT_QUIET };

/* clang-format off */
static const struct pl_option options[] = {
    [OPT_IDLE] = { 0, "idle", NULL,
        "take only the processor and disk time that other programs leave" },
    [OPT_MIN_FREE] = { 0, "min-free", "SIZE",
        "pack a log only if SIZE of the file system stays free meanwhile" },
    [OPT_QUIET] = PL_OPTION_QUIET,
};
/* clang-format on */

struct work {
    struct pl_progress progress;
    uint64_t done;     /* bytes of the logs that are done */
    uint64_t min_free; /* 0: not asked for */
    bool idle;
    bool full;  /* the file system is: others would not be packed either */
    bool again; /* another try may pack what was not packed now */
    bool quiet;
    enum pl_exit code; /* the worst so far */
};

static void say_packed(const char *path, const struct pl_pack_result *r)
{
    char old[PL_SIZE_TEXT], new[PL_SIZE_TEXT];

    pl_say("%s: packed, %" PRIu64 " sample%s, %s instead of %s", path,
           r->samples, pl_plural(r->samples), pl_size_text(r->new_size, new),
           pl_size_text(r->old_size, old));
}

static enum pl_exit say_not_packed(const char *path, enum pl_status s,
                                   const struct pl_pack_result *r)
{
    switch (s) {
    case PL_BUSY:
        pl_say("%s: not packed: %s", path, r->why);
        return PL_EXIT_FAILED;
    case PL_NO_SPACE:
        pl_say("%s: not packed: %s", path, r->why);
        return PL_EXIT_FAILED;
    case PL_TRUNCATED:
        if (!r->why)
            return pl_say_status(path, s, NULL);
        pl_say("%s: not packed: %s", path, r->why);
        return PL_EXIT_UNREADABLE;
    case PL_CORRUPT:
        pl_say("%s: not packed: it is damaged; 'perflog repair' makes a clean "
               "log of it, which can be packed",
               path);
        return PL_EXIT_DAMAGED;
    case PL_UNSUPPORTED:
        pl_say("%s: not packed: part of it needs a newer perflog", path);
        return PL_EXIT_TOO_NEW;
    case PL_TOO_LARGE:
        pl_say("%s: not packed: its samples are too large", path);
        return PL_EXIT_FAILED;
    case PL_NOT_A_LOG:
        pl_say("%s: not packed: it is no log of perflog; 'perflog import' "
               "makes one of Windows' logs",
               path);
        return PL_EXIT_UNREADABLE;
    default:
        return pl_say_status(path, s, r->why);
    }
}

/* What others do is no error where a folder was named, or in the background:
 * they record, pack, link and delete. */
static bool is_expected(const struct work *w, enum pl_status s,
                        const struct pl_pack_result *r, bool in_folder)
{
    if (r->is_defect)
        return false;
    if (w->idle)
        return s == PL_BUSY || (s == PL_UNSAFE && r->is_others) ||
               r->is_empty || (s == PL_IO && errno == ENOENT);
    return in_folder && (s == PL_BUSY || r->is_empty);
}

static void pack_one(struct work *w, const char *path, bool in_folder)
{
    struct pl_pack_result r;
    enum pl_status s =
        pl_packed_log_make(path, &w->progress, w->done,
                           w->idle ? PL_PACK_IDLE_LEVEL : PL_PACK_LEVEL,
                           w->idle && !w->min_free ? 1 : w->min_free, &r);
    bool expected = is_expected(w, s, &r, in_folder);
    enum pl_exit code = PL_EXIT_GOOD;

    pl_progress_end(&w->progress);
    w->done += r.old_size;
    if (s == PL_END || expected) {
        if (!w->quiet)
            pl_say("%s: not packed: %s", path,
                   s == PL_IO ? pl_status_text(s) : r.why);
    } else if (s) {
        w->full = s == PL_NO_SPACE || (s == PL_IO && pl_file_is_full(errno));
        w->again |= s == PL_NO_SPACE || s == PL_IO || s == PL_NOMEM;
        code = say_not_packed(path, s, &r);
    } else if (!w->quiet) {
        say_packed(path, &r);
    }
    if (code > w->code)
        w->code = code;
}

/* All logs of an operand. */
static void pack_operand(struct work *w, char *operand)
{
    bool in_folder = pl_dir_exists(operand);
    struct pl_host_logs logs;
    enum pl_exit code;

    if (strcmp(operand, "-") == 0) {
        pl_say("pack: standard input cannot be replaced; name a file");
        w->code = pl_exit_worse(w->code, PL_EXIT_FAILED);
        return;
    }
    if (!in_folder) {
        pack_one(w, operand, false);
        return;
    }
    code = pl_host_logs_open_whole_or_say(&logs, &operand, 1, w->quiet);
    if (code) {
        w->code = code > w->code ? code : w->code;
        return;
    }
    for (size_t i = 0; i < logs.num; i++)
        for (size_t k = 0; k < logs.logs[i].num_paths; k++)
            if (!logs.logs[i].foreign[k].file)
                pack_one(w, logs.logs[i].paths[k], true);
    pl_host_logs_release(&logs);
}

static bool take(const struct pl_command *c, void *to, int option,
                 const char *arg)
{
    struct work *w = to;

    if (option == OPT_IDLE)
        w->idle = true;
    else if (pl_parse_size(arg, &w->min_free))
        return pl_option_wrong(c, option, arg, "give a size such as 500M");
    return true;
}

/* The recorder tries again what failed, and that alone. */
static enum pl_exit idle_code(const struct work *w)
{
    if (w->again)
        return PL_EXIT_FAILED;
    return w->code == PL_EXIT_FAILED ? PL_EXIT_GOOD : w->code;
}

static enum pl_exit run_pack(const struct pl_command *self, int argc,
                             char **argv)
{
    struct work w = { .code = PL_EXIT_GOOD };
    const struct pl_shared_values to = { .quiet = &w.quiet };
    enum pl_exit code;

    if (!pl_command_options(self, argc, argv, &to, take, &w, &code))
        return code;
    if (pl_operands() == argc) {
        pl_say("pack: name a log; see 'perflog pack --help'");
        return PL_EXIT_FAILED;
    }
    pl_progress_start(&w.progress, "packing", 0, w.quiet);
    if (w.idle) {
        pl_priority_idle();
        pl_privileges_drop();
    }
    for (int i = pl_operands(); i < argc && !w.full; i++)
        pack_operand(&w, argv[i]);
    return w.idle ? idle_code(&w) : w.code;
}

const struct pl_command pl_cmd_pack = {
    .name = "pack",
    .summary = "Store logs that are complete in half the space",
    .usage = "[OPTION...] LOG...",
    .options = options,
    .num_options = sizeof options / sizeof *options,
    .notes = "Every command reads a packed log, and gets the same samples from "
             "it, byte for\nbyte.  LOG is replaced only when the packed one is "
             "on the disk and has been\ncompared with it.  Damage in a packed "
             "log costs up to 300 samples, not 60.\n"
             "The new file has the group, the rights and the attributes of "
             "LOG; where "
             "they cannot\nbe given to it, LOG stays as it is.\n"
             "Exit status: 0 packed, or nothing to gain, 1 failed, 2 LOG is "
             "damaged, 3 part\nof it needs a newer perflog, 4 nothing "
             "readable; LOG is then as it was.",
    .run = run_pack,
};
