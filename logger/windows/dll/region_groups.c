/* Reads the regions that programs publish now. */
#include "logger/windows/dll/region_groups.h"

#include "format/base/array.h"
#include "format/base/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

enum {
    ROOM = 1024,
    MOST_FILES = 4096,
    LEAST_FILES = 16,
    MOST_BYTES = 64 << 20,
    SHARE_ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
};
/* What a crowd of files may cost the program that asks, and groups of one that do
 * not end: a region that is busy for ever takes no other's time. */
#define BUDGET_NS INT64_C(250000000)
#define GROUPS_NS INT64_C(1000000)

/* ---- one file ----------------------------------------------------------- */

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

/* ---- one region --------------------------------------------------------- */

/* A copy of the definitions; NULL: they are invalid, or no memory. */
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
bool pl_region_groups_is_of(const struct pl_region_groups *s,
                            const struct pl_region_header *h,
                            const uint8_t *definitions)
{
    return pl_region_is_same_table(&s->header, s->definitions, h, definitions);
}

/* Where regions are put, and how many bytes of them there are. */
struct fill {
    const struct pl_region_groups_keeper *keeper;
    size_t bytes;
    int64_t deadline_ns;
};

static struct pl_region_groups *find_groups(const struct fill *f,
                                            const uint8_t *at,
                                            const struct pl_region_header *h)
{
    uint8_t *definitions = prove(at, h);
    struct pl_region_groups *s;

    if (!definitions)
        return NULL;
    s = f->keeper->groups_of(f->keeper->context, h, definitions);
    if (!s || s->definitions != definitions)
        free(definitions);
    return s;
}

/* Room for one more; false: there is none. */
static bool grow(struct pl_region_groups *s)
{
    return s->num < PL_GROUPS_MOST &&
           pl_array_grow((void **)&s->regions, &s->cap, s->num,
                         sizeof *s->regions);
}

/* Copy what 'at' holds into its groups; NULL: nothing of it. */
static struct pl_region_groups *copy(struct fill *f,
                                     struct pl_region_groups_region *r,
                                     uint8_t *at, size_t size)
{
    const struct pl_region_header *live = (const void *)at;
    struct pl_region_header h;
    enum pl_region_reason reason;
    struct pl_region_groups *s;

    /* Still being made, until it says that it lives. */
    if (!__atomic_load_n(&live->state, __ATOMIC_ACQUIRE) ||
        pl_region_check_header(&h, at, size, size) ||
        h.region_id != r->called.region_id || size > MOST_BYTES - f->bytes)
        return NULL;
    s = find_groups(f, at, &h);
    if (!s || !grow(s))
        return NULL;
    if (pl_region_image_init(&r->image, &h, s->definitions)) {
        pl_region_image_release(&r->image);
        return NULL;
    }
    r->image.map = at;
    reason =
        pl_region_image_copy(&r->image, NULL, pl_clock_steady() + GROUPS_NS);
    r->image.map = NULL;
    if (reason && reason != PL_REASON_BUSY) {
        pl_region_image_release(&r->image);
        return NULL;
    }
    r->created_ns = h.created_ns;
    r->state = reason ? PL_GROUPS_BUSY : PL_GROUPS_LIVE;
    f->bytes += size;
    return s;
}

static void look_at(struct fill *f, const wchar_t *path,
                    struct pl_region_groups_region *r)
{
    HANDLE file = open_file(path, GENERIC_READ, SHARE_ALL);
    struct pl_region_groups *s = NULL;
    bool alive;
    uint8_t *at = NULL;
    size_t size;

    if (file == INVALID_HANDLE_VALUE)
        return;
    alive = is_alive(path, &r->file);
    size = size_of(file);
    if (size)
        at = map(file);
    if (at) {
        if (alive || r->file)
            s = copy(f, r, at, size);
        UnmapViewOfFile(at);
    }
    CloseHandle(file);
    if (s) {
        /* Who has closed it but holds it still cannot be removed, and would be
         * final twice. */
        if (!alive)
            r->state = PL_GROUPS_FINAL;
        s->regions[s->num++] = *r;
    } else if (r->file) {
        CloseHandle(r->file);
    }
}

/* ---- all of them -------------------------------------------------------- */

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
    const struct pl_region_groups_region *x = a, *y = b;

    if (x->created_ns != y->created_ns)
        return x->created_ns < y->created_ns ? -1 : 1;
    return (x->called.region_id > y->called.region_id) -
           (x->called.region_id < y->called.region_id);
}

/* Names of regions are plain ASCII. */
static bool take_name(struct pl_region_groups_region *r, const wchar_t *name)
{
    char file[128];
    size_t n = 0;

    for (; name[n] && n < sizeof file - 1; n++)
        file[n] = name[n] < 0x80 ? (char)name[n] : '?';
    file[n] = 0;
    *r = (struct pl_region_groups_region){ 0 };
    return !name[n] && pl_region_parse_name(&r->called, file);
}

