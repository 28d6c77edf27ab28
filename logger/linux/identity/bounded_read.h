/*                                      logger/linux/identity/bounded_read.h
 * Reads files that may hang, such as /proc/PID/cmdline: the kernel reads it
 * from the process's own memory, under the lock of its memory map (mm/memory.c,
 * access_remote_vm), whose holder may wait for a disk that does not answer.  A
 * thread reads; the caller waits for PL_BOUNDED_READ_MS at most, and leaves a
 * thread that hangs behind.  Several files are handed over at once, as handing
 * over costs more than reading.
 */
#ifndef PL_LOGGER_LINUX_IDENTITY_BOUNDED_READ_H
#define PL_LOGGER_LINUX_IDENTITY_BOUNDED_READ_H

#include "format/base/text.h"

#include <stddef.h>
#include <stdint.h>

enum {
    PL_BOUNDED_READ_SIZE = 4096 + 1,
    PL_BOUNDED_READ_MS = 1000,     /* for all at once */
    PL_BOUNDED_READ_HANG_MS = 500, /* one that took as long of these hangs */
    PL_BOUNDED_READ_THREADS = 8,   /* that may hang, in the whole process */
    PL_BOUNDED_READ_FILES = 32,    /* at once */
    /* Each hang delays a sample, and a user can make reads hang on purpose: after
     * so many no more is read until one of them is forgotten. */
    PL_BOUNDED_READ_HANGS = 16,
    PL_BOUNDED_READ_FORGET_S = 600,
};

struct pl_bounded_worker;

/* All zero at first: the thread is started by the first read. */
struct pl_bounded_reader {
    struct pl_bounded_worker *worker; /* NULL: none */
    unsigned num_hung; /* reads that hung and are not forgotten */
    int64_t forgot_ns; /* when one was (pl_clock_steady) */
};

/* One after the other, so that short ones take few pages of memory. */
struct pl_bounded_texts {
    size_t ends[PL_BOUNDED_READ_FILES];
    char bytes[PL_BOUNDED_READ_FILES * PL_BOUNDED_READ_SIZE];
};

struct pl_text pl_bounded_text(const struct pl_bounded_texts *t, size_t i);

enum pl_bounded_result {
    PL_BOUNDED_READ,
    PL_BOUNDED_SLOW, /* the time is over, as all took long: some were not read */
    PL_BOUNDED_HUNG, /* the time is over, as one hangs */
    PL_BOUNDED_NONE, /* there is no thread, or too many hang or have hung */
};

/*
 * Read up to PL_BOUNDED_READ_SIZE bytes of each of 'num' files, at most
 * PL_BOUNDED_READ_FILES, into 'texts', with one read each: the kernel returns
 * less than asked for only where the file ends.  All are closed in any case; one
 * that could not be opened, -1, is empty.  *num_read is 'num' if the result is
 * PL_BOUNDED_READ; else that of the first file that was not read, and with
 * PL_BOUNDED_HUNG hangs.  With PL_BOUNDED_SLOW it is at least 1.
 */
enum pl_bounded_result pl_bounded_read(struct pl_bounded_reader *r,
                                       const int *fds, size_t num,
                                       struct pl_bounded_texts *texts,
                                       size_t *num_read);

/* Ends the thread.  One that hangs ends with the program, or when it can. */
void pl_bounded_reader_release(struct pl_bounded_reader *r);

#endif
