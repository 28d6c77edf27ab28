/*                                               analyze/output/dump_tree.h
 * Named values in a tree, written at once: as indented lines for reading, with
 * a heading for each branch, or as JSON.  The same calls write both, so both
 * have the same content.  Texts are untrusted and made safe for a terminal.
 */
#ifndef PL_ANALYZE_OUTPUT_DUMP_TREE_H
#define PL_ANALYZE_OUTPUT_DUMP_TREE_H

#include "analyze/output/json.h"
#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pl_dump_tree {
    bool as_json;
    FILE *f;
    struct pl_json json;
    unsigned depth;
    struct pl_buf line;
    bool oom;
};

/* Begin the tree, an object in JSON.  The caller keeps 'f'. */
void pl_dump_tree_start(struct pl_dump_tree *t, FILE *f, bool as_json);
/* End the tree and flush.  PL_IO, PL_NOMEM. */
enum pl_status pl_dump_tree_finish(struct pl_dump_tree *t);

/* A branch: an object under 'key'.  'heading' is for lines. */
void pl_dump_tree_open(struct pl_dump_tree *t, const char *key,
                       const char *heading);
/* A list of branches; lines show only the branches. */
void pl_dump_tree_open_list(struct pl_dump_tree *t, const char *key);
void pl_dump_tree_open_item(struct pl_dump_tree *t, const char *heading);
void pl_dump_tree_close(struct pl_dump_tree *t); /* a branch or an item */
void pl_dump_tree_close_list(struct pl_dump_tree *t);

void pl_dump_tree_integer(struct pl_dump_tree *t, const char *key, int64_t v);
void pl_dump_tree_count(struct pl_dump_tree *t, const char *key, uint64_t v);
/* Where 'v.p' is NULL, lines show nothing, JSON has null. */
void pl_dump_tree_text(struct pl_dump_tree *t, const char *key,
                       struct pl_text v);
void pl_dump_tree_string(struct pl_dump_tree *t, const char *key,
                         const char *v);

/* A line without JSON: a name and a text about it. */
void pl_dump_tree_line(struct pl_dump_tree *t, struct pl_text name,
                       struct pl_text text);

#endif
