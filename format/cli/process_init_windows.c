/*
 * Start of the program on Windows: by default arguments are UTF-16, streams
 * write line ends as two bytes, and the console decodes text by a code page.
 */
#include "format/cli/process_init.h"

#include "format/base/utf16_windows.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * From the C library, without its wildcards.  CommandLineToArgvW of Windows
 * needs shell32 and with it user32, and a program that has loaded user32 gets
 * no CTRL_LOGOFF_EVENT.
 */
void __cdecl __wgetmainargs(int *argc, wchar_t ***argv, wchar_t ***environment,
                            int wildcards, int *new_mode);

static UINT code_page_before;

static void restore_code_page(void)
{
    SetConsoleOutputCP(code_page_before);
}

static void prepare_console(void)
{
    code_page_before = GetConsoleOutputCP();
    if (code_page_before && code_page_before != CP_UTF8 &&
        SetConsoleOutputCP(CP_UTF8))
        atexit(restore_code_page);
}

/* All arguments in UTF-8; NULL: out of memory. */
static char **narrow_all(wchar_t **words, int num)
{
    char **narrow = calloc((size_t)num + 1, sizeof *narrow);

    for (int i = 0; narrow && i < num; i++) {
        narrow[i] = pl_utf16_narrow(words[i]);
        if (!narrow[i])
            return NULL; /* the program ends */
    }
    return narrow;
}

enum pl_status pl_process_init(int *argc, char ***argv)
{
    wchar_t **words = NULL, **environment;
    int new_mode = 0;

    __wgetmainargs(argc, &words, &environment, 0, &new_mode);
    if (!words)
        return PL_NOMEM;
    *argv = narrow_all(words, *argc);
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stderr), _O_BINARY);
    prepare_console();
    return *argv ? PL_OK : PL_NOMEM;
}

/* Windows has no SIGPIPE: writing fails. */
void pl_process_ignore_pipes(void)
{
}
