/* The published regions: the steps of a sample, and reports of changes. */
#include "logger/linux/published/regions.h"

#include "format/base/utf.h"
#include "logger/linux/published/region_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    BUDGET = 10,             /* divides the interval */
    UNTRUSTED_BUDGET = 1000, /* likewise, for all untrusted publishers */
    MAX_FIRST_SCANS = 256,
    MAX_TOLD = 8, /* reports per region */
};
#define NS_PER_MS INT64_C(1000000)
#define DEFAULT_BUDGET_NS (100 * NS_PER_MS)
#define MOST_UNTRUSTED_NS (NS_PER_MS / 2)
#define LEAST_UNTRUSTED_NS (NS_PER_MS / 5)

/* ---- known regions ------------------------------------------------------ */

/* NONE: the file has its size, and no holes. */
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

void pl_region_leave_out(struct pl_publishers *p, struct pl_region *g,
                         enum pl_limit limit)
{
    for (size_t i = 0; i < g->image.num_sets; i++)
        g->image.copies[i].copied = PL_COPIED_NONE;
    g->state = PL_STATE_OVER_LIMIT;
    g->reason = PL_REASON_LIMIT;
    g->limit = limit;
    g->left_out++;
    pl_publisher_refuse(p, g->publisher, limit);
}

/* The caller has checked that its owner lives. */
void pl_region_copy(struct pl_regions *r, struct pl_region *g)
{
    enum pl_region_reason reason = PL_REASON_NONE;
    bool held = true;

    if (!pl_region_is_unchanged(r, g)) {
        held = pl_region_is_held(r, g->fd);
        reason = check_size(r, g);
        g->verified = held && !reason && g->watch >= 0;
    }
    if (!reason)
        reason = pl_region_copy_values(g, &r->tables, r->deadline_ns);
    if (reason == PL_REASON_LIMIT) {
        pl_region_leave_out(&r->publishers, g, PL_LIMIT_TIME);
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

/* A region over a limit may fit now, and a displaced one find a name. */
static bool is_to_be_found_again(const struct pl_regions *r,
                                 const struct pl_region *g)
{
    if (g->table)
        return g->table->displaced;
    return g->state == PL_STATE_OVER_LIMIT && pl_regions_is_turn_of(r, g);
}

/* A place of the publisher is free: a refused file may have it. */
static void look_for_refused(struct pl_regions *r, struct pl_publisher *who)
{
    for (unsigned d = 0; d < r->num_folders && who->refused; d++)
        pl_regions_relist(&r->folders[d]);
    who->refused = false;
}

static void list_region(struct pl_regions *r, struct pl_region *g)
{
    g->next = *pl_regions_list_of(r, g->inode);
    *pl_regions_list_of(r, g->inode) = g;
    g->peer = NULL;
}

/* Drop the regions whose last values were in a sample. */
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
        if (g->last || is_to_be_found_again(r, g)) {
            if (!g->last)
                pl_regions_find_again(r, g);
            look_for_refused(r, g->publisher);
            pl_region_free(r, g);
            continue;
        }
        r->regions[kept++] = g;
        list_region(r, g);
    }
    r->num = kept;
}

/* ---- a sample ----------------------------------------------------------- */

/* List folders in turn, so that a large one cannot block the others. */
static void list_folders(struct pl_regions *r)
{
    unsigned num = r->num_folders;

    for (unsigned n = 0; n < num && (!n || !pl_regions_have_searched(r)); n++) {
        unsigned d = (r->first_folder + n) % num;

        if (r->folders[d].fd >= 0 && !r->folders[d].is_listed)
            pl_regions_list_folder(r, d);
    }
    r->first_folder = num ? (r->first_folder + 1) % num : 0;
}

/* Regions first found in this sample are copied, too. */
static void look_for_more(struct pl_regions *r)
{
    /* What events have cost is no reason to list less. */
    r->work = 0;
    pl_regions_begin_search(r);
    pl_regions_look_for_folders(r);
    pl_regions_begin_search(r);
    list_folders(r);
    if (r->census.fd >= 0)
        pl_regions_take_census(r);
    for (size_t i = 0; i < r->num; i++)
        if (r->regions[i]->table && !r->regions[i]->sampled)
            pl_regions_copy_new(r, r->regions[i]);
}

