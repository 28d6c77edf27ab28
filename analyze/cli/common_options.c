/* Options that commands share. */
#include "analyze/cli/common_options.h"

#include "analyze/cli/did_you_mean.h"
#include "format/base/time_text.h"
#include "format/base/zone.h"

#include <string.h>

bool pl_option_wrong(const struct pl_command *c, int option, const char *arg,
                     const char *what)
{
    pl_say("%s: --%s '%s': %s", c->name, c->options[option].name, arg, what);
    return false;
}

bool pl_option_wrong_choice(const struct pl_command *c, int option,
                            const char *arg)
{
    const char *choice = c->options[option].arg;
    const char *last = strrchr(choice, '|');
    struct pl_buf text = { 0 };

    pl_buf_bytes(&text, "give ", 5);
    for (; *choice; choice++)
        if (choice == last)
            pl_buf_bytes(&text, " or ", 4);
        else if (*choice == '|')
            pl_buf_bytes(&text, ", ", 2);
        else
            pl_buf_bytes(&text, choice, 1);
    pl_buf_bytes(&text, "", 1);
    pl_option_wrong(c, option, arg,
                    text.oom ? "not a choice" : (const char *)text.p);
    pl_buf_release(&text);
    return false;
}

/* ---- shared options ------------------------------------------------------ */

/* What takes an option's argument into 'to', a member of pl_shared_values. */
typedef bool take_shared(const struct pl_command *c, int option,
                         const char *arg, void *to);

static bool take_text(const struct pl_command *c, int option, const char *arg,
                      void *to)
{
    const char **text = to;

    (void)c;
    (void)option;
    *text = arg;
    return true;
}

static bool take_flag(const struct pl_command *c, int option, const char *arg,
                      void *to)
{
    bool *flag = to;

    (void)c;
    (void)option;
    (void)arg;
    *flag = true;
    return true;
}

static bool take_paths(const struct pl_command *c, int option, const char *arg,
                       void *to)
{
    (void)option;
    return pl_option_paths(c, to, arg);
}

static bool zone_wrong(const struct pl_command *c, int option, const char *arg)
{
    char near[PL_NEAR_ZONE];

    if (!*pl_did_you_mean_zone(arg, near))
        return pl_option_wrong(c, option, arg, pl_zone_wanted);
    pl_say("%s: --%s '%s': no such zone; did you mean '%s'?", c->name,
           c->options[option].name, arg, near);
    return false;
}

static bool take_zone(const struct pl_command *c, int option, const char *arg,
                      void *to)
{
    enum pl_tz *tz = to;
    enum pl_status s;

    *tz = PL_TZ_LOG;
    if (!strcmp(arg, "log"))
        return true;
    *tz = PL_TZ_GIVEN;
    s = pl_zone_set(arg);
    if (s == PL_NOMEM) {
        pl_say_status(c->name, s, NULL);
        return false;
    }
    return !s || zone_wrong(c, option, arg);
}

static bool take_max_block(const struct pl_command *c, int option,
                           const char *arg, void *to)
{
    uint64_t *size = to;

    return (!pl_parse_size(arg, size) && *size) ||
           pl_option_wrong(c, option, arg, "give a size such as 64M");
}

static bool take_row(const struct pl_command *c, int option, const char *arg,
                     const struct pl_shared_values *to, bool *taken)
{
    const struct {
        const char *name;
        take_shared *take;
        void *to;
    } rows[] = {
        { "output", take_text, to->output },
        { "from", take_text, to->times ? &to->times->from : NULL },
        { "to", take_text, to->times ? &to->times->to : NULL },
        { "at", take_text, to->times ? &to->times->at : NULL },
        { "counters", take_paths, to->paths },
        { "max-block", take_max_block, to->max_block },
        { "tz", take_zone, to->tz },
        { "json", take_flag, to->json },
        { "quiet", take_flag, to->quiet },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].to && !strcmp(rows[i].name, c->options[option].name)) {
            *taken = true;
            return rows[i].take(c, option, arg, rows[i].to);
        }
    *taken = false;
    return true;
}

bool pl_command_options(const struct pl_command *c, int argc, char **argv,
                        const struct pl_shared_values *to,
                        bool (*take)(const struct pl_command *c, void *ctx,
                                     int option, const char *arg),
                        void *ctx, enum pl_exit *code)
{
    const char *arg;
    int option;
    bool taken;

    *code = PL_EXIT_FAILED;
    while ((option = pl_option_next(c, argc, argv, &arg)) >= 0)
        if (!take_row(c, option, arg, to, &taken) ||
            (!taken && !(take && take(c, ctx, option, arg))))
            return false;
    if (option == PL_OPTION_HELP)
        *code = PL_EXIT_GOOD;
    return option == PL_OPTION_END;
}

/* "; there is no instance 'Total' of it" */
static void put_mistake(struct pl_buf *out, enum pl_path_mistake mistake,
                        const struct pl_counter_path *path)
{
    const struct {
        const char *before;
        struct pl_text part;
    } texts[] = {
        [PL_NO_SUCH_OBJECT] = { "there is no object", path->object },
        [PL_NO_SUCH_COUNTER] = { "the object has no counter", path->counter },
        [PL_NO_SUCH_HOST] = { "there is no host", path->host },
        [PL_NO_SUCH_INSTANCE] = { "the object has no instance",
                                  path->instance },
        [PL_NO_SUCH_SERIES] = { "its parts occur, but not together", { 0 } },
    };
    const char *before = texts[mistake].before;

    pl_buf_bytes(out, before, strlen(before));
    if (texts[mistake].part.p) {
        pl_buf_bytes(out, " '", 2);
        pl_buf_bytes(out, texts[mistake].part.p, texts[mistake].part.n);
        pl_buf_bytes(out, "'", 1);
    }
    pl_buf_u8(out, 0);
}

void pl_say_unmatched(const char *log, const struct pl_registry *names,
                      const struct pl_counter_path_list *paths, size_t i)
{
    const struct pl_counter_path *path = &paths->paths[i];
    struct pl_buf near = { 0 }, mistake = { 0 };

    if (names)
        put_mistake(&mistake, pl_did_you_mean_path(&near, names, path), path);
    if (!names || mistake.oom)
        pl_say("%s: nothing matches '%s'; 'perflog list' tells what there is",
               log, paths->texts[i]);
    else if (near.len && !near.oom)
        pl_say("%s: nothing matches '%s': %s; did you mean '%s'? 'perflog "
               "list' tells what there is",
               log, paths->texts[i], (const char *)mistake.p,
               (const char *)near.p);
    else
        pl_say("%s: nothing matches '%s': %s; 'perflog list' tells what there "
               "is",
               log, paths->texts[i], (const char *)mistake.p);
    pl_buf_release(&near);
    pl_buf_release(&mistake);
}
