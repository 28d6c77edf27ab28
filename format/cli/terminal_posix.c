/* Terminals of POSIX systems. */
#include "format/cli/message.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

bool pl_is_terminal(FILE *f)
{
    return isatty(fileno(f));
}

bool pl_stderr_is_terminal(void)
{
    return isatty(STDERR_FILENO);
}

unsigned pl_stdout_lines(void)
{
    struct winsize size;

    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_row;
}

bool pl_stdout_is_pipe(void)
{
    struct stat st;

    return !fstat(STDOUT_FILENO, &st) &&
           (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}
