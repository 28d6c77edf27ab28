/* Providers: opening and closing, instances, handling of fork and exit. */
#include "logger/provider/pl_provider.h"

#include "logger/provider/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The free slots of an object, the longest free one first. */
struct free_slots {
    uint32_t *ring;
    uint32_t first, num;
};

struct pl_prov {
    struct pl_prov *next;
    const struct pl_prov_object *table;
    uint32_t num_objects;
    struct pl_prov_file file; /* not mapped: counts go to the sink */
    uint32_t set_at;
    const struct pl_region_object *layout; /* a copy: the region's may vanish */
    struct free_slots *free;
    uint64_t last_serial;
    bool detached; /* a child after fork */
    char why[PL_PROV_WHY];
};

/* Receives the counts of providers without a region. */
static struct pl_prov_word sink_word;
static struct pl_prov_sync sink_sync;
static struct pl_prov sink = { .why = "out of memory" };

static struct pl_prov *providers;

static struct pl_region_header *header_of(const struct pl_prov *p)
{
    return (struct pl_region_header *)(void *)p->file.map;
}

/* ---- fork and exit ------------------------------------------------------ */

static void close_region(struct pl_prov *p)
{
    __atomic_store_n(&header_of(p)->state, PL_REGION_CLOSED, __ATOMIC_RELEASE);
}

/*
 * The words keep their addresses, but become private to the child.  If there is
 * no memory for that, the child counts in its parent's words, so the region is
 * closed: no values are better than wrong ones.
 */
void pl_prov_in_child(void)
{
    for (struct pl_prov *p = providers; p; p = p->next) {
        if (!p->file.map || p->detached)
            continue;
        if (!pl_prov_file_detach(&p->file))
            close_region(p);
        p->detached = true;
        strcpy(p->why, "this is a child of fork");
    }
}

/*
 * Counting has ended; the logger reads the last values once more.  The memory
 * of a child of fork is private, and a child of clone() must not close it.
 */
static void withdraw(struct pl_prov *p)
{
    if (!p->file.map || !*p->file.path ||
        header_of(p)->pid != pl_prov_process())
        return;
    close_region(p);
    pl_prov_file_withdraw(&p->file);
}

/* Threads may go on counting, so the memory stays. */
void pl_prov_at_exit(void)
{
    if (!pl_prov_try_lock())
        return; /* exit during an operation: the logger sees an ended process */
    for (struct pl_prov *p = providers; p; p = p->next)
        withdraw(p);
    pl_prov_unlock();
}

/* ---- opening ------------------------------------------------------------ */

void pl_prov_clean_name(char out[PL_REGION_MAX_PROGRAM + 1],
                        const char *program)
{
    size_t n = 0;

    for (; program && *program && n < PL_REGION_MAX_PROGRAM; program++) {
        char c = *program;
        bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                    (c >= '0' && c <= '9') || c == '-' || c == '_';

        out[n++] = good ? c : '_';
    }
    out[n] = 0;
    if (!n)
        strcpy(out, "program");
}

static void name_region(char *name, size_t size, const char *program,
                        uint64_t region_id)
{
    char clean[PL_REGION_MAX_PROGRAM + 1];

    pl_prov_clean_name(clean, program);
    snprintf(name, size, "%s.%lu.%016llx" PL_REGION_SUFFIX, clean,
             (unsigned long)pl_prov_process(), (unsigned long long)region_id);
}

/* Create the region, and show it when it is complete. */
static int publish(struct pl_prov *p, const char *program,
                   const struct pl_region_header *measured,
                   const struct pl_prov_options *o)
{
    static const struct pl_prov_options usual = { NULL, 0 };
    struct pl_region_header h = *measured;
    char name[PL_PROV_NAME];
    mode_t mode;
    int error;

    o = o ? o : &usual;
    mode = (o->mode ? o->mode : 0640) & 0750;
    h.region_id = pl_prov_random();
    h.pid = pl_prov_process();
    h.uid = pl_prov_user();
    h.created_ns = pl_prov_utc_ns();
    name_region(name, sizeof name, program, h.region_id);
    error = pl_prov_file_make(&p->file, o->dir, (mode & 0640) | 0600,
                              (size_t)h.size, name, p->why);
    if (error)
        return error;
    pl_prov_fill(p->file.map, &h, p->table, p->num_objects);
    __atomic_store_n(&header_of(p)->state, PL_REGION_LIVE, __ATOMIC_RELEASE);
    error = pl_prov_file_show(&p->file, p->why);
    if (!error)
        *p->why = 0;
    return error;
}

