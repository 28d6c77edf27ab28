/* The zone in which times are shown. */
#include "analyze/cli/shown_zone.h"

#include "format/time/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A day and more is no offset, and no zone either. */
enum { MOST_MINUTES = 24 * 60 - 1 };

/* Names of UTC, which is then called so. */
static bool is_utc(const char *name)
{
    static const char *const names[] = { "UTC",  "UCT",  "Universal",
                                         "Zulu", "GMT0", "GMT" };

    if (!strncmp(name, "Etc/", 4))
        name += 4;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static enum pl_status use_offset(int32_t minutes_east)
{
    char text[sizeof "+00:00"];
    int32_t minutes;

    if (!minutes_east || minutes_east < -MOST_MINUTES ||
        minutes_east > MOST_MINUTES)
        return pl_zone_set("UTC");
    minutes = minutes_east < 0 ? -minutes_east : minutes_east;
    snprintf(text, sizeof text, "%c%02d:%02d", minutes_east < 0 ? '-' : '+',
             (int)(minutes / 60 % 24), (int)(minutes % 60));
    return pl_zone_set(text);
}

enum pl_status pl_zone_use_log(const struct pl_host_log *log)
{
    enum pl_status s = PL_USAGE;

    if (log->zone && !log->imported && !is_utc(log->zone))
        s = pl_zone_set(log->zone);
    return s == PL_USAGE ? use_offset(log->zone_minutes) : s;
}

const struct pl_host_log *pl_first_log(const struct pl_host_logs *logs)
{
    const struct pl_host_log *first = &logs->logs[0];

    for (size_t i = 1; i < logs->num; i++)
        if (logs->logs[i].first_utc < first->first_utc)
            first = &logs->logs[i];
    return first;
}

enum pl_status pl_zone_use(enum pl_tz tz, bool for_people,
                           const struct pl_host_logs *logs)
{
    if (tz == PL_TZ_LOG || (tz == PL_TZ_USUAL && for_people))
        return pl_zone_use_log(pl_first_log(logs));
    return PL_OK;
}
