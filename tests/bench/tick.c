/*
 * What a sample costs on this machine: processor time, system calls, bytes
 * and allocations, in all and for each object alone.  Prints a table; not a
 * test, as the figures are the machine's.
 *
 *     bench_tick [SAMPLES [INTERVAL_MS]]
 *
 * With an interval the caches are cold, as they are when recording.
 */
#include "format/block/winperf.h"
#include "logger/linux/tables/objects.h"
#include "logger/sampler.h"
#include "tests/support/allocations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { WARM_UP = 5 };

struct cost {
    double us; /* of processor time, as all others a sample */
    double calls, allocations;
    size_t bytes;
    uint32_t instances;
};

static double cpu_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* A counter of Performance Logger, by its title index. */
static uint64_t own(const struct pl_buf *block, uint32_t index)
{
    struct pl_counter_def def;
    struct pl_instance inst;
    struct pl_object o;
    struct pl_block b;
    uint64_t v = 0;

    if (pl_block_parse(&b, block->p, block->len))
        return 0;
    while (pl_object_next(&b, &o) == PL_OK)
        while (o.title_index == 21700 && pl_counter_next(&o, &def) == PL_OK)
            if (def.title_index == index &&
                pl_instance_next(&o, &inst) == PL_OK &&
                pl_counter_get(&o, &inst, &def, &v))
                return v;
    return 0;
}

/* False: nothing of the kind here. */
static bool measure(const char *path, bool all, unsigned samples,
                    unsigned interval_ms, struct cost *out)
{
    enum { SYSTEM_CALLS = 21730, INSTANCES = 21734 };
    struct pl_counter_path_list list = { 0 };
    struct pl_sampler_options options = { .choice = &list, .all = all };
    struct timespec pause = { interval_ms / 1000,
                              (long)(interval_ms % 1000) * 1000000 };
    struct pl_logger_stats stats = { 0 };
    struct pl_buf block = { 0 };
    struct pl_sampler *s = NULL;
    const char *why;
    uint64_t calls = 0;
    bool good = (!path || !pl_counter_path_list_add(&list, path, &why)) &&
                !pl_sampler_open(&s, &options, &why);

    *out = (struct cost){ 0 };
    for (unsigned i = 0; good && i < samples + WARM_UP; i++) {
        struct pl_tick now;
        double begun;
        size_t before;

        nanosleep(&pause, NULL);
        pl_sampler_clocks(&now);
        before = allocations;
        begun = cpu_us();
        good = !pl_sampler_read(s, &now, &stats, &block);
        if (i < WARM_UP) {
            calls = own(&block, SYSTEM_CALLS);
            continue;
        }
        out->us += (cpu_us() - begun) / samples;
        out->allocations += (double)(allocations - before) / samples;
    }
    if (good) {
        out->calls = (double)(own(&block, SYSTEM_CALLS) - calls) / samples;
        out->bytes = block.len;
        out->instances = (uint32_t)own(&block, INSTANCES);
    }
    pl_sampler_close(s);
    pl_counter_path_list_release(&list);
    pl_buf_release(&block);
    return good;
}

static void print(const char *name, const struct cost *c,
                  const struct cost *less)
{
    printf("%-26s %10.1f %8.1f %10zu %10" PRIu32 " %8.2f\n", name,
           c->us - less->us, c->calls - less->calls, c->bytes - less->bytes,
           c->instances, c->allocations);
}

int main(int argc, char **argv)
{
    unsigned samples = argc > 1 ? (unsigned)atoi(argv[1]) : 200;
    unsigned interval_ms = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    static const struct cost nothing;
    struct cost frame, c;
    struct rusage usage;

    if (!samples)
        return 1;
    printf("%-26s %10s %8s %10s %10s %8s\n", "a sample of", "CPU us", "calls",
           "bytes", "instances", "allocs");
    if (!measure("Performance Logger", false, samples, interval_ms, &frame))
        return 1;
    print("Performance Logger", &frame, &nothing);
    for (size_t i = 0; i < pl_num_objects; i++)
        if (!pl_objects[i]->always &&
            measure(pl_objects[i]->name, false, samples, interval_ms, &c))
            print(pl_objects[i]->name, &c, &frame);
    if (measure(NULL, false, samples, interval_ms, &c))
        print("(default)", &c, &nothing);
    if (measure(NULL, true, samples, interval_ms, &c))
        print("(everything)", &c, &nothing);
    getrusage(RUSAGE_SELF, &usage);
    printf("largest resident memory: %ld kB\n", usage.ru_maxrss);
    return 0;
}
