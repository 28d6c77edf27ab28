/*                                                     format/cli/message.h
 * What a command says to people: one line on standard error, beginning with
 * the program's name, safe for a terminal whatever a file's name or contents
 * are.  Only command files call this.  Also here: the exit statuses.
 */
#ifndef PL_FORMAT_CLI_MESSAGE_H
#define PL_FORMAT_CLI_MESSAGE_H

#include "format/base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The program's exit statuses; of several the greatest holds. */
enum pl_exit {
    PL_EXIT_GOOD = 0,
    PL_EXIT_FAILED = 1,  /* usage, I/O, or nothing matched */
    PL_EXIT_DAMAGED = 2, /* damage was found and passed over; samples lost */
    PL_EXIT_TOO_NEW = 3, /* part of it needs a newer perflog */
    PL_EXIT_UNREADABLE = 4,
};

/*
 * "perflog: TEXT" on standard error; printf's format, which the compiler of
 * each system knows by another name.
 */
void pl_say(const char *format, ...) __attribute__((format(PL_PRINTF, 1, 2)));

/*
 * "perflog: FILE: reason", 'why' (may be NULL) explaining PL_UNSAFE; for
 * PL_IO the reason is errno's.  Returns the exit status that belongs to it.
 */
enum pl_exit pl_say_status(const char *file, enum pl_status s, const char *why);

/* What stands behind a word of which there are 'n'. */
static inline const char *pl_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/*
 * 'text' to standard output, safe for a terminal, without a line end.  Both
 * this and pl_say show letters beyond ASCII as '?' when memory has run out.
 */
void pl_print_visible(const char *text);

/*
 * Write out what standard output holds.  False: something that was printed did
 * not get there, now or before; errno says why.
 */
bool pl_flush_stdout(void);

/* True if a person watches standard error. */
bool pl_stderr_is_terminal(void);
/* True if another program reads standard output: a pipe or a socket. */
bool pl_stdout_is_pipe(void);
/* The same for a file that is written to. */
bool pl_is_terminal(FILE *f);

#endif
