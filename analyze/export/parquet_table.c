/* Rows of an object as a Parquet file. */
#include "analyze/export/parquet_table.h"

#include "analyze/output/number.h"
#include "format/base/array.h"
#include "format/time/time_text.h"
#include "format/base/utf.h"

#include <stdlib.h>
#include <string.h>

/* Names that the columns of counters may not have, also in other case. */
static const char *const reserved[] = { "Time",   "Host", "Instance",
                                        "Status", "date", "object" };

/* Row groups of a file, so that its metadata stays small. */
enum { MOST_GROUPS = 1024 };

/* ---- columns ------------------------------------------------------------- */

static enum pl_parquet_type type_of(const struct pl_value *v)
{
    switch (v->kind) {
    case PL_VALUE_INTEGER:
        return PL_PARQUET_COUNT;
    case PL_VALUE_HEX:
    case PL_VALUE_TEXT:
        return PL_PARQUET_TEXT;
    default:
        return PL_PARQUET_DOUBLE;
    }
}

/* The type that the counter's definition gives. */
static enum pl_parquet_type usual_type(const struct pl_counter_names *c)
{
    struct pl_formula scratch;
    const struct pl_formula *f = pl_formula_of(c->type, c->size, &scratch);
    const struct pl_value v = { .kind = f ? f->kind : PL_VALUE_NONE };

    return type_of(&v);
}

/* A count that a double holds as it is. */
static bool is_exact(uint64_t v)
{
    return v <= UINT64_C(1) << 53;
}

/* 'type' if it holds the value, else one that does. */
static enum pl_parquet_type holding(enum pl_parquet_type type,
                                    const struct pl_value *v)
{
    enum pl_parquet_type own = type_of(v);

    if (v->kind == PL_VALUE_NONE || own == type || type == PL_PARQUET_TEXT)
        return type;
    if (own == PL_PARQUET_TEXT)
        return own;
    if (own == PL_PARQUET_DOUBLE)
        return PL_PARQUET_DOUBLE;
    return is_exact(v->integer) ? type : PL_PARQUET_TEXT;
}

bool pl_parquet_table_holds(const struct pl_parquet_slot *slot,
                            const struct pl_value *v)
{
    return holding(slot->type, v) == slot->type;
}

static bool has_identities(const struct pl_parquet_table *t)
{
    return pl_object_has_identities(t->object->name);
}

/* Readers compare names of columns without case, as they are in the file. */
static bool is_same_name(const char *a, const char *b)
{
    const uint8_t *p = (const uint8_t *)a, *q = (const uint8_t *)b;
    size_t num_p = strlen(a), num_q = strlen(b), n;

    while (num_p && num_q) {
        uint32_t code = pl_utf8_decode(p, num_p, &n);

        p += n;
        num_p -= n;
        if (pl_fold(code) != pl_fold(pl_utf8_decode(q, num_q, &n)))
            return false;
        q += n;
        num_q -= n;
    }
    return num_p == num_q;
}

static bool is_taken(const struct pl_parquet_table *t, uint32_t slot)
{
    const char *name = t->object->counters[slot].name;

    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (is_same_name(name, reserved[i]))
            return true;
    for (size_t i = 0; has_identities(t) && i < PL_NUM_IDENTITY_COLUMNS; i++)
        if (is_same_name(name, pl_identity_headers[i]))
            return true;
    for (uint32_t i = 0; i < slot; i++)
        if (is_same_name(name, t->object->counters[i].name))
            return true;
    return false;
}

enum pl_status pl_parquet_table_admit(struct pl_parquet_table *t,
                                      const struct pl_cell_at *cell)
{
    const struct pl_object_names *o = cell->group->object;
    enum pl_status s = pl_parquet_table_finish(t);
    struct pl_parquet_slot *slots;

    if (s)
        return s;
    if (cell->slot >= t->num_slots) {
        if (!pl_array_resize((void **)&t->slots, o->num_counters,
                             sizeof *t->slots))
            return PL_NOMEM;
        for (; t->num_slots < o->num_counters; t->num_slots++)
            t->slots[t->num_slots] =
                (struct pl_parquet_slot){ .column = PL_NO_COLUMN };
    }
    slots = &t->slots[cell->slot];
    if (!slots->typed) {
        slots->type = usual_type(&o->counters[cell->slot]);
        slots->taken = is_taken(t, cell->slot);
    }
    slots->type = holding(slots->type, &cell->value);
    slots->usual = slots->type == PL_PARQUET_COUNT    ? PL_VALUE_INTEGER
                   : slots->type == PL_PARQUET_DOUBLE ? PL_VALUE_DOUBLE
                                                      : PL_VALUE_TEXT;
    slots->typed = true;
    return PL_OK;
}

static bool is_counter(const struct pl_object_names *o, const char *name)
{
    for (uint32_t i = 0; i < o->num_counters; i++)
        if (is_same_name(name, o->counters[i].name))
            return true;
    return false;
}

/* The counter's name; if that is taken, with '#' and the slot's number, as often
 * as makes it the name of no counter. */
