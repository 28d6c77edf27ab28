/* Providers: opening and closing, instances, and what fork does to them. */
#include "logger/provider/pl_provider.h"

#include "logger/provider/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* The free slots of an object, the longest free one first. */
struct free_slots {
    uint32_t *ring;
    uint32_t first, num;
};

struct pl_prov {
    struct pl_prov *next;
    const struct pl_prov_object *table;
    uint32_t num_objects;
    uint8_t *region; /* NULL: nothing but a sink */
    size_t size;
    uint32_t set_at;
    const struct pl_region_object *layout; /* a copy: the region's may vanish */
    struct free_slots *free;
    uint64_t last_serial;
    bool detached; /* a child after fork */
    char path[PATH_MAX];
    char why[PL_PROV_WHY];
};

/* Where counts go that nobody sees. */
static struct pl_prov_word sink_word;
static struct pl_prov_sync sink_sync;
static struct pl_prov sink = { .why = "out of memory" };

/*
 * One lock for all that is rare: opening, closing, instances.  Nothing is
 * counted under it.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pl_prov *providers;

static struct pl_region_header *header_of(const struct pl_prov *p)
{
    return (struct pl_region_header *)(void *)p->region;
}

/* ---- fork and exit ---------------------------------------------------------*/

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

/* The words stay where they are, but are the child's own. */
static void in_child(void)
{
    for (struct pl_prov *p = providers; p; p = p->next) {
        if (!p->region || p->detached)
            continue;
        mmap(p->region, p->size, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        p->detached = true;
        *p->path = 0;
        snprintf(p->why, sizeof p->why, "this is a child of fork");
    }
    pthread_mutex_unlock(&lock);
}

/* Nobody will count any more; the logger reads what is there once more. */
static void withdraw(struct pl_prov *p)
{
    if (!p->region || !*p->path) /* a child has none */
        return;
    __atomic_store_n(&header_of(p)->state, PL_REGION_CLOSED, __ATOMIC_RELEASE);
    unlink(p->path);
    *p->path = 0;
}

/* Threads may go on counting, so the memory stays. */
static void at_exit(void)
{
    if (pthread_mutex_trylock(&lock))
        return; /* exit in the midst of it: to the logger we are dead */
    for (struct pl_prov *p = providers; p; p = p->next)
        withdraw(p);
    pthread_mutex_unlock(&lock);
}

static int unprepared; /* an errno value: fork and exit would do harm */

static void prepare_once(void)
{
    unprepared = pthread_atfork(before_fork, in_parent, in_child);
    if (!unprepared && atexit(at_exit))
        unprepared = ENOMEM;
}

/* ---- opening ---------------------------------------------------------------*/

static int64_t now_ns(clockid_t id)
{
    struct timespec t = { 0, 0 };

    clock_gettime(id, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static uint64_t random_id(void)
{
    uint64_t id = 0;

    if (getrandom(&id, sizeof id, GRND_NONBLOCK) != sizeof id || !id)
        id = (uint64_t)now_ns(CLOCK_MONOTONIC) ^ (uint64_t)getpid() << 40 ^ 1;
    return id;
}

static void name_region(char *name, size_t size, const char *program,
                        uint64_t region_id)
{
    char kept[PL_REGION_MAX_PROGRAM + 1];
    size_t n = 0;

    for (; program && *program && n < PL_REGION_MAX_PROGRAM; program++) {
        char c = *program;
        bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                    (c >= '0' && c <= '9') || c == '-' || c == '_';

        kept[n++] = good ? c : '_';
    }
    kept[n] = 0;
    snprintf(name, size, "%s.%ld.%016llx" PL_REGION_SUFFIX,
             n ? kept : "program", (long)getpid(),
             (unsigned long long)region_id);
}

/* Locked by a descriptor that is closed: the lock lives as the mapping does. */
static int lock_file(int fd)
{
    struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };

    return fcntl(fd, F_OFD_SETLK, &all) ? errno : 0;
}

/* Make the region, and show it once it is whole. */
static int publish(struct pl_prov *p, const char *program,
                   const struct pl_region_header *measured,
                   const struct pl_prov_options *o)
{
    static const struct pl_prov_options usual = { NULL, 0 };
    struct pl_region_header h = *measured;
    struct pl_prov_file f;
    char name[PL_REGION_MAX_PROGRAM + 64];
    mode_t mode;
    void *at;
    int error;

    o = o ? o : &usual;
    mode = (o->mode ? o->mode : 0640) & 0750;
    h.region_id = random_id();
    h.pid = (uint32_t)getpid();
    h.uid = (uint32_t)geteuid();
    h.created_ns = now_ns(CLOCK_REALTIME);
    error = pl_prov_file_make(&f, o->dir, (mode & 0640) | 0600, p->size,
                              h.region_id, p->why);
    if (error)
        return error;
    at = mmap(NULL, p->size, PROT_READ | PROT_WRITE, MAP_SHARED, f.fd, 0);
    error = at == MAP_FAILED ? errno : lock_file(f.fd);
    if (error) {
        snprintf(p->why, sizeof p->why, "%.160s: cannot be %s: %s", f.folder,
                 at == MAP_FAILED ? "mapped" : "locked", strerror(error));
        pl_prov_file_drop(&f);
    } else {
        pl_prov_fill(at, &h, p->table, p->num_objects);
        ((struct pl_region_header *)at)->state = PL_REGION_LIVE;
        name_region(name, sizeof name, program, h.region_id);
        error = pl_prov_file_show(&f, name, p->why);
    }
    if (error) {
        if (at != MAP_FAILED)
            munmap(at, p->size);
        return error;
    }
    p->region = at;
    snprintf(p->path, sizeof p->path, "%.*s/%s",
             (int)(sizeof p->path - sizeof name - 1), f.folder, name);
    *p->why = 0;
    return 0;
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
    memcpy(layout, p->region + header_of(p)->def_at, len);
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
    if (p->region)
        munmap(p->region, p->size);
    p->free = NULL;
    p->layout = NULL;
    p->region = NULL;
}

PL_PROV_API int pl_prov_open(struct pl_prov **out, const char *program,
                             const struct pl_prov_object *table, uint32_t n,
                             const struct pl_prov_options *options)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct pl_prov *p = calloc(1, sizeof *p);
    struct pl_region_header h;
    int error;

    *out = p ? p : &sink;
    if (!p)
        return ENOMEM;
    if (pl_prov_check(table, n, p->why, sizeof p->why))
        return EINVAL;
    p->table = table;
    p->num_objects = n;
    p->size = pl_prov_measure(table, n, &h);
    pthread_once(&once, prepare_once);
    pthread_mutex_lock(&lock); /* a fork in between would share the region */
    error = unprepared ? unprepared : publish(p, program, &h, options);
    if (!error && prepare_objects(p)) {
        error = ENOMEM;
        withdraw(p);
        forget(p);
    }
    if (error == ENOMEM && !*p->why)
        snprintf(p->why, sizeof p->why, "out of memory");
    p->next = providers;
    providers = p;
    pthread_mutex_unlock(&lock);
    return error;
}

PL_PROV_API void pl_prov_close(struct pl_prov *p)
{
    if (!p || p == &sink)
        return;
    pthread_mutex_lock(&lock);
    for (struct pl_prov **at = &providers; *at; at = &(*at)->next) {
        if (*at == p) {
            *at = p->next;
            break;
        }
    }
    withdraw(p);
    pthread_mutex_unlock(&lock);
    forget(p);
    free(p);
}

PL_PROV_API const char *pl_prov_why(const struct pl_prov *p)
{
    return p->why;
}

PL_PROV_API const char *pl_prov_path(const struct pl_prov *p)
{
    return p->path;
}

/* ---- sets ------------------------------------------------------------------*/

static struct pl_prov_set sunk(struct pl_prov *p)
{
    return (struct pl_prov_set){ .sync = &sink_sync, .prov = p };
}

/* The place of an object in the table; num_objects if there is none. */
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

    return (void *)(p->region + o->inst_at + (size_t)slot * o->inst_stride);
}

