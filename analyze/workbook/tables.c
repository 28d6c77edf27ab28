/* Writes rows of instances. */
#include "analyze/workbook/tables.h"

#include "analyze/export/table_columns.h"
#include "analyze/workbook/cells.h"
#include "analyze/workbook/identity.h"
#include "format/base/array.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_WIDTH = 14 };
enum { COMMAND_WIDTH = 40 };

struct pl_xlsx_table {
    struct pl_table_columns columns;
    size_t sheet;               /* in the plan: the last one of this object */
    long number;                /* of that in the book */
    uint32_t rows;              /* on it */
    enum pl_figure_unit *units; /* by column */
    bool identifies;            /* has columns of what identifies processes */
    bool is_table;              /* has few enough columns for one */
    char **headers;             /* of a table: no two alike */
    uint32_t *numbered; /* by header: how many got its text and a number */
    uint32_t num_headers;
    size_t cap_headers, cap_numbered;
    uint32_t num_fixed; /* columns of names */
};

/* ---- columns ------------------------------------------------------------- */

static enum pl_status note_group(struct pl_xlsx_table *t,
                                 const struct pl_group *g)
{
    t->identifies |= g->identity != NULL;
    return pl_table_columns_note(&t->columns, g);
}

static enum pl_status number_columns(struct pl_xlsx_table *t)
{
    const struct pl_table_columns *c = &t->columns;

    if (pl_table_columns_number(&t->columns))
        return PL_NOMEM;
    t->units = calloc((size_t)c->num + 1, sizeof *t->units);
    for (uint32_t k = 0; t->units && k < c->num_slots; k++)
        if (c->columns[k] != PL_NO_COLUMN)
            t->units[c->columns[k]] =
                pl_unit_of_counter(c->object->counters[k].name);
    return t->units ? PL_OK : PL_NOMEM;
}

enum pl_status pl_xlsx_tables_find(struct pl_xlsx_tables *t,
                                   const struct pl_query *e)
{
    enum pl_status s = PL_OK;

    t->num = e->registry.num_objects;
    t->tables = calloc((size_t)t->num + 1, sizeof *t->tables);
    if (!t->tables)
        return PL_NOMEM;
    for (struct pl_group *g = e->registry.groups; g && !s; g = g->later)
        if (g->series && !g->other)
            s = note_group(&t->tables[g->object->rank], g);
    for (uint32_t i = 0; i < t->num && !s; i++)
        s = number_columns(&t->tables[i]);
    for (size_t i = 0; i < t->plan->num_sheets && !s; i++)
        t->tables[t->plan->sheets[i].object->rank].sheet = i;
    return s;
}

void pl_xlsx_tables_release(struct pl_xlsx_tables *all)
{
    for (uint32_t i = 0; all->tables && i < all->num; i++) {
        struct pl_xlsx_table *t = &all->tables[i];

        for (uint32_t k = 0; k < t->num_headers; k++)
            free(t->headers[k]);
        free(t->headers);
        free(t->numbered);
        free(t->units);
        pl_table_columns_release(&t->columns);
    }
    free(all->tables);
    all->tables = NULL;
}

/* ---- headers ------------------------------------------------------------- */

/* The header of a table that has this text; num_headers: none has. */
static uint32_t find_header(const struct pl_xlsx_table *t, const char *text)
{
    for (uint32_t i = 0; t->is_table && i < t->num_headers; i++)
        if (pl_xlsx_same_name(t->headers[i], text))
            return i;
    return t->num_headers;
}

/*
 * "Counter", "Counter (2)": the columns of a table have different names.  The
 * numbers of a text go on where the last one ended, as thousands may have it.
 */
static char *header_of(struct pl_xlsx_table *t, const char *name)
{
    char number[16] = "";
    struct pl_buf text = { 0 };
    uint32_t first = UINT32_MAX, same;

    for (;;) {
        pl_buf_clear(&text);
        pl_xlsx_text(&text, name, strlen(name),
                     PL_XLSX_TABLE_HEADER - strlen(number));
        pl_buf_bytes(&text, number, strlen(number) + 1);
        same = text.oom ? t->num_headers : find_header(t, (const char *)text.p);
        if (same == t->num_headers)
            break;
        if (first == UINT32_MAX)
            first = same;
        snprintf(number, sizeof number, " (%" PRIu32 ")",
                 ++t->numbered[first] + 1);
    }
    if (text.oom)
        pl_buf_release(&text);
    return (char *)text.p;
}

