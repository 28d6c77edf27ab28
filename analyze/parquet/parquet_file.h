/*                                          analyze/parquet/parquet_file.h
 * Writes a Parquet file: a table whose columns all may have nulls, in row
 * groups, each column a dictionary page and a data page (version 1), compressed
 * with zstd.  The metadata states each column chunk's least and greatest value,
 * so that readers pass over row groups.  Bytes go to a function of the
 * caller's, in order; a file is valid once pl_parquet_end has succeeded.
 * Source: Apache Parquet format 2.10, README.md, parquet.thrift,
 * LogicalTypes.md.
 */
#ifndef PL_ANALYZE_PARQUET_PARQUET_FILE_H
#define PL_ANALYZE_PARQUET_PARQUET_FILE_H

#include "analyze/parquet/column.h"

struct pl_parquet;

/* PL_NOMEM.  'write' returns what pl_parquet_flush and _end then return. */
enum pl_status pl_parquet_new(struct pl_parquet **out,
                              enum pl_status (*write)(void *ctx, const void *p,
                                                      size_t n),
                              void *ctx);
void pl_parquet_free(struct pl_parquet *f); /* NULL is fine */

/*
 * Add a column, before the first row group; rows so far have null in it.  The
 * name is copied.  The result is the column's number; UINT32_MAX: no memory.
 */
uint32_t pl_parquet_add(struct pl_parquet *f, struct pl_text name,
                        enum pl_parquet_type type);

/*
 * Set a value of the current row; each column at most once.  Texts are valid
 * UTF-8.  'like' is as pl_parquet_put_text has it.  Lack of memory is reported
 * by the next pl_parquet_end_row.
 */
void pl_parquet_time(struct pl_parquet *f, uint32_t column, int64_t us);
void pl_parquet_double(struct pl_parquet *f, uint32_t column, double v);
void pl_parquet_count(struct pl_parquet *f, uint32_t column, uint64_t v);
void pl_parquet_text(struct pl_parquet *f, uint32_t column, struct pl_text text,
                     size_t like);

/* PL_NOMEM. */
enum pl_status pl_parquet_end_row(struct pl_parquet *f);

/*
 * Rows that are not yet in a row group; memory of such rows, which is kept for
 * the next ones; row groups so far.
 */
size_t pl_parquet_rows(const struct pl_parquet *f);
size_t pl_parquet_held(const struct pl_parquet *f);
size_t pl_parquet_groups(const struct pl_parquet *f);

/* Free the memory of rows, after pl_parquet_flush. */
void pl_parquet_trim(struct pl_parquet *f);

/* Write these rows as a row group, if there are any; PL_NOMEM. */
enum pl_status pl_parquet_flush(struct pl_parquet *f);

/* The rest of the rows, and the metadata. */
enum pl_status pl_parquet_end(struct pl_parquet *f);

#endif
