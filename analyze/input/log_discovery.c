/* Finds the logs of the operands, and their hosts. */
#include "analyze/input/log_discovery.h"

#include "format/base/array.h"
#include "format/base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char suffix[] = ".plog";

static bool has_suffix(const char *name)
{
    size_t n = strlen(name), len = sizeof suffix - 1;

    return n > len && !strcmp(name + n - len, suffix);
}

/* PL_NOMEM. */
static enum pl_status take_session(struct pl_discovered_log *e,
                                   const struct pl_session *s)
{
    e->machine_hash = s->machine_hash;
    e->titles_made_up = s->titles_made_up;
    e->calculated =
        pl_text_equal(s->provider, pl_text_of(PL_PROVIDER_CALCULATED));
    e->host = pl_text_copy(s->host);
    if (!e->host)
        return PL_NOMEM;
    e->imported = s->sha256 != NULL;
    e->zone_minutes = s->zone_minutes;
    if (!s->zone.n)
        return PL_OK;
    e->zone = pl_text_copy(s->zone);
    return e->zone ? PL_OK : PL_NOMEM;
}

/* Add an entry, all zero but its path, of which it takes ownership. */
static struct pl_discovered_log *add_entry(struct pl_log_discovery *e,
                                           char *path)
{
    if (!path ||
        !pl_array_grow((void **)&e->p, &e->cap, e->num, sizeof *e->p)) {
        free(path);
        return NULL;
    }
    e->p[e->num] = (struct pl_discovered_log){ .path = path, .order = e->num };
    return &e->p[e->num++];
}

static bool copy_text(char **to, const char *text)
{
    *to = text ? strdup(text) : NULL;
    return *to || !text;
}

/*
 * An entry for each machine of a log of another format; the first entry has its
 * path.
 */
static enum pl_status add_hosts(struct pl_log_discovery *e,
                                struct pl_discovered_log *entry,
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
        entry->imported = true;
        entry->titles_made_up = h->titles_made_up;
        entry->calculated = h->calculated;
        if (!copy_text(&entry->host, h->name) ||
            !copy_text(&entry->zone, h->zone))
            return PL_NOMEM;
    }
    return PL_OK;
}

/* Read on to the first sample of a session, noting its host. */
static enum pl_status read_host(struct pl_discovered_log *entry,
                                struct pl_reader *r)
{
    struct pl_item item;
    enum pl_status s;

    while (!(s = pl_reader_next(r, &item))) {
        if (item.kind != PL_ITEM_SESSION && item.kind != PL_ITEM_SAMPLE)
            continue;
        entry->first_utc = item.record.utc_ns;
        entry->first_boot = item.record.boot_ns;
        entry->session = item.record.session;
        entry->seq = item.record.seq;
        if (!entry->host)
            s = take_session(entry, pl_reader_session(r));
        if (s || item.kind == PL_ITEM_SAMPLE)
            break; /* an imported log is made later than its first sample */
    }
    return s;
}

bool pl_session_is_of(const struct pl_session *s, const char *host,
                      uint64_t machine_hash)
{
    return host && s->machine_hash == machine_hash &&
           pl_text_equal(s->host, pl_text_of(host));
}

/* True if the session is of a host found in this file before. */
static bool is_known_host(const struct pl_log_discovery *e, size_t first,
                          const struct pl_session *s)
{
    for (size_t i = first; i < e->num; i++)
        if (pl_session_is_of(s, e->p[i].host, e->p[i].machine_hash))
            return true;
    return false;
}

/* An import may hold sessions of several hosts, one after the other. */
static enum pl_status add_other_hosts(struct pl_log_discovery *e,
                                      struct pl_reader *r)
{
    size_t first = e->num - 1;
    struct pl_item item;
    enum pl_status s = PL_OK;

    while (!s) {
        struct pl_discovered_log *entry;

        pl_reader_skip_session(r);
        while (!(s = pl_reader_next(r, &item)) && item.kind != PL_ITEM_SESSION)
            ;
        if (s || is_known_host(e, first, pl_reader_session(r)))
            continue;
        if (e->num - first == PL_HOSTS_OF_A_LOG) {
            e->p[first].foreign.more_hosts = true;
            break;
        }
        entry = add_entry(e, strdup(e->p[first].path));
        if (!entry || take_session(entry, pl_reader_session(r)))
            return PL_NOMEM;
        s = read_host(entry, r);
    }
    for (size_t i = first; i < e->num; i++)
        e->p[i].foreign.shared = e->num > first + 1;
    return s;
}

