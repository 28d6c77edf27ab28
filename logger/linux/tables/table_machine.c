/* Counters of System, Processor and Paging File. */
#include "logger/linux/tables/objects.h"

/* clang-format off */
static const struct pl_counter system_rows[] = {
    { 146, "Context Switches/sec", PERF_COUNTER_BULK_COUNT, -2, PL_ADVANCED,
      "ctxt", PL_PLAIN, PL_TOTAL_NONE,
      "Switches from one thread to another per second, over all processors." },
    { 674, "System Up Time", PERF_ELAPSED_TIME, -5, PL_NOVICE, "0",
      PL_SINCE_BOOT, PL_TOTAL_NONE,
      "Seconds since the system was started, suspended time included." },
    { 44, "Processor Queue Length", PERF_COUNTER_RAWCOUNT, 1, PL_NOVICE,
      "procs_running - 1 - processors", PL_PLAIN, PL_TOTAL_NONE,
      "Runnable threads for which no processor is left at this moment, "
      "without the logger itself; Windows: counts the ready queue directly, "
      "here it is runnable threads minus processors." },
    { 248, "Processes", PERF_COUNTER_RAWCOUNT, 1, PL_ADVANCED, "processes_now",
      PL_PLAIN, PL_TOTAL_NONE,
      "Processes that exist now, zombies and kernel threads included." },
    { 250, "Threads", PERF_COUNTER_RAWCOUNT, 1, PL_ADVANCED, "threads",
      PL_PLAIN, PL_TOTAL_NONE,
      "Threads that exist now, kernel threads included." },
    { 246, "Total Interrupts/sec", PERF_COUNTER_BULK_COUNT, -2, PL_NOVICE,
      "intr", PL_PLAIN, PL_TOTAL_NONE,
      "Hardware interrupts handled per second on all processors." },
    { 1342, "Total DPCs Queued/sec", PERF_COUNTER_BULK_COUNT, -2, PL_ADVANCED,
      "softirq", PL_WIDE, PL_TOTAL_NONE,
      "Soft interrupts run per second on all processors; Windows: deferred "
      "procedure calls, the closest relative." },
    { 22002, "Load Average 1 Minute", PL_NUMBER_DEC_1000, 1, PL_NOVICE,
      "load_1", PL_PLAIN, PL_TOTAL_NONE,
      "Threads running, runnable or in uninterruptible sleep, damped over "
      "about one minute." },
    { 22004, "Load Average 5 Minutes", PL_NUMBER_DEC_1000, 1, PL_NOVICE,
      "load_5", PL_PLAIN, PL_TOTAL_NONE,
      "The same, damped over about five minutes." },
    { 22006, "Load Average 15 Minutes", PL_NUMBER_DEC_1000, 1, PL_NOVICE,
      "load_15", PL_PLAIN, PL_TOTAL_NONE,
      "The same, damped over about fifteen minutes." },
    { 22008, "Threads Created/sec", PERF_COUNTER_BULK_COUNT, 0, PL_NOVICE,
      "stat:processes", PL_PLAIN, PL_TOTAL_NONE,
      "Threads and processes started per second." },
    { 22010, "Threads Runnable", PERF_COUNTER_RAWCOUNT, 1, PL_NOVICE,
      "procs_running", PL_PLAIN, PL_TOTAL_NONE,
      "Threads running or waiting for a processor now." },
    { 22012, "Threads Blocked", PERF_COUNTER_RAWCOUNT, 1, PL_NOVICE,
      "procs_blocked", PL_PLAIN, PL_TOTAL_NONE,
      "Threads waiting for I/O now." },
    { 22014, "Processors Online", PERF_COUNTER_RAWCOUNT, 0, PL_ADVANCED,
      "processors", PL_PLAIN, PL_TOTAL_NONE,
      "Processors that can run threads now." },
};

const struct pl_object_def pl_object_system = {
    .index = 2, .name = "System", .level = PL_NOVICE,
    .help = "Load, uptime and totals of the whole machine.",
    .default_counter = 44, .has_clock = true,
    .sources = { PL_STAT, PL_LOADAVG, PL_COUNTS },
    .tables = { PL_TABLE(system_rows) },
};

