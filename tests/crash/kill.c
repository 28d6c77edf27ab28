/*
 * Kills a recorder at any instant, thousands of times.  A child appends
 * samples as fast as it can and says in shared memory how many were accepted;
 * it is killed after a random number of microseconds.  All that it said must
 * be in the file, byte by byte, and nothing else.  The next child goes on
 * with the same file, so torn tails get into its middle.
 *
 *   crash_kill [--kills N] [--seed S] [--full]      in $TMPDIR
 *
 * Prints what happened and exits with 1 if anything was lost or wrong.
 */
#include "tests/crash/args.h"
#include "tests/crash/source.h"

#include "format/reader/reader.h"
#include "format/writer/writer.h"
#include "tests/support/logs.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    GATE_KILLS = 1000,
    DEFAULT_KILLS = 2000,
    FULL_KILLS = 20000,
    KILLS_A_FILE = 40,   /* then another file is begun */
    MOST_SAMPLES = 2000, /* of one child */
    MOST_DELAY_US = 6000,
};

/* What the child has said; shared with it. */
struct said {
    atomic_uint opened;   /* its session has begun */
    atomic_uint accepted; /* samples */
};

/* What one child wrote, known from its seed alone. */
struct run {
    uint64_t seed;
    uint32_t accepted;
    uint32_t found;
};

struct tally {
    uint64_t kills, accepted, in_flight, lost, wrong, torn, alarms, files;
};

static void die(const char *what)
{
    fprintf(stderr, "crash_kill: %s: %s\n", what, strerror(errno));
    exit(2);
}

/* ---- the child ------------------------------------------------------------------ */

static _Noreturn void write_until_killed(const char *path, size_t run,
                                         uint64_t seed, struct said *said)
{
    static const uint64_t policies[] = { PL_SYNC_NEVER, PL_SYNC_NEVER,
                                         PL_SYNC_EACH };
    struct pl_writer_options options = { .sync_ns = policies[seed / 8 % 3] };
    struct source source = { 0 };
    struct pl_writer *w;
    struct pl_buf block = { 0 }, titles = { 0 };
    const char *why;

    options.session.host = pl_text_of("crash");
    if (pl_writer_open(&w, path, &options, &why))
        _exit(3);
    atomic_store(&said->opened, 1);
    source_start(&source, seed);
    for (uint32_t i = 0; i < MOST_SAMPLES; i++) {
        struct pl_sample_stamp stamp;

        source_step(&source);
        stamp = source_stamp(&source, run);
        if (i % 100 == 0) {
            source_titles(&titles, i);
            pl_writer_titles(w, &titles);
        }
        pl_buf_clear(&block);
        pl_buf_bytes(&block, source.block.p, source.block.len);
        if (pl_writer_sample(w, &stamp, &block))
            _exit(4);
        atomic_store(&said->accepted, i + 1);
    }
    pl_writer_close(w, PL_END_ASKED, NULL);
    _exit(0);
}

/* ---- the check -------------------------------------------------------------------- */

/* Where the comparison with one run's source is. */
static void compare(struct run *runs, size_t num_runs, struct source *source,
                    size_t *at, const struct pl_item *item, struct tally *t)
{
    size_t run = (size_t)item->record.utc_ns;

    if (run >= num_runs || (item->record.boot_ns == 1 && *at == run)) {
        t->wrong++;
        return;
    }
    if (*at != run) {
        *at = run;
        source_start(source, runs[run].seed);
    }
    source_step(source);
    if (item->record.boot_ns != (int64_t)source->number ||
        item->block->len != source->block.len ||
        memcmp(item->block->p, source->block.p, source->block.len) != 0) {
        t->wrong++;
        return;
    }
    runs[run].found++;
}

/* Read the whole file; every run must have what it said, or one more. */
static void check(const char *path, struct run *runs, size_t num_runs,
                  struct tally *t, uint64_t *torn)
{
    struct source source = { 0 };
    size_t at = SIZE_MAX;
    struct pl_reader *r;
    struct pl_item item;
    enum pl_status s = pl_reader_open(&r, path, NULL);

