/*                                                analyze/foreign/blg_log.h
 * The first pass over a Performance Monitor log (.blg): its lists of counters,
 * grouped (blg_groups.h), its machines, and its titles if it holds complete
 * performance data blocks.
 */
#ifndef PL_ANALYZE_FOREIGN_BLG_LOG_H
#define PL_ANALYZE_FOREIGN_BLG_LOG_H

#include "analyze/foreign/blg_groups.h"
#include "analyze/foreign/blg_list.h"
#include "analyze/foreign/etl_events.h"
#include "analyze/foreign/foreign.h"
#include "analyze/blocks/title_set.h"

enum { PL_BLG_MAX_LISTS = 256 };

struct pl_blg_log {
    struct pl_foreign_file base;
    char *path;
    uint64_t size; /* bytes of the file that the first pass has seen */
    uint64_t seed;
    struct pl_etl_header header;
    bool closed; /* the log states that it was closed */
    struct pl_blg_part {
        struct pl_blg_list list;
        struct pl_blg_groups groups;
        uint64_t hash; /* hash of its last message */
        bool sampled;  /* samples follow */
    } parts[PL_BLG_MAX_LISTS];
    size_t num_parts;
    size_t most_records; /* most records of a sample */
    bool has_items, has_blocks;
    bool more_machines;   /* than PL_BLG_MAX_MACHINES, which are left out */
    uint64_t num_beyond;  /* entries of these in lists */
    struct pl_buf titles; /* of blocks: TITL payload */
};

/* Which list is in force while a log's messages are read. */
struct pl_blg_place_in {
    size_t part; /* index of the list in force */
    bool listed, sampled;
};

/* Advance by a list or sample.  True: another list is in force. */
bool pl_blg_advance(struct pl_blg_place_in *at, uint8_t kind);

/*
 * The records of a sample.  'room' has log->most_records.  Returns how many
 * there are, and *damage is a reason if a part of the message cannot be used.
 */
size_t pl_blg_take_sample(const struct pl_blg_log *log, size_t part,
                          const struct pl_etl_item *m,
                          struct pl_blg_record *room, const char **damage);

/* The number of a machine by its UTF-16 name in a block; NONE. */
uint32_t pl_blg_machine_of(const struct pl_blg_log *log,
                           const struct pl_block *b);

/*
 * Minutes to add to the sample's local time to get UTC: from a UTC clock in it,
 * rounded to 15 minutes, else by the zone's rule.
 */
int32_t pl_blg_bias(const struct pl_blg_log *log, size_t part,
                    const struct pl_blg_record *records, size_t num,
                    int64_t local);

/*
 * The instant of a local FILETIME and the minutes to add to it; false: it is
 * not valid.
 */
bool pl_blg_utc(int64_t local, int32_t bias, int64_t *utc_ns);

/* Read the samples of one machine, for pl_format_blg. */
enum pl_status pl_blg_open(struct pl_foreign_file *f, size_t host,
                           const struct pl_reader_options *options,
                           const struct pl_foreign **calls, void **ctx);

/* A FILETIME as an instant; false: it is not valid. */
bool pl_blg_instant(int64_t filetime, int64_t *utc_ns);

#endif
