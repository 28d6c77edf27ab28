/*                                           logger/linux/identity/identity.h
 * Which processes are new, or another program since the last sample, and what
 * identifies them (format/payload/process_identity.h).  Fed with the rows of
 * Process after each sample.
 *
 * A process is read at first sight and again after exec: when its name or its
 * user changes, or the kernel's mark of its program does (PL_P_PROGRAM): by BPF
 * task_struct.self_exec_id, from /proc the address of its stack in stat, which
 * address space randomization changes with each exec, and which only the owner
 * and root see.  A process that ends has no such address: it keeps what was read,
 * as does one that rewrites its title, or moves to another control group.  One
 * that ended before it was read is identified by what BPF reports, if that did
 * enough (identity_ended.h); others have their names only.
 *
 * A command line that hangs delays a sample by at most PL_BOUNDED_READ_MS, twice;
 * the process is then recorded without it.  Many that take long do as well, as
 * often as it takes, and are recorded: the manual says what a user can do by that.
 *
 * Cost: PL_IDENTITY_READS processes a sample, at the beginning all there are, as
 * long as the sample's time is not over; the rest in the next ones.  Of those that
 * have not done enough yet (identity_ended.h), PL_IDENTITY_IDLE_RATE a second; where
 * more than these are new, those wait for the next sample, in which most are gone.
 * PL_IDENTITY_RATE bytes a second, after a reserve of PL_IDENTITY_RESERVE; a
 * process that changes all the time is read PL_IDENTITY_FREE times, then once a
 * minute.  No memory is allocated but while tables grow with the number of
 * processes.
 */
#ifndef PL_LOGGER_LINUX_IDENTITY_IDENTITY_H
#define PL_LOGGER_LINUX_IDENTITY_IDENTITY_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "logger/linux/machine/source.h"
#include "logger/linux/identity/identity_budget.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    PL_IDENTITY_READS = 64,
    PL_IDENTITY_FIRST_READS = 65536,
    PL_IDENTITY_IDLE_RATE = 16,
    PL_IDENTITY_FREE = 8,
    PL_IDENTITY_RESERVE = 8 << 20,
};

struct pl_identity_tracker;

/*
 * 'm' must outlive it.  Once 'longest_ns' have passed since the instant of a
 * sample, no more is read in it, but for the first few processes that wait.
 * Without command lines, these are left out.  PL_NOMEM.
 */
enum pl_status pl_identity_tracker_new(struct pl_identity_tracker **out,
                                       struct pl_machine *m, int64_t longest_ns,
                                       bool no_command_lines);
void pl_identity_tracker_free(struct pl_identity_tracker *t); /* NULL is fine */

/*
 * Append entries for live rows of 's', a source of processes that was read in
 * this sample, to 'out'; m->now is the sample's instant.  Those for which there
 * is no memory are read in a later sample.
 */
void pl_identity_tracker_follow(struct pl_identity_tracker *t,
                                const struct pl_source *s, struct pl_buf *out);

#endif
