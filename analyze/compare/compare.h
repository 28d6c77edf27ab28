/*                                                 analyze/compare/compare.h
 * Two windows, of two logs or of one: what each series was in both, and how
 * unusual the difference is.  Series are found again by their names, so each
 * window is replayed on its own, one after the other; memory is about 500 bytes
 * a series of the first window, whatever the length of the windows.
 */
#ifndef PL_ANALYZE_COMPARE_COMPARE_H
#define PL_ANALYZE_COMPARE_COMPARE_H

#include "analyze/compare/rank_test.h"
#include "analyze/query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pl_compare_side { PL_BEFORE, PL_AFTER, PL_SIDES };

/* A series of the window before; its mean is weighted by time (pl_row_weight). */
struct pl_compared {
    char *host; /* "" after pl_comparison_judge, if each window has only one */
    char *object, *instance, *counter; /* instance "": it has none */
    struct pl_compared_side {
        /* over equal lengths of time; only their order matters */
        float means[PL_RANK_VALUES];
        size_t num;
        double sum, weight;           /* of all values */
        double part_sum, part_weight; /* of the mean that is being made */
        size_t part;
    } sides[PL_SIDES];
    /* after pl_comparison_judge: */
    struct pl_rank_test test;
    /*
     * The probability that the most unusual of all series compared is as
     * unusual as this one by accident, at most (C. E.  Bonferroni 1936).
     */
    double chance;
};

/* What a window is. */
struct pl_compared_window {
    int64_t first_ns, last_ns; /* the least and the greatest of its rows */
    uint64_t rows;
    uint64_t interval_ns; /* the longest of a row */
    uint32_t hosts;       /* their number */
    char *log;            /* the first of its files */
};

struct pl_comparison {
    struct pl_compared *series; /* those of the window before; then of both */
    size_t num, cap;
    uint32_t *places; /* hash table of 'series', plus 1 */
    size_t num_places;
    struct pl_compared_window windows[PL_SIDES];
    bool hosts_matter;      /* not where each window has only one */
    size_t compared;        /* series that both windows have */
    size_t unusual;         /* of these; the first ones */
    size_t alone[PL_SIDES]; /* series that only one of them has: counted */
};

/* Below that, a series is unusual. */
#define PL_UNUSUAL 0.05

/* All zero is empty. */
void pl_comparison_release(struct pl_comparison *c);

/*
 * The run function of a layout: replay e's window as this side.  PL_END: it has
 * no rows; else as pl_query_rows.
 */
enum pl_status pl_comparison_gather(struct pl_comparison *c,
                                    enum pl_compare_side side,
                                    struct pl_query *e);

/*
 * After both: test all series and sort them, the most unusual first; of those
 * that are equally unusual the one that changed most.  Series of one window are
 * counted, and left out.
 */
void pl_comparison_judge(struct pl_comparison *c);

/* True if a cell is of this series of 'c', after pl_comparison_judge. */
bool pl_compared_is(const struct pl_comparison *c, const struct pl_compared *s,
                    const struct pl_cell_at *cell);

/* A value that is compared: false for blank ones, text and codes. */
bool pl_compared_number(const struct pl_value *v, double *number);

/* The mean of a side, after pl_comparison_judge. */
double pl_compared_mean(const struct pl_compared *s, enum pl_compare_side side);

/* The change of the mean as a share of what it was; NAN: it was 0. */
double pl_compared_change(const struct pl_compared *s);

#endif
