/* The regions that applications publish: what becomes of them in a sample. */
#include "logger/linux/published/regions.h"

#include "format/base/utf.h"
#include "logger/linux/published/region_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    BUDGET = 10,          /* part of the interval */
    SETS_PER_WEIGHT = 64, /* which are as much work as a region without */
    LIST_AGAIN_S = 10,
    MAX_TOLD = 8, /* changes of one region */
};
#define NS_PER_MS INT64_C(1000000)
#define DEFAULT_BUDGET_NS (100 * NS_PER_MS)

/* ---- regions that are known ------------------------------------------------------*/

/* NONE: the file is as long as it was, and has no holes. */
static enum pl_region_reason check_size(struct pl_regions *r,
                                        const struct pl_region *g)
{
    struct stat st;

    r->machine->system_calls++;
    if (fstat(g->fd, &st) || (uint64_t)st.st_size < g->size)
        return PL_REASON_TRUNCATED;
    if ((uint64_t)st.st_size != g->size)
        return PL_REASON_SIZE;
    return (uint64_t)st.st_blocks * 512 < g->size ? PL_REASON_SPARSE
                                                  : PL_REASON_NONE;
}

static void leave_out(struct pl_region *g)
{
    for (size_t i = 0; i < g->image.num_sets; i++)
        g->image.copies[i].copied = PL_COPIED_NONE;
    g->state = PL_STATE_OVER_LIMIT;
    g->reason = PL_REASON_LIMIT;
}

/* Copy what a valid region has; whether it lives is asked before that. */
static void copy_region(struct pl_regions *r, struct pl_region *g)
{
    enum pl_region_reason reason = PL_REASON_NONE;
    bool held = true;

    if (!pl_region_is_settled(r, g)) {
        held = pl_region_is_held(r, g->fd);
        reason = check_size(r, g);
        g->settled = held && !reason && g->watch >= 0;
    }
    if (!reason)
        reason = pl_region_copy_values(g, &r->tables, r->deadline_ns);
    if (reason == PL_REASON_LIMIT) {
        leave_out(g);
        return;
    }
    if (reason && reason != PL_REASON_BUSY) {
        pl_region_set_state(r, g, PL_STATE_INVALID, reason);
        return;
    }
    g->state = PL_STATE_LIVE;
    if (reason)
        g->state = PL_STATE_BUSY;
    g->reason = reason;
    if (!held || g->image.closed) {
        g->state = PL_STATE_FINAL;
        g->reason = PL_REASON_NONE;
    }
}

/* Groups that had not ended are given two more chances. */
static void try_busy_again(struct pl_regions *r)
{
    static const int64_t waits_ms[] = { 0, 1, 4 };

    for (size_t k = 0; k < sizeof waits_ms / sizeof *waits_ms; k++) {
        struct timespec wait = { 0, (long)(waits_ms[k] * NS_PER_MS) };
        bool busy = false;

        for (size_t i = 0; i < r->num; i++)
            busy = busy || r->regions[i]->state == PL_STATE_BUSY;
        if (!busy ||
            pl_regions_clock() + waits_ms[k] * NS_PER_MS >= r->deadline_ns)
            return;
        if (wait.tv_nsec) {
            r->machine->system_calls++;
            nanosleep(&wait, NULL);
        }
        for (size_t i = 0; i < r->num && !pl_regions_are_late(r); i++)
            if (r->regions[i]->state == PL_STATE_BUSY)
                copy_region(r, r->regions[i]);
    }
}

/* Those whose last values were in a sample are let go. */
static void drop_finished(struct pl_regions *r)
{
    size_t kept = 0;

    memset(r->by_inode, 0, sizeof r->by_inode);
    for (size_t i = 0; i < r->num; i++) {
        struct pl_region *g = r->regions[i];

        if (g->state == PL_STATE_FINAL) {
            g->last = pl_region_sweep(r, g);
            pl_region_set_state(r, g, PL_STATE_HIDDEN, PL_REASON_NONE);
        }
        /* What was over a limit may find a place now. */
        if (g->last || (g->state == PL_STATE_OVER_LIMIT && !g->table &&
                        pl_regions_is_turn_of(r, g))) {
            if (!g->last)
                pl_regions_unsettle(&r->folders[g->dir]);
            pl_region_free(r, g);
            continue;
        }
        r->regions[kept++] = g;
        g->next = *pl_regions_list_of(r, g->inode);
        *pl_regions_list_of(r, g->inode) = g;
    }
    r->num = kept;
}

/* ---- a sample --------------------------------------------------------------------*/

/* Looks at the clock now and then, as that is as much work as a small region. */
static bool has_time_for(struct pl_regions *r, const struct pl_region *g)
{
    r->weight += 1 + g->image.num_sets / SETS_PER_WEIGHT;
    if (r->weight >= CLOCK_STRIDE && !r->late) {
        r->late = pl_regions_are_late(r);
        r->weight = 0;
    }
    return !r->late;
}

/* Those that there is no time for have their turn first in the next sample. */
static void look_at_all(struct pl_regions *r)
{
    size_t first = r->num ? r->first % r->num : 0;

    for (size_t n = 0; n < r->num; n++) {
        size_t i = (first + n) % r->num;
        struct pl_region *g = r->regions[i];
        bool was_late = r->late;

        if (!has_time_for(r, g)) {
            if (!was_late)
                r->first = i;
            if (g->table)
                leave_out(g);
        } else if (pl_region_is_half_made(g)) {
            pl_region_look_at_half_made(r, g);
        } else if (!g->table) {
            pl_region_look_at_file(r, g);
        } else {
            copy_region(r, g);
        }
    }
}

