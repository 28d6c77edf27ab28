/* The files of a log, and the segments in them. */
#include "format/writer/writer_state.h"

#include "format/time/time_text.h"
#include "format/record/record.h"
#include "format/writer/segment.h"
#include "format/writer/append_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_SAME_NAMES = 1000, /* segments of one second */
    MOST_SEGMENTS = 1000,  /* kept, unless more are asked for */
    MOST_SPARE = 32,       /* beyond twice those, for want of a size */
    MOST_MEETINGS = 100,   /* attempts, if several recorders begin at once */
};
#define LONGEST_STEP_BACK (20 * PL_NS_PER_MS)
/* Least time between two segments that are begun because of errors: twice as
 * long each time, until there was none for twice the longest. */
#define LEAST_RESCUE_NS (INT64_C(60) * PL_NS_PER_SEC)
#define MOST_RESCUE_NS (60 * LEAST_RESCUE_NS)
#define ROOM_PAUSE_NS PL_NS_PER_SEC

/* ---- files ---------------------------------------------------------------- */

static bool rotates(const struct pl_writer *w)
{
    return w->options.max_size || w->options.max_time_ns || w->options.keep;
}

enum pl_status pl_writer_look_at_space(struct pl_writer *w,
                                       struct pl_file *file)
{
    uint64_t total, least;
    enum pl_status s;

    w->space_checked_at = pl_clock_steady();
    w->stats.system_calls++;
    s = pl_file_space(file, &w->stats.free_bytes, &total);
    if (s)
        return s;
    least = w->options.min_free_percent
                ? total / 100 * w->options.min_free_percent
                : w->options.min_free;
    w->stats.kept_free = least;
    w->space_low = w->stats.free_bytes < least;
    return PL_OK;
}

/* Open 'path', of which ownership is taken, if there is enough free space, or
 * for the first segment may be when older ones are deleted. */
static enum pl_status open_target(struct pl_writer *w, char *path,
                                  enum pl_file_new how,
                                  struct pl_append_file *t, const char **why)
{
    enum pl_status s = pl_append_file_open(t, path, how, why);

    if (s)
        return s;
    s = pl_writer_look_at_space(w, t->file);
    if (!s && w->space_low && !w->file && !w->options.keep)
        s = PL_NO_SPACE;
    if (!s)
        s = pl_append_file_fence(t);
    if (s)
        pl_append_file_drop(t);
    return s;
}

/* Open the next segment.  An earlier run may have used the same name. */
static enum pl_status open_next(struct pl_writer *w, int64_t utc_ns,
                                struct pl_append_file *t, const char **why)
{
    enum pl_status s;
    int tries = 0;

    do
        s = open_target(
            w, pl_segment_path(w->path, utc_ns, w->next_no + (uint32_t)tries),
            PL_MUST_BE_NEW, t, why);
    while (s == PL_IO && errno == EEXIST && ++tries < MAX_SAME_NAMES);
    if (!s)
        w->next_no += (uint32_t)tries + 1;
    return s;
}

/* ---- segments -------------------------------------------------------------- */

/* The id of a new session in the file of 'root'; never 0. */
static uint64_t new_id(uint64_t root)
{
    uint64_t id;

    do
        id = pl_session_child(root, pl_random());
    while (!id || id == root);
    return id;
}

/* All counts and distances of a segment start again at w->size. */
static void start_segment(struct pl_writer *w, int64_t utc_ns)
{
    w->segment_at = w->size;
    w->segment_utc = utc_ns;
    w->segment_samples = 0;
    w->segment_missed = 0;
    w->session_pending = true;
    w->titles_pending = w->titles.len > 0;
    w->identities_put = 0;
    w->chunks = (struct pl_chunk_index){ 0 };
}

