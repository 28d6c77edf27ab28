/*                                                  analyze/replay/replay.h
 * Replays one host's recording: every sample is paired with the previous one,
 * instance by instance and counter by counter, and becomes a row of values.
 * Instances are paired by identity (a process: number and start time) where the
 * recorder states one, else by name.  What cannot be calculated is a blank with
 * a reason, never a guess.
 */
#ifndef PL_ANALYZE_REPLAY_REPLAY_H
#define PL_ANALYZE_REPLAY_REPLAY_H

#include "analyze/calc/calc.h"
#include "analyze/replay/row_values.h"
#include "analyze/series/series_filter.h"
#include "analyze/series/series_registry.h"
#include "analyze/input/host_log.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_others; /* other_sums.h */

struct pl_replay_options {
    struct pl_registry *registry;
    struct pl_series_filter choice;
    struct pl_time_range window;
    struct pl_calc_options calc;
    bool names_only;   /* only note which series occur, calculate nothing */
    bool keys_only;    /* likewise, decoding key samples only */
    bool ranks_only;   /* values of the counters ranked by, names of others */
    bool numbers_only; /* leave out hexadecimal numbers */
    bool want_absent;  /* a cell when a series vanishes; then forget it */
    bool keep;         /* do not forget vanished series */
    bool want_steps;   /* fill pl_row.steps */
    bool identities;   /* set those of processes, see group_identity.h */
    struct pl_sparse_object sparse;
    /* rows of key samples alone, each paired with the key before: quick */
    bool key_rows;
    /* only the times of rows are wanted, which have no cells: quicker still */
    bool times_only;
    /*
     * The rows are some of a sequence, of which others are replayed elsewhere:
     * there are earlier ones, so series of the sample before the window count as
     * present; later ones, so reading ends with the first row behind it.
     */
    bool has_earlier, has_later;
    /* called with every item that is read, samples included; may be NULL */
    void (*watch)(void *ctx, const struct pl_host_log *log,
                  const struct pl_item *item);
    void *watch_ctx;
    struct pl_reader_options reader;
};

/* How far a clock of the blocks advanced between two samples. */
struct pl_row_clock {
    int64_t ticks; /* 0: it did not advance, or there is no pair */
    int64_t freq;
};

/* All wanted cells of one sample; valid until the next call. */
struct pl_row {
    int64_t time_ns;            /* row time, see pl_row_time */
    const struct pl_host *host; /* the sample's host */
    struct pl_row_clock tick, hundred_ns;
    const struct pl_cell_at *cells;
    size_t num_cells;
    const struct pl_step_at *steps; /* one per cell, NULL unless want_steps */
    int64_t older_ns;     /* row time of the older sample of the pair, if any */
    uint64_t length_ns;   /* of the pair, by the clock since boot; else an */
    uint64_t interval_ns; /* interval; 0 if there is none */
    /*
     * Which sample it is, whatever else is read with it: its session (of
     * another program's log: of its beginning and its list of counters) and its
     * number therein.
     */
    uint64_t session;
    uint32_t seq;
    /* the one before it, in the window or not; session 0: none was read */
    uint64_t older_session;
    uint32_t older_seq;
};

/* What was lost or damaged, for messages and the exit status. */
struct pl_replay_losses {
    uint64_t damaged_bytes, damaged_ranges;
    uint64_t
        damaged_samples;  /* in these ranges, as far as they can be counted */
    uint64_t unreachable; /* samples whose reference is lost */
    /* samples over the size limit, or that refer to one; counted in unreachable,
     * too */
    uint64_t too_large;
    uint64_t malformed; /* blocks that could be read only in part */
    uint64_t overfull;  /* blocks with more series than they have bytes for */
    uint64_t too_new;
    /* records that a file lacks where nothing else is damaged: it was joined
     * from parts of one, or something was cut out */
    uint64_t holes;
    struct pl_places where; /* all of these are */
    uint64_t missing;       /* samples, as the recorder or a repair tells */
};

struct pl_replay;

