/*
 * Blocks to lines of CSV, as export goes: every block is taken apart, paired
 * with the one before it and calculated, in the long and in the wide layout.
 *
 * Input: two bytes of options, then parts: a TITL payload and up to six
 * blocks.
 */
#include "analyze/output/csv.h"
#include "analyze/replay/row_values.h"
#include "analyze/replay/replay.h"
#include "analyze/query/rows_csv.h"
#include "format/time/time_text.h"
#include "tests/fuzz/fuzz.h"

#include <csv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_BLOCKS = 6,
    /* options, first byte */
    WITH_UNWRAP32 = 1,
    WITH_CAP100 = 2,
    WITH_PDH_MULTI = 4,
    WITH_STEPPED_CLOCK = 8,
    WITH_GAP = 16,
    WITH_DAMAGE = 32,
    WITH_PATHS = 64,
    WITHOUT_GUARD = 128,
    /* the second byte chooses a style of times */
    LONG_COLUMNS = 7,
    VALUE_COLUMN = 5,
    STATUS_COLUMN = 6,
};

/* An export of a few blocks under way. */
struct export
{
    struct pl_buf blocks[MAX_BLOCKS];
    size_t num_blocks;
    struct pl_titles *titles;
    struct pl_counter_path_list paths;
    struct pl_registry registry;
    const struct pl_host *host;
    uint8_t options;
    struct pl_time_format time;
    struct pl_csv csv;
    struct pl_buf text; /* what was written */
    bool has_texts;     /* a text counter among it */
};

const struct fuzz_shape fuzz_shape = { .head = 2, .first_block = 1 };

/* ---- promises about values ----------------------------------------------- */

static const struct pl_planned_counter *planned(const struct pl_sample *now,
                                                const struct pl_cell_at *at)
{
    for (size_t i = 0; i < now->num_objects; i++) {
        const struct pl_counter_plan *plan = now->objects[i].plan;

        for (size_t k = 0; k < plan->num_counters; k++)
            if (plan->names == at->group->object &&
                plan->counters[k].slot == at->slot)
                return &plan->counters[k];
    }
    return NULL;
}

static void check_value(const struct pl_sample *now, uint8_t options,
                        const struct pl_cell_at *at)
{
    const struct pl_planned_counter *c = planned(now, at);
    const struct pl_value *v = &at->value;

    fuzz_check((unsigned)v->cell < PL_NUM_CELLS);
    if (!pl_cell_has_value(v->cell)) {
        fuzz_check(v->kind == PL_VALUE_NONE);
        return;
    }
    fuzz_check(c && c->formula);
    if (v->kind != PL_VALUE_DOUBLE)
        return;
    fuzz_check(isfinite(v->number));
    if (c->formula->type == PERF_DOUBLE_RAW)
        return; /* whatever number was stored */
    fuzz_check(v->number >= 0);
    if (options & WITH_CAP100 && c->formula->kind == PL_VALUE_DOUBLE &&
        !(c->formula->type & PERF_MULTI_COUNTER) &&
        (c->formula->type & PERF_DISPLAY_MASK) == PERF_DISPLAY_PERCENT)
        fuzz_check(v->number <= 100);
}

/* ---- promises about text -------------------------------------------------- */

struct sheet {
    size_t column, row;
    size_t num_columns; /* of the header */
    bool is_long;
    bool texts;     /* some counter is one */
    bool has_value; /* this row of a long sheet, */
    bool is_text;   /* and it is, or may be, a text: which may be empty */
};

static size_t digits(const char *p, size_t n, size_t from, const char *which)
{
    while (from < n && p[from] && strchr(which, p[from]))
        from++;
    return from;
}

/* [-]digits[.digits][e(+|-)digits] or 0x and 8 or 16 digits. */
static bool is_number(const char *p, size_t n)
{
    static const char decimal[] = "0123456789";
    size_t at = n && p[0] == '-', end;

    if (n > 2 && p[0] == '0' && p[1] == 'x')
        return (n == 10 || n == 18) && digits(p, n, 2, "0123456789abcdef") == n;
    end = digits(p, n, at, decimal);
    if (end == at)
        return false;
    if (end < n && p[end] == '.') {
        at = end + 1;
        end = digits(p, n, at, decimal);
        if (end == at)
            return false;
    }
    if (end + 1 < n && p[end] == 'e' && strchr("+-", p[end + 1])) {
        at = end + 2;
        end = digits(p, n, at, decimal);
        if (end == at)
            return false;
    }
    return end == n;
}

