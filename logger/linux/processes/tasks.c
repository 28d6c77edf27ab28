/* Walks over tasks: reads the iterator and parses its records. */
#include "logger/linux/processes/tasks.h"

#include "format/base/file.h"
#include "logger/linux/processes/bpf/program.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/process.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PIECE = 32768,       /* the kernel fills a buffer of that size each time */
    MAX_RETRIES = 64,    /* each after a million threads without a record */
    MOST_KEPT = 8 << 20, /* bytes of reports that wait for a walk */
    MOST_NAPS = 20,      /* for a report that is being written */
    NAP_NS = 100000,
};

enum pl_status pl_tasks_open(struct pl_machine *m, const char **why)
{
    struct pl_tasks *t = calloc(1, sizeof *t);
    enum pl_status s;

    if (!t)
        return PL_NOMEM;
    t->fd = -1;
    s = pl_task_program_open(&t->program, why);
    if (s) {
        free(t);
        return s;
    }
    t->sees_ends = pl_task_program_sees_ends(t->program);
    t->since_ns = (uint64_t)pl_clock_boot();
    t->why_not = t->sees_ends ? NULL : *why;
    m->tasks = t;
    m->count_tasks = pl_tasks_count;
    m->sees_exits = t->sees_ends;
    return PL_OK;
}

void pl_tasks_close(struct pl_tasks *t)
{
    if (!t)
        return;
    pl_task_program_close(t->program);
    pl_buf_release(&t->records);
    pl_buf_release(&t->threads);
    pl_cpu_times_release(&t->process_times);
    pl_cpu_times_release(&t->thread_times);
    pl_buf_release(&t->ends);
    pl_buf_release(&t->early);
    pl_buf_release(&t->lines);
    free(t);
}

bool pl_tasks_count(const struct pl_tasks *t, uint64_t *n)
{
    *n = t->num_processes;
    return t->readable;
}

/* ---- records ------------------------------------------------------------ */

/* All records are multiples of 8 bytes long, and 'p' is aligned. */
enum pl_status pl_task_parse(const uint8_t *p, size_t n, struct pl_task *out,
                             size_t *len)
{
    const void *at = p;
    uint32_t kind = 0;

    *out = (struct pl_task){ 0 };
    *len = sizeof kind;
    if (n >= *len) {
        memcpy(&kind, p, sizeof kind);
        if (kind != PL_TASK_PROCESS && kind != PL_TASK_THREAD)
            return PL_CORRUPT;
        *len = kind == PL_TASK_THREAD
                   ? sizeof *out->thread
                   : sizeof *out->process + sizeof *out->sums;
    }
    if (n < *len)
        return PL_TRUNCATED;
    if (kind == PL_TASK_THREAD) {
        out->thread = at;
        return PL_OK;
    }
    out->process = at;
    at = p + sizeof *out->process;
    out->sums = at;
    if (out->process->parts & PL_PART_MEMORY) {
        at = p + *len;
        out->memory = at;
        *len += sizeof *out->memory;
    }
    if (out->process->parts & PL_PART_END) {
        at = p + *len;
        out->end = at;
        *len += sizeof *out->end;
    }
    return n < *len ? PL_TRUNCATED : PL_OK;
}

/* ---- ends --------------------------------------------------------------- */

/* A process has one report that is not final, or only a final one. */
static uint64_t num_processes(const struct pl_buf *reports)
{
    const struct pl_task_exit *x = (const void *)reports->p;
    uint64_t num = 0;

    for (size_t i = 0; i < reports->len / sizeof *x; i++)
        num += x[i].end.final != PL_FINAL_AGAIN;
    return num;
}

/* A report of a process that the walk has met waits for the next sample: so do lines. */
static void forget_lines(struct pl_tasks *t)
{
    t->lines.len -= t->old_lines;
    if (t->lines.len)
        memmove(t->lines.p, t->lines.p + t->old_lines, t->lines.len);
    t->old_lines = t->lines.len;
}