/* A copy of the layout, and all slots free. */
static int prepare_objects(struct pl_prov *p)
{
    size_t len = p->num_objects * sizeof *p->layout;
    struct pl_region_object *layout = malloc(len);

    p->layout = layout;
    p->free = calloc(p->num_objects, sizeof *p->free);
    if (!layout || !p->free)
        return ENOMEM;
    memcpy(layout, p->file.map + header_of(p)->def_at, len);
    p->set_at = header_of(p)->set_at;
    p->last_serial = p->num_objects; /* pl_prov_fill has used these */
    for (uint32_t k = 0; k < p->num_objects; k++) {
        struct free_slots *f = &p->free[k];

        if (layout[k].max_instances < 0)
            continue;
        f->num = (uint32_t)layout[k].max_instances;
        f->ring = malloc(f->num * sizeof *f->ring);
        if (!f->ring)
            return ENOMEM;
        for (uint32_t i = 0; i < f->num; i++)
            f->ring[i] = i;
    }
    return 0;
}

static void forget(struct pl_prov *p)
{
    for (uint32_t k = 0; p->free && k < p->num_objects; k++)
        free(p->free[k].ring);
    free(p->free);
    free((void *)(uintptr_t)p->layout);
    pl_prov_file_release(&p->file);
    p->free = NULL;
    p->layout = NULL;
}

PL_PROV_API int pl_prov_open(struct pl_prov **out, const char *program,
                             const struct pl_prov_object *table, uint32_t n,
                             const struct pl_prov_options *options)
{
    int error = pl_prov_prepare();
    struct pl_prov *p = calloc(1, sizeof *p);
    struct pl_region_header h;

    *out = p ? p : &sink;
    if (!p)
        return ENOMEM;
    if (pl_prov_check(table, n, p->why, sizeof p->why))
        return EINVAL;
    p->table = table;
    p->num_objects = n;
    pl_prov_measure(table, n, &h);
    pl_prov_lock(); /* a fork in between would share the region */
    if (!error)
        error = publish(p, program, &h, options);
    if (!error && prepare_objects(p)) {
        error = ENOMEM;
        withdraw(p);
        forget(p);
    }
    if (error == ENOMEM && !*p->why)
        snprintf(p->why, sizeof p->why, "out of memory");
    p->next = providers;
    providers = p;
    pl_prov_unlock();
    return error;
}

PL_PROV_API void pl_prov_close(struct pl_prov *p)
{
    int error = errno; /* as free(), for paths on which others fail */

    if (!p || p == &sink)
        return;
    pl_prov_lock();
    for (struct pl_prov **at = &providers; *at; at = &(*at)->next) {
        if (*at == p) {
            *at = p->next;
            break;
        }
    }
    withdraw(p);
    forget(p); /* before a fork, which would share it */
    pl_prov_unlock();
    free(p);
    errno = error;
}

PL_PROV_API const char *pl_prov_why(const struct pl_prov *p)
{
    return p->why;
}

PL_PROV_API const char *pl_prov_path(const struct pl_prov *p)
{
    return p->file.path;
}

/* ---- sets --------------------------------------------------------------- */

static struct pl_prov_set sunk(struct pl_prov *p)
{
    return (struct pl_prov_set){ .sync = &sink_sync, .prov = p };
}

/* The position of an object in the table; num_objects if there is none. */
static uint32_t place_of(const struct pl_prov *p, uint32_t object)
{
    uint32_t k = 0;

    while (k < p->num_objects && p->table[k].id != object)
        k++;
    return k;
}

static struct pl_region_slot *slot_of(const struct pl_prov *p, uint32_t k,
                                      uint32_t slot)
{
    const struct pl_region_object *o = &p->layout[k];

    return (void *)(p->file.map + o->inst_at + (size_t)slot * o->inst_stride);
}

static struct pl_prov_set set_at(struct pl_prov *p, uint32_t k, uint32_t slot,
                                 uint64_t serial)
{
    const struct pl_region_object *o = &p->layout[k];
    size_t number = o->first_set + slot;

    return (struct pl_prov_set){
        .sync = (void *)(p->file.map + p->set_at +
                         number * sizeof(struct pl_prov_sync)),
        .words =
            (void *)(p->file.map + o->val_at + (size_t)slot * o->val_stride),
        .prov = p,
        .object = k,
        .slot = slot,
        .serial = serial,
    };
}

PL_PROV_API struct pl_prov_set pl_prov_region(struct pl_prov *p)
{
    struct pl_prov_set s = sunk(p);

    if (p->file.map)
        s.sync = &header_of(p)->sync;
    return s;
}

PL_PROV_API struct pl_prov_set pl_prov_single(struct pl_prov *p,
                                              uint32_t object)
{
    uint32_t k = place_of(p, object);

    if (!p->file.map || k == p->num_objects || p->layout[k].max_instances >= 0)
        return sunk(p);
    return set_at(p, k, 0,
                  __atomic_load_n(&slot_of(p, k, 0)->serial, __ATOMIC_RELAXED));
}

PL_PROV_API struct pl_prov_word *pl_prov_word_of(struct pl_prov_set s,
                                                 uint32_t counter)
{
    const struct pl_prov_object *o;

    if (!s.words)
        return &sink_word;
    o = &s.prov->table[s.object];
    for (uint32_t i = 0; i < o->num_counters; i++)
        if (o->counters[i].id == counter)
            return &s.words[pl_prov_word_number(o, i)];
    return &sink_word;
}