static bool says_value(const char *p, size_t n)
{
    for (int c = 0; c < PL_NUM_CELLS; c++) {
        const char *name = pl_cell_name((enum pl_cell)c);

        if (strlen(name) == n && (!n || !memcmp(name, p, n)))
            return pl_cell_has_value((enum pl_cell)c);
    }
    fuzz_broken(__FILE__, __LINE__, "every status has a name of its own");
}

static void on_cell(void *p, size_t n, void *ctx)
{
    struct sheet *s = ctx;
    bool is_value =
        s->row && (s->is_long ? s->column == VALUE_COLUMN : s->column > 0);

    if (is_value) {
        s->has_value = n != 0;
        s->is_text = s->is_long && s->texts && !is_number(p, n);
        fuzz_check(!n || s->is_text || is_number(p, n));
    }
    if (s->row && s->is_long && s->column == STATUS_COLUMN && !s->is_text)
        fuzz_check(says_value(p, n) == s->has_value);
    s->column++;
}

static void on_row(int end, void *ctx)
{
    struct sheet *s = ctx;

    (void)end;
    if (!s->row++)
        s->num_columns = s->column;
    fuzz_check(s->column == s->num_columns);
    s->column = 0;
}

/* Read back what was written; returns the number of rows. */
static size_t check_text(const struct export *e, bool is_long)
{
    struct sheet s = { .is_long = is_long, .texts = e->has_texts };
    const struct pl_buf *text = &e->text;
    struct csv_parser parser;

    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI))
        abort();
    fuzz_check(csv_parse(&parser, text->p, text->len, on_cell, on_row, &s) ==
               text->len);
    fuzz_check(!csv_fini(&parser, on_cell, on_row, &s));
    csv_free(&parser);
    fuzz_check(!is_long || s.num_columns == LONG_COLUMNS);
    return s.row;
}

/* ---- the way of export ----------------------------------------------------- */

static enum pl_status keep(void *ctx, const void *p, size_t n)
{
    pl_buf_bytes(ctx, p, n);
    return PL_OK;
}

/* As pl_replay does between samples. */
static enum pl_cell why_unpaired(const struct export *e, size_t i)
{
    if (!i)
        return PL_CELL_FIRST;
    if (i == 2 && e->options & WITH_GAP)
        return PL_CELL_GAP;
    if (i == 3 && e->options & WITH_DAMAGE)
        return PL_CELL_DAMAGED;
    return PL_CELL_GOOD;
}

static void put_row(struct export *e, struct pl_wide *wide,
                    const struct pl_row *row)
{
    struct pl_long lines = { .num_objects = 0 };

    if (wide) {
        pl_wide_add(wide, row);
        pl_wide_end_row(wide, &e->csv, &e->time, row->time_ns,
                        &(struct pl_columns){ 0, wide->num_columns });
        return;
    }
    for (size_t i = 0; i < row->num_cells; i++)
        e->has_texts |= row->cells[i].value.kind == PL_VALUE_TEXT;
    pl_long_row(&lines, &e->csv, &e->time, row, false);
    pl_long_release(&lines);
}