/* Rows of what ended stand beside those of a walk: without one they wait, as
 * long as walks fail or samples are lost, and are lost where they are too many. */
static void forget_shown(struct pl_tasks *t)
{
    if (t->ends_wait && t->ends.len <= MOST_KEPT)
        return;
    if (t->ends_wait)
        t->ends_dropped += num_processes(&t->ends);
    pl_buf_clear(&t->ends);
    forget_lines(t);
}

static void begin_sample(struct pl_tasks *t)
{
    forget_shown(t);
    memset(t->ended, 0, sizeof t->ended);
    t->before_ns = t->drained_ns;
    t->lines_since = t->met_ns;
}

/* Note those from the byte 'from' on. */
static void note_ended(struct pl_tasks *t, const struct pl_buf *reports,
                       size_t from)
{
    const struct pl_task_exit *x = (const void *)reports->p;

    for (size_t i = from / sizeof *x; i < reports->len / sizeof *x; i++) {
        uint32_t bit = x[i].head.pid % PL_ENDED_NUMBERS;

        t->ended[bit / 64] |= UINT64_C(1) << bit % 64;
    }
}

/*
 * One that is being written, by a processor that a virtual machine has not got just
 * now, holds up those behind it, of processes that the walk did not meet any more:
 * a sample later what they did would seem to be of its time.
 */
static enum pl_status drain(struct pl_tasks *t)
{
    enum pl_status s = pl_task_program_drain(t->program, &t->ends);

    for (unsigned i = 0; i < MOST_NAPS && !s && t->sees_ends &&
                         !pl_task_program_is_drained(t->program);
         i++) {
        pl_sleep(NAP_NS);
        s = pl_task_program_drain(t->program, &t->ends);
    }
    return s;
}

static enum pl_status fetch(struct pl_tasks *t)
{
    size_t from = t->ends.len;
    enum pl_status s = PL_NOMEM;

    if (t->early.len)
        pl_buf_bytes(&t->ends, t->early.p, t->early.len);
    if (!t->ends.oom) {
        pl_buf_clear(&t->early);
        s = drain(t);
    }
    note_ended(t, &t->ends, from);
    t->ends.oom = false;
    return s;
}

/* Who began before the last sample's walk and lives was met by it, and has been read
 * by now if that can be; of this one's that is to come. */
static void take_lines(struct pl_tasks *t)
{
    if (t->readable)
        t->met_ns = t->begun_ns;
    if (!t->lines_since) /* the first one */
        t->lines_since = t->met_ns;
    pl_task_program_take_lines(t->program, t->wants_lines ? t->lines_since : 0,
                               &t->lines);
}

/* Before the first sample, which has those that end until then. */
void pl_tasks_want_lines(struct pl_tasks *t)
{
    t->wants_lines = true;
    pl_task_program_take_lines(t->program, (uint64_t)pl_clock_boot(),
                               &t->lines);
}

enum pl_status pl_tasks_drain(struct pl_machine *m)
{
    struct pl_tasks *t = m->tasks;
    enum pl_status s;

    if (t->drained != m->tick)
        begin_sample(t);
    t->drained = m->tick;
    s = fetch(t);
    t->drained_ns = (uint64_t)pl_clock_boot();
    take_lines(t);
    t->ends_wait = s || !t->readable;
    m->exits_lost = pl_task_program_lost(t->program) + t->ends_dropped;
    return s;
}

/* A report comes before its process's number is free: the number is another's
 * only after it.  None is missing if none was ever lost and the ring is empty. */
