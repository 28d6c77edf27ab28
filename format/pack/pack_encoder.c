/* Takes samples apart: what moves, what is new, what changes. */
#include "format/pack/pack_encoder.h"

#include "format/base/array.h"
#include "format/base/cursor.h"
#include "format/record/codec.h"
#include "format/record/delta.h"
#include "format/pack/pack_encoder_state.h"
#include "format/pack/pack_words.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* Five minutes of seconds, and the one that ends them: whole minutes of a
     * recording leave none behind, for which all names would be stored again. */
    MOST_SAMPLES = 301,
    MOST_MINUTES = 30, /* from the earliest to the latest sample */
    LEAST_CHANGES = 1 << 20,
    MOST_CONTENT = 48 << 20,
    LEAST_CONTENT = 2 << 20, /* which a processor's cache may hold */
    LEAST_BLOCKS = 8,        /* in the content, where blocks are large */
};

enum pl_status pl_pack_encoder_new(struct pl_pack_encoder **out, int level)
{
    struct pl_pack_encoder *e = calloc(1, sizeof *e);

    if (!e)
        return PL_NOMEM;
    e->zstd = ZSTD_createCCtx();
    if (!e->zstd) {
        free(e);
        return PL_NOMEM;
    }
    ZSTD_CCtx_setParameter(e->zstd, ZSTD_c_compressionLevel, level);
    *out = e;
    return PL_OK;
}

void pl_pack_encoder_free(struct pl_pack_encoder *e)
{
    if (!e)
        return;
    ZSTD_freeCCtx(e->zstd);
    pl_plan_release(&e->plan);
    pl_pack_rows_release(&e->rows);
    pl_pack_order_release(&e->order);
    pl_buf_release(&e->last);
    pl_buf_release(&e->words);
    pl_buf_release(&e->rests);
    for (size_t i = 0; i < PL_PACK_NUM_PARTS; i++)
        pl_buf_release(&e->parts[i]);
    free(e->ids);
    free(e->next_ids);
    free(e->used);
    free(e->bounds);
    free(e->titles);
    free(e->changes);
    free(e);
}

void pl_pack_encoder_clear(struct pl_pack_encoder *e)
{
    for (size_t i = 0; i < PL_PACK_NUM_PARTS; i++) {
        pl_buf_clear(&e->parts[i]);
        e->parts[i].oom = false;
    }
    pl_buf_clear(&e->words);
    pl_buf_clear(&e->rests);
    pl_pack_rows_clear(&e->rows);
    e->num_changes = e->num_titles = 0;
    e->blocks = 0;
    e->head = (struct pl_pack_head){ 0 };
    e->utc = e->utc_step = e->ahead = 0;
}

uint32_t pl_pack_encoder_records(const struct pl_pack_encoder *e)
{
    return e->head.records;
}

const struct pl_pack_head *pl_pack_encoder_head(const struct pl_pack_encoder *e)
{
    return &e->head;
}

/* ---- what every record has ------------------------------------------------ */

static void put_record(struct pl_pack_encoder *e, const struct pl_record *r,
                       uint8_t kind)
{
    uint64_t utc = (uint64_t)r->utc_ns;
    uint64_t ahead = (uint64_t)r->boot_ns - utc;

    pl_buf_u8(&e->parts[PL_PACK_KINDS],
              (uint8_t)((r->flags & PL_PACK_FLAGS) | kind));
    pl_buf_varint(&e->parts[PL_PACK_TIMES],
                  pl_zigzag(utc - e->utc - e->utc_step));
    pl_buf_varint(&e->parts[PL_PACK_TIMES], pl_zigzag(ahead - e->ahead));
    if (kind & PL_PACK_IS_SAMPLE)
        e->utc_step = e->head.samples ? utc - e->utc : 0;
    e->utc = utc;
    e->ahead = ahead;
    e->head.records++;
}

/* A pack of more bytes takes a reader longer, and little off the log. */
static size_t most_content(const struct pl_pack_encoder *e)
{
    size_t most = e->last.len * LEAST_BLOCKS;

    if (most < LEAST_CONTENT)
        return LEAST_CONTENT;
    return most < MOST_CONTENT ? most : MOST_CONTENT;
}

static bool is_full(const struct pl_pack_encoder *e, size_t more)
{
    size_t content = more + e->words.len;

    for (size_t i = 0; i < PL_PACK_NUM_PARTS; i++)
        content += e->parts[i].len;
    return e->head.records == PL_PACK_MAX_RECORDS || content > most_content(e);
}

