/*
 * Reads a log while another process writes it: whole reads, again and again,
 * and followers.  The writer says in shared memory what it accepted before a
 * read began; all of that must be there, byte by byte, nothing else, and no
 * word of damage.  In half of the logs the disk is full now and then: half a
 * write is there for a while and taken back.
 *
 *   crash_beside [--reads N] [--seed S] [--full]      in $TMPDIR
 */
#include "tests/crash/args.h"
#include "tests/crash/source.h"

#include "format/reader/reader.h"
#include "format/writer/writer.h"
#include "tests/support/logs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SAMPLES = 500, RUN = 0, TITLES_EVERY = 37, MOST_PAUSE_US = 3000 };

enum fate { OPEN, ACCEPTED, REFUSED };

/* What the writer has said. */
struct said {
    atomic_bool opened;
    atomic_uchar fates[SAMPLES + 1]; /* by number, from 1 */
};

struct tally {
    uint64_t reads, follows, samples, lost, wrong, alarms, wrong_reports;
    char first[200];
};

static void complain(struct tally *t, uint64_t *sum, const char *what,
                     uint64_t which)
{
    if (!t->lost && !t->wrong && !t->alarms && !t->wrong_reports)
        snprintf(t->first, sizeof t->first, ": %s (%" PRIu64 ")", what, which);
    ++*sum;
}

/* ---- the writer ---------------------------------------------------------------- */

static unsigned failing; /* of so many writes one fails; 0: none */
static uint64_t dice;

ssize_t __real_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);

/* Part of the bytes, then no space: for a while a reader can see that. */
ssize_t __wrap_write(int fd, const void *p, size_t n)
{
    static bool is_full;

    if (is_full) {
        is_full = false;
        usleep((useconds_t)(random_next(&dice) % 400));
        errno = ENOSPC;
        return -1;
    }
    if (failing && random_next(&dice) % failing == 0) {
        is_full = true;
        n = 1 + random_next(&dice) % n;
    }
    return __real_write(fd, p, n);
}

int __wrap_fdatasync(int fd);
int __wrap_fdatasync(int fd)
{
    (void)fd;
    return 0;
}

static _Noreturn void write_log(const char *path, uint64_t seed,
                                struct said *said)
{
    struct pl_writer_options options = { .sync_ns = PL_SYNC_NEVER };
    struct source source = { 0 };
    struct pl_writer *w;
    struct pl_buf block = { 0 }, titles = { 0 };
    const char *why;

    dice = seed | 1;
    if (pl_writer_open(&w, path, &options, &why))
        _exit(3);
    failing = seed % 2 ? 5 : 0;
    atomic_store(&said->opened, true);
    source_start(&source, seed);
    for (uint32_t i = 1; i <= SAMPLES; i++) {
        struct pl_sample_stamp stamp;
        bool bad;

        source_step(&source);
        stamp = source_stamp(&source, RUN);
        if (i % TITLES_EVERY == 0) {
            source_titles(&titles, i);
            pl_writer_titles(w, &titles);
        }
        pl_buf_clear(&block);
        pl_buf_bytes(&block, source.block.p, source.block.len);
        bad = pl_writer_sample(w, &stamp, &block) != PL_OK;
        atomic_store(&said->fates[i], bad ? REFUSED : ACCEPTED);
        if (random_next(&dice) % 4 == 0)
            usleep((useconds_t)(random_next(&dice) % 300));
    }
    failing = 0;
    _exit(pl_writer_close(w, PL_END_ASKED, NULL) ? 4 : 0);
}

/* ---- readers ---------------------------------------------------------------------- */

/* One pass over the log, or one follower. */
struct pass {
    struct source source;
    uint8_t seen[SAMPLES + 1];
    uint64_t reported; /* samples that gaps say are lost */
};

static void pass_start(struct pass *p, uint64_t seed)
{
    memset(p->seen, 0, sizeof p->seen);
    p->reported = 0;
    source_start(&p->source, seed);
}

static void check_sample(struct pass *p, const struct pl_item *item,
                         const struct said *said, struct tally *t)
{
    uint64_t number = (uint64_t)item->record.boot_ns;

    if (number <= p->source.number || number > SAMPLES) {
        complain(t, &t->wrong, "a sample out of order", number);
        return;
    }
    while (p->source.number < number)
        source_step(&p->source);
    if (item->block->len != p->source.block.len ||
        memcmp(item->block->p, p->source.block.p, item->block->len) != 0)
        complain(t, &t->wrong, "a sample with other bytes", number);
    if (atomic_load(&said->fates[number]) == REFUSED)
        complain(t, &t->wrong, "a sample that was refused", number);
    p->seen[number] = 1;
    t->samples++;
}

static void check_item(struct pass *p, const struct pl_item *item,
                       const struct said *said, struct tally *t)
{
    switch (item->kind) {
    case PL_ITEM_SAMPLE:
        check_sample(p, item, said, t);
        break;
    case PL_ITEM_GAPS:
        p->reported += item->gaps.count;
        break;
    case PL_ITEM_DAMAGED:
    case PL_ITEM_UNREACHABLE:
    case PL_ITEM_HOLE:
    case PL_ITEM_TOO_NEW:
        complain(t, &t->alarms, item->reason ? item->reason : "a hole",
                 item->at);
        break;
    default:
        break;
    }
}

