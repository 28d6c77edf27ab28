/*                                                       logger/linux/scan.h
 * Words and numbers in text the kernel wrote.  A scan is what is left of a
 * text; nothing here looks at or past its end, and nothing depends on the
 * locale.  Blanks are spaces and tabs; lines end with a line feed.
 */
#ifndef PL_LINUX_SCAN_H
#define PL_LINUX_SCAN_H

#include "format/buf.h"
#include "format/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_scan {
    const char *p;
    const char *end;
};

struct pl_scan pl_scan_of(struct pl_text text);

/* The next line without its line feed; false at the end of the text. */
bool pl_scan_line(struct pl_scan *text, struct pl_scan *line);

/* Blanks, then everything up to the next blank; false if nothing is left. */
bool pl_scan_word(struct pl_scan *line, struct pl_text *word);

/*
 * Blanks, a sign, digits.  A number over 64 bits is the largest, a negative
 * one its two's complement.  False (and *v = 0) if there is no digit; the
 * scan then stands where the number should have begun.
 */
bool pl_scan_number(struct pl_scan *line, uint64_t *v);

/* The same for "1.32" in thousandths: 1320.  Further digits are dropped. */
bool pl_scan_thousandths(struct pl_scan *line, uint64_t *v);

/* Move behind 'c' if it is next. */
bool pl_scan_skip(struct pl_scan *line, char c);

/* Append 'text' with \040 and its like turned back into bytes. */
void pl_scan_unescape(struct pl_text text, struct pl_buf *out);

#endif
