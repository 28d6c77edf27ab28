/* Buffers, events and messages of a trace log. */
#include "analyze/foreign/etl_events.h"

#include "analyze/foreign/etl_header.h"
#include "analyze/foreign/seen_bytes.h"
#include "format/base/cursor.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST_BUFFER = 1 << 10,
    MOST_BUFFER = 16 << 20,
    MOST_MESSAGE = 64 << 20,
    BUFFER_HEADER = 0x48,
    FLUSH_TIME_AT = 0x10,
    SEQUENCE_AT = 0x18,
    FILLED_AT = 0x30,
    HEADER_FLAGS_AT = 0x34,
    FLAG_ENDS = 1,

    EVENT_KIND_AT = 4,
    EVENT_TIME_AT = 0x10,
    EVENT_GUID_AT = 0x18,
    EVENT_PART_AT = 0x40,
    EVENT_HEADER = 0x48,
    LEAST_EVENT = 8,
    MARK = 0x80,
    HEADER_32 = 0x0A,
    HEADER_64 = 0x14,
    SYSTEM_32 = 1,
    SYSTEM_64 = 2,
    WITH_SEQUENCE = 6, /* Windows Vista */
};

static const uint8_t pdh_guid[16] = {
    0xb3, 0x3b, 0x3f, 0x93, 0x3e, 0x94, 0x0d, 0x49,
    0x9c, 0xed, 0x3c, 0xbb, 0x14, 0xc1, 0x44, 0x79,
};

static const char lost_part[] = "a part of a message is missing",
                  no_event[] = "no event where one should begin",
                  long_event[] = "an event is longer than its buffer",
                  bad_fill[] = "a buffer says it holds more than it can",
                  other_size[] = "a buffer of another size",
                  cut_buffer[] = "the file ends within a buffer",
                  too_long[] = "a message of more than 64 MiB",
                  bad_parts[] = "a message with an impossible number of parts";

bool pl_etl_is_one(const uint8_t *p, size_t n)
{
    uint32_t size;

    if (n < BUFFER_HEADER + LEAST_EVENT)
        return false;
    size = pl_get_le32(p);
    return size >= LEAST_BUFFER && size <= MOST_BUFFER &&
           (p[BUFFER_HEADER + 2] == SYSTEM_32 ||
            p[BUFFER_HEADER + 2] == SYSTEM_64) &&
           (p[BUFFER_HEADER + 3] & MARK);
}

/* ---- the order of buffers ------------------------------------------------ */

