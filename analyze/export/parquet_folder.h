/*                                           analyze/export/parquet_folder.h
 * The folder that export --parquet writes: date=/host=/object=/FILE.parquet.
 * A file's name states its session and its first and last sample, so that a
 * later run knows what is there.  A file gets its name when it is complete and
 * on the disk; what a failed run has begun is deleted, and so is what a killed
 * one left, when its folder is used again.  A lock keeps a second run out.
 */
#ifndef PL_ANALYZE_EXPORT_PARQUET_FOLDER_H
#define PL_ANALYZE_EXPORT_PARQUET_FOLDER_H

#include "format/base/file.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_parquet_folder {
    char *path;
    struct pl_file *lock;
    unsigned rights; /* most rights of the files */
    bool is_new;     /* this run has made it */
};

/*
 * Create it unless it is there.  PL_BUSY: another run writes to it; PL_UNSAFE:
 * '*why'; PL_IO, PL_NOMEM.
 */
enum pl_status pl_parquet_folder_open(struct pl_parquet_folder *f,
                                      const char *path, unsigned rights,
                                      const char **why);

/* A new folder is deleted where it was of no use: nothing was written to it. */
void pl_parquet_folder_close(struct pl_parquet_folder *f, bool failed);

/* The day in UTC that a time belongs to, counted from 1970: whose folder. */
int64_t pl_parquet_day(int64_t utc_ns);

/* Samples of a session, as the name of a file states them. */
struct pl_parquet_span {
    uint64_t session;
    uint32_t first, last;
};

/* The files of one day, host and object.  All zero: none. */
struct pl_parquet_partition {
    int64_t day; /* since 1970 */
    char *path;
    char *part; /* the unfinished file */
    struct pl_parquet_span *there;
    size_t num, cap;
    bool made; /* the folders exist */
    unsigned rights;
};

/*
 * The partition of a day: what is there is read, nothing is created yet.  The
 * names are untrusted: what does not suit a folder's name is written as %HH.
 * 'object' NULL: the table of events, "_events".
 * PL_IO, PL_NOMEM.
 */
enum pl_status pl_parquet_partition_open(struct pl_parquet_partition *p,
                                         const struct pl_parquet_folder *f,
                                         int64_t day, const char *host,
                                         const char *object);

/* Delete the unfinished file, if there is one, and folders that held no more. */
void pl_parquet_partition_release(struct pl_parquet_partition *p);

/* True if a file holds that sample. */
bool pl_parquet_partition_holds(const struct pl_parquet_partition *p,
                                uint64_t session, uint32_t seq);

/* Append to the unfinished file; for pl_parquet_new: ctx is the partition. */
enum pl_status pl_parquet_partition_write(void *ctx, const void *bytes,
                                          size_t n);

/* Sync the unfinished file, and give it its name.  PL_IO, PL_NOMEM. */
enum pl_status pl_parquet_partition_finish(struct pl_parquet_partition *p,
                                           const struct pl_parquet_span *span);

#endif
