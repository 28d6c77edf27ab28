/*                                                   format/reader/reader.h
 * Reads a log from its oldest record to its newest.  There is no repair mode:
 * complete, truncated and damaged logs and those still being written are read
 * by the same code.  Damage never ends reading; it is reported once, as an item
 * of its own, and the next call continues after it.
 *
 * A reader is used by one thread; several readers may read one file.  Whatever
 * the file's size, memory is a read-ahead buffer and at most four at a time of
 * blocks, records and unpacked differences (one more where records are
 * duplicated, or where a pipe has differences to a key); see pl_reader_on_need;
 * and the identities of processes (identity_set.h).
 */
#ifndef PL_FORMAT_READER_READER_H
#define PL_FORMAT_READER_READER_H

#include "format/base/buf.h"
#include "format/payload/identity_set.h"
#include "format/payload/payloads.h"
#include "format/payload/stated_counts.h"
#include "format/payload/stated_names.h"
#include "format/record/record.h"
#include "format/base/status.h"
#include "format/block/titles.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_reader;

enum pl_item_kind {
    PL_ITEM_SESSION, /* records from here on belong to another session; comes
                      * before its first sample, even if its SESS is bad */
    PL_ITEM_TITLES,  /* another set of titles applies from here on */
    PL_ITEM_SAMPLE,
    PL_ITEM_GAPS,
    PL_ITEM_NOTE,
    PL_ITEM_ENDS,
    PL_ITEM_OTHER,       /* a good record of no interest to callers */
    PL_ITEM_HOLE,        /* 'count' records of this session are missing */
    PL_ITEM_DAMAGED,     /* unusable bytes */
    PL_ITEM_INTERRUPTED, /* a record cut by a kill or crash, or zeros that a
                          * power cut left at the end of a run; no damage */
    PL_ITEM_UNREACHABLE, /* a good sample whose reference is lost */
    PL_ITEM_TOO_NEW,     /* needs a newer perflog */
    PL_ITEM_IDENTITIES,  /* of processes, see pl_reader_identities */
};

/* What the ends of a segment states of samples that were not read. */
struct pl_unread {
    uint64_t samples, bytes;        /* of their blocks */
    struct pl_stated_counts counts; /* of all samples of the segment */
};

/*
 * What pl_reader_next found.  Pointers stay valid until the next call, except
 * 'block', which stays valid until the next sample but one: a pair of
 * neighbouring samples can be looked at without a copy.
 */
struct pl_item {
    enum pl_item_kind kind;
    uint64_t at;                /* offset in the file */
    uint64_t len;               /* bytes this item accounts for; 0 for HOLE */
    struct pl_record record;    /* of kinds that are records, of HOLE the one
                                 * after it, and of DAMAGED if its header is
                                 * proven (else session 0) */
    const uint8_t *payload;     /* of a record, as stored, stored_len bytes;
                                 * NULL for large samples and other items */
    const struct pl_buf *block; /* SAMPLE; see pl_reader_keys_only, _outline */
    struct pl_gaps gaps;
    struct pl_note note;
    struct pl_ends ends;
    uint32_t count; /* HOLE: records, see between_files; DAMAGED: samples
                         * in it, where records have no numbers to count by */
    bool of_names;  /* SAMPLE: with names_suffice, in place of others; */
    const struct pl_stated_names
        *names; /* and in the first such one of a segment, or
                                   * else NULL, what is known of its objects */
    bool
        is_counted; /* SAMPLE: 'unread' of the ends that follows has its objects */
    const struct pl_unread *unread; /* ENDS; NULL: all has been read */
    bool between_files;             /* HOLE: between two segments: no damage */
    const char *reason;             /* DAMAGED, UNREACHABLE, TOO_NEW: English */
    bool too_large; /* UNREACHABLE: it or its reference is over max_block */
    bool zeros;     /* INTERRUPTED: nothing but zeros */
    bool harmless;  /* DAMAGED: the samples around it are a pair all the
                         * same: it is in the one that comes next, which is good
                         * except for what is missing from it, or in no sample */
};

/*
 * A log of another format, read like a perflog log.  The code for the format
 * supplies session, titles and samples; the reader makes records of them,
 * numbered in order, with the file's own offsets.
 */
struct pl_foreign {
    const char *format; /* "PerfMon binary log (.blg)" */
    bool unchecked;     /* it has no checksums: damage may go unnoticed */
    /*
     * The next item.  SESSION: *session is filled in, its texts are valid
     * until the next call; TITLES: 'titles' are set; SAMPLE: 'block' is filled
     * in, and utc_ns, boot_ns and flags of item->record; other kinds: the
     * members of struct pl_item for that kind.  item->at and item->len are the
     * file's.  Returns as pl_reader_next.
     */
    enum pl_status (*next)(void *ctx, struct pl_item *item,
                           struct pl_session *session, struct pl_titles *titles,
                           struct pl_buf *block);
    uint64_t (*position)(const void *ctx);
    uint64_t (*size)(const void *ctx);
    void (*close)(void *ctx);
};

struct pl_reader_options {
    uint64_t max_block; /* larger blocks are skipped; 0: 64 MiB */
    bool follow;        /* the file may grow: its end is not final */
    bool complete;      /* it does not, though it is locked */
    bool damaged_too;   /* a file without a proven record is read as DAMAGED,
                         * one of zeros as INTERRUPTED, no error */
    bool names_only; /* a sample with the same names as the one before may come
                      * without its block, which is then NULL */
    bool names_suffice; /* in place of a segment's samples there may be few
                         * that name all that these do, once, and hold zeros,
                         * and none of what lies between them */
};

