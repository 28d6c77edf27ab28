/*                                                analyze/diagnose/culprits.h
 * The second pass of 'perflog diagnose': which processes a finding is due to.
 * They are read only in the three slices around an episode's peak, at most
 * PL_CULPRIT_SAMPLES samples; of a rise in its first and its last slice.  Where
 * clocks were set back, these are of the finding's own slicing, and none is named
 * where that cannot be known.
 */
#ifndef PL_ANALYZE_DIAGNOSE_CULPRITS_H
#define PL_ANALYZE_DIAGNOSE_CULPRITS_H

#include "analyze/diagnose/findings.h"
#include "analyze/input/host_log.h"

enum {
    PL_CULPRITS_MOST = 3,
    PL_CULPRIT_SAMPLES = 60,
    PL_CULPRIT_ROWS = 4096, /* read, others among them */
    PL_APART_MOST = 10
};

/*
 * A process; or, of those that did most or started most, all processes of a
 * program, where none did a quarter of what these did together: no single one of
 * hundreds that live for a moment is who did it.
 */
struct pl_culprit {
    char *name;           /* "python3:123", "cc1"; texts are owned */
    size_t num;           /* processes; 1: it is one */
    double value, share;  /* of all processes, 0 to 1 */
    char *user, *command; /* "": not known, or not the same of all */
};

/* All zero is empty. */
struct pl_culprits {
    struct pl_culprit list[PL_CULPRITS_MOST]; /* the first one did most */
    size_t num;
    /*
     * Of a rise: a process has at least half of what all processes grew by, and
     * of what memory in use did, if that is known; of the former a third is
     * enough then, if it is half as much again as that of any other process.
     */
    bool explain_rise;
    /*
     * Of each of the finding's other episodes: it is about a process that, at
     * its end, does none of what the finding's processes did, so that this does
     * not explain it; of PL_APART_MOST it is found out.  NULL: there is none.
     */
    bool *apart;
};

/* Where they are read. */
struct pl_culprit_source {
    const struct pl_host_log *log;           /* of the episode's host */
    const struct pl_replay_options *options; /* calc and reader are used */
    const struct pl_slicings *slicings; /* of the episode, and all others */
};

/* As pl_replay_start and pl_replay_peek; no process is no failure. */
enum pl_status pl_culprits_find(struct pl_culprits *c,
                                const struct pl_culprit_source *from,
                                const struct pl_finding *f);
void pl_culprits_release(struct pl_culprits *c);

#endif
