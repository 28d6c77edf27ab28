/*                                                   analyze/browse/browse.h
 * A log, sample by sample: where the reader of a screen is, how processes are
 * sorted, filtered and ordered, and what each key does.  It makes lines of
 * text and knows nothing of terminals; screen/ shows them.
 *
 * What shows it calls pl_browse_key() with each key, pl_browse_work() while
 * there is none, and pl_browse_put() after either said that something changed.
 */
#ifndef PL_ANALYZE_BROWSE_BROWSE_H
#define PL_ANALYZE_BROWSE_BROWSE_H

#include "analyze/cli/shown_zone.h"
#include "format/base/buf.h"
#include "format/cli/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Keys that are no characters; others are their code points. */
enum {
    PL_KEY_ENTER = '\n',
    PL_KEY_ESCAPE = 27,
    PL_KEY_TAB = '\t',
    PL_KEY_LEFT = 0x110000,
    PL_KEY_RIGHT,
    PL_KEY_UP,
    PL_KEY_DOWN,
    PL_KEY_PAGE_UP,
    PL_KEY_PAGE_DOWN,
    PL_KEY_HOME,
    PL_KEY_END,
    PL_KEY_BACKSPACE,
};

/* One line of the help. */
struct pl_browse_key_help {
    const char *keys; /* "PgUp, PgDn" */
    const char *help;
};

enum { PL_BROWSE_KEYS = 32 };

/* The keys there are, in the order of the help; returns their number. */
size_t pl_browse_keys(struct pl_browse_key_help out[PL_BROWSE_KEYS]);

struct pl_browse_plan {
    const char *command; /* for messages */
    char *const *operands;
    int num;
    const char *at;   /* a time to begin with; NULL: the log's end */
    const char *sort; /* as of --sort; NULL: "cpu" */
    enum pl_tz tz;
    uint64_t max_block;
};

struct pl_browse;

/* Reports what went wrong. */
enum pl_exit pl_browse_open(struct pl_browse **out,
                            const struct pl_browse_plan *plan);
/* Returns the exit status of what was read; NULL is fine. */
enum pl_exit pl_browse_close(struct pl_browse *b);

enum pl_browse_news {
    PL_BROWSE_SAME, /* nothing to draw */
    PL_BROWSE_CHANGED,
    PL_BROWSE_REFUSED, /* the key has no meaning here */
    PL_BROWSE_QUIT,
    PL_BROWSE_FAILED, /* no memory */
};

enum pl_browse_news pl_browse_key(struct pl_browse *b, uint32_t key);

/* A piece of the work that waits, some milliseconds long. */
enum pl_browse_news pl_browse_work(struct pl_browse *b);

/* How long to wait for a key before the next piece; -1: there is no work. */
int pl_browse_wait_ms(const struct pl_browse *b);

/* What a screen of a size shows; both are at least 1. */
struct pl_browse_lines {
    size_t lines, columns;
    bool utf8; /* else spark lines are of ASCII */
    /* set by pl_browse_put(): */
    struct pl_buf text; /* lines that end in '\n', at most lines - 1 */
    size_t heading;     /* the line of titles above processes; SIZE_MAX */
    struct pl_buf status;
    size_t cursor; /* column of 'status' where one types; SIZE_MAX */
};

/* Texts of the log are made safe for a terminal.  PL_NOMEM. */
enum pl_status pl_browse_put(struct pl_browse *b, struct pl_browse_lines *out);

/* ---- for tests ----------------------------------------------------------- */

/* The time of the sample that is shown. */
int64_t pl_browse_time(const struct pl_browse *b);

#endif
