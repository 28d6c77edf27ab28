/* Reads blocks, objects, definitions and instances from untrusted bytes. */
#include "format/block/winperf.h"

enum {
    BLOCK_PACKED_CLOCKS = 52, /* PerfTime in packed headers of 1992 */
    BLOCK_CLOCKS = 56,
    MAX_PADDING = 7, /* bytes of any value at the end of a length */
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

/* Note where the block is malformed, and why; returns 's'. */
static enum pl_status refuse(struct pl_misfit *m, size_t at, enum pl_status s,
                             const char *reason)
{
    *m = (struct pl_misfit){ at, reason };
    return s;
}

/*
 * A header whose name starts at 84 was packed without the 4 bytes before
 * PerfTime; all its later fields lie 4 bytes lower.  The ordinary offset of
 * SystemNameOffset is checked first, since a name may be 84 bytes long.
 */
static size_t clocks_at(bool big, const uint8_t *p, size_t len)
{
    size_t packed = BLOCK_PACKED_CLOCKS;

    if (len >= PL_SIZEOF_DATA_BLOCK &&
        get32(big, p + BLOCK_CLOCKS + 28) == PL_SIZEOF_DATA_BLOCK)
        return BLOCK_CLOCKS;
    return get32(big, p + packed + 28) == packed + 32 ? packed : BLOCK_CLOCKS;
}

static enum pl_status read_name(struct pl_block *b, size_t at)
{
    uint32_t name_len = get32(b->big_endian, b->bytes + at);
    uint32_t name_at = get32(b->big_endian, b->bytes + at + 4);

    b->name_at = name_at;
    if (!name_len)
        return PL_OK;
    if (name_at > b->header_len || name_len > b->header_len - name_at)
        return refuse(&b->misfit, at, PL_CORRUPT,
                      "SystemName lies outside the header");
    b->name = b->bytes + name_at;
    b->name_len = name_len;
    return PL_OK;
}

enum pl_status pl_block_parse(struct pl_block *b, const void *bytes, size_t len)
{
    static const uint8_t signature[8] = { 'P', 0, 'E', 0, 'R', 0, 'F', 0 };
    static const uint8_t signature_be[8] = { 0, 'P', 0, 'E', 0, 'R', 0, 'F' };
    const uint8_t *p = bytes;
    bool big, plain = true, swapped = true;
    size_t clocks;

    *b = (struct pl_block){ .bytes = p, .len = len };
    for (size_t i = 0; i < 8 && i < len; i++) {
        plain = plain && p[i] == signature[i];
        swapped = swapped && p[i] == signature_be[i];
    }
    if (!plain && !swapped)
        return refuse(&b->misfit, 0, PL_NOT_A_LOG, "no PERF signature");
    if (len < PL_SIZEOF_DATA_BLOCK - 4)
        return refuse(&b->misfit, len, PL_TRUNCATED, "the header is cut");
    big = b->big_endian =
        pl_get_le32(p + PL_BLOCK_LITTLE_ENDIAN) == 0 || swapped;
    clocks = clocks_at(big, p, len);
    if (len < clocks + 32)
        return refuse(&b->misfit, len, PL_TRUNCATED, "the header is cut");
    b->header_len = get32(big, p + PL_BLOCK_HEADER_LEN);
    if (b->header_len < clocks + 32)
        return refuse(&b->misfit, PL_BLOCK_HEADER_LEN, PL_CORRUPT,
                      "HeaderLength is less than the header's fields");
    if (b->header_len > len)
        return refuse(&b->misfit, PL_BLOCK_HEADER_LEN, PL_TRUNCATED,
                      "HeaderLength is more than the block");
    b->version = get32(big, p + PL_BLOCK_VERSION);
    b->revision = get32(big, p + PL_BLOCK_REVISION);
    b->total_len = get32(big, p + PL_BLOCK_TOTAL_LEN);
    b->num_objects = get32(big, p + PL_BLOCK_NUM_OBJECTS);
    b->default_object = (int32_t)get32(big, p + PL_BLOCK_DEFAULT_OBJECT);
    for (size_t i = 0; i < 8; i++)
        b->system_time[i] = get16(big, p + PL_BLOCK_SYSTEM_TIME + 2 * i);
    b->perf_time = (int64_t)get64(big, p + clocks);
    b->perf_freq = (int64_t)get64(big, p + clocks + 8);
    b->perf_time_100ns = (int64_t)get64(big, p + clocks + 16);
    b->rest = pl_cur_of(p + b->header_len, len - b->header_len);
    return read_name(b, clocks + 24);
}

/* Padding: up to MAX_PADDING bytes of any value, or any number of zeros. */
static bool is_padding(const struct pl_cur *c)
{
    size_t i = 0;

    if (c->left <= MAX_PADDING)
        return true;
    while (i < c->left && !c->p[i])
        i++;
    return i == c->left;
}

/* The end of the walk: bytes and stored numbers may disagree. */
static enum pl_status end_of_objects(struct pl_block *b)
{
    bool all_seen = b->objects_seen == b->num_objects;

