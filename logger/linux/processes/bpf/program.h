/*                                     logger/linux/processes/bpf/program.h
 * The BPF program that writes a record of every task (task_record.h): loading
 * it, and a descriptor to read.  Where the kernel accepts it, another program
 * is used that also sees processes end (ends.bpf.c), in the form that loads quickly
 * (ends_quick.bpf.c) where the kernel has all that it reads.  program.c embeds them;
 * program_none.c replaces it in builds without BPF.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_BPF_PROGRAM_H
#define PL_LOGGER_LINUX_PROCESSES_BPF_PROGRAM_H

#include "format/base/buf.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_task_program;

/*
 * Load it into the kernel.  PL_OK: *why is NULL, or the reason why processes
 * are not seen to end; PL_UNSUPPORTED: it cannot be used, *why is a text that
 * completes "cannot read processes by BPF: ".  Texts are valid until the next
 * call.  PL_NOMEM.
 */
enum pl_status pl_task_program_open(struct pl_task_program **out,
                                    const char **why);
/* True if it should work: it is built in, and this process has permission. */
bool pl_task_program_is_expected(void);

void pl_task_program_close(struct pl_task_program *p); /* NULL is fine */

/* Set what the next walk reports, bits of enum pl_task_want. */
void pl_task_program_ask(struct pl_task_program *p, uint32_t want);

/*
 * Begin a walk: a descriptor to read until the end and to close, or -1 and
 * errno.
 */
int pl_task_program_walk(struct pl_task_program *p);

/* True if it is the form that loads quickly. */
bool pl_task_program_is_quick(const struct pl_task_program *p);

/* True if it sees processes end; else the next four give nothing. */
bool pl_task_program_sees_ends(const struct pl_task_program *p);

/*
 * Append the reports of ended processes since the last call, each a
 * struct pl_task_exit.  PL_OK, or PL_NOMEM: the rest stays for the next call.
 */
enum pl_status pl_task_program_drain(struct pl_task_program *p,
                                     struct pl_buf *out);

/* True if that left none, not even one that is being written. */
bool pl_task_program_is_drained(const struct pl_task_program *p);

/*
 * Append to 'out' the command lines, struct pl_task_line without what its text does not
 * fill, a multiple of 8 bytes each, that came with reports since the last call; for
 * want of memory some are missing.  From now on those of processes are noted that
 * begin after 'since', CLOCK_BOOTTIME; 0: none are.
 */
void pl_task_program_take_lines(struct pl_task_program *p, uint64_t since,
                                struct pl_buf *out);

/*
 * Number of ended processes lost because the ring buffers were full; reduced by
 * one when the final values of a process counted here still find room.
 */
uint64_t pl_task_program_lost(const struct pl_task_program *p);

#endif
