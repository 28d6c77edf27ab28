"""What each counter of the Linux logger is, as an expression over readings of /proc and /sys.

A line is a counter and its expression; test_catalogue.py evaluates them.  Missing keys mean that this
kernel does not have the counter.  'base of' is the base of a ratio.
"""

SYSTEM = """
Context Switches/sec | t['ctxt']
Processor Queue Length | max(t['procs_running'] - 1 - t['cpus'], 0)
Processes | t['pids']
Threads | t['threads']
Total Interrupts/sec | t['intr']
Total DPCs Queued/sec | t['softirq']
Load Average 1 Minute | t['load'][0]
Load Average 5 Minutes | t['load'][1]
Load Average 15 Minutes | t['load'][2]
Threads Created/sec | t['processes']
Threads Runnable | t['procs_running']
Threads Blocked | t['procs_blocked']
Processors Online | t['cpus']
"""

CPU = """
% Processor Time | (c[3] + c[4]) * TICK
% User Time | (c[0] + c[1]) * TICK
% Privileged Time | (c[2] + c[5] + c[6]) * TICK
% DPC Time | c[6] * TICK
% Interrupt Time | c[5] * TICK
% Idle Time | (c[3] + c[4]) * TICK
Interrupts/sec | c['interrupts']
DPCs Queued/sec | c['softirqs']
% System Time | c[2] * TICK
% Nice Time | c[1] * TICK
% I/O Wait Time | c[4] * TICK
% Steal Time | c[7] * TICK
% Guest Time | (c[8] + c[9]) * TICK
"""

PRESSURE = """
% Some Stalled | p['some'] * 10
% Full Stalled | p['full'] * 10
Data Flags | p['flags']
"""

MEMORY = """
Page Faults/sec | v['pgfault']
Available Bytes | m['MemAvailable'] * K
Committed Bytes | m['Committed_AS'] * K
Commit Limit | m['CommitLimit'] * K
% Committed Bytes In Use | m['Committed_AS'] * K
base of % Committed Bytes In Use | m['CommitLimit'] * K
Pages/sec | (v['pgpgin'] + v['pgpgout']) * 1024 // PAGE
Pages Input/sec | v['pgpgin'] * 1024 // PAGE
Pages Output/sec | v['pgpgout'] * 1024 // PAGE
Page Reads/sec | v['pgmajfault']
Pool Paged Bytes | m['SReclaimable'] * K
Pool Nonpaged Bytes | m['SUnreclaim'] * K
Cache Bytes | max(m['Cached'] + m['Buffers'] - m['Shmem'], 0) * K
Available KBytes | m['MemAvailable']
Available MBytes | m['MemAvailable'] // 1024
Free & Zero Page List Bytes | m['MemFree'] * K
Modified Page List Bytes | (m['Dirty'] + m['Writeback']) * K
Total Bytes | m['MemTotal'] * K
% In Use | (m['MemTotal'] - m['MemAvailable']) * K
base of % In Use | m['MemTotal'] * K
Buffers Bytes | m['Buffers'] * K
Cached Bytes | m['Cached'] * K
Swap Cached Bytes | m['SwapCached'] * K
Active Bytes | m['Active'] * K
Inactive Bytes | m['Inactive'] * K
Active Anonymous Bytes | m['Active(anon)'] * K
Inactive Anonymous Bytes | m['Inactive(anon)'] * K
Active File Bytes | m['Active(file)'] * K
Inactive File Bytes | m['Inactive(file)'] * K
Unevictable Bytes | m['Unevictable'] * K
Locked Bytes | m['Mlocked'] * K
Anonymous Bytes | m['AnonPages'] * K
Mapped Bytes | m['Mapped'] * K
Shared Memory Bytes | m['Shmem'] * K
Kernel Reclaimable Bytes | m['KReclaimable'] * K
Slab Bytes | m['Slab'] * K
Kernel Stack Bytes | m['KernelStack'] * K
Page Table Bytes | m['PageTables'] * K
Secondary Page Table Bytes | m['SecPageTables'] * K
Vmalloc Used Bytes | m['VmallocUsed'] * K
Per Processor Bytes | m['Percpu'] * K
Dirty Bytes | m['Dirty'] * K
Writeback Bytes | m['Writeback'] * K
Anonymous Huge Page Bytes | m['AnonHugePages'] * K
Huge Pages Reserved Pool Bytes | m['HugePages_Total'] * m['Hugepagesize'] * K
Huge Pages Free Bytes | m['HugePages_Free'] * m['Hugepagesize'] * K
Huge Pages All Sizes Bytes | m['Hugetlb'] * K
Hardware Corrupted Bytes | m['HardwareCorrupted'] * K
Swap Total Bytes | m['SwapTotal'] * K
Swap Used Bytes | (m['SwapTotal'] - m['SwapFree']) * K
Zswap Bytes | m['Zswap'] * K
Zswapped Bytes | m['Zswapped'] * K
Balloon Bytes | m['Balloon'] * K
"""

