/*                                               format/base/folder_posix.h
 * What the files of POSIX systems need of their folders; for no other file.
 */
#ifndef PL_FORMAT_BASE_FOLDER_POSIX_H
#define PL_FORMAT_BASE_FOLDER_POSIX_H

/*
 * The name 'path' must survive a power cut as the file's data does.  Where a
 * file system cannot see to that, nothing more is to be done.
 */
void pl_folder_sync(const char *path);

#endif
