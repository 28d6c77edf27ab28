/*                                                      format/log/reader.h
 * Reads a log from its oldest record to its newest.  There is no repair mode:
 * whole logs, cut ones, damaged ones and ones still being written are read by
 * the same code.  Damage never stops a reader for good; it is reported once,
 * as an item of its own, and the next call goes on behind it.
 *
 * A reader is used by one thread; several may read one file.  Memory is a
 * read-ahead buffer and, whatever the file's size, at most four of these at
 * once: blocks, records, differences unpacked (one more where records are met
 * again, or where a pipe has differences to a key); see pl_reader_on_need.
 */
#ifndef PL_FORMAT_LOG_READER_H
#define PL_FORMAT_LOG_READER_H

#include "format/base/buf.h"
#include "format/log/payloads.h"
#include "format/log/record.h"
#include "format/base/status.h"
#include "format/block/titles.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_reader;

enum pl_item_kind {
    PL_ITEM_SESSION, /* records from here on belong to another session; comes
                      * before its first sample, though its SESS be bad */
    PL_ITEM_TITLES,  /* another set of titles is in force */
    PL_ITEM_SAMPLE,
    PL_ITEM_GAPS,
    PL_ITEM_NOTE,
    PL_ITEM_ENDS,
    PL_ITEM_OTHER,       /* a good record that tells a caller nothing */
    PL_ITEM_HOLE,        /* 'count' records of this session are missing */
    PL_ITEM_DAMAGED,     /* bytes nobody can use */
    PL_ITEM_INTERRUPTED, /* a record cut by a kill or crash, or zeros that a
                          * power cut left at the end of a run; no damage */
    PL_ITEM_UNREACHABLE, /* a good sample whose reference is lost */
    PL_ITEM_TOO_NEW,     /* needs a newer perflog */
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
    struct pl_record record;    /* of kinds that are records, and of DAMAGED
                                 * if its header is proven (else session 0) */
    const uint8_t *payload;     /* of a record as stored, stored_len bytes;
                                 * NULL for the rest, and for large samples */
    const struct pl_buf *block; /* SAMPLE; see pl_reader_keys_only */
    struct pl_gaps gaps;
    struct pl_note note;
    struct pl_ends ends;
    uint32_t count;     /* HOLE: records; see between_files */
    bool between_files; /* HOLE: at the seam of two segments: no damage */
    const char *reason; /* DAMAGED, UNREACHABLE, TOO_NEW: English */
    bool too_large;     /* UNREACHABLE: over max_block */
    bool zeros;         /* INTERRUPTED: nothing else is there */
    bool harmless; /* DAMAGED: in the sample that comes next, which is good but
                    * for what is missing in it */
};

/*
 * A log of another format, read as if it were ours.  Who knows the format
 * hands out session, titles and samples; records of them are made up, with
 * numbers in order and offsets that are the file's own.
 */
struct pl_foreign {
    const char *format; /* "PerfMon binary log (.blg)" */
    bool unchecked;     /* it has no checksums: damage may go unnoticed */
    /*
     * What comes next.  SESSION: *session is filled in, its texts need live
     * until the next call; TITLES: 'titles' are set; SAMPLE: 'block' is filled
     * in, and utc_ns, boot_ns and flags of item->record; other kinds: what
     * struct pl_item says.  item->at and item->len are the file's.  As
     * pl_reader_next.
     */
    enum pl_status (*next)(void *ctx, struct pl_item *item,
                           struct pl_session *session, struct pl_titles *titles,
                           struct pl_buf *block);
    uint64_t (*position)(const void *ctx);
    uint64_t (*size)(const void *ctx);
    void (*close)(void *ctx);
};

struct pl_reader_options {
    uint64_t max_block; /* larger blocks are passed over; 0: 64 MiB */
    bool follow;        /* the end of the file is where we wait */
    bool zeros_too;     /* PL_ZEROS is none, but an interruption */
    bool names_only; /* a sample with the same names as the one before may come
                      * without its block, which is then NULL */
};

