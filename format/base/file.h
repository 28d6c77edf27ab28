/*                                                       format/base/file.h
 * The operating system's services that a log needs: append under a lock,
 * read at an offset, sync, truncate, free space, list a folder.
 * Code that uses this header is portable C11; file_posix.c, folder_posix.c
 * and clock_posix.c, or *_windows.c, implement it.  Paths are UTF-8.  Offsets
 * are 64 bits wide.
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
 * order: 'offset' must be where the last read ended.  PL_IO.
 */
enum pl_status pl_file_read(struct pl_file *f, uint64_t offset, void *p,
                            size_t n, size_t *got);

/* True for pipes and terminals: they have no size and cannot be rewound. */
bool pl_file_is_stream(const struct pl_file *f);
/* The same for a path ("-": standard input), without opening it. */
bool pl_path_is_stream(const char *path);
/* What such a path is, in messages: "pipe", or "device", as a terminal is. */
const char *pl_path_stream_word(const char *path);

/* The size now, in bytes; UINT64_MAX for a stream.  PL_IO. */
enum pl_status pl_file_size(struct pl_file *f, uint64_t *size);

/* Whether a recorder holds the file's lock, as long as it writes; a file may be
 * deleted only if it is certain that none does. */
enum pl_file_use { PL_FILE_FREE, PL_FILE_WRITTEN, PL_FILE_NOT_KNOWN };

/* May be called repeatedly. */
enum pl_file_use pl_file_use(struct pl_file *f);

/* True if it is PL_FILE_WRITTEN. */
bool pl_file_is_locked(struct pl_file *f);

/* ---- writing ------------------------------------------------------------- */

/* The file to open: one that may exist; a new one (an existing one is refused:
 * PL_IO, EEXIST); a new one that only this user may read. */
enum pl_file_new { PL_MAY_EXIST, PL_MUST_BE_NEW, PL_NEW_AND_PRIVATE };

/*
 * Open a log for appending, creating it (mode 0640, private: 0600) if it does
 * not exist.  One that had to be new is deleted again if anything fails, unless
 * another process has it by then.  Takes the lock.
 * Refused with PL_UNSAFE and *why: links, devices, other owners, files or
 * folders others can write to; with PL_BUSY: another process holds the lock, or
 * deleted the file while it was being opened.
 */
extern const char pl_has_links[]; /* *why of a file with several hard links */
enum pl_status pl_file_open_append(struct pl_file **out, const char *path,
                                   enum pl_file_new how, const char **why);

/*
 * Open a log that is to be replaced: as above, but it must exist, and it stays
 * as it is until this is closed: pl_file_open_append is refused with PL_BUSY,
 * while pl_file_is_locked stays false.  Any number may hold it.
 */
enum pl_status pl_file_hold(struct pl_file **out, const char *path,
                            const char **why);

/*
 * Create and lock a file that only this user may read, whatever the folder gives
 * new files; what an earlier try left under its name is deleted.  Refused as by
 * pl_file_open_append; PL_BUSY: another process has that file.
 */
enum pl_status pl_file_open_private(struct pl_file **out, const char *path,
                                    const char **why);

/*
 * Append all 'n' bytes, in one system call if the kernel takes them at once.
 * On PL_IO (errno) part of them may have been written; see pl_file_truncate.
 */
enum pl_status pl_file_append(struct pl_file *f, const void *p, size_t n);

/*
 * True if 'error' of a failed pl_file_append means that there is no space:
 * on the disk, in the user's quota, or within the limit of a file's size.
 */
bool pl_file_is_full(int error);

/* True if pl_file_open_append created the file. */
bool pl_file_is_new(const struct pl_file *f);

/* True if 'path' names this very file; false also if that is not known. */
bool pl_file_is_at(struct pl_file *f, const char *path);

/*
 * False if another program has changed the file: its last name was deleted, or
 * its size is not 'size', with which the writer left it.
 */
bool pl_file_is_as_left(struct pl_file *f, uint64_t size);

/* True if the file's last name was deleted: it goes when it is closed. */
bool pl_file_is_deleted(struct pl_file *f);

/*
 * Allocate 'n' bytes of disk space from offset 'from' for later appending; the
 * file's size stays.  PL_IO (errno): not enough space.  PL_UNSUPPORTED: this
 * file system cannot.  pl_file_truncate frees what lies beyond the end.
 */
enum pl_status pl_file_reserve(struct pl_file *f, uint64_t from, uint64_t n);

/* Truncate to 'size' bytes, which this process wrote under its lock.  PL_IO. */
enum pl_status pl_file_truncate(struct pl_file *f, uint64_t size);

