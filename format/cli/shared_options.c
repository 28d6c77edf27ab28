/* Takes options, and reports wrong ones. */
#include "format/cli/shared_options.h"

#include "format/base/buf.h"
#include "format/time/time_text.h"

#include <stdint.h>
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

bool pl_take_text(const struct pl_command *c, void *to, int option,
                  const char *arg)
{
    const char **text = to;

    (void)c;
    (void)option;
    *text = arg;
    return true;
}

bool pl_take_flag(const struct pl_command *c, void *to, int option,
                  const char *arg)
{
    bool *flag = to;

    (void)c;
    (void)option;
    (void)arg;
    *flag = true;
    return true;
}

bool pl_take_paths(const struct pl_command *c, void *to, int option,
                   const char *arg)
{
    (void)option;
    return pl_option_paths(c, to, arg);
}

bool pl_take_count(const struct pl_command *c, void *to, int option,
                   const char *arg)
{
    uint64_t *count = to;

    return (!pl_parse_count(arg, count) && *count) ||
           pl_option_wrong(c, option, arg, "give a number from 1 up");
}

bool pl_option_take(const struct pl_command *c, int option, const char *arg,
                    const struct pl_option_places *to)
{
    for (size_t i = 0; i < to->num; i++) {
        const struct pl_option_place *row = &to->rows[i];

        if (row->to && !strcmp(row->name, c->options[option].name))
            return row->take(c, row->to, option, arg);
    }
    return to->others && to->others(c, to->ctx, option, arg);
}

bool pl_options_take(const struct pl_command *c, int argc, char **argv,
                     const struct pl_option_places *to, enum pl_exit *code)
{
    const char *arg;
    int option;

    *code = PL_EXIT_FAILED;
    while ((option = pl_option_next(c, argc, argv, &arg)) >= 0)
        if (!pl_option_take(c, option, arg, to))
            return false;
    if (option == PL_OPTION_HELP)
        *code = PL_EXIT_GOOD;
    return option == PL_OPTION_END;
}
