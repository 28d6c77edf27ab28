/* The packing child as a process of Windows. */
#include "logger/record/packer_child.h"

#include "format/base/buf.h"
#include "format/base/utf16_windows.h"
#include "format/cli/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct pl_packer_child {
    HANDLE process;
};

enum { MOST_PATH = 32768 };

static void put_times(struct pl_buf *out, char c, size_t n)
{
    while (n--)
        pl_buf_u8(out, (uint8_t)c);
}

/* In quotes, as Microsoft's C library takes a command line apart: backslashes
 * count only before a quote. */
static void put_argument(struct pl_buf *out, const char *text)
{
    size_t backslashes = 0;

    pl_buf_u8(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            put_times(out, '\\', backslashes + 1);
        backslashes = *text == '\\' ? backslashes + 1 : 0;
        pl_buf_u8(out, (uint8_t)*text);
    }
    put_times(out, '\\', backslashes);
    pl_buf_bytes(out, "\" ", 2);
}

/* The arguments as one text of UTF-16, to be freed; NULL and errno. */
static wchar_t *command_line(char **argv)
{
    struct pl_buf line = { 0 };
    wchar_t *wide = NULL;
    int n;

    while (*argv)
        put_argument(&line, *argv++);
    pl_buf_u8(&line, 0);
    if (!line.oom) {
        n = MultiByteToWideChar(CP_UTF8, 0, (const char *)line.p, -1, NULL, 0);
        wide = calloc((size_t)n + 1, sizeof *wide);
        if (wide)
            MultiByteToWideChar(CP_UTF8, 0, (const char *)line.p, -1, wide, n);
    }
    pl_buf_release(&line);
    if (!wide)
        errno = ENOMEM;
    return wide;
}

static bool spawn(HANDLE *process, char **argv)
{
    STARTUPINFOW how = { .cb = sizeof how };
    PROCESS_INFORMATION made = { 0 };
    wchar_t *program = calloc(MOST_PATH, sizeof *program);
    wchar_t *line = program ? command_line(argv) : NULL;
    bool good = false;

    if (line && GetModuleFileNameW(NULL, program, MOST_PATH - 1)) {
        good = CreateProcessW(program, line, NULL, NULL, FALSE,
                              CREATE_NO_WINDOW | IDLE_PRIORITY_CLASS, NULL,
                              NULL, &how, &made);
        if (!good)
            pl_last_failure();
    }
    if (good) {
        CloseHandle(made.hThread);
        *process = made.hProcess;
    }
    free(line);
    free(program);
    return good;
}

int pl_packer_child_start(struct pl_packer_child **out, char **argv)
{
    struct pl_packer_child *c = calloc(1, sizeof *c);

    errno = ENOMEM;
    if (c && !spawn(&c->process, argv)) {
        int error = errno;

        free(c);
        c = NULL;
        errno = error;
    }
    *out = c;
    return c ? 0 : errno;
}

bool pl_packer_child_has_ended(struct pl_packer_child *c,
                               enum pl_packer_end_kind *end)
{
    DWORD code = PL_EXIT_FAILED;

    if (WaitForSingleObject(c->process, 0) == WAIT_TIMEOUT)
        return false;
    GetExitCodeProcess(c->process, &code);
    *end = code == PL_EXIT_FAILED       ? PL_PACKER_FAILED
           : code <= PL_EXIT_UNREADABLE ? PL_PACKER_DONE
                                        : PL_PACKER_KILLED;
    CloseHandle(c->process);
    free(c);
    return true;
}

/* A process without a window cannot be asked.  What it leaves is removed by the
 * next one that packs the segment. */
void pl_packer_child_stop(struct pl_packer_child *c)
{
    (void)c;
}

void pl_packer_child_leave(struct pl_packer_child *c)
{
    TerminateProcess(c->process, PL_EXIT_FAILED);
    CloseHandle(c->process);
    free(c);
}
