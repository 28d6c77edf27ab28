/* Counters of NFS Client. */
#include "logger/linux/tables/objects.h"

/* clang-format off */
static const struct pl_counter nfs_client_rows[] = {
    { 21202, "Mount ID", PERF_COUNTER_LARGE_RAWCOUNT, 0, PL_WIZARD, "mount_id",
      PL_PLAIN, PL_TOTAL_NONE,
      "Number of the mount, to tell a new mount from an old one." },
    { 21204, "Operations/sec", PERF_COUNTER_BULK_COUNT, 0, PL_NOVICE, "ops",
      PL_PLAIN, PL_TOTAL_NONE,
      "Requests completed per second." },
    { 21206, "Read Operations/sec", PERF_COUNTER_BULK_COUNT, 0, PL_ADVANCED,
      "read_ops", PL_PLAIN, PL_TOTAL_NONE,
      "Read requests completed per second." },
    { 21208, "Write Operations/sec", PERF_COUNTER_BULK_COUNT, 0, PL_ADVANCED,
      "write_ops", PL_PLAIN, PL_TOTAL_NONE,
      "Write requests completed per second." },
    { 21210, "Read Bytes/sec", PERF_COUNTER_BULK_COUNT, -4, PL_NOVICE,
      "read_bytes", PL_PLAIN, PL_TOTAL_NONE,
      "Bytes read from the server per second." },
    { 21212, "Write Bytes/sec", PERF_COUNTER_BULK_COUNT, -4, PL_NOVICE,
      "write_bytes", PL_PLAIN, PL_TOTAL_NONE,
      "Bytes written to the server per second." },
    { 21214, "Avg. sec/Read", PERF_AVERAGE_TIMER, 3, PL_NOVICE, "read_ms",
      PL_MS, PL_TOTAL_NONE,
      "Mean time of a read request, waiting included." },
    { .index = 21214, .type = PERF_AVERAGE_BASE, .from = "read_ops" },
    { 21216, "Avg. sec/Write", PERF_AVERAGE_TIMER, 3, PL_NOVICE, "write_ms",
      PL_MS, PL_TOTAL_NONE,
      "Mean time of a write request, waiting included." },
    { .index = 21216, .type = PERF_AVERAGE_BASE, .from = "write_ops" },
    { 21218, "Avg. Round Trip sec", PERF_AVERAGE_TIMER, 3, PL_ADVANCED,
      "rtt_ms", PL_MS, PL_TOTAL_NONE,
      "Mean time from sending a request to the answer." },
    { .index = 21218, .type = PERF_AVERAGE_BASE, .from = "ops" },
    { 21220, "Retransmissions/sec", PERF_COUNTER_BULK_COUNT, 0, PL_ADVANCED,
      "transmissions - ops", PL_PLAIN, PL_TOTAL_NONE,
      "Requests sent again per second." },
    { 21222, "Timeouts/sec", PERF_COUNTER_BULK_COUNT, 0, PL_ADVANCED,
      "timeouts", PL_PLAIN, PL_TOTAL_NONE,
      "Requests per second that timed out." },
    { 21224, "Errors/sec", PERF_COUNTER_BULK_COUNT, 0, PL_ADVANCED, "errors",
      PL_PLAIN, PL_TOTAL_NONE,
      "Requests per second that ended in an error.",
      PL_LINUX(5, 2) },
};

const struct pl_table pl_nfs_client = PL_TABLE(nfs_client_rows);
/* clang-format on */
