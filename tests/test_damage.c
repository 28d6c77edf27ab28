/* Logs cut, flipped, torn and appended to: what comes back is true, complete
 * up to the chunk that was hit, and never silent about damage.
 * PERFLOG_FULL=1 in the environment runs the sizes meant for a release. */
#include "tests/logs.h"

#include "format/instant.h"
#include "format/record.h"
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND PL_NS_PER_SEC

enum { RANDOM_CASES = 3000, FULL_FACTOR = 100, MAGIC_LEN = 4 };

static bool is_full(void)
{
    return getenv("PERFLOG_FULL") != NULL;
}

static void make(struct log *l, enum log_shape shape)
{
    log_make(l, path_in(temp_dir(), log_shape_name(shape)), shape, 1);
}

/* ---- truncation ------------------------------------------------------------- */

static bool is_boundary(const struct log *l, size_t n)
{
    for (size_t i = 0; i < l->num_records; i++)
        if (n == l->records[i].at + l->records[i].len)
            return true;
    return false;
}

/* Killed in a record, and again in the first 71 bytes of the next session:
 * nothing tells the second fragment from the end of the first record. */
static bool is_torn_twice(const struct log *l, size_t n)
{
    for (size_t i = 1; i < l->num_records; i++) {
        const struct whole_record *before = &l->records[i - 1];
        size_t at = l->records[i].at;

        if (before->at + before->len < at && at < n && n < at + PL_RECORD_LEN)
            return true;
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

static const enum log_shape cut_shapes[] = { LOG_SMALL, LOG_BIG, LOG_CHURN,
                                             LOG_SESSIONS };

START_TEST(a_cut_anywhere_costs_only_what_is_behind_it)
{
    struct log l;
    struct scratch file;
    struct reading g = { 0 };

    make(&l, cut_shapes[_i]);
    scratch_open(&file, "cut");
    scratch_set(&file, l.bytes, l.len);
    for (size_t n = l.len; n-- > 1;) {
        scratch_cut(&file, n);
        if (n < MAGIC_LEN) {
            ck_assert_int_eq(read_whole(file.path, &l, &g), PL_NOT_A_LOG);
            continue;
        }
        ck_assert_int_eq(read_whole(file.path, &l, &g), PL_END);
        for (size_t i = 0; i < l.num_samples; i++) {
            const struct sample *s = &l.samples[i];

            ck_assert_msg(g.seen[i] == (s->session && s->end <= n),
                          "cut at %zu: sample %zu", n, i);
        }
        ck_assert_uint_eq(g.wrong + g.twice, 0);
        ck_assert_msg(!reading_alarms(&g) || is_torn_twice(&l, n),
                      "cut at %zu taken for damage", n);
        if (is_boundary(&l, n))
            ck_assert_uint_eq(g.kinds[PL_ITEM_INTERRUPTED],
                              num_torn_before(&l, n));
        ck_assert_uint_eq(g.bytes, n);
    }
    printf("cut: %s: %zu offsets, %zu samples, 0 lost, 0 wrong\n",
           log_shape_name(cut_shapes[_i]), l.len - 1, l.num_samples);
    reading_release(&g);
    scratch_close(&file);
    log_release(&l);
}
END_TEST

START_TEST(an_empty_file_is_said_to_be_one)
{
    struct scratch file;
    struct reading g = { 0 };
    struct log none = { 0 };

    scratch_open(&file, "empty");
    ck_assert_int_eq(read_whole(file.path, &none, &g), PL_TRUNCATED);
    reading_release(&g);
    scratch_close(&file);
}
END_TEST

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
static void check_loss(const struct log *l, const struct reading *g, size_t at)
{
    const struct sample *hit = sample_of(l, record_of(l, at));

    for (size_t i = 0; i < l->num_samples; i++) {
        const struct sample *s = &l->samples[i];

        if (!s->session || g->seen[i])
            continue;
        ck_assert_msg(hit && s->chunk == hit->chunk && s->seq >= hit->seq,
                      "byte %zu cost sample %zu", at, i);
    }
}

/* A torn tail that is hit stays a torn tail: there is nothing to notice. */
static void check_flip(const struct log *l, struct scratch *file, size_t at,
                       uint8_t mask, struct reading *g)
{
    enum pl_status s;

    scratch_poke(file, at, l->bytes[at] ^ mask);
    s = read_whole(file->path, l, g);
    ck_assert_int_eq(s, PL_END);
    ck_assert_msg(!g->wrong && !g->twice, "byte %zu ^ %02x", at, mask);
    ck_assert_msg(reading_alarms(g) || !record_of(l, at),
                  "byte %zu ^ %02x went unnoticed", at, mask);
    check_loss(l, g, at);
    ck_assert_uint_eq(g->bytes, l->len);
    scratch_poke(file, at, l->bytes[at]);
}

static const enum log_shape flip_shapes[] = { LOG_SMALL, LOG_SESSIONS,
                                              LOG_TITLES };

START_TEST(every_flipped_bit_is_noticed_and_costs_a_chunk_at_most)
{
    struct log l;
    struct scratch file;
    struct reading g = { 0 };

    make(&l, flip_shapes[_i]);
    scratch_open(&file, "flip");
    scratch_set(&file, l.bytes, l.len);
    for (size_t at = 0; at < l.len; at++)
        for (unsigned bit = 0; bit < 8; bit++)
            check_flip(&l, &file, at, (uint8_t)(1u << bit), &g);
    printf("flip: %s: %zu bits, 0 silent, 0 wrong, 0 beyond a chunk\n",
           log_shape_name(flip_shapes[_i]), l.len * 8);
    reading_release(&g);
    scratch_close(&file);
    log_release(&l);
}
END_TEST

/* Of a log with many chunks: one bit of each byte that is in no sample. */
START_TEST(flips_in_indexes_and_repeats_cost_nothing)
{
    struct log l;
    struct scratch file;
    struct reading g = { 0 };
    size_t num = 0, step = is_full() ? 1 : 41;

    make(&l, LOG_CHUNKS);
    ck_assert_ptr_nonnull(log_find(&l, PL_INDX, 2));
    ck_assert_ptr_nonnull(log_find(&l, PL_SESS, 1));
    ck_assert_ptr_nonnull(log_find(&l, PL_TITL, 1));
    scratch_open(&file, "repeats");
    scratch_set(&file, l.bytes, l.len);
    for (size_t at = 0; at < l.len; at += step) {
        if (sample_of(&l, record_of(&l, at)))
            continue;
        check_flip(&l, &file, at, (uint8_t)(1u << at % 8), &g);
        ck_assert_uint_eq(g.num_samples, l.num_samples);
        num++;
    }
    printf("flip: chunks: %zu bytes of no sample, 0 silent, 0 lost\n", num);
    reading_release(&g);
    scratch_close(&file);
    log_release(&l);
}
END_TEST

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
    ck_assert(!v->out.oom);
}

/* Samples of chunks none of whose samples were touched. */
static void check_untouched(const struct victim *v, const struct reading *g,
                            uint8_t *bad_chunk, uint64_t seed)
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

        ck_assert_msg(!s->session || bad_chunk[s->chunk] || g->seen[i],
                      "case %llu: sample %zu of an untouched chunk in %s",
                      (unsigned long long)seed, i, v->path);
    }
}

