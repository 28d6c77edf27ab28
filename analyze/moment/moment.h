/*                                                  analyze/moment/moment.h
 * The machine at a moment, or its means over a window: what a page of 'perflog
 * top' shows, as tables of figures.  It is filled with rows of the replay and
 * of interval_sums.h; nothing is calculated here.
 *
 * A section is an object's table; its columns are counters (sections.c).  A
 * section's rows are instances.
 */
#ifndef PL_ANALYZE_MOMENT_MOMENT_H
#define PL_ANALYZE_MOMENT_MOMENT_H

#include "analyze/output/readable.h"
#include "analyze/amounts/interval_sums.h"
#include "analyze/replay/replay.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pl_moment_section {
    PL_MOMENT_SYSTEM,
    PL_MOMENT_PROCESSOR,
    PL_MOMENT_PRESSURE,
    PL_MOMENT_MEMORY,
    PL_MOMENT_PAGING,
    PL_MOMENT_DISK,
    PL_MOMENT_NETWORK,
    PL_MOMENT_PROCESS,
    PL_MOMENT_SECTIONS,
};

enum { PL_MOMENT_COLUMNS = 12, PL_MOMENT_NAMES = 2 };

struct pl_moment_column {
    const char *title;
    /*
     * Names of its counters, each NULL if there are fewer: the first of them
     * that has a value, or with 'sum' their sum.
     */
    const char *counters[PL_MOMENT_NAMES];
    enum pl_figure_unit unit;
    bool sum;
    bool minor; /* left out of a line while it is 0 */
};

/*
 * In a line, a column called "" or "of" belongs to the one before it.  The last column
 * has no title.
 */
struct pl_moment_columns {
    /* the one whose cells come first: Windows has two names for some */
    const char *objects[PL_MOMENT_NAMES];
    struct pl_moment_column columns[PL_MOMENT_COLUMNS];
};

extern const struct pl_moment_columns pl_moment_columns[PL_MOMENT_SECTIONS];

/* How processes are sorted: by counters of theirs, the greatest sum first. */
struct pl_moment_sort {
    const char *word;  /* "cpu"; NULL: a counter that the user named */
    const char *title; /* of a column for it; NULL: there is one anyway */
    const char *counters[PL_MOMENT_NAMES]; /* patterns */
};

/* "cpu", "memory", "disk", "io"; NULL: it is none of these. */
const struct pl_moment_sort *pl_moment_sort_of(const char *word);

/* The one of these words that is near to a mistyped one; NULL: none is. */
const char *pl_moment_sort_near(const char *word);

struct pl_moment_row {
    const struct pl_group *group;
    double values[PL_MOMENT_COLUMNS]; /* NAN: none */
    char state;                       /* of a process; 0: not known */
    double rank, ranked_by;           /* of a process; its value */
};

struct pl_moment_table {
    struct pl_moment_row *rows; /* in the order of the log's instances */
    size_t num, cap;
};

/* In how many samples a process was in these states. */
struct pl_moment_states {
    const struct pl_group *group;      /* NULL: it was left out */
    uint32_t samples, waiting, zombie; /* D and Z */
};

/* What the samples of one host span. */
struct pl_moment_span {
    int64_t first_ns, last_ns;
    uint64_t samples, interval_ns;
    uint64_t length_ns; /* of the last pair */
};

struct pl_moment {
    const struct pl_moment_sort *sort;
    const char *processes;      /* title of their names; NULL: "Process" */
    bool names_last;            /* they are long: the last column has them */
    const struct pl_host *host; /* of the tables */
    struct pl_moment_table tables[PL_MOMENT_SECTIONS];
    struct pl_moment_states *states;
    size_t num_states, cap_states;
    struct pl_moment_span *spans; /* by rank of hosts */
    size_t num_spans, cap_spans;
    /* Slots of the counters of Process that each row is looked at for. */
    struct pl_moment_slots {
        const struct pl_object_names *object;
        uint32_t num_counters, state, rank;
    } slots;
};

/* Call with each row of the window, while sums are gathered.  PL_NOMEM. */
enum pl_status pl_moment_note(struct pl_moment *m, const struct pl_row *row);

/*
 * The processes of a window may be many.  Leave out those that have ended and
 * that neither waited nor were zombies, but for the 'most' busiest of them: what
 * one of them did does not change any more, and rows that come do not make it
 * busier than these.  A later process of the same name and number is another
 * one.  PL_NOMEM.
 */
enum pl_status pl_moment_leave_out(struct pl_moment *m,
                                   struct pl_interval_sums *sums, size_t most);

/* A cell of the window's row; those of one host follow each other.  PL_NOMEM. */
enum pl_status pl_moment_add(struct pl_moment *m,
                             const struct pl_cell_at *cell);

/*
 * The row that is about the whole machine: _Total, wherever the log has it, or
 * the only row of an object without instances.  NULL: the table is empty.
 */
const struct pl_moment_row *pl_moment_whole(const struct pl_moment *m,
                                            enum pl_moment_section section);

/* True if processes are ranked by this counter of theirs. */
bool pl_moment_ranks_by(const struct pl_moment *m, const struct pl_group *g,
                        uint32_t slot);

/*
 * What a cell of such a counter, with the value 'v', counts: amounts of rates are
 * what they are; of all else it is what it was over time.
 */
double pl_moment_rank_of(const struct pl_cell_at *cell, double v);

/* Rank the processes: the busiest first. */
void pl_moment_rank(struct pl_moment *m);

/* Begin with another host. */
void pl_moment_clear(struct pl_moment *m);
void pl_moment_release(struct pl_moment *m);

#endif
