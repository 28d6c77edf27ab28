/* Folders and numbered files that are completed before they get their names. */
#include "analyze/output/output_folder.h"

#include "analyze/output/cleanup_signal.h"
#include "analyze/output/partial_file.h"
#include "format/base/file.h"
#include "format/time/time_text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_ROOM = 24, SAFE_LENGTH = 100 };
enum { MOST_NUMBER = 1 << 20 }; /* highest number of equal names */

struct pl_made_file {
    struct pl_made_file *next;
    char *path; /* its final name; NULL: that of the partial file */
    char *part;
};

/* ---- interruption -------------------------------------------------------- */

/* For the signal handler: the unfinished files. */
static struct pl_made_file *volatile unfinished_files;
static char *volatile unfinished_folder;

static void delete_unfinished_folder(void)
{
    for (const struct pl_made_file *m = unfinished_files; m; m = m->next)
        pl_file_delete(m->part);
    if (unfinished_folder)
        pl_dir_delete(unfinished_folder);
}

/* ---- making -------------------------------------------------------------- */

/* Create a new file or folder PATH.part or, if that exists, PATH.part-1 ... */
static enum pl_status make_new(const char *path, char **part,
                               enum pl_status (*make)(const char *path,
                                                      unsigned rights),
                               unsigned rights)
{
    enum pl_status s = PL_IO;

    errno = EEXIST;
    for (int i = 0; s && errno == EEXIST && i < PL_MAX_PARTS; i++) {
        *part = pl_partial_file_name(path, i);
        if (!*part)
            return PL_NOMEM;
        s = make(*part, rights);
        if (s) {
            PL_KEEP_ERRNO;

            free(*part);
            *part = NULL;
        }
    }
    return s;
}

static enum pl_status make_file(const char *path, unsigned rights)
{
    FILE *f = pl_file_stream_new(path, rights);

    return f && !fclose(f) ? PL_OK : PL_IO;
}

static enum pl_status make_folder(const char *path, unsigned rights)
{
    (void)rights; /* used for the files in it */
    return pl_dir_make(path);
}

static char *join(const char *folder, const char *name, const char *suffix)
{
    size_t cap = (folder ? strlen(folder) + 1 : 0) + strlen(name) +
                 strlen(suffix) + NUMBER_ROOM;
    char *path = malloc(cap);

    if (path)
        snprintf(path, cap, "%s%s%s%s", folder ? folder : "", folder ? "/" : "",
                 name, suffix);
    return path;
}

enum pl_status pl_output_folder_open(struct pl_output_folder *f,
                                     const char *folder, unsigned rights)
{
    enum pl_status s;

    *f = (struct pl_output_folder){ .rights = rights };
    pl_cleanup_signal_catch(delete_unfinished_folder);
    if (!folder)
        return PL_OK;
    f->folder = join(NULL, folder, "");
    if (!f->folder)
        return PL_NOMEM;
    for (size_t n = strlen(folder);
         n > 1 && pl_path_is_separator(f->folder[n - 1]); n--)
        f->folder[n - 1] = 0;
    if (pl_path_exists(f->folder)) {
        errno = EEXIST;
        return PL_IO;
    }
    pl_cleanup_signal_hold();
    s = make_new(f->folder, &f->part, make_folder, rights);
    unfinished_folder = f->part;
    pl_cleanup_signal_release();
    return s;
}

/*
 * Begin the file 'name'; it is entered in f->made at once, so that it is
 * removed on a signal.
 */
static struct pl_made_file *begin_file(struct pl_output_folder *f,
                                       const char *name, const char *suffix)
{
    struct pl_made_file *m = calloc(1, sizeof *m);
    char *path = join(f->part, name, suffix);
    enum pl_status s = PL_NOMEM;

    pl_cleanup_signal_hold();
    if (m && path) {
        if (f->part) {
            m->part = path;
            path = NULL;
            s = make_file(m->part, f->rights);
        } else {
            m->path = path;
            path = NULL;
            s = PL_IO;
            errno = EEXIST; /* files of two exports must not be mixed */
            if (!pl_path_exists(m->path))
                s = make_new(m->path, &m->part, make_file, f->rights);
        }
    }
    free(path);
    if (!s) {
        m->next = f->made;
        f->made = m;
        unfinished_files = m;
    }
    pl_cleanup_signal_release();
    if (s) {
        int error = s == PL_NOMEM ? ENOMEM : errno;

        if (m) {
            free(m->part);
            free(m->path);
        }
        free(m);
        errno = error;
        return NULL;
    }
    return m;
}

/* ---- ending -------------------------------------------------------------- */

static void forget(struct pl_output_folder *f)
{
    pl_cleanup_signal_hold();
    unfinished_files = NULL;
    unfinished_folder = NULL;
    while (f->made) {
        struct pl_made_file *m = f->made;

        f->made = m->next;
        free(m->path);
        free(m->part);
        free(m);
    }
    free(f->part);
    free(f->folder);
    *f = (struct pl_output_folder){ 0 };
    pl_cleanup_signal_release();
}

enum pl_status pl_output_folder_commit(struct pl_output_folder *f)
{
    bool good = true;

