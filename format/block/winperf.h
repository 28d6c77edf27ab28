/*                                                   format/block/winperf.h
 * PERF_DATA_BLOCK: one sample of all counters of a machine, in the layout that
 * Windows' HKEY_PERFORMANCE_DATA returns.  Here are the type words, views for
 * reading, and functions for writing.  Source of all layouts: winperf.h of 1992
 * (Version 1 Revision 0) and of today (Version 1 Revision 1).
 *
 * PERF_DATA_BLOCK                       PERF_OBJECT_TYPE
 *  at size field                         at size field
 *   0  8  "PERF" in UTF-16                0  4  TotalByteLength, all of it
 *   8  4  LittleEndian (0: big)           4  4  DefinitionLength, up to data
 *  12  4  Version                         8  4  HeaderLength, this header
 *  16  4  Revision                       12  4  ObjectNameTitleIndex
 *  20  4  TotalByteLength                16  4  (title pointer, unused)
 *  24  4  HeaderLength                   20  4  ObjectHelpTitleIndex
 *  28  4  NumObjectTypes                 24  4  (title pointer, unused)
 *  32  4  DefaultObject                  28  4  DetailLevel
 *  36 16  SystemTime (SYSTEMTIME)        32  4  NumCounters
 *  52  4  padding                        36  4  DefaultCounter
 *  56  8  PerfTime                       40  4  NumInstances (-1: none)
 *  64  8  PerfFreq                       44  4  CodePage (0: UTF-16)
 *  72  8  PerfTime100nSec                48  8  PerfTime     Revision 1 only
 *  80  4  SystemNameLength               56  8  PerfFreq     Revision 1 only
 *  84  4  SystemNameOffset
 *
 * PERF_COUNTER_DEFINITION               PERF_INSTANCE_DEFINITION
 *   0  4  ByteLength                      0  4  ByteLength, name included
 *   4  4  CounterNameTitleIndex           4  4  ParentObjectTitleIndex
 *   8  4  (title pointer, unused)         8  4  ParentObjectInstance
 *  12  4  CounterHelpTitleIndex          12  4  UniqueID (-1: use the name)
 *  16  4  (title pointer, unused)        16  4  NameOffset
 *  20  4  DefaultScale                   20  4  NameLength, bytes
 *  24  4  DetailLevel
 *  28  4  CounterType                   PERF_COUNTER_BLOCK
 *  32  4  CounterSize                     0  4  ByteLength, this included
 *  36  4  CounterOffset, in the block     4     values
 */
#ifndef PL_FORMAT_BLOCK_WINPERF_H
#define PL_FORMAT_BLOCK_WINPERF_H

#include "format/base/buf.h"
#include "format/base/cursor.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- offsets of the fields above, of both revisions ----------------------- */
enum {
    PL_BLOCK_LITTLE_ENDIAN = 8,
    PL_BLOCK_VERSION = 12,
    PL_BLOCK_REVISION = 16,
    PL_BLOCK_TOTAL_LEN = 20,
    PL_BLOCK_HEADER_LEN = 24,
    PL_BLOCK_NUM_OBJECTS = 28,
    PL_BLOCK_DEFAULT_OBJECT = 32,
    PL_BLOCK_SYSTEM_TIME = 36,
    PL_OBJ_TOTAL_LEN = 0,
    PL_OBJ_DEF_LEN = 4,
    PL_OBJ_HEADER_LEN = 8,
    PL_OBJ_TITLE = 12,
    PL_OBJ_TITLE_POINTER = 16,
    PL_OBJ_HELP = 20,
    PL_OBJ_HELP_POINTER = 24,
    PL_OBJ_DETAIL = 28,
    PL_OBJ_NUM_COUNTERS = 32,
    PL_OBJ_DEFAULT_COUNTER = 36,
    PL_OBJ_NUM_INSTANCES = 40,
    PL_OBJ_CODE_PAGE = 44,
    PL_OBJ_PERF_TIME = 48,
    PL_OBJ_PERF_FREQ = 56,
};

/* ---- type words: fields ------------------------------------------------ */
#define PERF_SIZE_MASK 0x00000300u
#define PERF_SIZE_DWORD 0x00000000u
#define PERF_SIZE_LARGE 0x00000100u
#define PERF_SIZE_ZERO 0x00000200u
#define PERF_SIZE_VARIABLE_LEN 0x00000300u

