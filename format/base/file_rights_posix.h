/*                                      format/base/file_rights_posix.h
 * Private to file_posix.c: rights of open files.  By their names another user
 * who owns the folder could have given the rights of one file to another one.
 */
#ifndef PL_FORMAT_BASE_FILE_RIGHTS_POSIX_H
#define PL_FORMAT_BASE_FILE_RIGHTS_POSIX_H

#include "format/base/status.h"

/* See pl_file_copy_rights; the descriptors of both files. */
enum pl_status pl_copy_rights(int from, int to);

#endif
