/*                                             format/reader/reader_state.h
 * The reader's state, shared by reader*.c only; reader.h is the interface.
 */
#ifndef PL_FORMAT_READER_READER_STATE_H
#define PL_FORMAT_READER_READER_STATE_H

#include "format/pack/pack_decoder.h"
#include "format/reader/reader.h"
#include "format/reader/record_scan.h"
#include "format/payload/stated_names.h"

enum {
    NUM_SLOTS = 4,
    MAX_MISSING = 256,
    MAX_ROOTS = 64,
    MAX_QUEUED = 4,
    NO_SLOT = -1
};

/* Sessions read so far: an open-addressing table, at most half full. */
struct pl_seen {
    uint64_t session; /* 0: free */
    uint64_t next_seq;
};

/* Records [first, next) of a session are missing so far; they may come late. */
struct pl_missing {
    uint64_t session;
    uint64_t first, next;
};

/* Facts that decide whether records belong to the file being read. */
struct pl_origin {
    uint64_t roots[MAX_ROOTS]; /* first sessions of the logs joined in it */
    size_t num_roots;          /* all so far; 'roots' keeps the newest */
    uint64_t good_end;         /* of the last record that belongs to it, */
    int64_t good_utc;          /* and when that was written */
    uint64_t segment;          /* the session whose segment began here, and */
    uint32_t segment_seq;      /* its number; no later one is below that */
    uint64_t stray;            /* the last session begun in another file */
};

/* A segment whose packs are passed (reader_counts.c). */
struct pl_passing {
    bool wanted;        /* where that is possible */
    bool looks;         /* a SESS has been read, */
    uint64_t begin;     /* here, whose segment was not looked at */
    uint64_t looked_to; /* no segment that begins before this can be passed */
    uint64_t ends_at;   /* of the segment that is; 0: none is */
    uint64_t read_to;   /* packs before this offset are read, */
    uint64_t last_pack; /* and that at this one */
    struct pl_stretch pack; /* being passed; length 0: none, */
    uint64_t pack_next;     /* and the number after its records */
    uint64_t met;           /* samples of the session given out */
    uint64_t passed;        /* samples of the segment that are not, */
    uint64_t given_bytes;   /* and what is of the others */
    struct pl_buf content;
    struct pl_stated_counts counts;  /* of it, */
    struct pl_stated_counts records; /* and the records not yet passed */
    struct pl_unread unread;         /* of an item */
};

struct pl_reader {
    struct pl_record_scan scan;
    struct pl_decoder *decoder;
    uint64_t max_block;
    bool keys_only;
    bool times_only;
    bool first_suffices; /* of the samples of a pack */
    /* samples after the last key are decoded; it was looked for the key's next
     * one; there is none */
    bool ends_too, looked, is_last;
    bool met_second; /* sample of the session, which is decoded then, too */
    uint64_t needed_from; /* samples before this offset are not decoded */
    uint64_t sought;      /* bytes read for indexes, by one search */
    bool seam;            /* the next record is the first of another file */
    uint64_t duplicates;
    struct pl_origin origin;

    struct pl_seen *seen;
    size_t seen_cap, seen_num;
    uint64_t seen_seed;
    struct pl_missing missing[MAX_MISSING]; /* the newest ones */
    size_t num_missing;

    /* the session being read */
    uint64_t session;  /* 0: none yet */
    uint64_t next_seq; /* above all that were read */
    uint64_t follower; /* seq after that of the previous record */
    bool fresh;        /* no record of it has been read: no hole before it */
    bool reported;     /* its SESSION item has been returned */
    bool too_new;      /* a critical record was not understood */
    bool has_meta;
    struct { /* pl_reader_knows_host */
        uint64_t session;
        struct pl_text host;
        uint64_t machine_hash;
    } known;
    struct pl_session meta;
    struct pl_buf meta_payload; /* meta's texts point into it */
    struct pl_titles *titles;
    uint64_t titles_hash;
    uint32_t titles_seq;
    bool has_titles;
    struct pl_identity_set *identities; /* NULL: it has none so far */

    /* decoded blocks: the chunk's key, the previous sample, the next one, */
    struct pl_buf slots[NUM_SLOTS];
    int key_slot, last_slot;
    int given_slot; /* and the last returned one, if it is none of these */
    uint32_t key_seq, last_seq;
    uint64_t key_at; /* offset of the key, to be read again without slot */
    bool has_key_at;
    /* 1 + the number of the last sample that is over max_block or refers to such a
     * one, and of the last such key; 0: there was none */
    uint64_t after_large, after_large_key;
    void (*make_room)(void *ctx); /* called before that; may be NULL */
    void *room_ctx;

    struct pl_pack_decoder *pack; /* NULL: none was read so far */
    struct pl_stretch pack_at;    /* where the one being read is */
    int pack_slot;                /* its last sample; NO_SLOT: none */
    bool pack_began;              /* its first sample has been read */
    bool pack_large;              /* one of its samples is over max_block */

