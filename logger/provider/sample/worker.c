/* A worker that counts its requests and how long they take. */
#define _POSIX_C_SOURCE 200809L
#include <pl_provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const struct pl_prov_counter counters[] = {
    { 1, PERF_COUNTER_BULK_COUNT, "Requests/sec", "Requests answered.", 0,
      PL_PROV_NOVICE, 0 },
    { 2, PERF_AVERAGE_TIMER, "Avg. sec/Request", "Time to answer one.", 3,
      PL_PROV_NOVICE, 0 },
    { 3, PERF_AVERAGE_BASE, NULL, NULL, 0, PL_PROV_NOVICE, 1 },
};
static const struct pl_prov_object table[] = {
    { 1, "Worker", "What this worker does.", PL_PROV_NO_INSTANCES, 0,
      PL_PROV_NOVICE, 0, 1, counters, 3 },
};

int main(int argc, char **argv)
{
    int requests = argc > 1 ? atoi(argv[1]) : 1000;
    struct pl_prov *p;
    struct pl_prov_set worker;
    struct pl_prov_word *spent, *answered;

    if (pl_prov_open(&p, "worker", table, 1, NULL))
        fprintf(stderr, "worker: no counters: %s\n", pl_prov_why(p));
    worker = pl_prov_single(p, 1);
    answered = pl_prov_word_of(worker, 1); /* also the base of the average */
    spent = pl_prov_word_of(worker, 2);
    for (int i = 0; i < requests; i++) {
        uint64_t began = pl_prov_ticks();

        nanosleep(&(struct timespec){ 0, 10000000 }, NULL); /* the work */
        pl_avg(worker, spent, answered, pl_prov_ticks() - began);
    }
    pl_prov_close(p);
    return 0;
}
