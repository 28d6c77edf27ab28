/* Damage of every kind, done to a copy of a log, and what it cost. */
#include "tests/support/hurt.h"

#include "format/time/time_text.h"
#include "format/record/record.h"
#include "tests/support/support.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND PL_NS_PER_SEC

enum { MAGIC_LEN = 4, NUM_APPENDED = 5 };

/* ---- counting ----------------------------------------------------------------- */

/* Count 'n' in one of the sums; the first of all is printed in words. */
static void __attribute__((format(PL_PRINTF, 4, 5)))
charge(struct toll *t, uint64_t *sum, size_t n, const char *format, ...)
{
    va_list args;

    if (!n)
        return;
    *sum += n;
    if (t->first[0])
        return;
    va_start(args, format);
    vsnprintf(t->first, sizeof t->first, format, args);
    va_end(args);
}

void toll_add(struct toll *sum, const struct toll *t)
{
    sum->tried += t->tried;
    sum->lost += t->lost;
    sum->wrong += t->wrong;
    sum->silent += t->silent;
    sum->alarms += t->alarms;
    if (!sum->first[0])
        memcpy(sum->first, t->first, sizeof sum->first);
}

bool toll_is_clean(const struct toll *t)
{
    return !t->lost && !t->wrong && !t->silent && !t->alarms;
}

/* ---- truncation ------------------------------------------------------------- */

static bool is_boundary(const struct log *l, size_t n)
{
    for (size_t i = 0; i < l->num_records; i++)
        if (n == l->records[i].at + l->records[i].len)
            return true;
    return false;
}

/* Killed in a record, and again in the first 71 bytes of the next session,
 * and the first record claims to end exactly where one of them does. */
static bool is_torn_twice(const struct log *l, size_t n)
{
    for (size_t i = 1; i < l->num_records; i++) {
        const struct whole_record *before = &l->records[i - 1];
        size_t torn = before->at + before->len, at = l->records[i].at, end;
        struct pl_record r;

        if (torn == at || n <= at || n >= at + PL_RECORD_LEN ||
            at - torn < PL_RECORD_LEN || pl_record_get(&r, l->bytes + torn))
            continue;
        end = torn + PL_RECORD_LEN + pl_padded_len(r.stored_len);
        return end == at || end == n;
    }
    return false;
}

/* Torn bytes that were there before anything was cut. */
static size_t num_torn_before(const struct log *l, size_t n)
{
    size_t num = 0, end = 0;

    for (size_t i = 0; i < l->num_records; i++) {
        num += l->records[i].at > end && l->records[i].at < n;
        end = l->records[i].at + l->records[i].len;
    }
    return num;
}

/* True in a pack whose magic and type are left: no kill cuts one. */
static bool is_in_pack(const struct log *l, size_t n)
{
    for (size_t i = 0; i < l->num_records; i++) {
        const struct whole_record *w = &l->records[i];

        if (w->record.type == PL_PACK && n >= w->at + 8 && n < w->at + w->len)
            return true;
    }
    return false;
}

static void cut_at(const struct log *l, struct scratch *file, size_t n,
                   struct reading *g, struct toll *t)
{
    enum pl_status s, want = n < MAGIC_LEN ? PL_NOT_A_LOG : PL_END;
    size_t torn;

    scratch_cut(file, n);
    s = read_whole(file->path, l, g);
    t->tried++;
    charge(t, &t->wrong, s != want, "cut at %zu: status %d", n, s);
    if (s != PL_END)
        return;
    for (size_t i = 0; i < l->num_samples; i++) {
        const struct sample *x = &l->samples[i];
        bool is_there = x->session && x->end <= n;

        charge(t, &t->lost, is_there && !g->seen[i], "cut at %zu: sample %zu",
               n, i);
        charge(t, &t->wrong, !is_there && g->seen[i], "cut at %zu: sample %zu",
               n, i);
    }
    charge(t, &t->wrong, g->wrong + g->twice, "cut at %zu: wrong", n);
    if (is_in_pack(l, n))
        charge(t, &t->silent, !reading_alarms(g), "cut at %zu is no damage", n);
    else
        charge(t, &t->alarms, is_torn_twice(l, n) ? 0 : reading_alarms(g),
               "cut at %zu taken for damage", n);
    torn = g->kinds[PL_ITEM_INTERRUPTED];
    charge(t, &t->silent, is_boundary(l, n) && torn != num_torn_before(l, n),
           "cut at %zu: %zu torn", n, torn);
    charge(t, &t->silent, g->bytes != n, "cut at %zu: %" PRIu64 " bytes", n,
           g->bytes);
}

