/* Operands to files to hosts. */
#include "analyze/tape.h"

#include "format/file.h"
#include "format/segment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char *path;
    struct pl_tape_file foreign;
    char *host;
    uint64_t machine_hash;
    int64_t first_utc;
    char *zone;
    int32_t zone_minutes;
    bool titles_made_up, calculated;
    size_t order; /* as given, for equal times */
};

struct entries {
    struct entry *p;
    size_t num, cap;
    bool whole;
};

enum { MOST_HOSTS = 1024 }; /* of one log */

static const char suffix[] = ".plog";

static bool has_suffix(const char *name)
{
    size_t n = strlen(name), len = sizeof suffix - 1;

    return n > len && !strcmp(name + n - len, suffix);
}

/* PL_NOMEM. */
static enum pl_status take_session(struct entry *e, const struct pl_session *s)
{
    e->machine_hash = s->machine_hash;
    e->titles_made_up = s->titles_made_up;
    e->calculated =
        pl_text_equal(s->provider, pl_text_of(PL_PROVIDER_CALCULATED));
    e->host = pl_text_copy(s->host);
    if (!e->host)
        return PL_NOMEM;
    if (!s->sha256 || !s->zone.n)
        return PL_OK;
    e->zone_minutes = s->zone_minutes;
    e->zone = pl_text_copy(s->zone);
    return e->zone ? PL_OK : PL_NOMEM;
}

/* One more entry, all zero but its path, which is taken over. */
static struct entry *add_entry(struct entries *e, char *path)
{
    if (path && e->num == e->cap) {
        size_t cap = e->cap ? e->cap * 2 : 16;
        struct entry *grown = realloc(e->p, cap * sizeof *grown);

        if (!grown) {
            free(path);
            return NULL;
        }
        e->p = grown;
        e->cap = cap;
    }
    if (!path)
        return NULL;
    e->p[e->num] = (struct entry){ .path = path, .order = e->num };
    return &e->p[e->num++];
}

static bool copy_text(char **to, const char *text)
{
    *to = text ? strdup(text) : NULL;
    return *to || !text;
}

/* An entry for each machine of a log of another format; it has a path. */
static enum pl_status add_hosts(struct entries *e, struct entry *entry,
                                struct pl_foreign_file *f)
{
    for (size_t i = 0; i < f->num_hosts; i++) {
        const struct pl_foreign_host *h = &f->hosts[i];

        if (i)
            entry = add_entry(e, strdup(e->p[e->num - 1].path));
        if (!entry)
            return PL_NOMEM;
        entry->foreign.file = pl_foreign_share(f);
        entry->foreign.host = i;
        entry->first_utc = h->first_utc;
        entry->zone_minutes = h->zone_minutes;
        entry->titles_made_up = h->titles_made_up;
        entry->calculated = h->calculated;
        if (!copy_text(&entry->host, h->name) ||
            !copy_text(&entry->zone, h->zone))
            return PL_NOMEM;
    }
    return PL_OK;
}

/* Read on to the first sample of a session, noting whose it is. */
static enum pl_status read_host(struct entry *entry, struct pl_reader *r)
{
    struct pl_item item;
    enum pl_status s;

    while (!(s = pl_reader_next(r, &item))) {
        if (item.kind != PL_ITEM_SESSION && item.kind != PL_ITEM_SAMPLE)
            continue;
        entry->first_utc = item.record.utc_ns;
        if (!entry->host)
            s = take_session(entry, pl_reader_session(r));
        if (s || item.kind == PL_ITEM_SAMPLE)
            break; /* an imported log is younger than its first sample */
    }
    return s;
}

static bool is_session_of(const struct pl_session *s, const char *host,
                          uint64_t machine_hash)
{
    return host && s->machine_hash == machine_hash &&
           pl_text_equal(s->host, pl_text_of(host));
}

