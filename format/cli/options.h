/*                                                     format/cli/options.h
 * One table per command says which options it has; parsing, --help and
 * messages about wrong options follow from it.
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
    const char *arg;  /* what its argument is called; NULL: it has none */
    const char *help; /* a sentence without full stop; wrapped when shown */
};

struct pl_command {
    const char *name;
    const char *summary; /* a line */
    const char *usage;   /* what follows "perflog NAME" */
    const struct pl_option *options;
    size_t num_options;
    const char *notes; /* after the options in --help; NULL: none */
    bool unlimited;    /* it has no --max-memory, as it takes little */
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
    PL_OPTION_HELP = -2,  /* --help was given and has been answered */
    PL_OPTION_WRONG = -3, /* a message has been printed */
};

/*
 * The next option: its index in the table, with *arg, or one of the above.
 * Options may stand among operands; "--" ends them.  Those that all commands
 * have are dealt with here.
 */
int pl_option_next(const struct pl_command *c, int argc, char **argv,
                   const char **arg);

/* What stands behind -c; false: a message has been printed. */
bool pl_option_paths(const struct pl_command *c,
                     struct pl_counter_path_list *list, const char *arg);

/* Index of the first operand, valid after PL_OPTION_END. */
int pl_operands(void);

void pl_command_help(const struct pl_command *c, FILE *out);

#endif
