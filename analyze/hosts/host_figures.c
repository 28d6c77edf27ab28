/* Figures of each host, from its rows. */
#include "analyze/hosts/host_figures.h"

#include "analyze/stats/stats.h"
#include "format/base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How a machine is, by Windows' names and Linux'. */
static const char *const usual_paths[] = {
    "\\Processor(_Total)\\% Processor Time",
    "\\Processor(_Total)\\% Privileged Time",
    "\\Processor(_Total)\\% Interrupt Time",
    "\\Processor(_Total)\\% Steal Time",
    "\\System\\Processor Queue Length",
    "\\System\\Context Switches/sec",
    "\\System\\Processes",
    "\\System\\Threads Created/sec",
    "\\Pressure Stall(*)\\% Some Stalled",
    "\\Memory\\% In Use",
    "\\Memory\\Available Bytes",
    "\\Memory\\Committed Bytes",
    "\\Memory\\Page Faults/sec",
    "\\Memory\\Pages/sec",
    "\\Paging File(_Total)\\% Usage",
    "\\PhysicalDisk(_Total)\\% Busy Time",
    "\\PhysicalDisk(_Total)\\% Disk Time",
    "\\PhysicalDisk(_Total)\\Avg. Disk Queue Length",
    "\\PhysicalDisk(_Total)\\Avg. Disk sec/Read",
    "\\PhysicalDisk(_Total)\\Avg. Disk sec/Write",
    "\\PhysicalDisk(_Total)\\Avg. Disk sec/Transfer",
    "\\PhysicalDisk(_Total)\\Disk Read Bytes/sec",
    "\\PhysicalDisk(_Total)\\Disk Write Bytes/sec",
    "\\PhysicalDisk(_Total)\\Disk Transfers/sec",
    "\\PhysicalDisk(_Total)\\Flushes/sec",
    "\\LogicalDisk(*)\\% Free Space",
    "\\Network Interface(*)\\Bytes Received/sec",
    "\\Network Interface(*)\\Bytes Sent/sec",
    "\\Network Interface(*)\\Packets/sec",
    "\\Network Interface(*)\\Receive Errors/sec",
    "\\Network Interface(*)\\Receive Drops/sec",
    "\\Network Interface(*)\\Transmit Errors/sec",
    "\\TCPv4\\Connections Established",
    "\\TCPv4\\Segments Retransmitted/sec",
    "\\TCP Extensions\\Listen Overflows/sec",
    "\\UDPv4\\Receive Buffer Errors/sec",
};

static enum pl_status usual_series(struct pl_counter_path_list *list)
{
    const char *why;
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < sizeof usual_paths / sizeof *usual_paths && !s; i++)
        s = pl_counter_path_list_add(list, usual_paths[i], &why);
    return s;
}

/* ---- a host ------------------------------------------------------------------ */

struct pass {
    struct pl_hosts *hosts;
    struct pl_stats stats; /* of the current host */
    const struct pl_host *host;
    bool any;                 /* row so far, of any host */
    uint64_t rows, most_rows; /* of the current host; of any */
};

static enum pl_status take_row(struct pl_query *e, void *ctx,
                               const struct pl_row *row)
{
    struct pass *p = ctx;
    struct pl_hosts *h = p->hosts;

    (void)e;
    if (!p->any)
        h->first_ns = h->last_ns = row->time_ns;
    p->any = true;
    p->host = row->host;
    h->first_ns = row->time_ns < h->first_ns ? row->time_ns : h->first_ns;
    h->last_ns = row->time_ns > h->last_ns ? row->time_ns : h->last_ns;
    p->rows++;
    return pl_stats_add(&p->stats, row);
}

static enum pl_status add_figure(struct pl_hosts *h, struct pl_stat *s)
{
    struct pl_host_figure *f;

    if (!pl_array_grow((void **)&h->figures, &h->cap_figures, h->num_figures,
                       sizeof *h->figures))
        return PL_NOMEM;
    f = &h->figures[h->num_figures++];
    *f = (struct pl_host_figure){
        .group = s->group,
        .slot = s->slot,
        .host = (uint32_t)(h->num - 1),
        .of = { pl_stat_mean(s), pl_percentiles_at(&s->quantiles, 95).value },
    };
    return PL_OK;
}