enum pl_status pl_pack_encoder_record(struct pl_pack_encoder *e,
                                      const struct pl_record *r,
                                      const uint8_t *payload, size_t n)
{
    struct pl_buf *others = &e->parts[PL_PACK_OTHERS];

    if (e->head.records && is_full(e, n))
        return PL_END;
    put_record(e, r, 0);
    pl_buf_u32(others, r->type);
    pl_buf_varint(others, n);
    pl_buf_bytes(others, payload, n);
    return others->oom ? PL_NOMEM : PL_OK;
}

/* ---- rows ------------------------------------------------------------------ */

static enum pl_status add_bound(struct pl_pack_encoder *e, size_t at,
                                uint64_t title)
{
    if (!pl_array_grow((void **)&e->bounds, &e->bounds_cap, e->num_bounds,
                       sizeof *e->bounds))
        return PL_NOMEM;
    e->bounds[e->num_bounds++] =
        (struct pl_pack_bound){ (uint32_t)(at / PL_PACK_WORD), title };
    return PL_OK;
}

/* Where objects and instances begin in a block, as far as it is well formed. */
static enum pl_status find_bounds(struct pl_pack_encoder *e,
                                  const struct pl_buf *block)
{
    struct pl_block b;
    struct pl_object o;
    struct pl_instance i;
    enum pl_status s;

    e->num_bounds = 0;
    s = add_bound(e, 0, 0);
    if (s || pl_block_parse(&b, block->p, block->len))
        return s;
    while (!s && !pl_object_next(&b, &o)) {
        uint64_t title = (uint64_t)o.title_index << 1;

        s = add_bound(e, o.at, title + 2);
        while (!s && !pl_instance_next(&o, &i)) {
            const uint8_t *p = i.definition ? i.definition : i.block;

            s = add_bound(e, (size_t)(p - block->p), title + 3);
        }
    }
    return s;
}

/* The group of rows with that title; *s PL_NOMEM. */
static uint64_t group_of(struct pl_pack_encoder *e, uint64_t title,
                         enum pl_status *s)
{
    size_t i = 0;

    while (i < e->num_titles && e->titles[i] != title)
        i++;
    if (i < e->num_titles || i == MOST_GROUPS)
        return i < e->num_titles ? i : 0;
    if (!pl_array_grow((void **)&e->titles, &e->titles_cap, e->num_titles,
                       sizeof *e->titles))
        *s = PL_NOMEM;
    else
        e->titles[e->num_titles++] = title;
    return i;
}

/* The first bound after word 'at', from 'i' on. */
static size_t bound_after(const struct pl_pack_encoder *e, size_t i, size_t at)
{
    while (i < e->num_bounds && e->bounds[i].at <= at)
        i++;
    return i;
}

/* Rows of the new words [at, end). */
static enum pl_status put_rows(struct pl_pack_encoder *e, size_t *bound,
                               size_t at, size_t end)
{
    struct pl_buf *out = &e->parts[PL_PACK_LAYOUTS];
    enum pl_status s = PL_OK;

    while (!s && at < end) {
        size_t next = bound_after(e, *bound, at), stop = end;
        uint64_t group;

        if (next < e->num_bounds && e->bounds[next].at < end)
            stop = e->bounds[next].at;
        *bound = next;
        group = group_of(e, e->bounds[next - 1].title, &s);
        if (!s)
            s = pl_pack_rows_add(&e->rows, stop - at, group, e->head.samples);
        pl_buf_varint(out, stop - at);
        pl_buf_varint(out, group);
        at = stop;
    }
    return s;
}

/* ---- layout ---------------------------------------------------------------- */

static enum pl_status make_encoder_room(struct pl_pack_encoder *e, size_t words)
{
    if (!pl_array_reserve((void **)&e->ids, &e->ids_cap, words,
                          sizeof *e->ids) ||
        !pl_array_reserve((void **)&e->next_ids, &e->next_cap, words,
                          sizeof *e->next_ids) ||
        !pl_array_reserve((void **)&e->used, &e->used_cap, words,
                          sizeof *e->used))
        return PL_NOMEM;
    return PL_OK;
}

/*
 * A word may predict one word only, since each continues its series: of copies
 * from the same words the first counts, later ones become new words.
 */
static void drop_repeated(struct pl_pack_encoder *e, size_t last_words)
{
    memset(e->used, 0, last_words);
    for (size_t i = 0; i < e->plan.num; i++) {
        struct pl_delta_copy *c = &e->plan.copies[i];

        if (!c->src)
            continue;
        if (memchr(e->used + c->src - 1, 1, c->len))
            c->src = 0;
        else
            memset(e->used + c->src - 1, 1, c->len);
    }
}

