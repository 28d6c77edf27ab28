/*
 * Power cuts, enumerated.  The writer's writes, cuts and syncs are traced;
 * then files are made as a disk may hold them after the power failed at any
 * of these: what was synced is there, and of what came later each page or
 * sector is of any age, zero, or noise, and the size is any it has had.  All
 * samples synced must come back, and no wrong one.
 *
 *   crash_power [--states N] [--seed S] [--full]
 */
#include "tests/crash/args.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include "format/time/time_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND PL_NS_PER_SEC

enum { PAGE = 4096, SECTOR = 512, MOST_OPS = 4000, STATES_A_LOG = 250 };

/* ---- the trace ------------------------------------------------------------------ */

enum kind { OP_WRITE, OP_CUT, OP_SYNC };

struct op {
    enum kind kind;
    uint64_t at;  /* WRITE: where; CUT: the size it leaves */
    size_t len;   /* WRITE */
    size_t bytes; /* WRITE: where they lie in 'written' */
};

static struct op ops[MOST_OPS];
static size_t num_ops;
static struct pl_buf written;
static uint64_t file_size;
static bool traced;
static unsigned failing; /* of so many writes one is cut short; 0: none */
static uint64_t dice = 1;

static void note(struct op op)
{
    if (num_ops == MOST_OPS)
        ck_abort_msg("too many operations");
    ops[num_ops++] = op;
}

ssize_t __real_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);

/* A disk that is full takes half of the bytes, then refuses the rest. */
ssize_t __wrap_write(int fd, const void *p, size_t n)
{
    static bool is_full;

    if (!traced)
        return __real_write(fd, p, n);
    if (is_full) {
        is_full = false;
        errno = ENOSPC;
        return -1;
    }
    if (failing && random_next(&dice) % failing == 0) {
        is_full = true;
        n = n / 2 + 1;
    }
    note((struct op){ OP_WRITE, file_size, n, written.len });
    pl_buf_bytes(&written, p, n);
    file_size += n;
    return __real_write(fd, p, n);
}

int __real_ftruncate64(int fd, off_t size);
int __wrap_ftruncate64(int fd, off_t size);

int __wrap_ftruncate64(int fd, off_t size)
{
    if (traced) {
        note((struct op){ .kind = OP_CUT, .at = (uint64_t)size });
        file_size = (uint64_t)size;
    }
    return __real_ftruncate64(fd, size);
}

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);

/* Nobody is going to cut the power: tracing does. */
int __wrap_fdatasync(int fd)
{
    (void)fd;
    if (traced)
        note((struct op){ .kind = OP_SYNC });
    return 0;
}

/* ---- a recording ------------------------------------------------------------------ */

static const struct scenario {
    const char *what;
    uint64_t sync_ns;
    unsigned num_processes, churn;
    size_t num_samples, num_sessions;
    unsigned failing;
} scenarios[] = {
    { "each sample synced", PL_SYNC_EACH, 4, 1, 30, 2, 0 },
    { "keys synced", INT64_MAX, 24, 3, 150, 2, 0 },
    { "large blocks", INT64_MAX, 400, 20, 70, 1, 0 },
    { "disk full now and then", INT64_MAX, 24, 3, 100, 3, 9 },
    { "the same, each synced", PL_SYNC_EACH, 24, 3, 40, 2, 7 },
    { "never synced", PL_SYNC_NEVER, 24, 3, 100, 1, 9 },
};
enum { NUM_SCENARIOS = sizeof scenarios / sizeof *scenarios };

static void add_one(struct log *l, struct pl_writer *w, struct machine *m)
{
    struct pl_sample_stamp stamp;
    struct pl_buf block = { 0 }, titles = { 0 };

    machine_run(m, SECOND);
    stamp = (struct pl_sample_stamp){ m->utc_ns, m->boot_ns, 0 };
    machine_titles(m, &titles);
    machine_block(m, &block);
    log_keep(l, &stamp, &block);
    pl_writer_titles(w, &titles);
    if (pl_writer_sample(w, &stamp, &block))
        pl_buf_release(&l->samples[--l->num_samples].block);
    pl_buf_release(&block);
    pl_buf_release(&titles);
}

static void make(const struct scenario *s, const char *path, uint64_t seed,
                 struct log *l)
{
    struct machine m;

    *l = (struct log){ 0 };
    machine_start(&m, seed, s->num_processes);
    m.churn = s->churn;
    unlink(path);
    num_ops = 0;
    file_size = 0;
    pl_buf_clear(&written);
    for (size_t i = 0; i < s->num_sessions; i++) {
        struct pl_writer_options o = log_options;
        struct pl_writer *w;

        o.sync_ns = s->sync_ns;
        traced = true;
        failing = 0; /* a recording that cannot begin does not */
        w = log_open(path, &o);
        failing = s->failing;
        for (size_t k = 0; k < s->num_samples; k++)
            add_one(l, w, &m);
        pl_writer_close(w, PL_END_ASKED, NULL);
        traced = false;
    }
    machine_stop(&m);
    log_load(l, path);
}

