/*                                            format/payload/identity_set.h
 * The identities of the processes alive at one point of a session, as the iden
 * records up to there give them.  A writer keeps one to repeat it where reading
 * may begin, a reader to look processes up.
 *
 * Memory: at most PL_MAX_IDENTITY_BYTES of entries; identities beyond that are
 * not kept.  Processes that ended are dropped by pl_identity_set_keep_live.
 */
#ifndef PL_FORMAT_PAYLOAD_IDENTITY_SET_H
#define PL_FORMAT_PAYLOAD_IDENTITY_SET_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/payload/process_identity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PL_MAX_IDENTITY_BYTES = 32 << 20 };

struct pl_identity_set;

/* PL_OK or PL_NOMEM. */
enum pl_status pl_identity_set_new(struct pl_identity_set **out);
void pl_identity_set_free(struct pl_identity_set *s); /* NULL is fine */

/* Forget all; the version goes on. */
void pl_identity_set_clear(struct pl_identity_set *s);

/*
 * Add the entries of a payload; each replaces an earlier one of the same
 * process.  PL_CORRUPT: lengths contradict each other (the entries before that
 * are kept); PL_NOMEM.
 */
enum pl_status pl_identity_set_add(struct pl_identity_set *s, const uint8_t *p,
                                   size_t n);

/* It grows with every entry that is new or differs from the earlier one;
 * 0: there has been none.  NULL is an empty set, here and below. */
uint64_t pl_identity_set_version(const struct pl_identity_set *s);

/* The version of the entry of such a process; 0: not known. */
uint64_t pl_identity_set_version_of(const struct pl_identity_set *s,
                                    uint64_t pid, uint64_t start);

/*
 * The process with these raw values of ID Process and Elapsed Time; false: not
 * known.  Texts are valid until the set changes; *version is the entry's.
 */
bool pl_identity_set_find(const struct pl_identity_set *s, uint64_t pid,
                          uint64_t start, struct pl_process_identity *out,
                          uint64_t *version);

/* Append the entries with a version above 'since', oldest first. */
void pl_identity_set_write(const struct pl_identity_set *s, uint64_t since,
                           struct pl_buf *out);

/* Append those of the processes in 'block' whose version is at most 'until'. */
void pl_identity_set_write_live(const struct pl_identity_set *s, uint64_t until,
                                const uint8_t *block, size_t len,
                                struct pl_buf *out);

/*
 * Drop the processes that 'block' does not have.  A block that is malformed
 * leaves the set as it is.
 */
void pl_identity_set_keep_live(struct pl_identity_set *s, const uint8_t *block,
                               size_t len);

/* The same if so much was added since that it pays: for calls with every
 * block. */
void pl_identity_set_limit(struct pl_identity_set *s, const uint8_t *block,
                           size_t len);

#endif
