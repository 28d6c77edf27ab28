/*                                                       format/base/file.h
 * The few things a log needs of the operating system: append under a lock,
 * read at an offset, force to disk, cut back, free space, list a folder.
 * Everything above this header is portable C11; file_posix.c, folder_posix.c
 * and clock_posix.c, or those of Windows, implement it.  Paths are UTF-8.  Offsets are 64 bits wide.
 */
#ifndef PL_FORMAT_BASE_FILE_H
#define PL_FORMAT_BASE_FILE_H

#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pl_file;

/* ---- reading ------------------------------------------------------------- */

/*
 * Open for reading; "-" is standard input.  Never blocks on a FIFO without a
 * writer.  PL_IO with errno (EISDIR for a folder), PL_NOMEM.
 */
enum pl_status pl_file_open(struct pl_file **out, const char *path);
void pl_file_close(struct pl_file *f); /* NULL is fine; keeps errno */

/*
 * Read 'n' bytes at 'offset', retrying short reads and interruptions.  *got
 * is less than 'n' only at the end of the file.  A stream can only be read in
 * order: 'offset' must be where the last read ended.
 */
enum pl_status pl_file_read(struct pl_file *f, uint64_t offset, void *p,
                            size_t n, size_t *got);

/* True for pipes and terminals: no size, no way back. */
bool pl_file_is_stream(const struct pl_file *f);
/* The same of what is there under a path ("-": standard input), unopened. */
bool pl_path_is_stream(const char *path);

/* The size now; UINT64_MAX for a stream. */
enum pl_status pl_file_size(struct pl_file *f, uint64_t *size);

/* True while a recorder holds the file's lock; it may be asked repeatedly. */
bool pl_file_is_locked(struct pl_file *f);

/* ---- writing ------------------------------------------------------------- */

/*
 * Open a log for appending, making it (mode 0640) if it is not there; with
 * 'must_be_new' an existing file is refused (PL_IO, EEXIST), and one that was
 * made is gone again if anything fails.  Takes the lock.
 * Refused with PL_UNSAFE and *why: links, devices, other owners, files or
 * folders others can write to; with PL_BUSY: somebody holds the lock.
 */
enum pl_status pl_file_open_append(struct pl_file **out, const char *path,
                                   bool must_be_new, const char **why);

/*
 * Append all 'n' bytes, in one system call if the kernel lets us.  On PL_IO
 * (errno) part of them may have been written; see pl_file_truncate.
 */
enum pl_status pl_file_append(struct pl_file *f, const void *p, size_t n);

/*
 * True if 'error' of a failed pl_file_append means that there is no place:
 * on the disk, for this user, or in one file.
 */
bool pl_file_is_full(int error);

/* True if pl_file_open_append made the file. */
bool pl_file_is_new(const struct pl_file *f);

/*
 * False if what is written there does not last: the file's last name was
 * deleted, or it has not the size that the writer left it with.
 */
bool pl_file_is_as_left(struct pl_file *f, uint64_t size);

/*
 * Take 'n' bytes of the disk from offset 'from' for later appending; the size
 * stays.  PL_IO (errno): there are not so many.  PL_UNSUPPORTED: no such thing
 * on this file system.  pl_file_truncate gives back what is behind the end.
 */
enum pl_status pl_file_reserve(struct pl_file *f, uint64_t from, uint64_t n);

/* Cut back to 'size' bytes, which this process wrote under its lock. */
enum pl_status pl_file_truncate(struct pl_file *f, uint64_t size);

/* Data on the medium (fdatasync); an error is never retried by callers. */
enum pl_status pl_file_sync(struct pl_file *f);

/* Bytes ordinary users may still write, and all bytes, of f's file system. */
enum pl_status pl_file_space(struct pl_file *f, uint64_t *available,
                             uint64_t *total);

/* ---- names ---------------------------------------------------------------- */

/* True if 'c' stands between the names of a path. */
bool pl_path_is_separator(char c);

/* The last name of 'path': what stands behind its last separator. */
const char *pl_path_name(const char *path);

/* ---- streams -------------------------------------------------------------- */

/*
 * fopen for paths in UTF-8 and the modes "rb", "wb", "ab" and "wbx".  What it
 * opened can be deleted and renamed meanwhile wherever POSIX allows it.
 */
FILE *pl_file_stream(const char *path, const char *mode);

/*
 * Rights of a file are the nine bits of POSIX (0640).  Systems that have none
 * say that everybody may all, and pass over what is asked for.
 */
enum { PL_ALL_RIGHTS = 0777 };

/* As "wbx": a new file with these rights, less what umask takes. */
FILE *pl_file_stream_new(const char *path, unsigned rights);

/* PL_IO: there is no such file, or one cannot look at it. */
enum pl_status pl_file_rights(const char *path, unsigned *rights);

/* PL_IO. */
enum pl_status pl_file_set_rights(const char *path, unsigned rights);

/* ---- folders ------------------------------------------------------------- */

bool pl_dir_exists(const char *path);

/* True if anything bears that name, a link to nowhere included. */
bool pl_path_exists(const char *path);

/* Make a folder; delete an empty one (also from a signal handler).  PL_IO. */
enum pl_status pl_dir_make(const char *path);
enum pl_status pl_dir_delete(const char *path);

/*
 * Names of the regular files in 'path', sorted by byte value; free them with
 * pl_dir_list_free.  PL_IO, PL_NOMEM.
 */
enum pl_status pl_dir_list(const char *path, char ***names, size_t *num);
void pl_dir_list_free(char **names, size_t num);

/*
 * Give the file 'from' the name 'to', which nothing bears yet, a link that
 * leads nowhere included.  PL_IO, with EEXIST if something does.
 */
enum pl_status pl_file_rename_new(const char *from, const char *to);

/*
 * The same for a file or folder; a file that is called 'to' is replaced in one
 * step.  PL_IO.
 */
enum pl_status pl_file_replace(const char *from, const char *to);

/* Delete one file (also from a signal handler).  PL_IO. */
enum pl_status pl_file_delete(const char *path);

/*
 * Make an empty file that only we can read, in the folder for such things,
 * and tell its path, to be freed after pl_file_delete.  PL_IO, PL_NOMEM.
 */
enum pl_status pl_file_make_temporary(char **path);

/* True if both names lead to one file that exists. */
bool pl_file_is_same(const char *a, const char *b);

/*
 * Open 'path' for writing if it is a device, a pipe or a socket, by whatever
 * links; *out is NULL if it is none.  A link to anything else is PL_UNSAFE: a
 * file that gets a name would take the link's place.  PL_IO.
 */
enum pl_status pl_file_open_special(FILE **out, const char *path);

/* ---- the rest of the system ---------------------------------------------- */

/* A random number that is not 0. */
uint64_t pl_random(void);

/* CLOCK_REALTIME and a clock that counts suspended time, in ns. */
int64_t pl_clock_utc(void);
int64_t pl_clock_boot(void);

/* A clock for measuring lengths of time, in ns. */
int64_t pl_clock_steady(void);

/* Processor time of this process so far, in ns. */
int64_t pl_clock_cpu(void);

void pl_sleep(uint64_t ns);

/* Sleep until pl_clock_boot() reaches 'boot_ns'; false: a signal came. */
bool pl_sleep_until(int64_t boot_ns);

#endif