    if (!all_seen && b->total_len > b->len)
        return refuse(&b->misfit, b->len, PL_TRUNCATED,
                      "the block ends before all of its objects");
    /* A TotalByteLength that is too small is common: then use the count. */
    if (all_seen && b->total_len >= b->len && !is_padding(&b->rest))
        return refuse(&b->misfit, b->len - b->rest.left, PL_CORRUPT,
                      "more objects than NumObjectTypes");
    return PL_END;
}

/* Counts must fit the bytes; division, since multiplication could wrap. */
static enum pl_status check_counts(struct pl_object *o, struct pl_misfit *m)
{
    uint64_t values;

    if (o->num_counters > PL_MAX_COUNTERS ||
        o->num_counters > o->counters.left / PL_SIZEOF_COUNTER)
        return refuse(m, o->at + PL_OBJ_NUM_COUNTERS, PL_CORRUPT,
                      "NumCounters is more than the definitions hold");
    if (o->num_instances < PERF_NO_INSTANCES ||
        o->num_instances > PL_MAX_INSTANCES ||
        (o->num_instances > 0 &&
         (size_t)o->num_instances >
             o->data.left / (PL_SIZEOF_INSTANCE + PL_SIZEOF_COUNTER_BLOCK)))
        return refuse(m, o->at + PL_OBJ_NUM_INSTANCES, PL_CORRUPT,
                      "NumInstances is more than the object holds");
    /* Counters may share bytes, as bases do, but not without limit. */
    values = (uint64_t)(o->num_instances < 0 ? 1 : o->num_instances) *
             o->num_counters;
    if (values > o->data.left + (uint64_t)PL_MAX_COUNTERS)
        return refuse(m, o->at + PL_OBJ_NUM_COUNTERS, PL_CORRUPT,
                      "more values than the object has bytes");
    return PL_OK;
}

void pl_object_read_clock(struct pl_object *o)
{
    if (o->header_len < PL_SIZEOF_OBJECT)
        return;
    o->perf_time = (int64_t)get64(o->big_endian, o->bytes + PL_OBJ_PERF_TIME);
    o->perf_freq = (int64_t)get64(o->big_endian, o->bytes + PL_OBJ_PERF_FREQ);
}

enum pl_status pl_object_next(struct pl_block *b, struct pl_object *o)
{
    const uint8_t *h = b->rest.p;
    bool big = b->big_endian;
    uint32_t total_len, def_len, header_len;
    size_t at = b->len - b->rest.left;
    struct pl_cur obj;

