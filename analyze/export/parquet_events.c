/* The table of events of a log. */
#include "analyze/export/parquet_events.h"

#include "format/base/array.h"
#include "format/time/time_text.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PENDING = 4096 }; /* further ones are counted with the last */

struct pl_parquet_event {
    const char *name;
    struct {
        size_t start, n; /* in 'texts' */
    } cause, text;
    int64_t utc_ns, from_ns, to_ns;
    bool has_range;
    uint64_t count;
    /* the sample it belongs to, once that is known */
    bool placed;
    uint64_t session;
    uint32_t seq;
};

enum column { TIME, HOST, EVENT, CAUSE, FROM, TO, COUNT, TEXT, NUM_COLUMNS };

static const struct {
    const char *name;
    enum pl_parquet_type type;
} columns[NUM_COLUMNS] = {
    [TIME] = { "Time", PL_PARQUET_TIME },
    [HOST] = { "Host", PL_PARQUET_TEXT },
    [EVENT] = { "Event", PL_PARQUET_TEXT },
    [CAUSE] = { "Cause", PL_PARQUET_TEXT },
    [FROM] = { "From", PL_PARQUET_TIME },
    [TO] = { "To", PL_PARQUET_TIME },
    [COUNT] = { "Count", PL_PARQUET_COUNT },
    [TEXT] = { "Text", PL_PARQUET_TEXT },
};

/* ---- what is read -------------------------------------------------------- */

static struct pl_parquet_event *new_event(struct pl_parquet_events *e,
                                          const char *name, uint64_t count)
{
    struct pl_parquet_event *event;

    if (e->num == MOST_PENDING) {
        e->pending[e->num - 1].count += count;
        return NULL;
    }
    if (!pl_array_grow((void **)&e->pending, &e->cap, e->num,
                       sizeof *e->pending)) {
        e->oom = true;
        return NULL;
    }
    event = &e->pending[e->num++];
    *event = (struct pl_parquet_event){ .name = name,
                                        .utc_ns = e->utc_ns,
                                        .count = count };
    return event;
}

static void set_cause(struct pl_parquet_events *e,
                      struct pl_parquet_event *event, const char *cause)
{
    if (!event || !cause)
        return;
    event->cause.start = e->texts.len;
    event->cause.n = strlen(cause);
    pl_buf_bytes(&e->texts, cause, event->cause.n);
}

static void take_gaps(struct pl_parquet_events *e, const struct pl_gaps *g)
{
    struct pl_parquet_event *event = new_event(e, "gap", g->count);

    set_cause(e, event, pl_gap_cause_text(pl_gap_shown_cause(g)));
    if (!event)
        return;
    event->has_range = true;
    event->from_ns = g->utc_first;
    event->to_ns = g->utc_last;
}

static void take_note(struct pl_parquet_events *e, struct pl_text text)
{
    struct pl_parquet_event *event = new_event(e, "note", 0);

    if (!event)
        return;
    event->text.start = e->texts.len;
    event->text.n = text.n;
    pl_buf_bytes(&e->texts, text.p, text.n);
}

/* What has not been placed belongs to this sample. */
static void place(struct pl_parquet_events *e, uint64_t session, uint32_t seq)
{
    for (size_t i = e->num; i && !e->pending[i - 1].placed; i--) {
        e->pending[i - 1].placed = true;
        e->pending[i - 1].session = session;
        e->pending[i - 1].seq = seq;
    }
}

/* A session has ended: no sample has the number after its last one. */
static void end_session(struct pl_parquet_events *e)
{
    if (e->host)
        place(e, e->session, e->seq + 1);
}

void pl_parquet_events_watch(void *ctx, const struct pl_host_log *log,
                             const struct pl_item *item)
{
    struct pl_parquet_events *e = ctx;

    (void)log;
    if (item->record.utc_ns)
        e->utc_ns = item->record.utc_ns;
    switch (item->kind) {
    case PL_ITEM_SESSION:
        end_session(e);
        break;
    case PL_ITEM_GAPS:
        take_gaps(e, &item->gaps);
        break;
    case PL_ITEM_NOTE:
        take_note(e, item->note.text);
        break;
    case PL_ITEM_HOLE:
        new_event(e, "hole", item->count);
        break;
    case PL_ITEM_DAMAGED:
        set_cause(e, new_event(e, "damage", item->len), item->reason);
        break;
    case PL_ITEM_UNREACHABLE:
        set_cause(e, new_event(e, "unreachable", 1), item->reason);
        break;
    case PL_ITEM_TOO_NEW:
        set_cause(e, new_event(e, "too new", 1), item->reason);
        break;
    case PL_ITEM_ENDS:
        new_event(e, "end", item->ends.samples);
        break;
    default:
        break;
    }
}

