/* Folders, names and completed files of export --parquet. */
#include "analyze/export/parquet_folder.h"

#include "format/base/array.h"
#include "format/base/buf.h"
#include "format/base/utf.h"
#include "format/time/time_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest name of a folder as it is; a longer one ends in its hash. */
enum { LONGEST_NAME = 200, CUT_NAME = 180, NAME_ROOM = 64 };

static const char unfinished[] = "unfinished.part";
static const char lock_name[] = ".perflog.lock";

/* ---- the folder ---------------------------------------------------------- */

static enum pl_status make_folder(const char *path)
{
    if (pl_dir_exists(path) || !pl_dir_make(path))
        return PL_OK;
    PL_KEEP_ERRNO; /* of what failed, not of looking once more */
    return pl_dir_exists(path) ? PL_OK : PL_IO;
}

static char *join(const char *folder, const char *name)
{
    size_t cap = strlen(folder) + strlen(name) + 2;
    char *path = malloc(cap);

    if (path)
        snprintf(path, cap, "%s/%s", folder, name);
    return path;
}

enum pl_status pl_parquet_folder_open(struct pl_parquet_folder *f,
                                      const char *path, unsigned rights,
                                      const char **why)
{
    char *lock = join(path, lock_name);
    enum pl_status s = PL_NOMEM;

    *f = (struct pl_parquet_folder){ .path = strdup(path),
                                     .rights = rights,
                                     .is_new = !pl_dir_exists(path) };
    if (lock && f->path)
        s = make_folder(path);
    if (!s)
        s = pl_file_open_append(&f->lock, lock, PL_MAY_EXIST, why);
    free(lock);
    return s;
}

void pl_parquet_folder_close(struct pl_parquet_folder *f, bool failed)
{
    char *lock =
        f->lock && f->is_new && failed ? join(f->path, lock_name) : NULL;
    PL_KEEP_ERRNO;

    if (lock && !pl_file_delete(lock))
        pl_dir_delete(f->path); /* unless a file was finished */
    free(lock);
    pl_file_close(f->lock);
    free(f->path);
}

/* ---- names of folders ---------------------------------------------------- */

static bool is_plain(struct pl_text name, size_t i)
{
    char c = name.p[i];

    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || (i && (c == '_' || c == '-')) ||
           (i && c == '.' && i + 1 < name.n);
}

static uint64_t hash_name(struct pl_text name)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < name.n; i++)
        h = (h ^ (uint8_t)name.p[i]) * UINT64_C(0x100000001b3);
    return h;
}

/*
 * In UTF-8, as columns have it; coded as URLs and Hive do it, so that readers
 * show the name itself.
 */
static void put_name(struct pl_buf *out, const char *as_logged)
{
    struct pl_buf valid = { 0 };
    struct pl_text name = pl_utf8_valid(&valid, pl_text_of(as_logged));
    size_t start = out->len;
    char code[NAME_ROOM];

    for (size_t i = 0; i < name.n && out->len - start <= LONGEST_NAME; i++) {
        snprintf(code, sizeof code, is_plain(name, i) ? "%c" : "%%%02X",
                 is_plain(name, i) ? name.p[i] : (unsigned char)name.p[i]);
        pl_buf_string(out, code);
    }
    if (out->len - start > LONGEST_NAME) {
        out->len = start + CUT_NAME;
        snprintf(code, sizeof code, "~%016" PRIx64, hash_name(name));
        pl_buf_string(out, code);
    }
    out->oom |= valid.oom;
    pl_buf_release(&valid);
}

int64_t pl_parquet_day(int64_t utc_ns)
{
    return utc_ns / PL_NS_PER_DAY - (utc_ns % PL_NS_PER_DAY < 0);
}

static void put_path(struct pl_buf *out, const char *root, int64_t day,
                     const char *host, const char *object)
{
    /* The first day that a log can tell, and the last, are not whole ones. */
    struct pl_civil c = pl_civil_of(day < 0 ? (day + 1) * PL_NS_PER_DAY - 1
                                            : day * PL_NS_PER_DAY);
    char date[NAME_ROOM];

    snprintf(date, sizeof date, "/date=%04d-%02d-%02d", c.year, c.month, c.day);
    pl_buf_string(out, root);
    pl_buf_string(out, date);
    pl_buf_string(out, "/host=");
    put_name(out, host);
    pl_buf_string(out, "/object=");
    /* Objects of a log never begin with '_' here. */
    if (object)
        put_name(out, object);
    else
        pl_buf_string(out, "_events");
    pl_buf_u8(out, 0);
}

/* ---- partitions ---------------------------------------------------------- */

/* SESSION-FIRST-LAST.parquet */
static bool read_span(const char *name, struct pl_parquet_span *span)
{
    char again[NAME_ROOM];

    if (sscanf(name, "%16" SCNx64 "-%10" SCNu32 "-%10" SCNu32, &span->session,
               &span->first, &span->last) != 3)
        return false;
    snprintf(again, sizeof again,
             "%016" PRIx64 "-%010" PRIu32 "-%010" PRIu32 ".parquet",
             span->session, span->first, span->last);
    return !strcmp(name, again);
}

