/* Blocks made to hold something of everything. */
#include "tests/support/made_blocks.h"

#include "format/time/time_text.h"
#include "format/block/titles.h"
#include "format/base/utf.h"
#include "format/block/winperf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUM(a) (sizeof(a) / sizeof *(a))

enum {
    FREQ = 10000000,
    TITLE_TYPES = 1000, /* its counters are 1002, 1004 ... */
    TITLE_BARE = 1300,
    TITLE_CHILD = 1400,
    TITLE_PROCESS = 230,
};

struct made {
    uint32_t title, type, size;
    uint8_t total_rule;
};

/* clang-format off */
static const struct made all_types[] = {
    { 1002, PERF_COUNTER_COUNTER, 4, PL_TOTAL_MEAN },
    { 1004, PERF_COUNTER_TIMER, 8, PL_TOTAL_MEAN },
    { 1006, PERF_COUNTER_QUEUELEN_TYPE, 4, PL_TOTAL_SUM },
    { 1008, PERF_COUNTER_LARGE_QUEUELEN_TYPE, 8, 0 },
    { 1010, PERF_COUNTER_100NS_QUEUELEN_TYPE, 8, 0 },
    { 1012, PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE, 8, 0 },
    { 1014, PERF_COUNTER_BULK_COUNT, 8, PL_TOTAL_SUM },
    { 1016, PERF_COUNTER_TEXT, 8, 0 },
    { 1018, PERF_COUNTER_RAWCOUNT, 4, PL_TOTAL_MEAN },
    { 1020, PERF_COUNTER_LARGE_RAWCOUNT, 8, PL_TOTAL_SUM },
    { 1022, PERF_COUNTER_RAWCOUNT_HEX, 4, 0 },
    { 1024, PERF_COUNTER_LARGE_RAWCOUNT_HEX, 8, 0 },
    { 1026, PERF_DOUBLE_RAW, 8, 0 },
    { 1028, PERF_SAMPLE_FRACTION, 4, PL_TOTAL_SUM },
    { 1028, PERF_SAMPLE_BASE, 4, 0 },
    { 1030, PERF_SAMPLE_COUNTER, 4, 0 },
    { 1032, PERF_COUNTER_NODATA, 4, 0 },
    { 1034, PERF_COUNTER_TIMER_INV, 8, PL_TOTAL_MEAN },
    { 1036, PERF_AVERAGE_TIMER, 8, PL_TOTAL_SUM },
    { 0, PERF_AVERAGE_BASE, 4, 0 },
    { 1038, PERF_AVERAGE_BULK, 8, 0 },
    { 1038, PERF_AVERAGE_BASE, 8, 0 },
    { 1040, PERF_OBJ_TIME_TIMER, 8, 0 },
    { 1042, PERF_100NSEC_TIMER, 8, PL_TOTAL_MEAN },
    { 1044, PERF_100NSEC_TIMER_INV, 8, 0 },
    { 1046, PERF_COUNTER_MULTI_TIMER, 8, 0 },
    { 1046, PERF_COUNTER_MULTI_BASE, 8, 0 },
    { 1048, PERF_COUNTER_MULTI_TIMER_INV, 8, 0 },
    { 1048, PERF_COUNTER_MULTI_BASE, 8, 0 },
    { 1050, PERF_100NSEC_MULTI_TIMER, 8, PL_TOTAL_SUM },
    { 1050, PERF_COUNTER_MULTI_BASE, 8, 0 },
    { 1052, PERF_100NSEC_MULTI_TIMER_INV, 8, 0 },
    { 1052, PERF_COUNTER_MULTI_BASE, 8, 0 },
    { 1054, PERF_RAW_FRACTION, 4, PL_TOTAL_SUM },
    { 1054, PERF_RAW_BASE, 4, 0 },
    { 1056, PERF_LARGE_RAW_FRACTION, 8, 0 },
    { 1056, PERF_LARGE_RAW_BASE, 8, 0 },
    { 1058, PERF_ELAPSED_TIME, 8, 0 },
    { 1060, PERF_COUNTER_DELTA, 4, PL_TOTAL_SUM },
    { 1062, PERF_COUNTER_LARGE_DELTA, 8, 0 },
    { 1064, PERF_PRECISION_SYSTEM_TIMER, 8, 0 },
    { 1064, PERF_LARGE_RAW_BASE, 8, 0 },
    { 1066, PERF_PRECISION_100NS_TIMER, 8, 0 },
    { 1066, PERF_LARGE_RAW_BASE, 8, 0 },
    { 1068, PERF_PRECISION_OBJECT_TIMER, 8, 0 },
    { 1070, PL_NUMBER_DEC_1000, 4, 0 },
    { 1072, PL_NUMBER_LARGE_DEC_1000, 8, 0 },
    { 1074, 12, 8, 0 },         /* PERF_AVERAGE_TIMER of 1992 */
    { 1074, 13, 4, 0 },
    { 1076, 0x90410400u, 4, 0 }, /* with the histogram flag */
};
static const struct made bare[] = {
    { 674, PERF_ELAPSED_TIME, 8, 0 },
    { 1302, PERF_COUNTER_RAWCOUNT, 4, 0 },
};
static const struct made child[] = {
    { 1402, PERF_COUNTER_BULK_COUNT, 8, PL_TOTAL_SUM },
};
static const struct made process[] = {
    { 784, PERF_COUNTER_RAWCOUNT, 4, 0 },
    { 684, PERF_ELAPSED_TIME, 8, 0 },
    { 6, PERF_100NSEC_TIMER, 8, PL_TOTAL_SUM },
};
/* clang-format on */