    if (!b->rest.left || b->objects_seen == b->num_objects)
        return end_of_objects(b);
    if (b->objects_seen == PL_MAX_OBJECTS)
        return refuse(&b->misfit, at, PL_CORRUPT,
                      "more objects than any machine has");
    if (b->rest.left < PL_SIZEOF_OBJECT_REV0)
        return refuse(&b->misfit, at, PL_TRUNCATED,
                      "an object's header is cut");
    total_len = get32(big, h + PL_OBJ_TOTAL_LEN);
    def_len = get32(big, h + PL_OBJ_DEF_LEN);
    header_len = get32(big, h + PL_OBJ_HEADER_LEN);
    if (header_len < PL_SIZEOF_OBJECT_REV0 || def_len < header_len ||
        total_len < def_len)
        return refuse(&b->misfit, at, PL_CORRUPT,
                      "an object's lengths contradict each other");
    if (total_len > b->rest.left)
        return refuse(&b->misfit, at, PL_TRUNCATED,
                      "an object is longer than the rest of the block");
    *o = (struct pl_object){
        .big_endian = big,
        .bytes = h,
        .header_len = header_len,
        .definition_len = def_len,
        .title_index = get32(big, h + PL_OBJ_TITLE),
        .title_pointer = get32(big, h + PL_OBJ_TITLE_POINTER),
        .help_index = get32(big, h + PL_OBJ_HELP),
        .help_pointer = get32(big, h + PL_OBJ_HELP_POINTER),
        .detail_level = get32(big, h + PL_OBJ_DETAIL),
        .num_counters = get32(big, h + PL_OBJ_NUM_COUNTERS),
        .default_counter = (int32_t)get32(big, h + PL_OBJ_DEFAULT_COUNTER),
        .num_instances = (int32_t)get32(big, h + PL_OBJ_NUM_INSTANCES),
        .code_page = get32(big, h + PL_OBJ_CODE_PAGE),
        .stored_instances = (int32_t)get32(big, h + PL_OBJ_NUM_INSTANCES),
        .at = at,
        .len = total_len,
    };
    pl_object_read_clock(o);
    /* Revision 0 had no -1: 0 and data after the definitions mean the same. */
    if (header_len < PL_SIZEOF_OBJECT && o->num_instances == 0 &&
        def_len < total_len)
        o->num_instances = PERF_NO_INSTANCES;
    obj = pl_cur_sub(&b->rest, total_len);
    pl_cur_take(&obj, header_len);
    o->definitions = obj.p;
    o->definitions_len = def_len - header_len;
    o->counters = pl_cur_sub(&obj, def_len - header_len);
    o->data = obj;
    b->objects_seen++;
    return check_counts(o, &b->misfit);
}

/* Offset in the block of 'p', which points into 'o'. */
static size_t offset_of(const struct pl_object *o, const uint8_t *p)
{
    return o->at + (size_t)(p - o->bytes);
}

enum pl_status pl_counter_next(struct pl_object *o, struct pl_counter_def *c)
{
    bool big = o->big_endian;
    const uint8_t *p = o->counters.p;
    uint32_t len;

    if (o->counters_seen == o->num_counters)
        return is_padding(&o->counters)
                   ? PL_END
                   : refuse(&o->misfit, offset_of(o, p), PL_CORRUPT,
                            "more definitions than NumCounters");
    if (o->counters.left < PL_SIZEOF_COUNTER)
        return refuse(&o->misfit, offset_of(o, p), PL_TRUNCATED,
                      "a counter definition is cut");
    len = get32(big, p);
    if (len < PL_SIZEOF_COUNTER)
        return refuse(&o->misfit, offset_of(o, p), PL_CORRUPT,
                      "a counter definition is shorter than its fields");
    if (!pl_cur_take(&o->counters, len))
        return refuse(&o->misfit, offset_of(o, p), PL_TRUNCATED,
                      "a counter definition is longer than all of them");
    *c = (struct pl_counter_def){
        .len = len,
        .title_index = get32(big, p + 4),
        .title_pointer = get32(big, p + 8),
        .help_index = get32(big, p + 12),
        .help_pointer = get32(big, p + 16),
        .scale = (int32_t)get32(big, p + 20),
        .detail_level = get32(big, p + 24),
        .type = get32(big, p + 28),
        .size = get32(big, p + 32),
        .offset = get32(big, p + 36),
    };
    o->counters_seen++;
    return PL_OK;
}

/* True if any counter is of variable length, such as a text. */
static bool blocks_vary(const struct pl_object *o)
{
    struct pl_object walk = *o;
    struct pl_counter_def c;

    walk.counters = pl_cur_of(o->definitions, o->definitions_len);
    walk.counters_seen = 0;
    while (!pl_counter_next(&walk, &c))
        if ((c.type & PERF_SIZE_MASK) == PERF_SIZE_VARIABLE_LEN)
            return true;
    return false;
}

static enum pl_status counter_block(struct pl_object *o, struct pl_instance *i)
{
    const uint8_t *p = o->data.p;

