/* Reads the minutes before a sample. */
#include "analyze/browse/history.h"

#include "format/base/array.h"
#include "format/base/file.h"
#include "format/time/time_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP (30 * PL_NS_PER_SEC)
#define PIECE (15 * PL_NS_PER_MS)

enum { PARTS = 30, MOST_PARTS = 8 * PARTS * PL_SPARKS };

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int64_t back(int64_t ns, int64_t steps, int64_t step_ns)
{
    return ns < INT64_MIN + steps * step_ns ? INT64_MIN : ns - steps * step_ns;
}

void pl_history_clear(struct pl_history *h)
{
    if (h->step_ns)
        pl_page_reader_close(&h->reader);
    free(h->parts);
    *h = (struct pl_history){ 0 };
}

void pl_history_move(struct pl_history *h, const struct pl_host_log *log)
{
    if (h->reading || !h->step_ns) {
        pl_history_clear(h);
        return;
    }
    pl_page_reader_close(&h->reader);
    h->reader.log = log;
}

/* ---- parts --------------------------------------------------------------- */

static void raise(float *v, float to)
{
    if (isnan(*v) || to > *v)
        *v = to;
}

static int64_t part_begin(const struct pl_history *h, size_t i)
{
    const int64_t number = h->parts[i].number;

    return number < INT64_MIN / h->part_ns ? INT64_MIN : number * h->part_ns;
}

static enum pl_status add(struct pl_history *h, const struct pl_moment *m,
                          int64_t time_ns)
{
    const int64_t number = floor_div(time_ns, h->part_ns);
    struct pl_history_part *last = h->num ? &h->parts[h->num - 1] : NULL;
    float values[PL_PAGE_VITALS];

    pl_page_vitals_of(m, values);
    if (last && number <= last->number) { /* clocks may be set back */
        for (size_t i = 0; i < PL_PAGE_VITALS; i++)
            if (!isnan(values[i]))
                raise(&last->values[i], values[i]);
        return PL_OK;
    }
    if (h->num == MOST_PARTS) {
        h->num /= 2;
        memmove(h->parts, h->parts + h->num, h->num * sizeof *h->parts);
        h->from_ns = part_begin(h, 0);
    }
    if (!pl_array_grow((void **)&h->parts, &h->cap, h->num, sizeof *h->parts))
        return PL_NOMEM;
    h->parts[h->num].number = number;
    memcpy(h->parts[h->num++].values, values, sizeof values);
    return PL_OK;
}

/* ---- what must be read --------------------------------------------------- */

/* An interval of an untrusted log may be anything. */
static int64_t step_of(const struct pl_page_reader *page)
{
    const uint64_t longest = (uint64_t)PL_NS_PER_DAY;

    return page->interval_ns > (uint64_t)STEP && page->interval_ns <= longest
               ? (int64_t)page->interval_ns
               : STEP;
}

/* With as much again before it, for steps back. */
static enum pl_status begin(struct pl_history *h,
                            const struct pl_page_reader *page)
{
    const uint64_t max_block = page->max_block;
    enum pl_status s;

    pl_history_clear(h);
    s = pl_page_reader_open(&h->reader, page->log, NULL, max_block);
    if (s)
        return s;
    h->step_ns = step_of(page);
    h->part_ns = h->step_ns / PARTS;
    h->from_ns = back(page->time_ns, (int64_t)2 * PL_SPARKS, h->step_ns);
    h->to_ns = h->from_ns;
    h->wanted_ns = page->time_ns;
    h->reading = true;
    return PL_OK;
}

enum pl_status pl_history_show(struct pl_history *h,
                               const struct pl_page_reader *page, bool next)
{
    const int64_t now = page->time_ns;

    if (h->step_ns == step_of(page) && h->reader.log == page->log) {
        const bool begins = h->from_ns <= back(now, PL_SPARKS, h->step_ns);

        if (begins && now <= (h->reading ? h->wanted_ns : h->to_ns))
            return PL_OK;
        if (begins && next && !h->reading) {
            h->to_ns = now;
            return add(h, &page->moment, now);
        }
    }
    return begin(h, page);
}

/* ---- reading ------------------------------------------------------------- */

static enum pl_status read_one(struct pl_history *h)
{
    enum pl_status s = h->reader.there
                           ? pl_page_reader_next(&h->reader)
                           : pl_page_reader_at(&h->reader, h->from_ns);

    if (!s && h->reader.time_ns <= h->wanted_ns)
        return add(h, &h->reader.moment, h->reader.time_ns);
    return s ? s : PL_END;
}

/* Spark lines are not worth a message: what cannot be read is blank. */
enum pl_status pl_history_read(struct pl_history *h)
{
    const int64_t end = pl_clock_steady() + PIECE;
    enum pl_status s = PL_OK;

    while (!s && pl_clock_steady() < end)
        s = read_one(h);
    if (!s)
        return PL_OK;
    h->reading = false;
    h->to_ns = h->wanted_ns;
    return s == PL_NOMEM ? s : PL_OK;
}

void pl_history_values(const struct pl_history *h, int64_t time_ns,
                       size_t vital, size_t n, float *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = NAN;
    for (size_t i = 0; i < h->num && !h->reading; i++) {
        const int64_t at = part_begin(h, i);
        const uint64_t ago =
            ((uint64_t)time_ns - (uint64_t)at) / (uint64_t)h->step_ns;

        if (at <= time_ns && ago < n && !isnan(h->parts[i].values[vital]))
            raise(&out[n - 1 - (size_t)ago], h->parts[i].values[vital]);
    }
}
