/*                                     logger/linux/identity/identity_ended.h
 * What identifies processes of which /proc has nothing any more, as they ended
 * between two samples, or before they could be read: command line as it was at exec,
 * user and parent, from the reports of BPF.  Written for those that did enough
 * (PL_NOTICED_RUN_NS and the like), as a machine may have hundreds of others a second.
 *
 * PL_IDENTITY_RATE bytes a second, after a reserve of PL_ENDED_RESERVE; those that only
 * failed are left half of the reserve.
 */
#ifndef PL_LOGGER_LINUX_IDENTITY_IDENTITY_ENDED_H
#define PL_LOGGER_LINUX_IDENTITY_IDENTITY_ENDED_H

#include "format/base/buf.h"
#include "format/payload/process_identity.h"
#include "logger/linux/machine/source.h"
#include "logger/linux/identity/identity_budget.h"
#include "logger/linux/identity/user_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PL_ENDED_RESERVE = 1 << 20 };

struct pl_identity_ended {
    struct pl_machine *machine;
    struct pl_identity_budget budget;
    bool no_command_lines;
    bool has_users; /* their names have been refreshed in this sample */
    size_t next_line;
};

/* 'm' must outlive it; its processes are to be open. */
void pl_identity_ended_begin(struct pl_identity_ended *e, struct pl_machine *m,
                             bool no_command_lines);

/* True if the process of a row did enough (PL_NOTICED_RUN_NS and the like) to be among
 * those that kept a machine busy. */
bool pl_identity_did_enough(const uint64_t *v);

/* Before the rows of a sample. */
void pl_identity_ended_next(struct pl_identity_ended *e);

/* Append the entry of row 'i' of 's', whose process has ended, if it did enough. */
void pl_identity_ended_write(struct pl_identity_ended *e,
                             const struct pl_source *s, size_t i,
                             struct pl_user_names *users, struct pl_buf *out);

/* Set the command line of 'p', whose row is 'v', as it was at exec; false: it is not
 * known. */
bool pl_identity_ended_command_line(struct pl_identity_ended *e,
                                    const uint64_t *v,
                                    struct pl_process_identity *p);

#endif
