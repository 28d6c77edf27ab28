/* Reads the files of one host one after another. */
#include "analyze/input/host_log.h"

#include "analyze/input/log_discovery.h"
#include "format/base/array.h"
#include "format/base/file.h"
#include "format/time/time_text.h"
#include "format/writer/segment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How long to wait for a next segment that has not been started. */
#define PATIENCE (2 * PL_NS_PER_SEC)

enum pl_status pl_host_log_open_file(struct pl_reader **r,
                                     const struct pl_host_log *log, size_t k,
                                     const struct pl_reader_options *options)
{
    const struct pl_host_log_file *f = &log->foreign[k];
    struct pl_reader_options own = { 0 };
    enum pl_status s;

    if (f->file)
        return pl_foreign_read(r, f->file, f->host, options);
    if (options)
        own = *options;
    own.damaged_too = f->no_record;
    s = *r ? pl_reader_continue(*r, log->paths[k])
           : pl_reader_open(r, log->paths[k], &own);
    if (!s && log->host)
        pl_reader_knows_host(*r, f->session, pl_text_of(log->host),
                             log->machine_hash);
    return s;
}

/*
 * Open the next file.  Files that no longer exist are skipped: a recorder
 * deletes old segments even while they are read.
 */
static enum pl_status open_next(struct pl_host_log_reader *r,
                                const struct pl_reader_options *options)
{
    size_t num = r->log->num_paths;
    enum pl_status s;

    do {
        s = pl_host_log_open_file(&r->reader, r->log, r->next++, options);
    } while (s == PL_IO && errno == ENOENT && r->next < num);
    return s;
}

static struct pl_host_log_reader
reader_of(const struct pl_host_log *log,
          const struct pl_reader_options *options)
{
    return (struct pl_host_log_reader){ .log = log,
                                        .follow = options && options->follow,
                                        .names_only =
                                            options && options->names_only };
}

enum pl_status pl_host_log_start(struct pl_host_log_reader *r,
                                 const struct pl_host_log *log,
                                 const struct pl_reader_options *options)
{
    *r = reader_of(log, options);
    return open_next(r, options);
}

/*
 * Is it certain that no sample of the file has a time between the two?
 * '*longest' as in pl_reader_none_between.
 */
static bool has_none(const struct pl_host_log *log, size_t k, int64_t first_ns,
                     int64_t last_ns, uint64_t *longest)
{
    struct pl_reader *r;
    bool none;

    if (log->foreign[k].file || !strcmp(log->paths[k], "-") ||
        pl_reader_open(&r, log->paths[k], NULL))
        return false;
    none = pl_reader_none_between(r, first_ns, last_ns, longest);
    pl_reader_close(r);
    return none;
}

/*
 * Files before the time range need not be read, except the last of them.  A row
 * is at most a millisecond later than its sample.
 */
static size_t files_before(const struct pl_host_log *log, int64_t utc_ns)
{
    int64_t first = utc_ns - PL_NS_PER_MS;
    size_t n = 0;

    if (utc_ns < 0 || log->num_paths < 2 ||
        !has_none(log, 0, first, INT64_MAX, NULL))
        return 0;
    while (n + 1 < log->num_paths &&
           has_none(log, n + 1, first, INT64_MAX, NULL))
        n++;
    return n;
}

enum pl_status pl_host_log_start_after(struct pl_host_log_reader *r,
                                       const struct pl_host_log *log,
                                       const struct pl_reader_options *options,
                                       int64_t utc_ns)
{
    *r = reader_of(log, options);
    r->next = files_before(log, utc_ns);
    return open_next(r, options);
}

/* No sample up to last_ns after the position, nor in the files up to 'end'. */
static bool none_until(struct pl_host_log_reader *r, size_t end,
                       int64_t last_ns, uint64_t *longest)
{
    if (!pl_reader_none_between(r->reader, INT64_MIN, last_ns, longest))
        return false;
    for (size_t i = r->next; i < end; i++)
        if (!has_none(r->log, i, INT64_MIN, last_ns, longest))
            return false;
    return true;
}

