/* The overview of a log's objects. */
#include "analyze/inspect/object_overview.h"

#include "format/base/utf.h"
#include "format/cli/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST_NAME = 40 };

/* ---- counting ------------------------------------------------------------ */

/* Where an object's entry is, and which of its counters have been counted. */
struct place {
    struct pl_object_overview *entry; /* NULL: none yet */
    bool *counted;                    /* by slot */
};

static bool begin_entry(struct place *p, struct pl_object_overview *entry,
                        const struct pl_object_names *o,
                        const struct pl_object_counts *counts)
{
    const struct pl_object_count *c =
        counts ? pl_object_counts_find(counts, o->name) : NULL;

    p->counted = calloc(o->num_counters + 1, sizeof *p->counted);
    p->entry = entry;
    *entry =
        (struct pl_object_overview){ .object = o, .rows = c ? c->samples : 0 };
    return p->counted;
}

static void count_group(struct place *p, const struct pl_group *g)
{
    struct pl_object_overview *e = p->entry;
    size_t before = e->series;

    for (uint32_t k = 0; k < g->num_slots; k++) {
        const struct pl_series *s = pl_group_series(g, k);

        if (!s || !s->present)
            continue;
        e->series++;
        e->counters += !p->counted[k];
        p->counted[k] = true;
    }
    if (g->instance) {
        e->has_instances = true; /* it may have none now, as without swap */
        e->instances += e->series > before && !g->derived;
    }
}

enum pl_status pl_object_overview(struct pl_object_overview **out, size_t *num,
                                  const struct pl_registry *r,
                                  struct pl_group *const *groups,
                                  size_t num_groups,
                                  const struct pl_object_counts *counts)
{
    struct place *places = calloc(r->num_objects + 1, sizeof *places);
    enum pl_status s = PL_OK;

    *num = 0;
    *out = calloc(r->num_objects + 1, sizeof **out);
    if (!*out || !places)
        s = PL_NOMEM;
    for (size_t i = 0; i < num_groups && !s; i++) {
        struct place *p = &places[groups[i]->object->rank];

        if (!p->entry &&
            !begin_entry(p, &(*out)[(*num)++], groups[i]->object, counts))
            s = PL_NOMEM;
        else
            count_group(p, groups[i]);
    }
    for (size_t i = 0; places && i < r->num_objects; i++)
        free(places[i].counted);
    free(places);
    if (s) {
        free(*out);
        *out = NULL;
    }
    return s;
}

/* ---- printing ------------------------------------------------------------ */

static void print_name(const char *name, size_t width)
{
    size_t n = pl_print_visible(name);

    printf("%*s", n < width ? (int)(width - n) : 0, "");
}

/* 0: no memory. */
static size_t widest(const struct pl_object_overview *list, size_t num)
{
    size_t width = sizeof "Object" - 1;
    struct pl_buf b = { 0 };
    bool oom = false;

    for (size_t i = 0; i < num; i++) {
        const char *name = list[i].object->name;
        size_t n;

        pl_buf_clear(&b);
        pl_utf8_visible(&b, name, strlen(name));
        oom |= b.oom;
        n = pl_utf8_columns(b.p, b.len);
        width = n > width ? n : width;
    }
    pl_buf_release(&b);
    if (oom)
        return 0;
    return width < WIDEST_NAME ? width : WIDEST_NAME;
}

enum pl_status pl_object_overview_print(const struct pl_object_overview *list,
                                        size_t num, bool rows)
{
    size_t width = widest(list, num), series = 0;

    if (!width)
        return PL_NOMEM;
    print_name("Object", width);
    printf("  Instances  Counters%s\n", rows ? "        Rows" : "");
    for (size_t i = 0; i < num; i++) {
        const struct pl_object_overview *e = &list[i];

        print_name(e->object->name, width);
        if (e->has_instances)
            printf("  %9zu", e->instances);
        else
            printf("  %9s", "-");
        printf("  %8zu", e->counters);
        if (rows)
            printf("  %10" PRIu64, e->rows);
        printf("\n");
        series += e->series;
    }
    printf("%zu object%s, %zu series\n", num, pl_plural(num), series);
    return PL_OK;
}

void pl_object_overview_json(const struct pl_object_overview *list, size_t num,
                             bool rows, struct pl_json *j)
{
    pl_json_open_array(j);
    for (size_t i = 0; i < num; i++) {
        const struct pl_object_overview *e = &list[i];

        pl_json_open_object(j);
        pl_json_put_string(j, "object", e->object->name);
        pl_json_key(j, "instances");
        if (e->has_instances)
            pl_json_count(j, e->instances);
        else
            pl_json_null(j);
        pl_json_put_count(j, "counters", e->counters);
        pl_json_put_count(j, "series", e->series);
        if (rows)
            pl_json_put_count(j, "rows", e->rows);
        pl_json_close_object(j);
    }
    pl_json_close_array(j);
}