/* One pass over the blocks: names only, wide, or (wide is NULL) long. */
static void pass(struct export *e, struct pl_wide *wide, bool names_only)
{
    struct pl_sample_view samples = {
        .registry = &e->registry,
        .choice = { .paths = &e->paths, .brief = wide || names_only },
        .numbers_only = wide || names_only,
        .forget = !wide && !names_only,
        .host = e->host,
        .titles = e->titles,
        .titles_version = 1,
    };
    struct pl_row_values pairing = {
        .calc = { .unwrap32 = e->options & WITH_UNWRAP32,
                  .cap100 = e->options & WITH_CAP100,
                  .pdh_multi = e->options & WITH_PDH_MULTI },
        .names_only = names_only,
        .want_absent = !wide && !names_only,
        .clock_stepped = e->options & WITH_STEPPED_CLOCK,
    };

    for (size_t i = 0; i < e->num_blocks; i++) {
        struct pl_row row = { .time_ns = (int64_t)i * PL_NS_PER_SEC };

        fuzz_check(!pl_sample_view_read(&samples, &e->blocks[i]));
        pairing.why_unpaired = why_unpaired(e, i);
        fuzz_check(!pl_row_values_row(&pairing, &samples));
        for (size_t k = 0; k < pairing.num_cells; k++)
            check_value(pl_sample_view_now(&samples), e->options,
                        &pairing.cells[k]);
        row.cells = pairing.cells;
        row.num_cells = pairing.num_cells;
        if (!names_only)
            put_row(e, wide, &row);
    }
    pl_sample_view_release(&samples);
    pl_row_values_release(&pairing);
}

static void begin(struct export *e)
{
    pl_buf_clear(&e->text);
    pl_csv_init(
        &e->csv,
        &(struct pl_csv_style){ .guard = !(e->options & WITHOUT_GUARD) }, keep,
        &e->text);
    e->host = pl_registry_host(&e->registry, pl_text_of("HOST"), 1);
    fuzz_check(e->host);
}

static void end(struct export *e)
{
    fuzz_check(!pl_csv_flush(&e->csv));
    pl_csv_release(&e->csv);
    pl_registry_release(&e->registry);
    e->registry = (struct pl_registry){ 0 };
}

static void export_long(struct export *e)
{
    begin(e);
    pl_long_header(&e->csv, &e->time, false);
    pass(e, NULL, false);
    end(e);
    fuzz_check(check_text(e, true) >= 1);
}

static void export_wide(struct export *e)
{
    struct pl_wide wide = { 0 };
    struct pl_group **groups = NULL;
    size_t num_groups = 0;
    uint32_t num_columns = 0;

    begin(e);
    pass(e, NULL, true);
    fuzz_check(
        !pl_registry_columns(&e->registry, &groups, &num_groups, &num_columns));
    fuzz_check(!pl_wide_init(&wide, num_columns));
    pl_wide_header(&e->csv, &e->time, groups, num_groups,
                   &(struct pl_columns){ 0, num_columns });
    pass(e, &wide, false);
    fuzz_check(!wide.incomplete);
    pl_wide_release(&wide);
    free(groups);
    end(e);
    fuzz_check(check_text(e, false) == e->num_blocks + 1);
}

/* ---- input ------------------------------------------------------------------ */

static void read_options(struct export *e, struct fuzz_input *in)
{
    static const char *const paths[] = { "\\Object 1000(*)\\*", "+*(t*)\\*[*]",
                                         "\\#1400(*/*)\\Counter 140?" };
    const char *why;

    e->options = fuzz_byte(in);
    e->time.style = fuzz_byte(in) % (PL_TIME_SERIAL + 1);
    for (size_t i = 0; e->options & WITH_PATHS && i < 3; i++)
        fuzz_check(!pl_counter_path_list_add(&e->paths, paths[i], &why));
}

static void read_titles(struct export *e, struct fuzz_input *in)
{
    size_t n = 0;
    uint8_t *p = fuzz_part(in, &n);

    if (pl_titles_new(&e->titles))
        abort();
    pl_titles_parse(e->titles, p, n);
    free(p);
}

static void read_blocks(struct export *e, struct fuzz_input *in)
{
    while (e->num_blocks < MAX_BLOCKS) {
        struct pl_buf *b = &e->blocks[e->num_blocks];

        b->p = fuzz_part(in, &b->len);
        b->cap = b->len;
        if (!b->p)
            break;
        e->num_blocks++;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    struct fuzz_input in = { p, n };
    struct export e = { .num_blocks = 0 };

    read_options(&e, &in);
    read_titles(&e, &in);
    read_blocks(&e, &in);
    export_long(&e);
    export_wide(&e);
    for (size_t i = 0; i < e.num_blocks; i++)
        pl_buf_release(&e.blocks[i]);
    pl_buf_release(&e.text);
    pl_titles_free(e.titles);
    pl_counter_path_list_release(&e.paths);
    return 0;
}
