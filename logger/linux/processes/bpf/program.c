/* The BPF program, loaded by its light skeleton: no library at run time. */
#include "logger/linux/processes/bpf/program.h"

#include "logger/linux/processes/bpf/refusal.h"

#include <errno.h>
#include <pl_tasks.lskel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pl_task_program {
    struct pl_tasks *skeleton;
};

/* 0 or an errno. */
static int load(struct pl_tasks *skeleton)
{
    int error;

    errno = 0;
    error = pl_tasks__load(skeleton);
    if (error >= 0)
        error = pl_tasks__attach(skeleton);
    return error >= 0 ? 0 : errno ? errno : -error;
}

/* Load it once more, for the verifier's words. */
static void ask_verifier(char *log, size_t size)
{
    struct pl_tasks *skeleton = pl_tasks__open();

    if (!skeleton)
        return;
    skeleton->ctx.log_level = 1;
    skeleton->ctx.log_buf = (uint64_t)(uintptr_t)log;
    skeleton->ctx.log_size = (uint32_t)size;
    load(skeleton);
    pl_tasks__destroy(skeleton);
}

/* Valid until the next call. */
static const char *verdict(int error)
{
    enum { LOG_SIZE = 8 << 20, MAX_LINE = 200 };
    static char text[MAX_LINE + 100];
    char *log = calloc(1, LOG_SIZE);
    struct pl_text line = { "", 0 };

    if (log) {
        ask_verifier(log, LOG_SIZE);
        line = pl_bpf_verdict(log);
    }
    if (line.n > MAX_LINE)
        line.n = MAX_LINE;
    snprintf(text, sizeof text, "this kernel refuses the program: %.*s%s%s",
             (int)line.n, line.p, line.n ? "; " : "", strerror(error));
    free(log);
    return text;
}

enum pl_status pl_task_program_open(struct pl_task_program **out,
                                    const char **why)
{
    struct pl_task_program *p = calloc(1, sizeof *p);
    int error;

    if (!p)
        return PL_NOMEM;
    p->skeleton = pl_tasks__open();
    if (!p->skeleton) {
        pl_task_program_close(p);
        return PL_NOMEM;
    }
    error = load(p->skeleton);
    if (error) {
        pl_task_program_close(p);
        *why = pl_bpf_refusal(error);
        if (!*why)
            *why = verdict(error);
        return PL_UNSUPPORTED;
    }
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
    pl_tasks__destroy(p->skeleton);
    free(p);
}

void pl_task_program_ask(struct pl_task_program *p, uint32_t want)
{
    p->skeleton->bss->want = want;
}

int pl_task_program_walk(struct pl_task_program *p)
{
    union bpf_attr attr;

    memset(&attr, 0, sizeof attr);
    attr.iter_create.link_fd = (__u32)p->skeleton->links.tasks_fd;
    return skel_sys_bpf(BPF_ITER_CREATE, &attr, sizeof attr.iter_create);
}
