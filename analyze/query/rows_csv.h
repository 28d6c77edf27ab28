/*                                                 analyze/query/rows_csv.h
 * Writes rows of values as lines of CSV: 'wide' has a column per series, 'long'
 * a line per value with its status.  Also formats times.
 */
#ifndef PL_ANALYZE_QUERY_ROWS_CSV_H
#define PL_ANALYZE_QUERY_ROWS_CSV_H

#include "analyze/output/csv.h"
#include "analyze/replay/replay.h"
#include "analyze/series/series_registry.h"

#include <stdbool.h>
#include <stdint.h>

enum { PL_SHEET_COLUMNS = 16384, PL_SHEET_ROWS = 1048576 };

enum pl_time_style {
    PL_TIME_SPACE,  /* 2026-11-21 07:35:02 */
    PL_TIME_ISO,    /* 2026-11-21T07:35:02 */
    PL_TIME_PDH,    /* 11/21/2026 07:35:02.000 */
    PL_TIME_UNIX,   /* 1795246502.000 */
    PL_TIME_SERIAL, /* 46347.3160069444, days as spreadsheets count them */
};

/* False if 'name' is none of space, iso, pdh, unix, serial. */
bool pl_time_style_of(const char *name, enum pl_time_style *out);

struct pl_time_format {
    enum pl_time_style style;
    bool milliseconds;     /* print milliseconds even if they are zero */
    bool offset;           /* a column "UTC Offset" follows */
    struct pl_text header; /* header of the time column; n 0: "Time (ZONE)" */
};

enum { PL_TIME_TEXT = 64 };

/* The time as shown in a cell, without the offset; returns the length. */
size_t pl_time_text(const struct pl_time_format *f, int64_t utc_ns,
                    char out[PL_TIME_TEXT]);

/* The zone's offset at that instant, "+02:00"; returns the length. */
size_t pl_time_offset_text(int64_t utc_ns, char out[PL_TIME_TEXT]);

/*
 * Days since 1899-12-30 in local time of the zone, as spreadsheets count them.
 */
double pl_time_serial(int64_t utc_ns);

/* The header cells of the time and of the offset. */
void pl_time_header(struct pl_csv *c, const struct pl_time_format *f);
void pl_time_cells(struct pl_csv *c, const struct pl_time_format *f,
                   int64_t utc_ns);

/* ---- wide ---------------------------------------------------------------- */

struct pl_wide {
    struct pl_value *cells; /* of the current row, by column */
    uint32_t num_columns;
    bool incomplete; /* there were cells for which the header has no column */
};

/* Columns [from, to) of a wide sheet, which may be a file of its own. */
struct pl_columns {
    uint32_t from, to;
};

/* PL_NOMEM. */
enum pl_status pl_wide_init(struct pl_wide *w, uint32_t num_columns);
void pl_wide_release(struct pl_wide *w);

/* Headers are full counter paths, \\HOST\Object(Instance)\Counter. */
void pl_wide_header(struct pl_csv *c, const struct pl_time_format *f,
                    struct pl_group *const *groups, size_t num_groups,
                    const struct pl_columns *columns);

/* Put a host's cells into the row; several hosts may share one. */
void pl_wide_add(struct pl_wide *w, const struct pl_row *row);

/* Write these columns and empty them.  Returns the first failure so far. */
enum pl_status pl_wide_end_row(struct pl_wide *w, struct pl_csv *c,
                               const struct pl_time_format *f, int64_t utc_ns,
                               const struct pl_columns *columns);

/* ---- long ---------------------------------------------------------------- */

/* With 'identity', columns of what identifies a process follow, see below. */
void pl_long_header(struct pl_csv *c, const struct pl_time_format *f,
                    bool identity);

/* Cells that many lines have in common; all zero at first. */
struct pl_long {
    struct pl_buf time;               /* of the row */
    struct pl_buf names;              /* time, host, object and instance */
    struct pl_buf last[PL_NUM_CELLS]; /* status, and what identifies it */
    struct pl_long_object {
        const struct pl_object_names *object;
        struct pl_buf *counters; /* by slot */
        size_t num;
    } * objects; /* by rank */
    size_t num_objects;
};

void pl_long_release(struct pl_long *l);

/* A line per cell; blanks have an empty value and a status. */
enum pl_status pl_long_row(struct pl_long *l, struct pl_csv *c,
                           const struct pl_time_format *f,
                           const struct pl_row *row, bool identity);

/* ---- what identifies processes ------------------------------------------- */

void pl_identity_header(struct pl_csv *c);

/* A cell per column; blank where it is not known, and for other objects. */
void pl_identity_cells(struct pl_csv *c, const struct pl_group *g);

#endif
