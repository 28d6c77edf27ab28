/* Series that live, and what waits to be delivered. */
#include "analyze/push/outbox.h"

#include "analyze/push/write_request.h"
#include "format/base/array.h"
#include "format/base/utf.h"

#include <stdlib.h>
#include <string.h>

/*
 * A request of so many bytes ends with its host.  A host's rows are divided only
 * where they need far more, as a receiver that is asked again takes the rest of
 * a divided row only together with what it has.
 */
enum { FULL_REQUEST = 4 << 20, MOST_REQUEST = 16 << 20 };

#define ANY_TIME INT64_MIN

struct pl_waiting_sample {
    int64_t ms;
    uint64_t bits;
    uint32_t next; /* of the same series, from 1; 0: none */
};

struct pl_live_series {
    const struct pl_group *group; /* NULL: not in use */
    uint32_t slot;
    uint32_t next_unused; /* as pl_live_host.unused */
    uint8_t *labels;      /* as in a request */
    size_t num_labels;    /* bytes */
    uint64_t row;         /* the last one with a value */
    bool ended;
    uint32_t first, last; /* of its waiting samples, from 1; 0: none */
};

/* ---- labels ---------------------------------------------------------------- */

/* Names of logs may hold anything; receivers take UTF-8. */
static void put_label(struct pl_outbox *b, const char *name, const char *value)
{
    size_t left = strlen(value), n;

    pl_buf_clear(&b->label);
    for (; left; value += n, left -= n)
        pl_utf8_put(&b->label,
                    pl_utf8_decode((const uint8_t *)value, left, &n));
    pl_buf_u8(&b->label, 0);
    if (!b->label.oom)
        pl_write_label(&b->of_series, name, (const char *)b->label.p);
}

static enum pl_status label(struct pl_outbox *b, struct pl_live_series *s)
{
    const struct pl_group *g = s->group;
    const char *name = pl_metric_name(&b->names, g->object, s->slot);

    pl_buf_clear(&b->of_series);
    if (!name)
        return PL_NOMEM;
    put_label(b, "__name__", name);
    put_label(b, "host", g->host->name);
    if (g->instance && *g->instance)
        put_label(b, "instance", g->instance);
    if (b->of_series.oom || b->label.oom)
        return PL_NOMEM;
    s->num_labels = b->of_series.len;
    s->labels = malloc(s->num_labels);
    if (!s->labels)
        return PL_NOMEM;
    memcpy(s->labels, b->of_series.p, s->num_labels);
    return PL_OK;
}

/* ---- series ---------------------------------------------------------------- */

static struct pl_live_series *unused_series(struct pl_live_host *h)
{
    struct pl_live_series *s;

    if (h->unused) {
        s = &h->series[h->unused - 1];
        h->unused = s->next_unused;
    } else {
        if (h->num >= UINT32_MAX - 1 ||
            !pl_array_grow((void **)&h->series, &h->cap, h->num,
                           sizeof *h->series))
            return NULL;
        s = &h->series[h->num++];
    }
    *s = (struct pl_live_series){ 0 };
    return s;
}

static void forget_series(struct pl_live_host *h, struct pl_live_series *s)
{
    free(s->labels);
    *s = (struct pl_live_series){ .next_unused = h->unused };
    h->unused = (uint32_t)(s - h->series) + 1;
}

/*
 * The series of a cell; its place is noted where a wide layout has its columns.
 * A group that the registry has forgotten may have left its address to another.
 */
static struct pl_live_series *series_of(struct pl_outbox *b,
                                        struct pl_live_host *h,
                                        const struct pl_cell_at *cell)
{
    struct pl_series *known = &cell->group->series[cell->slot];
    struct pl_live_series *s;

    if (known->column < h->num) {
        s = &h->series[known->column];
        if (s->group == cell->group && s->slot == cell->slot && !s->ended)
            return s;
    }
    s = unused_series(h);
    if (!s)
        return NULL;
    s->group = cell->group;
    s->slot = cell->slot;
    known->column = (uint32_t)(s - h->series);
    if (!label(b, s)) {
        if (b->forecast && pl_forecast_series(b->forecast, cell->group->object,
                                              s->labels, s->num_labels))
            return NULL;
        return s;
    }
    forget_series(h, s);
    return NULL;
}

/* ---- samples --------------------------------------------------------------- */

static bool has_room(struct pl_outbox *b, struct pl_live_host *h)
{
    return b->num_samples < UINT32_MAX - 1 &&
           pl_array_grow((void **)&b->samples, &b->cap_samples, b->num_samples,
                         sizeof *b->samples) &&
           pl_array_grow((void **)&h->waiting, &h->cap_waiting, h->num_waiting,
                         sizeof *h->waiting);
}

