/* From bytes to blocks, objects, definitions and instances. */
#include "format/winperf.h"

/* Where each field lies; the tables stand in winperf.h. */
enum {
    BLOCK_LITTLE_ENDIAN = 8,
    BLOCK_VERSION = 12,
    BLOCK_REVISION = 16,
    BLOCK_HEADER_LEN = 24,
    BLOCK_NUM_OBJECTS = 28,
    BLOCK_DEFAULT_OBJECT = 32,
    BLOCK_SYSTEM_TIME = 36,
    BLOCK_PACKED_CLOCKS = 52, /* where 1992's packed headers have PerfTime */
    BLOCK_CLOCKS = 56,
    OBJ_TOTAL_LEN = 0,
    OBJ_DEF_LEN = 4,
    OBJ_HEADER_LEN = 8,
    OBJ_TITLE = 12,
    OBJ_HELP = 20,
    OBJ_DETAIL = 28,
    OBJ_NUM_COUNTERS = 32,
    OBJ_DEFAULT_COUNTER = 36,
    OBJ_NUM_INSTANCES = 40,
    OBJ_CODE_PAGE = 44,
    OBJ_PERF_TIME = 48,
    OBJ_PERF_FREQ = 56,
};

static uint16_t get16(bool big, const uint8_t *p)
{
    return big ? pl_get_be16(p) : pl_get_le16(p);
}

static uint32_t get32(bool big, const uint8_t *p)
{
    return big ? pl_get_be32(p) : pl_get_le32(p);
}

static uint64_t get64(bool big, const uint8_t *p)
{
    return big ? pl_get_be64(p) : pl_get_le64(p);
}

/*
 * A header whose name starts at 84 was packed without the 4 bytes before
 * PerfTime; all its later fields lie 4 bytes lower.  The ordinary place of
 * SystemNameOffset is looked at first: a name of 84 bytes is no packing.
 */
static size_t clocks_at(bool big, const uint8_t *p, size_t len)
{
    size_t packed = BLOCK_PACKED_CLOCKS;

    if (len >= PL_SIZEOF_DATA_BLOCK &&
        get32(big, p + BLOCK_CLOCKS + 28) == PL_SIZEOF_DATA_BLOCK)
        return BLOCK_CLOCKS;
    return get32(big, p + packed + 28) == packed + 32 ? packed : BLOCK_CLOCKS;
}

enum pl_status pl_block_parse(struct pl_block *b, const void *bytes, size_t len)
{
    static const uint8_t signature[8] = { 'P', 0, 'E', 0, 'R', 0, 'F', 0 };
    static const uint8_t signature_be[8] = { 0, 'P', 0, 'E', 0, 'R', 0, 'F' };
    const uint8_t *p = bytes;
    bool big, plain = true, swapped = true;
    size_t clocks;
    uint32_t header_len, name_len, name_at;

    *b = (struct pl_block){ .bytes = p, .len = len };
    for (size_t i = 0; i < 8 && i < len; i++) {
        plain = plain && p[i] == signature[i];
        swapped = swapped && p[i] == signature_be[i];
    }
    if (!plain && !swapped)
        return PL_NOT_A_LOG;
    if (len < PL_SIZEOF_DATA_BLOCK - 4)
        return PL_TRUNCATED;
    big = b->big_endian = pl_get_le32(p + BLOCK_LITTLE_ENDIAN) == 0 || swapped;
    clocks = clocks_at(big, p, len);
    if (len < clocks + 32)
        return PL_TRUNCATED;
    header_len = get32(big, p + BLOCK_HEADER_LEN);
    if (header_len < clocks + 32)
        return PL_CORRUPT;
    if (header_len > len)
        return PL_TRUNCATED;
    b->version = get32(big, p + BLOCK_VERSION);
    b->revision = get32(big, p + BLOCK_REVISION);
    b->num_objects = get32(big, p + BLOCK_NUM_OBJECTS);
    b->default_object = (int32_t)get32(big, p + BLOCK_DEFAULT_OBJECT);
    for (size_t i = 0; i < 8; i++)
        b->system_time[i] = get16(big, p + BLOCK_SYSTEM_TIME + 2 * i);
    b->perf_time = (int64_t)get64(big, p + clocks);
    b->perf_freq = (int64_t)get64(big, p + clocks + 8);
    b->perf_time_100ns = (int64_t)get64(big, p + clocks + 16);
    name_len = get32(big, p + clocks + 24);
    name_at = get32(big, p + clocks + 28);
    if (name_len) {
        if (name_at > header_len || name_len > header_len - name_at)
            return PL_CORRUPT;
        b->name = p + name_at;
        b->name_len = name_len;
    }
    b->rest = pl_cur_of(p + header_len, len - header_len);
    return PL_OK;
}

enum pl_status pl_object_next(struct pl_block *b, struct pl_object *o)
{
    const uint8_t *h = b->rest.p;
    bool big = b->big_endian;
    uint32_t total_len, def_len, header_len;
    struct pl_cur obj;

