/* Which control groups are recorded, those of version 1 too, and whose I/O. */
#include "tests/support/proc_tree.h"
#include "tests/support/sample.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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
    /* 240:0 and 240:16 are disks, 253:0 is none that is recorded. */
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

/* ---- what is not read again ---------------------------------------------- */

static uint64_t limit_of(const char *group)
{
    return value_of(&sample, GROUP, group, "Memory Limit Bytes");
}

/*
 * The kernel refuses limits in the first group of a tree; the one mounted in a
 * namespace, which lacks a file, is another.
 */
START_TEST(the_first_group_has_no_limits_to_read_again)
{
    bool is_first = _i != 0;

    make(mounts_v1);
    if (is_first)
        put(MEMORY "/release_agent", "\n");
    put(MEMORY "/memory.limit_in_bytes", "9\n");
    ck_assert_int_eq(sample_open_all(&sample, temp_dir()), PL_OK);
    sample_take(&sample);
    put(MEMORY "/memory.limit_in_bytes", "7\n");
    put(MEMORY "/memory.usage_in_bytes", "6\n");
    put(MEMORY "/m/memory.limit_in_bytes", "8\n");
    sample_take(&sample);
    ck_assert_uint_eq(limit_of("/"), is_first ? 9 : 7);
    ck_assert_uint_eq(limit_of("/m"), 8);
    ck_assert_uint_eq(value_of(&sample, GROUP, "/", "Memory Bytes"), 6);
    sample_close(&sample);
}
END_TEST

static uint64_t kills_when(const char *vmstat, int of_group)
{
    char text[64];

    put("proc/vmstat", vmstat);
    snprintf(text, sizeof text, "oom_kill %d\n", of_group);
    put(MEMORY "/a/memory.oom_control", text);
    sample_take(&sample);
    return value_of(&sample, GROUP, "/a", "OOM Kills");
}

/* Unlike here, a group's count never changes without that of the machine. */
START_TEST(kills_are_read_again_after_a_kill)
{
    open_with(mounts_v1);
    ck_assert_uint_eq(kills_when("oom_kill 4\n", 43), 43);
    ck_assert_uint_eq(kills_when("oom_kill 4\n", 44), 44);
    ck_assert_uint_eq(kills_when("oom_kill 4\n", 45), 44);
    ck_assert_uint_eq(kills_when("oom_kill 5\n", 46), 46);
    /* counted in the group a moment later */
    ck_assert_uint_eq(kills_when("oom_kill 5\n", 47), 47);
    ck_assert_uint_eq(kills_when("oom_kill 5\n", 48), 47);
    for (int i = 0; i < 4; i++) /* an old kernel does not count */
        ck_assert_uint_eq(kills_when("pgfault 1\n", i), (uint64_t)i);
    sample_close(&sample);
}
END_TEST

/* ---- which groups ------------------------------------------------------- */

enum { SERVICES = 230, PLACES = 200 };

static const char *const tops[] = {
    "/init.scope",   "/kubepods.slice", "/machine.slice",
    "/system.slice", "/user.slice",
};

static void put_group(const char *path)
{
    char file[256];

    snprintf(file, sizeof file, V2 "%s/cpu.stat", path);
    put(file, "usage_usec 5\nuser_usec 3\nsystem_usec 2\n");
}

static void remove_group(const char *path)
{
    char file[256];

    snprintf(file, sizeof file, V2 "%s/cpu.stat", path);
    proc_tree_remove(temp_dir(), file);
    snprintf(file, sizeof file, V2 "%s", path);
    proc_tree_remove(temp_dir(), file);
}

static const char *service(int n)
{
    static char path[64];

    snprintf(path, sizeof path, "/system.slice/s%03d.service", n);
    return path;
}

static void open_services(const char *path)
{
    const char *paths[] = { path, NULL }, *why;

    proc_tree_make(temp_dir());
    for (int i = 0; i < SERVICES; i++)
        put_group(service(i));
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++)
        put_group(tops[i]);
    ck_assert_int_eq(sample_open(&sample, temp_dir(), paths, &why), PL_OK);
    sample_take(&sample);
}

static int num_groups(void)
{
    struct pl_object object;

    ck_assert(sample_object(&sample, GROUP, &object));
    return object.num_instances;
}