/* Chain the regions of each table that are in this block, and number the rows
 * of all.  A table that has none of them puts nothing into it, headers
 * included: those are paid for, too. */
static void chain(struct pl_regions *r)
{
    uint32_t position = 0;

    for (struct pl_published *t = r->tables.first; t; t = t->next)
        t->first = NULL;
    for (size_t i = r->num; i-- > 0;) {
        struct pl_region *g = r->regions[i];

        if (g->table && g->shown == r->pass) {
            g->same = g->table->first;
            g->table->first = g;
        }
    }
    for (size_t i = 0; i < r->num; i++) {
        r->regions[i]->loose += r->regions[i]->image.busy;
        if (pl_regions_lists(r, r->regions[i]))
            r->regions[i]->position = position++;
    }
    pl_published_select_regions(&r->tables);
}

void pl_regions_scan(struct pl_regions *r)
{
    r->pass++;
    r->work = 0;
    r->unfinished = false;
    r->end_ns = pl_regions_clock() + r->budget_ns;
    pl_regions_begin_slice(r, r->budget_ns);
    pl_publishers_begin(&r->publishers, r->pass, r->tables.own_bytes);
    drop_finished(r);
    pl_regions_read_events(r);
    pl_regions_copy_all(r);
    look_for_more(r);
    pl_regions_try_busy_again(r);
    pl_regions_admit(r);
    chain(r);
}

size_t pl_regions_num(const struct pl_regions *r)
{
    return r->num;
}

struct pl_region *pl_regions_at(const struct pl_regions *r, size_t i)
{
    return r->regions[i];
}

bool pl_regions_lists(const struct pl_regions *r, const struct pl_region *g)
{
    return g->listed == r->pass;
}

bool pl_regions_have_refused(const struct pl_regions *r)
{
    for (int i = 0; i < PL_NUM_LIMITS; i++)
        if (r->publishers.refusals[i])
            return true;
    return false;
}

uint64_t pl_regions_refusals(const struct pl_regions *r, enum pl_limit limit)
{
    return r->publishers.refusals[limit];
}

struct pl_published_list *pl_regions_tables(struct pl_regions *r)
{
    return &r->tables;
}

/* ---- news --------------------------------------------------------------- */

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
    char detail[64] = "";

    if (g->state == PL_STATE_INVALID)
        snprintf(detail, sizeof detail, ", %s",
                 pl_region_reason_text(g->reason));
    if (g->state == PL_STATE_OVER_LIMIT)
        snprintf(detail, sizeof detail, " (%s)", pl_limit_name(g->limit));
    pl_utf8_visible(&file, g->file, strlen(g->file));
    pl_buf_u8(&file, 0);
    snprintf(text, size, "counters of %s, user %u: %s%s%s%.60s", g->label,
             (unsigned)g->uid, states[g->state], detail, g->table ? "" : ": ",
             g->table || file.oom ? "" : (const char *)file.p);
    pl_buf_release(&file);
}

static bool put_limit(char *text, size_t size, uid_t uid, enum pl_limit limit)
{
    snprintf(text, size,
             "user %u: over a limit (%s): some files or folders of this user "
             "are not read",
             (unsigned)uid, pl_limit_name(limit));
    return true;
}

/* Report a user whose files or folders are not read, once for each limit. */
static bool put_refusal(struct pl_regions *r, char *text, size_t size)
{
    static const unsigned files = 1u << PL_SHARE_PLACES |
                                  1u << PL_SHARE_UNVALIDATED |
                                  1u << PL_SHARE_FOLDERS;
    struct pl_publishers *p = &r->publishers;

    if (p->is_excess_to_note) {
        p->is_excess_to_note = false;
        return put_limit(text, size, p->excess, PL_LIMIT_USERS);
    }
    for (struct pl_publisher *who = p->first; who; who = who->next) {
        const unsigned news = who->exceeded & files & ~who->noted;

        if (!news || !pl_publisher_may_note(who))
            continue;
        who->noted |= news & -news;
        return put_limit(text, size, who->uid,
                         (enum pl_limit)__builtin_ctz(news));
    }
    return false;
}

