/* A hash table of processes, and a list of them in the order of change. */
#include "format/payload/identity_set.h"

#include "format/base/file.h"
#include "format/block/winperf.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKETS = 64, LEAST_TO_SWEEP = 1 << 20 };

struct entry {
    struct entry *next;          /* of the same bucket */
    struct entry *older, *newer; /* by version */
    uint64_t pid, start;
    uint64_t version;
    bool is_live;
    size_t len;
    uint8_t bytes[]; /* as in the payload */
};

struct pl_identity_set {
    struct entry **buckets;
    size_t num_buckets, num; /* a power of two; entries */
    struct entry *oldest, *newest;
    uint64_t version;
    uint64_t seed;      /* no crafted numbers can make it slow */
    size_t bytes;       /* of all entries */
    size_t bytes_swept; /* left when ended processes were last dropped */
    size_t bytes_added; /* since then, also those that found no room */
};

/* ---- the table ------------------------------------------------------------ */

static struct entry **bucket(const struct pl_identity_set *s, uint64_t pid,
                             uint64_t start)
{
    uint64_t h = (pid ^ s->seed) * UINT64_C(0x9E3779B97F4A7C15);

    h = (h ^ h >> 29 ^ start) * UINT64_C(0xBF58476D1CE4E5B9);
    return &s->buckets[(h ^ h >> 32) & (s->num_buckets - 1)];
}

static struct entry *find(const struct pl_identity_set *s, uint64_t pid,
                          uint64_t start)
{
    struct entry *e = *bucket(s, pid, start);

    while (e && (e->pid != pid || e->start != start))
        e = e->next;
    return e;
}

static enum pl_status grow(struct pl_identity_set *s)
{
    size_t num = s->num_buckets ? 2 * s->num_buckets : FIRST_BUCKETS;
    struct entry **buckets = calloc(num, sizeof(struct entry *));

    if (!buckets)
        return PL_NOMEM;
    free(s->buckets);
    s->buckets = buckets;
    s->num_buckets = num;
    for (struct entry *e = s->oldest; e; e = e->newer) {
        struct entry **at = bucket(s, e->pid, e->start);

        e->next = *at;
        *at = e;
    }
    return PL_OK;
}

static void drop(struct pl_identity_set *s, struct entry *e)
{
    struct entry **at = bucket(s, e->pid, e->start);

    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    *(e->older ? &e->older->newer : &s->oldest) = e->newer;
    *(e->newer ? &e->newer->older : &s->newest) = e->older;
    s->num--;
    s->bytes -= sizeof *e + e->len;
    free(e);
}

static enum pl_status insert(struct pl_identity_set *s,
                             const struct pl_process_identity *p,
                             const uint8_t *bytes, size_t len)
{
    struct entry *e, **at;

    if (s->num >= s->num_buckets && grow(s))
        return PL_NOMEM;
    e = malloc(sizeof *e + len);
    if (!e)
        return PL_NOMEM;
    *e = (struct entry){ .older = s->newest,
                         .pid = p->pid,
                         .start = p->start,
                         .version = ++s->version,
                         .len = len };
    memcpy(e->bytes, bytes, len);
    at = bucket(s, p->pid, p->start);
    e->next = *at;
    *at = e;
    *(s->newest ? &s->newest->newer : &s->oldest) = e;
    s->newest = e;
    s->num++;
    s->bytes += sizeof *e + len;
    return PL_OK;
}

/* ---- the set -------------------------------------------------------------- */

enum pl_status pl_identity_set_new(struct pl_identity_set **out)
{
    struct pl_identity_set *s = calloc(1, sizeof *s);

    if (!s)
        return PL_NOMEM;
    s->seed = pl_random();
    if (grow(s)) {
        free(s);
        return PL_NOMEM;
    }
    *out = s;
    return PL_OK;
}

void pl_identity_set_clear(struct pl_identity_set *s)
{
    while (s && s->oldest)
        drop(s, s->oldest);
    if (s)
        s->bytes_swept = s->bytes_added = 0;
}

void pl_identity_set_free(struct pl_identity_set *s)
{
    if (!s)
        return;
    pl_identity_set_clear(s);
    free(s->buckets);
    free(s);
}

/* An entry like the earlier one changes nothing: it is a repeat. */
static enum pl_status add(struct pl_identity_set *s,
                          const struct pl_process_identity *p,
                          const uint8_t *bytes, size_t len)
{
    struct entry *e = find(s, p->pid, p->start);

    if (e && e->len == len && !memcmp(e->bytes, bytes, len))
        return PL_OK;
    if (e)
        drop(s, e);
    s->bytes_added += sizeof *e + len;
    if (s->bytes + sizeof *e + len > PL_MAX_IDENTITY_BYTES)
        return PL_OK;
    return insert(s, p, bytes, len);
}

enum pl_status pl_identity_set_add(struct pl_identity_set *s, const uint8_t *p,
                                   size_t n)
{
    struct pl_cur c = pl_cur_of(p, n);
    struct pl_process_identity one;
    enum pl_status status;
    const uint8_t *at = c.p;

    while (!(status = pl_process_identity_next(&c, &one))) {
        status = add(s, &one, at, (size_t)(c.p - at));
        if (status)
            return status;
        at = c.p;
    }
    return status == PL_END ? PL_OK : status;
}

