/*                                              format/base/utf16_windows.h
 * Between UTF-8 and what Windows calls take, and between its errors and errno.
 * For *_windows.c files only.
 */
#ifndef PL_FORMAT_BASE_UTF16_WINDOWS_H
#define PL_FORMAT_BASE_UTF16_WINDOWS_H

#include "format/base/status.h"

#include <stdio.h>
#include <windows.h>

/*
 * A path for Windows, to be freed; one that is longer than old programs take
 * gets the prefix that lifts the limit.  NULL with errno: ENOMEM, or EINVAL if
 * it is not UTF-8.
 */
wchar_t *pl_utf16_path(const char *path);

/*
 * Text as it is, to be freed.  What is no Unicode becomes U+FFFD.  NULL:
 * ENOMEM.
 */
char *pl_utf16_narrow(const wchar_t *text);

/*
 * A stream of bytes over a handle, which goes with it; 'flags' are those of
 * _open_osfhandle.  NULL with errno; the handle is closed then, too.
 */
FILE *pl_handle_stream(HANDLE handle, int flags, const char *mode);

/* Set errno to what 'error' or GetLastError() means.  PL_IO; PL_NOMEM. */
enum pl_status pl_windows_failure(DWORD error);
enum pl_status pl_last_failure(void);

#endif