VIRTUAL_MEMORY = """
Swap Pages In/sec | v['pswpin']
Swap Pages Out/sec | v['pswpout']
Zswap Pages In/sec | v['zswpin']
Zswap Pages Out/sec | v['zswpout']
OOM Kills/sec | v['oom_kill']
OOM Kills | v['oom_kill']
Pages Scanned By Kswapd/sec | v['pgscan_kswapd']
Pages Scanned Directly/sec | v['pgscan_direct']
Pages Reclaimed By Kswapd/sec | v['pgsteal_kswapd']
Pages Reclaimed Directly/sec | v['pgsteal_direct']
Pages Scanned Proactively/sec | some(v, 'pgscan_proactive', 'pgscan_khugepaged')
Pages Reclaimed Proactively/sec | some(v, 'pgsteal_proactive', 'pgsteal_khugepaged')
Anonymous Pages Reclaimed/sec | v['pgsteal_anon']
File Pages Reclaimed/sec | v['pgsteal_file']
Allocation Stalls/sec | some(v, 'allocstall_dma', 'allocstall_dma32', 'allocstall_normal', 'allocstall_movable', 'allocstall_device', 'allocstall_high')
Reclaim Throttles/sec | v['pgscan_direct_throttle']
Kswapd Wakeups/sec | v['pageoutrun']
Workingset File Refaults/sec | either(v, 'workingset_refault_file', 'workingset_refault')
Workingset Anonymous Refaults/sec | v['workingset_refault_anon']
Workingset Activations/sec | some(v, 'workingset_activate_file', 'workingset_activate_anon')
Pages Allocated/sec | some(v, 'pgalloc_dma', 'pgalloc_dma32', 'pgalloc_normal', 'pgalloc_movable', 'pgalloc_device', 'pgalloc_high')
Pages Freed/sec | v['pgfree']
Pages Activated/sec | v['pgactivate']
Pages Deactivated/sec | v['pgdeactivate']
Pages Dirtied/sec | v['nr_dirtied']
Pages Written/sec | v['nr_written']
Dirty Threshold Pages | v['nr_dirty_threshold']
Dirty Background Threshold Pages | v['nr_dirty_background_threshold']
Compaction Stalls/sec | v['compact_stall']
Compaction Failures/sec | v['compact_fail']
Compaction Successes/sec | v['compact_success']
Compaction Pages Scanned/sec | some(v, 'compact_migrate_scanned', 'compact_free_scanned')
Pages Migrated/sec | v['pgmigrate_success']
Page Migration Failures/sec | v['pgmigrate_fail']
Huge Page Fault Allocations/sec | v['thp_fault_alloc']
Huge Page Fault Fallbacks/sec | v['thp_fault_fallback']
Huge Page Collapses/sec | v['thp_collapse_alloc']
Huge Page Splits/sec | v['thp_split_page']
Huge Page Swap Outs/sec | v['thp_swpout']
NUMA Page Table Updates/sec | v['numa_pte_updates']
NUMA Hint Faults/sec | v['numa_hint_faults']
NUMA Local Hint Faults/sec | v['numa_hint_faults_local']
NUMA Pages Migrated/sec | v['numa_pages_migrated']
Pages Demoted/sec | some(v, 'pgdemote_kswapd', 'pgdemote_direct', 'pgdemote_khugepaged', 'pgdemote_proactive')
Pages Promoted/sec | v['pgpromote_success']
Slab Objects Scanned/sec | v['slabs_scanned']
Cache Drops/sec | some(v, 'drop_pagecache', 'drop_slab')
Balloon Inflates/sec | v['balloon_inflate']
Balloon Deflates/sec | v['balloon_deflate']
"""