/* ---- a disk after the power failed ------------------------------------------------- */

/* The file as operations first .. last - 1 leave it, clipped to a range. */
static void replay(size_t first, size_t last, uint64_t from, uint8_t *p,
                   size_t n)
{
    for (size_t i = first; i < last; i++) {
        const struct op *o = &ops[i];
        uint64_t end = o->at + o->len;

        if (o->kind == OP_CUT && o->at < from + n) {
            size_t keep = o->at > from ? (size_t)(o->at - from) : 0;

            memset(p + keep, 0, n - keep);
        } else if (o->kind == OP_WRITE && o->at < from + n && end > from) {
            uint64_t a = o->at > from ? o->at : from;
            uint64_t b = end < from + n ? end : from + n;

            memcpy(p + (a - from), written.p + o->bytes + (a - o->at),
                   (size_t)(b - a));
        }
    }
}

static uint64_t size_after(size_t first, size_t last, uint64_t size)
{
    for (size_t i = first; i < last; i++)
        if (ops[i].kind == OP_WRITE)
            size = ops[i].at + ops[i].len;
        else if (ops[i].kind == OP_CUT)
            size = ops[i].at;
    return size;
}

struct cut {
    size_t first, last; /* operations since the sync before the cut */
    uint64_t synced;    /* size at that sync */
    uint64_t most;      /* largest size since */
};

static struct cut choose_cut(const struct log *l, uint64_t *random)
{
    struct cut c = { .last = random_next(random) % (num_ops + 1) };
    size_t syncs = 0;

    for (size_t i = 0; i < c.last; i++)
        if (ops[i].kind == OP_SYNC) {
            c.synced = size_after(0, i, 0);
            c.first = i + 1;
            syncs++;
        }
    if (c.synced > l->len)
        ck_abort_msg("synced bytes were taken back (%zu syncs)", syncs);
    c.most = c.synced;
    for (size_t i = c.first; i <= c.last; i++) {
        uint64_t size = size_after(c.first, i, c.synced);

        c.most = size > c.most ? size : c.most;
    }
    return c;
}

enum manner { PREFIX, PAGES, SECTORS, ZEROS, NOISE, NUM_MANNERS };

static void put_noise(uint8_t *p, size_t n, uint64_t *random)
{
    while (n--)
        *p++ = (uint8_t)random_next(random);
}

/* One piece of the disk, of some age between the sync and the cut. */
static void put_piece(const struct log *l, const struct cut *c, uint64_t from,
                      uint8_t *p, size_t n, enum manner manner,
                      uint64_t *random)
{
    size_t age = c->last;
    size_t old = from < c->synced
                     ? (size_t)(c->synced - from < n ? c->synced - from : n)
                     : 0;

    if (manner != PREFIX)
        age = c->first + random_next(random) % (c->last - c->first + 1);
    memset(p, 0, n);
    if (old)
        memcpy(p, l->bytes + from, old);
    if (manner == ZEROS && random_next(random) % 3)
        return;
    if (manner == NOISE && random_next(random) % 3) {
        put_noise(p + old, n - old, random);
        return;
    }
    replay(c->first, age, from, p, n);
}

/* Replace 'out' by a file as it may be found. */
static void make_state(const struct log *l, const struct cut *c,
                       struct pl_buf *out, uint64_t *random)
{
    enum manner manner = (enum manner)(random_next(random) % NUM_MANNERS);
    size_t step = manner == SECTORS ? SECTOR : PAGE;
    uint64_t at = c->synced / PAGE * PAGE, size;

    pl_buf_clear(out);
    pl_buf_zeros(out, (size_t)c->most + PAGE);
    if (out->oom)
        ck_abort_msg("no memory");
    memcpy(out->p, l->bytes, (size_t)at);
    for (; at < c->most; at += step)
        put_piece(l, c, at, out->p + at, step, manner, random);
    size = size_after(c->first,
                      c->first + random_next(random) % (c->last - c->first + 1),
                      c->synced);
    if (manner == PREFIX) /* torn at any byte */
        size = c->synced + random_next(random) % (c->most - c->synced + 1);
    else if (random_next(random) % 4 == 0)
        size = (size + PAGE - 1) / PAGE * PAGE;
    out->len = (size_t)(size < c->synced ? c->synced : size);
}

/* ---- the check ----------------------------------------------------------------------- */

struct tally {
    uint64_t states, promised, lost, wrong, appended;
    char first[160];
};

