/*                                   logger/linux/processes/bpf/parts.bpf.h
 * A part of tasks.bpf.c: finds out which optional members the running kernel
 * has; they depend on its configuration and version.  A missing member removes
 * the counters that need it (enum pl_task_part), never the program.
 *
 * These members are required: flags, pid, tgid, thread_pid and level, signal,
 * mm, group_leader, start_boottime, and the list of threads.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_BPF_PARTS_BPF_H
#define PL_LOGGER_LINUX_PROCESSES_BPF_PARTS_BPF_H

#include "common.bpf.h"

#define IN_TASK(field) EXISTS(struct task_struct, field)
#define IN_GROUP(field) EXISTS(struct signal_struct, field)
#define IN_MM(field) EXISTS(struct mm_struct, field)
#define IN_BOTH(field) (IN_TASK(field) && IN_GROUP(field))

/* The kernel's structure has the known layout: it is read in one piece. */
#define HAS_IO                                                                 \
    (IN_BOTH(ioac) &&                                                          \
     bpf_core_type_size(struct task_io_accounting) ==                          \
         PL_TASK_IO_WORDS * sizeof(__u64) &&                                   \
     EXISTS(struct task_io_accounting, rchar) &&                               \
     EXISTS(struct task_io_accounting, cancelled_write_bytes))
#define HAS_CGROUP                                                             \
    (IN_TASK(cgroups) && EXISTS(struct css_set, dfl_cgrp) &&                   \
     EXISTS(struct cgroup, kn) && EXISTS(struct kernfs_node, id))
#define HAS_OPEN_FILES                                                         \
    (IN_TASK(files) && EXISTS(struct files_struct, fdt) &&                     \
     EXISTS(struct fdtable, max_fds) && EXISTS(struct fdtable, open_fds))
#define HAS_BLKIO_DELAY                                                        \
    (IN_TASK(delays) && EXISTS(struct task_delay_info, blkio_delay))
#define HAS_USER (IN_TASK(real_cred) && EXISTS(struct cred, euid))
#define HAS_RSS_BEFORE_6_2                                                     \
    bpf_core_field_exists(struct mm_struct___before_6_2, rss_stat.count)
#define HAS_RSS                                                                \
    (IN_MM(rss_stat) && EXISTS(struct percpu_counter, count) &&                \
     NUM_RSS * bpf_core_type_size(struct percpu_counter) <= MAX_RSS_STAT)

enum {
    NUM_RSS = 4,        /* file, anon, swap, shmem, in the kernel's order */
    MAX_RSS_STAT = 512, /* bytes; more than with all that debugging adds */
};

/*
 * Where members lie whose structures' names share a place with another one's, by their
 * hash, in the kernel's table of 31 structures that were found: wherever it relocates
 * one after the other it searches all of its types.  So these are relocated in one
 * place of one program, before the others.
 */
enum { MEMBER_OFFSET, MEMBER_SIZE, MEMBER };
__u32 blkio_delay_at[MEMBER] = { 0 };
__u32 dfl_cgrp_at[MEMBER] = { 0 };
__u32 fdt_at[MEMBER] = { 0 };

#define FIND_MEMBER(has, type, field)                                          \
    do {                                                                       \
        if (has) {                                                             \
            field##_at[MEMBER_OFFSET] =                                        \
                bpf_core_field_offset(struct type, field);                     \
            field##_at[MEMBER_SIZE] = bpf_core_field_size(struct type, field); \
        }                                                                      \
    } while (0)

static __always_inline void find_members(void)
{
    FIND_MEMBER(HAS_BLKIO_DELAY, task_delay_info, blkio_delay);
    FIND_MEMBER(HAS_CGROUP, css_set, dfl_cgrp);
    FIND_MEMBER(HAS_OPEN_FILES, files_struct, fdt);
}

static __always_inline __u64 read_member(const void *from, const __u32 *member)
{
    __u64 size = member[MEMBER_SIZE], value = 0;

    /* The number that is compared, too: Linux 6.1 knows of no difference to it. */
    LOADED(size);
    if (size > sizeof value)
        return 0;
    bpf_probe_read_kernel(&value, size,
                          (const char *)from + member[MEMBER_OFFSET]);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    if (size)
        value >>= 64 - 8 * size;
#endif
    return value;
}

__u32 parts = 0; /* enum pl_task_part; 0: not asked yet */

static __noinline void find_parts(void)
{
    __u32 p = 0;

#define HAS(part, condition) p |= (condition) ? PL_PART_##part : 0
    HAS(IO, HAS_IO);
    HAS(RUN_DELAY, IN_TASK(sched_info.run_delay));
    HAS(SLICES, IN_TASK(sched_info.pcount));
    HAS(CGROUP, HAS_CGROUP);
    HAS(PROCESSOR, IN_TASK(thread_info.cpu));
    HAS(ON_CPU, IN_TASK(on_cpu));
    HAS(RUN_TIME, IN_TASK(se.sum_exec_runtime) && IN_GROUP(sum_sched_runtime));
    HAS(USER_TIME, IN_BOTH(utime));
    HAS(SYSTEM_TIME, IN_BOTH(stime));
    HAS(GUEST_TIME, IN_BOTH(gtime));
    HAS(REAPED_TIME, IN_GROUP(cutime) && IN_GROUP(cstime));
    HAS(FAULTS, IN_BOTH(min_flt) && IN_BOTH(maj_flt));
    HAS(SWITCHES, IN_BOTH(nvcsw) && IN_BOTH(nivcsw));
    HAS(THREADS, IN_GROUP(nr_threads));
    HAS(STATE, IN_TASK(__state) && IN_TASK(exit_state));
    HAS(PRIORITY, IN_TASK(normal_prio) && IN_TASK(static_prio));
    HAS(PRIORITY_NOW, IN_TASK(prio));
    HAS(PARENT, IN_TASK(real_parent));
    HAS(USER, HAS_USER);
    HAS(OOM_SCORE, IN_GROUP(oom_score_adj));
    HAS(OPEN_FILES, HAS_OPEN_FILES);
    HAS(BLKIO_DELAY, HAS_BLKIO_DELAY);
    HAS(VIRTUAL, IN_MM(total_vm));
    HAS(VIRTUAL_PEAK, IN_MM(hiwater_vm));
    HAS(LOCKED, IN_MM(locked_vm));
    HAS(PAGE_TABLES, IN_MM(pgtables_bytes));
    HAS(RESIDENT, HAS_RSS || HAS_RSS_BEFORE_6_2);
    HAS(RESIDENT_PEAK, IN_MM(hiwater_rss));
#undef HAS
    parts = p;
}

#endif
