/* The registry of Windows. */
#include "logger/windows/registry.h"

#include "format/base/utf16_windows.h"

#include <stdio.h>
#include <stdlib.h>

struct registry {
    struct pl_windows_registry base;
    HKEY data;     /* the performance data; NULL: the connection was lost */
    HKEY machine;  /* HKEY_LOCAL_MACHINE there */
    wchar_t *host; /* NULL: this machine */
};

/* Value strings are ASCII. */
static void widen(wchar_t *to, size_t cap, const char *from)
{
    size_t n = 0;

    for (; from[n] && n + 1 < cap; n++)
        to[n] = (unsigned char)from[n];
    to[n] = 0;
}

static uint32_t query_title(struct registry *r, const char *folder,
                            const wchar_t *value, void *p, uint32_t *len)
{
    char path[96];
    DWORD n = *len, error;
    HKEY key;

    snprintf(path, sizeof path,
             "SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib\\%s",
             folder);
    error = (DWORD)RegOpenKeyExA(r->machine, path, 0, KEY_QUERY_VALUE, &key);
    if (error)
        return error;
    error = (DWORD)RegQueryValueExW(key, value, NULL, NULL, p, &n);
    RegCloseKey(key);
    *len = n;
    return error;
}

/* 0, or Windows' error. */
static DWORD connect_data(struct registry *r)
{
    DWORD error =
        (DWORD)RegConnectRegistryW(r->host, HKEY_PERFORMANCE_DATA, &r->data);

    if (error)
        r->data = NULL;
    return error;
}

static uint32_t query(struct pl_windows_registry *base, const char *folder,
                      const char *value, void *p, uint32_t *len)
{
    struct registry *r = (struct registry *)base;
    wchar_t wide[1024];
    DWORD n = *len, error;

    widen(wide, sizeof wide / sizeof *wide, value);
    if (folder)
        return query_title(r, folder, wide, p, len);
    error = r->data ? 0 : connect_data(r);
    if (!error)
        error = (DWORD)RegQueryValueExW(r->data, wide, NULL, NULL, p, &n);
    *len = n;
    return error;
}

/* Of another machine the connection goes, and is made anew by the next query:
 * one that was lost never comes back by itself. */
static void let_go(struct pl_windows_registry *base)
{
    struct registry *r = (struct registry *)base;

    if (r->data)
        RegCloseKey(r->data);
    if (r->host)
        r->data = NULL;
}

static void close_registry(struct pl_windows_registry *base)
{
    struct registry *r = (struct registry *)base;

    let_go(base);
    if (r->host)
        RegCloseKey(r->machine);
    free(r->host);
    free(r);
}

/* 0, or Windows' error. */
static DWORD connect_to(struct registry *r, const char *host)
{
    DWORD error;

    r->host = pl_utf16_path(host); /* a server's name looks like one */
    r->data = NULL;
    if (!r->host)
        return ERROR_INVALID_NAME;
    error = connect_data(r);
    if (!error)
        error = (DWORD)RegConnectRegistryW(r->host, HKEY_LOCAL_MACHINE,
                                           &r->machine);
    if (error) {
        let_go(&r->base);
        free(r->host);
    }
    return error;
}

enum pl_status pl_windows_registry_open(struct pl_windows_registry **out,
                                        const char *host, const char **why)
{
    static char reason[320];
    struct registry *r = malloc(sizeof *r);
    DWORD error;

    if (!r)
        return PL_NOMEM;
    *r = (struct registry){ .base = { query, let_go, close_registry },
                            .data = HKEY_PERFORMANCE_DATA,
                            .machine = HKEY_LOCAL_MACHINE };
    error = host ? connect_to(r, host) : 0;
    if (error) {
        free(r);
        snprintf(reason, sizeof reason,
                 "%s: Windows cannot connect to its registry (error %lu); its "
                 "service RemoteRegistry must run and let you in",
                 host, error);
        *why = reason;
        return PL_IO;
    }
    *out = &r->base;
    return PL_OK;
}
