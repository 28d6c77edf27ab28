/*
 * Applications that publish counters, killed at random instants, opening and
 * closing included, beside a recorder:
 *
 *     provider_kill [TIMES [SEED]]
 *
 * Nothing that is read is wrong, the last counts are at least those that the
 * application had reported, and two samples later no file is left.
 */
#include "logger/linux/machine/machine.h"
#include "logger/linux/published/regions.h"
#include "tests/support/publishing.h"
#include "tests/support/support.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What the application tells, in memory that outlives it. */
struct report {
    char file[128]; /* of the region it has open; "" while there is none */
    uint64_t count;
};

static volatile struct report *reported;

/* Count in groups, with instances that come and go, until the end. */
static void live(uint64_t seed)
{
    for (;;) {
        struct pl_prov *p;
        struct pl_prov_set one, valve;

        if (pl_prov_open(&p, "victim", publishing_table, NUM_OBJECTS, NULL))
            _exit(1);
        one = pl_prov_single(p, ENGINE);
        reported->count = 0;
        snprintf((char *)(uintptr_t)reported->file, sizeof reported->file, "%s",
                 strrchr(pl_prov_path(p), '/') + 1);
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        for (uint64_t n = 1; n < seed >> 54; n++) {
            valve = pl_prov_add(p, VALVE, "v", -1, NULL);
            pl_begin(one);
            pl_add(pl_prov_word_of(one, TURNS), 1);
            pl_add(pl_prov_word_of(one, LOAD), 2);
            pl_end(one);
            pl_add(pl_prov_word_of(valve, OPENED), n);
            reported->count = n;
            pl_prov_remove(&valve);
        }
        reported->file[0] = 0;
        pl_prov_close(p);
    }
}

/* A tenth of it is for regions: enough to read them all on a busy machine. */
#define INTERVAL_NS UINT64_C(100000000000)

static uint64_t word(const struct pl_region *g, uint32_t object, size_t n)
{
    const struct pl_region_object *o = g->table->objects[object].layout;

    return pl_region_image_words(&g->image, o, 0)[n];
}

/* True if nothing in this sample is wrong. */
static bool is_right(const struct pl_regions *r, bool dead, unsigned *finals)
{
    for (size_t i = 0; i < pl_regions_num(r); i++) {
        const struct pl_region *g = pl_regions_at(r, i);
        const struct pl_region_copy *c;

        if (g->state == PL_STATE_HIDDEN)
            continue;
        if (g->state == PL_STATE_INVALID) {
            printf("%s is not believed: %s\n", g->file,
                   pl_region_reason_text(g->reason));
            return false;
        }
        c = &g->image.copies[g->table->objects[0].layout->first_set];
        if (c->copied == PL_COPIED_GOOD && word(g, 0, 1) != 2 * word(g, 0, 0)) {
            printf("%s is torn\n", g->file);
            return false;
        }
        if (!dead ||
            strcmp(g->file, (const char *)(uintptr_t)reported->file) != 0)
            continue;
        ++*finals;
        if (g->state != PL_STATE_FINAL || word(g, 0, 0) < reported->count ||
            word(g, 0, 0) > reported->count + 1) {
            printf("%s had reported %" PRIu64 ", there are %" PRIu64 "\n",
                   g->file, reported->count, word(g, 0, 0));
            return false;
        }
    }
    return true;
}

static void pause_us(uint64_t us)
{
    struct timespec t = { 0, (long)(us * 1000) };

    nanosleep(&t, NULL);
}

static bool kill_one(struct pl_regions *r, uint64_t seed, unsigned *finals)
{
    pid_t child;
    bool good = true;

    memset((void *)(uintptr_t)reported, 0, sizeof *reported);
    child = fork();
    if (!child)
        live(seed);
    pause_us(seed >> 40 & 1023);
    if (seed >> 63) {
        pl_regions_scan(r);
        good = is_right(r, false, finals);
    }
    pause_us(seed >> 50 & 511);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    pl_regions_scan(r);
    good = good && is_right(r, true, finals);
    pl_regions_scan(r);
    if (good && publishing_files()) {
        printf("%zu files are left\n", publishing_files());
        return false;
    }
    return good;
}

int main(int argc, char **argv)
{
    unsigned long times = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    uint64_t seed = first;
    struct pl_machine machine;
    struct pl_counter_filter choice = { .list = NULL };
    struct pl_regions *r;
    unsigned finals = 0;

    memset(&machine, 0, sizeof machine);
    publishing_dir();
    reported = mmap(NULL, sizeof *reported, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (reported == MAP_FAILED)
        return EXIT_FAILURE;
    for (int reported_of = 0; reported_of < 2;
         reported_of++) { /* else it asks */
        if (pl_regions_open(&r, &machine, &choice, INTERVAL_NS, reported_of))
            return EXIT_FAILURE;
        for (unsigned long i = 0; i < (times + 1) / 2; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            if (!kill_one(r, seed, &finals)) {
                printf("kill %lu, reported %d, seed %" PRIu64 "\n", i,
                       reported_of, first);
                return EXIT_FAILURE;
            }
        }
        pl_regions_close(r);
    }
    printf("     applications killed          %lu killed, %u left their last "
           "counts, 0 lost, 0 wrong, seed %" PRIu64 "\n",
           times, finals, first);
    return times && !finals ? EXIT_FAILURE : EXIT_SUCCESS;
}