/* A row is less than an interval earlier than its sample. */
static bool is_past(struct pl_host_log_reader *r, size_t end, int64_t row_ns,
                    uint64_t interval_ns)
{
    uint64_t longest = interval_ns, assumed;

    do {
        assumed = longest;
        if (assumed > INT64_MAX / 4 || row_ns > INT64_MAX / 4 * 3 ||
            r->num_followed ||
            !none_until(r, end, row_ns + (int64_t)assumed + PL_NS_PER_MS,
                        &longest))
            return false;
    } while (longest > assumed);
    return true;
}

bool pl_host_log_is_past(struct pl_host_log_reader *r, int64_t row_ns,
                         uint64_t interval_ns)
{
    return is_past(r, r->log->num_paths, row_ns, interval_ns);
}

bool pl_host_log_file_is_past(struct pl_host_log_reader *r, int64_t row_ns,
                              uint64_t interval_ns)
{
    return is_past(r, r->next, row_ns, interval_ns);
}

enum pl_status pl_host_log_start_at(struct pl_host_log_reader *r,
                                    const struct pl_host_log *log,
                                    const struct pl_reader_options *options,
                                    int64_t utc_ns)
{
    *r = reader_of(log, options);
    /* Files without a record have the time of the one before them. */
    for (size_t i = log->num_paths; --i && !r->next;)
        if (log->foreign[i].first_utc <= utc_ns && !log->foreign[i].no_record)
            r->next = i;
    return open_next(r, options);
}

void pl_host_log_stop(struct pl_host_log_reader *r)
{
    pl_reader_close(r->reader);
    for (size_t i = 0; i < r->num_followed; i++)
        free(r->followed[i]);
    free(r->followed);
    r->reader = NULL;
    r->followed = NULL;
    r->num_followed = 0;
}

const char *pl_host_log_path(const struct pl_host_log_reader *r)
{
    return r->num_followed ? r->followed[r->num_followed - 1]
                           : r->log->paths[r->next - 1];
}

uint64_t pl_host_log_list_hash(const struct pl_host_log_reader *r)
{
    const struct pl_foreign_file *f =
        r->num_followed ? NULL : r->log->foreign[r->next - 1].file;

    return f ? f->list_hash : 0;
}

void pl_places_note(struct pl_places *p, const struct pl_host_log_reader *r)
{
    const char *path = pl_host_log_path(r);

    if (!p->path)
        p->path = path;
    p->others |= strcmp(p->path, path) != 0;
}

const char *pl_places_rest(const struct pl_places *p)
{
    return p->others ? " and others" : "";
}

/* The session a segment begins with: the wanted one, another, or none yet. */
enum beginning { WANTED, ANOTHER, NOT_YET };

static enum beginning look_at(const char *path, uint64_t session)
{
    uint8_t head[PL_RECORD_LEN];
    enum beginning b = ANOTHER;
    struct pl_record record;
    struct pl_file *f;
    size_t got = 0;

    if (pl_file_open(&f, path))
        return ANOTHER;
    if (pl_file_read(f, 0, head, sizeof head, &got) || got < sizeof head)
        b = pl_file_is_locked(f) ? NOT_YET : ANOTHER;
    else if (!pl_record_get(&record, head) && record.session == session)
        b = WANTED;
    pl_file_close(f);
    return b;
}

/*
 * True if 'name' is a later segment than 'than' of the same log, with a number
 * below 'below'; *number is then set to its number.
 */
static bool comes_next(const char *name, const char *than, uint64_t below,
                       uint64_t *number)
{
    uint64_t before;
    size_t n, stem;

    return pl_segment_parse(than, &stem, &before) &&
           pl_segment_parse(name, &n, number) && n == stem &&
           !strncmp(name, than, n) && *number > before && *number < below;
}

