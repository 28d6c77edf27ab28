/*                                         logger/linux/processes/process.h
 * The processes of the machine.  The fields of a row are defined here once;
 * there are two ways to fill it: process_proc.c reads files of /proc,
 * process_bpf.c the records of a BPF program.  Both store the same units:
 * bytes, 100 ns, user and system time scaled to their sum (cpu_times.h).  That
 * sum and start times differ: /proc has them in ticks, the latter rounded down,
 * BPF in nanoseconds.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_PROCESS_H
#define PL_LOGGER_LINUX_PROCESSES_PROCESS_H

#include "format/base/buf.h"
#include "format/base/text.h"
#include "logger/linux/processes/bpf/task_record.h"
#include "logger/linux/machine/source.h"
#include "logger/linux/machine/units.h"

#include <stdint.h>

/* Fields that are read, and fail, together; bits of Data Flags. */
enum pl_process_group {
    PL_GROUP_STAT,
    PL_GROUP_STATM,
    PL_GROUP_IO,
    PL_GROUP_STATUS,
    PL_GROUP_FD,
    PL_GROUP_THREADS,
    PL_NUM_PROCESS_GROUPS
};

/* clang-format off */
enum pl_process_field {
    /* What is looked at to know a process again, in each row of each sample,
     * side by side: a row is longer than what a processor loads at once. */
    PL_P_PID, PL_P_STARTED, PL_P_PROGRAM, PL_P_UID, PL_P_STATE, PL_P_EXITS,
    PL_P_PARENT, PL_P_UTIME, PL_P_STIME, PL_P_CUTIME,
    PL_P_CSTIME, PL_P_GUEST_TIME, PL_P_BLKIO_DELAY, PL_P_MINFLT,
    PL_P_MAJFLT, PL_P_THREADS, PL_P_PRIORITY, PL_P_VIRTUAL,
    PL_P_RESIDENT, PL_P_SHARED, PL_P_ANONYMOUS, PL_P_SWAPPED,
    PL_P_SYSCR, PL_P_SYSCW, PL_P_RCHAR, PL_P_WCHAR, PL_P_READ_BYTES,
    PL_P_WRITE_BYTES, PL_P_CANCELLED_WRITE_BYTES, PL_P_VM_PEAK,
    PL_P_VM_HWM, PL_P_RSS_ANON, PL_P_VM_SWAP, PL_P_VM_PTE, PL_P_VM_LCK,
    PL_P_OOM_SCORE_ADJ, PL_P_OPEN_FILES, PL_P_NVCSW, PL_P_NIVCSW,
    PL_P_RUN_DELAY, PL_P_CGROUP, PL_P_RUN_TIME, PL_P_FAILED,
    PL_P_KILLED, PL_P_OOM_VICTIMS, PL_P_EXIT_STATUS, PL_P_REAPED_READ_BYTES,
    PL_P_REAPED_WRITE_BYTES, PL_P_REAPED_BYTES, PL_P_DATA_FLAGS,
    PL_NUM_PROCESS_FIELDS
};
/* clang-format on */

/* Bits of the kernel's task flags; all but the first affect the instance name. */
enum {
    PL_PF_EXITING = 0x00000004,
    PL_PF_WQ_WORKER = 0x00000020,
    PL_PF_KTHREAD = 0x00200000,
};

/* "comm:pid" of a process, valid until the next call on 'room'. */
struct pl_text pl_process_name(struct pl_buf *room, struct pl_text comm,
                               uint64_t task_flags, uint64_t pid);

/* The stored priority, larger is more urgent. */
uint64_t pl_process_priority(uint64_t policy, uint64_t nice, uint64_t realtime);

/* True if the kernel's delay accounting (of waits for disks) is on. */
bool pl_delays_are_counted(struct pl_machine *m);

/* ---- reading /proc ------------------------------------------------------ */

struct pl_process_proc;

/* PL_OK or PL_NOMEM.  Marks the unavailable fields of 's' as absent. */
enum pl_status pl_process_proc_open(struct pl_process_proc **out,
                                    struct pl_source *s);
void pl_process_proc_close(struct pl_process_proc *p); /* NULL is fine */

/* Fill s->rows, ascending by pid.  PL_OK or PL_NOMEM. */
enum pl_status pl_process_proc_read(struct pl_process_proc *p);

/* Threads are seen to end by 'exits', which outlives 'p'. */
struct pl_exit_events;
void pl_process_proc_use(struct pl_process_proc *p,
                         struct pl_exit_events *exits);

/* True if /proc is the kernel's, with the numbers of this process' own pid
 * namespace. */
bool pl_process_proc_is_ours(const struct pl_process_proc *p);

/* ---- reading by BPF, over m->tasks -------------------------------------- */

struct pl_process_ended;
struct pl_task;

/*
 * Load the program, and check that it and /proc agree about this process.
 * Marks the unavailable fields of 's' as absent.  PL_UNSUPPORTED: BPF cannot be
 * used here, *why has the reason (bpf/program.h); PL_NOMEM.
 */
enum pl_status pl_process_bpf_open(struct pl_source *s, const char **why);

/* Fill s->rows, ascending by pid.  PL_OK or PL_NOMEM. */
enum pl_status pl_process_bpf_read(struct pl_source *s, struct pl_buf *name,
                                   struct pl_process_ended *ended);

/* True for the name of a field that needs a source of the ends of processes. */
bool pl_process_is_of_ends(const char *field);

/* Likewise, one with what reaped children read and wrote. */
bool pl_process_is_of_reaped(const char *field);

/* Mark these fields of 's' as absent. */
void pl_process_mark_ends_absent(struct pl_source *s);
void pl_process_mark_reaped_absent(struct pl_source *s);

/* Mark the fields of 's' that a kernel without all of 'parts' lacks. */
void pl_process_bpf_mark(struct pl_source *s, uint32_t parts);

/* Fill the fields of a row from a process's record. */
void pl_process_bpf_fill(const struct pl_conversion units[PL_NUM_UNITS],
                         const struct pl_task *t, uint64_t *v);

/* The stored priority, from the kernel's own numbers. */
uint64_t pl_task_priority(int32_t normal_prio, uint32_t static_prio);

/* The letter that /proc shows for a task in these states. */
uint64_t pl_task_letter(uint32_t state, uint32_t exit_state);

/* CLOCK_BOOTTIME in ns as a row has it, in 100 ns: not rounded to ticks, as a number
 * may be that of several processes within one. */
uint64_t pl_task_started(uint64_t ns);

/* That of a row as /proc has it: rounded down to ticks. */
uint64_t pl_task_started_in_proc(const struct pl_conversion units[PL_NUM_UNITS],
                                 uint64_t started);

#endif
