/*                                              analyze/hosts/host_figures.h
 * What hosts are compared by, within the room.
 */
#ifndef PL_ANALYZE_HOSTS_HOST_FIGURES_H
#define PL_ANALYZE_HOSTS_HOST_FIGURES_H

#include "analyze/hosts/hosts.h"

struct pl_host_figure {
    const struct pl_group *group;
    uint32_t slot;
    uint32_t host; /* index in pl_hosts.hosts */
    double of[PL_HOST_STATISTICS];
};

/*
 * Compare the figures of all hosts, whose order becomes that of unlikeness.  Of
 * a series a host has at most one.  PL_NOMEM.
 */
enum pl_status pl_hosts_judge(struct pl_hosts *h);

#endif
