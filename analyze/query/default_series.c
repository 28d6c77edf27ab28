/* The table of a machine's default series. */
#include "analyze/query/default_series.h"

#include "analyze/replay/ranking.h"

#include <string.h>

const struct pl_default_series pl_vitals[PL_NUM_VITALS] = {
    { "Processor: % of all processors",
      "Processor",
      "_Total",
      { "% Processor Time", "% User Time", "% Privileged Time" },
      false },
    { "Pressure: % of time in which something had to wait",
      "Pressure Stall",
      NULL,
      { "% Some Stalled" },
      false },
    { "Memory: bytes",
      "Memory",
      NULL,
      { "Available Bytes", "Committed Bytes" },
      false },
    { "Disks: bytes per second",
      "PhysicalDisk",
      "_Total",
      { "Disk Read Bytes/sec", "Disk Write Bytes/sec" },
      false },
    { "Network: bytes per second",
      "Network Interface",
      NULL,
      { "Bytes Received/sec", "Bytes Sent/sec" },
      false },
    { "Busiest processes: % of one processor",
      "Process",
      NULL,
      { "% Processor Time" },
      true },
    { "Largest processes: working set in bytes",
      "Process",
      NULL,
      { "Working Set" },
      true },
    { "Processes that read and write most: bytes per second",
      "Process",
      NULL,
      { "IO Data Bytes/sec" },
      true },
};

unsigned pl_default_series_find(const struct pl_default_series *v,
                                const char *object, const char *instance,
                                const char *counter)
{
    unsigned i = 0;

    if (strcmp(object, v->object) != 0 ||
        (v->instance && (!instance || strcmp(instance, v->instance) != 0)) ||
        (v->busiest && instance && pl_ranking_excludes(object, instance)))
        return PL_VITAL_COUNTERS;
    while (i < PL_VITAL_COUNTERS &&
           (!v->counters[i] || strcmp(counter, v->counters[i]) != 0))
        i++;
    return i;
}
