/* A program of POSIX systems: only signals need a word. */
#include "format/cli/process_init.h"

#include <signal.h>

enum pl_status pl_process_init(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error like others */
    return PL_OK;
}

void pl_process_ignore_pipes(void)
{
    signal(SIGPIPE, SIG_IGN);
}