/* Regions that were met just now are copied, too. */
static enum pl_status look_for_more(struct pl_regions *r)
{
    enum pl_status s = PL_OK;

    if (pl_regions_clock() - r->listed_ns > LIST_AGAIN_S * INT64_C(1000000000))
        pl_regions_look_for_folders(r);
    for (unsigned d = 0; d < r->num_folders && !s && !pl_regions_are_late(r);
         d++)
        if (r->folders[d].fd >= 0 && !r->folders[d].settled)
            s = pl_regions_list_folder(r, d);
    for (size_t i = 0; i < r->num && !s; i++) {
        struct pl_region *g = r->regions[i];

        if (g->table && !g->met) {
            g->met = true;
            if (has_time_for(r, g))
                copy_region(r, g);
            else
                leave_out(g);
        }
    }
    return s;
}

/* Chain those of one table, and number those that are shown. */
static void chain(struct pl_regions *r)
{
    uint32_t position = 0;

    for (struct pl_published *t = r->tables.first; t; t = t->next)
        t->first = NULL;
    for (size_t i = r->num; i-- > 0;) {
        struct pl_region *g = r->regions[i];

        if (g->table) {
            g->same = g->table->first;
            g->table->first = g;
        }
    }
    for (size_t i = 0; i < r->num; i++) {
        r->regions[i]->loose += r->regions[i]->image.busy;
        if (r->regions[i]->state != PL_STATE_HIDDEN)
            r->regions[i]->position = position++;
    }
    pl_published_settle(&r->tables);
}

enum pl_status pl_regions_scan(struct pl_regions *r)
{
    enum pl_status s;

    r->pass++;
    r->deadline_ns = pl_regions_clock() + r->budget_ns;
    r->late = false;
    r->weight = 0;
    pl_regions_hear(r);
    drop_finished(r);
    look_at_all(r);
    s = look_for_more(r);
    try_busy_again(r);
    chain(r);
    return s;
}

size_t pl_regions_num(const struct pl_regions *r)
{
    return r->num;
}

struct pl_region *pl_regions_at(const struct pl_regions *r, size_t i)
{
    return r->regions[i];
}

struct pl_published_list *pl_regions_tables(struct pl_regions *r)
{
    return &r->tables;
}

/* ---- news ----------------------------------------------------------------------*/

static void put_news(const struct pl_region *g, char *text, size_t size)
{
    static const char *const states[] = {
        [PL_STATE_LIVE] = "recorded",
        [PL_STATE_FINAL] = "recorded for the last time",
        [PL_STATE_INVALID] = "not believed",
        [PL_STATE_DUPLICATE] = "another process is shown in its place",
        [PL_STATE_OVER_LIMIT] = "over a limit",
    };
    struct pl_buf file = { 0 };

    pl_utf8_visible(&file, g->file, strlen(g->file));
    pl_buf_u8(&file, 0);
    snprintf(
        text, size, "counters of %s, user %u: %s%s%s%s%.60s", g->called.label,
        (unsigned)g->uid, states[g->state],
        g->state == PL_STATE_INVALID ? ", " : "",
        g->state == PL_STATE_INVALID ? pl_region_reason_text(g->reason) : "",
        g->table ? "" : ": ", g->table || file.oom ? "" : (const char *)file.p);
    pl_buf_release(&file);
}

bool pl_regions_news(struct pl_regions *r, char *text, size_t size)
{
    for (size_t i = 0; i < r->num; i++) {
        struct pl_region *g = r->regions[i];
        unsigned now = 1 + (unsigned)g->state * PL_NUM_REASONS + g->reason;

        /* Busy ones come and go; counters tell of these. */
        if (g->state == PL_STATE_HIDDEN || g->state == PL_STATE_BUSY ||
            g->told == now || g->times == MAX_TOLD)
            continue;
        g->told = now;
        g->times++;
        put_news(g, text, size);
        return true;
    }
    return false;
}

/* What there is before the first sample; nothing has had its last one yet. */
static enum pl_status look_around(struct pl_regions *r)
{
    enum pl_status s = pl_regions_scan(r);

    for (size_t i = 0; i < r->num; i++)
        if (r->regions[i]->state == PL_STATE_FINAL)
            r->regions[i]->state = PL_STATE_LIVE;
    return s;
}

enum pl_status pl_regions_open(struct pl_regions **out, struct pl_machine *m,
                               const struct pl_counter_filter *choice,
                               uint64_t interval_ns, bool told)
{
    struct pl_regions *r = calloc(1, sizeof *r);

    if (!r)
        return PL_NOMEM;
    r->machine = m;
    r->watch = -1;
    r->budget_ns =
        interval_ns ? (int64_t)(interval_ns / BUDGET) : DEFAULT_BUDGET_NS;
    r->entries = malloc(ENTRIES_SIZE);
    r->regions = calloc(MAX_REGIONS, sizeof *r->regions);
    pl_published_init(&r->tables, choice);
    if (!r->entries || !r->regions) {
        pl_regions_close(r);
        return PL_NOMEM;
    }
    if (told)
        pl_regions_watch_begin(r);
    pl_regions_look_for_folders(r);
    *out = r;
    return look_around(r);
}

void pl_regions_close(struct pl_regions *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->num; i++)
        pl_region_free(r, r->regions[i]);
    for (unsigned d = 0; d < r->num_folders; d++)
        pl_regions_close_folder(&r->folders[d]);
    if (r->watch >= 0)
        close(r->watch);
    pl_published_release(&r->tables);
    free(r->regions);
    free(r->entries);
    free(r);
}
