/* Names of segments, and deletion of old ones. */
#include "format/writer/segment.h"

#include "format/base/file.h"
#include "format/base/text.h"
#include "format/time/time_text.h"
#include "format/packing/pack_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char suffix[] = ".plog";

enum {
    SUFFIX_LEN = sizeof suffix - 1,
    TIME_LEN = 16,    /* "YYYYmmddTHHMMSSZ" */
    LEAST_DIGITS = 3, /* of a number */
    NAME_ROOM = 64,
};

/* The length of "x" in "x.plog", whose segments are called "x-…". */
static size_t stem_len(const char *path)
{
    size_t n = strlen(path);

    /* "folder/.plog" has no stem before its end. */
    if (strlen(pl_path_name(path)) > SUFFIX_LEN &&
        !strcmp(path + n - SUFFIX_LEN, suffix))
        return n - SUFFIX_LEN;
    return n;
}

char *pl_segment_path(const char *path, int64_t utc_ns, uint32_t number)
{
    struct pl_civil c = pl_civil_of(utc_ns);
    size_t stem = stem_len(path), cap = stem + NAME_ROOM;
    char *out = malloc(cap);

    if (out)
        snprintf(out, cap, "%.*s-%04d%02d%02dT%02d%02d%02dZ-%03" PRIu32 "%s",
                 (int)stem, path, c.year, c.month, c.day, c.hour, c.minute,
                 c.second, number, suffix);
    return out;
}

static bool digits(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] < '0' || p[i] > '9')
            return false;
    return true;
}

static bool is_time(const char *p)
{
    return digits(p, 8) && p[8] == 'T' && digits(p + 9, 6) && p[15] == 'Z';
}

bool pl_segment_parse(const char *name, size_t *stem_len, uint64_t *number)
{
    const char *dash = strrchr(name, '-');
    size_t len = strlen(name), before, num_digits;

    if (!dash || len < SUFFIX_LEN ||
        strcmp(name + len - SUFFIX_LEN, suffix) != 0)
        return false;
    before = (size_t)(dash - name);
    num_digits = len - SUFFIX_LEN - before - 1;
    if (num_digits < LEAST_DIGITS || !digits(dash + 1, num_digits) ||
        before < TIME_LEN + 1 || dash[-TIME_LEN - 1] != '-' ||
        !is_time(dash - TIME_LEN))
        return false;
    *stem_len = before - TIME_LEN - 1;
    *number = strtoull(dash + 1, NULL, 10);
    return true;
}

bool pl_segment_matches(const char *stem, const char *name)
{
    uint64_t number;
    size_t n;

    return pl_segment_parse(name, &n, &number) && n == strlen(stem) &&
           !strncmp(name, stem, n);
}

/* All segments of a log, sorted by name: that is by time, unless the clock was
 * set back. */
struct segments {
    char *folder; /* of the log's path, with its separator; may be empty */
    char **names; /* of all files there; NULL: not listed */
    size_t num;
    char *stem;
};

static void release(struct segments *s)
{
    if (s->names)
        pl_dir_list_free(s->names, s->num);
    free(s->folder);
    free(s->stem);
}

/* False if the folder cannot be listed. */
static bool list(struct segments *s, const char *path)
{
    const char *base = pl_path_name(path);

    *s = (struct segments){
        .folder = pl_text_copy((struct pl_text){ path, (size_t)(base - path) }),
        .stem = pl_text_copy((struct pl_text){ base, stem_len(base) }),
    };
    if (s->folder && s->stem &&
        !pl_dir_list(*s->folder ? s->folder : ".", &s->names, &s->num))
        return true;
    s->names = NULL;
    release(s);
    return false;
}

/* The path of the file 'i'; free it.  NULL: no memory. */
static char *path_at(const struct segments *s, size_t i)
{
    size_t n = strlen(s->folder), len = strlen(s->names[i]);
    char *path = malloc(n + len + 1);

    if (path) {
        memcpy(path, s->folder, n);
        memcpy(path + n, s->names[i], len + 1);
    }
    return path;
}

/* The same if it is a segment, else NULL. */
static char *segment_at(const struct segments *s, size_t i)
{
    return pl_segment_matches(s->stem, s->names[i]) ? path_at(s, i) : NULL;
}

/* The number of names up to that of 'current': names after it are from before
 * the clock was set back. */
