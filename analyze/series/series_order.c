/* Order of a registry's series: of their columns, and of instance names. */
#include "analyze/series/series_registry.h"

#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Compare two runs of digits by value, and advance past them. */
static int compare_numbers(const char **a, const char **b)
{
    const char *x, *y;
    size_t n, m;
    int order;

    while (**a == '0' && is_digit((*a)[1]))
        ++*a;
    while (**b == '0' && is_digit((*b)[1]))
        ++*b;
    for (x = *a; is_digit(*x); x++)
        ;
    for (y = *b; is_digit(*y); y++)
        ;
    n = (size_t)(x - *a);
    m = (size_t)(y - *b);
    order = n != m ? (n < m ? -1 : 1) : memcmp(*a, *b, n);
    *a = x;
    *b = y;
    return order;
}

/* Sums sort after the instances they are made of. */
static int place_of_sum(const char *name)
{
    if (!strcmp(name, "_Total"))
        return 2;
    return !strcmp(name, "_Other");
}

int pl_natural_compare(const char *a, const char *b)
{
    const char *first = a, *second = b;
    int order = place_of_sum(a) - place_of_sum(b);

    if (order)
        return order;
    while (*a && *b) {
        if (is_digit(*a) && is_digit(*b)) {
            order = compare_numbers(&a, &b);

            if (order)
                return order;
        } else if (*a == *b) {
            a++;
            b++;
        } else {
            break;
        }
    }
    if (*a != *b)
        return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
    return strcmp(first, second); /* "01" and "1" are different names */
}

int pl_group_compare_objects(const struct pl_group *a, const struct pl_group *b)
{
    if (a->host != b->host)
        return a->host->rank < b->host->rank ? -1 : 1;
    if (a->object != b->object)
        return a->object->rank < b->object->rank ? -1 : 1;
    return 0;
}

static int by_name(const void *x, const void *y)
{
    const struct pl_group *a = *(struct pl_group *const *)x;
    const struct pl_group *b = *(struct pl_group *const *)y;
    int order = pl_group_compare_objects(a, b);

    if (order)
        return order;
    if (!a->instance || !b->instance)
        return (a->instance != NULL) - (b->instance != NULL);
    return pl_natural_compare(a->instance, b->instance);
}

enum pl_status pl_registry_columns(struct pl_registry *r,
                                   struct pl_group ***groups,
                                   size_t *num_groups, uint32_t *num_columns)
{
    struct pl_group **list = malloc((r->num_groups + 1) * sizeof *list);
    size_t num = 0;

    if (!list)
        return PL_NOMEM;
    for (struct pl_group *g = r->groups; g; g = g->later)
        if (!g->other && g->series)
            list[num++] = g;
    if (num)
        qsort(list, num, sizeof *list, by_name);
    *num_columns = 0;
    for (size_t i = 0; i < num; i++)
        for (uint32_t k = 0; k < list[i]->num_slots; k++) {
            struct pl_series *series = pl_group_series(list[i], k);

            if (series && series->present)
                series->column = (*num_columns)++;
        }
    *groups = list;
    *num_groups = num;
    return PL_OK;
}

/* A column, and its place in the log's list; a sum is in none. */
struct placed {
    struct pl_series *series;
    struct pl_listed at;
    uint32_t column; /* before */
};

static int as_listed(const void *x, const void *y)
{
    const struct placed *a = x, *b = y;

    if (!a->at.order != !b->at.order)
        return a->at.order ? -1 : 1;
    if (a->at.title != b->at.title)
        return a->at.title < b->at.title ? -1 : 1;
    if (a->at.order != b->at.order)
        return a->at.order < b->at.order ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

enum pl_status pl_registry_as_listed(struct pl_group *const *groups,
                                     size_t num_groups, uint32_t num_columns)
{
    struct placed *all = calloc(num_columns + (size_t)1, sizeof *all);

    if (!all)
        return PL_NOMEM;
    for (size_t i = 0; i < num_groups; i++)
        for (uint32_t k = 0; k < groups[i]->num_slots; k++) {
            const struct pl_group *g = groups[i];
            struct pl_series *series = pl_group_series(g, k);

            if (!series || !series->present)
                continue;
            all[series->column].series = series;
            all[series->column].column = series->column;
            if (g->listed)
                all[series->column].at = g->listed[k];
        }
    qsort(all, num_columns, sizeof *all, as_listed);
    for (uint32_t i = 0; i < num_columns; i++)
        all[i].series->column = i;
    free(all);
    return PL_OK;
}
