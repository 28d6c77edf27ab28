/*                                                     format/base/status.h
 * What every call that can fail returns.  A caller needs to know few things:
 * is it the end, is the input cut, wrong or too new, did the OS refuse, or is
 * there no memory.  Details (offsets, names) travel beside the status.
 */
#ifndef PL_FORMAT_BASE_STATUS_H
#define PL_FORMAT_BASE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Outcome of every call that can fail.  Zero is success. */
enum pl_status {
    PL_OK = 0,
    PL_END,         /* no more of it; a normal outcome */
    PL_TRUNCATED,   /* input stops inside a structure */
    PL_CORRUPT,     /* a checksum or cross-field check failed */
    PL_UNSUPPORTED, /* well formed, but newer than this program */
    PL_TOO_LARGE,   /* over a cap; the switch that raises it is --max-block */
    PL_NOT_A_LOG,   /* the file does not begin as a log does */
    PL_BUSY,        /* another recorder holds the log */
    PL_UNSAFE,      /* kind, owner, links or mode of the file forbid writing */
    PL_NO_SPACE,    /* less free space than the caller wants to leave */
    PL_USAGE,       /* an argument that means nothing */
    PL_IO,          /* the OS refused; errno says why */
    PL_NOMEM,
    PL_ZEROS, /* as PL_NOT_A_LOG: it begins with nothing but zeros */
};

/*
 * One line of English for 's', without a full stop; for PL_IO it is the text
 * of errno, with what to do where that is known.  Never NULL; valid until the
 * next call.
 */
const char *pl_status_text(enum pl_status s);

#ifdef __cplusplus
}
#endif

#endif
