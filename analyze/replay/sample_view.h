/*                                             analyze/replay/sample_view.h
 * A parsed sample: its objects, their instances, and the registered names of
 * each.  The previous sample is kept, so that neighbours can be compared; views
 * point into the reader's blocks and live as long as these.
 */
#ifndef PL_ANALYZE_REPLAY_SAMPLE_VIEW_H
#define PL_ANALYZE_REPLAY_SAMPLE_VIEW_H

#include "analyze/replay/block_signature.h"
#include "analyze/replay/u32_map.h"
#include "analyze/replay/instance_parents.h"
#include "analyze/replay/counter_plan.h"
#include "analyze/series/series_filter.h"
#include "analyze/series/series_registry.h"
#include "format/base/buf.h"
#include "format/base/codepage.h"
#include "format/block/titles.h"
#include "format/block/winperf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One instance of one object in one sample. */
struct pl_sampled_instance {
    struct pl_instance view;
    struct pl_group *group;
    uint64_t identity[PL_MAX_IDENTITY];
    /* in the older sample: it was matched to an instance of the newer one */
    bool paired;
};

/* One object in one sample. */
struct pl_sampled_object {
    struct pl_object view;
    const struct pl_counter_plan *plan;
    size_t first, num;  /* instances */
    bool has_own_total; /* one of them is _Total, or it has none at all */
};

struct pl_sample {
    bool there;
    uint64_t row; /* its number, for pl_group.row */
    struct pl_block block;
    struct pl_sampled_object *objects;
    size_t num_objects, cap_objects;
    struct pl_u32_map by_title; /* place in 'objects' */
    struct pl_sampled_instance *instances;
    size_t num_instances, cap_instances;
};

/*
 * An object that only each 'every'th sample is read of, the first one included:
 * its rates have no values then.  0: there is none.
 */
struct pl_sparse_object {
    const char *name;
    uint32_t every;
};

/*
 * What the instances of that object belonged to when it was read last, in their
 * order: mostly they do again.  All these groups are held.
 */
struct pl_remembered_groups {
    struct pl_remembered_group {
        struct pl_group *group;
        struct pl_group *plain; /* that of the name without a number */
    } * groups;
    size_t num, cap;
};

/* The last two samples of a host log. */
struct pl_sample_view {
    struct pl_registry *registry;
    struct pl_series_filter choice;
    bool numbers_only; /* hexadecimal numbers and texts are not wanted */
    /*
     * objects are composed of single counters: those of one name share groups
     */
    bool made_up;
    /* groups that no sample holds any more are removed from the registry */
    bool forget;
    /*
     * The log identifies processes: a name ends when one has another.  It
     * does, too, where the object's facts have births: their writer identifies
     * processes, though it may be late, and a cut may have none of them.
     */
    bool names_end;
    struct pl_sparse_object sparse;
    struct pl_remembered_groups remembered;
    uint64_t blocks; /* read so far */
    const struct pl_host *host;
    const struct pl_titles *titles;
    /* the caller changes it whenever 'titles' change */
    uint64_t titles_version;
    uint64_t malformed; /* blocks that could be read only in part */
    /* blocks with more series than they have bytes for */
    uint64_t overfull;
    /* series of the current block were left out: too many */
    bool crowded;
    uint64_t serial; /* of the newer sample, unique in the registry */
    /* so far names follow in the older sample's order */
    bool same_order;
    struct pl_sample samples[2];
    size_t newer;                    /* index of the newer one */
    struct pl_block_signature frame; /* layout of the newer sample */
    /* samples in a row whose layouts seemed to be others than those before */
    uint32_t restless;
    uint64_t frame_titles; /* titles_version when 'frame' was made */
    bool same_layout;      /* the older sample's layout is the same */
    struct pl_planned_object {
        uint32_t title_index;
        uint64_t titles_version;
        uint64_t row; /* of the last sample it occurred in */
        bool wanted, sparse;
        /* index of the current plan; the other one is the previous */
        size_t now;
        struct pl_counter_plan *plans[2];
    } * planned;
    size_t num_planned, cap_planned;
    struct pl_u32_map by_title; /* place in 'planned' */
    struct pl_buf name;
    /* code pages of names that are not Unicode */
    struct pl_codepages pages;
    struct pl_instance_parents parents; /* of the newer sample's instances */
};

/*
 * The caller sets the first fields; all others zero is a valid initial state.
 */
void pl_sample_view_release(struct pl_sample_view *s);

static inline struct pl_sample *pl_sample_view_now(struct pl_sample_view *s)
{
    return &s->samples[s->newer];
}

static inline struct pl_sample *pl_sample_view_older(struct pl_sample_view *s)
{
    return &s->samples[!s->newer];
}

/*
 * Parse 'block' as the newer sample; the previous newer one becomes the older.
 * Inconsistent parts are left out and counted.  PL_NOMEM.
 */
enum pl_status pl_sample_view_read(struct pl_sample_view *s,
                                   const struct pl_buf *block);

/*
 * Forget the samples, whose blocks are no longer valid.  Their groups stay
 * until as many more samples have been read.
 */
void pl_sample_view_forget(struct pl_sample_view *s);

/* The object with that title, NULL if the sample has none. */
const struct pl_sampled_object *pl_sample_object(const struct pl_sample *s,
                                                 uint32_t title);

/*
 * The group called 'name' (NULL: an object without instances) that no instance
 * of sample 'row' has taken: 'name', else name#1, name#2 ...  PL_NOMEM.
 */
enum pl_status pl_sample_view_group(struct pl_sample_view *s,
                                    const struct pl_counter_plan *plan,
                                    const char *name, uint64_t row,
                                    struct pl_group **out);

/*
 * Replace 'name' by "parent/name" of an instance, without a #n of its own, and
 * with a NUL that is not counted.  'parents' are those of 'block'.  PL_NOMEM.
 */
enum pl_status pl_instance_spell(struct pl_instance_parents *parents,
                                 struct pl_codepages *pages,
                                 struct pl_buf *name,
                                 const struct pl_block *block,
                                 const struct pl_object *o,
                                 const struct pl_instance *i);

#endif
