/* The token codec: plan, encode, decode. */
#include "format/record/delta.h"

#include "format/base/array.h"
#include "format/base/cursor.h"
#include "format/block/winperf.h"

#include <stdlib.h>
#include <string.h>

enum { VARINT_MAX = 10 };

void pl_plan_release(struct pl_plan *plan)
{
    free(plan->copies);
    pl_delta_rows_release(&plan->rows);
    *plan = (struct pl_plan){ 0 };
}

/* ---- planning ----------------------------------------------------------- */

static enum pl_status add(struct pl_plan *plan, uint32_t src, size_t len)
{
    struct pl_delta_copy *last =
        plan->num ? &plan->copies[plan->num - 1] : NULL;

    if (!len)
        return PL_OK;
    if (last && ((!src && !last->src) ||
                 (src && last->src && src == last->src + last->len))) {
        last->len += (uint32_t)len;
        return PL_OK;
    }
    if (!pl_array_grow((void **)&plan->copies, &plan->cap, plan->num,
                       sizeof *plan->copies))
        return PL_NOMEM;
    plan->copies[plan->num++] = (struct pl_delta_copy){ src, (uint32_t)len };
    return PL_OK;
}

/* Bytes [at, at + len) of the new block, predicted by the reference's. */
static enum pl_status predict(struct pl_plan *plan, size_t ref_at, size_t len)
{
    return add(plan, (uint32_t)(ref_at / PL_DELTA_WORD) + 1,
               len / PL_DELTA_WORD);
}

static enum pl_status literal(struct pl_plan *plan, size_t len)
{
    return add(plan, 0, len / PL_DELTA_WORD);
}

static enum pl_status plan_by_offset(struct pl_plan *plan, size_t ref_len,
                                     size_t raw_len)
{
    size_t same = (ref_len < raw_len ? ref_len : raw_len) & ~(size_t)7;
    enum pl_status s;

    plan->num = 0;
    s = predict(plan, 0, same);
    return s ? s : literal(plan, raw_len - same);
}

static size_t instance_at(const struct pl_instance *i, const uint8_t *start)
{
    const uint8_t *first = i->definition ? i->definition : i->block;

    return (size_t)(first - start);
}

/* Definitions first, then instance by instance.  PL_CORRUPT: malformed. */
static enum pl_status plan_object(struct pl_plan *plan, const uint8_t *ref,
                                  struct pl_object *old, struct pl_object *now)
{
    size_t head = now->len - now->data.left;
    size_t old_head = old->len - old->data.left;
    struct pl_instance was, is;
    bool is_found;
    enum pl_status s = pl_delta_rows_begin(&plan->rows, old, now);

    if (!s && head == old_head)
        s = predict(plan, old->at, head);
    else if (!s)
        s = literal(plan, head);
    while (!s && !(s = pl_instance_next(now, &is))) {
        if (pl_instance_len(&is) % PL_DELTA_WORD)
            return PL_CORRUPT;
        s = pl_delta_rows_find(&plan->rows, &is, &was, &is_found);
        if (!s && is_found)
            s = predict(plan, instance_at(&was, ref), pl_instance_len(&is));
        else if (!s)
            s = literal(plan, pl_instance_len(&is));
    }
    if (s != PL_END)
        return s;
    return literal(plan, now->data.left); /* padding after the instances */
}

static bool find_object_from(struct pl_block probe, struct pl_block *at,
                             uint32_t title, struct pl_object *found)
{
    for (int i = 0; i < PL_DELTA_LOOK_AHEAD; i++) {
        if (pl_object_next(&probe, found))
            return false;
        if (found->title_index == title) {
            *at = probe;
            return true;
        }
    }
    return false;
}

/* Objects keep their order, so each search begins where the last one ended. */
static bool find_object(const struct pl_block *start, struct pl_block *at,
                        uint32_t title, struct pl_object *found)
{
    return find_object_from(*at, at, title, found) ||
           find_object_from(*start, at, title, found);
}