static int by_key(const void *x, const void *y)
{
    const struct pl_etl_place *a = x, *b = y;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/*
 * The sort key of buffer 'number': its sequence number, or when it was flushed.
 */
static enum pl_status read_key(struct pl_etl *e, uint64_t number, uint64_t *key)
{
    uint8_t head[BUFFER_HEADER];
    size_t got;
    enum pl_status s =
        pl_seen_read(e->file, e->size, number * e->header.buffer_size, head,
                     sizeof head, &got);

    *key = UINT64_MAX; /* cut, so it is the last one */
    if (s || got < sizeof head)
        return s;
    *key =
        pl_get_le64(head + (e->header.major >= WITH_SEQUENCE ? SEQUENCE_AT
                                                             : FLUSH_TIME_AT));
    if (number + 1 == e->num_buffers)
        e->closed = pl_get_le16(head + HEADER_FLAGS_AT) & FLAG_ENDS;
    return PL_OK;
}

/*
 * True if the keys, sorted, can be those of a log's buffers: all different, and
 * numbers of a sequence without a jump that only damage can cause.
 */
static bool is_sequence(const struct pl_etl *e, const struct pl_etl_place *o)
{
    uint64_t n = e->num_buffers;

    for (uint64_t i = 1; i < n; i++)
        if (o[i].key == o[i - 1].key)
            return false;
    if (e->header.major < WITH_SEQUENCE)
        return true;
    for (uint64_t i = 2; i < n; i++)
        if (o[i].key - o[i - 1].key > n)
            return false;
    return true;
}

/* Find the order of the buffers, if it is not that of the file. */
static enum pl_status find_order(struct pl_etl *e)
{
    struct pl_etl_place *o = NULL;
    uint64_t last = 0;
    bool rises = true;
    enum pl_status s = PL_OK;

    e->has_key = e->header.major >= WITH_SEQUENCE;
    for (uint64_t i = 0; i < e->num_buffers && !s; i++) {
        uint64_t key;

        s = read_key(e, i, &key);
        if (i > 1)
            rises = rises && key > last;
        last = key;
    }
    if (s || rises)
        return s;
    o = malloc((size_t)e->num_buffers * sizeof *o);
    if (!o)
        return PL_NOMEM;
    for (uint64_t i = 0; i < e->num_buffers && !s; i++) {
        o[i].number = i;
        s = read_key(e, i, &o[i].key);
    }
    if (!s) /* the first buffer holds the log header, whatever its key */
        qsort(o + 1, (size_t)e->num_buffers - 1, sizeof *o, by_key);
    o[0].key = o[0].number = 0;
    if (s || !is_sequence(e, o)) {
        free(o);
        e->has_key = false;
        return s;
    }
    e->order = o;
    return PL_OK;
}

/* ---- opening ------------------------------------------------------------- */

enum pl_status pl_etl_open(struct pl_etl *e, const char *path, uint64_t seen)
{
    uint8_t look[PL_ETL_LOOK];
    size_t got = 0;
    enum pl_status s;

    *e = (struct pl_etl){ 0 };
    s = pl_file_open(&e->file, path);
    if (s)
        return s;
    s = pl_seen_size(e->file, seen, &e->size);
    if (!s && pl_file_is_stream(e->file))
        s = PL_NOT_A_LOG;
    if (!s)
        s = pl_seen_read(e->file, e->size, 0, look, sizeof look, &got);
    if (!s && !pl_etl_is_one(look, got))
        s = PL_NOT_A_LOG;
    if (!s) {
        e->header.buffer_size = pl_get_le32(look);
        e->num_buffers = (e->size - 1) / e->header.buffer_size + 1;
        s = pl_etl_read_header(e->file, e->size, &e->header);
    }
    if (!s)
        s = find_order(e);
    if (s)
        pl_etl_close(e);
    return s;
}

void pl_etl_close(struct pl_etl *e)
{
    pl_file_close(e->file);
    pl_buf_release(&e->buffer);
    pl_buf_release(&e->message);
    free(e->order);
    *e = (struct pl_etl){ 0 };
}

uint64_t pl_etl_position(const struct pl_etl *e)
{
    uint64_t at = e->next_buffer * e->header.buffer_size;

    return at < e->size ? at : e->size;
}

/* ---- buffers ------------------------------------------------------------- */

static bool damage(struct pl_etl_item *item, uint64_t at, uint64_t len,
                   const char *reason)
{
    *item = (struct pl_etl_item){
        .what = PL_ETL_DAMAGE, .at = at, .len = len, .reason = reason
    };
    return true;
}

/* How much of the buffer can be read; true if there is damage to return. */
static bool measure_buffer(struct pl_etl *e, struct pl_etl_item *item)
{
    const uint8_t *p = e->buffer.p;
    size_t have = e->buffer.len, filled;

    e->filled = e->at = 0;
    e->cut = false;
    if (have < BUFFER_HEADER)
        return damage(item, e->begins, have, cut_buffer);
    if (pl_get_le32(p) != e->header.buffer_size)
        return damage(item, e->begins, have, other_size);
    filled = pl_get_le32(p + FILLED_AT);
    e->at = BUFFER_HEADER;
    e->filled = filled < have ? filled : have;
    if (filled > e->header.buffer_size || filled < BUFFER_HEADER) {
        e->filled = have; /* bytes beyond the filled ones are not events */
        damage(item, e->begins + FILLED_AT, 4, bad_fill);
        item->harmless = true;
        return true;
    }
    e->cut = have < e->header.buffer_size; /* to be returned after its events */
    return false;
}

/* Buffers of the sequence are missing before the one just read. */
static bool find_hole(struct pl_etl *e, uint64_t index,
                      struct pl_etl_item *item)
{
    uint64_t key, last = e->last_key;

    if (!e->has_key || e->buffer.len < BUFFER_HEADER)
        return false;
    key = pl_get_le64(e->buffer.p + SEQUENCE_AT);
    e->last_key = key;
    if (index < 1 || (index == 1 && e->header.mode & PL_ETL_CIRCULAR) ||
        key <= last || key - last == 1 || key - last > UINT32_MAX)
        return false;
    *item = (struct pl_etl_item){ .what = PL_ETL_HOLE,
                                  .at = e->begins,
                                  .len = key - last - 1 };
    return true;
}

/* Read the next buffer.  *reported: 'item' is to be returned. */
static enum pl_status read_buffer(struct pl_etl *e, struct pl_etl_item *item,
                                  bool *reported)
{
    uint64_t index = e->next_buffer;
    uint8_t *room;
    size_t got;
    enum pl_status s;

    if (index == e->num_buffers)
        return PL_END;
    pl_buf_clear(&e->buffer);
    room = pl_buf_room(&e->buffer, e->header.buffer_size);
    if (!room)
        return PL_NOMEM;
    e->begins =
        (e->order ? e->order[index].number : index) * e->header.buffer_size;
    s = pl_seen_read(e->file, e->size, e->begins, room, e->header.buffer_size,
                     &got);
    if (s)
        return s;
    e->buffer.len = got;
    e->next_buffer++;
    *reported = measure_buffer(e, item) || find_hole(e, index, item);
    return PL_OK;
}

/* ---- events -------------------------------------------------------------- */

static bool is_pad(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != 0xFF && p[i])
            return false;
    return true;
}

