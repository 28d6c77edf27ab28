/* Blocks: what is written is read; what lies is refused; nothing is read
 * outside, whatever the bytes say. */
#include "format/block/winperf.h"

#include "format/base/utf.h"
#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY = 4, PROCESSOR = 238, ROUND_UP_8 = 7 };

static const struct pl_block_stamp stamp = {
    .utc_ns = INT64_C(951782400250000000), /* Tue 2000-02-29 00:00:00.250 */
    .perf_time = INT64_C(0x0102030405060708),
    .perf_freq = 1000000000,
    .perf_time_100ns = INT64_C(125962560002500000),
};

static const struct pl_counter_def small = {
    .title_index = 10,
    .help_index = 11,
    .scale = -3,
    .detail_level = 100,
    .type = PERF_COUNTER_RAWCOUNT,
    .size = 4,
    .offset = 4,
};
static const struct pl_counter_def large = {
    .title_index = 6,
    .help_index = 7,
    .scale = 0,
    .detail_level = 200,
    .type = PERF_100NSEC_TIMER,
    .size = 8,
    .offset = 8,
};

static void put_values(struct pl_buf *b, uint32_t small_value,
                       uint64_t large_value)
{
    uint8_t *p = pl_put_counter_block(b, 16);

    pl_put_le32(p + small.offset, small_value);
    pl_put_le64(p + large.offset, large_value);
}

static size_t put_object(struct pl_buf *b, uint32_t title)
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

/* A machine "HOST" with Memory and two processors. */
static void put_machine(struct pl_buf *b)
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

struct walk {
    uint64_t sum; /* of all bytes and values seen: makes ASan look at them */
    size_t steps, values;
};

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

/* Everything a reader would look at; PL_END if all of it was well formed. */
static enum pl_status walk(struct walk *w, const uint8_t *p, size_t n)
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

/* The same through an exact-size copy; every step takes bytes, so it ends. */
static enum pl_status walk_copy(struct walk *w, const uint8_t *p, size_t n)
{
    uint8_t *copy = exact_copy(p, n);
    enum pl_status s = walk(w, copy, n);

    free(copy);
    ck_assert_uint_le(w->steps, n);
    return s;
}

/* ---- write, then read ---------------------------------------------------- */

static void check_header(const struct pl_block *b)
{
    static const uint16_t systemtime[8] = { 2000, 2, 2, 29, 0, 0, 0, 250 };

    ck_assert_uint_eq(b->num_objects, 2);
    ck_assert_int_eq(b->default_object, PROCESSOR);
    ck_assert_mem_eq(b->system_time, systemtime, sizeof systemtime);
    ck_assert_int_eq(b->perf_time, stamp.perf_time);
    ck_assert_int_eq(b->perf_freq, stamp.perf_freq);
    ck_assert_int_eq(b->perf_time_100ns, stamp.perf_time_100ns);
    ck_assert_uint_eq(b->name_len, 8);
}

static void check_counters(struct pl_object *o)
{
    const struct pl_counter_def *wants[] = { &small, &large };
    struct pl_counter_def c;

    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(pl_counter_next(o, &c), PL_OK);
        ck_assert_uint_eq(c.title_index, wants[i]->title_index);
        ck_assert_uint_eq(c.help_index, wants[i]->help_index);
        ck_assert_int_eq(c.scale, wants[i]->scale);
        ck_assert_uint_eq(c.detail_level, wants[i]->detail_level);
        ck_assert_uint_eq(c.type, wants[i]->type);
        ck_assert_uint_eq(c.size, wants[i]->size);
        ck_assert_uint_eq(c.offset, wants[i]->offset);
    }
    ck_assert_int_eq(pl_counter_next(o, &c), PL_END);
}

static void check_values(const struct pl_object *o, const struct pl_instance *i,
                         uint64_t want_small, uint64_t want_large)
{
    uint64_t v;

    ck_assert(pl_counter_get(o, i, &small, &v));
    ck_assert_uint_eq(v, want_small);
    ck_assert(pl_counter_get(o, i, &large, &v));
    ck_assert_uint_eq(v, want_large);
}

