/* A made-up machine with two processors, two disks and five processes. */
#include "tests/support/proc_tree.h"

#include "tests/support/support.h"

#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* clang-format off */
const char proc_tree_meminfo[] =
    "MemTotal:        8000000 kB\n"
    "MemFree:         1000000 kB\n"
    "MemAvailable:    5000001 kB\n"
    "Buffers:          200000 kB\n"
    "Cached:          3000000 kB\n"
    "SwapCached:          100 kB\n"
    "Active:          2000000 kB\n"
    "Inactive:        1500000 kB\n"
    "Active(anon):     700001 kB\n"
    "Inactive(anon):   700002 kB\n"
    "Active(file):     700003 kB\n"
    "Inactive(file):   700004 kB\n"
    "Unevictable:        1001 kB\n"
    "Mlocked:            1002 kB\n"
    "SwapTotal:       2000000 kB\n"
    "SwapFree:        1500000 kB\n"
    "Zswap:              1003 kB\n"
    "Zswapped:           1004 kB\n"
    "Dirty:              1005 kB\n"
    "Writeback:            10 kB\n"
    "AnonPages:       1400000 kB\n"
    "Mapped:           400000 kB\n"
    "Shmem:            150000 kB\n"
    "KReclaimable:     250000 kB\n"
    "Slab:             350000 kB\n"
    "SReclaimable:     240000 kB\n"
    "SUnreclaim:       110000 kB\n"
    "KernelStack:        8000 kB\n"
    "PageTables:        20000 kB\n"
    "SecPageTables:        12 kB\n"
    "CommitLimit:     6000000 kB\n"
    "Committed_AS:    3000000 kB\n"
    "VmallocTotal:   34359738367 kB\n"
    "VmallocUsed:       40000 kB\n"
    "Percpu:             2000 kB\n"
    "HardwareCorrupted:     4 kB\n"
    "AnonHugePages:    204800 kB\n"
    "Balloon:               8 kB\n"
    "HugePages_Total:      10\n"
    "HugePages_Free:        4\n"
    "HugePages_Rsvd:        0\n"
    "HugePages_Surp:        0\n"
    "Hugepagesize:       2048 kB\n"
    "Hugetlb:           20480 kB\n";

/* Of these from 20001 on each value is one more than the one before. */
const char proc_tree_vmstat[] =
    "nr_free_pages 250000\n"
    "nr_dirty 251\n"
    "pgpgin 4000\n"
    "pgpgout 8000\n"
    "pswpin 7\n"
    "pgfault 123456789\n"
    "pgmajfault 4321\n"
    "pgsteal_kswapd 0\n"
    "pswpout 20002\n"
    "oom_kill 20003\n"
    "pgscan_kswapd 20004\n"
    "pgscan_direct 20005\n"
    "pgsteal_direct 20007\n"
    "pgscan_proactive 20008\n"
    "pgsteal_proactive 20009\n"
    "pgsteal_anon 20010\n"
    "pgsteal_file 20011\n"
    "allocstall_dma 20012\n"
    "allocstall_dma32 20013\n"
    "allocstall_normal 20014\n"
    "allocstall_movable 20015\n"
    "pgscan_direct_throttle 20016\n"
    "pageoutrun 20017\n"
    "workingset_refault_file 20018\n"
    "workingset_refault_anon 20019\n"
    "workingset_activate_file 20020\n"
    "workingset_activate_anon 20021\n"
    "pgalloc_dma 20022\n"
    "pgalloc_dma32 20023\n"
    "pgalloc_normal 20024\n"
    "pgalloc_movable 20025\n"
    "pgfree 20026\n"
    "pgactivate 20027\n"
    "pgdeactivate 20028\n"
    "nr_dirtied 20029\n"
    "nr_written 20030\n"
    "nr_dirty_threshold 20031\n"
    "nr_dirty_background_threshold 20032\n"
    "compact_stall 20033\n"
    "compact_fail 20034\n"
    "compact_success 20035\n"
    "compact_migrate_scanned 20036\n"
    "compact_free_scanned 20037\n"
    "pgmigrate_success 20038\n"
    "pgmigrate_fail 20039\n"
    "thp_fault_alloc 20040\n"
    "thp_fault_fallback 20041\n"
    "thp_collapse_alloc 20042\n"
    "thp_split_page 20043\n"
    "thp_swpout 20044\n"
    "numa_pte_updates 20045\n"
    "numa_hint_faults 20046\n"
    "numa_hint_faults_local 20047\n"
    "numa_pages_migrated 20048\n"
    "slabs_scanned 20049\n"
    "drop_pagecache 20050\n"
    "drop_slab 20051\n"
    "balloon_inflate 20052\n"
    "balloon_deflate 20053\n"
    "pgscan_khugepaged 30001\n"
    "pgsteal_khugepaged 30002\n";