/* Of those below the first level the upper ones are recorded, then by name. */
START_TEST(the_first_level_is_recorded_whole)
{
    open_services(NULL);
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++)
        ck_assert_msg(has_instance(&sample, GROUP, tops[i]), "%s", tops[i]);
    ck_assert(has_instance(&sample, GROUP, "/"));
    ck_assert(has_instance(&sample, GROUP, "/a.slice/b"));
    ck_assert(!has_instance(&sample, GROUP, "/a.slice/b/c"));
    for (int i = 0; i < SERVICES; i++)
        ck_assert_msg(has_instance(&sample, GROUP, service(i)) ==
                          (i < PLACES - 1),
                      "%d", i);
    /* with /, /a.slice and the five */
    ck_assert_int_eq(num_groups(), PLACES + 7);
    sample_close(&sample);
}
END_TEST

START_TEST(a_group_keeps_its_place_while_it_lives)
{
    open_services(NULL);
    put_group("/system.slice/a.service");
    put_group("/a.slice/a");
    put_group("/new.slice");
    sample_take(&sample);
    ck_assert(has_instance(&sample, GROUP, service(PLACES - 2)));
    ck_assert(!has_instance(&sample, GROUP, "/system.slice/a.service"));
    ck_assert(!has_instance(&sample, GROUP, "/a.slice/a"));
    ck_assert(has_instance(&sample, GROUP, "/new.slice"));
    remove_group(service(7));
    sample_take(&sample);
    ck_assert(has_instance(&sample, GROUP, "/a.slice/a"));
    ck_assert(!has_instance(&sample, GROUP, "/system.slice/a.service"));
    ck_assert_int_eq(num_groups(), PLACES + 8);
    sample_close(&sample);
}
END_TEST

START_TEST(named_groups_need_no_place)
{
    open_services("+Control Group(/system.slice/s2*)\\*");
    ck_assert(has_instance(&sample, GROUP, service(SERVICES - 1)));
    ck_assert(has_instance(&sample, GROUP, service(PLACES - 2)));
    ck_assert(!has_instance(&sample, GROUP, service(PLACES - 1)));
    sample_close(&sample);
}
END_TEST

enum {
    CROWD = 16384 + 6, /* more than are walked of those that no path names */
    FIRST_LEVEL = 230,
};

/* A crowd at the second level, and one behind it that has another below. */
static void put_crowd(void)
{
    char file[128];

    proc_tree_make(temp_dir());
    for (int i = 0; i < CROWD; i++) {
        snprintf(file, sizeof file, "%s/" V2 "/a.slice/%05d", temp_dir(), i);
        ck_assert_int_eq(mkdir(file, 0755), 0);
    }
    put_group("/z.slice/x/named");
}

START_TEST(behind_a_crowd_named_groups_are_found_and_others_counted)
{
    const char *paths[] = { "+Control Group(/z.slice/x/named)\\*", NULL };
    char text[PL_NEWS_TEXT];
    enum pl_note_kind kind;
    unsigned num = 0;
    const char *why;

    put_crowd();
    ck_assert_int_eq(sample_open(&sample, temp_dir(), paths, &why), PL_OK);
    sample_take(&sample);
    ck_assert(has_instance(&sample, GROUP, "/z.slice/x/named"));
    sample_close(&sample);
    ck_assert_int_eq(sample_open(&sample, temp_dir(), NULL, &why), PL_OK);
    sample_take(&sample);
    ck_assert(pl_sampler_news(sample.sampler, &kind, text));
    ck_assert_int_eq(sscanf(text, "%u control groups are left out", &num), 1);
    ck_assert_uint_ge(num, CROWD - PLACES);
    ck_assert_uint_lt(num, CROWD);
    sample_close(&sample);
}
END_TEST

START_TEST(the_root_takes_no_place_of_the_first_level)
{
    const char *why;
    char path[32];

    proc_tree_make(temp_dir()); /* has /a.slice */
    for (int i = 0; i < FIRST_LEVEL; i++) {
        snprintf(path, sizeof path, "/b%03d.slice", i);
        put_group(path);
    }
    ck_assert_int_eq(sample_open(&sample, temp_dir(), NULL, &why), PL_OK);
    sample_take(&sample);
    ck_assert(has_instance(&sample, GROUP, "/"));
    ck_assert(has_instance(&sample, GROUP, "/b198.slice"));
    ck_assert(!has_instance(&sample, GROUP, "/b199.slice"));
    sample_close(&sample);
}
END_TEST

START_TEST(groups_left_out_are_said_once)
{
    char text[PL_NEWS_TEXT];
    enum pl_note_kind kind;

    open_services(NULL);
    ck_assert(pl_sampler_news(sample.sampler, &kind, text));
    ck_assert_int_eq(kind, PL_NOTE_TEXT);
    ck_assert_str_eq(
        text, "32 control groups are left out: at most 200 of the first level "
              "and 200 below it are recorded, and those that -c names");
    put_group("/a.slice/z");
    sample_take(&sample);
    ck_assert(!pl_sampler_news(sample.sampler, &kind, text));
    sample_close(&sample);
    /* Who chooses some misses no others. */
    open_services("Control Group(/a.slice)\\*");
    ck_assert(!pl_sampler_news(sample.sampler, &kind, text));
    sample_close(&sample);
    open_with(mounts_both);
    ck_assert(!pl_sampler_news(sample.sampler, &kind, text));
    sample_close(&sample);
}
END_TEST

