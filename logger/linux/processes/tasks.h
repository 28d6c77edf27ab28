/*                                           logger/linux/processes/tasks.h
 * Every process, and if asked for every thread, as the BPF program hands them
 * over: one walk per sample, record by record, through a small buffer.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_TASKS_H
#define PL_LOGGER_LINUX_PROCESSES_TASKS_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "logger/linux/processes/bpf/task_record.h"
#include "logger/linux/processes/cpu_times.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_machine;
struct pl_source;
struct pl_task_program;

struct pl_tasks {
    struct pl_task_program *program;
    uint32_t parts;        /* enum pl_task_part, of this kernel */
    uint32_t want;         /* enum pl_task_want */
    int fd;                /* of the walk; -1: none */
    bool readable;         /* the last walk saw all */
    struct pl_buf records; /* handed over, not yet taken */
    size_t at;             /* what of them is taken */
    unsigned retries;
    size_t num_processes;  /* of the last walk */
    size_t live_rows;      /* of Process: those of the walk, which come first */
    struct pl_buf threads; /* records of those, kept by who walks */
    struct pl_cpu_times process_times, thread_times; /* likewise */
    bool sees_ends;
    struct pl_buf ends; /* struct pl_task_exit, of the last pl_tasks_drain */
    uint64_t drained;   /* the sample that was for */
};

/* One record; all point into the buffer, valid until the next. */
struct pl_task {
    const struct pl_task_head *process; /* NULL: a thread */
    const struct pl_task_sums *sums;
    const struct pl_task_end *end;       /* NULL: nothing to say */
    const struct pl_task_memory *memory; /* NULL: it has none */
    const struct pl_task_thread *thread; /* NULL: a process */
};

/*
 * Load the program into m->tasks.  PL_UNSUPPORTED: it cannot be had here,
 * *why says so (bpf/program.h); PL_NOMEM.
 */
enum pl_status pl_tasks_open(struct pl_machine *m, const char **why);
void pl_tasks_close(struct pl_tasks *t); /* NULL is fine */

/* How many processes the last walk saw; false: it did not see all. */
bool pl_tasks_count(const struct pl_tasks *t, uint64_t *n);

/*
 * Fetch what ended since the sample before into m->tasks->ends, once in a
 * sample.  What ends later is seen by the walk that follows.  PL_OK or
 * PL_NOMEM.
 */
enum pl_status pl_tasks_drain(struct pl_machine *m);

/*
 * Walk over all tasks: begin, next while it gives PL_OK, end.  A walk that
 * fails gives no more records; then, after its end, m->tasks is not readable
 * and a read error is counted.  PL_END: no more; PL_NOMEM.
 */
void pl_tasks_begin(struct pl_machine *m);
enum pl_status pl_tasks_next(struct pl_machine *m, struct pl_task *out);
void pl_tasks_end(struct pl_machine *m);

/* A field, and what the kernel must have for it: bits of enum pl_task_part. */
struct pl_part_field {
    uint32_t parts;
    uint32_t field;
};

/* Set whether the fields of the table are present in 's'. */
void pl_tasks_mark(struct pl_source *s, uint32_t parts,
                   const struct pl_part_field *table, size_t num);

/*
 * The record at the beginning of 'n' bytes, and its length.  PL_TRUNCATED:
 * there is more to come; PL_CORRUPT: this is none.
 */
enum pl_status pl_task_parse(const uint8_t *p, size_t n, struct pl_task *out,
                             size_t *len);

#endif
