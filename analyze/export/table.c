/*
 * A sheet per object, in a folder: a line per time and instance, counters
 * across.
 */
#include "analyze/export/layouts.h"

#include "analyze/export/table_columns.h"
#include "analyze/replay/group_identity.h"

#include <stdlib.h>
#include <string.h>

struct table { /* the sheet of one object */
    struct pl_table_columns columns;
    char *stem;
    struct pl_paged page;
    struct pl_csv csv;
    bool identity; /* columns of what identifies processes follow */
};

struct tables {
    struct table *tables; /* by rank of their objects */
    uint32_t num;
    const struct pl_group *line; /* group of the current line; NULL: none */
    int64_t time_ns;             /* of that line */
    struct table *table;         /* its sheet */
    /* time and host, cells that many lines begin with, and of which these are */
    struct pl_buf first;
    int64_t first_ns;
    const struct pl_host *first_host;
    /* there were series that the first pass did not find */
    bool incomplete;
};

/* Most sheets of a folder; valid logs have a hundredth of it. */
enum { MOST_SHEETS = 4096 };

/* ---- the sheets ---------------------------------------------------------- */

/* Give the files names that are distinct on every file system. */
static enum pl_status name_tables(struct tables *all)
{
    const char **taken = calloc((size_t)all->num + 1, sizeof *taken);
    enum pl_status s = taken ? PL_OK : PL_NOMEM;
    size_t num = 0;

    for (uint32_t i = 0; i < all->num && !s; i++) {
        struct table *t = &all->tables[i];
        struct pl_buf name = { 0 };

        if (!t->columns.num)
            continue;
        pl_safe_name(&name, pl_text_of(t->columns.object->name), taken, num);
        if (name.oom)
            s = PL_NOMEM;
        t->stem = (char *)name.p;
        taken[num++] = t->stem;
    }
    free(taken);
    return s;
}

static enum pl_status find_tables(struct pl_query *e, struct tables *all)
{
    enum pl_status s = PL_OK;

    all->num = e->registry.num_objects;
    if (all->num > MOST_SHEETS) {
        pl_say("export: more than %d objects, and each would have its sheet; "
               "choose counters with -c",
               MOST_SHEETS);
        return PL_USAGE;
    }
    all->tables = calloc((size_t)all->num + 1, sizeof *all->tables);
    if (!all->tables)
        return PL_NOMEM;
    for (struct pl_group *g = e->registry.groups; g && !s; g = g->later)
        if (g->series && !g->other)
            s = pl_table_columns_note(&all->tables[g->object->rank].columns, g);
    for (uint32_t i = 0; i < all->num && !s; i++)
        s = pl_table_columns_number(&all->tables[i].columns);
    return s ? s : name_tables(all);
}

static void put_header(struct pl_query *e, struct table *t)
{
    t->identity =
        e->plan->identity && pl_object_has_identities(t->columns.object->name);
    t->page = (struct pl_paged){ .files = &e->files,
                                 .stem = t->stem,
                                 .suffix = ".csv",
                                 .number = 1,
                                 .step = e->plan->split };
    pl_csv_init(&t->csv, &e->plan->style, pl_paged_write, &t->page);
    t->csv.pages = pl_query_pages(e);
    pl_time_header(&t->csv, &e->plan->time);
    pl_csv_text(&t->csv, pl_text_of("Host"));
    pl_csv_text(&t->csv, pl_text_of("Instance"));
    for (uint32_t k = 0; k < t->columns.num_slots; k++)
        if (t->columns.columns[k] != PL_NO_COLUMN)
            pl_csv_text(&t->csv,
                        pl_text_of(t->columns.object->counters[k].name));
    if (t->identity)
        pl_identity_header(&t->csv);
    pl_csv_end_header(&t->csv);
}

static void release(struct tables *all)
{
    pl_buf_release(&all->first);
    for (uint32_t i = 0; all->tables && i < all->num; i++) {
        struct table *t = &all->tables[i];

        pl_csv_release(&t->csv);
        free(t->stem);
        pl_table_columns_release(&t->columns);
    }
    free(all->tables);
}

/* ---- lines --------------------------------------------------------------- */

