/*                                               analyze/diagnose/findings.h
 * Findings: times in which a rule was met, folded where they explain one
 * another.
 *
 * An episode is a run of slices of one series that meet its rule; slices that do
 * not, at most PL_EPISODE_GAP in a row, may lie within.  Of a rule about a rise
 * it is the time from its foot to its top.  Its level is the P95 of its slices
 * (of counts their sum, of a rise its height, below a limit P5), and what is
 * usual is the P95 of all other slices of that series, and of its twins in other
 * slicings (of counts: in those whose slices are as long).
 *
 * Severity, 0 to 100: the rule's weight; plus 10 for each power of ten between
 * level and limit, at most 20; plus 5 for each power of ten of its number of
 * slices, at most 20.
 *
 * An episode is folded into another one of its host if both have one topic, the
 * other is more severe, and at least half of its time lies within that (and
 * PL_FOLD_SLACK slices around); or if the other's rule explains its topic, and
 * that is so of both.  Two control groups or processes of one rule stay apart.
 * An episode about a process is taken out again if that has no part in what the
 * finding's processes do (culprits.h).
 * What remains are findings, as severe as their most severe episode.  They are
 * ordered by severity, then by time, then by the order of rules and instances.
 */
#ifndef PL_ANALYZE_DIAGNOSE_FINDINGS_H
#define PL_ANALYZE_DIAGNOSE_FINDINGS_H

#include "analyze/diagnose/levels.h"

enum {
    PL_FOLD_SLACK = 2,
    PL_EPISODES_MOST = 2000, /* the most severe ones */
};

struct pl_episode {
    const struct pl_level_series *series;
    uint32_t first, last; /* slices */
    uint32_t numbers[2];  /* theirs, see struct pl_slice_level */
    uint32_t peak;        /* the worst slice */
    uint32_t met;         /* number of slices that meet the rule */
    double level;
    double
        usual; /* of the rest; NAN: far from the limit, or there is no rest */
    bool has_rest;
    double severity;
    size_t into; /* the episode it is folded into; itself if none */
};

static inline int64_t pl_episode_begin(const struct pl_episode *e)
{
    return pl_slice_time(e->series->slicing, e->first);
}

struct pl_finding {
    const struct pl_episode *head;
    double severity;
    /* others that are folded into it, most severe first */
    const struct pl_episode **others;
    size_t num_others;
};

/* All zero is empty. */
struct pl_findings {
    const struct pl_levels *levels;
    struct pl_episode *episodes; /* most severe first */
    size_t num_episodes, cap_episodes;
    struct pl_finding *findings; /* in order */
    size_t num;
    const struct pl_episode **others; /* of all findings */
};

/* Find all there is in 'l', which must stay valid.  PL_NOMEM. */
enum pl_status pl_findings_make(struct pl_findings *f,
                                const struct pl_levels *l);

/*
 * Make findings of their own of those other episodes of number 'i' that are
 * 'apart'.  The order holds; what is now number 'i' may be another finding.
 */
void pl_findings_split(struct pl_findings *f, size_t i, const bool *apart);
void pl_findings_release(struct pl_findings *f);

#endif
