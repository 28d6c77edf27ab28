/* Published counters, for tests. */
#include "tests/support/publishing.h"

#include "tests/support/support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* In a folder of its own: recorders watch the parent of such a folder, too, and
 * what other programs make beside it must not be seen. */
static char parent_name[] = "/dev/shm/perflog-test-XXXXXX";
static char dir_name[sizeof parent_name + sizeof "/regions"];
static pid_t dir_owner;

static void remove_files(const char *path)
{
    DIR *d = opendir(path);
    struct dirent *e;

    while (d && (e = readdir(d)))
        unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    rmdir(path);
}

static void remove_dir(void)
{
    if (dir_owner != getpid())
        return;
    remove_files(dir_name);
    remove_files(parent_name);
}

const char *publishing_dir(void)
{
    if (dir_owner) /* a child has its parent's */
        return dir_name;
    if (!mkdtemp(parent_name))
        abort(); /* programs without the framework use this, too */
    snprintf(dir_name, sizeof dir_name, "%s/regions", parent_name);
    if (mkdir(dir_name, 0700))
        abort();
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
