/* Loads the BPF programs by their light skeletons: no library at run time. */
#include "logger/linux/processes/bpf/program.h"

#include "logger/linux/processes/bpf/refusal.h"
#include "logger/linux/processes/bpf/ring.h"
#include "logger/linux/processes/bpf/task_record.h"
#include "logger/linux/processes/bpf/walk.h"

#include <errno.h>
#include <pl_ends.lskel.h>
#include <pl_ends_quick.lskel.h>
#include <pl_tasks.lskel.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pl_task_program {
    struct pl_ends_quick *ends_quick; /* one of the three */
    struct pl_ends *ends;
    struct pl_tasks *tasks;
    int link; /* of the iterator */
    /* Shared with the loaded one; all but the first NULL: it is 'tasks'. */
    __u32 *want;
    __u32 *num_lines_put;
    __u64 *lines_since;
    const __u64 *num_lost;
    struct pl_ring ring, spill; /* that has what the first has no room for */
    struct pl_buf lines;        /* taken from them */
};

enum {
    RING_BYTES = 256 << 10, /* 400 processes between two samples, */
    SPILL_BYTES = 8 << 20,  /* and more than 10,000 */
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

/* Have the kernel asked what it has, before a program that sees ends needs that. */
static void ask_kernel(int link, __u32 *want)
{
    int walk = pl_bpf_walk(link);
    char nothing;

    if (walk < 0)
        return;
    *want = PL_WANT_NOTHING;
    if (read(walk, &nothing, sizeof nothing) < 0)
        errno = 0; /* it ends so */
    *want = 0;
    close(walk);
}

/* load_KIND: 0 or an errno. */
#define DEFINE_LOAD(kind, attach_others)                                       \
    static int load_##kind(struct pl_##kind *s, char *log)                     \
    {                                                                          \
        int error;                                                             \
                                                                               \
        errno = 0;                                                             \
        set_log(&s->ctx, log);                                                 \
        error = pl_##kind##__load(s);                                          \
        if (error >= 0)                                                        \
            error = pl_##kind##__tasks__attach(s);                             \
        if (error >= 0) {                                                      \
            ask_kernel(s->links.tasks_fd, &s->bss->want);                      \
            attach_others(kind);                                               \
        }                                                                      \
        return error >= 0 ? 0 : errno ? errno : -error;                        \
    }

#define ATTACH_NONE(kind)
#define ATTACH_ONE(kind, program)                                              \
    error = error < 0 ? error : pl_##kind##__##program##__attach(s)
#define ATTACH_ENDS(kind)                                                      \
    ATTACH_ONE(kind, thread_ends);                                             \
    ATTACH_ONE(kind, task_freed);                                              \
    ATTACH_ONE(kind, program_begins)

DEFINE_LOAD(ends_quick, ATTACH_ENDS)
DEFINE_LOAD(ends, ATTACH_ENDS)
DEFINE_LOAD(tasks, ATTACH_NONE)

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
static int open_rings(struct pl_task_program *p, int ring, int spill)
{
    int error;

    if (!pl_ring_open(&p->ring, ring, RING_BYTES))
        return errno;
    if (pl_ring_open(&p->spill, spill, SPILL_BYTES))
        return 0;
    error = errno;
    pl_ring_close(&p->ring);
    return error;
}

/* open_KIND, of the two that see processes end: 0 or an errno. */
#define DEFINE_OPEN(kind)                                                      \
    static int open_##kind(struct pl_task_program *p)                          \
    {                                                                          \
        struct pl_##kind *s = pl_##kind##__open();                             \
        int error;                                                             \
                                                                               \
        if (!s)                                                                \
            return ENOMEM;                                                     \
        s->maps.ring.max_entries = RING_BYTES;                                 \
        s->maps.spill.max_entries = SPILL_BYTES;                               \
        error = load_##kind(s, NULL);                                          \
        if (!error)                                                            \
            error = open_rings(p, s->maps.ring.map_fd, s->maps.spill.map_fd);  \
        if (error) {                                                           \
            pl_##kind##__destroy(s);                                           \
            return error;                                                      \
        }                                                                      \
        p->kind = s;                                                           \
        p->link = s->links.tasks_fd;                                           \
        p->want = &s->bss->want;                                               \
        p->num_lines_put = &s->bss->num_lines_put;                             \
        p->lines_since = &s->bss->lines_since;                                 \
        p->num_lost = &s->bss->num_lost;                                       \
        return 0;                                                              \
    }

DEFINE_OPEN(ends_quick)
DEFINE_OPEN(ends)

static int open_tasks(struct pl_task_program *p)
{
    int error;

    p->tasks = pl_tasks__open();
    if (!p->tasks)
        return ENOMEM;
    error = load_tasks(p->tasks, NULL);
    p->link = p->tasks->links.tasks_fd;
    p->want = &p->tasks->bss->want;
    return error;
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
    no_ends = open_ends_quick(p) ? open_ends(p) : 0;
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
    pl_ring_close(&p->spill);
    pl_ends_quick__destroy(p->ends_quick);
    pl_ends__destroy(p->ends);
    pl_tasks__destroy(p->tasks);
    pl_buf_release(&p->lines);
    free(p);
}

void pl_task_program_ask(struct pl_task_program *p, uint32_t want)
{
    *p->want = want;
}

int pl_task_program_walk(struct pl_task_program *p)
{
    return pl_bpf_walk(p->link);
}

bool pl_task_program_is_quick(const struct pl_task_program *p)
{
    return p->ends_quick != NULL;
}

bool pl_task_program_sees_ends(const struct pl_task_program *p)
{
    return p->num_lost != NULL;
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

static enum pl_status drain(struct pl_task_program *p, struct pl_ring *ring,
                            struct pl_buf *out)
{
    const struct pl_task_head *record;
    size_t len, taken = 0; /* all that it holds now, but not without end */

    while (taken < ring->size && (record = pl_ring_next(ring, &len)) != NULL) {
        if (record->kind == PL_TASK_LINE)
            take_line(&p->lines, (const void *)record, len);
        else if (len == sizeof(struct pl_task_exit))
            pl_buf_bytes(out, record, len);
        if (out->oom)
            return PL_NOMEM;
        taken += len;
        pl_ring_release(ring);
    }
    return PL_OK;
}

/*
 * Of a process whose final report is taken the first one must have been, or be among
 * these, too: so nothing is taken from a ring while the other one, that may have the
 * first, has records that wait.
 */
enum pl_status pl_task_program_drain(struct pl_task_program *p,
                                     struct pl_buf *out)
{
    enum pl_status s;

    if (!p->num_lost)
        return PL_OK;
    s = drain(p, &p->ring, out);
    if (s || !pl_ring_is_empty(&p->ring) || pl_ring_is_empty(&p->spill))
        return s;
    s = drain(p, &p->spill, out);
    return s || !pl_ring_is_empty(&p->spill) ? s : drain(p, &p->ring, out);
}

bool pl_task_program_is_drained(const struct pl_task_program *p)
{
    return p->num_lost && pl_ring_is_empty(&p->ring) &&
           pl_ring_is_empty(&p->spill);
}

void pl_task_program_take_lines(struct pl_task_program *p, uint64_t since,
                                struct pl_buf *out)
{
    if (!p || !p->num_lost)
        return;
    pl_buf_bytes(out, p->lines.p, p->lines.len);
    out->oom = false;
    pl_buf_clear(&p->lines);
    *p->lines_since = since;
    *p->num_lines_put = 0;
}

uint64_t pl_task_program_lost(const struct pl_task_program *p)
{
    return p->num_lost ? *p->num_lost : 0;
}
