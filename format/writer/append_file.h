/*                                              format/writer/append_file.h
 * Opens a file to append a log to it.  Opening does not change the file's
 * contents; a refused file is left as it was.
 */
#ifndef PL_FORMAT_WRITER_APPEND_FILE_H
#define PL_FORMAT_WRITER_APPEND_FILE_H

#include "format/base/file.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_append_file {
    struct pl_file *file;
    char *path;             /* owned */
    uint64_t size;          /* offset at which the log is appended */
    uint64_t first_session; /* of the file's first record; 0: it has none */
};

/*
 * Open and lock 'path', of which ownership is taken (NULL: PL_NOMEM).  An
 * existing file must begin with a record of a log; up to 512 KiB of zeros that
 * a power cut left may come before it, or be all of the file.  Errors are those
 * of pl_file_open_append and pl_file_read; PL_NOT_A_LOG; PL_UNSUPPORTED: the
 * log of a newer major version.
 */
enum pl_status pl_append_file_open(struct pl_append_file *t, char *path,
                                   enum pl_file_new how, const char **why);

/* Append a fence of zeros after a torn record; a complete log needs none. */
enum pl_status pl_append_file_fence(struct pl_append_file *t);

/* Close it; a file that opening created is deleted.  Keeps errno. */
void pl_append_file_drop(struct pl_append_file *t);

#endif
