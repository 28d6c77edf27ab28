/* In which order regions are copied, and which of them the block has. */
#include "logger/linux/published/region_parts.h"

#include <string.h>

enum {
    SETS_PER_WEIGHT = 64, /* cost as much as a region without sets */
    ROW_BYTES = 160,      /* of the log, for a new row of Perflog Provider */
    ROW_CHANGE = 8,
    CHRONIC = 3, /* busy samples after which one of these is not retried */
};
#define NS_PER_MS INT64_C(1000000)

/* ---- copies ------------------------------------------------------------- */

/* Reads the clock only now and then: it costs as much as a small region. */
static bool has_time_for(struct pl_regions *r, const struct pl_region *g)
{
    r->weight += 1 + g->image.num_sets / SETS_PER_WEIGHT;
    if (r->weight >= CLOCK_STRIDE && !r->late) {
        r->late = pl_regions_are_late(r);
        r->weight = 0;
    }
    return !r->late;
}

/* Regions first found in this sample are copied after all others. */
static void look_at(struct pl_regions *r, struct pl_region *g)
{
    if (g->table && !g->sampled)
        return;
    if (!has_time_for(r, g)) {
        if (g->table)
            pl_region_leave_out(&r->publishers, g, PL_LIMIT_TIME);
    } else if (pl_region_is_half_made(g)) {
        pl_region_look_at_half_made(r, g);
    } else if (!g->table) {
        pl_region_look_at_file(r, g);
    } else {
        pl_region_copy(r, g);
    }
}

/* Build the list of each publisher, from the last region to the first. */
static void list_peers(struct pl_regions *r)
{
    r->publishers.trusted.first = NULL;
    for (struct pl_publisher *p = r->publishers.first; p; p = p->next)
        p->first = NULL;
    for (size_t i = r->num; i-- > 0;) {
        struct pl_region *g = r->regions[i];

        g->peer = g->publisher->first;
        g->publisher->first = g;
    }
}

static size_t num_regions(const struct pl_publisher *p)
{
    size_t n = 0;

    for (const struct pl_region *g = p->first; g; g = g->peer)
        n++;
    return n;
}

/* Regions that time did not suffice for come first in the next sample. */
static void look_at_publisher(struct pl_regions *r, struct pl_publisher *p)
{
    size_t num = num_regions(p), first = num ? p->turn % num : 0, n = 0;

    for (int round = 0; round < 2; round++, n = 0)
        for (struct pl_region *g = p->first; g; g = g->peer, n++) {
            bool was_late = r->late;

            if ((n >= first) != (round == 0))
                continue;
            look_at(r, g);
            if (r->late && !was_late)
                p->turn = n;
        }
}

static uint64_t num_untrusted(const struct pl_regions *r)
{
    uint64_t num = 0;

    for (struct pl_publisher *p = r->publishers.first; p; p = p->next)
        num += p->first != NULL;
    return num;
}

/* Each untrusted publisher gets its part of the time that earlier ones left. */
static void copy_untrusted(struct pl_regions *r)
{
    uint64_t num = num_untrusted(r), first = num ? r->turn++ % num : 0;
    uint64_t left = num, n = 0;
    int64_t end_ns = pl_regions_clock() + r->untrusted_ns;

    for (int round = 0; round < 2; round++, n = 0)
        for (struct pl_publisher *p = r->publishers.first; p; p = p->next) {
            if (!p->first || (n++ >= first) != (round == 0))
                continue;
            pl_regions_begin_slice(r, (end_ns - pl_regions_clock()) /
                                          (int64_t)left--);
            look_at_publisher(r, p);
        }
}

void pl_regions_copy_all(struct pl_regions *r)
{
    list_peers(r);
    look_at_publisher(r, &r->publishers.trusted);
    copy_untrusted(r);
    pl_regions_begin_slice(r, r->budget_ns);
}

/* An untrusted publisher's share of a sample, regardless of what it has used.
 */
static void begin_small_slice(struct pl_regions *r, const struct pl_region *g)
{
    uint64_t num = num_untrusted(r);

    pl_regions_begin_slice(r, g->publisher->untrusted
                                  ? r->untrusted_ns / (int64_t)(num ? num : 1)
                                  : r->budget_ns);
}

void pl_regions_copy_new(struct pl_regions *r, struct pl_region *g)
{
    g->sampled = true;
    begin_small_slice(r, g);
    if (has_time_for(r, g) && !pl_regions_are_late(r))
        pl_region_copy(r, g);
    else
        pl_region_leave_out(&r->publishers, g, PL_LIMIT_TIME);
}

