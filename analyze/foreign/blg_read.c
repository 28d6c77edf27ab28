/* The samples of one machine in a Performance Monitor log. */
#include "analyze/foreign/blg_log.h"

#include "analyze/foreign/blg_block.h"
#include "analyze/blocks/clock_steps.h"
#include "analyze/blocks/block_index.h"
#include "analyze/blocks/block_merge.h"
#include "format/time/time_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_ROOM = 160 };

static const char too_large[] = "a sample that makes a block over 64 MiB",
                  more_machines[] = "counters of more than 256 machines",
                  sample_without_time[] = "a sample without a time",
                  no_names[] = "items without a list that names them";

struct blg_reading {
    struct pl_blg_log *log; /* shared */
    uint32_t machine;
    struct pl_etl etl;
    struct pl_blg_place_in at;
    struct pl_blg_record *records;

    /* The current sample's message. */
    struct pl_etl_item message;
    size_t num_records, next_record; /* records with blocks */
    const char *damage;              /* damage of it, not yet reported */
    int32_t bias;
    int64_t utc_ns;
    struct pl_block_merge merge;

    /* A sample to be returned after its session. */
    struct pl_item ready;
    struct pl_buf block;
    bool has_ready, report_session, report_titles, report_step, all_reported;
    struct pl_clock_steps steps;
    bool names_only, more_reported;
    bool is_block; /* it is a block stored in the log */
    int64_t perf_freq;
    size_t next_note;
    uint64_t items_beside; /* raw items in samples that have blocks */
    char os[64], text[TEXT_ROOM];
    const char *source;
};

/* ---- sessions ------------------------------------------------------------ */

static void blg_fill_session(struct blg_reading *r, struct pl_session *session)
{
    static const uint8_t not_known[PL_SHA256_LEN];
    const struct pl_foreign_host *h = &r->log->base.hosts[r->machine];

    *session = (struct pl_session){
        .host = pl_text_of(h->name),
        .os = pl_text_of(r->os),
        .tool = pl_text_of("Windows Performance Monitor"),
        .provider = pl_text_of(PL_PROVIDER_IMPORT),
        .zone_minutes = -r->bias,
        .zone = pl_text_of(h->zone),
        .perf_freq = r->perf_freq > 0 ? (uint64_t)r->perf_freq : 0,
        .perf_source = pl_text_of("PerfTime"),
        .sha256 = not_known,
        .source = pl_text_of(r->source),
        .titles_made_up = !r->is_block,
    };
}

static enum pl_status fill_titles(struct blg_reading *r,
                                  struct pl_titles *titles)
{
    const struct pl_buf *payload =
        r->is_block ? &r->log->titles
                    : &r->log->parts[r->at.part].groups.titles;

    return pl_titles_parse(titles, payload->p, payload->len);
}

/* ---- notes --------------------------------------------------------------- */

static bool note_losses(struct blg_reading *r)
{
    const struct pl_etl_header *h = &r->log->header;

    snprintf(r->text, sizeof r->text,
             "Windows lost %" PRIu32 " events and %" PRIu32 " buffers of this "
             "log while it was written",
             h->events_lost, h->buffers_lost);
    return h->events_lost || h->buffers_lost;
}

static bool note_unread(struct blg_reading *r)
{
    snprintf(r->text, sizeof r->text,
             "%" PRIu64 " events of kinds that are not known were left out",
             r->etl.unread);
    return r->etl.unread;
}

static bool note_bad_entries(struct blg_reading *r)
{
    uint64_t num = 0;

    for (size_t i = 0; i < r->log->num_parts; i++)
        for (size_t k = 0; k < r->log->parts[i].list.num; k++)
            num += r->log->parts[i].list.entries[k].unusable;
    num -= r->log->num_beyond;
    snprintf(r->text, sizeof r->text,
             "%" PRIu64 " counters of the list have no name or no number and "
             "were left out",
             num);
    return num;
}

static bool note_items_beside(struct blg_reading *r)
{
    snprintf(r->text, sizeof r->text,
             "%" PRIu64 " single counters beside whole blocks were left out",
             r->items_beside);
    return r->items_beside;
}

static bool note_open_end(struct blg_reading *r)
{
    snprintf(r->text, sizeof r->text,
             "the log was not closed: Windows was still writing it, or the "
             "file was cut");
    return !r->log->closed;
}

