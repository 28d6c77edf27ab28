/*                                                format/cli/process_init.h
 * What a program does first and how it meets its system's habits.
 * program_posix.c and program_windows.c implement it.
 */
#ifndef PL_FORMAT_CLI_PROCESS_INIT_H
#define PL_FORMAT_CLI_PROCESS_INIT_H

#include "format/base/status.h"

/*
 * Called first in main: replaces the arguments by the same in UTF-8 where the
 * system has them otherwise, and makes the standard streams carry bytes as
 * they are.  The arguments live as long as the program.  PL_NOMEM.
 */
enum pl_status pl_process_init(int *argc, char ***argv);

/* From now on a reader of our output that went away is an error of writing. */
void pl_process_ignore_pipes(void);

#endif
