/*                                                       format/base/zone.h
 * Time zones for people: which offset from UTC holds at an instant, and which
 * instant a local time means.  What the system knows is behind zone_system.h.
 */
#ifndef PL_FORMAT_BASE_ZONE_H
#define PL_FORMAT_BASE_ZONE_H

#include "format/base/time_text.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One zone is in force in the whole program, because the C library has one.
 * Before the first call it is UTC.  'name': "UTC", "local", "+02:00",
 * "-0530", or an IANA name such as "Europe/Berlin".  PL_USAGE if there is no
 * such zone, PL_NOMEM; the one in force then stays.
 */
enum pl_status pl_zone_set(const char *name);

/* What --tz takes on this system, for its help, and for who gave another. */
extern const char pl_zone_help[], pl_zone_wanted[];

/*
 * "UTC", "+02:00", "Europe/Berlin"; for "local" the zone's own name, or
 * "local" if it has none.
 */
const char *pl_zone_name(void);

/* Seconds east of UTC at an instant. */
int32_t pl_zone_offset(int64_t utc_ns);

/* True if the offset is the same all through [from, to]. */
bool pl_zone_is_constant(int64_t from_ns, int64_t to_ns);

/*
 * The instant at which the zone's clocks show 'local'.  Of two (the hour is
 * repeated) the earlier; one that is skipped is moved on by the jump.
 */
int64_t pl_zone_to_utc(const struct pl_civil *local);

/*
 * The zone of this machine: IANA name or "", and its offset now in minutes.
 * Like pl_zone_set it may touch the environment: call it with one thread.
 */
void pl_zone_of_machine(char *name, size_t cap, int32_t *minutes_east);

#endif
