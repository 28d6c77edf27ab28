/* Messages on standard error. */
#include "format/cli/message.h"

#include "format/base/buf.h"
#include "format/base/file.h"
#include "format/base/memory_limit.h"
#include "format/base/utf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Printing without memory: only ASCII characters that are safe everywhere. */
static void print_plain(FILE *to, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        putc(text[i] >= ' ' && text[i] <= '~' ? text[i] : '?', to);
}

void pl_say(const char *format, ...)
{
    struct pl_buf line = { 0 };
    char text[4096];
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0)
        return;
    if ((size_t)n >= sizeof text)
        n = sizeof text - 1;
    pl_buf_bytes(&line, "perflog: ", 9);
    pl_utf8_visible(&line, text, (size_t)n);
    pl_buf_u8(&line, '\n');
    if (line.oom) {
        fputs("perflog: ", stderr);
        print_plain(stderr, text, (size_t)n);
        fputs("\n", stderr);
    } else {
        fwrite(line.p, 1, line.len, stderr); /* at once: no split characters */
    }
    pl_buf_release(&line);
}

enum pl_exit pl_say_status(const char *file, enum pl_status s, const char *why)
{
    int error = errno;

    if (!*file)
        file = "''";
    if (s == PL_UNSAFE && why) {
        pl_say("%s: will not be written to: %s", file, why);
    } else if (s == PL_IO && error == EISDIR) {
        pl_say("%s: is a folder, not a log", file);
    } else if (s == PL_NOMEM && pl_memory_limit()) {
        pl_say("%s: out of memory, of which --max-memory allows %" PRIu64
               "M; raise it, or ask for less of the log",
               file, pl_memory_limit() >> 20);
    } else if (s == PL_NOT_A_LOG && pl_path_is_stream(file)) {
        pl_say("%s: %s; logs of other programs are read from files, not %ss",
               file, pl_status_text(s), pl_path_stream_word(file));
    } else if (s == PL_TRUNCATED) {
        if (pl_path_is_stream(file))
            pl_say("%s: nothing came out of this %s", file,
                   pl_path_stream_word(file));
        else
            pl_say("%s: the file is empty", file);
    } else {
        errno = error;
        pl_say("%s: %s", file, pl_status_text(s));
    }
    switch (s) {
    case PL_UNSUPPORTED:
        return PL_EXIT_TOO_NEW;
    case PL_NOT_A_LOG:
    case PL_ZEROS:
    case PL_TRUNCATED:
    case PL_CORRUPT:
        return PL_EXIT_UNREADABLE;
    default:
        return PL_EXIT_FAILED;
    }
}

size_t pl_print_visible(const char *text)
{
    struct pl_buf out = { 0 };
    size_t columns = strlen(text);

    pl_utf8_visible(&out, text, strlen(text));
    if (out.oom) {
        print_plain(stdout, text, strlen(text));
    } else if (out.len) {
        fwrite(out.p, 1, out.len, stdout);
        columns = pl_utf8_columns(out.p, out.len);
    }
    pl_buf_release(&out);
    return columns;
}

/* fflush() drops a buffer that it cannot write, and the next may succeed: so
 * ferror() is checked, too. */
bool pl_flush_stdout(void)
{
    return !fflush(stdout) && !ferror(stdout);
}