/* Report a change of a region of untrusted publishers, or of the trusted
 * publisher. */
static bool put_change(struct pl_regions *r, bool untrusted,
                       enum pl_note_kind *kind, char *text, size_t size)
{
    for (size_t i = 0; i < r->num; i++) {
        struct pl_region *g = r->regions[i];
        unsigned now = 1 + (unsigned)g->state * PL_NUM_REASONS + g->reason;

        /* Busy states are not reported; counters show them. */
        if (g->publisher->untrusted != untrusted || g->noted == now ||
            g->state == PL_STATE_HIDDEN || g->state == PL_STATE_BUSY ||
            g->times == MAX_TOLD || !pl_publisher_may_note(g->publisher))
            continue;
        g->noted = now;
        g->times++;
        *kind = g->state == PL_STATE_OVER_LIMIT ? PL_NOTE_LEFT_OUT
                                                : PL_NOTE_PROVIDER;
        put_news(g, text, size);
        return true;
    }
    return false;
}

/* Changes of untrusted publishers come last, so that they hide no other report.
 */
bool pl_regions_news(struct pl_regions *r, enum pl_note_kind *kind, char *text,
                     size_t size)
{
    if (put_change(r, false, kind, text, size))
        return true;
    *kind = PL_NOTE_LEFT_OUT;
    return put_refusal(r, text, size) ||
           pl_regions_note_filler(r, text, size) ||
           put_change(r, true, kind, text, size);
}

/*
 * Find the regions that exist before the first sample, by several scans if need
 * be, as no deadline waits yet; none is dropped.
 */
static void look_around(struct pl_regions *r)
{
    unsigned n = 0;

    r->search_ns = r->budget_ns;
    do {
        pl_regions_scan(r);
        for (size_t i = 0; i < r->num; i++)
            if (r->regions[i]->state == PL_STATE_FINAL)
                r->regions[i]->state = PL_STATE_LIVE;
    } while ((r->unfinished || pl_regions_are_searching(r)) &&
             ++n < MAX_FIRST_SCANS);
    r->search_ns = r->untrusted_ns / 2;
}

enum pl_status pl_regions_open(struct pl_regions **out, struct pl_machine *m,
                               const struct pl_counter_filter *choice,
                               uint64_t interval_ns, bool use_events)
{
    struct pl_regions *r = calloc(1, sizeof *r);

    if (!r)
        return PL_NOMEM;
    r->machine = m;
    r->watch = r->census.fd = -1;
    r->budget_ns =
        interval_ns ? (int64_t)(interval_ns / BUDGET) : DEFAULT_BUDGET_NS;
    r->untrusted_ns = r->budget_ns / (UNTRUSTED_BUDGET / BUDGET);
    if (r->untrusted_ns > MOST_UNTRUSTED_NS)
        r->untrusted_ns = MOST_UNTRUSTED_NS;
    if (r->untrusted_ns < LEAST_UNTRUSTED_NS)
        r->untrusted_ns = LEAST_UNTRUSTED_NS;
    pl_publishers_init(&r->publishers);
    r->entries = malloc(ENTRIES_SIZE);
    r->regions = calloc(MAX_REGIONS, sizeof *r->regions);
    pl_published_init(&r->tables, choice, &r->publishers);
    if (!r->entries || !r->regions) {
        pl_regions_close(r);
        return PL_NOMEM;
    }
    if (use_events)
        pl_regions_watch_begin(r);
    r->listed_ns = INT64_MIN / 2;
    *out = r;
    look_around(r);
    return PL_OK;
}

void pl_regions_close(struct pl_regions *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->num; i++)
        pl_region_free(r, r->regions[i]);
    for (unsigned d = 0; d < r->num_folders; d++)
        pl_regions_close_folder(r, &r->folders[d]);
    if (r->watch >= 0)
        close(r->watch);
    if (r->census.fd >= 0)
        close(r->census.fd);
    pl_published_release(&r->tables);
    pl_publishers_release(&r->publishers);
    free(r->regions);
    free(r->entries);
    free(r);
}
