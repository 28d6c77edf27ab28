/*                                         analyze/replay/group_identity.h
 * What identifies the process that an instance name stands for at present: the
 * texts of the columns that layouts and reports show.
 */
#ifndef PL_ANALYZE_REPLAY_GROUP_IDENTITY_H
#define PL_ANALYZE_REPLAY_GROUP_IDENTITY_H

#include "analyze/replay/sample_view.h"
#include "analyze/series/series_registry.h"
#include "format/base/status.h"
#include "format/base/text.h"
#include "format/payload/identity_set.h"

enum pl_identity_column {
    PL_COMMAND_LINE,
    PL_EXECUTABLE,
    PL_USER,
    PL_CONTROL_GROUP,
    PL_PARENT,
    PL_NUM_IDENTITY_COLUMNS
};

/* "Command Line", "Executable", ... */
extern const char *const pl_identity_headers[PL_NUM_IDENTITY_COLUMNS];

/*
 * The text of an instance; empty: not known.  As in the log: untrusted, of any
 * bytes but NUL.  Valid until the next sample is read.
 */
struct pl_text pl_group_identity_text(const struct pl_group *g,
                                      enum pl_identity_column column);

/* The number of its effective user.  False: not known. */
bool pl_group_identity_user(const struct pl_group *g, uint32_t *number);

/*
 * The program's name in that of a process' instance: "bash" of "bash:4711", and of
 * Windows' "bash#2", where that is a number.  A list of single counters has Windows'
 * numbers in its names.
 */
struct pl_text pl_group_program(const struct pl_group *g);

/*
 * The unit of systemd in a control group's path: the last part that is a
 * service or scope, which containers are, too.  If none is, the path.
 */
struct pl_text pl_control_group_unit(struct pl_text path);

/* True if these are instances of processes. */
bool pl_object_has_identities(const char *name);

/*
 * Set the identities of the processes in the newer sample from 'set', which
 * belongs to it; NULL: none.  PL_NOMEM.
 */
enum pl_status pl_group_identities_read(struct pl_sample_view *samples,
                                        const struct pl_identity_set *set);

#endif
