/* Start of the program on POSIX systems: standard streams and signals. */
#include "format/cli/process_init.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/*
 * A log that is opened where a standard stream was closed would get what is said
 * there.  What is opened instead fails as the closed one does: it cannot be read,
 * or written.
 */
static void fill_closed_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

enum pl_status pl_process_init(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    fill_closed_streams();
    signal(SIGXFSZ, SIG_IGN); /* over the file size limit, write() fails */
    return PL_OK;
}

void pl_process_ignore_pipes(void)
{
    signal(SIGPIPE, SIG_IGN);
}
