/*
 * A column per series, and the same in Windows' form.  Columns are known once
 * all names are.
 */
#include "analyze/export/layouts.h"
#include "analyze/export/wide_columns.h"
#include "analyze/query/parts.h"

#include "format/base/file.h"
#include "format/time/zone.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The columns of one file. */
struct part {
    struct pl_columns columns;
    struct pl_paged page;
    struct pl_csv own;
    struct pl_csv *csv; /* the query's, for the first part */
};

struct sheet {
    struct pl_header header;
    struct pl_wide_columns widths; /* used if it may get wider */
    struct pl_wide wide;
    struct part *parts;
    uint32_t num_parts;
    bool again; /* it must be begun again, now that all columns are known */
};

static enum pl_status end_row(struct pl_query *e, void *ctx, int64_t time_ns)
{
    struct sheet *t = ctx;
    enum pl_status s = PL_OK;

    for (uint32_t i = 0; i < t->num_parts && !s; i++)
        s = pl_wide_end_row(&t->wide, t->parts[i].csv, &e->plan->time, time_ns,
                            &t->parts[i].columns);
    return s;
}

/* The most series columns of a sheet. */
static uint32_t room_for_series(const struct pl_query *e)
{
    return PL_SHEET_COLUMNS - 1 - e->plan->time.offset;
}

/*
 * Series have appeared that the first pass did not find.  PL_END: the sheet
 * must be begun again.
 */
static enum pl_status widen(struct pl_query *e, struct sheet *t)
{
    enum pl_status s = pl_wide_columns_add(&t->widths, e, &t->header, &t->wide);

    if (s)
        return s;
    t->parts[0].columns.to = t->header.num_columns;
    return t->header.num_columns > room_for_series(e) && !e->plan->wide_anyway
               ? PL_END
               : PL_OK;
}

static enum pl_status take_wide_row(struct pl_query *e, void *ctx,
                                    const struct pl_row *row)
{
    struct sheet *t = ctx;
    enum pl_status s;

    pl_wide_add(&t->wide, row);
    if (!e->keys_only || !t->wide.incomplete)
        return PL_OK;
    s = widen(e, t);
    if (s == PL_END)
        t->again = true;
    if (!s)
        pl_wide_add(&t->wide, row);
    return s;
}

static enum pl_status say_too_wide(struct pl_query *e, uint32_t num_columns)
{
    pl_say("export: %" PRIu32 " columns, and a spreadsheet takes %d; choose "
           "counters with -c, take --top, or --layout long or table, or give "
           "--split or --wide-anyway",
           num_columns + PL_SHEET_COLUMNS - room_for_series(e),
           PL_SHEET_COLUMNS);
    e->code = PL_EXIT_FAILED;
    return PL_USAGE;
}

/* The columns of each file; without --split there is one. */
static enum pl_status make_parts(struct pl_query *e, struct sheet *t)
{
    uint32_t each = e->plan->split ? room_for_series(e) : UINT32_MAX;
    uint32_t num =
        t->header.num_columns ? (t->header.num_columns - 1) / each + 1 : 1;

    t->parts = calloc(num, sizeof *t->parts);
    if (!t->parts)
        return PL_NOMEM;
    t->num_parts = num;
    for (uint32_t i = 0; i < num; i++) {
        struct part *p = &t->parts[i];

        p->columns = (struct pl_columns){ i * each, t->header.num_columns };
        if (i + 1 < num)
            p->columns.to = (i + 1) * each;
        p->csv = i ? &p->own : &e->csv;
        p->page = e->page;
        p->page.number = i + 1;
        p->page.step = num;
        if (!i)
            e->page.step = num;
        else
            pl_csv_init(&p->own, &e->plan->style, pl_paged_write, &p->page);
        p->csv->pages = pl_query_pages(e);
    }
    return PL_OK;
}

static enum pl_status flush_parts(struct sheet *t)
{
    enum pl_status s = PL_OK;

    for (uint32_t i = 0; i < t->num_parts && !s; i++)
        s = pl_csv_flush(t->parts[i].csv);
    return s;
}

static void release_sheet(struct sheet *t)
{
    for (uint32_t i = 0; i < t->num_parts; i++)
        pl_csv_release(&t->parts[i].own);
    free(t->parts);
    pl_wide_release(&t->wide);
    free(t->header.groups);
    *t = (struct sheet){ 0 };
}

static enum pl_status scan_columns(struct pl_query *e, struct sheet *t)
{
    enum pl_status s = pl_query_scan(e);

    free(t->header.groups);
    t->header.groups = NULL;
    return s ? s
             : pl_registry_columns(&e->registry, &t->header.groups,
                                   &t->header.num_groups,
                                   &t->header.num_columns);
}

/* True if there is anything to be said that a glance may have got wrong. */
static bool needs_all_names(const struct pl_query *e, const struct sheet *t)
{
    return !t->header.num_columns ||
           t->header.num_columns > room_for_series(e) ||
           pl_query_needs_all_names(e);
}

/*
 * The first pass: which columns there are.  If the file can be written again
 * they need not all be known, so only key samples are decoded.
 */
