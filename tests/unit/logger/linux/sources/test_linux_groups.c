/* Control groups of version 1, alone and beside version 2. */
#include "tests/support/proc_tree.h"
#include "tests/support/sample.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <string.h>

#define V2 "sys/fs/cgroup"
#define CPU "sys/fs/v1/cpu,cpuacct"
#define MEMORY "sys/fs/v1/memory"
#define BLKIO "sys/fs/v1/blkio"
#define PIDS "sys/fs/v1/pids"
#define GROUP "Control Group"

static struct sample sample;

/* clang-format off */
/* As /proc/self/mountinfo has them. */
static const char mounts_v1[] =
    "30 27 0:30 / /sys/fs/v1/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "31 27 0:31 / /sys/fs/v1/memory rw - cgroup cgroup rw,memory\n"
    "32 27 0:32 / /sys/fs/v1/blkio rw - cgroup cgroup rw,blkio\n"
    "33 27 0:33 / /sys/fs/v1/pids rw - cgroup cgroup rw,pids\n"
    "34 27 0:34 / /sys/fs/v1/systemd rw - cgroup cgroup rw,name=memory\n";

static const char mounts_both[] =
    "29 27 0:29 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
    "30 27 0:30 / /sys/fs/v1/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "31 27 0:31 / /sys/fs/v1/memory rw - cgroup cgroup rw,memory\n";

/* /a has all controllers, /m is in the tree of memory alone. */
static const char *const files[][2] = {
    { "proc/cgroups", "#subsys_name hierarchy num_cgroups enabled\n"
      "memory\t4\t3\t1\n" },
    { CPU "/cpuacct.usage", "9000000000\n" },
    { MEMORY "/memory.usage_in_bytes", "1000\n" },
    { BLKIO "/blkio.weight", "500\n" },
    { PIDS "/cgroup.procs", "1\n" },
    { CPU "/a/cpuacct.usage", "1234567890\n" },
    { CPU "/a/cpuacct.stat", "user 70\nsystem 50\n" },
    { CPU "/a/cpu.stat",
      "nr_periods 31\nnr_throttled 32\nthrottled_time 33000\n" },
    { CPU "/a/cpu.cfs_quota_us", "150000\n" },
    { CPU "/a/cpu.cfs_period_us", "100000\n" },
    { MEMORY "/a/memory.usage_in_bytes", "41000\n" },
    { MEMORY "/a/memory.limit_in_bytes", "9223372036854771712\n" },
    { MEMORY "/a/memory.failcnt", "42\n" },
    { MEMORY "/a/memory.oom_control",
      "oom_kill_disable 0\nunder_oom 0\noom_kill 43\n" },
    { MEMORY "/a/memory.kmem.usage_in_bytes", "44\n" },
    { MEMORY "/a/memory.stat",
      "cache 1\nrss 1\nswap 1\ndirty 1\npgfault 1\n"
      "hierarchical_memory_limit 1\ntotal_cache 51\ntotal_rss 52\n"
      "total_shmem 53\ntotal_dirty 54\ntotal_swap 55\ntotal_pgfault 56\n"
      "total_pgmajfault 57\ntotal_inactive_file 58\n"
      "total_workingset_refault_anon 59\ntotal_workingset_refault_file 60\n" },
    /* 240:0 and 240:16 are hardware, 253:0 lies on one of them. */
    { BLKIO "/a/blkio.throttle.io_service_bytes_recursive",
      "253:0 Read 9\n253:0 Write 9\n"
      "240:0 Read 61\n240:0 Write 62\n240:0 Sync 9\n240:0 Discard 63\n"
      "240:0 Total 186\n240:16 Read 1000\n240:16 Write 2000\nTotal 3186\n" },
    { BLKIO "/a/blkio.throttle.io_serviced_recursive",
      "240:0 Read 64\n240:0 Write 65\n240:0 Total 129\nTotal 129\n" },
    { PIDS "/a/pids.current", "71\n" },
    { PIDS "/a/pids.events", "max 72\n" },
    { MEMORY "/m/memory.usage_in_bytes", "81\n" },
    { MEMORY "/m/memory.limit_in_bytes", "82\n" },
    { MEMORY "/m/memory.failcnt", "0\n" },
    { MEMORY "/m/memory.oom_control", "oom_kill 0\n" },
    { MEMORY "/m/memory.stat", "total_swap 83\n" },
};