    for (size_t i = 0; i < num_runs; i++)
        runs[i].found = 0;
    *torn = 0;
    if (s == PL_TRUNCATED || s == PL_NOT_A_LOG) {
        r = NULL; /* killed before or in its very first write */
    } else if (s) {
        die("a log that cannot be opened");
    }
    while (r && !(s = pl_reader_next(r, &item))) {
        switch (item.kind) {
        case PL_ITEM_SAMPLE:
            compare(runs, num_runs, &source, &at, &item, t);
            break;
        case PL_ITEM_INTERRUPTED:
            ++*torn;
            break;
        case PL_ITEM_DAMAGED:
        case PL_ITEM_UNREACHABLE:
        case PL_ITEM_HOLE:
        case PL_ITEM_TOO_NEW:
            if (!t->alarms++) /* the first will do */
                fprintf(stderr, "%s: %" PRIu64 ": %" PRIu64 " bytes: %s\n",
                        path, item.at, item.len,
                        item.reason ? item.reason : "a hole");
            break;
        default:
            break;
        }
    }
    for (size_t i = 0; i < num_runs; i++)
        if (runs[i].found < runs[i].accepted) {
            t->lost += runs[i].accepted - runs[i].found;
            fprintf(stderr, "%s: run %zu: %u of %u samples\n", path, i,
                    runs[i].found, runs[i].accepted);
        } else if (runs[i].found > runs[i].accepted + 1) {
            t->wrong++;
        }
    pl_reader_close(r);
    pl_buf_release(&source.block);
}

/* ---- killing ------------------------------------------------------------------------ */

static struct run kill_one(const char *path, size_t number, uint64_t *random,
                           struct said *said)
{
    struct run run = { .seed = random_next(random) };
    unsigned delay = (unsigned)(random_next(random) % MOST_DELAY_US);
    pid_t child;
    int status;

    atomic_store(&said->opened, 0);
    atomic_store(&said->accepted, 0);
    child = fork();
    if (child < 0)
        die("fork");
    if (!child)
        write_until_killed(path, number, run.seed, said);
    if (random_next(random) % 4) /* most are killed while they write */
        while (!atomic_load(&said->opened) && !waitpid(child, &status, WNOHANG))
            ;
    usleep(delay);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status)) {
        fprintf(stderr, "crash_kill: the child ended with %d\n",
                WEXITSTATUS(status));
        exit(2);
    }
    run.accepted = atomic_load(&said->accepted);
    return run;
}

static void one_file(const char *path, uint64_t kills, uint64_t *random,
                     struct said *said, struct tally *t)
{
    struct run runs[KILLS_A_FILE];
    uint64_t torn = 0;
    size_t num = 0;

    unlink(path);
    while (num < KILLS_A_FILE && num < kills) {
        runs[num] = kill_one(path, num, random, said);
        t->accepted += runs[num].accepted;
        t->kills++;
        num++;
        /* The last run each time; all of them at the end. */
        if (num % 8 == 0 || num == KILLS_A_FILE || num == kills)
            check(path, runs, num, t, &torn);
    }
    for (size_t i = 0; i < num; i++)
        t->in_flight += runs[i].found > runs[i].accepted;
    t->torn += torn;
    t->files++;
    if (!t->lost && !t->wrong && !t->alarms)
        unlink(path);
}

int main(int argc, char **argv)
{
    struct crash_args args = { .names = { "kills", "seed" },
                               .values = { DEFAULT_KILLS, 1 },
                               .gate = { GATE_KILLS },
                               .full = { FULL_KILLS, 1 } };
    uint64_t kills, seed, random;
    const char *dir = getenv("TMPDIR");
    struct tally t = { 0 };
    struct said *said;
    char path[512];

    crash_args_read(&args, argc, argv);
    kills = args.values[0];
    seed = args.values[1];
    dir = dir && *dir ? dir : "/tmp";
    said = mmap(NULL, sizeof *said, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (said == MAP_FAILED)
        die("mmap");
    snprintf(path, sizeof path, "%s/perflog-kill-%ld.plog", dir,
             (long)getpid());
    random = seed * 0x9E3779B97F4A7C15u | 1;
    while (t.kills < kills)
        one_file(path, kills - t.kills, &random, said, &t);
    printf("R1   killed at any instant        %" PRIu64 " kills, %" PRIu64
           " files, %" PRIu64 " samples acknowledged, %" PRIu64
           " more in flight, %" PRIu64 " lost, %" PRIu64 " wrong, %" PRIu64
           " alarms, %" PRIu64 " torn tails, seed %" PRIu64 "\n",
           t.kills, t.files, t.accepted, t.in_flight, t.lost, t.wrong, t.alarms,
           t.torn, seed);
    return t.lost || t.wrong || t.alarms;
}
