/* Counts of series and samples. */
#include "analyze/push/forecast.h"

#include "format/base/array.h"
#include "format/base/file.h"
#include "format/time/time_text.h"
#include "format/cli/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- series that were there before ------------------------------------------ */

static uint64_t hash_of(const struct pl_forecast *f, const uint8_t *p, size_t n)
{
    uint64_t h = f->seed;

    for (size_t i = 0; i < n; i++) /* FNV-1a */
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h ? h : 1;
}

static uint64_t *place_of(const struct pl_forecast *f, uint64_t hash)
{
    size_t i = (size_t)(hash ^ hash >> 32) & (f->cap_seen - 1);

    while (f->seen[i] && f->seen[i] != hash)
        i = (i + 1) & (f->cap_seen - 1);
    return &f->seen[i];
}

static bool make_room(struct pl_forecast *f)
{
    struct pl_forecast larger = *f;

    if (2 * (f->num_seen + 1) <= f->cap_seen)
        return true;
    larger.cap_seen = f->cap_seen ? 2 * f->cap_seen : 1024;
    larger.seen = calloc(larger.cap_seen, sizeof *larger.seen);
    if (!larger.seen)
        return false;
    for (size_t i = 0; i < f->cap_seen; i++)
        if (f->seen[i])
            *place_of(&larger, f->seen[i]) = f->seen[i];
    free(f->seen);
    *f = larger;
    return true;
}

/* ---- objects ----------------------------------------------------------------- */

static struct pl_forecast_object *object_of(struct pl_forecast *f,
                                            const struct pl_object_names *o)
{
    if (!pl_array_reserve((void **)&f->objects, &f->cap, (size_t)o->rank + 1,
                          sizeof *f->objects))
        return NULL;
    for (; f->num <= o->rank; f->num++)
        f->objects[f->num] = (struct pl_forecast_object){ 0 };
    f->objects[o->rank].object = o;
    return &f->objects[o->rank];
}

enum pl_status pl_forecast_series(struct pl_forecast *f,
                                  const struct pl_object_names *o,
                                  const void *labels, size_t n)
{
    struct pl_forecast_object *at = object_of(f, o);
    uint64_t hash, *place;

    if (!f->seed)
        f->seed = pl_random();
    if (!at || !make_room(f))
        return PL_NOMEM;
    at->live++;
    hash = hash_of(f, labels, n);
    place = place_of(f, hash);
    if (!*place) {
        *place = hash;
        f->num_seen++;
        at->series++;
    }
    return PL_OK;
}

void pl_forecast_end(struct pl_forecast *f, const struct pl_object_names *o)
{
    f->objects[o->rank].live--;
}

void pl_forecast_end_time(struct pl_forecast *f)
{
    for (size_t i = 0; i < f->num; i++) {
        struct pl_forecast_object *o = &f->objects[i];

        if (o->live > o->most_live)
            o->most_live = o->live;
    }
}

void pl_forecast_sample(struct pl_forecast *f, const struct pl_object_names *o)
{
    f->objects[o->rank].samples++;
}

/* ---- the table --------------------------------------------------------------- */

static double a_day(uint64_t num, uint64_t length_ns)
{
    return length_ns ? (double)num * ((double)PL_NS_PER_DAY / (double)length_ns)
                     : (double)num;
}

/* Those at once are there in the evening, too; the others come and go. */
static double series_a_day(const struct pl_forecast_object *o,
                           uint64_t length_ns)
{
    return (double)o->most_live + a_day(o->series - o->most_live, length_ns);
}

static void print_line(const char *name, uint64_t live, double series,
                       double samples)
{
    for (size_t n = pl_print_visible(name); n < 28; n++)
        putchar(' ');
    printf(" %12" PRIu64 " %14.0f %16.0f\n", live, series, samples);
}

void pl_forecast_print(const struct pl_forecast *f, uint64_t length_ns)
{
    uint64_t live = 0;
    double series = 0, samples = 0;
    char length[PL_DURATION_TEXT];

    pl_duration_text(length_ns, length);
    printf("A day that goes on as these %s\n\n", length);
    printf("%-28s %12s %14s %16s\n", "Object", "Series, most", "Series a day",
           "Samples a day");
    for (size_t i = 0; i < f->num; i++) {
        const struct pl_forecast_object *o = &f->objects[i];

        if (!o->object)
            continue;
        print_line(o->object->name, o->most_live, series_a_day(o, length_ns),
                   a_day(o->samples, length_ns));
        live += o->most_live;
        series += series_a_day(o, length_ns);
        samples += a_day(o->samples, length_ns);
    }
    print_line("All", live, series, samples);
}

void pl_forecast_release(struct pl_forecast *f)
{
    free(f->objects);
    free(f->seen);
    *f = (struct pl_forecast){ 0 };
}
