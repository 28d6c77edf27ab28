/*                                                    analyze/query/query.h
 * The engine that export, stats and report share: logs are replayed side by
 * side, their rows merged by time and passed to a layout, which writes them;
 * then losses are reported.  The file commands/export.c parses the command
 * line; a layout is a table entry and a function of its own (export/wide.c,
 * export/long.c).
 */
#ifndef PL_ANALYZE_QUERY_QUERY_H
#define PL_ANALYZE_QUERY_QUERY_H

#include "analyze/cli/shown_zone.h"
#include "analyze/cli/time_window.h"
#include "analyze/output/csv.h"
#include "analyze/output/output_folder.h"
#include "analyze/output/output_file.h"
#include "analyze/output/progress.h"
#include "analyze/query/regroup.h"
#include "analyze/replay/replay.h"
#include "analyze/query/rows_csv.h"
#include "analyze/replay/other_sums.h"
#include "analyze/amounts/ranking.h"
#include "analyze/amounts/interval_sums.h"
#include "format/cli/message.h"
#include "format/cli/options.h"
#include "format/block/counter_path.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_query;

struct pl_layout {
    const char *name;
    bool brief;        /* without -c, only the sum of the processes */
    bool or_long;      /* the message about 'brief' also offers --layout long */
    bool numbers_only; /* hexadecimal numbers cannot be shown */
    bool reads_twice;  /* reads the names first, so a pipe cannot be read */
    bool keeps_names;  /* keeps the names of vanished series to the end */
    bool want_absent;  /* wants a cell when a series vanishes */
    bool for_people;   /* times are those of the log's own zone */
    /* the time range is one window: reading ends with it, and rows have steps */
    bool one_window;
    bool pdh;        /* cells and times as Windows' PDH writes them */
    bool identifies; /* can show what identifies processes */
    bool folder;     /* writes a folder, e->files, not one file */
    bool own_output; /* opens what it writes itself */
    bool together;   /* takes files of other programs that overlap as one */
    /* with --every each host has windows of its own, not one with all others */
    bool own_windows;
    /*
     * Write the header and all rows to e->csv.  PL_END: there are none;
     * PL_USAGE or e->code set: already reported; else what stopped it.
     */
    enum pl_status (*run)(struct pl_query *e);
};

/* The parsed command line. */
struct pl_query_plan {
    const char *command; /* the command named in messages: "export" */
    const struct pl_layout *layout;
    const char *output; /* NULL: standard output */
    struct pl_times times;
    /* the window is this long, and ends with the time --at; 0: it is --at */
    int64_t moment_ns;
    int64_t shift_ns; /* the window is this much earlier than 'times' say */
    bool of_end; /* the times are the log's end, however its clock was set */
    const char *zone_name; /* for the zone cell of pdh; NULL: the zone's own */
    enum pl_tz tz;
    bool follow;
    struct pl_every every;
    struct pl_ranking top;
    /* sum up processes by this key; NULL: no sums */
    const struct pl_regroup_key *group;
    bool group_keeps_sheets; /* where nothing can be summed, no error either */
    const char *ungrouped;   /* how to have no 'group'; NULL: without --group */
    bool drop_empty;
    bool identity;     /* columns of what identifies processes */
    bool split;        /* into numbered files, at the limits of a spreadsheet */
    bool split_sheets; /* likewise into numbered sheets of one workbook */
    bool wide_anyway;
    bool quiet;
    unsigned jobs; /* threads that make rows, see query/parts.h; 0, 1: this */
    struct pl_csv_style style;
    struct pl_counter_path_list paths;
    /* what none of them matches is reported by a query that follows */
    bool unmatched_later;
    bool not_written; /* set by the query: its output could not be written */
    struct pl_time_format time;
    struct pl_replay_options replay; /* except for what the layout decides */
    /* with 'follow', called where the logs end for now; NULL: nothing is */
    enum pl_status (*idle)(void *ctx);
    void *idle_ctx;
};

/*
 * Run the query and report what went wrong.  'operands' are the logs, at least
 * one.
 */
enum pl_exit pl_query_run(struct pl_query_plan *plan, char **operands, int num);

/*
 * Within a layout: another query over the same logs and the same window, with a
 * registry of its own.  'run' is called with it; nothing is written, and what is
 * lost is not reported, as the query around it reports that.  'plan' is complete
 * but for its window.  PL_NOMEM, or what 'run' returns.
 */
enum pl_status
pl_query_within(const struct pl_query *outer, struct pl_query_plan *plan,
                enum pl_status (*run)(struct pl_query *e, void *ctx),
                void *ctx);

/* pl_command_options() whose shared options go into 'plan'. */
bool pl_query_options(const struct pl_command *c, int argc, char **argv,
                      bool (*take)(const struct pl_command *c, void *ctx,
                                   int option, const char *arg),
                      void *ctx, struct pl_query_plan *plan,
                      enum pl_exit *code);

