/*                                                format/time/zone_system.h
 * The system's time zones: which it knows, and their offsets.  For zone.c only.
 * zone_posix.c uses the C library (IANA names); zone_windows.c knows only the
 * machine's own zone.
 */
#ifndef PL_FORMAT_BASE_ZONE_SYSTEM_H
#define PL_FORMAT_BASE_ZONE_SYSTEM_H

#include "format/base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { PL_ZONE_NAME = 64 }; /* bytes of a zone's name, its NUL included */

/*
 * PL_OK: there is a zone of that name, which then fits PL_ZONE_NAME.  PL_USAGE:
 * there is none; PL_NOMEM.
 */
enum pl_status pl_system_zone_find(const char *name);

/*
 * Use a zone that exists; NULL: the machine's own.  PL_NOMEM; the zone in use
 * then does not change.
 */
enum pl_status pl_system_zone_use(const char *name);

/*
 * Seconds east of UTC in the zone in use, 'seconds' after 1970 began; 0 where
 * the system does not know.
 */
int32_t pl_system_zone_offset(int64_t seconds);

/* The IANA name of the machine's own zone; empty if it is not known. */
void pl_system_zone_name(char out[PL_ZONE_NAME]);

#endif
