/*
 * Parquet files in a folder: a table per object, a row per time and instance,
 * counters across.  What is there already is left out.
 */
#include "analyze/export/layouts.h"
#include "analyze/export/parquet_events.h"
#include "analyze/export/parquet_table.h"
#include "analyze/output/cleanup_signal.h"

#include "format/base/array.h"

#include <stdlib.h>
#include <string.h>

/*
 * Rows of a row group; bytes held in rows of all tables of a host, and bytes
 * kept by them for later rows.
 */
enum { GROUP_ROWS = 1 << 16, MOST_HELD = 24 << 20, MOST_KEPT = 24 << 20 };

struct dataset {
    struct pl_parquet_folder folder;
    struct pl_parquet_table *tables; /* by rank of their objects */
    size_t num, cap;
    struct pl_parquet_events events;
    uint64_t *begun; /* by rank: the sample that the table has begun */
    size_t cap_begun;
    uint64_t sample;
};

/* ---- tables -------------------------------------------------------------- */

static struct pl_parquet_table *parquet_table_of(struct dataset *d,
                                                 const struct pl_group *g)
{
    size_t rank = g->object->rank;

    if (rank >= d->num) {
        if (!pl_array_reserve((void **)&d->tables, &d->cap, rank + 1,
                              sizeof *d->tables) ||
            !pl_array_reserve((void **)&d->begun, &d->cap_begun, rank + 1,
                              sizeof *d->begun))
            return NULL;
        memset(d->tables + d->num, 0, (rank + 1 - d->num) * sizeof *d->tables);
        memset(d->begun + d->num, 0, (rank + 1 - d->num) * sizeof *d->begun);
        d->num = rank + 1;
    }
    d->tables[rank].object = g->object;
    return &d->tables[rank];
}

/* Cells from 'cells' on that are of one group. */
static size_t of_group(const struct pl_cell_at *cells, size_t num)
{
    size_t n = 1;

    while (n < num && cells[n].group == cells[0].group)
        n++;
    return n;
}

static enum pl_status begin_table(struct dataset *d, struct pl_parquet_table *t,
                                  const struct pl_row *row)
{
    uint64_t *begun = &d->begun[t->object->rank];

    if (*begun == d->sample)
        return PL_OK;
    *begun = d->sample;
    return pl_parquet_table_sample(t, &d->folder, row);
}

/*
 * Before a row of a sample is written, all of the sample's columns are known:
 * a file ends between two samples.
 */
static enum pl_status prepare(struct dataset *d, const struct pl_row *row)
{
    const struct pl_group *last = NULL;
    struct pl_parquet_table *t = NULL;
    enum pl_status s = PL_OK;

    d->sample++;
    for (size_t i = 0; i < row->num_cells && !s; i++) {
        const struct pl_cell_at *cell = &row->cells[i];

        if (cell->group != last) {
            last = cell->group;
            t = parquet_table_of(d, last);
            s = t ? begin_table(d, t, row) : PL_NOMEM;
        }
        if (!s && !pl_parquet_table_suits(t, cell))
            s = pl_parquet_table_admit(t, cell);
    }
    return s;
}

/* ---- memory -------------------------------------------------------------- */

static enum pl_status flush_rows(struct dataset *d, struct pl_parquet_table *t)
{
    enum pl_status s = pl_parquet_table_flush(t);
    size_t kept = 0;

    for (size_t i = 0; i < d->num && !s; i++)
        kept += d->tables[i].file ? pl_parquet_held(d->tables[i].file) : 0;
    if (!s && kept > MOST_KEPT)
        pl_parquet_trim(t->file);
    return s;
}

/* Write the rows of the largest table until what is held is little. */
static enum pl_status limit_held(struct dataset *d)
{
    struct pl_parquet_table *largest = NULL;
    size_t held = 0;