/* The same for command 'c', whose options have been taken into 'plan'. */
enum pl_exit pl_query_command(const struct pl_command *c,
                              struct pl_query_plan *plan, int argc,
                              char **argv);

/* ---- for layouts --------------------------------------------------------- */

/* Of a file that is being written (output_size.c). */
struct pl_output_size {
    bool is_awaited;           /* it is still to be estimated */
    int64_t first_ns, last_ns; /* times of the rows to be written */
    uint64_t begun_at;         /* bytes read before the first of them */
};

struct pl_query {
    struct pl_query_plan *plan;
    struct pl_host_logs logs;
    struct pl_registry registry;
    struct pl_replay **replays; /* one per host log */
    struct pl_output_file output;
    /* used instead of 'output' for folders and numbered files */
    struct pl_output_folder files;
    struct pl_paged page; /* file of 'csv', if it is to be split */
    char *stem;           /* of its name, without suffix */
    struct pl_csv csv;
    struct pl_progress progress;
    struct pl_output_size size;
    struct pl_regroup regroup; /* used by all passes */
    /* what Windows calls the log's zone, if that is in force; NULL: it is not */
    const char *log_zone;
    uint64_t total_bytes;
    uint64_t rows;             /* of the last pass; with --every, of windows */
    int64_t first_ns, last_ns; /* their times */
    struct pl_replay_losses losses;
    char *loss_path; /* what losses.where names */
    bool keys_only;  /* the first pass need not find every name */
    struct pl_query_windows *windows; /* of the pass; NULL: it has none */
    /*
     * By host log, while logs are followed: since when on the steady clock a row that
     * is due is not there; 0: it is there, or not due.
     */
    int64_t *silent_since;
    /* with --every: the rows passed on are of a window that the end cuts */
    bool cuts_window;
    /* it is one of the parts of another, which reports failures; has such */
    bool is_part, has_parts;
    enum pl_exit code; /* if it was reported already what went wrong */
};

/*
 * A receiver of rows: those of one time host by host, a host's perhaps in
 * several parts, then the end of that time.
 */
struct pl_rows {
    enum pl_status (*take)(struct pl_query *e, void *ctx,
                           const struct pl_row *row);
    enum pl_status (*end)(struct pl_query *e, void *ctx, int64_t time_ns);
    void *ctx;
};

/*
 * A first pass for layouts that read twice: it finds which series occur, in
 * e->registry, and e->rows, first_ns, last_ns.  With --top and --drop-empty it
 * calculates, and decides which of them are wanted.  With e->keys_only it
 * only looks into some of the samples, which is quick: names that live between
 * these are not found, and pl_query_start_over may be needed.
 */
enum pl_status pl_query_scan(struct pl_query *e);

/* After it, with e->keys_only: something is odd, so all names are needed. */
bool pl_query_needs_all_names(const struct pl_query *e);
/* Between two passes: forget the names of all series, and their order. */
void pl_query_forget_names(struct pl_query *e);

/*
 * The pass that calculates: begin, optionally peek at the first row's time
 * (PL_END: there is none yet), then all rows.  With --follow, rows come until
 * the recording ends.  Failures of reading have been reported.
 */
enum pl_status pl_query_begin(struct pl_query *e);
enum pl_status pl_query_next_time(struct pl_query *e, int64_t *time_ns);
enum pl_status pl_query_rows(struct pl_query *e, const struct pl_rows *to);

/* True if no further rows will come of any log; within the pass. */
bool pl_query_has_ended(const struct pl_query *e);

/* True if a signal ends what follows a log. */
bool pl_query_is_interrupted(void);

/*
 * Called by the pass before its rows and after those of a time: where a file of
 * CSV will be larger than half a gigabyte, this is reported at the beginning, as
 * estimated from its first rows.
 */
void pl_query_size_begin(struct pl_query *e);
void pl_query_size_look(struct pl_query *e);
/* Reports it if 'bytes', which will be written, are that many. */
void pl_query_size_say(struct pl_query *e, double bytes);

/*
 * The same without begin, host after host, so that one log at a time is held;
 * no stage changes the rows.  'end', which may be NULL, is called after the last
 * row of a host; 'ended': no further rows of it will come.
 */
struct pl_host_rows {
    enum pl_status (*take)(struct pl_query *e, void *ctx,
                           const struct pl_row *row);
    enum pl_status (*end)(struct pl_query *e, void *ctx, bool ended);
    void *ctx;
};

enum pl_status pl_query_rows_by_host(struct pl_query *e,
                                     const struct pl_host_rows *to);

