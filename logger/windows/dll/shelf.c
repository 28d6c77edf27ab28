/* The regions that a program publishes now. */
#include "logger/windows/dll/shelf.h"

#include "format/file.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

enum {
    ROOM = 1024,
    MOST_FILES = 4096,
    MOST_BYTES = 64 << 20,
    SHARE_ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
};
/* What a crowd of files may cost whoever is asking, and groups of one that do
 * not end: a region that is busy for ever takes no other's time. */
#define BUDGET_NS INT64_C(250000000)
#define GROUPS_NS INT64_C(1000000)

/* ---- one file --------------------------------------------------------------*/

static HANDLE open_file(const wchar_t *path, DWORD access, DWORD share)
{
    return CreateFileW(path, access, share, NULL, OPEN_EXISTING,
                       FILE_FLAG_OPEN_REPARSE_POINT, NULL);
}

/* Its size; 0: it is nothing that a region could be. */
static size_t size_of(HANDLE file)
{
    const DWORD strange = FILE_ATTRIBUTE_DIRECTORY |
                          FILE_ATTRIBUTE_REPARSE_POINT |
                          FILE_ATTRIBUTE_SPARSE_FILE | FILE_ATTRIBUTE_OFFLINE;
    BY_HANDLE_FILE_INFORMATION info;

    if (GetFileType(file) != FILE_TYPE_DISK ||
        !GetFileInformationByHandle(file, &info) ||
        (info.dwFileAttributes & strange) || info.nNumberOfLinks != 1 ||
        info.nFileSizeHigh ||
        info.nFileSizeLow < sizeof(struct pl_region_header) ||
        info.nFileSizeLow > PL_REGION_MAX_SIZE)
        return 0;
    return info.nFileSizeLow;
}

/* A mapped file cannot be cut short here. */
static uint8_t *map(HANDLE file)
{
    HANDLE section = CreateFileMappingW(file, NULL, PAGE_READONLY, 0, 0, NULL);
    uint8_t *at = NULL;

    if (section) {
        at = MapViewOfFile(section, FILE_MAP_READ, 0, 0, 0);
        CloseHandle(section);
    }
    return at;
}

/*
 * False: nobody has it open for writing, and *file is there to remove it;
 * NULL: we may not.
 */
static bool is_alive(const wchar_t *path, HANDLE *file)
{
    HANDLE alone =
        open_file(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE);
    bool alive = alone == INVALID_HANDLE_VALUE;

    *file = NULL;
    if (alive)
        return true;
    CloseHandle(alone);
    *file = open_file(path, DELETE, SHARE_ALL);
    if (*file == INVALID_HANDLE_VALUE)
        *file = NULL;
    return false;
}

/* ---- one region --------------------------------------------------------------*/

/* A copy of the definitions; NULL: they are not believed, or no memory. */
static uint8_t *prove(const uint8_t *at, const struct pl_region_header *h)
{
    uint8_t *definitions = malloc(h->def_len);

    if (!definitions)
        return NULL;
    memcpy(definitions, at + h->def_at, h->def_len);
    if (!pl_region_check_definitions(h, definitions))
        return definitions;
    free(definitions);
    return NULL;
}

/* One table has one set of definitions, which every header must fit. */
static bool is_of_table(struct pl_shelf *s, const uint8_t *at,
                        const struct pl_region_header *h)
{
    uint8_t *definitions = prove(at, h);
    bool same;

    if (!definitions)
        return false;
    if (!s->definitions) {
        s->definitions = definitions;
        s->header = *h;
        return true;
    }
    same = h->num_objects == s->header.num_objects &&
           h->num_counters == s->header.num_counters &&
           h->def_len == s->header.def_len &&
           !memcmp(definitions, s->definitions, h->def_len);
    free(definitions);
    return same;
}

/* Copy what 'at' holds into the place behind the last; false: nothing of it. */
static bool copy(struct pl_shelf *s, struct pl_shelf_region *r, uint8_t *at,
                 size_t size, uint64_t def_hash)
{
    const struct pl_region_header *live = (const void *)at;
    struct pl_region_header h;
    enum pl_region_reason reason;

    /* Still being made, until it says that it lives. */
    if (!__atomic_load_n(&live->state, __ATOMIC_ACQUIRE) ||
        pl_region_check_header(&h, at, size, size) || h.def_hash != def_hash ||
        h.region_id != r->called.region_id || size > MOST_BYTES - s->bytes ||
        !is_of_table(s, at, &h))
        return false;
    if (pl_region_image_init(&r->image, &h, s->definitions)) {
        pl_region_image_release(&r->image);
        return false;
    }
    r->image.map = at;
    reason =
        pl_region_image_copy(&r->image, NULL, pl_clock_steady() + GROUPS_NS);
    r->image.map = NULL;
    if (reason && reason != PL_REASON_BUSY) {
        pl_region_image_release(&r->image);
        return false;
    }
    r->created_ns = h.created_ns;
    r->state = reason ? PL_SHELF_BUSY : PL_SHELF_LIVE;
    s->bytes += size;
    return true;
}