static const struct {
    const char *counter;
    uint64_t value;
} expected[] = {
    { "% Processor Time", 12345670 },
    { "% User Time", 7000000 },
    { "% Privileged Time", 5000000 },
    { "Periods/sec", 31 },
    { "Throttled Periods/sec", 32 },
    { "% Throttled Time", 330 },
    { "Processor Limit", 1500 },
    { "Memory Bytes", 41000 },
    { "Memory Limit Bytes", 0 },
    { "Memory Limit Hits/sec", 42 },
    { "OOM Kills", 43 },
    { "Kernel Bytes", 44 },
    { "File Bytes", 51 },
    { "Anonymous Bytes", 52 },
    { "Shared Memory Bytes", 53 },
    { "Dirty Bytes", 54 },
    { "Swap Bytes", 55 },
    { "Page Faults/sec", 56 },
    { "Major Page Faults/sec", 57 },
    { "Inactive File Bytes", 58 },
    { "Workingset Refaults/sec", 119 },
    { "Read Bytes/sec", 1061 },
    { "Write Bytes/sec", 2062 },
    { "Discard Bytes/sec", 63 },
    { "Reads/sec", 64 },
    { "Writes/sec", 65 },
    { "Processes And Threads", 71 },
    { "Process Limit Hits", 72 },
};
/* clang-format on */

static void put(const char *path, const char *text)
{
    proc_tree_put(temp_dir(), path, text);
}

static void make(const char *mounts)
{
    proc_tree_make(temp_dir());
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        put(files[i][0], files[i][1]);
    put("proc/self/mountinfo", mounts);
}

static void open_with(const char *mounts)
{
    make(mounts);
    ck_assert_int_eq(sample_open_all(&sample, temp_dir()), PL_OK);
    sample_take(&sample);
}

START_TEST(version_1_has_the_same_counters)
{
    open_with(mounts_v1);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        ck_assert_msg(value_of(&sample, GROUP, "/a", expected[i].counter) ==
                          expected[i].value,
                      "%s", expected[i].counter);
    ck_assert_uint_eq(value_of(&sample, GROUP, "/", "% Processor Time"),
                      90000000);
    ck_assert_uint_eq(value_of(&sample, GROUP, "/a", "Data Flags"), 0);
    sample_close(&sample);
}
END_TEST

/* What no file has is not there, rather than 0. */
START_TEST(version_1_lacks_what_means_something_else)
{
    static const char *const lacking[] = {
        "Memory High Bytes",        "Memory High Events/sec",
        "OOM Events/sec",           "Socket Bytes",
        "Pages Scanned/sec",        "Pages Reclaimed/sec",
        "% Memory Some Stalled",    "Populated",
        "% Processor Full Stalled",
    };

    open_with(mounts_v1);
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++)
        ck_assert_msg(!has_counter(&sample, GROUP, lacking[i]), "%s",
                      lacking[i]);
    sample_close(&sample);
}
END_TEST

/* A group is one row, whichever trees it is in; what it lacks is marked. */
START_TEST(a_group_may_be_in_one_tree_only)
{
    struct pl_object object;

    open_with(mounts_v1);
    ck_assert(sample_object(&sample, GROUP, &object));
    ck_assert_int_eq(object.num_instances, 3);
    ck_assert_uint_eq(value_of(&sample, GROUP, "/m", "Memory Bytes"), 81);
    ck_assert_uint_eq(value_of(&sample, GROUP, "/m", "Memory Limit Bytes"), 82);
    ck_assert_uint_eq(value_of(&sample, GROUP, "/m", "Swap Bytes"), 83);
    /* processor time, I/O, tasks, the file memory.stat, and limits of time */
    ck_assert_uint_eq(value_of(&sample, GROUP, "/m", "Data Flags"),
                      1 | 4 | 8 | 16 | 64);
    sample_close(&sample);
}
END_TEST

