/*                                                   format/writer/writer.h
 * Appends samples to a log so that every byte that was written stays
 * readable, whatever happens next: one write() per sample, nothing is ever
 * rewritten; after a failed write the file is truncated to the last complete
 * record, and the next sample continues there.  Samples that could not be
 * written are counted by cause and reported in a gaps record as soon as there
 * is space again.
 *
 * A writer is used by one thread at a time.
 */
#ifndef PL_FORMAT_WRITER_WRITER_H
#define PL_FORMAT_WRITER_WRITER_H

#include "format/base/buf.h"
#include "format/base/file.h"
#include "format/payload/payloads.h"
#include "format/record/record.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { PL_SYNC_EACH = 0 }; /* sync_ns: after every sample */
#define PL_SYNC_NEVER UINT64_MAX

/* Where files of a size may be asked for, the least; a file that the system lets
 * become no larger (EFBIG) ends there, too. */
enum { PL_LEAST_SEGMENT = 64 << 10 };

struct pl_writer_options {
    struct pl_session session; /* its texts must outlive the writer */
    uint64_t sync_ns;     /* at most this long unsynced, and at every key */
    uint64_t max_size;    /* bytes of a segment; 0: no rotation by size */
    uint64_t max_time_ns; /* segments end at its multiples; 0: none */
    uint64_t keep;        /* segments kept, see pl_writer_drop_old; 0: all */
    uint64_t min_free;    /* bytes to keep free; see min_free_percent */
    uint32_t min_free_percent; /* of the file system; 0: use min_free */
    enum pl_file_new opening;  /* PL_MAY_EXIST: it is continued */
    /* For a log made from another one: the times of the session's beginning;
     * afterwards the times of samples serve as the clock.  Its first failed
     * write ends it. */
    bool is_copy;
    int64_t begun_utc_ns, begun_boot_ns;
};

/* Sums since the writer was opened; read by its own thread. */
struct pl_writer_stats {
    uint64_t samples;     /* written */
    uint64_t not_written; /* lost after they were taken */
    uint64_t missed;      /* deadlines reported by pl_writer_missed */
    uint64_t block_bytes; /* raw, of written samples */
    uint64_t log_bytes;   /* appended, headers and padding included */
    uint64_t file_bytes;  /* size of the current file */
    uint64_t free_bytes;  /* of its file system, as last checked */
    uint64_t kept_free;   /* of these stay free (min_free) */
    uint64_t encode_ns, write_ns, sync_ns;
    uint64_t num_writes, num_syncs;
    uint64_t system_calls;
    uint32_t may_be_lost; /* sync errors */
    uint32_t taken_away;  /* files that another program deleted or changed */
    bool ended_taken;     /* the last one, too: no other was begun */
    uint32_t segments;
};

struct pl_writer;

/*
 * Open 'path' for appending (or its first segment, if rotation is on) and write
 * SESS.  pl_append_file_open says which existing files are accepted; their
 * contents are not changed.  PL_IO, PL_NOMEM, PL_NO_SPACE (min_free),
 * PL_NOT_A_LOG, PL_UNSUPPORTED (a newer log), PL_BUSY, PL_UNSAFE (*why).
 */
enum pl_status pl_writer_open(struct pl_writer **out, const char *path,
                              const struct pl_writer_options *options,
                              const char **why);

/* The file being written: its name changes with every segment. */
const char *pl_writer_path(const struct pl_writer *w);

const struct pl_writer_stats *pl_writer_stats(const struct pl_writer *w);

/*
 * Set the titles that belong to the next sample: a TITL payload.  If they
 * differ from the previous ones, this ends the chunk, and 'titles' is swapped
 * with a buffer that may be reused.
 */
void pl_writer_titles(struct pl_writer *w, struct pl_buf *titles);

/*
 * Set what identifies processes of the next sample: the payload of an iden
 * record (process_identity.h).  It is kept, and written again where reading may
 * begin, as long as the blocks have these processes; see identity_set.h for the
 * limit.  PL_NOMEM, PL_CORRUPT.
 */
enum pl_status pl_writer_identities(struct pl_writer *w,
                                    const struct pl_buf *payload);

struct pl_sample_stamp {
    int64_t utc_ns;
    int64_t boot_ns;
    uint8_t flags; /* PL_FLAG_CLOCK_STEPPED; PL_FLAG_MISSED is added here */
};

/*
 * Append one sample.  'block' is swapped with a buffer that may be reused,
 * since the writer keeps the last written block as the reference.  On PL_IO,
 * PL_NO_SPACE, PL_TOO_LARGE and PL_NOMEM the sample is lost and counted, and
 * the log is intact: continue with the next sample.
 */
enum pl_status pl_writer_sample(struct pl_writer *w,
                                const struct pl_sample_stamp *stamp,
                                struct pl_buf *block);

/* Free that reference if it is large; the next sample is then stored without
 * one. */
void pl_writer_forget_reference(struct pl_writer *w);

/*
 * As pl_writer_sample for a caller that keeps the blocks: the caller still owns
 * 'block', and 'ref' is the block of the sample written last, NULL if the
 * caller no longer has it.
 */
enum pl_status pl_writer_sample_kept(struct pl_writer *w,
                                     const struct pl_sample_stamp *stamp,
                                     const struct pl_buf *ref,
                                     const struct pl_buf *block);

/* Report deadlines missed before the next sample; kept until written. */
void pl_writer_missed(struct pl_writer *w, const struct pl_gaps *g);

/* Report an event; written with the next sample. */
void pl_writer_note(struct pl_writer *w, enum pl_note_kind kind, int64_t utc_ns,
                    int64_t boot_ns, const char *text);

/*
 * Copy a record of another log that is neither SESS, TITL nor SMPL, such as
 * gaps or a note, with its times; its payload is r->stored_len bytes, codec 0.
 * It is written before the next sample.  PL_IO, PL_NOMEM.
 */
enum pl_status pl_writer_keep(struct pl_writer *w, const struct pl_record *r,
                              const uint8_t *payload);

/*
 * End the segment, if it has a sample, and begin the next (only if rotation is
 * on).  Errors as
 * pl_append_file_open; the old segment is then continued.  A file that another
 * program has deleted is not ended: what is to be reported is in the next one.
 */
enum pl_status pl_writer_rotate(struct pl_writer *w);

/*
 * Write pending records, indx and ends (not with PL_END_NONE), sync, and free
 * 'w' also on failure.  'final' (may be NULL) receives the sums.  PL_IO,
 * PL_NOMEM: the end could not be written, though the samples are, or they
 * could not be synced, which 'final' counts.
 */
enum pl_status pl_writer_close(struct pl_writer *w, enum pl_end_reason reason,
                               struct pl_writer_stats *final);

#endif