    if (!b->rest.left || b->objects_seen == b->num_objects)
        return PL_END;
    if (b->rest.left < PL_SIZEOF_OBJECT_REV0)
        return PL_TRUNCATED;
    total_len = get32(big, h + OBJ_TOTAL_LEN);
    def_len = get32(big, h + OBJ_DEF_LEN);
    header_len = get32(big, h + OBJ_HEADER_LEN);
    if (header_len < PL_SIZEOF_OBJECT_REV0 || def_len < header_len ||
        total_len < def_len)
        return PL_CORRUPT;
    if (total_len > b->rest.left)
        return PL_TRUNCATED;
    *o = (struct pl_object){
        .big_endian = big,
        .title_index = get32(big, h + OBJ_TITLE),
        .help_index = get32(big, h + OBJ_HELP),
        .detail_level = get32(big, h + OBJ_DETAIL),
        .num_counters = get32(big, h + OBJ_NUM_COUNTERS),
        .default_counter = (int32_t)get32(big, h + OBJ_DEFAULT_COUNTER),
        .num_instances = (int32_t)get32(big, h + OBJ_NUM_INSTANCES),
        .code_page = get32(big, h + OBJ_CODE_PAGE),
        .at = (size_t)(h - b->bytes),
        .len = total_len,
    };
    if (header_len >= PL_SIZEOF_OBJECT) {
        o->perf_time = (int64_t)get64(big, h + OBJ_PERF_TIME);
        o->perf_freq = (int64_t)get64(big, h + OBJ_PERF_FREQ);
    } else if (o->num_instances == 0 && def_len < total_len) {
        /* 1992 had no -1: 0 and data behind the definitions mean it. */
        o->num_instances = PERF_NO_INSTANCES;
    }
    obj = pl_cur_sub(&b->rest, total_len);
    pl_cur_take(&obj, header_len);
    o->definitions = obj.p;
    o->definitions_len = def_len - header_len;
    o->counters = pl_cur_sub(&obj, def_len - header_len);
    o->data = obj;
    b->objects_seen++;
    /* Divide; multiplying a count from outside could wrap. */
    if (o->num_counters > PL_MAX_COUNTERS ||
        o->num_counters > o->counters.left / PL_SIZEOF_COUNTER)
        return PL_CORRUPT;
    if (o->num_instances < PERF_NO_INSTANCES ||
        o->num_instances > PL_MAX_INSTANCES ||
        (o->num_instances > 0 &&
         (size_t)o->num_instances >
             o->data.left / (PL_SIZEOF_INSTANCE + PL_SIZEOF_COUNTER_BLOCK)))
        return PL_CORRUPT;
    return PL_OK;
}

enum pl_status pl_counter_next(struct pl_object *o, struct pl_counter_def *c)
{
    bool big = o->big_endian;
    const uint8_t *p = o->counters.p;
    uint32_t len;

    if (o->counters_seen == o->num_counters)
        return PL_END;
    if (o->counters.left < PL_SIZEOF_COUNTER)
        return PL_TRUNCATED;
    len = get32(big, p);
    if (len < PL_SIZEOF_COUNTER)
        return PL_CORRUPT;
    if (!pl_cur_take(&o->counters, len))
        return PL_TRUNCATED;
    *c = (struct pl_counter_def){
        .title_index = get32(big, p + 4),
        .help_index = get32(big, p + 12),
        .scale = (int32_t)get32(big, p + 20),
        .detail_level = get32(big, p + 24),
        .type = get32(big, p + 28),
        .size = get32(big, p + 32),
        .offset = get32(big, p + 36),
    };
    o->counters_seen++;
    return PL_OK;
}

static enum pl_status counter_block(struct pl_object *o, struct pl_instance *i)
{
    uint32_t len;

    if (o->data.left < PL_SIZEOF_COUNTER_BLOCK)
        return PL_TRUNCATED;
    len = get32(o->big_endian, o->data.p);
    if (len < PL_SIZEOF_COUNTER_BLOCK)
        return PL_CORRUPT;
    i->block = pl_cur_take(&o->data, len);
    i->block_len = len;
    return i->block ? PL_OK : PL_TRUNCATED;
}

enum pl_status pl_instance_next(struct pl_object *o, struct pl_instance *i)
{
    bool big = o->big_endian;
    const uint8_t *p = o->data.p;
    uint32_t len, name_at, name_len;

    *i = (struct pl_instance){ .unique_id = PERF_NO_UNIQUE_ID };
    if (o->num_instances == PERF_NO_INSTANCES) {
        if (o->instances_seen++)
            return PL_END;
        return counter_block(o, i);
    }
    if (o->instances_seen == o->num_instances)
        return PL_END;
    if (o->data.left < PL_SIZEOF_INSTANCE)
        return PL_TRUNCATED;
    len = get32(big, p);
    name_at = get32(big, p + 16);
    name_len = get32(big, p + 20);
    if (len < PL_SIZEOF_INSTANCE ||
        (name_len && (name_at > len || name_len > len - name_at)))
        return PL_CORRUPT;
    if (!pl_cur_take(&o->data, len))
        return PL_TRUNCATED;
    i->parent_object = get32(big, p + 4);
    i->parent_instance = get32(big, p + 8);
    i->unique_id = (int32_t)get32(big, p + 12);
    i->name = name_len ? p + name_at : p + len;
    i->name_len = name_len;
    i->definition = p;
    i->definition_len = len;
    o->instances_seen++;
    return counter_block(o, i);
}

bool pl_counter_get(const struct pl_object *o, const struct pl_instance *i,
                    const struct pl_counter_def *c, uint64_t *value)
{
    if (c->offset > i->block_len || c->size > i->block_len - c->offset)
        return false;
    if (c->size == 8)
        *value = get64(o->big_endian, i->block + c->offset);
    else if (c->size == 4)
        *value = get32(o->big_endian, i->block + c->offset);
    else
        return false;
    return true;
}
