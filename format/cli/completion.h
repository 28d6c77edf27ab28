/*                                                  format/cli/completion.h
 * What a shell may put in place of a word of a command line: commands,
 * options and the words they take, all from the tables of options.h.  A
 * shell's own part (pl_completion_script) only asks and shows.
 */
#ifndef PL_FORMAT_CLI_COMPLETION_H
#define PL_FORMAT_CLI_COMPLETION_H

#include "format/cli/options.h"

#include <stdio.h>

/* What is wanted besides the words that have been printed. */
enum pl_completion_more {
    PL_COMPLETE_NOTHING,
    PL_COMPLETE_FILES,
    PL_COMPLETE_FOLDERS,
    PL_COMPLETE_COUNTERS, /* paths that begin with 'text' */
};

struct pl_completion {
    enum pl_completion_more more;
    const char *text;
    const char *log; /* to take them from; NULL: this machine */
};

/*
 * Print to 'out' what may stand in place of words[at], "WORD<tab>HELP" a line;
 * words[0] is the program.  'words' are as they were typed, with quotes that
 * may still be open; they are changed, and what is returned points into them.
 *
 * An argument whose name in the table is several words joined by '|' is one of
 * these; a FILE is a file, a DIR a folder, a PATH a counter's path.
 */
struct pl_completion
pl_completion_words(const struct pl_command *const *commands, size_t num,
                    char **words, size_t num_words, size_t at, FILE *out);

/* What bash, zsh or fish is to read; NULL: no such shell. */
const char *pl_completion_script(const char *shell);

#endif