PAGING_FILE = """
% Usage | w[1] * K
base of % Usage | w[0] * K
Size Bytes | w[0] * K
Used Bytes | w[1] * K
Priority | w[2] + 32768
"""

TRANSFERS = """
Current Disk Queue Length | F[9]
% Disk Time | (F[4] + F[8]) * MS
Avg. Disk Queue Length | (F[4] + F[8]) * MS
% Disk Read Time | F[4] * MS
Avg. Disk Read Queue Length | F[4] * MS
% Disk Write Time | F[8] * MS
Avg. Disk Write Queue Length | F[8] * MS
Avg. Disk sec/Transfer | (F[4] + F[8]) * MS
base of Avg. Disk sec/Transfer | F[1] + F[5]
Avg. Disk sec/Read | F[4] * MS
base of Avg. Disk sec/Read | F[1]
Avg. Disk sec/Write | F[8] * MS
base of Avg. Disk sec/Write | F[5]
Disk Transfers/sec | F[1] + F[5]
Disk Reads/sec | F[1]
Disk Writes/sec | F[5]
Disk Bytes/sec | (F[3] + F[7]) * 512
Disk Read Bytes/sec | F[3] * 512
Disk Write Bytes/sec | F[7] * 512
Avg. Disk Bytes/Transfer | (F[3] + F[7]) * 512
base of Avg. Disk Bytes/Transfer | F[1] + F[5]
Avg. Disk Bytes/Read | F[3] * 512
base of Avg. Disk Bytes/Read | F[1]
Avg. Disk Bytes/Write | F[7] * 512
base of Avg. Disk Bytes/Write | F[5]
% Idle Time | F[10] * MS
% Busy Time | F[10] * MS
Merged Reads/sec | F[2]
Merged Writes/sec | F[6]
Discards/sec | F[12]
Discard Bytes/sec | F[14] * 512
Avg. Disk sec/Discard | F[15] * MS
base of Avg. Disk sec/Discard | F[12]
Flushes/sec | F[16]
Avg. Disk sec/Flush | F[17] * MS
base of Avg. Disk sec/Flush | F[16]
Avg. All Requests Queue Length | F[11] * MS
"""

PHYSICAL_DISK = """
Device Number | d['number']
Disk Sequence | d['diskseq']
Size Bytes | d['size'] * 512
Data Flags | d['flags']
"""

LOGICAL_DISK = """
% Free Space | f.f_bavail * f.f_frsize
base of % Free Space | (f.f_blocks - f.f_bfree + f.f_bavail) * f.f_frsize
Free Megabytes | f.f_bavail * f.f_frsize // 1048576
File System Device | f.device
Size Bytes | f.f_blocks * f.f_frsize
Free Bytes | f.f_bfree * f.f_frsize
% Free Inodes | f.f_favail
base of % Free Inodes | f.f_files
Free Inodes | f.f_ffree
Read Only | f.read_only
Data Flags | f.flags
"""

NET = """
Bytes Total/sec | c[0] + c[8]
Packets/sec | c[1] + c[9]
Packets Received/sec | c[1]
Packets Sent/sec | c[9]
Current Bandwidth | n['speed'] * 1000000
Bytes Received/sec | c[0]
Packets Received Unicast/sec | max(c[1] - c[7], 0)
Packets Received Non-Unicast/sec | c[7]
Packets Received Discarded | c[3]
Packets Received Errors | c[2]
Bytes Sent/sec | c[8]
Packets Outbound Discarded | c[11]
Packets Outbound Errors | c[10]
Interface Index | n['ifindex']
Receive Drops/sec | c[3]
Receive Errors/sec | c[2]
Transmit Drops/sec | c[11]
Transmit Errors/sec | c[10]
Receive FIFO Errors/sec | c[4]
Frame Errors/sec | c[5]
Carrier Errors/sec | c[14]
Link Up | n['carrier']
MTU | n['mtu']
"""

