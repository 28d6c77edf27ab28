/* Parses lists of counters and the records of samples. */
#include "analyze/foreign/blg_list.h"

#include "format/base/array.h"
#include "format/base/cursor.h"
#include "format/base/utf.h"
#include "format/record/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIST_HEADER = 8,
    ENTRY_NAMES = 0x34,
    FLAGS_AT = 4,
    TYPE_AT = 0x0C,
    BASE_AT = 0x10,
    SCALE_AT = 0x18,
    MACHINE_AT = 0x1C,
    OBJECT_AT = 0x20,
    INSTANCE_AT = 0x24,
    PARENT_AT = 0x28,
    INDEX_AT = 0x2C,
    COUNTER_AT = 0x30,
    FLAG_WILDCARD = 1,
    FLAG_OBJECT = 0x10,

    MOST_NAME = 8192, /* bytes; Windows' names have at most 1,024 characters */
    ARRAY_ITEMS = 0x20,
    ARRAY_ITEM_LEN = 24,
};

/* ---- names --------------------------------------------------------------- */

/* The UTF-16 string at 'at' of 'n' bytes, up to its NUL; false: it has none. */
static bool find_text(const uint8_t *p, size_t n, uint32_t at, uint32_t *len)
{
    size_t i = at;

    if (at >= n)
        return false;
    while (i + 2 <= n && (p[i] || p[i + 1]))
        i += 2;
    *len = (uint32_t)(i - at);
    return i + 2 <= n;
}

/* Store a name as UTF-8; "" if 'at' means none. */
static bool store_name(struct pl_blg_list *l, const uint8_t *p, size_t n,
                       uint32_t at, uint32_t *place)
{
    uint32_t len;
    bool good = true;

    *place = (uint32_t)l->names.len;
    if (at != PL_BLG_NONE) {
        good = find_text(p, n, at, &len) && len <= MOST_NAME;
        if (good)
            pl_utf16_to_utf8(&l->names, p + at, len, false);
    }
    pl_buf_u8(&l->names, 0);
    return good;
}

static void put_ascii(struct pl_buf *wide, const char *text)
{
    pl_utf8_to_utf16(wide, text, strlen(text));
}

/* "parent/instance#index" as in the path of the counter. */
static bool put_instance_path(struct pl_blg_list *l, struct pl_blg_entry *e,
                              const uint8_t *names, size_t n,
                              const uint8_t *entry)
{
    uint32_t at = pl_get_le32(entry + INSTANCE_AT);
    uint32_t parent = pl_get_le32(entry + PARENT_AT);
    uint32_t index = pl_get_le32(entry + INDEX_AT), len;
    char number[16];

    e->instance = PL_BLG_NONE;
    if (at == PL_BLG_NONE)
        return true;
    e->instance = (uint32_t)l->wide.len;
    if (parent != PL_BLG_NONE) {
        if (!find_text(names, n, parent, &len) || len > MOST_NAME)
            return false;
        pl_buf_bytes(&l->wide, names + parent, len);
        put_ascii(&l->wide, "/");
    }
    if (!find_text(names, n, at, &len) || len > MOST_NAME)
        return false;
    pl_buf_bytes(&l->wide, names + at, len);
    if (index) {
        snprintf(number, sizeof number, "#%" PRIu32, index);
        put_ascii(&l->wide, number);
    }
    e->instance_len = (uint32_t)l->wide.len - e->instance;
    pl_buf_u16(&l->wide, 0); /* so that "" has an offset, too */
    return true;
}

/* ---- formulas ------------------------------------------------------------ */

/* Of a type in no table: what its fields ask for, in 8 bytes. */
static uint32_t composed_base(uint32_t type)
{
    uint32_t subtype = type & PERF_SUBTYPE_MASK;

    if ((type & PERF_TYPE_MASK) != PERF_TYPE_COUNTER)
        return 0;
    if (type & PERF_MULTI_COUNTER)
        return PERF_COUNTER_MULTI_BASE;
    return subtype == PERF_COUNTER_FRACTION || subtype == PERF_COUNTER_PRECISION
               ? PERF_LARGE_RAW_BASE
               : 0;
}

