/* Loads the BPF programs by their light skeletons: no library at run time. */
#include "logger/linux/processes/bpf/program.h"

#include "logger/linux/processes/bpf/namespace.h"
#include "logger/linux/processes/bpf/refusal.h"
#include "logger/linux/processes/bpf/ring.h"
#include "logger/linux/processes/bpf/task_record.h"
#include "logger/linux/processes/bpf/walk.h"

#include <errno.h>
#include <pl_ends.lskel.h>
#include <pl_tasks.lskel.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pl_task_program {
    struct pl_ends *ends; /* one of the two */
    struct pl_tasks *tasks;
    struct pl_ring ring; /* of 'ends' */
    struct pl_buf lines; /* taken from it */
};

enum {
    RING_BYTES = 8 << 20, /* 10,000 processes between two samples */
    LEAST_PAGE = 4096,
};

_Static_assert(sizeof(struct pl_task_exit) < LEAST_PAGE &&
                   sizeof(struct pl_task_line) < LEAST_PAGE,
               "as ring.h wants it");

/* A part of the kernel's log; all of it is long. */
enum { LOG_SIZE = 8 << 20, MAX_LINE = 200 };

struct verdict {
    char text[MAX_LINE + 100];
};

/* The log that a loader is to write; NULL: none. */
static void set_log(struct bpf_loader_ctx *ctx, char *log)
{
    ctx->log_level = log ? 1 : 0;
    ctx->log_buf = (uint64_t)(uintptr_t)log;
    ctx->log_size = log ? LOG_SIZE : 0;
}

/* 0 or an errno. */
static int load_tasks(struct pl_tasks *skeleton, char *log)
{
    int error;

    errno = 0;
    set_log(&skeleton->ctx, log);
    error = pl_tasks__load(skeleton);
    if (error >= 0)
        error = pl_tasks__attach(skeleton);
    return error >= 0 ? 0 : errno ? errno : -error;
}

static int load_ends(struct pl_ends *skeleton, char *log)
{
    int error;

    errno = 0;
    set_log(&skeleton->ctx, log);
    error = pl_ends__load(skeleton);
    if (error >= 0)
        error = pl_ends__attach(skeleton);
    return error >= 0 ? 0 : errno ? errno : -error;
}

/* Load it once more, to get the verifier's log. */
static void ask_verifier(bool ends, char *log)
{
    struct pl_tasks *tasks = ends ? NULL : pl_tasks__open();
    struct pl_ends *other = ends ? pl_ends__open() : NULL;

    if (tasks)
        load_tasks(tasks, log);
    if (other)
        load_ends(other, log);
    pl_tasks__destroy(tasks);
    pl_ends__destroy(other);
}

static const char *verdict(bool ends, int error, struct verdict *out)
{
    char *log = calloc(1, LOG_SIZE);
    struct pl_text line = { "", 0 };

    if (log) {
        ask_verifier(ends, log);
        line = pl_bpf_verdict(log);
    }
    if (line.n > MAX_LINE)
        line.n = MAX_LINE;
    snprintf(out->text, sizeof out->text,
             "this kernel refuses the program: %.*s%s%s", (int)line.n, line.p,
             line.n ? "; " : "", strerror(error));
    free(log);
    return out->text;
}

/* 0 or an errno. */
static int open_ends(struct pl_task_program *p)
{
    int error;

    p->ends = pl_ends__open();
    if (!p->ends)
        return ENOMEM;
    p->ends->maps.ring.max_entries = RING_BYTES;
    p->ends->bss->reader_namespace = pl_own_namespace();
    error = load_ends(p->ends, NULL);
    if (!error &&
        !pl_ring_open(&p->ring, p->ends->maps.ring.map_fd, RING_BYTES))
        error = errno;
    if (error) {
        pl_ends__destroy(p->ends);
        p->ends = NULL;
    }
    return error;
}

static int open_tasks(struct pl_task_program *p)
{
    p->tasks = pl_tasks__open();
    return p->tasks ? load_tasks(p->tasks, NULL) : ENOMEM;
}

enum pl_status pl_task_program_open(struct pl_task_program **out,
                                    const char **why)
{
    static struct verdict of_tasks, of_ends;
    struct pl_task_program *p = calloc(1, sizeof *p);
    int no_ends, error = 0;

    if (!p)
        return PL_NOMEM;
    *why = NULL;
    no_ends = open_ends(p);
    if (no_ends)
        error = open_tasks(p);
    if (error) {
        bool no_memory = !p->tasks;

        pl_task_program_close(p);
        if (no_memory)
            return PL_NOMEM;
        *why = pl_bpf_refusal(error);
        if (!*why)
            *why = verdict(false, error, &of_tasks);
        return PL_UNSUPPORTED;
    }
    if (no_ends)
        *why = verdict(true, no_ends, &of_ends);
    *out = p;
    return PL_OK;
}

bool pl_task_program_is_expected(void)
{
    return pl_bpf_is_permitted();
}

void pl_task_program_close(struct pl_task_program *p)
{
    if (!p)
        return;
    pl_ring_close(&p->ring);
    pl_ends__destroy(p->ends);
    pl_tasks__destroy(p->tasks);
    pl_buf_release(&p->lines);
    free(p);
}

void pl_task_program_ask(struct pl_task_program *p, uint32_t want)
{
    if (p->ends)
        p->ends->bss->want = want;
    else
        p->tasks->bss->want = want;
}

int pl_task_program_walk(struct pl_task_program *p)
{
    return pl_bpf_walk(p->ends ? p->ends->links.tasks_fd
                               : p->tasks->links.tasks_fd);
}

bool pl_task_program_sees_ends(const struct pl_task_program *p)
{
    return p->ends != NULL;
}

/* A multiple of 8 bytes each. */
static void take_line(struct pl_buf *out, const struct pl_task_line *l,
                      size_t len)
{
    const size_t head = offsetof(struct pl_task_line, text);
    static const uint8_t zeros[8];
    size_t over = len % sizeof zeros, end = out->len;

    if (len < head || l->length != len - head)
        return;
    pl_buf_bytes(out, l, len);
    if (over)
        pl_buf_bytes(out, zeros, sizeof zeros - over);
    if (out->oom) {
        out->oom = false;
        out->len = end;
    }
}

enum pl_status pl_task_program_drain(struct pl_task_program *p,
                                     struct pl_buf *out)
{
    const struct pl_task_head *record;
    size_t len, most = RING_BYTES / sizeof(struct pl_task_exit);

    while (p->ends && most-- &&
           (record = pl_ring_next(&p->ring, &len)) != NULL) {
        if (record->kind == PL_TASK_LINE)
            take_line(&p->lines, (const void *)record, len);
        else if (len == sizeof(struct pl_task_exit))
            pl_buf_bytes(out, record, len);
        if (out->oom)
            return PL_NOMEM;
        pl_ring_release(&p->ring);
    }
    return PL_OK;
}

bool pl_task_program_is_drained(const struct pl_task_program *p)
{
    return p->ends && pl_ring_is_empty(&p->ring);
}

void pl_task_program_take_lines(struct pl_task_program *p, uint64_t since,
                                struct pl_buf *out)
{
    if (!p || !p->ends)
        return;
    pl_buf_bytes(out, p->lines.p, p->lines.len);
    out->oom = false;
    pl_buf_clear(&p->lines);
    p->ends->bss->lines_since = since;
    p->ends->bss->num_lines_put = 0;
}

uint64_t pl_task_program_lost(const struct pl_task_program *p)
{
    return p->ends ? p->ends->bss->num_lost : 0;
}
