/* Decides how charts are drawn. */
#include "analyze/report/chart_form.h"

#include "analyze/amounts/ranking.h"

#include <string.h>

enum pl_chart_form pl_chart_form_of(const struct pl_chart *chart)
{
    return chart->vital ? chart->vital->form : PL_FORM_LINES;
}

bool pl_charts_share(const struct pl_chart *a, const struct pl_chart *b)
{
    return a->vital == b->vital && a->object == b->object &&
           (a->vital || a->slot == b->slot);
}

/* Of a line's counter in the row of default series. */
static unsigned place_of(const struct pl_charts *c,
                         const struct pl_chart *chart, uint32_t line)
{
    const char *counter = chart->object->counters[c->lines[line].slot].name;
    unsigned i = 0;

    while (i < PL_VITAL_COUNTERS && chart->vital->counters[i] &&
           strcmp(counter, chart->vital->counters[i]) != 0)
        i++;
    return i;
}

bool pl_line_leads(const struct pl_charts *c, const struct pl_chart *chart,
                   uint32_t line)
{
    return c->lines[line].slot == c->lines[chart->first].slot;
}

/* Places of the chart of processors. */
enum { WHOLE, USER, PRIVILEGED, SYSTEM, INTERRUPT, DPC, STEAL };

static bool has_system_time(const struct pl_charts *c,
                            const struct pl_chart *chart)
{
    bool any = false;

    for (uint32_t i = 0; i < chart->num && !any; i++)
        any = place_of(c, chart, chart->first + i) == SYSTEM;
    return any;
}

bool pl_line_is_stacked(const struct pl_charts *c, const struct pl_chart *chart,
                        uint32_t line)
{
    unsigned place;

    if (pl_chart_form_of(chart) != PL_FORM_STACK)
        return false;
    place = place_of(c, chart, line);
    if (place == WHOLE || place == USER || place >= STEAL)
        return place != WHOLE;
    return has_system_time(c, chart) == (place != PRIVILEGED);
}

bool pl_line_is_ranked(const struct pl_chart_line *line)
{
    return line->group && line->group->instance &&
           !pl_ranking_excludes(line->group->object->name,
                                line->group->instance);
}

bool pl_line_is_zero(const struct pl_chart_line *line)
{
    return line->all.seconds > 0 && line->all.min == 0 && line->all.max == 0;
}

bool pl_line_ended(const struct pl_charts *c, const struct pl_chart *chart,
                   const struct pl_chart_line *line)
{
    return pl_line_is_ranked(line) && !strcmp(chart->object->name, "Process") &&
           line->all.seconds > 0 &&
           line->last_ns < pl_chart_axis(c, chart)->last_ns;
}
