/*                                                 logger/provider/region.h
 * The bytes of a region, "PLR1": what pl_provider.c writes and the logger
 * reads.  Numbers have the host's order, which 'order' tells; offsets count
 * from the region's first byte.  A reader refuses critical flags it does not
 * know; everything else that is new comes in fields that are 0 today.
 *
 *     header        256 bytes
 *     definitions   objects, counters, texts; never change once published
 *     sets          enter and exit of each set
 *     instances     slot after slot: who it is, as 8-byte words
 *     values        the words of each set, from a multiple of 64 bytes
 *
 * The sets of an object are numbered from first_set; an object without
 * instances has one set and one slot.
 */
#ifndef PL_PROVIDER_REGION_H
#define PL_PROVIDER_REGION_H

#include "logger/provider/pl_provider.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* Where regions are looked for if PERFLOG_PROVIDER_DIR does not say. */
#define PL_REGION_RUN "/run"
#define PL_REGION_SYSTEM "perflog/providers"
#define PL_REGION_SYSTEM_DIR PL_REGION_RUN "/" PL_REGION_SYSTEM
#define PL_REGION_KEPT "perflog/users" /* there: folders kept for a user */
#define PL_REGION_KEPT_DIR PL_REGION_RUN "/" PL_REGION_KEPT
#define PL_REGION_RUNTIME_DIR "perflog/providers" /* in XDG_RUNTIME_DIR */
#define PL_REGION_SHM "/dev/shm"
/* And the user's number; if another user has that, a dot and six characters. */
#define PL_REGION_SHM_PREFIX "perflog-"
#define PL_REGION_WINDOWS_DIR "perflog\\providers" /* in ProgramData */
#define PL_REGION_SUFFIX ".plr"     /* PROGRAM.PID.REGIONID.plr */
#define PL_REGION_HALF_MADE ".tmp-" /* before that name, until it is complete */

/* A counter that recorders add to each object, so that no table may have it. */
#define PL_REGION_IDENTITY "Identity"

#define PL_REGION_MAGIC "\x89PLR1\r\x1a\n"

enum {
    PL_REGION_ORDER = 0x01020304,
    PL_REGION_LIVE = 1,
    PL_REGION_CLOSED = 2,
    PL_REGION_ALIGN = 64,
    PL_REGION_MAX_SIZE = 16 << 20,
    PL_REGION_MAX_OBJECTS = 256,
    PL_REGION_MAX_COUNTERS = 1024,      /* of an object */
    PL_REGION_MAX_ALL_COUNTERS = 65536, /* of a region */
    PL_REGION_MAX_INSTANCES = 65536,    /* of an object */
    PL_REGION_MAX_PROGRAM = 32,
    PL_REGION_MAX_NAME = 127,
    PL_REGION_MAX_HELP = 1023,
    PL_REGION_MAX_INSTANCE_NAME = 255,
    PL_REGION_MAX_SCALE = 9,
    PL_REGION_NONE = -1, /* no instances; no unique id */
};

struct pl_region_header {
    uint8_t magic[8];
    uint32_t header_size;
    uint32_t order;
    uint32_t critical;
    uint32_t flags;
    uint64_t size; /* of the file */
    uint32_t def_at, def_len;
    uint64_t def_hash; /* XXH3 of the definitions */
    uint32_t set_at, set_len;
    uint32_t inst_at, inst_len;
    uint32_t val_at, val_len;
    uint64_t region_id;
    uint32_t pid, uid; /* for people; readers trust neither */
    uint64_t reserved_1[2];
    int64_t created_ns; /* UTC */
    uint32_t num_objects, num_counters, num_sets;
    uint32_t num_shards; /* 1 */
    uint32_t str_at, str_len;
    uint64_t reserved_2[3];
    /* What changes: */
    uint32_t state;
    uint32_t refused;         /* instances that found no place */
    uint64_t generation;      /* of instances */
    struct pl_prov_sync sync; /* of the whole region */
    uint8_t reserved_3[64];
};

/* Places of texts count from str_at. */
struct pl_region_object {
    uint32_t id, name, help, detail;
    uint32_t first_counter, num_counters;
    int32_t max_instances;
    uint32_t name_max;
    uint32_t first_set;
    uint32_t val_at, val_stride;
    uint32_t inst_at, inst_stride;
    uint32_t default_counter; /* id */
    uint32_t flags;
    uint32_t reserved;
};

struct pl_region_counter {
    uint32_t id, name, help, detail;
    uint32_t type;
    int32_t scale;
    uint32_t word; /* of the set */
    uint32_t flags;
};

struct pl_region_slot {
    uint64_t serial; /* 0: free; else never that of another occupant */
    int64_t unique_id;
    uint32_t parent_object; /* place in the table, from 1; 0: none */
    uint16_t name_len;
    uint16_t parent_slot;
    uint64_t parent_serial;
    uint64_t name[]; /* name_max bytes, rounded up */
};

#define PL_REGION_AT(type, member, offset)                                     \
    static_assert(offsetof(struct type, member) == (offset), #type "." #member)
PL_REGION_AT(pl_region_header, size, 24);
PL_REGION_AT(pl_region_header, def_hash, 40);
PL_REGION_AT(pl_region_header, region_id, 72);
PL_REGION_AT(pl_region_header, created_ns, 104);
PL_REGION_AT(pl_region_header, num_objects, 112);
PL_REGION_AT(pl_region_header, str_at, 128);
PL_REGION_AT(pl_region_header, state, 160);
PL_REGION_AT(pl_region_header, generation, 168);
PL_REGION_AT(pl_region_header, sync, 176);
static_assert(sizeof(struct pl_prov_sync) == 16, "sync");
static_assert(sizeof(struct pl_region_header) == 256, "header");
static_assert(sizeof(struct pl_region_object) == 64, "object");
static_assert(sizeof(struct pl_region_counter) == 32, "counter");
static_assert(sizeof(struct pl_region_slot) == 32, "slot");
#undef PL_REGION_AT

#endif
