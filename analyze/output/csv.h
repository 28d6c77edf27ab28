/*                                                     analyze/output/csv.h
 * Rows of comma-separated values as RFC 4180 has them, with LF at the end of
 * a row, or in a style that somebody else expects.  Text cells are made safe: quoted where they must be, valid UTF-8,
 * and guarded against spreadsheets that take them for formulas.  Cells are
 * put together in memory and leave in large chunks.
 */
#ifndef PL_ANALYZE_OUTPUT_CSV_H
#define PL_ANALYZE_OUTPUT_CSV_H

#include "analyze/calc/calc.h"
#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PL_CSV_CHUNK = 1 << 16 }; /* at least so much is written at a time */

/* How rows look; all zero is RFC 4180 with LF. */
struct pl_csv_style {
    /* text that begins with = + - @, their full-width forms, tab, CR or LF
     * gets a '; one that holds a comma, semicolon or tab is quoted */
    bool guard;
    /* as Windows' PDH: every cell quoted, none empty, CR LF, "%.17g" */
    bool pdh;
    bool decimal_comma; /* numbers with a comma, a semicolon between cells */
    bool bom;           /* begin with a byte order mark */
    bool visible;       /* for a terminal: control characters in text escaped */
    uint8_t digits;     /* at most so many in doubles; 0: as many as it takes */
};

/* Rows in several files; max_rows 0: all in one. */
struct pl_csv_pages {
    uint64_t max_rows;                 /* of a file, its header not counted */
    enum pl_status (*next)(void *ctx); /* what follows goes to the next file */
};

struct pl_csv {
    struct pl_buf out;
    struct pl_buf header; /* of every file, if there may be several */
    struct pl_csv_pages pages;
    uint64_t rows; /* ended, the header not counted; of this file, if paged */
    struct pl_buf scratch; /* one text cell, made valid */
    size_t row;            /* where in 'out' the row under way begins */
    struct pl_csv_style style;
    uint8_t separator;
    enum pl_status status; /* the first failure; nothing is written after it */
    int error;             /* its errno, which is set whenever it is told */
    enum pl_status (*write)(void *ctx, const void *p, size_t n);
    void *ctx;
};

/* Begin.  'write' takes all 'n' bytes or says why not. */
void pl_csv_init(struct pl_csv *c, const struct pl_csv_style *style,
                 enum pl_status (*write)(void *ctx, const void *p, size_t n),
                 void *ctx);
void pl_csv_release(struct pl_csv *c); /* drops what was not flushed */

/* Somebody's text.  NUL and bytes that are no UTF-8 become U+FFFD. */
void pl_csv_text(struct pl_csv *c, struct pl_text text);

/*
 * A number or a text, or a blank cell if there is none to show (PDH: neither
 * hexadecimal nor text).
 */
void pl_csv_value(struct pl_csv *c, const struct pl_value *v);

/* The same for values behind one another none of which is a text. */
void pl_csv_numbers(struct pl_csv *c, const struct pl_value *v, size_t num);

/* Bytes known to be harmless, such as a time or a status: put as they are. */
void pl_csv_raw(struct pl_csv *c, const char *p, size_t n);

/* The same for a number or a time: a point becomes the style's comma. */
void pl_csv_decimal(struct pl_csv *c, const char *p, size_t n);

void pl_csv_blank(struct pl_csv *c);

/*
 * End the row, which has at least one cell; rows that fill a chunk are
 * written.  Returns the first failure there was, so that a caller may stop.
 */
enum pl_status pl_csv_end_row(struct pl_csv *c);

/* End the first row, which is the header of this file and those that follow. */
enum pl_status pl_csv_end_header(struct pl_csv *c);

/* Between rows: write what there is.  Returns the first failure there was. */
enum pl_status pl_csv_flush(struct pl_csv *c);

#endif
