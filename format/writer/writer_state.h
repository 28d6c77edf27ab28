/*                                             format/writer/writer_state.h
 * The writer's state, shared by writer*.c only; writer.h is the interface.
 */
#ifndef PL_FORMAT_WRITER_WRITER_STATE_H
#define PL_FORMAT_WRITER_WRITER_STATE_H

#include "format/writer/record_batch.h"
#include "format/payload/chunk_index.h"
#include "format/record/codec.h"
#include "format/base/file.h"
#include "format/payload/identity_set.h"
#include "format/writer/pending_records.h"
#include "format/writer/writer.h"

/* Numbers kept unused at a session's end: more than records can be pending. */
enum { PL_SEQ_RESERVE = 4096 };

struct pl_writer {
    struct pl_writer_options options;
    struct pl_writer_stats stats;
    struct pl_encoder *encoder;
    char *path;     /* as given to pl_writer_open */
    char *current;  /* path of the file being written */
    char *previous; /* path of the previous segment; NULL: none */
    struct pl_file *file;

    uint64_t session_id;
    uint64_t root;       /* session of the file's first record */
    uint32_t seq;        /* of the next record */
    uint64_t segment_at; /* offset of the segment's SESS in the file */
    uint64_t size;       /* end of the last complete record */
    uint32_t next_no;    /* number of the next segment */
    int64_t segment_utc; /* when the segment began */
    uint32_t segment_samples;
    uint32_t segment_missed; /* as reported in its gaps */

    int64_t last_utc, last_boot; /* of the last written sample */

    struct pl_buf block; /* reference: the last written sample */
    uint32_t block_seq;

    struct pl_buf titles; /* payload for the current chunk */
    bool titles_pending;

    struct pl_identity_set *identities; /* NULL: there were none */
    uint64_t identities_put; /* version in the log since its last repeat */

    struct pl_chunk_index chunks;

    struct pl_pending_records pending; /* written with the next sample */
    struct pl_record_batch batch;      /* records of one write() */
    struct pl_buf payload;             /* of the sample */

    bool session_pending; /* the segment's SESS is not yet written */
    bool torn;            /* a failed write could not be cut back */
    int gone; /* nothing goes into the file: ENOENT, it was deleted; ENODATA,
               * cut; and no other could be begun yet */
    uint64_t room_end; /* offset up to which disk space is reserved */
    bool has_no_room;  /* this file system cannot reserve space */
    bool drop_due;     /* older segments stay until this one is reliable */

    uint32_t errors_in_a_row;
    int64_t rescued_at;            /* steady clock; 0: never */
    int64_t rescue_pause;          /* until it may be done again */
    int64_t replaced_at;           /* the same for a file that was changed */
    int64_t taken_utc, taken_boot; /* when that was noticed; 0: it is as left */
    int64_t made_room_at; /* for this segment, steady clock; 0: never */
    int64_t synced_at;    /* steady clock */
    bool unsynced;
    bool sync_failed; /* this file is never synced again */
    bool in_doubt; /* the last sync of any file failed, not for want of room */
    struct pl_gaps at_risk; /* samples not yet synced */
    int64_t space_checked_at;
    bool space_low;
};

/* True if it writes a log made from another one, with the times of that. */
static inline bool pl_writer_is_copy(const struct pl_writer *w)
{
    return w->options.is_copy;
}

/* ---- writer_records.c: records built, written, synced --------------------- */

/* Distance of the next record from the segment's SESS. */
uint64_t pl_writer_distance(const struct pl_writer *w);

/* Start a batch of records; a pending SESS of the segment comes first. */
void pl_writer_begin(struct pl_writer *w);

/* Add a record: SESS ('repeat': as a repeat), TITL (PL_NOMEM), indx. */
void pl_writer_add_session(struct pl_writer *w, int64_t utc_ns, int64_t boot_ns,
                           bool repeat);
enum pl_status pl_writer_add_titles(struct pl_writer *w, int64_t utc_ns,
                                    int64_t boot_ns);
/* Add an iden record, if processes of 'block' have identities that the log does
 * not have yet.  PL_NOMEM. */
enum pl_status pl_writer_add_identities(struct pl_writer *w,
                                        const struct pl_sample_stamp *stamp,
                                        const struct pl_buf *block);