#define PERF_TYPE_MASK 0x00000C00u
#define PERF_TYPE_NUMBER 0x00000000u
#define PERF_TYPE_COUNTER 0x00000400u
#define PERF_TYPE_TEXT 0x00000800u
#define PERF_TYPE_ZERO 0x00000C00u

#define PERF_SUBTYPE_MASK 0x000F0000u
#define PERF_NUMBER_HEX 0x00000000u
#define PERF_NUMBER_DECIMAL 0x00010000u
#define PERF_NUMBER_DEC_1000 0x00020000u
#define PERF_COUNTER_VALUE 0x00000000u
#define PERF_COUNTER_RATE 0x00010000u
#define PERF_COUNTER_FRACTION 0x00020000u
#define PERF_COUNTER_BASE 0x00030000u
#define PERF_COUNTER_ELAPSED 0x00040000u
#define PERF_COUNTER_QUEUELEN 0x00050000u
#define PERF_COUNTER_HISTOGRAM 0x00060000u
#define PERF_COUNTER_PRECISION 0x00070000u
#define PERF_TEXT_UNICODE 0x00000000u
#define PERF_TEXT_ASCII 0x00010000u

#define PERF_TIMER_MASK 0x00300000u
#define PERF_TIMER_TICK 0x00000000u
#define PERF_TIMER_100NS 0x00100000u
#define PERF_OBJECT_TIMER 0x00200000u

#define PERF_DELTA_COUNTER 0x00400000u
#define PERF_DELTA_BASE 0x00800000u
#define PERF_INVERSE_COUNTER 0x01000000u
#define PERF_MULTI_COUNTER 0x02000000u

#define PERF_DISPLAY_MASK 0x70000000u
#define PERF_DISPLAY_NO_SUFFIX 0x00000000u
#define PERF_DISPLAY_PER_SEC 0x10000000u
#define PERF_DISPLAY_PERCENT 0x20000000u
#define PERF_DISPLAY_SECONDS 0x30000000u
#define PERF_DISPLAY_NOSHOW 0x40000000u

/* A flag beside any other type: the counter begins or ends a histogram. */
#define PERF_COUNTER_HISTOGRAM_TYPE 0x80000000u

/* ---- type words: complete ---------------------------------------------- */
#define PERF_COUNTER_COUNTER 0x10410400u
#define PERF_COUNTER_TIMER 0x20410500u
#define PERF_COUNTER_QUEUELEN_TYPE 0x00450400u
#define PERF_COUNTER_LARGE_QUEUELEN_TYPE 0x00450500u
#define PERF_COUNTER_100NS_QUEUELEN_TYPE 0x00550500u
#define PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE 0x00650500u
#define PERF_COUNTER_BULK_COUNT 0x10410500u
#define PERF_COUNTER_TEXT 0x00000B00u
#define PERF_COUNTER_RAWCOUNT 0x00010000u
#define PERF_COUNTER_LARGE_RAWCOUNT 0x00010100u
#define PERF_COUNTER_RAWCOUNT_HEX 0x00000000u
#define PERF_COUNTER_LARGE_RAWCOUNT_HEX 0x00000100u
#define PERF_DOUBLE_RAW 0x00012000u
#define PERF_SAMPLE_FRACTION 0x20C20400u
#define PERF_SAMPLE_COUNTER 0x00410400u
#define PERF_COUNTER_NODATA 0x40000200u
#define PERF_COUNTER_TIMER_INV 0x21410500u
#define PERF_SAMPLE_BASE 0x40030401u
#define PERF_AVERAGE_TIMER 0x30020400u
#define PERF_AVERAGE_BASE 0x40030402u
#define PERF_AVERAGE_BULK 0x40020500u
#define PERF_OBJ_TIME_TIMER 0x20610500u
#define PERF_100NSEC_TIMER 0x20510500u
#define PERF_100NSEC_TIMER_INV 0x21510500u
#define PERF_COUNTER_MULTI_TIMER 0x22410500u
#define PERF_COUNTER_MULTI_TIMER_INV 0x23410500u
#define PERF_COUNTER_MULTI_BASE 0x42030500u
#define PERF_100NSEC_MULTI_TIMER 0x22510500u
#define PERF_100NSEC_MULTI_TIMER_INV 0x23510500u
#define PERF_RAW_FRACTION 0x20020400u
#define PERF_LARGE_RAW_FRACTION 0x20020500u
#define PERF_RAW_BASE 0x40030403u
#define PERF_LARGE_RAW_BASE 0x40030500u
#define PERF_ELAPSED_TIME 0x30240500u
#define PERF_COUNTER_DELTA 0x00400400u
#define PERF_COUNTER_LARGE_DELTA 0x00400500u
#define PERF_PRECISION_SYSTEM_TIMER 0x20470500u
#define PERF_PRECISION_100NS_TIMER 0x20570500u
#define PERF_PRECISION_OBJECT_TIMER 0x20670500u

