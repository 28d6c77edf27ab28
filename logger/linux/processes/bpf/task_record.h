/*                                 logger/linux/processes/bpf/task_record.h
 * The output of the BPF program tasks.bpf.c through its iterator: a stream of
 * records without padding, in this machine's byte order.  Every record begins
 * with its kind; a process is a pl_task_head, then a pl_task_sums, then a
 * pl_task_memory if it has PL_PART_MEMORY, and a pl_task_end if it has
 * PL_PART_END.  Processes come in ascending order of their numbers, and so
 * do threads, which come between them.
 *
 * Values have the kernel's units: nanoseconds, pages, counts.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_BPF_TASK_RECORD_H
#define PL_LOGGER_LINUX_PROCESSES_BPF_TASK_RECORD_H

#include <linux/types.h>

enum { PL_TASK_COMM = 16, PL_TASK_IO_WORDS = 7, PL_TASK_LINE_TEXT = 1000 };

enum pl_task_kind {
    PL_TASK_PROCESS = 1,
    PL_TASK_THREAD = 2,
    PL_TASK_LINE = 3, /* in the ring buffers only */
};

/*
 * An ended process did enough to be identified: that much processor time, or bytes
 * read from storage and written to it, or it ended with an error or by a signal.
 */
enum {
    PL_NOTICED_RUN_NS = 10 * 1000 * 1000,
    PL_NOTICED_BYTES = 1 << 20,
};

/* Values that this process (the first bit) or this kernel has; others are 0 in
 * the records. */
enum pl_task_part {
    PL_PART_MEMORY = 1 << 0,
    PL_PART_IO = 1 << 1,        /* counts bytes and calls */
    PL_PART_RUN_DELAY = 1 << 2, /* counts waits for a processor */
    PL_PART_CGROUP = 1 << 3,
    PL_PART_PROCESSOR = 1 << 4, /* a thread's last one */
    PL_PART_SLICES = 1 << 5,
    PL_PART_ON_CPU = 1 << 6,
    PL_PART_RUN_TIME = 1 << 7,
    PL_PART_USER_TIME = 1 << 8,
    PL_PART_SYSTEM_TIME = 1 << 9,
    PL_PART_GUEST_TIME = 1 << 10,
    PL_PART_REAPED_TIME = 1 << 11, /* of children */
    PL_PART_FAULTS = 1 << 12,
    PL_PART_SWITCHES = 1 << 13,
    PL_PART_THREADS = 1 << 14, /* their number */
    PL_PART_STATE = 1 << 15,
    PL_PART_PRIORITY = 1 << 16,
    PL_PART_PRIORITY_NOW = 1 << 17,
    PL_PART_PARENT = 1 << 18,
    PL_PART_USER = 1 << 19,
    PL_PART_OOM_SCORE = 1 << 20,
    PL_PART_OPEN_FILES = 1 << 21,
    PL_PART_BLKIO_DELAY = 1 << 22,
    PL_PART_VIRTUAL = 1 << 23,
    PL_PART_VIRTUAL_PEAK = 1 << 24,
    PL_PART_LOCKED = 1 << 25,
    PL_PART_PAGE_TABLES = 1 << 26,
    PL_PART_RESIDENT = 1 << 27,
    PL_PART_RESIDENT_PEAK = 1 << 28,
    PL_PART_END = 1 << 29, /* of this process: it has a pl_task_end */
};

/* Values written on request only, as reading them costs more. */
enum pl_task_want {
    PL_WANT_THREADS = 1 << 0, /* their records */
    PL_WANT_OPEN_FILES = 1 << 1,
    PL_WANT_BLKIO_DELAY = 1 << 2,
    PL_WANT_CGROUP = 1 << 3,
    PL_WANT_RUN_DELAY = 1 << 4, /* of processes */
    PL_WANT_OOM_SCORE = 1 << 5,
    PL_WANT_PAGE_TABLES = 1 << 6,
    PL_WANT_NOTHING = 1 << 7, /* but that the kernel is asked what it has */
};

