/* One pass over a log, and what it found. */
#include "analyze/browse/events.h"

#include "format/base/array.h"
#include "format/base/file.h"
#include "format/time/time_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PIECE (15 * PL_NS_PER_MS)

enum {
    MANY_SAMPLES = 20000, /* more are not all decoded */
    MOST_VALUES = 1 << 16,
    MOST_EVENTS = 1 << 14,
};

static void add_event(struct pl_events *e, const struct pl_event *event)
{
    if (e->num == MOST_EVENTS)
        return;
    if (pl_array_grow((void **)&e->events, &e->cap, e->num, sizeof *e->events))
        e->events[e->num++] = *event;
    else
        e->failed = true;
}

/* ---- items --------------------------------------------------------------- */

static uint64_t interval_of(const struct pl_events *e)
{
    const struct pl_replay *now = e->reader.source.replay;

    return now ? pl_replay_interval(now) : 0;
}

static bool is_gap(const struct pl_events *e, int64_t to_ns)
{
    const uint64_t interval = interval_of(e);

    return e->any && interval && to_ns > e->sample_ns &&
           (uint64_t)to_ns - (uint64_t)e->sample_ns > interval * 5 / 2;
}

/* Of several things at one sample, the first in this order is reported. */
static void take_sample(struct pl_events *e, int64_t time_ns,
                        struct pl_page_place place)
{
    struct pl_event event = { .time_ns = time_ns,
                              .from_ns = e->sample_ns,
                              .place = place };
    bool any = true;

    if (e->damaged)
        event.kind = PL_EVENT_DAMAGE;
    else if (e->begins && e->any)
        event.kind = PL_EVENT_BEGINS;
    else if (is_gap(e, time_ns))
        event.kind = PL_EVENT_GAP;
    else if (e->noted)
        event.kind = PL_EVENT_NOTE;
    else
        any = false;
    if (any)
        add_event(e, &event);
    e->damaged = e->begins = e->noted = false;
    e->any = true;
    e->sample_ns = time_ns;
}

static void take_item(void *ctx, const struct pl_host_log *log,
                      const struct pl_item *item)
{
    struct pl_events *e = ctx;
    struct pl_page_place place = { 0 };

    switch (item->kind) {
    case PL_ITEM_SAMPLE:
        /* Readers of other programs' logs number their sessions themselves. */
        if (!log->foreign[0].file)
            place = (struct pl_page_place){ item->record.session,
                                            item->record.seq };
        take_sample(e, pl_row_time(item->record.utc_ns, interval_of(e)), place);
        break;
    case PL_ITEM_SESSION:
        e->begins = true;
        break;
    case PL_ITEM_DAMAGED:
    case PL_ITEM_UNREACHABLE:
        e->damaged = true;
        break;
    case PL_ITEM_NOTE:
        e->noted |= item->note.kind == PL_NOTE_TEXT ||
                    item->note.kind == PL_NOTE_CLOCK_STEP;
        break;
    default:
        break;
    }
}

/* ---- values -------------------------------------------------------------- */

static float greater(float a, float b)
{
    return isnan(a) || b > a ? b : a;
}

/* Two neighbours become one. */
static void halve(struct pl_events *e)
{
    for (size_t i = 0; i + 1 < e->num_values; i += 2) {
        struct pl_event_value v = e->values[i];

        v.time_ns = e->values[i + 1].time_ns;
        for (size_t k = 0; k < PL_PAGE_VITALS; k++)
            v.values[k] = greater(v.values[k], e->values[i + 1].values[k]);
        e->values[i / 2] = v;
    }
    e->num_values /= 2;
}

static enum pl_status add_value(struct pl_events *e)
{
    const struct pl_page_reader *r = &e->reader;
    struct pl_event_value *v;

    if (e->num_values == MOST_VALUES)
        halve(e);
    if (!pl_array_grow((void **)&e->values, &e->cap_values, e->num_values,
                       sizeof *e->values))
        return PL_NOMEM;
    v = &e->values[e->num_values++];
    v->time_ns = r->time_ns;
    v->from_ns =
        r->older_ns < r->time_ns ? r->older_ns : pl_just_before(r->time_ns);
    pl_page_vitals_of(&r->moment, v->values);
    return PL_OK;
}

/* ---- peaks --------------------------------------------------------------- */

static int by_value(const void *x, const void *y)
{
    const float a = *(const float *)x, b = *(const float *)y;

    return (a > b) - (a < b);
}