static void check_memory(struct pl_object *o)
{
    struct pl_instance i;

    ck_assert_uint_eq(o->title_index, MEMORY);
    ck_assert_uint_eq(o->help_index, MEMORY + 1);
    ck_assert_uint_eq(o->detail_level, PERF_DETAIL_NOVICE);
    ck_assert_int_eq(o->default_counter, 1);
    ck_assert_int_eq(o->num_instances, PERF_NO_INSTANCES);
    ck_assert_int_eq(pl_instance_next(o, &i), PL_OK);
    ck_assert_ptr_null(i.name);
    ck_assert_ptr_null(i.definition);
    ck_assert_uint_eq(i.block_len, 16);
    check_values(o, &i, 1, UINT64_C(1) << 40);
    ck_assert_int_eq(pl_instance_next(o, &i), PL_END);
}

static void check_processors(struct pl_object *o)
{
    struct pl_instance i;

    ck_assert_uint_eq(o->title_index, PROCESSOR);
    ck_assert_int_eq(o->num_instances, 2);
    for (uint32_t n = 0; n < 2; n++) {
        ck_assert_int_eq(pl_instance_next(o, &i), PL_OK);
        ck_assert_uint_eq(i.parent_object, MEMORY);
        ck_assert_uint_eq(i.parent_instance, n);
        ck_assert_int_eq(i.unique_id, PERF_NO_UNIQUE_ID);
        ck_assert_uint_eq(i.name_len, 4); /* with its terminator */
        ck_assert_uint_eq(i.name[o->big_endian], '0' + n);
        check_values(o, &i, 100 + n, 200 + n);
    }
    ck_assert_int_eq(pl_instance_next(o, &i), PL_END);
}

/* The machine of put_machine, in any of its forms. */
static void check_machine(const uint8_t *p, size_t n)
{
    struct pl_block b;
    struct pl_object o;

    ck_assert_int_eq(pl_block_parse(&b, p, n), PL_OK);
    check_header(&b);
    ck_assert_uint_eq(b.name[b.big_endian], 'H');
    ck_assert_int_eq(pl_object_next(&b, &o), PL_OK);
    check_counters(&o);
    check_memory(&o);
    ck_assert_int_eq(pl_object_next(&b, &o), PL_OK);
    check_counters(&o);
    check_processors(&o);
    ck_assert_int_eq(pl_object_next(&b, &o), PL_END);
}

START_TEST(a_written_block_is_read_back)
{
    struct pl_buf b = { 0 };
    struct pl_block view;
    struct pl_object o;

    put_machine(&b);
    check_machine(b.p, b.len);
    ck_assert_int_eq(pl_block_parse(&view, b.p, b.len), PL_OK);
    ck_assert(!view.big_endian);
    ck_assert_uint_eq(view.version, 1);
    ck_assert_uint_eq(view.revision, 1);
    ck_assert_uint_eq(pl_get_le32(b.p + 20), b.len); /* TotalByteLength */
    ck_assert_int_eq(pl_object_next(&view, &o), PL_OK);
    ck_assert_int_eq(o.perf_time, 77);
    ck_assert_int_eq(o.perf_freq, 1000);
    ck_assert_uint_eq(o.definitions_len, 2 * PL_SIZEOF_COUNTER);
    pl_buf_release(&b);
}
END_TEST

START_TEST(every_written_part_starts_and_ends_on_8)
{
    struct pl_buf name = { 0 };

    for (size_t len = 0; len < 20; len += 2) {
        struct pl_buf b = { 0 };
        size_t block = pl_put_block(&b, &stamp, name.p, name.len);
        size_t object = put_object(&b, PROCESSOR), at = b.len;

        ck_assert_uint_eq((object | at) & ROUND_UP_8, 0);
        pl_put_instance(&b, 0, 0, name.p, name.len); /* first an empty name */
        ck_assert_uint_eq(b.len & ROUND_UP_8, 0);
        ck_assert_uint_eq(pl_get_le32(b.p + at), b.len - at);
        ck_assert_uint_eq(pl_get_le32(b.p + at + 20), len + 2);
        ck_assert_uint_ge(b.len - at, PL_SIZEOF_INSTANCE + len + 2);
        put_values(&b, 0, 0);
        pl_put_object_close(&b, object, 1);
        pl_put_block_close(&b, block, 1, -1);
        pl_buf_release(&b);
        pl_buf_u16(&name, 'x');
    }
    pl_buf_release(&name);
}
END_TEST

