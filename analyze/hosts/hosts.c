/* Distances of hosts from the median of all. */
#include "analyze/hosts/hosts.h"

#include "analyze/hosts/host_figures.h"
#include "analyze/output/readable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const pl_host_statistic_names[PL_HOST_STATISTICS] = { "mean",
                                                                  "P95" };

/*
 * The standard deviation of a normal distribution, by its median and its mean
 * absolute deviation.
 */
#define SIGMA_BY_MEDIAN 1.4826
#define SIGMA_BY_MEAN 1.2533

/* ---- scales ----------------------------------------------------------------- */

/*
 * What figures of a unit are compared by.  'least' is added before the logarithm
 * is taken: below it, differences hardly matter.
 */
static const struct scale {
    bool linear;
    double least;
    double spread; /* no less than this */
} scales[PL_NUM_UNITS] = {
    [PL_UNIT_NUMBER] = { false, 1, 0.2 },
    [PL_UNIT_CODE] = { false, 1, 0.2 },
    [PL_UNIT_PERCENT] = { true, 0, 1 },
    [PL_UNIT_BYTES] = { false, 1e6, 0.2 },
    [PL_UNIT_BYTES_PER_SECOND] = { false, 1e5, 0.2 },
    [PL_UNIT_PER_SECOND] = { false, 10, 0.2 },
    [PL_UNIT_SECONDS] = { false, 1e-3, 0.2 },
    [PL_UNIT_DURATION] = { false, 3600, 0.2 },
};

static double on_scale(const struct scale *s, double value)
{
    if (s->linear)
        return value;
    return copysign(log1p(fabs(value) / s->least), value);
}

static double from_scale(const struct scale *s, double at)
{
    return s->linear ? at : copysign(expm1(fabs(at)) * s->least, at);
}

/* ---- one figure of all hosts --------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_of(double *values, size_t num)
{
    qsort(values, num, sizeof *values, by_value);
    return num % 2 ? values[num / 2]
                   : values[num / 2 - 1] +
                         (values[num / 2] - values[num / 2 - 1]) / 2;
}

/* Keep it if it is among the most unusual ones; one of each series. */
static void take_reason(struct pl_compared_host *h,
                        const struct pl_host_reason *r)
{
    size_t i = 0, at;

    while (i < h->num_reasons &&
           !(h->reasons[i].group == r->group && h->reasons[i].slot == r->slot))
        i++;
    if (i < h->num_reasons) {
        if (fabs(h->reasons[i].distance) >= fabs(r->distance))
            return;
    } else if (h->num_reasons < PL_HOST_REASONS) {
        h->num_reasons++;
    } else if (fabs(h->reasons[--i].distance) >= fabs(r->distance)) {
        return;
    }
    for (at = i; at && fabs(h->reasons[at - 1].distance) < fabs(r->distance);
         at--)
        h->reasons[at] = h->reasons[at - 1];
    h->reasons[at] = *r;
}

/* Of distances from the median. */
static double spread_of(double *distances, size_t num, double least)
{
    double spread = SIGMA_BY_MEDIAN * median_of(distances, num), sum = 0;

    if (spread > 0)
        return fmax(spread, least);
    for (size_t i = 0; i < num; i++)
        sum += distances[i];
    return fmax(SIGMA_BY_MEAN * sum / (double)num, least);
}

/* 'scratch' has room for 'num' numbers. */
static void compare(struct pl_hosts *h, const struct pl_host_figure *f,
                    size_t num, enum pl_host_statistic k, double *scratch)
{
    const char *counter = f->group->object->counters[f->slot].name;
    const struct scale *scale = &scales[pl_unit_of_counter(counter)];
    double median, spread;

    for (size_t i = 0; i < num; i++)
        scratch[i] = on_scale(scale, f[i].of[k]);
    median = median_of(scratch, num);
    for (size_t i = 0; i < num; i++)
        scratch[i] = fabs(scratch[i] - median);
    spread = spread_of(scratch, num, scale->spread);
    for (size_t i = 0; i < num; i++) {
        const struct pl_host_reason r = {
            .group = f[i].group,
            .slot = f[i].slot,
            .statistic = k,
            .value = f[i].of[k],
            .median = from_scale(scale, median),
            .distance = (on_scale(scale, f[i].of[k]) - median) / spread,
        };

        take_reason(&h->hosts[f[i].host], &r);
    }
}

/* ---- all figures ---------------------------------------------------------------- */

static int compare_series(const struct pl_host_figure *a,
                          const struct pl_host_figure *b)
{
    const char *x = a->group->instance, *y = b->group->instance;

    if (a->group->object != b->group->object)
        return a->group->object->rank < b->group->object->rank ? -1 : 1;
    if (a->slot != b->slot)
        return a->slot < b->slot ? -1 : 1;
    return strcmp(x ? x : "", y ? y : "");
}

static int by_series(const void *a, const void *b)
{
    const struct pl_host_figure *x = a, *y = b;
    int order = compare_series(x, y);

    return order ? order : (x->host > y->host) - (x->host < y->host);
}

double pl_host_unlikeness(const struct pl_compared_host *h)
{
    return h->num_reasons ? fabs(h->reasons[0].distance) : 0;
}

static int by_unlikeness(const void *a, const void *b)
{
    const struct pl_compared_host *x = a, *y = b;
    double u = pl_host_unlikeness(x), v = pl_host_unlikeness(y);

    return u != v ? (u < v ? 1 : -1)
                  : pl_natural_compare(x->host->name, y->host->name);
}

enum pl_status pl_hosts_judge(struct pl_hosts *h)
{
    double *scratch = malloc((h->num + 1) * sizeof *scratch);
    size_t num;

    if (!scratch)
        return PL_NOMEM;
    if (h->num_figures)
        qsort(h->figures, h->num_figures, sizeof *h->figures, by_series);
    for (size_t i = 0; i < h->num_figures; i += num) {
        for (num = 1; i + num < h->num_figures &&
                      !compare_series(&h->figures[i], &h->figures[i + num]);)
            num++;
        if (num < PL_HOSTS_FEWEST || 2 * num < h->num)
            continue;
        h->compared++;
        for (int k = 0; k < PL_HOST_STATISTICS; k++)
            compare(h, &h->figures[i], num, (enum pl_host_statistic)k, scratch);
    }
    if (h->num)
        qsort(h->hosts, h->num, sizeof *h->hosts, by_unlikeness);
    free(scratch);
    return PL_OK;
}

void pl_hosts_release(struct pl_hosts *h)
{
    pl_registry_release(&h->registry);
    free(h->hosts);
    free(h->figures);
    *h = (struct pl_hosts){ 0 };
}
