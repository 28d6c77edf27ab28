/* Logs of one host that were recorded at the same time. */
#include "analyze/input/host_log.h"

#include "format/base/file.h"
#include "format/time/time_text.h"

#include <inttypes.h>
#include <stdio.h>

#define LEAST_OVERLAP (60 * PL_NS_PER_SEC)

/* A log of another program, or a .plog of this host alone. */
static bool has_times(const struct pl_host_log *t, size_t k)
{
    return (t->foreign[k].session || t->foreign[k].file) &&
           !t->foreign[k].shared && !t->foreign[k].no_record &&
           !pl_path_is_stream(t->paths[k]);
}

/* PL_OK, or as pl_host_log_last_time. */
static enum pl_status last_time(const struct pl_host_log *t, size_t k,
                                int64_t *utc_ns)
{
    const struct pl_host_log_file *f = &t->foreign[k];
    uint64_t interval;

    if (!f->file)
        return pl_host_log_last_time(t, k, utc_ns, &interval);
    *utc_ns = f->file->hosts[f->host].last_utc;
    return PL_OK;
}

static bool is_same_session(const struct pl_host_log_file *a,
                            const struct pl_host_log_file *b)
{
    return a->session && a->session == b->session;
}

/*
 * A file that begins before one ends that is read before it, except two of other
 * programs that are taken 'together'.  Only the last file of a session is looked
 * into, so a log that rotates costs nothing.
 */
static bool find_overlap(const struct pl_host_log *t, bool together,
                         size_t *before, size_t *after)
{
    int64_t latest = INT64_MIN + LEAST_OVERLAP;

    for (size_t k = 0; k + 1 < t->num_paths; k++) {
        int64_t last = latest;

        if (!has_times(t, k) || !has_times(t, k + 1) ||
            is_same_session(&t->foreign[k], &t->foreign[k + 1]))
            continue;
        if (!last_time(t, k, &last) && last > latest) {
            latest = last;
            *before = k;
        }
        *after = k + 1;
        if (t->foreign[*after].first_utc < latest - LEAST_OVERLAP &&
            !(together && t->foreign[*before].file && t->foreign[*after].file))
            return true;
    }
    return false;
}

/* Why files overlap, and what is to be done. */
static const char *remedy(const struct pl_host_log *t, size_t k)
{
    if (t->foreign[k].file)
        return "and are read one after the other; read them apart ('export "
               "--parquet' takes them together)";
    return t->machine_hash
               ? "as two recorders ran there, and are read one after the "
                 "other; read them apart"
               : "and are read as one machine's, one after the other; if they "
                 "are of several machines, read them apart";
}

void pl_host_logs_say_overlap(const struct pl_host_logs *t, bool together)
{
    const struct pl_host_log *first = NULL;
    size_t before = 0, after = 0, first_before = 0, first_after = 0;
    uint64_t others = 0;
    char more[64] = "";

    for (size_t i = 0; i < t->num; i++) {
        if (!find_overlap(&t->logs[i], together, &before, &after))
            continue;
        others += first != NULL;
        if (first)
            continue;
        first = &t->logs[i];
        first_before = before;
        first_after = after;
    }
    if (!first)
        return;
    if (others)
        snprintf(more, sizeof more,
                 " (so do files of %" PRIu64 " other host%s)", others,
                 pl_plural(others));
    pl_say("%s: %s and %s overlap in time%s, %s", first->host,
           first->paths[first_before], first->paths[first_after], more,
           remedy(first, first_after));
}
