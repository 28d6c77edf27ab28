/* Names of hosts, objects, instances and counters. */
#include "analyze/series/series_registry.h"

#include "format/base/array.h"
#include "format/base/file.h"
#include "format/record/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_COUNTERS = 16 };

static char *copy_text(struct pl_text t)
{
    char *p = malloc(t.n + 1);

    if (!p)
        return NULL;
    if (t.n)
        memcpy(p, t.p, t.n);
    p[t.n] = 0;
    return p;
}

static bool is_text(const char *s, struct pl_text t)
{
    return pl_text_equal(pl_text_of(s), t);
}

/* Names are C strings from here on: cut at the first NUL. */
static struct pl_text until_nul(struct pl_text t)
{
    return (struct pl_text){ t.p, t.n ? strnlen(t.p, t.n) : 0 };
}

static uint64_t hash_name(struct pl_registry *r, const char *name, size_t n)
{
    if (!r->seed)
        r->seed = pl_random();
    return pl_hash(name, n, r->seed);
}

/* ---- tables of names ----------------------------------------------------- */

/* The slot after 'at' (of 'hash', if NULL) with that hash, or a free one. */
static struct pl_named *next_named(const struct pl_name_table *t, uint64_t hash,
                                   const struct pl_named *at)
{
    size_t i = at ? (size_t)(at - t->slots) + 1 : (size_t)hash & (t->cap - 1);

    for (;; i++) {
        i &= t->cap - 1;
        if (!t->slots[i].what || t->slots[i].hash == hash)
            return &t->slots[i];
    }
}

static bool grow_names(struct pl_name_table *t)
{
    struct pl_name_table old = *t;
    size_t cap = old.cap ? 2 * old.cap : 16;
    struct pl_named *slots = calloc(cap, sizeof *slots), *free_slot;

    if (!slots)
        return false;
    *t = (struct pl_name_table){ slots, cap, old.num };
    for (size_t i = 0; i < old.cap; i++) {
        if (!old.slots[i].what)
            continue;
        free_slot = next_named(t, old.slots[i].hash, NULL);
        while (free_slot->what)
            free_slot = next_named(t, old.slots[i].hash, free_slot);
        *free_slot = old.slots[i];
    }
    free(old.slots);
    return true;
}

static bool add_name(struct pl_name_table *t, uint64_t hash, void *what)
{
    struct pl_named *at;

    if (2 * t->num >= t->cap && !grow_names(t))
        return false;
    at = next_named(t, hash, NULL);
    while (at->what)
        at = next_named(t, hash, at);
    *at = (struct pl_named){ hash, what };
    t->num++;
    return true;
}

/* ---- hosts and objects --------------------------------------------------- */

static struct pl_host *shown_host(struct pl_registry *r, const char *name)
{
    uint64_t hash = hash_name(r, name, strlen(name));
    const struct pl_named *at = NULL;

    while (r->shown_names.cap) {
        at = next_named(&r->shown_names, hash, at);
        if (!at->what)
            break;
        if (!strcmp(((struct pl_host *)at->what)->name, name))
            return at->what;
    }
    return NULL;
}

/* A display name that no other host has, "web", "web#1"; to be freed. */
static char *number_host(struct pl_registry *r, const char *own_name)
{
    struct pl_host *first = shown_host(r, own_name);
    size_t cap = strlen(own_name) + 16;
    char *name = malloc(cap);

    if (!name)
        return NULL;
    strcpy(name, own_name);
    while (first && shown_host(r, name))
        snprintf(name, cap, "%s#%" PRIu32, own_name, ++first->last_number);
    return name;
}

static void free_host(struct pl_host *h)
{
    free(h->name);
    free(h->own_name);
    free(h);
}

struct pl_host *pl_registry_host_as(struct pl_registry *r, struct pl_text raw,
                                    uint64_t machine_hash, const char *shown)
{
    struct pl_text name = until_nul(raw);
    uint64_t own = hash_name(r, name.p, name.n);
    uint64_t hash = pl_hash(&own, sizeof own, r->seed ^ machine_hash);
    const struct pl_named *at = NULL;
    struct pl_host *h;

    while (r->own_names.cap) {
        at = next_named(&r->own_names, hash, at);
        h = at->what;
        if (!h)
            break;
        if (h->machine_hash == machine_hash && is_text(h->own_name, name))
            return h;
    }
    h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->own_name = copy_text(name);
    if (h->own_name)
        h->name = shown && !shown_host(r, shown) ? strdup(shown)
                                                 : number_host(r, h->own_name);
    h->machine_hash = machine_hash;
    if (!h->own_name || !h->name || !add_name(&r->own_names, hash, h)) {
        free_host(h);
        return NULL;
    }
    h->next = r->hosts; /* it belongs to the registry now */
    r->hosts = h;
    h->rank = r->num_hosts++;
    hash = hash_name(r, h->name, strlen(h->name));
    return add_name(&r->shown_names, hash, h) ? h : NULL;
}

