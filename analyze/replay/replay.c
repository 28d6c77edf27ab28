/*
 * Replays a recording: handles the records between samples, and makes the rows.
 */
#include "analyze/replay/replay.h"

#include "analyze/replay/group_identity.h"
#include "analyze/replay/sample_view.h"
#include "format/time/time_text.h"

#include <stdlib.h>
#include <string.h>

struct pl_replay {
    struct pl_time_range window;
    struct pl_reader_options reader;
    bool is_over;                /* no row can come any more */
    bool has_earlier, has_later; /* see pl_replay_options */
    bool may_follow;             /* rows of the window may follow after all */
    /* samples behind the window so far; how many before looking ahead again */
    uint64_t behind, look_at;
    struct pl_host_log_reader input;
    struct pl_sample_view samples;
    struct pl_row_values pairing;
    uint64_t interval_ns;
    bool steady_clock; /* pl_session_has_steady_clock */
    bool keys_only, key_rows, times_only;
    void (*watch)(void *ctx, const struct pl_host_log *log,
                  const struct pl_item *item);
    void *watch_ctx;
    bool identities;
    /* names of the sample read last were noted with an earlier row */
    bool names_noted;
    struct pl_others *others; /* see pl_replay_add_up */
    bool ready;        /* the newer sample's row has not been calculated yet */
    bool unidentified; /* nor have its processes got their identities */
    bool ended;        /* the last session was closed */
    bool entered;      /* a row of the window was read */
    int64_t time_ns, boot_ns;
    int64_t older_ns, older_boot_ns; /* of the previous sample */
    uint64_t session, older_session; /* as in struct pl_row */
    uint32_t seq, older_seq;
    bool in_session; /* 'session' is that of the samples being read */
    /*
     * The last block, if its sample is outside the window: it is parsed only if
     * the next sample is inside, which then needs it as the older one.  So what
     * only samples outside have gets no names.
     */
    struct {
        const struct pl_buf *block; /* NULL: none */
        uint64_t titles_version;
        bool has_titles, retitled; /* 'titles' are the reader's; were */
        struct pl_buf titles;
    } outside;
    struct pl_replay_losses losses;
};

/* ---- starting and stopping ----------------------------------------------- */

/* Go to the sample before the window, whose row may be a millisecond later. */
static enum pl_status start_log(struct pl_replay *r,
                                const struct pl_host_log *log)
{
    const struct pl_time_range *w = &r->window;
    struct pl_host_log_reader *in = &r->input;
    enum pl_status s;

    if (!w->has_from || (r->reader.follow && !w->ends && !w->in_file))
        s = pl_host_log_start(in, log, &r->reader);
    else if (w->ends || w->in_file)
        s = pl_host_log_start_at(in, log, &r->reader, w->from_ns);
    else
        s = pl_host_log_start_after(in, log, &r->reader, w->from_ns);
    if (!s && w->has_from && w->from_ns > INT64_MIN + PL_NS_PER_MS)
        s = pl_reader_seek(in->reader, w->from_ns - PL_NS_PER_MS);
    if (s)
        return s;
    if (r->times_only)
        pl_reader_times_only(in->reader);
    else if (r->key_rows)
        pl_reader_keys_only(in->reader);
    r->samples.titles = pl_reader_titles(in->reader);
    return PL_OK;
}

enum pl_status pl_replay_start(struct pl_replay **out,
                               const struct pl_host_log *log,
                               const struct pl_replay_options *options)
{
    struct pl_replay *r = calloc(1, sizeof *r);
    enum pl_status s;

    if (!r)
        return PL_NOMEM;
    r->window = options->window;
    r->reader = options->reader;
    r->reader.names_only = options->names_only;
    r->samples.registry = options->registry;
    r->samples.choice = options->choice;
    r->samples.numbers_only = options->numbers_only;
    r->samples.forget = options->want_absent && !options->keep;
    r->samples.sparse = options->sparse;
    r->pairing.calc = options->calc;
    r->keys_only = options->keys_only;
    r->key_rows = options->key_rows;
    r->times_only = options->times_only;
    r->has_earlier = options->has_earlier;
    r->has_later = options->has_later;
    r->watch = options->watch;
    r->watch_ctx = options->watch_ctx;
    r->identities = options->identities;
    r->pairing.names_only = options->names_only || r->times_only;
    r->names_noted = r->times_only; /* there are none to note */
    r->pairing.ranks_only = options->ranks_only;
    r->pairing.want_absent = options->want_absent;
    r->pairing.want_steps = options->want_steps;
    r->pairing.why_unpaired = PL_CELL_FIRST;
    s = start_log(r, log);
    if (s) {
        PL_KEEP_ERRNO;

        pl_replay_stop(r);
        return s;
    }
    *out = r;
    return PL_OK;
}

