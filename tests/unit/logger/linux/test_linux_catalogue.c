/*
 * Every object of the catalogue beside those of test_linux_sampler.c, over a
 * made-up machine (proc_tree_more.c) whose every number is known.
 */
#include "tests/support/proc_tree.h"
#include "tests/support/sample.h"
#include "tests/support/support.h"

#include <string.h>
#include <sys/stat.h>

#define KIB UINT64_C(1024)
#define PAGE UINT64_C(4096)
#define US UINT64_C(10) /* in 100 ns */
#define MS UINT64_C(10000)

static struct sample sample;

static void open_all(void)
{
    proc_tree_make(temp_dir());
    ck_assert_int_eq(sample_open_all(&sample, temp_dir()), PL_OK);
}

struct golden {
    const char *object, *instance, *counter;
    uint64_t value;
    bool base;
};

/* clang-format off */
static const struct golden golden[] = {
    /* column sums over 24, 36 and LOC; the 32-bit one wraps: 1 - 1 + 200 */
    { "Processor", "0", "Interrupts/sec", 112, false },
    { "Processor", "1", "Interrupts/sec", 200, false },
    { "Processor", "0", "DPCs Queued/sec", 31, false },
    { "Processor", "1", "DPCs Queued/sec", 42, false },

    { "Pressure Stall", "cpu", "% Some Stalled", 10001 * US, false },
    { "Pressure Stall", "cpu", "% Full Stalled", 10002 * US, false },
    { "Pressure Stall", "irq", "% Some Stalled", 0, false },
    { "Pressure Stall", "irq", "% Full Stalled", 10003 * US, false },
    { "Pressure Stall", "irq", "Data Flags", 1, false }, /* no first line */
    { "Pressure Stall", "memory", "Data Flags", 0, false },
    { "Pressure Stall", "memory", "% Some Stalled", 10004 * US, false },
    { "Pressure Stall", "memory", "% Full Stalled", 10005 * US, false },

    { "Virtual Memory", NULL, "Swap Pages In/sec", 7, false },
    { "Virtual Memory", NULL, "Swap Pages Out/sec", 20002, false },
    { "Virtual Memory", NULL, "OOM Kills/sec", 20003, false },
    { "Virtual Memory", NULL, "OOM Kills", 20003, false },
    { "Virtual Memory", NULL, "Pages Scanned By Kswapd/sec", 20004, false },
    { "Virtual Memory", NULL, "Pages Scanned Directly/sec", 20005, false },
    { "Virtual Memory", NULL, "Pages Reclaimed By Kswapd/sec", 0, false },
    { "Virtual Memory", NULL, "Pages Reclaimed Directly/sec", 20007, false },
    { "Virtual Memory", NULL, "Pages Scanned Proactively/sec",
      20008 + 30001, false },
    { "Virtual Memory", NULL, "Pages Reclaimed Proactively/sec",
      20009 + 30002, false },
    { "Virtual Memory", NULL, "Anonymous Pages Reclaimed/sec", 20010, false },
    { "Virtual Memory", NULL, "File Pages Reclaimed/sec", 20011, false },
    { "Virtual Memory", NULL, "Allocation Stalls/sec",
      20012 + 20013 + 20014 + 20015, false },
    { "Virtual Memory", NULL, "Reclaim Throttles/sec", 20016, false },
    { "Virtual Memory", NULL, "Kswapd Wakeups/sec", 20017, false },
    { "Virtual Memory", NULL, "Workingset File Refaults/sec", 20018, false },
    { "Virtual Memory", NULL, "Workingset Anonymous Refaults/sec",
      20019, false },
    { "Virtual Memory", NULL, "Workingset Activations/sec",
      20020 + 20021, false },
    { "Virtual Memory", NULL, "Pages Allocated/sec",
      20022 + 20023 + 20024 + 20025, false },
    { "Virtual Memory", NULL, "Pages Freed/sec", 20026, false },
    { "Virtual Memory", NULL, "Pages Activated/sec", 20027, false },
    { "Virtual Memory", NULL, "Pages Deactivated/sec", 20028, false },
    { "Virtual Memory", NULL, "Pages Dirtied/sec", 20029, false },
    { "Virtual Memory", NULL, "Pages Written/sec", 20030, false },
    { "Virtual Memory", NULL, "Dirty Threshold Pages", 20031, false },
    { "Virtual Memory", NULL, "Dirty Background Threshold Pages",
      20032, false },
    { "Virtual Memory", NULL, "Compaction Stalls/sec", 20033, false },
    { "Virtual Memory", NULL, "Compaction Failures/sec", 20034, false },
    { "Virtual Memory", NULL, "Compaction Successes/sec", 20035, false },
    { "Virtual Memory", NULL, "Compaction Pages Scanned/sec",
      20036 + 20037, false },
    { "Virtual Memory", NULL, "Pages Migrated/sec", 20038, false },
    { "Virtual Memory", NULL, "Page Migration Failures/sec", 20039, false },
    { "Virtual Memory", NULL, "Huge Page Fault Allocations/sec", 20040, false },
    { "Virtual Memory", NULL, "Huge Page Fault Fallbacks/sec", 20041, false },
    { "Virtual Memory", NULL, "Huge Page Collapses/sec", 20042, false },
    { "Virtual Memory", NULL, "Huge Page Splits/sec", 20043, false },
    { "Virtual Memory", NULL, "Huge Page Swap Outs/sec", 20044, false },
    { "Virtual Memory", NULL, "NUMA Page Table Updates/sec", 20045, false },
    { "Virtual Memory", NULL, "NUMA Hint Faults/sec", 20046, false },
    { "Virtual Memory", NULL, "NUMA Local Hint Faults/sec", 20047, false },
    { "Virtual Memory", NULL, "NUMA Pages Migrated/sec", 20048, false },
    { "Virtual Memory", NULL, "Slab Objects Scanned/sec", 20049, false },
    { "Virtual Memory", NULL, "Cache Drops/sec", 20050 + 20051, false },
    { "Virtual Memory", NULL, "Balloon Inflates/sec", 20052, false },
    { "Virtual Memory", NULL, "Balloon Deflates/sec", 20053, false },

    { "IPv4", NULL, "Datagrams/sec", 1003 + 1010, false },
    { "IPv4", NULL, "Datagrams Received/sec", 1003, false },
    { "IPv4", NULL, "Datagrams Received Header Errors", 1004, false },
    { "IPv4", NULL, "Datagrams Received Address Errors", 1005, false },
    { "IPv4", NULL, "Datagrams Forwarded/sec", 1006, false },
    { "IPv4", NULL, "Datagrams Received Unknown Protocol", 1007, false },
    { "IPv4", NULL, "Datagrams Received Discarded", 1008, false },
    { "IPv4", NULL, "Datagrams Received Delivered/sec", 1009, false },
    { "IPv4", NULL, "Datagrams Sent/sec", 1010, false },
    { "IPv4", NULL, "Datagrams Outbound Discarded", 1011, false },
    { "IPv4", NULL, "Datagrams Outbound No Route", 1012, false },
    { "IPv4", NULL, "Re-assembly Timeouts/sec", 1013, false },
    { "IPv4", NULL, "Fragments Received/sec", 1014, false },
    { "IPv4", NULL, "Fragments Re-assembled/sec", 1015, false },
    { "IPv4", NULL, "Fragment Re-assembly Failures", 1016, false },
    { "IPv4", NULL, "Fragmented Datagrams/sec", 1017, false },
    { "IPv4", NULL, "Fragmentation Failures", 1018, false },
    { "IPv4", NULL, "Fragments Created/sec", 1019, false },
    { "IPv4", NULL, "Transmits/sec", 1020, false },
    { "IPv4", NULL, "Multicast Received/sec", 6001, false },
    { "IPv4", NULL, "Multicast Sent/sec", 6002, false },
    { "IPv4", NULL, "Bytes Received/sec", 6003, false },
    { "IPv4", NULL, "Bytes Sent/sec", 6004, false },
    { "IPv4", NULL, "Congestion Marked Received/sec", 6005, false },

    { "IPv6", NULL, "Datagrams/sec", 7001 + 7004, false },
    { "IPv6", NULL, "Datagrams Received Header Errors", 7002, false },
    { "IPv6", NULL, "Datagrams Forwarded/sec", 7003, false },
    { "IPv6", NULL, "Bytes Received/sec", 7005, false },

    { "TCPv4", NULL, "Segments/sec", 3010 + 3011, false },
    { "TCPv4", NULL, "Connections Established", 3009, false },
    { "TCPv4", NULL, "Connections Active", 3005, false },
    { "TCPv4", NULL, "Connections Passive", 3006, false },
    { "TCPv4", NULL, "Connection Failures", 3007, false },
    { "TCPv4", NULL, "Connections Reset", 3008, false },
    { "TCPv4", NULL, "Segments Received/sec", 3010, false },
    { "TCPv4", NULL, "Segments Sent/sec", 3011, false },
    { "TCPv4", NULL, "Segments Retransmitted/sec", 3012, false },
    { "TCPv4", NULL, "Active Opens/sec", 3005, false },
    { "TCPv4", NULL, "Passive Opens/sec", 3006, false },
    { "TCPv4", NULL, "Attempt Failures/sec", 3007, false },
    { "TCPv4", NULL, "Established Resets/sec", 3008, false },
    { "TCPv4", NULL, "Segments Received Errors/sec", 3013, false },
    { "TCPv4", NULL, "Resets Sent/sec", 3014, false },
    { "TCPv4", NULL, "Checksum Errors/sec", 3015, false },

    { "TCP Extensions", NULL, "SYN Cookies Sent/sec", 5001, false },
    { "TCP Extensions", NULL, "SYN Cookies Failed/sec", 5002, false },
    { "TCP Extensions", NULL, "Prune Calls/sec", 5003, false },
    { "TCP Extensions", NULL, "Receive Pruned/sec", 5004, false },
    { "TCP Extensions", NULL, "Time Wait Started/sec", 5005, false },
    { "TCP Extensions", NULL, "Reverse Path Drops/sec", 5006, false },
    { "TCP Extensions", NULL, "Listen Overflows/sec", 5007, false },
    { "TCP Extensions", NULL, "Listen Drops/sec", 5008, false },
    { "TCP Extensions", NULL, "Loss Probes/sec", 5009, false },
    { "TCP Extensions", NULL, "Loss Probe Recoveries/sec", 5010, false },
    { "TCP Extensions", NULL, "Memory Pressures/sec", 5011, false },
    { "TCP Extensions", NULL, "% Memory Pressure Time", 5012 * MS, false },
    { "TCP Extensions", NULL, "Timeouts/sec", 5013, false },
    { "TCP Extensions", NULL, "Fast Retransmits/sec", 5014, false },
    { "TCP Extensions", NULL, "Lost Retransmits/sec", 5015, false },

    { "UDPv4", NULL, "Datagrams/sec", 4001 + 4004, false },
    { "UDPv4", NULL, "Datagrams Received/sec", 4001, false },
    { "UDPv4", NULL, "Datagrams No Port/sec", 4002, false },
    { "UDPv4", NULL, "Datagrams Received Errors", 4003, false },
    { "UDPv4", NULL, "Datagrams Sent/sec", 4004, false },
    { "UDPv4", NULL, "Receive Buffer Errors/sec", 4005, false },
    { "UDPv4", NULL, "Send Buffer Errors/sec", 4006, false },
    { "UDPv4", NULL, "Checksum Errors/sec", 4007, false },
    { "UDPv4", NULL, "Memory Errors/sec", 4009, false },
    { "UDPv6", NULL, "Datagrams/sec", 7201 + 7202, false },
    { "UDPv6", NULL, "Datagrams Received/sec", 7201, false },

    { "ICMP", NULL, "Messages/sec", 4294967301 + 2015, false },
    { "ICMP", NULL, "Messages Received/sec", 4294967301, false },
    { "ICMP", NULL, "Messages Received Errors", 2002, false },
    { "ICMP", NULL, "Received Dest. Unreachable", 2004, false },
    { "ICMP", NULL, "Received Time Exceeded", 2005, false },
    { "ICMP", NULL, "Received Redirect/sec", 2008, false },
    { "ICMP", NULL, "Received Echo/sec", 2009, false },
    { "ICMP", NULL, "Received Echo Reply/sec", 2010, false },
    { "ICMP", NULL, "Messages Sent/sec", 2015, false },
    /* a total in 32 bits begins anew: 4294967299 - 2^32 */
    { "ICMP", NULL, "Messages Outbound Errors", 3, false },
    { "ICMP", NULL, "Sent Destination Unreachable", 2017, false },
    { "ICMP", NULL, "Sent Time Exceeded", 2018, false },
    { "ICMP", NULL, "Sent Echo/sec", 2022, false },
    { "ICMP", NULL, "Sent Echo Reply/sec", 2023, false },
    { "ICMPv6", NULL, "Messages/sec", 7101 + 7102, false },
    { "ICMPv6", NULL, "Received Echo Reply/sec", 7103, false },
    { "ICMPv6", NULL, "Received Packet Too Big", 7104, false },

    { "Sockets", NULL, "Sockets In Use", 8001, false },
    { "Sockets", NULL, "TCP In Use", 8002, false },
    { "Sockets", NULL, "TCP Orphaned", 8003, false },
    { "Sockets", NULL, "TCP Time Wait", 8004, false },
    { "Sockets", NULL, "TCP Allocated", 8005, false },
    { "Sockets", NULL, "TCP Memory Bytes", 8006 * PAGE, false },
    { "Sockets", NULL, "UDP In Use", 8007, false },
    { "Sockets", NULL, "UDP Memory Bytes", 8008 * PAGE, false },
    { "Sockets", NULL, "Fragments In Use", 8009, false },
    { "Sockets", NULL, "Fragment Memory Bytes", 8010, false },
    { "Sockets", NULL, "TCP IPv6 In Use", 8011, false },
    { "Sockets", NULL, "UDP IPv6 In Use", 8012, false },

    { "Network Backlog", "1", "Packets Processed/sec", 10, false },
    { "Network Backlog", "1", "Packets Dropped/sec", 11, false },
    { "Network Backlog", "1", "Time Squeezes/sec", 12, false },
    { "Network Backlog", "1", "Steered Packets/sec", 13, false },
    { "Network Backlog", "1", "Backlog Length", 14, false },
    { "Network Backlog", "0", "Packets Processed/sec", 4294967280, false },

    { "Kernel Tables", NULL, "Open Files", 1600, false },
    { "Kernel Tables", NULL, "% Open Files", 1600, false },
    { "Kernel Tables", NULL, "% Open Files", INT64_MAX, true },
    { "Kernel Tables", NULL, "Inodes", 1601, false },
    { "Kernel Tables", NULL, "Inodes Unused", 1602, false },
    { "Kernel Tables", NULL, "Dentries", 1603, false },
    { "Kernel Tables", NULL, "Dentries Unused", 1604, false },
    { "Kernel Tables", NULL, "Dentries Negative", 1605, false },
    { "Kernel Tables", NULL, "Asynchronous I/O Requests", 1606, false },
    { "Kernel Tables", NULL, "% Process Numbers Used", 417, false },
    { "Kernel Tables", NULL, "% Process Numbers Used", 32768, true },
    { "Kernel Tables", NULL, "Tracked Connections", 1607, false },
    { "Kernel Tables", NULL, "% Tracked Connections", 1607, false },
    { "Kernel Tables", NULL, "% Tracked Connections", 65536, true },

    { "NUMA Node", "0", "Total Bytes", 2000 * KIB, false },
    { "NUMA Node", "0", "Free Bytes", 1000 * KIB, false },
    { "NUMA Node", "0", "File Cache Bytes", 2 * KIB, false },
    { "NUMA Node", "0", "Anonymous Bytes", 3 * KIB, false },
    { "NUMA Node", "0", "Slab Bytes", 4 * KIB, false },
    { "NUMA Node", "0", "Dirty Bytes", 1 * KIB, false },
    { "NUMA Node", "0", "Hits/sec", 1701, false },
    { "NUMA Node", "0", "Misses/sec", 1702, false },
    { "NUMA Node", "0", "Foreign/sec", 1703, false },
    { "NUMA Node", "0", "Local/sec", 1704, false },
    { "NUMA Node", "0", "Remote/sec", 1705, false },
    { "NUMA Node", "10", "Hits/sec", 1, false },
    { "NUMA Node", "10", "Total Bytes", 20 * KIB, false },

    { "Interrupt", "24 ACPI:Ged", "Interrupts/sec", 11, false },
    { "Interrupt", "36 virtio1-req.0", "Interrupts/sec", 1, false },
    { "Interrupt", "LOC Local timer interrupts", "Interrupts/sec", 300, false },
    { "Interrupt", "ERR", "Interrupts/sec", 7, false },
    { "Soft Interrupt", "HI", "Soft Interrupts/sec", 3, false },
    { "Soft Interrupt", "NET_RX", "Soft Interrupts/sec", 70, false },

    { "Slab Cache", "dentry", "Active Objects", 900, false },
    { "Slab Cache", "dentry", "Objects", 1000, false },
    { "Slab Cache", "dentry", "Bytes", 50 * 2 * PAGE, false },
    { "Slab Cache", "dentry", "% Used", 900 * 192, false },
    { "Slab Cache", "dentry", "% Used", 50 * 2 * PAGE, true },
    { "Slab Cache", "kmalloc-8", "Bytes", PAGE, false },

    { "CPU Frequency", "0", "Current Frequency", 1500000000, false },
    { "CPU Frequency", "0", "% of Maximum Frequency", 1500000, false },
    { "CPU Frequency", "0", "% of Maximum Frequency", 3000000, true },
    { "CPU Frequency", "0", "Allowed Maximum Frequency", 2500000000, false },
    { "CPU Frequency", "0", "Core Throttles/sec", 12, false },
    { "CPU Frequency", "0", "Package Throttles/sec", 34, false },
    { "CPU Frequency", "1", "Current Frequency", 1600000000, false },
    { "Processor Idle State", "0 POLL", "% Time", 1801 * US, false },
    { "Processor Idle State", "0 POLL", "Entries/sec", 1802, false },
    { "Processor Idle State", "0 POLL", "Rejections/sec", 1803, false },
    { "Processor Idle State", "0 C6", "% Time", 1804 * US, false },
    { "Temperature Sensor", "coretemp Package id 0", "Temperature Celsius",
      45500, false },
    { "Temperature Sensor", "coretemp Package id 0", "Critical Celsius",
      100000, false },
    { "Temperature Sensor", "coretemp Package id 0", "Alarm", 1, false },
    { "Temperature Sensor", "coretemp temp2", "Temperature Celsius", 0, false },
    { "Temperature Sensor", "zone0 acpitz", "Temperature Celsius", 27800,
      false },
    { "Fan Sensor", "nct fan2", "Revolutions/min", 1234, false },
    { "Power Domain", "intel-rapl:0 package-0", "Power Milliwatts", 5000,
      false },
    { "Power Domain", "intel-rapl:0 package-0", "Power Limit Milliwatts",
      15000, false },

    { "NFS Client", "/mnt/a b", "Mount ID", 55, false },
    { "NFS Client", "/mnt/a b", "Operations/sec", 1 + 20 + 30, false },
    { "NFS Client", "/mnt/a b", "Read Operations/sec", 20, false },
    { "NFS Client", "/mnt/a b", "Write Operations/sec", 30, false },
    { "NFS Client", "/mnt/a b", "Read Bytes/sec", 15, false },
    { "NFS Client", "/mnt/a b", "Write Bytes/sec", 16, false },
    { "NFS Client", "/mnt/a b", "Avg. sec/Read", 70 * MS, false },
    { "NFS Client", "/mnt/a b", "Avg. sec/Read", 20, true },
    { "NFS Client", "/mnt/a b", "Avg. sec/Write", 90 * MS, false },
    { "NFS Client", "/mnt/a b", "Avg. sec/Write", 30, true },
    { "NFS Client", "/mnt/a b", "Avg. Round Trip sec", 141 * MS, false },
    { "NFS Client", "/mnt/a b", "Avg. Round Trip sec", 51, true },
    { "NFS Client", "/mnt/a b", "Retransmissions/sec", 3, false },
    { "NFS Client", "/mnt/a b", "Timeouts/sec", 2, false },
    { "NFS Client", "/mnt/a b", "Errors/sec", 3, false },

    { "Control Group", "/", "% Processor Time", 201 * US, false },
    { "Control Group", "/", "Dying Descendants", 3, false },
    { "Control Group", "/", "Populated", 1, false },
    /* memory, pids, memory.stat, pressure and limits: not of the root */
    { "Control Group", "/", "Data Flags", 0x7a, false },
    { "Control Group", "/a.slice", "% Processor Time", 301 * US, false },
    { "Control Group", "/a.slice", "% User Time", 302 * US, false },
    { "Control Group", "/a.slice", "% Privileged Time", 303 * US, false },
    { "Control Group", "/a.slice", "Periods/sec", 304, false },
    { "Control Group", "/a.slice", "Throttled Periods/sec", 305, false },
    { "Control Group", "/a.slice", "% Throttled Time", 306 * US, false },
    { "Control Group", "/a.slice", "Processor Limit", 1500, false },
    { "Control Group", "/a.slice", "Memory Bytes", 401408, false },
    { "Control Group", "/a.slice", "Memory Limit Bytes", 0, false },
    { "Control Group", "/a.slice", "Memory High Bytes", 819200, false },
    { "Control Group", "/a.slice", "Swap Bytes", 4096, false },
    { "Control Group", "/a.slice", "Memory High Events/sec", 501, false },
    { "Control Group", "/a.slice", "Memory Limit Hits/sec", 502, false },
    { "Control Group", "/a.slice", "OOM Events/sec", 503, false },
    { "Control Group", "/a.slice", "OOM Kills", 504, false },
    { "Control Group", "/a.slice", "Anonymous Bytes", 101, false },
    { "Control Group", "/a.slice", "File Bytes", 102, false },
    { "Control Group", "/a.slice", "Kernel Bytes", 103, false },
    { "Control Group", "/a.slice", "Socket Bytes", 107, false },
    { "Control Group", "/a.slice", "Shared Memory Bytes", 108, false },
    { "Control Group", "/a.slice", "Dirty Bytes", 109, false },
    { "Control Group", "/a.slice", "Inactive File Bytes", 110, false },
    { "Control Group", "/a.slice", "Workingset Refaults/sec", 225, false },
    { "Control Group", "/a.slice", "Pages Scanned/sec", 114, false },
    { "Control Group", "/a.slice", "Pages Reclaimed/sec", 115, false },
    { "Control Group", "/a.slice", "Page Faults/sec", 116, false },
    { "Control Group", "/a.slice", "Major Page Faults/sec", 117, false },
    { "Control Group", "/a.slice", "Read Bytes/sec", 1601, false },
    { "Control Group", "/a.slice", "Write Bytes/sec", 2602, false },
    { "Control Group", "/a.slice", "Reads/sec", 3603, false },
    { "Control Group", "/a.slice", "Writes/sec", 4604, false },
    { "Control Group", "/a.slice", "Discard Bytes/sec", 605, false },
    { "Control Group", "/a.slice", "Processes And Threads", 17, false },
    { "Control Group", "/a.slice", "Process Limit Hits", 18, false },
    { "Control Group", "/a.slice", "% Processor Some Stalled", 7010, false },
    { "Control Group", "/a.slice", "% Processor Full Stalled", 7020, false },
    { "Control Group", "/a.slice", "% Memory Some Stalled", 7030, false },
    { "Control Group", "/a.slice", "% Memory Full Stalled", 7040, false },
    { "Control Group", "/a.slice", "% I/O Some Stalled", 7050, false },
    { "Control Group", "/a.slice", "% I/O Full Stalled", 7060, false },
    { "Control Group", "/a.slice", "Populated", 0, false },
    { "Control Group", "/a.slice", "Dying Descendants", 0, false },
    { "Control Group", "/a.slice", "Data Flags", 0, false },
    { "Control Group", "/a.slice/b/c", "% Processor Time", 1 * US, false },
};
/* clang-format on */

