/*                                                    logger/linux/process.h
 * The processes of the machine.  What a row holds is said here once; how it
 * is filled is a way of reading: process_proc.c reads files of /proc.  Every
 * way stores the same numbers: bytes, 100 ns, and times rounded as /proc has
 * them, so that a log does not depend on the way.
 */
#ifndef PL_LINUX_PROCESS_H
#define PL_LINUX_PROCESS_H

#include "format/text.h"
#include "logger/linux/source.h"

#include <stdint.h>

/* Fields that are read, and fail, together; bits of Data Flags. */
enum pl_process_group {
    PL_GROUP_STAT,
    PL_GROUP_STATM,
    PL_GROUP_IO,
    PL_GROUP_STATUS,
    PL_GROUP_FD,
    PL_NUM_PROCESS_GROUPS
};

/* clang-format off */
enum pl_process_field {
    PL_P_PID, PL_P_PARENT, PL_P_STATE, PL_P_UTIME, PL_P_STIME, PL_P_CUTIME,
    PL_P_CSTIME, PL_P_GUEST_TIME, PL_P_BLKIO_DELAY, PL_P_MINFLT,
    PL_P_MAJFLT, PL_P_THREADS, PL_P_PRIORITY, PL_P_STARTED, PL_P_VIRTUAL,
    PL_P_UID, PL_P_RESIDENT, PL_P_SHARED, PL_P_ANONYMOUS, PL_P_SWAPPED,
    PL_P_SYSCR, PL_P_SYSCW, PL_P_RCHAR, PL_P_WCHAR, PL_P_READ_BYTES,
    PL_P_WRITE_BYTES, PL_P_CANCELLED_WRITE_BYTES, PL_P_VM_PEAK,
    PL_P_VM_HWM, PL_P_RSS_ANON, PL_P_VM_SWAP, PL_P_VM_PTE, PL_P_VM_LCK,
    PL_P_OOM_SCORE_ADJ, PL_P_OPEN_FILES, PL_P_DATA_FLAGS,
    PL_NUM_PROCESS_FIELDS
};
/* clang-format on */

/* Bits of the kernel's task flags that decide about a name. */
enum {
    PL_PF_WQ_WORKER = 0x00000020,
    PL_PF_KTHREAD = 0x00200000,
};

/* "comm:pid" of a process, valid until the next call on 'room'. */
struct pl_text pl_process_name(struct pl_buf *room, struct pl_text comm,
                               uint64_t task_flags, uint64_t pid);

/* The stored priority, larger is more urgent. */
uint64_t pl_process_priority(uint64_t policy, uint64_t nice, uint64_t realtime);

/* ---- the way over /proc ------------------------------------------------- */

struct pl_process_proc;

/* PL_OK or PL_NOMEM.  Marks the fields of 's' that cannot be had. */
enum pl_status pl_process_proc_open(struct pl_process_proc **out,
                                    struct pl_source *s);
void pl_process_proc_close(struct pl_process_proc *p); /* NULL is fine */

/* Fill s->rows, ascending by pid.  PL_OK or PL_NOMEM. */
enum pl_status pl_process_proc_read(struct pl_process_proc *p);

#endif
