/* Options that commands share. */
#include "analyze/cli/common_options.h"

#include "analyze/cli/did_you_mean.h"
#include "format/base/time_text.h"
#include "format/base/zone.h"

#include <inttypes.h>

bool pl_command_options(const struct pl_command *c, int argc, char **argv,
                        bool (*take)(const struct pl_command *c, void *ctx,
                                     int option, const char *arg),
                        void *ctx, enum pl_exit *code)
{
    const char *arg;
    int option;

    *code = PL_EXIT_FAILED;
    while ((option = pl_option_next(c, argc, argv, &arg)) >= 0)
        if (!take(c, ctx, option, arg))
            return false;
    if (option == PL_OPTION_HELP)
        *code = PL_EXIT_GOOD;
    return option == PL_OPTION_END;
}

bool pl_option_wrong(const struct pl_command *c, int option, const char *arg,
                     const char *what)
{
    pl_say("%s: --%s '%s': %s", c->name, c->options[option].name, arg, what);
    return false;
}

bool pl_option_zone(const struct pl_command *c, int option, const char *arg)
{
    return !pl_zone_set(arg) || pl_option_wrong(c, option, arg, pl_zone_wanted);
}

bool pl_option_max_block(const struct pl_command *c, int option,
                         const char *arg, uint64_t *max_block)
{
    return (!pl_parse_size(arg, max_block) && *max_block) ||
           pl_option_wrong(c, option, arg, "give a size such as 64M");
}

/* Parse one end of a time range. */
static enum pl_exit take_time(const char *command, const char *option,
                              const char *arg, int64_t first, int64_t last,
                              bool *has, int64_t *ns)
{
    *has = arg != NULL;
    if (!arg || !pl_parse_time(arg, first, last, ns))
        return PL_EXIT_GOOD;
    pl_say("%s: --%s '%s': not a time; see 'perflog %s --help'", command,
           option, arg, command);
    return PL_EXIT_FAILED;
}

enum pl_exit pl_command_window(const char *command, const char *from,
                               const char *to, const struct pl_host_logs *tapes,
                               struct pl_time_range *window)
{
    int64_t first = tapes->tapes[0].first_utc, last = 0;
    enum pl_exit code;

    for (size_t i = 1; i < tapes->num; i++)
        if (tapes->tapes[i].first_utc < first)
            first = tapes->tapes[i].first_utc;
    if ((from && pl_time_is_from_end(from)) ||
        (to && pl_time_is_from_end(to))) {
        code = pl_host_logs_last_time_or_say(tapes, &last);
        if (code)
            return code;
    }
    code = take_time(command, "from", from, first, last, &window->has_from,
                     &window->from_ns);
    if (!code)
        code = take_time(command, "to", to, first, last, &window->has_to,
                         &window->to_ns);
    if (!code && window->has_from && window->has_to &&
        window->from_ns >= window->to_ns) {
        pl_say("%s: --from is not before --to", command);
        code = PL_EXIT_FAILED;
    }
    return code;
}

void pl_say_unmatched(const char *log, const struct pl_registry *names,
                      const struct pl_counter_path_list *paths, size_t i)
{
    struct pl_buf near = { 0 };

    if (names && pl_did_you_mean_path(&near, names, &paths->paths[i]))
        pl_say("%s: nothing matches '%s'; did you mean '%s'? 'perflog list' "
               "tells what there is",
               log, paths->texts[i], (const char *)near.p);
    else
        pl_say("%s: nothing matches '%s'; 'perflog list' tells what there is",
               log, paths->texts[i]);
    pl_buf_release(&near);
}