IP = """
Datagrams/sec | s['InReceives'] + s['OutRequests']
Datagrams Received/sec | s['InReceives']
Datagrams Received Header Errors | s['InHdrErrors']
Datagrams Received Address Errors | s['InAddrErrors']
Datagrams Forwarded/sec | either(s, 'ForwDatagrams', 'OutForwDatagrams')
Datagrams Received Unknown Protocol | s['InUnknownProtos']
Datagrams Received Discarded | s['InDiscards']
Datagrams Received Delivered/sec | s['InDelivers']
Datagrams Sent/sec | s['OutRequests']
Datagrams Outbound Discarded | s['OutDiscards']
Datagrams Outbound No Route | s['OutNoRoutes']
Fragments Received/sec | s['ReasmReqds']
Fragments Re-assembled/sec | s['ReasmOKs']
Fragment Re-assembly Failures | s['ReasmFails']
Fragmented Datagrams/sec | s['FragOKs']
Fragmentation Failures | s['FragFails']
Fragments Created/sec | s['FragCreates']
Re-assembly Timeouts/sec | s['ReasmTimeout']
Transmits/sec | s['OutTransmits']
Bytes Received/sec | s['InOctets']
Bytes Sent/sec | s['OutOctets']
Multicast Received/sec | s['InMcastPkts']
Multicast Sent/sec | s['OutMcastPkts']
Congestion Marked Received/sec | s['InCEPkts']
"""

TCP = """
Segments/sec | s['InSegs'] + s['OutSegs']
Connections Established | s['CurrEstab']
Connections Active | s['ActiveOpens']
Connections Passive | s['PassiveOpens']
Connection Failures | s['AttemptFails']
Connections Reset | s['EstabResets']
Segments Received/sec | s['InSegs']
Segments Sent/sec | s['OutSegs']
Segments Retransmitted/sec | s['RetransSegs']
Active Opens/sec | s['ActiveOpens']
Passive Opens/sec | s['PassiveOpens']
Attempt Failures/sec | s['AttemptFails']
Established Resets/sec | s['EstabResets']
Segments Received Errors/sec | s['InErrs']
Checksum Errors/sec | s['InCsumErrors']
Resets Sent/sec | s['OutRsts']
"""

TCP_EXT = """
Listen Overflows/sec | s['ListenOverflows']
Listen Drops/sec | s['ListenDrops']
SYN Retransmits/sec | s['TCPSynRetrans']
Fast Retransmits/sec | s['TCPFastRetrans']
Slow Start Retransmits/sec | s['TCPSlowStartRetrans']
Lost Retransmits/sec | s['TCPLostRetransmit']
Retransmit Failures/sec | s['TCPRetransFail']
Timeouts/sec | s['TCPTimeouts']
Spurious Timeouts/sec | s['TCPSpuriousRTOs']
Loss Probes/sec | s['TCPLossProbes']
Loss Probe Recoveries/sec | s['TCPLossProbeRecovery']
SACK Recoveries/sec | s['TCPSackRecovery']
Reorderings/sec | s['TCPSACKReorder']
Out Of Order Queued/sec | s['TCPOFOQueue']
Out Of Order Dropped/sec | s['TCPOFODrop']
Receive Pruned/sec | s['RcvPruned']
Prune Calls/sec | s['PruneCalled']
Receive Queue Drops/sec | s['TCPRcvQDrop']
Backlog Drops/sec | s['TCPBacklogDrop']
Zero Window Drops/sec | s['TCPZeroWindowDrop']
Zero Window Announced/sec | s['TCPToZeroWindowAdv']
Window Probes/sec | s['TCPWinProbe']
Keep Alives/sec | s['TCPKeepAlive']
Memory Pressures/sec | s['TCPMemoryPressures']
% Memory Pressure Time | s['TCPMemoryPressuresChrono'] * 10000
Aborts On Memory/sec | s['TCPAbortOnMemory']
Aborts On Timeout/sec | s['TCPAbortOnTimeout']
Aborts On Data/sec | s['TCPAbortOnData']
Aborts On Close/sec | s['TCPAbortOnClose']
Request Queue Drops/sec | s['TCPReqQFullDrop']
SYN Cookies Sent/sec | s['SyncookiesSent']
SYN Cookies Failed/sec | s['SyncookiesFailed']
Time Wait Started/sec | s['TW']
Time Wait Overflows/sec | s['TCPTimeWaitOverflow']
Data Segments Sent/sec | s['TCPOrigDataSent']
Data Segments Delivered/sec | s['TCPDelivered']
Congestion Marked Delivered/sec | s['TCPDeliveredCE']
Reverse Path Drops/sec | s['IPReversePathFilter']
"""