static const struct pl_counter processor_rows[] = {
    { 6, "% Processor Time", PERF_100NSEC_TIMER_INV, 0, PL_NOVICE,
      "idle + iowait", PL_TICKS, PL_TOTAL_MEAN,
      "Share of time the processor was not idle; waiting for disks counts "
      "as idle, time stolen by the hypervisor as busy." },
    { 142, "% User Time", PERF_100NSEC_TIMER, 0, PL_NOVICE, "user + nice",
      PL_TICKS, PL_TOTAL_MEAN,
      "Share of time in user programs, including low-priority ones and "
      "virtual machines run here." },
    { 144, "% Privileged Time", PERF_100NSEC_TIMER, 0, PL_NOVICE,
      "system + irq + softirq", PL_TICKS, PL_TOTAL_MEAN,
      "Share of time in the kernel, interrupts and soft interrupts "
      "included, as on Windows." },
    { 696, "% DPC Time", PERF_100NSEC_TIMER, 0, PL_ADVANCED, "softirq",
      PL_TICKS, PL_TOTAL_MEAN,
      "Share of time in soft interrupts; Windows: deferred procedure calls." },
    { 698, "% Interrupt Time", PERF_100NSEC_TIMER, 0, PL_ADVANCED, "irq",
      PL_TICKS, PL_TOTAL_MEAN,
      "Share of time in hardware interrupt handlers." },
    { 1746, "% Idle Time", PERF_100NSEC_TIMER, 0, PL_ADVANCED, "idle + iowait",
      PL_TICKS, PL_TOTAL_MEAN,
      "Share of time with nothing to run, waiting for disks included." },
    { 148, "Interrupts/sec", PERF_COUNTER_BULK_COUNT, -2, PL_NOVICE,
      "cpu_interrupts", PL_WIDE, PL_TOTAL_SUM,
      "Hardware interrupts handled by this processor per second." },
    { 1334, "DPCs Queued/sec", PERF_COUNTER_BULK_COUNT, 0, PL_ADVANCED,
      "cpu_softirqs", PL_WIDE, PL_TOTAL_SUM,
      "Soft interrupts run by this processor per second; Windows: deferred "
      "procedure calls queued." },
    { 22102, "% System Time", PERF_100NSEC_TIMER, 0, PL_ADVANCED, "system",
      PL_TICKS, PL_TOTAL_MEAN,
      "Share of time in the kernel outside interrupts." },
    { 22104, "% Nice Time", PERF_100NSEC_TIMER, 0, PL_ADVANCED, "nice",
      PL_TICKS, PL_TOTAL_MEAN,
      "Share of time in user programs of lowered priority." },
    { 22106, "% I/O Wait Time", PERF_100NSEC_TIMER, 0, PL_NOVICE, "iowait",
      PL_TICKS, PL_TOTAL_MEAN,
      "Share of time idle while a thread last run here waited for I/O." },
    { 22108, "% Steal Time", PERF_100NSEC_TIMER, 0, PL_NOVICE, "steal",
      PL_TICKS, PL_TOTAL_MEAN,
      "Share of time the hypervisor ran something else although this "
      "processor had work." },
    { 22110, "% Guest Time", PERF_100NSEC_TIMER, 0, PL_EXPERT,
      "guest + guest_nice", PL_TICKS, PL_TOTAL_MEAN,
      "Share of time running virtual machines." },
};

const struct pl_object_def pl_object_processor = {
    .index = 238, .name = "Processor", .level = PL_NOVICE,
    .help = "Time and interrupts of each processor.",
    .default_counter = 6, .has_instances = true,
    .sources = { PL_CPU, PL_CPU_INTERRUPTS, PL_CPU_SOFTIRQS },
    .tables = { PL_TABLE(processor_rows) },
};

static const struct pl_counter paging_file_rows[] = {
    { 702, "% Usage", PERF_LARGE_RAW_FRACTION, 0, PL_NOVICE, "used", PL_KIB,
      PL_TOTAL_SUM,
      "Used part of this swap area." },
    { .index = 702, .type = PERF_LARGE_RAW_BASE,
      .from = "size", .unit = PL_KIB },
    { 22402, "Size Bytes", PERF_COUNTER_LARGE_RAWCOUNT, -6, PL_ADVANCED, "size",
      PL_KIB, PL_TOTAL_SUM,
      "Size of the swap area." },
    { 22404, "Used Bytes", PERF_COUNTER_LARGE_RAWCOUNT, -6, PL_ADVANCED, "used",
      PL_KIB, PL_TOTAL_SUM,
      "Bytes of it in use." },
    { 22406, "Priority", PERF_COUNTER_RAWCOUNT, 0, PL_WIZARD,
      "priority + 32768", PL_PLAIN, PL_TOTAL_NONE,
      "Order of use, higher first, with 32768 added." },
};

const struct pl_object_def pl_object_paging_file = {
    .index = 700, .name = "Paging File", .level = PL_ADVANCED,
    .help = "Use of each swap area.",
    .default_counter = 702, .has_instances = true,
    .none = "there is no swap now",
    .sources = { PL_SWAPS },
    .tables = { PL_TABLE(paging_file_rows) },
};
/* clang-format on */