void hurt_cuts(const struct log *l, struct toll *t)
{
    struct scratch file;
    struct reading g = { 0 };

    scratch_open(&file, "cut");
    scratch_set(&file, l->bytes, l->len);
    for (size_t n = l->len; n-- > 1;)
        cut_at(l, &file, n, &g, t);
    reading_release(&g);
    scratch_close(&file);
}

/* ---- flipped bits ------------------------------------------------------------ */

static const struct whole_record *record_of(const struct log *l, size_t at)
{
    for (size_t i = 0; i < l->num_records; i++)
        if (at >= l->records[i].at && at < l->records[i].at + l->records[i].len)
            return &l->records[i];
    return NULL;
}

static const struct sample *sample_of(const struct log *l,
                                      const struct whole_record *w)
{
    for (size_t i = 0; w && i < l->num_samples; i++)
        if (l->samples[i].session && l->samples[i].at == w->at)
            return &l->samples[i];
    return NULL;
}

/* Only samples of the hit one's chunk, from it on, may be lost. */
static void check_loss(const struct log *l, const struct reading *g, size_t at,
                       struct toll *t)
{
    const struct sample *hit = sample_of(l, record_of(l, at));

    for (size_t i = 0; i < l->num_samples; i++) {
        const struct sample *s = &l->samples[i];

        if (s->session && !g->seen[i])
            charge(t, &t->lost,
                   !hit || s->chunk != hit->chunk || s->seq < hit->seq,
                   "byte %zu cost sample %zu", at, i);
    }
}

/* A torn tail that is hit stays a torn tail: there is nothing to notice. */
static void flip(const struct log *l, struct scratch *file, size_t at,
                 unsigned bit, struct reading *g, struct toll *t)
{
    enum pl_status s;

    scratch_poke(file, at, (uint8_t)(l->bytes[at] ^ 1u << bit));
    s = read_whole(file->path, l, g);
    t->tried++;
    charge(t, &t->wrong, s != PL_END, "byte %zu, bit %u: status %d", at, bit,
           s);
    charge(t, &t->wrong, g->wrong + g->twice, "byte %zu, bit %u: wrong", at,
           bit);
    charge(t, &t->silent, !reading_alarms(g) && record_of(l, at),
           "byte %zu, bit %u went unnoticed", at, bit);
    charge(t, &t->silent, g->bytes != l->len,
           "byte %zu, bit %u: bytes unaccounted for", at, bit);
    check_loss(l, g, at, t);
    scratch_poke(file, at, l->bytes[at]);
}

void hurt_bits(const struct log *l, unsigned bits, struct toll *t)
{
    struct scratch file;
    struct reading g = { 0 };

    scratch_open(&file, "flip");
    scratch_set(&file, l->bytes, l->len);
    for (size_t at = 0; at < l->len; at++)
        for (unsigned i = 0; i < bits; i++)
            flip(l, &file, at, (unsigned)(at + i) % 8, &g, t);
    reading_release(&g);
    scratch_close(&file);
}

void hurt_hints(const struct log *l, size_t step, struct toll *t)
{
    struct scratch file;
    struct reading g = { 0 };

    scratch_open(&file, "hints");
    scratch_set(&file, l->bytes, l->len);
    for (size_t at = 0; at < l->len; at += step) {
        if (sample_of(l, record_of(l, at)))
            continue;
        flip(l, &file, at, at % 8, &g, t);
        charge(t, &t->lost, l->num_samples - g.num_samples,
               "byte %zu, which is in no sample, cost some", at);
    }
    reading_release(&g);
    scratch_close(&file);
}

/* ---- random damage ------------------------------------------------------------ */

/* A damaged copy; touched[i] says whether byte i of the log was. */
struct victim {
    const struct log *log;
    const char *path;
    uint8_t *touched;
    struct pl_buf out;
};

static void touch(struct victim *v, size_t from, size_t to)
{
    memset(v->touched + from, 1, to - from);
}

/* Something new stands between two bytes that were neighbours: a chunk in
 * whose middle that happens is no longer in one piece. */
static void touch_seam(struct victim *v, size_t at)
{
    const struct log *l = v->log;

    for (size_t i = 0; i < l->num_samples; i++) {
        const struct sample *a = &l->samples[i];
        const struct sample *b = i + 1 < l->num_samples ? a + 1 : a;

        if (a->session && a->at < at &&
            (at < a->end || (b->chunk == a->chunk && at <= b->at)))
            touch(v, a->at, a->end);
    }
}

static void copy(struct victim *v, size_t from, size_t to)
{
    pl_buf_bytes(&v->out, v->log->bytes + from, to - from);
}

enum kind { OVERWRITE, ZERO, DELETE, INSERT, SWAP, DUPLICATE, NUM_KINDS };

static size_t below(uint64_t *random, size_t n)
{
    return (size_t)(random_next(random) % n);
}