static void put_first(struct pl_query *e, struct tables *all, struct pl_csv *c,
                      const struct pl_host *host)
{
    const size_t begin = pl_csv_position(c);

    if (all->first_host != host || all->first_ns != all->time_ns) {
        pl_time_cells(c, &e->plan->time, all->time_ns);
        pl_csv_text(c, pl_text_of(host->name));
        pl_csv_keep(c, begin, &all->first);
        all->first_host = host;
        all->first_ns = all->time_ns;
    }
    pl_csv_kept(c, &all->first);
}

static void put_values(struct table *t)
{
    struct pl_value *v = t->columns.cells;

    pl_csv_numbers(&t->csv, v, t->columns.num);
    for (uint32_t i = 0; i < t->columns.num; i++)
        v[i].kind = PL_VALUE_NONE;
}

static enum pl_status end_line(struct pl_query *e, struct tables *all)
{
    const struct pl_group *g = all->line;
    struct table *t = all->table;

    if (!g)
        return PL_OK;
    all->line = NULL;
    put_first(e, all, &t->csv, g->host);
    pl_csv_text(&t->csv, pl_text_of(g->instance ? g->instance : ""));
    put_values(t);
    if (t->identity)
        pl_identity_cells(&t->csv, g);
    return pl_csv_end_row(&t->csv);
}

/* NULL: an object that the first pass did not find. */
static struct table *table_of(const struct tables *all,
                              const struct pl_group *g)
{
    if (g == all->line)
        return all->table;
    return g->object->rank < all->num ? &all->tables[g->object->rank] : NULL;
}

static enum pl_status take_cell(struct pl_query *e, struct tables *all,
                                const struct pl_cell_at *at)
{
    struct table *t = table_of(all, at->group);
    const uint32_t column =
        t ? pl_table_column(&t->columns, at->slot) : PL_NO_COLUMN;
    enum pl_status s = PL_OK;

    /* A growing log may have series that the headers lack. */
    if (column == PL_NO_COLUMN) {
        all->incomplete = true;
        return PL_OK;
    }
    if (at->group != all->line)
        s = end_line(e, all);
    all->line = at->group;
    all->table = t;
    t->columns.cells[column] = at->value;
    return s;
}

static enum pl_status take_row(struct pl_query *e, void *ctx,
                               const struct pl_row *row)
{
    struct tables *all = ctx;
    enum pl_status s = PL_OK;

    all->time_ns = row->time_ns;
    for (size_t i = 0; i < row->num_cells && !s; i++)
        s = take_cell(e, all, &row->cells[i]);
    return s;
}

static enum pl_status end_time(struct pl_query *e, void *ctx, int64_t time_ns)
{
    (void)time_ns;
    return end_line(e, ctx);
}

/* ---- the folder ---------------------------------------------------------- */

static enum pl_status flush(struct pl_query *e, struct tables *all)
{
    enum pl_status s = PL_OK;

    for (uint32_t i = 0; i < all->num && !s; i++) {
        struct table *t = &all->tables[i];

        if (!t->columns.num)
            continue;
        s = pl_csv_flush(&t->csv);
        if (!s)
            pl_query_say_rows(e, t->columns.object->name, t->csv.rows);
    }
    if (all->incomplete)
        pl_say("what appeared while the log was being read is not in the "
               "sheets; export again to have it");
    return s;
}

static enum pl_status write_tables(struct pl_query *e, struct tables *all)
{
    const struct pl_rows rows = { take_row, end_time, all };
    enum pl_status s = pl_query_begin(e);

    if (s)
        return s;
    for (uint32_t i = 0; i < all->num; i++)
        if (all->tables[i].columns.num)
            put_header(e, &all->tables[i]);
    s = pl_query_rows(e, &rows);
    return s ? s : flush(e, all);
}

static enum pl_status run_table(struct pl_query *e)
{
    struct tables all = { 0 };
    enum pl_status s = pl_query_scan(e);

    if (!s && !e->rows && !e->plan->follow)
        return PL_END;
    if (!s && pl_query_say_unmatched(e))
        return PL_USAGE;
    pl_query_plan_offset(e);
    if (!s)
        s = find_tables(e, &all);
    if (!s)
        s = write_tables(e, &all);
    release(&all);
    return s;
}

const struct pl_layout pl_layout_table = {
    .name = "table",
    .numbers_only = true,
    .reads_twice = true,
    .folder = true,
    .identifies = true,
    .run = run_table,
};