void pl_replay_stop(struct pl_replay *r)
{
    if (!r)
        return;
    pl_host_log_stop(&r->input);
    pl_sample_view_release(&r->samples);
    pl_row_values_release(&r->pairing);
    pl_buf_release(&r->outside.titles);
    free(r);
}

/* ---- between two samples ------------------------------------------------- */

/* Note that there is no pair; the stronger reason is kept. */
static void unpair(struct pl_replay *r, enum pl_cell why)
{
    if (r->pairing.why_unpaired == PL_CELL_GOOD ||
        why < r->pairing.why_unpaired)
        r->pairing.why_unpaired = why;
}

static void take_titles(struct pl_replay *r)
{
    r->samples.titles_version++;
    r->outside.has_titles = false;
    r->outside.retitled = r->outside.block != NULL;
}

static void note_place(struct pl_replay *r)
{
    pl_places_note(&r->losses.where, &r->input);
}

/* 'block' becomes the newer sample. */
static enum pl_status read_block(struct pl_replay *r,
                                 const struct pl_buf *block)
{
    uint64_t bad = r->samples.malformed + r->samples.overfull;
    enum pl_status s = pl_sample_view_read(&r->samples, block);

    r->names_noted = false;
    if (!s && r->samples.malformed + r->samples.overfull != bad)
        note_place(r);
    return s;
}

/* Parse the block kept, with the titles that it had. */
static enum pl_status read_outside(struct pl_replay *r)
{
    const struct pl_titles *titles = r->samples.titles;
    const uint64_t version = r->samples.titles_version;
    const struct pl_buf *block = r->outside.block;
    struct pl_titles *own = NULL;
    enum pl_status s = PL_OK;

    if (!block)
        return PL_OK;
    r->outside.block = NULL;
    if (r->outside.retitled) {
        s = pl_titles_new(&own);
        if (!s)
            s = pl_titles_parse(own, r->outside.titles.p,
                                r->outside.titles.len);
        r->samples.titles = own;
        r->samples.titles_version = r->outside.titles_version;
    }
    r->samples.choice.outside = !r->has_earlier;
    if (!s)
        s = read_block(r, block);
    /* Of a sample without a block no names are noted: not these either.  But those of
     * another program's log have the names of the one before, which had a block. */
    r->names_noted =
        r->pairing.names_only && !pl_reader_foreign(r->input.reader);
    r->samples.choice.outside = false;
    if (!s && r->has_earlier) /* the cells are those of the row before */
        s = pl_row_values_row(&r->pairing, &r->samples);
    r->samples.titles = titles;
    r->samples.titles_version = version;
    pl_titles_free(own);
    return s;
}

static enum pl_status begin_session(struct pl_replay *r)
{
    const struct pl_session *s = pl_reader_session(r->input.reader);

    if (r->has_earlier && r->outside.block) { /* its series may vanish */
        r->outside.retitled = true;
        if (read_outside(r))
            return PL_NOMEM;
    }
    r->outside.block = NULL; /* no pair is of two sessions */
    unpair(r, PL_CELL_FIRST);
    r->ended = false;
    r->in_session = false;
    take_titles(r);
    r->interval_ns = s->interval_ns;
    r->steady_clock = pl_session_has_steady_clock(s);
    r->samples.made_up = r->pairing.made_up = s->titles_made_up;
    r->samples.host =
        pl_registry_host(r->samples.registry, s->host, s->machine_hash);
    return r->samples.host ? PL_OK : PL_NOMEM;
}

static bool loses_samples(uint32_t cause)
{
    return cause != PL_GAP_LATE && cause != PL_GAP_SUSPEND &&
           cause != PL_GAP_SYNC_FAILED;
}