/* The session begun is of a host that was not met in this file. */
static bool is_other_host(const struct entries *e, size_t first,
                          const struct pl_session *s)
{
    for (size_t i = first; i < e->num; i++)
        if (is_session_of(s, e->p[i].host, e->p[i].machine_hash))
            return false;
    return e->num - first < MOST_HOSTS;
}

/* An import may hold sessions of several hosts, one behind the other. */
static enum pl_status add_other_hosts(struct entries *e, struct pl_reader *r)
{
    size_t first = e->num - 1;
    struct pl_item item;
    enum pl_status s = PL_OK;

    while (!s) {
        struct entry *entry;

        pl_reader_skip_session(r);
        while (!(s = pl_reader_next(r, &item)) && item.kind != PL_ITEM_SESSION)
            ;
        if (s || !is_other_host(e, first, pl_reader_session(r)))
            continue;
        entry = add_entry(e, strdup(e->p[first].path));
        if (!entry || take_session(entry, pl_reader_session(r)))
            return PL_NOMEM;
        s = read_host(entry, r);
    }
    for (size_t i = first; i < e->num; i++)
        e->p[i].foreign.shared = e->num > first + 1;
    return s;
}

/* Who recorded the file and when it begins; takes over 'path'. */
static enum pl_status add_file(struct entries *e, char *path)
{
    struct entry *entry = add_entry(e, path);
    struct pl_foreign_file *foreign;
    struct pl_reader *r = NULL;
    enum pl_status s = PL_OK;

    if (!entry)
        return PL_NOMEM;
    if (pl_path_is_stream(path))
        return PL_OK; /* it can be read only once */
    s = pl_foreign_look(&foreign, path);
    if (!s && foreign) {
        s = add_hosts(e, entry, foreign);
        pl_foreign_drop(foreign);
        return s;
    }
    if (s || !strcmp(path, "-"))
        return s;
    s = pl_reader_open(&r, path, NULL);
    if (!s)
        s = read_host(entry, r);
    if (!s && !e->whole && pl_reader_session(r)->sha256)
        s = add_other_hosts(e, r);
    pl_reader_close(r);
    return s == PL_END ? PL_OK : s;
}

static char *join(const char *folder, const char *name)
{
    size_t n = strlen(folder);
    bool slash = n && pl_path_is_separator(folder[n - 1]);
    char *path = malloc(n + strlen(name) + 2);

    if (!path)
        return NULL;
    memcpy(path, folder, n);
    if (!slash)
        path[n++] = '/';
    strcpy(path + n, name);
    return path;
}

static enum pl_status add_folder(struct entries *e, const char *folder,
                                 const char **bad)
{
    size_t num, found = 0;
    char **names;
    enum pl_status s = pl_dir_list(folder, &names, &num);

    if (s)
        return s;
    for (size_t i = 0; i < num && !s; i++) {
        if (!has_suffix(names[i]))
            continue;
        s = add_file(e, join(folder, names[i]));
        found++;
        if (s && e->num) {
            int error = errno;

            *bad = e->p[e->num - 1].path;
            errno = error;
        }
    }
    pl_dir_list_free(names, num);
    return !s && !found ? PL_END : s;
}

