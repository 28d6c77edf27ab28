/*                                           analyze/export/parquet_events.h
 * The table of what happened to a log, for export --parquet: missing samples,
 * damage, notes, ends of sessions.  Each event belongs to the sample after it,
 * or to the end of its session, by which a later run knows it.
 */
#ifndef PL_ANALYZE_EXPORT_PARQUET_EVENTS_H
#define PL_ANALYZE_EXPORT_PARQUET_EVENTS_H

#include "analyze/export/parquet_folder.h"
#include "analyze/parquet/parquet_file.h"
#include "analyze/replay/replay.h"
#include "format/base/buf.h"

struct pl_parquet_event;

struct pl_parquet_events { /* all zero at first */
    struct pl_parquet_event *pending;
    size_t num, cap;
    struct pl_buf texts; /* of the pending ones */
    bool oom;
    int64_t utc_ns; /* of the last record */
    /* the last sample; 'host' NULL: none */
    const struct pl_host *host;
    uint64_t session;
    uint32_t seq;
    struct pl_parquet_partition partition;
    struct pl_parquet *file; /* NULL: none has been begun */
    struct pl_parquet_span span;
    uint32_t columns[8];
};

/* For pl_replay_options.watch: 'ctx' is the pl_parquet_events. */
void pl_parquet_events_watch(void *ctx, const struct pl_host_log *log,
                             const struct pl_item *item);

/* The row of a sample: write what happened before it.  PL_IO, PL_NOMEM. */
enum pl_status pl_parquet_events_row(struct pl_parquet_events *e,
                                     const struct pl_parquet_folder *folder,
                                     const struct pl_row *row);

/*
 * After the last row of a host: complete the file.  Unless the recording has
 * 'ended', what follows the last sample is left to a later run.
 */
enum pl_status pl_parquet_events_end(struct pl_parquet_events *e,
                                     const struct pl_parquet_folder *folder,
                                     bool ended);
void pl_parquet_events_release(struct pl_parquet_events *e);

#endif
