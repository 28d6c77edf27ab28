/* Adds up the losses between two good samples. */
#include "analyze/inspect/damage_summary.h"

/* SESS and TITL come before a session's first sample. */
enum { RECORDS_BEFORE_SAMPLES = 2 };

/* The samples that a header promises. */
static uint32_t samples_of(const struct pl_record *r)
{
    return r->type == PL_PACK ? r->ref : r->type == PL_SMPL;
}

/* Add bytes that cannot be used, or missing records. */
static struct pl_damage *widen(struct pl_damage_summary *l,
                               const struct pl_item *item)
{
    struct pl_damage *loss = &l->now;

    if (!l->open) {
        *loss = (struct pl_damage){ .at = item->at,
                                    .has_from = l->has_last,
                                    .from_ns = l->last_utc_ns,
                                    .from_boot_ns = l->last_boot_ns };
        l->open = true;
    }
    return loss;
}

/* The end of the previous session is lost, and its length is not known. */
static void lose_end(struct pl_damage_summary *l)
{
    l->now.at_least |= l->torn;
    l->now.missing += l->headers;
}

/*
 * The first record read of a session.  With damage before it, the records with
 * lower numbers were among the damaged bytes, unless these are too few.
 */
static void cross(struct pl_damage_summary *l, const struct pl_record *r)
{
    struct pl_damage *loss = &l->now;

    if (l->open) {
        if (l->session)
            lose_end(l);
        loss->crossed = loss->has_from;
        if (r->seq <= loss->damaged_bytes / PL_RECORD_LEN &&
            r->seq > RECORDS_BEFORE_SAMPLES)
            loss->missing += r->seq - RECORDS_BEFORE_SAMPLES;
    }
    l->session = r->session;
}

/* The time from the sample before to the one after, if it is known. */
static bool find_length(const struct pl_damage *loss, uint64_t *ns)
{
    /* Logs of other formats may have no clock that does not step. */
    bool has_boot = loss->from_boot_ns || loss->to_boot_ns;
    int64_t from = has_boot ? loss->from_boot_ns : loss->from_ns;
    int64_t to = has_boot ? loss->to_boot_ns : loss->to_ns;

    *ns = (uint64_t)to - (uint64_t)from;
    return loss->has_from && loss->has_to && !loss->crossed && to >= from;
}

/* How many of the missing records can have been samples. */
static void count_records(const struct pl_damage_summary *l,
                          struct pl_damage *loss, uint64_t interval_ns)
{
    uint64_t length, intervals, most;

    loss->samples = loss->missing + loss->unreachable + loss->too_new +
                    loss->not_here + loss->rows;
    loss->ns = loss->samples * interval_ns;
    if (!find_length(loss, &length))
        return;
    loss->ns = length;
    if (!interval_ns)
        return;
    intervals = length / interval_ns; /* rounded to the nearest number */
    intervals += length % interval_ns >= interval_ns - interval_ns / 2;
    loss->ns = intervals * interval_ns;
    most = intervals > l->reported ? intervals - l->reported : 0;
    if (loss->samples >= most) /* n samples lie between n + 1 intervals */
        loss->samples = most ? most - 1 : 0;
}

static void count_samples(const struct pl_damage_summary *l,
                          struct pl_damage *loss, uint64_t interval_ns)
{
    count_records(l, loss, interval_ns);
    if (!loss->samples && !loss->at_least)
        loss->ns = 0;
}

static bool end_at_sample(struct pl_damage_summary *l,
                          const struct pl_record *r, uint64_t interval_ns,
                          struct pl_damage *out)
{
    bool ended = l->open;

    if (ended) {
        *out = l->now;
        out->has_to = true;
        out->to_ns = r->utc_ns;
        out->to_boot_ns = r->boot_ns;
        count_samples(l, out, interval_ns);
    }
    l->open = false;
    l->has_last = true;
    l->last_utc_ns = r->utc_ns;
    l->last_boot_ns = r->boot_ns;
    l->reported = 0;
    return ended;
}

bool pl_damage_summary_take(struct pl_damage_summary *l,
                            const struct pl_item *item, uint64_t interval_ns,
                            struct pl_damage *out)
{
    const struct pl_record *r = &item->record;
    struct pl_damage *loss;

    if (r->session && item->kind != PL_ITEM_DAMAGED) {
        if (r->session != l->session)
            cross(l, r);
        l->headers = 0; /* missing records show as a gap in the numbers */
        l->torn = false;
    }
    switch (item->kind) {
    case PL_ITEM_SAMPLE:
        return end_at_sample(l, r, interval_ns, out);
    case PL_ITEM_GAPS:
        if (item->gaps.cause != PL_GAP_SYNC_FAILED)
            l->reported += item->gaps.count;
        break;
    case PL_ITEM_HOLE:
        loss = widen(l, item);
        if (item->between_files)
            loss->not_here += item->count;
        else
            loss->missing += item->count;
        break;
    case PL_ITEM_DAMAGED:
        loss = widen(l, item);
        loss->damaged = true;
        loss->damaged_bytes += item->len;
        loss->rows += item->count;
        l->headers += samples_of(r);
        l->torn = true;
        break;
    case PL_ITEM_UNREACHABLE:
        loss = widen(l, item);
        loss->damaged = true;
        loss->unreachable++;
        break;
    case PL_ITEM_TOO_NEW:
        loss = widen(l, item);
        loss->damaged = true;
        loss->too_new += r->type == PL_SMPL;
        loss->at_least |= r->type != PL_SMPL; /* its session cannot be read */
        break;
    default:
        break;
    }
    return false;
}

bool pl_damage_summary_end(struct pl_damage_summary *l, uint64_t interval_ns,
                           struct pl_damage *out)
{
    if (!l->open)
        return false;
    lose_end(l);
    *out = l->now;
    count_samples(l, out, interval_ns);
    l->open = false;
    return true;
}