/* The event at e->at, advancing e->at past it; false: the buffer has ended. */
static bool next_event(struct pl_etl *e, const uint8_t **event, size_t *len)
{
    size_t left = e->filled - e->at;
    const uint8_t *p;
    bool is_system;

    e->hurt = NULL;
    if (left < LEAST_EVENT) /* even a good buffer ends with some pad bytes */
        return false;
    p = e->buffer.p + e->at;
    is_system = p[2] == SYSTEM_32 || p[2] == SYSTEM_64;
    *len = pl_get_le16(p + (is_system ? 4 : 0));
    if (!(p[3] & MARK) || *len < LEAST_EVENT)
        e->hurt = is_pad(p, left) ? NULL : no_event;
    else if (*len > left)
        e->hurt = long_event;
    if (e->hurt || !(p[3] & MARK) || *len < LEAST_EVENT)
        return false;
    *event = p;
    e->at += (*len + 7) & ~(size_t)7;
    if (e->at > e->filled)
        e->at = e->filled;
    return true;
}

static bool is_part(const uint8_t *p, size_t len)
{
    return (p[2] == HEADER_32 || p[2] == HEADER_64) && len >= EVENT_HEADER &&
           !memcmp(p + EVENT_GUID_AT, pdh_guid, sizeof pdh_guid);
}

/* Drop a message without its end; true if that is to be returned as damage. */
static bool drop_message(struct pl_etl *e, struct pl_etl_item *item)
{
    bool begun = e->next_part != 0;

    e->next_part = 0;
    return begun && damage(item, e->message_at, e->message.len, lost_part);
}

static bool fits_message(const struct pl_etl *e, const uint8_t *p,
                         uint32_t parts)
{
    return parts == e->parts && p[EVENT_KIND_AT] == e->kind &&
           (int64_t)pl_get_le64(p + EVENT_TIME_AT) == e->time;
}

static void give_message(struct pl_etl *e, struct pl_etl_item *item,
                         const uint8_t *p, size_t n)
{
    *item = (struct pl_etl_item){ .what = PL_ETL_MESSAGE,
                                  .at = e->message_at,
                                  .len = n,
                                  .kind = e->kind,
                                  .time = e->time,
                                  .p = p,
                                  .n = n };
    e->next_part = 0;
    e->began = true;
}

static void begin_message(struct pl_etl *e, const uint8_t *p, uint32_t parts)
{
    e->parts = parts;
    e->next_part = 1;
    e->kind = p[EVENT_KIND_AT];
    e->time = (int64_t)pl_get_le64(p + EVENT_TIME_AT);
    e->message_at = e->begins + (uint64_t)(p - e->buffer.p);
    pl_buf_clear(&e->message);
}

/* A part without a first part; the first one of a circular log may be such. */
static bool stray_part(const struct pl_etl *e, const uint8_t *p, size_t len,
                       struct pl_etl_item *item)
{
    if (!e->began && e->header.mode & PL_ETL_CIRCULAR)
        return false;
    return damage(item, e->begins + (uint64_t)(p - e->buffer.p), len,
                  lost_part);
}

/*
 * One part of a message.  True if 'item' is to be returned; *again: the part
 * must be handled again after that.
 */
static bool take_part(struct pl_etl *e, const uint8_t *p, size_t len,
                      struct pl_etl_item *item, bool *again)
{
    uint32_t part = pl_get_le32(p + EVENT_PART_AT);
    uint32_t parts = pl_get_le32(p + EVENT_PART_AT + 4);
    size_t n = len - EVENT_HEADER;

    *again = false;
    if (e->next_part && (part != e->next_part || !fits_message(e, p, parts))) {
        *again = true;
        return drop_message(e, item);
    }
    if (!part || part > parts)
        return damage(item, e->begins + (uint64_t)(p - e->buffer.p), len,
                      bad_parts);
    if (!e->next_part && part != 1)
        return stray_part(e, p, len, item);
    if (part == 1)
        begin_message(e, p, parts);
    if (parts == 1) {
        give_message(e, item, p + EVENT_HEADER, n);
        return true;
    }
    if (e->message.len + n > MOST_MESSAGE) {
        e->next_part = 0;
        return damage(item, e->message_at, e->message.len + n, too_long);
    }
    pl_buf_bytes(&e->message, p + EVENT_HEADER, n);
    e->next_part++;
    if (part < parts)
        return false;
    give_message(e, item, e->message.p, e->message.len);
    return true;
}

enum pl_status pl_etl_next(struct pl_etl *e, struct pl_etl_item *item)
{
    for (;;) {
        const uint8_t *p;
        size_t len, at = e->at;
        bool reported = false, again;
        enum pl_status s;

        if (next_event(e, &p, &len)) {
            if (!is_part(p, len)) {
                e->unread += e->next_buffer > 1;
                continue;
            }
            reported = take_part(e, p, len, item, &again);
            if (again)
                e->at = at;
            if (e->message.oom)
                return PL_NOMEM;
        } else if (e->hurt || e->cut) {
            reported = damage(item, e->begins + e->at, e->filled - e->at,
                              e->cut ? cut_buffer : e->hurt);
            e->at = e->filled;
            e->cut = false;
        } else {
            s = read_buffer(e, item, &reported);
            if (s == PL_END && drop_message(e, item))
                return PL_OK;
            if (s)
                return s;
        }
        if (reported)
            return PL_OK;
    }
}
