/*                                               tests/support/population.h
 * Processes for samplers to look at: some that sleep with memory and open
 * files in hand, some that burn, allocate, fork, exec, and start threads
 * without end, and what a process that half ended looks like.
 */
#ifndef PL_TESTS_SUPPORT_POPULATION_H
#define PL_TESTS_SUPPORT_POPULATION_H

#include <stdbool.h>
#include <sys/types.h>

enum { POPULATION_QUIET = 12, POPULATION_BUSY = 7 };

struct population {
    pid_t quiet[POPULATION_QUIET];
    pid_t busy[POPULATION_BUSY];
};

/* Start them, and wait until the quiet ones are.  Fails the test if not. */
void population_start(struct population *p);
void population_end(struct population *p);

bool population_is_quiet(const struct population *p, pid_t pid);

#endif
