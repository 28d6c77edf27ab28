/*
 * The Linux sampler over a made-up machine (proc_tree.c) whose every number
 * is known.  Ticks are 10 ms here as everywhere, so 1 tick is 100,000.
 */
#include "format/time/time_text.h"
#include "format/block/titles.h"
#include "tests/support/proc_tree.h"
#include "tests/support/sample.h"
#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <time.h>

#define KIB UINT64_C(1024)
#define TICK UINT64_C(100000)
#define MS UINT64_C(10000)

static struct sample sample;

/* ---- golden values ------------------------------------------------------ */

struct golden {
    const char *object, *instance, *counter;
    uint64_t value;
    bool base;
};

/* clang-format off */
static const struct golden golden[] = {
    { "System", NULL, "Context Switches/sec", 987654, false },
    /* 5 runnable - 1 - 2 processors */
    { "System", NULL, "Processor Queue Length", 2, false },
    { "System", NULL, "Processes", 5, false },
    { "System", NULL, "Threads", 417, false },
    { "System", NULL, "Total Interrupts/sec", 123456, false },
    { "System", NULL, "Total DPCs Queued/sec", 4294967290, false },
    { "System", NULL, "Load Average 1 Minute", 1320, false },
    { "System", NULL, "Load Average 5 Minutes", 180, false },
    { "System", NULL, "Load Average 15 Minutes", 10050, false },
    { "System", NULL, "Threads Created/sec", 4242, false },
    { "System", NULL, "Threads Runnable", 5, false },
    { "System", NULL, "Threads Blocked", 1, false },
    { "System", NULL, "Processors Online", 2, false },

    /* cpu1 200 20 100 6000 60 4 8 2 20 2 */
    { "Processor", "1", "% Processor Time", 6060 * TICK, false },
    { "Processor", "1", "% User Time", 220 * TICK, false },
    { "Processor", "1", "% Privileged Time", 112 * TICK, false },
    { "Processor", "1", "% DPC Time", 8 * TICK, false },
    { "Processor", "1", "% Interrupt Time", 4 * TICK, false },
    { "Processor", "1", "% Idle Time", 6060 * TICK, false },
    { "Processor", "1", "% System Time", 100 * TICK, false },
    { "Processor", "1", "% Nice Time", 20 * TICK, false },
    { "Processor", "1", "% I/O Wait Time", 60 * TICK, false },
    { "Processor", "1", "% Steal Time", 2 * TICK, false },
    { "Processor", "1", "% Guest Time", 22 * TICK, false },
    { "Processor", "0", "% User Time", 110 * TICK, false },

    { "Memory", NULL, "Page Faults/sec", 123456789, false },
    { "Memory", NULL, "Available Bytes", 5000001 * KIB, false },
    { "Memory", NULL, "Available KBytes", 5000001, false },
    { "Memory", NULL, "Available MBytes", 4882, false },
    { "Memory", NULL, "% Committed Bytes In Use", 3000000 * KIB, false },
    { "Memory", NULL, "% Committed Bytes In Use", 6000000 * KIB, true },
    /* KiB to pages of 4 KiB: (4000 + 8000) / 4 */
    { "Memory", NULL, "Pages/sec", 3000, false },
    { "Memory", NULL, "Pages Input/sec", 1000, false },
    { "Memory", NULL, "Pages Output/sec", 2000, false },
    { "Memory", NULL, "Page Reads/sec", 4321, false },
    /* 3000000 + 200000 - 150000 */
    { "Memory", NULL, "Cache Bytes", 3050000 * KIB, false },
    { "Memory", NULL, "Modified Page List Bytes", 1015 * KIB, false },
    { "Memory", NULL, "% In Use", 2999999 * KIB, false },
    { "Memory", NULL, "% In Use", 8000000 * KIB, true },
    { "Memory", NULL, "Active Anonymous Bytes", 700001 * KIB, false },
    { "Memory", NULL, "Inactive File Bytes", 700004 * KIB, false },
    { "Memory", NULL, "Huge Pages Reserved Pool Bytes", 20480 * KIB, false },
    { "Memory", NULL, "Huge Pages Free Bytes", 8192 * KIB, false },
    { "Memory", NULL, "Hardware Corrupted Bytes", 4 * KIB, false },
    { "Memory", NULL, "Swap Used Bytes", 500000 * KIB, false },

    { "Paging File", "/dev/sda2", "% Usage", 400000 * KIB, false },
    { "Paging File", "/dev/sda2", "% Usage", 1500000 * KIB, true },
    { "Paging File", "/dev/sda2", "Priority", 32766, false },
    { "Paging File", "/swap file", "Used Bytes", 100000 * KIB, false },
    { "Paging File", "/swap file", "Priority", 32773, false },

    { "PhysicalDisk", "sda", "Current Disk Queue Length", 2, false },
    { "PhysicalDisk", "sda", "% Disk Time", 4294969500 * MS, false },
    { "PhysicalDisk", "sda", "% Disk Write Time", 2500 * MS, false },
    { "PhysicalDisk", "sda", "Avg. Disk sec/Transfer", 1500, true },
    { "PhysicalDisk", "sda", "Avg. Disk sec/Write", 2500 * MS, false },
    { "PhysicalDisk", "sda", "Disk Bytes/sec", 120000 * 512, false },
    { "PhysicalDisk", "sda", "Avg. Disk Bytes/Read", 80000 * 512, false },
    { "PhysicalDisk", "sda", "Avg. Disk Bytes/Read", 1000, true },
    { "PhysicalDisk", "sda", "% Idle Time", 5000 * MS, false },
    { "PhysicalDisk", "sda", "% Busy Time", 5000 * MS, false },
    { "PhysicalDisk", "sda", "Merged Reads/sec", 20, false },
    { "PhysicalDisk", "sda", "Discard Bytes/sec", 900 * 512, false },
    { "PhysicalDisk", "sda", "Avg. Disk sec/Discard", 35 * MS, false },
    { "PhysicalDisk", "sda", "Flushes/sec", 40, false },
    { "PhysicalDisk", "sda", "Avg. Disk sec/Flush", 44 * MS, false },
    { "PhysicalDisk", "sda", "Avg. All Requests Queue Length", 6000 * MS,
      false },
    { "PhysicalDisk", "sda", "Device Number", 240 << 20, false },
    { "PhysicalDisk", "sda", "Disk Sequence", 9, false },
    { "PhysicalDisk", "sda", "Size Bytes", 512000000, false },

    { "Network Interface", "lo", "Bytes Total/sec", 10000, false },
    { "Network Interface", "lo", "Current Bandwidth", 0, false },
    { "Network Interface", "lo", "Link Up", 1, false },
    { "Network Interface", "eth0", "Bytes Received/sec", UINT64_MAX, false },
    { "Network Interface", "eth0", "Packets/sec", 1300, false },
    { "Network Interface", "eth0", "Current Bandwidth", 1000000000, false },
    { "Network Interface", "eth0", "Packets Received Unicast/sec", 400,
      false },
    { "Network Interface", "eth0", "Packets Received Non-Unicast/sec", 600,
      false },
    { "Network Interface", "eth0", "Packets Received Errors", 1, false },
    { "Network Interface", "eth0", "Receive Drops/sec", 2, false },
    { "Network Interface", "eth0", "Receive FIFO Errors/sec", 3, false },
    { "Network Interface", "eth0", "Frame Errors/sec", 4, false },
    { "Network Interface", "eth0", "Bytes Sent/sec", 20000, false },
    { "Network Interface", "eth0", "Transmit Errors/sec", 6, false },
    { "Network Interface", "eth0", "Packets Outbound Discarded", 7, false },
    { "Network Interface", "eth0", "Carrier Errors/sec", 10, false },
    { "Network Interface", "eth0", "Interface Index", 4, false },
    { "Network Interface", "eth0", "MTU", 1500, false },

    { "Process", "a) R (b:300", "% Processor Time", 70 * TICK, false },
    { "Process", "a) R (b:300", "% User Time", 50 * TICK, false },
    { "Process", "a) R (b:300", "% Privileged Time", 20 * TICK, false },
    { "Process", "a) R (b:300", "% Reaped Children Time", 20 * TICK, false },
    { "Process", "a) R (b:300", "% Guest Time", 8 * TICK, false },
    { "Process", "a) R (b:300", "% Block I/O Wait Time", 6 * TICK, false },
    { "Process", "a) R (b:300", "Virtual Bytes", 1048576, false },
    { "Process", "a) R (b:300", "Page Faults/sec", 103, false },
    { "Process", "a) R (b:300", "Major Page Faults/sec", 3, false },
    { "Process", "a) R (b:300", "Working Set", 409600, false },
    { "Process", "a) R (b:300", "Shared Resident Bytes", 163840, false },
    { "Process", "a) R (b:300", "Working Set - Private", 245760, false },
    { "Process", "a) R (b:300", "Thread Count", 4, false },
    { "Process", "a) R (b:300", "Priority Base", 14, false }, /* 19 - 5 */
    { "Process", "a) R (b:300", "ID Process", 300, false },
    { "Process", "a) R (b:300", "Creating Process ID", 1, false },
    { "Process", "a) R (b:300", "State", 'R', false },
    { "Process", "a) R (b:300", "IO Read Operations/sec", 30, false },
    { "Process", "a) R (b:300", "IO Data Operations/sec", 70, false },
    { "Process", "a) R (b:300", "IO Data Bytes/sec", 3003, false },
    { "Process", "a) R (b:300", "Storage Read Bytes/sec", 4096, false },
    { "Process", "a) R (b:300", "Storage Write Bytes/sec", 8192, false },
    { "Process", "a) R (b:300", "Cancelled Write Bytes/sec", 512, false },
    { "Process", "a) R (b:300", "Data Flags", 0, false },
    { "Process", "gone: wild:2000", "State", 'Z', false },
    { "Process", "gone: wild:2000", "Working Set", 0, false },

    { "Performance Logger", NULL, "Working Set", 1228800, false },
    { "Performance Logger", NULL, "Samples Written", 11, false },
    { "Performance Logger", NULL, "Avg. Lateness sec", 12, false },
    { "Performance Logger", NULL, "Avg. Lateness sec", 14, true },
    { "Performance Logger", NULL, "Last Lateness Microseconds", 13, false },
    { "Performance Logger", NULL, "% Compressed Size", 15, false },
    { "Performance Logger", NULL, "% Compressed Size", 16, true },
    { "Performance Logger", NULL, "Free Disk Bytes", 17, false },
};
/* clang-format on */

