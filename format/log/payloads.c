/* SESS, gaps, note, indx and ends payloads. */
#include "format/log/payloads.h"

#include "format/base/cursor.h"

#include <string.h>

enum { TAG_CRITICAL = 0x8000 };

enum tag {
    TAG_HOST = 1,
    TAG_MACHINE = 2,
    TAG_BOOT = 3,
    TAG_OS = 4,
    TAG_ARCHITECTURE = 5,
    TAG_CPUS = 6,
    TAG_PAGE_SIZE = 7,
    TAG_TICKS = 8,
    TAG_INTERVAL = 9,
    TAG_TOOL = 10,
    TAG_MINOR = 11,
    TAG_PROVIDER = 12,
    TAG_ZONE = 13,
    TAG_COMMAND_LINE = 14,
    TAG_SYNC = 15,
    TAG_PERF = 16,
    TAG_PREVIOUS = 18,
    TAG_REPEAT = 19,
    TAG_SOURCE = 20,
    TAG_TITLES_MADE_UP = 21,
    TAG_PROCESS_PATH = 22,
    TAG_PLACE = 25,
    TAG_PROCESS_REASON = 26,
};

/* ---- SESS ---------------------------------------------------------------- */

static void put_tag(struct pl_buf *out, enum tag tag, size_t len)
{
    pl_buf_u16(out, (uint16_t)tag);
    pl_buf_u16(out, 0);
    pl_buf_u32(out, (uint32_t)len);
}

static void put_text(struct pl_buf *out, enum tag tag, struct pl_text text)
{
    if (!text.n)
        return;
    put_tag(out, tag, text.n);
    pl_buf_bytes(out, text.p, text.n);
}

static void put_u32(struct pl_buf *out, enum tag tag, uint32_t v)
{
    if (!v)
        return;
    put_tag(out, tag, 4);
    pl_buf_u32(out, v);
}

static void put_u64(struct pl_buf *out, enum tag tag, uint64_t v)
{
    if (!v)
        return;
    put_tag(out, tag, 8);
    pl_buf_u64(out, v);
}

bool pl_session_has_steady_clock(const struct pl_session *s)
{
    return pl_text_equal(s->provider, pl_text_of(PL_PROVIDER_LINUX));
}

void pl_session_write(const struct pl_session *s, struct pl_buf *out)
{
    static const uint8_t no_boot_id[PL_BOOT_ID_LEN];

    put_text(out, TAG_HOST, s->host);
    put_u64(out, TAG_MACHINE, s->machine_hash);
    if (memcmp(s->boot_id, no_boot_id, PL_BOOT_ID_LEN) != 0) {
        put_tag(out, TAG_BOOT, PL_BOOT_ID_LEN);
        pl_buf_bytes(out, s->boot_id, PL_BOOT_ID_LEN);
    }
    put_text(out, TAG_OS, s->os);
    put_text(out, TAG_ARCHITECTURE, s->architecture);
    put_u32(out, TAG_CPUS, s->num_cpus);
    put_u32(out, TAG_PAGE_SIZE, s->page_size);
    put_u32(out, TAG_TICKS, s->clock_ticks);
    put_u64(out, TAG_INTERVAL, s->interval_ns);
    put_text(out, TAG_TOOL, s->tool);
    put_u32(out, TAG_MINOR, s->minor);
    put_text(out, TAG_PROVIDER, s->provider);
    put_tag(out, TAG_ZONE, 4 + s->zone.n);
    pl_buf_u32(out, (uint32_t)s->zone_minutes);
    pl_buf_bytes(out, s->zone.p, s->zone.n);
    put_text(out, TAG_COMMAND_LINE, s->command_line);
    put_text(out, TAG_SYNC, s->sync);
    if (s->perf_freq) {
        put_tag(out, TAG_PERF, 8 + s->perf_source.n);
        pl_buf_u64(out, s->perf_freq);
        pl_buf_bytes(out, s->perf_source.p, s->perf_source.n);
    }
    put_text(out, TAG_PREVIOUS, s->previous);
    if (s->repeat)
        put_tag(out, TAG_REPEAT, 0);
    if (s->sha256) {
        put_tag(out, TAG_SOURCE, PL_SHA256_LEN + s->source.n);
        pl_buf_bytes(out, s->sha256, PL_SHA256_LEN);
        pl_buf_bytes(out, s->source.p, s->source.n);
    }
    if (s->titles_made_up)
        put_tag(out, TAG_TITLES_MADE_UP, 0);
    put_text(out, TAG_PROCESS_PATH, s->process_path);
    if (s->root) {
        put_tag(out, TAG_PLACE, 16);
        pl_buf_u64(out, s->root);
        pl_buf_u64(out, s->place);
    }
    put_text(out, TAG_PROCESS_REASON, s->process_reason);
}

static struct pl_text rest(struct pl_cur *c)
{
    return (struct pl_text){ (const char *)c->p, c->left };
}

