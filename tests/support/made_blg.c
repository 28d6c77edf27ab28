/* A .blg in small pieces. */
#include "tests/support/made_blg.h"

#include "format/base/cursor.h"
#include "format/base/utf.h"
#include "format/block/winperf.h"
#include "tests/support/support.h"

#include <string.h>

enum {
    BUFFER = 1024,
    BUFFER_HEADER = 0x48,
    EVENT_HEADER = 0x48,
    PART = 400, /* bytes of a message in one event */
    SYSTEM_HEADER = 0x20,
    LOG_HEADER = 0x38 + 16 + 172 + 36,
    LIST = 0x20,
    SAMPLE = 0x22,
    TITLES = 0x24,
    ENTRY_NAMES = 0x34,
};

#define FIRST_TIME INT64_C(132444736000000000) /* 2020 */
#define SECOND INT64_C(10000000)

/* A message before it is cut into events, and the places in it. */
struct message {
    struct pl_buf bytes;
    struct made_place places[512];
    size_t num;
};

static void mark(struct message *m, size_t at, uint32_t size)
{
    ck_assert_uint_lt(m->num, 512);
    m->places[m->num++] = (struct made_place){ (uint32_t)at, size };
}

/* ---- buffers and events --------------------------------------------------------- */

static void mark_in_file(struct made_blg *m, size_t at, uint32_t size)
{
    ck_assert_uint_lt(m->num_places, MADE_BLG_MAX_PLACES);
    m->places[m->num_places++] = (struct made_place){ (uint32_t)at, size };
}

static size_t buffer_start(const struct made_blg *m)
{
    return m->file.len / BUFFER * BUFFER;
}

/* Fill up the buffer that is begun, if any. */
static void end_buffer(struct made_blg *m)
{
    size_t start = buffer_start(m), used = m->file.len - start;

    if (!used)
        return;
    pl_buf_set_u32(&m->file, start + 0x30, (uint32_t)used);
    while (m->file.len % BUFFER)
        pl_buf_u8(&m->file, 0xFF);
}

static void begin_buffer(struct made_blg *m)
{
    size_t start;
    uint8_t *p;

    end_buffer(m);
    start = m->file.len;
    p = pl_buf_zeros(&m->file, BUFFER_HEADER);
    ck_assert_ptr_nonnull(p);
    pl_put_le32(p, BUFFER);
    pl_put_le64(p + 0x18, start / BUFFER);
    p[0x34] = !start;
    mark_in_file(m, start, 4);
    mark_in_file(m, start + 0x30, 4);
}

static void put_event(struct made_blg *m, uint8_t kind, int64_t time,
                      const struct message *msg, size_t from, uint32_t part,
                      uint32_t parts)
{
    static const uint8_t guid[16] = { 0xb3, 0x3b, 0x3f, 0x93, 0x3e, 0x94,
                                      0x0d, 0x49, 0x9c, 0xed, 0x3c, 0xbb,
                                      0x14, 0xc1, 0x44, 0x79 };
    size_t n = msg->bytes.len - from, at;
    uint8_t *p;

    n = n > PART ? PART : n;
    if (m->file.len % BUFFER + EVENT_HEADER + n > BUFFER ||
        m->file.len % BUFFER == 0)
        begin_buffer(m);
    at = m->file.len;
    p = pl_buf_zeros(&m->file, EVENT_HEADER);
    ck_assert_ptr_nonnull(p);
    pl_put_le16(p, (uint16_t)(EVENT_HEADER + n));
    p[2] = 0x14;
    p[3] = 0xC0;
    p[4] = kind;
    pl_put_le64(p + 0x10, (uint64_t)time);
    memcpy(p + 0x18, guid, sizeof guid);
    pl_put_le32(p + 0x40, part);
    pl_put_le32(p + 0x44, parts);
    mark_in_file(m, at, 2);
    mark_in_file(m, at + 0x40, 4);
    mark_in_file(m, at + 0x44, 4);
    for (size_t i = 0; i < msg->num; i++)
        if (msg->places[i].at >= from && msg->places[i].at < from + n)
            mark_in_file(m, at + EVENT_HEADER + msg->places[i].at - from,
                         msg->places[i].size);
    pl_buf_bytes(&m->file, msg->bytes.p + from, n);
    if (m->file.len % BUFFER)
        pl_buf_align(&m->file, 8);
}