START_TEST(every_number_is_where_it_belongs)
{
    sample_open_tree(&sample);
    sample.stats = (struct pl_logger_stats){
        .samples_written = 11,
        .lateness_100ns = 12,
        .last_lateness_100ns = 137, /* 13.7 us */
        .samples_taken = 14,
        .log_bytes = 15,
        .block_bytes = 16,
        .free_bytes = 17,
    };
    sample_take(&sample);
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        const struct golden *g = &golden[i];
        uint64_t v = 0;

        ck_assert_msg(sample_value(&sample, g->object, g->instance, g->counter,
                                   g->base, &v),
                      "no %s(%s)\\%s", g->object,
                      g->instance ? g->instance : "", g->counter);
        ck_assert_msg(v == g->value, "%s(%s)\\%s is %llu, not %llu", g->object,
                      g->instance ? g->instance : "", g->counter,
                      (unsigned long long)v, (unsigned long long)g->value);
    }
    sample_close(&sample);
}
END_TEST

START_TEST(objects_stand_in_their_order)
{
    static const struct {
        uint32_t index;
        int32_t instances;
    } expected[] = {
        { 2, -1 },     { 238, 2 },   { 20000, 3 }, { 4, -1 },
        { 20100, -1 }, { 700, 2 },   { 234, 2 },   { 236, 1 },
        { 510, 2 },    { 546, -1 },  { 548, -1 },  { 638, -1 },
        { 21400, -1 }, { 658, -1 },  { 1532, -1 }, { 21300, -1 },
        { 21600, -1 }, { 20600, 2 }, { 20400, 4 }, { 230, 5 },
        { 21700, -1 },
    };
    struct pl_object o;
    struct pl_block b;

    sample_open_tree(&sample);
    sample_take(&sample);
    ck_assert_int_eq(pl_block_parse(&b, sample.block.p, sample.block.len),
                     PL_OK);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        ck_assert_int_eq(pl_object_next(&b, &o), PL_OK);
        ck_assert_uint_eq(o.title_index, expected[i].index);
        ck_assert_int_eq(o.num_instances, expected[i].instances);
    }
    ck_assert_int_eq(b.default_object, 238);
    /* 2 + 3 + 2 + 2 + 1 + 2 + 2 + 4 + 5 */
    ck_assert_uint_eq(
        value_of(&sample, "Performance Logger", NULL, "Instances"), 23);
    sample_close(&sample);
}
END_TEST

