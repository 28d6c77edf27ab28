/* The table of a machine's default series. */
#include "analyze/query/default_series.h"

#include "analyze/amounts/ranking.h"

#include <string.h>

const struct pl_default_series pl_vitals[PL_NUM_VITALS] = {
    { .title = "Processor: % of all processors",
      .object = "Processor",
      .instance = "_Total",
      .counters = { "% Processor Time", "% User Time", "% Privileged Time",
                    "% System Time", "% Interrupt Time", "% DPC Time",
                    "% Steal Time", "% I/O Wait Time" },
      .form = PL_FORM_STACK,
      .in_sheet = 3 },
    { .title = "Each processor: % of its time",
      .object = "Processor",
      .counters = { "% Processor Time" },
      .busiest = true,
      .form = PL_FORM_HEAT },
    { .title = "Pressure: % of time in which something had to wait",
      .object = "Pressure Stall",
      .counters = { "% Some Stalled" },
      .alike = true,
      .in_sheet = 1 },
    { .title = "Run queue: threads that wait for a processor, or are blocked",
      .object = "System",
      .counters = { "Processor Queue Length", "Threads Blocked" } },
    { .title = "Memory: bytes",
      .object = "Memory",
      .counters = { "Available Bytes", "Committed Bytes" },
      .in_sheet = 2 },
    { .title = "Disks: bytes per second",
      .object = "PhysicalDisk",
      .instance = "_Total",
      .counters = { "Disk Read Bytes/sec", "Disk Write Bytes/sec" },
      .in_sheet = 2 },
    { .title = "Disks: operations per second",
      .object = "PhysicalDisk",
      .instance = "_Total",
      .counters = { "Disk Reads/sec", "Disk Writes/sec", "Flushes/sec" } },
    { .title = "Disks: time an operation takes",
      .object = "PhysicalDisk",
      .instance = "_Total",
      .counters = { "Avg. Disk sec/Read", "Avg. Disk sec/Write",
                    "Avg. Disk sec/Flush" } },
    { .title = "Disks: % of time in which they were busy",
      .object = "PhysicalDisk",
      .counters = { "% Busy Time" },
      .busiest = true },
    { .title = "File systems: % of space that is free",
      .object = "LogicalDisk",
      .counters = { "% Free Space" },
      .busiest = true,
      .least = true },
    { .title = "Network: bytes per second",
      .object = "Network Interface",
      .counters = { "Bytes Received/sec", "Bytes Sent/sec" },
      .in_sheet = 2 },
    { .title = "TCP: segments sent again per second",
      .object = "TCPv4",
      .counters = { "Segments Retransmitted/sec" } },
    { .title = "Busiest processes: % of one processor",
      .object = "Process",
      .counters = { "% Processor Time" },
      .busiest = true,
      .in_sheet = 1 },
    { .title = "Largest processes: working set in bytes",
      .object = "Process",
      .counters = { "Working Set" },
      .busiest = true,
      .in_sheet = 1 },
    { .title = "Processes that read and write most: bytes per second",
      .object = "Process",
      .counters = { "IO Data Bytes/sec" },
      .busiest = true,
      .in_sheet = 1 },
    { .title = "Busiest control groups: % of one processor",
      .object = "Control Group",
      .counters = { "% Processor Time" },
      .busiest = true,
      .nested = true },
    { .title = "Largest control groups: memory in bytes",
      .object = "Control Group",
      .counters = { "Memory Bytes" },
      .busiest = true,
      .nested = true },
    { .title = "Control groups at their limit: % of time throttled",
      .object = "Control Group",
      .counters = { "% Throttled Time" },
      .busiest = true,
      .nested = true },
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