bool pl_tasks_has_not_ended(struct pl_machine *m, uint64_t pid,
                            uint64_t started)
{
    struct pl_tasks *t = m->tasks;
    uint64_t bit = pid % PL_ENDED_NUMBERS;
    size_t from;
    enum pl_status s;

    if (!t || !t->sees_ends || t->drained != m->tick || !t->before_ns ||
        started <= t->before_ns / 100)
        return false;
    from = t->early.len;
    s = pl_task_program_drain(t->program, &t->early);
    t->early.oom = false;
    note_ended(t, &t->early, from);
    return !s && pl_task_program_is_drained(t->program) &&
           pl_task_program_lost(t->program) == 0 &&
           !(t->ended[bit / 64] >> bit % 64 & 1);
}

static const struct pl_task_line *line_at(const struct pl_buf *lines,
                                          size_t *at)
{
    const struct pl_task_line *l = (const void *)(lines->p + *at);

    *at += (offsetof(struct pl_task_line, text) + l->length + 7) / 8 * 8;
    return l;
}

const struct pl_task_line *pl_tasks_line(const struct pl_machine *m,
                                         uint64_t pid, uint64_t started,
                                         size_t *at)
{
    const struct pl_buf *lines = &m->tasks->lines;
    size_t begin = *at < lines->len ? *at : 0, i = begin;

    while (lines->len) {
        const struct pl_task_line *l = line_at(lines, &i);

        if (l->pid == pid && pl_task_started(l->start_ns) == started) {
            *at = i;
            return l;
        }
        i = i < lines->len ? i : 0;
        if (i == begin)
            break;
    }
    return NULL;
}

void pl_tasks_undo(struct pl_machine *m)
{
    m->tasks->ends_wait |= m->tasks->drained == m->tick;
}

/* ---- reading ------------------------------------------------------------ */

void pl_tasks_begin(struct pl_machine *m)
{
    struct pl_tasks *t = m->tasks;

    pl_buf_clear(&t->records);
    t->at = 0;
    t->retries = 0;
    t->num_processes = 0;
    t->readable = false;
    t->begun_ns = (uint64_t)pl_clock_boot();
    pl_task_program_ask(t->program, t->want);
    m->system_calls++;
    t->fd = pl_task_program_walk(t->program);
}

/* Read more records after those not yet taken.  PL_END, PL_IO or PL_NOMEM. */
static enum pl_status read_more(struct pl_machine *m)
{
    struct pl_tasks *t = m->tasks;
    struct pl_buf *b = &t->records;
    ssize_t n;

    if (t->fd < 0)
        return PL_IO;
    if (t->at) {
        b->len -= t->at;
        memmove(b->p, b->p + t->at, b->len);
        t->at = 0;
    }
    if (!pl_buf_room(b, PIECE))
        return PL_NOMEM;
    do {
        m->system_calls++;
        n = read(t->fd, b->p + b->len, b->cap - b->len);
    } while (n < 0 && (errno == EAGAIN || errno == EINTR) &&
             t->retries++ < MAX_RETRIES);
    if (n <= 0)
        return n ? PL_IO : PL_END;
    b->len += (size_t)n;
    return PL_OK;
}

enum pl_status pl_tasks_next(struct pl_machine *m, struct pl_task *out)
{
    struct pl_tasks *t = m->tasks;
    enum pl_status s;
    size_t len;

    while ((s = pl_task_parse(t->records.p + t->at, t->records.len - t->at, out,
                              &len)) == PL_TRUNCATED) {
        s = read_more(m);
        if (s == PL_END)
            t->readable = t->at == t->records.len;
        if (s)
            return s == PL_NOMEM ? s : PL_END;
    }
    if (s)
        return PL_END;
    t->at += len;
    t->num_processes += out->process != NULL;
    return PL_OK;
}

void pl_tasks_end(struct pl_machine *m)
{
    struct pl_tasks *t = m->tasks;

    m->read_errors += !t->readable;
    pl_cpu_times_end(&t->process_times, t->readable);
    pl_cpu_times_end(&t->thread_times, t->readable);
    if (t->fd >= 0)
        pl_proc_close(m, t->fd);
    t->fd = -1;
}
