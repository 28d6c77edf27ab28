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

/* The kernel's structure is as we know it, so it can be read in one piece. */
#define HAS_IO                                                                 \
    (bpf_core_type_size(struct task_io_accounting) ==                          \
         sizeof(struct task_io_accounting) &&                                  \
     bpf_core_field_exists(struct task_io_accounting, cancelled_write_bytes))
#define HAS_RUN_DELAY bpf_core_field_exists(struct sched_info, run_delay)
#define HAS_PROCESSOR bpf_core_field_exists(struct task_struct, thread_info.cpu)
#define HAS_CGROUP bpf_core_field_exists(struct css_set, dfl_cgrp)

/*
 * Where a pointer is loaded from one that the verifier trusts it looks three
 * times through all types of the kernel, 0.6 ms in all, on each path that it
 * follows.  So such pointers are loaded once, before paths part, and what is
 * read on request only is copied instead.
 */
#define LOADED(p) asm volatile("" : "+r"(p))
#define READ(to, from) bpf_probe_read_kernel(&(to), sizeof(to), &(from))

#endif
