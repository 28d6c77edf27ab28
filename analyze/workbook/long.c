/* Writes a row per value. */
#include "analyze/workbook/long.h"

#include <stdio.h>
#include <string.h>

/* ---- sheets -------------------------------------------------------------- */

static void find_headers(struct pl_xlsx_long *l, const struct pl_query *e)
{
    static const char *const names[] = { "Host",    "Object", "Instance",
                                         "Counter", "Value",  "Status" };

    for (const struct pl_group *g = e->registry.groups; g; g = g->later)
        l->identifies |= g->series && g->identity;
    pl_xlsx_time_header(l->time, sizeof l->time);
    l->headers[l->num_headers++] = l->time;
    if (e->plan->time.offset)
        l->headers[l->num_headers++] = "UTC Offset";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        l->headers[l->num_headers++] = names[i];
    for (int i = 0; l->identifies && i < PL_XLSX_NUM_IDENTITIES; i++)
        l->headers[l->num_headers++] = pl_xlsx_identities[i];
}

static enum pl_status begin_sheet(struct pl_xlsx_long *l,
                                  const struct pl_query *e)
{
    struct pl_xlsx_frame frame = { .columns = l->num_headers,
                                   .fixed_columns = 1U + e->plan->time.offset,
                                   .fixed_width = PL_XLSX_NAME_WIDTH,
                                   .width = PL_XLSX_NAME_WIDTH,
                                   .is_table = true };
    enum pl_status s =
        pl_xlsx_plan_add(l->plan, PL_XLSX_VALUES, l->taken, NULL, 0);

    if (s)
        return s;
    frame.name = l->plan->sheets[l->plan->num_sheets - 1].name;
    l->number = pl_xlsx_add_sheet(l->book, &frame);
    l->rows = 0;
    pl_xlsx_set_width(l->book, l->number, 0, 1,
                      e->plan->time.milliseconds ? PL_XLSX_TIME_WIDTH_MS
                                                 : PL_XLSX_TIME_WIDTH);
    for (uint32_t i = 0; i < l->num_headers; i++)
        pl_xlsx_put_header(l->book, (struct pl_xlsx_at){ l->number, 0, i },
                           l->headers[i], strlen(l->headers[i]));
    return pl_xlsx_book_status(l->book);
}

enum pl_status pl_xlsx_long_begin(struct pl_xlsx_long *l,
                                  const struct pl_query *e)
{
    find_headers(l, e);
    return begin_sheet(l, e);
}

void pl_xlsx_long_end(struct pl_xlsx_long *l)
{
    char name[32];

    snprintf(name, sizeof name, "T_Values_%zu", l->plan->num_sheets);
    pl_xlsx_put_table(l->book, l->number, name, l->headers, l->num_headers,
                      l->rows);
}

/* Go on with another sheet: this one is full. */
static enum pl_status turn_sheet(struct pl_xlsx_long *l, struct pl_query *e)
{
    const uint64_t sheets = l->book->num_all;

    if (!e->plan->split_sheets)
        l->misfit = (struct pl_xlsx_misfit){ "rows", PL_XLSX_VALUES,
                                             (uint64_t)l->limits->rows + 1,
                                             l->limits->rows };
    else if (sheets > l->limits->sheets)
        l->misfit = (struct pl_xlsx_misfit){ "sheets", NULL, sheets,
                                             l->limits->sheets };
    if (l->misfit.what)
        return PL_USAGE;
    pl_xlsx_long_end(l);
    return begin_sheet(l, e);
}

/* ---- rows ---------------------------------------------------------------- */

static void put_line(struct pl_xlsx_long *l, const struct pl_query *e,
                     int64_t time_ns, const struct pl_cell_at *cell)
{
    const struct pl_group *g = cell->group;
    const char *counter = g->object->counters[cell->slot].name;
    struct pl_xlsx_at at = { l->number, ++l->rows, 0 };

    pl_xlsx_put_times(l->book, &at, e->plan->time.offset, time_ns);
    pl_xlsx_put_name(l->book, &at, pl_text_of(g->host->name));
    pl_xlsx_put_name(l->book, &at, pl_text_of(g->object->name));
    pl_xlsx_put_name(l->book, &at, pl_text_of(g->instance ? g->instance : ""));
    pl_xlsx_put_name(l->book, &at, pl_text_of(counter));
    pl_xlsx_put_value(l->book, at, &cell->value, pl_unit_of_counter(counter));
    at.column++;
    pl_xlsx_put_name(l->book, &at, pl_text_of(pl_cell_name(cell->value.cell)));
    if (l->identifies)
        pl_xlsx_put_identity(l->book, &at, g);
}

enum pl_status pl_xlsx_long_take(struct pl_xlsx_long *l, struct pl_query *e,
                                 const struct pl_row *row)
{
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < row->num_cells && !s; i++) {
        if (l->rows + 1 >= l->limits->rows)
            s = turn_sheet(l, e);
        if (!s)
            put_line(l, e, row->time_ns, &row->cells[i]);
    }
    return s ? s : pl_xlsx_book_status(l->book);
}