START_TEST(a_block_may_stand_behind_other_bytes)
{
    struct pl_buf b = { 0 };

    pl_buf_zeros(&b, 24);
    put_machine(&b);
    check_machine(b.p + 24, b.len - 24);
    pl_buf_release(&b);
}
END_TEST

START_TEST(an_objects_clock_can_be_set_later)
{
    struct pl_buf b = { 0 };
    struct pl_block view;
    struct pl_object o;
    size_t block = pl_put_block(&b, &stamp, NULL, 0);
    size_t object = put_object(&b, MEMORY);

    put_values(&b, 0, 0);
    pl_put_object_close(&b, object, PERF_NO_INSTANCES);
    pl_put_block_close(&b, block, 1, -1);
    pl_put_object_clock(&b, object, -2, 3);
    ck_assert_int_eq(pl_block_parse(&view, b.p, b.len), PL_OK);
    ck_assert_ptr_null(view.name);
    ck_assert_int_eq(view.default_object, -1);
    ck_assert_int_eq(pl_object_next(&view, &o), PL_OK);
    ck_assert_int_eq(o.perf_time, -2);
    ck_assert_int_eq(o.perf_freq, 3);
    pl_buf_release(&b);
}
END_TEST

START_TEST(a_writer_without_memory_gives_no_place)
{
    struct pl_buf b = { .oom = true };

    ck_assert_ptr_null(pl_put_counter_block(&b, 16));
    pl_put_instance(&b, 0, 0, (const uint8_t *)"x", 2);
    ck_assert_uint_eq(b.len, 0);
}
END_TEST

/* ---- other forms of the same block --------------------------------------- */

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

/* Make 'twin', a copy of the little-endian 'p', big-endian. */
static void make_big_endian(uint8_t *twin, const uint8_t *p, size_t n)
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

START_TEST(a_big_endian_block_reads_the_same)
{
    struct pl_buf b = { 0 };
    struct pl_block view;
    uint8_t *twin;

    put_machine(&b);
    twin = exact_copy(b.p, b.len);
    make_big_endian(twin, b.p, b.len);
    check_machine(twin, b.len);
    ck_assert_int_eq(pl_block_parse(&view, twin, b.len), PL_OK);
    ck_assert(view.big_endian);
    ck_assert_uint_eq(view.version, 1);
    free(twin);
    pl_buf_release(&b);
}
END_TEST

START_TEST(a_header_packed_by_an_old_compiler_reads_the_same)
{
    struct pl_buf b = { 0 };
    uint8_t *p;
    size_t n;

    put_machine(&b); /* header: 88 bytes, 8 of name */
    n = b.len - 4;
    memmove(b.p + 52, b.p + 56, b.len - 56);
    pl_put_le32(b.p + 20, (uint32_t)n);
    pl_put_le32(b.p + 24, 92); /* HeaderLength */
    pl_put_le32(b.p + 80, 84); /* SystemNameOffset */
    p = exact_copy(b.p, n);
    check_machine(p, n);
    free(p);
    pl_buf_release(&b);
}
END_TEST

START_TEST(a_name_of_84_bytes_is_no_packing)
{
    struct pl_buf b = { 0 };
    struct pl_block view;
    uint8_t name[84];

    memset(name, 'x', sizeof name);
    pl_put_block_close(&b, pl_put_block(&b, &stamp, name, sizeof name), 0, 0);
    ck_assert_int_eq(pl_block_parse(&view, b.p, b.len), PL_OK);
    ck_assert_int_eq(view.perf_time, stamp.perf_time);
    ck_assert_uint_eq(view.name_len, sizeof name);
    pl_buf_release(&b);
}
END_TEST

