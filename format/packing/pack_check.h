/*                                              format/packing/pack_check.h
 * Compares a log with the packed log made of it.
 */
#ifndef PL_FORMAT_PACKING_PACK_CHECK_H
#define PL_FORMAT_PACKING_PACK_CHECK_H

#include "format/base/status.h"

#include <stdint.h>

struct pl_reader;

/*
 * Read both to the end: every record must be there with the same number, times
 * and flags, every block and every payload byte for byte.  Only offsets differ,
 * and what a kill left in the first one.  PL_CORRUPT: something is not the same;
 * PL_IO, PL_NOMEM.  'progress' (may be NULL) gets the position in 'log', which has
 * just been opened and stays the caller's.
 */
enum pl_status pl_pack_check(struct pl_reader *log, const char *packed,
                             void (*progress)(void *ctx, uint64_t done),
                             void *ctx);

#endif