static const enum log_shape random_shapes[] = { LOG_SMALL, LOG_CHURN,
                                                LOG_SESSIONS, LOG_CHUNKS };

START_TEST(chunks_that_random_damage_leaves_alone_come_back)
{
    struct log l;
    struct victim v = { .log = &l };
    struct scratch file;
    struct reading g = { 0 };
    uint64_t num = RANDOM_CASES / 4 * (is_full() ? FULL_FACTOR : 1);
    uint8_t *bad_chunk;

    make(&l, random_shapes[_i]);
    v.touched = malloc(l.len + 1);
    bad_chunk = malloc(l.num_chunks);
    scratch_open(&file, "random");
    v.path = file.path;
    for (uint64_t seed = 1; seed <= num; seed++) {
        uint64_t random = seed * 0x9E3779B97F4A7C15u;
        enum pl_status s;

        damage(&v, (enum kind)(seed % NUM_KINDS), &random);
        scratch_set(&file, v.out.p, v.out.len);
        s = read_whole(file.path, &l, &g);
        ck_assert_msg(s == PL_END || s == PL_TRUNCATED || s == PL_NOT_A_LOG,
                      "case %llu: %d", (unsigned long long)seed, s);
        ck_assert_msg(!g.wrong && !g.twice, "case %llu: %zu wrong, %zu twice",
                      (unsigned long long)seed, g.wrong, g.twice);
        check_untouched(&v, &g, bad_chunk, seed);
    }
    printf("random damage: %s: %llu cases, 0 wrong, 0 untouched lost\n",
           log_shape_name(random_shapes[_i]), (unsigned long long)num);
    free(bad_chunk);
    free(v.touched);
    pl_buf_release(&v.out);
    reading_release(&g);
    scratch_close(&file);
    log_release(&l);
}
END_TEST

