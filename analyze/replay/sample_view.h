/*                                             analyze/replay/sample_view.h
 * A sample taken apart: its objects, their instances, and under which names
 * each of these is known.  The one before it is kept, so that neighbours can
 * be compared; views point into the reader's blocks and live as long as these.
 */
#ifndef PL_ANALYZE_REPLAY_SAMPLE_VIEW_H
#define PL_ANALYZE_REPLAY_SAMPLE_VIEW_H

#include "analyze/replay/block_signature.h"
#include "analyze/replay/u32_map.h"
#include "analyze/replay/instance_parents.h"
#include "analyze/replay/counter_plan.h"
#include "analyze/replay/series_filter.h"
#include "analyze/replay/series_registry.h"
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
    bool paired; /* in the older sample: some newer one is the same */
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

/* The last two samples of a tape. */
struct pl_sample_view {
    struct pl_registry *registry;
    struct pl_series_filter choice;
    bool numbers_only; /* hexadecimal numbers and texts are not wanted */
    bool made_up;      /* objects of one name share their instances' groups */
    bool forget;       /* groups that no sample holds any more are dropped */
    const struct pl_host *host;
    const struct pl_titles *titles;
    uint64_t titles_version; /* to be changed whenever they do */
    uint64_t malformed;      /* blocks of which a part could not be read */
    uint64_t overfull;       /* with more series than bytes for them */
    bool crowded;            /* there was no room for some */
    uint64_t serial;         /* of the newer one, as no other sample has */
    bool same_order;         /* names so far are those of the older sample */
    struct pl_sample samples[2];
    size_t newer;                    /* index of the newer one */
    struct pl_block_signature frame; /* its own */
    uint64_t frame_titles;           /* titles_version then */
    bool same_layout;                /* the older one's is the same */
    struct pl_planned_object {
        uint32_t title_index;
        uint64_t titles_version;
        uint64_t row; /* of the last sample it was in */
        bool wanted;
        size_t now; /* the plan in force; the other one was before */
        struct pl_counter_plan *plans[2];
    } * planned;
    size_t num_planned, cap_planned;
    struct pl_u32_map by_title; /* place in 'planned' */
    struct pl_buf name;
    struct pl_codepages pages;          /* of names that are not Unicode */
    struct pl_instance_parents parents; /* of the newer sample's instances */
};

/* All zero but the first fields, which the caller sets, is a fresh start. */
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
 * Take 'block' apart as the newer sample; the newer one until now becomes the
 * older.  What does not add up is left out and counted.  PL_NOMEM.
 */
enum pl_status pl_sample_view_read(struct pl_sample_view *s,
                                   const struct pl_buf *block);

/* The object with that title, NULL if the sample has none. */
const struct pl_sampled_object *pl_sample_object(const struct pl_sample *s,
                                                 uint32_t title);

/*
 * The group called 'name' (NULL: an object without instances) which nothing in
 * sample 'row' has taken: 'name', else name#1, name#2 ...  PL_NOMEM.
 */
enum pl_status pl_sample_view_group(struct pl_sample_view *s,
                                    const struct pl_counter_plan *plan,
                                    const char *name, uint64_t row,
                                    struct pl_group **out);

/*
 * Replace 'name' by "parent/name" of an instance, without #n of its own, with
 * a NUL that is not counted.  'parents' are those of 'block'.  PL_NOMEM.
 */
enum pl_status pl_instance_spell(struct pl_instance_parents *parents,
                                 struct pl_codepages *pages,
                                 struct pl_buf *name,
                                 const struct pl_block *block,
                                 const struct pl_object *o,
                                 const struct pl_instance *i);

#endif