/* Cut the two clocks of 1994 out of the object header at 'at'. */
static void make_revision_0(struct pl_buf *b, size_t at)
{
    memmove(b->p + at + 48, b->p + at + 64, b->len - at - 64);
    b->len -= 16;
    for (size_t field = 0; field < 12; field += 4)
        pl_buf_set_u32(b, at + field, pl_get_le32(b->p + at + field) - 16);
}

START_TEST(a_block_of_1992_reads_the_same)
{
    struct pl_buf b = { 0 };
    struct pl_block view;
    struct pl_object memory, processor, o;

    put_machine(&b);
    ck_assert_int_eq(pl_block_parse(&view, b.p, b.len), PL_OK);
    ck_assert_int_eq(pl_object_next(&view, &memory), PL_OK);
    ck_assert_int_eq(pl_object_next(&view, &processor), PL_OK);
    make_revision_0(&b, processor.at);
    make_revision_0(&b, memory.at);
    pl_buf_set_u32(&b, 16, 0);             /* Revision */
    pl_buf_set_u32(&b, memory.at + 40, 0); /* 1992 had no -1 */
    check_machine(b.p, b.len);
    ck_assert_int_eq(pl_block_parse(&view, b.p, b.len), PL_OK);
    ck_assert_uint_eq(view.revision, 0);
    ck_assert_int_eq(pl_object_next(&view, &o), PL_OK);
    ck_assert_int_eq(o.perf_time, 0);
    ck_assert_int_eq(o.perf_freq, 0);
    pl_buf_release(&b);
}
END_TEST

START_TEST(no_instances_and_no_data_is_an_empty_list)
{
    for (int revision = 0; revision < 2; revision++) {
        struct pl_buf b = { 0 };
        struct walk w;
        size_t block = pl_put_block(&b, &stamp, NULL, 0);
        size_t object = put_object(&b, PROCESSOR);

        if (revision)
            pl_buf_zeros(&b, 7); /* padding */
        pl_put_object_close(&b, object, 0);
        if (!revision)
            make_revision_0(&b, object);
        pl_put_block_close(&b, block, 1, -1);
        ck_assert_int_eq(walk_copy(&w, b.p, b.len), PL_END);
        ck_assert_uint_eq(w.values, 0);
        pl_buf_release(&b);
    }
}
END_TEST

/* ---- damage -------------------------------------------------------------- */

START_TEST(no_prefix_makes_anybody_read_outside)
{
    struct pl_buf b = { 0 };
    struct walk w;

    put_machine(&b);
    for (size_t n = 0; n < b.len; n++) {
        enum pl_status s = walk_copy(&w, b.p, n);

        ck_assert_msg(s == PL_TRUNCATED, "%zu: %d", n, s);
    }
    ck_assert_int_eq(walk_copy(&w, b.p, b.len), PL_END);
    ck_assert_uint_eq(w.values, 6);
    pl_buf_release(&b);
}
END_TEST

START_TEST(no_changed_byte_makes_anybody_read_outside)
{
    static const uint8_t masks[] = { 0x01, 0x80, 0xFF, 0x55 };
    struct pl_buf b = { 0 };
    uint8_t *twin;
    struct walk w;

    put_machine(&b);
    twin = exact_copy(b.p, b.len);
    make_big_endian(twin, b.p, b.len);
    for (size_t at = 0; at < b.len; at++) {
        for (size_t m = 0; m < sizeof masks; m++) {
            b.p[at] ^= masks[m];
            twin[at] ^= masks[m];
            walk_copy(&w, b.p, b.len);
            walk_copy(&w, twin, b.len);
            b.p[at] ^= masks[m];
            twin[at] ^= masks[m];
        }
    }
    free(twin);
    pl_buf_release(&b);
}
END_TEST

/* Where a lie is told; the second object is Processor. */
enum place { BLOCK, OBJECT, COUNTER, INSTANCE, VALUES };

