/* A program of POSIX systems: only signals need a word. */
#include "format/cli/program.h"

#include <signal.h>

enum pl_status pl_program_begin(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error like others */
    return PL_OK;
}

void pl_program_ignore_pipes(void)
{
    signal(SIGPIPE, SIG_IGN);
}
