/*
 * Registers counters with Windows: the library that returns their values, named
 * in the registry, and their names, passed to lodctr as a file of its format.
 */
#include "logger/provider/pl_install.h"

#include "logger/provider/internal.h"
#include "logger/provider/titles.h"
#include "logger/provider/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

enum { ROOM = 1024, MOST_TEXT = 4 * PL_REGION_MAX_HELP, MOST_ASIDE = 9 };

/* Paths and names, and where an error is written. */
struct job {
    wchar_t service[64]; /* "perflog-PROGRAM" */
    wchar_t program[PL_REGION_MAX_PROGRAM + 1];
    wchar_t folder[ROOM]; /* of the running program, with '\' */
    char *why;
    size_t len;
};

static int fail(const struct job *j, const char *what, DWORD error)
{
    if (error == ERROR_ACCESS_DENIED)
        snprintf(j->why, j->len, "%s: access is denied; be administrator",
                 what);
    else if (error)
        snprintf(j->why, j->len, "%s (error %lu)", what, error);
    else
        snprintf(j->why, j->len, "%s", what);
    return -1;
}

static int begin(struct job *j, const char *program)
{
    char name[PL_REGION_MAX_PROGRAM + 1];
    DWORD n = GetModuleFileNameW(NULL, j->folder, ROOM / 2);
    wchar_t *end = n && n < ROOM / 2 ? wcsrchr(j->folder, L'\\') : NULL;

    if (!end)
        return fail(j, "the program's folder cannot be found", GetLastError());
    end[1] = 0;
    pl_prov_clean_name(name, program);
    swprintf(j->program, sizeof j->program / sizeof(wchar_t), L"%hs", name);
    swprintf(j->service, sizeof j->service / sizeof(wchar_t),
             L"" PL_INSTALLED_PREFIX "%hs", name);
    return 0;
}

/* "FOLDER\perflog-PROGRAM.dll" */
static void path_of(const struct job *j, const wchar_t *ending,
                    wchar_t out[ROOM])
{
    swprintf(out, ROOM, L"%ls%ls%ls", j->folder, j->service, ending);
}

/* ---- the registry ------------------------------------------------------- */

static void key_of(const struct job *j, const wchar_t *below, wchar_t out[ROOM])
{
    swprintf(out, ROOM, L"" PL_INSTALLED_KEY "%ls%ls", j->service, below);
}

static bool has_titles(const struct job *j)
{
    wchar_t key[ROOM];
    DWORD first, n = sizeof first;

    key_of(j, L"\\Performance", key);
    return !RegGetValueW(HKEY_LOCAL_MACHINE, key, L"First Counter",
                         RRF_RT_REG_DWORD, NULL, &first, &n);
}

static int set_text(const struct job *j, HKEY key, const wchar_t *name,
                    const wchar_t *value)
{
    LSTATUS error =
        RegSetValueExW(key, name, 0, REG_SZ, (const BYTE *)value,
                       (DWORD)((wcslen(value) + 1) * sizeof *value));

    return error ? fail(j, "the registry cannot be written", (DWORD)error) : 0;
}

static int fill_key(const struct job *j, HKEY key, uint64_t hash)
{
    wchar_t library[ROOM];
    LSTATUS error;

    path_of(j, L".dll", library);
    if (set_text(j, key, L"Library", library) ||
        set_text(j, key, L"Open", L"perflog_open") ||
        set_text(j, key, L"Collect", L"perflog_collect") ||
        set_text(j, key, L"Close", L"perflog_close"))
        return -1;
    error = RegSetValueExW(key, L"" PL_INSTALLED_TABLE, 0, REG_QWORD,
                           (const BYTE *)&hash, sizeof hash);
    return error ? fail(j, "the registry cannot be written", (DWORD)error) : 0;
}

static int register_library(const struct job *j, uint64_t hash)
{
    wchar_t name[ROOM];
    HKEY key;
    LSTATUS error;
    int code;

    key_of(j, L"\\Performance", name);
    error = RegCreateKeyExW(HKEY_LOCAL_MACHINE, name, 0, NULL, 0, KEY_WRITE,
                            NULL, &key, NULL);
    if (error)
        return fail(j, "the registry cannot be written", (DWORD)error);
    code = fill_key(j, key, hash);
    RegCloseKey(key);
    return code;
}

/* ---- the file for lodctr ------------------------------------------------ */

/* Both files while they are written: names by symbol, symbols by number. */
struct names {
    FILE *ini, *symbols;
    unsigned number;
};

