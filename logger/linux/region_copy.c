/* Numbers out of a mapping that others write to, and may cut short. */
#include "logger/linux/regions.h"

#include <setjmp.h>
#include <string.h>
#include <time.h>

enum { TRIES = 200, TRIES_AGAIN = 2, CHECK_CLOCK = 64 };

/* ---- the guard -------------------------------------------------------------
 * A page that a truncated file no longer has is answered by SIGBUS.  Where it
 * hits a mapping that is being copied, the copy ends; elsewhere it means what
 * it always means.
 */
static _Thread_local struct guard {
    const uint8_t *from, *to;
    sigjmp_buf out;
} * guarded;

static struct sigaction before;

static void on_bus(int sig, siginfo_t *info, void *context)
{
    const uint8_t *at = info->si_addr;

    (void)context;
    if (guarded && at >= guarded->from && at < guarded->to)
        siglongjmp(guarded->out, 1);
    sigaction(sig, &before, NULL); /* comes again at once, and is theirs */
}

void pl_region_guard(void)
{
    static bool set;
    struct sigaction act = { .sa_sigaction = on_bus,
                             .sa_flags = SA_SIGINFO | SA_NODEFER };

    if (!set)
        sigaction(SIGBUS, &act, &before);
    set = true;
}

/* ---- one set ---------------------------------------------------------------*/

#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wtsan" /* all that is shared is atomic */
#endif

static uint64_t load(const uint64_t *at)
{
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

/* What a pass over a region needs to know. */
struct pass {
    struct pl_region *r;
    struct pl_published_list *list;
    struct pl_published_object *o;
    int64_t deadline_ns;
    unsigned tries; /* since the clock was looked at */
    bool again;     /* the region as a whole: its sets have had their tries */
    bool late;
    bool lied;
};

static int64_t now_ns(void)
{
    struct timespec t = { 0, 0 };

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static bool may_try_again(struct pass *p)
{
    if (++p->tries % CHECK_CLOCK == 0)
        p->late = now_ns() >= p->deadline_ns;
    return !p->late;
}

static const struct pl_region_slot *slot_at(const struct pass *p, size_t i)
{
    const struct pl_region_object *o = p->o->layout;

    return (const void *)(p->r->map + o->inst_at + i * o->inst_stride);
}

/* The words of one slot, whatever they are. */
static void copy_words(const struct pass *p, size_t i)
{
    const struct pl_region_object *o = p->o->layout;
    size_t at = o->val_at + i * o->val_stride;
    const uint64_t *from = (const void *)(p->r->map + at);
    uint64_t *to = (void *)(p->r->values + (at - p->r->val_at));

    for (size_t w = 0; w < o->val_stride / sizeof *to; w++)
        to[w] = load(&from[w]);
}

/*
 * Who is in the slot.  Kept as long as the serial is the same, since an
 * occupant never changes its name.
 */
static void meet(struct pass *p, size_t i, struct pl_region_copy *c,
                 uint64_t serial)
{
    const struct pl_region_slot *slot = slot_at(p, i);
    size_t set = (size_t)(c - p->r->copies);
    char *name = p->r->names + set * p->r->name_room;
    uint16_t n = __atomic_load_n(&slot->name_len, __ATOMIC_RELAXED);
    int64_t id = (int64_t)load((const uint64_t *)&slot->unique_id);

    *c = (struct pl_region_copy){ 0 };
    if (n > p->o->layout->name_max || id > INT32_MAX) {
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
        return; /* it moved out while we read: not met yet */
    if (!pl_region_is_text(name, n)) {
        p->lied = true;
        return;
    }
    c->serial = serial;
    c->wanted = pl_published_wants(p->list, p->o, p->r->label,
                                   (struct pl_text){ name, n });
    if (p->o->def.has_instances && n == strlen("_Total") &&
        !memcmp(name, "_Total", n) && !p->o->has_total) {
        p->o->has_total = true;
        p->o->labelled = false;
    }
}

/* False: a group was under way, or the occupant changed. */
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
    copy_words(p, i);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (load(&slot->serial) != serial)
        return false;
    c->copied = load(&sync->enter) == ended ? PL_COPIED_GOOD : PL_COPIED_LOOSE;
    return c->copied == PL_COPIED_GOOD;
}

/* True if every set was of one moment. */
static bool copy_object(struct pass *p)
{
    const struct pl_region_object *o = p->o->layout;
    struct pl_region *r = p->r;
    size_t slots = o->max_instances < 0 ? 1 : (size_t)o->max_instances;
    const struct pl_prov_sync *sync = (const void *)(r->map + r->set_at);
    bool good = true;

    for (size_t i = 0; i < slots && !p->lied; i++) {
        struct pl_region_copy *c = &r->copies[o->first_set + i];
        unsigned tries = 0;

        while (!try_set(p, i, c, &sync[o->first_set + i]) && ++tries < TRIES &&
               may_try_again(p))
            r->retries++;
        good = good && c->copied != PL_COPIED_LOOSE;
    }
    return good;
}

/* ---- a region --------------------------------------------------------------*/

/*
 * Copy all sets between one look at the region's own groups and another.
 * False: sets are loose, or the whole is.
 */
static bool copy_sets(struct pass *p)
{
    struct pl_region *r = p->r;
    const struct pl_region_header *h = (const void *)r->map;
    uint32_t num = r->table->header.num_objects;
    bool good;

    for (unsigned tries = 0; tries < TRIES; tries++) {
        uint64_t ended = __atomic_load_n(&h->sync.exit, __ATOMIC_ACQUIRE);

        good = true;
        for (uint32_t k = 0; k < num; k++) {
            p->o = &r->table->objects[k];
            if (p->o->num_cells)
                good = copy_object(p) && good;
        }
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (load(&h->sync.enter) == ended)
            return good;
        if (!may_try_again(p))
            break;
        p->again = true;
        r->retries++;
    }
    for (size_t i = 0; i < r->num_sets; i++)
        if (r->copies[i].copied == PL_COPIED_GOOD)
            r->copies[i].copied = PL_COPIED_LOOSE;
    return false;
}

static void count_busy(struct pl_region *r)
{
    r->busy = 0;
    for (size_t i = 0; i < r->num_sets; i++)
        r->busy += r->copies[i].copied == PL_COPIED_LOOSE;
}

enum pl_region_reason pl_region_copy_values(struct pl_region *r,
                                            struct pl_published_list *l,
                                            int64_t deadline_ns)
{
    struct guard guard = { .from = r->map, .to = r->map + r->size };
    struct pass pass = { .r = r, .list = l, .deadline_ns = deadline_ns };
    const struct pl_region_header *h = (const void *)r->map;
    bool good;

    if (sigsetjmp(guard.out, 0)) {
        guarded = NULL;
        return PL_REASON_TRUNCATED;
    }
    guarded = &guard;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    r->refused = __atomic_load_n(&h->refused, __ATOMIC_RELAXED);
    r->closed =
        __atomic_load_n(&h->state, __ATOMIC_ACQUIRE) == PL_REGION_CLOSED;
    good = copy_sets(&pass);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    guarded = NULL;
    count_busy(r);
    if (pass.lied)
        return PL_REASON_INSTANCE;
    return good ? PL_REASON_NONE : PL_REASON_BUSY;
}
