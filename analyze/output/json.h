/*                                                    analyze/output/json.h
 * JSON (RFC 8259) to a stream, in large pieces, indented by two blanks.  The
 * caller keeps to the order: a key before each value of an object, and as many
 * closes as opens.
 */
#ifndef PL_ANALYZE_OUTPUT_JSON_H
#define PL_ANALYZE_OUTPUT_JSON_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pl_json {
    FILE *f;
    struct pl_buf text; /* not yet written */
    unsigned depth;     /* objects and arrays open */
    bool empty;         /* nothing in the innermost one yet */
    bool after_key;     /* the next value follows its key on the same line */
    bool oom;           /* a text was left out, in the caller too */
};

/* The caller keeps 'f', and writes nothing else to it until the end. */
void pl_json_init(struct pl_json *j, FILE *f);

void pl_json_open_object(struct pl_json *j);
void pl_json_close_object(struct pl_json *j);
void pl_json_open_array(struct pl_json *j);
void pl_json_close_array(struct pl_json *j);
void pl_json_key(struct pl_json *j, const char *key);

/*
 * Untrusted text: bytes that are not UTF-8 become U+FFFD, and control
 * characters are escaped, so that names are safe for parsers and terminals.
 */
void pl_json_text(struct pl_json *j, struct pl_text text);
void pl_json_string(struct pl_json *j, const char *s);

void pl_json_integer(struct pl_json *j, int64_t v);
void pl_json_count(struct pl_json *j, uint64_t v);
void pl_json_number(struct pl_json *j, double v); /* null if not finite */
void pl_json_bool(struct pl_json *j, bool v);
void pl_json_null(struct pl_json *j);

/*
 * A key and its value at once.  NULL is written as an empty string; a time is
 * text such as 2026-11-21T08:50:32Z, or null if it is not known.
 */
void pl_json_put_string(struct pl_json *j, const char *key, const char *s);
void pl_json_put_count(struct pl_json *j, const char *key, uint64_t v);
void pl_json_put_instant(struct pl_json *j, const char *key, bool known,
                         int64_t utc_ns);

/*
 * End the last line, flush, free.  PL_IO if the stream has failed at any time,
 * PL_NOMEM if something was left out because memory ran out.
 */
enum pl_status pl_json_finish(struct pl_json *j);

#endif