static void put_message(struct made_blg *m, uint8_t kind, int64_t time,
                        struct message *msg)
{
    uint32_t parts = (uint32_t)((msg->bytes.len + PART - 1) / PART);

    for (uint32_t i = 0; i < parts; i++)
        put_event(m, kind, time, msg, (size_t)i * PART, i + 1, parts);
    pl_buf_release(&msg->bytes);
}

static void put_log_header(struct made_blg *m)
{
    uint8_t *p;

    begin_buffer(m);
    p = pl_buf_zeros(&m->file, SYSTEM_HEADER + LOG_HEADER);
    ck_assert_ptr_nonnull(p);
    p[2] = 2;
    p[3] = 0xC0;
    pl_put_le16(p + 4, SYSTEM_HEADER + LOG_HEADER);
    p += SYSTEM_HEADER;
    p[4] = 10;
    pl_put_le32(p + 0x20, 1);
    pl_put_le32(p + 0x2C, 8);
}

/* ---- messages ---------------------------------------------------------------------- */

static void put_text(struct pl_buf *b, const char *text)
{
    pl_utf8_to_utf16(b, text, strlen(text));
    pl_buf_u16(b, 0);
}

static void put_entry(struct message *m, const char *instance,
                      const char *counter, uint32_t type, uint32_t flags)
{
    const char *const names[] = { "\\\\pc", "Disk", instance, NULL, counter };
    static const uint8_t place_of[] = { 0x1C, 0x20, 0x24, 0x28, 0x30 };
    struct pl_buf *b = &m->bytes;
    size_t at = b->len;
    uint8_t *p = pl_buf_zeros(b, ENTRY_NAMES);

    ck_assert_ptr_nonnull(p);
    pl_put_le32(p + 4, flags);
    pl_put_le32(p + 0x0C, type);
    pl_put_le64(p + 0x10, type ? 1000 : 0);
    mark(m, at, 4);
    for (size_t i = 0; i < 5; i++) {
        pl_buf_set_u32(b, at + place_of[i],
                       names[i] ? (uint32_t)(b->len - at - ENTRY_NAMES)
                                : UINT32_MAX);
        if (names[i])
            put_text(b, names[i]);
    }
    pl_buf_align(b, 8);
    pl_buf_set_u32(b, at, (uint32_t)(b->len - at));
}

static void put_list(struct made_blg *m, enum made_blg_kind kind)
{
    struct message list = { 0 };

    pl_buf_u32(&list.bytes, 0x6FF);
    pl_buf_u32(&list.bytes, 0x20008);
    if (kind == MADE_BLG_BLOCKS) {
        put_entry(&list, NULL, NULL, 0, 0x10);
        put_entry(&list, NULL, NULL, 0, 0x10);
    } else {
        put_entry(&list, "0", "Reads/sec", PERF_COUNTER_BULK_COUNT, 0);
        put_entry(&list, "*", "Bytes", PERF_COUNTER_LARGE_RAWCOUNT, 1);
        put_entry(&list, "*", "Mean", PERF_AVERAGE_BULK, 1);
        put_entry(&list, NULL, "Busy", PERF_100NSEC_TIMER, 0);
    }
    put_message(m, LIST, FIRST_TIME, &list);
}

static size_t open_record(struct message *m, uint8_t kind)
{
    size_t at = m->bytes.len;

    pl_buf_u16(&m->bytes, 'B' | 'L' << 8);
    pl_buf_u8(&m->bytes, 3);
    pl_buf_u8(&m->bytes, kind);
    pl_buf_u32(&m->bytes, 0);
    mark(m, at + 4, 4);
    return at;
}

static void close_record(struct message *m, size_t at)
{
    pl_buf_align(&m->bytes, 8);
    pl_buf_set_u32(&m->bytes, at + 4, (uint32_t)(m->bytes.len - at));
}

static void put_item(struct message *m, int64_t time, uint64_t first,
                     uint64_t second)
{
    size_t at = open_record(m, 1);

    pl_buf_u32(&m->bytes, 0);
    pl_buf_u64(&m->bytes, (uint64_t)time);
    pl_buf_u32(&m->bytes, 0);
    pl_buf_u64(&m->bytes, first);
    pl_buf_u64(&m->bytes, second);
    pl_buf_u32(&m->bytes, 1);
    pl_buf_u32(&m->bytes, 0);
    close_record(m, at);
}

