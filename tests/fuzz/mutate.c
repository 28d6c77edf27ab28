/* Numbers to choose from, and what changes a winperf block. */
#include "tests/fuzz/mutate.h"

#include "format/block/winperf.h"

#include <string.h>

#define NUM(a) (sizeof(a) / sizeof *(a))

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

size_t mutate_below(uint64_t *state, size_t below)
{
    return below ? (size_t)(next(state) >> 11) % below : 0;
}

uint64_t mutate_number(uint64_t *state, uint64_t was)
{
    static const uint64_t edges[] = {
        0,
        1,
        2,
        4,
        8,
        24,
        40,
        48,
        64,
        0x7F,
        0xFF,
        0x7FFF,
        0xFFFF,
        INT32_MAX,
        UINT32_C(0x80000000),
        UINT32_MAX - 7,
        UINT32_MAX,
        INT64_MAX,
        UINT64_C(1) << 63,
        UINT64_MAX,
        UINT64_C(0x7FF0000000000000), /* infinity */
        UINT64_C(0x7FF8000000000000), /* no number */
        UINT64_C(0x7FEFFFFFFFFFFFFF), /* the largest */
        UINT64_C(0xFFEFFFFFFFFFFFFF),
        UINT64_C(0x8000000000000000),
    };

    switch (mutate_below(state, 4)) {
    case 0:
        return edges[mutate_below(state, NUM(edges))];
    case 1:
        return was + mutate_below(state, 17) - 8;
    case 2:
        return was ^ UINT64_C(1) << mutate_below(state, 64);
    default:
        return next(state) >> mutate_below(state, 64);
    }
}

/* ---- fields of a block ----------------------------------------------------- */

struct site {
    size_t at;
    unsigned width;
    bool is_type; /* a counter's type word */
};

/* One of all sites that were shown, each as likely as the other. */
struct choice {
    uint64_t *state;
    size_t seen;
    struct site site;
};

static void show(struct choice *c, size_t at, unsigned width, bool is_type)
{
    if (!mutate_below(c->state, ++c->seen))
        c->site = (struct site){ at, width, is_type };
}

static void show_all(struct choice *c, size_t at, size_t n, unsigned width)
{
    for (size_t i = 0; i < n; i++)
        show(c, at + i * width, width, false);
}

enum kind {
    BLOCK_HEADER,
    OBJECT_HEADERS,
    DEFINITIONS,
    INSTANCES,
    VALUES,
    NUM_KINDS
};

static void show_definitions(struct choice *c, const struct pl_object *o,
                             const uint8_t *p)
{
    struct pl_object walk = *o;
    struct pl_counter_def def;
    size_t at = (size_t)(walk.counters.p - p);

    while (!pl_counter_next(&walk, &def)) {
        show_all(c, at, 10, 4);
        show(c, at + 28, 4, true);
        show(c, at + 28, 4, true);
        at = (size_t)(walk.counters.p - p);
    }
}

static void show_values(struct choice *c, const struct pl_object *o,
                        const struct pl_instance *i, const uint8_t *p)
{
    struct pl_object walk = *o;
    struct pl_counter_def def;
    uint64_t value;

    while (!pl_counter_next(&walk, &def))
        if (pl_counter_get(o, i, &def, &value))
            show(c, (size_t)(i->block - p) + def.offset, def.size, false);
}

static void show_instances(struct choice *c, const struct pl_object *o,
                           const uint8_t *p, enum kind kind)
{
    struct pl_object walk = *o;
    struct pl_instance i;

    while (!pl_instance_next(&walk, &i)) {
        if (kind == VALUES) {
            show_values(c, o, &i, p);
            continue;
        }
        show(c, (size_t)(i.block - p), 4, false);
        if (i.definition)
            show_all(c, (size_t)(i.definition - p), 6 + i.name_len / 4, 4);
    }
}

static void show_block(struct choice *c, const struct pl_block *b,
                       enum kind kind)
{
    struct pl_block walk = *b;
    struct pl_object o;

    if (kind == BLOCK_HEADER) {
        show_all(c, 8, 7, 4);
        show_all(c, 56, 3, 8);
        show_all(c, 80, 2, 4);
        return;
    }
    while (!pl_object_next(&walk, &o)) {
        if (kind == OBJECT_HEADERS) {
            show_all(c, o.at, 12, 4);
            if (o.perf_time || o.perf_freq)
                show_all(c, o.at + 48, 2, 8);
        } else if (kind == DEFINITIONS) {
            show_definitions(c, &o, b->bytes);
        } else {
            show_instances(c, &o, b->bytes, kind);
        }
    }
}

static void put(uint8_t *p, unsigned width, bool big, uint64_t v)
{
    for (unsigned i = 0; i < width; i++)
        p[big ? width - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

static uint64_t get(const uint8_t *p, unsigned width, bool big)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < width; i++)
        v |= (uint64_t)p[big ? width - 1 - i : i] << 8 * i;
    return v;
}