struct pl_task_head {
    __u32 kind;
    __u32 parts;
    __u32 pid;    /* in the reader's pid namespace, as is the next */
    __u32 parent; /* 0: none there */
    __u32 threads;
    __u32 flags; /* PL_PF_... of process.h, and more */
    __u32 state;
    __u32 exit_state;
    __s32 normal_prio; /* below 0 deadline, below 100 real time */
    __u32 static_prio;
    __u32 uid;
    __s32 oom_score_adj;
    __u32 open_files;
    __u32 program;  /* changes with each exec */
    __u64 start_ns; /* CLOCK_BOOTTIME of the initial time namespace */
    __u64 cutime, cstime;
    __u64 blkio_delay;
    __u64 cgroup;
    char comm[PL_TASK_COMM]; /* ends with a 0 */
};

/* Over all threads, the ended ones too but for run_delay. */
struct pl_task_sums {
    __u64 run_time, utime, stime;
    union {
        __u64 gtime;
        __u64 unseen; /* of taskstats' messages: see taskstats.h */
    };
    __u64 minflt, majflt;
    __u64 nvcsw, nivcsw;
    __u64 run_delay;
    /* rchar wchar syscr syscw read_bytes write_bytes cancelled_write_bytes */
    __u64 io[PL_TASK_IO_WORDS];
};

/*
 * From the program that sees threads end; without it, the I/O sums of a process
 * include those of its reaped children.  Left out if all 0.
 */
struct pl_task_end {
    __u64 reaped_io[PL_TASK_IO_WORDS]; /* and of threads that ended before the
                                          program was loaded; may be below 0
                                          while threads end */
    __u32 ended;                       /* 1: its last thread did */
    __u32 status;                      /* as wait() has it; 0 until then */
    __u32 oom_victim; /* 1: the kernel chose it to free memory */
    __u32 final;      /* enum pl_task_final, see pl_task_exit */
};

enum pl_task_final {
    PL_NOT_FINAL,
    PL_FINAL,       /* the process is released */
    PL_FINAL_AGAIN, /* likewise, and its end was reported before */
};

struct pl_task_memory {
    __u64 total_vm, hiwater_vm, hiwater_rss, locked_vm;
    __u64 pgtables_bytes;
    __s64 file, anon, swap, shmem; /* sums over processors: rarely below 0 */
};

struct pl_task_process {
    struct pl_task_head head;
    struct pl_task_sums sums;
    struct pl_task_memory memory;
    struct pl_task_end end;
};

struct pl_task_thread {
    __u32 kind;
    __u32 parts;
    __u32 pid; /* of the process */
    __u32 tid;
    __u32 flags;
    __u32 state;
    __u32 exit_state;
    __u32 on_cpu;
    __u32 cpu;
    __u32 prio;
    __s32 normal_prio;
    __u32 static_prio;
    __u64 process_start_ns;
    __u64 start_ns;
    __u64 run_time, utime, stime;
    __u64 run_delay, slices;
    __u64 minflt, majflt;
    __u64 nvcsw, nivcsw;
    __u64 read_bytes, write_bytes;
    char comm[PL_TASK_COMM];
};

/*
 * Put into a ring buffer when the last thread of a process ends, and once
 * more, final, when the kernel releases the process.
 */
struct pl_task_exit {
    struct pl_task_head head; /* without its memory */
    struct pl_task_sums sums;
    struct pl_task_end end;
    __u64 max_rss; /* pages */
};

/*
 * What a process that ended was started as.  In a ring buffer after the first
 * pl_task_exit of a process that began after the time that the reader has set, and
 * did enough; as long as its text.
 */
struct pl_task_line {
    __u32 kind;
    __u32 pid; /* in the reader's pid namespace */
    __u64 start_ns;
    __u32 length;
    __u32 is_cut;                 /* 1: it was longer */
    char text[PL_TASK_LINE_TEXT]; /* arguments, each with a 0 at its end */
};

#endif