static const struct {
    const char *what;
    enum place place;
    size_t at;
    uint32_t value;
    enum pl_status want;
} lies[] = {
    { "signature", BLOCK, 0, 0, PL_NOT_A_LOG },
    { "TotalByteLength short", BLOCK, 20, 8, PL_END },
    { "TotalByteLength long", BLOCK, 20, UINT32_MAX, PL_END },
    { "HeaderLength below its fields", BLOCK, 24, 87, PL_CORRUPT },
    { "HeaderLength beyond the block", BLOCK, 24, 1 << 20, PL_TRUNCATED },
    { "HeaderLength with all bits", BLOCK, 24, UINT32_MAX, PL_TRUNCATED },
    { "fewer objects than there are", BLOCK, 28, 1, PL_CORRUPT },
    { "more objects than there are", BLOCK, 28, 3, PL_END },
    { "name longer than the header", BLOCK, 80, 9, PL_CORRUPT },
    { "name length that wraps", BLOCK, 80, UINT32_MAX - 87, PL_CORRUPT },
    { "name behind the header", BLOCK, 84, 97, PL_CORRUPT },
    { "name offset with all bits", BLOCK, 84, UINT32_MAX, PL_CORRUPT },
    { "object longer than the block", OBJECT, 0, 1 << 20, PL_TRUNCATED },
    { "object shorter than its definitions", OBJECT, 0, 143, PL_CORRUPT },
    { "object of length 0", OBJECT, 0, 0, PL_CORRUPT },
    { "definitions longer than the object", OBJECT, 4, 1 << 20, PL_CORRUPT },
    { "definitions shorter than the header", OBJECT, 4, 63, PL_CORRUPT },
    { "header shorter than in 1992", OBJECT, 8, 47, PL_CORRUPT },
    { "header longer than definitions", OBJECT, 8, 145, PL_CORRUPT },
    { "more counters than fit", OBJECT, 32, 3, PL_CORRUPT },
    { "counters with all bits", OBJECT, 32, UINT32_MAX, PL_CORRUPT },
    { "counters that wrap to 80 bytes", OBJECT, 32, 0x06666668, PL_CORRUPT },
    { "-2 instances", OBJECT, 40, UINT32_MAX - 1, PL_CORRUPT },
    { "more instances than fit", OBJECT, 40, 4, PL_CORRUPT },
    { "one instance more than there are", OBJECT, 40, 3, PL_TRUNCATED },
    { "most negative instances", OBJECT, 40, 0x80000000, PL_CORRUPT },
    { "most instances", OBJECT, 40, 0x7FFFFFFF, PL_CORRUPT },
    { "definition of length 0", COUNTER, 0, 0, PL_CORRUPT },
    { "definition of 39 bytes", COUNTER, 0, 39, PL_CORRUPT },
    { "definition that eats its sibling", COUNTER, 0, 80, PL_TRUNCATED },
    { "definition longer than all", COUNTER, 0, UINT32_MAX, PL_TRUNCATED },
    { "one counter fewer than there are", OBJECT, 32, 1, PL_CORRUPT },
    { "one instance fewer than there are", OBJECT, 40, 1, PL_CORRUPT },
    { "instance name in its header", INSTANCE, 16, 23, PL_CORRUPT },
    { "instance of length 0", INSTANCE, 0, 0, PL_CORRUPT },
    { "instance of 23 bytes", INSTANCE, 0, 23, PL_CORRUPT },
    { "instance longer than the object", INSTANCE, 0, 1 << 20, PL_TRUNCATED },
    { "instance name behind it", INSTANCE, 16, 33, PL_CORRUPT },
    { "instance name at its very end", INSTANCE, 16, 32, PL_CORRUPT },
    { "instance name too long", INSTANCE, 20, 9, PL_CORRUPT },
    { "instance name that wraps", INSTANCE, 20, UINT32_MAX - 23, PL_CORRUPT },
    { "no name", INSTANCE, 20, 0, PL_END },
    { "counter block of length 0", VALUES, 0, 0, PL_CORRUPT },
    { "counter block of 3 bytes", VALUES, 0, 3, PL_CORRUPT },
    { "counter block unlike its sibling's", VALUES, 0, 24, PL_CORRUPT },
    { "counter block beyond the object", VALUES, 0, 1 << 20, PL_TRUNCATED },
};