static void put_noise(struct pl_buf *b, uint64_t *random, size_t n)
{
    while (n--)
        pl_buf_u8(b, (uint8_t)random_next(random));
}

/* Four places in order; short ranges and long ones alike. */
static void choose(uint64_t *random, size_t len, size_t at[4])
{
    size_t span = below(random, 2) ? 200 : len;

    at[0] = below(random, len);
    for (int i = 1; i < 4; i++) {
        size_t left = len - at[i - 1];

        at[i] = at[i - 1] + below(random, left < span ? left : span);
    }
}

/* Now and then a range is exactly some records. */
static void snap(const struct log *l, uint64_t *random, size_t at[4])
{
    if (below(random, 4))
        return;
    for (int i = 0; i < 4; i++) {
        const struct whole_record *w = record_of(l, at[i]);

        at[i] = w ? w->at : at[i];
    }
}

static void damage(struct victim *v, enum kind kind, uint64_t *random)
{
    size_t at[4], len = v->log->len;

    choose(random, len, at);
    snap(v->log, random, at);
    pl_buf_clear(&v->out);
    memset(v->touched, 0, len);
    copy(v, 0, at[0]);
    switch (kind) {
    case OVERWRITE:
        put_noise(&v->out, random, at[1] - at[0]);
        touch(v, at[0], at[1]);
        copy(v, at[1], len);
        break;
    case ZERO:
        pl_buf_zeros(&v->out, at[1] - at[0]);
        touch(v, at[0], at[1]);
        copy(v, at[1], len);
        break;
    case DELETE:
        touch(v, at[0], at[1]);
        copy(v, at[1], len);
        break;
    case INSERT:
        put_noise(&v->out, random, at[1] - at[0]);
        touch_seam(v, at[0]);
        copy(v, at[0], len);
        break;
    case SWAP:
        copy(v, at[2], at[3]);
        copy(v, at[1], at[2]);
        copy(v, at[0], at[1]);
        copy(v, at[3], len);
        touch(v, at[0], at[1]);
        touch(v, at[2], at[3]);
        touch_seam(v, at[0]);
        touch_seam(v, at[2]);
        break;
    case DUPLICATE: /* of what comes later, earlier */
        copy(v, at[2], at[3]);
        copy(v, at[0], len);
        touch_seam(v, at[0]);
        break;
    case NUM_KINDS:
        break;
    }
    if (v->out.oom)
        ck_abort_msg("no memory");
}

/* Samples of chunks none of whose samples were touched. */
static void check_untouched(const struct victim *v, const struct reading *g,
                            uint8_t *bad_chunk, uint64_t seed, struct toll *t)
{
    const struct log *l = v->log;

    memset(bad_chunk, 0, l->num_chunks);
    for (size_t i = 0; i < l->num_samples; i++) {
        const struct sample *s = &l->samples[i];

        if (s->session && memchr(v->touched + s->at, 1, s->end - s->at))
            bad_chunk[s->chunk] = 1;
    }
    for (size_t i = 0; i < l->num_samples; i++) {
        const struct sample *s = &l->samples[i];

        charge(t, &t->lost, s->session && !bad_chunk[s->chunk] && !g->seen[i],
               "case %" PRIu64 ": sample %zu of an untouched chunk", seed, i);
    }
}

static void random_case(struct victim *v, struct scratch *file,
                        struct reading *g, uint8_t *bad_chunk, uint64_t seed,
                        struct toll *t)
{
    uint64_t random = seed * 0x9E3779B97F4A7C15u;
    enum pl_status s;

    damage(v, (enum kind)(seed % NUM_KINDS), &random);
    scratch_set(file, v->out.p, v->out.len);
    s = read_whole(file->path, v->log, g);
    t->tried++;
    charge(t, &t->wrong, s != PL_END && s != PL_TRUNCATED && s != PL_NOT_A_LOG,
           "case %" PRIu64 ": status %d", seed, s);
    charge(t, &t->wrong, g->wrong + g->twice,
           "case %" PRIu64 ": %zu wrong, %zu twice", seed, g->wrong, g->twice);
    check_untouched(v, g, bad_chunk, seed, t);
}

void hurt_at_random(const struct log *l, uint64_t seed, uint64_t num,
                    struct toll *t)
{
    struct victim v = { .log = l };
    struct scratch file;
    struct reading g = { 0 };
    uint8_t *bad_chunk = malloc(l->num_chunks + 1);

    v.touched = malloc(l->len + 1);
    if (!v.touched || !bad_chunk)
        ck_abort_msg("no memory");
    scratch_open(&file, "random");
    for (uint64_t i = 0; i < num; i++)
        random_case(&v, &file, &g, bad_chunk, seed + i, t);
    free(bad_chunk);
    free(v.touched);
    pl_buf_release(&v.out);
    reading_release(&g);
    scratch_close(&file);
}

