/*                                                analyze/foreign/foreign.h
 * Logs of other programs, which every command reads like a .plog.  The format
 * of a file is determined by its content, never by its name.  A file is scanned
 * once; the result is used by all its readers.
 */
#ifndef PL_ANALYZE_FOREIGN_FOREIGN_H
#define PL_ANALYZE_FOREIGN_FOREIGN_H

#include "format/reader/reader.h"
#include "format/base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { PL_FOREIGN_MOST_BIAS = 24 * 60 }; /* minutes to UTC; more is none */

/* One of the machines whose counters are in a file. */
struct pl_foreign_host {
    char *name;
    int64_t first_utc;    /* time of its first sample */
    int64_t last_utc;     /* time of its newest sample */
    char *zone;           /* where the log was made; NULL: not known */
    int32_t zone_minutes; /* east of UTC */
    bool titles_made_up;  /* see pl_session */
    /* its values are calculated, and cannot be calculated again */
    bool calculated;
};

enum { PL_FOREIGN_REMARK = 320 };

struct pl_foreign_file {
    const struct pl_foreign_format *format;
    struct pl_foreign_host *hosts; /* in the file's order */
    size_t num_hosts, cap_hosts;
    /* of its counters: two logs of a machine that begin at once differ in it */
    uint64_t list_hash;
    /* what it was taken for without being certain; "": nothing */
    char remark[PL_FOREIGN_REMARK];
    size_t users;
};

struct pl_foreign_format {
    /* True if a file that begins with these bytes is of this format. */
    bool (*is_one)(const uint8_t *p, size_t n);
    /* Scan the complete file.  Errors as pl_reader_open. */
    enum pl_status (*look)(struct pl_foreign_file **out, const char *path);
    /* Read the samples of one host.  Errors as pl_reader_open. */
    enum pl_status (*open)(struct pl_foreign_file *f, size_t host,
                           const struct pl_reader_options *options,
                           const struct pl_foreign **calls, void **ctx);
    void (*release)(struct pl_foreign_file *f);
};

extern const struct pl_foreign_format pl_format_blg, pl_format_sheet;

/*
 * Scan the file 'path'.  *out NULL: it has none of these formats, but may be a
 * .plog; so may a pipe.  Otherwise the caller drops *out.  Errors as
 * pl_reader_open; for PL_NOT_A_LOG the file begins like the format, but has
 * nothing usable.
 */
enum pl_status pl_foreign_look(struct pl_foreign_file **out, const char *path);

/*
 * Whether the file 'path' is of such a format, by its first bytes.
 * PL_NOT_A_LOG: it is not, or it is a pipe.  PL_IO, PL_NOMEM.
 */
enum pl_status pl_foreign_detect(const char *path,
                                 const struct pl_foreign_format **out);

/* What the first bytes of a file show. */
enum pl_content {
    PL_CONTENT_UNKNOWN, /* or a pipe */
    PL_CONTENT_OWN,     /* a .plog, or blocks: they have signatures */
    PL_CONTENT_FOREIGN, /* one of the formats above */
};

/* Only which kind it is; PL_IO, PL_NOMEM. */
enum pl_status pl_foreign_content(const char *path, enum pl_content *out);

/* Add or drop one user of it; NULL is allowed. */
struct pl_foreign_file *pl_foreign_share(struct pl_foreign_file *f);
void pl_foreign_drop(struct pl_foreign_file *f);

/*
 * A reader of one host's samples; '*r' NULL: a new one, else it continues with
 * this file.  Of the options (NULL: none) only names_only is used.
 */
enum pl_status pl_foreign_read(struct pl_reader **r, struct pl_foreign_file *f,
                               size_t host,
                               const struct pl_reader_options *options);

#endif