/* UTF-16, so that names may have any letters. */
static void put(FILE *f, const char *text)
{
    wchar_t wide[MOST_TEXT];
    int n = MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, MOST_TEXT);

    if (n > 1)
        fwrite(wide, sizeof *wide, (size_t)n - 1, f);
}

static void put_name(struct names *n, const char *name, const char *more,
                     const char *help)
{
    char symbol[64];

    fprintf(n->symbols, "#define PERFLOG_%u %u\r\n", n->number, n->number);
    snprintf(symbol, sizeof symbol, "PERFLOG_%u_009_NAME=", n->number);
    put(n->ini, symbol);
    put(n->ini, name);
    put(n->ini, more);
    snprintf(symbol, sizeof symbol, "\r\nPERFLOG_%u_009_HELP=", n->number);
    put(n->ini, symbol);
    put(n->ini, help ? help : "");
    put(n->ini, "\r\n");
    n->number += 2;
}

static void put_names(struct names *n, const char *program,
                      const struct pl_prov_object *table, uint32_t num)
{
    put_name(n, pl_prov_own_object.name, program, pl_prov_own_object.help);
    for (size_t i = 0; i < PL_NUM_OWN; i++)
        put_name(n, pl_prov_own_titles[i].name, "", pl_prov_own_titles[i].help);
    for (uint32_t k = 0; k < num; k++) {
        put_name(n, table[k].name, "", table[k].help);
        for (uint32_t i = 0; i < table[k].num_counters; i++) {
            const struct pl_prov_counter *c = &table[k].counters[i];

            if (!pl_prov_type_of(c->type)->is_base)
                put_name(n, c->name, "", c->help);
        }
    }
}

static FILE *create(const struct job *j, const wchar_t *ending)
{
    wchar_t path[ROOM];

    path_of(j, ending, path);
    return _wfopen(path, L"wb");
}

static int write_names(const struct job *j, const struct pl_prov_object *table,
                       uint32_t num)
{
    struct names n = { create(j, L".ini"), create(j, L".h"), 0 };
    char head[256], program[PL_REGION_MAX_PROGRAM + 1];
    int bad = !n.ini || !n.symbols;

    if (!bad) {
        snprintf(program, sizeof program, "%ls", j->program);
        snprintf(head, sizeof head,
                 "\xEF\xBB\xBF[info]\r\ndrivername=" PL_INSTALLED_PREFIX
                 "%s\r\nsymbolfile=" PL_INSTALLED_PREFIX "%s.h\r\n\r\n"
                 "[languages]\r\n009=English\r\n\r\n[text]\r\n",
                 program, program);
        put(n.ini, head);
        put_names(&n, program, table, num);
        bad = ferror(n.ini) | ferror(n.symbols);
    }
    if (n.ini)
        bad |= fclose(n.ini);
    if (n.symbols)
        bad |= fclose(n.symbols);
    return bad ? fail(j,
                      "the list of names cannot be written beside the "
                      "program",
                      GetLastError())
               : 0;
}

/* Run lodctr or unlodctr of this Windows; 0 if it says so. */
static int run(const struct job *j, const wchar_t *tool, const wchar_t *what)
{
    STARTUPINFOW how = { .cb = sizeof how };
    PROCESS_INFORMATION process;
    wchar_t program[ROOM], line[3 * ROOM];
    UINT n = GetSystemDirectoryW(program, ROOM - 32);
    DWORD code = 1;

    if (!n || n >= ROOM - 32)
        return fail(j, "Windows' folder cannot be found", GetLastError());
    swprintf(program + n, ROOM - n, L"\\%ls", tool);
    swprintf(line, 3 * ROOM, L"\"%ls\" \"%ls\"", program, what);
    if (!CreateProcessW(program, line, NULL, NULL, FALSE, CREATE_NO_WINDOW,
                        NULL, NULL, &how, &process))
        return fail(j, "lodctr cannot be run", GetLastError());
    WaitForSingleObject(process.hProcess, INFINITE);
    GetExitCodeProcess(process.hProcess, &code);
    CloseHandle(process.hProcess);
    CloseHandle(process.hThread);
    return code ? fail(j, "lodctr refuses the names", code) : 0;
}

/* ---- both ways ---------------------------------------------------------- */

static int forget_titles(const struct job *j)
{
    return has_titles(j) ? run(j, L"unlodctr.exe", j->service) : 0;
}

