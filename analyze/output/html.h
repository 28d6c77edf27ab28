/*                                                    analyze/output/html.h
 * Writes HTML through a buffer to an output, escaping untrusted text.  After
 * the first failure nothing is written; pl_html_finish returns it.
 */
#ifndef PL_ANALYZE_OUTPUT_HTML_H
#define PL_ANALYZE_OUTPUT_HTML_H

#include "analyze/output/output_file.h"
#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <stddef.h>

struct pl_html {
    struct pl_output_file *output; /* set by the caller, the rest zero */
    struct pl_buf bytes;           /* not yet written */
    struct pl_buf text;            /* scratch */
    enum pl_status status;
    int error; /* errno, if the status is PL_IO */
};

/* Trusted markup, unchanged. */
void pl_html_put(struct pl_html *h, const char *markup);
void pl_html_bytes(struct pl_html *h, const void *p, size_t n);
void pl_html_format(struct pl_html *h, const char *format, ...)
    __attribute__((format(PL_PRINTF, 2, 3)));

/*
 * Untrusted text, between tags or in a quoted attribute: markup is escaped, and
 * control characters, direction marks and bytes that are not UTF-8 become
 * visible.
 */
void pl_html_text(struct pl_html *h, struct pl_text text);
void pl_html_string(struct pl_html *h, const char *s);

/* The same for text of several lines: line ends are kept. */
void pl_html_lines(struct pl_html *h, struct pl_text text);

/* Write the rest and free.  PL_IO with errno, PL_NOMEM. */
enum pl_status pl_html_finish(struct pl_html *h);

#endif
