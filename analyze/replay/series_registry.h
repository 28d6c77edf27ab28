/*                                         analyze/replay/series_registry.h
 * The names of what is exported: hosts, objects with their counters, and
 * groups (an object's instance on a host), which hold one series per counter.
 * A name is stored once, whatever the number of samples, sessions and files
 * it occurs in; names alone make a series, so a column survives restarts.
 */
#ifndef PL_ANALYZE_REPLAY_SERIES_REGISTRY_H
#define PL_ANALYZE_REPLAY_SERIES_REGISTRY_H

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
    uint32_t rank;        /* order of appearance */
    uint32_t last_number; /* that others got because of this one's name */
};

struct pl_object_names {
    struct pl_object_names *next;
    char *name;
    char *help; /* NULL unless the registry keeps help texts */
    uint32_t rank;
    struct pl_counter_names {
        char *name;
        char *help;                  /* as above */
        uint32_t type;               /* of the first definition met */
        uint32_t size, detail_level; /* likewise */
        int32_t scale;
        bool is_code;  /* its numbers stand for something: they have no mean */
        uint32_t next; /* slot of the same hash; PL_NO_SLOT */
        uint64_t marked; /* see pl_object_slot */
    } * counters;        /* by slot, in order of appearance */
    uint32_t num_counters, cap_counters;
    uint32_t *buckets; /* first slots by hash of the name */
    uint32_t num_buckets;
    uint64_t mark;         /* of the set of definitions being looked at */
    uint32_t default_slot; /* the counter to look at first; PL_NO_SLOT */
    uint32_t rank_slot;    /* the counter to rank by; PL_NO_SLOT: do not */
};

struct pl_series {
    uint32_t column; /* in a wide sheet */
    uint32_t sum;    /* place in a window's sums, from 1; 0: none */
    uint8_t width;   /* of a sheet, the first that has it; see widen.h */
    bool wanted;     /* chosen by the user */
    bool present;    /* has occurred */
    bool filled;     /* has had a value, in a pass that measured */
    bool ranked;     /* wanted for that pass only */
};

/* How busy an instance was, or one of its counters; all zero: not at all. */
struct pl_score {
    double value; /* the sum of what it did, or its greatest value */
    double time;  /* over which it did so */
    uint32_t slot;
    bool any; /* has had a value */
};

/* A series of a log without objects of its own, see pl_session.titles_made_up. */
struct pl_listed {
    uint32_t order; /* in which series were met, from 1; 0: it was not */
    uint32_t title; /* of its counter then */
    uint64_t row;   /* of its last cell, where its group is shared */
};

/* Where a group stood in the last two samples it was in, for pairing. */
struct pl_group_place {
    uint64_t row, older_row;
    uint32_t index, older_index;
    uint32_t title; /* of the object that it stood in last */
};

/* The sample in which names equal to a group's got numbers, and the last one. */
struct pl_group_numbers {
    uint64_t row;
    uint32_t last;
};

struct pl_group {
    /* What every sample looks at, together. */
    const struct pl_host *host;
    const struct pl_object_names *object;
    struct pl_series *series; /* by counter slot; NULL: none is wanted */
    struct pl_listed *listed; /* the same; NULL: objects are the log's own */
    uint32_t num_slots;       /* slots looked at: the length of 'series' */
    bool numbered;            /* it ends in #n */
    bool is_total;            /* it is called _Total, its parent may be too */
    bool derived;             /* a _Total of no sample, so nothing holds it */
    bool shared;              /* several objects of a sample have had it */
    bool of_many;             /* a sum of others, see pl_registry_sum */
    struct pl_group_place place;
    uint32_t held; /* by how many instances of samples and sums, of any tape */
    uint64_t total_of; /* serial of the last sample it was derived for */
    uint64_t noted;    /* serial of the plan whose series are all present */
    /* What is needed less often, each for one reader. */
    struct pl_group_numbers numbers;
    uint32_t sum;   /* place of its first series in a window's sums, as held */
    char *instance; /* "parent/name#1", UTF-8; NULL: object without any */
    uint64_t hash;
    struct pl_group *next;            /* of the same hash */
    struct pl_group *later, *earlier; /* all of the registry */
    struct pl_group *other; /* the sum it is a part of; NULL: is shown */
    struct pl_score score;
    uint32_t gathered; /* place in regroup.h's sums, from 1; 0: it is none */
};

