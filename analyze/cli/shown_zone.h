/*                                                  analyze/cli/shown_zone.h
 * The zone in which a command shows times, and reads those without an offset:
 * that of --tz, else UTC in sheets, and in what people read the zone of the
 * machine that was recorded.
 */
#ifndef PL_ANALYZE_CLI_SHOWN_ZONE_H
#define PL_ANALYZE_CLI_SHOWN_ZONE_H

#include "analyze/input/host_log.h"
#include "format/base/status.h"

#include <stdbool.h>

/* What --tz says. */
enum pl_tz {
    PL_TZ_USUAL, /* nothing */
    PL_TZ_GIVEN, /* a zone, which is in force */
    PL_TZ_LOG,   /* "log": the zone of the log */
};

/*
 * Put into force the zone of a machine that was recorded: by its name, or where
 * this system has no zone of that name by its offset when the recording began.
 * A log that names none has UTC.  PL_NOMEM.
 */
enum pl_status pl_zone_use_log(const struct pl_host_log *log);

/* The log that began first, whose zone is that of several. */
const struct pl_host_log *pl_first_log(const struct pl_host_logs *logs);

/* The zone of a command; 'for_people': usually that of the log.  PL_NOMEM. */
enum pl_status pl_zone_use(enum pl_tz tz, bool for_people,
                           const struct pl_host_logs *logs);

#endif