static void look_at(struct pl_shelf *s, const wchar_t *path, uint64_t def_hash)
{
    struct pl_shelf_region *r = &s->regions[s->num];
    HANDLE file = open_file(path, GENERIC_READ, SHARE_ALL);
    bool alive, good = false;
    uint8_t *at = NULL;
    size_t size;

    if (file == INVALID_HANDLE_VALUE)
        return;
    alive = is_alive(path, &r->file);
    size = size_of(file);
    if (size)
        at = map(file);
    if (at) {
        good = (alive || r->file) && copy(s, r, at, size, def_hash);
        UnmapViewOfFile(at);
    }
    CloseHandle(file);
    if (good) {
        s->num++;
        if (!alive || r->image.closed)
            r->state = PL_SHELF_FINAL;
    } else if (r->file) {
        CloseHandle(r->file);
    }
}

/* ---- all of them ---------------------------------------------------------------*/

/* The folder, with '\'; false: there is none. */
static bool find_folder(wchar_t out[ROOM])
{
    DWORD n = GetEnvironmentVariableW(L"PERFLOG_PROVIDER_DIR", out, ROOM / 2);

    if (n && n < ROOM / 2) {
        wcscat(out, L"\\");
        return true;
    }
    n = GetEnvironmentVariableW(L"ProgramData", out, ROOM / 2);
    if (!n || n >= ROOM / 2)
        return false;
    wcscat(out, L"\\" PL_REGION_WINDOWS_DIR L"\\");
    return true;
}

static int by_age(const void *a, const void *b)
{
    const struct pl_shelf_region *x = a, *y = b;

    if (x->created_ns != y->created_ns)
        return x->created_ns < y->created_ns ? -1 : 1;
    return (x->called.region_id > y->called.region_id) -
           (x->called.region_id < y->called.region_id);
}

/* Names of regions are plain ASCII. */
static bool take_name(struct pl_shelf *s, const wchar_t *name)
{
    struct pl_shelf_region *r = &s->regions[s->num];
    char file[128];
    size_t n = 0;

    for (; name[n] && n < sizeof file - 1; n++)
        file[n] = name[n] < 0x80 ? (char)name[n] : '?';
    file[n] = 0;
    *r = (struct pl_shelf_region){ 0 };
    return !name[n] && pl_region_parse_name(&r->called, file);
}

enum pl_status pl_shelf_open(struct pl_shelf *s, const wchar_t *program,
                             uint64_t def_hash)
{
    int64_t deadline_ns = pl_clock_steady() + BUDGET_NS;
    wchar_t path[2 * ROOM];
    WIN32_FIND_DATAW found;
    HANDLE search;
    size_t end;

    s->num = s->bytes = 0;
    s->definitions = NULL;
    if (!find_folder(path))
        return PL_OK;
    end = wcslen(path);
    swprintf(path + end, ROOM, L"%.64ls.*" PL_REGION_SUFFIX, program);
    search = FindFirstFileW(path, &found);
    if (search == INVALID_HANDLE_VALUE)
        return PL_OK;
    for (unsigned n = 0; n < MOST_FILES && s->num < PL_SHELF_MOST; n++) {
        wcscpy(path + end, found.cFileName);
        if (take_name(s, found.cFileName))
            look_at(s, path, def_hash);
        if (pl_clock_steady() >= deadline_ns || !FindNextFileW(search, &found))
            break;
    }
    FindClose(search);
    qsort(s->regions, s->num, sizeof *s->regions, by_age);
    return PL_OK;
}

void pl_shelf_close(struct pl_shelf *s, bool answered)
{
    FILE_DISPOSITION_INFO gone = { TRUE };

    for (size_t i = 0; i < s->num; i++) {
        struct pl_shelf_region *r = &s->regions[i];

        pl_region_image_release(&r->image);
        if (!r->file)
            continue;
        if (answered)
            SetFileInformationByHandle(r->file, FileDispositionInfo, &gone,
                                       sizeof gone);
        CloseHandle(r->file);
    }
    free(s->definitions);
}