/* Offset of 'place' in the block of put_machine. */
static size_t find_place(enum place place, const uint8_t *p, size_t n)
{
    struct pl_block b;
    struct pl_object o;
    struct pl_instance i;

    if (place == BLOCK)
        return 0;
    ck_assert_int_eq(pl_block_parse(&b, p, n), PL_OK);
    ck_assert_int_eq(pl_object_next(&b, &o), PL_OK);
    ck_assert_int_eq(pl_object_next(&b, &o), PL_OK);
    if (place == OBJECT)
        return o.at;
    if (place == COUNTER)
        return (size_t)(o.definitions - p);
    ck_assert_int_eq(pl_instance_next(&o, &i), PL_OK);
    return (size_t)((place == INSTANCE ? i.definition : i.block) - p);
}

START_TEST(a_lying_field_is_refused)
{
    struct pl_buf b = { 0 };
    enum pl_status s;
    struct walk w;

    put_machine(&b);
    pl_buf_set_u32(&b, find_place(lies[_i].place, b.p, b.len) + lies[_i].at,
                   lies[_i].value);
    s = walk_copy(&w, b.p, b.len);
    ck_assert_msg(s == lies[_i].want, "%s: %d", lies[_i].what, s);
    pl_buf_release(&b);
}
END_TEST

START_TEST(definitions_must_hold_their_header_even_without_counters)
{
    struct pl_buf b = { 0 };
    struct pl_object o = { .title_index = 2 };
    struct pl_block view;
    size_t block = pl_put_block(&b, &stamp, NULL, 0);
    size_t at = pl_put_object(&b, &o);

    pl_put_definitions_close(&b, at, 0);
    pl_put_object_close(&b, at, 0);
    pl_put_block_close(&b, block, 1, -1);
    pl_buf_set_u32(&b, at + 4, PL_SIZEOF_OBJECT - 4);
    ck_assert_int_eq(pl_block_parse(&view, b.p, b.len), PL_OK);
    ck_assert_int_eq(pl_object_next(&view, &o), PL_CORRUPT);
    pl_buf_release(&b);
}
END_TEST

/* Two instances whose counter blocks differ in length, though all adds up. */
static enum pl_status walk_unequal(uint32_t type)
{
    struct pl_buf b = { 0 };
    struct pl_object o = { .title_index = 2 };
    struct pl_counter_def c = {
        .title_index = 4, .type = type, .size = 4, .offset = 4
    };
    struct walk w;
    size_t block = pl_put_block(&b, &stamp, NULL, 0);
    size_t at = pl_put_object(&b, &o);
    enum pl_status s;

    pl_put_counter(&b, &c);
    pl_put_definitions_close(&b, at, 1);
    for (uint32_t i = 0; i < 2; i++) {
        pl_put_instance(&b, 0, 0, (const uint8_t *)"a", 2);
        ck_assert_ptr_nonnull(pl_put_counter_block(&b, 8 + 8 * i));
    }
    pl_put_object_close(&b, at, 2);
    pl_put_block_close(&b, block, 1, -1);
    s = walk_copy(&w, b.p, b.len);
    pl_buf_release(&b);
    return s;
}

START_TEST(counter_blocks_of_an_object_are_equally_long)
{
    ck_assert_int_eq(walk_unequal(PERF_COUNTER_RAWCOUNT), PL_CORRUPT);
    ck_assert_int_eq(walk_unequal(PERF_COUNTER_TEXT), PL_END);
}
END_TEST

START_TEST(no_value_is_read_out_of_a_blocks_own_length)
{
    static const uint8_t bytes[16] = { 16 };
    const struct pl_instance i = { .block = bytes, .block_len = 16 };
    struct pl_object o = { .num_counters = 1 };
    uint64_t v;

    for (uint32_t at = 0; at < 6; at++) {
        const struct pl_counter_def c = { .size = 4, .offset = at };

        ck_assert(pl_counter_get(&o, &i, &c, &v) == (at >= 4));
    }
}
END_TEST