/* ---- what is written ----------------------------------------------------- */

static enum pl_status finish(struct pl_parquet_events *e)
{
    enum pl_status s = PL_OK;

    if (!e->file)
        return s;
    s = pl_parquet_end(e->file);
    if (!s)
        s = pl_parquet_partition_finish(&e->partition, &e->span);
    pl_parquet_free(e->file);
    e->file = NULL;
    return s;
}

static enum pl_status begin(struct pl_parquet_events *e,
                            const struct pl_parquet_event *event)
{
    enum pl_status s =
        pl_parquet_new(&e->file, pl_parquet_partition_write, &e->partition);

    for (size_t i = 0; i < NUM_COLUMNS && !s; i++) {
        e->columns[i] = pl_parquet_add(e->file, pl_text_of(columns[i].name),
                                       columns[i].type);
        s = e->columns[i] == UINT32_MAX ? PL_NOMEM : PL_OK;
    }
    e->span =
        (struct pl_parquet_span){ event->session, event->seq, event->seq };
    return s;
}

/* Make 'file' and 'partition' those of an event. */
static enum pl_status choose_file(struct pl_parquet_events *e,
                                  const struct pl_parquet_folder *folder,
                                  const struct pl_parquet_event *event)
{
    int64_t day = pl_parquet_day(event->utc_ns);
    enum pl_status s = PL_OK;

    if (e->file &&
        (e->partition.day != day || e->span.session != event->session ||
         event->seq < e->span.last))
        s = finish(e);
    if (!s && (!e->partition.path || e->partition.day != day))
        s = pl_parquet_partition_open(&e->partition, folder, day, e->host->name,
                                      NULL);
    return s;
}

static void put_event_text(struct pl_parquet_events *e, enum column column,
                           struct pl_text text)
{
    if (text.n)
        pl_parquet_text(e->file, e->columns[column], text, SIZE_MAX);
}

static struct pl_text text_at(const struct pl_parquet_events *e, size_t start,
                              size_t n)
{
    return (struct pl_text){ n ? (const char *)e->texts.p + start : "", n };
}

static enum pl_status write_event(struct pl_parquet_events *e,
                                  const struct pl_parquet_folder *folder,
                                  const struct pl_parquet_event *event)
{
    enum pl_status s = choose_file(e, folder, event);

    if (s ||
        pl_parquet_partition_holds(&e->partition, event->session, event->seq))
        return s;
    s = e->file ? PL_OK : begin(e, event);
    if (s)
        return s;
    e->span.last = event->seq;
    pl_parquet_time(e->file, e->columns[TIME], event->utc_ns / 1000);
    put_event_text(e, HOST, pl_text_of(e->host->name));
    put_event_text(e, EVENT, pl_text_of(event->name));
    put_event_text(e, CAUSE, text_at(e, event->cause.start, event->cause.n));
    put_event_text(e, TEXT, text_at(e, event->text.start, event->text.n));
    if (event->has_range) {
        pl_parquet_time(e->file, e->columns[FROM], event->from_ns / 1000);
        pl_parquet_time(e->file, e->columns[TO], event->to_ns / 1000);
    }
    pl_parquet_count(e->file, e->columns[COUNT], event->count);
    return pl_parquet_end_row(e->file);
}

static enum pl_status write_placed(struct pl_parquet_events *e,
                                   const struct pl_parquet_folder *folder)
{
    enum pl_status s = e->oom || e->texts.oom ? PL_NOMEM : PL_OK;

    for (size_t i = 0; i < e->num && !s && e->host; i++)
        if (e->pending[i].placed)
            s = write_event(e, folder, &e->pending[i]);
    e->num = 0;
    pl_buf_clear(&e->texts);
    return s;
}

enum pl_status pl_parquet_events_row(struct pl_parquet_events *e,
                                     const struct pl_parquet_folder *folder,
                                     const struct pl_row *row)
{
    e->host = row->host;
    e->session = row->session;
    e->seq = row->seq;
    if (!e->num)
        return PL_OK;
    place(e, row->session, row->seq);
    return write_placed(e, folder);
}

enum pl_status pl_parquet_events_end(struct pl_parquet_events *e,
                                     const struct pl_parquet_folder *folder,
                                     bool ended)
{
    enum pl_status s;

    if (ended)
        end_session(e);
    s = write_placed(e, folder);
    if (!s)
        s = finish(e);
    pl_parquet_events_release(e);
    return s;
}

void pl_parquet_events_release(struct pl_parquet_events *e)
{
    free(e->pending);
    pl_buf_release(&e->texts);
    pl_parquet_free(e->file);
    pl_parquet_partition_release(&e->partition);
    *e = (struct pl_parquet_events){ 0 };
}