static bool touches(const struct pl_time_range *w, const struct pl_gaps *g)
{
    return !(w->has_from && g->utc_last <= w->from_ns) &&
           !(w->has_to && g->utc_first > w->to_ns);
}

/* Handle an item other than a sample. */
static enum pl_status take_note(struct pl_replay *r, const struct pl_item *item)
{
    switch (item->kind) {
    case PL_ITEM_SESSION:
        return begin_session(r);
    case PL_ITEM_TITLES:
        take_titles(r);
        break;
    case PL_ITEM_GAPS:
        if (touches(&r->window, &item->gaps))
            r->losses.missing += item->gaps.count;
        if (item->gaps.cause == PL_GAP_DAMAGED)
            unpair(r, PL_CELL_DAMAGED);
        else if (loses_samples(item->gaps.cause))
            unpair(r, PL_CELL_GAP);
        break;
    case PL_ITEM_HOLE:
        if (!item->between_files &&
            r->pairing.why_unpaired != PL_CELL_DAMAGED) {
            note_place(r);
            r->losses.holes += item->count;
        }
        unpair(r, PL_CELL_GAP);
        break;
    case PL_ITEM_DAMAGED:
        note_place(r);
        r->losses.damaged_ranges++;
        r->losses.damaged_bytes += item->len;
        r->losses.damaged_samples += item->count;
        if (!item->harmless)
            unpair(r, PL_CELL_DAMAGED);
        break;
    case PL_ITEM_UNREACHABLE:
        note_place(r);
        r->losses.unreachable++;
        r->losses.too_large += item->too_large;
        unpair(r, PL_CELL_DAMAGED);
        break;
    case PL_ITEM_TOO_NEW:
        note_place(r);
        r->losses.too_new++;
        unpair(r, PL_CELL_DAMAGED);
        break;
    case PL_ITEM_ENDS:
        r->ended = item->ends.reason != PL_END_ROTATED;
        break;
    default:
        break;
    }
    return PL_OK;
}

static bool is_before(const struct pl_replay *r, int64_t t)
{
    return r->window.has_from && t <= r->window.from_ns &&
           !(r->window.onwards && r->entered);
}

static bool is_behind(const struct pl_replay *r, int64_t t)
{
    return pl_time_range_is_behind(&r->window, t, r->interval_ns);
}

/*
 * Keep the block of a sample outside the window, and its titles.  When it is
 * parsed, the reader no longer has the blocks before it.
 */
static enum pl_status keep_outside(struct pl_replay *r,
                                   const struct pl_buf *block)
{
    if (!block)
        return PL_OK;
    pl_sample_view_forget(&r->samples);
    r->outside.block = block;
    r->outside.titles_version = r->samples.titles_version;
    r->outside.retitled = false;
    if (!r->outside.has_titles) {
        pl_buf_clear(&r->outside.titles);
        pl_titles_write(r->samples.titles, &r->outside.titles);
        r->outside.has_titles = true;
    }
    return r->outside.titles.oom ? PL_NOMEM : PL_OK;
}

/* 'item' becomes the newer sample, and the previous one the older. */
static enum pl_status read_sample(struct pl_replay *r,
                                  const struct pl_item *item)
{
    enum pl_status s = read_outside(r);

    if (s)
        return s;
    if (!pl_sample_view_now(&r->samples)->there)
        unpair(r, PL_CELL_FIRST);
    if (item->block)
        s = read_block(r, item->block);
    r->unidentified = item->block && r->identities;
    r->ready = !s;
    return s;
}

/*
 * Readers of other programs' logs number their sessions by themselves, so these
 * are known by their start and by what is in them.
 */
static void note_place_in_log(struct pl_replay *r,
                              const struct pl_record *record)
{
    r->older_session = r->session;
    r->older_seq = r->seq;
    if (!pl_reader_foreign(r->input.reader))
        r->session = record->session;
    else if (!r->in_session)
        r->session =
            (uint64_t)record->utc_ns ^ pl_host_log_list_hash(&r->input);
    r->in_session = true;
    r->seq = record->seq;
}

/*
 * The newer sample becomes the older one, and 'item' the newer one.  A sample
 * outside the time range only serves as older one.
 */