START_TEST(objects_behind_their_stated_number_are_not_looked_at)
{
    struct pl_buf b = { 0 };
    struct walk w;

    put_machine(&b);
    pl_buf_set_u32(&b, 28, 1); /* NumObjectTypes */
    ck_assert_int_eq(walk_copy(&w, b.p, b.len), PL_CORRUPT);
    ck_assert_uint_eq(w.values, 2);
    pl_buf_set_u32(&b, 20, 8); /* TotalByteLength: who knows what follows */
    ck_assert_int_eq(walk_copy(&w, b.p, b.len), PL_END);
    ck_assert_uint_eq(w.values, 2);
    pl_buf_release(&b);
}
END_TEST

START_TEST(there_is_a_cap_on_counters_and_instances)
{
    static const struct {
        size_t field, unit;
        uint32_t cap;
    } caps[] = {
        { 32, PL_SIZEOF_COUNTER, PL_MAX_COUNTERS },
        { 40, PL_SIZEOF_INSTANCE + PL_SIZEOF_COUNTER_BLOCK, PL_MAX_INSTANCES },
    };

    for (size_t i = 0; i < 4; i++) {
        uint32_t over = i % 2, n = caps[i / 2].cap + over;
        struct pl_buf b = { 0 };
        struct pl_object o = { .title_index = 2 };
        struct pl_block view;
        size_t block = pl_put_block(&b, &stamp, NULL, 0);
        size_t at = pl_put_object(&b, &o), first = b.len;

        pl_put_definitions_close(&b, at, 0);
        pl_buf_zeros(&b, n * caps[i / 2].unit);
        if (caps[i / 2].unit == PL_SIZEOF_COUNTER) {
            for (size_t k = 0; k < n; k++)
                pl_buf_set_u32(&b, first + k * PL_SIZEOF_COUNTER,
                               PL_SIZEOF_COUNTER);
            pl_put_definitions_close(&b, at, 0);
        }
        pl_put_object_close(&b, at, 0);
        pl_put_block_close(&b, block, 1, -1);
        pl_buf_set_u32(&b, at + caps[i / 2].field, n);
        ck_assert_int_eq(pl_block_parse(&view, b.p, b.len), PL_OK);
        ck_assert_int_eq(pl_object_next(&view, &o), over ? PL_CORRUPT : PL_OK);
        pl_buf_release(&b);
    }
}
END_TEST

START_TEST(longer_headers_of_a_newer_system_are_passed_over)
{
    struct pl_buf b = { 0 };
    struct pl_object o = { .title_index = 2 };
    struct pl_block view;
    struct pl_instance i;
    uint64_t v;
    size_t block = pl_put_block(&b, &stamp, NULL, 0), at;

    pl_buf_zeros(&b, 8);
    pl_buf_set_u32(&b, block + 24, 96); /* HeaderLength */
    at = pl_put_object(&b, &o);
    pl_buf_zeros(&b, 8);
    pl_buf_set_u32(&b, at + 8, 72);
    pl_put_counter(&b, &large);
    pl_buf_zeros(&b, 8);
    pl_buf_set_u32(&b, at + 72, 48); /* the definition's ByteLength */
    pl_put_counter(&b, &large);
    pl_put_definitions_close(&b, at, 2);
    put_values(&b, 5, 6);
    pl_put_object_close(&b, at, PERF_NO_INSTANCES);
    pl_put_block_close(&b, block, 1, -1);
    ck_assert_int_eq(pl_block_parse(&view, b.p, b.len), PL_OK);
    ck_assert_int_eq(pl_object_next(&view, &o), PL_OK);
    for (int n = 0; n < 2; n++) {
        struct pl_counter_def c;

        ck_assert_int_eq(pl_counter_next(&o, &c), PL_OK);
        ck_assert_uint_eq(c.type, large.type);
    }
    ck_assert_int_eq(pl_instance_next(&o, &i), PL_OK);
    ck_assert(pl_counter_get(&o, &i, &large, &v));
    ck_assert_uint_eq(v, 6);
    pl_buf_release(&b);
}
END_TEST

