/* Separates a process' own I/O from that of its children. */
#include "logger/linux/processes/own_io.h"

#include <string.h>

static bool is_same(const struct pl_own_io *o, const struct pl_io_owner *who)
{
    return o->is_known && o->started == who->started;
}

bool pl_own_io_has_new_ends(const struct pl_own_io *o, uint64_t num_ended)
{
    return num_ended != o->num_ended;
}

static bool has_reaped(const struct pl_own_io *o, const struct pl_io_owner *who)
{
    return !is_same(o, who) || who->reaps_unseen ||
           o->child_faults != who->child_faults;
}

/* Whether what is inherited must be separated from what is its own. */
static bool must_split(const struct pl_own_io *o, const struct pl_io_owner *who)
{
    return has_reaped(o, who) ||
           (o->is_new_split && pl_own_io_has_new_ends(o, who->num_ended));
}

/* True if it inherited nothing: the kernel's sum is its own then. */
static bool is_all_its_own(const struct pl_io_owner *who)
{
    return !who->child_faults && !who->reaps_unseen &&
           (!who->ended || who->is_seen_from_start);
}

unsigned pl_own_io_needs(const struct pl_own_io *o,
                         const struct pl_io_owner *who)
{
    if (!is_same(o, who) && who->has_one_thread && is_all_its_own(who))
        return PL_NEEDS_SUM;
    if (must_split(o, who))
        return PL_NEEDS_SUM | PL_NEEDS_THREADS;
    if (!who->has_one_thread)
        return PL_NEEDS_SUM;
    if (o->has_rest && !pl_own_io_has_new_ends(o, who->num_ended))
        return PL_NEEDS_THREADS;
    return PL_NEEDS_SUM | PL_NEEDS_THREADS;
}

static uint64_t above(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

bool pl_own_io_has_grown(const struct pl_own_io *o,
                         const struct pl_io_owner *who, const uint64_t *sum)
{
    bool has_grown = !is_same(o, who);

    for (int i = 0; i < PL_IO_WORDS; i++)
        has_grown |= above(sum[i], o->inherited[i]) > o->own[i];
    return has_grown;
}

/* Its own never decreases, whatever ended between two files that were read. */
static void raise_own(struct pl_own_io *o, int word, uint64_t to)
{
    if (o->own[word] < to)
        o->own[word] = to;
}

/*
 * What was reported since the last reading adds to what was reported before it.
 * Who had ended at that reading, and is in 'rest', is reported by now, but maybe
 * only since: 'rest' is no part of what the new reports add to.
 */
static void take_reports(struct pl_own_io *o, int word, const uint64_t *ended)
{
    if (ended) {
        o->reported[word] += above(ended[word], o->ended[word]);
        o->ended[word] = ended[word];
    }
    if (o->has_rest && o->reported[word] < o->rest[word])
        o->reported[word] = o->rest[word];
}

static void begin(struct pl_own_io *o, const struct pl_io_owner *who,
                  const uint64_t *sum)
{
    *o = (struct pl_own_io){ .is_known = true, .started = who->started };
    if (is_all_its_own(who))
        memcpy(o->own, sum, sizeof o->own);
}

void pl_own_io_take(struct pl_own_io *o, const struct pl_io_owner *who,
                    const uint64_t *sum, const uint64_t *threads)
{
    bool is_new = has_reaped(o, who), is_split = must_split(o, who);

    if (!is_same(o, who))
        begin(o, who, sum);
    for (int i = 0; i < PL_IO_WORDS; i++) {
        take_reports(o, i, who->ended);
        if (sum && !is_new)
            raise_own(o, i, above(sum[i], o->inherited[i]));
        if (threads)
            raise_own(o, i, threads[i] + o->reported[i]);
        if (sum && is_split)
            o->inherited[i] = above(sum[i], o->own[i]);
        if (threads)
            o->rest[i] = above(o->own[i], threads[i]);
    }
    o->has_rest = threads != NULL;
    o->is_new_split = is_new;
    o->child_faults = who->child_faults;
    o->num_ended = who->num_ended;
}
