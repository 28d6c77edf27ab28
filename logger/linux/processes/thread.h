/*                                          logger/linux/processes/thread.h
 * The threads of the processes in this sample: rows in the order of their
 * processes, then by number, each with the position of its process's row.
 * As for processes there are two ways to read: thread_proc.c and thread_bpf.c.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_THREAD_H
#define PL_LOGGER_LINUX_PROCESSES_THREAD_H

#include "logger/linux/processes/process.h"
#include "logger/linux/machine/source.h"
#include "logger/linux/processes/task_dir.h"
#include "logger/linux/machine/units.h"

/* clang-format off */
enum pl_thread_field {
    PL_T_PID, PL_T_TID, PL_T_STATE, PL_T_NT_STATE, PL_T_RUN_TIME, PL_T_UTIME,
    PL_T_STIME, PL_T_STARTED, PL_T_PRIORITY_NOW, PL_T_PRIORITY, PL_T_MINFLT,
    PL_T_MAJFLT, PL_T_PROCESSOR, PL_T_RUN_DELAY, PL_T_SLICES, PL_T_SWITCHES,
    PL_T_READ_BYTES, PL_T_WRITE_BYTES, PL_T_DATA_FLAGS,
    PL_NUM_THREAD_FIELDS
};
/* clang-format on */

/* Windows' numbers of a thread's state. */
enum pl_nt_state {
    PL_NT_READY = 1,
    PL_NT_RUNNING = 2,
    PL_NT_TERMINATED = 4,
    PL_NT_WAITING = 5,
};

struct pl_threads {
    struct pl_source base;
    struct pl_source *processes;
    struct pl_task_dir dir; /* for /proc */
    struct pl_buf name, path;
    struct pl_buf order; /* for BPF */
};

/*
 * Add a row for the thread 'comm' of the process in row 'parent'; *v is NULL
 * if the object's filter excludes it.  PL_OK or PL_NOMEM.
 */
enum pl_status pl_thread_add(struct pl_threads *t, size_t parent,
                             struct pl_text comm, uint64_t task_flags,
                             uint64_t tid, uint64_t **v);

/* Windows' number for a state letter; 'runnable' is what R stands for. */
uint64_t pl_thread_nt_state(uint64_t letter, enum pl_nt_state runnable);

/* Fill the rows from what the processes' source read in this sample. */
enum pl_status pl_thread_proc_read(struct pl_threads *t);
enum pl_status pl_thread_bpf_read(struct pl_threads *t);

/* Mark the fields of 's' that a kernel without all of 'parts' lacks. */
void pl_thread_bpf_mark(struct pl_source *s, uint32_t parts);

struct pl_task_thread;

/* Fill the fields of a row from a thread's record. */
void pl_thread_bpf_fill(const struct pl_conversion units[PL_NUM_UNITS],
                        const struct pl_task_thread *r, uint64_t *v);

#endif
