/*
 * A PDH-CSV or PDH-TSV sheet as a log of another format: a column is a counter
 * of the type PERF_DOUBLE_RAW, a row a sample, a blank cell one of a counter
 * that gave no value.  Machines are found from the columns' paths.
 */
#include "analyze/foreign/blg_block.h"
#include "analyze/foreign/foreign.h"
#include "analyze/foreign/pdh_cells.h"
#include "analyze/foreign/pdh_rows.h"
#include "format/base/array.h"
#include "format/base/cursor.h"
#include "format/base/file.h"
#include "format/time/time_text.h"
#include "format/base/utf.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ITEM_LEN = 0x30, /* a raw item of a .blg, which cells become */
    STATUS_AT = 0x08,
    FIRST_AT = 0x18,
    MOST_HOSTS = PL_BLG_MAX_MACHINES,
};
#define NO_DATA 0x800007D5u /* PDH's status of a counter without a value */

static const char other_columns[] = "rows behind another header; make a file "
                                    "of their own of them",
                  no_number[] = "a cell that is no number",
                  no_time[] = "a row whose time is none",
                  many_hosts[] = "columns of more than 256 machines; split the "
                                 "sheet by columns",
                  too_wide[] = "columns that make more than 16384 objects and "
                               "instances; split the sheet by columns";

struct sheet {
    struct pl_foreign_file base;
    char *path;
    struct pl_blg_list list;
    struct pl_blg_groups groups;
    bool zone_known, many_hosts;
    uint32_t code_page; /* 0: it is Unicode */
    int32_t bias;
    uint64_t other_lines; /* lines without a time */
};

/* Cells of a row as records of a sample. */
struct row_records {
    uint8_t *items;
    struct pl_blg_record *records;
};

/* ---- columns ------------------------------------------------------------- */

static uint32_t put_name(struct pl_buf *names, struct pl_text t)
{
    uint32_t at = (uint32_t)names->len;

    pl_buf_bytes(names, t.p, t.n);
    pl_buf_u8(names, 0);
    return at;
}

