/* Reports that an output will be large, before most of it is written. */
#include "analyze/query/query.h"

#include "format/time/time_text.h"
#include "format/cli/message.h"

#include <stdio.h>

enum { SAMPLE_ROWS = 64 }; /* times from which the rest is estimated: a chunk */
#define LARGE_BYTES UINT64_C(500000000) /* more than spreadsheets open */

static uint64_t position(const struct pl_query *e)
{
    uint64_t at = 0;

    for (size_t i = 0; i < e->logs.num; i++)
        if (e->replays[i])
            at += pl_replay_position(e->replays[i]);
    return at;
}

void pl_query_size_begin(struct pl_query *e)
{
    const struct pl_time_range *w = &e->plan->replay.window;
    struct pl_output_size *o = &e->size;
    uint64_t interval;

    *o = (struct pl_output_size){ .is_awaited = false };
    if (e->has_parts || e->plan->quiet || e->plan->follow || !e->output.part ||
        pl_host_logs_is_stream(&e->logs) ||
        pl_host_logs_last_time(&e->logs, &o->last_ns, &interval))
        return;
    if (w->has_to && w->to_ns < o->last_ns)
        o->last_ns = w->to_ns;
    o->is_awaited = true;
}

/* What part of the rows is done: by their times, or by the bytes read if that is
 * more, as a log may be of hours that lie far apart. */
static double part_done(const struct pl_query *e)
{
    const struct pl_output_size *o = &e->size;
    double times = (double)(o->last_ns - o->first_ns);
    double bytes = (double)(e->total_bytes - o->begun_at);
    /* The log's last time is not its greatest if the clock was set back. */
    double of_times =
        times > 0 ? (double)(e->last_ns - o->first_ns) / times : 0;
    double of_bytes =
        bytes > 0 ? (double)(position(e) - o->begun_at) / bytes : 0;
    double part = of_times > of_bytes ? of_times : of_bytes;

    return part > 0 && part < 1 ? part : 1;
}

void pl_query_size_say(struct pl_query *e, double bytes)
{
    char text[PL_SIZE_TEXT];

    if (e->plan->quiet || !e->output.part || !(bytes >= (double)LARGE_BYTES))
        return;
    pl_progress_end(&e->progress);
    pl_say("%s: about %s will be written; to write less, give --every, --from "
           "and --to, "
           "-c or --top",
           e->plan->output,
           pl_size_text(bytes < 1e18 ? (uint64_t)bytes : UINT64_MAX, text));
}

void pl_query_size_look(struct pl_query *e)
{
    struct pl_output_size *o = &e->size;
    double bytes;
    long written;

    if (!o->is_awaited)
        return;
    if (e->rows == 1) {
        o->first_ns = e->first_ns;
        o->begun_at = position(e);
    }
    if (e->rows < SAMPLE_ROWS)
        return;
    o->is_awaited = false;
    written = ftell(e->output.f);
    bytes = written < 0 ? 0 : (double)written + (double)e->csv.out.len;
    pl_query_size_say(e, bytes / part_done(e));
}