START_TEST(no_quota_is_no_limit)
{
    make(mounts_v1);
    put(CPU "/a/cpu.cfs_quota_us", "-1\n");
    ck_assert_int_eq(sample_open_all(&sample, temp_dir()), PL_OK);
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, GROUP, "/a", "Processor Limit"), 0);
    ck_assert_uint_eq(value_of(&sample, GROUP, "/a", "Data Flags"), 0);
    sample_close(&sample);
}
END_TEST

/* memory.stat takes the kernel long: by default it is not read. */
START_TEST(swap_of_version_1_is_recorded_on_request)
{
    const char *why;

    make(mounts_v1);
    ck_assert_int_eq(sample_open(&sample, temp_dir(), NULL, &why), PL_OK);
    sample_take(&sample);
    ck_assert(has_counter(&sample, GROUP, "Memory Bytes"));
    ck_assert(!has_counter(&sample, GROUP, "Swap Bytes"));
    sample_close(&sample);
}
END_TEST

START_TEST(groups_of_version_1_come_and_go)
{
    open_with(mounts_v1);
    put(PIDS "/n/pids.current", "5\n");
    ck_assert_int_eq(rename(path_in(temp_dir(), MEMORY "/m"),
                            path_in(temp_dir(), "sys/fs/old")),
                     0);
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, GROUP, "/n", "Processes And Threads"),
                      5);
    ck_assert(!has_instance(&sample, GROUP, "/m"));
    ck_assert_uint_eq(value_of(&sample, GROUP, "/a", "Memory Bytes"), 41000);
    sample_close(&sample);
}
END_TEST

/* Where version 2 has a controller's files they count, else version 1's. */
START_TEST(both_versions_together)
{
    make(mounts_both);
    put(V2 "/a/cpu.stat", "usage_usec 5\nuser_usec 3\nsystem_usec 2\n");
    put(V2 "/a/cgroup.events", "populated 1\n");
    ck_assert_int_eq(sample_open_all(&sample, temp_dir()), PL_OK);
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, GROUP, "/a", "% Processor Time"), 50);
    ck_assert_uint_eq(value_of(&sample, GROUP, "/a", "% User Time"), 30);
    ck_assert_uint_eq(value_of(&sample, GROUP, "/a", "Periods/sec"), 31);
    ck_assert_uint_eq(value_of(&sample, GROUP, "/a", "Memory Bytes"), 41000);
    ck_assert_uint_eq(value_of(&sample, GROUP, "/a", "Populated"), 1);
    ck_assert_uint_eq(value_of(&sample, GROUP, "/m", "Memory Bytes"), 81);
    /* whether it has processes, version 1 does not say: bit 7 */
    ck_assert_uint_eq(value_of(&sample, GROUP, "/m", "Data Flags") & 128, 128);
    ck_assert_uint_eq(value_of(&sample, GROUP, "/a", "Data Flags") & 128, 0);
    sample_close(&sample);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("groups");
    TCase *const tcases[] = { t, NULL };

    tcase_add_test(t, version_1_has_the_same_counters);
    tcase_add_test(t, version_1_lacks_what_means_something_else);
    tcase_add_test(t, a_group_may_be_in_one_tree_only);
    tcase_add_test(t, no_quota_is_no_limit);
    tcase_add_test(t, swap_of_version_1_is_recorded_on_request);
    tcase_add_test(t, groups_of_version_1_come_and_go);
    tcase_add_test(t, both_versions_together);
    return run_suite("linux_groups", tcases);
}
