/* Cuts rows into slices. */
#include "analyze/diagnose/slicing.h"

#include "analyze/diagnose/rules.h"
#include "format/base/array.h"
#include "format/time/time_text.h"

#include <stdlib.h>

void pl_slicings_release(struct pl_slicings *s)
{
    for (struct pl_slicing *c = s->latest, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(s->runs);
    *s = (struct pl_slicings){ 0 };
}

void pl_slicings_align(struct pl_slicings *s, int64_t earliest_ns)
{
    s->aligned = true;
    s->align_ns = earliest_ns;
}

/* How long slices ought to be. */
static uint64_t wanted_length(const struct pl_row *row)
{
    uint64_t ns = row->interval_ns;

    if (!ns || ns > (uint64_t)INT64_MAX / 1024)
        ns = (uint64_t)PL_NS_PER_SEC;
    return PL_RULE_SLICE * ns;
}

/* Slices too short leave gaps between rows, those too long hide what is brief. */
static bool is_fit(const struct pl_slicing *c, uint64_t wanted)
{
    return wanted <= (PL_EPISODE_GAP + 1) * c->chosen_ns &&
           c->chosen_ns <= PL_RULE_SLICE * wanted;
}

/*
 * The row's time is near the newest slice or after it: a clock that was set back
 * by more, or ahead by years, is not held until it is there again.
 */
static bool is_near(const struct pl_slicing *c, const struct pl_row *row)
{
    const int64_t newest = pl_slice_time(c, c->newest);

    if (row->time_ns < newest)
        return (uint64_t)newest - (uint64_t)row->time_ns <=
               PL_EPISODE_GAP * c->length_ns;
    return pl_slice_at(c, row->time_ns) < (uint64_t)c->newest + PL_SLICES_MOST;
}

/*
 * The host's latest that fits, wanted = 0: of any length, and has the row's time
 * near, row = NULL: any time.  NULL: there is none.
 */
static struct pl_slicing *find_slicing(const struct pl_slicings *s,
                                       const struct pl_host *host,
                                       uint64_t wanted,
                                       const struct pl_row *row)
{
    struct pl_slicing *c = s->latest;

    while (c && (c->host != host || (wanted && !is_fit(c, wanted)) ||
                 (row && !is_near(c, row))))
        c = c->next;
    return c;
}

static bool has_room(const struct pl_slicings *s, const struct pl_host *host)
{
    size_t num = 0;

    for (const struct pl_slicing *c = s->latest; c; c = c->next)
        num += c->host == host;
    return num < PL_SLICINGS_MOST;
}

/* Later rows are cut in another way.  NULL: no memory. */
static struct pl_slicing *add_slicing(struct pl_slicings *s,
                                      const struct pl_row *row, uint64_t length)
{
    struct pl_slicing *c = malloc(sizeof *c);

    if (!c)
        return NULL;
    *c = (struct pl_slicing){ .next = s->latest,
                              .host = row->host,
                              .begin_ns = row->time_ns,
                              .length_ns = length,
                              .chosen_ns = length };
    if (s->aligned && s->align_ns < row->time_ns)
        c->begin_ns -=
            (int64_t)(((uint64_t)row->time_ns - (uint64_t)s->align_ns) %
                      length);
    return s->latest = c;
}

/* How the row is cut.  NULL: no memory. */
static struct pl_slicing *slicing_of(struct pl_slicings *s,
                                     const struct pl_row *row)
{
    const uint64_t wanted = wanted_length(row);
    struct pl_slicing *c = s->now;

    if (c && c->host == row->host && is_fit(c, wanted) && is_near(c, row))
        return c;
    c = find_slicing(s, row->host, wanted, row);
    if (c)
        return c;
    if (has_room(s, row->host))
        return add_slicing(s, row, wanted);
    c = find_slicing(s, row->host, wanted, NULL);
    return c ? c : find_slicing(s, row->host, 0, NULL);
}

/* Whether the row goes on from the one before, which was of s->now. */
static void note_order(const struct pl_slicings *s, struct pl_slicing *c,
                       const struct pl_row *row)
{
    const struct pl_slicing *was = s->now;

    c->is_mixed = c->is_mixed || !is_near(c, row);
    c->turned_back = c->turned_back || c->is_mixed ||
                     (was && was != c && was->host == c->host &&
                      row->time_ns < pl_slice_time(was, was->newest));
}

static enum pl_status note_run(struct pl_slicings *s,
                               const struct pl_slicing *c,
                               const struct pl_row *row)
{
    const struct pl_slicing_run *last =
        s->num_runs ? &s->runs[s->num_runs - 1] : NULL;

    if (s->num_runs > PL_SLICING_RUNS_MOST ||
        (last && last->slicing == c && last->session == row->session))
        return PL_OK;
    if (!pl_array_grow((void **)&s->runs, &s->cap_runs, s->num_runs,
                       sizeof *s->runs))
        return PL_NOMEM;
    s->runs[s->num_runs++] =
        (struct pl_slicing_run){ c, row->session, row->seq };
    return PL_OK;
}

enum pl_status pl_slicings_choose(struct pl_slicings *s,
                                  const struct pl_row *row)
{
    struct pl_slicing *c = slicing_of(s, row);

    if (!c)
        return PL_NOMEM;
    note_order(s, c, row);
    s->now = c;
    return note_run(s, c, row);
}

bool pl_slicings_are_in_order(const struct pl_slicings *s,
                              const struct pl_slicing *c)
{
    for (const struct pl_slicing *o = s->latest; o; o = o->next)
        if (o->host == c->host && o->turned_back)
            return false;
    return true;
}

bool pl_slicings_have(const struct pl_slicings *s, const struct pl_slicing *c,
                      const struct pl_row *row)
{
    const struct pl_slicing *found = NULL;

    for (size_t i = 0; i < s->num_runs; i++) {
        const struct pl_slicing_run *run = &s->runs[i];

        if (run->slicing->host == c->host && run->session == row->session &&
            run->seq <= row->seq)
            found = run->slicing;
    }
    return found == c && s->num_runs <= PL_SLICING_RUNS_MOST;
}

/* ---- slices -------------------------------------------------------------- */

int64_t pl_slice_time(const struct pl_slicing *c, uint32_t slice)
{
    uint64_t offset = slice * c->length_ns;
    uint64_t left = (uint64_t)INT64_MAX - (uint64_t)c->begin_ns;

    return (int64_t)((uint64_t)c->begin_ns + (offset < left ? offset : left));
}

/*
 * Nothing was missed between the row and the one before, though slices are empty
 * there: the log has no interval, and its samples are that far apart.
 */
static bool are_far_apart(const struct pl_slicing *c, const struct pl_row *row,
                          uint64_t slice)
{
    return !row->interval_ns && row->length_ns &&
           row->length_ns / 2 <= c->pair_ns &&
           slice - c->newest > PL_EPISODE_GAP + 1;
}

void pl_slicing_enter(struct pl_slicing *c, const struct pl_row *row)
{
    const uint64_t n = pl_slice_at(c, row->time_ns);

    if (n > c->newest) {
        c->number += are_far_apart(c, row, n) ? 1 : (uint32_t)(n - c->newest);
        c->newest = (uint32_t)n;
    }
    c->pair_ns = row->length_ns;
}
