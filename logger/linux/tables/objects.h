/*                                            logger/linux/tables/objects.h
 * The tables: all objects and their counters.  Adding a counter is adding one
 * row; its offset in the block, its width, how it is read and how _Total is
 * derived all follow from the row.
 */
#ifndef PL_LOGGER_LINUX_TABLES_OBJECTS_H
#define PL_LOGGER_LINUX_TABLES_OBJECTS_H

#include "format/block/titles.h"
#include "format/block/winperf.h"
#include "logger/linux/machine/source.h"
#include "logger/linux/machine/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pl_level {
    PL_NOVICE = PERF_DETAIL_NOVICE,
    PL_ADVANCED = PERF_DETAIL_ADVANCED,
    PL_EXPERT = PERF_DETAIL_EXPERT,
    PL_WIZARD = PERF_DETAIL_WIZARD,
};

#define PL_LINUX(major, minor) ((major) << 8 | (minor))

/*
 * One row is one counter; row order is the order in the block.  A base has no
 * name and no help of its own: it follows its numerator and has its index.
 * A row may end after 'help'.
 */
struct pl_counter {
    uint32_t index;   /* title index of the name, even */
    const char *name; /* NULL: the base of the row above */
    uint32_t type;    /* PERF_*: implies the stored width and the formula */
    int scale;        /* display scale, a power of ten */
    enum pl_level level;
    const char *from;         /* expr.h, over the fields of the sources */
    enum pl_unit unit;        /* of 'from'; stored in bytes or 100 ns */
    enum pl_total_rule total; /* how _Total is derived when read */
    const char *help;
    /*
     * PL_LINUX of the first kernel that has it, where it is newer than others
     * of its file: a hint why it is missing, as distributions backport.
     */
    uint16_t since;
};

enum {
    PL_MAX_OBJECT_SOURCES = 4,
    PL_MAX_TABLES = 2,
    PL_ON_REQUEST = 1 << 30,
    PL_OWN_TITLES = 20000,  /* below: Windows' title indexes */
    PL_SHARED_HELP = 30000, /* help texts of names shared by several objects */
};

struct pl_table {
    const struct pl_counter *rows;
    size_t num;
};

/* clang-format off */
#define PL_TABLE(array) { (array), sizeof(array) / sizeof *(array) }
/* clang-format on */

struct pl_object_def {
    uint32_t index;
    const char *name;
    const char *help;
    enum pl_level level;
    uint32_t default_counter; /* title index */
    bool has_instances;       /* the rows of the first source */
    const char *none;         /* why there may be no instances; or NULL */
    bool has_clock;           /* the object's own, for Elapsed Time */
    bool always;              /* recorded regardless of -c */
    /*
     * Recorded by default if the first source has at least so many rows when
     * the session begins; PL_ON_REQUEST: only if requested by name.
     */
    unsigned default_from;
    uint32_t parent; /* title index of the object whose instances its rows
                        belong to (pl_source_row.parent), 0: none */
    enum pl_source_id sources[PL_MAX_OBJECT_SOURCES]; /* PL_NO_SOURCE ends */
    uint32_t identity[PL_MAX_IDENTITY]; /* title indexes, 0 ends */
    uint32_t birth;   /* the one of these with the time at which an instance's
                       delta counters are 0; 0: there is none */
    bool shows_ended; /* instances that have ended, some a few samples later */
    uint32_t flags_counter; /* title index of Data Flags, 0: none */
    bool some_left_out;     /* of _Total: where that has PL_LEFT_OUT_OF_TOTAL */
    /*
     * Help texts are at index + 1.  An object with its own help texts for
     * Windows' names has these at shared_help + index / 2 instead, as an index
     * can only have one text; Windows does likewise.
     */
    uint32_t shared_help;
    struct pl_table tables[PL_MAX_TABLES]; /* .rows NULL ends */
};

/* Of all in registry.h, and in its order: the order of the block. */
extern const struct pl_object_def *const pl_objects[];
extern const size_t pl_num_objects;

#define PL_DECLARE_OBJECT(name)                                                \
    extern const struct pl_object_def pl_object_##name;
PL_OBJECTS(PL_DECLARE_OBJECT)

/* Title index of a counter's help text. */
uint32_t pl_help_index(const struct pl_object_def *o, uint32_t counter_index);

#endif
