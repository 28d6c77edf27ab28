/* A block of a small machine, and a walk through all of a block. */
#include "tests/support/machine_block.h"

#include "format/base/utf.h"
#include "tests/support/support.h"

#include <stdlib.h>

const struct pl_block_stamp stamp = {
    .utc_ns = INT64_C(951782400250000000), /* Tue 2000-02-29 00:00:00.250 */
    .perf_time = INT64_C(0x0102030405060708),
    .perf_freq = 1000000000,
    .perf_time_100ns = INT64_C(125962560002500000),
};

const struct pl_counter_def small = {
    .title_index = 10,
    .help_index = 11,
    .scale = -3,
    .detail_level = 100,
    .type = PERF_COUNTER_RAWCOUNT,
    .size = 4,
    .offset = 4,
};
const struct pl_counter_def large = {
    .title_index = 6,
    .help_index = 7,
    .scale = 0,
    .detail_level = 200,
    .type = PERF_100NSEC_TIMER,
    .size = 8,
    .offset = 8,
};

void put_values(struct pl_buf *b, uint32_t small_value, uint64_t large_value)
{
    uint8_t *p = pl_put_counter_block(b, 16);

    pl_put_le32(p + small.offset, small_value);
    pl_put_le64(p + large.offset, large_value);
}

size_t put_object(struct pl_buf *b, uint32_t title)
{
    struct pl_object o = { .title_index = title,
                           .help_index = title + 1,
                           .detail_level = PERF_DETAIL_NOVICE,
                           .default_counter = 1,
                           .perf_time = 77,
                           .perf_freq = 1000 };
    size_t at = pl_put_object(b, &o);

    pl_put_counter(b, &small);
    pl_put_counter(b, &large);
    pl_put_definitions_close(b, at, 2);
    return at;
}

void put_machine(struct pl_buf *b)
{
    struct pl_buf name = { 0 };
    size_t block, object;

    pl_utf8_to_utf16(&name, "HOST", 4);
    block = pl_put_block(b, &stamp, name.p, name.len);
    object = put_object(b, MEMORY);
    put_values(b, 1, UINT64_C(1) << 40);
    pl_put_object_close(b, object, PERF_NO_INSTANCES);
    object = put_object(b, PROCESSOR);
    for (uint8_t i = 0; i < 2; i++) {
        uint8_t digit[2] = { (uint8_t)('0' + i), 0 };

        pl_put_instance(b, MEMORY, i, digit, sizeof digit);
        put_values(b, 100u + i, 200u + i);
    }
    pl_put_object_close(b, object, 2);
    pl_put_block_close(b, block, 2, PROCESSOR);
    pl_buf_release(&name);
}

/* ---- walking ------------------------------------------------------------- */

static void touch(struct walk *w, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        w->sum += p[i];
}

static enum pl_status walk_instances(struct walk *w, struct pl_object *o)
{
    struct pl_instance i;
    enum pl_status s;

    while (!(s = pl_instance_next(o, &i))) {
        struct pl_object counters = *o;
        struct pl_counter_def c;

        w->steps++;
        touch(w, i.name, i.name_len);
        touch(w, i.definition, i.definition_len);
        touch(w, i.block, i.block_len);
        while (!pl_counter_next(&counters, &c)) {
            uint64_t value;

            if (pl_counter_get(o, &i, &c, &value)) {
                w->values++;
                w->sum += value;
            }
        }
    }
    return s;
}

enum pl_status walk(struct walk *w, const uint8_t *p, size_t n)
{
    struct pl_block b;
    struct pl_object o;
    enum pl_status s = pl_block_parse(&b, p, n);

    *w = (struct walk){ 0 };
    if (s)
        return s;
    touch(w, b.name, b.name_len);
    while (!(s = pl_object_next(&b, &o))) {
        struct pl_object counters = o;
        struct pl_counter_def c;

        w->steps++;
        touch(w, o.definitions, o.definitions_len);
        while (!(s = pl_counter_next(&counters, &c)))
            w->steps++;
        if (s != PL_END)
            return s;
        s = walk_instances(w, &o);
        if (s != PL_END)
            return s;
    }
    return s;
}

enum pl_status walk_copy(struct walk *w, const uint8_t *p, size_t n)
{
    uint8_t *copy = exact_copy(p, n);
    enum pl_status s = walk(w, copy, n);

    free(copy);
    ck_assert_uint_le(w->steps, n);
    return s;
}
static void swap(uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        uint8_t t = p[i];

        p[i] = p[n - 1 - i];
        p[n - 1 - i] = t;
    }
}

static void swap_each(uint8_t *p, size_t n, size_t width)
{
    for (size_t i = 0; i + width <= n; i += width)
        swap(p + i, width);
}

void make_big_endian(uint8_t *twin, const uint8_t *p, size_t n)
{
    struct pl_block b;
    struct pl_object o;
    struct pl_instance i;

    ck_assert_int_eq(pl_block_parse(&b, p, n), PL_OK);
    swap_each(twin, 8, 2);       /* "PERF" */
    swap_each(twin + 12, 24, 4); /* Version to DefaultObject */
    pl_put_le32(twin + 8, 0);    /* LittleEndian */
    swap_each(twin + 36, 16, 2); /* SystemTime */
    swap_each(twin + 56, 24, 8); /* clocks */
    swap_each(twin + 80, 8, 4);  /* name length and offset */
    swap_each(twin + (b.name - p), b.name_len, 2);
    while (!pl_object_next(&b, &o)) {
        swap_each(twin + o.at, 48, 4);
        swap_each(twin + o.at + 48, 16, 8);
        swap_each(twin + (o.definitions - p), o.definitions_len, 4);
        while (!pl_instance_next(&o, &i)) {
            if (i.definition) {
                swap_each(twin + (i.definition - p), PL_SIZEOF_INSTANCE, 4);
                swap_each(twin + (i.name - p), i.name_len, 2);
            }
            swap_each(twin + (i.block - p), 8, 4);
            swap_each(twin + (i.block - p) + 8, 8, 8);
        }
    }
}