/* ---- instances -------------------------------------------------------------
 * If a reader finds a slot's serial unchanged after reading the slot, it has
 * read a single occupant.  So every change is made between setting serial 0
 * and setting a serial that was never used before.
 */
static void put(uint64_t *at, uint64_t v)
{
    __atomic_store_n(at, v, __ATOMIC_RELAXED);
}

#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan"
#endif
/* Free the slot. */
static void vacate(struct pl_prov *p, struct pl_region_slot *slot)
{
    put(&slot->serial, 0);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_fetch_add(&header_of(p)->generation, 1, __ATOMIC_RELAXED);
}
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/* Zero the words, and set the occupant. */
static struct pl_prov_set occupy(struct pl_prov *p, uint32_t k, uint32_t i)
{
    struct pl_prov_set s = set_at(p, k, i, ++p->last_serial);

    for (size_t w = 0; w < p->layout[k].val_stride / sizeof *s.words; w++)
        put(&s.words[w].v, 0);
    /* The previous occupant may have ended inside a group. */
    put(&s.sync->exit, __atomic_load_n(&s.sync->enter, __ATOMIC_RELAXED));
    __atomic_store_n(&slot_of(p, k, i)->serial, s.serial, __ATOMIC_RELEASE);
    return s;
}

static void put_name(struct pl_region_slot *slot, const char *name, size_t n)
{
    for (size_t at = 0; at < n; at += sizeof(uint64_t)) {
        uint64_t word = 0;

        memcpy(&word, name + at, n - at < sizeof word ? n - at : sizeof word);
        put(&slot->name[at / sizeof word], word);
    }
}

/* Take a free slot; the caller holds the lock. */
static struct pl_prov_set add(struct pl_prov *p, uint32_t k, const char *name,
                              int64_t unique_id, const struct pl_prov_set *up)
{
    struct free_slots *f = &p->free[k];
    struct pl_region_slot *slot;
    uint32_t i;

    if (!f->num) {
        __atomic_fetch_add(&header_of(p)->refused, 1, __ATOMIC_RELAXED);
        return sunk(p);
    }
    i = f->ring[f->first];
    f->first = (f->first + 1) % (uint32_t)p->layout[k].max_instances;
    f->num--;
    slot = slot_of(p, k, i);
    vacate(p, slot);
    put((uint64_t *)&slot->unique_id, (uint64_t)unique_id);
    put(&slot->parent_serial, up ? up->serial : 0);
    __atomic_store_n(&slot->parent_object, up ? up->object + 1 : 0,
                     __ATOMIC_RELAXED);
    __atomic_store_n(&slot->parent_slot, (uint16_t)(up ? up->slot : 0),
                     __ATOMIC_RELAXED);
    __atomic_store_n(&slot->name_len, (uint16_t)strlen(name), __ATOMIC_RELAXED);
    put_name(slot, name, strlen(name));
    return occupy(p, k, i);
}

PL_PROV_API struct pl_prov_set pl_prov_add(struct pl_prov *p, uint32_t object,
                                           const char *name, int64_t unique_id,
                                           const struct pl_prov_set *parent)
{
    uint32_t k = place_of(p, object);
    struct pl_prov_set s;

    if (!p->file.map || k == p->num_objects || p->layout[k].max_instances < 0)
        return sunk(p);
    name = name ? name : "";
    unique_id = unique_id < 0 ? PL_REGION_NONE : unique_id;
    if (!pl_prov_is_text(name, p->layout[k].name_max) ||
        (!*name && unique_id < 0) || unique_id > INT32_MAX ||
        (parent && parent->serial &&
         (parent->prov != p || parent->object >= k))) {
        __atomic_fetch_add(&header_of(p)->refused, 1, __ATOMIC_RELAXED);
        return sunk(p);
    }
    pl_prov_lock();
    s = add(p, k, name, unique_id, parent && parent->serial ? parent : NULL);
    pl_prov_unlock();
    return s;
}

/* True if the set still has the occupant it was returned for. */
static bool is_current(const struct pl_prov_set *s)
{
    return s->words &&
           __atomic_load_n(&slot_of(s->prov, s->object, s->slot)->serial,
                           __ATOMIC_RELAXED) == s->serial;
}

PL_PROV_API void pl_prov_remove(struct pl_prov_set *s)
{
    struct pl_prov *p = s->prov;

    pl_prov_lock();
    if (is_current(s) && p->layout[s->object].max_instances >= 0) {
        uint32_t cap = (uint32_t)p->layout[s->object].max_instances;
        struct free_slots *f = &p->free[s->object];

        vacate(p, slot_of(p, s->object, s->slot));
        f->ring[(f->first + f->num++) % cap] = s->slot;
    }
    pl_prov_unlock();
    *s = sunk(p);
}

PL_PROV_API void pl_prov_renew(struct pl_prov_set *s)
{
    pl_prov_lock();
    if (is_current(s)) {
        vacate(s->prov, slot_of(s->prov, s->object, s->slot));
        *s = occupy(s->prov, s->object, s->slot);
    }
    pl_prov_unlock();
}