    for (size_t i = 0; i < d->num; i++) {
        struct pl_parquet_table *t = &d->tables[i];

        held += t->held;
        if (t->held && (!largest || t->held > largest->held))
            largest = t;
    }
    return held > MOST_HELD ? flush_rows(d, largest) : PL_OK;
}

static enum pl_status end_table_row(struct dataset *d,
                                    struct pl_parquet_table *t)
{
    return pl_parquet_rows(t->file) >= GROUP_ROWS || t->held > MOST_HELD
               ? flush_rows(d, t)
               : PL_OK;
}

/* ---- rows ---------------------------------------------------------------- */

static enum pl_status take_parquet_row(struct pl_query *e, void *ctx,
                                       const struct pl_row *row)
{
    struct dataset *d = ctx;
    enum pl_status s = pl_cleanup_signal_waits() ? PL_USAGE : prepare(d, row);

    (void)e;
    for (size_t i = 0, n; i < row->num_cells && !s; i += n) {
        struct pl_parquet_table *t = parquet_table_of(d, row->cells[i].group);

        n = of_group(row->cells + i, row->num_cells - i);
        if (t->skips)
            continue;
        s = pl_parquet_table_row(t, row, row->cells + i, n);
        if (!s)
            s = end_table_row(d, t);
    }
    if (!s)
        s = pl_parquet_events_row(&d->events, &d->folder, row);
    return s ? s : limit_held(d);
}

static void release_dataset(struct dataset *d)
{
    for (size_t i = 0; i < d->num; i++)
        pl_parquet_table_release(&d->tables[i]);
    d->num = 0;
}

static enum pl_status end_host(struct pl_query *e, void *ctx, bool ended)
{
    struct dataset *d = ctx;
    enum pl_status s = PL_OK;

    (void)e;
    for (size_t i = 0; i < d->num && !s; i++)
        s = pl_cleanup_signal_waits() ? PL_USAGE
                                      : pl_parquet_table_finish(&d->tables[i]);
    release_dataset(d);
    return s ? s : pl_parquet_events_end(&d->events, &d->folder, ended);
}

/* ---- the command --------------------------------------------------------- */

static enum pl_status refuse(struct pl_query *e, enum pl_status s,
                             const char *why)
{
    const char *path = e->plan->output;

    if (s == PL_BUSY)
        pl_say("%s: another export writes to it; wait for its end", path);
    else
        pl_say_status(path, s, why);
    e->code = PL_EXIT_FAILED;
    return s;
}

/* Until what was begun is deleted; but a pipe may be waited for very long. */
static void hold_signals(const struct pl_query *e)
{
    if (pl_host_logs_is_stream(&e->logs))
        return;
    pl_cleanup_signal_catch(NULL);
    pl_cleanup_signal_hold();
}

static enum pl_status run_parquet(struct pl_query *e)
{
    struct dataset d = { 0 };
    const struct pl_host_rows rows = { take_parquet_row, end_host, &d };
    const char *why = NULL;
    enum pl_status s;

    hold_signals(e);
    s = pl_parquet_folder_open(&d.folder, e->plan->output,
                               pl_host_logs_rights(&e->logs), &why);
    if (s) {
        s = refuse(e, s, why);
    } else {
        e->plan->replay.watch = pl_parquet_events_watch;
        e->plan->replay.watch_ctx = &d.events;
        s = pl_query_rows_by_host(e, &rows);
        if (!s && !e->rows)
            s = PL_END;
        if (!s && pl_query_say_unmatched(e))
            s = PL_USAGE;
    }
    release_dataset(&d);
    pl_parquet_events_release(&d.events);
    pl_parquet_folder_close(&d.folder, s != PL_OK);
    free(d.tables);
    free(d.begun);
    pl_cleanup_signal_release();
    return s;
}

const struct pl_layout pl_layout_parquet = {
    .name = "parquet",
    .want_absent = true,
    .identifies = true,
    .own_output = true,
    .together = true,
    .run = run_parquet,
};
