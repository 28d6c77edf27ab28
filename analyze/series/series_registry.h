/*                                         analyze/series/series_registry.h
 * Names of everything that is exported: hosts, objects with their counters, and
 * groups (an object's instance on a host), which hold one series per counter.
 * A name is stored once, whatever the number of samples, sessions and files it
 * occurs in; a series is identified by its names only, so a column survives
 * restarts of the recorder.
 */
#ifndef PL_ANALYZE_SERIES_SERIES_REGISTRY_H
#define PL_ANALYZE_SERIES_SERIES_REGISTRY_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PL_NO_COLUMN = UINT32_MAX, PL_NO_SLOT = UINT32_MAX };

/* Names of counters that one object may have, in all samples together. */
enum { PL_MAX_SLOTS = 1 << 16 };

struct pl_host {
    struct pl_host *next;
    char *name;     /* as displayed: "web", "web#1" */
    char *own_name; /* as recorded */
    uint64_t machine_hash;
    uint32_t rank; /* order of appearance */
    /* highest number n in "name#n" given to hosts of this name */
    uint32_t last_number;
};

struct pl_object_names {
    struct pl_object_names *next;
    char *name;
    char *help; /* NULL unless the registry keeps help texts */
    uint32_t rank;
    struct pl_counter_names {
        char *name;
        /* NULL unless the registry keeps help texts */
        char *help;
        uint32_t type;               /* of the first definition read */
        uint32_t size, detail_level; /* of the first definition read */
        int32_t scale;
        /* its numbers are states or identifiers: they have no mean */
        bool is_code;
        uint8_t amount;  /* what its values are times; see ranking.c */
        bool has_wanted; /* some instance's series of it is or was wanted */
        /* in which instances paths select it; see sample_view.c */
        enum pl_selection {
            PL_UNDECIDED,
            PL_NOWHERE,
            PL_SOMEWHERE,
            PL_EVERYWHERE,
        } selection;
        /* are its series wanted in all instances alike? */
        enum pl_wish {
            PL_WISH_UNDECIDED, /* not known, or different */
            PL_WISH_NONE,
            PL_WISH_ALL,
        } wish;
        uint32_t next;   /* next slot of the same hash; PL_NO_SLOT */
        uint64_t marked; /* see pl_object_slot */
    } * counters;        /* by slot, in order of appearance */
    uint32_t num_counters, cap_counters;
    uint32_t *buckets; /* first slots by hash of the name */
    uint32_t num_buckets;
    uint64_t mark;         /* number of the current set of definitions */
    uint32_t default_slot; /* the object's default counter; PL_NO_SLOT */
    uint32_t rank_slot;    /* the counter to rank by; PL_NO_SLOT: not ranked */
};

struct pl_series {
    uint32_t column; /* column number in a wide layout */
    uint32_t sum;    /* place in a window's sums, from 1; 0: none */
    /*
     * number of the first width of a wide sheet that has it; see wide_columns.h
     */
    uint8_t width;
    /* bits, since each of thousands of processes has a hundred of these */
    bool wanted : 1;  /* wanted by the user */
    bool present : 1; /* has occurred */
    bool filled : 1;  /* has had a value, in a ranking pass */
    bool ranked : 1;  /* wanted for the ranking pass only */
};

/* How busy an instance was, or one of its counters; all zero: not at all. */
struct pl_score {
    double value; /* the sum of what it did, or its greatest value */
    double time;  /* over which 'value' was summed */
    uint32_t slot;
    bool any; /* has had a value */
};

/*
 * A series of a log without objects of its own, see pl_session.titles_made_up.
 */
struct pl_listed {
    uint32_t order; /* order of first occurrence, from 1; 0: none yet */
    uint32_t title; /* title index of its counter at that time */
    uint64_t row;   /* of its last cell, where its group is shared */
};

/* Where a group stood in the last two samples it was in, for pairing. */
struct pl_group_place {
    uint64_t row, older_row;
    uint32_t index, older_index;
    uint32_t title; /* of the last object that held it */
};

/*
 * The sample in which names equal to a group's got numbers, and the last one.
 */
struct pl_group_numbers {
    uint64_t row;
    uint32_t last;
    uint32_t own; /* if numbered: its own number */
};

struct pl_group_identity; /* group_identity.h */

struct pl_group {
    /* What every sample needs, close together in memory. */
    const struct pl_host *host;
    const struct pl_object_names *object;
    struct pl_series *series; /* by counter slot; NULL: no series is wanted */
    /* by counter slot; NULL: the log has objects of its own */
    struct pl_listed *listed;
    uint32_t num_slots; /* slots decided so far: the length of 'series' */
    bool numbered;      /* it ends in #n */
    bool is_total;      /* it is called _Total, its parent may be too */
    bool derived;       /* a derived _Total or sum: no sample holds it */
    /* several objects of a sample had this instance */
    bool shared;
    bool of_many; /* a sum of others, see pl_registry_sum */
    /* found in a sample that makes no row, see pl_sample_series_record */
    bool unrecorded;
    /* number of sample instances and sums that hold it, in any log */
    uint32_t held;
    struct pl_group_place place;
    uint64_t total_of; /* serial of the last sample it was derived for */
    uint64_t noted;    /* serial of the plan whose series are all present */
    /* What is needed less often. */
    struct pl_group_numbers numbers;
    /* if numbered: the group of the name without its number; valid while a
     * sample holds this group, which then holds the other as well */
    struct pl_group *plain;
    /* its number in a window's sums, in order of appearance, from 1; 0: none */
    uint32_t sum;
    uint32_t gathered; /* index in regroup.h's sums, from 1; 0: not a sum */
    char *instance;    /* "parent/name#1", UTF-8; NULL: object without any */
    uint64_t hash;
    struct pl_group *next;            /* next of the same hash */
    struct pl_group *later, *earlier; /* list of all groups of the registry */
    /* the sum (_Other) it is added to; NULL: it is shown itself */
    struct pl_group *other;
    struct pl_score score;
    /* of its process, one block of memory; NULL: not known */
    struct pl_group_identity *identity;
};

