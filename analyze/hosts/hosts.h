/*                                                     analyze/hosts/hosts.h
 * Which of many hosts is unlike the others.
 *
 * A figure is the mean, or the 95th percentile, of a series over the rows of a
 * host.  Hosts are compared by each figure that half of them have, and three.
 * The distance of a host's figure is how far it is from the median of all, in
 * spreads; a spread is 1.4826 times the median of the distances from that median
 * (MAD), which is the standard deviation where figures are normally
 * distributed.  Less than half of the hosts cannot change either, however bad
 * they are.  Where more than half of the hosts have the same figure, the MAD is 0,
 * and a spread is 1.2533 times the mean of these distances.  (F.  R.  Hampel
 * 1974; B.  Iglewicz and D.  C.  Hoaglin 1993.)
 *
 * Percentages are compared as they are, all else by its logarithm, as rates and
 * sizes of hosts differ by factors.  A spread counts as no less than one percent
 * point, or a fifth, so that hosts that are all but equal stay so.
 *
 * A host is as unlike the others as the most unusual of its figures.
 *
 * Logs are read host after host; memory is about 100 bytes for each series of a
 * host that is compared, whatever the length of the logs.
 */
#ifndef PL_ANALYZE_HOSTS_HOSTS_H
#define PL_ANALYZE_HOSTS_HOSTS_H

#include "analyze/query/query.h"
#include "analyze/series/series_registry.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PL_HOSTS_FEWEST = 3, /* that can be compared */
    PL_HOST_REASONS = 3, /* kept of a host */
};

/* From that distance on a figure is unusual, even among some 10,000. */
#define PL_HOST_UNUSUAL 5.0

enum pl_host_statistic { PL_HOST_MEAN, PL_HOST_P95, PL_HOST_STATISTICS };
extern const char *const pl_host_statistic_names[PL_HOST_STATISTICS];

struct pl_host_reason {
    const struct pl_group *group;
    uint32_t slot;
    enum pl_host_statistic statistic;
    double value, median; /* the host's, and that of all hosts */
    double distance;      /* in spreads; negative: below the median */
};

struct pl_compared_host {
    const struct pl_host *host;
    /* the most unusual first, each of another series; none: none compared */
    struct pl_host_reason reasons[PL_HOST_REASONS];
    size_t num_reasons;
};

struct pl_host_figure;

struct pl_hosts {                   /* all zero at first */
    struct pl_compared_host *hosts; /* the most unlike first */
    size_t num, cap;
    size_t compared;             /* series */
    int64_t first_ns, last_ns;   /* row times of all */
    bool one_row;                /* is all that each has: figures are values */
    struct pl_registry registry; /* the names that were met */
    /* the rest is the module's own */
    struct pl_host_figure *figures;
    size_t num_figures, cap_figures;
};

/* Absolute distance of the most unusual figure; 0: none. */
double pl_host_unlikeness(const struct pl_compared_host *h);

/*
 * Read the window of the query's logs, host after host, and compare their hosts
 * by the series that its paths choose; without any by those that say how a
 * machine is.  The query is as before, and its pass is yet to begin; paths that
 * nothing matches are not reported.  PL_END: there are no rows; PL_NOMEM, or what
 * stopped reading.
 */
enum pl_status pl_hosts_gather(struct pl_hosts *h, struct pl_query *e);
void pl_hosts_release(struct pl_hosts *h);

/*
 * Let the query read only the logs of the first 'most' of these hosts, until
 * pl_hosts_release_logs, which ends its pass, too.  What gathering has lost of
 * all logs is what the query has lost.
 */
struct pl_hosts_restriction { /* all zero: none */
    size_t num_logs;
    struct pl_replay_losses losses;
    char *loss_path;
};

void pl_hosts_restrict(struct pl_hosts_restriction *r, const struct pl_hosts *h,
                       struct pl_query *e, size_t most);
void pl_hosts_release_logs(struct pl_hosts_restriction *r, struct pl_query *e);

#endif