static enum pl_status take_sample(struct pl_replay *r,
                                  const struct pl_item *item)
{
    enum pl_status s;

    if (!r->samples.host) { /* a sample without a session record */
        s = begin_session(r);
        if (s)
            return s;
    }
    note_place_in_log(r, &item->record);
    r->older_ns = r->time_ns;
    r->older_boot_ns = r->boot_ns;
    r->time_ns = pl_row_time(item->record.utc_ns, r->interval_ns);
    r->boot_ns = item->record.boot_ns;
    r->pairing.clock_stepped =
        !r->steady_clock && (item->record.flags & PL_FLAG_CLOCK_STEPPED);
    r->samples.names_end =
        pl_identity_set_version(pl_reader_identities(r->input.reader)) != 0;
    if (!is_before(r, r->time_ns) && !is_behind(r, r->time_ns)) {
        r->entered = true;
        return read_sample(r, item);
    }
    r->pairing.why_unpaired = PL_CELL_GOOD;
    return keep_outside(r, item->block);
}

/*
 * After a sample behind the window: clocks may step back, so rows may come
 * again.  While that is so, it is asked less and less often.
 */
static bool is_over(struct pl_replay *r)
{
    if (r->window.ends)
        return true;
    if (r->has_later) {
        r->may_follow = !pl_replay_is_past(r, r->window.to_ns);
        return true;
    }
    if (r->behind++ < r->look_at)
        return false;
    r->look_at = 2 * r->behind + 32;
    return r->window.in_file && !r->window.to_last
               ? pl_host_log_file_is_past(&r->input, r->window.to_ns,
                                          r->interval_ns)
               : pl_replay_is_past(r, r->window.to_ns);
}

/*
 * In the files that should hold the range, no row was in it: it is in others, if
 * a clock was set back, or nowhere.  What was lost there is counted again.
 */
static enum pl_status search_all_files(struct pl_replay *r)
{
    const struct pl_host_log *log = r->input.log;

    pl_host_log_stop(&r->input);
    r->window.in_file = r->window.or_elsewhere = false;
    r->is_over = r->in_session = r->ended = false;
    r->behind = r->look_at = r->session = 0;
    r->seq = 0;
    r->outside.block = NULL;
    r->losses = (struct pl_replay_losses){ 0 };
    return start_log(r, log);
}

/* PL_END: no row can come. */
static enum pl_status next_item(struct pl_replay *r, struct pl_item *item)
{
    enum pl_status s = r->is_over ? PL_END : pl_host_log_next(&r->input, item);

    if (s != PL_END || r->entered || !r->window.or_elsewhere ||
        r->input.log->num_paths < 2)
        return s;
    s = search_all_files(r);
    return s ? s : pl_host_log_next(&r->input, item);
}

enum pl_status pl_replay_peek(struct pl_replay *r, int64_t *time_ns)
{
    struct pl_item item;

    while (!r->ready) {
        enum pl_status s = next_item(r, &item);

        if (!s && r->watch)
            r->watch(r->watch_ctx, r->input.log, &item);
        if (!s && item.kind == PL_ITEM_SAMPLE) {
            if (r->times_only)
                item.block = NULL;
            if (r->key_rows && !item.block)
                continue;
            s = take_sample(r, &item);
            if (!s && is_behind(r, r->time_ns))
                r->is_over = is_over(r);
        } else if (!s) {
            s = take_note(r, &item);
        }
        if (s)
            return s;
    }
    *time_ns = r->time_ns;
    return PL_OK;
}

const struct pl_host *pl_replay_host(const struct pl_replay *r)
{
    return r->samples.host;
}

bool pl_replay_is_at(const struct pl_replay *r, uint64_t session, uint32_t seq)
{
    return r->session == session && r->seq == seq;
}

void pl_replay_go_on(struct pl_replay *r)
{
    r->window.has_from = r->window.has_to = r->window.has_unit = false;
}

/* The clock since boot is preferred, but not every import has it. */
static uint64_t pair_length(const struct pl_replay *r)
{
    if (r->pairing.why_unpaired == PL_CELL_GOOD) {
        if (r->boot_ns > r->older_boot_ns)
            return (uint64_t)r->boot_ns - (uint64_t)r->older_boot_ns;
        if (r->time_ns > r->older_ns)
            return (uint64_t)r->time_ns - (uint64_t)r->older_ns;
    }
    return r->interval_ns;
}

