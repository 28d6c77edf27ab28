/* The BPF program, loaded by its light skeleton: no library at run time. */
#include "logger/linux/processes/bpf/program.h"

#include <errno.h>
#include <pl_tasks.lskel.h>
#include <string.h>
#include <unistd.h>

struct pl_task_program {
    struct pl_tasks *skeleton;
};

static const char *reason(int error)
{
    switch (error) {
    case EPERM:
    case EACCES:
        return "not permitted; be root, or have CAP_BPF and CAP_PERFMON";
    case ENOSYS:
        return "this kernel has no BPF";
    default:
        return access("/sys/kernel/btf/vmlinux", R_OK)
                   ? "this kernel does not tell its types (no BTF)"
                   : "this kernel does not take the program; that needs "
                     "Linux 5.17 (some 5.19), CAP_BPF, CAP_PERFMON, and no "
                     "lockdown of confidentiality";
    }
}

enum pl_status pl_task_program_open(struct pl_task_program **out,
                                    const char **why)
{
    struct pl_task_program *p = calloc(1, sizeof *p);
    int error;

    if (!p)
        return PL_NOMEM;
    errno = 0;
    p->skeleton = pl_tasks__open();
    if (!p->skeleton) {
        pl_task_program_close(p);
        return PL_NOMEM;
    }
    error = pl_tasks__load(p->skeleton);
    if (error >= 0)
        error = pl_tasks__attach(p->skeleton);
    if (error < 0) {
        *why = reason(errno ? errno : -error);
        pl_task_program_close(p);
        return PL_UNSUPPORTED;
    }
    *out = p;
    return PL_OK;
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