static size_t num_up_to(const struct segments *s, const char *current)
{
    size_t n = 0;

    while (n < s->num && strcmp(s->names[n], pl_path_name(current)) <= 0)
        n++;
    return n;
}

static enum pl_file_use use_of(const char *path)
{
    struct pl_file *f;
    enum pl_file_use use;

    if (pl_file_open(&f, path))
        return PL_FILE_NOT_KNOWN;
    use = pl_file_use(f);
    pl_file_close(f);
    return use;
}

static void delete_segment(const char *path)
{
    char *part = pl_pack_part(path);

    pl_file_delete(path);
    if (part)
        pl_file_delete(part);
    free(part);
}

static uint64_t size_of(const char *path)
{
    struct pl_file *f;
    uint64_t size = 0;

    if (!pl_file_open(&f, path)) {
        pl_file_size(f, &size);
        pl_file_close(f);
    }
    return size;
}

/* The newest segments are passed, until more of them would be too much. */
struct passed {
    uint64_t num, bytes;
    bool is_enough;
};

/* True if the segment 'one', the next older one, is kept, too. */
static bool spares(struct passed *p, const struct pl_segments_kept *kept,
                   const char *one, const char *since)
{
    if (p->is_enough)
        return false;
    p->num++;
    if (kept->most > kept->num)
        p->bytes += size_of(one);
    if (p->num <= kept->num)
        return true;
    p->is_enough = p->num > kept->most || p->bytes > kept->bytes ||
                   strcmp(pl_path_name(one), pl_path_name(since)) < 0;
    return !p->is_enough;
}

void pl_segment_drop_old(const char *path, const char *current,
                         const struct pl_segments_kept *kept)
{
    struct passed passed = { .num = 1 }; /* the current one */
    char *since = pl_segment_path(path, kept->since, 0);
    struct segments s;
    size_t newest;

    if (!since || !list(&s, path)) {
        free(since);
        return;
    }
    newest = num_up_to(&s, current) + s.num;
    for (size_t i = 1; i <= s.num; i++) {
        char *one = segment_at(&s, (newest - i) % s.num);

        if (one && strcmp(one, current) != 0 &&
            !spares(&passed, kept, one, since) && use_of(one) == PL_FILE_FREE)
            delete_segment(one);
        free(one);
    }
    free(since);
    release(&s);
}

/* The part of a segment, by its name. */
static bool is_part(const struct segments *s, const char *name)
{
    size_t n = strlen(name), end = strlen(PL_PACK_PART_END);
    struct pl_text segment = { name, n > end ? n - end : 0 };
    char *copy = segment.n && !strcmp(name + segment.n, PL_PACK_PART_END)
                     ? pl_text_copy(segment)
                     : NULL;
    bool yes = copy && pl_segment_matches(s->stem, copy);

    free(copy);
    return yes;
}

void pl_segment_drop_parts(const char *path)
{
    struct segments s;

    if (!list(&s, path))
        return;
    for (size_t i = 0; i < s.num; i++) {
        char *one = is_part(&s, s.names[i]) ? path_at(&s, i) : NULL;

        if (one && use_of(one) == PL_FILE_FREE)
            pl_file_delete(one);
        free(one);
    }
    release(&s);
}

size_t pl_segment_others(const char *path, const char *current, size_t most,
                         char **paths)
{
    struct segments s;
    size_t last, n = 0;

    if (!list(&s, path))
        return 0;
    last = num_up_to(&s, current) + s.num;
    for (size_t i = 1; i <= s.num && n < most; i++) {
        char *one = segment_at(&s, (last - i) % s.num);

        if (one && strcmp(one, current) != 0)
            paths[n++] = one;
        else
            free(one);
    }
    release(&s);
    return n;
}

bool pl_segment_is_written(const char *path, const char *but)
{
    struct segments s;
    bool written =
        (!but || strcmp(path, but) != 0) && use_of(path) == PL_FILE_WRITTEN;

    if (written || !list(&s, path))
        return written;
    for (size_t i = s.num; i-- > 0 && !written;) {
        char *one = segment_at(&s, i);

        written = one && (!but || strcmp(one, but) != 0) &&
                  use_of(one) == PL_FILE_WRITTEN;
        free(one);
    }
    release(&s);
    return written;
}