    if (o->data.left < PL_SIZEOF_COUNTER_BLOCK)
        return refuse(&o->misfit, offset_of(o, p), PL_TRUNCATED,
                      "a counter block is cut");
    i->block_len = get32(o->big_endian, p);
    if (i->block_len < PL_SIZEOF_COUNTER_BLOCK)
        return refuse(&o->misfit, offset_of(o, p), PL_CORRUPT,
                      "a counter block is shorter than its length field");
    if (o->block_len && i->block_len != o->block_len && !blocks_vary(o))
        return refuse(&o->misfit, offset_of(o, p), PL_CORRUPT,
                      "a counter block has another length than those before");
    o->block_len = i->block_len;
    i->block = pl_cur_take(&o->data, i->block_len);
    if (!i->block)
        return refuse(&o->misfit, offset_of(o, p), PL_TRUNCATED,
                      "a counter block is longer than the object");
    return PL_OK;
}

/* True if a name is not between the instance's header and end; 0 and 0: there
 * is no name. */
static bool name_lies(uint32_t at, uint32_t name_len, uint32_t len)
{
    if (!at && !name_len)
        return false;
    return at < PL_SIZEOF_INSTANCE || at > len || name_len > len - at;
}

static enum pl_status end_of_instances(struct pl_object *o)
{
    if (is_padding(&o->data))
        return PL_END;
    return refuse(&o->misfit, offset_of(o, o->data.p), PL_CORRUPT,
                  "more data than NumInstances");
}

enum pl_status pl_instance_next(struct pl_object *o, struct pl_instance *i)
{
    bool big = o->big_endian;
    const uint8_t *p = o->data.p;
    uint32_t len, name_at, name_len;

    *i = (struct pl_instance){ .unique_id = PERF_NO_UNIQUE_ID };
    if (o->num_instances == PERF_NO_INSTANCES) {
        if (o->instances_seen++)
            return end_of_instances(o);
        return counter_block(o, i);
    }
    if (o->instances_seen == o->num_instances)
        return end_of_instances(o);
    if (o->data.left < PL_SIZEOF_INSTANCE)
        return refuse(&o->misfit, offset_of(o, p), PL_TRUNCATED,
                      "fewer instances than NumInstances");
    len = get32(big, p);
    name_at = get32(big, p + 16);
    name_len = get32(big, p + 20);
    if (len < PL_SIZEOF_INSTANCE)
        return refuse(&o->misfit, offset_of(o, p), PL_CORRUPT,
                      "an instance is shorter than its fields");
    if (name_lies(name_at, name_len, len))
        return refuse(&o->misfit, offset_of(o, p), PL_CORRUPT,
                      "an instance's name lies outside it");
    if (!pl_cur_take(&o->data, len))
        return refuse(&o->misfit, offset_of(o, p), PL_TRUNCATED,
                      "an instance is longer than the object");
    i->parent_object = get32(big, p + 4);
    i->parent_instance = get32(big, p + 8);
    i->unique_id = (int32_t)get32(big, p + 12);
    i->name = name_len ? p + name_at : p + len;
    i->name_len = name_len;
    i->name_at = name_at;
    i->definition = p;
    i->definition_len = len;
    o->instances_seen++;
    return counter_block(o, i);
}

bool pl_block_check(const void *p, size_t len, struct pl_misfit *misfit)
{
    struct pl_block b;
    struct pl_object o;
    struct pl_counter_def c;
    struct pl_instance i;
    enum pl_status s = pl_block_parse(&b, p, len);

    *misfit = b.misfit;
    if (s)
        return false;
    while (!(s = pl_object_next(&b, &o))) {
        while (!(s = pl_counter_next(&o, &c)))
            ;
        if (s == PL_END)
            while (!(s = pl_instance_next(&o, &i)))
                ;
        *misfit = o.misfit;
        if (s != PL_END)
            return false;
    }
    *misfit = b.misfit;
    return s == PL_END;
}
