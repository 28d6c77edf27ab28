/*                                            format/packing/pack_writer.h
 * Writes the items of a log as a packed log: samples and the short records
 * between them as packs; SESS, TITL, indx and ends as they are, but for the
 * offsets in them.  Every record keeps its number.
 */
#ifndef PL_FORMAT_PACKING_PACK_WRITER_H
#define PL_FORMAT_PACKING_PACK_WRITER_H

#include "format/base/file.h"
#include "format/reader/reader.h"

struct pl_pack_writer;

/* Write to 'file', which is empty and stays the caller's.  PL_NOMEM. */
enum pl_status pl_pack_writer_new(struct pl_pack_writer **out,
                                  struct pl_file *file, int level);
void pl_pack_writer_free(struct pl_pack_writer *w); /* NULL is fine */

/*
 * Add an item of the log, which has those titles.  PL_IO, PL_NOMEM; PL_CORRUPT:
 * it reports damage; PL_UNSUPPORTED: it needs a newer perflog; PL_TOO_LARGE: it
 * cannot be packed.
 */
enum pl_status pl_pack_writer_add(struct pl_pack_writer *w,
                                  const struct pl_item *item,
                                  const struct pl_titles *titles);

/* Write what is left.  Errors as above. */
enum pl_status pl_pack_writer_finish(struct pl_pack_writer *w);

/* Bytes written, and samples in them. */
uint64_t pl_pack_writer_size(const struct pl_pack_writer *w);
uint64_t pl_pack_writer_samples(const struct pl_pack_writer *w);

#endif
