/*                                                    analyze/query/query.h
 * An export under way: logs are replayed side by side, their rows merged by
 * time and handed to a layout, which makes lines of them; then what was passed
 * over is told.  cmd_export.c understands the command line; a layout is a
 * table entry and a function of its own (export_wide.c, export_long.c).
 */
#ifndef PL_ANALYZE_QUERY_QUERY_H
#define PL_ANALYZE_QUERY_QUERY_H

#include "analyze/output/csv.h"
#include "analyze/output/output_folder.h"
#include "analyze/output/output_file.h"
#include "analyze/output/progress.h"
#include "analyze/query/regroup.h"
#include "analyze/replay/replay.h"
#include "analyze/query/rows_csv.h"
#include "analyze/replay/ranking.h"
#include "analyze/replay/interval_sums.h"
#include "format/cli/message.h"
#include "format/cli/options.h"
#include "format/block/counter_path.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_query;

struct pl_layout {
    const char *name;
    bool brief;        /* without -c, of the processes only their sum */
    bool or_long;      /* and who wants more may take --layout long */
    bool numbers_only; /* hexadecimal numbers have no place */
    bool reads_twice;  /* names first, so no pipe will do */
    bool keeps_names;  /* of series that have gone, to the end */
    bool want_absent;  /* a cell when a series vanishes */
    bool pdh;          /* cells and times as Windows' PDH writes them */
    bool folder;       /* makes a folder of e->files, not one sheet */
    /*
     * Write the header and all rows to e->csv.  PL_END: there are none;
     * PL_USAGE or e->code set: told already; else what stopped it.
     */
    enum pl_status (*run)(struct pl_query *e);
};

/* The command line, understood. */
struct pl_query_plan {
    const char *command; /* whose messages these are: "export" */
    const struct pl_layout *layout;
    const char *output; /* NULL: standard output */
    const char *from, *to;
    const char *zone_name; /* for the zone cell of pdh; NULL: the zone's own */
    bool tz;               /* a zone was chosen, and is in force */
    bool follow;
    struct pl_every every;
    struct pl_ranking top;
    const struct pl_regroup_key *group; /* processes by it; NULL: each alone */
    bool drop_empty;
    bool split; /* into numbered files, where a spreadsheet takes no more */
    bool split_sheets; /* likewise into numbered sheets of one workbook */
    bool wide_anyway;
    bool quiet;
    struct pl_csv_style style;
    struct pl_counter_path_list paths;
    struct pl_time_format time;
    struct pl_replay_options replay; /* but for what the layout decides */
};

/* Do it, and say what went wrong.  'operands' are the logs, at least one. */
enum pl_exit pl_query_run(struct pl_query_plan *plan, char **operands, int num);

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

/* ---- for layouts ----------------------------------------------------------- */

struct pl_query {
    struct pl_query_plan *plan;
    struct pl_host_logs tapes;
    struct pl_registry registry;
    struct pl_replay **replays; /* one per tape */
    struct pl_output_file output;
    struct pl_output_folder files; /* instead, for folders and numbered files */
    struct pl_paged page;          /* of 'csv', if that is to be split */
    char *stem;                    /* of its name */
    struct pl_csv csv;
    struct pl_progress progress;
    struct pl_regroup regroup; /* of all passes */
    const char *log_zone; /* in force: where the log was made; NULL: is not */
    uint64_t total_bytes;
    uint64_t rows;             /* of the last pass, windows with --every */
    int64_t first_ns, last_ns; /* their times */
    struct pl_replay_losses losses;
    char *loss_path;   /* what losses.where names */
    bool keys_only;    /* the first pass need not find every name */
    enum pl_exit code; /* if it was told already what went wrong */
};

/*
 * Where rows go: those of one time host by host, a host's perhaps in several
 * parts, then the end of that time.
 */
struct pl_rows {
    enum pl_status (*take)(struct pl_query *e, void *ctx,
                           const struct pl_row *row);
    enum pl_status (*end)(struct pl_query *e, void *ctx, int64_t time_ns);
    void *ctx;
};

/*
 * A first pass for layouts that read twice: which series there are, in
 * e->registry, and e->rows, first_ns, last_ns.  With --top and --drop-empty it
 * calculates, and decides which of them are wanted.  With e->keys_only it
 * only looks into some of the samples, which is quick: names that live between
 * these are not found, and pl_query_start_over may be needed.
 */
enum pl_status pl_query_scan(struct pl_query *e);

/*
 * The pass that calculates: begin, perhaps look at the first row's time
 * (PL_END: there is none yet), then all rows.  With --follow, rows come until
 * the recording ends.  Failures of reading have been told.
 */
enum pl_status pl_query_begin(struct pl_query *e);
enum pl_status pl_query_next_time(struct pl_query *e, int64_t *time_ns);
enum pl_status pl_query_rows(struct pl_query *e, const struct pl_rows *to);

/*
 * The stage between rows and a layout that has --every: gathers rows and hands
 * those of windows on to 'to'.  'sums' is all zero at first.
 */
struct pl_query_windows {
    const struct pl_rows *to;
    struct pl_query *e;
    bool waits; /* for rows behind a window, as several hosts may come late */
    struct pl_interval_sums sums;
};

void pl_query_windows_begin(struct pl_query_windows *w, struct pl_query *e,
                            const struct pl_rows *to);
enum pl_status pl_query_windows_take(struct pl_query *e, void *ctx,
                                     const struct pl_row *row);
enum pl_status pl_query_windows_end(struct pl_query *e, void *ctx,
                                    int64_t time_ns);
/* The last window, though it may not be over. */
enum pl_status pl_query_windows_finish(struct pl_query_windows *w);

/* The pass that measures: its rows, and what follows from them. */
enum pl_status pl_query_measure_row(struct pl_query *e, void *ctx,
                                    const struct pl_row *row);
enum pl_status pl_query_choose(struct pl_query *e);

/* The stage that makes _Other before rows go on to 'to'. */
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

/* True if a pass is needed that calculates before the one that writes. */
static inline bool pl_query_measures(const struct pl_query *e)
{
    return e->plan->top.num || e->plan->drop_empty;
}

/* The end of a pass; counts what it passed over.  Fine without one. */
void pl_query_stop(struct pl_query *e);

/* Forget what e->csv holds, and begin the output, or one of its kind. */
enum pl_status pl_query_start_csv(struct pl_query *e);

/*
 * True if rows once written can be taken back, and to take them back: the
 * output is then as it was at first.  False: told why not.
 */
bool pl_query_can_start_over(const struct pl_query *e);
bool pl_query_start_over(struct pl_query *e);

/* Show a column "UTC Offset" if the zone's offset changes within the rows. */
void pl_query_plan_offset(struct pl_query *e);

/* What pl_csv.pages should be. */
struct pl_csv_pages pl_query_pages(const struct pl_query *e);

/*
 * Say so if 'rows' and a header are more than a spreadsheet takes; 'what' is
 * the sheet's name, NULL: there is only one.
 */
void pl_query_say_rows(const struct pl_query *e, const char *what,
                       uint64_t rows);

/* Say which paths of -c matched nothing.  True if there are but such. */
bool pl_query_say_unmatched(const struct pl_query *e);

#endif
