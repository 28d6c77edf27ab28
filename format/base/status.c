/* The one-line texts of enum pl_status. */
#include "format/base/status.h"

#include <errno.h>
#include <string.h>

const char *pl_status_text(enum pl_status s)
{
    switch (s) {
    case PL_OK:
        return "success";
    case PL_END:
        return "nothing more to read";
    case PL_TRUNCATED:
        return "cut off inside a structure";
    case PL_CORRUPT:
        return "damaged";
    case PL_UNSUPPORTED:
        return "needs a newer perflog";
    case PL_TOO_LARGE:
        return "larger than the limit; raise it with --max-block";
    case PL_NOT_A_LOG:
        return "not a perflog log";
    case PL_ZEROS:
        return "nothing but zeros, as a power cut leaves a file; nothing of it "
               "can be read";
    case PL_BUSY:
        return "another perflog is recording into it, or packs it";
    case PL_UNSAFE:
        return "not safe to write to";
    case PL_NO_SPACE:
        return "too little free space on its file system (see --min-free)";
    case PL_USAGE:
        return "not understood";
    case PL_IO:
        if (errno == EMFILE)
            return "too many open files; raise the limit (ulimit -n)";
        return strerror(errno);
    case PL_NOMEM:
        return "out of memory";
    }
    return "unknown status";
}
