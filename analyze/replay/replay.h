/*                                                  analyze/replay/replay.h
 * Plays a host's recording again: every sample is paired with the one before
 * it, instance by instance and counter by counter, and becomes a row of
 * values.  Instances are paired by identity (a process: number and start
 * time) where the recorder says what that is, else by name.  What cannot be
 * computed is a blank with a reason, never a guess.
 */
#ifndef PL_ANALYZE_REPLAY_REPLAY_H
#define PL_ANALYZE_REPLAY_REPLAY_H

#include "analyze/calc/calc.h"
#include "analyze/replay/row_values.h"
#include "analyze/replay/series_filter.h"
#include "analyze/replay/series_registry.h"
#include "analyze/input/host_log.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_replay_options {
    struct pl_registry *registry;
    struct pl_series_filter choice;
    struct pl_time_range window;
    struct pl_calc_options calc;
    bool names_only;   /* note which series occur, compute nothing */
    bool keys_only;    /* likewise, but only look into some of the samples */
    bool numbers_only; /* leave out hexadecimal numbers */
    bool want_absent;  /* a cell when a series vanishes; then forget it */
    bool keep;         /* do not forget it */
    bool want_steps;   /* rows with steps */
    struct pl_reader_options reader;
};

/* How far a clock of the blocks went between two samples. */
struct pl_row_clock {
    int64_t ticks; /* 0: not forward, or there is no pair */
    int64_t freq;
};

/* All wanted cells of one sample; valid until the next call. */
struct pl_row {
    int64_t time_ns;            /* row time, see pl_row_time */
    const struct pl_host *host; /* whose sample it is */
    struct pl_row_clock tick, hundred_ns;
    const struct pl_cell_at *cells;
    size_t num_cells;
    const struct pl_step_at *steps; /* one per cell, if they are wanted */
    int64_t older_ns;     /* row time of the sample it is paired with, if any */
    uint64_t length_ns;   /* of the pair, by the clock since boot; else of an */
    uint64_t interval_ns; /* interval, which is 0 if there is none */
};

/* What went by and is worth a word or an exit status. */
struct pl_replay_losses {
    uint64_t damaged_bytes, damaged_ranges;
    uint64_t unreachable; /* samples whose reference is lost */
    uint64_t too_large;   /* samples over the limit, and in unreachable */
    uint64_t malformed;   /* blocks of which a part could not be read */
    uint64_t overfull;    /* with more series than bytes for them */
    uint64_t too_new;
    struct pl_places where; /* all of these are */
    uint64_t missing;       /* samples, as the recorder or a repair tells */
};

struct pl_replay;

/* PL_OK, or as pl_host_log_start. */
enum pl_status pl_replay_start(struct pl_replay **out,
                               const struct pl_host_log *tape,
                               const struct pl_replay_options *options);
void pl_replay_stop(struct pl_replay *r); /* NULL is fine */

/*
 * Find the next row in the window without computing it; *time_ns is its row
 * time.  Repeated calls stay there until pl_replay_row has been called.
 * PL_END, PL_IO, PL_NOMEM; after PL_END more may come if the reader follows.
 */
enum pl_status pl_replay_peek(struct pl_replay *r, int64_t *time_ns);

/* Compute the row that peek found.  PL_NOMEM. */
enum pl_status pl_replay_row(struct pl_replay *r, struct pl_row *row);

/*
 * By how many nanoseconds a cell's value counts in a mean: the length of its
 * pair, or an interval where it has none, as the first value of a gauge.  One
 * of no length, which an import may have, counts next to nothing: a mean of
 * such is a plain one, and beside others they are not felt.
 */
double pl_row_weight(const struct pl_row *row, const struct pl_cell_at *cell);

/*
 * How far the clock that a type counts by went over the pair of samples: the
 * block's 100 ns clock for PL_CLOCK_100NS, else that of its PerfTime.
 */
static inline const struct pl_row_clock *pl_row_clock(const struct pl_row *row,
                                                      enum pl_clock clock)
{
    return clock == PL_CLOCK_100NS ? &row->hundred_ns : &row->tick;
}

const struct pl_replay_losses *pl_replay_losses(struct pl_replay *r);
const char *pl_replay_path(const struct pl_replay *r);

/* Bytes read so far and the sampling interval (0: none), for planning. */
uint64_t pl_replay_position(const struct pl_replay *r);
uint64_t pl_replay_interval(const struct pl_replay *r);
/* The recording was ended, or its recorder killed: no more will come. */
bool pl_replay_has_ended(struct pl_replay *r);

/*
 * A sample's place on the time axis: its instant rounded down to a multiple
 * of the interval, after adding 1 ms or a tenth of the interval, whichever is
 * less; without interval to the millisecond.
 */
int64_t pl_row_time(int64_t utc_ns, uint64_t interval_ns);

#endif
