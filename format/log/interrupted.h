/*                                                 format/log/interrupted.h
 * Tells bytes that a killed recorder left behind from damaged ones: torn
 * records, the zeros (fence) by which the next recorder keeps its session
 * apart from them, and what is left where that one was killed at once.
 * FORMAT.md, section 11.2.  For the scanner alone; all may return PL_IO or
 * PL_NOMEM.
 */
#ifndef PL_FORMAT_LOG_INTERRUPTED_H
#define PL_FORMAT_LOG_INTERRUPTED_H

#include "format/log/record_scan.h"

enum { PL_MIN_FENCE = 8, PL_MAX_FENCE = 15 };

/* How many of the PL_MAX_FENCE bytes before 'end', none of them before
 * 'start', are zero, counted from the end. */
enum pl_status pl_interrupted_zeros(struct pl_record_scan *s, uint64_t start,
                                    uint64_t end, size_t *zeros);

/*
 * A run was killed in the record at out->at, which claims 'claim' bytes (0:
 * its header is not proven), and the next one in the first bytes of its SESS.
 * *yes: such a fragment ends the stretch, a fence stands before it (or, where
 * the file's length needed none, it is long enough to be known), and the
 * record cannot have been whole: its claim ends in the fence or in the
 * fragment.  Where it ends exactly with one of them, a whole record that was
 * damaged would look the same, and the answer is no.
 */
enum pl_status pl_interrupted_twice(struct pl_record_scan *s,
                                    const struct pl_stretch *out,
                                    uint64_t claim, bool *yes);

/*
 * The record out->at claims 'total' bytes and ends where a fresh SESS stands.
 * *fence: it was torn a few bytes before, and the fence took the place of what
 * is missing.
 */
enum pl_status pl_interrupted_in_fence(struct pl_record_scan *s, size_t total,
                                       const struct pl_stretch *out,
                                       bool *fence);

#endif
