/* The first pass over a sheet of PDH: its columns, machines and letters. */
#include "analyze/foreign/pdh_log.h"

#include "analyze/foreign/pdh_cells.h"
#include "analyze/foreign/seen_bytes.h"
#include "format/base/array.h"
#include "format/base/cursor.h"
#include "format/base/file.h"
#include "format/time/time_text.h"
#include "format/base/utf.h"
#include "format/record/record.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HOSTS = PL_BLG_MAX_MACHINES };
#define NO_DATA 0x800007D5u /* PDH's status of a counter without a value */

static const char many_hosts[] = "columns of more than 256 machines; split the "
                                 "sheet by columns",
                  fewer_cells[] = "a row with fewer cells than the header",
                  no_number[] = "a cell that is no number",
                  no_end[] =
                      "a row without an end, whose last cell may be cut off",
                  row_without_time[] = "a row whose time is none",
                  more_cells[] = "a row with more cells than the header has; "
                                 "decimal commas need quotes",
                  more_columns[] = "columns beyond 65536; split the sheet by "
                                   "columns";

/* ---- what a line is ------------------------------------------------------ */

/*
 * A cell of text, as of remarks, may begin as a path, too.  None that could be a
 * counter's: that may be what is left of a header behind what is left of a row.
 */
static bool is_row_with_text(const struct pl_pdh_log *f,
                             const struct pl_pdh_row *row)
{
    struct pl_pdh_path path;
    int64_t local;

    if (row->reason || row->is_cut || !f->num_cells ||
        row->num < f->num_cells || !pl_pdh_time_of(pl_pdh_cell(row, 0), &local))
        return false;
    for (size_t i = 1; i < row->num; i++)
        if (pl_pdh_path_of(&path, pl_pdh_cell(row, i)))
            return false;
    return true;
}

bool pl_pdh_is_header(const struct pl_pdh_log *f, const struct pl_pdh_row *row)
{
    return row->as_header && !is_row_with_text(f, row);
}

/* Of all cells, each of which ends in a NUL. */
static uint64_t hash_of(const struct pl_pdh_row *row)
{
    const char *last = pl_pdh_cell(row, row->num - 1);

    return pl_hash(row->cells, (size_t)(last - row->cells) + strlen(last) + 1,
                   row->num);
}

bool pl_pdh_is_other_header(const struct pl_pdh_log *f,
                            const struct pl_pdh_row *row)
{
    return pl_pdh_is_header(f, row) &&
           (row->reason || hash_of(row) != f->header_hash);
}

static bool has_number(const struct pl_pdh_row *row, size_t from)
{
    double number;

    for (size_t i = from; i < row->num; i++)
        if (pl_pdh_number_of(pl_pdh_cell(row, i), &number))
            return true;
    return false;
}

bool pl_pdh_is_row(const struct pl_pdh_log *f, const struct pl_pdh_row *row)
{
    return (row->num > 1 || row->is_cut) &&
           (isdigit((unsigned char)*pl_pdh_cell(row, 0)) ||
            (row->num == f->num_cells && has_number(row, 1)));
}

/*
 * What is behind the columns may be text; of numbers without quotes a blank may
 * be a column, and what is before it the parts of numbers with decimal commas.
 */
static bool is_ambiguous(const struct pl_pdh_log *f,
                         const struct pl_pdh_row *row)
{
    return row->num > f->num_cells &&
           (row->quoted < f->num_cells || has_number(row, f->num_cells));
}

const char *pl_pdh_why_not(const struct pl_pdh_log *f,
                           const struct pl_pdh_row *row, int64_t *local)
{
    if (row->reason)
        return row->reason;
    if ((row->is_cut && row->num < 2) ||
        !pl_pdh_time_of(pl_pdh_cell(row, 0), local))
        return row_without_time;
    return is_ambiguous(f, row) ? more_cells : NULL;
}

/* ---- columns ------------------------------------------------------------- */