static const struct {
    const char *what;
    uint32_t offset, size;
    bool want;
} reaches[] = {
    { "first 4 bytes of values", 4, 4, true },
    { "last 8 bytes", 8, 8, true },
    { "last 4 bytes", 12, 4, true },
    { "one byte beyond", 9, 8, false },
    { "at the end", 16, 4, false },
    { "behind the end", 17, 4, false },
    { "offset that wraps", UINT32_MAX - 3, 8, false },
    { "size that wraps", 8, UINT32_MAX - 7, false },
    { "no size", 4, 0, false },
    { "2 bytes", 4, 2, false },
    { "12 bytes", 4, 12, false },
};

START_TEST(a_counter_is_read_only_where_it_lies_inside)
{
    uint8_t *bytes =
        exact_copy("\x10\0\0\0\1\2\3\4\5\6\7\x08\x09\x0A\x0B\x0C", 16);
    struct pl_object o = { 0 };
    struct pl_instance i = { .block = bytes, .block_len = 16 };
    struct pl_counter_def c = { .offset = reaches[_i].offset,
                                .size = reaches[_i].size };
    uint64_t v;

    ck_assert_msg(pl_counter_get(&o, &i, &c, &v) == reaches[_i].want, "%s",
                  reaches[_i].what);
    free(bytes);
}
END_TEST

START_TEST(base_types_are_told_from_the_rest)
{
    ck_assert(pl_type_is_base(PERF_SAMPLE_BASE));
    ck_assert(pl_type_is_base(PERF_AVERAGE_BASE));
    ck_assert(pl_type_is_base(PERF_RAW_BASE));
    ck_assert(pl_type_is_base(PERF_LARGE_RAW_BASE));
    ck_assert(pl_type_is_base(PERF_COUNTER_MULTI_BASE));
    ck_assert(!pl_type_is_base(PERF_COUNTER_COUNTER));
    ck_assert(!pl_type_is_base(PERF_RAW_FRACTION));
    ck_assert(!pl_type_is_base(PERF_PRECISION_100NS_TIMER));
    ck_assert(!pl_type_is_base(PERF_COUNTER_RAWCOUNT));
}
END_TEST

#define NUM(table) (sizeof(table) / sizeof *(table))

int main(void)
{
    TCase *t = tcase_create("winperf");

    tcase_add_test(t, a_written_block_is_read_back);
    tcase_add_test(t, every_written_part_starts_and_ends_on_8);
    tcase_add_test(t, a_block_may_stand_behind_other_bytes);
    tcase_add_test(t, an_objects_clock_can_be_set_later);
    tcase_add_test(t, a_writer_without_memory_gives_no_place);
    tcase_add_test(t, a_big_endian_block_reads_the_same);
    tcase_add_test(t, a_header_packed_by_an_old_compiler_reads_the_same);
    tcase_add_test(t, a_name_of_84_bytes_is_no_packing);
    tcase_add_test(t, a_block_of_1992_reads_the_same);
    tcase_add_test(t, no_instances_and_no_data_is_an_empty_list);
    tcase_add_test(t, no_prefix_makes_anybody_read_outside);
    tcase_add_test(t, no_changed_byte_makes_anybody_read_outside);
    tcase_add_loop_test(t, a_lying_field_is_refused, 0, NUM(lies));
    tcase_add_test(t, definitions_must_hold_their_header_even_without_counters);
    tcase_add_test(t, counter_blocks_of_an_object_are_equally_long);
    tcase_add_test(t, no_value_is_read_out_of_a_blocks_own_length);
    tcase_add_test(t, objects_behind_their_stated_number_are_not_looked_at);
    tcase_add_test(t, there_is_a_cap_on_counters_and_instances);
    tcase_add_test(t, longer_headers_of_a_newer_system_are_passed_over);
    tcase_add_loop_test(t, a_counter_is_read_only_where_it_lies_inside, 0,
                        NUM(reaches));
    tcase_add_test(t, base_types_are_told_from_the_rest);
    return run_suite("winperf", (TCase *[]){ t, NULL });
}
