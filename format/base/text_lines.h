/*                                                 format/base/text_lines.h
 * Small text files that people write: one thing a line, '#' begins a comment
 * line, blanks around a line do not count.
 */
#ifndef PL_FORMAT_BASE_TEXT_LINES_H
#define PL_FORMAT_BASE_TEXT_LINES_H

#include "format/base/buf.h"
#include "format/base/status.h"

/* Append the whole file and a NUL to 'out'.  PL_IO (EFBIG: over 16 MiB), PL_NOMEM. */
enum pl_status pl_text_lines_read(struct pl_buf *out, const char *path);

/*
 * The next line that is neither empty nor a comment, its blanks cut off;
 * NULL: there is none.  *rest, at first the text, is what follows and NULL at
 * the end; the text is changed.
 */
char *pl_text_lines_next(char **rest);

/* The text without blanks at both ends; changes it. */
char *pl_text_lines_trim(char *text);

#endif
