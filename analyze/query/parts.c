/* Threads that make parts of the rows, and the order in which these are written. */
#include "analyze/query/parts.h"

#include "format/base/buf.h"
#include "format/threads/thread.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_ROWS = 16, /* from which the size of the others is estimated */
    LAST_ROWS = 8,   /* left to the one thread, as a log may grow */
    MAX_ROWS = 4096,
    TURNS = 8,           /* parts for each thread, at least */
    LEAST_LOG = 1 << 16, /* bytes of logs for each part */
};

/* Rows, complete up to a time. */
struct piece {
    struct pl_buf bytes;
    uint64_t rows;
    int64_t to_ns;
    bool last;     /* of its part */
    bool is_whole; /* nothing unusual; else it is to be made again */
};

/* The times at which parts end: 'first', 'first' + 'length' ... */
struct cuts {
    int64_t first_ns, length_ns;
    size_t num; /* parts after the first time */
};

struct worker {
    struct pl_thread *thread; /* NULL: it has not been started */
    struct pl_query part;
    struct pl_query_plan plan;
    const struct pl_query *whole;
    const struct pl_part_layout *layout;
    void *state;
    struct cuts cuts;
    size_t first, step; /* it makes part 'first', 'first' + 'step' ... */
    struct row_end {
        size_t at; /* in the csv's bytes; 0: there is no row yet */
        uint64_t rows;
        int64_t time_ns;
    } last;            /* of the last row, while the next one is made */
    struct piece made; /* being written */
    /* with the thread's lock: */
    struct piece ready;
    bool is_ready, is_stopped;
};

/* ---- within a thread ----------------------------------------------------- */

/* The piece is what the csv has up to 'end'; what is behind it stays there. */
static void take_rows(struct worker *w, const struct row_end *end, bool last,
                      bool is_whole)
{
    struct pl_csv *csv = &w->part.csv;
    struct pl_buf rest = w->made.bytes;

    pl_buf_clear(&rest);
    pl_buf_bytes(&rest, csv->out.p + end->at, csv->out.len - end->at);
    w->made = (struct piece){ csv->out, end->rows, end->time_ns, last,
                              is_whole && !csv->out.oom && !rest.oom };
    w->made.bytes.len = end->at;
    csv->out = rest;
    csv->row = rest.len;
    csv->rows -= end->rows;
    w->last = (struct row_end){ 0 };
}

/* Hand over what was made when the piece before has been taken. */
static enum pl_status hand_over(struct worker *w)
{
    bool stopped;

    pl_thread_lock(w->thread);
    while (w->is_ready && !w->is_stopped)
        pl_thread_wait(w->thread);
    stopped = w->is_stopped;
    if (!stopped) {
        struct piece empty = w->ready;

        w->ready = w->made;
        w->made = empty;
        w->is_ready = true;
        pl_thread_wake(w->thread);
    }
    pl_thread_unlock(w->thread);
    return stopped ? PL_END : PL_OK;
}

static bool has_losses(const struct pl_replay_losses *l)
{
    return l->damaged_ranges || l->unreachable || l->too_large ||
           l->malformed || l->overfull || l->too_new || l->holes;
}

/* True if the rows so far are those that the whole query would write. */
static bool is_usual(const struct worker *w)
{
    const struct pl_query *e = &w->part;

    for (size_t i = 0; i < e->logs.num; i++)
        if (!e->replays[i] || has_losses(pl_replay_losses(e->replays[i])))
            return false;
    return w->plan.time.milliseconds == w->whole->plan->time.milliseconds &&
           e->registry.num_hosts == w->whole->registry.num_hosts &&
           (!w->layout->is_whole || w->layout->is_whole(w->state));
}

/* After the last of them: true if none of the part can follow. */
static bool is_whole(const struct worker *w)
{
    for (size_t i = 0; i < w->part.logs.num; i++)
        if (!pl_replay_is_whole(w->part.replays[i]))
            return false;
    return true;
}

static bool is_past(const struct worker *w, int64_t time_ns)
{
    for (size_t i = 0; i < w->part.logs.num; i++)
        if (!pl_replay_is_past(w->part.replays[i], time_ns))
            return false;
    return true;
}

static enum pl_status take_row(struct pl_query *e, void *ctx,
                               const struct pl_row *row)
{
    struct worker *w = ctx;

    return w->layout->take(e, w->state, row);
}

/*
 * A piece that is large does not grow further: it ends with the row before the
 * last, of 'last_ns', which neither that nor a sample after it may precede.
 */
static enum pl_status end_piece(struct worker *w, int64_t last_ns)
{
    const struct row_end end = w->last;

