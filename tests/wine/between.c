/*
 * Stands between Wine and a provider: "between-NAME.dll" hands everything on
 * to perflog-NAME.dll beside it, but for what Wine 8 does wrong (wine_fault.h).
 */
#include "tests/wine/wine_fault.h"

#include <wchar.h>

/* What the registry names. */
__declspec(dllexport) PM_OPEN_PROC between_open;
__declspec(dllexport) PM_COLLECT_PROC between_collect;
__declspec(dllexport) PM_CLOSE_PROC between_close;

static HMODULE library;

static void find(const char *name, void *function, size_t size)
{
    FARPROC found = GetProcAddress(library, name);

    memcpy(function, &found, size);
}

static HMODULE load(void)
{
    static const wchar_t from[] = L"between-", to[] = L"perflog-";
    HMODULE here;
    wchar_t path[1024], *name;

    if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                            from, &here) ||
        !GetModuleFileNameW(here, path, sizeof path / sizeof *path))
        return NULL;
    name = wcsstr(path, from);
    if (!name)
        return NULL;
    memcpy(name, to, wcslen(to) * sizeof *to);
    return LoadLibraryW(path);
}

DWORD WINAPI between_open(LPWSTR devices)
{
    PM_OPEN_PROC *open;

    library = load();
    if (!library)
        return ERROR_FILE_NOT_FOUND;
    find("perflog_open", &open, sizeof open);
    return open(devices);
}

DWORD WINAPI between_collect(LPWSTR value, LPVOID *data, LPDWORD len,
                             LPDWORD num)
{
    PM_COLLECT_PROC *collect;

    find("perflog_collect", &collect, sizeof collect);
    if (is_misplaced(*data)) {
        *data = (BYTE *)*data - WINE_FAULT;
        *len += WINE_FAULT;
    }
    return collect(value, data, len, num);
}

DWORD WINAPI between_close(void)
{
    PM_CLOSE_PROC *close;

    find("perflog_close", &close, sizeof close);
    close();
    FreeLibrary(library);
    return ERROR_SUCCESS;
}
