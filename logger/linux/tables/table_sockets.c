/* Counters of UDPv4, UDPv6, Sockets and Network Backlog. */
#include "logger/linux/tables/objects.h"

/* clang-format off */
static const struct pl_counter udp_rows[] = {
    { 438, "Datagrams/sec", PERF_COUNTER_BULK_COUNT, -1, PL_NOVICE,
      "InDatagrams + OutDatagrams", PL_PLAIN, PL_TOTAL_NONE,
      "Datagrams received and sent per second." },
    { 446, "Datagrams Received/sec", PERF_COUNTER_BULK_COUNT, -1, PL_ADVANCED,
      "InDatagrams", PL_PLAIN, PL_TOTAL_NONE,
      "Datagrams received per second." },
    { 664, "Datagrams No Port/sec", PERF_COUNTER_BULK_COUNT, 0, PL_ADVANCED,
      "NoPorts", PL_PLAIN, PL_TOTAL_NONE,
      "Datagrams per second for ports nobody listens on." },
    { 666, "Datagrams Received Errors", PERF_COUNTER_RAWCOUNT, 0, PL_ADVANCED,
      "InErrors", PL_LOW_32, PL_TOTAL_NONE,
      "Datagrams that could not be delivered so far, for another reason than a "
      "closed port." },
    { 442, "Datagrams Sent/sec", PERF_COUNTER_BULK_COUNT, -1, PL_ADVANCED,
      "OutDatagrams", PL_PLAIN, PL_TOTAL_NONE,
      "Datagrams sent per second." },
    { 23002, "Receive Buffer Errors/sec", PERF_COUNTER_BULK_COUNT, 0, PL_NOVICE,
      "RcvbufErrors", PL_PLAIN, PL_TOTAL_NONE,
      "Datagrams lost per second because the program read too slowly." },
    { 23004, "Send Buffer Errors/sec", PERF_COUNTER_BULK_COUNT, 0, PL_ADVANCED,
      "SndbufErrors", PL_PLAIN, PL_TOTAL_NONE,
      "Sends per second that found no buffer." },
    { 23006, "Checksum Errors/sec", PERF_COUNTER_BULK_COUNT, 0, PL_EXPERT,
      "InCsumErrors", PL_PLAIN, PL_TOTAL_NONE,
      "Datagrams with a wrong checksum per second." },
    { 23008, "Memory Errors/sec", PERF_COUNTER_BULK_COUNT, 0, PL_EXPERT,
      "MemErrors", PL_PLAIN, PL_TOTAL_NONE,
      "Datagrams lost per second because UDP memory was used up.",
      PL_LINUX(5, 11) },
};

const struct pl_object_def pl_object_udpv4 = {
    .index = 658, .name = "UDPv4", .level = PL_ADVANCED,
    .help = "UDP datagrams over IPv4.",
    .default_counter = 438, .shared_help = PL_SHARED_HELP + 4000,
    .sources = { PL_UDP4 },
    .tables = { PL_TABLE(udp_rows) },
};

const struct pl_object_def pl_object_udpv6 = {
    .index = 1532, .name = "UDPv6", .level = PL_ADVANCED,
    .help = "UDP datagrams over IPv6.",
    .default_counter = 438, .shared_help = PL_SHARED_HELP + 4000,
    .sources = { PL_UDP6 },
    .tables = { PL_TABLE(udp_rows) },
};