    if (!end.at || end.time_ns >= last_ns || !is_usual(w) ||
        !is_past(w, end.time_ns))
        return PL_UNSUPPORTED;
    take_rows(w, &end, false, true);
    return hand_over(w);
}

/* After the rows of a time. */
static enum pl_status end_row(struct pl_query *e, void *ctx, int64_t time_ns)
{
    struct worker *w = ctx;
    enum pl_status s =
        w->layout->end ? w->layout->end(e, w->state, time_ns) : PL_OK;

    if (!s && w->thread && w->last.at >= PL_PART_BYTES)
        s = end_piece(w, time_ns);
    w->last = (struct row_end){ e->csv.out.len, e->csv.rows, time_ns };
    return s;
}

/* Make the rows up to 'to_ns', after 'from_ns' unless it is the first part. */
static void make_part(struct worker *w, bool first, int64_t from_ns,
                      int64_t to_ns)
{
    const struct pl_rows rows = { take_row, end_row, w };
    struct pl_time_range *window = &w->plan.replay.window;
    enum pl_status s;

    w->plan.replay.has_earlier = !first;
    if (!first) {
        window->has_from = true;
        window->from_ns = from_ns;
    }
    window->has_to = true;
    window->to_ns = to_ns;
    s = pl_query_begin(&w->part);
    if (!s)
        s = pl_query_rows(&w->part, &rows);
    w->last = (struct row_end){ w->part.csv.out.len, w->part.csv.rows, to_ns };
    take_rows(w, &w->last, true, !s && is_usual(w) && is_whole(w));
    pl_query_stop(&w->part);
}

static int64_t cut_at(const struct cuts *c, size_t i)
{
    return c->first_ns + (int64_t)i * c->length_ns;
}

static void run(void *arg)
{
    struct worker *w = arg;

    for (size_t i = w->first; i < w->cuts.num; i += w->step) {
        bool goes_on;

        make_part(w, false, cut_at(&w->cuts, i), cut_at(&w->cuts, i + 1));
        goes_on = w->made.is_whole;
        if (hand_over(w) || !goes_on)
            break;
    }
}

/* ---- workers ------------------------------------------------------------- */

static enum pl_status begin(struct worker *w, const struct pl_query *e,
                            const struct pl_part_layout *layout)
{
    struct pl_csv_style style = e->csv.style;
    enum pl_status s;

    w->whole = e;
    w->layout = layout;
    w->plan = *e->plan;
    w->plan.quiet = true;
    w->plan.jobs = 0;
    w->plan.replay.registry = &w->part.registry;
    w->plan.replay.has_later = true;
    w->plan.replay.choice.matched =
        calloc(e->plan->paths.num + 1, sizeof(bool));
    w->part.is_part = true;
    w->part.plan = &w->plan;
    w->part.logs = e->logs;
    w->part.replays = calloc(e->logs.num, sizeof *w->part.replays);
    w->state = calloc(1, layout->size);
    style.bom = false; /* it is written already */
    pl_csv_init(&w->part.csv, &style, NULL, NULL);
    s = w->plan.replay.choice.matched && w->part.replays && w->state
            ? pl_registry_copy(&w->part.registry, &e->registry)
            : PL_NOMEM;
    return s ? s : layout->begin(&w->part, w->state, layout->whole);
}

static void note_matched(const struct worker *w, const struct pl_query *e)
{
    for (size_t i = 0; w->plan.replay.choice.matched && i < e->plan->paths.num;
         i++)
        e->plan->replay.choice.matched[i] |= w->plan.replay.choice.matched[i];
}

static void stop(struct worker *w)
{
    if (!w->thread)
        return;
    pl_thread_lock(w->thread);
    w->is_stopped = true;
    pl_thread_wake(w->thread);
    pl_thread_unlock(w->thread);
    pl_thread_join(w->thread);
    w->thread = NULL;
}

static void release(struct worker *w)
{
    if (w->state)
        w->layout->release(w->state);
    free(w->state);
    pl_csv_release(&w->part.csv);
    pl_registry_release(&w->part.registry);
    free(w->part.loss_path);
    free(w->part.replays);
    free(w->plan.replay.choice.matched);
    pl_buf_release(&w->made.bytes);
    pl_buf_release(&w->ready.bytes);
}

/* ---- in order ------------------------------------------------------------ */

/* The rows of the parts that are written: up to which time. */
struct written {
    int64_t to_ns;
    bool any;
};

