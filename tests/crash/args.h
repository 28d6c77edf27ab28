/*                                                       tests/crash/args.h
 * The command line of the crash programs, and running what needs the test
 * library's support outside of its forks and time limits.
 */
#ifndef PL_TESTS_CRASH_ARGS_H
#define PL_TESTS_CRASH_ARGS_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>

enum { MAX_ARGS = 4 };

/* Numbers that may be given as '--NAME N'; '--full' chooses the others. */
struct crash_args {
    const char *names[MAX_ARGS]; /* up to the first NULL */
    uint64_t values[MAX_ARGS];   /* what is meant without; later: what holds */
    uint64_t gate[MAX_ARGS];     /* the same of the gate; 0: it is no other */
    uint64_t full[MAX_ARGS];
    bool is_full;
};

/* Ends the program with 2 if the words make no sense. */
void crash_args_read(struct crash_args *a, int argc, char **argv);

/* Run one test in this process; main's exit status. */
int crash_run(const TTest *test);

#endif
