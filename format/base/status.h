/*                                                     format/base/status.h
 * The status that every call that can fail returns: end of input; input that
 * is truncated, corrupt or too new; an error of the operating system; or no
 * memory.  Details (offsets, names) are returned beside the status.
 */
#ifndef PL_FORMAT_BASE_STATUS_H
#define PL_FORMAT_BASE_STATUS_H

#include <errno.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero is success. */
enum pl_status {
    PL_OK = 0,
    PL_END,         /* no more items; a normal outcome */
    PL_TRUNCATED,   /* the input ends inside a structure */
    PL_CORRUPT,     /* a checksum or cross-field check failed */
    PL_UNSUPPORTED, /* well formed, but newer than this program */
    PL_TOO_LARGE,   /* over a limit; --max-block raises it */
    PL_NOT_A_LOG,   /* the file does not begin as a log does */
    PL_BUSY,        /* another recorder holds the log */
    PL_UNSAFE,      /* kind, owner, links or mode of the file forbid writing */
    PL_NO_SPACE,    /* less free space than the caller wants to keep free */
    PL_USAGE,       /* an invalid argument */
    PL_IO,          /* a system call failed; errno says why */
    PL_NOMEM,
    PL_ZEROS, /* as PL_NOT_A_LOG: the file holds only zeros */
};

/*
 * One line of English for 's', without a full stop; for PL_IO the text of
 * errno, with a remedy where one is known.  Never NULL; valid until the next
 * call.
 */
const char *pl_status_text(enum pl_status s);

/*
 * A declaration: where its block ends, errno is again what it is here.  For
 * what is undone and closed after a PL_IO, whose errno says why.
 */
#define PL_KEEP_ERRNO                                                          \
    const int pl_kept_errno                                                    \
        __attribute__((cleanup(pl_put_errno_back), unused)) = errno

static inline void pl_put_errno_back(const int *kept)
{
    errno = *kept;
}

#ifdef __cplusplus
}
#endif

#endif