/* Numbers shown as value / 1000; winperf.h has no names for these types. */
#define PL_NUMBER_DEC_1000 0x00020000u
#define PL_NUMBER_LARGE_DEC_1000 0x00020100u

/* True for types of denominators, which are never shown by themselves. */
static inline bool pl_type_is_base(uint32_t type)
{
    return (type & (PERF_TYPE_MASK | PERF_SUBTYPE_MASK)) ==
           (PERF_TYPE_COUNTER | PERF_COUNTER_BASE);
}

/* Bytes of the values that perflog stores for a type: 4 or 8. */
static inline uint32_t pl_counter_width(uint32_t type)
{
    /* Their type words mean 4 bytes; 8 do not wrap, and Windows stores 8. */
    if (type == PERF_AVERAGE_TIMER || type == PERF_AVERAGE_BASE)
        return 8;
    return (type & PERF_SIZE_MASK) == PERF_SIZE_LARGE ? 8 : 4;
}

enum {
    PERF_NO_INSTANCES = -1,
    PERF_NO_UNIQUE_ID = -1,
    PERF_DETAIL_NOVICE = 100,
    PERF_DETAIL_ADVANCED = 200,
    PERF_DETAIL_EXPERT = 300,
    PERF_DETAIL_WIZARD = 400,
    PL_MAX_BLOCK_LEN = 64 << 20, /* a longer block is not recorded */
    PL_MAX_INSTANCES = 1 << 20,  /* of one object */
    PL_MAX_COUNTERS = 4096,      /* of one object */
    PL_MAX_OBJECTS = 16384,      /* of one block */
    PL_SIZEOF_DATA_BLOCK = 88,
    PL_SIZEOF_OBJECT = 64,
    PL_SIZEOF_OBJECT_REV0 = 48,
    PL_SIZEOF_COUNTER = 40,
    PL_SIZEOF_INSTANCE = 24,
    PL_SIZEOF_COUNTER_BLOCK = 4,
};

/* ---- reading ----------------------------------------------------------- */

/* Where a block is malformed, and why. */
struct pl_misfit {
    size_t at;          /* offset in the block */
    const char *reason; /* English, static; NULL: no error so far */
};

/*
 * Views point into the block's own bytes and are valid as long as these.  All
 * lengths are checked when a view is made, and need no check after that.
 */
struct pl_block {
    const uint8_t *bytes;
    size_t len;
    struct pl_misfit misfit; /* set when parse or pl_object_next fails */
    uint32_t total_len;      /* TotalByteLength as stored; 'len' decides */
    uint32_t header_len;
    bool big_endian;
    uint32_t version;
    uint32_t revision;
    uint32_t num_objects; /* as stored; pl_object_next decides */
    int32_t default_object;
    uint16_t system_time[8]; /* SYSTEMTIME: y, m, weekday, d, h, m, s, ms */
    int64_t perf_time;
    int64_t perf_freq;       /* PerfTime ticks per second */
    int64_t perf_time_100ns; /* 100 ns since 1601-01-01 UTC */
    const uint8_t *name;     /* UTF-16, NULL if there is none */
    size_t name_len;         /* bytes */
    uint32_t name_at;        /* SystemNameOffset */
    struct pl_cur rest;      /* objects not yet visited */
    uint32_t objects_seen;
};

struct pl_object {
    bool big_endian;
    const uint8_t *bytes;    /* its header */
    struct pl_misfit misfit; /* set when a walk in it fails */
    uint32_t header_len;
    uint32_t definition_len; /* header and definitions */
    uint32_t title_index;
    uint32_t title_pointer; /* as stored; no meaning outside its process */
    uint32_t help_index;
    uint32_t help_pointer;
    uint32_t detail_level;
    uint32_t num_counters;
    int32_t default_counter;
    int32_t num_instances; /* PERF_NO_INSTANCES: one counter block, no names */
    int32_t stored_instances; /* NumInstances; Revision 0: 0 for no names */
    uint32_t code_page;       /* of instance names; 0 = UTF-16 */
    int64_t perf_time;        /* 0 where the header has no clock */
    int64_t perf_freq;
    const uint8_t *definitions; /* all counter definitions, for comparing */
    size_t definitions_len;
    size_t at; /* offset of the object in its block */
    size_t len;
    struct pl_cur counters; /* definitions not yet visited */
    uint32_t counters_seen;
    struct pl_cur data; /* instances or the counter block */
    size_t block_len;   /* of the counter blocks seen; 0: none yet */
    int32_t instances_seen;
};

