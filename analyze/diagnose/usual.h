/*                                                 analyze/diagnose/usual.h
 * What is usual of a series: the P95 (of limits from below the P5) of all its
 * levels but those of an episode, and of those of its twins in other slicings.
 * What happened in slices of another length is another number: of counts, twins
 * are those whose slices are as long.
 *
 * The levels of a series and its twins are sorted once, for all episodes of
 * theirs, so that many episodes take no more than as many levels do.
 */
#ifndef PL_ANALYZE_DIAGNOSE_USUAL_H
#define PL_ANALYZE_DIAGNOSE_USUAL_H

#include "analyze/diagnose/findings.h"

#include <stdbool.h>
#include <stddef.h>

struct pl_usual {
    const struct pl_levels *levels;
    struct pl_usual_set {
        const float *values; /* sorted; NULL: not made yet */
        size_t num;
        size_t slices; /* in which there was a value, kept or not */
    } * sets;          /* one for each series; twins have the same */
    float *values;     /* of all sets */
    size_t used;
};

/* 'l' must stay valid.  PL_NOMEM. */
enum pl_status pl_usual_begin(struct pl_usual *u, const struct pl_levels *l);
void pl_usual_end(struct pl_usual *u);

/*
 * 'inside' are the levels within the episode, sorted.  False: there are no other
 * slices.  *usual is NAN then, and where it was not kept, being far from the
 * limit.
 */
bool pl_usual_find(struct pl_usual *u, const struct pl_episode *e,
                   const float *inside, size_t num_inside, double *usual);

/* The rank, from 1, of a rule's percentile among 'num' values. */
size_t pl_usual_rank(const struct pl_rule *r, size_t num);

/* Sort levels, the least first. */
void pl_usual_sort(float *values, size_t num);

#endif
