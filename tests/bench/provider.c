/*
 * What publishing costs the application, and reading it the recorder, in
 * processor time.  Prints a table; not a test, as the figures are the
 * machine's.  From the release build:
 *
 *     bench_provider
 */
#include "logger/linux/machine/machine.h"
#include "logger/linux/published/regions.h"
#include "logger/provider/pl_provider.h"
#include "tests/support/publishing.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 11, UPDATES = 2000000, COUNTERS = 50 };

static double cpu_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The median of ROUNDS runs. */
static double median(double (*run)(void))
{
    double found[ROUNDS];

    for (int i = 0; i < ROUNDS; i++)
        found[i] = run();
    qsort(found, ROUNDS, sizeof *found, by_value);
    return found[ROUNDS / 2];
}

/* ---- the application --------------------------------------------------------*/

static struct pl_prov *prov;
static struct pl_prov_set one;
static struct pl_prov_word *turns, *load, *base;

/* Time of one pass of 'what', per update. */
#define PER_UPDATE(what)                                                       \
    double begun = cpu_ns(CLOCK_THREAD_CPUTIME_ID);                            \
    for (int i = 0; i < UPDATES; i++) {                                        \
        what;                                                                  \
    }                                                                          \
    return (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begun) / UPDATES

static double run_add(void)
{
    PER_UPDATE(pl_add(turns, 1));
}

static double run_own(void)
{
    PER_UPDATE(pl_own(turns, 1));
}

static double run_average(void)
{
    PER_UPDATE(pl_avg(one, load, base, 1));
}

static void own_group(void)
{
    pl_begin_own(one);
    for (int k = 0; k < 5; k++)
        pl_own(turns + k % 4, 1);
    pl_end_own(one);
}

static double run_owned_group(void)
{
    PER_UPDATE(own_group());
}

static void *add_many(void *arg)
{
    *(double *)arg = run_add();
    return NULL;
}