static bool is_as_before(const struct pl_pack_encoder *e, size_t last_words,
                         size_t words)
{
    return words == last_words && e->plan.num == 1 &&
           e->plan.copies[0].src == 1;
}

static enum pl_status put_layout(struct pl_pack_encoder *e,
                                 const struct pl_buf *block)
{
    struct pl_buf *out = &e->parts[PL_PACK_LAYOUTS];
    size_t at = 0, bound = 0, expected = 0;
    enum pl_status s = find_bounds(e, block);

    pl_buf_varint(out, block->len);
    for (size_t i = 0; i < e->plan.num && !s; i++) {
        struct pl_delta_copy c = e->plan.copies[i];

        pl_buf_varint(out, (uint64_t)c.len << 1 | !c.src);
        if (c.src) {
            pl_buf_varint(out, pl_zigzag((uint64_t)c.src - 1 - expected));
            memcpy(e->next_ids + at, e->ids + c.src - 1,
                   c.len * sizeof *e->ids);
            expected = (size_t)c.src - 1 + c.len;
        } else {
            for (size_t k = 0; k < c.len; k++)
                e->next_ids[at + k] = e->rows.num_series + (uint32_t)k;
            s = put_rows(e, &bound, at, at + c.len);
        }
        at += c.len;
    }
    return s;
}

/* ---- values ---------------------------------------------------------------- */

static enum pl_status put_changes(struct pl_pack_encoder *e, const uint8_t *was,
                                  const uint8_t *is, const uint32_t *ids,
                                  size_t num)
{
    for (size_t i = 0; i < num; i++) {
        uint64_t a = pl_get_le64(was + i * PL_PACK_WORD);
        uint64_t b = pl_get_le64(is + i * PL_PACK_WORD);

        if (a == b)
            continue;
        if (!pl_array_grow((void **)&e->changes, &e->changes_cap,
                           e->num_changes, sizeof *e->changes))
            return PL_NOMEM;
        e->changes[e->num_changes++] =
            (struct pl_pack_change){ b - a, ids[i], e->head.samples };
    }
    return PL_OK;
}

static enum pl_status put_values(struct pl_pack_encoder *e,
                                 const struct pl_buf *block,
                                 const uint32_t *ids)
{
    const uint8_t *p = block->p;
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < e->plan.num && !s; i++) {
        struct pl_delta_copy c = e->plan.copies[i];
        size_t len = (size_t)c.len * PL_PACK_WORD;

        if (c.src)
            s = put_changes(e, e->last.p + (c.src - 1) * (size_t)PL_PACK_WORD,
                            p, ids, c.len);
        else
            pl_buf_bytes(&e->words, p, len);
        p += len;
        ids += c.len;
    }
    pl_buf_bytes(&e->rests, p, block->len % PL_PACK_WORD);
    return s;
}

/* ---- samples --------------------------------------------------------------- */

/* Times come from the log that is packed, and may be any values. */
static uint64_t span_with(const struct pl_pack_head *h, int64_t utc_ns)
{
    int64_t first = utc_ns < h->utc_first ? utc_ns : h->utc_first;
    int64_t last = utc_ns > h->utc_last ? utc_ns : h->utc_last;

    return (uint64_t)last - (uint64_t)first;
}

static bool has_room(const struct pl_pack_encoder *e, const struct pl_record *r,
                     const struct pl_buf *block)
{
    size_t most = 2 * (e->last.len / PL_PACK_WORD);

    if (most < LEAST_CHANGES)
        most = LEAST_CHANGES;
    return e->head.samples < MOST_SAMPLES && !is_full(e, block->len) &&
           e->num_changes < most &&
           e->blocks + block->len <= PL_PACK_MAX_BLOCKS &&
           span_with(&e->head, r->utc_ns) <
               UINT64_C(60000000000) * MOST_MINUTES;
}

static void note_time(struct pl_pack_head *h, int64_t utc_ns)
{
    if (!h->samples || utc_ns < h->utc_first)
        h->utc_first = utc_ns;
    if (!h->samples || utc_ns > h->utc_last)
        h->utc_last = utc_ns;
    h->samples++;
}

