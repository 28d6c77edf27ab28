/*                                               tests/support/publishing.h
 * What tests of published counters share: a folder on tmpfs of their own, and
 * a table with one of everything.
 */
#ifndef PL_TESTS_SUPPORT_PUBLISHING_H
#define PL_TESTS_SUPPORT_PUBLISHING_H

#include "logger/provider/pl_provider.h"

#include <stddef.h>
#include <stdint.h>

/* Objects and counters of the table. */
enum { ENGINE = 1, VALVE = 2, PIPE = 3, NUM_OBJECTS = 3, MAX_VALVES = 4 };
enum { TURNS = 1, TURNS_PER_SEC, LOAD, LOAD_BASE, SINCE };
enum { OPENED = 1, PRESSURE };

/*
 * Engine: no instances; counts, an average and a moment.  Valve: up to
 * MAX_VALVES instances.  Pipe: the same number, whose parents may be valves.
 */
extern const struct pl_prov_object publishing_table[NUM_OBJECTS];

/*
 * A new folder on tmpfs that PERFLOG_PROVIDER_DIR names from now on; removed
 * with all that is in it when the process that made it exits.
 */
const char *publishing_dir(void);

/* Files in it, those that begin with a dot too. */
size_t publishing_files(void);

/* Open a provider of the table; fails the test if that fails. */
struct pl_prov *publish(const char *program);

#endif