static uint32_t base_of(const struct pl_blg_entry *e)
{
    if (e->formula && e->formula->name)
        return e->formula->base;
    return composed_base(pl_type_resolve(e->type, sizeof(uint64_t)));
}

static void understand(struct pl_blg_entry *e)
{
    e->formula = pl_formula_of(e->type, sizeof(uint64_t), &e->scratch);
    e->base_type = base_of(e);
    e->second_is_clock =
        e->formula && e->formula->clock != PL_CLOCK_NONE &&
        (!e->base_type || e->base_type == PERF_COUNTER_MULTI_BASE);
    e->unusable |= (e->type & PERF_TYPE_MASK) == PERF_TYPE_TEXT ||
                   (e->type & PERF_SIZE_MASK) == PERF_SIZE_VARIABLE_LEN;
}

/* ---- lists --------------------------------------------------------------- */

static bool read_entry(struct pl_blg_list *l, struct pl_blg_entry *e,
                       const uint8_t *p, size_t len)
{
    const uint8_t *names = p + ENTRY_NAMES;
    size_t n = len - ENTRY_NAMES;
    uint32_t flags = pl_get_le32(p + FLAGS_AT);

    *e = (struct pl_blg_entry){
        .type = pl_get_le32(p + TYPE_AT),
        .time_base = (int64_t)pl_get_le64(p + BASE_AT),
        .scale = (int32_t)pl_get_le32(p + SCALE_AT),
        .is_object = flags & FLAG_OBJECT,
        .wildcard = flags & FLAG_WILDCARD,
    };
    understand(e);
    return store_name(l, names, n, pl_get_le32(p + MACHINE_AT), &e->machine) &&
           store_name(l, names, n, pl_get_le32(p + OBJECT_AT), &e->object) &&
           store_name(l, names, n, pl_get_le32(p + COUNTER_AT), &e->counter) &&
           put_instance_path(l, e, names, n, p);
}

static bool has_room(struct pl_blg_list *l)
{
    if (l->num < l->cap)
        return true;
    if (!pl_array_grow((void **)&l->entries, &l->cap, l->num,
                       sizeof *l->entries))
        return false;
    for (size_t i = 0; i < l->num; i++)
        understand(&l->entries[i]); /* formulas may lie in the entries */
    return true;
}

enum pl_status pl_blg_list_add(struct pl_blg_list *l, const uint8_t *p,
                               size_t n)
{
    for (size_t at = LIST_HEADER; at + ENTRY_NAMES <= n;) {
        uint32_t len = pl_get_le32(p + at);

        if (len < ENTRY_NAMES || len > n - at) {
            l->num_bad++;
            return PL_CORRUPT;
        }
        if (l->num == PL_BLG_MAX_ENTRIES)
            return PL_TOO_LARGE;
        if (!has_room(l))
            return PL_NOMEM;
        if (!read_entry(l, &l->entries[l->num], p + at, len)) {
            /* it occurs in samples, but has no name to show */
            l->entries[l->num].unusable = true;
            l->entries[l->num].instance = PL_BLG_NONE;
            l->num_bad++;
        }
        l->num++;
        at += len;
    }
    return l->names.oom || l->wide.oom ? PL_NOMEM : PL_OK;
}

uint64_t pl_blg_list_hash(const struct pl_blg_list *l)
{
    return pl_hash(l->wide.p, l->wide.len,
                   pl_hash(l->names.p, l->names.len, l->num));
}

void pl_blg_list_release(struct pl_blg_list *l)
{
    free(l->entries);
    pl_buf_release(&l->names);
    pl_buf_release(&l->wide);
    *l = (struct pl_blg_list){ 0 };
}

