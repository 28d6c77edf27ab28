/*                                         analyze/inspect/damage_summary.h
 * What was lost by damage: from a good sample to the next one, the number of
 * bad bytes, of lost samples, and the time they covered.  Record numbers show
 * how many records are missing, the clocks around them how many of these can
 * have been samples.
 */
#ifndef PL_ANALYZE_INSPECT_DAMAGE_SUMMARY_H
#define PL_ANALYZE_INSPECT_DAMAGE_SUMMARY_H

#include "format/reader/reader.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_damage {
    uint64_t at; /* first bad byte */
    uint64_t damaged_bytes;
    uint64_t missing;     /* records missing, by their numbers */
    uint64_t unreachable; /* good samples whose reference is lost */
    uint64_t too_new;     /* samples that need a newer perflog */
    uint64_t not_here;    /* records of missing segments */
    uint64_t rows;        /* of a sheet, each a sample */
    uint64_t samples;     /* all samples lost */
    bool at_least;        /* a session's end is lost: there may be more */
    bool damaged;         /* more than a gap in the record numbers */
    /* there is a good sample before, after the damage */
    bool has_from, has_to;
    bool crossed;           /* and these are of two sessions */
    int64_t from_ns, to_ns; /* UTC of these samples */
    int64_t from_boot_ns, to_boot_ns;
    uint64_t ns; /* time without samples: between these, if of one session */
};

/* All zero: nothing read yet. */
struct pl_damage_summary {
    struct pl_damage now; /* losses since the last good sample */
    bool open;            /* there are losses */
    uint64_t session;     /* current session; 0: none yet */
    bool has_last;        /* a good sample was read; the last one was in */
    int64_t last_utc_ns, last_boot_ns;
    uint64_t
        reported;     /* samples missing since then, reported by gaps records */
    uint64_t headers; /* samples of which only the header is good, */
    bool torn;        /* and damaged bytes, after the last good record */
};

/*
 * Add the next item of a log that is sampled every 'interval_ns' (0: not
 * known).  True: the item is a good sample and ends a loss, which is *out.
 */
bool pl_damage_summary_take(struct pl_damage_summary *l,
                            const struct pl_item *item, uint64_t interval_ns,
                            struct pl_damage *out);

/* At the end of all items.  True: the log ends in a loss, which is *out. */
bool pl_damage_summary_end(struct pl_damage_summary *l, uint64_t interval_ns,
                           struct pl_damage *out);

#endif