/* A value that is shorter than its tag requires leaves the field unknown. */
static bool parse_tag(struct pl_session *s, uint16_t tag, struct pl_cur v)
{
    const uint8_t *p;

    switch (tag) {
    case TAG_HOST:
        s->host = rest(&v);
        break;
    case TAG_MACHINE:
        s->machine_hash = pl_cur_u64(&v);
        break;
    case TAG_BOOT:
        p = pl_cur_take(&v, PL_BOOT_ID_LEN);
        if (p)
            memcpy(s->boot_id, p, PL_BOOT_ID_LEN);
        break;
    case TAG_OS:
        s->os = rest(&v);
        break;
    case TAG_ARCHITECTURE:
        s->architecture = rest(&v);
        break;
    case TAG_CPUS:
        s->num_cpus = pl_cur_u32(&v);
        break;
    case TAG_PAGE_SIZE:
        s->page_size = pl_cur_u32(&v);
        break;
    case TAG_TICKS:
        s->clock_ticks = pl_cur_u32(&v);
        break;
    case TAG_INTERVAL:
        s->interval_ns = pl_cur_u64(&v);
        break;
    case TAG_TOOL:
        s->tool = rest(&v);
        break;
    case TAG_MINOR:
        s->minor = pl_cur_u32(&v);
        break;
    case TAG_PROVIDER:
        s->provider = rest(&v);
        break;
    case TAG_ZONE:
        s->zone_minutes = (int32_t)pl_cur_u32(&v);
        s->zone = v.bad ? (struct pl_text){ 0 } : rest(&v);
        break;
    case TAG_COMMAND_LINE:
        s->command_line = rest(&v);
        break;
    case TAG_SYNC:
        s->sync = rest(&v);
        break;
    case TAG_PERF:
        s->perf_freq = pl_cur_u64(&v);
        s->perf_source = v.bad ? (struct pl_text){ 0 } : rest(&v);
        break;
    case TAG_PREVIOUS:
        s->previous = rest(&v);
        break;
    case TAG_REPEAT:
        s->repeat = true;
        break;
    case TAG_SOURCE:
        s->sha256 = pl_cur_take(&v, PL_SHA256_LEN);
        s->source = v.bad ? (struct pl_text){ 0 } : rest(&v);
        break;
    case TAG_TITLES_MADE_UP:
        s->titles_made_up = true;
        break;
    case TAG_PROCESS_PATH:
        s->process_path = rest(&v);
        break;
    case TAG_PLACE:
        s->root = pl_cur_u64(&v);
        s->place = pl_cur_u64(&v);
        s->root = v.bad ? 0 : s->root;
        break;
    case TAG_PROCESS_REASON:
        s->process_reason = rest(&v);
        break;
    default:
        return false;
    }
    return true;
}

enum pl_status pl_session_parse(struct pl_session *s, const uint8_t *p,
                                size_t n)
{
    struct pl_cur c = pl_cur_of(p, n);

    *s = (struct pl_session){ 0 };
    while (c.left) {
        uint16_t tag = pl_cur_u16(&c);
        uint16_t flags = pl_cur_u16(&c);
        uint32_t len = pl_cur_u32(&c);
        struct pl_cur value = pl_cur_sub(&c, len);

        if (c.bad)
            return PL_CORRUPT;
        if (!parse_tag(s, tag, value) && (flags & TAG_CRITICAL))
            return PL_UNSUPPORTED;
    }
    return PL_OK;
}

/* ---- gaps ---------------------------------------------------------------- */

void pl_session_move(uint8_t *p, size_t n, uint64_t place)
{
    struct pl_cur c = pl_cur_of(p, n);

    while (c.left) {
        uint16_t tag = pl_cur_u16(&c);
        struct pl_cur v;

        pl_cur_u16(&c);
        v = pl_cur_sub(&c, pl_cur_u32(&c));
        if (c.bad)
            return;
        if (tag == TAG_PLACE && v.left >= 16)
            pl_put_le64(p + (v.p - p) + 8, place);
    }
}

void pl_gaps_write(const struct pl_gaps *g, struct pl_buf *out)
{
    pl_buf_u64(out, (uint64_t)g->utc_first);
    pl_buf_u64(out, (uint64_t)g->utc_last);
    pl_buf_u64(out, g->boot_first);
    pl_buf_u64(out, g->boot_last);
    pl_buf_u32(out, g->count);
    pl_buf_u32(out, g->cause);
    pl_buf_u32(out, (uint32_t)g->error);
    pl_buf_u32(out, 0);
}

enum pl_status pl_gaps_parse(struct pl_gaps *g, const uint8_t *p, size_t n)
{
    struct pl_cur c = pl_cur_of(p, n);

