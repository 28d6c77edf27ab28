/* Reads the rows of a sheet of PDH as samples. */
#include "analyze/foreign/pdh_log.h"

#include "analyze/foreign/blg_block.h"
#include "analyze/foreign/pdh_cells.h"
#include "format/base/file.h"
#include "format/cli/message.h"
#include "format/time/time_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char other_columns[] = "rows behind another header; make a file "
                                    "of their own of them",
                  too_wide[] = "columns that make more than 16384 objects and "
                               "instances; split the sheet by columns";

struct pdh_reading {
    struct pl_pdh_log *file; /* shared */
    uint32_t host;
    struct pl_pdh_rows rows;
    struct pl_pdh_records records;
    struct pl_item ready;
    struct pl_buf block;
    bool has_ready, session_reported, titles_reported, left_out_reported,
        width_reported, ended;
    struct pl_pdh_other { /* the sheet that was appended, if it is another */
        uint64_t at, len, rows;
    } other;
    size_t next_note;
    int64_t last_utc;
    char text[PL_FOREIGN_REMARK];
};

static void pdh_fill_session(const struct pdh_reading *r,
                             struct pl_session *session)
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

static bool note_zone(struct pdh_reading *r)
{
    snprintf(r->text, sizeof r->text,
             "the sheet does not tell its time zone; its times are taken for "
             "UTC");
    return !r->file->zone_known;
}

static bool note_letters(struct pdh_reading *r)
{
    snprintf(r->text, sizeof r->text, "%s", r->file->base.remark);
    return *r->text;
}

static bool note_lines(struct pdh_reading *r)
{
    uint64_t lines = r->file->other_lines;

    snprintf(r->text, sizeof r->text,
             "%" PRIu64 " line%s without a time %s left out", lines,
             pl_plural(lines), lines == 1 ? "was" : "were");
    return lines;
}

