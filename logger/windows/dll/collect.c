/*
 * The functions Open, Collect and Close of perflog_provider.dll, which Windows
 * calls in every program that reads performance data.  They keep nothing
 * between calls and never wait; a failure gives no objects instead of an error,
 * as an error would also lose other providers' data.
 */
#include "logger/provider/titles.h"
#include "logger/windows/dll/object_writer.h"

#include "format/base/file.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* What the registry names; as in Windows' winperf.h. */
__declspec(dllexport) DWORD WINAPI perflog_open(LPWSTR devices);
__declspec(dllexport) DWORD WINAPI
    perflog_collect(LPWSTR value, LPVOID *data, LPDWORD len, LPDWORD num);
__declspec(dllexport) DWORD WINAPI perflog_close(void);

enum { ROOM = 1024 };

/* The table that was installed. */
struct installed {
    wchar_t service[ROOM]; /* as this library's file is called */
    uint64_t def_hash;
    DWORD first, last;
};

static bool find_service(wchar_t service[ROOM])
{
    static const wchar_t ours;
    HMODULE module;
    wchar_t path[ROOM], *name, *end;
    DWORD n;

    if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                            &ours, &module))
        return false;
    n = GetModuleFileNameW(module, path, ROOM);
    if (!n || n >= ROOM)
        return false;
    name = wcsrchr(path, L'\\');
    name = name ? name + 1 : path;
    end = wcsrchr(name, L'.');
    if (end)
        *end = 0;
    wcscpy(service, name);
    return !wcsncmp(service, L"" PL_INSTALLED_PREFIX,
                    strlen(PL_INSTALLED_PREFIX));
}

static bool read_value(const wchar_t *key, const wchar_t *name, DWORD type,
                       void *value, DWORD size)
{
    DWORD n = size;

    return !RegGetValueW(HKEY_LOCAL_MACHINE, key, name, type, NULL, value,
                         &n) &&
           n == size;
}

static bool find_installed(struct installed *i)
{
    wchar_t key[2 * ROOM];

    if (!find_service(i->service))
        return false;
    swprintf(key, 2 * ROOM, L"" PL_INSTALLED_KEY "%ls\\Performance",
             i->service);
    return read_value(key, L"First Counter", RRF_RT_REG_DWORD, &i->first,
                      sizeof i->first) &&
           read_value(key, L"Last Counter", RRF_RT_REG_DWORD, &i->last,
                      sizeof i->last) &&
           read_value(key, L"" PL_INSTALLED_TABLE, RRF_RT_REG_QWORD,
                      &i->def_hash, sizeof i->def_hash);
}

/* ERROR_SUCCESS, or that there is not room enough. */
static DWORD hand_over(const struct pl_buf *answer, uint32_t objects,
                       LPVOID *data, LPDWORD len, LPDWORD num)
{
    DWORD room = *len;

    *len = *num = 0;
    if (answer->len > room)
        return ERROR_MORE_DATA;
    if (answer->len)
        memcpy(*data, answer->p, answer->len);
    *data = (uint8_t *)*data + answer->len;
    *len = (DWORD)answer->len;
    *num = objects;
    return ERROR_SUCCESS;
}

/* All that is there, whether it is asked for or not, at one moment. */
static DWORD collect(const wchar_t *value, const struct installed *i,
                     LPVOID *data, LPDWORD len, LPDWORD num)
{
    struct pl_region_groups groups;
    LARGE_INTEGER frequency;
    struct pl_question q = { .value = value,
                             .own = i->first,
                             .first = i->first + PL_OWN_END };
    struct pl_buf answer = { 0 };
    uint32_t objects = 0;
    DWORD error = ERROR_SUCCESS;

    QueryPerformanceFrequency(&frequency);
    q.perf_freq = frequency.QuadPart;
    pl_region_groups_open(&groups, i->service + strlen(PL_INSTALLED_PREFIX),
                          i->def_hash);
    q.now_100ns = pl_clock_boot() / 100;
    if (pl_object_writer_table(&answer, &objects, &groups, &q, i->last)) {
        pl_buf_clear(&answer);
        objects = 0;
    }
    error = hand_over(&answer, objects, data, len, num);
    pl_region_groups_close(&groups, objects && !error);
    pl_buf_release(&answer);
    return error;
}

DWORD WINAPI perflog_open(LPWSTR devices)
{
    (void)devices;
    return ERROR_SUCCESS;
}

DWORD WINAPI perflog_collect(LPWSTR value, LPVOID *data, LPDWORD len,
                             LPDWORD num)
{
    const wchar_t *chosen = value;
    struct installed i;

    if (pl_question_is_ours(&chosen) && find_installed(&i))
        return collect(chosen, &i, data, len, num);
    *len = *num = 0;
    return ERROR_SUCCESS;
}

DWORD WINAPI perflog_close(void)
{
    return ERROR_SUCCESS;
}