static enum pl_status put_sample(struct pl_outbox *b, struct pl_live_host *h,
                                 struct pl_live_series *s, uint64_t bits,
                                 int64_t ms)
{
    struct pl_waiting_sample *at;

    if (b->forecast) {
        pl_forecast_sample(b->forecast, s->group->object);
        return PL_OK;
    }
    if (b->muted)
        return PL_OK;
    if (!has_room(b, h))
        return PL_NOMEM;
    if (!b->num_samples || ms > b->last_ms)
        b->last_ms = ms;
    at = &b->samples[b->num_samples++];
    *at = (struct pl_waiting_sample){ ms, bits, 0 };
    if (s->last) {
        b->samples[s->last - 1].next = (uint32_t)b->num_samples;
    } else {
        s->first = (uint32_t)b->num_samples;
        h->waiting[h->num_waiting++] = (uint32_t)(s - h->series);
    }
    s->last = (uint32_t)b->num_samples;
    return PL_OK;
}

static uint64_t bits_of(const struct pl_value *v)
{
    double number =
        v->kind == PL_VALUE_INTEGER ? (double)v->integer : v->number;
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

enum pl_status pl_outbox_value(struct pl_outbox *b, struct pl_live_host *h,
                               const struct pl_cell_at *cell, int64_t ms)
{
    const struct pl_value *v = &cell->value;
    struct pl_live_series *s;

    if (!pl_cell_has_value(v->cell) || !cell->group->series ||
        (v->kind != PL_VALUE_INTEGER && v->kind != PL_VALUE_DOUBLE))
        return PL_OK;
    s = series_of(b, h, cell);
    if (!s)
        return PL_NOMEM;
    s->row = h->row;
    return put_sample(b, h, s, bits_of(v), ms);
}

/* Its labels are kept as long as samples of it wait. */
static enum pl_status end_series(struct pl_outbox *b, struct pl_live_host *h,
                                 struct pl_live_series *s, int64_t ms)
{
    enum pl_status status;

    if (b->forecast) {
        pl_forecast_end(b->forecast, s->group->object);
        forget_series(h, s);
        return PL_OK;
    }
    status = put_sample(b, h, s, PL_STALE_BITS, ms);
    s->ended = true;
    if (!s->first)
        forget_series(h, s);
    return status;
}

static enum pl_status end_those(struct pl_outbox *b, struct pl_live_host *h,
                                int64_t ms, bool all)
{
    enum pl_status status = PL_OK;

    for (size_t i = 0; i < h->num && !status; i++) {
        struct pl_live_series *s = &h->series[i];

        if (s->group && !s->ended && (all || s->row != h->row))
            status = end_series(b, h, s, ms);
    }
    return status;
}

enum pl_status pl_outbox_end_row(struct pl_outbox *b, struct pl_live_host *h,
                                 int64_t ms)
{
    return end_those(b, h, ms, false);
}

enum pl_status pl_outbox_end_all(struct pl_outbox *b, struct pl_live_host *h,
                                 int64_t ms)
{
    return end_those(b, h, ms, true);
}

/* ---- requests -------------------------------------------------------------- */

/* A place among the series that wait of all hosts. */
struct place {
    size_t host, waiting;
};

/* Returns the number of samples put into the request. */
static uint64_t put_series(struct pl_outbox *b, const struct pl_live_series *s,
                           int64_t only_ms)
{
    uint64_t num = 0;

    pl_buf_clear(&b->of_series);
    for (uint32_t i = s->first; i; i = b->samples[i - 1].next) {
        const struct pl_waiting_sample *w = &b->samples[i - 1];

        if (only_ms != ANY_TIME && w->ms != only_ms)
            continue;
        pl_write_sample(&b->of_series, w->bits, w->ms);
        num++;
    }
    if (num)
        pl_write_series(&b->request, s->labels, s->num_labels, &b->of_series);
    return num;
}

struct batch {
    struct pl_outbox *b;
    struct pl_live_host *hosts;
    size_t num_hosts;
    struct pl_delivery *d;
};

static bool is_full(const struct pl_outbox *b, const struct place *at)
{
    return b->request.len >= (at->waiting ? MOST_REQUEST : FULL_REQUEST);
}

/* Fill a request from *at on, and move *at behind what is in it. */
static uint64_t fill(const struct batch *t, struct place *at,
                     const struct place *end, int64_t only_ms)
{
    uint64_t num = 0;

    pl_buf_clear(&t->b->request);
    for (; at->host < t->num_hosts; at->host++, at->waiting = 0) {
        const struct pl_live_host *h = &t->hosts[at->host];

        for (;; at->waiting++) {
            if (at->host == end->host && at->waiting == end->waiting)
                return num;
            if (at->waiting >= h->num_waiting)
                break;
            if (is_full(t->b, at))
                return num;
            num +=
                put_series(t->b, &h->series[h->waiting[at->waiting]], only_ms);
        }
    }
    return num;
}

static enum pl_status post_batch(const struct batch *t, uint64_t num,
                                 struct pl_answer *answer)
{
    enum pl_status s;

    if (t->b->request.oom || t->b->of_series.oom)
        return PL_NOMEM;
    s = pl_deliver(t->d, t->b->request.p, t->b->request.len, answer);
    t->b->sent += s ? 0 : num;
    if (answer->again) {
        t->b->in_doubt = true;
        t->b->doubt_ms = t->b->last_ms;
    }
    return s;
}

/*
 * What Prometheus, Mimir and Thanos say of a sample that is earlier than the
 * last one of its series: that is theirs, so the sample was sent before.
 */
static bool is_there_already(const struct pl_outbox *b,
                             const struct pl_answer *answer, int64_t ms)
{
    return b->in_doubt && ms <= b->doubt_ms &&
           (strstr(answer->text, "out of order") ||
            strstr(answer->text, "out-of-order"));
}

static void note_refusal(struct pl_outbox *b, const struct pl_answer *answer,
                         uint64_t num, int64_t ms)
{
    if (is_there_already(b, answer, ms)) {
        b->sent += num;
        return;
    }
    if (!b->refused)
        b->refusal = *answer;
    b->refused += num;
}

static int by_time(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The times of what waits of a host, in order, each once; to be freed. */
static int64_t *times_of(const struct pl_outbox *b,
                         const struct pl_live_host *h, size_t *num)
{
    int64_t *times = malloc((b->num_samples + 1) * sizeof *times);
    size_t n = 0, all = 0;

    if (!times)
        return NULL;
    for (size_t i = 0; i < h->num_waiting; i++)
        for (uint32_t k = h->series[h->waiting[i]].first; k;
             k = b->samples[k - 1].next)
            times[all++] = b->samples[k - 1].ms;
    qsort(times, all, sizeof *times, by_time);
    for (size_t i = 0; i < all; i++)
        if (!n || times[i] != times[n - 1])
            times[n++] = times[i];
    *num = n;
    return times;
}

/* The host's series in [from, to) again, each row in a request of its own. */
static enum pl_status post_rows(const struct batch *t, const struct place *from,
                                const struct place *to)
{
    size_t num_times = 0;
    int64_t *times = times_of(t->b, &t->hosts[from->host], &num_times);
    enum pl_status s = times ? PL_OK : PL_NOMEM;

    for (size_t i = 0; i < num_times && !s; i++) {
        struct place at = *from;
        struct pl_answer answer;
        uint64_t num = fill(t, &at, to, times[i]);

        if (!num)
            continue;
        s = post_batch(t, num, &answer);
        if (s == PL_CORRUPT) {
            note_refusal(t->b, &answer, num, times[i]);
            s = PL_OK;
        }
    }
    free(times);
    return s;
}

/* The same of all hosts, as of one a row may be there that another lacks. */
static enum pl_status post_by_row(const struct batch *t,
                                  const struct place *from,
                                  const struct place *to)
{
    struct place at = *from;
    enum pl_status s = PL_OK;

    for (; at.host < to->host && !s; at = (struct place){ at.host + 1, 0 }) {
        const struct place next = { at.host + 1, 0 };

        s = post_rows(t, &at, &next);
    }
    return s || !to->waiting ? s : post_rows(t, &at, to);
}

/* What was delivered waits no longer. */
static void empty(struct batch *t)
{
    for (size_t i = 0; i < t->num_hosts; i++) {
        struct pl_live_host *h = &t->hosts[i];

        for (size_t k = 0; k < h->num_waiting; k++) {
            struct pl_live_series *s = &h->series[h->waiting[k]];

            s->first = s->last = 0;
            if (s->ended)
                forget_series(h, s);
        }
        h->num_waiting = 0;
    }
    t->b->num_samples = 0;
}

enum pl_status pl_outbox_deliver(struct pl_outbox *b,
                                 struct pl_live_host *hosts, size_t num_hosts,
                                 struct pl_delivery *d)
{
    struct batch t = { b, hosts, num_hosts, d };
    const struct place end = { num_hosts, 0 };
    struct place at = { 0 };
    enum pl_status s = PL_OK;

    while (!s && at.host < num_hosts) {
        struct place from = at;
        struct pl_answer answer;
        uint64_t num = fill(&t, &at, &end, ANY_TIME);

        if (!num)
            continue;
        s = post_batch(&t, num, &answer);
        if (s == PL_CORRUPT)
            s = post_by_row(&t, &from, &at);
    }
    if (s)
        return s;
    empty(&t);
    if (b->in_doubt && b->doubt_ms <= b->last_ms)
        b->in_doubt = false; /* all of it has been answered */
    return PL_OK;
}

/* ---- the end --------------------------------------------------------------- */

void pl_live_host_release(struct pl_live_host *h)
{
    for (size_t i = 0; i < h->num; i++)
        free(h->series[i].labels);
    free(h->series);
    free(h->waiting);
    *h = (struct pl_live_host){ 0 };
}

void pl_outbox_release(struct pl_outbox *b)
{
    pl_metric_names_release(&b->names);
    free(b->samples);
    pl_buf_release(&b->request);
    pl_buf_release(&b->of_series);
    pl_buf_release(&b->label);
    *b = (struct pl_outbox){ 0 };
}
