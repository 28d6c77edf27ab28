/* Takes the figures from the tables of a moment. */
#include "analyze/browse/vitals.h"

#include <math.h>
#include <string.h>

/* clang-format off */
const struct pl_page_vital pl_page_vitals[PL_PAGE_VITALS] = {
    [PL_MOMENT_SYSTEM] = { "runnable threads", PL_UNIT_NUMBER, 0, 8 },
    [PL_MOMENT_PROCESSOR] = { "processors busy", PL_UNIT_PERCENT, 100, 30 },
    [PL_MOMENT_PRESSURE] = { "pressure", PL_UNIT_PERCENT, 100, 10 },
    [PL_MOMENT_MEMORY] = { "memory used", PL_UNIT_PERCENT, 100, 60 },
    [PL_MOMENT_PAGING] = { "swapping", PL_UNIT_PER_SECOND, 0, 100 },
    [PL_MOMENT_DISK] = { "disk busy", PL_UNIT_PERCENT, 100, 30 },
    [PL_MOMENT_NETWORK] = { "network", PL_UNIT_BYTES_PER_SECOND, 0, 1e6F },
};
/* clang-format on */

static size_t column_of(enum pl_moment_section section, const char *title)
{
    const struct pl_moment_column *c = pl_moment_columns[section].columns;
    size_t i = 0;

    while (c[i].title && strcmp(c[i].title, title) != 0)
        i++;
    return i;
}

static double whole_value(const struct pl_moment *m,
                          enum pl_moment_section section, const char *title)
{
    const struct pl_moment_row *whole = pl_moment_whole(m, section);

    return whole ? whole->values[column_of(section, title)] : NAN;
}

static double greatest(const struct pl_moment *m,
                       enum pl_moment_section section)
{
    const struct pl_moment_table *t = &m->tables[section];
    double most = NAN;

    for (size_t i = 0; i < t->num; i++)
        if (!t->rows[i].group->is_total && !isnan(t->rows[i].values[0]) &&
            !(t->rows[i].values[0] <= most))
            most = t->rows[i].values[0];
    return most;
}

static double used(const struct pl_moment *m)
{
    double all = whole_value(m, PL_MOMENT_MEMORY, "total");
    double left = whole_value(m, PL_MOMENT_MEMORY, "available");

    return all > 0 && left >= 0 && left <= all ? 100 * (1 - left / all) : NAN;
}

/* The sum of a section's first two columns over its instances. */
static double both(const struct pl_moment *m, enum pl_moment_section section)
{
    const struct pl_moment_table *t = &m->tables[section];
    double sum = NAN;

    for (size_t i = 0; i < t->num; i++)
        for (size_t k = 0; k < 2 && !t->rows[i].group->is_total; k++)
            if (!isnan(t->rows[i].values[k]))
                sum = (isnan(sum) ? 0 : sum) + t->rows[i].values[k];
    return sum;
}

void pl_page_vitals_of(const struct pl_moment *m, float out[PL_PAGE_VITALS])
{
    out[PL_MOMENT_SYSTEM] = (float)whole_value(m, PL_MOMENT_SYSTEM, "runnable");
    out[PL_MOMENT_PROCESSOR] =
        (float)whole_value(m, PL_MOMENT_PROCESSOR, "busy");
    out[PL_MOMENT_PRESSURE] = (float)greatest(m, PL_MOMENT_PRESSURE);
    out[PL_MOMENT_MEMORY] = (float)used(m);
    out[PL_MOMENT_PAGING] = (float)both(m, PL_MOMENT_PAGING);
    out[PL_MOMENT_DISK] = (float)greatest(m, PL_MOMENT_DISK);
    out[PL_MOMENT_NETWORK] = (float)both(m, PL_MOMENT_NETWORK);
}
