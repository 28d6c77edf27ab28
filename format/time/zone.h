/*                                                       format/time/zone.h
 * Time zones: the offset from UTC at an instant, and the instant of a local
 * time.  zone_system.h is the interface to the system's zones.
 */
#ifndef PL_FORMAT_BASE_ZONE_H
#define PL_FORMAT_BASE_ZONE_H

#include "format/time/time_text.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One zone is in force in the process, because the C library has only one.
 * Before the first call it is UTC.  'name': "UTC", "local", "+02:00",
 * "-0530", or an IANA name such as "Europe/Berlin".  PL_USAGE if there is no
 * such zone, PL_NOMEM; the zone in force then does not change.
 */
enum pl_status pl_zone_set(const char *name);

/*
 * What --tz takes on this system: for --help of commands that show UTC or the
 * log's zone unless asked, and for the message about an unknown zone.
 */
extern const char pl_zone_help[], pl_zone_help_for_people[], pl_zone_wanted[];

/*
 * Call 'report' with each zone that has a name; without a list of them on the
 * system, with none.
 */
void pl_zone_names(void (*report)(void *context, const char *name),
                   void *context);

/*
 * "UTC", "+02:00", "Europe/Berlin"; for "local" the zone's own name, or
 * "local" if it has none.
 */
const char *pl_zone_name(void);

/* Seconds east of UTC at an instant. */
int32_t pl_zone_offset(int64_t utc_ns);

/* True if the offset is the same throughout [from, to]. */
bool pl_zone_is_constant(int64_t from_ns, int64_t to_ns);

/*
 * The instant at which the zone's clocks show 'local'.  Where the hour is
 * repeated, the earlier of the two; a time that is skipped is moved on by the
 * length of the jump.
 */
int64_t pl_zone_to_utc(const struct pl_civil *local);

/* The same, but the later of the two where the hour is repeated. */
int64_t pl_zone_to_utc_later(const struct pl_civil *local);

/*
 * "2026-11-21 07:35:02" by the zone's clocks, with milliseconds where there are
 * any.  Returns 'out'.
 */
const char *pl_zone_text(int64_t utc_ns, char out[PL_INSTANT_TEXT]);

/*
 * The zone of this machine: IANA name or "", and its offset now in minutes.
 * Like pl_zone_set it may touch the environment: call it with one thread.
 */
void pl_zone_of_machine(char *name, size_t cap, int32_t *minutes_east);

#endif