static struct pl_row_clock clock_between(int64_t from, int64_t to, int64_t freq)
{
    bool forward = to > from && (uint64_t)to - (uint64_t)from <= INT64_MAX;

    return (struct pl_row_clock){ forward ? to - from : 0, freq };
}

/* The clocks of the blocks, if types that need two samples use them. */
static void take_clocks(struct pl_replay *r, struct pl_row *row)
{
    const struct pl_sample *now = pl_sample_view_now(&r->samples);
    const struct pl_sample *was = pl_sample_view_older(&r->samples);

    if (r->pairing.why_unpaired != PL_CELL_GOOD || !now->there || !was->there ||
        now->block.perf_freq != was->block.perf_freq)
        return;
    row->tick = clock_between(was->block.perf_time, now->block.perf_time,
                              now->block.perf_freq);
    if (!r->pairing.clock_stepped)
        row->hundred_ns =
            clock_between(was->block.perf_time_100ns,
                          now->block.perf_time_100ns, PL_FREQ_100NS);
}

/* Those of the row before are in use until the row is asked for. */
static enum pl_status identify(struct pl_replay *r)
{
    if (!r->unidentified)
        return PL_OK;
    r->unidentified = false;
    return pl_group_identities_read(&r->samples,
                                    pl_reader_identities(r->input.reader));
}

enum pl_status pl_replay_row(struct pl_replay *r, struct pl_row *row)
{
    enum pl_status s = identify(r);

    r->pairing.num_cells = 0;
    /* rows that are calculated only for their names add nothing up */
    r->pairing.others = r->others;
    if (!s && !r->names_noted)
        s = pl_row_values_row(&r->pairing, &r->samples);
    r->pairing.others = NULL;
    r->names_noted = r->pairing.names_only;
    if (r->keys_only) /* the first row's names are noted: */
        /* from here on key samples are enough */
        pl_reader_keys_only(r->input.reader);
    *row = (struct pl_row){ .time_ns = r->time_ns,
                            .host = r->samples.host,
                            .cells = r->pairing.cells,
                            .num_cells = r->pairing.num_cells,
                            .steps = r->pairing.steps,
                            .older_ns = r->older_ns,
                            .length_ns = pair_length(r),
                            .interval_ns = r->interval_ns,
                            .session = r->session,
                            .seq = r->seq,
                            .older_session = r->older_session,
                            .older_seq = r->older_seq };
    take_clocks(r, row);
    r->ready = false;
    r->pairing.why_unpaired = PL_CELL_GOOD;
    return s;
}

void pl_replay_add_up(struct pl_replay *r, struct pl_others *others)
{
    r->others = others;
}

/* ---- queries ------------------------------------------------------------- */

bool pl_replay_is_past(struct pl_replay *r, int64_t time_ns)
{
    return pl_host_log_is_past(&r->input, time_ns, r->interval_ns);
}

bool pl_replay_is_whole(struct pl_replay *r)
{
    return r->is_over ? !r->may_follow : pl_replay_has_ended(r);
}

const struct pl_replay_losses *pl_replay_losses(struct pl_replay *r)
{
    r->losses.malformed = r->samples.malformed;
    r->losses.overfull = r->samples.overfull;
    return &r->losses;
}

const char *pl_replay_path(const struct pl_replay *r)
{
    return pl_host_log_path(&r->input);
}

uint64_t pl_replay_position(const struct pl_replay *r)
{
    return r->input.bytes_before + pl_reader_position(r->input.reader);
}

uint64_t pl_replay_interval(const struct pl_replay *r)
{
    return r->interval_ns;
}

bool pl_replay_has_ended(struct pl_replay *r)
{
    /* A recorder that was killed wrote no end, and holds no lock. */
    return r->ended ||
           (!r->input.rotated && !pl_reader_is_live(r->input.reader));
}

bool pl_replay_has_end(const struct pl_replay *r)
{
    return r->ended;
}

int64_t pl_replay_next_due(const struct pl_replay *r)
{
    const uint64_t interval = r->interval_ns;

    return r->in_session && interval && interval < INT64_MAX &&
                   r->time_ns < INT64_MAX - (int64_t)interval
               ? r->time_ns + (int64_t)interval
               : INT64_MIN;
}
