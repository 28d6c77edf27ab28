/*                                      logger/linux/sources/member_files.h
 * Sources whose rows have files of their own: processors, nodes, sensors,
 * control groups.  A family is a list of members, made again when it may have
 * changed, and the few files ("parts") of each member.  A single file whose
 * text has one of the shapes below is a family of one member without a name.
 *
 * A field that no member has is not present; where only some members have
 * it, the others hold 0 and, if the family has Data Flags, the bit of the
 * field's group.  A member whose essential part cannot be read is left out.
 */
#ifndef PL_LOGGER_LINUX_SOURCES_MEMBER_FILES_H
#define PL_LOGGER_LINUX_SOURCES_MEMBER_FILES_H

#include "format/base/buf.h"
#include "logger/linux/machine/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PL_MAX_PARTS = 32, PL_MAX_FAMILY_FIELDS = 63 };

/* Form of a part's text. */
enum pl_member_shape {
    PL_NUMBERS, /* "12 0 99": one after the other; "max" and -1 are 0 */
    PL_KEYS,    /* lines "key value" or "key: value" */
    PL_PAIRS,   /* lines "WORD key value key=value": fields WORD_key */
    PL_SUMS,    /* the same, summed over the lines in use: fields "key";
                   "WORD key value" too */
};

/* A field that a file calls otherwise, or gives in another unit. */
struct pl_alias {
    const char *key;     /* NULL: it is not in that file */
    uint32_t times, per; /* its number times/per is the field's; 0: as it is */
};

struct pl_part {
    const char *file; /* appended to the member's path */
    enum pl_member_shape shape;
    uint8_t first_field, num_fields;
    uint8_t skip_words; /* at the beginning of each line */
    const char *prefix; /* of the fields' names, not in the text; or NULL */
    bool essential;
    bool otherwise; /* only if an earlier part did not give its fields */
    uint8_t tree;   /* in which its file is; see member_files_source */
    uint8_t rule;   /* by which unchanged() decides; 0: it is always read */
    const struct pl_alias *aliases; /* one for each field; or NULL */
};

/* An entry of a table of parts; what follows are designated members. */
/* clang-format off */
#define PL_PART(name, how, first, num, ...)                                    \
    { .file = (name), .shape = (how), .first_field = (first),                  \
      .num_fields = (num), __VA_ARGS__ }
/* clang-format on */

struct pl_member;
struct pl_member_files_source;

struct pl_member_files {
    bool in_sys; /* paths are below /sys, else below /proc */
    const struct pl_part *parts;
    size_t num_parts;
    /* Add the present members; NULL: one member without a name. */
    enum pl_status (*list)(struct pl_member_files_source *f);
    /* True if the list may have changed; NULL: list once a minute. */
    bool (*changed)(struct pl_member_files_source *f);
    /* Compute further fields from the parts; bits of *seen are fields. */
    void (*finish)(struct pl_member_files_source *f, size_t member,
                   uint64_t *values, uint64_t *seen);
    /* True if, by the part's rule, its fields are those of the sample before;
     * NULL: there are no rules. */
    bool (*unchanged)(const struct pl_member_files_source *f,
                      const struct pl_member *member,
                      const struct pl_part *part);
    /* PL_SUMS: whether a line is summed, by its first word. */
    bool (*counts)(struct pl_member_files_source *f, struct pl_text word);
    uint8_t flags_field; /* Data Flags; 0: none */
};

struct pl_member {
    struct pl_text name, path; /* in 'texts', set when the list is made */
    size_t name_at, path_at;
    size_t whole_n; /* for list(): of the name with what may be added to it */
    uint64_t order; /* members ascend by it, then by name */
    uint64_t inode; /* of the folder 'path'; 0: it is none */
    uint8_t tree;   /* of the inode */
    enum pl_show show;
    bool has_folders; /* below its own, for list() */
    bool asked;       /* was tried for fields that no member has */
    uint64_t seen;    /* fields that the parts gave in the sample before */
    int fd[PL_MAX_PARTS];
};

struct pl_members {
    struct pl_member *list;
    size_t num;
    size_t cap;
    struct pl_buf texts;
};

struct pl_member_files_source {
    struct pl_source base;
    const struct pl_member_files *family;
    int dir; /* paths begin here; the machine's or the family's own */
    /* The same of each tree, where a member has files in several; else NULL.
     * -1: there is no such tree. */
    const int *trees;
    struct pl_members now, next;
    int folder;        /* of the member being read; negative: it is not open,
                        * or the member has none in that tree */
    uint8_t in_tree;   /* of 'folder', also where that is not there */
    int64_t listed_ns; /* when the list was made */
    int64_t asked_ns;  /* when missing files were last tried */
    bool listed;       /* to its end */
    bool begun;        /* a sample was taken */
    bool stale;        /* a member has gone */
    size_t budget;     /* descriptors that may still be kept */
    uint64_t wanted;   /* fields, in the sample before */
    /* Row of the member being read in that sample; NULL: none to be used. */
    const uint64_t *before;
    struct pl_buf text;
};

enum pl_status pl_member_files_open(struct pl_source **out,
                                    struct pl_machine *m,
                                    const struct pl_source_kind *kind);
enum pl_status pl_member_files_read(struct pl_source *s);
void pl_member_files_close(struct pl_source *s);
/* For undo: the next sample reads every part. */
void pl_member_files_forget(struct pl_member_files_source *f);

/* The same for a larger structure of 'size' bytes, which begins with it. */
enum pl_status pl_member_files_init(struct pl_member_files_source **out,
                                    size_t size, struct pl_machine *m,
                                    const struct pl_source_kind *kind);
/* Look for members and fields for the first time. */
enum pl_status pl_member_files_begin(struct pl_member_files_source *f);

/* By order, then by name; a folder sorts before its contents. */
int pl_member_compare(const void *a, const void *b);

/* Sort a complete list and set the texts of its members. */
void pl_members_settle(struct pl_members *list);

/* ---- for implementations of list() -------------------------------------- */

/* Add a member; 'inode' 0 if its path is not a folder.  PL_OK or PL_NOMEM. */
enum pl_status pl_member_files_add(struct pl_member_files_source *f,
                                   struct pl_text name, struct pl_text path,
                                   uint64_t order, uint64_t inode,
                                   enum pl_show show);

/*
 * Call 'found' for every entry "STEMn" of the folder 'path', with n and the
 * entry's name; without a stem (NULL) for all entries, with 0.  In any order.
 * PL_OK or the error of 'found'.
 */
typedef enum pl_status pl_found(struct pl_member_files_source *f,
                                const char *path, const char *entry,
                                uint64_t n);
enum pl_status pl_member_files_each(struct pl_member_files_source *f,
                                    const char *path, const char *stem,
                                    pl_found *found);

/* Read the first line of a small file into 'room'; "" if there is none. */
struct pl_text pl_member_files_word(struct pl_member_files_source *f,
                                    const char *path, char *room, size_t size);

/* The number of a field of a family, for tables of parts and hooks. */
static inline bool pl_seen(uint64_t seen, size_t field)
{
    return seen >> field & 1;
}

#endif
