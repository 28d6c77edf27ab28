/*                                            analyze/replay/sample_series.h
 * Decides which counters of an instance become series: those the user wants and
 * the output can show, those that others are calculated from, and the one that
 * instances are ranked by.
 */
#ifndef PL_ANALYZE_REPLAY_SAMPLE_SERIES_H
#define PL_ANALYZE_REPLAY_SAMPLE_SERIES_H

#include "analyze/replay/sample_view.h"

/*
 * Decide for the counters of the group's object that were not decided yet, once
 * for each; 'series' stays NULL while none is wanted.  A block whose series are
 * far more than it has bytes for gets none, and samples->crowded is set.
 * PL_NOMEM.
 */
enum pl_status pl_sample_series_choose(struct pl_sample_view *samples,
                                       struct pl_group *g);

/*
 * The newer sample makes a row: record what those of its groups match that were
 * found with samples->choice.outside, by this replay or the one of the first pass, if
 * the registry has some_unrecorded.
 */
void pl_sample_series_record(struct pl_sample_view *samples);

#endif
