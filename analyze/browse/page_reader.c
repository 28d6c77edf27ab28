/* Finds samples, and makes moments of them. */
#include "analyze/browse/page_reader.h"

#include "analyze/moment/top.h"
#include "format/time/time_text.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Names of all processes that were read are kept, so after so many samples
 * reading begins again.
 */
enum { MOST_SAMPLES = 2000 };

/* ---- sources ------------------------------------------------------------- */

static void stop(struct pl_page_reader *r, struct pl_page_source *source)
{
    if (source->replay) {
        const struct pl_replay_losses *l = pl_replay_losses(source->replay);

        r->damaged |= l->damaged_ranges || l->unreachable || l->malformed ||
                      l->overfull || l->holes;
        r->too_new |= l->too_new != 0;
    }
    pl_replay_stop(source->replay);
    if (source->registry)
        pl_registry_release(source->registry);
    free(source->registry);
    *source = (struct pl_page_source){ 0 };
}

static enum pl_status start_reading(struct pl_page_reader *r,
                                    struct pl_page_source *source,
                                    const struct pl_time_range *window,
                                    bool names_only)
{
    struct pl_replay_options o = {
        .choice = { .paths = &r->paths, .matched = r->matched },
        .window = *window,
        .keep = true,
        .want_steps = !names_only,
        .identities = r->sort && !names_only,
        .names_only = names_only,
        .key_rows = r->key_rows && !names_only,
        .watch = names_only ? NULL : r->watch,
        .watch_ctx = r->watch_ctx,
        .reader = { .max_block = r->max_block },
    };
    enum pl_status s;

    *source = (struct pl_page_source){ 0 };
    source->registry = calloc(1, sizeof *source->registry);
    if (!source->registry)
        return PL_NOMEM;
    o.registry = source->registry;
    s = pl_replay_start(&source->replay, r->log, &o);
    if (s)
        stop(r, source);
    return s;
}

static struct pl_time_range from(int64_t from_ns)
{
    return (struct pl_time_range){ .has_from = from_ns > INT64_MIN,
                                   .from_ns = pl_just_before(from_ns),
                                   .in_file = true,
                                   .or_elsewhere = from_ns > INT64_MIN };
}

static struct pl_time_range between(int64_t from_ns, int64_t to_ns)
{
    struct pl_time_range window = from(from_ns);

    window.has_to = true;
    window.to_ns = to_ns;
    return window;
}

/* ---- moments ------------------------------------------------------------- */

static enum pl_status take_cells(void *ctx, const struct pl_row *row)
{
    struct pl_moment *m = ctx;
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < row->num_cells && !s; i++)
        s = pl_moment_add(m, &row->cells[i]);
    return s;
}

static void begin_moment(struct pl_page_reader *r, const struct pl_row *row)
{
    pl_moment_clear(&r->moment);
    r->moment.num_states = r->moment.num_spans = 0;
    r->moment.slots = (struct pl_moment_slots){ 0 };
    r->moment.host = row->host;
    for (size_t i = 0; i < row->num_cells; i++)
        row->cells[i].group->score = (struct pl_score){ 0 };
}

/* What 'perflog top' makes of a window of one sample. */
static enum pl_status make_moment(struct pl_page_reader *r,
                                  struct pl_registry *registry,
                                  const struct pl_row *row)
{
    enum pl_status s;

    begin_moment(r, row);
    r->sums.registry = registry;
    r->sums.open = true;
    r->sums.start_ns = pl_just_before(row->time_ns);
    r->sums.end_ns = row->time_ns;
    s = pl_moment_note(&r->moment, row);
    if (!s)
        s = pl_interval_sums_add(&r->sums, row);
    if (!s)
        s = pl_interval_sums_close(&r->sums, take_cells, &r->moment);
    pl_interval_sums_clear(&r->sums);
    if (!s)
        pl_moment_rank(&r->moment);
    return s;
}

static enum pl_status read_row(struct pl_page_reader *r,
                               struct pl_page_source *source)
{
    struct pl_row row;
    int64_t time_ns;
    enum pl_status s = pl_replay_peek(source->replay, &time_ns);