struct pl_counter_def {
    uint32_t len; /* ByteLength; set when read */
    uint32_t title_index;
    uint32_t title_pointer; /* as stored */
    uint32_t help_index;
    uint32_t help_pointer;
    int32_t scale; /* power of ten for chart lines only */
    uint32_t detail_level;
    uint32_t type;
    uint32_t size;   /* bytes of the value, even if the type disagrees */
    uint32_t offset; /* from the start of the counter block */
};

struct pl_instance {
    uint32_t parent_object;   /* title index, 0 = no parent */
    uint32_t parent_instance; /* position in the parent's instance list */
    int32_t unique_id;
    const uint8_t *name; /* in the object's code page; NULL: no instances */
    size_t name_len;     /* bytes, possibly with a terminator */
    uint32_t name_at;    /* NameOffset */
    const uint8_t *definition; /* instance header and name, for comparing */
    size_t definition_len;
    const uint8_t *block; /* PERF_COUNTER_BLOCK with its ByteLength */
    size_t block_len;
};

/* Bytes of an instance and its counters, which follow it. */
static inline size_t pl_instance_len(const struct pl_instance *i)
{
    return i->definition_len + i->block_len;
}

/*
 * Read a block header.  PL_NOT_A_LOG: no "PERF" signature; PL_TRUNCATED:
 * shorter than its header says; PL_CORRUPT: lengths contradict each other.
 * If TotalByteLength differs from 'len', 'len' is used (Samba and Wine write
 * values that are too small).
 */
enum pl_status pl_block_parse(struct pl_block *b, const void *p, size_t len);

/*
 * The next object.  PL_END after the last one; PL_TRUNCATED and PL_CORRUPT
 * end the walk, since the offset of the next object is not known.  Like the
 * two below, on failure it sets 'misfit' to where and why; views returned
 * before remain valid.  PL_TRUNCATED: the bytes end before NumObjectTypes and
 * TotalByteLength are reached; PL_CORRUPT: within TotalByteLength there are
 * more objects than NumObjectTypes.
 */
enum pl_status pl_object_next(struct pl_block *b, struct pl_object *o);

/* Read the clock of an object again, after its bytes have changed. */
void pl_object_read_clock(struct pl_object *o);

/*
 * The next definition of 'o'; PL_END, PL_TRUNCATED or PL_CORRUPT, the latter
 * also after the last one if there are more than NumCounters.
 */
enum pl_status pl_counter_next(struct pl_object *o, struct pl_counter_def *c);

/*
 * The next instance of 'o'.  An object without instances yields exactly one,
 * whose name is NULL.  PL_END, PL_TRUNCATED or PL_CORRUPT; the latter also
 * after the last instance, if more bytes of the object follow: then there are
 * more instances than NumInstances, or a length was wrong.  Padding is
 * allowed: up to 7 bytes of any value, or any number of zeros.  All counter
 * blocks of an object must have the same length, unless it has counters of
 * variable length.
 */
enum pl_status pl_instance_next(struct pl_object *o, struct pl_instance *i);

/* False: the definition reaches beyond this counter block, or begins in its
 * ByteLength; the instance does not have the counter. */
static inline bool pl_counter_is_inside(const struct pl_counter_def *c,
                                        const struct pl_instance *i)
{
    return c->offset >= PL_SIZEOF_COUNTER_BLOCK && c->offset <= i->block_len &&
           c->size <= i->block_len - c->offset;
}

/*
 * Read a counter of 4 or 8 bytes, zero-extended.  False if it is not inside
 * this counter block, or if its size is neither 4 nor 8.
 */
static inline bool pl_counter_get(const struct pl_object *o,
                                  const struct pl_instance *i,
                                  const struct pl_counter_def *c,
                                  uint64_t *value)
{
    const uint8_t *p;

    if (!pl_counter_is_inside(c, i))
        return false;
    p = i->block + c->offset;
    if (c->size == 8)
        *value = o->big_endian ? pl_get_be64(p) : pl_get_le64(p);
    else if (c->size == 4)
        *value = o->big_endian ? pl_get_be32(p) : pl_get_le32(p);
    else
        return false;
    return true;
}

