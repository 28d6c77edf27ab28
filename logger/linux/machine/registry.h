/*                                          logger/linux/machine/registry.h
 * The lists of all objects and of all sources, a row each.  To add an object
 * is to write its table and to add a row here; where it reads a file that no
 * other does, that has a row, too.
 */
#ifndef PL_LOGGER_LINUX_MACHINE_REGISTRY_H
#define PL_LOGGER_LINUX_MACHINE_REGISTRY_H

/* clang-format off */
/*
 * In the order of the block: NAME is pl_object_NAME in tables/table_*.c.
 * Performance Logger is last, as it counts the others; Performance Logger
 * Source is first, as it covers complete samples only.
 */
#define PL_OBJECTS(row) \
    row(performance_logger_source) \
    row(system) \
    row(processor) \
    row(pressure_stall) \
    row(memory) \
    row(virtual_memory) \
    row(paging_file) \
    row(physical_disk) \
    row(logical_disk) \
    row(network_interface) \
    row(ipv4) \
    row(ipv6) \
    row(tcpv4) \
    row(tcp_extensions) \
    row(udpv4) \
    row(udpv6) \
    row(icmp) \
    row(icmpv6) \
    row(sockets) \
    row(network_backlog) \
    row(kernel_tables) \
    row(numa_node) \
    row(interrupt) \
    row(soft_interrupt) \
    row(slab_cache) \
    row(cpu_frequency) \
    row(processor_idle_state) \
    row(temperature_sensor) \
    row(fan_sensor) \
    row(power_domain) \
    row(nfs_client) \
    row(control_group) \
    row(process) \
    row(thread) \
    row(perflog_provider) \
    row(perflog_limit) \
    row(performance_logger)

/*
 * PL_ID of enum pl_source_id is the source of pl_NAME_kind.  A file that needs
 * no code is its row: whether its lines are KEYED ("key: value" or "key value";
 * KEYED_IN_PIECES where one read does not return all) or a SECTION is two lines,
 * of names and of values; its path below /proc; and the prefix of the lines used
 * (NULL: all).  A source of CODE defines its kind in a file of sources/,
 * processes/ or published/.
 */
#define PL_SOURCES(row) \
    row(STAT, stat, KEYED, "stat", NULL) \
    row(CPU, cpu, CODE, NULL, NULL) \
    row(LOADAVG, loadavg, CODE, NULL, NULL) \
    row(COUNTS, counts, CODE, NULL, NULL) \
    row(MEMINFO, meminfo, KEYED, "meminfo", NULL) \
    row(VMSTAT, vmstat, KEYED_IN_PIECES, "vmstat", NULL) \
    row(SWAPS, swaps, CODE, NULL, NULL) \
    row(DISKSTATS, diskstats, CODE, NULL, NULL) \
    row(MOUNTS, mounts, CODE, NULL, NULL) \
    row(NET_DEV, net_dev, CODE, NULL, NULL) \
    row(PROCESS, process, CODE, NULL, NULL) \
    row(THREAD, thread, CODE, NULL, NULL) \
    row(SELF, self, CODE, NULL, NULL) \
    row(PRESSURE, pressure, CODE, NULL, NULL) \
    row(IP4, ip4, SECTION, "net/snmp", "Ip") \
    row(IP4_EXT, ip4_ext, SECTION, "net/netstat", "IpExt") \
    row(ICMP4, icmp4, SECTION, "net/snmp", "Icmp") \
    row(TCP, tcp, SECTION, "net/snmp", "Tcp") \
    row(TCP_EXT, tcp_ext, SECTION, "net/netstat", "TcpExt") \
    row(UDP4, udp4, SECTION, "net/snmp", "Udp") \
    row(IP6, ip6, KEYED, "net/snmp6", "Ip6") \
    row(ICMP6, icmp6, KEYED, "net/snmp6", "Icmp6") \
    row(UDP6, udp6, KEYED, "net/snmp6", "Udp6") \
    row(SOCKSTAT, sockstat, CODE, NULL, NULL) \
    row(SOFTNET, softnet, CODE, NULL, NULL) \
    row(LIMITS, limits, CODE, NULL, NULL) \
    row(NODES, nodes, CODE, NULL, NULL) \
    row(SLABINFO, slabinfo, CODE, NULL, NULL) \
    row(INTERRUPTS, interrupts, CODE, NULL, NULL) \
    row(SOFTIRQS, softirqs, CODE, NULL, NULL) \
    row(CPU_INTERRUPTS, cpu_interrupts, CODE, NULL, NULL) \
    row(CPU_SOFTIRQS, cpu_softirqs, CODE, NULL, NULL) \
    row(CLOCKS, clocks, CODE, NULL, NULL) \
    row(CPUINFO, cpuinfo, CODE, NULL, NULL) \
    row(IDLE, idle, CODE, NULL, NULL) \
    row(TEMPERATURES, temperatures, CODE, NULL, NULL) \
    row(FANS, fans, CODE, NULL, NULL) \
    row(POWER, power, CODE, NULL, NULL) \
    row(NFS, nfs, CODE, NULL, NULL) \
    row(CGROUPS, cgroups, CODE, NULL, NULL) \
    row(COSTS, costs, CODE, NULL, NULL) \
    row(PROVIDERS, providers, CODE, NULL, NULL) \
    row(PROVIDER_LIMITS, provider_limits, CODE, NULL, NULL)
/* clang-format on */

#endif