/*
 * The stage between rows and a layout that has --every: gathers rows and passes
 * those of windows on to 'to'.  The window is one of all hosts, whose rows of a
 * time come together; or with own_windows one for each host, which ends by what
 * that host has, wherever the clocks of others stand.
 */
struct pl_query_window {
    struct pl_interval_sums sums;
    bool is_complete; /* it has the row at its end */
};

struct pl_query_windows {
    const struct pl_rows *to;
    struct pl_query *e;
    /* wait for rows after a window's end: those of several hosts may be late */
    bool waits;
    bool own;
    struct pl_query_window *p; /* one, or with 'own' by rank of hosts */
    size_t num, cap;
};

void pl_query_windows_begin(struct pl_query_windows *w, struct pl_query *e,
                            const struct pl_rows *to);
void pl_query_windows_release(struct pl_query_windows *w);
/*
 * True if a window of the host is open, which ends at *end_ns; without 'own' of
 * all hosts.
 */
bool pl_query_windows_is_open(const struct pl_query_windows *w,
                              const struct pl_host *host, int64_t *end_ns);
/*
 * A row of the host and this time comes next: end a window that it is not in,
 * before it replaces what that shows, as the identities of processes.
 */
enum pl_status pl_query_windows_reach(struct pl_query_windows *w,
                                      const struct pl_host *host,
                                      int64_t time_ns);
enum pl_status pl_query_windows_take(struct pl_query *e, void *ctx,
                                     const struct pl_row *row);
enum pl_status pl_query_windows_end(struct pl_query *e, void *ctx,
                                    int64_t time_ns);
/* The last window, of each host with 'own', even if it is incomplete. */
enum pl_status pl_query_windows_finish(struct pl_query_windows *w);
/* The window of that host, which must be open. */
enum pl_status pl_query_windows_finish_one(struct pl_query_windows *w,
                                           const struct pl_host *host);

/* The ranking pass: its rows, and the selection made from them. */
enum pl_status pl_query_measure_row(struct pl_query *e, void *ctx,
                                    const struct pl_row *row);
enum pl_status pl_query_choose(struct pl_query *e);

/* The stage that makes _Other before rows are passed on to 'to'. */
struct pl_query_others {
    const struct pl_rows *to;
    struct pl_query *e;
    struct pl_others others;
};

enum pl_status pl_query_others_take(struct pl_query *e, void *ctx,
                                    const struct pl_row *row);
enum pl_status pl_query_others_end(struct pl_query *e, void *ctx,
                                   int64_t time_ns);

/* The stage that sums up processes; it comes first. */
struct pl_query_groups {
    const struct pl_rows *to;
};

enum pl_status pl_query_groups_take(struct pl_query *e, void *ctx,
                                    const struct pl_row *row);
enum pl_status pl_query_groups_end(struct pl_query *e, void *ctx,
                                   int64_t time_ns);

/*
 * True if single instances of that object, Process or Thread, are there but not
 * shown, as nothing was chosen by -c.  In or after the first pass.
 */
bool pl_query_leaves_out(const struct pl_query *e, const char *object);

/* True if a pass is needed that calculates before the one that writes. */
static inline bool pl_query_measures(const struct pl_query *e)
{
    return e->plan->top.num || e->plan->drop_empty;
}

/* Are series that have vanished in the registry to the end? */
static inline bool pl_query_keeps_names(const struct pl_query *e)
{
    return pl_query_measures(e) || e->plan->layout->keeps_names;
}

/* End a pass and add up its losses.  May be called without a pass. */
void pl_query_stop(struct pl_query *e);

/* Discard what e->csv holds, and begin the output, or the next output file. */
enum pl_status pl_query_start_csv(struct pl_query *e);

/*
 * Whether written rows can be discarded; and discard them: the output is then
 * empty again.  False: the reason was reported.
 */
bool pl_query_can_start_over(const struct pl_query *e);
bool pl_query_start_over(struct pl_query *e);

/* Show a column "UTC Offset" if the zone's offset changes within the rows. */
void pl_query_plan_offset(struct pl_query *e);

/* The value for pl_csv.pages. */
struct pl_csv_pages pl_query_pages(const struct pl_query *e);

/*
 * Warn if 'rows' and a header are more than a spreadsheet takes; 'what' is the
 * sheet's name, NULL: there is only one.
 */
void pl_query_say_rows(const struct pl_query *e, const char *what,
                       uint64_t rows);

/* What the command does, as progress is shown: "exporting". */
const char *pl_query_doing(const struct pl_query *e);

/*
 * Report which paths of -c matched nothing, and what was meant of the names that
 * there are.  True if none matched.
 */
bool pl_query_say_unmatched(const struct pl_query *e);
bool pl_query_say_unmatched_of(const struct pl_query *e,
                               const struct pl_registry *names);

#endif