/* Something else has the processor for 50 ms before the n-th look at a clock. */
static struct {
    int looks;
    int64_t late_ns;
} elsewhere;

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
    int failed = __real_clock_gettime(id, t);
    int64_t ns;

    if (elsewhere.looks && !--elsewhere.looks)
        elsewhere.late_ns += 50 * PL_NS_PER_MS;
    ns = t->tv_nsec + elsewhere.late_ns;
    t->tv_sec += (time_t)(ns / PL_NS_PER_SEC);
    t->tv_nsec = (long)(ns % PL_NS_PER_SEC);
    return failed;
}

START_TEST(clocks_are_read_at_one_instant)
{
    struct pl_tick before, now;
    int64_t utc_off, monotonic_off;

    pl_sampler_clocks(&before);
    elsewhere.looks = _i;
    pl_sampler_clocks(&now);
    utc_off = now.utc_ns - now.boot_ns - (before.utc_ns - before.boot_ns);
    monotonic_off =
        now.monotonic_ns - now.boot_ns - (before.monotonic_ns - before.boot_ns);
    ck_assert_msg(llabs(utc_off) < 5 * PL_NS_PER_MS, "%lld",
                  (long long)utc_off);
    ck_assert_msg(llabs(monotonic_off) < 5 * PL_NS_PER_MS, "%lld",
                  (long long)monotonic_off);
}
END_TEST