static void put_array(struct message *m, int64_t time, uint64_t first,
                      uint64_t second)
{
    static const char *const names[] = { "0 C:", "1 D:", "_Total" };
    size_t at = open_record(m, 2), items;

    pl_buf_u32(&m->bytes, 0);
    pl_buf_u32(&m->bytes, 3);
    mark(m, at + 0x0C, 4);
    pl_buf_u64(&m->bytes, 0);
    pl_buf_u64(&m->bytes, (uint64_t)time);
    items = m->bytes.len;
    pl_buf_zeros(&m->bytes, 3 * 24);
    for (size_t i = 0; i < 3; i++) {
        size_t item = items + 24 * i;

        pl_buf_set_u32(&m->bytes, item, (uint32_t)(m->bytes.len - at - 8));
        pl_buf_set_u64(&m->bytes, item + 8, first + i);
        pl_buf_set_u64(&m->bytes, item + 16, second);
        put_text(&m->bytes, names[i]);
    }
    close_record(m, at);
}

/* One object with one gauge. */
static void put_block(struct message *m, int64_t time, uint32_t title,
                      uint32_t value)
{
    const struct pl_block_stamp stamp = {
        .utc_ns = (time - INT64_C(116444736000000000)) * 100,
        .perf_time = time - FIRST_TIME,
        .perf_freq = SECOND,
        .perf_time_100ns = time,
    };
    const struct pl_object view = { .title_index = title };
    const struct pl_counter_def def = {
        .title_index = 44, .type = PERF_COUNTER_RAWCOUNT, .size = 4, .offset = 8
    };
    size_t at = open_record(m, 5), block, object;
    uint8_t *p;

    block = pl_put_block(&m->bytes, &stamp, (const uint8_t *)"p\0c", 4);
    object = pl_put_object(&m->bytes, &view);
    pl_put_counter(&m->bytes, &def);
    pl_put_definitions_close(&m->bytes, object, 1);
    p = pl_put_counter_block(&m->bytes, 16);
    ck_assert_ptr_nonnull(p);
    pl_put_le32(p + 8, value);
    pl_put_object_close(&m->bytes, object, PERF_NO_INSTANCES);
    pl_put_block_close(&m->bytes, block, 1, -1);
    close_record(m, at);
    mark(m, block + 20, 4);  /* TotalByteLength */
    mark(m, block + 24, 4);  /* HeaderLength */
    mark(m, block + 28, 4);  /* NumObjectTypes */
    mark(m, object, 4);      /* the object's length */
    mark(m, object + 4, 4);  /* and its definitions' */
    mark(m, object + 32, 4); /* NumCounters */
    mark(m, object + 40, 4); /* NumInstances */
}

static void put_sample(struct made_blg *m, enum made_blg_kind kind, uint32_t i)
{
    int64_t time = FIRST_TIME + i * SECOND;
    struct message s = { 0 };
    size_t at = open_record(&s, 0);

    if (kind == MADE_BLG_BLOCKS) {
        put_block(&s, time, 2, 100 + i);
        put_block(&s, time, 4, 200 + i);
    } else {
        put_item(&s, time, 1000 + 7 * i, 5000 + 1000 * i);
        put_array(&s, time, 10000 + 10 * i, 0);
        put_array(&s, time, 20000 + 10 * i, 300 + 2 * i);
        put_item(&s, time, 30000 + i, (uint64_t)time);
    }
    close_record(&s, at);
    put_message(m, SAMPLE, time, &s);
}

static void put_titles(struct made_blg *m)
{
    static const char *const texts[] = { "\\\\pc", "1",      "1847",
                                         "2",      "System", "4",
                                         "Memory", "44",     "Length" };
    struct message t = { 0 };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        put_text(&t.bytes, texts[i]);
    put_message(m, TITLES, FIRST_TIME, &t);
}

void made_blg(struct made_blg *m, enum made_blg_kind kind)
{
    *m = (struct made_blg){ 0 };
    put_log_header(m);
    if (kind == MADE_BLG_BLOCKS)
        put_titles(m);
    put_list(m, kind);
    for (uint32_t i = 0; i < MADE_BLG_SAMPLES; i++)
        put_sample(m, kind, i);
    m->file.p[buffer_start(m) + 0x34] = 1;
    end_buffer(m);
    ck_assert(!m->file.oom);
}

void made_blg_release(struct made_blg *m)
{
    pl_buf_release(&m->file);
}
