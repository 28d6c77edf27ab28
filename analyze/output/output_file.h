/*                                             analyze/output/output_file.h
 * Where a command's data goes: standard output, or a file that appears under
 * its name only when it is whole.  Until then it has a name of its own beside
 * it, FILE.part or the next that is free, and goes away if the program is
 * interrupted.  One output at a time.
 *
 * A file that replaces another keeps its rights (0600 stays 0600).  A new one
 * gets at most those that are asked for.
 */
#ifndef PL_ANALYZE_OUTPUT_OUTPUT_FILE_H
#define PL_ANALYZE_OUTPUT_OUTPUT_FILE_H

#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pl_output_file {
    FILE *f;
    const char *path; /* NULL: standard output */
    char *part;       /* name until it is whole; NULL: written in place */
    unsigned rights;  /* asked for */
};

/* 'path' NULL or "-": standard output.  PL_IO, PL_NOMEM; PL_UNSAFE: it is
 * a symbolic link, and not to a pipe or a device. */
enum pl_status pl_output_file_open(struct pl_output_file *o, const char *path,
                                   unsigned rights);

/* For pl_csv_init: ctx is the pl_output_file. */
enum pl_status pl_output_file_write(void *ctx, const void *p, size_t n);

/* Give the file its name.  PL_IO: it could not be completed, and is gone. */
enum pl_status pl_output_file_commit(struct pl_output_file *o);

/*
 * Begin the file anew and keep what was written, to be read from *written; the
 * output must have a part.  Drop 'before' when it is read, or on failure too.
 * PL_IO, PL_NOMEM.
 */
enum pl_status pl_output_file_rework(struct pl_output_file *o,
                                     struct pl_output_file *before,
                                     FILE **written);
void pl_output_file_drop(struct pl_output_file *before, FILE *written);

/* Leave nothing behind; fine after commit and for all zero. */
void pl_output_file_discard(struct pl_output_file *o);

#endif
