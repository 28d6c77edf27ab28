/*
 * The rest of the made-up machine: network stack, pressure, tables, nodes,
 * interrupts, caches, clocks, sensors, an NFS mount and control groups.
 */
#include "tests/support/proc_tree.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
static const char snmp[] =
    "Ip: Forwarding DefaultTTL InReceives InHdrErrors InAddrErrors "
    "ForwDatagrams InUnknownProtos InDiscards InDelivers OutRequests "
    "OutDiscards OutNoRoutes ReasmTimeout ReasmReqds ReasmOKs ReasmFails "
    "FragOKs FragFails FragCreates OutTransmits\n"
    "Ip: 2 64 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012 1013 1014 "
    "1015 1016 1017 1018 1019 1020\n"
    "Icmp: InMsgs InErrors InCsumErrors InDestUnreachs InTimeExcds "
    "InParmProbs InSrcQuenchs InRedirects InEchos InEchoReps InTimestamps "
    "InTimestampReps InAddrMasks InAddrMaskReps OutMsgs OutErrors "
    "OutDestUnreachs OutTimeExcds OutParmProbs OutSrcQuenchs OutRedirects "
    "OutEchos OutEchoReps\n"
    "Icmp: 4294967301 2002 2003 2004 2005 2006 2007 2008 2009 2010 2011 2012 "
    "2013 2014 2015 4294967299 2017 2018 2019 2020 2021 2022 2023\n"
    "IcmpMsg: InType3\nIcmpMsg: 77\n"
    "Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens "
    "AttemptFails EstabResets CurrEstab InSegs OutSegs RetransSegs InErrs "
    "OutRsts InCsumErrors\n"
    "Tcp: 1 200 120000 -1 3005 3006 3007 3008 3009 3010 3011 3012 3013 3014 "
    "3015\n"
    "Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors "
    "SndbufErrors InCsumErrors IgnoredMulti MemErrors\n"
    "Udp: 4001 4002 4003 4004 4005 4006 4007 4008 4009\n"
    "UdpLite: InDatagrams NoPorts\nUdpLite: 9 9\n";

static const char netstat[] =
    "TcpExt: SyncookiesSent SyncookiesFailed PruneCalled RcvPruned TW "
    "IPReversePathFilter ListenOverflows ListenDrops TCPLossProbes "
    "TCPLossProbeRecovery TCPMemoryPressures TCPMemoryPressuresChrono "
    "TCPTimeouts TCPFastRetrans TCPLostRetransmit\n"
    "TcpExt: 5001 5002 5003 5004 5005 5006 5007 5008 5009 5010 5011 5012 "
    "5013 5014 5015\n"
    "IpExt: InNoRoutes InMcastPkts OutMcastPkts InOctets OutOctets InCEPkts\n"
    "IpExt: 0 6001 6002 6003 6004 6005\n";

static const char snmp6[] =
    "Ip6InReceives                   \t7001\n"
    "Ip6InHdrErrors                  \t7002\n"
    "Ip6OutForwDatagrams             \t7003\n"
    "Ip6OutRequests                  \t7004\n"
    "Ip6InOctets                     \t7005\n"
    "Icmp6InMsgs                     \t7101\n"
    "Icmp6OutMsgs                    \t7102\n"
    "Icmp6InEchoReplies              \t7103\n"
    "Icmp6InPktTooBigs               \t7104\n"
    "Udp6InDatagrams                 \t7201\n"
    "Udp6OutDatagrams                \t7202\n"
    "UdpLite6InDatagrams             \t9\n";

static const char sockstat[] =
    "sockets: used 8001\n"
    "TCP: inuse 8002 orphan 8003 tw 8004 alloc 8005 mem 8006\n"
    "UDP: inuse 8007 mem 8008\n"
    "UDPLITE: inuse 9\nRAW: inuse 9\n"
    "FRAG: inuse 8009 memory 8010\n";

/* Processor 1 first; columns 0, 1, 2, 9, 11 and 12 count. */
static const char softnet[] =
    "0000000a 0000000b 0000000c 00000000 00000000 00000000 00000000 00000000 "
    "00000000 0000000d 00000000 0000000e 00000001 00000000 00000000\n"
    "fffffff0 00000001 00000002 00000000 00000000 00000000 00000000 00000000 "
    "00000000 00000003 00000000 00000004 00000000 00000000 00000000\n";

static const char interrupts[] =
    "           CPU0       CPU1       \n"
    " 24:         10          1  IO-APIC   5-edge      ACPI:Ged\n"
    " 36:          2 4294967295 PCI-MSIX-0000:00:02.0   1-edge      "
    "virtio1-req.0\n"
    "LOC:        100        200   Local timer interrupts\n"
    "ERR:          7\n"
    "MIS:          0\n";

static const char softirqs[] =
    "                    CPU0       CPU1       \n"
    "          HI:          1          2\n"
    "      NET_RX:         30         40\n";