static enum pl_status plan_by_structure(struct pl_plan *plan,
                                        const uint8_t *ref, size_t ref_len,
                                        const uint8_t *raw, size_t raw_len)
{
    struct pl_block old_start, old, now;
    struct pl_object was, is;
    size_t head, done = 0;
    enum pl_status s;

    plan->num = 0;
    if (pl_block_parse(&old, ref, ref_len) ||
        pl_block_parse(&now, raw, raw_len))
        return PL_CORRUPT;
    old_start = old;
    head = raw_len - now.rest.left;
    if (head == ref_len - old.rest.left && head % PL_DELTA_WORD == 0)
        s = predict(plan, 0, head);
    else
        return PL_CORRUPT;
    done = head;
    while (!s && !(s = pl_object_next(&now, &is))) {
        if (is.len % PL_DELTA_WORD || is.at % PL_DELTA_WORD)
            return PL_CORRUPT;
        if (find_object(&old_start, &old, is.title_index, &was) &&
            was.at % PL_DELTA_WORD == 0)
            s = plan_object(plan, ref, &was, &is);
        else
            s = literal(plan, is.len);
        done = is.at + is.len;
    }
    if (s != PL_END)
        return s == PL_NOMEM ? s : PL_CORRUPT;
    return literal(plan, raw_len - done);
}

/* A plan that covers every word once and stays inside the reference. */
static bool plan_fits(const struct pl_plan *plan, size_t ref_len,
                      size_t raw_len)
{
    size_t words = 0;

    for (size_t i = 0; i < plan->num; i++) {
        const struct pl_delta_copy *c = &plan->copies[i];

        if (c->src && c->src - 1 + (size_t)c->len > ref_len / PL_DELTA_WORD)
            return false;
        words += c->len;
    }
    return words * PL_DELTA_WORD == raw_len && plan->num <= PL_MAX_COPIES;
}

enum pl_status pl_delta_plan(struct pl_plan *plan, const uint8_t *ref,
                             size_t ref_len, const uint8_t *raw, size_t raw_len)
{
    enum pl_status s = plan_by_structure(plan, ref, ref_len, raw, raw_len);

    if (s == PL_NOMEM)
        return s;
    if (!s && plan_fits(plan, ref_len, raw_len))
        return PL_OK;
    return plan_by_offset(plan, ref_len, raw_len);
}

/* ---- encoding ----------------------------------------------------------- */

static uint64_t load(const uint8_t *p)
{
    return pl_get_le64(p);
}