    g->utc_first = (int64_t)pl_cur_u64(&c);
    g->utc_last = (int64_t)pl_cur_u64(&c);
    g->boot_first = pl_cur_u64(&c);
    g->boot_last = pl_cur_u64(&c);
    g->count = pl_cur_u32(&c);
    g->cause = pl_cur_u32(&c);
    g->error = (int32_t)pl_cur_u32(&c);
    pl_cur_u32(&c);
    return c.bad ? PL_CORRUPT : PL_OK;
}

const char *pl_gap_cause_text(uint32_t cause)
{
    static const char *const texts[PL_NUM_GAP_CAUSES] = {
        [PL_GAP_LATE] = "the recorder was late",
        [PL_GAP_SUSPEND] = "the machine was suspended",
        [PL_GAP_DISK_FULL] = "the disk was full",
        [PL_GAP_DISK_ERROR] = "the disk reported an error",
        [PL_GAP_TOO_LARGE] = "the sample was too large",
        [PL_GAP_SPACE_GUARD] = "free space was kept (--min-free)",
        [PL_GAP_SYNC_FAILED] = "forcing to disk failed: may be lost",
        [PL_GAP_RING_FULL] = "the disk could not keep up",
        [PL_GAP_DAMAGED] = "damaged in the log this was made from",
        [PL_GAP_NOT_HERE] = "not in the log this was made from",
    };

    if (cause >= PL_NUM_GAP_CAUSES || !texts[cause])
        return "for a cause this perflog does not know";
    return texts[cause];
}

/* ---- note ---------------------------------------------------------------- */

void pl_note_write(const struct pl_note *n, struct pl_buf *out)
{
    pl_buf_u16(out, n->kind);
    pl_buf_u16(out, 0);
    pl_buf_bytes(out, n->text.p, n->text.n);
}

enum pl_status pl_note_parse(struct pl_note *note, const uint8_t *p, size_t n)
{
    struct pl_cur c = pl_cur_of(p, n);

    note->kind = pl_cur_u16(&c);
    pl_cur_u16(&c);
    note->text = rest(&c);
    return c.bad ? PL_CORRUPT : PL_OK;
}

/* ---- ends ---------------------------------------------------------------- */

void pl_ends_write(const struct pl_ends *e, struct pl_buf *out)
{
    pl_buf_u64(out, e->last_index);
    pl_buf_u32(out, e->samples);
    pl_buf_u32(out, e->missed);
    pl_buf_u32(out, e->reason);
    pl_buf_u32(out, e->error);
}

enum pl_status pl_ends_parse(struct pl_ends *e, const uint8_t *p, size_t n)
{
    struct pl_cur c = pl_cur_of(p, n);

    e->last_index = pl_cur_u64(&c);
    e->samples = pl_cur_u32(&c);
    e->missed = pl_cur_u32(&c);
    e->reason = pl_cur_u32(&c);
    e->error = pl_cur_u32(&c);
    return c.bad ? PL_CORRUPT : PL_OK;
}

/* ---- indx ---------------------------------------------------------------- */

enum { CHUNK_LEN = 40 };

void pl_index_write(uint64_t self, uint64_t prev, const struct pl_chunk *chunks,
                    uint32_t num_chunks, struct pl_buf *out)
{
    pl_buf_u64(out, self);
    pl_buf_u64(out, prev);
    pl_buf_u32(out, num_chunks);
    pl_buf_u32(out, 0);
    for (uint32_t i = 0; i < num_chunks; i++) {
        pl_buf_u64(out, chunks[i].offset);
        pl_buf_u64(out, (uint64_t)chunks[i].utc_first);
        pl_buf_u64(out, (uint64_t)chunks[i].utc_last);
        pl_buf_u64(out, chunks[i].boot_first);
        pl_buf_u32(out, chunks[i].key_seq);
        pl_buf_u32(out, chunks[i].samples);
    }
}

enum pl_status pl_index_parse(struct pl_index *x, const uint8_t *p, size_t n)
{
    struct pl_cur c = pl_cur_of(p, n);

    x->self = pl_cur_u64(&c);
    x->prev = pl_cur_u64(&c);
    x->num_chunks = pl_cur_u32(&c);
    pl_cur_u32(&c);
    if (c.bad || x->num_chunks != c.left / CHUNK_LEN || c.left % CHUNK_LEN)
        return PL_CORRUPT;
    x->chunks = c.p;
    return PL_OK;
}

struct pl_chunk pl_index_chunk(const struct pl_index *x, uint32_t i)
{
    const uint8_t *p = x->chunks + (size_t)i * CHUNK_LEN;

    return (struct pl_chunk){
        .offset = pl_get_le64(p),
        .utc_first = (int64_t)pl_get_le64(p + 8),
        .utc_last = (int64_t)pl_get_le64(p + 16),
        .boot_first = pl_get_le64(p + 24),
        .key_seq = pl_get_le32(p + 32),
        .samples = pl_get_le32(p + 36),
    };
}