static uint32_t put_name(struct pl_buf *names, struct pl_text t)
{
    uint32_t at = (uint32_t)names->len;

    pl_buf_bytes(names, t.p, t.n);
    pl_buf_u8(names, 0);
    return at;
}

static enum pl_status find_host(struct pl_pdh_log *f, struct pl_text name,
                                uint32_t *number)
{
    struct pl_foreign_host *host;

    for (size_t i = 0; i < f->base.num_hosts; i++)
        if (pl_text_equal(pl_text_of(f->base.hosts[i].name), name)) {
            *number = (uint32_t)i;
            return PL_OK;
        }
    if (f->base.num_hosts == MOST_HOSTS)
        return PL_TOO_LARGE;
    if (!pl_array_grow((void **)&f->base.hosts, &f->base.cap_hosts,
                       f->base.num_hosts, sizeof *host))
        return PL_NOMEM;
    host = &f->base.hosts[f->base.num_hosts];
    *host =
        (struct pl_foreign_host){ .titles_made_up = true, .calculated = true };
    host->name = pl_text_copy(name);
    if (!host->name)
        return PL_NOMEM;
    *number = (uint32_t)f->base.num_hosts++;
    return PL_OK;
}

/* A column that is not a path keeps its place, but is not used. */
static enum pl_status add_column(struct pl_pdh_log *f, const char *cell)
{
    struct pl_blg_list *l = &f->list;
    struct pl_blg_entry *e = &l->entries[l->num];
    struct pl_pdh_path p;
    enum pl_status s = PL_OK;

    *e = (struct pl_blg_entry){ .type = PERF_DOUBLE_RAW,
                                .instance = PL_BLG_NONE,
                                .unusable = !pl_pdh_path_of(&p, cell) };
    e->formula = pl_formula_of(e->type, sizeof(uint64_t), &e->scratch);
    if (!e->unusable)
        s = find_host(f, p.host, &e->machine_number);
    if (s == PL_TOO_LARGE) {
        e->unusable = true;
        f->left_out = many_hosts;
        s = PL_OK;
    }
    e->object = put_name(&l->names, p.object);
    e->counter = put_name(&l->names, p.counter);
    if (p.has_instance) {
        e->instance = (uint32_t)l->wide.len;
        pl_utf8_to_utf16(&l->wide, p.instance.p, p.instance.n);
        e->instance_len = (uint32_t)l->wide.len - e->instance;
        pl_buf_u16(&l->wide, 0); /* so that "" has an offset, too */
    }
    l->num++;
    return l->names.oom || l->wide.oom ? PL_NOMEM : s;
}

static void note_column(struct pl_pdh_log *f, size_t i)
{
    struct pl_pdh_columns *c = &f->columns[f->list.entries[i].machine_number];

    if (!c->end)
        c->first = i;
    c->end = i + 1;
    f->num_used = i + 2;
}

static enum pl_status take_header(struct pl_pdh_log *f,
                                  const struct pl_pdh_row *row)
{
    struct pl_pdh_zone z = pl_pdh_zone_of(pl_pdh_cell(row, 0));
    size_t num = row->num - 1;
    enum pl_status s = PL_OK;

    if (num > PL_BLG_MAX_ENTRIES) {
        f->left_out = more_columns;
        num = PL_BLG_MAX_ENTRIES;
    }
    f->list.entries = calloc(num, sizeof *f->list.entries);
    if (!f->list.entries)
        return PL_NOMEM;
    for (size_t i = 0; i < num && !s; i++) {
        s = add_column(f, pl_pdh_cell(row, i + 1));
        if (!s && !f->list.entries[i].unusable)
            note_column(f, i);
    }
    f->num_cells = row->num;
    f->header_hash = hash_of(row);
    f->base.list_hash = pl_blg_list_hash(&f->list);
    f->zone_known = z.known;
    f->bias = z.bias;
    for (size_t i = 0; i < f->base.num_hosts && !s && z.known; i++) {
        f->base.hosts[i].zone_minutes = -z.bias;
        f->base.hosts[i].zone = pl_text_copy(z.name);
        s = f->base.hosts[i].zone ? PL_OK : PL_NOMEM;
    }
    return s;
}

