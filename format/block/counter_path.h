/*                                              format/block/counter_path.h
 * Counter paths as Windows writes them, with wildcards:
 *
 *     \\HOST\Object(Parent/Instance#1)\Counter
 *
 * '*' stands for any characters, '?' for one; case is ignored; [*] [?] [#]
 * [[] stand for themselves.  Host and parent may be left out, and so may, for
 * typing at a prompt, the first backslash, the instance (any) and the counter
 * (any): "Process", "Memory\Available Bytes".  The instance ends at the last
 * ')' that is followed by a backslash, so names may hold parentheses.
 */
#ifndef PL_FORMAT_BLOCK_COUNTER_PATH_H
#define PL_FORMAT_BLOCK_COUNTER_PATH_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_counter_path {
    struct pl_text host; /* patterns; p is NULL where left out */
    struct pl_text object;
    struct pl_text instance; /* "parent/instance" for objects with parents */
    struct pl_text counter;
};

/*
 * Take 'text' apart; the parts point into it.  PL_USAGE if it has no object
 * or an unclosed instance.
 */
enum pl_status pl_counter_path_parse(struct pl_counter_path *out,
                                     const char *text);

/* True if the whole of 'text' fits 'pattern'; linear time in practice. */
bool pl_pattern_match(struct pl_text pattern, struct pl_text text);

/* Could a text that begins with 'start' fit the pattern? */
bool pl_pattern_may_begin(struct pl_text pattern, struct pl_text start);

/* True if 'pattern' has no wildcard, so that it names one thing. */
bool pl_pattern_is_literal(struct pl_text pattern);

/* A list of paths as given by -c. */
struct pl_counter_path_list {
    struct pl_counter_path *paths;
    size_t num;
    bool adds;     /* some were given with '+': they add to the default set */
    bool replaces; /* some were given without */
    char **texts;  /* owned; what the paths point into */
    /* Places in 'paths', one more than each, so that 0 is none. */
    uint32_t *first; /* by hash of the names of what is literal */
    uint32_t *next;  /* by path: another one of the same hash */
    uint32_t loose;  /* the first of those with wildcards */
    size_t cap;      /* of both arrays, a power of two */
};

/* Those paths of a list that may fit a series: literal ones are looked up. */
struct pl_counter_path_walk {
    uint64_t hashes[2]; /* with and without instance */
    unsigned stage;
    uint32_t at;
};

/*
 * Begin, and go on: the next path to be matched, SIZE_MAX after the last.  All
 * that fit are among them, each once.
 */
void pl_counter_path_walk_start(struct pl_counter_path_walk *w,
                                const char *object, const char *instance,
                                const char *counter);
size_t pl_counter_path_walk_next(struct pl_counter_path_walk *w,
                                 const struct pl_counter_path_list *list);

/*
 * Add what stands behind one -c: a path, "+path", or "@FILE" with one path a
 * line and '#' comments.  PL_USAGE (the text is wrong; *why names it), PL_IO
 * (the file), PL_NOMEM.
 */
enum pl_status pl_counter_path_list_add(struct pl_counter_path_list *list,
                                        const char *arg, const char **why);
void pl_counter_path_list_release(struct pl_counter_path_list *list);

/* Append a name with '*', '?', '#', '[' escaped, as 'list' prints it. */
void pl_counter_path_escape(struct pl_buf *out, struct pl_text name);

#endif