static void add_header(struct pl_xlsx_tables *all, struct pl_xlsx_table *t,
                       const char *name)
{
    char *text = header_of(t, name);

    if (!text ||
        !pl_array_grow((void **)&t->headers, &t->cap_headers, t->num_headers,
                       sizeof *t->headers) ||
        !pl_array_grow((void **)&t->numbered, &t->cap_numbered, t->num_headers,
                       sizeof *t->numbered)) {
        free(text);
        all->book->oom = true;
        return;
    }
    t->numbered[t->num_headers] = 0;
    t->headers[t->num_headers++] = text;
}

static void make_headers(struct pl_xlsx_tables *all, struct pl_xlsx_table *t,
                         bool offset)
{
    const uint32_t num_names =
        3U + offset + (t->identifies ? (uint32_t)PL_XLSX_NUM_IDENTITIES : 0);
    char time[128];

    t->is_table = num_names + t->columns.num <= PL_XLSX_TABLE_COLUMNS;
    pl_xlsx_time_header(time, sizeof time);
    add_header(all, t, time);
    if (offset)
        add_header(all, t, "UTC Offset");
    add_header(all, t, "Host");
    add_header(all, t, "Instance");
    for (int i = 0; t->identifies && i < PL_XLSX_NUM_IDENTITIES; i++)
        add_header(all, t, pl_xlsx_identities[i]);
    t->num_fixed =
        t->num_headers - (t->identifies ? PL_XLSX_NUM_IDENTITIES : 0);
    for (uint32_t k = 0; k < t->columns.num_slots; k++)
        if (t->columns.columns[k] != PL_NO_COLUMN)
            add_header(all, t, t->columns.object->counters[k].name);
}

/* Begin the sheet t->sheet of the plan. */
static void begin_table_sheet(struct pl_xlsx_tables *all,
                              struct pl_xlsx_table *t, const struct pl_query *e)
{
    const struct pl_xlsx_frame frame = {
        .name = all->plan->sheets[t->sheet].name,
        .columns = t->num_headers,
        .fixed_columns = t->num_fixed,
        .fixed_width = PL_XLSX_NAME_WIDTH,
        .width = VALUE_WIDTH,
        .is_table = true,
    };
    uint32_t end = t->num_fixed;

    t->number = pl_xlsx_add_sheet(all->book, &frame);
    t->rows = 0;
    pl_xlsx_set_width(all->book, t->number, 0, 1,
                      e->plan->time.milliseconds ? PL_XLSX_TIME_WIDTH_MS
                                                 : PL_XLSX_TIME_WIDTH);
    if (t->identifies)
        pl_xlsx_set_width(all->book, t->number, end, end + 1, COMMAND_WIDTH);
    for (uint32_t i = 0; i < t->num_headers; i++)
        pl_xlsx_put_header(all->book, (struct pl_xlsx_at){ t->number, 0, i },
                           t->headers[i], strlen(t->headers[i]));
}

void pl_xlsx_tables_begin(struct pl_xlsx_tables *all, struct pl_query *e)
{
    for (size_t i = 0; i < all->plan->num_sheets; i++) {
        struct pl_xlsx_table *t =
            &all->tables[all->plan->sheets[i].object->rank];

        make_headers(all, t, e->plan->time.offset);
        if (!all->book->oom)
            begin_table_sheet(all, t, e);
    }
}

/* ---- tables -------------------------------------------------------------- */

/* Letters and digits of the sheet's name, behind what no cell is called. */
static void put_table_name(struct pl_buf *out, const char *sheet)
{
    pl_buf_bytes(out, "T_", 2);
    for (; *sheet; sheet++)
        pl_buf_u8(out, (*sheet >= '0' && *sheet <= '9') ||
                               (*sheet >= 'A' && *sheet <= 'Z') ||
                               (*sheet >= 'a' && *sheet <= 'z')
                           ? (uint8_t)*sheet
                           : '_');
    pl_buf_u8(out, 0);
}

static bool is_name_before(const struct pl_xlsx_tables *all, size_t sheet,
                           const char *name)
{
    bool found = false;

    for (size_t i = 0; i < sheet && !found; i++) {
        struct pl_buf other = { 0 };

        put_table_name(&other, all->plan->sheets[i].name);
        found = other.oom || pl_xlsx_same_name((const char *)other.p, name);
        pl_buf_release(&other);
    }
    return found;
}

