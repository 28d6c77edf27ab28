/*                                     logger/linux/processes/bpf/refusal.h
 * Why the kernel does not load the BPF program, in words for the user: the
 * causes that look alike by errno (privilege, a seccomp filter, lockdown, open
 * files) are told apart by asking the kernel; what is left is the verifier's.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_BPF_REFUSAL_H
#define PL_LOGGER_LINUX_PROCESSES_BPF_REFUSAL_H

#include "format/base/text.h"

#include <stdbool.h>

/*
 * True if this process has the capabilities that loading takes: CAP_BPF and
 * CAP_PERFMON, or CAP_SYS_ADMIN.  In a user namespace they are not enough.
 */
bool pl_bpf_is_permitted(void);

/*
 * The cause of 'error', of a load that failed, in static words; NULL: the
 * program itself was refused.
 */
const char *pl_bpf_refusal(int error);

/*
 * The line of the verifier's log (linux/kernel/bpf/verifier.c) that says what
 * was wrong, which is the last but for its statistics; empty: there is none.
 */
struct pl_text pl_bpf_verdict(const char *log);

#endif
