/* Counters of Thread. */
#include "logger/linux/tables/objects.h"

/* clang-format off */
static const struct pl_counter thread_rows[] = {
    { 6, "% Processor Time", PERF_100NSEC_TIMER, 0, PL_NOVICE,
      "run_time | utime + stime", PL_PLAIN, PL_TOTAL_NONE,
      "Share of one processor's time used by the thread." },
    { 142, "% User Time", PERF_100NSEC_TIMER, 0, PL_ADVANCED, "utime", PL_PLAIN,
      PL_TOTAL_NONE,
      "Share of time in the program's own code." },
    { 144, "% Privileged Time", PERF_100NSEC_TIMER, 0, PL_ADVANCED, "stime",
      PL_PLAIN, PL_TOTAL_NONE,
      "Share of time in the kernel for this thread." },
    { 146, "Context Switches/sec", PERF_COUNTER_BULK_COUNT, -1, PL_NOVICE,
      "switches", PL_PLAIN, PL_TOTAL_NONE,
      "Times per second the thread left the processor; Windows: times it was "
      "put on one." },
    { 684, "Elapsed Time", PERF_ELAPSED_TIME, -4, PL_ADVANCED, "started",
      PL_SINCE_BOOT, PL_TOTAL_NONE,
      "Seconds since the thread was started." },
    { 694, "Priority Current", PERF_COUNTER_RAWCOUNT, 0, PL_EXPERT,
      "priority_now", PL_PLAIN, PL_TOTAL_NONE,
      "Priority the scheduler uses now, larger is more urgent, same scale as "
      "Priority Base." },
    { 682, "Priority Base", PERF_COUNTER_RAWCOUNT, 0, PL_EXPERT, "priority",
      PL_PLAIN, PL_TOTAL_NONE,
      "Priority set for the thread." },
    { 46, "Thread State", PERF_COUNTER_RAWCOUNT, 0, PL_ADVANCED, "nt_state",
      PL_PLAIN, PL_TOTAL_NONE,
      "State in Windows' numbers: 1 ready, 2 running, 4 ended, 5 waiting; "
      "read from /proc, ready counts as running." },
    { 784, "ID Process", PERF_COUNTER_RAWCOUNT, -1, PL_NOVICE, "pid", PL_PLAIN,
      PL_TOTAL_NONE,
      "Number of the process." },
    { 804, "ID Thread", PERF_COUNTER_RAWCOUNT, -1, PL_NOVICE, "tid", PL_PLAIN,
      PL_TOTAL_NONE,
      "Number of the thread." },
    { 23202, "State", PERF_COUNTER_TEXT, 0, PL_ADVANCED, "state", PL_PLAIN,
      PL_TOTAL_NONE,
      "State letter: R runs or is ready, S sleeps, D waits for a device, Z has "
      "ended, T and t are stopped, I is idle." },
    { 23204, "% Run Queue Wait Time", PERF_100NSEC_TIMER, 0, PL_NOVICE,
      "run_delay", PL_PLAIN, PL_TOTAL_NONE,
      "Share of time the thread was ready but waited for a processor." },
    { 23206, "Time Slices/sec", PERF_COUNTER_BULK_COUNT, -1, PL_EXPERT,
      "slices", PL_PLAIN, PL_TOTAL_NONE,
      "Times per second the thread was put on a processor." },
    { 28, "Page Faults/sec", PERF_COUNTER_BULK_COUNT, -1, PL_ADVANCED,
      "minflt + majflt", PL_PLAIN, PL_TOTAL_NONE,
      "Page faults of the thread per second." },
    { 23210, "Last Processor", PERF_COUNTER_RAWCOUNT, 0, PL_EXPERT,
      "processor", PL_PLAIN, PL_TOTAL_NONE,
      "Processor the thread ran on last." },
    { 23212, "Storage Read Bytes/sec", PERF_COUNTER_BULK_COUNT, -4, PL_ADVANCED,
      "read_bytes", PL_PLAIN, PL_TOTAL_NONE,
      "Bytes per second the thread made devices read." },
    { 23214, "Storage Write Bytes/sec", PERF_COUNTER_BULK_COUNT, -4,
      PL_ADVANCED, "write_bytes", PL_PLAIN, PL_TOTAL_NONE,
      "Bytes per second the thread made devices write." },
    { 23218, "Data Flags", PERF_COUNTER_RAWCOUNT_HEX, 0, PL_WIZARD,
      "data_flags", PL_PLAIN, PL_TOTAL_NONE,
      "Which groups of counters could not be read for this thread." },
};

const struct pl_table pl_thread = PL_TABLE(thread_rows);
/* clang-format on */
