/* Start of the program on POSIX systems: only signals have to be set. */
#include "format/cli/process_init.h"

#include <signal.h>

enum pl_status pl_process_init(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    signal(SIGXFSZ, SIG_IGN); /* over the file size limit, write() fails */
    return PL_OK;
}

void pl_process_ignore_pipes(void)
{
    signal(SIGPIPE, SIG_IGN);
}