struct pl_host *pl_registry_host(struct pl_registry *r, struct pl_text name,
                                 uint64_t machine_hash)
{
    return pl_registry_host_as(r, name, machine_hash, NULL);
}

struct pl_object_names *pl_registry_object(struct pl_registry *r,
                                           struct pl_text raw,
                                           struct pl_text help)
{
    struct pl_text name = until_nul(raw);
    uint64_t hash = hash_name(r, name.p, name.n);
    const struct pl_named *at = NULL;
    struct pl_object_names *o;

    while (r->object_names.cap) {
        at = next_named(&r->object_names, hash, at);
        o = at->what;
        if (!o)
            break;
        if (is_text(o->name, name))
            return o;
    }
    o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    o->name = copy_text(name);
    if (r->keep_help)
        o->help = copy_text(help);
    if (!o->name || (r->keep_help && !o->help) ||
        !add_name(&r->object_names, hash, o)) {
        free(o->name);
        free(o->help);
        free(o);
        return NULL;
    }
    o->rank = r->num_objects++;
    o->default_slot = o->rank_slot = PL_NO_SLOT;
    o->next = r->objects;
    r->objects = o;
    return o;
}

/*
 * Room for one more counter, and a hash table with no more entries than
 * buckets.
 */
static bool grow_counters(const struct pl_registry *r,
                          struct pl_object_names *o)
{
    uint32_t cap = o->cap_counters ? o->cap_counters * 2 : FIRST_COUNTERS;

    if (o->num_counters < o->cap_counters)
        return true;
    if (!pl_array_resize((void **)&o->counters, cap, sizeof *o->counters) ||
        !pl_array_resize((void **)&o->buckets, cap, sizeof *o->buckets))
        return false;
    o->cap_counters = o->num_buckets = cap;
    memset(o->buckets, 0xFF, cap * sizeof *o->buckets);
    /* Backwards, so that of equal names the first slot is found first. */
    for (uint32_t i = o->num_counters; i-- > 0;) {
        uint32_t *bucket =
            &o->buckets[pl_hash(o->counters[i].name,
                                strlen(o->counters[i].name), r->seed) &
                        (cap - 1)];

        o->counters[i].next = *bucket;
        *bucket = i;
    }
    return true;
}

/*
 * States and identifiers; counter types do not distinguish them from amounts.
 */
static bool is_code(const char *object, const char *counter)
{
    static const struct {
        const char *object, *counter;
    } codes[] = { { "Process", "State" },
                  { "Process", "ID Process" },
                  { "Process", "Creating Process ID" },
                  { "Process", "User ID" },
                  { "Process", "Control Group ID" },
                  { "Process", "Exit Status" },
                  { "Process V2", "Process ID" },
                  { "Process V2", "Creating Process ID" },
                  { "Thread", "State" },
                  { "Thread", "Thread State" },
                  { "Thread", "Thread Wait Reason" },
                  { "Thread", "ID Process" },
                  { "Thread", "ID Thread" },
                  { "Perflog Provider", "State" },
                  { "Perflog Provider", "Reason" },
                  { "Perflog Provider", "ID Process" },
                  { "Perflog Provider", "ID User" },
                  { "Control Group", "Control Group ID" },
                  { "Performance Logger", "ID Process" },
                  { "Network Interface", "Interface Index" },
                  { "PhysicalDisk", "Device Number" },
                  { "LogicalDisk", "File System Device" },
                  { "Process Address Space", "ID Process" },
                  { "Job Object Details", "ID Process" },
                  { "Job Object Details", "Creating Process ID" },
                  { ".NET CLR Memory", "Process ID" } };

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (!strcmp(object, codes[i].object) &&
            !strcmp(counter, codes[i].counter))
            return true;
    return false;
}

uint32_t pl_object_slot(const struct pl_registry *r, struct pl_object_names *o,
                        struct pl_text raw, struct pl_text help, uint32_t type)
{
    struct pl_text name = until_nul(raw);
    struct pl_counter_names *c;
    uint32_t *at;

    if (!grow_counters(r, o))
        return PL_NO_SLOT;
    at = &o->buckets[pl_hash(name.p, name.n, r->seed) & (o->num_buckets - 1)];
    for (; *at != PL_NO_SLOT; at = &c->next) {
        c = &o->counters[*at];
        if (c->marked != o->mark && is_text(c->name, name)) {
            c->marked = o->mark;
            return *at;
        }
    }
    if (o->num_counters == PL_MAX_SLOTS)
        return PL_NO_SLOT;
    c = &o->counters[o->num_counters];
    *c = (struct pl_counter_names){ .name = copy_text(name),
                                    .type = type,
                                    .next = PL_NO_SLOT,
                                    .marked = o->mark };
    if (r->keep_help)
        c->help = copy_text(help);
    if (!c->name || (r->keep_help && !c->help)) {
        free(c->name);
        free(c->help);
        return PL_NO_SLOT;
    }
    c->is_code = is_code(o->name, c->name);
    *at = o->num_counters;
    return o->num_counters++;
}

