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
    /*
     * If only key samples were looked into: the columns by slot, which enter
     * 'columns' when the first cell of each comes.  NULL: they are all there.
     */
    uint32_t *awaited;
    uint32_t next_slot; /* after the last one that came */
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
    bool same_names; /* two objects would have files of one name */
    bool again;      /* it must be begun again, now with all samples' names */
};

/* Most sheets of a folder; valid logs have a hundredth of it. */
enum { MOST_SHEETS = 4096 };

/* ---- the sheets ---------------------------------------------------------- */

/* Has the file the name that it would have without the others? */
static bool has_own_name(const struct table *t)
{
    struct pl_buf name = { 0 };
    bool own;

    pl_safe_name(&name, pl_text_of(t->columns.object->name), NULL, 0);
    own = !name.oom && !strcmp((const char *)name.p, t->stem);
    pl_buf_release(&name);
    return own;
}

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
        if (!s)
            all->same_names |= !has_own_name(t);
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

static void release_tables(struct tables *all)
{
    pl_buf_release(&all->first);
    for (uint32_t i = 0; all->tables && i < all->num; i++) {
        struct table *t = &all->tables[i];

        pl_csv_release(&t->csv);
        free(t->stem);
        free(t->awaited);
        pl_table_columns_release(&t->columns);
    }
    free(all->tables);
    *all = (struct tables){ 0 };
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

/*
 * Columns are in the order in which a pass over all samples meets them, and so
 * has one that comes in another order missed some.
 */
static bool meet_column(struct table *t, uint32_t slot)
{
    if (!t || !t->awaited || slot >= t->columns.num_slots ||
        t->awaited[slot] == PL_NO_COLUMN || slot < t->next_slot)
        return false;
    t->next_slot = slot + 1;
    t->columns.columns[slot] = t->awaited[slot];
    return true;
}

static enum pl_status take_cell(struct pl_query *e, struct tables *all,
                                const struct pl_cell_at *at)
{
    struct table *t = table_of(all, at->group);
    uint32_t column = t ? pl_table_column(&t->columns, at->slot) : PL_NO_COLUMN;
    enum pl_status s = PL_OK;

    if (column == PL_NO_COLUMN && meet_column(t, at->slot))
        column = pl_table_column(&t->columns, at->slot);
    if (column == PL_NO_COLUMN && e->keys_only) {
        all->again = true;
        return PL_END;
    }
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

static enum pl_status take_table_row(struct pl_query *e, void *ctx,
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

static enum pl_status flush_tables(struct pl_query *e, struct tables *all)
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

/* From here on columns are those that have had a cell. */
static enum pl_status await_columns(struct table *t)
{
    const size_t size = t->columns.num_slots * sizeof *t->awaited;

    t->awaited = malloc(size + 1);
    if (!t->awaited)
        return PL_NOMEM;
    memcpy(t->awaited, t->columns.columns, size);
    memset(t->columns.columns, 0xFF, size); /* PL_NO_COLUMN */
    return PL_OK;
}

static enum pl_status write_tables(struct pl_query *e, struct tables *all)
{
    const struct pl_rows rows = { take_table_row, end_time, all };
    enum pl_status s = pl_query_begin(e);

    for (uint32_t i = 0; i < all->num && !s; i++) {
        if (!all->tables[i].columns.num)
            continue;
        put_header(e, &all->tables[i]);
        if (e->keys_only)
            s = await_columns(&all->tables[i]);
    }
    if (!s)
        s = pl_query_rows(e, &rows);
    if (all->again && (!s || s == PL_END))
        return PL_OK;
    return s ? s : flush_tables(e, all);
}

/*
 * The first pass: which counters there are.  As the folder can be written
 * again, only key samples are looked into at first: counters that no key sample
 * has are rare.  So is what such a glance may get wrong.
 */
static enum pl_status scan_tables(struct pl_query *e, struct tables *all)
{
    enum pl_status s = pl_query_scan(e);

    if (!s && e->keys_only && pl_query_needs_all_names(e)) {
        e->keys_only = false;
        s = pl_query_scan(e);
    }
    if (!s && !e->rows && !e->plan->follow)
        return PL_END;
    if (!s && pl_query_say_unmatched(e))
        return PL_USAGE;
    if (s)
        return s;
    pl_query_plan_offset(e);
    s = find_tables(e, all);
    if (s || !e->keys_only || !all->same_names)
        return s;
    all->again = true;
    return PL_OK;
}

/* With all samples' names, as if none of the log had been read. */
static enum pl_status start_again(struct pl_query *e, struct tables *all)
{
    pl_query_stop(e);
    release_tables(all);
    e->keys_only = false;
    if (!pl_query_start_over(e))
        return PL_USAGE;
    pl_query_forget_names(e);
    return scan_tables(e, all);
}

static enum pl_status run_table(struct pl_query *e)
{
    struct tables all = { 0 };
    enum pl_status s;

    e->keys_only = !pl_query_measures(e) && pl_query_can_start_over(e);
    s = scan_tables(e, &all);
    if (!s && !all.again)
        s = write_tables(e, &all);
    if (!s && all.again) {
        s = start_again(e, &all);
        if (!s)
            s = write_tables(e, &all);
    }
    release_tables(&all);
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
