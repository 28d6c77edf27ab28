/* A row on the time axis. */
#include "analyze/replay/replay.h"

#include "format/time/time_text.h"

#define LONGEST (366 * PL_NS_PER_DAY)

/* Logs are untrusted: an impossible interval is taken as none. */
static bool is_possible(uint64_t interval_ns)
{
    return interval_ns && interval_ns <= (uint64_t)LONGEST;
}

int64_t pl_row_time(int64_t utc_ns, uint64_t interval_ns)
{
    int64_t interval = PL_NS_PER_MS, slack = 0, rest;

    if (is_possible(interval_ns)) {
        interval = (int64_t)interval_ns;
        slack = interval / 10 < PL_NS_PER_MS ? interval / 10 : PL_NS_PER_MS;
    }
    /* So is an impossible time. */
    if (utc_ns > INT64_MAX - LONGEST || utc_ns < INT64_MIN + LONGEST)
        return utc_ns;
    rest = (utc_ns + slack) % interval;
    return utc_ns + slack - (rest < 0 ? rest + interval : rest);
}

bool pl_row_times_are_whole(uint64_t interval_ns)
{
    return is_possible(interval_ns) && !(interval_ns % PL_NS_PER_SEC);
}