static size_t begin(struct pl_buf *b, uint32_t title, const struct made *rows,
                    size_t n, unsigned step)
{
    const struct pl_object o = { .title_index = title,
                                 .help_index = title + 1,
                                 .detail_level = PERF_DETAIL_NOVICE,
                                 .perf_time = (step + 1) * (int64_t)FREQ,
                                 .perf_freq = FREQ };
    size_t at = pl_put_object(b, &o);

    for (size_t i = 0; i < n; i++) {
        const struct pl_counter_def c = { .title_index = rows[i].title,
                                          .help_index = rows[i].title + 1,
                                          .type = rows[i].type,
                                          .size = rows[i].size,
                                          .offset = 8 + 8 * (uint32_t)i };

        pl_put_counter(b, &c);
    }
    pl_put_definitions_close(b, at, (uint32_t)n);
    return at;
}

/* Values grow with 'step' by amounts that differ from row to row. */
static void values(struct pl_buf *b, const struct made *rows, size_t n,
                   unsigned step, unsigned instance)
{
    uint8_t *p = pl_put_counter_block(b, 8 + 8 * (uint32_t)n);

    for (size_t i = 0; p && i < n; i++) {
        uint64_t v = 1000 * instance + (uint64_t)step * (17 * i + 3);
        double d = 0.5 * (double)v;

        if (rows[i].type == PERF_COUNTER_MULTI_BASE)
            v = 2;
        if (rows[i].type == PERF_DOUBLE_RAW)
            memcpy(&v, &d, sizeof v);
        if (rows[i].size == 8)
            pl_put_le64(p + 8 + 8 * i, v);
        else
            pl_put_le32(p + 8 + 8 * i, (uint32_t)v);
    }
}

static void instance(struct pl_buf *b, const char *name, uint32_t parent,
                     uint32_t nth, uint32_t unique_id)
{
    struct pl_buf wide = { 0 };
    size_t at = b->len;

    pl_utf8_to_utf16(&wide, name, strlen(name));
    pl_put_instance(b, parent, nth, wide.p, wide.len);
    pl_buf_set_u32(b, at + 12, unique_id);
    pl_buf_release(&wide);
}

static void put_types(struct pl_buf *b, unsigned step)
{
    size_t at = begin(b, TITLE_TYPES, all_types, NUM(all_types), step);

    for (unsigned i = 0; i < 3; i++) {
        instance(b, i < 2 ? "twin" : "=1+1,\"x\"", 0, 0, UINT32_MAX);
        values(b, all_types, NUM(all_types), step, i);
    }
    pl_put_object_close(b, at, 3);
}

static void put_children(struct pl_buf *b, unsigned step)
{
    size_t at = begin(b, TITLE_CHILD, child, NUM(child), step);

    for (unsigned i = 0; i < 3; i++) {
        instance(b, i ? "" : "sibling", TITLE_TYPES, i,
                 i ? 40 + i : UINT32_MAX);
        values(b, child, NUM(child), step, i);
    }
    pl_put_object_close(b, at, 3);
}

static void put_processes(struct pl_buf *b, unsigned step)
{
    size_t at = begin(b, TITLE_PROCESS, process, NUM(process), step);

    /* The first one has gone in every second sample. */
    for (unsigned i = step % 2; i < 3; i++) {
        instance(b, "sh", 0, 0, UINT32_MAX);
        values(b, process, NUM(process), step, i);
    }
    pl_put_object_close(b, at, 3 - (int32_t)(step % 2));
}

void made_block(struct pl_buf *out, unsigned step)
{
    static const uint8_t host[] = { 'H', 0, 'O', 0, 'S', 0, 'T', 0 };
    const struct pl_block_stamp stamp = {
        .utc_ns = step * PL_NS_PER_SEC,
        .perf_time = (step + 1) * (int64_t)FREQ,
        .perf_freq = FREQ,
        .perf_time_100ns = PL_FILETIME_OF_1970 + step * (int64_t)FREQ,
    };
    size_t block, at;

    pl_buf_clear(out);
    block = pl_put_block(out, &stamp, host, sizeof host);
    put_types(out, step);
    at = begin(out, TITLE_BARE, bare, NUM(bare), step);
    values(out, bare, NUM(bare), step, 0);
    pl_put_object_close(out, at, PERF_NO_INSTANCES);
    put_children(out, step);
    put_processes(out, step);
    pl_put_block_close(out, block, 4, TITLE_TYPES);
}

