/*                                     logger/linux/processes/bpf/program.h
 * The BPF program that hands over every task (task_record.h): loading it, and
 * a descriptor to read.  Where the kernel takes it, another one that also sees
 * processes end (ends.bpf.c).  program.c has them; program_none.c stands in
 * where they could not be built.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_BPF_PROGRAM_H
#define PL_LOGGER_LINUX_PROCESSES_BPF_PROGRAM_H

#include "format/base/buf.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_task_program;

/*
 * Load it into the kernel.  PL_UNSUPPORTED: it cannot be had, *why says so in
 * words that complete "cannot read processes by BPF: " and are valid until the
 * next call; PL_NOMEM.
 */
enum pl_status pl_task_program_open(struct pl_task_program **out,
                                    const char **why);
/* True if it could be had: it is built in, and this process is permitted to. */
bool pl_task_program_is_expected(void);

void pl_task_program_close(struct pl_task_program *p); /* NULL is fine */

/* What is wanted of the next walk, bits of enum pl_task_want. */
void pl_task_program_ask(struct pl_task_program *p, uint32_t want);

/*
 * Begin a walk: a descriptor to read until the end and to close, or -1 and
 * errno.
 */
int pl_task_program_walk(struct pl_task_program *p);

/* True if it sees processes end; else nothing ever comes of the next two. */
bool pl_task_program_sees_ends(const struct pl_task_program *p);

/*
 * Append what became known of ended processes since the last call, each a
 * struct pl_task_exit.  PL_OK, or PL_NOMEM: the rest stays for the next call.
 */
enum pl_status pl_task_program_drain(struct pl_task_program *p,
                                     struct pl_buf *out);

/*
 * How many ended processes there was no room for; one less where a process was
 * counted when it ended, and there was room for its final values.
 */
uint64_t pl_task_program_lost(const struct pl_task_program *p);

#endif