/* The next note; all of them are returned at the end. */
static bool blg_next_note(struct blg_reading *r, struct pl_item *item)
{
    static bool (*const notes[])(struct blg_reading * r) = {
        note_losses,       note_unread,   note_bad_entries,
        note_items_beside, note_open_end,
    };

    while (r->next_note < sizeof notes / sizeof *notes)
        if (notes[r->next_note++](r)) {
            item->kind = PL_ITEM_NOTE;
            item->note = (struct pl_note){ PL_NOTE_TEXT, pl_text_of(r->text) };
            item->record.utc_ns = r->steps.utc_ns;
            item->record.boot_ns = r->steps.boot_ns;
            return true;
        }
    return false;
}

/* ---- damage -------------------------------------------------------------- */

/*
 * Damage is counted for the machine that is read first; for the others it only
 * means that the samples before and after it are not a pair.
 */
static void blg_report_damage(const struct blg_reading *r, struct pl_item *item,
                              enum pl_item_kind kind)
{
    if (!r->machine) {
        item->kind = kind;
        return;
    }
    item->kind = PL_ITEM_GAPS;
    item->reason = NULL;
    item->gaps = (struct pl_gaps){ .utc_first = r->steps.utc_ns,
                                   .utc_last = r->steps.utc_ns,
                                   .cause = PL_GAP_DAMAGED };
}

static void take_damage(const struct blg_reading *r,
                        const struct pl_etl_item *d, struct pl_item *item)
{
    item->at = d->at;
    item->len = d->len;
    item->reason = d->reason;
    item->harmless = d->harmless;
    item->count = d->what == PL_ETL_HOLE ? (uint32_t)d->len : 0;
    if (d->what == PL_ETL_HOLE)
        item->len = 0;
    blg_report_damage(r, item,
                      d->what == PL_ETL_HOLE ? PL_ITEM_HOLE : PL_ITEM_DAMAGED);
}

/* Report a sample's message that cannot be used, or only in part. */
static void report_sample_damage(const struct blg_reading *r,
                                 struct pl_item *item, const char *reason,
                                 bool harmless)
{
    item->at = r->message.at;
    item->len = r->message.len;
    item->reason = reason;
    item->harmless = harmless;
    blg_report_damage(r, item, PL_ITEM_DAMAGED);
}

/* Of what was read: its damage; and once, that there are more machines. */
static bool blg_report_loss(struct blg_reading *r, struct pl_item *item)
{
    const char *damage = r->damage;

    if (damage) {
        report_sample_damage(r, item, damage, r->has_ready);
        r->damage = NULL;
        return true;
    }
    if (r->machine || !r->log->more_machines || r->more_reported ||
        !r->message.len)
        return false;
    report_sample_damage(r, item, more_machines, true);
    r->more_reported = true;
    return true;
}

/* ---- samples ------------------------------------------------------------- */

/* Return next a sample of which only the time is wanted. */
static void give_time(struct blg_reading *r, int64_t utc_ns)
{
    r->ready = (struct pl_item){ .kind = PL_ITEM_SAMPLE,
                                 .at = r->message.at,
                                 .len = r->message.len };
    r->ready.record.utc_ns = utc_ns;
    r->has_ready = true;
}

/* Return next the block in r->block. */
static void make_ready(struct blg_reading *r, int64_t utc_ns,
                       const struct pl_block *header)
{
    struct pl_record *record = &r->ready.record;
    int64_t clock_ns = pl_block_boot(header), boot_ns = clock_ns, booted;

    if (!boot_ns && pl_blg_instant(r->log->header.boot_time, &booted) &&
        utc_ns > booted)
        boot_ns = utc_ns - booted;
    r->ready = (struct pl_item){ .kind = PL_ITEM_SAMPLE,
                                 .at = r->message.at,
                                 .len = r->message.len };
    record->utc_ns = utc_ns;
    record->boot_ns = boot_ns;
    if (pl_clock_steps_is_new(&r->steps, header))
        r->report_session = true;
    r->report_step = !r->report_session &&
                     pl_clock_steps_is_step(&r->steps, utc_ns, clock_ns);
    if (r->report_step)
        record->flags |= PL_FLAG_CLOCK_STEPPED;
    r->perf_freq = header->perf_freq;
    pl_clock_steps_go_on(&r->steps, header, utc_ns, clock_ns);
    r->has_ready = true;
}

static bool same_clocks(const struct pl_block *a, const struct pl_block *b)
{
    return a->perf_time == b->perf_time && a->perf_freq == b->perf_freq &&
           a->perf_time_100ns == b->perf_time_100ns &&
           a->big_endian == b->big_endian;
}

