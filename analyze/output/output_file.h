/*                                             analyze/output/output_file.h
 * Where a command's data goes: standard output, or a file that gets its name
 * only when it is complete.  Until then it has a temporary name beside it,
 * FILE.part or the next free one, and is removed if the program is interrupted.
 * One output at a time.
 *
 * A file that replaces another keeps its access rights (0600 stays 0600).  A
 * new one gets at most the requested rights.
 */
#ifndef PL_ANALYZE_OUTPUT_OUTPUT_FILE_H
#define PL_ANALYZE_OUTPUT_OUTPUT_FILE_H

#include "format/base/status.h"
#include "format/cli/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pl_output_file {
    FILE *f;
    const char *path; /* NULL: standard output */
    char *part;       /* name until it is complete; NULL: written in place */
    unsigned rights;  /* requested for a new file */
};

/*
 * 'path' NULL or "-": standard output.  PL_IO, PL_NOMEM; PL_UNSAFE: it is a
 * symbolic link to something else than a pipe or a device.
 */
enum pl_status pl_output_file_open(struct pl_output_file *o, const char *path,
                                   unsigned rights);

/* The same; a message has said why it failed. */
enum pl_exit pl_output_file_open_or_say(struct pl_output_file *o,
                                        const char *path, unsigned rights);

/* For pl_csv_init: ctx is the pl_output_file. */
enum pl_status pl_output_file_write(void *ctx, const void *p, size_t n);

/* Give the file its name.  PL_IO: it could not be completed, and is removed. */
enum pl_status pl_output_file_commit(struct pl_output_file *o);

/*
 * Begin the file again and keep what was written, to be read from *written; the
 * output must have a partial file.  Drop 'before' when it has been read, also
 * on failure.  PL_IO, PL_NOMEM.
 */
enum pl_status pl_output_file_rework(struct pl_output_file *o,
                                     struct pl_output_file *before,
                                     FILE **written);
void pl_output_file_drop(struct pl_output_file *before, FILE *written);

/* Remove what is unfinished; allowed after commit and for all zero. */
void pl_output_file_discard(struct pl_output_file *o);

#endif
