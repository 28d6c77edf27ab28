/*                                         analyze/copy/copied_identities.h
 * Copies what identifies processes (format/payload/identity_set.h) from a log to a
 * new one: with each sample that is written, what is new since the last one.
 * The writer leaves out processes that the written block does not have.
 */
#ifndef PL_ANALYZE_COPY_COPIED_IDENTITIES_H
#define PL_ANALYZE_COPY_COPIED_IDENTITIES_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/payload/identity_set.h"
#include "format/writer/writer.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_copied_identities {
    bool without_command_lines; /* set by the caller, the rest being zero */
    uint64_t put;               /* version that the writer has */
    uint64_t taken;             /* version in 'payload' */
    struct pl_buf payload;      /* for the sample taken last */
};

void pl_copied_identities_release(struct pl_copied_identities *c);

/* Another session begins. */
void pl_copied_identities_begin(struct pl_copied_identities *c);

/* A sample was read; 'set' belongs to it.  PL_NOMEM. */
enum pl_status pl_copied_identities_take(struct pl_copied_identities *c,
                                         const struct pl_identity_set *set);

/* That sample is going to be written.  PL_NOMEM. */
enum pl_status pl_copied_identities_put(struct pl_copied_identities *c,
                                        struct pl_writer *w);

/*
 * After it, if only a part of the sample is going to be written, 'block': with
 * what was put of its processes when they were not in that part, and was left
 * out.  'set' may be that of the next sample.  PL_NOMEM.
 */
enum pl_status pl_copied_identities_put_chosen(
    struct pl_copied_identities *c, const struct pl_identity_set *set,
    const struct pl_buf *block, struct pl_writer *w);

#endif
