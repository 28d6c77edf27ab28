/*                                                analyze/foreign/blg_log.h
 * A Performance Monitor log (.blg) as a whole, looked at before it is read:
 * its lists of counters, grouped (blg_groups.h), its machines, and its titles
 * if it holds whole performance data blocks.
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
    uint64_t seed;
    struct pl_etl_header header;
    bool closed; /* the log says that it was */
    struct pl_blg_part {
        struct pl_blg_list list;
        struct pl_blg_groups groups;
        uint64_t hash; /* of its last message */
        bool sampled;  /* samples follow */
    } parts[PL_BLG_MAX_LISTS];
    size_t num_parts;
    size_t most_records; /* of a sample */
    bool has_items, has_blocks;
    struct pl_buf titles; /* of blocks: TITL payload */
};

/* Where one stands in a log's lists while its messages go by. */
struct pl_blg_place_in {
    size_t part; /* the one in force */
    bool listed, sampled;
};

/* Take note of a list or sample.  True: another list is in force. */
bool pl_blg_advance(struct pl_blg_place_in *at, uint8_t kind);

/*
 * The records of a sample.  'room' has log->most_records.  Returns how many
 * there are, and *damage a reason if not all of the message can be used.
 */
size_t pl_blg_take_sample(const struct pl_blg_log *log, size_t part,
                          const struct pl_etl_item *m,
                          struct pl_blg_record *room, const char **damage);

/* The number of a machine by its UTF-16 name in a block; NONE. */
uint32_t pl_blg_machine_of(const struct pl_blg_log *log,
                           const struct pl_block *b);

/*
 * Minutes to add to the sample's local time to have UTC: by a clock in it that
 * is UTC, to the quarter of an hour, else by the zone's rule.
 */
int32_t pl_blg_bias(const struct pl_blg_log *log, size_t part,
                    const struct pl_blg_record *records, size_t num,
                    int64_t local);

/* Of a local FILETIME, with minutes to add to it, likewise. */
bool pl_blg_utc(int64_t local, int32_t bias, int64_t *utc_ns);

/* Read the samples of one machine, for pl_format_blg. */
enum pl_status pl_blg_open(struct pl_foreign_file *f, size_t host,
                           const struct pl_reader_options *options,
                           const struct pl_foreign **calls, void **ctx);

/* A FILETIME as an instant; false: it is none. */
bool pl_blg_instant(int64_t filetime, int64_t *utc_ns);

#endif
