/*
 * Damage at the size meant for a release: logs of all shapes, as many as it
 * takes, each hurt in every way.
 *
 *   crash_damage [--bytes N] [--bits 1..8] [--cases N] [--seed S] [--full]
 *
 * Prints a line for each goal and exits with 1 if anything was lost, wrong,
 * silent, or damage where there is none.
 */
#include "tests/crash/args.h"
#include "tests/support/hurt.h"
#include "tests/support/seeker.h"
#include "tests/support/support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NUM(table) (sizeof(table) / sizeof *(table))

static struct crash_args args = {
    .names = { "bytes", "bits", "cases", "seed" },
    .values = { 8000, 8, 5000, 1 },
    .gate = { [1] = 2 },
    .full = { 1000000, 8, 1000000, 1 },
};
enum { BYTES, BITS, CASES, SEED };
static bool failed;

static void make(struct log *l, enum log_shape shape, uint64_t seed)
{
    const char *path = path_in(temp_dir(), "log");

    unlink(path);
    log_make(l, path, shape, seed);
}

static void print(const char *goal, const char *what, uint64_t bytes,
                  const struct toll *t)
{
    printf("%-4s %-28s %9" PRIu64 " tried in %8" PRIu64 " bytes of logs, "
           "%" PRIu64 " lost, %" PRIu64 " wrong, %" PRIu64 " silent, %" PRIu64
           " false alarms, seed %" PRIu64 "%s%s\n",
           goal, what, t->tried, bytes, t->lost, t->wrong, t->silent, t->alarms,
           args.values[SEED], t->first[0] ? ": " : "", t->first);
    fflush(stdout);
    failed = failed || !toll_is_clean(t);
}

static const enum log_shape cut_shapes[] = { LOG_SMALL, LOG_IDENTITIES, LOG_BIG,
                                             LOG_CHURN, LOG_SESSIONS };

static void run_cuts(void)
{
    struct toll t = { 0 };
    uint64_t bytes = 0, seed = args.values[SEED];

    for (size_t i = 0; bytes < args.values[BYTES]; i++) {
        struct log l;

        make(&l, cut_shapes[i % NUM(cut_shapes)], seed + i / NUM(cut_shapes));
        hurt_cuts(&l, &t);
        bytes += l.len;
        log_release(&l);
    }
    print("R2", "cut at every byte", bytes, &t);
}

static const enum log_shape flip_shapes[] = { LOG_SMALL, LOG_CHURN,
                                              LOG_SESSIONS, LOG_TITLES,
                                              LOG_IDENTITIES };

static void run_flips(void)
{
    struct toll t = { 0 };
    uint64_t bytes = 0, seed = args.values[SEED];

    for (size_t i = 0; bytes < args.values[BYTES]; i++) {
        struct log l;

        make(&l, flip_shapes[i % NUM(flip_shapes)],
             seed + i / NUM(flip_shapes));
        hurt_bits(&l, (unsigned)args.values[BITS], &t);
        bytes += l.len;
        log_release(&l);
    }
    print("R3", "bit flipped in every byte", bytes, &t);
}

static const enum log_shape random_shapes[] = { LOG_SMALL, LOG_CHURN,
                                                LOG_SESSIONS, LOG_CHUNKS,
                                                LOG_IDENTITIES };
enum { CASES_A_LOG = 2500 };

static void run_random(void)
{
    struct toll t = { 0 };
    uint64_t bytes = 0, seed = args.values[SEED];

    for (size_t i = 0; t.tried < args.values[CASES]; i++) {
        struct log l;

        make(&l, random_shapes[i % NUM(random_shapes)],
             seed + i / NUM(random_shapes));
        hurt_at_random(&l, seed + t.tried, CASES_A_LOG, &t);
        bytes += l.len;
        log_release(&l);
    }
    print("R4", "random damage", bytes, &t);
}

/* As R2 asks for: 1 of 37 cuts of as many bytes. */
static void run_appends(void)
{
    struct toll t = { 0 };
    uint64_t seed = args.values[SEED];

    for (size_t i = 0; t.tried < args.values[BYTES] / 37; i++)
        hurt_and_append(i % 2 ? LOG_CHURN : LOG_SMALL, seed + i, 37, &t);
    print("R14", "append after a cut", args.values[BYTES], &t);
}

/* Every bit of all indexes and ends, or of every 41st byte. */
static void run_seeks(void)
{
    struct toll t = { 0 };
    struct log l;

    make(&l, LOG_CHUNKS, args.values[SEED]);
    seek_past_damage(&l, args.is_full ? 1 : 41, args.is_full ? 8 : 1, &t);
    print("R15", "damaged index, then a seek", l.len, &t);
    log_release(&l);
}

START_TEST(all)
{
    run_cuts();
    run_flips();
    run_random();
    run_appends();
    run_seeks();
}
END_TEST

int main(int argc, char **argv)
{
    int status;

    crash_args_read(&args, argc, argv);
    status = crash_run(all);
    return failed ? EXIT_FAILURE : status;
}