/* Things by the hash of their names: open addressing, at most half full. */
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
    struct pl_name_table own_names, shown_names; /* of hosts */
    struct pl_name_table object_names;
    uint64_t seed; /* of all hashes of names, other in every run */
    struct pl_group **buckets;
    size_t num_buckets, num_groups;
    uint32_t num_hosts, num_objects;
    struct pl_group *groups;
    bool keep_help;
    uint64_t row;    /* number of the last sample looked at, of any host */
    uint32_t order;  /* of the last series met */
    uint64_t serial; /* of the last sample; 0 is none */
    uint64_t plans;  /* made so far */
    uint64_t bytes, slots; /* of blocks read, and of series made of them */
};

void pl_registry_release(struct pl_registry *r);

/*
 * Find or make.  NULL: out of memory.  Equal host names of different machines
 * become "name#1", "name#2".  All names end before their first NUL.
 */
struct pl_host *pl_registry_host(struct pl_registry *r, struct pl_text name,
                                 uint64_t machine_hash);
struct pl_object_names *pl_registry_object(struct pl_registry *r,
                                           struct pl_text name,
                                           struct pl_text help);

/*
 * The slot of counter 'name' in 'o', making it; PL_NO_SLOT: out of memory, or
 * o->num_counters is PL_MAX_SLOTS.
 * Within one set of definitions, begun by adding 1 to o->mark, every call
 * gives another slot, so that counters of equal names stay apart.
 */
uint32_t pl_object_slot(const struct pl_registry *r, struct pl_object_names *o,
                        struct pl_text name, struct pl_text help,
                        uint32_t type);

/* 'instance' NULL for objects without instances.  *made: it is new. */
struct pl_group *pl_registry_group(struct pl_registry *r,
                                   const struct pl_host *host,
                                   const struct pl_object_names *object,
                                   const char *instance, bool *made);

/*
 * The same for the sum of several instances, whose name says nothing against
 * an instance of that name.
 */
struct pl_group *pl_registry_sum(struct pl_registry *r,
                                 const struct pl_host *host,
                                 const struct pl_object_names *object,
                                 const char *name, bool *made);

/* The series of a slot if the user wants it, else NULL. */
static inline struct pl_series *pl_group_series(const struct pl_group *g,
                                                uint32_t slot)
{
    return g->series && slot < g->num_slots && g->series[slot].wanted
               ? &g->series[slot]
               : NULL;
}

/* Forget a group that has gone (its series take memory otherwise). */
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
 * Number them anew in the order in which a log without an order of its own
 * objects has them: by the title of the counter, as these were numbered in the
 * order of the log's list, then as they were met.  PL_NOMEM.
 */
enum pl_status pl_registry_as_listed(struct pl_group *const *groups,
                                     size_t num_groups, uint32_t num_columns);

/* Append "\\HOST\Object(Instance)\Counter"; 'escape' makes it a pattern. */
void pl_series_path(struct pl_buf *out, const struct pl_group *g, uint32_t slot,
                    bool with_host, bool escape);

/*
 * Append such a path so that a terminal may see it and -c still takes it: '?',
 * which stands for any character, in place of what may not be shown.
 */
void pl_path_visible(struct pl_buf *out, const struct pl_buf *path);

/*
 * Order of instance names: digits by value, the rest by byte; _Other and _Total
 * last.
 */
int pl_natural_compare(const char *a, const char *b);

#endif