static double run_two_threads(void)
{
    pthread_t threads[2];
    double each[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add_many, &each[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return (each[0] + each[1]) / 2;
}

static double run_churn(void)
{
    double begun = cpu_ns(CLOCK_THREAD_CPUTIME_ID);

    for (int i = 0; i < 200000; i++) {
        struct pl_prov_set s = pl_prov_add(prov, VALVE, "valve", -1, NULL);

        pl_prov_remove(&s);
    }
    return (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begun) / 200000;
}

/* ---- a table of fifty, and one of many ---------------------------------------*/

static struct pl_prov_counter counters[COUNTERS];
static char names[COUNTERS][8];
static struct pl_prov_object fifty = {
    1,        "Bench Fifty",  "Fifty counters.",   PL_PROV_NO_INSTANCES,
    0,        PL_PROV_NOVICE, PL_PROV_PER_PROCESS, 1,
    counters, COUNTERS
};
static struct pl_prov_object many = { 1,
                                      "Bench Many",
                                      "Many instances.",
                                      65536,
                                      32,
                                      PL_PROV_NOVICE,
                                      0,
                                      1,
                                      counters,
                                      8 };

static void make_tables(void)
{
    for (uint32_t i = 0; i < COUNTERS; i++) {
        snprintf(names[i], sizeof names[i], "C%u", i);
        counters[i] = (struct pl_prov_counter){
            i + 1, PERF_COUNTER_LARGE_RAWCOUNT, names[i], "", 0, PL_PROV_NOVICE,
            0
        };
    }
}

static double run_open(void)
{
    double begun = cpu_ns(CLOCK_THREAD_CPUTIME_ID), open;
    struct pl_prov *p;

    pl_prov_open(&p, "bench", &fifty, 1, NULL);
    open = cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begun;
    pl_prov_close(p);
    return open / 1e3;
}

/* ---- the recorder --------------------------------------------------------------*/

static struct pl_machine machine;
static struct pl_regions *regions;

static double run_scan(void)
{
    double begun = cpu_ns(CLOCK_THREAD_CPUTIME_ID);

    for (int i = 0; i < 10; i++)
        pl_regions_scan(regions);
    return (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begun) / 1e3 / 10;
}

/* In a minute of samples, one a second. */
static double calls_a_sample(void)
{
    uint64_t before = machine.system_calls;

    for (int i = 0; i < 60; i++)
        pl_regions_scan(regions);
    return (double)(machine.system_calls - before) / 60;
}

static struct pl_buf block;

static double run_write(void)
{
    double begun = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    struct pl_titles *titles;
    uint32_t num = 0, generation = 0;

    if (pl_titles_new(&titles))
        abort();
    pl_buf_clear(&block);
    if (pl_published_write(pl_regions_tables(regions), &machine, &block, &num,
                           titles, &generation))
        abort();
    pl_titles_free(titles);
    return (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begun) / 1e3;
}

static void read_regions(const char *what, struct pl_prov_object *table,
                         unsigned num)
{
    static struct pl_prov *open[1000];
    struct pl_counter_filter choice = { .list = NULL };
    unsigned bad = 0;
    double first;

    for (unsigned i = 0; i < num; i++)
        if (pl_prov_open(&open[i], "bench", table, 1, NULL))
            abort();
    for (int32_t i = 0; i < table->max_instances; i++) {
        char name[32];

        snprintf(name, sizeof name, "instance %d", (int)i);
        pl_prov_add(open[0], 1, name, -1, NULL);
    }
    first = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    if (pl_regions_open(&regions, &machine, &choice, UINT64_C(100000000000),
                        true))
        abort();
    printf("%-44s %10.1f us\n", what,
           (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - first) / 1e3);
    printf("%-44s %10.1f us\n", "  a sample: list, ask, copy",
           median(run_scan));
    printf("%-44s %10.1f\n", "  system calls a sample", calls_a_sample());
    printf("%-44s %10.1f us\n", "  as objects of the block", median(run_write));
    for (size_t i = 0; i < pl_regions_num(regions); i++)
        bad += pl_regions_at(regions, i)->state != PL_STATE_LIVE;
    if (bad || pl_regions_num(regions) != num)
        printf("  only %zu of %u, %u not live\n", pl_regions_num(regions), num,
               bad);
    pl_regions_close(regions);
    for (unsigned i = 0; i < num; i++)
        pl_prov_close(open[i]);
}

int main(void)
{
    publishing_dir();
    make_tables();
    if (pl_prov_open(&prov, "bench", publishing_table, NUM_OBJECTS, NULL))
        return EXIT_FAILURE;
    one = pl_prov_single(prov, ENGINE);
    turns = pl_prov_word_of(one, TURNS);
    load = pl_prov_word_of(one, LOAD);
    base = pl_prov_word_of(one, LOAD_BASE);
    printf("%-44s %10.2f ns\n", "pl_add", median(run_add));
    printf("%-44s %10.2f ns\n", "pl_add, two threads, one word",
           median(run_two_threads));
    printf("%-44s %10.2f ns\n", "pl_own", median(run_own));
    printf("%-44s %10.2f ns\n", "pl_avg (a group of 2)", median(run_average));
    printf("%-44s %10.2f ns\n", "an owned group of 5", median(run_owned_group));
    printf("%-44s %10.2f ns\n", "pl_prov_add and pl_prov_remove",
           median(run_churn));
    printf("%-44s %10.1f us\n", "pl_prov_open, 50 counters", median(run_open));
    pl_prov_close(prov);
    read_regions("100 regions of 50 counters, met at first", &fifty, 100);
    read_regions("1,000 regions of 50 counters, met at first", &fifty, 1000);
    read_regions("65,536 instances of 8 counters, met at first", &many, 1);
    pl_buf_release(&block);
    return EXIT_SUCCESS;
}
