/*                                             analyze/foreign/blg_groups.h
 * How the counters of a list become objects of performance data blocks.  What
 * a list's entries have in common shows only in the samples, so all of these
 * are looked at first (pl_blg_watch), and then the list is grouped:
 *
 * Entries of one machine and object share an object of the block if in every
 * sample they had the same instances in the same order, and if their clock was
 * the one that most counters of the machine had.  Others get an object of
 * their own with the same name.  So nothing has to be invented to fill a
 * place, no clock is altered, and a counter stays where it is.
 *
 * A machine's block has the clocks of most of its entries.  An object whose
 * counters go by another one brings it along, in its own PerfTime.  Counters
 * of Windows' older and newer providers, side by side, are of this kind.
 */
#ifndef PL_ANALYZE_FOREIGN_BLG_GROUPS_H
#define PL_ANALYZE_FOREIGN_BLG_GROUPS_H

#include "analyze/foreign/blg_list.h"
#include "format/block/titles.h"

enum { PL_BLG_GROUP_COUNTERS = 64 }; /* one bit each says it is not good */

/* An object to be. */
struct pl_blg_group {
    uint32_t machine, object; /* number in the log; place of the name */
    uint32_t title_index, flags_title;
    uint32_t first, last; /* entries, linked by next_of */
    uint32_t num;
    bool has_flags; /* some item was not good */
    bool own_clock;
    uint32_t flags_offset, block_len;
    struct pl_buf head; /* object header and definitions */
};

/* One counter of a group. */
struct pl_blg_place {
    uint32_t next;                /* entry behind it in the group; NONE */
    uint32_t offset, base_offset; /* in the counter block; 0: no base */
    bool wide;                    /* 8 bytes */
};

struct pl_blg_groups {
    struct pl_blg_group *groups;
    size_t num;
    struct pl_blg_place *places; /* by entry */
    struct pl_buf titles;        /* TITL payload */
};

enum { PL_BLG_MAX_MACHINES = 256 }; /* of a log */

/* The clocks of a machine's block: those that most of its entries have. */
struct pl_blg_clocks {
    int64_t tick, freq, hundred_ns;  /* tick, hundred_ns 0: not told */
    uint32_t ticks, freqs, hundreds; /* by how many more */
};

/* Let an entry's clock take part in the choice. */
void pl_blg_vote(struct pl_blg_clocks *c, const struct pl_blg_entry *e,
                 const struct pl_blg_record *r);

/* The clock of an entry's first good item; 0: it has none. */
int64_t pl_blg_clock_of(const struct pl_blg_record *r);

/* Look at one sample of a list; the log has 'num_machines' so far. */
void pl_blg_watch(struct pl_blg_list *l, const struct pl_blg_record *records,
                  size_t num, size_t num_machines, uint64_t seed);

/* Group the entries of a list that has been watched.  PL_NOMEM. */
enum pl_status pl_blg_groups_make(struct pl_blg_groups *g,
                                  struct pl_blg_list *l);
void pl_blg_groups_release(struct pl_blg_groups *g);

#endif
