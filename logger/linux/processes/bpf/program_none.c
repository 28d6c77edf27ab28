/* Replaces program.c in builds without BPF. */
#include "logger/linux/processes/bpf/program.h"

#include <errno.h>
#include <stddef.h>

enum pl_status pl_task_program_open(struct pl_task_program **out,
                                    const char **why)
{
    *out = NULL;
    *why = "this build has no BPF";
    return PL_UNSUPPORTED;
}

bool pl_task_program_is_expected(void)
{
    return false;
}

void pl_task_program_close(struct pl_task_program *p)
{
    (void)p;
}

void pl_task_program_ask(struct pl_task_program *p, uint32_t want)
{
    (void)p;
    (void)want;
}

int pl_task_program_walk(struct pl_task_program *p)
{
    (void)p;
    errno = ENOSYS;
    return -1;
}

bool pl_task_program_is_quick(const struct pl_task_program *p)
{
    (void)p;
    return false;
}

bool pl_task_program_sees_ends(const struct pl_task_program *p)
{
    (void)p;
    return false;
}

enum pl_status pl_task_program_drain(struct pl_task_program *p,
                                     struct pl_buf *out)
{
    (void)p;
    (void)out;
    return PL_OK;
}

bool pl_task_program_is_drained(const struct pl_task_program *p)
{
    (void)p;
    return false;
}

void pl_task_program_take_lines(struct pl_task_program *p, uint64_t since,
                                struct pl_buf *out)
{
    (void)p;
    (void)since;
    (void)out;
}

uint64_t pl_task_program_lost(const struct pl_task_program *p)
{
    (void)p;
    return 0;
}