/* By host, then time. */
static int by_host(const void *x, const void *y)
{
    const struct entry *a = x, *b = y;
    int order = strcmp(a->host ? a->host : "", b->host ? b->host : "");

    if (order)
        return order;
    if (a->machine_hash != b->machine_hash)
        return a->machine_hash < b->machine_hash ? -1 : 1;
    if (a->first_utc != b->first_utc)
        return a->first_utc < b->first_utc ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static bool is_one_file(const struct entries *e)
{
    for (size_t i = 1; i < e->num; i++)
        if (strcmp(e->p[i].path, e->p[0].path) != 0)
            return false;
    return true;
}

static bool same_host(const struct entry *e, const struct pl_tape *t)
{
    return e->host && t->host && !strcmp(e->host, t->host) &&
           e->machine_hash == t->machine_hash;
}

/* Entries are sorted; their strings move into the tapes. */
static enum pl_status gather(struct pl_tapes *t, struct entries *e)
{
    t->tapes = calloc(e->num, sizeof *t->tapes);
    if (!t->tapes)
        return PL_NOMEM;
    for (size_t i = 0; i < e->num; i++) {
        struct entry *entry = &e->p[i];
        struct pl_tape *tape = t->num ? &t->tapes[t->num - 1] : NULL;
        struct pl_tape_file *foreign;
        char **paths;

        if (!tape || !same_host(entry, tape)) {
            tape = &t->tapes[t->num++];
            tape->host = entry->host;
            tape->machine_hash = entry->machine_hash;
            tape->first_utc = entry->first_utc;
            tape->zone = entry->zone;
            tape->zone_minutes = entry->zone_minutes;
            tape->titles_made_up = entry->titles_made_up;
            tape->calculated = entry->calculated;
            entry->host = entry->zone = NULL;
        }
        paths = realloc(tape->paths, (tape->num_paths + 1) * sizeof *paths);
        if (!paths)
            return PL_NOMEM;
        tape->paths = paths;
        foreign =
            realloc(tape->foreign, (tape->num_paths + 1) * sizeof *foreign);
        if (!foreign)
            return PL_NOMEM;
        tape->foreign = foreign;
        foreign[tape->num_paths] = entry->foreign;
        paths[tape->num_paths++] = entry->path;
        entry->path = NULL;
        entry->foreign.file = NULL;
    }
    return PL_OK;
}

static enum pl_status open_tapes(struct pl_tapes *t, char *const *operands,
                                 size_t num, bool whole, const char **bad)
{
    static char *bad_path; /* outlives the entries for the message */
    struct entries e = { .whole = whole };
    enum pl_status s = PL_OK;
    int error;

    *t = (struct pl_tapes){ 0 };
    for (size_t i = 0; i < num && !s; i++) {
        *bad = operands[i];
        if (strcmp(operands[i], "-") != 0 && pl_dir_exists(operands[i]))
            s = add_folder(&e, operands[i], bad);
        else
            s = add_file(&e, strdup(operands[i]));
    }
    error = errno;
    if (s) {
        free(bad_path);
        bad_path = strdup(*bad);
        *bad = bad_path ? bad_path : "";
    } else if (e.num) {
        if (!is_one_file(&e)) /* else hosts stand as they appear in it */
            qsort(e.p, e.num, sizeof *e.p, by_host);
        s = gather(t, &e);
    }
    for (size_t i = 0; i < e.num; i++) {
        free(e.p[i].path);
        free(e.p[i].host);
        free(e.p[i].zone);
        pl_foreign_drop(e.p[i].foreign.file);
    }
    free(e.p);
    if (s)
        pl_tapes_release(t);
    errno = error;
    return s;
}

enum pl_status pl_tapes_open(struct pl_tapes *t, char *const *operands,
                             size_t num, const char **bad)
{
    return open_tapes(t, operands, num, false, bad);
}

static enum pl_exit open_or_say(struct pl_tapes *t, char *const *operands,
                                int num, bool whole)
{
    const char *bad;
    enum pl_status s = open_tapes(t, operands, (size_t)num, whole, &bad);

    if (s == PL_END) {
        pl_say("%s: no logs (*.plog) in this folder", bad);
        return PL_EXIT_FAILED;
    }
    return s ? pl_say_status(bad, s, NULL) : PL_EXIT_GOOD;
}

enum pl_exit pl_tapes_open_or_say(struct pl_tapes *t, char *const *operands,
                                  int num)
{
    return open_or_say(t, operands, num, false);
}

enum pl_exit pl_tapes_open_whole_or_say(struct pl_tapes *t,
                                        char *const *operands, int num)
{
    return open_or_say(t, operands, num, true);
}

bool pl_tapes_are_one_file(const struct pl_tapes *t)
{
    for (size_t i = 0; i < t->num; i++)
        if (t->tapes[i].num_paths > 1 ||
            strcmp(t->tapes[i].paths[0], t->tapes[0].paths[0]) != 0)
            return false;
    return true;
}

void pl_tapes_release(struct pl_tapes *t)
{
    for (size_t i = 0; i < t->num; i++) {
        for (size_t k = 0; k < t->tapes[i].num_paths; k++) {
            free(t->tapes[i].paths[k]);
            pl_foreign_drop(t->tapes[i].foreign[k].file);
        }
        free(t->tapes[i].paths);
        free(t->tapes[i].foreign);
        free(t->tapes[i].host);
        free(t->tapes[i].zone);
    }
    free(t->tapes);
    *t = (struct pl_tapes){ 0 };
}

bool pl_tapes_is_stream(const struct pl_tapes *t)
{
    for (size_t i = 0; i < t->num; i++)
        for (size_t k = 0; k < t->tapes[i].num_paths; k++)
            if (pl_path_is_stream(t->tapes[i].paths[k]))
                return true;
    return false;
}

bool pl_tapes_are_listed(const struct pl_tapes *t)
{
    for (size_t i = 0; i < t->num; i++)
        if (!t->tapes[i].titles_made_up)
            return false;
    return true;
}

uint64_t pl_tapes_bytes(const struct pl_tapes *t)
{
    uint64_t sum = 0, size;

    for (size_t i = 0; i < t->num; i++)
        for (size_t k = 0; k < t->tapes[i].num_paths; k++) {
            struct pl_file *f;
            enum pl_status s;

            if (pl_path_is_stream(t->tapes[i].paths[k]) ||
                pl_file_open(&f, t->tapes[i].paths[k]))
                return 0;
            s = pl_file_size(f, &size);
            pl_file_close(f);
            if (s || size == UINT64_MAX)
                return 0;
            sum += size;
        }
    return sum;
}

/* Read file 'k' of a tape; '*r' NULL: by a new reader, else it goes on. */
static enum pl_status open_file(struct pl_reader **r,
                                const struct pl_tape *tape, size_t k,
                                const struct pl_reader_options *options)
{
    const struct pl_tape_file *f = &tape->foreign[k];

    if (f->file)
        return pl_foreign_read(r, f->file, f->host, options);
    return *r ? pl_reader_continue(*r, tape->paths[k])
              : pl_reader_open(r, tape->paths[k], options);
}

/* The newest sample of one file.  PL_END: it has none. */
static enum pl_status last_of_file(const struct pl_tape *tape, size_t k,
                                   int64_t *utc_ns)
{
    struct pl_reader *r = NULL;
    struct pl_item item;
    bool found = false;
    enum pl_status s = open_file(&r, tape, k, NULL);

    if (s)
        return s;
    s = pl_reader_seek(r, INT64_MAX - 1);
    while (!s && !(s = pl_reader_next(r, &item)))
        if (item.kind == PL_ITEM_SAMPLE &&
            (!found || item.record.utc_ns > *utc_ns)) {
            *utc_ns = item.record.utc_ns;
            found = true;
        }
    pl_reader_close(r);
    return s == PL_END && found ? PL_OK : s;
}

enum pl_status pl_tapes_last_time(const struct pl_tapes *t, int64_t *utc_ns)
{
    bool found = false;

    for (size_t i = 0; i < t->num; i++) {
        size_t k = t->tapes[i].num_paths;
        enum pl_status s = PL_END;
        int64_t last = 0;

        /* The last file may have been killed before its first sample. */
        while (s == PL_END && k)
            s = last_of_file(&t->tapes[i], --k, &last);
        if (s && s != PL_END)
            return s;
        if (!s && (!found || last > *utc_ns)) {
            *utc_ns = last;
            found = true;
        }
    }
    return found ? PL_OK : PL_END;
}

enum pl_exit pl_tapes_last_time_or_say(const struct pl_tapes *t,
                                       int64_t *utc_ns)
{
    enum pl_status s;

    if (pl_tapes_is_stream(t)) {
        pl_say("%s: a pipe has no end to count from; name a file, or another "
               "time",
               t->tapes[0].paths[0]);
        return PL_EXIT_FAILED;
    }
    s = pl_tapes_last_time(t, utc_ns);
    return s ? pl_say_status(t->tapes[0].paths[0], s, NULL) : PL_EXIT_GOOD;
}

/* ---- reading ---------------------------------------------------------------------- */

enum pl_status pl_tape_start(struct pl_tape_reader *r,
                             const struct pl_tape *tape,
                             const struct pl_reader_options *options)
{
    *r =
        (struct pl_tape_reader){ .tape = tape,
                                 .next = 1,
                                 .follow = options && options->follow,
                                 .names_only = options && options->names_only };
    return open_file(&r->reader, tape, 0, options);
}

void pl_tape_stop(struct pl_tape_reader *r)
{
    pl_reader_close(r->reader);
    free(r->followed);
    r->reader = NULL;
    r->followed = NULL;
}

const char *pl_tape_path(const struct pl_tape_reader *r)
{
    return r->followed ? r->followed : r->tape->paths[r->next - 1];
}

/* "STEM-20261121T073502Z-000.plog": the length of STEM, 0 if it is none. */
static size_t stem_len(const char *name)
{
    const char *last = strrchr(name, '-');
    const char *at = last;

    while (at && at > name && at[-1] != '-')
        at--;
    return at && at > name + 1 ? (size_t)(at - name) - 1 : 0;
}

/* The segment after the one being read, to be freed; NULL: not there yet. */
static char *next_segment(const char *path)
{
    const char *name = pl_path_name(path);
    char *folder =
        pl_text_copy((struct pl_text){ path, (size_t)(name - path) });
    char *stem = pl_text_copy((struct pl_text){ name, stem_len(name) });
    char *found = NULL, **names;
    size_t num;

    if (folder && stem && *stem &&
        !pl_dir_list(*folder ? folder : ".", &names, &num)) {
        for (size_t i = 0; i < num && !found; i++)
            if (pl_segment_matches(stem, names[i]) &&
                strcmp(names[i], name) > 0)
                found = *folder ? join(folder, names[i]) : strdup(names[i]);
        pl_dir_list_free(names, num);
    }
    free(folder);
    free(stem);
    return found;
}

/* Open the next file, if there is one.  PL_END: there is none. */
static enum pl_status go_on(struct pl_tape_reader *r)
{
    const struct pl_reader_options options = { .names_only = r->names_only };
    char *segment = NULL;
    enum pl_status s;

    if (r->next == r->tape->num_paths) {
        if (!r->follow || !r->rotated)
            return PL_END;
        segment = next_segment(pl_tape_path(r));
        if (!segment)
            return PL_END;
    }
    r->bytes_before += pl_reader_position(r->reader);
    s = segment ? pl_reader_continue(r->reader, segment)
                : open_file(&r->reader, r->tape, r->next, &options);
    if (s) {
        free(segment);
        return s;
    }
    r->rotated = r->others = false;
    if (segment) {
        free(r->followed);
        r->followed = segment;
    } else {
        r->next++;
    }
    return PL_OK;
}

/* True for what belongs to another host whose sessions are in this file. */
static bool is_of_others(struct pl_tape_reader *r, const struct pl_item *item)
{
    if (r->followed || !r->tape->foreign[r->next - 1].shared)
        return false;
    if (item->kind == PL_ITEM_SESSION) {
        r->others = !is_session_of(pl_reader_session(r->reader), r->tape->host,
                                   r->tape->machine_hash);
        if (r->others)
            pl_reader_skip_session(r->reader);
    }
    return r->others;
}

enum pl_status pl_tape_next(struct pl_tape_reader *r, struct pl_item *item)
{
    for (;;) {
        enum pl_status s = pl_reader_next(r->reader, item);

        if (!s && is_of_others(r, item))
            continue;
        if (!s && item->kind == PL_ITEM_ENDS)
            r->rotated = item->ends.reason == PL_END_ROTATED;
        if (s != PL_END)
            return s;
        s = go_on(r);
        if (s)
            return s;
    }
}
