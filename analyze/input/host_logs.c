/* Sorts logs by host, and answers questions about all of them. */
#include "analyze/input/log_discovery.h"
#include "analyze/input/host_log.h"
#include "analyze/input/unset_clock.h"
#include "format/base/array.h"
#include "format/base/file.h"

#include <stdlib.h>
#include <string.h>

static int by_host(const struct pl_discovered_log *a,
                   const struct pl_discovered_log *b)
{
    int order = strcmp(a->host ? a->host : "", b->host ? b->host : "");

    if (order)
        return order;
    return (a->machine_hash > b->machine_hash) -
           (a->machine_hash < b->machine_hash);
}

/* Within a session by number, as clocks may be set back. */
static int by_seq(const struct pl_discovered_log *a,
                  const struct pl_discovered_log *b)
{
    if (a->session && a->session == b->session && a->seq != b->seq)
        return a->seq < b->seq ? -1 : 1;
    if (a->first_utc != b->first_utc)
        return a->first_utc < b->first_utc ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static int by_session(const void *x, const void *y)
{
    const struct pl_discovered_log *a = x, *b = y;
    int order = by_host(a, b);

    if (order)
        return order;
    if (a->session != b->session)
        return a->session < b->session ? -1 : 1;
    return by_seq(a, b);
}

static int by_time(const void *x, const void *y)
{
    const struct pl_discovered_log *a = x, *b = y;
    int order = by_host(a, b);

    if (order)
        return order;
    if (a->begun_utc != b->begun_utc)
        return a->begun_utc < b->begun_utc ? -1 : 1;
    if (a->begun_order != b->begun_order)
        return a->begun_order < b->begun_order ? -1 : 1;
    return by_seq(a, b);
}

static bool is_nameless(const struct pl_discovered_log *e)
{
    return !e->host || !*e->host;
}

/* Logs of a session together, those that have a host's name first. */
static int by_name_in_session(const void *x, const void *y)
{
    const struct pl_discovered_log *a = x, *b = y;

    if (a->session != b->session)
        return a->session < b->session ? -1 : 1;
    if (is_nameless(a) != is_nameless(b))
        return is_nameless(a) ? 1 : -1;
    return by_seq(a, b);
}

/*
 * A log whose record of the host is lost has the host of its session's other
 * logs.  PL_NOMEM.
 */
static enum pl_status name_hosts(struct pl_log_discovery *e)
{
    enum pl_status s = PL_OK;

    qsort(e->p, e->num, sizeof *e->p, by_name_in_session);
    for (size_t i = 1; i < e->num && !s; i++)
        if (e->p[i].session && is_nameless(&e->p[i]) &&
            e->p[i].session == e->p[i - 1].session)
            s = pl_log_discovery_share_host(&e->p[i], &e->p[i - 1]);
    return s;
}

/* By host; sessions by their start, logs of one session together. */
static void sort(struct pl_log_discovery *e)
{
    qsort(e->p, e->num, sizeof *e->p, by_session);
    pl_log_discovery_set_clocks(e);
    for (size_t i = 0; i < e->num; i++) {
        struct pl_discovered_log *f = &e->p[i];
        const struct pl_discovered_log *before = i ? f - 1 : NULL;
        bool goes_on = before && f->session && f->session == before->session &&
                       !by_host(f, before);

        f->begun_utc = goes_on ? before->begun_utc : f->right_utc;
        f->begun_order = goes_on ? before->begun_order : f->order;
    }
    qsort(e->p, e->num, sizeof *e->p, by_time);
}

static bool is_one_file(const struct pl_log_discovery *e)
{
    for (size_t i = 1; i < e->num; i++)
        if (strcmp(e->p[i].path, e->p[0].path) != 0)
            return false;
    return true;
}

static bool same_host(const struct pl_discovered_log *e,
                      const struct pl_host_log *t)
{
    return e->host && t->host && !strcmp(e->host, t->host) &&
           e->machine_hash == t->machine_hash;
}

/* Entries are sorted; their strings move into the host logs. */
static enum pl_status gather(struct pl_host_logs *t, struct pl_log_discovery *e)
{
    t->logs = calloc(e->num, sizeof *t->logs);
    if (!t->logs)
        return PL_NOMEM;
    for (size_t i = 0; i < e->num; i++) {
        struct pl_discovered_log *entry = &e->p[i];
        struct pl_host_log *log = t->num ? &t->logs[t->num - 1] : NULL;

        if (!log || !same_host(entry, log)) {
            log = &t->logs[t->num++];
            log->host = entry->host;
            log->machine_hash = entry->machine_hash;
            log->first_utc = entry->first_utc;
            log->zone = entry->zone;
            log->zone_minutes = entry->zone_minutes;
            log->imported = entry->imported;
            log->titles_made_up = entry->titles_made_up;
            log->calculated = entry->calculated;
            entry->host = entry->zone = NULL;
        }
        /* A file may name very many hosts, so none has room to spare. */
        if (!pl_array_resize((void **)&log->paths, log->num_paths + 1,
                             sizeof *log->paths) ||
            !pl_array_resize((void **)&log->foreign, log->num_paths + 1,
                             sizeof *log->foreign))
            return PL_NOMEM;
        log->foreign[log->num_paths] = entry->foreign;
        log->foreign[log->num_paths].first_utc = entry->right_utc;
        log->foreign[log->num_paths].session = entry->session;
        log->paths[log->num_paths++] = entry->path;
        entry->path = NULL;
        entry->foreign.file = NULL;
    }
    return PL_OK;
}

static enum pl_status add_operand(struct pl_log_discovery *e,
                                  const char *operand, const char **bad)
{
    *bad = operand;
    if (strcmp(operand, "-") != 0 && pl_dir_exists(operand))
        return pl_log_discovery_add_folder(e, operand, bad);
    return pl_log_discovery_add_file(e, strdup(operand));
}

/* Turn the entries into host logs; *bad outlives them. */
static enum pl_status take_finds(struct pl_host_logs *t,
                                 struct pl_log_discovery *e, enum pl_status s,
                                 const char **bad)
{
    static char *bad_path;
    PL_KEEP_ERRNO;

    if (s) {
        free(bad_path);
        bad_path = strdup(*bad);
        *bad = bad_path ? bad_path : "";
    } else if (e->num) {
        if (!is_one_file(e)) { /* else hosts keep their order in the file */
            s = name_hosts(e);
            sort(e);
        } else {
            pl_log_discovery_set_clocks(e);
        }
        if (!s)
            s = gather(t, e);
    }
    pl_log_discovery_release(e);
    if (s)
        pl_host_logs_release(t);
    return s;
}

static enum pl_status open_logs(struct pl_host_logs *t, char *const *operands,
                                size_t num, bool whole, const char **bad)
{
    struct pl_log_discovery e = { .whole = whole };
    enum pl_status s = PL_OK;

    *t = (struct pl_host_logs){ 0 };
    for (size_t i = 0; i < num && !s; i++)
        s = add_operand(&e, operands[i], bad);
    return take_finds(t, &e, s, bad);
}

enum pl_status pl_host_logs_open_some(struct pl_host_logs *t,
                                      char *const *operands, size_t num,
                                      bool (*refuse)(void *ctx, size_t i,
                                                     enum pl_status why),
                                      void *ctx, const char **bad)
{
    struct pl_log_discovery e = { 0 };
    enum pl_status s = PL_OK;

    *t = (struct pl_host_logs){ 0 };
    *bad = "";
    for (size_t i = 0; i < num && !s; i++) {
        size_t before = e.num;

        s = add_operand(&e, operands[i], bad);
        if (s && refuse(ctx, i, s)) {
            pl_log_discovery_keep(&e, before);
            s = PL_OK;
        }
    }
    if (!s && !e.num)
        s = PL_END;
    return take_finds(t, &e, s, bad);
}

enum pl_status pl_host_logs_open(struct pl_host_logs *t, char *const *operands,
                                 size_t num, const char **bad)
{
    return open_logs(t, operands, num, false, bad);
}

const char *pl_host_log_remark(const struct pl_host_log *t, size_t k)
{
    const struct pl_foreign_file *f = t->foreign[k].file;

    _Static_assert(PL_HOSTS_OF_A_LOG == 1024, "as the text says");
    if (t->foreign[k].more_hosts)
        return "holds more than 1024 hosts; only the first 1024 are read";
    return f && *f->remark && !t->foreign[k].host ? f->remark : NULL;
}

static void say_remarks(const struct pl_host_logs *t)
{
    for (size_t i = 0; i < t->num; i++)
        for (size_t k = 0; k < t->logs[i].num_paths; k++) {
            const char *remark = pl_host_log_remark(&t->logs[i], k);

            if (remark)
                pl_say("%s: %s", t->logs[i].paths[k], remark);
        }
}

static enum pl_exit open_or_say(struct pl_host_logs *t, char *const *operands,
                                int num, bool whole, bool together, bool quiet)
{
    const char *bad;
    enum pl_status s = open_logs(t, operands, (size_t)num, whole, &bad);

    if (s == PL_END) {
        pl_say("%s: no logs (*.plog) in this folder, or empty ones", bad);
        return PL_EXIT_FAILED;
    }
    if (s)
        return pl_say_status(bad, s, NULL);
    if (!quiet) {
        pl_host_logs_say_overlap(t, together);
        say_remarks(t);
    }
    return PL_EXIT_GOOD;
}

enum pl_exit pl_host_logs_open_or_say(struct pl_host_logs *t,
                                      char *const *operands, int num,
                                      bool quiet)
{
    return open_or_say(t, operands, num, false, false, quiet);
}

enum pl_exit pl_host_logs_open_together_or_say(struct pl_host_logs *t,
                                               char *const *operands, int num,
                                               bool quiet)
{
    return open_or_say(t, operands, num, false, true, quiet);
}

enum pl_exit pl_host_logs_open_whole_or_say(struct pl_host_logs *t,
                                            char *const *operands, int num,
                                            bool quiet)
{
    return open_or_say(t, operands, num, true, false, quiet);
}

bool pl_host_logs_are_one_file(const struct pl_host_logs *t)
{
    for (size_t i = 0; i < t->num; i++)
        if (t->logs[i].num_paths > 1 ||
            strcmp(t->logs[i].paths[0], t->logs[0].paths[0]) != 0)
            return false;
    return true;
}

void pl_host_logs_release(struct pl_host_logs *t)
{
    for (size_t i = 0; i < t->num; i++) {
        for (size_t k = 0; k < t->logs[i].num_paths; k++) {
            free(t->logs[i].paths[k]);
            pl_foreign_drop(t->logs[i].foreign[k].file);
        }
        free(t->logs[i].paths);
        free(t->logs[i].foreign);
        free(t->logs[i].host);
        free(t->logs[i].zone);
    }
    free(t->logs);
    *t = (struct pl_host_logs){ 0 };
}

const char *pl_host_logs_stream(const struct pl_host_logs *t)
{
    for (size_t i = 0; i < t->num; i++)
        for (size_t k = 0; k < t->logs[i].num_paths; k++)
            if (pl_path_is_stream(t->logs[i].paths[k]))
                return t->logs[i].paths[k];
    return NULL;
}

bool pl_host_logs_is_stream(const struct pl_host_logs *t)
{
    return pl_host_logs_stream(t) != NULL;
}

bool pl_host_logs_are_listed(const struct pl_host_logs *t)
{
    for (size_t i = 0; i < t->num; i++)
        if (!t->logs[i].titles_made_up)
            return false;
    return true;
}

unsigned pl_host_logs_rights(const struct pl_host_logs *t)
{
    unsigned all = PL_ALL_RIGHTS, rights;

    for (size_t i = 0; i < t->num; i++)
        for (size_t k = 0; k < t->logs[i].num_paths; k++) {
            const char *path = t->logs[i].paths[k];

            if (!pl_path_is_stream(path) && !pl_file_rights(path, &rights))
                all &= rights;
        }
    return all | 0600; /* the owner's rights */
}

uint64_t pl_host_logs_bytes(const struct pl_host_logs *t)
{
    uint64_t sum = 0, size;

    for (size_t i = 0; i < t->num; i++)
        for (size_t k = 0; k < t->logs[i].num_paths; k++) {
            struct pl_file *f;
            enum pl_status s;

            if (pl_path_is_stream(t->logs[i].paths[k]) ||
                pl_file_open(&f, t->logs[i].paths[k]))
                return 0;
            s = pl_file_size(f, &size);
            pl_file_close(f);
            if (s || size == UINT64_MAX)
                return 0;
            sum += size;
        }
    return sum;
}

enum pl_status pl_host_log_last_time(const struct pl_host_log *log, size_t k,
                                     int64_t *utc_ns, uint64_t *interval_ns)
{
    struct pl_reader *r = NULL;
    struct pl_item item;
    bool found = false, others = false;
    enum pl_status s = pl_host_log_open_file(&r, log, k, NULL);

    if (s)
        return s;
    /* their times are known without the blocks of most of them */
    pl_reader_times_only(r);
    /* What a shared file ends with may be another host's. */
    if (!log->foreign[k].shared)
        s = pl_reader_seek(r, INT64_MAX - 1);
    while (!s && !(s = pl_reader_next(r, &item)))
        if (!pl_host_log_is_of_others(log, k, r, &item, &others) &&
            item.kind == PL_ITEM_SAMPLE) {
            *utc_ns = item.record.utc_ns;
            *interval_ns = pl_reader_session(r)->interval_ns;
            found = true;
        }
    pl_reader_close(r);
    return s == PL_END && found ? PL_OK : s;
}

enum pl_status pl_host_logs_last_time(const struct pl_host_logs *t,
                                      int64_t *utc_ns, uint64_t *interval_ns)
{
    bool found = false;

    for (size_t i = 0; i < t->num; i++) {
        size_t k = t->logs[i].num_paths;
        enum pl_status s = PL_END;
        int64_t last = 0;
        uint64_t interval = 0;

        /*
         * The recorder of the last file may have been killed before its first
         * sample.
         */
        while (s == PL_END && k)
            s = pl_host_log_last_time(&t->logs[i], --k, &last, &interval);
        if (s && s != PL_END)
            return s;
        if (!s && (!found || last > *utc_ns)) {
            *utc_ns = last;
            *interval_ns = interval;
            found = true;
        }
    }
    return found ? PL_OK : PL_END;
}

typedef enum pl_status start_fn(struct pl_host_log_reader *r,
                                const struct pl_host_log *log,
                                const struct pl_reader_options *options,
                                int64_t utc_ns);

static enum pl_status interval_from(start_fn *start,
                                    const struct pl_host_log *log,
                                    int64_t utc_ns, uint64_t *interval_ns,
                                    const char **bad)
{
    struct pl_host_log_reader r;
    struct pl_item item;
    enum pl_status s = start(&r, log, NULL, utc_ns);

    if (!s) {
        pl_reader_times_only(r.reader);
        s = pl_reader_seek(r.reader, utc_ns);
    }
    do {
        if (!s)
            s = pl_host_log_next(&r, &item);
    } while (!s &&
             (item.kind != PL_ITEM_SAMPLE || item.record.utc_ns < utc_ns));
    if (!s)
        *interval_ns = pl_reader_session(r.reader)->interval_ns;
    *bad = log->paths[r.next - 1];
    pl_host_log_stop(&r);
    return s;
}

/* As ranges with in_file find rows, see series_filter.h. */
static enum pl_status interval_at(const struct pl_host_log *log, int64_t utc_ns,
                                  uint64_t *interval_ns, const char **bad)
{
    enum pl_status s =
        interval_from(pl_host_log_start_at, log, utc_ns, interval_ns, bad);

    if (s == PL_END && log->num_paths > 1)
        s = interval_from(pl_host_log_start_after, log, utc_ns, interval_ns,
                          bad);
    return s;
}

enum pl_status pl_host_logs_interval_at(const struct pl_host_logs *t,
                                        int64_t utc_ns, uint64_t *interval_ns,
                                        const char **bad)
{
    *interval_ns = 0;
    for (size_t i = 0; i < t->num; i++) {
        uint64_t interval = 0;
        enum pl_status s = interval_at(&t->logs[i], utc_ns, &interval, bad);

        if (s && s != PL_END)
            return s;
        if (interval > *interval_ns)
            *interval_ns = interval;
    }
    return PL_OK;
}

enum pl_exit pl_host_logs_last_time_or_say(const struct pl_host_logs *t,
                                           int64_t *utc_ns,
                                           uint64_t *interval_ns)
{
    const char *stream = pl_host_logs_stream(t);
    enum pl_status s;

    if (stream) {
        pl_say("%s: a %s has no end to count from; name a file, or a "
               "time with its date",
               t->logs[0].paths[0], pl_path_stream_word(stream));
        return PL_EXIT_FAILED;
    }
    s = pl_host_logs_last_time(t, utc_ns, interval_ns);
    if (s == PL_END) {
        pl_say("%s: holds no readable samples", t->logs[0].paths[0]);
        return PL_EXIT_UNREADABLE;
    }
    return s ? pl_say_status(t->logs[0].paths[0], s, NULL) : PL_EXIT_GOOD;
}
