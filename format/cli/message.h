/*                                                     format/cli/message.h
 * Messages of commands: one line on standard error, beginning with the
 * program's name, safe for a terminal whatever a file's name or contents are.
 * Only files of commands call this.  Also here: the exit statuses.
 */
#ifndef PL_FORMAT_CLI_MESSAGE_H
#define PL_FORMAT_CLI_MESSAGE_H

#include "format/base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The program's exit statuses; of several the greatest is returned. */
enum pl_exit {
    PL_EXIT_GOOD = 0,
    PL_EXIT_FAILED = 1,  /* usage, I/O, or nothing matched */
    PL_EXIT_DAMAGED = 2, /* damage was found and skipped; samples are lost */
    PL_EXIT_TOO_NEW = 3, /* part of the log needs a newer perflog */
    PL_EXIT_UNREADABLE = 4,
};

static inline enum pl_exit pl_exit_worse(enum pl_exit a, enum pl_exit b)
{
    return a > b ? a : b;
}

/*
 * Print "perflog: TEXT" on standard error; 'format' as printf's (PL_PRINTF is
 * the compiler's name for that, which differs between systems).
 */
void pl_say(const char *format, ...) __attribute__((format(PL_PRINTF, 1, 2)));

/*
 * Print "perflog: FILE: reason"; 'why' (may be NULL) explains PL_UNSAFE; for
 * PL_IO the reason is errno's.  Returns the exit status for 's'.
 */
enum pl_exit pl_say_status(const char *file, enum pl_status s, const char *why);

/* The plural ending of a noun counted by 'n'. */
static inline const char *pl_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/*
 * Print 'text' to standard output, safe for a terminal, without a line end;
 * returns its columns there.  This and pl_say show characters beyond ASCII as
 * '?' when memory has run out.
 */
size_t pl_print_visible(const char *text);

/*
 * Flush standard output.  False: a write failed, now or before; errno says
 * why.
 */
bool pl_flush_stdout(void);

/* True if standard error is a terminal. */
bool pl_stderr_is_terminal(void);
/* True if another program reads standard output: a pipe or a socket. */
bool pl_stdout_is_pipe(void);
/* True if 'f', which is written to, is a terminal. */
bool pl_is_terminal(FILE *f);
/* The size of standard output's terminal; false: it is none, or not known. */
bool pl_stdout_size(unsigned *lines, unsigned *columns);

#endif