    if (s)
        return s;
    source->samples++;
    s = pl_replay_row(source->replay, &row);
    r->there = false;
    if (!s && row.host)
        s = make_moment(r, source->registry, &row);
    r->there = !s;
    r->time_ns = row.time_ns;
    r->older_ns = row.older_ns;
    r->interval_ns = row.interval_ns;
    r->place = (struct pl_page_place){ row.session, row.seq };
    r->older = (struct pl_page_place){ row.older_session, row.older_seq };
    return s;
}

/* ---- one sample, or another ---------------------------------------------- */

/* Its row becomes the current sample, from which reading goes on there. */
static enum pl_status take(struct pl_page_reader *r,
                           struct pl_page_source *source)
{
    enum pl_status s = read_row(r, source);

    if (s) {
        stop(r, source);
        return s;
    }
    stop(r, &r->source);
    r->source = *source;
    return PL_OK;
}

/* What follows its first sample is read whatever its time. */
static enum pl_status take_first(struct pl_page_reader *r,
                                 const struct pl_time_range *window)
{
    struct pl_page_source source;
    enum pl_status s = start_reading(r, &source, window, false);

    if (!s)
        s = take(r, &source);
    if (!s)
        pl_replay_go_on(r->source.replay);
    return s;
}

enum pl_status pl_page_reader_at(struct pl_page_reader *r, int64_t time_ns)
{
    const struct pl_time_range window = from(time_ns);

    return take_first(r, &window);
}

enum pl_status pl_page_reader_between(struct pl_page_reader *r, int64_t from_ns,
                                      int64_t to_ns)
{
    const struct pl_time_range window = between(from_ns, to_ns);

    return take_first(r, &window);
}

/* Go on to the row that is at a place. */
static enum pl_status find_place(struct pl_replay *replay,
                                 struct pl_page_place place)
{
    enum pl_status s = PL_OK;

    while (!s) {
        struct pl_row row;
        int64_t time_ns;

        s = pl_replay_peek(replay, &time_ns);
        if (!s && pl_replay_is_at(replay, place.session, place.seq))
            break;
        if (!s)
            s = pl_replay_row(replay, &row);
    }
    return s;
}

/* Begin a source at such a row of this time, 'in_file' as in pl_time_range. */
static enum pl_status start_searching(struct pl_page_reader *r,
                                      struct pl_page_source *source,
                                      int64_t time_ns,
                                      struct pl_page_place place, bool in_file)
{
    struct pl_time_range window = between(time_ns, time_ns);
    enum pl_status s;

    window.in_file = in_file;
    window.or_elsewhere = false;
    s = start_reading(r, source, &window, false);
    if (s)
        return s;
    s = find_place(source->replay, place);
    if (s)
        stop(r, source);
    else
        pl_replay_go_on(source->replay);
    return s;
}

/* A clock that was set back may have left it in another file. */
static enum pl_status start_at_place(struct pl_page_reader *r,
                                     struct pl_page_source *source,
                                     int64_t time_ns,
                                     struct pl_page_place place)
{
    enum pl_status s = start_searching(r, source, time_ns, place, true);

    if (s == PL_END && r->log->num_paths > 1)
        s = start_searching(r, source, time_ns, place, false);
    return s;
}

enum pl_status pl_page_reader_at_place(struct pl_page_reader *r,
                                       int64_t time_ns,
                                       struct pl_page_place place)
{
    struct pl_page_source source;
    enum pl_status s = start_at_place(r, &source, time_ns, place);

    return s ? s : take(r, &source);
}

/* The same, where reading begins again. */
static enum pl_status next_of_place(struct pl_page_reader *r)
{
    struct pl_page_source source;
    struct pl_row row;
    enum pl_status s = start_at_place(r, &source, r->time_ns, r->place);

    if (s)
        return s;
    s = pl_replay_row(source.replay, &row);
    if (!s)
        return take(r, &source);
    stop(r, &source);
    return s;
}

enum pl_status pl_page_reader_next(struct pl_page_reader *r)
{
    if (!r->source.replay)
        return pl_page_reader_at(r, INT64_MIN);
    if (r->source.is_read || (r->sort && r->source.samples >= MOST_SAMPLES))
        return next_of_place(r);
    return read_row(r, &r->source);
}

/*
 * The last sample in [from, to); where clocks were set back, the one recorded
 * last.
 */