/* ---- samples ------------------------------------------------------------- */

/* All names of an array must be present and must not overlap. */
static bool check_array(struct pl_blg_record *r)
{
    size_t budget = r->len - PL_BLG_RECORD_HEADER;

    if (r->len < ARRAY_ITEMS)
        return false;
    r->num = pl_get_le32(r->p + 0x0C);
    r->status = pl_get_le32(r->p + 0x10);
    if (r->num > (r->len - ARRAY_ITEMS) / ARRAY_ITEM_LEN)
        return false;
    for (uint32_t i = 0; i < r->num; i++) {
        uint32_t at = pl_get_le32(r->p + ARRAY_ITEMS + ARRAY_ITEM_LEN * i), len;
        size_t end = r->len - PL_BLG_RECORD_HEADER;

        if (at < end && end - at > budget)
            end = at + budget;
        if (!find_text(r->p + PL_BLG_RECORD_HEADER, end, at, &len))
            return false;
        budget -= len + 2;
    }
    return true;
}

static void read_record(struct pl_blg_record *r)
{
    switch (r->p[3]) {
    case 1:
        if (r->len < PL_BLG_ITEM_LEN)
            return;
        r->kind = PL_BLG_ITEM;
        r->num = 1;
        return;
    case 2:
        r->kind = check_array(r) ? PL_BLG_INSTANCES : PL_BLG_DROPPED;
        return;
    case 5:
        r->kind = PL_BLG_BLOCK;
        r->num = r->len - PL_BLG_RECORD_HEADER;
        return;
    default:
        return;
    }
}

size_t pl_blg_records(const uint8_t *p, size_t n, struct pl_blg_record *records,
                      size_t max, bool *whole)
{
    size_t at = PL_BLG_RECORD_HEADER, num = 0;

    *whole = false;
    if (n < PL_BLG_RECORD_HEADER || p[0] != 'B' || p[1] != 'L' || p[3] ||
        pl_get_le32(p + 4) > n)
        return 0;
    while (n - at >= PL_BLG_RECORD_HEADER && num < max) {
        uint32_t len = pl_get_le32(p + at + 4);

        if (p[at] != 'B' || p[at + 1] != 'L' || len < PL_BLG_RECORD_HEADER ||
            len > n - at)
            return num;
        records[num] = (struct pl_blg_record){ .p = p + at, .len = len };
        read_record(&records[num++]);
        at += len;
    }
    *whole = num == max && n - at < PL_BLG_RECORD_HEADER;
    return num;
}

struct pl_blg_item pl_blg_item_at(const struct pl_blg_record *r, uint32_t i)
{
    const uint8_t *p = r->p;
    struct pl_blg_item item = { 0 };

    if (r->kind == PL_BLG_ITEM) {
        item.status = pl_get_le32(p + 8);
        item.first = (int64_t)pl_get_le64(p + 0x18);
        item.second = (int64_t)pl_get_le64(p + 0x20);
        item.components = pl_get_le32(p + 0x28);
    } else {
        const uint8_t *at = p + ARRAY_ITEMS + ARRAY_ITEM_LEN * (size_t)i;

        item.status = r->status;
        item.components = pl_get_le32(at + 4);
        item.first = (int64_t)pl_get_le64(at + 8);
        item.second = (int64_t)pl_get_le64(at + 16);
    }
    item.components += !item.components;
    return item;
}

const uint8_t *pl_blg_item_name(const struct pl_blg_record *r, uint32_t i,
                                uint32_t *len)
{
    const uint8_t *names = r->p + PL_BLG_RECORD_HEADER;
    uint32_t at = pl_get_le32(r->p + ARRAY_ITEMS + ARRAY_ITEM_LEN * (size_t)i);

    find_text(names, r->len - PL_BLG_RECORD_HEADER, at, len);
    return names + at;
}