static uint64_t product(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* The beginning of the first of the last 'keep' periods, with that of the time
 * 'utc_ns'. */
static int64_t first_kept(const struct pl_writer *w, int64_t utc_ns)
{
    int64_t period = (int64_t)w->options.max_time_ns;
    int64_t own = period ? utc_ns / period : 0;
    uint64_t before = w->options.keep - 1;

    return own > 0 && before < (uint64_t)own ? (own - (int64_t)before) * period
                                             : 0;
}

static struct pl_segments_kept what_is_kept(const struct pl_writer *w)
{
    const struct pl_writer_options *o = &w->options;
    struct pl_segments_kept kept = { .num = o->keep,
                                     .most = o->keep,
                                     .bytes = UINT64_MAX,
                                     .since = first_kept(w, w->segment_utc) };

    if (o->max_size)
        kept.bytes = product(o->keep - 1, o->max_size);
    if (o->max_size && o->max_time_ns && kept.most < MOST_SEGMENTS)
        kept.most = MOST_SEGMENTS;
    return kept;
}

void pl_writer_drop_old(struct pl_writer *w)
{
    struct pl_segments_kept kept = what_is_kept(w);

    pl_segment_drop_old(w->path, w->current, &kept);
}

/* However little becomes of the segments that are begun, there is an end. */
static void drop_beyond_all(const struct pl_writer *w)
{
    const struct pl_writer_options *o = &w->options;
    uint64_t twice = product(o->keep, 2);
    struct pl_segments_kept kept = { .num = o->keep, .bytes = UINT64_MAX };

    if (o->max_size)
        kept.bytes = product(twice - 1, o->max_size);
    kept.most = twice + (o->max_size ? MOST_SEGMENTS : MOST_SPARE);
    pl_segment_drop_old(w->path, w->current, &kept);
}

/* Delete what 'kept' does not need, of those that time ends only what is of the
 * last periods.  False: not so soon again. */
static bool drop_for_room(struct pl_writer *w, const char *current,
                          struct pl_segments_kept kept)
{
    int64_t now = pl_clock_steady();

    if (w->in_doubt ||
        (w->made_room_at && now - w->made_room_at < ROOM_PAUSE_NS))
        return false;
    w->made_room_at = now;
    if (w->options.max_time_ns)
        kept.num = 1;
    pl_segment_drop_old(w->path, current, &kept);
    return true;
}

bool pl_writer_make_room(struct pl_writer *w)
{
    return w->drop_due && drop_for_room(w, w->current, what_is_kept(w));
}

/* For the file of the segment that begins then, which is one more of them. */
static bool make_room_for_next(struct pl_writer *w, int64_t utc_ns)
{
    struct pl_segments_kept kept = what_is_kept(w);

    if (w->options.keep < 2)
        return false;
    kept.num--;
    kept.most--;
    kept.since = first_kept(w, utc_ns);
    return drop_for_room(w, w->current, kept);
}

/* For the first segment, whose file is 'path'; NULL: it could not be made. */
static bool make_room_for_first(struct pl_writer *w, int64_t utc_ns,
                                const char *path)
{
    char *planned = path ? NULL : pl_segment_path(w->path, utc_ns, w->next_no);
    struct pl_segments_kept kept;
    bool made = false;

    if (w->options.keep && (path || planned)) {
        kept = what_is_kept(w);
        kept.since = first_kept(w, utc_ns);
        made = drop_for_room(w, path ? path : planned, kept);
    }
    free(planned);
    return made;
}

/* Close the current file, if any, and begin a segment in 't'. */
static enum pl_status enter(struct pl_writer *w, const struct pl_append_file *t,
                            int64_t utc_ns)
{
    pl_file_close(w->file);
    free(w->previous);
    w->previous = w->current;
    w->file = t->file;
    w->current = t->path;
    w->size = t->size;
    w->root = t->first_session ? t->first_session : w->session_id;
    w->stats.file_bytes = t->size;
    w->stats.segments++;
    w->torn = false;
    w->gone = 0;
    w->taken_utc = 0;
    w->room_end = 0;
    w->has_no_room = false;
    w->sync_failed = false;
    w->made_room_at = 0;
    w->drop_due = w->options.keep > 0;
    if (w->drop_due)
        drop_beyond_all(w);
    if (rotates(w) && !w->previous)
        pl_segment_drop_parts(w->path);
    start_segment(w, utc_ns);
    pl_writer_begin(w);
    return pl_writer_flush(w); /* on failure again with the first sample */
}

/* Write gaps, notes, indx and ends at once. */
static enum pl_status write_last_words(struct pl_writer *w,
                                       enum pl_end_reason reason)
{
    int64_t utc_ns = pl_writer_is_copy(w) ? w->last_utc : pl_clock_utc();
    int64_t boot_ns = pl_writer_is_copy(w) ? w->last_boot : pl_clock_boot();
    struct pl_ends ends = { .last_index = w->chunks.last_index,
                            .samples = w->segment_samples,
                            .reason = reason };

    ends.missed = w->segment_missed + pl_pending_records_missed(&w->pending);
    pl_writer_begin(w);
    pl_chunk_index_finish(&w->chunks);
    pl_pending_records_put(&w->pending, &w->batch, utc_ns, boot_ns);
    if (w->chunks.num_done) {
        ends.last_index = pl_writer_distance(w);
        pl_writer_add_index(w, utc_ns, boot_ns);
    }
    if (reason != PL_END_NONE) {
        pl_ends_write(&ends, pl_record_batch_payload(&w->batch));
        pl_record_batch_plain(&w->batch, PL_ENDS, utc_ns, boot_ns);
    }
    return pl_writer_flush_last(w);
}

/* Samples of a file that cannot be synced any more. */
static void report_unsynced(struct pl_writer *w)
{
    if (w->sync_failed && w->options.sync_ns != PL_SYNC_NEVER)
        pl_writer_report_risk(w, EIO);
}

enum pl_status pl_writer_finish_segment(struct pl_writer *w,
                                        enum pl_end_reason reason)
{
    enum pl_status s, synced;
    int error;

    if (w->gone) /* what is written there is in no log */
        return PL_OK;
    if (reason != PL_END_ROTATED) /* there is no other file to report it in */
        report_unsynced(w);
    s = write_last_words(w, reason);
    if (s == PL_IO && pl_file_is_full(errno) && w->pending.notes.len &&
        !pl_writer_is_copy(w)) { /* what was lost matters more than notes */
        pl_pending_records_forget_notes(&w->pending);
        s = write_last_words(w, reason);
    }
    error = errno;
    if (!s)
        pl_writer_forget_pending(w);
    synced = pl_writer_sync(w);
    report_unsynced(w);
    if (!s)
        return synced;
    errno = error;
    return s;
}

enum pl_status pl_writer_begin_next(struct pl_writer *w, int64_t utc_ns)
{
    uint32_t before = w->stats.segments;
    struct pl_append_file next;
    const char *why;
    enum pl_status s;

    pl_writer_look_at_file(w, utc_ns, pl_clock_boot());
    if (w->gone || w->stats.segments != before)
        return PL_OK; /* last words would be in a file that is deleted */
    s = open_next(w, utc_ns, &next, &why);
    if (s == PL_IO && pl_file_is_full(errno) && make_room_for_next(w, utc_ns))
        s = open_next(w, utc_ns, &next, &why);
    if (s)
        return s;
    pl_writer_finish_segment(w, PL_END_ROTATED);
    enter(w, &next, utc_ns);
    return PL_OK;
}

/* Leave the file as it is.  False if no other can be begun. */
static bool go_on_in_another(struct pl_writer *w, int64_t utc_ns)
{
    struct pl_append_file next;
    const char *why;

    if (open_next(w, utc_ns, &next, &why))
        return false;
    pl_writer_sync(w);
    if (w->options.sync_ns != PL_SYNC_NEVER)
        pl_writer_report_risk(w, EIO); /* it will not be synced any more */
    enter(w, &next, utc_ns);
    return true;
}

/* The pause after a segment that is begun now. */
static int64_t next_pause(const struct pl_writer *w, int64_t now)
{
    if (!w->rescued_at || now - w->rescued_at > 2 * MOST_RESCUE_NS)
        return LEAST_RESCUE_NS;
    return w->rescue_pause < MOST_RESCUE_NS / 2 ? 2 * w->rescue_pause
                                                : MOST_RESCUE_NS;
}

void pl_writer_rescue(struct pl_writer *w, int64_t utc_ns)
{
    int64_t now = pl_clock_steady();

    if ((w->rescued_at && now - w->rescued_at < w->rescue_pause) ||
        !go_on_in_another(w, utc_ns))
        return;
    w->rescue_pause = next_pause(w, now);
    w->rescued_at = now;
}

/* What another program has done to the file, as an error of writing to it; 0
 * if what is appended can be read: it became longer. */
static int look_at_change(struct pl_writer *w)
{
    uint64_t size;

    if (pl_file_is_deleted(w->file))
        return ENOENT;
    return pl_file_size(w->file, &size) || size < w->size ? ENODATA : 0;
}

/* Another program has appended to the file: continue after that. */
static void pass_appended(struct pl_writer *w)
{
    struct pl_append_file t = { .file = w->file };

    if (!pl_file_size(t.file, &t.size) && t.size > w->size &&
        !pl_append_file_fence(&t))
        w->size = t.size;
}

bool pl_writer_is_as_left(struct pl_writer *w)
{
    if (w->torn || pl_writer_is_copy(w))
        return true;
    w->stats.system_calls++;
    if (w->gone)
        return false;
    if (pl_file_is_as_left(w->file, w->size))
        return true;
    w->gone = look_at_change(w);
    if (!w->gone)
        pass_appended(w);
    return false;
}

void pl_writer_look_at_file(struct pl_writer *w, int64_t utc_ns,
                            int64_t boot_ns)
{
    int64_t now = pl_clock_steady(), taken_utc, taken_boot;

    if (pl_writer_is_as_left(w) && !w->taken_utc)
        return;
    if (!w->taken_utc) {
        w->taken_utc = utc_ns;
        w->taken_boot = boot_ns;
    }
    taken_utc = w->taken_utc;
    taken_boot = w->taken_boot;
    /* What is deleted fills no folder. */
    if (w->gone != ENOENT && w->replaced_at &&
        now - w->replaced_at < LEAST_RESCUE_NS)
        return;
    if (!go_on_in_another(w, utc_ns))
        return;
    w->replaced_at = now;
    w->stats.taken_away++;
    pl_writer_note(
        w, PL_NOTE_TEXT, taken_utc, taken_boot,
        "another program deleted or changed the file before this one");
}

enum pl_status pl_writer_rotate(struct pl_writer *w)
{
    return rotates(w) && w->segment_samples
               ? pl_writer_begin_next(w, pl_clock_utc())
               : PL_OK;
}

/* A segment, or the log itself where there is no rotation. */
static enum pl_status open_either(struct pl_writer *w, int64_t utc_ns,
                                  struct pl_append_file *t, const char **why)
{
    if (rotates(w))
        return open_next(w, utc_ns, t, why);
    return open_target(w, strdup(w->path), w->options.opening, t, why);
}

/*
 * The first file, unless another recorder is writing the log or one of its
 * segments.  If several recorders begin at once, each that sees another gives
 * up its file and tries again after a random time, as does one whose file was
 * given up by another while it was being opened.
 */
static enum pl_status open_alone(struct pl_writer *w, int64_t utc_ns,
                                 struct pl_append_file *t, const char **why)
{
    uint32_t first_no = w->next_no;

    for (int i = 0; i < MOST_MEETINGS; i++) {
        enum pl_status s;

        if (pl_segment_is_written(w->path, NULL))
            return PL_BUSY;
        s = open_either(w, utc_ns, t, why);
        if (s != PL_BUSY && (s || !pl_segment_is_written(w->path, t->path)))
            return s;
        if (!s)
            pl_append_file_drop(t);
        w->next_no = first_no;
        pl_sleep(pl_random() % (uint64_t)LONGEST_STEP_BACK);
    }
    return PL_BUSY;
}

/* The same; where there is too little space, or room for a file, without the
 * segments that are due to be deleted. */
static enum pl_status open_with_room(struct pl_writer *w, int64_t utc_ns,
                                     struct pl_append_file *t, const char **why)
{
    enum pl_status s = open_alone(w, utc_ns, t, why);

    if (s == PL_IO && pl_file_is_full(errno) &&
        make_room_for_first(w, utc_ns, NULL))
        s = open_alone(w, utc_ns, t, why);
    if (s || !w->space_low)
        return s;
    if (make_room_for_first(w, utc_ns, t->path))
        s = pl_writer_look_at_space(w, t->file);
    if (!s && w->space_low)
        s = PL_NO_SPACE;
    if (s)
        pl_append_file_drop(t);
    return s;
}

enum pl_status pl_writer_open_first(struct pl_writer *w, const char **why)
{
    int64_t utc_ns = pl_clock_utc();
    struct pl_append_file first;
    enum pl_status s;

    if (pl_writer_is_copy(w)) /* no other program writes to it */
        s = open_either(w, utc_ns, &first, why);
    else
        s = open_with_room(w, utc_ns, &first, why);
    if (s)
        return s;
    w->next_no = w->next_no ? w->next_no : 1;
    if (first.first_session)
        w->session_id = new_id(first.first_session);
    s = enter(w, &first, utc_ns);
    if (s == PL_IO && pl_file_is_full(errno) && errno != EFBIG &&
        pl_writer_make_room(w)) {
        pl_writer_begin(w);
        s = pl_writer_flush(w);
    }
    if (pl_writer_is_too_big(w, s, errno)) {
        s = open_next(w, utc_ns, &first, why);
        s = s ? s : enter(w, &first, utc_ns);
    }
    if (s && pl_file_is_new(w->file)) {
        PL_KEEP_ERRNO;

        pl_file_delete(w->current);
    }
    return s;
}

/* ---- ends of segments ------------------------------------------------------ */

bool pl_writer_is_too_big(const struct pl_writer *w, enum pl_status s,
                          int error)
{
    return s == PL_IO && error == EFBIG && !pl_writer_is_copy(w) &&
           w->size >= PL_LEAST_SEGMENT;
}

static bool segment_is_over(const struct pl_writer *w, int64_t utc_ns)
{
    int64_t period = (int64_t)w->options.max_time_ns;

    if (w->options.max_size && w->segment_samples &&
        w->size - w->segment_at >= w->options.max_size)
        return true;
    return period && w->segment_samples &&
           utc_ns / period != w->segment_utc / period;
}

/* True if a session's numbers are used up; another session then begins. */
static bool seq_is_over(const struct pl_writer *w)
{
    return w->seq > UINT32_MAX - PL_SEQ_RESERVE;
}

static void new_session(struct pl_writer *w, int64_t utc_ns)
{
    pl_writer_finish_segment(w, PL_END_ASKED);
    w->session_id = new_id(w->root);
    w->seq = 0;
    start_segment(w, utc_ns);
}

void pl_writer_turn_over(struct pl_writer *w, int64_t utc_ns)
{
    if (seq_is_over(w)) /* first, since a new segment may fail */
        new_session(w, utc_ns);
    else if (segment_is_over(w, utc_ns))
        pl_writer_begin_next(w, utc_ns);
}
