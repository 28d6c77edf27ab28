/*                                          logger/linux/machine/registry.h
 * The lists of all objects and of all sources, a row each.  To add an object
 * is to write its table and to add a row here; where it has a source of its
 * own, that has a row, too.
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

/* PL_ID of enum pl_source_id is the source of pl_NAME_kind. */
#define PL_SOURCES(row) \
    row(STAT, stat) \
    row(CPU, cpu) \
    row(LOADAVG, loadavg) \
    row(COUNTS, counts) \
    row(MEMINFO, meminfo) \
    row(VMSTAT, vmstat) \
    row(SWAPS, swaps) \
    row(DISKSTATS, diskstats) \
    row(MOUNTS, mounts) \
    row(NET_DEV, net_dev) \
    row(PROCESS, process) \
    row(THREAD, thread) \
    row(SELF, self) \
    row(PRESSURE, pressure) \
    row(IP4, ip4) \
    row(IP4_EXT, ip4_ext) \
    row(ICMP4, icmp4) \
    row(TCP, tcp) \
    row(TCP_EXT, tcp_ext) \
    row(UDP4, udp4) \
    row(IP6, ip6) \
    row(ICMP6, icmp6) \
    row(UDP6, udp6) \
    row(SOCKSTAT, sockstat) \
    row(SOFTNET, softnet) \
    row(LIMITS, limits) \
    row(NODES, nodes) \
    row(SLABINFO, slabinfo) \
    row(INTERRUPTS, interrupts) \
    row(SOFTIRQS, softirqs) \
    row(CPU_INTERRUPTS, cpu_interrupts) \
    row(CPU_SOFTIRQS, cpu_softirqs) \
    row(CLOCKS, clocks) \
    row(CPUINFO, cpuinfo) \
    row(IDLE, idle) \
    row(TEMPERATURES, temperatures) \
    row(FANS, fans) \
    row(POWER, power) \
    row(NFS, nfs) \
    row(CGROUPS, cgroups) \
    row(COSTS, costs) \
    row(PROVIDERS, providers) \
    row(PROVIDER_LIMITS, provider_limits)
/* clang-format on */

#endif