/* ---- groups that stay open ---------------------------------------------- */

/* An untrusted publisher's region busy in several samples in a row is not
 * retried. */
static bool is_worth_waiting_for(const struct pl_region *g)
{
    return g->state == PL_STATE_BUSY &&
           !(g->publisher->untrusted && g->busy >= CHRONIC);
}

static void try_again(struct pl_regions *r)
{
    int64_t end_ns = pl_regions_clock() + r->untrusted_ns;

    for (size_t i = 0; i < r->num && pl_regions_clock() < r->end_ns; i++) {
        struct pl_region *g = r->regions[i];

        if (!is_worth_waiting_for(g))
            continue;
        if (g->publisher->untrusted && pl_regions_clock() >= end_ns)
            continue;
        begin_small_slice(r, g);
        pl_region_copy(r, g);
    }
}

static bool is_anybody_busy(const struct pl_regions *r)
{
    for (size_t i = 0; i < r->num; i++)
        if (is_worth_waiting_for(r->regions[i]))
            return true;
    return false;
}

/* Regions not copied in this sample keep their count of busy samples. */
static void count_busy(struct pl_regions *r)
{
    for (size_t i = 0; i < r->num; i++) {
        struct pl_region *g = r->regions[i];

        if (g->state == PL_STATE_BUSY)
            g->busy++;
        else if (g->state != PL_STATE_OVER_LIMIT)
            g->busy = 0;
    }
}

void pl_regions_try_busy_again(struct pl_regions *r)
{
    static const int64_t waits_ms[] = { 0, 1, 4 };

    for (size_t k = 0; k < sizeof waits_ms / sizeof *waits_ms; k++) {
        struct timespec wait = { 0, (long)(waits_ms[k] * NS_PER_MS) };

        if (!is_anybody_busy(r) ||
            pl_regions_clock() + waits_ms[k] * NS_PER_MS >= r->end_ns)
            break;
        if (wait.tv_nsec) {
            r->machine->system_calls++;
            nanosleep(&wait, NULL);
        }
        try_again(r);
    }
    count_busy(r);
}

/* ---- the block ---------------------------------------------------------- */

static bool is_in_block(const struct pl_region *g)
{
    return g->table && !g->table->displaced &&
           (g->state == PL_STATE_LIVE || g->state == PL_STATE_BUSY ||
            g->state == PL_STATE_FINAL);
}

/* Trusted regions are limited when the block is written. */
static bool is_affordable(struct pl_regions *r, struct pl_region *g,
                          enum pl_limit *limit)
{
    struct pl_publisher *p = g->publisher;
    struct pl_published_weight w;

    if (!p->untrusted)
        return true;
    w = pl_published_weigh(g, g->shown + 1 != r->pass);
    *limit = PL_SHARE_BLOCK;
    if (!pl_publisher_take(&r->publishers, p, PL_SHARE_BLOCK, w.block))
        return false;
    *limit = PL_LIMIT_LOG;
    return pl_publisher_pay(&r->publishers, p, w.log);
}

/* Rows of the object Perflog Provider are paid for, too: anybody can make many
 * files that come and go. */
static bool is_row_affordable(struct pl_regions *r, const struct pl_region *g)
{
    bool was_there = g->listed + 1 == r->pass;

    return pl_publisher_pay(&r->publishers, g->publisher,
                            was_there ? ROW_CHANGE
                                      : ROW_BYTES + 2 * strlen(g->label));
}

/* An ended region is removed all the same. */
static void refuse(struct pl_regions *r, struct pl_region *g,
                   enum pl_limit limit)
{
    enum pl_region_state state = g->state;

    pl_region_leave_out(&r->publishers, g, limit);
    if (state == PL_STATE_FINAL)
        g->state = state;
}

void pl_regions_admit(struct pl_regions *r)
{
    for (size_t i = 0; i < r->num; i++) {
        struct pl_region *g = r->regions[i];
        bool in_block = is_in_block(g);
        enum pl_limit limit = PL_LIMIT_LOG;

        if (g->state == PL_STATE_HIDDEN)
            continue;
        if (is_row_affordable(r, g))
            g->listed = r->pass;
        if (!in_block)
            continue;
        if (g->listed == r->pass && is_affordable(r, g, &limit))
            g->shown = r->pass;
        else
            refuse(r, g, limit);
    }
}