    bool names_suffice; /* where ends has them samples are not read */
    int names_stage;    /* reader_names.c */
    struct pl_buf names_content;
    struct pl_stated_names names_all; /* of it, */
    struct pl_stated_names names;     /* and what has not yet been read */
    struct pl_record names_record;    /* of its blocks, as samples */
    uint64_t names_ends_at;

    struct pl_passing passing;

    struct pl_buf scratch;            /* decoded TITL */
    struct pl_item queue[MAX_QUEUED]; /* items to return before reading on */
    size_t queue_at, queue_num;

    const struct pl_foreign *foreign; /* NULL: a perflog log */
    void *foreign_ctx;
};

/* True if a caller or a later sample may need the block in the slot. */
static inline bool pl_reader_needs_slot(const struct pl_reader *r, int slot)
{
    return slot == r->key_slot || slot == r->last_slot || slot == r->given_slot;
}

/*
 * Parse the contents of a record into the item, except for its offset and
 * length.  PL_NOMEM; all other errors are reported in the item.
 */
enum pl_status pl_reader_read_record(struct pl_reader *r,
                                     const struct pl_stretch *at,
                                     struct pl_item *item);

/* The item becomes a sample that cannot be decoded: over max_block, or its
 * reference is; neither: its reference is lost. */
void pl_reader_leave_out(struct pl_item *item, bool is_large,
                         bool ref_is_large);

/* Is a sample decoded that is no key, or not the first of its pack?  Decided once
 * for each of these.  item->payload may become NULL. */
bool pl_reader_is_decoded(struct pl_reader *r, struct pl_item *item);

/* ---- reader_pack.c: records that came out of a PACK ------------------------ */

/* Begin with a proven PACK.  PL_NOMEM; all other errors are queued. */
enum pl_status pl_reader_open_pack(struct pl_reader *r,
                                   const struct pl_stretch *at);

/* The next record of the pack; *at is its stretch.  PL_END: there is none;
 * PL_CORRUPT: the rest is lost. */
enum pl_status pl_reader_next_packed(struct pl_reader *r,
                                     struct pl_stretch *at);

/* Decode a sample of the pack; as pl_reader_read_record. */
enum pl_status pl_reader_read_packed(struct pl_reader *r,
                                     const struct pl_stretch *at,
                                     struct pl_item *item);

/* True if a pack is being read, of which there is more to come. */
bool pl_reader_is_in_pack(const struct pl_reader *r);

/* True if none of the samples to come from the pack has such a time. */
bool pl_reader_pack_has_none(const struct pl_reader *r, int64_t first_ns,
                             int64_t last_ns);

/* A slot that neither a caller nor a later sample needs. */
int pl_reader_free_slot(const struct pl_reader *r);

/* Add an item of that kind, to be returned before reading on. */
struct pl_item *pl_reader_enqueue(struct pl_reader *r, enum pl_item_kind kind,
                                  const struct pl_stretch *at);

/*
 * Read and prove the record at file offset 'at'.  Its payload is valid until
 * the file is read again.  PL_CORRUPT, PL_IO, PL_NOMEM.
 */
enum pl_status pl_reader_read_at(struct pl_reader *r, uint64_t at,
                                 struct pl_record *record,
                                 const uint8_t **payload);

/* True if records of the session have been read. */
bool pl_reader_has_met(const struct pl_reader *r, uint64_t session);

/*
 * True if the record was written to another file, whose disk blocks this file
 * contains; else it is noted in r->origin.  Never true for logs written before
 * files had roots (SESS tag 25).
 */
bool pl_reader_is_stray(struct pl_reader *r, const struct pl_stretch *at);

/*
 * Queue the items of a proven record, if any.  One that was read before is
 * decoded all the same, since others may refer to it, and a session that
 * continues needs its facts and titles again.
 */
enum pl_status pl_reader_take_record(struct pl_reader *r,
                                     const struct pl_stretch *at);

/* ---- reader_names.c: names in place of samples ----------------------------- */

/* At the beginning of a file: look whether its names are known without reading
 * its samples.  PL_NOMEM. */
enum pl_status pl_reader_seek_names(struct pl_reader *r);

/* The file's size, less the ends that holds them. */
uint64_t pl_reader_before_names(const struct pl_reader *r);

/* If so, take the next step to queue the items that say which, after the last
 * of which nothing is left of the file.  PL_END: the file is to be read. */
enum pl_status pl_reader_next_of_names(struct pl_reader *r);

/* ---- reader_counts.c: counts in place of packs ----------------------------- */

/* Pass the packs that need not be read.  PL_OK: *at is a record that was between
 * their samples; PL_END: go on where the file is now; PL_NOMEM. */
enum pl_status pl_reader_pass_packs(struct pl_reader *r, struct pl_stretch *at);

/* An item that is given out: of what is passed it may be counted, or the end. */
void pl_reader_count_item(struct pl_reader *r, struct pl_item *item);

/* The next item of a log of another format; as pl_reader_next. */
enum pl_status pl_reader_next_foreign(struct pl_reader *r,
                                      struct pl_item *item);

#endif
