/*                                                analyze/foreign/foreign.h
 * Logs of other makers, which every command reads like one of ours: which
 * format a file has is told by its content, never by its name.  A file is
 * looked at once as a whole; what was found serves all readings of it.
 */
#ifndef PL_ANALYZE_FOREIGN_FOREIGN_H
#define PL_ANALYZE_FOREIGN_FOREIGN_H

#include "format/log/reader.h"
#include "format/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* One of the machines whose counters are in a file. */
struct pl_foreign_host {
    char *name;
    int64_t first_utc;    /* of its first sample */
    char *zone;           /* where the log was made; NULL: not known */
    int32_t zone_minutes; /* east of UTC */
    bool titles_made_up;  /* see pl_session */
    bool calculated;      /* its values are, and cannot be calculated anew */
};

/* The provider of sessions whose values were calculated by somebody else. */
#define PL_PROVIDER_CALCULATED "little sheet"

struct pl_foreign_file {
    const struct pl_foreign_format *format;
    struct pl_foreign_host *hosts; /* in the file's order */
    size_t num_hosts;
    size_t users;
};

struct pl_foreign_format {
    /* True if a file that begins with these bytes is of this format. */
    bool (*is_one)(const uint8_t *p, size_t n);
    /* Look at all of the file.  As pl_reader_open. */
    enum pl_status (*look)(struct pl_foreign_file **out, const char *path);
    /* Read what is of one host.  As pl_reader_open. */
    enum pl_status (*open)(struct pl_foreign_file *f, size_t host,
                           const struct pl_reader_options *options,
                           const struct pl_foreign **calls, void **ctx);
    void (*release)(struct pl_foreign_file *f);
};

extern const struct pl_foreign_format pl_format_blg, pl_format_sheet;

/*
 * Look at the file under 'path'.  *out NULL: it is none of these, but perhaps
 * one of ours; so is a pipe.  Else to be dropped by who has it.  As
 * pl_reader_open; of PL_NOT_A_LOG, what it has of the format is told.
 */
enum pl_status pl_foreign_look(struct pl_foreign_file **out, const char *path);

/*
 * Whether the file under 'path' is of such a format, by its first bytes.
 * PL_NOT_A_LOG: it is not, or it is a pipe.  PL_IO, PL_NOMEM.
 */
enum pl_status pl_foreign_tell(const char *path,
                               const struct pl_foreign_format **out);

/* What the first bytes of a file show. */
enum pl_content {
    PL_CONTENT_UNKNOWN, /* or a pipe */
    PL_CONTENT_OWN,     /* a log of ours, or blocks: they have signatures */
    PL_CONTENT_FOREIGN, /* one of the formats above */
};

/* The same for who asks no more; PL_IO, PL_NOMEM. */
enum pl_status pl_foreign_content(const char *path, enum pl_content *out);

/* One more, or one less, to use it; NULL is fine. */
struct pl_foreign_file *pl_foreign_share(struct pl_foreign_file *f);
void pl_foreign_drop(struct pl_foreign_file *f);

/*
 * A reader of one host's samples; '*r' NULL: a new one, else it goes on.  Of
 * the options (NULL: none) names_only counts.
 */
enum pl_status pl_foreign_read(struct pl_reader **r, struct pl_foreign_file *f,
                               size_t host,
                               const struct pl_reader_options *options);

#endif