/* "FOLDER\perflog-PROGRAM.dll.N", where a library that is in use ends up */
static void path_aside(const struct job *j, int n, wchar_t out[ROOM])
{
    wchar_t ending[16];

    swprintf(ending, sizeof ending / sizeof *ending, L".dll.%d", n);
    path_of(j, ending, out);
}

/* Remove libraries that were set aside and that no program has any more. */
static void remove_aside(const struct job *j)
{
    wchar_t path[ROOM];

    for (int n = 1; n <= MOST_ASIDE; n++) {
        path_aside(j, n, path);
        DeleteFileW(path);
    }
}

/*
 * Give the library another name: Windows lets no loaded one be written to or
 * removed, but lets it be renamed.  It goes at the next start of the machine,
 * or the next time that one is installed.
 */
static bool set_aside(const struct job *j, wchar_t to[ROOM])
{
    wchar_t from[ROOM];

    path_of(j, L".dll", from);
    for (int n = 1; n <= MOST_ASIDE; n++) {
        path_aside(j, n, to);
        if (!MoveFileExW(from, to, 0))
            continue;
        MoveFileExW(to, NULL, MOVEFILE_DELAY_UNTIL_REBOOT);
        return true;
    }
    return false;
}

/* Copy over a library that is in use.  If that fails it stays where it is. */
static bool copy_beside(const struct job *j, const wchar_t *from,
                        const wchar_t *to)
{
    wchar_t aside[ROOM];
    DWORD error;

    if (!set_aside(j, aside))
        return false;
    if (CopyFileW(from, to, FALSE))
        return true;
    error = GetLastError();
    MoveFileExW(aside, to, MOVEFILE_REPLACE_EXISTING);
    SetLastError(error);
    return false;
}

static int copy_library(const struct job *j)
{
    wchar_t from[ROOM], to[ROOM];

    swprintf(from, ROOM, L"%ls" PL_INSTALLED_LIBRARY, j->folder);
    path_of(j, L".dll", to);
    remove_aside(j);
    if (GetFileAttributesW(from) == INVALID_FILE_ATTRIBUTES)
        return fail(j, PL_INSTALLED_LIBRARY " is not beside the program",
                    GetLastError());
    if (CopyFileW(from, to, FALSE) || copy_beside(j, from, to))
        return 0;
    return fail(j, "the program's library cannot be replaced", GetLastError());
}

static uint64_t hash_table(const struct pl_prov_object *table, uint32_t n)
{
    struct pl_region_header h;
    uint8_t *region = calloc(1, pl_prov_measure(table, n, &h));
    uint64_t hash;

    if (!region)
        return 0;
    pl_prov_fill(region, &h, table, n);
    hash = ((const struct pl_region_header *)(const void *)region)->def_hash;
    free(region);
    return hash;
}

int pl_prov_install(const char *program, const struct pl_prov_object *table,
                    uint32_t n, char *why, size_t len)
{
    struct job j = { .why = why, .len = len };
    wchar_t list[ROOM];

    if (pl_prov_check(table, n, why, len) || begin(&j, program) ||
        copy_library(&j) || forget_titles(&j) ||
        register_library(&j, hash_table(table, n)) || write_names(&j, table, n))
        return -1;
    path_of(&j, L".ini", list);
    if (run(&j, L"lodctr.exe", list))
        return -1;
    return has_titles(&j) ? 0 : fail(&j, "lodctr has not taken the names", 0);
}

int pl_prov_uninstall(const char *program, char *why, size_t len)
{
    enum { LIBRARY };
    static const wchar_t *const endings[] = { L".dll", L".ini", L".h" };
    struct job j = { .why = why, .len = len };
    wchar_t name[ROOM], aside[ROOM];
    LSTATUS error;

    if (begin(&j, program) || forget_titles(&j))
        return -1;
    key_of(&j, L"", name);
    error = RegDeleteTreeW(HKEY_LOCAL_MACHINE, name);
    if (error && error != ERROR_FILE_NOT_FOUND)
        return fail(&j, "the registry cannot be written", (DWORD)error);
    remove_aside(&j);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        path_of(&j, endings[i], name);
        if (!DeleteFileW(name) && GetLastError() != ERROR_FILE_NOT_FOUND &&
            (i != LIBRARY || !set_aside(&j, aside)))
            return fail(&j,
                        "a file of the counters is in use or cannot be "
                        "removed",
                        GetLastError());
    }
    return 0;
}