/* ---- groups -------------------------------------------------------------- */

static uint64_t group_hash(const struct pl_registry *r,
                           const struct pl_host *host,
                           const struct pl_object_names *object,
                           const char *instance)
{
    uint64_t seed = r->seed ^ ((uint64_t)host->rank << 32 | object->rank);

    return instance ? pl_hash(instance, strlen(instance), seed)
                    : pl_hash(&seed, sizeof seed, 1);
}

static bool grow_buckets(struct pl_registry *r)
{
    size_t num = r->num_buckets ? r->num_buckets * 2 : 256;
    struct pl_group **buckets = calloc(num, sizeof *buckets);

    if (!buckets)
        return false;
    for (struct pl_group *g = r->groups; g; g = g->later) {
        g->next = buckets[g->hash & (num - 1)];
        buckets[g->hash & (num - 1)] = g;
    }
    free(r->buckets);
    r->buckets = buckets;
    r->num_buckets = num;
    return true;
}

static bool same_instance(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

/* Threads' names begin with that of their process: "_Total/_Total". */
static bool is_total_name(const char *instance)
{
    return !strcmp(instance, "_Total") || !strcmp(instance, "_Total/_Total");
}

static struct pl_group *find_or_make(struct pl_registry *r,
                                     const struct pl_host *host,
                                     const struct pl_object_names *object,
                                     const char *instance, bool of_many,
                                     bool *made)
{
    uint64_t hash = group_hash(r, host, object, instance);
    struct pl_group *g;

    *made = false;
    if (r->num_buckets)
        for (g = r->buckets[hash & (r->num_buckets - 1)]; g; g = g->next)
            if (g->hash == hash && g->host == host && g->object == object &&
                g->of_many == of_many && same_instance(g->instance, instance))
                return g;
    if (r->num_groups >= r->num_buckets && !grow_buckets(r))
        return NULL;
    g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    if (instance) {
        g->instance = copy_text(pl_text_of(instance));
        if (!g->instance) {
            free(g);
            return NULL;
        }
    }
    g->host = host;
    g->object = object;
    g->is_total = instance && is_total_name(instance);
    g->of_many = of_many;
    g->hash = hash;
    g->later = r->groups;
    if (r->groups)
        r->groups->earlier = g;
    r->groups = g;
    g->next = r->buckets[hash & (r->num_buckets - 1)];
    r->buckets[hash & (r->num_buckets - 1)] = g;
    r->num_groups++;
    *made = true;
    return g;
}

struct pl_group *pl_registry_group(struct pl_registry *r,
                                   const struct pl_host *host,
                                   const struct pl_object_names *object,
                                   const char *instance, bool *made)
{
    return find_or_make(r, host, object, instance, false, made);
}

struct pl_group *pl_registry_sum(struct pl_registry *r,
                                 const struct pl_host *host,
                                 const struct pl_object_names *object,
                                 const char *name, bool *made)
{
    return find_or_make(r, host, object, name, true, made);
}

static void free_group(struct pl_group *g)
{
    free(g->instance);
    free(g->series);
    free(g->listed);
    free(g->identity);
    free(g);
}

void pl_registry_drop(struct pl_registry *r, struct pl_group *g)
{
    struct pl_group **at = &r->buckets[g->hash & (r->num_buckets - 1)];

    while (*at != g)
        at = &(*at)->next;
    *at = g->next;
    if (g->earlier)
        g->earlier->later = g->later;
    else
        r->groups = g->later;
    if (g->later)
        g->later->earlier = g->earlier;
    r->num_groups--;
    free_group(g);
}

void pl_registry_release(struct pl_registry *r)
{
    while (r->groups) {
        struct pl_group *g = r->groups;

        r->groups = g->later;
        free_group(g);
    }
    while (r->hosts) {
        struct pl_host *h = r->hosts;

        r->hosts = h->next;
        free_host(h);
    }
    while (r->objects) {
        struct pl_object_names *o = r->objects;

        r->objects = o->next;
        for (uint32_t i = 0; i < o->num_counters; i++) {
            free(o->counters[i].name);
            free(o->counters[i].help);
        }
        free(o->counters);
        free(o->buckets);
        free(o->name);
        free(o->help);
        free(o);
    }
    free(r->own_names.slots);
    free(r->shown_names.slots);
    free(r->object_names.slots);
    free(r->buckets);
    *r = (struct pl_registry){ 0 };
}