/* Plan a sample.  The first one has only new words. */
static enum pl_status make_plan(struct pl_pack_encoder *e,
                                const struct pl_buf *block)
{
    size_t words = block->len / PL_PACK_WORD;
    size_t last_words = e->head.samples ? e->last.len / PL_PACK_WORD : 0;
    enum pl_status s =
        pl_delta_plan(&e->plan, e->last.p, last_words * PL_PACK_WORD, block->p,
                      words * PL_PACK_WORD);

    if (!s)
        s = make_encoder_room(e, words > last_words ? words : last_words);
    if (!s)
        drop_repeated(e, last_words);
    return s;
}

static enum pl_status swap_last(struct pl_pack_encoder *e,
                                const struct pl_buf *block)
{
    pl_buf_clear(&e->last);
    pl_buf_bytes(&e->last, block->p, block->len);
    return e->last.oom ? PL_NOMEM : PL_OK;
}

enum pl_status pl_pack_encoder_sample(struct pl_pack_encoder *e,
                                      const struct pl_record *r,
                                      const struct pl_buf *block)
{
    bool same;
    enum pl_status s;

    if (e->head.samples ? !has_room(e, r, block)
                        : e->head.records && is_full(e, block->len))
        return PL_END;
    s = make_plan(e, block);
    if (s)
        return s;
    same =
        e->head.samples && block->len == e->last.len &&
        is_as_before(e, e->last.len / PL_PACK_WORD, block->len / PL_PACK_WORD);
    if (!same)
        s = put_layout(e, block);
    if (!s)
        s = put_values(e, block, same ? e->ids : e->next_ids);
    if (!same) {
        uint32_t *ids = e->ids;
        size_t cap = e->ids_cap;

        e->ids = e->next_ids;
        e->ids_cap = e->next_cap;
        e->next_ids = ids;
        e->next_cap = cap;
    }
    put_record(e, r,
               (uint8_t)(PL_PACK_IS_SAMPLE | (same ? 0 : PL_PACK_HAS_LAYOUT)));
    pl_buf_u32(&e->parts[PL_PACK_HASHES], (uint32_t)r->raw_hash);
    note_time(&e->head, r->utc_ns);
    e->blocks += block->len;
    return s ? s : swap_last(e, block);
}

/* ---- the payload ----------------------------------------------------------- */

static enum pl_status compress(struct pl_pack_encoder *e,
                               const struct pl_buf *content, struct pl_buf *out)
{
    size_t bound = ZSTD_compressBound(content->len), used;
    uint8_t *room;

    pl_buf_u32(out, e->head.records);
    pl_buf_u32(out, e->head.samples);
    pl_buf_u64(out, (uint64_t)e->head.utc_first);
    pl_buf_u64(out, (uint64_t)e->head.utc_last);
    room = pl_buf_room(out, bound);
    if (!room)
        return PL_NOMEM;
    used = ZSTD_compress2(e->zstd, room, bound, content->p, content->len);
    if (ZSTD_isError(used))
        return PL_NOMEM; /* the only possible error, as the room suffices */
    out->len += used;
    return PL_OK;
}

/* Write the parts that wait for the last sample. */
static enum pl_status put_columns(struct pl_pack_encoder *e)
{
    struct pl_buf *words = &e->parts[PL_PACK_WORDS];
    enum pl_status s = e->words.oom || e->rests.oom
                           ? PL_NOMEM
                           : pl_pack_rows_order(&e->rows, &e->order);

    if (s)
        return s;
    pl_pack_words_put(&e->order, e->words.p, words);
    pl_buf_bytes(words, e->rests.p, e->rests.len);
    return pl_pack_put_columns(e);
}

enum pl_status pl_pack_encoder_finish(struct pl_pack_encoder *e,
                                      struct pl_record *r, struct pl_buf *out)
{
    struct pl_buf content = { 0 };
    enum pl_status s = put_columns(e);

    for (size_t i = 0; i < PL_PACK_NUM_PARTS; i++)
        pl_buf_varint(&content, e->parts[i].len);
    for (size_t i = 0; i < PL_PACK_NUM_PARTS; i++) {
        pl_buf_bytes(&content, e->parts[i].p, e->parts[i].len);
        if (e->parts[i].oom && !s)
            s = PL_NOMEM;
    }
    if (!s && content.oom)
        s = PL_NOMEM;
    if (!s && content.len > PL_MAX_PAYLOAD)
        s = PL_TOO_LARGE;
    if (!s)
        s = compress(e, &content, out);
    r->codec = PL_CODEC_PACK;
    r->raw_len = (uint32_t)content.len;
    r->raw_hash = pl_hash(content.p, content.len, r->session);
    pl_buf_release(&content);
    pl_pack_encoder_clear(e);
    return s;
}