static const char stat_text[] =
    "cpu  300 30 150 9000 90 6 12 3 40 5\n"
    "cpu0 100 10 50 3000 30 2 4 1 20 3\n"
    "cpu1 200 20 100 6000 60 4 8 2 20 2\n"
    "intr 123456 1 2 3 0 0 0\n"
    "ctxt 987654\n"
    "btime 1700000000\n"
    "processes 4242\n"
    "procs_running 5\n"
    "procs_blocked 1\n"
    "softirq 4294967290 1 2 3\n";

static const char swaps[] =
    "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
    "/dev/sda2            partition\t1500000\t\t400000\t\t-2\n"
    "/swap\\040file        file\t\t500000\t\t100000\t\t5\n";

/*
 * A loop device in use, a disk (major 240 is nobody's), its partition, an
 * empty drive, and the device that holds the tree itself.
 */
static const char diskstats[] =
    "   7       0 loop0 5 0 40 3 0 0 0 0 0 3 3 0 0 0 0 0 0\n"
    " 240       0 sda 1000 20 80000 4294967000 500 30 40000 2500 2 5000 6000 "
    "70 1 900 35 40 44\n"
    " 240       1 sda1 900 18 70000 3000 400 25 30000 2000 0 4000 5000 70 1 "
    "900 35 0 0\n"
    " 240      16 sdb 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
    " 241       0 sr0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
    "%4u %7u under1 901 18 70000 3000 400 25 30000 2000 0 4000 5000 70 1 "
    "900 35 0 0\n";

static const char net_dev[] =
    "Inter-|   Receive                            |  Transmit\n"
    " face |bytes packets errs drop fifo frame compressed multicast|bytes "
    "packets errs drop fifo colls carrier compressed\n"
    "    lo:    5000      50    0    0    0     0          0         0"
    "     5000      50    0    0    0     0       0          0\n"
    "  eth0:18446744073709551615 1000 1 2 3 4 5 600 20000 300 6 7 8 9 10 11\n";
/* clang-format on */

/* pid, name, state; times in ticks, 4 threads, nice 5, started at 1500. */
static void put_process(const char *dir, unsigned pid, const char *name,
                        char state, unsigned flags)
{
    char path[64], text[512];

    snprintf(path, sizeof path, "proc/%u/stat", pid);
    snprintf(text, sizeof text,
             "%u (%s) %c 1 1 1 0 -1 %u 100 7 3 2 50 20 11 9 25 5 4 0 1500 "
             "1048576 99 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 "
             "0 6 8 0 0 0 0 0 0 0 0 0\n",
             pid, name, state, flags);
    proc_tree_put(dir, path, text);
    snprintf(path, sizeof path, "proc/%u/statm", pid);
    proc_tree_put(dir, path,
                  state == 'Z' ? "0 0 0 0 0 0 0\n" : "256 100 40 10 0 50 0\n");
    snprintf(path, sizeof path, "proc/%u/io", pid);
    proc_tree_put(dir, path,
                  "rchar: 1001\nwchar: 2002\nsyscr: 30\nsyscw: 40\n"
                  "read_bytes: 4096\nwrite_bytes: 8192\n"
                  "cancelled_write_bytes: 512\n");
    snprintf(path, sizeof path, "proc/%u/status", pid);
    proc_tree_put(dir, path,
                  "Name:\tx\nGroups:\t0 1 2\nVmPeak:\t    2000 kB\n"
                  "VmLck:\t       4 kB\nVmHWM:\t     500 kB\n"
                  "RssAnon:\t     240 kB\nVmPTE:\t      44 kB\n"
                  "VmSwap:\t      16 kB\n");
    snprintf(path, sizeof path, "proc/%u/oom_score_adj", pid);
    proc_tree_put(dir, path, "-1000\n");
    snprintf(path, sizeof path, "proc/%u/fd/0", pid);
    proc_tree_put(dir, path, "");
    snprintf(path, sizeof path, "proc/%u/fd/1", pid);
    proc_tree_put(dir, path, "");
}

/*
 * The folder itself as a mount, twice, and once more behind a server that
 * must not be asked.
 */
