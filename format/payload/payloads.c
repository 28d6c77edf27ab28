/* SESS, gaps, note, indx and ends payloads. */
#include "format/payload/payloads.h"

#include "format/base/cursor.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

enum { TAG_CRITICAL = 0x8000, TAG_PLACE = 25 };

/* ---- SESS ---------------------------------------------------------------- */

/* A fact of a session: its tag (FORMAT.md), its form, and its field. */
struct fact {
    uint16_t tag;
    const struct form *form;
    size_t
        at; /* in struct pl_session; 0 where the form has fields of its own */
};

/*
 * How a fact is written, which it is not while it is unknown, and how it is
 * taken from the value of its tag: one that is shorter than the form requires
 * leaves the field unknown.
 */
struct form {
    void (*put)(struct pl_buf *out, const struct fact *fact,
                const struct pl_session *s);
    void (*take)(struct pl_session *s, const struct fact *fact,
                 struct pl_cur *value);
};

static const void *field_of(const struct pl_session *s, const struct fact *fact)
{
    return (const char *)s + fact->at;
}

static void *field_to_set(struct pl_session *s, const struct fact *fact)
{
    return (char *)s + fact->at;
}

static void put_tag(struct pl_buf *out, const struct fact *fact, size_t len)
{
    pl_buf_u16(out, fact->tag);
    pl_buf_u16(out, 0);
    pl_buf_u32(out, (uint32_t)len);
}

static struct pl_text rest(struct pl_cur *c)
{
    return (struct pl_text){ (const char *)c->p, c->left };
}

static struct pl_text rest_if_good(struct pl_cur *c)
{
    return c->bad ? (struct pl_text){ 0 } : rest(c);
}

static void put_text(struct pl_buf *out, const struct fact *fact,
                     const struct pl_session *s)
{
    const struct pl_text *text = field_of(s, fact);

    if (!text->n)
        return;
    put_tag(out, fact, text->n);
    pl_buf_bytes(out, text->p, text->n);
}

static void take_text(struct pl_session *s, const struct fact *fact,
                      struct pl_cur *value)
{
    *(struct pl_text *)field_to_set(s, fact) = rest(value);
}

static void put_u32(struct pl_buf *out, const struct fact *fact,
                    const struct pl_session *s)
{
    const uint32_t *number = field_of(s, fact);

    if (!*number)
        return;
    put_tag(out, fact, 4);
    pl_buf_u32(out, *number);
}

static void take_u32(struct pl_session *s, const struct fact *fact,
                     struct pl_cur *value)
{
    *(uint32_t *)field_to_set(s, fact) = pl_cur_u32(value);
}

static void put_u64(struct pl_buf *out, const struct fact *fact,
                    const struct pl_session *s)
{
    const uint64_t *number = field_of(s, fact);

    if (!*number)
        return;
    put_tag(out, fact, 8);
    pl_buf_u64(out, *number);
}

static void take_u64(struct pl_session *s, const struct fact *fact,
                     struct pl_cur *value)
{
    *(uint64_t *)field_to_set(s, fact) = pl_cur_u64(value);
}

/* The tag alone says it. */
static void put_flag(struct pl_buf *out, const struct fact *fact,
                     const struct pl_session *s)
{
    if (*(const bool *)field_of(s, fact))
        put_tag(out, fact, 0);
}

static void take_flag(struct pl_session *s, const struct fact *fact,
                      struct pl_cur *value)
{
    (void)value;
    *(bool *)field_to_set(s, fact) = true;
}

static void put_boot_id(struct pl_buf *out, const struct fact *fact,
                        const struct pl_session *s)
{
    static const uint8_t unknown[PL_BOOT_ID_LEN];

    if (!memcmp(s->boot_id, unknown, PL_BOOT_ID_LEN))
        return;
    put_tag(out, fact, PL_BOOT_ID_LEN);
    pl_buf_bytes(out, s->boot_id, PL_BOOT_ID_LEN);
}

static void take_boot_id(struct pl_session *s, const struct fact *fact,
                         struct pl_cur *value)
{
    const uint8_t *p = pl_cur_take(value, PL_BOOT_ID_LEN);

    (void)fact;
    if (p)
        memcpy(s->boot_id, p, PL_BOOT_ID_LEN);
}

/* Always known: UTC without a name is a zone, too. */
static void put_zone(struct pl_buf *out, const struct fact *fact,
                     const struct pl_session *s)
{
    put_tag(out, fact, 4 + s->zone.n);
    pl_buf_u32(out, (uint32_t)s->zone_minutes);
    pl_buf_bytes(out, s->zone.p, s->zone.n);
}

static void take_zone(struct pl_session *s, const struct fact *fact,
                      struct pl_cur *value)
{
    (void)fact;
    s->zone_minutes = (int32_t)pl_cur_u32(value);
    s->zone = rest_if_good(value);
}

static void put_perf_clock(struct pl_buf *out, const struct fact *fact,
                           const struct pl_session *s)
{
    if (!s->perf_freq)
        return;
    put_tag(out, fact, 8 + s->perf_source.n);
    pl_buf_u64(out, s->perf_freq);
    pl_buf_bytes(out, s->perf_source.p, s->perf_source.n);
}