static uint8_t *put_varint(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

/* Where words from 'at' on begin to differ: four at a time, as most are equal. */
static size_t skip_equal(const uint8_t *raw, const uint8_t *ref, size_t at,
                         size_t len)
{
    enum { STEP = 4 };

    for (; at + STEP <= len; at += STEP) {
        uint64_t differs = 0;

        for (size_t i = at; i < at + STEP; i++)
            differs |=
                load(raw + i * PL_DELTA_WORD) ^ load(ref + i * PL_DELTA_WORD);
        if (differs)
            break;
    }
    while (at < len &&
           load(raw + at * PL_DELTA_WORD) == load(ref + at * PL_DELTA_WORD))
        at++;
    return at;
}

/* NULL: it would end after 'end'. */
static uint8_t *encode_predicted(uint8_t *out, const uint8_t *end,
                                 const uint8_t *ref, const uint8_t *raw,
                                 size_t len)
{
    size_t at = 0;

    while (at < len) {
        size_t equal = skip_equal(raw, ref, at, len), differ = equal;

        while (differ < len && load(raw + differ * PL_DELTA_WORD) !=
                                   load(ref + differ * PL_DELTA_WORD))
            differ++;
        out = put_varint(out, equal - at);
        out = put_varint(out, differ - equal);
        for (at = equal; at < differ && out <= end; at++)
            out = put_varint(out, pl_zigzag(load(raw + at * PL_DELTA_WORD) -
                                            load(ref + at * PL_DELTA_WORD)));
        if (out > end)
            return NULL;
    }
    return out;
}

bool pl_delta_encode(struct pl_buf *out, const struct pl_plan *plan,
                     const uint8_t *ref, const uint8_t *raw, size_t most)
{
    size_t words = 0, room;
    uint8_t *start, *p;
    const uint8_t *end;

    for (size_t i = 0; i < plan->num; i++)
        words += plan->copies[i].len;
    /* Worst case: every word differs; two varints begin each copy. */
    room = words * VARINT_MAX + (plan->num + 1) * 4 * VARINT_MAX;
    start = p = pl_buf_room(out, room);
    if (!p)
        return false;
    end = p + (most < room ? most : room);
    p = put_varint(p, plan->num);
    for (size_t i = 0; i < plan->num; i++) {
        p = put_varint(p, plan->copies[i].src);
        p = put_varint(p, plan->copies[i].len);
    }
    for (size_t i = 0; i < plan->num; i++) {
        struct pl_delta_copy c = plan->copies[i];

        if (p > end || (!c.src && c.len > (size_t)(end - p) / PL_DELTA_WORD))
            return false;
        if (!c.src) {
            memcpy(p, raw, (size_t)c.len * PL_DELTA_WORD);
            p += (size_t)c.len * PL_DELTA_WORD;
        } else {
            p = encode_predicted(
                p, end, ref + (size_t)(c.src - 1) * PL_DELTA_WORD, raw, c.len);
            if (!p)
                return false;
        }
        raw += (size_t)c.len * PL_DELTA_WORD;
    }
    out->len += (size_t)(p - start);
    return true;
}

/* ---- decoding ----------------------------------------------------------- */

static bool decode_predicted(struct pl_cur *from, const uint8_t *ref,
                             uint8_t *raw, size_t len)
{
    struct pl_cur c = *from; /* a local copy, which stays in registers */
    size_t at = 0;

    memcpy(raw, ref, len * PL_DELTA_WORD);
    while (at < len) {
        uint64_t equal = pl_cur_varint(&c);
        uint64_t differ = pl_cur_varint(&c);

        if (c.bad || equal > len - at || differ > len - at - equal ||
            !(equal | differ))
            return false;
        at += (size_t)equal;
        for (; differ; differ--, at++)
            pl_put_le64(raw + at * PL_DELTA_WORD,
                        load(raw + at * PL_DELTA_WORD) +
                            pl_unzigzag(pl_cur_varint(&c)));
    }
    *from = c;
    return !c.bad;
}

enum pl_status pl_delta_decode(const uint8_t *tokens, size_t len,
                               const uint8_t *ref, size_t ref_len, uint8_t *raw,
                               size_t raw_len)
{
    struct pl_cur list = pl_cur_of(tokens, len), data;
    uint64_t num = pl_cur_varint(&list);
    size_t words = raw_len / PL_DELTA_WORD, ref_words = ref_len / PL_DELTA_WORD;

    if (raw_len % PL_DELTA_WORD || num > PL_MAX_COPIES)
        return PL_CORRUPT;
    data = list;
    for (uint64_t i = 0; i < num; i++) {
        pl_cur_varint(&data);
        pl_cur_varint(&data);
    }
    for (; num; num--) {
        uint64_t src = pl_cur_varint(&list);
        uint64_t n = pl_cur_varint(&list);

        if (list.bad || data.bad || !n || n > words)
            return PL_CORRUPT;
        if (!src) {
            const uint8_t *p = pl_cur_take(&data, (size_t)n * PL_DELTA_WORD);

            if (!p)
                return PL_CORRUPT;
            memcpy(raw, p, (size_t)n * PL_DELTA_WORD);
        } else {
            if (n > ref_words || src - 1 > ref_words - n ||
                !decode_predicted(&data,
                                  ref + (size_t)(src - 1) * PL_DELTA_WORD, raw,
                                  (size_t)n))
                return PL_CORRUPT;
        }
        raw += (size_t)n * PL_DELTA_WORD;
        words -= (size_t)n;
    }
    return words || data.bad || data.left ? PL_CORRUPT : PL_OK;
}
