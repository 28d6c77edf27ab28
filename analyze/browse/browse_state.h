/*                                             analyze/browse/browse_state.h
 * The state behind browse.h, shared by browse*.c only.
 */
#ifndef PL_ANALYZE_BROWSE_BROWSE_STATE_H
#define PL_ANALYZE_BROWSE_BROWSE_STATE_H

#include "analyze/browse/browse.h"
#include "analyze/browse/events.h"
#include "analyze/browse/history.h"
#include "analyze/browse/page_reader.h"
#include "analyze/moment/process_list.h"

enum { PL_TYPED = 120, PL_MESSAGE = 256 };

struct pl_browse_prompt {
    const char *label; /* NULL: nothing is asked */
    char text[PL_TYPED];
    size_t n;
    enum pl_browse_news (*take)(struct pl_browse *b, const char *text);
};

struct pl_browse {
    struct pl_browse_plan plan;
    struct pl_host_logs logs;
    size_t host; /* the one shown, of 'logs' */
    struct pl_page_reader page;
    int64_t first_ns, last_ns; /* what the log spans */
    /* processes */
    const struct pl_moment_sort *sort;
    struct pl_moment_sort named; /* a counter that the user named */
    char sort_text[PL_TYPED], filter[PL_TYPED];
    struct pl_process_view view;
    struct pl_process_list list;
    size_t first; /* of the list, shown at the top */
    /* modes */
    bool helps;
    struct pl_browse_prompt prompt;
    char message[PL_MESSAGE];
    /* following a log that is written */
    bool follows;
    uint64_t bytes;    /* of the logs, when they were last looked at */
    int64_t looked_ns; /* on the steady clock: when that was */
    bool damaged, too_new;
    /* spark lines */
    struct pl_history history;
    bool utf8;
    /* peaks, gaps and events */
    struct pl_events events;
    int seeks;   /* while they are searched for: the direction; else 0 */
    int percent; /* that was shown last */
    /* the event that was gone to, and the sample shown for it */
    bool at_event;
    int64_t event_ns, at_event_ns;
};

/* Show a message instead of the usual status. */
void pl_browse_say(struct pl_browse *b, const char *format, ...)
    __attribute__((format(PL_PRINTF, 2, 3)));

/* Ask for a text, which goes to 'take'. */
enum pl_browse_news pl_browse_ask(
    struct pl_browse *b, const char *label,
    enum pl_browse_news (*take)(struct pl_browse *b, const char *text));

/* ---- events (browse_events.c) --------------------------------------------- */

enum pl_browse_news pl_browse_event(struct pl_browse *b, int direction);
/* A piece of the search, while b->seeks. */
enum pl_browse_news pl_browse_search(struct pl_browse *b);
/* The log is another one, or has grown. */
void pl_browse_forget_events(struct pl_browse *b);

/* ---- moving (browse_move.c) ---------------------------------------------- */

/* What came of a move; on PL_END 'otherwise' is said. */
enum pl_browse_news pl_browse_moved(struct pl_browse *b, enum pl_status s,
                                    const char *otherwise);

/* The first sample at or after a time, else the last one. */
enum pl_browse_news pl_browse_go(struct pl_browse *b, int64_t time_ns);

enum pl_browse_news pl_browse_sample(struct pl_browse *b, int direction);
enum pl_browse_news pl_browse_minute(struct pl_browse *b, int direction);
enum pl_browse_news pl_browse_edge(struct pl_browse *b, int direction);
enum pl_browse_news pl_browse_host(struct pl_browse *b, int direction);
enum pl_browse_news pl_browse_follow(struct pl_browse *b, int direction);
/* A time as a user types it; false: what is wrong was reported. */
enum pl_browse_news pl_browse_to_time(struct pl_browse *b, const char *text);
/* True if a recorder writes this host's log now. */
bool pl_browse_is_live(const struct pl_browse *b);
/* Look whether the log has grown; its last sample is shown then. */
enum pl_browse_news pl_browse_look(struct pl_browse *b);

/* What the log spans; the arguments are what pl_host_logs_last_time found. */
void pl_browse_set_span(struct pl_browse *b, int64_t utc_ns,
                        uint64_t interval_ns);

/* Read the current sample again, for other counters.  PL_USAGE: none is named
 * so; the state is as before. */
enum pl_status pl_browse_read_anew(struct pl_browse *b,
                                   const struct pl_moment_sort *sort);

/* Make the list of processes of the current sample.  PL_NOMEM. */
enum pl_status pl_browse_list(struct pl_browse *b);

#endif