static struct pl_prov_set set_at(struct pl_prov *p, uint32_t k, uint32_t slot,
                                 uint64_t serial)
{
    const struct pl_region_object *o = &p->layout[k];
    size_t number = o->first_set + slot;

    return (struct pl_prov_set){
        .sync = (void *)(p->region + p->set_at +
                         number * sizeof(struct pl_prov_sync)),
        .words = (void *)(p->region + o->val_at + (size_t)slot * o->val_stride),
        .prov = p,
        .object = k,
        .slot = slot,
        .serial = serial,
    };
}

PL_PROV_API struct pl_prov_set pl_prov_region(struct pl_prov *p)
{
    struct pl_prov_set s = sunk(p);

    if (p->region)
        s.sync = &header_of(p)->sync;
    return s;
}

PL_PROV_API struct pl_prov_set pl_prov_single(struct pl_prov *p,
                                              uint32_t object)
{
    uint32_t k = place_of(p, object);

    if (!p->region || k == p->num_objects || p->layout[k].max_instances >= 0)
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
 * A reader that finds a slot's serial unchanged around what it has read knows
 * that it has read one occupant.  So whatever changes lies between serial 0
 * and a serial that was never there before.
 */
static void put(uint64_t *at, uint64_t v)
{
    __atomic_store_n(at, v, __ATOMIC_RELAXED);
}

#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan"
#endif
/* Nobody's from now on. */
static void vacate(struct pl_prov *p, struct pl_region_slot *slot)
{
    put(&slot->serial, 0);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_fetch_add(&header_of(p)->generation, 1, __ATOMIC_RELAXED);
}
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/* Zero the words, and say whose they are. */
static struct pl_prov_set occupy(struct pl_prov *p, uint32_t k, uint32_t i)
{
    struct pl_prov_set s = set_at(p, k, i, ++p->last_serial);

    for (size_t w = 0; w < p->layout[k].val_stride / sizeof *s.words; w++)
        put(&s.words[w].v, 0);
    /* Who was here before may have ended in the midst of a group. */
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

    if (!p->region || k == p->num_objects || p->layout[k].max_instances < 0)
        return sunk(p);
    name = name ? name : "";
    unique_id = unique_id < 0 ? PL_REGION_NONE : unique_id;
    if (!pl_prov_is_text(name, p->layout[k].name_max) ||
        (!*name && unique_id < 0) || unique_id > INT32_MAX ||
        (parent && parent->serial && parent->object >= k)) {
        __atomic_fetch_add(&header_of(p)->refused, 1, __ATOMIC_RELAXED);
        return sunk(p);
    }
    pthread_mutex_lock(&lock);
    s = add(p, k, name, unique_id, parent && parent->serial ? parent : NULL);
    pthread_mutex_unlock(&lock);
    return s;
}

/* True if the set is what it was when it was handed out. */
static bool is_current(const struct pl_prov_set *s)
{
    return s->words &&
           __atomic_load_n(&slot_of(s->prov, s->object, s->slot)->serial,
                           __ATOMIC_RELAXED) == s->serial;
}

PL_PROV_API void pl_prov_remove(struct pl_prov_set *s)
{
    struct pl_prov *p = s->prov;

    pthread_mutex_lock(&lock);
    if (is_current(s) && p->layout[s->object].max_instances >= 0) {
        uint32_t cap = (uint32_t)p->layout[s->object].max_instances;
        struct free_slots *f = &p->free[s->object];

        vacate(p, slot_of(p, s->object, s->slot));
        f->ring[(f->first + f->num++) % cap] = s->slot;
    }
    pthread_mutex_unlock(&lock);
    *s = sunk(p);
}

PL_PROV_API void pl_prov_renew(struct pl_prov_set *s)
{
    pthread_mutex_lock(&lock);
    if (is_current(s)) {
        vacate(s->prov, slot_of(s->prov, s->object, s->slot));
        *s = occupy(s->prov, s->object, s->slot);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- clocks ----------------------------------------------------------------*/

PL_PROV_API uint64_t pl_prov_ticks(void)
{
    return (uint64_t)now_ns(CLOCK_MONOTONIC) / 100;
}

PL_PROV_API uint64_t pl_prov_clock(void)
{
    return (uint64_t)now_ns(CLOCK_BOOTTIME) / 100;
}
