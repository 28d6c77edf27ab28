/*                                            logger/linux/machine/source.h
 * A source is read once per sample and gives rows of named fields: from one
 * kernel file, from two files joined, or computed.  Counters never see text,
 * only fields; a field that this machine lacks cannot be found, and counters
 * that need it are left out.
 *
 * A new source is a row in registry.h and its pl_NAME_kind in
 * logger/linux/sources/; most need no code at all (plain_files.c).
 */
#ifndef PL_LOGGER_LINUX_MACHINE_SOURCE_H
#define PL_LOGGER_LINUX_MACHINE_SOURCE_H

#include "format/base/status.h"
#include "format/base/text.h"
#include "logger/linux/machine/procfs.h"
#include "logger/linux/machine/registry.h"
#include "logger/linux/machine/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_member_files;
struct pl_filter;
struct pl_machine;
struct pl_source;

#define PL_SOURCE_ID(id, ...) PL_##id,

enum pl_source_id { PL_NO_SOURCE, PL_SOURCES(PL_SOURCE_ID) PL_NUM_SOURCES };

enum { PL_NO_GROUP = 255 };

/* Bit of Data Flags, above those of groups: left out of _Total because another
 * instance counts the same work. */
enum { PL_LEFT_OUT_OF_TOTAL = 16 };

struct pl_field {
    const char *name;
    size_t name_len; /* 0: a column that is not a number */
    uint8_t group;   /* fields read together; PL_NO_GROUP: always readable */
    bool costly;     /* read only for counters requested by name */
    bool present;
    bool wanted; /* by a counter */
    bool widen;  /* the kernel prints the low 32 bits of a larger number */
};

/* Entries of a table of fields. */
/* clang-format off */
#define PL_FIELD(text) PL_GROUPED(text, PL_NO_GROUP)
#define PL_GROUPED(text, number)                                               \
    { .name = (text), .name_len = sizeof(text) - 1, .group = (number),         \
      .present = true }
#define PL_COSTLY(text, number)                                                \
    { .name = (text), .name_len = sizeof(text) - 1, .group = (number),         \
      .present = true, .costly = true }
/* clang-format on */

/* A file of equal lines: a name and columns of numbers. */
struct pl_column_format {
    unsigned skip_lines;
    const char *prefix;   /* of the lines to use; not part of names */
    unsigned name_column; /* 0-based */
    char name_end;        /* ends a name, as a blank does */
    bool escaped;         /* names have \040 for a blank */
};

struct pl_source_kind {
    const char *name; /* as in "vmstat:pgfault" */
    enum pl_status (*open)(struct pl_source **out, struct pl_machine *m,
                           const struct pl_source_kind *kind);
    enum pl_status (*read)(struct pl_source *s); /* fill s->rows */
    void (*close)(struct pl_source *s);
    void (*undo)(struct pl_source *s); /* see pl_source_undo; NULL: nothing */
    bool forgets; /* does not use 'before', which is not kept then */
    /* Of a rows source: is there anything to read?  NULL: always. */
    bool (*is_readable)(struct pl_machine *m);
    const char *path;   /* the file it reads, or one of them; see family */
    const char *absent; /* why a source without a path has no fields */
    enum pl_procfile_kind file_kind;
    struct pl_column_format columns;
    const struct pl_field *fields; /* columns first, without the name's */
    size_t num_fields;
    size_t num_columns; /* of 'fields' */
    const struct pl_member_files
        *family; /* member_files.h; 'path' may be below /sys */
    /* Rows are matched by name to those of the object's first source. */
    bool joined;
};

struct pl_source {
    const struct pl_source_kind *kind;
    struct pl_machine *machine;
    struct pl_field *fields;
    size_t num_fields;
    bool readable;       /* false: as if it had no fields */
    uint32_t generation; /* changes whenever fields come or go */
    uint64_t tick;       /* sample in which it was last read */
    uint64_t kept;       /* sample for which 'before' was kept */
    unsigned num_known;  /* rows when it was opened, if counted */
    struct pl_source_rows rows;
    struct pl_source_rows before;   /* of the previous sample */
    const struct pl_filter *filter; /* of the object whose rows they are */
};

/*
 * The source 'id', opened on the first call and owned by the machine.  A source
 * that this machine lacks is opened too, without fields.  PL_OK or PL_NOMEM.
 */
enum pl_status pl_source_open(struct pl_source **out, struct pl_machine *m,
                              enum pl_source_id id);

/* Read it unless it was already read in this sample.  PL_OK or PL_NOMEM. */
enum pl_status pl_source_read(struct pl_source *s);

/*
 * The sample is lost: if the source was read in it, the rows are again those of
 * the last sample that was not, which the next one's are compared with.
 */
void pl_source_undo(struct pl_source *s); /* NULL is fine */

void pl_source_close(struct pl_source *s); /* NULL is fine */

#define PL_NO_FIELD SIZE_MAX

/* The number of a field that is present now, else PL_NO_FIELD. */
size_t pl_source_find(const struct pl_source *s, struct pl_text field);

/* ---- for implementations of sources ------------------------------------- */

/* Prepare the common part: a copy of the kind's fields, rows of that width. */
enum pl_status pl_source_init(struct pl_source *s, struct pl_machine *m,
                              const struct pl_source_kind *kind);
void pl_source_release(struct pl_source *s);

/* Set whether all fields, or field 'i', are available from now on. */
void pl_source_set_readable(struct pl_source *s, bool readable);
void pl_source_set_present(struct pl_source *s, size_t i, bool present);

/* The row of the previous sample with the name of row 'i'; PL_NO_ROW. */
size_t pl_source_before(const struct pl_source *s, size_t i);

/* Sources of rows alone, which need no file and no memory of their own. */
enum pl_status pl_rows_source_open(struct pl_source **out, struct pl_machine *m,
                                   const struct pl_source_kind *kind);
void pl_rows_source_close(struct pl_source *s);

/* "key: value" files; the fields are the keys present at opening. */
enum pl_status pl_key_value_file_open(struct pl_source **out,
                                      struct pl_machine *m,
                                      const struct pl_source_kind *kind);
enum pl_status pl_key_value_file_read(struct pl_source *s);
void pl_key_value_file_close(struct pl_source *s);

/* Files described by struct pl_column_format. */
struct pl_column_file_source {
    struct pl_source base;
    struct pl_procfile *file;
    size_t num_columns; /* that this kernel prints */
};

enum pl_status pl_column_file_open(struct pl_source **out, struct pl_machine *m,
                                   const struct pl_source_kind *kind);
enum pl_status pl_column_file_read(struct pl_source *s);
void pl_column_file_close(struct pl_source *s);

/* Files with a line of names and one of numbers for each section. */
enum pl_status pl_snmp_file_open(struct pl_source **out, struct pl_machine *m,
                                 const struct pl_source_kind *kind);
enum pl_status pl_snmp_file_read(struct pl_source *s);
void pl_snmp_file_close(struct pl_source *s);

#endif
