/*                                        logger/linux/processes/bpf/walk.h
 * Beginning to read what a BPF iterator writes.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_BPF_WALK_H
#define PL_LOGGER_LINUX_PROCESSES_BPF_WALK_H

#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A descriptor to read until the end and to close, or -1 and errno. */
static inline int pl_bpf_walk(int link)
{
    union bpf_attr attr;

    memset(&attr, 0, sizeof attr);
    attr.iter_create.link_fd = (__u32)link;
    return (int)syscall(SYS_bpf, BPF_ITER_CREATE, &attr,
                        sizeof attr.iter_create);
}

#endif