/* ---- rows ---------------------------------------------------------------- */

enum pl_status pl_pdh_records_make(struct pl_pdh_records *r,
                                   struct pl_pdh_columns columns)
{
    const size_t num = columns.end - columns.first;

    r->columns = columns;
    r->items = calloc(num + 1, PL_BLG_ITEM_LEN);
    r->records = calloc(num + 1, sizeof *r->records);
    if (!r->items || !r->records)
        return PL_NOMEM;
    for (size_t i = 0; i < num; i++)
        r->records[i] =
            (struct pl_blg_record){ .kind = PL_BLG_ITEM,
                                    .p = r->items + i * PL_BLG_ITEM_LEN,
                                    .len = PL_BLG_ITEM_LEN,
                                    .num = 1 };
    return PL_OK;
}

void pl_pdh_records_free(struct pl_pdh_records *r)
{
    free(r->items);
    free(r->records);
    *r = (struct pl_pdh_records){ 0 };
}

static bool is_blank(const char *cell)
{
    return !cell[strspn(cell, " ")];
}

const char *pl_pdh_records_fill(struct pl_pdh_records *r,
                                const struct pl_pdh_log *f,
                                const struct pl_pdh_row *row)
{
    bool open = row->is_open && row->num <= f->num_used;
    const char *reason = row->num < f->num_used ? fewer_cells
                         : open                 ? no_end
                                                : NULL;
    size_t num = open ? row->num - 1 : row->num;
    uint8_t *item = r->items;

    for (size_t i = r->columns.first; i < r->columns.end; i++) {
        const char *cell = i + 1 < num ? pl_pdh_cell(row, i + 1) : "";
        uint64_t bits = 0;
        double number;
        bool has = pl_pdh_number_of(cell, &number);

        if (has)
            memcpy(&bits, &number, sizeof bits);
        else if (!is_blank(cell))
            reason = no_number;
        pl_put_le32(item + PL_BLG_STATUS_AT, has ? 0 : NO_DATA);
        pl_put_le64(item + PL_BLG_FIRST_AT, bits);
        item += PL_BLG_ITEM_LEN;
    }
    return reason;
}

uint32_t pl_pdh_records_status(const struct pl_pdh_records *r, size_t i)
{
    return pl_get_le32(r->items + i * PL_BLG_ITEM_LEN + PL_BLG_STATUS_AT);
}

/* ---- the first pass ------------------------------------------------------ */

static void note_time(struct pl_pdh_log *f, int64_t utc_ns, bool begun)
{
    for (size_t i = 0; i < f->base.num_hosts; i++) {
        struct pl_foreign_host *h = &f->base.hosts[i];

        if (!begun)
            h->first_utc = h->last_utc = utc_ns;
        else if (utc_ns > h->last_utc)
            h->last_utc = utc_ns;
    }
}

static enum pl_status look_at_rows(struct pl_pdh_log *f,
                                   struct pl_pdh_rows *rows,
                                   struct pl_pdh_records *r)
{
    struct pl_blg_list *l = &f->list;
    struct pl_pdh_row row;
    bool begun = false, other = false;
    enum pl_status s;

    while (!(s = pl_pdh_next(rows, &row))) {
        int64_t local;

        if (pl_pdh_is_header(f, &row))
            other = pl_pdh_is_other_header(f, &row);
        if (other)
            continue;
        if (pl_pdh_is_header(f, &row) || pl_pdh_why_not(f, &row, &local)) {
            f->other_lines += !row.reason && !pl_pdh_is_header(f, &row) &&
                              !pl_pdh_is_row(f, &row);
            continue;
        }
        pl_pdh_records_fill(r, f, &row);
        if (!begun)
            pl_blg_watch(l, r->records, l->num, f->base.num_hosts, 1);
        for (size_t i = 0; i < l->num; i++)
            l->entries[i].had_errors |= pl_pdh_records_status(r, i) != 0;
        note_time(f, local + f->bias * 60 * PL_NS_PER_SEC, begun);
        begun = true;
    }
    return s == PL_END ? PL_OK : s;
}

