/* What a page shows: objects and counters, those of Windows beside Linux'. */
#include "analyze/moment/moment.h"

#include "format/base/near_name.h"

#include <string.h>

/* clang-format off */
#define COLUMN(title, unit, ...) { title, { __VA_ARGS__ }, unit, false, false }
#define MINOR(title, unit, ...) { title, { __VA_ARGS__ }, unit, false, true }
#define SUM(title, unit, ...) { title, { __VA_ARGS__ }, unit, true, true }

const struct pl_moment_columns pl_moment_columns[PL_MOMENT_SECTIONS] = {
    [PL_MOMENT_SYSTEM] = { { "System" }, {
        COLUMN("load", PL_UNIT_NUMBER, "Load Average 1 Minute"),
        COLUMN("", PL_UNIT_NUMBER, "Load Average 5 Minutes"),
        COLUMN("", PL_UNIT_NUMBER, "Load Average 15 Minutes"),
        COLUMN("runnable", PL_UNIT_NUMBER, "Threads Runnable",
               "Processor Queue Length"),
        COLUMN("blocked", PL_UNIT_NUMBER, "Threads Blocked"),
        COLUMN("switches", PL_UNIT_PER_SECOND, "Context Switches/sec"),
        COLUMN("new threads", PL_UNIT_PER_SECOND, "Threads Created/sec"),
        COLUMN("processes", PL_UNIT_NUMBER, "Processes"),
        COLUMN("threads", PL_UNIT_NUMBER, "Threads"),
        COLUMN("up", PL_UNIT_DURATION, "System Up Time"),
    } },
    [PL_MOMENT_PROCESSOR] = { { "Processor", "Processor Information" }, {
        COLUMN("busy", PL_UNIT_PERCENT, "% Processor Time"),
        COLUMN("user", PL_UNIT_PERCENT, "% User Time"),
        COLUMN("kernel", PL_UNIT_PERCENT, "% Privileged Time"),
        COLUMN("I/O wait", PL_UNIT_PERCENT, "% I/O Wait Time"),
        SUM("interrupts", PL_UNIT_PERCENT, "% Interrupt Time", "% DPC Time"),
        MINOR("stolen", PL_UNIT_PERCENT, "% Steal Time"),
    } },
    [PL_MOMENT_PRESSURE] = { { "Pressure Stall" }, {
        COLUMN("some", PL_UNIT_PERCENT, "% Some Stalled"),
        COLUMN("full", PL_UNIT_PERCENT, "% Full Stalled"),
    } },
    [PL_MOMENT_MEMORY] = { { "Memory" }, {
        COLUMN("total", PL_UNIT_BYTES, "Total Bytes"),
        COLUMN("available", PL_UNIT_BYTES, "Available Bytes"),
        COLUMN("cached", PL_UNIT_BYTES, "Cached Bytes", "Cache Bytes"),
        COLUMN("dirty", PL_UNIT_BYTES, "Dirty Bytes",
               "Modified Page List Bytes"),
        COLUMN("committed", PL_UNIT_BYTES, "Committed Bytes"),
        COLUMN("of", PL_UNIT_BYTES, "Commit Limit"),
        COLUMN("swap used", PL_UNIT_BYTES, "Swap Used Bytes"),
        COLUMN("of", PL_UNIT_BYTES, "Swap Total Bytes"),
        COLUMN("pages in", PL_UNIT_PER_SECOND, "Pages Input/sec"),
        COLUMN("out", PL_UNIT_PER_SECOND, "Pages Output/sec"),
    } },
    [PL_MOMENT_PAGING] = { { "Virtual Memory" }, {
        MINOR("swap in", PL_UNIT_PER_SECOND, "Swap Pages In/sec"),
        MINOR("swap out", PL_UNIT_PER_SECOND, "Swap Pages Out/sec"),
        MINOR("allocation stalls", PL_UNIT_PER_SECOND,
               "Allocation Stalls/sec"),
        MINOR("OOM kills", PL_UNIT_PER_SECOND, "OOM Kills/sec"),
    } },
    [PL_MOMENT_DISK] = { { "PhysicalDisk" }, {
        COLUMN("busy", PL_UNIT_PERCENT, "% Busy Time", "% Disk Time"),
        COLUMN("reads", PL_UNIT_PER_SECOND, "Disk Reads/sec"),
        COLUMN("writes", PL_UNIT_PER_SECOND, "Disk Writes/sec"),
        COLUMN("flushes", PL_UNIT_PER_SECOND, "Flushes/sec"),
        COLUMN("read", PL_UNIT_BYTES_PER_SECOND, "Disk Read Bytes/sec"),
        COLUMN("written", PL_UNIT_BYTES_PER_SECOND, "Disk Write Bytes/sec"),
        COLUMN("read in", PL_UNIT_SECONDS, "Avg. Disk sec/Read"),
        COLUMN("write in", PL_UNIT_SECONDS, "Avg. Disk sec/Write"),
    } },
    [PL_MOMENT_NETWORK] = { { "Network Interface" }, {
        COLUMN("received", PL_UNIT_BYTES_PER_SECOND, "Bytes Received/sec"),
        COLUMN("sent", PL_UNIT_BYTES_PER_SECOND, "Bytes Sent/sec"),
        COLUMN("packets in", PL_UNIT_PER_SECOND, "Packets Received/sec"),
        COLUMN("out", PL_UNIT_PER_SECOND, "Packets Sent/sec"),
        SUM("drops", PL_UNIT_PER_SECOND, "Receive Drops/sec",
            "Transmit Drops/sec"),
        SUM("errors", PL_UNIT_PER_SECOND, "Receive Errors/sec",
            "Transmit Errors/sec"),
    } },
    [PL_MOMENT_PROCESS] = { { "Process", "Process V2" }, {
        COLUMN("CPU", PL_UNIT_PERCENT, "% Processor Time"),
        COLUMN("memory", PL_UNIT_BYTES, "Working Set"),
        COLUMN("read", PL_UNIT_BYTES_PER_SECOND, "Storage Read Bytes/sec",
               "IO Read Bytes/sec"),
        COLUMN("written", PL_UNIT_BYTES_PER_SECOND, "Storage Write Bytes/sec",
               "IO Write Bytes/sec"),
        COLUMN("thr", PL_UNIT_NUMBER, "Thread Count"),
        COLUMN("user", PL_UNIT_CODE, "User ID"),
    } },
};

static const struct pl_moment_sort sorts[] = {
    { "cpu", NULL, { "% Processor Time" } },
    { "memory", NULL, { "Working Set" } },
    { "disk", NULL, { "Storage Read Bytes/sec", "Storage Write Bytes/sec" } },
    { "io", "all I/O", { "IO Data Bytes/sec" } },
};
/* clang-format on */

const struct pl_moment_sort *pl_moment_sort_of(const char *word)
{
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
        if (!strcmp(word, sorts[i].word))
            return &sorts[i];
    return NULL;
}

const char *pl_moment_sort_near(const char *word)
{
    const struct pl_text wanted = pl_text_of(word);

    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
        if (pl_name_is_near(pl_name_distance(wanted, pl_text_of(sorts[i].word)),
                            wanted))
            return sorts[i].word;
    return NULL;
}
