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

bool pl_stdout_size(unsigned *lines, unsigned *columns)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
        return false;
    *lines = size.ws_row;
    *columns = size.ws_col;
    return size.ws_row && size.ws_col;
}

bool pl_stdout_is_pipe(void)
{
    struct stat st;

    return !fstat(STDOUT_FILENO, &st) &&
           (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}