/* A code page that was not given, and bytes that are none of its letters. */
static void note_code_page(struct pl_pdh_log *f, const struct pl_pdh_rows *rows)
{
    const uint32_t code_page =
        rows->letters == PL_PDH_ANSI ? rows->code_page : 0;
    const bool guessed = code_page && !pl_code_page_given();
    char page[PL_CODE_PAGE_TEXT], word[64] = "", bad[80] = "";

    pl_code_page_text(code_page, page);
    if (rows->word)
        snprintf(word, sizeof word, ", as it has '%s'", rows->word);
    if (rows->replaced)
        snprintf(bad, sizeof bad, "%s%" PRIu64 " of its bytes %s%s",
                 guessed ? "; " : "", rows->replaced,
                 rows->replaced == 1 ? "is no letter" : "are no letters",
                 guessed ? "" : " of that code page");
    if (guessed)
        snprintf(f->base.remark, sizeof f->base.remark,
                 "the sheet is not Unicode; its letters are taken for "
                 "%s%s%s; --encoding gives another",
                 page, word, bad);
    else if (rows->replaced)
        snprintf(f->base.remark, sizeof f->base.remark,
                 "%s (%s); --encoding gives another", bad, page);
}

static enum pl_status look_into_sheet(struct pl_pdh_log *f)
{
    struct pl_pdh_records r = { 0 };
    struct pl_pdh_rows rows;
    struct pl_pdh_row row;
    enum pl_status s = pl_pdh_open(&rows, f->path, PL_ALL_BYTES, &f->encoding);

    if (s)
        return s;
    f->size = rows.size;
    s = pl_pdh_next(&rows, &row);
    if (s == PL_END || (!s && (row.num < 2 || !pl_pdh_is_header(f, &row))))
        s = PL_NOT_A_LOG;
    if (!s)
        s = take_header(f, &row);
    if (!s)
        s = pl_pdh_records_make(&r, (struct pl_pdh_columns){ 0, f->list.num });
    if (!s)
        s = look_at_rows(f, &rows, &r);
    if (!s && !f->base.num_hosts)
        s = PL_NOT_A_LOG; /* no column is a counter's */
    if (!s)
        s = pl_blg_groups_make(&f->groups, &f->list);
    f->encoding =
        (struct pl_pdh_encoding){ true, rows.letters, rows.code_page };
    if (!s)
        note_code_page(f, &rows);
    pl_pdh_records_free(&r);
    pl_pdh_close(&rows);
    return s;
}

static void release_pdh(struct pl_foreign_file *base)
{
    struct pl_pdh_log *f = (struct pl_pdh_log *)base;

    pl_blg_list_release(&f->list);
    pl_blg_groups_release(&f->groups);
    free(f->path);
    free(f);
}

static enum pl_status look_pdh(struct pl_foreign_file **out, const char *path)
{
    struct pl_pdh_log *f = calloc(1, sizeof *f);
    enum pl_status s;

    if (!f)
        return PL_NOMEM;
    f->base.format = &pl_format_sheet;
    f->base.users = 1;
    f->path = strdup(path);
    s = f->path ? look_into_sheet(f) : PL_NOMEM;
    if (s)
        pl_foreign_drop(&f->base);
    else
        *out = &f->base;
    return s;
}

const struct pl_foreign_format pl_format_sheet = {
    .is_one = pl_pdh_is_one,
    .look = look_pdh,
    .open = pl_pdh_log_open,
    .release = release_pdh,
};