uint64_t pl_identity_set_version(const struct pl_identity_set *s)
{
    return s ? s->version : 0;
}

uint64_t pl_identity_set_version_of(const struct pl_identity_set *s,
                                    uint64_t pid, uint64_t start)
{
    const struct entry *e = s ? find(s, pid, start) : NULL;

    return e ? e->version : 0;
}

bool pl_identity_set_find(const struct pl_identity_set *s, uint64_t pid,
                          uint64_t start, struct pl_process_identity *out,
                          uint64_t *version)
{
    const struct entry *e = s ? find(s, pid, start) : NULL;
    struct pl_cur c;

    if (!e)
        return false;
    c = pl_cur_of(e->bytes, e->len);
    *version = e->version;
    return !pl_process_identity_next(&c, out);
}

void pl_identity_set_write(const struct pl_identity_set *s, uint64_t since,
                           struct pl_buf *out)
{
    const struct entry *e = s ? s->newest : NULL;

    if (!e || e->version <= since)
        return;
    while (e->older && e->older->version > since)
        e = e->older;
    for (; e; e = e->newer)
        pl_buf_bytes(out, e->bytes, e->len);
}

/* ---- processes of a block -------------------------------------------------- */

/* Where the key of an instance of Process is. */
struct key {
    struct pl_counter_def pid, start;
};

static bool find_key(struct pl_object *o, struct key *key)
{
    struct pl_counter_def c;
    bool has_pid = false, has_start = false;

    while (!pl_counter_next(o, &c)) {
        if (c.title_index == PL_TITLE_PID) {
            key->pid = c;
            has_pid = true;
        } else if (c.title_index == PL_TITLE_STARTED) {
            key->start = c;
            has_start = true;
        }
    }
    return has_pid && has_start;
}

static void each_instance(const struct pl_identity_set *s, struct pl_object *o,
                          void (*take)(void *ctx, struct entry *e), void *ctx)
{
    struct pl_instance i;
    struct key key = { 0 };
    uint64_t pid, start;

    if (!find_key(o, &key))
        return;
    while (!pl_instance_next(o, &i)) {
        struct entry *e;

        if (!pl_counter_get(o, &i, &key.pid, &pid) ||
            !pl_counter_get(o, &i, &key.start, &start))
            continue;
        e = find(s, pid, start);
        if (e)
            take(ctx, e);
    }
}

/* 'take' is called with the entry of each process that the block has.  False:
 * the block is malformed. */
static bool each_live(const struct pl_identity_set *s, const uint8_t *block,
                      size_t len, void (*take)(void *ctx, struct entry *e),
                      void *ctx)
{
    struct pl_block b;
    struct pl_object o;
    enum pl_status status = pl_block_parse(&b, block, len);

    if (status)
        return false;
    while (!(status = pl_object_next(&b, &o)))
        if (o.title_index == PL_TITLE_PROCESS)
            each_instance(s, &o, take, ctx);
    return status == PL_END;
}

static void mark(void *ctx, struct entry *e)
{
    (void)ctx;
    e->is_live = true;
}

struct writing {
    uint64_t until;
    struct pl_buf *out;
};

static void write_one(void *ctx, struct entry *e)
{
    const struct writing *w = ctx;

    if (e->version <= w->until)
        pl_buf_bytes(w->out, e->bytes, e->len);
}

void pl_identity_set_write_live(const struct pl_identity_set *s, uint64_t until,
                                const uint8_t *block, size_t len,
                                struct pl_buf *out)
{
    struct writing w = { until, out };

    if (s && s->num)
        each_live(s, block, len, write_one, &w);
}

/* ---- dropping processes that ended ---------------------------------------- */

void pl_identity_set_keep_live(struct pl_identity_set *s, const uint8_t *block,
                               size_t len)
{
    if (!s || !s->num)
        return;
    s->bytes_swept = s->bytes; /* a malformed block is not looked at again */
    s->bytes_added = 0;
    for (struct entry *e = s->oldest; e; e = e->newer)
        e->is_live = false;
    if (!each_live(s, block, len, mark, NULL))
        return;
    for (struct entry *e = s->oldest, *newer; e; e = newer) {
        newer = e->newer;
        if (!e->is_live)
            drop(s, e);
    }
    s->bytes_swept = s->bytes;
}

/* How much may be added until it pays to look which processes ended: as much as
 * there is, or half of the room if that is less. */
static size_t most_added(const struct pl_identity_set *s)
{
    size_t room = (PL_MAX_IDENTITY_BYTES - s->bytes_swept) / 2;
    size_t most = s->bytes_swept < room ? s->bytes_swept : room;

    return most > LEAST_TO_SWEEP ? most : LEAST_TO_SWEEP;
}

void pl_identity_set_limit(struct pl_identity_set *s, const uint8_t *block,
                           size_t len)
{
    if (s && s->bytes_added > most_added(s))
        pl_identity_set_keep_live(s, block, len);
}