/* Names that differ in other characters get the number of their sheet. */
static void end_sheet(struct pl_xlsx_tables *all, struct pl_xlsx_table *t)
{
    struct pl_buf name = { 0 };
    char number[32];

    put_table_name(&name, all->plan->sheets[t->sheet].name);
    if (!name.oom && is_name_before(all, t->sheet, (const char *)name.p)) {
        snprintf(number, sizeof number, ".%zu", t->sheet);
        name.len--;
        pl_buf_bytes(&name, number, strlen(number) + 1);
    }
    all->book->oom |= name.oom;
    if (!name.oom)
        pl_xlsx_put_table(all->book, t->number, (const char *)name.p,
                          (const char *const *)t->headers, t->num_headers,
                          t->rows);
    pl_buf_release(&name);
}

void pl_xlsx_tables_end(struct pl_xlsx_tables *all)
{
    for (uint32_t i = 0; i < all->num; i++)
        if (all->tables[i].num_headers)
            end_sheet(all, &all->tables[i]);
}

/* Go on with another sheet: this one is full. */
static enum pl_status turn_table_sheet(struct pl_xlsx_tables *all,
                                       struct pl_xlsx_table *t,
                                       struct pl_query *e)
{
    const uint64_t sheets = all->book->num_all;
    enum pl_status s;

    if (!e->plan->split_sheets)
        all->misfit =
            (struct pl_xlsx_misfit){ "rows", all->plan->sheets[t->sheet].name,
                                     (uint64_t)all->limits->rows + 1,
                                     all->limits->rows };
    else if (sheets > all->limits->sheets)
        all->misfit = (struct pl_xlsx_misfit){ "sheets", NULL, sheets,
                                               all->limits->sheets };
    if (all->misfit.what)
        return PL_USAGE;
    end_sheet(all, t);
    s = pl_xlsx_plan_continue(all->plan, t->sheet, all->taken);
    if (s)
        return s;
    t->sheet = all->plan->num_sheets - 1;
    begin_table_sheet(all, t, e);
    return PL_OK;
}

/* ---- rows ---------------------------------------------------------------- */

static enum pl_status end_line(struct pl_xlsx_tables *all, struct pl_query *e)
{
    const struct pl_group *g = all->line;
    struct pl_xlsx_table *t;
    struct pl_xlsx_at at;
    enum pl_status s = PL_OK;

    if (!g)
        return PL_OK;
    all->line = NULL;
    t = &all->tables[g->object->rank];
    if (t->rows + 1 >= all->limits->rows)
        s = turn_table_sheet(all, t, e);
    if (s)
        return s;
    at = (struct pl_xlsx_at){ t->number, ++t->rows, 0 };
    pl_xlsx_put_times(all->book, &at, e->plan->time.offset, all->time_ns);
    pl_xlsx_put_name(all->book, &at, pl_text_of(g->host->name));
    pl_xlsx_put_name(all->book, &at,
                     pl_text_of(g->instance ? g->instance : ""));
    if (t->identifies)
        pl_xlsx_put_identity(all->book, &at, g);
    for (uint32_t i = 0; i < t->columns.num; i++, at.column++) {
        pl_xlsx_put_value(all->book, at, &t->columns.cells[i], t->units[i]);
        t->columns.cells[i].kind = PL_VALUE_NONE;
    }
    return pl_xlsx_book_status(all->book);
}

static enum pl_status take_cell(struct pl_xlsx_tables *all, struct pl_query *e,
                                const struct pl_cell_at *at)
{
    uint32_t rank = at->group->object->rank;
    struct pl_xlsx_table *t = rank < all->num ? &all->tables[rank] : NULL;
    enum pl_status s = PL_OK;

    /* A growing log may have series that the headers lack. */
    if (!t || pl_table_column(&t->columns, at->slot) == PL_NO_COLUMN) {
        all->incomplete = true;
        return PL_OK;
    }
    if (at->group != all->line)
        s = end_line(all, e);
    all->line = at->group;
    t->columns.cells[pl_table_column(&t->columns, at->slot)] = at->value;
    return s;
}

enum pl_status pl_xlsx_tables_take(struct pl_xlsx_tables *all,
                                   struct pl_query *e, const struct pl_row *row)
{
    enum pl_status s = PL_OK;

    all->time_ns = row->time_ns;
    for (size_t i = 0; i < row->num_cells && !s; i++)
        s = take_cell(all, e, &row->cells[i]);
    return s;
}

enum pl_status pl_xlsx_tables_end_time(struct pl_xlsx_tables *all,
                                       struct pl_query *e)
{
    return end_line(all, e);
}