static enum pl_status find_host(struct sheet *f, struct pl_text name,
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
static enum pl_status add_column(struct sheet *f, const char *cell)
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
        e->unusable = f->many_hosts = true;
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

static enum pl_status take_header(struct sheet *f, const struct pl_pdh_row *row)
{
    struct pl_pdh_zone z = pl_pdh_zone_of(pl_pdh_cell(row, 0));
    size_t num = row->num - 1;
    enum pl_status s = PL_OK;

    if (num > PL_BLG_MAX_ENTRIES)
        return PL_TOO_LARGE;
    f->list.entries = calloc(num, sizeof *f->list.entries);
    if (!f->list.entries)
        return PL_NOMEM;
    for (size_t i = 0; i < num && !s; i++)
        s = add_column(f, pl_pdh_cell(row, i + 1));
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

static enum pl_status make_records(struct row_records *r, size_t num)
{
    r->items = calloc(num + 1, ITEM_LEN);
    r->records = calloc(num + 1, sizeof *r->records);
    if (!r->items || !r->records)
        return PL_NOMEM;
    for (size_t i = 0; i < num; i++)
        r->records[i] = (struct pl_blg_record){ .kind = PL_BLG_ITEM,
                                                .p = r->items + i * ITEM_LEN,
                                                .len = ITEM_LEN,
                                                .num = 1 };
    return PL_OK;
}

static void free_records(struct row_records *r)
{
    free(r->items);
    free(r->records);
    *r = (struct row_records){ 0 };
}

static bool is_blank(const char *cell)
{
    return !cell[strspn(cell, " ")];
}

/* Cells to items.  False: a cell is neither a number nor blank. */
static bool fill_records(struct row_records *r, const struct pl_pdh_row *row,
                         size_t num)
{
    bool good = true;

    for (size_t i = 0; i < num; i++) {
        uint8_t *item = r->items + i * ITEM_LEN;
        const char *cell = pl_pdh_cell(row, i + 1);
        uint64_t bits = 0;
        double number;
        bool has = pl_pdh_number_of(cell, &number);

        if (has)
            memcpy(&bits, &number, sizeof bits);
        else
            good = good && is_blank(cell);
        pl_put_le32(item + STATUS_AT, has ? 0 : NO_DATA);
        pl_put_le64(item + FIRST_AT, bits);
    }
    return good;
}

static bool is_header(const struct pl_pdh_row *row)
{
    return row->num > 1 && pl_pdh_cell(row, 0)[0] == '(' &&
           pl_pdh_cell(row, 1)[0] == '\\';
}

/* Of a line without a time: a row, not what typeperf has to say at its end. */
static bool is_row(const struct pl_pdh_row *row)
{
    return row->num > 1 && isdigit((unsigned char)*pl_pdh_cell(row, 0));
}

/* ---- the first pass ------------------------------------------------------ */

static enum pl_status look_at_rows(struct sheet *f, struct pl_pdh_rows *rows,
                                   struct row_records *r)
{
    struct pl_blg_list *l = &f->list;
    struct pl_pdh_row row;
    bool begun = false;
    enum pl_status s;

    while (!(s = pl_pdh_next(rows, &row))) {
        int64_t local;

        if (row.reason || !pl_pdh_time_of(pl_pdh_cell(&row, 0), &local)) {
            f->other_lines += !row.reason && !is_header(&row) && !is_row(&row);
            continue;
        }
        fill_records(r, &row, l->num);
        if (!begun)
            pl_blg_watch(l, r->records, l->num, f->base.num_hosts, 1);
        for (size_t i = 0; i < l->num; i++)
            l->entries[i].had_errors |=
                pl_get_le32(r->items + i * ITEM_LEN + STATUS_AT) != 0;
        for (size_t i = 0; i < f->base.num_hosts && !begun; i++)
            f->base.hosts[i].first_utc = local + f->bias * 60 * PL_NS_PER_SEC;
        begun = true;
    }
    return s == PL_END ? PL_OK : s;
}

/* A code page that was not given, and bytes that are none of its letters. */
static void note_code_page(struct sheet *f, const struct pl_pdh_rows *rows)
{
    const bool guessed = f->code_page && !pl_code_page_given();
    char page[PL_CODE_PAGE_TEXT], word[64] = "", bad[80] = "";

    pl_code_page_text(f->code_page, page);
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

static enum pl_status look_into(struct sheet *f)
{
    struct row_records r = { 0 };
    struct pl_pdh_rows rows;
    struct pl_pdh_row row;
    enum pl_status s = pl_pdh_open(&rows, f->path, 0);

    if (s)
        return s;
    s = pl_pdh_next(&rows, &row);
    if (s == PL_END || (!s && !is_header(&row)))
        s = PL_NOT_A_LOG;
    if (!s)
        s = take_header(f, &row);
    if (!s)
        s = make_records(&r, f->list.num);
    if (!s)
        s = look_at_rows(f, &rows, &r);
    if (!s && !f->base.num_hosts)
        s = PL_NOT_A_LOG; /* no column is a counter's */
    if (!s)
        s = pl_blg_groups_make(&f->groups, &f->list);
    if (rows.letters == PL_PDH_ANSI)
        f->code_page = rows.code_page;
    if (!s)
        note_code_page(f, &rows);
    free_records(&r);
    pl_pdh_close(&rows);
    return s;
}

static void release(struct pl_foreign_file *base)
{
    struct sheet *f = (struct sheet *)base;

    pl_blg_list_release(&f->list);
    pl_blg_groups_release(&f->groups);
    free(f->path);
    free(f);
}

static enum pl_status look(struct pl_foreign_file **out, const char *path)
{
    struct sheet *f = calloc(1, sizeof *f);
    enum pl_status s;

    if (!f)
        return PL_NOMEM;
    f->base.format = &pl_format_sheet;
    f->base.users = 1;
    f->path = strdup(path);
    s = f->path ? look_into(f) : PL_NOMEM;
    if (s)
        pl_foreign_drop(&f->base);
    else
        *out = &f->base;
    return s;
}

/* ---- reading ------------------------------------------------------------- */

struct reading {
    struct sheet *file; /* shared */
    uint32_t host;
    struct pl_pdh_rows rows;
    struct row_records records;
    struct pl_item ready;
    struct pl_buf block;
    bool has_header, has_ready, session_reported, titles_reported,
        other_columns, width_reported, ended;
    size_t next_note;
    int64_t last_utc;
    char text[PL_FOREIGN_REMARK];
};

static void fill_session(const struct reading *r, struct pl_session *session)
{
    static const uint8_t not_known[PL_SHA256_LEN];
    const struct pl_foreign_host *h = &r->file->base.hosts[r->host];

    *session = (struct pl_session){
        .host = pl_text_of(h->name),
        .tool = pl_text_of("PDH"),
        .provider = pl_text_of(PL_PROVIDER_CALCULATED),
        .zone_minutes = h->zone_minutes,
        .zone = pl_text_of(h->zone ? h->zone : ""),
        .sha256 = not_known,
        .source = pl_text_of(pl_path_name(r->file->path)),
        .titles_made_up = true,
    };
}

static bool note_zone(struct reading *r)
{
    snprintf(r->text, sizeof r->text,
             "the sheet does not tell its time zone; its times are taken for "
             "UTC");
    return !r->file->zone_known;
}

static bool note_letters(struct reading *r)
{
    snprintf(r->text, sizeof r->text, "%s", r->file->base.remark);
    return *r->text;
}

static bool note_lines(struct reading *r)
{
    snprintf(r->text, sizeof r->text,
             "%" PRIu64 " lines without a time were left out",
             r->file->other_lines);
    return r->file->other_lines;
}

static bool next_note(struct reading *r, struct pl_item *item)
{
    static bool (*const notes[])(struct reading * r) = {
        note_zone,
        note_letters,
        note_lines,
    };

    while (r->next_note < sizeof notes / sizeof *notes)
        if (notes[r->next_note++](r)) {
            item->kind = PL_ITEM_NOTE;
            item->note = (struct pl_note){ PL_NOTE_TEXT, pl_text_of(r->text) };
            item->record.utc_ns = r->last_utc;
            return true;
        }
    return false;
}

static bool report_end(struct reading *r, struct pl_item *item)
{
    if (next_note(r, item))
        return true;
    if (r->ended)
        return false;
    r->ended = true;
    item->kind = PL_ITEM_ENDS;
    item->record.utc_ns = r->last_utc;
    item->ends.reason = PL_END_ASKED;
    return true;
}

/* What of a row is lost: nothing else than values, or all of it. */
enum loss { VALUES, ROW };

static bool report_loss(struct pl_item *item, const struct pl_pdh_row *row,
                        enum loss loss, const char *reason)
{
    item->kind = PL_ITEM_DAMAGED;
    item->at = row->at;
    item->len = row->len;
    item->count = loss == ROW;
    item->reason = reason;
    item->harmless = true; /* values do not need a pair */
    return true;
}

/* The first machine of a sheet reports the damage for all of them. */
static bool report_damage(const struct reading *r, struct pl_item *item,
                          const struct pl_pdh_row *row, enum loss loss,
                          const char *reason)
{
    return !r->host && report_loss(item, row, loss, reason);
}

static enum pl_status take_row(struct reading *r, const struct pl_pdh_row *row,
                               int64_t local, struct pl_item *item,
                               bool *reported)
{
    struct sheet *f = r->file;
    struct pl_blg_sample sample = {
        .list = &f->list,
        .groups = &f->groups,
        .records = r->records.records,
        .num_records = f->list.num,
        .machine = r->host,
        .host = f->base.hosts[r->host].name,
        .utc_ns = local + f->bias * 60 * PL_NS_PER_SEC,
    };
    struct pl_blg_made made;
    enum pl_status s;

    if (!fill_records(&r->records, row, f->list.num))
        *reported = report_damage(r, item, row, VALUES, no_number);
    s = pl_blg_block_make(&r->block, &sample, &made);
    r->ready =
        (struct pl_item){ .kind = PL_ITEM_SAMPLE, .at = row->at, .len = 1 };
    r->ready.record.utc_ns = r->last_utc = sample.utc_ns;
    r->has_ready = made.num_objects > 0;
    if (made.left_out && !r->width_reported) /* in each row the same columns */
        *reported = r->width_reported =
            report_loss(item, row, VALUES, too_wide);
    return s;
}

/* Read rows until there is an item to return. */
static enum pl_status read_row(struct reading *r, struct pl_item *item,
                               bool *reported)
{
    struct pl_pdh_row row;
    int64_t local;
    enum pl_status s = pl_pdh_next(&r->rows, &row);

    if (s == PL_END && report_end(r, item)) {
        *reported = true;
        return PL_OK;
    }
    if (s)
        return s;
    if (row.reason) {
        *reported = report_damage(r, item, &row, ROW, row.reason);
        return PL_OK;
    }
    if (is_header(&row)) {
        r->other_columns |= r->has_header; /* this would be another sheet */
        if (r->has_header)
            *reported = report_damage(r, item, &row, VALUES, other_columns);
        else if (r->file->many_hosts)
            *reported = report_damage(r, item, &row, VALUES, many_hosts);
        r->has_header = true;
        return PL_OK;
    }
    if (r->other_columns)
        return PL_OK;
    if (!pl_pdh_time_of(pl_pdh_cell(&row, 0), &local)) {
        *reported = is_row(&row) && report_damage(r, item, &row, ROW, no_time);
        return PL_OK;
    }
    return take_row(r, &row, local, item, reported);
}

static enum pl_status report_ready(struct reading *r, struct pl_item *item,
                                   struct pl_session *session,
                                   struct pl_titles *titles,
                                   struct pl_buf *block)
{
    const struct pl_buf *payload = &r->file->groups.titles;

    item->at = r->ready.at;
    item->record.utc_ns = r->ready.record.utc_ns;
    if (!r->session_reported) {
        r->session_reported = true;
        item->kind = PL_ITEM_SESSION;
        fill_session(r, session);
        return PL_OK;
    }
    if (!r->titles_reported) {
        r->titles_reported = true;
        item->kind = PL_ITEM_TITLES;
        return pl_titles_parse(titles, payload->p, payload->len);
    }
    *item = r->ready;
    pl_buf_swap(block, &r->block);
    r->has_ready = false;
    return PL_OK;
}

static enum pl_status next(void *ctx, struct pl_item *item,
                           struct pl_session *session, struct pl_titles *titles,
                           struct pl_buf *block)
{
    struct reading *r = ctx;
    bool reported = false;
    enum pl_status s = PL_OK;

    while (!s && !reported) {
        if (r->has_ready)
            return report_ready(r, item, session, titles, block);
        s = read_row(r, item, &reported);
    }
    return s;
}

static uint64_t position(const void *ctx)
{
    return ((const struct reading *)ctx)->rows.at;
}

static uint64_t size(const void *ctx)
{
    return ((const struct reading *)ctx)->rows.size;
}

static void close_reading(void *ctx)
{
    struct reading *r = ctx;

    pl_pdh_close(&r->rows);
    free_records(&r->records);
    pl_buf_release(&r->block);
    pl_foreign_drop(&r->file->base);
    free(r);
}

static const struct pl_foreign calls_of_sheet = {
    .format = "sheet of PDH (CSV or TSV)",
    .unchecked = true,
    .next = next,
    .position = position,
    .size = size,
    .close = close_reading,
};

static enum pl_status open_sheet(struct pl_foreign_file *f, size_t host,
                                 const struct pl_reader_options *options,
                                 const struct pl_foreign **calls, void **ctx)
{
    struct reading *r = calloc(1, sizeof *r);
    enum pl_status s;

    (void)options; /* a sheet has few samples */
    if (!r)
        return PL_NOMEM;
    r->file = (struct sheet *)f;
    r->host = (uint32_t)host;
    pl_foreign_share(f);
    s = make_records(&r->records, r->file->list.num);
    if (!s)
        s = pl_pdh_open(&r->rows, r->file->path, r->file->code_page);
    if (s) {
        close_reading(r);
        return s;
    }
    *calls = &calls_of_sheet;
    *ctx = r;
    return PL_OK;
}

const struct pl_foreign_format pl_format_sheet = {
    .is_one = pl_pdh_is_one,
    .look = look,
    .open = open_sheet,
    .release = release,
};
