/*                                              format/base/utf16_windows.h
 * Conversion between UTF-8 and the UTF-16 of Windows' calls, and from its
 * errors to errno.  For *_windows.c files only.
 */
#ifndef PL_FORMAT_BASE_UTF16_WINDOWS_H
#define PL_FORMAT_BASE_UTF16_WINDOWS_H

#include "format/base/status.h"

#include <stdio.h>
#include <windows.h>

/*
 * A path for Windows, to be freed; one that is longer than MAX_PATH allows
 * gets the prefix \\?\, which lifts that limit.  NULL with errno: ENOMEM, or
 * EINVAL if it is not UTF-8.
 */
wchar_t *pl_utf16_path(const char *path);

/*
 * Text as UTF-8, to be freed.  Invalid UTF-16 becomes U+FFFD.  NULL: ENOMEM.
 */
char *pl_utf16_narrow(const wchar_t *text);

/*
 * A stream of bytes over a handle, which the stream owns from now on; 'flags'
 * are those of _open_osfhandle.  NULL with errno; the handle is then closed.
 */
FILE *pl_handle_stream(HANDLE handle, int flags, const char *mode);

/* Set errno from 'error' or GetLastError().  Returns PL_IO or PL_NOMEM. */
enum pl_status pl_windows_failure(DWORD error);
enum pl_status pl_last_failure(void);

#endif
