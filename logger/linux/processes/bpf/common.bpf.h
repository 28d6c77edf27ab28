/*                                              logger/linux/processes/bpf/common.bpf.h
 * What the parts of tasks.bpf.c share: what the reader wants, and how the
 * kernel's structures are looked into.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_BPF_COMMON_BPF_H
#define PL_LOGGER_LINUX_PROCESSES_BPF_COMMON_BPF_H

#include "kernel.h"
#include "task_record.h"

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

/* Set by the reader before it reads; what is not wanted is 0. */
__u32 want = 0; /* enum pl_task_want */

/*
 * A member that is a number, whatever its width and sign are in the running
 * kernel: by a plain load where it is as wide as in kernel.h, else by a copy.
 * A plain load of another width is refused, and the program with it, where one
 * of the two is signed.  NUMBER looks through a pointer that the verifier
 * trusts, COPY through any.  Where the member is missing these two are refused,
 * too; the others give 0: parts.bpf.h says which members that may be.
 */
#define IS_AS_WIDE(from, field)                                                \
    (__builtin_preserve_field_info((from)->field, BPF_FIELD_RSHIFT_U64) ==     \
     64 - 8 * sizeof((from)->field))
#define NUMBER(from, field)                                                    \
    (IS_AS_WIDE(from, field) ? (__u64)(from)->field : COPY(from, field))
#define COPY(from, field) BPF_CORE_READ_BITFIELD_PROBED(from, field)
#define NUMBER_OR_0(from, field)                                               \
    (bpf_core_field_exists((from)->field) ? NUMBER(from, field) : 0)
#define COPY_OR_0(from, field)                                                 \
    (bpf_core_field_exists((from)->field) ? COPY(from, field) : 0)

/*
 * Where a pointer is loaded from one that the verifier trusts it looks three
 * times through all types of the kernel, 0.6 ms in all, on each path that it
 * follows.  So such pointers are loaded once, before paths part, and what is
 * read on request only is copied instead.
 */
#define LOADED(p) asm volatile("" : "+r"(p))
#define READ(to, from) bpf_probe_read_kernel(&(to), sizeof(to), &(from))

/* A pointer as a number that can be reckoned with. */
static __u64 address_of(const void *p)
{
    const void *volatile room = p;
    __u64 address = 0;

    bpf_probe_read_kernel(&address, sizeof address, (const void *)&room);
    return address;
}

#endif
