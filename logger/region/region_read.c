/* Copies consistent values from a mapping that another process writes to. */
#include "logger/region/region_read.h"

#include "format/base/file.h"
#include "format/record/record.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 200, BYTES_PER_LOOK = 4096, SETS_PER_LOOK = 4096 };
#define GRACE_NS INT64_C(5000000) /* to finish work started in time */

/* ---- one set ------------------------------------------------------------ */

#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wtsan" /* all shared accesses are atomic */
#endif

static uint64_t load(const uint64_t *at)
{
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

/* State of a pass over a region. */
struct pass {
    struct pl_region_image *r;
    const struct pl_region_wants *wants;
    uint32_t object; /* whose sets are copied */
    int64_t deadline_ns;
    int64_t
        copied_ns;  /* when the region was last copied to its end; 0: never */
    size_t retried; /* bytes of sets, since the clock was read */
    bool again;     /* retry of the complete region, made to its end */
    bool late;
    bool lied;
    bool stopped; /* long after the deadline, with sets not copied */
};

/* Copy a set again?  Reads the clock once for many small sets. */
static bool may_try_again(struct pass *p)
{
    p->retried += p->r->objects[p->object].val_stride;
    if (p->retried >= BYTES_PER_LOOK) {
        p->retried = 0;
        p->late = pl_clock_steady() >= p->deadline_ns;
    }
    return !p->late;
}

/* Reads the clock from time to time: there may be 100,000 sets. */
static bool may_go_on(struct pass *p, size_t i)
{
    if ((i + 1) % SETS_PER_LOOK == 0 && !p->again &&
        pl_clock_steady() - GRACE_NS >= p->deadline_ns)
        p->stopped = true;
    return !p->lied && !p->stopped;
}

static const struct pl_region_object *object_of(const struct pass *p)
{
    return &p->r->objects[p->object];
}

static const struct pl_region_slot *slot_at(const struct pass *p, size_t i)
{
    const struct pl_region_object *o = object_of(p);

    return (const void *)(p->r->map + o->inst_at + i * o->inst_stride);
}

/* Cost in bytes of storing the difference of two words, with its position. */
static uint32_t difference(uint64_t a, uint64_t b)
{
    return (uint32_t)(64 - __builtin_clzll(a ^ b)) / 7 + 2;
}

/* Copy the words of one slot, consistent or not. */
static void copy_words(const struct pass *p, size_t i, struct pl_region_copy *c)
{
    const struct pl_region_object *o = object_of(p);
    size_t at = o->val_at + i * o->val_stride;
    const uint64_t *from = (const void *)(p->r->map + at);
    uint64_t *to = (void *)(p->r->values + (at - p->r->val_at));

    for (size_t w = 0; w < o->val_stride / sizeof *to; w++) {
        uint64_t word = load(&from[w]);

        if (word != to[w])
            c->changed += difference(word, to[w]);
        to[w] = word;
    }
}

static uint64_t identity_of(const struct pl_region_image *r, uint64_t serial)
{
    const uint64_t who[2] = { r->region_id, serial };

    return pl_hash(who, sizeof who, 0);
}

/*
 * Read the occupant of the slot.  Kept as long as the serial is the same, since
 * an occupant never changes its name.
 */
static void meet(struct pass *p, size_t i, struct pl_region_copy *c,
                 uint64_t serial)
{
    const struct pl_region_slot *slot = slot_at(p, i);
    size_t set = (size_t)(c - p->r->copies);
    char *name = p->r->names + set * p->r->name_room;
    uint16_t n = __atomic_load_n(&slot->name_len, __ATOMIC_RELAXED);
    int64_t id = (int64_t)load((const uint64_t *)&slot->unique_id);

    *c = (struct pl_region_copy){ .written = UINT32_MAX };
    if (n > object_of(p)->name_max || id > INT32_MAX) {
        p->lied = true;
        return;
    }
    for (uint32_t at = 0; at < n; at += sizeof(uint64_t)) {
        uint64_t word = load(&slot->name[at / sizeof word]);

        memcpy(name + at, &word, n - at < sizeof word ? n - at : sizeof word);
    }
    c->parent_object = __atomic_load_n(&slot->parent_object, __ATOMIC_RELAXED);
    c->parent_serial = load(&slot->parent_serial);
    c->parent_slot = __atomic_load_n(&slot->parent_slot, __ATOMIC_RELAXED);
    c->unique_id = id < 0 ? PL_REGION_NONE : (int32_t)id;
    c->name_len = n;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (load(&slot->serial) != serial)
        return; /* it left during the read: try again later */
    if (!pl_region_is_text(name, n)) {
        p->lied = true;
        return;
    }
    c->serial = serial;
    c->changed = UINT32_MAX / 2; /* everything is new */
    c->identity = identity_of(p->r, serial);
    c->wanted = !p->wants || p->wants->instance(p->wants->context, p->object,
                                                (struct pl_text){ name, n });
}

/* False: a group was open, or the occupant changed. */
static bool try_set(struct pass *p, size_t i, struct pl_region_copy *c,
                    const struct pl_prov_sync *sync)
{
    const struct pl_region_slot *slot = slot_at(p, i);
    uint64_t serial = __atomic_load_n(&slot->serial, __ATOMIC_ACQUIRE);
    uint64_t ended;

    c->copied = PL_COPIED_NONE;
    c->written = UINT32_MAX;
    if (!serial) {
        c->serial = 0;
        return true;
    }
    if (serial != c->serial)
        meet(p, i, c, serial);
    if (c->serial != serial)
        return p->lied;
    if (!c->wanted)
        return true;
    ended = __atomic_load_n(&sync->exit, __ATOMIC_ACQUIRE);
    copy_words(p, i, c);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (load(&slot->serial) != serial)
        return false;
    c->copied = load(&sync->enter) == ended ? PL_COPIED_GOOD : PL_COPIED_LOOSE;
    return c->copied == PL_COPIED_GOOD;
}

/* True if every set is consistent. */
static bool copy_object(struct pass *p)
{
    const struct pl_region_object *o = object_of(p);
    struct pl_region_image *r = p->r;
    size_t slots = o->max_instances < 0 ? 1 : (size_t)o->max_instances;
    const struct pl_prov_sync *sync = (const void *)(r->map + r->set_at);
    bool good = true;

    for (size_t i = 0; i < slots && may_go_on(p, i); i++) {
        struct pl_region_copy *c = &r->copies[o->first_set + i];
        unsigned tries = 0;

        while (!try_set(p, i, c, &sync[o->first_set + i]) && ++tries < TRIES &&
               may_try_again(p))
            r->retries++;
        good = good && c->copied != PL_COPIED_LOOSE;
    }
    return good;
}

/* ---- a region ----------------------------------------------------------- */

/* A retry is expected to take as long as the one before. */
static bool may_copy_all_again(struct pass *p)
{
    int64_t now = pl_clock_steady();
    int64_t took = p->copied_ns ? now - p->copied_ns : 0;

    p->copied_ns = now;
    return now + took < p->deadline_ns;
}

/*
 * Copy all sets, and check the region's own groups before and after.  False:
 * some sets are inconsistent, or the region is.
 */
static bool copy_sets(struct pass *p)
{
    struct pl_region_image *r = p->r;
    const struct pl_region_header *h = (const void *)r->map;
    bool good;

    for (unsigned tries = 0; tries < TRIES; tries++) {
        uint64_t ended = __atomic_load_n(&h->sync.exit, __ATOMIC_ACQUIRE);

        good = true;
        for (uint32_t k = 0; k < r->num_objects; k++) {
            p->object = k;
            if (!p->wants || p->wants->object(p->wants->context, k))
                good = copy_object(p) && good;
        }
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (load(&h->sync.enter) == ended)
            return good;
        if (p->stopped || !may_copy_all_again(p))
            break;
        p->again = true;
        r->retries++;
    }
    for (size_t i = 0; i < r->num_sets; i++)
        if (r->copies[i].copied == PL_COPIED_GOOD)
            r->copies[i].copied = PL_COPIED_LOOSE;
    return false;
}

static void count_busy(struct pl_region_image *r)
{
    r->busy = 0;
    for (size_t i = 0; i < r->num_sets; i++)
        r->busy += r->copies[i].copied == PL_COPIED_LOOSE;
}

enum pl_region_reason pl_region_image_copy(struct pl_region_image *r,
                                           const struct pl_region_wants *wants,
                                           int64_t deadline_ns)
{
    struct pass pass = { .r = r, .wants = wants, .deadline_ns = deadline_ns };
    const struct pl_region_header *h = (const void *)r->map;
    bool good;

    r->refused = __atomic_load_n(&h->refused, __ATOMIC_RELAXED);
    r->closed =
        __atomic_load_n(&h->state, __ATOMIC_ACQUIRE) == PL_REGION_CLOSED;
    good = copy_sets(&pass);
    count_busy(r);
    if (pass.lied)
        return PL_REASON_INSTANCE;
    if (pass.stopped)
        return PL_REASON_LIMIT;
    return good ? PL_REASON_NONE : PL_REASON_BUSY;
}

/* ---- place for the copies ----------------------------------------------- */

static size_t longest_name(const struct pl_region_header *h,
                           const uint8_t *definitions)
{
    const struct pl_region_object *o = pl_region_objects(definitions);
    size_t longest = 0;

    for (uint32_t k = 0; k < h->num_objects; k++)
        if (o[k].name_max > longest)
            longest = o[k].name_max;
    return longest;
}

size_t pl_region_image_size(const struct pl_region_header *h,
                            const uint8_t *definitions)
{
    return h->num_sets *
               (sizeof(struct pl_region_copy) + longest_name(h, definitions)) +
           h->val_len + 2;
}

enum pl_status pl_region_image_init(struct pl_region_image *r,
                                    const struct pl_region_header *h,
                                    const uint8_t *definitions)
{
    r->objects = pl_region_objects(definitions);
    r->num_objects = h->num_objects;
    r->region_id = h->region_id;
    r->set_at = h->set_at;
    r->num_sets = h->num_sets;
    r->val_at = h->val_at;
    r->val_len = h->val_len;
    r->name_room = longest_name(h, definitions);
    r->copies = calloc(r->num_sets, sizeof *r->copies);
    r->values = calloc(r->val_len + 1, 1);
    r->names = calloc(r->num_sets * r->name_room + 1, 1);
    return r->copies && r->values && r->names ? PL_OK : PL_NOMEM;
}

void pl_region_image_release(struct pl_region_image *r)
{
    free(r->copies);
    free(r->values);
    free(r->names);
    r->copies = NULL;
    r->values = NULL;
    r->names = NULL;
    r->busy = 0;
}

bool pl_region_parse_name(struct pl_region_file_name *out, const char *file)
{
    size_t n = strspn(file, "abcdefghijklmnopqrstuvwxyz"
                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    unsigned long pid;
    char *end;

    if (!n || n > PL_REGION_MAX_PROGRAM || file[n] != '.' ||
        file[n + 1] < '1' || file[n + 1] > '9')
        return false;
    errno = 0;
    pid = strtoul(file + n + 1, &end, 10);
    if (errno || pid > INT_MAX || *end != '.' ||
        strspn(end + 1, "0123456789abcdef") != 16 ||
        strcmp(end + 17, PL_REGION_SUFFIX) != 0)
        return false;
    out->pid = (uint32_t)pid;
    out->region_id = strtoull(end + 1, NULL, 16);
    snprintf(out->label, sizeof out->label, "%.*s:%lu", (int)n, file, pid);
    return true;
}