void pl_writer_add_index(struct pl_writer *w, int64_t utc_ns, int64_t boot_ns);

/*
 * Write the batch.  On failure the file is truncated, so that it ends with a
 * complete record and the sequence has no hole.  Where the file system can
 * reserve space, 8 KiB stay reserved for the segment's last records, which
 * report what a full disk has cost.  A batch that would need that space is not
 * written (PL_IO, ENOSPC).
 */
enum pl_status pl_writer_flush(struct pl_writer *w);

/* The same into the reserved space, the rest of which is then freed. */
enum pl_status pl_writer_flush_last(struct pl_writer *w);

/* The pending records are in the file now: drop them. */
void pl_writer_forget_pending(struct pl_writer *w);

/* Sync the file; after a failure that is never tried again. */
enum pl_status pl_writer_sync(struct pl_writer *w);

/* Report in gaps that samples since the last good sync may be lost. */
void pl_writer_report_risk(struct pl_writer *w, int error);

/* ---- writer_segments.c: files, and the segments in them ------------------- */

/* Set w->space_low: there is less free space than is to be kept free. */
enum pl_status pl_writer_look_at_space(struct pl_writer *w,
                                       struct pl_file *file);

/* The first file; without rotation it counts as segment 000. */
enum pl_status pl_writer_open_first(struct pl_writer *w, const char **why);

/* Before a sample of that time: begin a segment or session if one is due. */
void pl_writer_turn_over(struct pl_writer *w, int64_t utc_ns);

/* Write indx and ends, and sync.  The samples are readable without them. */
enum pl_status pl_writer_finish_segment(struct pl_writer *w,
                                        enum pl_end_reason reason);

/*
 * End the segment and begin the next.  If the next cannot be opened, the old
 * one is continued: a file over its limit is better than lost samples.  If that
 * is for want of room, what is due with the next one is deleted before.  Nothing
 * is written into a file that is gone (pl_writer_look_at_file).
 */
enum pl_status pl_writer_begin_next(struct pl_writer *w, int64_t utc_ns);

/*
 * Which segments are kept ('keep'), with this one:
 * - 'keep' of them, and their size is no more than that many full ones;
 * - by size and time, also those of the last 'keep' periods of time, up to a
 *   thousand, if all together are no larger than 'keep' full ones: restarts and
 *   requests for a segment cost no history.
 * The others are deleted when the new segment is reliable: a sample of it is on
 * the disk, or written where nothing is synced.  Until then, as on a disk that
 * refuses to sync, the bound is twice the size, or where segments have none,
 * twice 'keep' and some.
 */
void pl_writer_drop_old(struct pl_writer *w);

/*
 * The disk has no room for a sample.  If older segments are due to be deleted,
 * that is done at once, unless the disk refuses to sync, for another reason than
 * that: then they may be all that there is.  Where time ends segments, those that began before the last
 * 'keep' periods go, too, even if no more than that many are there: else a disk
 * on which 'keep' segments have no room would take no sample any more.  It may
 * be done again after a second, as one may have been in use, or become too old.
 * False: nothing was done.
 */
bool pl_writer_make_room(struct pl_writer *w);

/*
 * The file is unreliable after errors: continue in another one, at once, and if
 * errors go on, after pauses of a minute, two, four and so on up to an hour, so
 * as not to fill the folder if that does not help.  While no file can be begun,
 * every call tries to.
 */
void pl_writer_rescue(struct pl_writer *w, int64_t utc_ns);

/*
 * False if another program has deleted the file or changed its size since it was
 * last written.  w->gone then says whether what would go into it could not be
 * found or read; what was only appended to it is passed.
 */
bool pl_writer_is_as_left(struct pl_writer *w);

/*
 * The same as a rescue if another program has deleted the file, always at once,
 * or changed its size, once a minute.  Until then the sample is lost where
 * w->gone says so.
 */
void pl_writer_look_at_file(struct pl_writer *w, int64_t utc_ns,
                            int64_t boot_ns);

/*
 * True if the write failed since the file may become no larger, and it is of
 * the size that may be asked for: then the next one is begun, as after that size.
 */
bool pl_writer_is_too_big(const struct pl_writer *w, enum pl_status s,
                          int error);

#endif