static bool put_column_name(struct pl_parquet_table *t, uint32_t slot)
{
    const char *name = t->object->counters[slot].name;
    bool taken = t->slots[slot].taken;
    char number[PL_NUMBER_TEXT];

    pl_buf_clear(&t->text);
    pl_buf_bytes(&t->text, name, strlen(name) + 1);
    while (taken && !t->text.oom) {
        t->text.len--;
        pl_buf_u8(&t->text, '#');
        pl_buf_bytes(&t->text, number, pl_integer_put(slot, number));
        pl_buf_u8(&t->text, 0);
        taken = !t->text.oom && is_counter(t->object, (char *)t->text.p);
    }
    return !t->text.oom;
}

static bool add_counter(struct pl_parquet_table *t, uint32_t slot)
{
    if (!put_column_name(t, slot))
        return false;
    t->slots[slot].column = pl_parquet_add(
        t->file, pl_text_of((char *)t->text.p), t->slots[slot].type);
    t->num_counters++;
    return t->slots[slot].column != UINT32_MAX;
}

static bool add(struct pl_parquet_table *t, uint32_t *column, const char *name,
                enum pl_parquet_type type)
{
    *column = pl_parquet_add(t->file, pl_text_of(name), type);
    return *column != UINT32_MAX;
}

static bool add_columns(struct pl_parquet_table *t)
{
    bool good = add(t, &t->time, "Time", PL_PARQUET_TIME) &&
                add(t, &t->host, "Host", PL_PARQUET_TEXT) &&
                add(t, &t->instance, "Instance", PL_PARQUET_TEXT);

    for (size_t i = 0; t->identifies && i < PL_NUM_IDENTITY_COLUMNS; i++)
        good = good &&
               add(t, &t->identity[i], pl_identity_headers[i], PL_PARQUET_TEXT);
    t->num_counters = 0;
    for (uint32_t i = 0; good && i < t->num_slots; i++)
        good = !t->slots[i].typed || add_counter(t, i);
    return good && add(t, &t->status, "Status", PL_PARQUET_TEXT);
}

static enum pl_status begin_file(struct pl_parquet_table *t,
                                 const struct pl_row *row)
{
    enum pl_status s =
        pl_parquet_new(&t->file, pl_parquet_partition_write, &t->partition);

    t->identifies = has_identities(t);
    t->span.first = row->seq;
    t->sample_row = 0;
    t->sample_rows = SIZE_MAX;
    return s ? s : add_columns(t) ? PL_OK : PL_NOMEM;
}

/* ---- samples ------------------------------------------------------------- */

enum pl_status pl_parquet_table_sample(struct pl_parquet_table *t,
                                       const struct pl_parquet_folder *folder,
                                       const struct pl_row *row)
{
    int64_t day = pl_parquet_day(row->time_ns);
    enum pl_status s = PL_OK;

    if (t->file &&
        (t->span.session != row->session || t->partition.day != day ||
         row->seq <= t->span.last || pl_parquet_groups(t->file) >= MOST_GROUPS))
        s = pl_parquet_table_finish(t);
    if (!s && (!t->partition.path || t->partition.day != day))
        s = pl_parquet_partition_open(&t->partition, folder, day,
                                      row->host->name, t->object->name);
    t->skips =
        !s && pl_parquet_partition_holds(&t->partition, row->session, row->seq);
    if (t->file) {
        size_t rows = pl_parquet_rows(t->file);

        t->sample_rows = rows > t->sample_row ? rows - t->sample_row : SIZE_MAX;
        t->sample_row = rows;
    }
    return s;
}

/* ---- statuses ------------------------------------------------------------ */

static bool shows_status(const struct pl_cell_at *cell)
{
    return cell->value.cell != PL_CELL_GOOD;
}

/* The reason that all nulls of the row have; GOOD: they differ. */
static enum pl_cell common_reason(const struct pl_parquet_table *t,
                                  const struct pl_cell_at *cells, size_t num)
{
    enum pl_cell why = PL_CELL_GOOD;

    if (num != t->num_counters)
        return why;
    for (size_t i = 0; i < num; i++) {
        const struct pl_value *v = &cells[i].value;

        if (v->kind != PL_VALUE_NONE && v->cell == PL_CELL_GOOD)
            continue;
        if (v->kind != PL_VALUE_NONE || v->cell == PL_CELL_GOOD ||
            (why && v->cell != why))
            return PL_CELL_GOOD;
        why = v->cell;
    }
    return why;
}

static void put_escaped(struct pl_buf *out, const char *name)
{
    for (; *name; name++) {
        if (strchr("\\|:;", *name))
            pl_buf_u8(out, '\\');
        pl_buf_u8(out, (uint8_t)*name);
    }
}

