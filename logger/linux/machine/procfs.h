/*                                            logger/linux/machine/procfs.h
 * Files of /proc and /sys.  Files read in every sample stay open and are read
 * again from offset 0, once per sample regardless of how many sources use
 * them; attributes of /sys are opened, read and closed.  Every system call is
 * counted.
 */
#ifndef PL_LOGGER_LINUX_MACHINE_PROCFS_H
#define PL_LOGGER_LINUX_MACHINE_PROCFS_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_machine;
struct pl_procfile;

/* How the kernel returns a file's text. */
enum pl_procfile_kind {
    PL_IN_ONE_PIECE, /* one read with enough room returns all of it */
    PL_IN_PIECES,    /* about a page per read: read until the end */
};

/*
 * The file 'path' below /proc.  The machine owns it; all callers that pass
 * this path share it.  An absent file is not an error here: reading it fails.
 * PL_OK or PL_NOMEM.
 */
enum pl_status pl_procfile_open(struct pl_procfile **out, struct pl_machine *m,
                                const char *path, enum pl_procfile_kind kind);

/*
 * Its text in this sample; p is NULL if it cannot be read (counted as one
 * read error and tried again in the next sample).  Valid until the next
 * sample.
 */
struct pl_text pl_procfile_read(struct pl_procfile *f);

/* Its descriptor for poll; -1 while it is not open. */
int pl_procfile_descriptor(const struct pl_procfile *f);

/* Close and free a list of files; NULL is fine. */
void pl_procfiles_close(struct pl_procfile *f);

/* A descriptor of 'path' below the directory 'dir', or -1 and errno. */
int pl_proc_open(struct pl_machine *m, int dir, const char *path);
/* errno stays as it was. */
void pl_proc_close(struct pl_machine *m, int fd);

/*
 * Replace 'out' by what one read from offset 0 returns, repeated with a larger
 * buffer until the text fits.  PL_OK, PL_IO, PL_NOMEM or PL_TOO_LARGE.
 */
enum pl_status pl_proc_read(struct pl_machine *m, int fd, struct pl_buf *out);

/* The number in a small file below /sys; false if there is none. */
bool pl_sys_number(struct pl_machine *m, const char *path, uint64_t *v);
bool pl_sys_exists(struct pl_machine *m, const char *path);

/* True if 'path' below /sys is a folder that is not empty. */
bool pl_sys_has_entries(struct pl_machine *m, const char *path);

#endif
