/*                                             format/cli/shared_options.h
 * Options of several commands: their rows, the loop over a command's options,
 * and the messages about wrong ones.  An option that only stores its argument
 * has a row in the command's table and a place; the others are passed to the
 * command.
 */
#ifndef PL_FORMAT_CLI_SHARED_OPTIONS_H
#define PL_FORMAT_CLI_SHARED_OPTIONS_H

#include "format/cli/message.h"
#include "format/cli/options.h"

#include <stdbool.h>
#include <stddef.h>

/* clang-format off */
#define PL_OPTION_PATHS(help) { 'c', "counters", "PATH", help }
#define PL_OPTION_QUIET { 'q', "quiet", NULL, "say nothing but errors" }
/* clang-format on */

/* Store option 'option' of a command, whose argument is 'arg', in 'to'.  False:
 * an error has been reported. */
typedef bool pl_take_option(const struct pl_command *c, void *to, int option,
                            const char *arg);

pl_take_option pl_take_text;  /* to: const char * */
pl_take_option pl_take_flag;  /* to: bool, becomes true */
pl_take_option pl_take_paths; /* to: struct pl_counter_path_list, added to */
pl_take_option pl_take_count; /* to: uint64_t, from 1 up */

struct pl_option_place {
    const char *name; /* of the option, its long form */
    pl_take_option *take;
    void *to; /* NULL: this command has no such option, or takes it itself */
};

/* Where the options of a command go. */
struct pl_option_places {
    const struct pl_option_place *rows;
    size_t num;
    pl_take_option *others; /* takes all other options; NULL: there are none */
    void *ctx;              /* of 'others' */
};

/* Take one option; false: an error has been reported. */
bool pl_option_take(const struct pl_command *c, int option, const char *arg,
                    const struct pl_option_places *to);

/*
 * Take all options.  False: the command ends here, with *code; otherwise
 * operands begin at pl_operands().
 */
bool pl_options_take(const struct pl_command *c, int argc, char **argv,
                     const struct pl_option_places *to, enum pl_exit *code);

/* Report that --OPTION 'arg' is wrong, and 'what' to do.  Returns false. */
bool pl_option_wrong(const struct pl_command *c, int option, const char *arg,
                     const char *what);

/* The same for an option whose argument is one of "a|b|c": all are named. */
bool pl_option_wrong_choice(const struct pl_command *c, int option,
                            const char *arg);

#endif
