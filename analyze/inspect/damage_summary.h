/*                                         analyze/inspect/damage_summary.h
 * What damage cost: from a good sample to the next one, how many bytes are
 * bad, how many samples are gone, and which time they covered.  The numbers
 * of records tell how many are missing, the clocks around them how many of
 * these can have been samples.
 */
#ifndef PL_ANALYZE_INSPECT_DAMAGE_SUMMARY_H
#define PL_ANALYZE_INSPECT_DAMAGE_SUMMARY_H

#include "format/log/reader.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_damage {
    uint64_t at; /* first bad byte */
    uint64_t damaged_bytes;
    uint64_t missing;       /* records that are not there, by number */
    uint64_t unreachable;   /* good samples that build upon lost ones */
    uint64_t too_new;       /* samples that need a newer perflog */
    uint64_t not_here;      /* records of segments that are not here */
    uint64_t samples;       /* all that are lost */
    bool at_least;          /* a session's end is lost: there may be more */
    bool damaged;           /* more than a hole in the numbers of records */
    bool has_from, has_to;  /* there are good samples before, behind, */
    bool crossed;           /* but of two sessions */
    int64_t from_ns, to_ns; /* utc of these */
    int64_t from_boot_ns, to_boot_ns;
    uint64_t ns; /* without samples: between these, if of one session */
};

/* All zero: nothing read yet. */
struct pl_damage_summary {
    struct pl_damage now; /* what is lost since the last good sample */
    bool open;            /* anything is */
    uint64_t session;     /* being read; 0: none yet */
    bool has_last;        /* a good sample was read, the last one being of */
    int64_t last_utc_ns, last_boot_ns;
    uint64_t told;    /* samples missing since then, by gaps records */
    uint64_t headers; /* samples of which only the header is good, */
    bool torn;        /* and damaged bytes, behind the last good record */
};

/*
 * Take the next item of a log that is sampled every 'interval_ns' (0: not
 * known).  True: the item is a good sample and ends a loss, which is *out.
 */
bool pl_damage_summary_take(struct pl_damage_summary *l,
                            const struct pl_item *item, uint64_t interval_ns,
                            struct pl_damage *out);

/* At the end of all items.  True: the log ends in a loss, which is *out. */
bool pl_damage_summary_end(struct pl_damage_summary *l, uint64_t interval_ns,
                           struct pl_damage *out);

#endif