static const struct pl_counter sockets_rows[] = {
    { 21302, "Sockets In Use", PERF_COUNTER_RAWCOUNT, -1, PL_NOVICE,
      "sockets_used", PL_PLAIN, PL_TOTAL_NONE,
      "Sockets of every kind open now." },
    { 21304, "TCP In Use", PERF_COUNTER_RAWCOUNT, -1, PL_NOVICE, "TCP_inuse",
      PL_PLAIN, PL_TOTAL_NONE,
      "IPv4 TCP sockets in use." },
    { 21306, "TCP Orphaned", PERF_COUNTER_RAWCOUNT, 0, PL_ADVANCED,
      "TCP_orphan", PL_PLAIN, PL_TOTAL_NONE,
      "TCP sockets no program owns any more but still closing." },
    { 21308, "TCP Time Wait", PERF_COUNTER_RAWCOUNT, -1, PL_ADVANCED, "TCP_tw",
      PL_PLAIN, PL_TOTAL_NONE,
      "Closed TCP connections waiting out their time." },
    { 21310, "TCP Allocated", PERF_COUNTER_RAWCOUNT, -1, PL_ADVANCED,
      "TCP_alloc", PL_PLAIN, PL_TOTAL_NONE,
      "TCP sockets allocated." },
    { 21312, "TCP Memory Bytes", PERF_COUNTER_LARGE_RAWCOUNT, -6, PL_ADVANCED,
      "TCP_mem", PL_PAGES, PL_TOTAL_NONE,
      "Memory of TCP buffers." },
    { 21314, "UDP In Use", PERF_COUNTER_RAWCOUNT, -1, PL_ADVANCED, "UDP_inuse",
      PL_PLAIN, PL_TOTAL_NONE,
      "IPv4 UDP sockets in use." },
    { 21316, "UDP Memory Bytes", PERF_COUNTER_LARGE_RAWCOUNT, -6, PL_EXPERT,
      "UDP_mem", PL_PAGES, PL_TOTAL_NONE,
      "Memory of UDP buffers." },
    { 21320, "Fragments In Use", PERF_COUNTER_RAWCOUNT, 0, PL_EXPERT,
      "FRAG_inuse", PL_PLAIN, PL_TOTAL_NONE,
      "IPv4 datagrams waiting for missing fragments." },
    { 21322, "Fragment Memory Bytes", PERF_COUNTER_LARGE_RAWCOUNT, -3,
      PL_EXPERT, "FRAG_memory", PL_PLAIN, PL_TOTAL_NONE,
      "Memory of those fragments." },
    { 21324, "TCP IPv6 In Use", PERF_COUNTER_RAWCOUNT, -1, PL_ADVANCED,
      "TCP6_inuse", PL_PLAIN, PL_TOTAL_NONE,
      "IPv6 TCP sockets in use." },
    { 21326, "UDP IPv6 In Use", PERF_COUNTER_RAWCOUNT, -1, PL_ADVANCED,
      "UDP6_inuse", PL_PLAIN, PL_TOTAL_NONE,
      "IPv6 UDP sockets in use." },
};

const struct pl_object_def pl_object_sockets = {
    .index = 21300, .name = "Sockets", .level = PL_ADVANCED,
    .help = "Sockets in use and their memory.",
    .default_counter = 21302,
    .sources = { PL_SOCKSTAT },
    .tables = { PL_TABLE(sockets_rows) },
};

static const struct pl_counter network_backlog_rows[] = {
    { 21852, "Packets Processed/sec", PERF_COUNTER_BULK_COUNT, -1, PL_EXPERT,
      "processed", PL_WIDE, PL_TOTAL_SUM,
      "Packets this processor took from the network per second." },
    { 21854, "Packets Dropped/sec", PERF_COUNTER_BULK_COUNT, 0, PL_ADVANCED,
      "dropped", PL_WIDE, PL_TOTAL_SUM,
      "Packets dropped per second because the backlog was full." },
    { 21856, "Time Squeezes/sec", PERF_COUNTER_BULK_COUNT, 0, PL_ADVANCED,
      "time_squeeze", PL_WIDE, PL_TOTAL_SUM,
      "Times per second work was left over when the time slice ended." },
    { 21858, "Steered Packets/sec", PERF_COUNTER_BULK_COUNT, -1, PL_WIZARD,
      "received_rps", PL_WIDE, PL_TOTAL_SUM,
      "Wake-ups per second by packets steered here from another processor." },
    { 21860, "Backlog Length", PERF_COUNTER_RAWCOUNT, 0, PL_EXPERT, "backlog",
      PL_PLAIN, PL_TOTAL_SUM,
      "Packets waiting for this processor now.",
      PL_LINUX(5, 10) },
};

const struct pl_object_def pl_object_network_backlog = {
    .index = 21850, .name = "Network Backlog", .level = PL_EXPERT,
    .help = "Packet processing of each processor below the protocols.",
    .default_counter = 21854,
    .has_instances = true, .default_from = PL_ON_REQUEST,
    .sources = { PL_SOFTNET },
    .tables = { PL_TABLE(network_backlog_rows) },
};
/* clang-format on */
