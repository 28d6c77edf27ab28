/* Writes the columns of a pack. */
#include "format/pack/pack_encoder_state.h"

#include "format/base/array.h"

#include <stdlib.h>
#include <string.h>

/* Scratch memory for one column and for the order of all. */
struct columns {
    struct pl_pack_encoder *e;
    uint32_t *starts; /* of each series' changes, once they are sorted */
    struct pl_pack_change *sorted;
    uint32_t *birth;                         /* of each series */
    uint64_t steps[PL_PACK_MAX_RECORDS + 1]; /* between samples, in units */
    uint64_t last_scale;
    uint32_t since; /* series passed since the last one that changes */
};

/* Sort the changes by series, in each by sample. */
static enum pl_status sort_changes(struct columns *c)
{
    const struct pl_pack_encoder *e = c->e;
    size_t num = e->rows.num_series;

    c->starts = calloc(num + 1, sizeof *c->starts);
    c->sorted = malloc((e->num_changes + 1) * sizeof *c->sorted);
    if (!c->starts || !c->sorted)
        return PL_NOMEM;
    for (size_t i = 0; i < e->num_changes; i++)
        c->starts[e->changes[i].series]++;
    for (size_t i = 0, before = 0; i <= num; i++) {
        size_t here = c->starts[i];

        c->starts[i] = (uint32_t)before;
        before += here;
    }
    for (size_t i = 0; i < e->num_changes; i++)
        c->sorted[c->starts[e->changes[i].series]++] = e->changes[i];
    memmove(c->starts + 1, c->starts, num * sizeof *c->starts);
    c->starts[0] = 0;
    return PL_OK;
}

static enum pl_status find_births(struct columns *c)
{
    const struct pl_pack_rows *r = &c->e->rows;

    c->birth = malloc(((size_t)r->num_series + 1) * sizeof *c->birth);
    if (!c->birth)
        return PL_NOMEM;
    for (size_t i = 0; i < r->num; i++)
        for (uint32_t k = 0; k < r->rows[i].len; k++)
            c->birth[r->rows[i].first + k] = r->rows[i].birth;
    return PL_OK;
}

/* ---- one column ------------------------------------------------------------ */

static uint64_t magnitude(uint64_t v)
{
    return v >> 63 ? 0 - v : v;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* The unit of the changes: the largest number that divides them all. */
static uint64_t scale_of(const struct pl_pack_change *p, size_t n)
{
    uint64_t scale = magnitude(p[0].delta);

    for (size_t i = 1; i < n && scale > 1; i++)
        scale = common_divisor(magnitude(p[i].delta), scale);
    return scale;
}

static size_t cost_of_steps(const uint64_t *steps, size_t n)
{
    size_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += steps[i] ? pl_varint_len(pl_zigzag(steps[i])) : 0;
    return sum;
}

/* Put {steps that are 0, steps that are not, these} until 'n' are done. */
static uint32_t put_runs(struct columns *c, size_t n)
{
    struct pl_buf *runs = &c->e->parts[PL_PACK_RUNS];
    struct pl_buf *changes = &c->e->parts[PL_PACK_CHANGES];
    uint32_t num = 0;
    size_t at = 0;

    while (n && !c->steps[n - 1])
        n--;
    while (at < n) {
        size_t from = at, to;

        while (from < n && !c->steps[from])
            from++;
        for (to = from; to < n && c->steps[to]; to++)
            pl_buf_varint(changes, pl_zigzag(c->steps[to]) - 1);
        pl_buf_varint(runs, from - at);
        pl_buf_varint(runs, to - from);
        at = to;
        num++;
    }
    return num;
}

static void put_column(struct columns *c, uint32_t series)
{
    struct pl_pack_encoder *e = c->e;
    const struct pl_pack_change *p = c->sorted + c->starts[series];
    size_t n = c->starts[series + 1] - c->starts[series];
    size_t len = p[n - 1].sample - c->birth[series], plain;
    size_t rest = e->head.samples - 1 - c->birth[series];
    uint64_t scale = scale_of(p, n), before = 0;
    uint64_t second[PL_PACK_MAX_RECORDS + 1];
    bool bent;

    if (n < 4 && c->last_scale && scale % c->last_scale == 0)
        scale = c->last_scale;
    memset(c->steps, 0, (len + 1) * sizeof *c->steps);
    for (size_t i = 0; i < n; i++)
        c->steps[p[i].sample - c->birth[series] - 1] =
            p[i].delta >> 63 ? 0 - magnitude(p[i].delta) / scale
                             : p[i].delta / scale;
    plain = cost_of_steps(c->steps, len);
    for (size_t i = 0; i <= len; i++) {
        second[i] = c->steps[i] - before;
        before = c->steps[i];
    }
    if (len < rest)
        len++; /* it stands still afterwards */
    bent = cost_of_steps(second, len) < plain;
    if (bent)
        memcpy(c->steps, second, len * sizeof *second);
    pl_buf_varint(&e->parts[PL_PACK_SERIES], c->since);
    pl_buf_varint(&e->parts[PL_PACK_FORMS],
                  (uint64_t)put_runs(c, len) << 1 | bent);
    pl_buf_varint(&e->parts[PL_PACK_SCALES], scale);
    c->last_scale = scale;
    c->since = 0;
}

static void put_all(struct columns *c)
{
    for (uint32_t i = 0; i < c->e->rows.num_series; i++) {
        uint32_t series = c->e->order.series[i];

        if (c->starts[series] < c->starts[series + 1])
            put_column(c, series);
        else
            c->since++;
    }
}

enum pl_status pl_pack_put_columns(struct pl_pack_encoder *e)
{
    struct columns *c = calloc(1, sizeof *c);
    enum pl_status s = c ? PL_OK : PL_NOMEM;

    if (!c)
        return s;
    c->e = e;
    s = sort_changes(c);
    if (!s)
        s = find_births(c);
    if (!s)
        put_all(c);
    free(c->starts);
    free(c->sorted);
    free(c->birth);
    free(c);
    return s;
}