/*
 * Sync data to the medium (fdatasync), also if a signal interrupts that.  On a
 * file system that cannot do so there is nothing to be done, which is no error.
 * PL_IO, after which callers must not retry: the kernel may have dropped the
 * data.
 */
enum pl_status pl_file_sync(struct pl_file *f);

/* Of f's file system: bytes available to ordinary users, and total bytes.
 * PL_IO. */
enum pl_status pl_file_space(struct pl_file *f, uint64_t *available,
                             uint64_t *total);

/* ---- names ---------------------------------------------------------------- */

/* True if 'c' separates the names of a path. */
bool pl_path_is_separator(char c);

/* The last name of 'path': what follows its last separator. */
const char *pl_path_name(const char *path);

/* ---- streams -------------------------------------------------------------- */

/*
 * fopen for paths in UTF-8 and the modes "rb", "wb", "ab" and "wbx".  The open
 * file can be deleted and renamed on Windows, too, as POSIX allows it.  NULL
 * with errno.
 */
FILE *pl_file_stream(const char *path, const char *mode);

/*
 * Permissions of a file are the nine bits of POSIX (0640).  Systems that have
 * none report PL_ALL_RIGHTS and ignore what is to be set.
 */
enum { PL_ALL_RIGHTS = 0777 };

/* As "wbx": a new file with these permissions, less those that umask clears. */
FILE *pl_file_stream_new(const char *path, unsigned rights);

/* The permissions of 'path'.  PL_IO: there is no such file, or it cannot be
 * examined. */
enum pl_status pl_file_rights(const char *path, unsigned *rights);

/* Set the permissions of the file that 'f' writes, whatever its name is by now
 * of.  PL_IO. */
enum pl_status pl_file_stream_set_rights(FILE *f, unsigned rights);

/*
 * Give the file 'to' the group, the permissions and the extended attributes of
 * 'from', a file of the same owner, access lists included, and take away those
 * attributes that only 'to' has.  Only labels of the system's own (security.*,
 * trusted.*) that may not be given stay as they are.  PL_UNSAFE: something else
 * may not be changed, and 'to' has part of it; PL_IO, PL_NOMEM.
 */
enum pl_status pl_file_copy_rights(struct pl_file *from, struct pl_file *to);

/* ---- folders ------------------------------------------------------------- */

bool pl_dir_exists(const char *path);

/* True if anything has that name, including a dangling link. */
bool pl_path_exists(const char *path);

/* Create a folder; delete an empty one (also from a signal handler).  PL_IO. */
enum pl_status pl_dir_make(const char *path);
enum pl_status pl_dir_delete(const char *path);

/*
 * Names of the regular files in 'path', sorted by byte value; free them with
 * pl_dir_list_free.  PL_IO, PL_NOMEM.
 */
enum pl_status pl_dir_list(const char *path, char ***names, size_t *num);
void pl_dir_list_free(char **names, size_t num);

/*
 * Rename the file 'from' to 'to'.  PL_IO, with EEXIST if anything has that
 * name already, including a dangling link.
 */
enum pl_status pl_file_rename_new(const char *from, const char *to);

/*
 * Rename a file or folder; an existing file 'to' is replaced atomically.
 * PL_IO.
 */
enum pl_status pl_file_replace(const char *from, const char *to);

/*
 * The same where both are open, and perhaps locked.  Windows replaces no file
 * that is open, so there they are closed before, and become NULL; who opens 'to'
 * in between makes this fail.
 */
enum pl_status pl_file_replace_open(const char *from,
                                    struct pl_file **open_from, const char *to,
                                    struct pl_file **open_to);

/*
 * Make the name of 'path' survive a power cut, after it was created or renamed.
 * Errors are ignored: some systems cannot do that, others do it at once.
 */
void pl_file_sync_name(const char *path);

/* Delete one file (also from a signal handler).  PL_IO. */
enum pl_status pl_file_delete(const char *path);

/*
 * Create an empty file that only this user can read, in the system's folder
 * for temporary files.  *path is to be freed after pl_file_delete.  PL_IO,
 * PL_NOMEM.
 */
enum pl_status pl_file_make_temporary(char **path);

/* True if both paths lead to the same existing file. */
bool pl_file_is_same(const char *a, const char *b);

/*
 * Open 'path' for writing if it is a device, a pipe or a socket, also through
 * links; *out is NULL if it is none of these.  A link to anything else is
 * PL_UNSAFE: a file renamed to 'path' would replace the link.  PL_IO.
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