/* ---- appending behind a cut ---------------------------------------------------- */

static void forget_from(struct log *l, size_t n)
{
    while (l->num_samples > n)
        pl_buf_release(&l->samples[--l->num_samples].block);
}

static void check_refused(struct scratch *file, const struct log *l, size_t n,
                          struct toll *t)
{
    struct pl_writer *w;
    const char *why;
    uint8_t *now;
    size_t len;
    enum pl_status s = pl_writer_open(&w, file->path, &log_options, &why);

    charge(t, &t->wrong, s != PL_NOT_A_LOG, "%zu bytes: status %d", n, s);
    now = read_file(file->path, &len);
    charge(t, &t->wrong, len != n || memcmp(now, l->bytes, n),
           "%zu bytes were changed", n);
    free(now);
}

/* What becomes of the record that a cut hit when an appended fence follows. */
struct wound {
    bool is_healed; /* zeros stand for zeros */
    bool is_hidden; /* the fence ends where the record would */
    bool is_vague;  /* so, and for one bit: it may as well have flipped */
};

static struct wound look(const struct log *l, size_t n)
{
    const struct whole_record *r = record_of(l, n);
    struct wound w = { 0 };
    size_t end = r ? r->at + r->len : 0, fence_end = (n + 7) / 8 * 8 + 8;
    int bits = 0;

    if (!r || n % 8 == 0 || end > fence_end)
        return w;
    for (size_t i = n; i < end; i++)
        bits += __builtin_popcount(l->bytes[i]);
    w.is_healed = bits == 0;
    w.is_hidden = end == fence_end;
    w.is_vague = w.is_hidden && bits == 1;
    return w;
}

static void append(struct log *l, const char *path, struct machine *m)
{
    struct pl_writer *w = log_open(path, &log_options);

    log_add(l, w, m, SECOND, NUM_APPENDED);
    ck_assert_int_eq(pl_writer_close(w, PL_END_ASKED, NULL), PL_OK);
}

/* 'both' is the truth of the file: what 'old' kept before 'n', and more. */
static void check_appended(const struct log *old, const struct log *both,
                           size_t n, const struct reading *g, struct toll *t)
{
    struct wound w = look(old, n);
    size_t torn = g->kinds[PL_ITEM_INTERRUPTED];

    charge(t, &t->wrong, memcmp(both->bytes, old->bytes, n) != 0,
           "append at %zu changed what was there", n);
    for (size_t i = 0; i < both->num_samples; i++) {
        bool is_there = i >= old->num_samples || old->samples[i].end <= n ||
                        (w.is_healed && old->samples[i].at < n);

        charge(t, &t->lost, is_there && !g->seen[i],
               "append at %zu: sample %zu", n, i);
        charge(t, &t->wrong, !is_there && g->seen[i],
               "append at %zu: sample %zu", n, i);
    }
    charge(t, &t->wrong, g->wrong + g->twice, "append at %zu: wrong", n);
    charge(t, &t->silent, g->bytes != both->len,
           "append at %zu: bytes unaccounted for", n);
    if (w.is_vague)
        return;
    charge(t, &t->alarms, reading_alarms(g), "append at %zu taken for damage",
           n);
    charge(t, &t->silent,
           torn != (!is_boundary(old, n) && !(w.is_healed && w.is_hidden)),
           "append at %zu: %zu torn", n, torn);
}

void hurt_and_append(enum log_shape shape, uint64_t seed, size_t step,
                     struct toll *t)
{
    struct log old, both;
    struct scratch file;
    struct reading g = { 0 };
    struct machine m;

    log_make(&old, path_in(temp_dir(), "old"), shape, seed);
    log_make(&both, path_in(temp_dir(), "both"), shape, seed);
    machine_start(&m, seed + 1, 3);
    m.boot_ns *= 1000;
    scratch_open(&file, "append");
    for (size_t n = 1; n <= old.len; n += step) {
        scratch_set(&file, old.bytes, n);
        t->tried++;
        if (n < MAGIC_LEN) {
            check_refused(&file, &old, n, t);
            continue;
        }
        forget_from(&both, old.num_samples);
        append(&both, file.path, &m);
        log_load(&both, file.path);
        charge(t, &t->wrong, read_whole(file.path, &both, &g) != PL_END,
               "append at %zu: not read to its end", n);
        check_appended(&old, &both, n, &g, t);
    }
    machine_stop(&m);
    reading_release(&g);
    scratch_close(&file);
    log_release(&old);
    log_release(&both);
    remove(path_in(temp_dir(), "old"));
    remove(path_in(temp_dir(), "both"));
}