static void take_perf_clock(struct pl_session *s, const struct fact *fact,
                            struct pl_cur *value)
{
    (void)fact;
    s->perf_freq = pl_cur_u64(value);
    s->perf_source = rest_if_good(value);
}

static void put_source(struct pl_buf *out, const struct fact *fact,
                       const struct pl_session *s)
{
    if (!s->sha256)
        return;
    put_tag(out, fact, PL_SHA256_LEN + s->source.n);
    pl_buf_bytes(out, s->sha256, PL_SHA256_LEN);
    pl_buf_bytes(out, s->source.p, s->source.n);
}

static void take_source(struct pl_session *s, const struct fact *fact,
                        struct pl_cur *value)
{
    (void)fact;
    s->sha256 = pl_cur_take(value, PL_SHA256_LEN);
    s->source = rest_if_good(value);
}

static void put_place(struct pl_buf *out, const struct fact *fact,
                      const struct pl_session *s)
{
    if (!s->root)
        return;
    put_tag(out, fact, 16);
    pl_buf_u64(out, s->root);
    pl_buf_u64(out, s->place);
}

static void take_place(struct pl_session *s, const struct fact *fact,
                       struct pl_cur *value)
{
    uint64_t root = pl_cur_u64(value);

    (void)fact;
    s->place = pl_cur_u64(value);
    s->root = value->bad ? 0 : root;
}

/* clang-format off */
static const struct form text_form = { put_text, take_text },
    u32_form = { put_u32, take_u32 },
    u64_form = { put_u64, take_u64 },
    flag_form = { put_flag, take_flag },
    boot_id_form = { put_boot_id, take_boot_id },
    zone_form = { put_zone, take_zone },
    perf_clock_form = { put_perf_clock, take_perf_clock },
    source_form = { put_source, take_source },
    place_form = { put_place, take_place };

/* In the order in which they are written. */
#define FIELD(name) offsetof(struct pl_session, name)
static const struct fact facts[] = {
    { 1, &text_form, FIELD(host) },
    { 2, &u64_form, FIELD(machine_hash) },
    { 3, &boot_id_form, 0 },
    { 4, &text_form, FIELD(os) },
    { 5, &text_form, FIELD(architecture) },
    { 6, &u32_form, FIELD(num_cpus) },
    { 7, &u32_form, FIELD(page_size) },
    { 8, &u32_form, FIELD(clock_ticks) },
    { 9, &u64_form, FIELD(interval_ns) },
    { 10, &text_form, FIELD(tool) },
    { 11, &u32_form, FIELD(minor) },
    { 12, &text_form, FIELD(provider) },
    { 13, &zone_form, 0 },
    { 14, &text_form, FIELD(command_line) },
    { 15, &text_form, FIELD(sync) },
    { 16, &perf_clock_form, 0 },
    { 18, &text_form, FIELD(previous) },
    { 19, &flag_form, FIELD(repeat) },
    { 20, &source_form, 0 },
    { 21, &flag_form, FIELD(titles_made_up) },
    { 22, &text_form, FIELD(process_path) },
    { TAG_PLACE, &place_form, 0 },
    { 26, &text_form, FIELD(process_reason) },
};
/* clang-format on */

enum { NUM_FACTS = sizeof facts / sizeof *facts };

bool pl_session_has_steady_clock(const struct pl_session *s)
{
    return pl_text_equal(s->provider, pl_text_of(PL_PROVIDER_LINUX));
}

void pl_session_write(const struct pl_session *s, struct pl_buf *out)
{
    for (size_t i = 0; i < NUM_FACTS; i++)
        facts[i].form->put(out, &facts[i], s);
}

/* False: the tag is not known. */
static bool take_fact(struct pl_session *s, uint16_t tag, struct pl_cur value)
{
    for (size_t i = 0; i < NUM_FACTS; i++)
        if (facts[i].tag == tag) {
            facts[i].form->take(s, &facts[i], &value);
            return true;
        }
    return false;
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
        if (!take_fact(s, tag, value) && (flags & TAG_CRITICAL))
            return PL_UNSUPPORTED;
    }
    return PL_OK;
}

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

/* ---- gaps ---------------------------------------------------------------- */

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

uint32_t pl_gap_shown_cause(const struct pl_gaps *g)
{
    if (g->cause == PL_GAP_DISK_ERROR && g->error == ENOMEM)
        return PL_GAP_NO_MEMORY;
    return g->cause < PL_NUM_GAP_CAUSES ? g->cause : 0;
}

const char *pl_gap_cause_text(uint32_t shown)
{
    static const char *const texts[PL_NUM_SHOWN_CAUSES] = {
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
        [PL_GAP_NO_MEMORY] = "there was too little memory",
    };

    if (shown >= PL_NUM_SHOWN_CAUSES || !texts[shown])
        return "for a cause this perflog does not know";
    return texts[shown];
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
