/* Published counters, for tests. */
#include "tests/support/publishing.h"

#include "tests/support/support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct pl_prov_counter engine_counters[] = {
    { TURNS, PERF_COUNTER_LARGE_RAWCOUNT, "Turns", "Turns so far.", 0,
      PL_PROV_NOVICE, 0 },
    { TURNS_PER_SEC, PERF_COUNTER_BULK_COUNT, "Turns/sec", "Turns a second.",
      -3, PL_PROV_ADVANCED, TURNS },
    { LOAD, PERF_AVERAGE_BULK, "Avg. Load", "Load of a turn.", 1,
      PL_PROV_EXPERT, 0 },
    { LOAD_BASE, PERF_AVERAGE_BASE, NULL, NULL, 0, PL_PROV_EXPERT, 0 },
    { SINCE, PERF_ELAPSED_TIME, "Elapsed Time", "Seconds since it began.", 0,
      PL_PROV_NOVICE, 0 },
};
static const struct pl_prov_counter valve_counters[] = {
    { OPENED, PERF_COUNTER_COUNTER, "Opened/sec", "Openings a second.", 0,
      PL_PROV_NOVICE, 0 },
    { PRESSURE, PERF_COUNTER_RAWCOUNT, "Pressure", "Pressure now.", 0,
      PL_PROV_NOVICE, 0 },
};
const struct pl_prov_object publishing_table[NUM_OBJECTS] = {
    { ENGINE, "Test Engine", "An engine.", PL_PROV_NO_INSTANCES, 0,
      PL_PROV_NOVICE, 0, TURNS_PER_SEC, engine_counters, 5 },
    { VALVE, "Test Valve", "Its valves.", MAX_VALVES, 16, PL_PROV_ADVANCED, 0,
      OPENED, valve_counters, 2 },
    { PIPE, "Test Pipe", "Pipes of a valve.", MAX_VALVES, 16, PL_PROV_WIZARD, 0,
      PRESSURE, valve_counters, 2 },
};

static char dir_name[] = "/dev/shm/perflog-test-XXXXXX";
static pid_t dir_owner;

static void remove_dir(void)
{
    DIR *d = dir_owner == getpid() ? opendir(dir_name) : NULL;
    struct dirent *e;

    while (d && (e = readdir(d)))
        unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    if (d)
        rmdir(dir_name);
}

const char *publishing_dir(void)
{
    if (dir_owner) /* a child has its parent's */
        return dir_name;
    if (!mkdtemp(dir_name))
        abort(); /* programs without the framework use this, too */
    dir_owner = getpid();
    atexit(remove_dir);
    setenv("PERFLOG_PROVIDER_DIR", dir_name, 1);
    return dir_name;
}

size_t publishing_files(void)
{
    DIR *d = opendir(dir_name);
    struct dirent *e;
    size_t n = 0;

    if (!d)
        abort();
    while ((e = readdir(d)))
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

struct pl_prov *publish(const char *program)
{
    struct pl_prov *p;

    publishing_dir();
    ck_assert_msg(
        !pl_prov_open(&p, program, publishing_table, NUM_OBJECTS, NULL), "%s",
        pl_prov_why(p));
    ck_assert_str_eq(pl_prov_why(p), "");
    return p;
}