/* "first: % Idle Time | % User Time; unreadable: Working Set" */
static void put_reasons(struct pl_parquet_table *t,
                        const struct pl_cell_at *cells, size_t num)
{
    for (int why = 1; why < PL_NUM_CELLS; why++) {
        bool any = false;

        for (size_t i = 0; i < num; i++) {
            const char *name = t->object->counters[cells[i].slot].name;

            if ((int)cells[i].value.cell != why)
                continue;
            if (!any && t->text.len)
                pl_buf_bytes(&t->text, "; ", 2);
            if (!any) {
                const char *reason = pl_cell_name((enum pl_cell)why);

                pl_buf_string(&t->text, reason);
            }
            pl_buf_bytes(&t->text, any ? " | " : ": ", any ? 3 : 2);
            put_escaped(&t->text, name);
            any = true;
        }
    }
}

static void put_status(struct pl_parquet_table *t,
                       const struct pl_cell_at *cells, size_t num)
{
    size_t row = pl_parquet_rows(t->file);
    enum pl_cell why = common_reason(t, cells, num);
    const char *name = pl_cell_name(why);

    pl_buf_clear(&t->text);
    if (why)
        pl_buf_string(&t->text, name);
    else
        put_reasons(t, cells, num);
    pl_parquet_text(t->file, t->status,
                    (struct pl_text){ (const char *)t->text.p, t->text.len },
                    row ? row - 1 : SIZE_MAX);
}

/* ---- rows ---------------------------------------------------------------- */

static void put_as_text(struct pl_parquet_table *t, uint32_t column,
                        const struct pl_value *v)
{
    char number[PL_NUMBER_TEXT];
    struct pl_text text = { number, 0 };

    if (v->kind == PL_VALUE_TEXT)
        text = v->text;
    else if (v->kind == PL_VALUE_HEX)
        text.n = pl_hex_put(v->integer, v->digits, number);
    else if (v->kind == PL_VALUE_INTEGER)
        text.n = pl_integer_put(v->integer, number);
    else
        text.n = pl_number_put(v->number, number);
    pl_parquet_text(t->file, column, text, SIZE_MAX);
}

static inline void put_value(struct pl_parquet_table *t,
                             const struct pl_cell_at *cell)
{
    const struct pl_parquet_slot *slot = &t->slots[cell->slot];
    const struct pl_value *v = &cell->value;

    if (v->kind == PL_VALUE_NONE)
        return;
    if (slot->type == PL_PARQUET_COUNT)
        pl_parquet_count(t->file, slot->column, v->integer);
    else if (slot->type == PL_PARQUET_TEXT)
        put_as_text(t, slot->column, v);
    else
        pl_parquet_double(t->file, slot->column,
                          v->kind == PL_VALUE_INTEGER ? (double)v->integer
                                                      : v->number);
}

/* What names the row; the instance was probably at this place before. */
static void put_names(struct pl_parquet_table *t, const struct pl_group *g)
{
    size_t row = pl_parquet_rows(t->file);
    size_t like = row >= t->sample_rows ? row - t->sample_rows : SIZE_MAX;

    pl_parquet_text(t->file, t->host, pl_text_of(g->host->name),
                    row ? row - 1 : SIZE_MAX);
    if (g->instance)
        pl_parquet_text(t->file, t->instance, pl_text_of(g->instance), like);
    for (size_t i = 0; t->identifies && i < PL_NUM_IDENTITY_COLUMNS; i++) {
        struct pl_text text =
            pl_group_identity_text(g, (enum pl_identity_column)i);

        if (text.n)
            pl_parquet_text(t->file, t->identity[i], text, like);
    }
}

enum pl_status pl_parquet_table_row(struct pl_parquet_table *t,
                                    const struct pl_row *row,
                                    const struct pl_cell_at *cells, size_t num)
{
    enum pl_status s = t->file ? PL_OK : begin_file(t, row);
    bool any = false;

    if (s)
        return s;
    t->span.session = row->session;
    t->span.last = row->seq;
    pl_parquet_time(t->file, t->time, row->time_ns / 1000);
    put_names(t, cells->group);
    for (size_t i = 0; i < num; i++) {
        put_value(t, &cells[i]);
        any |= shows_status(&cells[i]);
    }
    if (any)
        put_status(t, cells, num);
    t->held += num * 9 + 64;
    return t->text.oom ? PL_NOMEM : pl_parquet_end_row(t->file);
}

enum pl_status pl_parquet_table_flush(struct pl_parquet_table *t)
{
    t->held = 0;
    t->sample_row = 0;
    t->sample_rows = SIZE_MAX;
    return t->file ? pl_parquet_flush(t->file) : PL_OK;
}

enum pl_status pl_parquet_table_finish(struct pl_parquet_table *t)
{
    enum pl_status s = PL_OK;

    if (!t->file)
        return s;
    s = pl_parquet_end(t->file);
    if (!s)
        s = pl_parquet_partition_finish(&t->partition, &t->span);
    pl_parquet_free(t->file);
    t->file = NULL;
    t->held = 0;
    for (uint32_t i = 0; i < t->num_slots; i++)
        t->slots[i].column = PL_NO_COLUMN;
    return s;
}

void pl_parquet_table_release(struct pl_parquet_table *t)
{
    pl_parquet_free(t->file);
    pl_parquet_partition_release(&t->partition);
    free(t->slots);
    pl_buf_release(&t->text);
    *t = (struct pl_parquet_table){ 0 };
}
