/*                                              format/block/counter_path.h
 * Counter paths in Windows' syntax, with wildcards:
 *
 *     \\HOST\Object(Parent/Instance#1)\Counter
 *
 * '*' matches any characters, '?' one; case is ignored; [*] [?] [#] [[] match
 * the bracketed character itself.  Optional are host and parent and, for short
 * commands, the first backslash, the instance (any) and the counter (any):
 * "Process", "Memory\Available Bytes".  The instance ends at the last ')' that
 * is followed by a backslash, so names may hold parentheses.
 */
#ifndef PL_FORMAT_BLOCK_COUNTER_PATH_H
#define PL_FORMAT_BLOCK_COUNTER_PATH_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_counter_path {
    struct pl_text host; /* patterns; p is NULL if omitted */
    struct pl_text object;
    struct pl_text instance; /* "parent/instance" for objects with parents */
    struct pl_text counter;
};

/*
 * Split 'text'; the parts point into it.  PL_USAGE if it has no object or an
 * unclosed instance.
 */
enum pl_status pl_counter_path_parse(struct pl_counter_path *out,
                                     const char *text);

/* True if all of 'text' matches 'pattern'; linear time in practice. */
bool pl_pattern_match(struct pl_text pattern, struct pl_text text);

/* True if some text that begins with 'start' matches the pattern. */
bool pl_pattern_may_begin(struct pl_text pattern, struct pl_text start);

/* True if 'pattern' has no wildcard. */
bool pl_pattern_is_literal(struct pl_text pattern);

/* A list of paths as given by -c. */
struct pl_counter_path_list {
    struct pl_counter_path *paths;
    size_t num;
    bool adds;     /* some were given with '+': they add to the default set */
    bool replaces; /* some were given without '+' */
    char **texts;  /* owned; what the paths point into */
    size_t cap_paths, cap_texts;
    /* Positions in 'paths', plus 1, so that 0 means none. */
    uint32_t *first; /* hash table: first path of the literal names' hash */
    uint32_t *next;  /* by path: the next one with the same hash */
    uint32_t loose;  /* the first of those with wildcards */
    size_t cap;      /* of both arrays, a power of two */
};

/* Iterates over the paths of a list that may match a series; literal ones are
 * looked up by hash. */
struct pl_counter_path_walk {
    uint64_t hashes[2]; /* with and without instance */
    unsigned stage;
    uint32_t at;
};

/*
 * Start the iteration; _next returns the position of the next path to match,
 * SIZE_MAX after the last.  All paths that match are returned, each once.
 */
void pl_counter_path_walk_start(struct pl_counter_path_walk *w,
                                const char *object, const char *instance,
                                const char *counter);
size_t pl_counter_path_walk_next(struct pl_counter_path_walk *w,
                                 const struct pl_counter_path_list *list);

/*
 * Add the argument of one -c: a path, "+path", or "@FILE" with one path a
 * line and '#' comments.  PL_USAGE (*why is the wrong text), PL_IO (the file),
 * PL_NOMEM.
 */
enum pl_status pl_counter_path_list_add(struct pl_counter_path_list *list,
                                        const char *arg, const char **why);
void pl_counter_path_list_release(struct pl_counter_path_list *list);

/* Append a name with '*', '?', '#', '[' escaped, as 'list' prints it. */
void pl_counter_path_escape(struct pl_buf *out, struct pl_text name);

#endif