UDP = """
Datagrams/sec | s['InDatagrams'] + s['OutDatagrams']
Datagrams Received/sec | s['InDatagrams']
Datagrams No Port/sec | s['NoPorts']
Datagrams Received Errors | s['InErrors']
Datagrams Sent/sec | s['OutDatagrams']
Receive Buffer Errors/sec | s['RcvbufErrors']
Send Buffer Errors/sec | s['SndbufErrors']
Checksum Errors/sec | s['InCsumErrors']
Memory Errors/sec | s['MemErrors']
"""

ICMP = """
Messages/sec | s['InMsgs'] + s['OutMsgs']
Messages Received/sec | s['InMsgs']
Messages Received Errors | s['InErrors']
Received Dest. Unreachable | s['InDestUnreachs']
Received Time Exceeded | s['InTimeExcds']
Received Redirect/sec | s['InRedirects']
Received Echo/sec | s['InEchos']
Received Echo Reply/sec | either(s, 'InEchoReps', 'InEchoReplies')
Messages Sent/sec | s['OutMsgs']
Messages Outbound Errors | s['OutErrors']
Sent Destination Unreachable | s['OutDestUnreachs']
Sent Time Exceeded | s['OutTimeExcds']
Sent Echo/sec | s['OutEchos']
Sent Echo Reply/sec | either(s, 'OutEchoReps', 'OutEchoReplies')
Received Packet Too Big | s['InPktTooBigs']
"""

SOCKETS = """
Sockets In Use | s['sockets used']
TCP In Use | s['TCP inuse']
TCP Orphaned | s['TCP orphan']
TCP Time Wait | s['TCP tw']
TCP Allocated | s['TCP alloc']
TCP Memory Bytes | s['TCP mem'] * PAGE
UDP In Use | s['UDP inuse']
UDP Memory Bytes | s['UDP mem'] * PAGE
Fragments In Use | s['FRAG inuse']
Fragment Memory Bytes | s['FRAG memory']
TCP IPv6 In Use | s['TCP6 inuse']
UDP IPv6 In Use | s['UDP6 inuse']
"""

BACKLOG = """
Packets Processed/sec | c[0]
Packets Dropped/sec | c[1]
Time Squeezes/sec | c[2]
Steered Packets/sec | c[9]
Backlog Length | c[11]
"""

KERNEL_TABLES = """
Open Files | k['fs/file-nr'][0]
% Open Files | k['fs/file-nr'][0]
base of % Open Files | k['fs/file-nr'][2]
Inodes | k['fs/inode-nr'][0]
Inodes Unused | k['fs/inode-nr'][1]
Dentries | k['fs/dentry-state'][0]
Dentries Unused | k['fs/dentry-state'][1]
Dentries Negative | k['fs/dentry-state'][4]
Asynchronous I/O Requests | k['fs/aio-nr'][0]
% Process Numbers Used | t['threads']
base of % Process Numbers Used | k['kernel/pid_max'][0]
Tracked Connections | k['net/netfilter/nf_conntrack_count'][0]
% Tracked Connections | k['net/netfilter/nf_conntrack_count'][0]
base of % Tracked Connections | k['net/netfilter/nf_conntrack_max'][0]
"""