static const char slabinfo[] =
    "slabinfo - version: 2.1\n"
    "# name            <active_objs> <num_objs> <objsize> ...\n"
    "dentry               900   1000    192   21    2 : tunables    0    0    "
    "0 : slabdata     48     50      0\n"
    "odd name            x\n"
    "kmalloc-8             10     512      8  512    1 : tunables    0    0    "
    "0 : slabdata      1      1      0\n";

static const char cpuinfo[] =
    "processor\t: 0\nmodel name\t: x\ncpu MHz\t\t: 2700.125\n\n"
    "processor\t: 1\ncpu MHz\t\t: 1200.000\nflags\t\t: a b\n\n";

static const char mountstats[] =
    "device proc mounted on /proc with fstype proc\n"
    "device srv:/x mounted on /mnt/a\\040b with fstype nfs4 statvers=1.1\n"
    "\topts:\trw,vers=4.2\n"
    "\tbytes:\t11 12 13 14 15 16 17 18\n"
    "\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"
    "\txprt:\ttcp 0 0 1 0 0 5 5 0 5 0 2 0 0\n"
    "\tper-op statistics\n"
    "\t        NULL: 1 1 0 44 24 0 1 1 0\n"
    "\t        READ: 20 23 2 2000 3000 5 60 70 1\n"
    "\t       WRITE: 30 30 0 4000 5000 6 80 90 2\n"
    "device srv:/y mounted on /mnt/d with fstype nfsd\n";

static const char cgroup_memory_stat[] =
    "anon 101\nfile 102\nkernel 103\nkernel_stack 104\npagetables 105\n"
    "percpu 106\nsock 107\nshmem 108\nfile_mapped 9\nfile_dirty 109\n"
    "inactive_anon 9\ninactive_file 110\nslab_reclaimable 9\nslab 111\n"
    "workingset_refault_anon 112\nworkingset_refault_file 113\npgscan 114\n"
    "pgsteal 115\npgfault 116\npgmajfault 117\n";

#define GROUP "sys/fs/cgroup"
#define A GROUP "/a.slice"
#define CPU "sys/devices/system/cpu"

