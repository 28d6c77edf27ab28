/* Terminals of POSIX systems. */
#include "format/message.h"

#include <unistd.h>

bool pl_is_terminal(FILE *f)
{
    return isatty(fileno(f));
}

bool pl_stderr_is_terminal(void)
{
    return isatty(STDERR_FILENO);
}
