/*                                              analyze/foreign/pdh_lines.h
 * Lines of a PDH-CSV or PDH-TSV file before they are parsed: the encoding of its
 * letters, what divides the cells, and where lines end and headers begin.
 */
#ifndef PL_ANALYZE_FOREIGN_PDH_LINES_H
#define PL_ANALYZE_FOREIGN_PDH_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pl_pdh_letters {
    PL_PDH_UTF8,
    PL_PDH_UTF16_LITTLE,
    PL_PDH_UTF16_BIG,
    PL_PDH_ANSI
};

/* The encoding by a text's beginning, and the length of its byte order mark. */
enum pl_pdh_letters pl_pdh_letters_of(const uint8_t *p, size_t n, size_t *mark);

/* Bytes of a letter, or of a part of one. */
size_t pl_pdh_letter_len(enum pl_pdh_letters letters);

/* CR or LF; as libcsv wants it. */
int pl_pdh_is_line_end(unsigned char c);

/*
 * The header begins with "(PDH-CSV 4.0)", or with a zone only where that was
 * cut off, and continues with a counter path.  What divides its cells is the
 * first comma, tab or semicolon before a path: zones have commas, too ("Paris,
 * Madrid").  0: it is no header.
 */
char pl_pdh_delimiter(const uint8_t *p, size_t n, enum pl_pdh_letters letters);

/* True if a file that begins with these bytes is such a sheet. */
bool pl_pdh_is_one(const uint8_t *p, size_t n);

/* Whether a header, with or without its "PDH-", may begin: quoted or not. */
bool pl_pdh_begins_zone(const uint8_t *p, size_t n);

/* Whether a header begins, quoted or not. */
bool pl_pdh_begins_header(const uint8_t *p, size_t n,
                          enum pl_pdh_letters letters);

/* Whether a cell behind another one begins as a path, quoted or not. */
bool pl_pdh_has_path(const uint8_t *p, size_t n, char delimiter);

/* Without the letters at the end with which a header, quoted or not, may begin. */
size_t pl_pdh_len_without_begun_header(const uint8_t *p, size_t n,
                                       enum pl_pdh_letters letters);

/*
 * The length up to the end of a line: CR, LF or both; or to a header, if it ends
 * at such; or all of it.
 */
size_t pl_pdh_line_len(const uint8_t *p, size_t n, enum pl_pdh_letters letters,
                       bool at_header);

#endif
