/*                                               analyze/foreign/pdh_rows.h
 * The rows of a PDH-CSV or PDH-TSV file: relog's, typeperf's, Export-Counter's,
 * esxtop's.  Text is UTF-8, UTF-16 of either byte order, with or without a byte
 * order mark, as found from the file, or of a code page of Windows: the one that
 * is given (codepage.h), else the one of which the header has words, else 1252.
 * Cells are parsed by libcsv in strict mode.  A header ends the row in whose line
 * it begins, so that a sheet is found that was appended to one whose last line
 * was torn or has no end; not another header, whose names may be like it.  Memory
 * is a chunk and one row, of at most 16 MB.
 */
#ifndef PL_ANALYZE_FOREIGN_PDH_ROWS_H
#define PL_ANALYZE_FOREIGN_PDH_ROWS_H

#include "analyze/foreign/pdh_lines.h"
#include "analyze/foreign/pdh_plain.h"
#include "format/base/buf.h"
#include "format/base/codepage.h"
#include "format/base/file.h"
#include "format/base/status.h"

#include <csv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the text of a file is encoded, as was found when it was opened before. */
struct pl_pdh_encoding {
    bool known;
    enum pl_pdh_letters letters;
    uint32_t code_page; /* of PL_PDH_ANSI */
};

struct pl_pdh_rows {
    struct pl_file *file;
    uint64_t size, at; /* bytes of the file that have been read */
    enum pl_pdh_letters letters;
    uint32_t code_page; /* of PL_PDH_ANSI */
    const char *word;   /* by which it was found; NULL: it was not. Static. */
    uint64_t replaced;  /* characters so far that it has not */
    struct pl_codepages pages;
    struct csv_parser parser;
    bool has_parser, ended;
    struct pl_buf raw; /* bytes of the text, then of an incomplete character */
    size_t decoded;    /* bytes that are the text */
    size_t passed;     /* of these, up to a line's end: those that are parsed */
    struct pl_buf text;           /* decoded, from 'next' on not parsed yet */
    size_t next, row_len, quotes; /* of the row */
    uint8_t last;                 /* byte of it so far */
    uint64_t row_at;              /* offset of the row in the file */
    struct pl_buf cells;          /* of the current row, each with a NUL */
    struct pl_buf places;         /* where each begins, u32 */
    /*
     * the row is complete; it is damaged, and the rest of its line is skipped
     */
    bool whole, hurt;
    bool is_header; /* it begins as one, whatever its names are like */
    bool as_header; /* see struct pl_pdh_row */
    bool oom;
    struct pl_pdh_wanted wanted; /* set by the caller, at first all */
};

/* A row; valid until the next call. */
struct pl_pdh_row {
    const char *cells;
    const uint8_t *places;
    size_t num;
    size_t first,
        stored; /* cells there are: the time, and these from 'first' on */
    const char *reason; /* reason of damage; NULL: it is a row */
    /*
     * It begins as a header or, after the first, has a cell that begins as a
     * path: it is a header or, torn or hurt, what is left of one.
     */
    bool as_header;
    /*
     * Cells in quotes, at most; SIZE_MAX: what divides cells is in no number, so
     * that these need none.
     */
    size_t quoted;
    bool is_cut;      /* its line has no end */
    bool is_open;     /* nor has its last cell, which may be cut off */
    uint64_t at, len; /* its bytes in the file, with the end of its line */
};

/* Cell 'i' of 'row', "" after the last one, and where it is not wanted. */
const char *pl_pdh_cell(const struct pl_pdh_row *row, size_t i);

/* No more than 'seen' bytes are read (seen_bytes.h).  'encoding' is used if it is
 * known.  Errors as pl_file_open. */
enum pl_status pl_pdh_open(struct pl_pdh_rows *r, const char *path,
                           uint64_t seen,
                           const struct pl_pdh_encoding *encoding);
void pl_pdh_close(struct pl_pdh_rows *r);

/* The next row that is not empty.  PL_END, PL_IO, PL_NOMEM. */
enum pl_status pl_pdh_next(struct pl_pdh_rows *r, struct pl_pdh_row *row);

#endif
