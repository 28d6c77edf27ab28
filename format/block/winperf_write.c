/* Writes blocks, objects and instances; the counterpart of winperf_read.c. */
#include "format/block/winperf.h"

#include "format/time/time_text.h"
#include "format/base/utf.h"

#include <string.h>

void pl_block_set_u32(struct pl_buf *b, size_t at, bool big_endian, uint32_t v)
{
    uint32_t swapped =
        v >> 24 | (v >> 8 & 0xFF00) | (v & 0xFF00) << 8 | v << 24;

    pl_buf_set_u32(b, at, big_endian ? swapped : v);
}

size_t pl_put_block(struct pl_buf *b, const struct pl_block_stamp *stamp,
                    const uint8_t *name_utf16, size_t name_len)
{
    static const uint8_t signature[8] = { 'P', 0, 'E', 0, 'R', 0, 'F', 0 };
    size_t at = b->len;
    uint16_t system_time[8];

    pl_instant_to_systemtime(stamp->utc_ns, system_time);
    pl_buf_bytes(b, signature, sizeof signature);
    pl_buf_u32(b, 1);    /* LittleEndian */
    pl_buf_u32(b, 1);    /* Version */
    pl_buf_u32(b, 1);    /* Revision */
    pl_buf_zeros(b, 16); /* set by pl_put_block_close */
    for (size_t i = 0; i < 8; i++)
        pl_buf_u16(b, system_time[i]);
    pl_buf_u32(b, 0);
    pl_buf_u64(b, (uint64_t)stamp->perf_time);
    pl_buf_u64(b, (uint64_t)stamp->perf_freq);
    pl_buf_u64(b, (uint64_t)stamp->perf_time_100ns);
    pl_buf_u32(b, (uint32_t)name_len);
    pl_buf_u32(b, PL_SIZEOF_DATA_BLOCK); /* SystemNameOffset */
    pl_buf_bytes(b, name_utf16, name_len);
    pl_buf_align(b, 8);
    pl_buf_set_u32(b, at + PL_BLOCK_HEADER_LEN, (uint32_t)(b->len - at));
    return at;
}

void pl_put_block_close(struct pl_buf *b, size_t block, uint32_t num_objects,
                        int32_t default_object)
{
    pl_buf_set_u32(b, block + PL_BLOCK_TOTAL_LEN, (uint32_t)(b->len - block));
    pl_buf_set_u32(b, block + PL_BLOCK_NUM_OBJECTS, num_objects);
    pl_buf_set_u32(b, block + PL_BLOCK_DEFAULT_OBJECT,
                   (uint32_t)default_object);
}

size_t pl_put_object(struct pl_buf *b, const struct pl_object *o)
{
    size_t at = pl_buf_open(b);

    pl_buf_u32(b, 0); /* set by pl_put_definitions_close */
    pl_buf_u32(b, PL_SIZEOF_OBJECT);
    pl_buf_u32(b, o->title_index);
    pl_buf_u32(b, 0);
    pl_buf_u32(b, o->help_index);
    pl_buf_u32(b, 0);
    pl_buf_u32(b, o->detail_level);
    pl_buf_u32(b, 0); /* set by pl_put_definitions_close */
    pl_buf_u32(b, (uint32_t)o->default_counter);
    pl_buf_u32(b, 0); /* set by pl_put_object_close */
    pl_buf_u32(b, o->code_page);
    pl_buf_u64(b, (uint64_t)o->perf_time);
    pl_buf_u64(b, (uint64_t)o->perf_freq);
    return at;
}

void pl_put_counter(struct pl_buf *b, const struct pl_counter_def *c)
{
    pl_buf_u32(b, PL_SIZEOF_COUNTER);
    pl_buf_u32(b, c->title_index);
    pl_buf_u32(b, 0);
    pl_buf_u32(b, c->help_index);
    pl_buf_u32(b, 0);
    pl_buf_u32(b, (uint32_t)c->scale);
    pl_buf_u32(b, c->detail_level);
    pl_buf_u32(b, c->type);
    pl_buf_u32(b, c->size);
    pl_buf_u32(b, c->offset);
}

void pl_put_definitions_close(struct pl_buf *b, size_t object,
                              uint32_t num_counters)
{
    pl_buf_set_u32(b, object + PL_OBJ_DEF_LEN, (uint32_t)(b->len - object));
    pl_buf_set_u32(b, object + PL_OBJ_NUM_COUNTERS, num_counters);
}

void pl_put_object_close(struct pl_buf *b, size_t object, int32_t num_instances)
{
    pl_buf_close(b, object);
    pl_buf_set_u32(b, object + PL_OBJ_NUM_INSTANCES, (uint32_t)num_instances);
}

void pl_put_object_clock(struct pl_buf *b, size_t object, int64_t perf_time,
                         int64_t perf_freq)
{
    pl_buf_set_u64(b, object + PL_OBJ_PERF_TIME, (uint64_t)perf_time);
    pl_buf_set_u64(b, object + PL_OBJ_PERF_TIME + 8, (uint64_t)perf_freq);
}

static size_t instance_len(size_t name_len)
{
    return (PL_SIZEOF_INSTANCE + name_len + 2 + 7) & ~(size_t)7;
}

/* The instance at 'p' but for its name, which is written already. */
static void put_instance(uint8_t *p, uint32_t parent_object,
                         uint32_t parent_instance, int32_t unique_id,
                         size_t name_len)
{
    size_t len = instance_len(name_len), end = PL_SIZEOF_INSTANCE + name_len;

    pl_put_le32(p, (uint32_t)len);
    pl_put_le32(p + 4, parent_object);
    pl_put_le32(p + 8, parent_instance);
    pl_put_le32(p + 12, (uint32_t)unique_id);
    pl_put_le32(p + 16, PL_SIZEOF_INSTANCE);
    pl_put_le32(p + 20, (uint32_t)name_len + 2); /* counts the terminator */
    memset(p + end, 0, len - end);
}

void pl_put_instance(struct pl_buf *b, uint32_t parent_object,
                     uint32_t parent_instance, const uint8_t *name,
                     size_t name_len)
{
    uint8_t *p = pl_buf_room(b, instance_len(name_len));

    if (!p)
        return;
    if (name_len)
        memcpy(p + PL_SIZEOF_INSTANCE, name, name_len);
    put_instance(p, parent_object, parent_instance, PERF_NO_UNIQUE_ID,
                 name_len);
    b->len += instance_len(name_len);
}

void pl_put_instance_called(struct pl_buf *b, uint32_t parent_object,
                            uint32_t parent_instance, int32_t unique_id,
                            struct pl_text name)
{
    uint8_t *p = pl_buf_room(b, instance_len(2 * name.n));
    size_t name_len;

    if (!p)
        return;
    name_len = pl_utf16_put(p + PL_SIZEOF_INSTANCE, name.p, name.n);
    put_instance(p, parent_object, parent_instance, unique_id, name_len);
    b->len += instance_len(name_len);
}

uint8_t *pl_put_counter_block(struct pl_buf *b, uint32_t len)
{
    uint8_t *p = pl_buf_zeros(b, len);

    if (p)
        pl_put_le32(p, len);
    return p;
}