/* All that was accepted up to 'known' must have been seen. */
static void check_all_seen(const struct pass *p, const uint8_t *known,
                           struct tally *t)
{
    for (uint32_t i = 1; i <= SAMPLES; i++)
        if (known[i] == ACCEPTED && !p->seen[i])
            complain(t, &t->lost, "a sample is missing", i);
}

static void remember(const struct said *said, uint8_t *known)
{
    for (uint32_t i = 1; i <= SAMPLES; i++)
        known[i] = atomic_load(&said->fates[i]);
}

static void read_once(const char *path, uint64_t seed, const struct said *said,
                      struct pass *p, struct tally *t)
{
    uint8_t known[SAMPLES + 1];
    struct pl_reader *r;
    struct pl_item item;
    enum pl_status s;

    remember(said, known);
    pass_start(p, seed);
    s = pl_reader_open(&r, path, NULL);
    if (s) {
        complain(t, &t->wrong, "cannot be opened", s);
        return;
    }
    while (!(s = pl_reader_next(r, &item)))
        check_item(p, &item, said, t);
    if (s != PL_END)
        complain(t, &t->wrong, "cannot be read", s);
    pl_reader_close(r);
    check_all_seen(p, known, t);
    t->reads++;
}

/* What a reader says when the log is complete: each lost sample is reported. */
static void check_end(const struct pass *p, const struct said *said,
                      struct tally *t)
{
    uint8_t known[SAMPLES + 1];
    uint64_t refused = 0;

    remember(said, known);
    check_all_seen(p, known, t);
    for (uint32_t i = 1; i <= SAMPLES; i++)
        refused += known[i] == REFUSED;
    if (p->reported != refused)
        complain(t, &t->wrong_reports, "samples reported as lost", p->reported);
}

static bool has_ended(pid_t child)
{
    int status;

    if (waitpid(child, &status, WNOHANG) != child)
        return false;
    if (!WIFEXITED(status) || WEXITSTATUS(status)) {
        fprintf(stderr, "crash_beside: the writer ended with %d\n", status);
        exit(2);
    }
    return true;
}

static void follow(const char *path, uint64_t seed, const struct said *said,
                   pid_t child, struct pass *p, struct tally *t)
{
    struct pl_reader_options options = { .follow = true };
    struct pl_reader *r;
    struct pl_item item;
    bool last = false;

    pass_start(p, seed);
    if (pl_reader_open(&r, path, &options)) {
        complain(t, &t->wrong, "cannot be followed", 0);
        waitpid(child, NULL, 0);
        return;
    }
    for (;;) {
        enum pl_status s = pl_reader_next(r, &item);

        if (!s) {
            check_item(p, &item, said, t);
            continue;
        }
        if (s != PL_END)
            complain(t, &t->wrong, "cannot be followed", s);
        if (s != PL_END || last)
            break;
        last = has_ended(child);
        usleep(100);
    }
    pl_reader_close(r);
    check_end(p, said, t);
    t->follows++;
}

/* Logs 0, 1 of 4 are read, 2, 3 followed; the odd ones have a full disk. */
static void one_log(const char *path, uint64_t seed, struct said *said,
                    struct tally *t)
{
    struct pass *p = calloc(1, sizeof *p);
    uint64_t random = seed | 1;
    pid_t child;

    memset(said, 0, sizeof *said);
    unlink(path);
    child = fork();
    if (child < 0 || !p)
        exit(2);
    if (!child)
        write_log(path, seed, said);
    while (!atomic_load(&said->opened))
        usleep(50);
    if (seed % 4 >= 2) {
        follow(path, seed, said, child, p, t);
    } else {
        while (!has_ended(child)) {
            read_once(path, seed, said, p, t);
            usleep((useconds_t)(random_next(&random) % MOST_PAUSE_US));
        }
        read_once(path, seed, said, p, t);
        check_end(p, said, t);
    }
    pl_buf_release(&p->source.block);
    free(p);
    unlink(path);
}

int main(int argc, char **argv)
{
    struct crash_args args = { .names = { "reads", "seed" },
                               .values = { 400, 4 },
                               .full = { 10000, 4 } };
    const char *dir = getenv("TMPDIR");
    struct tally t = { 0 };
    struct said *said;
    char path[512];

    crash_args_read(&args, argc, argv);
    said = mmap(NULL, sizeof *said, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (said == MAP_FAILED)
        return 2;
    snprintf(path, sizeof path, "%s/perflog-beside-%ld.plog",
             dir && *dir ? dir : "/tmp", (long)getpid());
    for (uint64_t seed = args.values[1]; t.reads < args.values[0] || seed % 4;
         seed++)
        one_log(path, seed, said, &t);
    printf("R12  reader beside writer         %" PRIu64 " whole reads, %" PRIu64
           " followers, %" PRIu64 " samples compared, %" PRIu64
           " lost, %" PRIu64 " wrong, %" PRIu64 " false alarms, %" PRIu64
           " sums of lost ones wrong, seed %" PRIu64 "%s\n",
           t.reads, t.follows, t.samples, t.lost, t.wrong, t.alarms,
           t.wrong_reports, args.values[1], t.first);
    return t.lost || t.wrong || t.alarms || t.wrong_reports;
}