static uint32_t any_type(uint64_t *state)
{
    static const uint32_t types[] = {
        PERF_COUNTER_COUNTER,
        PERF_COUNTER_TIMER,
        PERF_COUNTER_BULK_COUNT,
        PERF_COUNTER_RAWCOUNT,
        PERF_COUNTER_LARGE_RAWCOUNT,
        PERF_DOUBLE_RAW,
        PERF_SAMPLE_FRACTION,
        PERF_SAMPLE_BASE,
        PERF_AVERAGE_TIMER,
        PERF_AVERAGE_BULK,
        PERF_AVERAGE_BASE,
        PERF_100NSEC_TIMER,
        PERF_100NSEC_TIMER_INV,
        PERF_COUNTER_MULTI_TIMER,
        PERF_COUNTER_MULTI_TIMER_INV,
        PERF_COUNTER_MULTI_BASE,
        PERF_RAW_FRACTION,
        PERF_RAW_BASE,
        PERF_ELAPSED_TIME,
        PERF_COUNTER_DELTA,
        PERF_PRECISION_OBJECT_TIMER,
        PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE,
        PL_NUMBER_LARGE_DEC_1000,
        PERF_COUNTER_TEXT,
        PERF_COUNTER_NODATA,
    };

    return types[mutate_below(state, NUM(types))];
}

static void change_site(struct choice *c, uint8_t *p, size_t n, bool big)
{
    const struct site *s = &c->site;

    if (!c->seen || s->at > n || s->width > n - s->at)
        return;
    if (s->is_type && mutate_below(c->state, 2))
        put(p + s->at, s->width, big, any_type(c->state));
    else
        put(p + s->at, s->width, big,
            mutate_number(c->state, get(p + s->at, s->width, big)));
}

/* ---- instances that come and go ---------------------------------------------- */

struct place {
    size_t object, at, len;
};

static void choose_instance(uint64_t *state, const struct pl_block *b,
                            struct place *out)
{
    struct pl_block walk = *b;
    struct pl_object o;
    struct pl_instance i;
    size_t seen = 0;

    *out = (struct place){ 0 };
    while (!pl_object_next(&walk, &o)) {
        size_t at = o.at;

        while (!pl_instance_next(&o, &i))
            if (i.definition && !mutate_below(state, ++seen))
                *out = (struct place){ at, (size_t)(i.definition - b->bytes),
                                       i.definition_len + i.block_len };
    }
}

static void add_to(uint8_t *p, bool big, uint32_t v)
{
    put(p, 4, big, get(p, 4, big) + v);
}

/* Make another of one instance, or take it away. */
static size_t change_instances(uint64_t *state, const struct pl_block *b,
                               uint8_t *p, size_t n, size_t cap)
{
    bool big = b->big_endian, add = mutate_below(state, 2);
    struct place x;

    choose_instance(state, b, &x);
    if (!x.len || (add && x.len > cap - n))
        return n;
    if (add) {
        memmove(p + x.at + x.len, p + x.at, n - x.at);
        n += x.len;
    } else {
        memmove(p + x.at, p + x.at + x.len, n - x.at - x.len);
        n -= x.len;
    }
    add_to(p + x.object, big, (uint32_t)(add ? x.len : -x.len));
    add_to(p + x.object + 40, big, add ? 1 : UINT32_MAX);
    put(p + 20, 4, big, n);
    return n;
}

size_t mutate_block(uint64_t *state, uint8_t *p, size_t n, size_t cap)
{
    struct choice c = { .state = state };
    struct pl_block b;
    size_t times = 1 + mutate_below(state, 3);

    if (pl_block_parse(&b, p, n))
        return LLVMFuzzerMutate(p, n, cap);
    if (!mutate_below(state, 8))
        return change_instances(state, &b, p, n, cap);
    while (times-- && !pl_block_parse(&b, p, n)) {
        c.seen = 0;
        show_block(&c, &b, (enum kind)mutate_below(state, NUM_KINDS));
        change_site(&c, p, n, b.big_endian);
    }
    return n;
}

/* ---- token streams -------------------------------------------------------------- */

size_t mutate_tokens(uint64_t *state, uint8_t *p, size_t n, size_t cap)
{
    struct pl_buf out = { 0 };
    size_t nth = mutate_below(state, n), seen = 0;
    struct pl_cur c = pl_cur_of(p, n);

    /* A number is about a byte, so most places in the stream are met. */
    while (c.left) {
        const uint8_t *from = c.p;
        uint64_t v = pl_cur_varint(&c);

        if (c.bad)
            break;
        if (seen <= nth && nth < seen + (size_t)(c.p - from)) {
            switch (mutate_below(state, 6)) {
            case 0: /* taken away */
                break;
            case 1: /* twice */
                pl_buf_varint(&out, v);
                pl_buf_varint(&out, v);
                break;
            default:
                pl_buf_varint(&out, mutate_number(state, v));
            }
        } else {
            pl_buf_varint(&out, v);
        }
        seen += (size_t)(c.p - from);
    }
    if (!c.bad && !out.oom && out.len <= cap) {
        n = out.len;
        if (n)
            memcpy(p, out.p, n);
    } else {
        n = LLVMFuzzerMutate(p, n, cap);
    }
    pl_buf_release(&out);
    return n;
}
