/* Text files of one entry a line. */
#include "format/base/text_lines.h"

#include "format/base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Files written by users are far smaller. */
enum { MOST_BYTES = 16 << 20 };

enum pl_status pl_text_lines_read(struct pl_buf *out, const char *path)
{
    FILE *f = pl_file_stream(path, "rb");
    size_t got;
    int error;

    if (!f)
        return PL_IO;
    do {
        uint8_t *room = pl_buf_room(out, 4096);

        errno = 0;
        got = room ? fread(room, 1, 4096, f) : 0;
        out->len += got;
    } while (got && out->len <= MOST_BYTES);
    error = ferror(f) ? errno : got ? EFBIG : 0;
    fclose(f);
    pl_buf_u8(out, 0);
    errno = error;
    if (error)
        return PL_IO;
    return out->oom ? PL_NOMEM : PL_OK;
}

char *pl_text_lines_trim(char *text)
{
    size_t n;

    while (*text == ' ' || *text == '\t')
        text++;
    n = strlen(text);
    while (n && strchr(" \t\r\n", text[n - 1]))
        text[--n] = 0;
    return text;
}

char *pl_text_lines_next(char **rest)
{
    while (*rest) {
        char *line = *rest, *end = strchr(line, '\n');

        if (end)
            *end++ = 0;
        *rest = end;
        line = pl_text_lines_trim(line);
        if (*line && *line != '#')
            return line;
    }
    return NULL;
}
