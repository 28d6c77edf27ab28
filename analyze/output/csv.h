/*                                                     analyze/output/csv.h
 * Rows of comma-separated values after RFC 4180, with LF at the end of a row,
 * or in the style of another program.  Text cells are made safe: quoted where
 * necessary, valid UTF-8, and guarded against spreadsheets that would read them
 * as formulas.  Rows are collected in memory and written in large chunks.
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

enum { PL_CSV_CHUNK = 1 << 16 }; /* fewest bytes of a write */

/* How rows look; all zero is RFC 4180 with LF. */
struct pl_csv_style {
    /* text that begins with = + - @, their full-width forms, tab, CR or LF
     * gets a '; one that holds a comma, semicolon or tab is quoted */
    bool guard;
    /*
     * as Windows' PDH writes it: every cell quoted, none empty, CR LF, "%.17g"
     */
    bool pdh;
    bool decimal_comma; /* decimal comma in numbers, semicolon between cells */
    bool bom;           /* begin with a byte order mark */
    bool visible;       /* for a terminal: control characters in text escaped */
    /* most significant digits of doubles; 0: the shortest exact text */
    uint8_t digits;
};

/* Rows in several files; max_rows 0: all in one. */
struct pl_csv_pages {
    /* rows of a file, not counting its header */
    uint64_t max_rows;
    /* called when the next file is to begin */
    enum pl_status (*next)(void *ctx);
};

struct pl_csv {
    struct pl_buf out;
    struct pl_buf header; /* header of every file, if there may be several */
    struct pl_csv_pages pages;
    /* rows ended, not counting the header; of this file, if paged */
    uint64_t rows;
    struct pl_buf scratch; /* one text cell, made valid */
    size_t row;            /* where the current row begins in 'out' */
    struct pl_csv_style style;
    uint8_t separator;
    bool special[256];     /* bytes that are not written as they are */
    enum pl_status status; /* the first failure; nothing is written after it */
    int error;             /* its errno, set again whenever it is returned */
    enum pl_status (*write)(void *ctx, const void *p, size_t n);
    void *ctx;
};

/*
 * Begin.  'write' writes all 'n' bytes or returns why not; NULL: nothing is
 * written, and 'out' collects all rows.
 */
void pl_csv_init(struct pl_csv *c, const struct pl_csv_style *style,
                 enum pl_status (*write)(void *ctx, const void *p, size_t n),
                 void *ctx);
void pl_csv_release(struct pl_csv *c); /* drops what was not flushed */

/* Untrusted text.  NUL and bytes that are not UTF-8 become U+FFFD. */
void pl_csv_text(struct pl_csv *c, struct pl_text text);

/*
 * A number or a text, or a blank cell if there is no value (PDH: neither
 * hexadecimal nor text).
 */
void pl_csv_value(struct pl_csv *c, const struct pl_value *v);

/* The same for consecutive values, none of which is a text. */
void pl_csv_numbers(struct pl_csv *c, const struct pl_value *v, size_t num);

/* Bytes known to be harmless, such as a time or a status: written unchanged. */
void pl_csv_raw(struct pl_csv *c, const char *p, size_t n);

/* The same for a number or a time: a point becomes the style's comma. */
void pl_csv_decimal(struct pl_csv *c, const char *p, size_t n);

void pl_csv_blank(struct pl_csv *c);

/*
 * Cells that many rows have in common are made once: remember where they begin,
 * take them out again when they are there, and put them into rows.
 */
size_t pl_csv_position(const struct pl_csv *c);
void pl_csv_keep(struct pl_csv *c, size_t from, struct pl_buf *kept);
void pl_csv_kept(struct pl_csv *c, const struct pl_buf *kept);

/*
 * Kept cells, other ones, a value and again kept cells: the same as four calls,
 * in less than half of their time.
 */
void pl_csv_kept_value(struct pl_csv *c, const struct pl_buf *first,
                       const struct pl_buf *second, const struct pl_value *v,
                       const struct pl_buf *last);

/*
 * End the row, which has at least one cell; rows that fill a chunk are written.
 * Returns the first failure so far, so that a caller may stop.
 */
enum pl_status pl_csv_end_row(struct pl_csv *c);

/*
 * End the first row, which is the header of this file and the following ones.
 */
enum pl_status pl_csv_end_header(struct pl_csv *c);

/*
 * Between rows: write 'rows' rows that another pl_csv of the same style made;
 * not if there may be several files.  Returns the first failure so far.
 */
enum pl_status pl_csv_rows(struct pl_csv *c, const void *p, size_t n,
                           uint64_t rows);

/* Between rows: write what is buffered.  Returns the first failure so far. */
enum pl_status pl_csv_flush(struct pl_csv *c);

#endif
