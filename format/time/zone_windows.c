/*
 * Windows knows the rules of the machine's own zone, year by year; names like
 * "Europe/Berlin" it does not have.
 */
#include "format/time/zone.h"
#include "format/time/zone_system.h"

#include <windows.h>

#define TICKS_PER_SEC INT64_C(10000000)
/* From 1601, the epoch of FILETIME, to 1970, in seconds. */
#define EPOCH_S INT64_C(11644473600)

const char pl_zone_help[] = "times of ZONE: UTC (default), log (that of the "
                            "machine recorded), local, +02:00";
const char pl_zone_help_for_people[] =
    "times of ZONE: log (default: that of the machine recorded), UTC, local, "
    "+02:00";
const char pl_zone_wanted[] =
    "no such zone; give UTC, log, local or +02:00: Windows has no zones by "
    "name";

enum pl_status pl_system_zone_find(const char *name)
{
    (void)name;
    return PL_USAGE;
}

enum pl_status pl_system_zone_use(const char *name)
{
    (void)name;
    return PL_OK;
}

static bool to_civil(int64_t seconds, SYSTEMTIME *out)
{
    uint64_t ticks = (uint64_t)((seconds + EPOCH_S) * TICKS_PER_SEC);
    FILETIME t = { (DWORD)ticks, (DWORD)(ticks >> 32) };

    return seconds > -EPOCH_S &&
           seconds < INT64_MAX / TICKS_PER_SEC - EPOCH_S &&
           FileTimeToSystemTime(&t, out);
}

static bool to_seconds(const SYSTEMTIME *civil, int64_t *seconds)
{
    FILETIME t;

    if (!SystemTimeToFileTime(civil, &t))
        return false;
    *seconds = (int64_t)((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime) /
                   TICKS_PER_SEC -
               EPOCH_S;
    return true;
}

int32_t pl_system_zone_offset(int64_t seconds)
{
    TIME_ZONE_INFORMATION rules;
    SYSTEMTIME utc, local;
    int64_t shown;

    if (!to_civil(seconds, &utc) ||
        !GetTimeZoneInformationForYear(utc.wYear, NULL, &rules) ||
        !SystemTimeToTzSpecificLocalTime(&rules, &utc, &local) ||
        !to_seconds(&local, &shown))
        return 0;
    return (int32_t)(shown - seconds);
}

void pl_system_zone_name(char out[PL_ZONE_NAME])
{
    out[0] = '\0';
}

void pl_zone_names(void (*report)(void *context, const char *name),
                   void *context)
{
    (void)report;
    (void)context;
}