/* ---- appending behind a cut ---------------------------------------------------- */

static void forget_from(struct log *l, size_t n)
{
    while (l->num_samples > n)
        pl_buf_release(&l->samples[--l->num_samples].block);
}

static void check_refused(struct scratch *file, const struct log *l, size_t n)
{
    struct pl_writer *w;
    const char *why;
    uint8_t *now;
    size_t len;

    ck_assert_int_eq(pl_writer_open(&w, file->path, &log_options, &why),
                     PL_NOT_A_LOG);
    now = read_file(file->path, &len);
    ck_assert(len == n && !memcmp(now, l->bytes, n));
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

    log_add(l, w, m, SECOND, 2);
    ck_assert_int_eq(pl_writer_close(w, PL_END_ASKED, NULL), PL_OK);
}

START_TEST(a_log_can_be_continued_after_any_cut)
{
    struct log old, both;
    struct scratch file;
    struct reading g = { 0 };
    struct machine m;
    size_t num_old;

    make(&old, LOG_SMALL);
    log_make(&both, path_in(temp_dir(), "again"), LOG_SMALL, 1);
    num_old = both.num_samples;
    machine_start(&m, 2, 3);
    m.boot_ns *= 1000;
    scratch_open(&file, "append");
    for (size_t n = 1; n <= old.len; n++) {
        struct wound w;

        scratch_set(&file, old.bytes, n);
        if (n < MAGIC_LEN) {
            check_refused(&file, &old, n);
            continue;
        }
        forget_from(&both, num_old);
        append(&both, file.path, &m);
        log_load(&both, file.path);
        ck_assert(!memcmp(both.bytes, old.bytes, n));
        ck_assert_int_eq(read_whole(file.path, &both, &g), PL_END);
        w = look(&old, n);
        for (size_t i = 0; i < both.num_samples; i++)
            ck_assert_msg(g.seen[i] ==
                              (i >= num_old || old.samples[i].end <= n ||
                               (w.is_healed && old.samples[i].at < n)),
                          "cut at %zu: sample %zu", n, i);
        ck_assert_uint_eq(g.wrong + g.twice, 0);
        if (w.is_vague)
            continue;
        ck_assert_msg(!reading_alarms(&g), "cut at %zu taken for damage", n);
        ck_assert_msg(
            g.kinds[PL_ITEM_INTERRUPTED] ==
                (!is_boundary(&old, n) && !(w.is_healed && w.is_hidden)),
            "cut at %zu: %zu torn", n, g.kinds[PL_ITEM_INTERRUPTED]);
        ck_assert_uint_eq(g.bytes, both.len);
    }
    printf("append: %zu cuts, 0 lost, 0 taken for damage\n",
           old.len - MAGIC_LEN + 1);
    machine_stop(&m);
    reading_release(&g);
    scratch_close(&file);
    log_release(&old);
    log_release(&both);
}
END_TEST

int main(void)
{
    TCase *cut = tcase_create("cut"), *flip = tcase_create("flip");
    TCase *random = tcase_create("random"), *behind = tcase_create("append");
    double limit = is_full() ? 7200 : 120;

    tcase_set_timeout(cut, limit);
    tcase_set_timeout(flip, limit);
    tcase_set_timeout(random, limit);
    tcase_set_timeout(behind, limit);
    tcase_add_loop_test(cut, a_cut_anywhere_costs_only_what_is_behind_it, 0,
                        sizeof cut_shapes / sizeof *cut_shapes);
    tcase_add_test(cut, an_empty_file_is_said_to_be_one);
    tcase_add_loop_test(flip,
                        every_flipped_bit_is_noticed_and_costs_a_chunk_at_most,
                        0, sizeof flip_shapes / sizeof *flip_shapes);
    tcase_add_test(flip, flips_in_indexes_and_repeats_cost_nothing);
    tcase_add_loop_test(random,
                        chunks_that_random_damage_leaves_alone_come_back, 0,
                        sizeof random_shapes / sizeof *random_shapes);
    tcase_add_test(behind, a_log_can_be_continued_after_any_cut);
    return run_suite("damage", (TCase *[]){ cut, flip, random, behind, NULL });
}