enum pl_status pl_log_discovery_add_file(struct pl_log_discovery *e, char *path)
{
    struct pl_discovered_log *entry = add_entry(e, path);
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
    if (s)
        return s;
    s = pl_reader_open(&r, path, NULL);
    if (!s) {
        pl_reader_first_times_only(r);
        s = read_host(entry, r);
    }
    if (!s && !e->whole && pl_reader_session(r)->sha256)
        s = add_other_hosts(e, r);
    pl_reader_close(r);
    return s == PL_END ? PL_OK : s;
}

char *pl_log_path(const char *folder, const char *name)
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

/* True for an empty file: a power cut may leave one of a new segment. */
static bool is_empty(const char *path)
{
    struct pl_file *f;
    uint64_t size;
    bool empty;

    if (!path || pl_path_is_stream(path) || pl_file_open(&f, path))
        return false;
    empty = !pl_file_size(f, &size) && !size;
    pl_file_close(f);
    return empty;
}

/* The nearest log to index 'at' whose host is known; NULL: none. */
static const struct pl_discovered_log *
neighbour(const struct pl_log_discovery *e, size_t first, size_t at)
{
    for (size_t i = at; i-- > first;)
        if (!e->p[i].foreign.no_record)
            return &e->p[i];
    for (size_t i = at; i < e->num; i++)
        if (!e->p[i].foreign.no_record)
            return &e->p[i];
    return NULL;
}

enum pl_status pl_log_discovery_share_host(struct pl_discovered_log *to,
                                           const struct pl_discovered_log *from)
{
    free(to->host);
    free(to->zone);
    to->zone = NULL;
    to->machine_hash = from->machine_hash;
    to->zone_minutes = from->zone_minutes;
    to->imported = from->imported;
    to->titles_made_up = from->titles_made_up;
    to->calculated = from->calculated;
    return copy_text(&to->host, from->host) && copy_text(&to->zone, from->zone)
               ? PL_OK
               : PL_NOMEM;
}

/*
 * Assign files without a record from 'first' on to the recording around them.
 * 'why' if there is none.
 */
static enum pl_status place_without_record(struct pl_log_discovery *e,
                                           size_t first, enum pl_status why)
{
    enum pl_status s = PL_OK;

    for (size_t i = first; i < e->num && !s; i++) {
        struct pl_discovered_log *log = &e->p[i];
        const struct pl_discovered_log *next = neighbour(e, first, i);

        if (!next)
            return why;
        if (!log->foreign.no_record)
            continue;
        log->first_utc = next->first_utc;
        log->session = next->session;
        log->seq = next->seq;
        s = pl_log_discovery_share_host(log, next);
    }
    return s;
}

static void drop_entry(struct pl_discovered_log *entry)
{
    free(entry->path);
    free(entry->host);
    free(entry->zone);
    pl_foreign_drop(entry->foreign.file);
}

/* True for zeros, damage only, or the beginning of a record. */
static bool has_no_record(const struct pl_discovered_log *log, enum pl_status s)
{
    return s == PL_ZEROS || s == PL_NOT_A_LOG ||
           (!s && !log->session && !log->foreign.file &&
            !pl_path_is_stream(log->path));
}

enum pl_status pl_log_discovery_add_folder(struct pl_log_discovery *e,
                                           const char *folder, const char **bad)
{
    size_t num, found = 0, first = e->num;
    enum pl_status why = PL_OK; /* the first file without a record is none */
    char **names;
    enum pl_status s = pl_dir_list(folder, &names, &num);

    if (s)
        return s;
    for (size_t i = 0; i < num && !s; i++) {
        bool none;
        char *path;

        if (!has_suffix(names[i]))
            continue;
        path = pl_log_path(folder, names[i]);
        if (is_empty(path)) {
            free(path);
            continue;
        }
        s = pl_log_discovery_add_file(e, path);
        /* deleted by the recorder meanwhile */
        if (s == PL_IO && errno == ENOENT) {
            drop_entry(&e->p[--e->num]);
            s = PL_OK;
            continue;
        }
        found++;
        none = e->num && has_no_record(&e->p[e->num - 1], s);
        if (s && e->num && !(none && why))
            *bad = e->p[e->num - 1].path;
        if (none) {
            e->p[e->num - 1].foreign.no_record = true;
            why = why ? why : s;
            s = PL_OK;
        }
    }
    pl_dir_list_free(names, num);
    if (!s)
        s = found ? place_without_record(e, first, why) : PL_END;
    return s;
}

void pl_log_discovery_keep(struct pl_log_discovery *e, size_t num)
{
    while (e->num > num)
        drop_entry(&e->p[--e->num]);
}

void pl_log_discovery_release(struct pl_log_discovery *e)
{
    pl_log_discovery_keep(e, 0);
    free(e->p);
    *e = (struct pl_log_discovery){ 0 };
}
