/* A row on the time axis. */
#include "analyze/replay/replay.h"

#include "format/time/time_text.h"

int64_t pl_row_time(int64_t utc_ns, uint64_t interval_ns)
{
    const int64_t longest = 366 * INT64_C(86400) * PL_NS_PER_SEC;
    int64_t interval = PL_NS_PER_MS, slack = 0, rest;

    /* Logs are untrusted: an impossible interval or time is taken as none. */
    if (interval_ns && interval_ns <= (uint64_t)longest) {
        interval = (int64_t)interval_ns;
        slack = interval / 10 < PL_NS_PER_MS ? interval / 10 : PL_NS_PER_MS;
    }
    if (utc_ns > INT64_MAX - longest || utc_ns < INT64_MIN + longest)
        return utc_ns;
    rest = (utc_ns + slack) % interval;
    return utc_ns + slack - (rest < 0 ? rest + interval : rest);
}