static enum pl_status last_between(struct pl_page_reader *r, int64_t from_ns,
                                   int64_t to, int64_t *last,
                                   struct pl_page_place *place)
{
    struct pl_time_range window = between(from_ns, to - 1);
    struct pl_page_source source;
    enum pl_status s;
    bool found = false;

    window.or_elsewhere = false; /* longer ranges are tried next */
    s = start_reading(r, &source, &window, true);
    while (!s) {
        struct pl_row row;

        s = pl_replay_peek(source.replay, last);
        if (!s)
            s = pl_replay_row(source.replay, &row);
        if (!s) {
            found = true;
            *place = (struct pl_page_place){ row.session, row.seq };
        }
    }
    stop(r, &source);
    return s == PL_END && found ? PL_OK : s;
}

enum pl_status pl_page_reader_before(struct pl_page_reader *r, int64_t time_ns)
{
    uint64_t back = r->interval_ns ? r->interval_ns : (uint64_t)PL_NS_PER_SEC;
    struct pl_page_place place = { 0 };
    int64_t last = time_ns;

    for (; time_ns > INT64_MIN && back < (uint64_t)INT64_MAX / 8; back *= 8) {
        const bool all = time_ns < INT64_MIN + (int64_t)back ||
                         time_ns - (int64_t)back < r->log->first_utc;
        enum pl_status s =
            last_between(r, all ? INT64_MIN : time_ns - (int64_t)back, time_ns,
                         &last, &place);

        if (!s)
            return pl_page_reader_at_place(r, last, place);
        if (s != PL_END || all)
            return s;
    }
    return PL_END;
}

/* Clocks may be set back before it. */
static bool is_first(const struct pl_page_reader *r)
{
    return !r->older.session &&
           r->time_ns <= pl_row_time(r->log->first_utc, r->interval_ns);
}

enum pl_status pl_page_reader_previous(struct pl_page_reader *r)
{
    enum pl_status s = PL_END;

    if (is_first(r))
        return PL_END;
    if (r->older.session)
        s = pl_page_reader_at_place(r, r->older_ns, r->older);
    return s == PL_END ? pl_page_reader_before(r, r->time_ns) : s;
}

enum pl_status pl_page_reader_last_at(struct pl_page_reader *r, int64_t time_ns)
{
    const struct pl_time_range window = between(time_ns, time_ns);
    enum pl_status s = take_first(r, &window);

    /* it is there, but cannot be decoded */
    if (s)
        return s == PL_END ? pl_page_reader_before(r, time_ns) : s;
    do {
        s = read_row(r, &r->source);
    } while (!s);
    r->source.is_read = true;
    return s == PL_END ? PL_OK : s;
}

enum pl_status pl_page_reader_last(struct pl_page_reader *r)
{
    struct pl_host_log log = *r->log;
    const struct pl_host_logs one = { &log, 1 };
    uint64_t interval_ns = 0;
    int64_t utc_ns = 0;
    enum pl_status s = pl_host_logs_last_time(&one, &utc_ns, &interval_ns);

    return s ? s : pl_page_reader_last_at(r, pl_row_time(utc_ns, interval_ns));
}

/* ---- opening ------------------------------------------------------------- */

enum pl_status pl_page_reader_open(struct pl_page_reader *r,
                                   const struct pl_host_log *log,
                                   const struct pl_moment_sort *sort,
                                   uint64_t max_block)
{
    enum pl_status s;

    *r = (struct pl_page_reader){ .log = log,
                                  .sort = sort,
                                  .max_block = max_block };
    r->moment.sort = sort ? sort : pl_moment_sort_of("cpu");
    s = pl_top_choose(sort, &r->paths);
    r->matched = s ? NULL : calloc(r->paths.num + 1, sizeof *r->matched);
    if (!s && !r->matched)
        s = PL_NOMEM;
    if (s)
        pl_page_reader_close(r);
    return s;
}

void pl_page_reader_close(struct pl_page_reader *r)
{
    stop(r, &r->source);
    pl_interval_sums_release(&r->sums);
    pl_moment_release(&r->moment);
    pl_counter_path_list_release(&r->paths);
    free(r->matched);
    r->matched = NULL;
    r->there = false;
}