/* Merge blocks of one time; those after them come next. */
static enum pl_status take_blocks(struct blg_reading *r)
{
    struct pl_block first = { 0 }, b;
    int64_t utc_ns;
    enum pl_status s;

    for (; r->next_record < r->num_records; r->next_record++) {
        const struct pl_blg_record *record = &r->records[r->next_record];

        if (record->kind != PL_BLG_BLOCK ||
            pl_block_parse(&b, record->p + PL_BLG_RECORD_HEADER, record->num) ||
            pl_blg_machine_of(r->log, &b) != r->machine)
            continue;
        if (r->merge.num_blocks && !same_clocks(&first, &b))
            break;
        if (!r->merge.num_blocks)
            first = b;
        pl_block_merge_add(&r->merge, b);
    }
    if (!r->merge.num_blocks)
        return PL_OK;
    s = pl_block_merge_end(&r->merge);
    if (s)
        return s;
    pl_buf_swap(&r->block, &r->merge.out);
    r->report_session |= !r->is_block;
    r->is_block = true;
    make_ready(r, pl_block_utc(&first, &utc_ns) ? utc_ns : r->utc_ns, &first);
    return PL_OK;
}

static enum pl_status take_items(struct blg_reading *r)
{
    const struct pl_blg_part *part = &r->log->parts[r->at.part];
    struct pl_blg_sample sample = {
        .list = &part->list,
        .groups = &part->groups,
        .records = r->records,
        .num_records = r->num_records,
        .machine = r->machine,
        .host = r->log->base.hosts[r->machine].name,
        .utc_ns = r->utc_ns,
    };
    struct pl_blg_made made;
    struct pl_block header = { 0 };
    enum pl_status s;

    if (r->names_only && !part->list.changes && r->steps.begun &&
        !r->report_session && !r->is_block) {
        pl_buf_clear(&r->block);
        give_time(r, r->utc_ns);
        return PL_OK;
    }
    s = pl_blg_block_make(&r->block, &sample, &made);
    if (s || !made.num_objects)
        return s;
    if (made.left_out || r->block.len > PL_MAX_BLOCK_LEN)
        r->damage = too_large;
    if (r->block.len > PL_MAX_BLOCK_LEN)
        return PL_OK;
    header.perf_time = made.perf_time;
    header.perf_freq = made.perf_freq;
    r->report_session |= r->is_block;
    r->is_block = false;
    make_ready(r, r->utc_ns, &header);
    return PL_OK;
}

static bool has_kind(const struct blg_reading *r, bool block)
{
    for (size_t i = 0; i < r->num_records; i++)
        if (r->records[i].kind != PL_BLG_DROPPED &&
            (r->records[i].kind == PL_BLG_BLOCK) == block)
            return true;
    return false;
}

static enum pl_status take_sample(struct blg_reading *r,
                                  const struct pl_etl_item *m)
{
    const struct pl_blg_log *log = r->log;
    bool items;

    r->message = *m;
    r->num_records =
        pl_blg_take_sample(log, r->at.part, m, r->records, &r->damage);
    r->next_record = r->num_records;
    if (r->at.part >= log->num_parts)
        return PL_OK;
    r->bias = pl_blg_bias(log, r->at.part, r->records, r->num_records, m->time);
    if (!pl_blg_utc(m->time, r->bias, &r->utc_ns)) {
        r->damage = sample_without_time;
        return PL_OK;
    }
    items = has_kind(r, false);
    if (has_kind(r, true)) {
        r->next_record = 0;
        r->items_beside += items;
        return take_blocks(r);
    }
    if (items && !log->parts[r->at.part].list.num)
        r->damage = no_names;
    return items ? take_items(r) : PL_OK;
}

/* ---- the next item ------------------------------------------------------- */

/* Return what is ready: its session, its titles, then the sample. */
static enum pl_status blg_report_ready(struct blg_reading *r,
                                       struct pl_item *item,
                                       struct pl_session *session,
                                       struct pl_titles *titles,
                                       struct pl_buf *block)
{
    item->at = r->ready.at;
    item->record.utc_ns = r->ready.record.utc_ns;
    item->record.boot_ns = r->ready.record.boot_ns;
    if (r->report_session) {
        r->report_session = false;
        r->report_titles = true;
        item->kind = PL_ITEM_SESSION;
        blg_fill_session(r, session);
        return PL_OK;
    }
    if (r->report_titles) {
        r->report_titles = false;
        item->kind = PL_ITEM_TITLES;
        return fill_titles(r, titles);
    }
    if (r->report_step) {
        r->report_step = false;
        item->kind = PL_ITEM_NOTE;
        item->note = (struct pl_note){ PL_NOTE_CLOCK_STEP,
                                       pl_text_of("the clock was set") };
        return PL_OK;
    }
    *item = r->ready;
    pl_buf_swap(block, &r->block);
    r->has_ready = false;
    return PL_OK;
}

