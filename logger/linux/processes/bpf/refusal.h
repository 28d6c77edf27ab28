/*                                     logger/linux/processes/bpf/refusal.h
 * Why the kernel does not load the BPF program, as text for the user: causes
 * with the same errno (privilege, a seccomp filter, lockdown, open files) are
 * distinguished by asking the kernel; otherwise the verifier refused it.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_BPF_REFUSAL_H
#define PL_LOGGER_LINUX_PROCESSES_BPF_REFUSAL_H

#include "format/base/text.h"

#include <stdbool.h>

/*
 * True if this process has the capabilities that loading needs: CAP_BPF and
 * CAP_PERFMON, or CAP_SYS_ADMIN.  In a user namespace they do not suffice.
 */
bool pl_bpf_is_permitted(void);

/*
 * The cause of a failed load with errno 'error', a static text; NULL: the
 * verifier refused the program.
 */
const char *pl_bpf_refusal(int error);

/*
 * The line of the verifier's log (kernel/bpf/verifier.c) with the cause, which
 * is the last one before its statistics; empty: there is none.
 */
struct pl_text pl_bpf_verdict(const char *log);

#endif