static enum pl_status write_piece(struct pl_query *e, const struct piece *p,
                                  struct written *w)
{
    enum pl_status s = pl_csv_rows(&e->csv, p->bytes.p, p->bytes.len, p->rows);

    w->to_ns = p->to_ns;
    w->any = true;
    return s;
}

/* Exchange 'empty' for the worker's next piece. */
static void take_piece(struct worker *w, struct piece *piece)
{
    struct piece empty = *piece;

    pl_thread_lock(w->thread);
    while (!w->is_ready)
        pl_thread_wait(w->thread);
    *piece = w->ready;
    pl_buf_clear(&empty.bytes);
    w->ready = empty;
    w->is_ready = false;
    pl_thread_wake(w->thread);
    pl_thread_unlock(w->thread);
}

/* Write all parts, as far as they are whole. */
static enum pl_status write_parts(struct pl_query *e, struct worker *workers,
                                  const struct cuts *cuts, struct written *to)
{
    struct piece piece = { .is_whole = true };
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < cuts->num && !s && piece.is_whole; i++) {
        do {
            take_piece(&workers[i % e->plan->jobs], &piece);
            if (piece.is_whole)
                s = write_piece(e, &piece, to);
        } while (!s && piece.is_whole && !piece.last);
        pl_progress_at(&e->progress, e->total_bytes / cuts->num * i);
    }
    pl_buf_release(&piece.bytes);
    return s;
}

static enum pl_status make_parts(struct pl_query *e, struct worker *workers,
                                 const struct cuts *cuts,
                                 const struct piece *first, struct written *to)
{
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < e->plan->jobs && !s; i++) {
        workers[i].cuts = *cuts;
        workers[i].first = i;
        workers[i].step = e->plan->jobs;
        if (pl_thread_start(&workers[i].thread, run, &workers[i])) {
            workers[i].thread = NULL;
            s = PL_END;
        }
    }
    if (!s)
        s = write_piece(e, first, to);
    if (!s)
        s = write_parts(e, workers, cuts, to);
    PL_KEEP_ERRNO;
    for (size_t i = 0; i < e->plan->jobs; i++)
        stop(&workers[i]);
    return s;
}

/* ---- where to cut -------------------------------------------------------- */

/* Rows that threads can make: of files, from readers that begin anywhere. */
static bool can_have_parts(const struct pl_query *e)
{
    const struct pl_query_plan *p = e->plan;

    if (p->jobs < 2 || p->follow || p->every.ns || p->group || p->split ||
        p->identity || p->replay.window.in_file || pl_query_measures(e) ||
        pl_host_logs_is_stream(&e->logs))
        return false;
    for (size_t i = 0; i < e->logs.num; i++) {
        const struct pl_host_log *t = &e->logs.logs[i];

        if (t->imported || t->titles_made_up)
            return false;
        for (size_t k = 0; k < t->num_paths; k++)
            if (t->foreign[k].file)
                return false;
    }
    return true;
}

/* The rows to be expected: at equal distances, the times included. */
struct span {
    int64_t first_ns, last_ns, interval_ns; /* interval 0: not known */
    uint64_t rows;
};

static int64_t longest_interval(const struct pl_query *e)
{
    uint64_t longest = 0;

    for (size_t i = 0; i < e->logs.num; i++)
        if (pl_replay_interval(e->replays[i]) > longest)
            longest = pl_replay_interval(e->replays[i]);
    return longest < INT64_MAX / 4 / MAX_ROWS ? (int64_t)longest : 0;
}

/* Times are untrusted: differences of these, and a part more, fit. */
static bool are_times(int64_t first_ns, int64_t last_ns)
{
    return first_ns > INT64_MIN / 4 && last_ns < INT64_MAX / 4 &&
           first_ns < last_ns;
}

static struct span span_of(const struct pl_query *e, int64_t first_ns)
{
    const struct pl_time_range *w = &e->plan->replay.window;
    struct span all = { first_ns, e->last_ns, longest_interval(e), 0 };

    if (w->has_to && w->to_ns < all.last_ns)
        all.last_ns = w->to_ns;
    if (all.interval_ns && are_times(all.first_ns, all.last_ns))
        all.rows =
            (uint64_t)((all.last_ns - all.first_ns) / all.interval_ns) + 1;
    return all;
}

/* Rows that a part is to have, of 'rows' that take 'bytes' for each. */
static uint64_t rows_of_part(const struct pl_query *e, uint64_t rows,
                             uint64_t bytes)
{
    const uint64_t parts = e->total_bytes / LEAST_LOG + 1;
    uint64_t n = PL_PART_BYTES / (bytes + 1);

    if (n > rows / (TURNS * e->plan->jobs))
        n = rows / (TURNS * e->plan->jobs);
    if (n > MAX_ROWS)
        n = MAX_ROWS;
    if (n < PL_PART_ROWS)
        n = PL_PART_ROWS;
    return n < rows / parts ? rows / parts : n;
}

