/*                                               analyze/foreign/blg_list.h
 * The messages inside a Performance Monitor log (.blg): the list of counters,
 * and samples, which hold one record per entry of that list, in its order.
 * Nothing is trusted; views point into the message and are valid as long as it.
 *
 * Entry of a list (messages of kind 20h)  Record of a sample (kind 22h)
 *   0  4  length                            0  2  "BL"
 *   4  4  flags: 1 wildcard, 16 object      3  1  kind
 *  12  4  counter type                      4  4  length
 *  16  8  time base                         kind 1, one item:
 *  24  4  scale, a power of ten             8  4  status
 *  28  4  machine, object, instance,       24  8  first value
 *  ..     parent: places of names from 52  32  8  second value
 *  44  4  index of the instance            40  4  components
 *  48  4  counter, as above                 kind 2, items of instances:
 *  52     names, UTF-16 with NUL           12  4  number, 16  4  status
 *                                          32     items of 24: name's place
 * Kind 5 is a PERF_DATA_BLOCK at 8.               from 8, components, values
 */
#ifndef PL_ANALYZE_FOREIGN_BLG_LIST_H
#define PL_ANALYZE_FOREIGN_BLG_LIST_H

#include "analyze/calc/calc.h"
#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/block/winperf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PL_BLG_TITLES = 0x24,
    PL_BLG_LIST = 0x20,
    PL_BLG_SAMPLE = 0x22,
    PL_BLG_CATALOGUE = 0x23,
};

/* Of a record, and of a record that is one item. */
enum {
    PL_BLG_RECORD_HEADER = 8,
    PL_BLG_STATUS_AT = 0x08,
    PL_BLG_FIRST_AT = 0x18,
    PL_BLG_ITEM_LEN = 0x30,
};

enum { PL_BLG_MAX_ENTRIES = 1 << 16 };
#define PL_BLG_NONE UINT32_MAX

struct pl_blg_entry {
    uint32_t machine, object, counter; /* offsets in the list's names */
    uint32_t instance;     /* its name as UTF-16 in 'wide'; NONE: it has none */
    uint32_t instance_len; /* bytes */
    uint32_t type;
    int64_t time_base;
    int32_t scale;
    bool is_object; /* complete blocks follow */
    bool wildcard;

    /* Derived from the type word. */
    struct pl_formula scratch;
    const struct pl_formula *formula; /* NULL: none; the raw value is kept */
    uint32_t base_type;               /* type of its base; 0: none */
    bool second_is_clock;
    bool unusable; /* a text counter: raw items have no texts */

    /* Found by a first pass over the complete log (blg_groups.h). */
    uint32_t machine_number; /* in the log */
    uint64_t instances_hash; /* hash of its instances in all samples */
    uint64_t last_instances; /* hash of its last instances */
    uint64_t clocks_hash;    /* hash of its clocks in all samples */
    bool wide_values;        /* some do not fit into 32 bits */
    /* its clock is not that of most entries of the machine */
    bool own_clock;
    bool had_errors;
    uint32_t group, place; /* its group, and its index there */
};

struct pl_blg_list {
    struct pl_blg_entry *entries;
    size_t num, cap;
    struct pl_buf names; /* UTF-8, each with NUL */
    struct pl_buf wide;  /* UTF-16LE */
    uint64_t num_bad;    /* inconsistent entries */
    bool changes;        /* some entry did not always have the same instances */
};

/*
 * Add the entries of one message.  PL_CORRUPT: it ends in a bad one, those
 * before it are added; PL_TOO_LARGE: more than PL_BLG_MAX_ENTRIES; PL_NOMEM.
 */
enum pl_status pl_blg_list_add(struct pl_blg_list *l, const uint8_t *p,
                               size_t n);
void pl_blg_list_release(struct pl_blg_list *l);

/* Hash of the names in it and their order: the same in every run. */
uint64_t pl_blg_list_hash(const struct pl_blg_list *l);

static inline const char *pl_blg_name(const struct pl_blg_list *l, uint32_t at)
{
    return (const char *)l->names.p + at;
}

/* ---- samples ------------------------------------------------------------- */

enum pl_blg_kind {
    PL_BLG_DROPPED, /* inconsistent, or of an unknown kind */
    PL_BLG_ITEM,
    PL_BLG_INSTANCES,
    PL_BLG_BLOCK,
};

struct pl_blg_record {
    enum pl_blg_kind kind;
    const uint8_t *p; /* the complete record */
    uint32_t len;
    uint32_t num;    /* number of items, or of the block's bytes */
    uint32_t status; /* status of an array */
};

/* One counter of one instance. */
struct pl_blg_item {
    uint32_t status;
    int64_t first, second;
    uint32_t components; /* at least 1 */
};

/* Statuses 0 and 1, valid data and new data, are good. */
static inline bool pl_blg_is_good(uint32_t status)
{
    return status <= 1;
}

/*
 * Parse a sample's message into at most 'max' records; *whole: they take
 * exactly all bytes.  Returns their number; records after damage are not found.
 */
size_t pl_blg_records(const uint8_t *p, size_t n, struct pl_blg_record *records,
                      size_t max, bool *whole);

/* Item 'i' < record->num of an item or an array. */
struct pl_blg_item pl_blg_item_at(const struct pl_blg_record *r, uint32_t i);

/* The name of item 'i' of an array: UTF-16, its length in bytes. */
const uint8_t *pl_blg_item_name(const struct pl_blg_record *r, uint32_t i,
                                uint32_t *len);

#endif