static enum pl_status find_columns(struct pl_query *e, struct sheet *t,
                                   bool again)
{
    bool as_listed = e->plan->layout->pdh && pl_host_logs_are_listed(&e->logs);
    enum pl_status s;

    e->keys_only = !again && !e->plan->split && !pl_query_measures(e) &&
                   !as_listed && pl_query_can_start_over(e);
    s = scan_columns(e, t);
    if (!s && e->keys_only && needs_all_names(e, t)) {
        e->keys_only = false;
        s = scan_columns(e, t);
    }
    if (!s && as_listed)
        s = pl_registry_as_listed(t->header.groups, t->header.num_groups,
                                  t->header.num_columns);
    if (s)
        return s;
    if (!e->plan->layout->pdh)
        pl_query_plan_offset(e);
    if (t->header.num_columns > room_for_series(e) && !e->plan->wide_anyway &&
        !e->plan->split)
        return say_too_wide(e, t->header.num_columns);
    if (!e->rows && !e->plan->follow)
        return PL_END;
    if (pl_query_say_unmatched(e) && !t->header.num_columns)
        return PL_USAGE;
    if (!e->plan->follow && !again)
        pl_query_say_rows(e, NULL, e->rows);
    s = pl_wide_init(&t->wide, t->header.num_columns);
    return s ? s : make_parts(e, t);
}

/* ---- rows of a part ------------------------------------------------------ */

static enum pl_status begin_part(struct pl_query *part, void *state,
                                 const void *whole)
{
    const struct sheet *all = whole;
    struct sheet *t = state;

    t->parts = calloc(1, sizeof *t->parts);
    if (!t->parts)
        return PL_NOMEM;
    t->num_parts = 1;
    t->parts[0].columns = all->parts[0].columns;
    t->parts[0].csv = &part->csv;
    return pl_wide_init(&t->wide, all->header.num_columns);
}

static void release_part(void *state)
{
    release_sheet(state);
}

static bool has_all_columns(const void *state)
{
    const struct sheet *t = state;

    return !t->wide.incomplete;
}

static enum pl_status part_row(struct pl_query *part, void *state,
                               const struct pl_row *row)
{
    struct sheet *t = state;

    (void)part;
    pl_wide_add(&t->wide, row);
    return PL_OK;
}

static struct pl_part_layout parts_of(const struct sheet *t)
{
    return (struct pl_part_layout){
        .size = sizeof *t,
        .whole = t,
        .begin = begin_part,
        .release = release_part,
        .is_whole = has_all_columns,
        .take = part_row,
        .end = end_row,
    };
}

/* ---- all rows ------------------------------------------------------------ */

static enum pl_status write_sheet(struct pl_query *e, struct sheet *t)
{
    const struct pl_rows rows = { take_wide_row, end_row, t };
    const struct pl_part_layout parts = parts_of(t);
    enum pl_status s = pl_query_begin(e);

    if (s)
        return s;
    for (uint32_t i = 0; i < t->num_parts; i++)
        pl_wide_header(t->parts[i].csv, &e->plan->time, t->header.groups,
                       t->header.num_groups, &t->parts[i].columns);
    pl_wide_columns_begin(&t->widths, &t->header);
    s = pl_query_rows_by_parts(e, &rows, &parts);
    if (!s)
        s = flush_parts(t);
    if (!s && !t->again)
        s = pl_wide_columns_even(&t->widths, e, &t->header);
    return s;
}

static enum pl_status write_rows(struct pl_query *e, struct sheet *t)
{
    enum pl_status s = write_sheet(e, t);

    if (!s && t->again) {
        pl_query_stop(e);
        release_sheet(t);
        s = pl_query_start_over(e) ? find_columns(e, t, true) : PL_USAGE;
        if (!s)
            s = write_sheet(e, t);
    }
    if (t->wide.incomplete)
        pl_say("series that appeared while the log was being read are not in "
               "the sheet; export again to have them");
    return s;
}

static enum pl_status run_wide(struct pl_query *e)
{
    struct sheet t = { 0 };
    enum pl_status s = find_columns(e, &t, false);

    if (!s)
        s = write_rows(e, &t);
    release_sheet(&t);
    return s;
}

/* ---- the PDH layout ------------------------------------------------------ */

/*
 * "(PDH-CSV 4.0) (ZONE)(BIAS)": the bias is the minutes to add to the times of
 * the column to get UTC.  There is one for the whole sheet.
 */
static void put_zone_cell(const struct pl_query *e, struct pl_buf *out)
{
    const char *name = e->plan->zone_name;
    int64_t at = e->rows ? e->first_ns : pl_clock_utc();
    char bias[16];

    if (!name)
        name = e->log_zone ? e->log_zone : pl_zone_name();
    snprintf(bias, sizeof bias, ")(%d)", (int)(-pl_zone_offset(at) / 60));
    pl_buf_bytes(out, "(PDH-CSV 4.0) (", 15);
    pl_buf_string(out, name);
    pl_buf_string(out, bias);
    if (e->rows && !e->plan->quiet &&
        !pl_zone_is_constant(e->first_ns, e->last_ns))
        pl_say("the offset of %s changes within these rows, and the header "
               "tells only the first; take --tz UTC to be safe",
               pl_zone_name());
}

static enum pl_status run_pdh(struct pl_query *e)
{
    struct sheet t = { 0 };
    struct pl_buf cell = { 0 };
    enum pl_status s = find_columns(e, &t, false);

    if (!s) {
        put_zone_cell(e, &cell);
        e->plan->time.header = (struct pl_text){ (char *)cell.p, cell.len };
        s = cell.oom ? PL_NOMEM : write_rows(e, &t);
    }
    pl_buf_release(&cell);
    release_sheet(&t);
    return s;
}

const struct pl_layout pl_layout_pdh = {
    .name = "pdh",
    .brief = true,
    .or_long = true,
    .numbers_only = true,
    .reads_twice = true,
    .pdh = true,
    .run = run_pdh,
};

const struct pl_layout pl_layout_wide = {
    .name = "wide",
    .brief = true,
    .or_long = true,
    .numbers_only = true,
    .reads_twice = true,
    .run = run_wide,
};