/* Equal parts, as many for each thread; the last ends before the rows do. */
static struct cuts cuts_of(const struct pl_query *e, const struct span *all,
                           uint64_t bytes)
{
    const uint64_t rows = all->rows - FIRST_ROWS - LAST_ROWS;
    const uint64_t each = rows_of_part(e, rows, bytes);
    uint64_t num = (rows + each - 1) / each;

    num = (num + e->plan->jobs - 1) / e->plan->jobs * e->plan->jobs;
    if (num > rows)
        num = rows;
    return (struct cuts){ all->first_ns + (FIRST_ROWS - 1) * all->interval_ns,
                          (int64_t)(rows / num) * all->interval_ns,
                          (size_t)num };
}

/* ---- all of it ----------------------------------------------------------- */

/*
 * A thread's work before there are threads: the first rows, from whose size that
 * of all is estimated.  PL_END: they have something unusual.
 */
static enum pl_status make_first(struct pl_query *e, struct worker *w,
                                 const struct span *all, struct piece *first,
                                 struct cuts *cuts)
{
    uint64_t bytes;

    make_part(w, true, 0, all->first_ns + (FIRST_ROWS - 1) * all->interval_ns);
    *first = w->made;
    w->made = (struct piece){ .rows = 0 };
    if (!first->is_whole)
        return PL_END;
    bytes = first->bytes.len / FIRST_ROWS;
    *cuts = cuts_of(e, all, bytes);
    pl_query_size_say(e, (double)bytes * (double)all->rows);
    return PL_OK;
}

/* PL_END: the rest is to be done by one thread. */
static enum pl_status make_rows(struct pl_query *e, struct worker *workers,
                                const struct pl_part_layout *layout,
                                const struct span *all, struct written *to)
{
    struct piece first = { .rows = 0 };
    struct cuts cuts;
    enum pl_status s;

    for (size_t i = 0; i < e->plan->jobs; i++)
        if (begin(&workers[i], e, layout))
            return PL_END;
    s = make_first(e, &workers[0], all, &first, &cuts);
    if (!s)
        s = make_parts(e, workers, &cuts, &first, to);
    pl_buf_release(&first.bytes);
    return s;
}

static enum pl_status do_parts(struct pl_query *e,
                               const struct pl_part_layout *layout,
                               const struct span *all, struct written *to)
{
    struct worker *workers = calloc(e->plan->jobs, sizeof *workers);
    enum pl_status s;

    if (!workers)
        return PL_OK;
    pl_progress_start(&e->progress, pl_query_doing(e), e->total_bytes,
                      e->plan->quiet);
    s = make_rows(e, workers, layout, all, to);
    PL_KEEP_ERRNO;
    for (size_t i = 0; i < e->plan->jobs; i++) {
        note_matched(&workers[i], e);
        release(&workers[i]);
    }
    free(workers);
    pl_progress_end(&e->progress);
    return s == PL_END ? PL_OK : s;
}

/* The rows after those that are written, by this thread. */
static enum pl_status do_rest(struct pl_query *e, const struct pl_rows *to,
                              const struct written *written)
{
    struct pl_replay_options *o = &e->plan->replay;
    const struct pl_time_range whole = o->window;
    enum pl_status s;

    if (written->any) {
        o->window.has_from = o->has_earlier = true;
        o->window.from_ns = written->to_ns;
    }
    s = pl_query_begin(e);
    if (!s)
        s = pl_query_rows(e, to);
    o->window = whole;
    o->has_earlier = false;
    return s;
}

enum pl_status pl_query_rows_by_parts(struct pl_query *e,
                                      const struct pl_rows *to,
                                      const struct pl_part_layout *layout)
{
    struct written written = { 0 };
    struct span all = { 0 };
    int64_t first_ns;
    enum pl_status s;

    if (!can_have_parts(e))
        return pl_query_rows(e, to);
    s = pl_query_next_time(e, &first_ns);
    if (s && s != PL_END)
        return s;
    if (!s)
        all = span_of(e, first_ns);
    if (all.rows < 2 * PL_PART_ROWS)
        return pl_query_rows(e, to);
    pl_query_stop(e);
    e->has_parts = true;
    s = do_parts(e, layout, &all, &written);
    if (!s)
        s = do_rest(e, to, &written);
    e->has_parts = false;
    return s;
}