/*
 * The segment of the session after the one being read, to be freed; NULL: it
 * does not exist yet, or *is_made: it exists but has no records yet.  Segments
 * are ordered by number, as clocks may be set back.
 */
static char *next_segment(const char *path, uint64_t session, bool *is_made)
{
    const char *name = pl_path_name(path);
    char *folder =
        pl_text_copy((struct pl_text){ path, (size_t)(name - path) });
    char *found = NULL, **names;
    uint64_t least = UINT64_MAX, number;
    size_t num;

    *is_made = false;
    if (folder && !pl_dir_list(*folder ? folder : ".", &names, &num)) {
        for (size_t i = 0; i < num; i++) {
            enum beginning b = ANOTHER;
            char *one;

            if (!comes_next(names[i], name, least, &number))
                continue;
            one = *folder ? pl_log_path(folder, names[i]) : strdup(names[i]);
            if (one)
                b = look_at(one, session);
            *is_made |= b == NOT_YET;
            if (b == WANTED) {
                free(found);
                found = one;
                least = number;
            } else {
                free(one);
            }
        }
        pl_dir_list_free(names, num);
    }
    free(folder);
    return found;
}

/* Make room for the path of one more segment.  PL_NOMEM. */
static enum pl_status make_room(struct pl_host_log_reader *r)
{
    return pl_array_grow((void **)&r->followed, &r->cap_followed,
                         r->num_followed, sizeof *r->followed)
               ? PL_OK
               : PL_NOMEM;
}

/*
 * A recorder creates the next segment before it ends one.  If there is none for
 * a while, the recorder was killed, or the other segments were moved away.
 */
static void wait_for_next(struct pl_host_log_reader *r, bool is_made)
{
    int64_t now = pl_clock_steady();

    if (is_made || !r->alone_since)
        r->alone_since = now;
    else if (now - r->alone_since > PATIENCE)
        r->rotated = 0;
}

/* Open the next file, if there is one.  PL_END: there is none. */
static enum pl_status go_on(struct pl_host_log_reader *r)
{
    const struct pl_reader_options options = { .names_only = r->names_only };
    char *segment = NULL;
    bool is_made;
    enum pl_status s;

    if (r->next == r->log->num_paths) {
        if (!r->follow || !r->rotated)
            return PL_END;
        segment = next_segment(pl_host_log_path(r), r->rotated, &is_made);
        if (!segment) {
            wait_for_next(r, is_made);
            return PL_END;
        }
    }
    r->bytes_before += pl_reader_position(r->reader);
    s = segment ? make_room(r) : PL_OK;
    if (!s)
        s = segment ? pl_reader_continue(r->reader, segment)
                    : open_next(r, &options);
    if (s) {
        free(segment);
        return s;
    }
    r->rotated = 0;
    r->alone_since = 0;
    r->others = false;
    if (segment)
        r->followed[r->num_followed++] = segment;
    return PL_OK;
}

bool pl_host_log_is_of_others(const struct pl_host_log *log, size_t k,
                              struct pl_reader *r, const struct pl_item *item,
                              bool *others)
{
    if (!log->foreign[k].shared)
        return false;
    if (item->kind == PL_ITEM_SESSION) {
        *others = !pl_session_is_of(pl_reader_session(r), log->host,
                                    log->machine_hash);
        if (*others)
            pl_reader_skip_session(r);
    }
    return *others;
}

enum pl_status pl_host_log_next(struct pl_host_log_reader *r,
                                struct pl_item *item)
{
    for (;;) {
        enum pl_status s = pl_reader_next(r->reader, item);

        if (!s && !r->num_followed &&
            pl_host_log_is_of_others(r->log, r->next - 1, r->reader, item,
                                     &r->others))
            continue;
        if (!s && item->kind == PL_ITEM_ENDS)
            r->rotated =
                item->ends.reason == PL_END_ROTATED ? item->record.session : 0;
        if (s != PL_END)
            return s;
        s = go_on(r);
        if (s)
            return s;
    }
}