/* "PROGRAM.PID.REGIONID.plr", whose parts are plain ASCII. */
static void put_file_name(wchar_t *out, size_t cap,
                          const struct pl_region_file_name *n)
{
    size_t program = strcspn(n->label, ":");

    swprintf(out, cap, L"%.*hs.%" PRIu32 ".%016" PRIx64 PL_REGION_SUFFIX,
             (int)program, n->label, n->pid, n->region_id);
}

static bool is_known(const struct fill *f,
                     const struct pl_region_groups_region *r)
{
    const struct pl_region_groups_keeper *k = f->keeper;

    for (size_t i = 0; i < k->num_known; i++)
        if (k->known[i].region_id == r->called.region_id &&
            !strcmp(k->known[i].label, r->called.label))
            return true;
    return false;
}

/* A few at least, however late it is: else their counters come and go. */
static void look_at_known(struct fill *f, wchar_t *path, size_t end)
{
    const struct pl_region_groups_keeper *k = f->keeper;

    for (size_t i = 0; i < k->num_known; i++) {
        struct pl_region_groups_region r = { .called = k->known[i] };

        put_file_name(path + end, ROOM, &r.called);
        look_at(f, path, &r);
        if (i + 1 >= LEAST_FILES && pl_clock_steady() >= f->deadline_ns)
            return;
    }
}

/* Look at the others: likewise at a few at least. */
static void look_at_others(struct fill *f, wchar_t *path, size_t end)
{
    unsigned from = f->keeper->skip ? *f->keeper->skip : 0, stopped = 0;
    unsigned looked = 0;
    struct pl_region_groups_region region;
    WIN32_FIND_DATAW found;
    HANDLE search = FindFirstFileW(path, &found);

    if (search == INVALID_HANDLE_VALUE)
        return;
    for (unsigned n = 0; n < MOST_FILES && !stopped; n++) {
        wcscpy(path + end, found.cFileName);
        if (n >= from && take_name(&region, found.cFileName) &&
            !is_known(f, &region)) {
            look_at(f, path, &region);
            if (++looked >= LEAST_FILES && pl_clock_steady() >= f->deadline_ns)
                stopped = n + 1;
        }
        if (!FindNextFileW(search, &found))
            break;
    }
    FindClose(search);
    if (f->keeper->skip)
        *f->keeper->skip = stopped;
}

void pl_region_groups_fill(const struct pl_region_groups_keeper *keeper,
                           const wchar_t *program, int64_t budget_ns)
{
    struct fill fill = { keeper, 0, pl_clock_steady() + budget_ns };
    wchar_t path[2 * ROOM];
    size_t end;

    if (!find_folder(path))
        return;
    end = wcslen(path);
    look_at_known(&fill, path, end);
    swprintf(path + end, ROOM, L"%.64ls*" PL_REGION_SUFFIX, program);
    look_at_others(&fill, path, end);
}

void pl_region_groups_sort(struct pl_region_groups *s)
{
    if (s->num)
        qsort(s->regions, s->num, sizeof *s->regions, by_age);
}

void pl_region_groups_clear(struct pl_region_groups *s, bool answered)
{
    FILE_DISPOSITION_INFO gone = { TRUE };

    for (size_t i = 0; i < s->num; i++) {
        struct pl_region_groups_region *r = &s->regions[i];

        pl_region_image_release(&r->image);
        if (!r->file)
            continue;
        if (answered)
            SetFileInformationByHandle(r->file, FileDispositionInfo, &gone,
                                       sizeof gone);
        CloseHandle(r->file);
    }
    s->num = 0;
}

void pl_region_groups_release(struct pl_region_groups *s)
{
    free(s->regions);
    free(s->definitions);
    *s = (struct pl_region_groups){ 0 };
}

/* ---- one table ---------------------------------------------------------- */

struct only {
    struct pl_region_groups *groups;
    uint64_t def_hash;
};

static struct pl_region_groups *only_groups(void *context,
                                            const struct pl_region_header *h,
                                            uint8_t *definitions)
{
    struct only *only = context;
    struct pl_region_groups *s = only->groups;

    if (h->def_hash != only->def_hash)
        return NULL;
    if (!s->definitions) {
        s->header = *h;
        s->definitions = definitions;
    }
    return pl_region_groups_is_of(s, h, definitions) ? s : NULL;
}

void pl_region_groups_open(struct pl_region_groups *s, const wchar_t *program,
                           uint64_t def_hash)
{
    struct only only = { s, def_hash };
    const struct pl_region_groups_keeper keeper = { .groups_of = only_groups,
                                                    .context = &only };
    wchar_t prefix[PL_REGION_MAX_PROGRAM + 2];

    *s = (struct pl_region_groups){ 0 };
    swprintf(prefix, sizeof prefix / sizeof *prefix, L"%.*ls.",
             PL_REGION_MAX_PROGRAM, program);
    pl_region_groups_fill(&keeper, prefix, BUDGET_NS);
    pl_region_groups_sort(s);
}

void pl_region_groups_close(struct pl_region_groups *s, bool answered)
{
    pl_region_groups_clear(s, answered);
    pl_region_groups_release(s);
}
