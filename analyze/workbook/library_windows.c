/* libxlsxwriter as it is linked on Windows, and the files it opens. */
/* before xlsxwriter.h redefines some of its names */
#include "format/base/utf16_windows.h"

#include "analyze/workbook/library.h"
#include "format/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <wchar.h>

/* Replaces tmpfile(), whose files lie where only administrators may write. */
FILE *pl_xlsx_temporary(void);

/* clang-format off */
#define ROW(name) .name = name,
struct pl_xlsx_calls pl_xlsx = { PL_XLSX_CALLS(ROW) };
#undef ROW
/* clang-format on */

bool pl_xlsx_library_load(void)
{
    return true;
}

/* It is built so that it prints nothing (cmake/WindowsLibraries.cmake). */
bool pl_xlsx_silence_open(struct pl_xlsx_silence *s)
{
    s->is_open = true;
    return true;
}

void pl_xlsx_silence_close(struct pl_xlsx_silence *s)
{
    s->is_open = false;
}

lxw_worksheet *pl_xlsx_add(const struct pl_xlsx_silence *s,
                           lxw_workbook *workbook, const char *name)
{
    (void)s;
    errno = 0;
    return workbook_add_worksheet(workbook, name);
}

lxw_error pl_xlsx_close(const struct pl_xlsx_silence *s, lxw_workbook *workbook)
{
    (void)s;
    errno = 0;
    return workbook_close(workbook);
}

const char *pl_xlsx_folder(const char **variable)
{
    static char text[3 * MAX_PATH + 1];
    wchar_t folder[MAX_PATH + 1];
    DWORD n = GetTempPathW(MAX_PATH + 1, folder);

    *variable = "TMP";
    if (!n || n > MAX_PATH ||
        !WideCharToMultiByte(CP_UTF8, 0, folder, -1, text, sizeof text, NULL,
                             NULL))
        return "the folder of temporary files";
    return text;
}

FILE *pl_xlsx_temporary(void)
{
    wchar_t path[MAX_PATH + 32];
    DWORD n = GetTempPathW(MAX_PATH + 1, path);
    HANDLE handle;

    if (!n || n > MAX_PATH)
        return NULL;
    swprintf(path + n, 32, L"perflog-%llx", (unsigned long long)pl_random());
    handle =
        CreateFileW(path, GENERIC_READ | GENERIC_WRITE | DELETE,
                    FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, CREATE_NEW,
                    FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return NULL;
    return pl_handle_stream(handle, _O_RDWR, "w+b");
}