NUMA = """
Total Bytes | n['MemTotal'] * K
Free Bytes | n['MemFree'] * K
File Cache Bytes | n['FilePages'] * K
Anonymous Bytes | n['AnonPages'] * K
Slab Bytes | n['Slab'] * K
Dirty Bytes | n['Dirty'] * K
Hits/sec | n['numa_hit']
Misses/sec | n['numa_miss']
Foreign/sec | n['numa_foreign']
Local/sec | n['local_node']
Remote/sec | n['other_node']
"""

INTERRUPT = """
Interrupts/sec | x
"""

SOFT_INTERRUPT = """
Soft Interrupts/sec | x
"""

SLAB = """
Active Objects | c[0]
Objects | c[1]
Bytes | c['slabs'] * c[4] * PAGE
% Used | c[0] * c[2]
base of % Used | c['slabs'] * c[4] * PAGE
"""

CPU_FREQUENCY = """
Current Frequency | either(q, 'scaling_cur_freq', 'khz') * 1000
% of Maximum Frequency | q['scaling_cur_freq']
base of % of Maximum Frequency | q['cpuinfo_max_freq']
Allowed Maximum Frequency | q['scaling_max_freq'] * 1000
Core Throttles/sec | q['core_throttle_count']
Package Throttles/sec | q['package_throttle_count']
"""

IDLE_STATE = """
% Time | i['time'] * 10
Entries/sec | i['usage']
Rejections/sec | i['rejected']
"""

TEMPERATURE = """
Temperature Celsius | h['input']
Critical Celsius | h['crit']
Alarm | h['alarm']
"""

CONTROL_GROUP = """
Control Group ID | g['inode']
% Processor Time | g['cpu.stat usage_usec'] * 10
% User Time | g['cpu.stat user_usec'] * 10
% Privileged Time | g['cpu.stat system_usec'] * 10
Periods/sec | g['cpu.stat nr_periods']
Throttled Periods/sec | g['cpu.stat nr_throttled']
% Throttled Time | g['cpu.stat throttled_usec'] * 10
Processor Limit | g['limit']
Memory Bytes | g['memory.current']
Memory Limit Bytes | g['memory.max']
Memory High Bytes | g['memory.high']
Swap Bytes | g['memory.swap.current']
Memory Limit Hits/sec | g['memory.events max']
Memory High Events/sec | g['memory.events high']
OOM Events/sec | g['memory.events oom']
OOM Kills | g['memory.events oom_kill']
Anonymous Bytes | g['memory.stat anon']
File Bytes | g['memory.stat file']
Shared Memory Bytes | g['memory.stat shmem']
Kernel Bytes | g['memory.stat kernel']
Socket Bytes | g['memory.stat sock']
Dirty Bytes | g['memory.stat file_dirty']
Inactive File Bytes | g['memory.stat inactive_file']
Page Faults/sec | g['memory.stat pgfault']
Major Page Faults/sec | g['memory.stat pgmajfault']
Workingset Refaults/sec | g['memory.stat workingset_refault_file'] + g['memory.stat workingset_refault_anon']
Pages Scanned/sec | g['memory.stat pgscan']
Pages Reclaimed/sec | g['memory.stat pgsteal']
Read Bytes/sec | g['io rbytes']
Write Bytes/sec | g['io wbytes']
Reads/sec | g['io rios']
Writes/sec | g['io wios']
Discard Bytes/sec | g['io dbytes']
Processes And Threads | g['pids.current']
Process Limit Hits | g['pids.events max']
% Processor Some Stalled | g['cpu.pressure some'] * 10
% Processor Full Stalled | g['cpu.pressure full'] * 10
% Memory Some Stalled | g['memory.pressure some'] * 10
% Memory Full Stalled | g['memory.pressure full'] * 10
% I/O Some Stalled | g['io.pressure some'] * 10
% I/O Full Stalled | g['io.pressure full'] * 10
Populated | g['cgroup.events populated']
Dying Descendants | g['cgroup.stat nr_dying_descendants']
"""
