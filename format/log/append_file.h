/*                                                 format/log/append_file.h
 * A file to which a log is about to be appended.  Opening it changes nothing
 * of what is there; a refused file is left as it was found.
 */
#ifndef PL_FORMAT_LOG_APPEND_FILE_H
#define PL_FORMAT_LOG_APPEND_FILE_H

#include "format/base/file.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_append_file {
    struct pl_file *file;
    char *path;             /* owned */
    uint64_t size;          /* where the log goes on */
    uint64_t first_session; /* of the first record in it; 0: there is none */
};

/*
 * Open and lock 'path', which is taken over (NULL: PL_NOMEM).  What is in it
 * must begin as a log does; zeros that a power cut left may stand before that,
 * at most 512 KiB of them, or be all there is.  As
 * pl_file_open_append and pl_file_read; PL_NOT_A_LOG; PL_UNSUPPORTED: the log
 * of a newer major version.
 */
enum pl_status pl_append_file_open(struct pl_append_file *t, char *path,
                                   bool must_be_new, const char **why);

/* Leave a fence of zeros behind a torn tail; a whole log needs none. */
enum pl_status pl_append_file_fence(struct pl_append_file *t);

/* Close it; a file that was made for it goes away.  Keeps errno. */
void pl_append_file_drop(struct pl_append_file *t);

#endif
