/*                                                  tests/support/support.h
 * What several test programs need: running a suite, exact-size copies that
 * let AddressSanitizer see the first byte too far, files that go away.
 */
#ifndef PL_TESTS_SUPPORT_SUPPORT_H
#define PL_TESTS_SUPPORT_SUPPORT_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Check sends its parent a message for each assertion that holds, and the
 * parent moves all that have come for each: half of the time of some tests.
 * Without them a test that is killed is reported where it begins, not after its
 * last assertion; one that fails is reported as ever.
 */
#define _mark_point(file, line) ((void)(file), (void)(line))

/*
 * Run the tests of 'tcases' (ended by NULL) and return main's exit status.
 * CK_FORK=no in the environment runs them in this process, CK_RUN_CASE=NAME
 * one test case alone, CK_DEFAULT_TIMEOUT=SECONDS sets what a test may take.
 */
int run_suite(const char *name, TCase *const tcases[]);

/* Whether all of what takes long is wanted: run-all.sh full sets
 * PERFLOG_TEST_FULL.  Else, as in the gate, the part that tests/README.md names. */
bool runs_in_full(void);

/* A heap copy of exactly 'n' bytes; free it. */
uint8_t *exact_copy(const void *p, size_t n);

/*
 * A new empty directory that is removed with all that is in it when the
 * process that made it exits.  Valid until then.
 */
const char *temp_dir(void);

/* Set a variable of the environment unless it is set. */
void set_default(const char *name, const char *value);

/* Put a zone in force; false: this system has zones, but none by name. */
bool use_zone(const char *name);

/* Before each test: delete files of a test before in the same process. */
void forget_files(void);

/* "DIR/NAME" in a buffer that four calls share in turn. */
const char *path_in(const char *dir, const char *name);

/* The whole of a file; fails the test if it cannot be read. Free it. */
uint8_t *read_file(const char *path, size_t *n);

/* Cut a file short or add zeros; fails the test if that fails. */
void cut_file(const char *path, uint64_t size);

/* CPU time of this process so far, in seconds; on Windows clock() is not that. */
double cpu_seconds(void);

/* Make or replace a file; fails the test if it cannot be written. */
void write_file(const char *path, const void *p, size_t n);

#endif
