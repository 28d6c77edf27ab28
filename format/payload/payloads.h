/*                                                format/payload/payloads.h
 * The payloads of records other than samples and titles: the recorder (SESS),
 * missing samples (gaps), events (note), offsets of chunks (indx) and the end
 * of a segment (ends).  Layouts: FORMAT.md, sections 5 and 8.  The _parse
 * functions read untrusted bytes; unknown tags are skipped.
 */
#ifndef PL_FORMAT_PAYLOAD_PAYLOADS_H
#define PL_FORMAT_PAYLOAD_PAYLOADS_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum { PL_BOOT_ID_LEN = 16, PL_SHA256_LEN = 32 };

/*
 * The sources of blocks: their byte order, a space, a name.  A platform has one
 * line here; pl_session_has_steady_clock says what is special about it.
 */
#define PL_PROVIDER_LINUX "little linux"
#define PL_PROVIDER_WINDOWS "little windows"
#define PL_PROVIDER_IMPORT "little import"
#define PL_PROVIDER_IMPORT_BIG "big import"
#define PL_PROVIDER_CALCULATED "little sheet" /* by another program */

/* One run of a recorder, with its SESS tags.  Texts point into the payload, or
 * to the caller's memory. */
struct pl_session {
    struct pl_text host;             /*  1 */
    uint64_t machine_hash;           /*  2, 0: unknown */
    uint8_t boot_id[PL_BOOT_ID_LEN]; /* 3, all zero: unknown */
    struct pl_text os;               /*  4 */
    struct pl_text architecture;     /*  5 */
    uint32_t num_cpus;               /*  6 */
    uint32_t page_size;              /*  7 */
    uint32_t clock_ticks;            /*  8, per second */
    uint64_t interval_ns;            /*  9, 0: none (imports) */
    struct pl_text tool;             /* 10 */
    uint32_t minor;                  /* 11 */
    struct pl_text provider;         /* 12 PL_PROVIDER_LINUX ... */
    int32_t zone_minutes;            /* 13, east of UTC */
    struct pl_text zone;             /* 13, IANA name */
    struct pl_text command_line;     /* 14, off by default */
    struct pl_text sync;             /* 15 "10s", "each", "never" */
    uint64_t perf_freq;              /* 16 */
    struct pl_text perf_source;      /* 16 */
    struct pl_text previous;         /* 18, file name of previous segment */
    bool repeat;                     /* 19 */
    const uint8_t *sha256;           /* 20, of the imported file; NULL: none */
    struct pl_text source;           /* 20, its name */
    bool titles_made_up;             /* 21 */
    struct pl_text process_path;     /* 22 "bpf", "proc" */
    uint64_t root;                   /* 25, of its file; 0: unknown */
    uint64_t place;                  /* 25, of this record in that file */
    struct pl_text process_reason;   /* 26, why not by BPF; else empty */
};

/*
 * True if the 100 ns clock of the session's blocks is not set together with the
 * wall clock: counters may be compared across a step of that.
 */
bool pl_session_has_steady_clock(const struct pl_session *s);

/* Append the payload; unknown (zero, empty) facts are left out. */
void pl_session_write(const struct pl_session *s, struct pl_buf *out);

/*
 * PL_CORRUPT: lengths do not match the payload.  PL_UNSUPPORTED: a critical tag
 * (flag bit 15) that this program does not know.
 */
enum pl_status pl_session_parse(struct pl_session *s, const uint8_t *p,
                                size_t n);

/* Why samples are missing. */
enum pl_gap_cause {
    PL_GAP_LATE = 1,
    PL_GAP_SUSPEND = 2,
    PL_GAP_DISK_FULL = 3,
    PL_GAP_DISK_ERROR = 4,
    PL_GAP_TOO_LARGE = 5,
    PL_GAP_SPACE_GUARD = 6,
    PL_GAP_SYNC_FAILED = 7, /* written, but may be lost */
    PL_GAP_RING_FULL = 8,
    PL_GAP_DAMAGED = 9,   /* in the source of a copied log; count may be 0 */
    PL_GAP_NOT_HERE = 10, /* missing from the source of a copied log */
    PL_NUM_GAP_CAUSES,
    /* Only shown: cause 4 with the error ENOMEM, in which no disk has a part. */
    PL_GAP_NO_MEMORY = PL_NUM_GAP_CAUSES,
    PL_NUM_SHOWN_CAUSES
};

struct pl_gaps {
    int64_t utc_first, utc_last; /* deadlines missed, ns */
    uint64_t boot_first, boot_last;
    uint32_t count;
    uint32_t cause; /* enum pl_gap_cause, or one of a newer perflog */
    int32_t error;  /* errno, 0: none */
};

/* Overwrite the place (tag 25) in the SESS payload 'p', if there is one: for
 * records that are copied to another place. */
void pl_session_move(uint8_t *p, size_t n, uint64_t place);

void pl_gaps_write(const struct pl_gaps *g, struct pl_buf *out);
enum pl_status pl_gaps_parse(struct pl_gaps *g, const uint8_t *p, size_t n);

/* The cause to be shown, 0 if this perflog does not know it; and in English, for
 * info and messages, never NULL. */
uint32_t pl_gap_shown_cause(const struct pl_gaps *g);
const char *pl_gap_cause_text(uint32_t shown);

enum pl_note_kind {
    PL_NOTE_CLOCK_STEP = 1,
    PL_NOTE_PROVIDER = 2,
    PL_NOTE_IMPORT = 3,
    PL_NOTE_TEXT = 4,
    PL_NOTE_LEFT_OUT = 5, /* a limit excludes what an application publishes */
};

struct pl_note {
    uint16_t kind;
    struct pl_text text;
};

void pl_note_write(const struct pl_note *n, struct pl_buf *out);
enum pl_status pl_note_parse(struct pl_note *note, const uint8_t *p, size_t n);

enum pl_end_reason {
    PL_END_NONE = 0, /* the writer writes no ends record, as if killed */
    PL_END_ASKED = 1,
    PL_END_SIGNAL = 2,
    PL_END_ROTATED = 3,
    PL_END_TIME_LIMIT = 4,
    PL_END_ERROR = 5,
};

struct pl_ends {
    uint64_t last_index; /* distance from SESS to the last indx; 0: none */
    uint32_t samples;
    uint32_t missed;
    uint32_t reason; /* enum pl_end_reason */
    uint32_t error;  /* errno */
};

enum { PL_ENDS_LEN = 24 }; /* of these; more may follow, stated_part.h */

void pl_ends_write(const struct pl_ends *e, struct pl_buf *out);
enum pl_status pl_ends_parse(struct pl_ends *e, const uint8_t *p, size_t n);

/* One chunk: a key sample and the deltas after it. */
struct pl_chunk {
    uint64_t offset; /* of the key's record, from the segment's SESS */
    int64_t utc_first, utc_last;
    uint64_t boot_first;
    uint32_t key_seq;
    uint32_t samples;
};

struct pl_index {
    uint64_t self; /* distance from SESS to this record */
    uint64_t prev; /* the same of the previous index; 0: none */
    uint32_t num_chunks;
    const uint8_t *chunks; /* read with pl_index_chunk */
};

void pl_index_write(uint64_t self, uint64_t prev, const struct pl_chunk *chunks,
                    uint32_t num_chunks, struct pl_buf *out);
enum pl_status pl_index_parse(struct pl_index *x, const uint8_t *p, size_t n);
struct pl_chunk pl_index_chunk(const struct pl_index *x, uint32_t i);

#endif