/* PL_OK, or as pl_host_log_start. */
enum pl_status pl_replay_start(struct pl_replay **out,
                               const struct pl_host_log *log,
                               const struct pl_replay_options *options);
void pl_replay_stop(struct pl_replay *r); /* NULL is fine */

/*
 * Find the next row in the time range without calculating it; *time_ns is its
 * row time.  Repeated calls return the same row until pl_replay_row has been
 * called.  PL_END, PL_IO, PL_NOMEM; after PL_END more rows may come if the
 * reader follows a growing log.
 */
enum pl_status pl_replay_peek(struct pl_replay *r, int64_t *time_ns);

/* The host of the row that pl_replay_peek found; NULL: nothing was read. */
const struct pl_host *pl_replay_host(const struct pl_replay *r);

/* True if the row that pl_replay_peek found is of this sample, see pl_row. */
bool pl_replay_is_at(const struct pl_replay *r, uint64_t session, uint32_t seq);

/*
 * Go on with all rows behind the last one, whatever their times, if none behind
 * the window was met.
 */
void pl_replay_go_on(struct pl_replay *r);

/* Calculate the row that pl_replay_peek found.  PL_NOMEM. */
enum pl_status pl_replay_row(struct pl_replay *r, struct pl_row *row);

/*
 * From here on, add what is part of _Other to 'others' as a row is calculated,
 * without cells of the row (NULL: cells again).  Not with want_steps.
 */
void pl_replay_add_up(struct pl_replay *r, struct pl_others *others);

/*
 * The weight of a cell's value in a mean, in nanoseconds: the length of its
 * pair, or an interval where it has none, as for the first value of a gauge.  A
 * pair of length 0, which an import may have, weighs next to nothing: a mean of
 * only such values is a plain mean, and beside others they do not count.
 */
static inline double pl_row_weight(const struct pl_row *row,
                                   const struct pl_cell_at *cell)
{
    /* a power of two scales without rounding */
    const double next_to_nothing = 0x1p-300;
    const uint64_t ns =
        !cell->paired && row->interval_ns ? row->interval_ns : row->length_ns;

    return ns ? (double)ns : next_to_nothing;
}

/*
 * How far the clock of a counter type advanced between the pair of samples: the
 * block's 100 ns clock for PL_CLOCK_100NS, else that of its PerfTime.
 */
static inline const struct pl_row_clock *pl_row_clock(const struct pl_row *row,
                                                      enum pl_clock clock)
{
    return clock == PL_CLOCK_100NS ? &row->hundred_ns : &row->tick;
}

/*
 * True if it is certain that no row after the last one found has a time up to
 * 'time_ns', although clocks may step back.
 */
bool pl_replay_is_past(struct pl_replay *r, int64_t time_ns);

/*
 * With has_later, after PL_END: true if it is certain that no other row of the
 * window will come.
 */
bool pl_replay_is_whole(struct pl_replay *r);

const struct pl_replay_losses *pl_replay_losses(struct pl_replay *r);
const char *pl_replay_path(const struct pl_replay *r);

/* Bytes read so far and the sampling interval (0: none), for planning. */
uint64_t pl_replay_position(const struct pl_replay *r);
uint64_t pl_replay_interval(const struct pl_replay *r);
/*
 * True if the recording has ended, or its recorder was killed: no further rows
 * will come.
 */
bool pl_replay_has_ended(struct pl_replay *r);
/*
 * The time for which a row is due after the last one that was found, if none is
 * missing; INT64_MIN: not known.
 */
int64_t pl_replay_next_due(const struct pl_replay *r);
/* True if the recorder wrote, as the last record read, that it has ended. */
bool pl_replay_has_end(const struct pl_replay *r);

/*
 * A sample's place on the time axis: its instant rounded down to a multiple
 * of the interval, after adding 1 ms or a tenth of the interval, whichever is
 * less; without interval to the millisecond.
 */
int64_t pl_row_time(int64_t utc_ns, uint64_t interval_ns);

/* True if all row times of such an interval are whole seconds. */
bool pl_row_times_are_whole(uint64_t interval_ns);

#endif
