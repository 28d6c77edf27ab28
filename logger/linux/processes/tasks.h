/*                                           logger/linux/processes/tasks.h
 * Records of every process, and on request of every thread, from the BPF
 * program: one walk per sample, record by record, through a small buffer.
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

/* A thread, its times scaled. */
struct pl_kept_thread {
    struct pl_task_thread task;
    uint64_t heirs; /* cpu_times.h */
};

enum { PL_ENDED_NUMBERS = 1 << 16 }; /* larger ones share a bit */

struct pl_tasks {
    struct pl_task_program *program;
    uint32_t parts;        /* enum pl_task_part, of this kernel */
    uint32_t want;         /* enum pl_task_want */
    int fd;                /* of the walk; -1: none */
    bool readable;         /* the last walk was complete */
    struct pl_buf records; /* read from the iterator */
    size_t at;             /* of the next record in it */
    unsigned retries;
    size_t num_processes;  /* of the last walk */
    struct pl_buf threads; /* struct pl_kept_thread, kept by the caller */
    struct pl_cpu_times process_times, thread_times; /* likewise */
    bool sees_ends;
    uint64_t since_ns;     /* from when on it does, CLOCK_BOOTTIME */
    const char *why_not;   /* NULL, or why it does not; see bpf/program.h */
    struct pl_buf ends;    /* struct pl_task_exit, of the last pl_tasks_drain */
    uint64_t drained;      /* sample of that call */
    bool ends_wait;        /* its walk failed, or its sample is lost */
    uint64_t ends_dropped; /* processes: too many while walks failed */
    struct pl_buf early;   /* reports since that call, for the next one */
    bool wants_lines;      /* command lines of what ends between two walks, */
    struct pl_buf lines;   /* which came with 'ends': struct pl_task_line */
    size_t old_lines;      /* bytes of it, of the last sample */
    uint64_t begun_ns;     /* when the last walk began, CLOCK_BOOTTIME, */
    uint64_t met_ns;       /* the last complete one, */
    uint64_t lines_since;  /* and that of the last sample */
    /* Reports between the last sample's call and now: a bit for each number. */
    uint64_t ended[PL_ENDED_NUMBERS / 64];
    uint64_t drained_ns,
        before_ns; /* when this sample's call ended, and that of
                                       the last one; 0: none */
};

/* One record; all point into the buffer, valid until the next. */
struct pl_task {
    const struct pl_task_head *process; /* NULL: a thread */
    const struct pl_task_sums *sums;
    const struct pl_task_end *end;       /* NULL: no such values */
    const struct pl_task_memory *memory; /* NULL: it has none */
    const struct pl_task_thread *thread; /* NULL: a process */
};

/*
 * Load the program into m->tasks.  PL_UNSUPPORTED: it cannot be used here,
 * *why has the reason (bpf/program.h); PL_NOMEM.
 */
enum pl_status pl_tasks_open(struct pl_machine *m, const char **why);
void pl_tasks_close(struct pl_tasks *t); /* NULL is fine */

/* How many processes the last walk saw; false: it was incomplete. */
bool pl_tasks_count(const struct pl_tasks *t, uint64_t *n);

/*
 * Fetch the processes that ended since the previous sample into
 * m->tasks->ends; after walks that failed, and samples that were lost, theirs, too.  Called
 * after each walk: a process that had left the list when the walk came to its
 * place was reported before.  Some were met by the walk and ended since.
 * PL_OK or PL_NOMEM.
 */
enum pl_status pl_tasks_drain(struct pl_machine *m);

/*
 * True if process 'pid', met by this sample's walk, certainly had not begun to
 * end just now: so it had that number all the time since the walk.  'started' is
 * as in a row; known is so only of one started since the last sample, as its end
 * cannot have been reported before.  False: ask /proc.  No call to the kernel.
 */
bool pl_tasks_has_not_ended(struct pl_machine *m, uint64_t pid,
                            uint64_t started);

/* From now on note the command lines of processes that begin, for pl_tasks_drain. */
void pl_tasks_want_lines(struct pl_tasks *t);

/*
 * The command line of a process in 'lines' ('started' as in a row), looked for from
 * *at on, which is set to the place behind it; NULL: it has none.
 */
const struct pl_task_line *pl_tasks_line(const struct pl_machine *m,
                                         uint64_t pid, uint64_t started,
                                         size_t *at);

/* The sample is lost: what it fetched waits for the next one. */
void pl_tasks_undo(struct pl_machine *m);

/*
 * Walk over all tasks: begin, next while it gives PL_OK, end.  A walk that
 * fails gives no more records; then, after its end, m->tasks is not readable
 * and a read error is counted.  PL_END: no more; PL_NOMEM.
 */
void pl_tasks_begin(struct pl_machine *m);
enum pl_status pl_tasks_next(struct pl_machine *m, struct pl_task *out);
void pl_tasks_end(struct pl_machine *m);

/* A field, and the parts it needs of the kernel: bits of enum pl_task_part. */
struct pl_part_field {
    uint32_t parts;
    uint32_t field;
};

/* Set whether the fields of the table are present in 's'. */
void pl_tasks_mark(struct pl_source *s, uint32_t parts,
                   const struct pl_part_field *table, size_t num);

/*
 * The record at the beginning of 'n' bytes, and its length.  PL_TRUNCATED: the
 * record is longer than 'n'; PL_CORRUPT: it is not a record.
 */
enum pl_status pl_task_parse(const uint8_t *p, size_t n, struct pl_task *out,
                             size_t *len);

#endif