/* Hash table by name: open addressing, at most half full. */
struct pl_name_table {
    struct pl_named {
        uint64_t hash;
        void *what; /* NULL: free */
    } * slots;
    size_t cap, num;
};

struct pl_registry {
    struct pl_host *hosts;
    struct pl_object_names *objects;
    struct pl_name_table own_names, shown_names; /* tables of hosts */
    struct pl_name_table object_names;
    uint64_t seed; /* random seed of all hashes of names */
    struct pl_group **buckets;
    size_t num_buckets, num_groups;
    uint32_t num_hosts, num_objects;
    struct pl_group *groups;
    bool keep_help;
    uint64_t row;         /* number of the last sample read, of any host */
    uint32_t order;       /* of the last new series */
    uint64_t serial;      /* serial of the last sample; 0: none */
    uint64_t plans;       /* made so far */
    bool some_unrecorded; /* of some group, see pl_sample_series_record */
    /* bytes of blocks read, and series slots made from them */
    uint64_t bytes, slots;
};

void pl_registry_release(struct pl_registry *r);

/*
 * Fill the empty registry 'to' with the names of 'from', their ranks, slots and
 * series, as if it had read the same samples; what a replay holds of them is
 * left out, as are help texts.  PL_NOMEM: 'to' is to be released.
 */
enum pl_status pl_registry_copy(struct pl_registry *to,
                                const struct pl_registry *from);

/*
 * Find or create.  NULL: out of memory.  Equal host names of different machines
 * become "name#1", "name#2".  All names end before their first NUL.
 */
struct pl_host *pl_registry_host(struct pl_registry *r, struct pl_text name,
                                 uint64_t machine_hash);
/* The same; one that is created becomes 'shown', unless another host is that. */
struct pl_host *pl_registry_host_as(struct pl_registry *r, struct pl_text name,
                                    uint64_t machine_hash, const char *shown);
struct pl_object_names *pl_registry_object(struct pl_registry *r,
                                           struct pl_text name,
                                           struct pl_text help);

/*
 * The slot of counter 'name' in 'o', created if needed; PL_NO_SLOT: out of
 * memory, or o->num_counters is PL_MAX_SLOTS.  Within one set of definitions,
 * begun by adding 1 to o->mark, every call returns a different slot, so that
 * counters of equal names stay apart.
 */
uint32_t pl_object_slot(const struct pl_registry *r, struct pl_object_names *o,
                        struct pl_text name, struct pl_text help,
                        uint32_t type);

/* 'instance' NULL for objects without instances.  *made: it was created. */
struct pl_group *pl_registry_group(struct pl_registry *r,
                                   const struct pl_host *host,
                                   const struct pl_object_names *object,
                                   const char *instance, bool *made);

/*
 * The same for the sum of several instances, whose name does not collide with
 * an instance of that name.
 */
struct pl_group *pl_registry_sum(struct pl_registry *r,
                                 const struct pl_host *host,
                                 const struct pl_object_names *object,
                                 const char *name, bool *made);

/* The series of a slot if it is wanted, else NULL. */
static inline struct pl_series *pl_group_series(const struct pl_group *g,
                                                uint32_t slot)
{
    return g->series && slot < g->num_slots && g->series[slot].wanted
               ? &g->series[slot]
               : NULL;
}

/* Free a group that vanished (otherwise its series keep their memory). */
void pl_registry_drop(struct pl_registry *r, struct pl_group *g);

/*
 * Number the columns of all wanted, present series: by host, object, instance
 * (2 before 10, _Other and _Total last), counter.  *groups receives the groups
 * that have series in that order, to be freed by the caller.  PL_NOMEM.
 */
enum pl_status pl_registry_columns(struct pl_registry *r,
                                   struct pl_group ***groups,
                                   size_t *num_groups, uint32_t *num_columns);

/*
 * Number the columns again for a log without objects of its own, in its own
 * order: by counter title index, as titles were numbered in the order of the
 * log's list, then by first occurrence; sums, which the list does not have, come
 * last.  PL_NOMEM.
 */
enum pl_status pl_registry_as_listed(struct pl_group *const *groups,
                                     size_t num_groups, uint32_t num_columns);

/* Append "\\HOST\Object(Instance)\Counter"; 'escape' makes it a pattern. */
void pl_series_path(struct pl_buf *out, const struct pl_group *g, uint32_t slot,
                    bool with_host, bool escape);

/*
 * Append such a path so that it is safe on a terminal and -c still accepts it:
 * '?', which matches any character, replaces what may not be shown.
 */
void pl_path_visible(struct pl_buf *out, const struct pl_buf *path);

/*
 * Order of instance names: runs of digits by value, the rest by byte; _Other
 * and _Total last.
 */
int pl_natural_compare(const char *a, const char *b);

/* Below, at or above 0: the order of two groups by their hosts and objects. */
int pl_group_compare_objects(const struct pl_group *a,
                             const struct pl_group *b);

#endif