/*
 * The next instance, if it is stored as 'was' is, up to its counters and their
 * length: an instance of an earlier block's object of the same byte order.
 * False: nothing is read; pl_instance_next has to look.
 */
static inline bool pl_instance_next_like(struct pl_object *o,
                                         const struct pl_instance *was,
                                         struct pl_instance *i)
{
    const uint8_t *p = o->data.p;
    const size_t len = pl_instance_len(was);

    if (!was->definition || o->instances_seen >= o->num_instances ||
        o->data.left < len ||
        (o->block_len && o->block_len != was->block_len) ||
        memcmp(p, was->definition,
               was->definition_len + PL_SIZEOF_COUNTER_BLOCK) != 0)
        return false;
    *i = *was;
    i->name = p + (was->name - was->definition);
    i->definition = p;
    i->block = p + was->definition_len;
    o->block_len = was->block_len;
    o->instances_seen++;
    o->data.p += len;
    o->data.left -= len;
    return true;
}

/*
 * Check a complete block.  False if it is malformed; *misfit is then the first
 * error.
 */
bool pl_block_check(const void *p, size_t len, struct pl_misfit *misfit);

/* ---- text (winperf_text.c) ----------------------------------------------- */

struct pl_codepages;

/*
 * Append the name of an instance as UTF-8: from UTF-16 or the object's code
 * page, up to a terminator; if it has no name, its UniqueID in decimal, or
 * nothing if it has neither.
 */
void pl_instance_name(struct pl_codepages *pages, struct pl_buf *out,
                      const struct pl_object *o, const struct pl_instance *i);

/*
 * Append the CounterSize bytes of a text counter as UTF-8, up to a
 * terminator; by the type word they are UTF-16 or of the object's code page.
 * False if it is not inside this counter block.
 */
bool pl_counter_text(struct pl_codepages *pages, struct pl_buf *out,
                     const struct pl_object *o, const struct pl_instance *i,
                     const struct pl_counter_def *c);

/* ---- changing a copy --------------------------------------------------------- */

/* Set a field of a block that 'b' holds, in the byte order of the block. */
void pl_block_set_u32(struct pl_buf *b, size_t at, bool big_endian, uint32_t v);

/* ---- writing (little-endian, Revision 1) -------------------------------- */

struct pl_block_stamp {
    int64_t utc_ns; /* becomes SystemTime */
    int64_t perf_time;
    int64_t perf_freq;
    int64_t perf_time_100ns;
};

/* Header with the machine's name (UTF-16LE); returns its offset for _close. */
size_t pl_put_block(struct pl_buf *b, const struct pl_block_stamp *stamp,
                    const uint8_t *name_utf16, size_t name_len);
void pl_put_block_close(struct pl_buf *b, size_t block, uint32_t num_objects,
                        int32_t default_object);

/* Object header from a view; the _close functions set lengths, NumInstances. */
size_t pl_put_object(struct pl_buf *b, const struct pl_object *o);
void pl_put_counter(struct pl_buf *b, const struct pl_counter_def *c);
/* Ends the definitions begun by pl_put_object at 'object'. */
void pl_put_definitions_close(struct pl_buf *b, size_t object,
                              uint32_t num_counters);
void pl_put_object_close(struct pl_buf *b, size_t object,
                         int32_t num_instances);

/* Set the clock of the object at 'object'. */
void pl_put_object_clock(struct pl_buf *b, size_t object, int64_t perf_time,
                         int64_t perf_freq);

/* One PERF_INSTANCE_DEFINITION; 'name' is UTF-16LE without terminator. */
void pl_put_instance(struct pl_buf *b, uint32_t parent_object,
                     uint32_t parent_instance, const uint8_t *name,
                     size_t name_len);

/* The same with a name in UTF-8; unique_id PERF_NO_UNIQUE_ID: it has none. */
void pl_put_instance_called(struct pl_buf *b, uint32_t parent_object,
                            uint32_t parent_instance, int32_t unique_id,
                            struct pl_text name);

/*
 * A zeroed PERF_COUNTER_BLOCK of 'len' bytes with its ByteLength; returns its
 * bytes, valid until the next put, or NULL if out of memory.
 */
uint8_t *pl_put_counter_block(struct pl_buf *b, uint32_t len);

#endif
