/*                                                format/cli/process_init.h
 * Start of the program: arguments, standard streams and signals, as far as they
 * depend on the system.  process_init_posix.c and process_init_windows.c
 * implement it.
 */
#ifndef PL_FORMAT_CLI_PROCESS_INIT_H
#define PL_FORMAT_CLI_PROCESS_INIT_H

#include "format/base/status.h"

/*
 * Called first in main: converts the arguments to UTF-8 where the system uses
 * another encoding, sets the standard streams to binary mode, and sees to it that
 * no file takes the place of one that is closed.  The arguments are valid until
 * the program ends.  PL_NOMEM.
 */
enum pl_status pl_process_init(int *argc, char ***argv);

/* From now on, writing to a pipe without a reader is an error, no signal. */
void pl_process_ignore_pipes(void);

#endif
