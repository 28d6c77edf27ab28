/*                                                 format/cli/option_file.h
 * Options from a file instead of the command line: one long option a line,
 * without its dashes: "interval = 5s", or just "all" if it has no argument.
 * Empty lines and lines that begin with '#' are skipped.  The options are those
 * of the command's table.
 */
#ifndef PL_FORMAT_CLI_OPTION_FILE_H
#define PL_FORMAT_CLI_OPTION_FILE_H

#include "format/base/buf.h"
#include "format/cli/options.h"

#include <stdbool.h>

/* All zero: not open. */
struct pl_option_file {
    const struct pl_command *command;
    const char *path;
    struct pl_buf text; /* arguments point into it */
    char *rest;
};

/* False: a message has been printed. */
bool pl_option_file_open(struct pl_option_file *c,
                         const struct pl_command *command, const char *path);
void pl_option_file_release(struct pl_option_file *c);

/*
 * The next option, as pl_option_next: its index in the table with *arg, which
 * is valid as long as 'c'; PL_OPTION_END; PL_OPTION_WRONG: a message has been
 * printed.
 */
int pl_option_file_next(struct pl_option_file *c, const char **arg);

#endif