static void put_mounts(const char *dir)
{
    char text[2048];
    const char *type;
    struct stat st;

    ck_assert_int_eq(stat(dir, &st), 0);
    type = major(st.st_dev) ? "ext4" : "tmpfs";
    snprintf(text, sizeof text,
             "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
             "39 27 %u:%u / %s rw - %s /dev/sda1 rw\n"
             "40 27 %u:%u /x %s rw shared:5 master:1 - %s /dev/sda1 rw\n"
             "41 27 0:99 / %s/sys rw - nfs4 server:/ rw\n"
             "38 41 %u:%u / %s/sys/class rw - %s /dev/sda1 rw\n"
             "30 27 0:26 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n"
             "55 27 0:50 / /mnt/a\\040b rw - nfs4 srv:/x rw\n"
             "43 27 240:8 / /nowhere/gone rw - ext4 /dev/sda8 rw\n"
             "cut off\n",
             major(st.st_dev), minor(st.st_dev), dir, type, major(st.st_dev),
             minor(st.st_dev), dir, type, dir, major(st.st_dev),
             minor(st.st_dev), dir, type);
    proc_tree_put(dir, "proc/self/mountinfo", text);
    snprintf(text, sizeof text, diskstats, major(st.st_dev), minor(st.st_dev));
    proc_tree_put(dir, "proc/diskstats", text);
}

static void put_sys(const char *dir)
{
    static const char *const files[][2] = {
        { "dev/block/7:0/size", "2048\n" },
        { "dev/block/7:0/diskseq", "3\n" },
        { "dev/block/240:0/size", "1000000\n" },
        { "dev/block/240:0/diskseq", "9\n" },
        { "dev/block/240:1/size", "900000\n" },
        { "dev/block/240:1/partition", "1\n" },
        { "dev/block/240:16/size", "2000000\n" },
        { "dev/block/241:0/size", "0\n" },
        { "class/net/lo/ifindex", "1\n" },
        { "class/net/lo/speed", "-1\n" },
        { "class/net/lo/mtu", "65536\n" },
        { "class/net/lo/carrier", "1\n" },
        { "class/net/eth0/ifindex", "4\n" },
        { "class/net/eth0/speed", "1000\n" },
        { "class/net/eth0/mtu", "1500\n" },
        { "class/net/eth0/carrier", "1\n" },
    };

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[96];

        snprintf(path, sizeof path, "sys/%s", files[i][0]);
        proc_tree_put(dir, path, files[i][1]);
    }
}

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

void proc_tree_make(const char *dir)
{
    nftw(path_in(dir, "proc"), remove_one, 16, FTW_DEPTH | FTW_PHYS);
    nftw(path_in(dir, "sys"), remove_one, 16, FTW_DEPTH | FTW_PHYS);
    proc_tree_put(dir, "proc/stat", stat_text);
    proc_tree_put(dir, "proc/loadavg", "1.32 0.18 10.05 3/417 4711\n");
    proc_tree_put(dir, "proc/meminfo", proc_tree_meminfo);
    proc_tree_put(dir, "proc/vmstat", proc_tree_vmstat);
    proc_tree_put(dir, "proc/swaps", swaps);
    proc_tree_put(dir, "proc/net/dev", net_dev);
    proc_tree_put(dir, "proc/self/statm", "500 300 200 10 0 50 0\n");
    proc_tree_put(dir, "proc/sys/kernel/task_delayacct", "1\n");
    proc_tree_put(dir, "proc/sys/kernel/random/boot_id",
                  "01234567-89ab-cdef-0123-456789abcdef\n");
    put_mounts(dir);
    put_sys(dir);
    proc_tree_more(dir);
    put_process(dir, 1, "init", 'S', 0x400100);
    put_process(dir, 17, "kworker/0:1-events_power_efficient", 'I', 0x4208060);
    put_process(dir, 18, "a_kernel_thread_with_a_name", 'S', 0x208040);
    put_process(dir, 300, "a) R (b", 'R', 0x400000);
    put_process(dir, 2000, "gone: wild", 'Z', 0x400004);
}

void proc_tree_put(const char *dir, const char *path, const char *text)
{
    char whole[512];

    ck_assert_int_lt(snprintf(whole, sizeof whole, "%s/%s", dir, path),
                     (int)sizeof whole);
    for (char *p = whole + strlen(dir) + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        mkdir(whole, 0700);
        *p = '/';
    }
    write_file(whole, text, strlen(text));
}

void proc_tree_remove(const char *dir, const char *path)
{
    char whole[512];

    snprintf(whole, sizeof whole, "%s/%s", dir, path);
    ck_assert_msg(remove(whole) == 0, "%s cannot be removed", whole);
}

void proc_tree_spoil(const char *dir, const char *path)
{
    char whole[512];

    snprintf(whole, sizeof whole, "%s/%s", dir, path);
    remove(whole);
    ck_assert_int_eq(mkdir(whole, 0700), 0);
}