/* ---- devices ------------------------------------------------------------ */

static const char more_disks[] =
    "  43 0 nbd0 9 0 9 9 9 0 9 9 0 9 9 0 0 0 0 0 0\n"
    " 252 0 zram0 9 0 9 9 9 0 9 9 0 9 9 0 0 0 0 0 0\n"
    " 253 0 dm-0 9 0 9 9 9 0 9 9 0 9 9 0 0 0 0 0 0\n";

/* The total of PhysicalDisk has nbd0, not zram0, nor dm-0 upon it. */
static void open_devices(const char *path)
{
    const char *paths[] = { path, NULL }, *why;

    proc_tree_make(temp_dir());
    put("proc/diskstats", more_disks);
    put("sys/dev/block/43:0/size", "1000\n");
    put("sys/dev/block/252:0/size", "1000\n");
    put("sys/dev/block/253:0/size", "1000\n");
    put("sys/dev/block/253:0/slaves/nbd0", "");
    put(V2 "/a.slice/io.stat", "253:0 rbytes=1\n43:0 rbytes=20\n"
                               "252:0 rbytes=300\n8:0 rbytes=4000\n");
    ck_assert_int_eq(sample_open(&sample, temp_dir(), paths, &why), PL_OK);
    sample_take(&sample);
}

static uint64_t bytes_read(void)
{
    return value_of(&sample, GROUP, "/a.slice", "Read Bytes/sec");
}

START_TEST(a_disk_needs_no_parent_device)
{
    open_devices(NULL);
    ck_assert_uint_eq(bytes_read(), 20);
    sample_close(&sample);
}
END_TEST

/* It is not 0 where no file says which devices count. */
START_TEST(without_disks_there_is_no_io)
{
    proc_tree_make(temp_dir());
    proc_tree_spoil(temp_dir(), "proc/diskstats");
    ck_assert_int_eq(sample_open_all(&sample, temp_dir()), PL_OK);
    sample_take(&sample);
    ck_assert(!has_counter(&sample, GROUP, "Read Bytes/sec"));
    ck_assert(!has_counter(&sample, GROUP, "Writes/sec"));
    ck_assert(has_counter(&sample, GROUP, "% Processor Time"));
    ck_assert(has_counter(&sample, GROUP, "Processes And Threads"));
    sample_close(&sample);
    open_devices("Control Group(/a.slice)\\Write Bytes/sec");
    ck_assert(has_counter(&sample, GROUP, "Write Bytes/sec"));
    sample_close(&sample);
}
END_TEST

/* Nothing is for ever: neither what a device is, nor that there is none. */
START_TEST(devices_become_others)
{
    char disks[512];

    open_devices("Control Group");
    snprintf(disks, sizeof disks,
             "%s   8 0 sda 9 0 9 9 9 0 9 9 0 9 9 0 0 0 0 0 0\n", more_disks);
    put("proc/diskstats", disks);
    put("sys/dev/block/8:0/size", "1000\n");
    sample_take(&sample);
    ck_assert_uint_eq(bytes_read(), 4020);
    proc_tree_remove(temp_dir(), "sys/dev/block/253:0/slaves/nbd0");
    sample.tick.monotonic_ns += 60 * INT64_C(1000000000);
    ck_assert_int_eq(pl_sampler_read(sample.sampler, &sample.tick,
                                     &sample.stats, &sample.block),
                     PL_OK);
    ck_assert_uint_eq(bytes_read(), 4021);
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
    tcase_add_loop_test(t, the_first_group_has_no_limits_to_read_again, 0, 2);
    tcase_add_test(t, kills_are_read_again_after_a_kill);
    tcase_add_test(t, the_first_level_is_recorded_whole);
    tcase_add_test(t, a_group_keeps_its_place_while_it_lives);
    tcase_add_test(t, named_groups_need_no_place);
    tcase_add_test(t, groups_left_out_are_said_once);
    tcase_add_test(t, behind_a_crowd_named_groups_are_found_and_others_counted);
    tcase_add_test(t, the_root_takes_no_place_of_the_first_level);
    tcase_add_test(t, a_disk_needs_no_parent_device);
    tcase_add_test(t, without_disks_there_is_no_io);
    tcase_add_test(t, devices_become_others);
    return run_suite("linux_groups", tcases);
}
