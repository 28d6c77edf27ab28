/*                                         logger/linux/processes/taskstats.h
 * What the kernel sends when a thread ends: generic netlink's family TASKSTATS
 * (Documentation/accounting/taskstats.rst, kernel/taskstats.c).  The messages
 * wait in the socket's receive buffer until they are taken, without waking
 * this process; what finds no room there is lost, and counted.  Every listener
 * has messages of its own: others are not disturbed.
 *
 * Needs CAP_NET_ADMIN, the initial pid, user and network namespaces, and
 * version 12 of the messages, which Linux has since 5.19: earlier ones do not
 * say which process a thread belonged to.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_TASKSTATS_H
#define PL_LOGGER_LINUX_PROCESSES_TASKSTATS_H

#include "format/base/status.h"
#include "logger/linux/processes/bpf/task_record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A thread that ended; nothing that it did afterwards is in it, like freeing
 * its memory, nor the processor time since the last tick or context switch.
 */
struct pl_thread_end {
    uint32_t tid, pid; /* 'pid' of its process */
    uint32_t parent;   /* of the process; 0: none */
    uint32_t uid;      /* the real one */
    uint32_t status;   /* as wait() has it */
    int32_t nice;
    bool is_last;      /* of its process */
    uint64_t lived_ns; /* its process, so far */
    uint64_t max_rss;  /* bytes; 0: its process has no memory */
    uint64_t blkio_delay;
    /* Its own; the kernel rounds words of I/O down to multiples of 1,024.
     * 'unseen' is the processor time since the last tick or switch, about. */
    struct pl_task_sums sums;
    /* ns of all threads of its process, if it ended last of several; else 0. */
    uint64_t group_run_time, group_run_delay;
    char comm[PL_TASK_COMM]; /* its own name; ends with a 0 */
};

struct pl_taskstats;

/*
 * Begin to listen.  PL_OK; PL_UNSUPPORTED: *why is a text that completes
 * "taskstats: "; PL_NOMEM.
 */
enum pl_status pl_taskstats_open(struct pl_taskstats **out, const char **why);
void pl_taskstats_close(struct pl_taskstats *t); /* NULL is fine */

/*
 * Hand each message that waits to 'take', in order, at most PL_TASKSTATS_MOST.
 * Never blocks.  Returns the number of system calls.
 */
enum { PL_TASKSTATS_MOST = 1 << 16 };
unsigned pl_taskstats_take(struct pl_taskstats *t,
                           void (*take)(void *context,
                                        const struct pl_thread_end *x),
                           void *context);

/* Messages lost so far for lack of room. */
uint64_t pl_taskstats_lost(const struct pl_taskstats *t);

/*
 * Parse a message of 'n' bytes of the family.  False: it does not tell of a
 * thread that ended, or is cut, or of a version before 12.
 */
bool pl_taskstats_parse(const void *message, size_t n, uint16_t family,
                        struct pl_thread_end *out);

#endif
