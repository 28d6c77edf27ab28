/*                                             analyze/foreign/blg_groups.h
 * Groups the counters of a list to objects of performance data blocks.  Only
 * the samples show what the entries of a list have in common, so all of them
 * are read first (pl_blg_watch), and then the list is grouped:
 *
 * Entries of one machine and object share an object of the block if in every
 * sample they had the same instances in the same order, and if their clock was
 * that of most counters of the machine.  Others get an object of their own with
 * the same name.  So no value has to be invented, no clock is altered, and a
 * counter keeps its place.
 *
 * A machine's block has the clocks of most of its entries.  An object whose
 * counters use another clock has it in its own PerfTime; Windows' older and
 * newer providers in one log differ in this way.
 */
#ifndef PL_ANALYZE_FOREIGN_BLG_GROUPS_H
#define PL_ANALYZE_FOREIGN_BLG_GROUPS_H

#include "analyze/foreign/blg_list.h"
#include "format/block/titles.h"

enum { PL_BLG_GROUP_COUNTERS = 64 }; /* one flag bit for each: it is not good */

/* A future object. */
struct pl_blg_group {
    uint32_t machine, object; /* number in the log; offset of the name */
    uint32_t title_index, flags_title;
    uint32_t first, last; /* entries, linked by pl_blg_place.next */
    uint32_t num;
    bool has_flags; /* some item was not good */
    bool own_clock;
    uint32_t flags_offset, block_len;
    struct pl_buf head; /* object header and definitions */
};

/* One counter of a group. */
struct pl_blg_place {
    uint32_t next; /* next entry in the group; NONE */
    /* offsets in the counter block; base 0: none */
    uint32_t offset, base_offset;
    bool wide; /* 8 bytes */
};

struct pl_blg_groups {
    struct pl_blg_group *groups;
    size_t num;
    struct pl_blg_place *places; /* by entry */
    struct pl_buf titles;        /* TITL payload */
};

enum { PL_BLG_MAX_MACHINES = 256 }; /* machines of a log */

/* The clocks of a machine's block: those that most of its entries have. */
struct pl_blg_clocks {
    int64_t tick, freq, hundred_ns;  /* tick, hundred_ns 0: not stated */
    uint32_t ticks, freqs, hundreds; /* leads of the three in pl_blg_vote */
};

/* Count an entry's clock as a vote. */
void pl_blg_vote(struct pl_blg_clocks *c, const struct pl_blg_entry *e,
                 const struct pl_blg_record *r);

/* The clock of an entry's first good item; 0: it has none. */
int64_t pl_blg_clock_of(const struct pl_blg_record *r);

/* Read one sample of a list; the log has 'num_machines' so far. */
void pl_blg_watch(struct pl_blg_list *l, const struct pl_blg_record *records,
                  size_t num, size_t num_machines, uint64_t seed);

/* Group the entries of a list whose samples have all been read.  PL_NOMEM. */
enum pl_status pl_blg_groups_make(struct pl_blg_groups *g,
                                  struct pl_blg_list *l);
void pl_blg_groups_release(struct pl_blg_groups *g);

#endif
