/*                                                 format/base/text_lines.h
 * Small text files written by users: one entry a line, '#' begins a comment
 * line, blanks around a line are ignored.
 */
#ifndef PL_FORMAT_BASE_TEXT_LINES_H
#define PL_FORMAT_BASE_TEXT_LINES_H

#include "format/base/buf.h"
#include "format/base/status.h"

/* Append the complete file and a NUL to 'out'.  PL_IO (EFBIG: over 16 MiB),
 * PL_NOMEM. */
enum pl_status pl_text_lines_read(struct pl_buf *out, const char *path);

/*
 * The next line that is neither empty nor a comment, without blanks at its
 * ends; NULL: there is none.  *rest, at first the text, becomes what follows,
 * NULL at the end; the text is changed.
 */
char *pl_text_lines_next(char **rest);

/* The text without blanks at both ends; changes it. */
char *pl_text_lines_trim(char *text);

#endif