static bool pdh_next_note(struct pdh_reading *r, struct pl_item *item)
{
    static bool (*const notes[])(struct pdh_reading * r) = {
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

static bool pdh_report_end(struct pdh_reading *r, struct pl_item *item)
{
    if (pdh_next_note(r, item))
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

static bool pdh_report_loss(struct pl_item *item, const struct pl_pdh_row *row,
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
static bool pdh_report_damage(const struct pdh_reading *r, struct pl_item *item,
                              const struct pl_pdh_row *row, enum loss loss,
                              const char *reason)
{
    return !r->host && pdh_report_loss(item, row, loss, reason);
}

/* The first machine of a sheet, which reports damage, reads all columns. */
static struct pl_pdh_columns columns_of(const struct pdh_reading *r)
{
    return r->host ? r->file->columns[r->host]
                   : (struct pl_pdh_columns){ 0, r->file->list.num };
}

static enum pl_status take_row(struct pdh_reading *r,
                               const struct pl_pdh_row *row, int64_t local,
                               struct pl_item *item, bool *reported)
{
    struct pl_pdh_log *f = r->file;
    struct pl_blg_sample sample = {
        .list = &f->list,
        .groups = &f->groups,
        .records = r->records.records,
        .first = r->records.columns.first,
        .num_records = r->records.columns.end - r->records.columns.first,
        .machine = r->host,
        .host = f->base.hosts[r->host].name,
        .utc_ns = local + f->bias * 60 * PL_NS_PER_SEC,
    };
    struct pl_blg_made made;
    const char *reason = pl_pdh_records_fill(&r->records, f, row);
    enum pl_status s;

    if (reason)
        *reported = pdh_report_damage(r, item, row, VALUES, reason);
    s = pl_blg_block_make(&r->block, &sample, &made);
    r->ready =
        (struct pl_item){ .kind = PL_ITEM_SAMPLE, .at = row->at, .len = 1 };
    r->ready.record.utc_ns = r->last_utc = sample.utc_ns;
    r->has_ready = made.num_objects > 0;
    if (made.left_out && !r->width_reported) /* in each row the same columns */
        *reported = r->width_reported =
            pdh_report_loss(item, row, VALUES, too_wide);
    return s;
}

static bool is_behind_other(const struct pdh_reading *r,
                            const struct pl_pdh_row *row)
{
    return r->other.len && !pl_pdh_is_header(r->file, row);
}

static void take_other(struct pdh_reading *r, const struct pl_pdh_row *row)
{
    struct pl_pdh_other *o = &r->other;

    if (!o->len)
        o->at = row->at;
    o->len = row->at + row->len - o->at;
    o->rows += !pl_pdh_is_header(r->file, row) &&
               (row->reason || pl_pdh_is_row(r->file, row));
}

/* What was appended has ended: its rows are lost. */
static bool report_other(struct pdh_reading *r, struct pl_item *item)
{
    const struct pl_pdh_row all = { .at = r->other.at, .len = r->other.len };
    uint64_t rows = r->other.rows;

    if (!all.len)
        return false;
    r->other = (struct pl_pdh_other){ 0 };
    if (!pdh_report_damage(r, item, &all, ROW, other_columns))
        return false;
    item->count = (uint32_t)(rows < UINT32_MAX ? rows : UINT32_MAX);
    return true;
}

/* At the first header. */
static bool report_left_out(struct pdh_reading *r, struct pl_item *item,
                            const struct pl_pdh_row *header)
{
    bool now = r->file->left_out && !r->left_out_reported;

    r->left_out_reported = true;
    return now && pdh_report_damage(r, item, header, VALUES, r->file->left_out);
}

/* Read rows until there is an item to return. */
static enum pl_status read_row(struct pdh_reading *r, struct pl_item *item,
                               bool *reported)
{
    struct pl_pdh_row row;
    const char *reason;
    int64_t local;
    enum pl_status s = pl_pdh_next(&r->rows, &row);

    if (s == PL_END && (report_other(r, item) || pdh_report_end(r, item))) {
        *reported = true;
        return PL_OK;
    }
    if (s)
        return s;
    if (pl_pdh_is_other_header(r->file, &row) || is_behind_other(r, &row)) {
        take_other(r, &row);
        return PL_OK;
    }
    if (pl_pdh_is_header(r->file, &row)) {
        *reported = report_other(r, item) || report_left_out(r, item, &row);
        return PL_OK;
    }
    reason = pl_pdh_why_not(r->file, &row, &local);
    if (reason) {
        *reported = (row.reason || pl_pdh_is_row(r->file, &row)) &&
                    pdh_report_damage(r, item, &row, ROW, reason);
        return PL_OK;
    }
    return take_row(r, &row, local, item, reported);
}

static enum pl_status pdh_report_ready(struct pdh_reading *r,
                                       struct pl_item *item,
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
        pdh_fill_session(r, session);
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

static enum pl_status pdh_next(void *ctx, struct pl_item *item,
                               struct pl_session *session,
                               struct pl_titles *titles, struct pl_buf *block)
{
    struct pdh_reading *r = ctx;
    bool reported = false;
    enum pl_status s = PL_OK;

    while (!s && !reported) {
        if (r->has_ready)
            return pdh_report_ready(r, item, session, titles, block);
        s = read_row(r, item, &reported);
    }
    return s;
}

static uint64_t pdh_position(const void *ctx)
{
    return ((const struct pdh_reading *)ctx)->rows.at;
}

static uint64_t pdh_size(const void *ctx)
{
    return ((const struct pdh_reading *)ctx)->rows.size;
}

static void pdh_close_reading(void *ctx)
{
    struct pdh_reading *r = ctx;

    pl_pdh_close(&r->rows);
    pl_pdh_records_free(&r->records);
    pl_buf_release(&r->block);
    pl_foreign_drop(&r->file->base);
    free(r);
}

static const struct pl_foreign calls_of_sheet = {
    .format = "sheet of PDH (CSV or TSV)",
    .unchecked = true,
    .next = pdh_next,
    .position = pdh_position,
    .size = pdh_size,
    .close = pdh_close_reading,
};

enum pl_status pl_pdh_log_open(struct pl_foreign_file *f, size_t host,
                               const struct pl_reader_options *options,
                               const struct pl_foreign **calls, void **ctx)
{
    struct pdh_reading *r = calloc(1, sizeof *r);
    enum pl_status s;

    (void)options; /* a sheet has few samples */
    if (!r)
        return PL_NOMEM;
    r->file = (struct pl_pdh_log *)f;
    r->host = (uint32_t)host;
    pl_foreign_share(f);
    s = pl_pdh_records_make(&r->records, columns_of(r));
    if (!s)
        s = pl_pdh_open(&r->rows, r->file->path, r->file->size,
                        &r->file->encoding);
    if (s) {
        pdh_close_reading(r);
        return s;
    }
    r->rows.wanted = (struct pl_pdh_wanted){ r->file->num_cells,
                                             r->records.columns.first + 1,
                                             r->records.columns.end + 1 };
    *calls = &calls_of_sheet;
    *ctx = r;
    return PL_OK;
}
