/*                                                     format/cli/options.h
 * Options of commands: one table per command, from which parsing, --help and
 * messages about wrong options follow.
 */
#ifndef PL_FORMAT_CLI_OPTIONS_H
#define PL_FORMAT_CLI_OPTIONS_H

#include "format/cli/message.h"
#include "format/block/counter_path.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pl_option {
    char letter;      /* 0: long form only */
    const char *name; /* long form */
    const char *arg;  /* name of its argument; NULL: it has none */
    const char *help; /* a sentence without full stop; wrapped when shown */
};

struct pl_command {
    const char *name;
    const char *summary; /* one line */
    const char *usage;   /* what follows "perflog NAME" */
    const struct pl_option *options;
    size_t num_options;
    const char *notes; /* after the options in --help; NULL: none */
    bool unlimited;    /* no --max-memory, as it takes little memory */
    /* argv[0] is the command's name. */
    enum pl_exit (*run)(const struct pl_command *self, int argc, char **argv);
};

/*
 * Option 'i' of a command: those of its table, then those that all commands
 * have; NULL: there are no more.
 */
const struct pl_option *pl_command_option(const struct pl_command *c, size_t i);

enum {
    PL_OPTION_END = -1,   /* no more; operands begin at pl_operands() */
    PL_OPTION_HELP = -2,  /* --help was given, and help has been printed */
    PL_OPTION_WRONG = -3, /* a message has been printed */
};

/*
 * The next option: its index in the table, with *arg, or one of the above.
 * Options may come between operands; "--" ends them.  Those that all commands
 * have are handled here.
 */
int pl_option_next(const struct pl_command *c, int argc, char **argv,
                   const char **arg);

/* Add the argument of -c to 'list'; false: a message has been printed. */
bool pl_option_paths(const struct pl_command *c,
                     struct pl_counter_path_list *list, const char *arg);

/* Index of the first operand, valid after PL_OPTION_END. */
int pl_operands(void);

void pl_command_help(const struct pl_command *c, FILE *out);

#endif
