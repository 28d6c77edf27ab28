/* Opening a file to append a log to. */
#include "format/writer/append_file.h"

#include "format/record/record.h"

#include <stdlib.h>

enum {
    FENCE = 8,
    MOST_ZEROS =
        PL_FIRST_LOOK / 2, /* so that readers find the record after them */
};

/*
 * A power cut may leave zeros in place of a log that was just begun.  They
 * stay, and the log is appended after them.  *at: the end of the zeros, or of
 * the file.
 */
static enum pl_status pass_zeros(const struct pl_append_file *t, uint64_t *at)
{
    uint8_t part[4096];

    for (*at = 0; *at < t->size && *at <= MOST_ZEROS;) {
        size_t got, i = 0;
        enum pl_status s = pl_file_read(t->file, *at, part, sizeof part, &got);

        if (s)
            return s;
        while (i < got && !part[i])
            i++;
        *at += i;
        if (i < got || !got)
            break;
    }
    return PL_OK;
}

/* An existing file must be a log; any other is refused. */
static enum pl_status check_existing(struct pl_append_file *t)
{
    uint8_t head[PL_RECORD_LEN];
    struct pl_record r;
    uint64_t at;
    size_t got = 0;
    enum pl_status s = pass_zeros(t, &at);

    if (s)
        return s;
    if (at > MOST_ZEROS)
        return PL_NOT_A_LOG;
    if (at < t->size)
        s = pl_file_read(t->file, at, head, sizeof head, &got);
    if (s || !got)
        return s;
    if (got < sizeof head) /* killed in its first write, or not a log */
        return pl_record_may_begin(head, got) ? PL_OK : PL_NOT_A_LOG;
    s = pl_record_get(&r, head);
    if (s == PL_UNSUPPORTED)
        return s;
    t->first_session = r.session;
    return s || r.type != PL_SESS ? PL_NOT_A_LOG : PL_OK;
}

enum pl_status pl_append_file_open(struct pl_append_file *t, char *path,
                                   enum pl_file_new how, const char **why)
{
    enum pl_status s = PL_NOMEM;

    *t = (struct pl_append_file){ .path = path };
    if (path)
        s = pl_file_open_append(&t->file, path, how, why);
    if (!s)
        s = pl_file_size(t->file, &t->size);
    if (!s)
        s = check_existing(t);
    if (s)
        pl_append_file_drop(t);
    return s;
}

enum pl_status pl_append_file_fence(struct pl_append_file *t)
{
    static const uint8_t zeros[8 + FENCE];
    uint64_t pad = t->size % 8 ? 8 - t->size % 8 + FENCE : 0;
    enum pl_status s =
        pad ? pl_file_append(t->file, zeros, (size_t)pad) : PL_OK;

    if (s) {
        PL_KEEP_ERRNO;

        pl_file_truncate(t->file, t->size);
        return s;
    }
    t->size += pad;
    return PL_OK;
}

void pl_append_file_drop(struct pl_append_file *t)
{
    PL_KEEP_ERRNO;

    if (t->file && pl_file_is_new(t->file)) /* it is empty */
        pl_file_delete(t->path);
    pl_file_close(t->file);
    free(t->path);
}
