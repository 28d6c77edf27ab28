/*                                          logger/linux/machine/proctext.h
 * Scanner for words and numbers in text written by the kernel.  A proctext is
 * the unread rest of a text; no function reads at or past its end or depends
 * on the locale.  Blanks are spaces and tabs; lines end with a line feed.
 */
#ifndef PL_LOGGER_LINUX_MACHINE_PROCTEXT_H
#define PL_LOGGER_LINUX_MACHINE_PROCTEXT_H

#include "format/base/buf.h"
#include "format/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_proctext {
    const char *p;
    const char *end;
};

struct pl_proctext pl_proctext_of(struct pl_text text);

/* The next line without its line feed; false at the end of the text. */
bool pl_proctext_line(struct pl_proctext *text, struct pl_proctext *line);

/* Skip blanks; the word extends to the next blank.  False at the end. */
bool pl_proctext_word(struct pl_proctext *line, struct pl_text *word);

/*
 * Blanks, an optional sign, digits.  A number over 64 bits gives UINT64_MAX, a
 * negative number its two's complement.  False (and *v = 0) if there is no
 * digit; the scanner then stands where the number should have begun.
 */
bool pl_proctext_number(struct pl_proctext *line, uint64_t *v);

/* The same for "1.32" in thousandths: 1320.  Further digits are dropped. */
bool pl_proctext_thousandths(struct pl_proctext *line, uint64_t *v);

/* The number in the line "key: number"; false if there is none. */
bool pl_proctext_key(struct pl_text text, const char *key, uint64_t *v);

/* Skip 'c' if it is next; false if it is not. */
bool pl_proctext_skip(struct pl_proctext *line, char c);

/* Append 'text' with octal escapes such as \040 decoded. */
void pl_proctext_unescape(struct pl_text text, struct pl_buf *out);

#endif
