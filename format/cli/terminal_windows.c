/* The console of Windows. */
#include "format/cli/message.h"

#include <io.h>
#include <windows.h>

/* _isatty() would be wrong for the device NUL. */
bool pl_is_terminal(FILE *f)
{
    DWORD mode;

    return GetConsoleMode((HANDLE)_get_osfhandle(_fileno(f)), &mode);
}

bool pl_stderr_is_terminal(void)
{
    return pl_is_terminal(stderr);
}

bool pl_stdout_size(unsigned *lines, unsigned *columns)
{
    CONSOLE_SCREEN_BUFFER_INFO info;

    if (!GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &info))
        return false;
    *lines = (unsigned)(info.srWindow.Bottom - info.srWindow.Top + 1);
    *columns = (unsigned)(info.srWindow.Right - info.srWindow.Left + 1);
    return true;
}

bool pl_stdout_is_pipe(void)
{
    return GetFileType((HANDLE)_get_osfhandle(_fileno(stdout))) ==
           FILE_TYPE_PIPE;
}
