/*                                      logger/linux/processes/bpf/kernel.h
 * The few members of the kernel's structures that tasks.bpf.c reads.  Their
 * offsets are relocated when the program is loaded, so order and omissions do
 * not matter; names and nesting do.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_BPF_KERNEL_H
#define PL_LOGGER_LINUX_PROCESSES_BPF_KERNEL_H

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)),           \
                             apply_to = record)

struct list_head {
    struct list_head *next;
};

struct atomic_long {
    __s64 counter;
};

struct task_io_accounting {
    __u64 rchar, wchar, syscr, syscw;
    __u64 read_bytes, write_bytes, cancelled_write_bytes;
};

struct seqcount {
    unsigned int sequence;
};

struct seqcount_spinlock {
    struct seqcount seqcount;
};

struct seqlock {
    struct seqcount_spinlock seqcount;
};

struct upid {
    int nr;
    struct pid_namespace *ns;
};

struct pid {
    unsigned int level;
    struct upid numbers[1];
};

enum { PIDTYPE_TGID = 1 };

struct kernfs_node {
    __u64 id;
};

struct cgroup {
    struct kernfs_node *kn;
};

struct css_set {
    struct cgroup *dfl_cgrp;
};

struct fdtable {
    unsigned int max_fds;
    unsigned long *open_fds;
};

struct files_struct {
    struct fdtable *fdt;
};

struct percpu_counter {
    __s64 count;
    __s32 *counters;
};

struct mm_struct {
    unsigned long total_vm, hiwater_vm, hiwater_rss, locked_vm;
    unsigned long arg_start, arg_end;
    struct atomic_long pgtables_bytes;
    struct percpu_counter rss_stat[4];
};

/* Before Linux 6.2. */
struct mm_rss_stat {
    struct atomic_long count[4];
};

struct mm_struct___before_6_2 {
    struct mm_rss_stat rss_stat;
};

struct atomic {
    int counter;
};

struct signal_struct {
    struct atomic live;
    int nr_threads;
    int group_exit_code;
    unsigned int flags;
    struct mm_struct *oom_mm;
    unsigned long maxrss;
    struct list_head thread_head;
    struct pid *pids[4];
    struct seqlock stats_lock;
    __u64 utime, stime, cutime, cstime, gtime;
    unsigned long nvcsw, nivcsw, min_flt, maj_flt;
    struct task_io_accounting ioac;
    unsigned long long sum_sched_runtime;
    short oom_score_adj;
};

struct sched_entity {
    __u64 sum_exec_runtime;
};

struct sched_info {
    unsigned long pcount;
    unsigned long long run_delay;
};

struct kuid {
    unsigned int val;
};

struct cred {
    struct kuid euid;
};

struct task_delay_info {
    __u64 blkio_delay;
};

struct thread_info {
    __u32 cpu;
};

struct task_struct {
    struct thread_info thread_info;
    unsigned int __state;
    int exit_state, exit_code;
    unsigned int flags;
    int on_cpu;
    int prio, static_prio, normal_prio;
    int pid, tgid;
    struct sched_entity se;
    struct sched_info sched_info;
    struct mm_struct *mm;
    struct task_struct *real_parent, *group_leader;
    struct pid *thread_pid;
    struct list_head thread_node;
    __u64 utime, stime, gtime, start_boottime;
    unsigned long nvcsw, nivcsw, min_flt, maj_flt;
    __u64 self_exec_id;
    const struct cred *real_cred;
    char comm[16];
    struct files_struct *files;
    struct signal_struct *signal;
    struct task_io_accounting ioac;
    struct css_set *cgroups;
    struct task_delay_info *delays;
};

/* Its name says what the verifier knows of pointers to tasks. */
struct task_struct__safe_rcu {
    const void *cpus_ptr;
};

/* A map of type PERCPU_ARRAY; one pointer per element. */
struct bpf_array {
    void *pptrs[1];
};

#pragma clang attribute pop

struct seq_file;

/* What an iterator is given: part of the kernel's interface, so not relocated. */
struct bpf_iter_meta {
    struct seq_file *seq;
};

struct bpf_iter__task {
    struct bpf_iter_meta *meta;
    struct task_struct *task;
};

#endif