static enum pl_status blg_report_end(struct blg_reading *r,
                                     struct pl_item *item)
{
    if (blg_next_note(r, item))
        return PL_OK;
    if (r->all_reported || !r->log->closed || !r->steps.begun)
        return PL_END;
    r->all_reported = true;
    item->kind = PL_ITEM_ENDS;
    item->record.utc_ns = r->steps.utc_ns;
    item->record.boot_ns = r->steps.boot_ns;
    item->ends.reason = PL_END_ASKED;
    return PL_OK;
}

/* Read the next message.  *reported: 'item' is to be returned. */
static enum pl_status read_message(struct blg_reading *r, struct pl_item *item,
                                   bool *reported)
{
    struct pl_etl_item m;
    enum pl_status s = pl_etl_next(&r->etl, &m);

    *reported = true;
    if (s == PL_END)
        return blg_report_end(r, item);
    if (s)
        return s;
    if (m.what != PL_ETL_MESSAGE) {
        take_damage(r, &m, item);
        return PL_OK;
    }
    *reported = false;
    if (pl_blg_advance(&r->at, m.kind))
        r->report_session = true;
    return m.kind == PL_BLG_SAMPLE ? take_sample(r, &m) : PL_OK;
}

static enum pl_status blg_next(void *ctx, struct pl_item *item,
                               struct pl_session *session,
                               struct pl_titles *titles, struct pl_buf *block)
{
    struct blg_reading *r = ctx;
    bool reported = false;
    enum pl_status s = PL_OK;

    while (!s && !reported) {
        if (blg_report_loss(r, item))
            return PL_OK;
        if (r->has_ready)
            return blg_report_ready(r, item, session, titles, block);
        if (r->next_record < r->num_records)
            s = take_blocks(r);
        else
            s = read_message(r, item, &reported);
    }
    return s;
}

/* ---- opening ------------------------------------------------------------- */

static uint64_t blg_position(const void *ctx)
{
    return pl_etl_position(&((const struct blg_reading *)ctx)->etl);
}

static uint64_t blg_size(const void *ctx)
{
    return ((const struct blg_reading *)ctx)->etl.size;
}

static void blg_close_reading(void *ctx)
{
    struct blg_reading *r = ctx;

    pl_etl_close(&r->etl);
    pl_block_merge_release(&r->merge);
    pl_buf_release(&r->block);
    free(r->records);
    pl_foreign_drop(&r->log->base);
    free(r);
}

static const struct pl_foreign calls_of_blg = {
    .format = "PerfMon binary log (.blg)",
    .unchecked = true,
    .next = blg_next,
    .position = blg_position,
    .size = blg_size,
    .close = blg_close_reading,
};

static void name_source(struct blg_reading *r)
{
    const struct pl_etl_header *h = &r->log->header;

    r->source = pl_path_name(r->log->path);
    snprintf(r->os, sizeof r->os, "Windows %" PRIu32 ".%" PRIu32 ".%" PRIu32,
             h->major, h->minor, h->build);
}

enum pl_status pl_blg_open(struct pl_foreign_file *f, size_t host,
                           const struct pl_reader_options *options,
                           const struct pl_foreign **calls, void **ctx)
{
    struct pl_blg_log *log = (struct pl_blg_log *)f;
    struct blg_reading *r = calloc(1, sizeof *r);
    enum pl_status s;

    if (!r)
        return PL_NOMEM;
    r->log = log;
    r->machine = (uint32_t)host;
    r->report_session = true;
    r->names_only = options && options->names_only;
    pl_foreign_share(f);
    name_source(r);
    r->records = calloc(log->most_records + 1, sizeof *r->records);
    s = r->records ? pl_etl_open(&r->etl, log->path, log->size) : PL_NOMEM;
    if (s) {
        blg_close_reading(r);
        return s;
    }
    *calls = &calls_of_blg;
    *ctx = r;
    return PL_OK;
}