START_TEST(clocks_are_anchored_when_the_session_begins)
{
    uint64_t boot, started;
    struct pl_object o;
    struct pl_block b;

    sample_open_tree(&sample);
    sample_take(&sample);
    ck_assert_int_eq(pl_block_parse(&b, sample.block.p, sample.block.len),
                     PL_OK);
    ck_assert_int_eq(b.perf_freq, 10000000);
    ck_assert_int_eq(b.perf_time, sample.tick.monotonic_ns / 100);
    boot = value_of(&sample, "System", NULL, "System Up Time");
    started = value_of(&sample, "Process", "init:1", "Elapsed Time");
    ck_assert_uint_eq(started, boot + 1500 * TICK);
    ck_assert(sample_object(&sample, "System", &o));
    ck_assert_int_eq(o.perf_freq, 10000000);
    ck_assert_int_eq(o.perf_time, (int64_t)boot + sample.tick.boot_ns / 100);
    ck_assert(sample_object(&sample, "Memory", &o));
    ck_assert_int_eq(o.perf_freq, 0);
    ck_assert_int_eq(o.perf_time, 0);
    sample_close(&sample);
}
END_TEST

START_TEST(processes_ascend)
{
    static const uint64_t pids[] = { 1, 17, 18, 300, 2000 };
    struct pl_counter_def def;
    struct pl_instance inst;
    struct pl_object o;
    uint64_t pid;

    sample_open_tree(&sample);
    sample_take(&sample);
    ck_assert(sample_counter(&sample, "Process", "ID Process", false, &def));
    ck_assert(sample_object(&sample, "Process", &o));
    for (size_t i = 0; i < sizeof pids / sizeof *pids; i++) {
        ck_assert_int_eq(pl_instance_next(&o, &inst), PL_OK);
        ck_assert(pl_counter_get(&o, &inst, &def, &pid));
        ck_assert_uint_eq(pid, pids[i]);
    }
    sample_close(&sample);
}
END_TEST

/* ---- file systems ------------------------------------------------------- */

START_TEST(a_file_system_is_one_instance_and_servers_are_left_alone)
{
    const char *dir = temp_dir();
    struct statvfs fs;
    struct stat st;

    sample_open_tree(&sample);
    sample_take(&sample);
    ck_assert_int_eq(statvfs(dir, &fs), 0);
    ck_assert_int_eq(stat(dir, &st), 0);
    ck_assert(has_instance(&sample, "LogicalDisk", dir));
    ck_assert(!has_instance(&sample, "LogicalDisk", path_in(dir, "sys/class")));
    ck_assert(!has_instance(&sample, "LogicalDisk", "/nowhere/gone"));
    ck_assert_uint_eq(value_of(&sample, "LogicalDisk", dir, "Size Bytes"),
                      (uint64_t)fs.f_blocks * fs.f_frsize);
    ck_assert_uint_eq(
        value_of(&sample, "LogicalDisk", dir, "File System Device"),
        (uint64_t)major(st.st_dev) << 32 | minor(st.st_dev));
    if (major(st.st_dev)) {
        ck_assert_uint_eq(
            value_of(&sample, "LogicalDisk", dir, "Disk Reads/sec"), 901);
        ck_assert_uint_eq(value_of(&sample, "LogicalDisk", dir, "Data Flags"),
                          0);
    } else {
        ck_assert_uint_eq(value_of(&sample, "LogicalDisk", dir, "Data Flags"),
                          1);
    }
    sample_close(&sample);
}
END_TEST

/* ---- titles ------------------------------------------------------------- */