static void check_state(struct log *l, const struct cut *c,
                        struct scratch *file, struct reading *g,
                        struct tally *t, const char *what, uint64_t seed)
{
    enum pl_status s = read_whole(file->path, l, g);
    uint64_t lost = 0;
    bool bad = c->synced && s != PL_END;

    for (size_t i = 0; i < l->num_samples; i++) {
        const struct sample *x = &l->samples[i];
        bool is_promised = x->session && x->end <= c->synced;

        t->promised += is_promised;
        lost += is_promised && !g->seen[i];
    }
    if (!t->first[0] && (lost || g->wrong || g->twice || bad))
        snprintf(t->first, sizeof t->first,
                 ": %s, state %" PRIu64 ": status %d, %" PRIu64
                 " lost, %zu wrong",
                 what, seed, s, lost, g->wrong + g->twice);
    t->lost += lost;
    t->wrong += g->wrong + g->twice + bad;
}

/* The machine is up again and recording goes on in the same file. */
static void check_append(const struct log *l, const struct cut *c,
                         struct scratch *file, struct reading *g,
                         struct tally *t)
{
    struct pl_writer *w = log_open(file->path, &log_options);
    struct log more = { 0 };
    struct machine m;
    size_t found = 0, promised = 0;

    machine_start(&m, 99, 3);
    m.boot_ns *= 1000;
    for (size_t i = 0; i < l->num_samples; i++) {
        struct pl_sample_stamp stamp = { l->samples[i].utc_ns,
                                         l->samples[i].boot_ns, 0 };

        log_keep(&more, &stamp, &l->samples[i].block);
        promised += l->samples[i].session && l->samples[i].end <= c->synced;
    }
    log_add(&more, w, &m, SECOND, 2);
    ck_assert_int_eq(pl_writer_close(w, PL_END_ASKED, NULL), PL_OK);
    t->wrong += read_whole(file->path, &more, g) != PL_END;
    for (size_t i = 0; i < l->num_samples; i++)
        found += g->seen[i] && l->samples[i].session &&
                 l->samples[i].end <= c->synced;
    t->lost += promised - found;
    for (size_t i = l->num_samples; i < more.num_samples; i++)
        t->lost += !g->seen[i];
    t->wrong += g->wrong + g->twice;
    t->appended++;
    machine_stop(&m);
    log_release(&more);
}

/*
 * Whether recording must be able to go on: where anything was synced, or what
 * was not begins as it was written, or is nothing but zeros.
 */
static bool must_go_on(const struct log *l, const struct cut *c,
                       const struct pl_buf *state)
{
    const uint8_t *p = state->p;
    size_t head = state->len < PL_RECORD_LEN ? state->len : PL_RECORD_LEN;

    return c->synced || !memcmp(p, l->bytes, head) ||
           (state->len <= PL_FIRST_LOOK / 2 && !*p &&
            !memcmp(p, p + 1, state->len - 1));
}

static void run_log(const struct scenario *s, uint64_t seed, uint64_t num,
                    struct tally *t)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_buf state = { 0 };
    struct reading g = { 0 };
    struct scratch file;
    struct log l;

    make(s, path, seed, &l);
    scratch_open(&file, "state");
    for (uint64_t i = 0; i < num; i++) {
        uint64_t random = (seed + i) * 0x9E3779B97F4A7C15u | 1;
        struct cut c = choose_cut(&l, &random);

        make_state(&l, &c, &state, &random);
        scratch_set(&file, state.p, state.len);
        check_state(&l, &c, &file, &g, t, s->what, seed + i);
        if (i % 16 == 0 && must_go_on(&l, &c, &state))
            check_append(&l, &c, &file, &g, t);
        t->states++;
    }
    scratch_close(&file);
    reading_release(&g);
    pl_buf_release(&state);
    log_release(&l);
}

static struct crash_args args = { .names = { "states", "seed" },
                                  .values = { 2000, 1 },
                                  .full = { 100000, 1 } };
static bool failed;

START_TEST(all)
{
    struct tally t = { 0 };

    for (size_t i = 0; t.states < args.values[0]; i++)
        run_log(&scenarios[i % NUM_SCENARIOS], args.values[1] + t.states,
                STATES_A_LOG, &t);
    printf("R5a  power cut, enumerated        %" PRIu64 " states, %" PRIu64
           " synced samples, %" PRIu64 " lost, %" PRIu64 " wrong, %" PRIu64
           " of them recorded on, seed %" PRIu64 "%s\n",
           t.states, t.promised, t.lost, t.wrong, t.appended, args.values[1],
           t.first);
    failed = t.lost || t.wrong || !t.promised || !t.appended;
}
END_TEST

int main(int argc, char **argv)
{
    int status;

    crash_args_read(&args, argc, argv);
    status = crash_run(all);
    return failed ? EXIT_FAILURE : status;
}