static const char *const files[][2] = {
    { "proc/net/snmp", snmp },
    { "proc/net/netstat", netstat },
    { "proc/net/snmp6", snmp6 },
    { "proc/net/sockstat", sockstat },
    { "proc/net/sockstat6", "TCP6: inuse 8011\nUDP6: inuse 8012\n" },
    { "proc/net/softnet_stat", softnet },
    { "proc/interrupts", interrupts },
    { "proc/softirqs", softirqs },
    { "proc/slabinfo", slabinfo },
    { "proc/cpuinfo", cpuinfo },
    { "proc/self/mountstats", mountstats },
    { "proc/pressure/cpu",
      "some avg10=1.23 avg60=4.56 avg300=7.89 total=10001\n"
      "full avg10=0.00 avg60=0.00 avg300=0.00 total=10002\n" },
    { "proc/pressure/irq",
      "full avg10=0.00 avg60=0.00 avg300=0.00 total=10003\n" },
    { "proc/pressure/memory",
      "some avg10=0.00 avg60=0.00 avg300=0.00 total=10004\n"
      "full avg10=0.00 avg60=0.00 avg300=0.00 total=10005\n" },
    { "proc/sys/fs/file-nr", "1600\t0\t9223372036854775807\n" },
    { "proc/sys/fs/inode-nr", "1601\t1602\n" },
    { "proc/sys/fs/dentry-state", "1603\t1604\t45\t0\t1605\t0\n" },
    { "proc/sys/fs/aio-nr", "1606\n" },
    { "proc/sys/kernel/pid_max", "32768\n" },
    { "proc/sys/net/netfilter/nf_conntrack_count", "1607\n" },
    { "proc/sys/net/netfilter/nf_conntrack_max", "65536\n" },
    { "sys/devices/system/node/node0/numastat",
      "numa_hit 1701\nnuma_miss 1702\nnuma_foreign 1703\n"
      "interleave_hit 9\nlocal_node 1704\nother_node 1705\n" },
    { "sys/devices/system/node/node0/meminfo",
      "Node 0 MemTotal:        2000 kB\nNode 0 MemFree:         1000 kB\n"
      "Node 0 MemUsed:         1000 kB\nNode 0 Dirty:              1 kB\n"
      "Node 0 FilePages:          2 kB\nNode 0 AnonPages:          3 kB\n"
      "Node 0 Slab:               4 kB\n" },
    { "sys/devices/system/node/node10/numastat",
      "numa_hit 1\nnuma_miss 2\nnuma_foreign 3\nlocal_node 4\nother_node 5\n" },
    { "sys/devices/system/node/node10/meminfo",
      "Node 10 MemTotal:        20 kB\nNode 10 MemFree:         10 kB\n"
      "Node 10 Dirty: 1 kB\nNode 10 FilePages: 2 kB\n"
      "Node 10 AnonPages: 3 kB\nNode 10 Slab: 4 kB\n" },
    { CPU "/cpu0/cpufreq/scaling_cur_freq", "1500000\n" },
    { CPU "/cpu0/cpufreq/cpuinfo_max_freq", "3000000\n" },
    { CPU "/cpu0/cpufreq/scaling_max_freq", "2500000\n" },
    { CPU "/cpu0/thermal_throttle/core_throttle_count", "12\n" },
    { CPU "/cpu0/thermal_throttle/package_throttle_count", "34\n" },
    { CPU "/cpu1/cpufreq/scaling_cur_freq", "1600000\n" },
    { CPU "/cpu1/cpufreq/cpuinfo_max_freq", "3000000\n" },
    { CPU "/cpu1/cpufreq/scaling_max_freq", "2500000\n" },
    { CPU "/cpu0/cpuidle/state0/name", "POLL\n" },
    { CPU "/cpu0/cpuidle/state0/time", "1801\n" },
    { CPU "/cpu0/cpuidle/state0/usage", "1802\n" },
    { CPU "/cpu0/cpuidle/state0/rejected", "1803\n" },
    { CPU "/cpu0/cpuidle/state1/name", "C6\n" },
    { CPU "/cpu0/cpuidle/state1/time", "1804\n" },
    { CPU "/cpu0/cpuidle/state1/usage", "1805\n" },
    { CPU "/cpu0/cpuidle/state1/rejected", "1806\n" },
    { "sys/class/hwmon/hwmon0/name", "coretemp\n" },
    { "sys/class/hwmon/hwmon0/temp1_input", "45500\n" },
    { "sys/class/hwmon/hwmon0/temp1_label", "Package id 0\n" },
    { "sys/class/hwmon/hwmon0/temp1_crit", "100000\n" },
    { "sys/class/hwmon/hwmon0/temp1_crit_alarm", "1\n" },
    { "sys/class/hwmon/hwmon0/temp1_alarm", "0\n" },
    { "sys/class/hwmon/hwmon0/temp2_input", "-5000\n" },
    { "sys/class/hwmon/hwmon1/name", "nct\n" },
    { "sys/class/hwmon/hwmon1/fan2_input", "1234\n" },
    { "sys/class/thermal/thermal_zone0/type", "acpitz\n" },
    { "sys/class/thermal/thermal_zone0/temp", "27800\n" },
    { "sys/class/powercap/intel-rapl/enabled", "1\n" },
    { "sys/class/powercap/intel-rapl:0/name", "package-0\n" },
    { "sys/class/powercap/intel-rapl:0/energy_uj", "5000000\n" },
    { "sys/class/powercap/intel-rapl:0/max_energy_range_uj", "9999999\n" },
    { "sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw",
      "15000000\n" },
    { GROUP "/cgroup.stat", "nr_descendants 2\nnr_dying_descendants 3\n" },
    { GROUP "/cpu.stat",
      "usage_usec 201\nuser_usec 202\nsystem_usec 203\nnice_usec 9\n" },
    { GROUP "/io.stat", "" },
    { A "/cgroup.stat", "nr_descendants 1\nnr_dying_descendants 0\n" },
    { A "/cgroup.events", "populated 0\nfrozen 0\n" },
    { A "/cpu.stat",
      "usage_usec 301\nuser_usec 302\nsystem_usec 303\nnr_periods 304\n"
      "nr_throttled 305\nthrottled_usec 306\n" },
    { A "/cpu.max", "150000 100000\n" },
    { A "/memory.current", "401408\n" },
    { A "/memory.max", "max\n" },
    { A "/memory.high", "819200\n" },
    { A "/memory.swap.current", "4096\n" },
    { A "/memory.events",
      "low 9\nhigh 501\nmax 502\noom 503\noom_kill 504\noom_group_kill 9\n" },
    { A "/memory.stat", cgroup_memory_stat },
    /* 240:0 and 240:16 are disks, 253:0 is none that is recorded. */
    { A "/io.stat",
      "253:0 rbytes=9 wbytes=9 rios=9 wios=9 dbytes=9 dios=9\n"
      "240:0 rbytes=601 wbytes=602 rios=603 wios=604 dbytes=605 dios=9\n"
      "240:16 rbytes=1000 wbytes=2000 rios=3000 wios=4000 dbytes=0 dios=0\n" },
    { A "/pids.current", "17\n" },
    { A "/pids.events", "max 18\n" },
    { A "/cpu.pressure", "some avg10=0.00 total=701\nfull total=702\n" },
    { A "/memory.pressure", "some avg10=0.00 total=703\nfull total=704\n" },
    { A "/io.pressure", "some avg10=0.00 total=705\nfull total=706\n" },
    { A "/b/c/cpu.stat", "usage_usec 1\nuser_usec 1\nsystem_usec 0\n" },
    { A "/b/c/d/cpu.stat", "usage_usec 2\nuser_usec 2\nsystem_usec 0\n" },
};
/* clang-format on */

void proc_tree_more(const char *dir)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        proc_tree_put(dir, files[i][0], files[i][1]);
}
