/*                                               format/base/folder_posix.h
 * Syncing of folders, for the *_posix.c files of this folder only.
 */
#ifndef PL_FORMAT_BASE_FOLDER_POSIX_H
#define PL_FORMAT_BASE_FOLDER_POSIX_H

/*
 * Sync the folder of 'path', so that the file's name survives a power cut as
 * its data does.  Errors are ignored: some file systems cannot sync a folder.
 */
void pl_folder_sync(const char *path);

#endif
