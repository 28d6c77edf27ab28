/* Counts what logs hold. */
#include "analyze/workbook/hosts.h"

#include "analyze/input/host_log.h"

#include <stdlib.h>

static enum pl_status read_log(struct pl_xlsx_host *h,
                               const struct pl_host_log *log,
                               const struct pl_reader_options *options)
{
    struct pl_host_log_reader r;
    struct pl_item item;
    enum pl_status s = pl_host_log_start(&r, log, options);

    if (!s)
        pl_reader_outline(r.reader);
    while (!s && !(s = pl_host_log_next(&r, &item)))
        pl_log_counts_add(&h->counts, r.reader, &item);
    if (s == PL_END) {
        h->bytes = r.bytes_before + pl_reader_position(r.reader);
        h->live = pl_reader_is_live(r.reader);
        s = PL_OK;
    }
    pl_host_log_stop(&r);
    return s;
}

enum pl_status pl_xlsx_hosts_read(struct pl_xlsx_hosts *h, struct pl_query *e)
{
    enum pl_status s = PL_OK;

    h->num = e->logs.num;
    h->hosts = calloc(h->num + 1, sizeof *h->hosts);
    if (!h->hosts)
        return PL_NOMEM;
    for (size_t i = 0; i < h->num && !s; i++) {
        const struct pl_host_log *log = &e->logs.logs[i];

        h->hosts[i].name = log->host;
        s = read_log(&h->hosts[i], log, &e->plan->replay.reader);
        if (s)
            e->code = pl_say_status(log->paths[0], s, NULL);
    }
    return s;
}

void pl_xlsx_hosts_release(struct pl_xlsx_hosts *h)
{
    free(h->hosts);
    *h = (struct pl_xlsx_hosts){ 0 };
}