/* Runs of values from 'least' on become events at their greatest. */
static void add_peaks(struct pl_events *e, size_t vital, float least,
                      float median)
{
    const struct pl_event_value *best = NULL;

    for (size_t i = 0; i <= e->num_values; i++) {
        const struct pl_event_value *v =
            i < e->num_values ? &e->values[i] : NULL;

        if (v && v->values[vital] >= least) {
            if (!best || v->values[vital] > best->values[vital])
                best = v;
        } else if (best) {
            const struct pl_event event = { .time_ns = best->time_ns,
                                            .from_ns = best->from_ns,
                                            .kind = PL_EVENT_PEAK,
                                            .vital = vital,
                                            .value = best->values[vital],
                                            .median = median };

            add_event(e, &event);
            best = NULL;
        }
    }
}

static enum pl_status find_peaks(struct pl_events *e)
{
    float *sorted = malloc((e->num_values + 1) * sizeof *sorted);

    if (!sorted)
        return PL_NOMEM;
    for (size_t k = 0; k < PL_PAGE_VITALS; k++) {
        size_t n = 0;
        float median, least;

        for (size_t i = 0; i < e->num_values; i++)
            if (!isnan(e->values[i].values[k]))
                sorted[n++] = e->values[i].values[k];
        if (!n)
            continue;
        qsort(sorted, n, sizeof *sorted, by_value);
        median = sorted[n / 2];
        least = sorted[n - 1 - n / 50];
        least = least > median * 1.5F ? least : median * 1.5F;
        if (least < pl_page_vitals[k].least)
            least = pl_page_vitals[k].least;
        add_peaks(e, k, least, median);
    }
    free(sorted);
    return PL_OK;
}

static int by_time(const void *x, const void *y)
{
    const struct pl_event *a = x, *b = y;

    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    return a->kind != b->kind ? (a->kind > b->kind) - (a->kind < b->kind)
                              : (a->vital > b->vital) - (a->vital < b->vital);
}

static enum pl_status finish(struct pl_events *e)
{
    const struct pl_event damage = { .time_ns =
                                         (int64_t)((uint64_t)e->sample_ns + 1),
                                     .from_ns = e->sample_ns,
                                     .kind = PL_EVENT_DAMAGED_END };
    enum pl_status s = find_peaks(e);

    if (e->damaged && e->any && e->sample_ns < INT64_MAX)
        add_event(e, &damage);
    if (e->num)
        qsort(e->events, e->num, sizeof *e->events, by_time);
    free(e->values);
    e->values = NULL;
    e->num_values = e->cap_values = 0;
    pl_page_reader_close(&e->reader);
    e->done = true;
    return e->failed ? PL_NOMEM : s;
}

/* ---- the pass ------------------------------------------------------------ */

enum pl_status pl_events_open(struct pl_events *e,
                              const struct pl_host_log *log, uint64_t max_block,
                              int64_t first_ns, int64_t last_ns,
                              uint64_t samples)
{
    enum pl_status s;

    *e = (struct pl_events){ .first_ns = first_ns, .last_ns = last_ns };
    s = pl_page_reader_open(&e->reader, log, NULL, max_block);
    if (s)
        return s;
    e->reader.key_rows = samples > MANY_SAMPLES;
    e->reader.watch = take_item;
    e->reader.watch_ctx = e;
    e->is_open = true;
    return PL_OK;
}

void pl_events_close(struct pl_events *e)
{
    if (e->is_open)
        pl_page_reader_close(&e->reader);
    free(e->events);
    free(e->values);
    *e = (struct pl_events){ 0 };
}

enum pl_status pl_events_read(struct pl_events *e)
{
    const int64_t end = pl_clock_steady() + PIECE;
    enum pl_status s = PL_OK;

    while (!s && !e->done && pl_clock_steady() < end) {
        s = pl_page_reader_next(&e->reader);
        if (!s)
            s = add_value(e);
        else if (s == PL_END)
            s = finish(e);
    }
    return s;
}

int pl_events_percent(const struct pl_events *e)
{
    const double all = (double)e->last_ns - (double)e->first_ns;
    const double done = (double)e->reader.time_ns - (double)e->first_ns;

    if (e->done || !e->reader.there)
        return e->done ? 100 : 0;
    return all > 0 && done > 0 ? done < all ? (int)(100 * done / all) : 99 : 0;
}

const struct pl_event *pl_events_find(const struct pl_events *e,
                                      int64_t time_ns, int direction)
{
    const struct pl_event *found = NULL;

    for (size_t i = 0; i < e->num; i++) {
        const struct pl_event *one = &e->events[i];

        if (direction > 0 && one->time_ns > time_ns)
            return one;
        if (direction < 0 && one->time_ns < time_ns)
            found = one;
    }
    return found;
}
