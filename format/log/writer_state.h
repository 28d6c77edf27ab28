/*                                                format/log/writer_state.h
 * What writer.c, writer_records.c and writer_segments.c share; for no other
 * file.
 */
#ifndef PL_FORMAT_LOG_WRITER_STATE_H
#define PL_FORMAT_LOG_WRITER_STATE_H

#include "format/log/record_batch.h"
#include "format/log/chunk_index.h"
#include "format/log/codec.h"
#include "format/base/file.h"
#include "format/log/pending_records.h"
#include "format/log/writer.h"

/* The last numbers of a session are not used: more records than notes wait. */
enum { PL_SEQ_RESERVE = 4096 };

struct pl_writer {
    struct pl_writer_options options;
    struct pl_writer_stats stats;
    struct pl_encoder *encoder;
    char *path;     /* as asked for */
    char *current;  /* of the file being written */
    char *previous; /* of the segment before it; NULL: none */
    struct pl_file *file;

    uint64_t session_id;
    uint64_t root;       /* session of the file's first record */
    uint32_t seq;        /* of the next record */
    uint64_t segment_at; /* offset of the segment's SESS in the file */
    uint64_t size;       /* end of the last whole record */
    uint32_t next_no;    /* number of the next segment */
    int64_t segment_utc; /* when the segment began */
    uint32_t segment_samples;
    uint32_t segment_missed; /* told in it */

    int64_t last_utc, last_boot; /* of the last written sample */

    struct pl_buf block; /* reference: the last written sample */
    uint32_t block_seq;

    struct pl_buf titles; /* payload for the current chunk */
    bool titles_pending;

    struct pl_chunk_index chunks;

    struct pl_pending_records pending; /* goes with the next sample */
    struct pl_record_batch batch;      /* records of one write() */
    struct pl_buf payload;             /* of the sample */

    bool session_pending; /* the segment's SESS is not yet written */
    bool torn;            /* a failed write could not be cut back */
    uint64_t room_end;    /* offset up to which the disk is ours */
    bool has_no_room;     /* this file system keeps none */

    uint32_t errors_in_a_row;
    int64_t rescued_at; /* steady clock; 0: never */
    int64_t synced_at;  /* steady clock */
    bool unsynced;
    bool sync_failed;       /* this file is never synced again */
    struct pl_gaps at_risk; /* samples not yet synced */
    int64_t space_checked_at;
    bool space_low;
};

/* True if it writes what was recorded before, at the times of then. */
static inline bool pl_writer_is_copy(const struct pl_writer *w)
{
    return w->options.is_copy;
}

/* ---- writer_records.c: records put together, written, synced -------------- */

/* Where the next record will lie, counted from the segment's SESS. */
uint64_t pl_writer_distance(const struct pl_writer *w);

/* Start collecting records; a segment's SESS goes before all others. */
void pl_writer_begin(struct pl_writer *w);

/* Add one: SESS ('repeat': once more), TITL (PL_NOMEM), indx. */
void pl_writer_add_session(struct pl_writer *w, int64_t utc_ns, int64_t boot_ns,
                           bool repeat);
enum pl_status pl_writer_add_titles(struct pl_writer *w, int64_t utc_ns,
                                    int64_t boot_ns);
void pl_writer_add_index(struct pl_writer *w, int64_t utc_ns, int64_t boot_ns);

/*
 * Write what has been added since pl_writer_begin().  On failure the file is
 * cut back, so that it ends on a whole record and the sequence has no hole.
 * As far as the file system can keep it, room is left on the disk for the last
 * words: what a disk that stays full has cost.  What would take of it is not
 * written (PL_IO, ENOSPC).
 */
enum pl_status pl_writer_flush(struct pl_writer *w);

/* The same into the room that was left, the rest of which is given back. */
enum pl_status pl_writer_flush_last(struct pl_writer *w);

/* All that was said to be missing is in the file now. */
void pl_writer_forget_pending(struct pl_writer *w);

/* Force the file to disk; after a failure it is never tried again. */
enum pl_status pl_writer_sync(struct pl_writer *w);

/* What was written since the last good sync may be lost: tell of it. */
void pl_writer_tell_risk(struct pl_writer *w, int error);

/* ---- writer_segments.c: files, and the segments in them ------------------- */

/* Is there less than is to be left free?  Into w->space_low. */
enum pl_status pl_writer_look_at_space(struct pl_writer *w,
                                       struct pl_file *file);

/* The first file; without rotation it counts as segment 000. */
enum pl_status pl_writer_open_first(struct pl_writer *w, const char **why);

/* Before a sample of that time: another segment, or session, if one is due. */
void pl_writer_turn_over(struct pl_writer *w, int64_t utc_ns);

/* indx and ends, synced.  The segment's samples are safe without them. */
enum pl_status pl_writer_finish_segment(struct pl_writer *w,
                                        enum pl_end_reason reason);

/*
 * The file cannot be trusted any more: go on in another one, but do not fill
 * the folder with them if that does not help.
 */
void pl_writer_rescue(struct pl_writer *w, int64_t utc_ns);

/* The same if somebody deleted the file or changed its size meanwhile. */
void pl_writer_look_at_file(struct pl_writer *w, int64_t utc_ns,
                            int64_t boot_ns);

#endif