/*
 * Open the log at 'path' ("-": standard input) and look at its first bytes.
 * PL_NOT_A_LOG: no proven record in its first MiB; PL_ZEROS: there are only
 * zeros; PL_TRUNCATED: empty;
 * PL_UNSUPPORTED: the log of a newer major version; PL_IO; PL_NOMEM.
 */
enum pl_status pl_reader_open(struct pl_reader **out, const char *path,
                              const struct pl_reader_options *options);
void pl_reader_close(struct pl_reader *r); /* NULL is fine */

/*
 * Go on with another file as if it were appended to the one before: sessions
 * continue across segments.  As pl_reader_open with zeros_too; on failure the reader is at
 * the end of what it had.
 */
enum pl_status pl_reader_continue(struct pl_reader *r, const char *path);

/*
 * The same two for a file of another format, which 'ctx' stands for; it is
 * closed with the reader, or if this fails.  PL_NOMEM.
 */
enum pl_status pl_reader_open_foreign(struct pl_reader **out,
                                      const struct pl_foreign *foreign,
                                      void *ctx);
enum pl_status pl_reader_continue_foreign(struct pl_reader *r,
                                          const struct pl_foreign *foreign,
                                          void *ctx);

/* What is to be known of such a file; NULL: it is a log of ours. */
const struct pl_foreign *pl_reader_foreign(const struct pl_reader *r);

/*
 * The next item.  PL_END at the end; with 'follow' more may come later and
 * the next call looks again.  PL_IO, PL_NOMEM.
 */
enum pl_status pl_reader_next(struct pl_reader *r, struct pl_item *item);

/*
 * Pass over samples before 'utc_ns', except the last of them, if the indexes
 * tell where to begin.  They are only a hint: each is checked, nothing that is
 * wanted is ever skipped, and without good indexes nothing is.  Call it before
 * the first pl_reader_next.
 */
enum pl_status pl_reader_seek(struct pl_reader *r, int64_t utc_ns);

/*
 * Pass over the rest of the session being read, unless the way to the next one
 * is not clear; then nothing is passed over.  Only headers are looked at.
 */
void pl_reader_skip_session(struct pl_reader *r);

/*
 * True if it is certain that no sample behind the position has a time between
 * the two, both included.  Only headers are looked at, so this is quick.
 */
bool pl_reader_none_between(struct pl_reader *r, int64_t first_ns,
                            int64_t last_ns);

/* The sample before the last one is not looked at any more. */
void pl_reader_forget_older(struct pl_reader *r);

/*
 * 'make_room' is called before a large key is read again, which is one block
 * more: a caller who holds blocks of his own may let them go.
 */
void pl_reader_on_need(struct pl_reader *r, void (*make_room)(void *ctx),
                       void *ctx);

/*
 * From now on samples that refer to others come without a block, and only keys
 * are decoded, until the reader is closed.  What the others hold cannot be
 * proven then; everything else is told as ever.
 */
void pl_reader_keys_only(struct pl_reader *r);

/*
 * Who recorded, and what numbers are called; never NULL, empty before the
 * first SESSION and TITLES.  pl_reader_has_session is false for records whose
 * SESS is lost.
 */
const struct pl_session *pl_reader_session(const struct pl_reader *r);
bool pl_reader_has_session(const struct pl_reader *r);
const struct pl_titles *pl_reader_titles(const struct pl_reader *r);

uint64_t pl_reader_size(const struct pl_reader *r);     /* of the file */
uint64_t pl_reader_position(const struct pl_reader *r); /* in it */
/* A recorder holds the file's lock now. */
bool pl_reader_is_live(struct pl_reader *r);
/* Records passed over because the same ones came before. */
uint64_t pl_reader_duplicates(const struct pl_reader *r);

#endif