/* States and identifiers are no more or less than those of others. */
static bool has_figure(const struct pl_stat *s)
{
    return s->num && !s->group->object->counters[s->slot].is_code;
}

/* A host may have several logs, one after the other. */
static enum pl_status end_host(struct pl_query *e, void *ctx, bool ended)
{
    struct pass *p = ctx;
    struct pl_hosts *h = p->hosts;
    enum pl_status s = PL_OK;

    (void)e;
    (void)ended;
    p->most_rows = p->rows > p->most_rows ? p->rows : p->most_rows;
    p->rows = 0;
    if (!p->host)
        return PL_OK;
    if (!pl_array_grow((void **)&h->hosts, &h->cap, h->num, sizeof *h->hosts))
        s = PL_NOMEM;
    else
        h->hosts[h->num++] = (struct pl_compared_host){ .host = p->host };
    p->host = NULL;
    for (size_t i = 0; i < p->stats.num && !s; i++)
        if (has_figure(&p->stats.stats[i]))
            s = add_figure(h, &p->stats.stats[i]);
    pl_stats_release(&p->stats);
    return s;
}

/* ---- all hosts ---------------------------------------------------------------- */

static enum pl_status read_hosts(struct pl_hosts *h, struct pl_query *e)
{
    struct pass p = { .hosts = h };
    const struct pl_host_rows rows = { take_row, end_host, &p };
    enum pl_status s = pl_query_rows_by_host(e, &rows);

    pl_stats_release(&p.stats);
    h->one_row = p.most_rows == 1;
    return !s && !e->rows ? PL_END : s;
}

/* The plan of a pass that only this module has. */
static struct pl_query_plan plan_of(const struct pl_query *e,
                                    struct pl_hosts *h,
                                    const struct pl_counter_path_list *usual)
{
    static const struct pl_layout layout = { .name = "hosts",
                                             .numbers_only = true,
                                             .keeps_names = true };
    struct pl_query_plan p = *e->plan;

    p.layout = &layout;
    p.group = NULL;
    p.identity = false;
    p.replay.registry = &h->registry;
    p.replay.numbers_only = true;
    p.replay.want_absent = false;
    p.replay.sparse = (struct pl_sparse_object){ 0 };
    if (!p.paths.num)
        p.replay.choice = (struct pl_series_filter){ .paths = usual };
    return p;
}

enum pl_status pl_hosts_gather(struct pl_hosts *h, struct pl_query *e)
{
    struct pl_counter_path_list usual = { 0 };
    struct pl_query_plan *before = e->plan, plan;
    enum pl_status s = usual_series(&usual);

    plan = plan_of(e, h, &usual);
    e->plan = &plan;
    if (!s)
        s = read_hosts(h, e);
    e->plan = before;
    if (!s)
        s = pl_hosts_judge(h);
    pl_counter_path_list_release(&usual);
    return s;
}

static bool is_of(const struct pl_host_log *log, const struct pl_host *host)
{
    /* a file that is cut in its head does not say whose it is */
    return log->host && !strcmp(log->host, host->own_name) &&
           log->machine_hash == host->machine_hash;
}

void pl_hosts_restrict(struct pl_hosts_restriction *r, const struct pl_hosts *h,
                       struct pl_query *e, size_t most)
{
    struct pl_host_logs *t = &e->logs;
    size_t num = 0;

    if (h->num <= most)
        return;
    *r = (struct pl_hosts_restriction){ t->num, e->losses, e->loss_path };
    e->losses = (struct pl_replay_losses){ 0 };
    e->loss_path = NULL;
    for (size_t k = 0; k < most; k++)
        for (size_t i = num; i < t->num; i++)
            if (is_of(&t->logs[i], h->hosts[k].host)) {
                struct pl_host_log log = t->logs[i];

                t->logs[i] = t->logs[num];
                t->logs[num++] = log;
                break;
            }
    t->num = num;
}

void pl_hosts_release_logs(struct pl_hosts_restriction *r, struct pl_query *e)
{
    if (!r->num_logs)
        return;
    pl_query_stop(e);
    free(e->loss_path);
    e->logs.num = r->num_logs;
    e->losses = r->losses;
    e->loss_path = r->loss_path;
    *r = (struct pl_hosts_restriction){ 0 };
}