static bool add_span(struct pl_parquet_partition *p,
                     const struct pl_parquet_span *span)
{
    if (!pl_array_grow((void **)&p->there, &p->cap, p->num, sizeof *p->there))
        return false;
    p->there[p->num++] = *span;
    return true;
}

static enum pl_status read_partition(struct pl_parquet_partition *p)
{
    char **names;
    size_t num;
    enum pl_status s = pl_dir_list(p->path, &names, &num);

    if (s == PL_IO && errno == ENOENT)
        return PL_OK;
    if (s)
        return s;
    p->made = true;
    for (size_t i = 0; i < num && !s; i++) {
        struct pl_parquet_span span;

        if (!strcmp(names[i], unfinished))
            s = pl_file_delete(p->part);
        else if (read_span(names[i], &span) && !add_span(p, &span))
            s = PL_NOMEM;
    }
    pl_dir_list_free(names, num);
    return s;
}

enum pl_status pl_parquet_partition_open(struct pl_parquet_partition *p,
                                         const struct pl_parquet_folder *f,
                                         int64_t day, const char *host,
                                         const char *object)
{
    struct pl_buf path = { 0 };

    pl_parquet_partition_release(p);
    *p = (struct pl_parquet_partition){ .day = day, .rights = f->rights };
    put_path(&path, f->path, day, host, object);
    if (!path.oom) {
        p->path = (char *)path.p;
        p->part = join(p->path, unfinished);
    }
    return p->part ? read_partition(p) : PL_NOMEM;
}

/* Of date=/host=/object=, from the last one on. */
static void delete_empty_folders(char *path)
{
    for (int i = 0; i < 3 && !pl_dir_delete(path); i++)
        *strrchr(path, '/') = 0;
}

void pl_parquet_partition_release(struct pl_parquet_partition *p)
{
    PL_KEEP_ERRNO;

    if (p->made && !pl_file_delete(p->part))
        delete_empty_folders(p->path);
    free(p->path);
    free(p->part);
    free(p->there);
    *p = (struct pl_parquet_partition){ 0 };
}

bool pl_parquet_partition_holds(const struct pl_parquet_partition *p,
                                uint64_t session, uint32_t seq)
{
    for (size_t i = 0; i < p->num; i++)
        if (p->there[i].session == session && seq >= p->there[i].first &&
            seq <= p->there[i].last)
            return true;
    return false;
}

/* The three folders within the root, and an empty file. */
static enum pl_status make_part(struct pl_parquet_partition *p)
{
    const char *first = strstr(p->path, "/date=");
    FILE *f;

    while (first) { /* the root may have such a name itself */
        const char *next = strstr(first + 1, "/date=");

        if (!next)
            break;
        first = next;
    }
    for (char *at = p->path + (first - p->path) + 1; (at = strchr(at, '/'));
         at++) {
        enum pl_status s;

        *at = 0;
        s = make_folder(p->path);
        *at = '/';
        if (s)
            return s;
    }
    if (make_folder(p->path))
        return PL_IO;
    f = pl_file_stream_new(p->part, p->rights);
    p->made = f != NULL;
    return f && !fclose(f) ? PL_OK : PL_IO;
}

enum pl_status pl_parquet_partition_write(void *ctx, const void *bytes,
                                          size_t n)
{
    struct pl_parquet_partition *p = ctx;
    enum pl_status s = pl_path_exists(p->part) ? PL_OK : make_part(p);
    bool good;
    FILE *f;

    if (s)
        return s;
    f = pl_file_stream(p->part, "ab");
    if (!f)
        return PL_IO;
    setvbuf(f, NULL, _IONBF, 0); /* writes are large */
    good = fwrite(bytes, 1, n, f) == n;
    return fclose(f) || !good ? PL_IO : PL_OK;
}

/* A folder that others can write to is no reason to give up here. */
static enum pl_status sync_file(const char *path)
{
    struct pl_file *f = NULL;
    const char *why;
    enum pl_status s = pl_file_open_append(&f, path, PL_MAY_EXIST, &why);

    if (s)
        return s == PL_UNSAFE ? PL_OK : s;
    s = pl_file_sync(f);
    pl_file_close(f);
    return s;
}

enum pl_status pl_parquet_partition_finish(struct pl_parquet_partition *p,
                                           const struct pl_parquet_span *span)
{
    char name[NAME_ROOM];
    char *path;
    enum pl_status s = sync_file(p->part);

    if (s)
        return s;
    snprintf(name, sizeof name,
             "%016" PRIx64 "-%010" PRIu32 "-%010" PRIu32 ".parquet",
             span->session, span->first, span->last);
    path = join(p->path, name);
    if (!path)
        return PL_NOMEM;
    s = pl_file_rename_new(p->part, path);
    free(path);
    return !s && !add_span(p, span) ? PL_NOMEM : s;
}
