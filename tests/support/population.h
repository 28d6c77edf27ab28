/*                                               tests/support/population.h
 * Processes for samplers to look at: some that sleep with memory and open
 * files in hand, some that burn, allocate, fork, exec, and start threads
 * without end, and what a process that half ended looks like.
 */
#ifndef PL_TESTS_SUPPORT_POPULATION_H
#define PL_TESTS_SUPPORT_POPULATION_H

#include <stdbool.h>
#include <sys/types.h>

enum {
    POPULATION_QUIET = 12,
    POPULATION_BUSY = 7,
    POPULATION_BYTES = 8 << 20, /* of the next function's process */
    POPULATION_FILES = 5,
};

struct population {
    pid_t quiet[POPULATION_QUIET];
    pid_t busy[POPULATION_BUSY];
};

/* Start them, and wait until the quiet ones are.  Fails the test if not. */
void population_start(struct population *p);
void population_end(struct population *p);

/*
 * A child of two threads that has POPULATION_BYTES of memory and POPULATION_FILES
 * open files more than this process.  The second writes a byte to the socket 'to'
 * when all is there; the main one ends once it can read one from there.
 */
pid_t population_two_threads(int to);

bool population_is_quiet(const struct population *p, pid_t pid);

#endif
