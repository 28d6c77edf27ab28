/*                                                   analyze/browse/vitals.h
 * One figure for each part of the machine in a sample: what spark lines show,
 * and what peaks are peaks of.
 */
#ifndef PL_ANALYZE_BROWSE_VITALS_H
#define PL_ANALYZE_BROWSE_VITALS_H

#include "analyze/moment/moment.h"

/* By section; processes have none. */
enum { PL_PAGE_VITALS = PL_MOMENT_PROCESS };

struct pl_page_vital {
    const char *name; /* "processors busy" */
    enum pl_figure_unit unit;
    float most;  /* a full spark line; 0: the greatest value in the line */
    float least; /* a peak is at least this */
};

extern const struct pl_page_vital pl_page_vitals[PL_PAGE_VITALS];

/* The figures of a moment; NAN: the log has none. */
void pl_page_vitals_of(const struct pl_moment *m, float out[PL_PAGE_VITALS]);

#endif