static void name_rows(struct pl_titles *t, uint32_t object,
                      const struct made *rows, size_t n)
{
    struct pl_counter_facts counters[NUM(all_types)];
    struct pl_object_facts facts = { .counters = counters, .num_counters = n };
    char name[32];

    snprintf(name, sizeof name, "Object %u", (unsigned)object);
    pl_titles_set(t, object, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH,
                  pl_text_of(name));
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "Counter %u", (unsigned)rows[i].title);
        pl_titles_set(t, rows[i].title, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH,
                      pl_text_of(name));
        counters[i] = (struct pl_counter_facts){ rows[i].title, PL_NO_FLAG,
                                                 rows[i].total_rule };
    }
    if (object == TITLE_PROCESS) {
        facts.identity[0] = 784;
        facts.identity[1] = 684;
        facts.num_identity = 2;
    }
    pl_titles_set_facts(t, object, &facts);
}

void made_titles(struct pl_buf *out)
{
    struct pl_titles *t;

    pl_buf_clear(out);
    if (pl_titles_new(&t))
        abort();
    name_rows(t, TITLE_TYPES, all_types, NUM(all_types));
    name_rows(t, TITLE_BARE, bare, NUM(bare));
    name_rows(t, TITLE_CHILD, child, NUM(child));
    name_rows(t, TITLE_PROCESS, process, NUM(process));
    pl_titles_write(t, out);
    pl_titles_free(t);
}

/* ---- other machines ------------------------------------------------------ */

static void turn(uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        uint8_t byte = p[i];

        p[i] = p[n - 1 - i];
        p[n - 1 - i] = byte;
    }
}

/* 'n' fields of 'width' bytes, one behind the other. */
static void turn_all(uint8_t *p, size_t n, size_t width)
{
    for (size_t i = 0; i < n; i++)
        turn(p + i * width, width);
}

static void turn_instance(uint8_t *base, const uint8_t *p,
                          const struct pl_instance *i,
                          const struct pl_object *o)
{
    struct pl_object defs = *o;
    struct pl_counter_def c;
    uint8_t *block = base + (i->block - p);

    if (i->definition) {
        turn_all(base + (i->name - p), i->name_len / 2, 2);
        turn_all(base + (i->definition - p), 6, 4);
    }
    turn(block, 4);
    while (!pl_counter_next(&defs, &c)) {
        turn(block + c.offset, c.size);
    }
}

static void turn_object(uint8_t *base, const uint8_t *p,
                        const struct pl_object *view)
{
    struct pl_object o = *view;
    struct pl_instance i;
    uint8_t *head = base + view->at;
    size_t header_len = pl_get_le32(p + view->at + 8);

    while (!pl_instance_next(&o, &i))
        turn_instance(base, p, &i, view);
    turn_all(head, 12, 4);
    if (header_len >= PL_SIZEOF_OBJECT)
        turn_all(head + 48, 2, 8);
    for (uint32_t k = 0; k < view->num_counters; k++)
        turn_all(head + header_len + k * (size_t)PL_SIZEOF_COUNTER, 10, 4);
}

void block_to_big_endian(struct pl_buf *block)
{
    uint8_t *p = malloc(block->len), *b = block->p;
    struct pl_block walk;
    struct pl_object o;

    if (!p)
        abort();
    memcpy(p, b, block->len);
    if (pl_block_parse(&walk, p, block->len))
        abort();
    turn_all(b + 88, walk.name_len / 2, 2);
    while (!pl_object_next(&walk, &o))
        turn_object(b, p, &o);
    turn_all(b, 4, 2);
    pl_put_le32(b + 8, 0);
    turn_all(b + 12, 6, 4);
    turn_all(b + 36, 8, 2);
    turn_all(b + 56, 3, 8);
    turn_all(b + 80, 2, 4);
    free(p);
}

void block_to_revision_0(struct pl_buf *block)
{
    const size_t cut = PL_SIZEOF_OBJECT - PL_SIZEOF_OBJECT_REV0;
    struct pl_block walk;
    struct pl_buf out = { 0 };
    struct pl_object o;

    if (pl_block_parse(&walk, block->p, block->len))
        abort();
    pl_buf_bytes(&out, block->p, (size_t)(walk.rest.p - block->p));
    while (!pl_object_next(&walk, &o)) {
        size_t at = out.len;
        const uint8_t *head = block->p + o.at;

        pl_buf_bytes(&out, head, PL_SIZEOF_OBJECT_REV0);
        pl_buf_bytes(&out, head + PL_SIZEOF_OBJECT, o.len - PL_SIZEOF_OBJECT);
        for (size_t k = 0; k < 3; k++) /* total, definition, header length */
            pl_buf_set_u32(&out, at + 4 * k,
                           pl_get_le32(head + 4 * k) - (uint32_t)cut);
        if (o.num_instances == PERF_NO_INSTANCES)
            pl_buf_set_u32(&out, at + 40, 0); /* 1992 had no -1 */
    }
    pl_buf_set_u32(&out, 16, 0); /* Revision */
    pl_buf_set_u32(&out, 20, (uint32_t)out.len);
    pl_buf_swap(block, &out);
    pl_buf_release(&out);
}
