/*                                                  format/cli/completion.h
 * Shell completion: candidates for a word of a command line (commands, options
 * and the words they take), all from the tables of options.h.  A shell's script
 * (pl_completion_script) only requests and shows them.
 */
#ifndef PL_FORMAT_CLI_COMPLETION_H
#define PL_FORMAT_CLI_COMPLETION_H

#include "format/cli/options.h"

#include <stdio.h>

/* What may be completed besides the words that have been printed. */
enum pl_completion_more {
    PL_COMPLETE_NOTHING,
    PL_COMPLETE_FILES,
    PL_COMPLETE_LOGS, /* files of logs, and folders */
    PL_COMPLETE_FOLDERS,
    PL_COMPLETE_COUNTERS, /* paths that begin with 'text' */
    PL_COMPLETE_NAMES,    /* counters' names, behind the last colon of 'text' */
};

struct pl_completion {
    enum pl_completion_more more;
    const char *text;
    const char *log; /* whose counters; NULL: this machine's */
};

/*
 * Print to 'out' the candidates for words[at], "WORD<tab>HELP" a line; words[0]
 * is the program.  'words' are as typed, with quotes that may still be open;
 * they are changed, and the returned texts point into them.
 *
 * The name of an argument in the table decides: words joined by '|' are the
 * candidates, except those in capitals; FILE stands for a
 * file, DIR a folder, PATH a counter's path, ZONE a time zone, and "N[:COUNTER]"
 * for a number and a counter's name.  Operands are logs, unless the usage has
 * "FILE...".
 */
struct pl_completion
pl_completion_words(const struct pl_command *const *commands, size_t num,
                    char **words, size_t num_words, size_t at, FILE *out);

/* The script for bash, zsh or fish; NULL: no such shell. */
const char *pl_completion_script(const char *shell);

#endif