START_TEST(every_number_is_where_it_belongs)
{
    open_all();
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

/* What vmstat has none of is not there at all; see proc_tree_vmstat. */
START_TEST(what_is_not_printed_is_not_recorded)
{
    open_all();
    sample_take(&sample);
    ck_assert(has_counter(&sample, "Virtual Memory", "Swap Pages In/sec"));
    ck_assert(!has_counter(&sample, "Virtual Memory", "Zswap Pages In/sec"));
    ck_assert(!has_counter(&sample, "Virtual Memory", "Pages Demoted/sec"));
    ck_assert(!has_counter(&sample, "TCP Extensions", "Aborts On Data/sec"));
    ck_assert(!has_counter(&sample, "IPv6", "Fragments Created/sec"));
    ck_assert(!has_counter(&sample, "ICMP", "Received Packet Too Big"));
    ck_assert(!has_instance(&sample, "Pressure Stall", "io"));
    ck_assert(!has_instance(&sample, "Slab Cache", "odd"));
    ck_assert(!has_instance(&sample, "NFS Client", "/mnt/d"));
    ck_assert(!has_instance(&sample, "Power Domain", "intel-rapl "));
    sample_close(&sample);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("catalogue");
    TCase *const tcases[] = { t, NULL };

    tcase_add_test(t, every_number_is_where_it_belongs);
    tcase_add_test(t, what_is_not_printed_is_not_recorded);
    return run_suite("linux_catalogue", tcases);
}
