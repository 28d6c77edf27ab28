/*                                     logger/linux/processes/bpf/counter.h
 * A BPF program that counts the processes of this program's pid namespace, as a
 * list of its /proc would (counter.bpf.c), at half the cost: 0.1 us a task,
 * threads included, 0.4 us where the processor's caches do not hold it.  counter.c
 * embeds it; counter_none.c replaces it in builds without BPF.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_BPF_COUNTER_H
#define PL_LOGGER_LINUX_PROCESSES_BPF_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

struct pl_process_counter;

/*
 * Load it into the kernel.  NULL: it cannot be used here (not permitted, no
 * memory, no such kernel), or is not needed, in the initial namespace.
 */
struct pl_process_counter *pl_process_counter_open(void);
void pl_process_counter_close(struct pl_process_counter *c); /* NULL is fine */

/* Set *n to the number of processes now; false: it cannot be had. */
bool pl_process_counter_read(struct pl_process_counter *c, uint64_t *n);

#endif
