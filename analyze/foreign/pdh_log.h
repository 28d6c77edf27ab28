/*                                                analyze/foreign/pdh_log.h
 * A PDH-CSV or PDH-TSV sheet as a log of another format: a column is a counter
 * of the type PERF_DOUBLE_RAW, a row a sample, a blank cell one of a counter
 * that gave no value.  Machines are found from the columns' paths.  The first
 * pass over a sheet is in pdh_log.c, reading in pdh_read.c.
 */
#ifndef PL_ANALYZE_FOREIGN_PDH_LOG_H
#define PL_ANALYZE_FOREIGN_PDH_LOG_H

#include "analyze/foreign/blg_groups.h"
#include "analyze/foreign/blg_list.h"
#include "analyze/foreign/foreign.h"
#include "analyze/foreign/pdh_rows.h"

struct pl_pdh_log {
    struct pl_foreign_file base;
    char *path;
    uint64_t size; /* bytes of the file that the first pass has seen */
    struct pl_blg_list list;
    struct pl_blg_groups groups;
    uint64_t header_hash; /* of the cells of its first row */
    size_t num_cells;     /* of that row */
    size_t num_used;      /* of these, up to the last one of a counter */
    const char *left_out; /* why columns are not read; NULL: all are */
    bool zone_known;
    struct pl_pdh_encoding encoding;
    /* by host: where its columns are in the list */
    struct pl_pdh_columns {
        size_t first, end;
    } columns[PL_BLG_MAX_MACHINES];
    int32_t bias;
    uint64_t other_lines; /* lines without a time */
};

/* True for a row that begins a sheet, or is what is left of one that did. */
bool pl_pdh_is_header(const struct pl_pdh_log *f, const struct pl_pdh_row *row);

/*
 * True for a header that is not the log's, or is torn or hurt: another sheet was
 * appended, whose columns may be others.  An equal one, as of sheets that were joined, changes
 * nothing.
 */
bool pl_pdh_is_other_header(const struct pl_pdh_log *f,
                            const struct pl_pdh_row *row);

/* Of a line without a time: a row, not what typeperf has to say at its end. */
bool pl_pdh_is_row(const struct pl_pdh_log *f, const struct pl_pdh_row *row);

/* Why a line, not of a header, is no sample.  NULL: it is one, at *local. */
const char *pl_pdh_why_not(const struct pl_pdh_log *f,
                           const struct pl_pdh_row *row, int64_t *local);

/* Cells of a row, of some columns, as records of a sample. */
struct pl_pdh_records {
    struct pl_pdh_columns columns;
    uint8_t *items;
    struct pl_blg_record *records;
};

/* PL_NOMEM. */
enum pl_status pl_pdh_records_make(struct pl_pdh_records *r,
                                   struct pl_pdh_columns columns);
void pl_pdh_records_free(struct pl_pdh_records *r);

/* Cells to records.  Why values of these are lost; NULL: none is. */
const char *pl_pdh_records_fill(struct pl_pdh_records *r,
                                const struct pl_pdh_log *f,
                                const struct pl_pdh_row *row);

/* The status of record 'i'; 0: it has a value. */
uint32_t pl_pdh_records_status(const struct pl_pdh_records *r, size_t i);

/* Read the samples of one machine, for pl_format_sheet. */
enum pl_status pl_pdh_log_open(struct pl_foreign_file *f, size_t host,
                               const struct pl_reader_options *options,
                               const struct pl_foreign **calls, void **ctx);

#endif