    for (const struct pl_made_file *m = f->made; m && good; m = m->next)
        good = !m->path || !pl_file_replace(m->part, m->path);
    if (good && f->folder && pl_path_exists(f->folder)) {
        errno = EEXIST; /* created meanwhile */
        good = false;
    }
    if (good && f->folder)
        good = !pl_file_replace(f->part, f->folder);
    if (good) {
        forget(f);
        return PL_OK;
    }
    pl_output_folder_discard(f);
    return PL_IO;
}

void pl_output_folder_discard(struct pl_output_folder *f)
{
    PL_KEEP_ERRNO;

    for (const struct pl_made_file *m = f->made; m; m = m->next)
        pl_file_delete(m->part);
    if (f->part)
        pl_dir_delete(f->part);
    forget(f);
}

/* ---- a sheet ------------------------------------------------------------- */

static enum pl_status open_page(struct pl_paged *p)
{
    char number[NUMBER_ROOM] = "";
    char *name;

    if (p->step)
        snprintf(number, sizeof number, "-%03u", p->number);
    name = join(NULL, p->stem, number);
    p->file = name ? begin_file(p->files, name, p->suffix) : NULL;
    free(name);
    if (p->file)
        return PL_OK;
    return name ? PL_IO : PL_NOMEM;
}

enum pl_status pl_paged_write(void *ctx, const void *p, size_t n)
{
    struct pl_paged *page = ctx;
    enum pl_status s = page->file ? PL_OK : open_page(page);
    bool good;
    FILE *f;

    if (s)
        return s;
    f = pl_file_stream(page->file->part, "ab");
    if (!f)
        return PL_IO;
    setvbuf(f, NULL, _IONBF, 0); /* writes are large chunks */
    good = fwrite(p, 1, n, f) == n;
    if (!good) {
        PL_KEEP_ERRNO;

        fclose(f);
        return PL_IO;
    }
    return fclose(f) ? PL_IO : PL_OK;
}

enum pl_status pl_paged_next(void *ctx)
{
    struct pl_paged *page = ctx;

    page->number += page->step;
    page->file = NULL;
    return PL_OK;
}

/* ---- names --------------------------------------------------------------- */

static bool is_safe(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || (c && strchr(" ._-()+,", c));
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/*
 * The rest of 'name' after 'start', ignoring case; NULL: it begins otherwise.
 */
static const char *behind(const char *start, const char *name)
{
    for (; *start; start++, name++)
        if (lower(*start) != lower(*name))
            return NULL;
    return name;
}

static bool same_but_case(const char *a, const char *b)
{
    const char *rest = behind(a, b);

    return rest && !*rest;
}

/* Names of devices on Windows, also with an extension. */
static bool is_reserved(const char *name)
{
    static const char *const devices[] = { "con", "prn", "aux", "nul" };
    static const char *const ports[] = { "com", "lpt" };
    size_t n = strcspn(name, ".");
    char head[5] = "";

    if (n < 3 || n > 4)
        return false;
    for (size_t i = 0; i < n; i++)
        head[i] = lower(name[i]);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (!strcmp(head, devices[i]))
            return true;
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
        if (!strncmp(head, ports[i], 3) && head[3] >= '0' && head[3] <= '9')
            return true;
    return false;
}

static bool is_taken(const char *name, const char *const *taken, size_t num)
{
    for (size_t i = 0; i < num; i++)
        if (same_but_case(name, taken[i]))
            return true;
    return false;
}

/* NAME is number 1, NAME-2 is 2: one above the highest one taken. */
static unsigned next_number(const char *name, const char *const *taken,
                            size_t num)
{
    unsigned next = 1;

    for (size_t i = 0; i < num; i++) {
        const char *rest = behind(name, taken[i]);
        uint64_t number = 1;

        if (!rest ||
            (*rest && (*rest != '-' || pl_parse_count(rest + 1, &number))))
            continue;
        if (number >= next && number < MOST_NUMBER)
            next = (unsigned)number + 1;
    }
    return next;
}

void pl_safe_name(struct pl_buf *out, struct pl_text name,
                  const char *const *taken, size_t num)
{
    char safe[SAFE_LENGTH + 1], text[SAFE_LENGTH + NUMBER_ROOM];
    unsigned number;
    size_t n = 0;

    for (size_t i = 0; i < name.n && n < SAFE_LENGTH; i++)
        safe[n++] = is_safe(name.p[i]) ? name.p[i] : '_';
    while (n && (safe[n - 1] == ' ' || safe[n - 1] == '.'))
        safe[--n] = 0; /* Windows drops trailing points and blanks */
    safe[n] = 0;
    if (safe[0] == '.' || safe[0] == ' ' || safe[0] == '-')
        safe[0] = '_';
    snprintf(text, sizeof text, "%s%s", n ? safe : "_",
             is_reserved(safe) ? "_" : "");
    number = next_number(text, taken, num);
    for (; number > 1 && is_taken(text, taken, num); number++)
        snprintf(text, sizeof text, "%s-%u", n ? safe : "_", number);
    pl_buf_bytes(out, text, strlen(text) + 1);
}