/*
 * Open the log at 'path' ("-": standard input) and check its first bytes.
 * PL_NOT_A_LOG: it has no proven record, or a pipe none in its first MiB;
 * PL_ZEROS: there are only zeros; PL_TRUNCATED: empty; PL_UNSUPPORTED: the log
 * of a newer major version; PL_IO; PL_NOMEM.
 */
enum pl_status pl_reader_open(struct pl_reader **out, const char *path,
                              const struct pl_reader_options *options);
void pl_reader_close(struct pl_reader *r); /* NULL is fine */

/*
 * Continue with another file as if it were appended to the previous one:
 * sessions continue across segments.  Errors as pl_reader_open with damaged_too;
 * on failure the reader is at the end of the previous file.
 */
enum pl_status pl_reader_continue(struct pl_reader *r, const char *path);

/*
 * The host of a session, as other files have it: pl_reader_session returns it
 * where the record of the session is lost.  'host' stays the caller's, and
 * valid.
 */
void pl_reader_knows_host(struct pl_reader *r, uint64_t session,
                          struct pl_text host, uint64_t machine_hash);

/*
 * The same two for a file of another format.  'ctx' is the first argument of
 * the functions of 'foreign'; it is closed with the reader, or if this fails.
 * PL_NOMEM.
 */
enum pl_status pl_reader_open_foreign(struct pl_reader **out,
                                      const struct pl_foreign *foreign,
                                      void *ctx);
enum pl_status pl_reader_continue_foreign(struct pl_reader *r,
                                          const struct pl_foreign *foreign,
                                          void *ctx);

/* The format of such a file; NULL: it is a perflog log. */
const struct pl_foreign *pl_reader_foreign(const struct pl_reader *r);

/*
 * The next item.  PL_END at the end; with 'follow' more may come later, and
 * the next call checks again.  PL_IO, PL_NOMEM.
 */
enum pl_status pl_reader_next(struct pl_reader *r, struct pl_item *item);

/*
 * Skip samples before 'utc_ns', except the last of them and those of its chunk.
 * If the indexes show where to begin, nothing before that is read; else all is,
 * but samples that are not needed are not decoded.  Indexes are only hints:
 * each is checked, and no wanted sample is ever skipped.  Call it before the
 * first pl_reader_next.
 */
enum pl_status pl_reader_seek(struct pl_reader *r, int64_t utc_ns);

/*
 * Skip the rest of the current session, reading only headers.  If the records
 * up to the next session do not follow one another without damage, nothing is
 * skipped.
 */
void pl_reader_skip_session(struct pl_reader *r);

/*
 * True if it is certain that no sample after the position has a time from
 * first_ns to last_ns, both included.  The indexes tell, as far as there are
 * good ones; elsewhere headers are read, which is still quick.
 * '*longest' (may be NULL) becomes the longest interval of the sessions that
 * begin after the position, if that is longer; rows of such sessions are up to
 * an interval earlier than their samples.
 */
bool pl_reader_none_between(struct pl_reader *r, int64_t first_ns,
                            int64_t last_ns, uint64_t *longest);

/* The caller no longer needs the block of the sample before the last one. */
void pl_reader_forget_older(struct pl_reader *r);

/*
 * 'make_room' is called before a large key is read again, which takes one more
 * block: a caller that holds blocks of its own can free them.
 */
void pl_reader_on_need(struct pl_reader *r, void (*make_room)(void *ctx),
                       void *ctx);

/*
 * From now until the reader is closed, only keys are decoded, and samples that
 * refer to others have no block.  Errors in the contents of these are then not
 * found; everything else is reported as before.
 */
void pl_reader_keys_only(struct pl_reader *r);

/* The same, but nothing is gathered of processes, and keys in packs are not
 * decoded either: when samples are is known. */
void pl_reader_times_only(struct pl_reader *r);

/* The same, but of a pack only its first sample is returned, and the pack's number
 * and header for it: when a file begins is known without unpacking any. */
void pl_reader_first_times_only(struct pl_reader *r);

/*
 * The same, but the second sample of a session, and those after the last key of
 * one, or of a file, are decoded as well: what a log holds can be counted at
 * little cost, from what the start took up to how each session ended.  All
 * checksums of records are checked.  Of a pipe, which cannot be read ahead,
 * everything is decoded.
 */
void pl_reader_outline(struct pl_reader *r);

/*
 * The same, but packs are passed by their headers where the ends of their segment
 * states what is counted of it: all but the first of each session, with its first
 * two samples, and the last of each segment.  Gaps and notes between their samples
 * are returned, and the ends with what it states.  A segment in which anything is
 * not as it was written, as far as that is read, is read in full.
 */
void pl_reader_brief(struct pl_reader *r);

/*
 * The current session and titles; never NULL, empty before the first SESSION
 * and TITLES.  pl_reader_has_session is false for records whose SESS is lost.
 */
const struct pl_session *pl_reader_session(const struct pl_reader *r);
bool pl_reader_has_session(const struct pl_reader *r);
const struct pl_titles *pl_reader_titles(const struct pl_reader *r);

/*
 * What is known of the current session's processes, up to the last item; NULL:
 * nothing.  It is valid until the next call, and drops processes that ended some
 * time ago.
 */
const struct pl_identity_set *pl_reader_identities(const struct pl_reader *r);

uint64_t pl_reader_size(const struct pl_reader *r);     /* of the file */
uint64_t pl_reader_position(const struct pl_reader *r); /* in it */
/* True if a recorder holds the file's lock now. */
bool pl_reader_is_live(struct pl_reader *r);
/*
 * True if the file's last record is an ends that states something of its segment
 * (stated_part.h); what that is worth is not looked at.
 */
bool pl_reader_has_stated(const struct pl_reader *r);
/* Number of records skipped because they came before. */
uint64_t pl_reader_duplicates(const struct pl_reader *r);

#endif