START_TEST(titles_are_those_of_what_was_recorded)
{
    uint32_t before, after, later;
    const struct pl_titles *t;
    struct pl_object_facts f;
    struct pl_birth_facts b;

    sample_open_tree(&sample);
    t = pl_sampler_titles(sample.sampler, &before);
    ck_assert_uint_eq(pl_titles_name(t, 238).n, 0);
    sample_take(&sample);
    t = pl_sampler_titles(sample.sampler, &after);
    ck_assert_uint_ne(before, after);
    ck_assert(pl_text_equal(pl_titles_name(t, 238), pl_text_of("Processor")));
    ck_assert(pl_titles_help(t, 239).n > 0);
    f = pl_titles_facts(t, 230);
    ck_assert_uint_eq(f.num_identity, 2);
    ck_assert_uint_eq(f.identity[0], 784);
    ck_assert_uint_eq(f.identity[1], 684);
    ck_assert_uint_eq(f.flags_counter, 23136);
    ck_assert_uint_eq(pl_counter_facts_of(&f, 1424).flag_bit, 2);
    ck_assert_uint_eq(pl_counter_facts_of(&f, 180).flag_bit, 1);
    ck_assert_uint_eq(pl_counter_facts_of(&f, 180).total_rule, PL_TOTAL_SUM);
    ck_assert_uint_eq(pl_counter_facts_of(&f, 682).total_rule, PL_TOTAL_NONE);
    f = pl_titles_facts(t, 238);
    ck_assert_uint_eq(pl_counter_facts_of(&f, 6).total_rule, PL_TOTAL_MEAN);
    ck_assert_uint_eq(pl_counter_facts_of(&f, 6).flag_bit, PL_NO_FLAG);
    ck_assert(pl_titles_birth(t, 230, &b));
    ck_assert_uint_eq(b.counter, 684);
    ck_assert_uint_eq(b.slack, 50000000);
    ck_assert(pl_starts_at_zero(&b, 6));
    ck_assert(pl_starts_at_zero(&b, 1424));
    ck_assert(!pl_starts_at_zero(&b, 684));
    ck_assert(!pl_starts_at_zero(&b, 180)); /* a gauge */
    ck_assert(!pl_titles_birth(t, 238, &b));
    f = pl_titles_facts(t, 234);
    ck_assert_uint_eq(f.flags_counter, 22526);
    ck_assert_uint_eq(pl_titles_left_out(t, 234), 16);
    ck_assert_uint_eq(pl_titles_left_out(t, 236), 16);
    ck_assert_uint_eq(pl_titles_left_out(t, 238), PL_NO_FLAG);
    f = pl_titles_facts(t, 236);
    ck_assert_uint_eq(pl_counter_facts_of(&f, 206).flag_bit, 0);
    ck_assert_uint_eq(pl_counter_facts_of(&f, 408).flag_bit, 1);
    ck_assert_uint_eq(pl_counter_facts_of(&f, 22602).flag_bit, PL_NO_FLAG);
    f = pl_titles_facts(t, 20000);
    ck_assert_uint_eq(f.flags_counter, 20006);
    ck_assert_uint_eq(pl_counter_facts_of(&f, 20002).flag_bit, 0);
    ck_assert_uint_eq(pl_counter_facts_of(&f, 20004).flag_bit, 1);
    sample_take(&sample);
    pl_sampler_titles(sample.sampler, &later);
    ck_assert_uint_eq(after, later);
    sample_close(&sample);
}
END_TEST

START_TEST(the_machine_is_described)
{
    static const uint8_t boot_id[PL_BOOT_ID_LEN] = {
        0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
        0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
    };
    struct pl_session session = { .minor = 77 };

    sample_open_tree(&sample);
    pl_sampler_describe(sample.sampler, &session);
    ck_assert_mem_eq(session.boot_id, boot_id, sizeof boot_id);
    ck_assert(session.host.n && session.os.n > 6 && session.architecture.n);
    ck_assert(!memcmp(session.os.p, "Linux ", 6));
    ck_assert(session.num_cpus && session.page_size && session.clock_ticks);
    ck_assert(pl_text_equal(session.provider, pl_text_of("little linux")));
    ck_assert_uint_eq(session.minor, 77);
    sample_close(&sample);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("sampler");
    TCase *const tcases[] = { t, NULL };

    tcase_add_test(t, every_number_is_where_it_belongs);
    tcase_add_test(t, objects_stand_in_their_order);
    tcase_add_test(t, processes_ascend);
    tcase_add_loop_test(t, clocks_are_read_at_one_instant, 1, 6);
    tcase_add_test(t, clocks_are_anchored_when_the_session_begins);
    tcase_add_test(t, a_file_system_is_one_instance_and_servers_are_left_alone);
    tcase_add_test(t, titles_are_those_of_what_was_recorded);
    tcase_add_test(t, the_machine_is_described);
    return run_suite("linux_sampler", tcases);
}
