/* Standard output, or a file that is completed before it gets its name. */
#include "analyze/output/output_file.h"

#include "analyze/output/partial_file.h"
#include "format/base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Make a new file beside 'path', which no user may read who may not read the
 * final file.
 */
static FILE *make_part(struct pl_output_file *o)
{
    unsigned kept;
    bool replaces = !pl_file_rights(o->path, &kept);
    FILE *f = NULL;

    pl_partial_file_hold();
    errno = EEXIST;
    for (int i = 0; !f && errno == EEXIST && i < PL_MAX_PARTS; i++) {
        free(o->part);
        o->part = pl_partial_file_name(o->path, i);
        if (!o->part)
            break;
        f = pl_file_stream_new(o->part, replaces ? 0600 : o->rights);
    }
    if (f && replaces && pl_file_stream_set_rights(f, kept)) {
        fclose(f);
        pl_file_delete(o->part);
        f = NULL;
    }
    pl_partial_file_guard(PL_UNFINISHED_OUTPUT, f ? o->part : NULL);
    return f;
}

enum pl_status pl_output_file_open(struct pl_output_file *o, const char *path,
                                   unsigned rights)
{
    *o = (struct pl_output_file){ .rights = rights };
    if (!path || !strcmp(path, "-")) {
        o->f = stdout;
    } else if (pl_dir_exists(path)) {
        errno = EISDIR;
        return PL_IO;
    } else {
        enum pl_status s = pl_file_open_special(&o->f, path);

        if (s)
            return s;
        o->path = path;
        if (!o->f) /* a pipe is written directly */
            o->f = make_part(o);
    }
    if (!o->f) {
        free(o->part);
        *o = (struct pl_output_file){ 0 };
        return PL_IO;
    }
    setvbuf(o->f, NULL, _IONBF, 0); /* writers pass large chunks */
    return PL_OK;
}

enum pl_exit pl_output_file_open_or_say(struct pl_output_file *o,
                                        const char *path, unsigned rights)
{
    enum pl_status s = pl_output_file_open(o, path, rights);

    if (s == PL_IO && errno == EISDIR) {
        pl_say("%s: is a folder; name a file to write", path);
        return PL_EXIT_FAILED;
    }
    if (s)
        return pl_say_status(path ? path : "output", s,
                             "it is a symbolic link; name the file");
    return PL_EXIT_GOOD;
}

enum pl_status pl_output_file_write(void *ctx, const void *p, size_t n)
{
    struct pl_output_file *o = ctx;

    return fwrite(p, 1, n, o->f) == n ? PL_OK : PL_IO;
}

enum pl_status pl_output_file_commit(struct pl_output_file *o)
{
    FILE *f = o->f;

    if (!o->path)
        return fflush(f) ? PL_IO : PL_OK;
    o->f = NULL;
    if (fclose(f) || (o->part && pl_file_replace(o->part, o->path))) {
        PL_KEEP_ERRNO;

        pl_output_file_discard(o);
        return PL_IO;
    }
    pl_partial_file_guard(PL_UNFINISHED_OUTPUT, NULL);
    free(o->part);
    *o = (struct pl_output_file){ 0 };
    return PL_OK;
}

enum pl_status pl_output_file_rework(struct pl_output_file *o,
                                     struct pl_output_file *before,
                                     FILE **written)
{
    FILE *f = o->f;

    pl_partial_file_guard(PL_UNFINISHED_COPY, o->part);
    pl_partial_file_guard(PL_UNFINISHED_OUTPUT, NULL);
    *before = *o;
    *o = (struct pl_output_file){ 0 };
    *written = NULL;
    if (fclose(f))
        return PL_IO;
    *written = pl_file_stream(before->part, "rb");
    return *written ? pl_output_file_open(o, before->path, before->rights)
                    : PL_IO;
}

void pl_output_file_drop(struct pl_output_file *before, FILE *written)
{
    PL_KEEP_ERRNO;

    if (written)
        fclose(written);
    if (before->part)
        pl_file_delete(before->part);
    pl_partial_file_guard(PL_UNFINISHED_COPY, NULL);
    free(before->part);
    *before = (struct pl_output_file){ 0 };
}

void pl_output_file_discard(struct pl_output_file *o)
{
    if (o->path && o->f)
        fclose(o->f);
    if (o->part)
        pl_file_delete(o->part);
    pl_partial_file_guard(PL_UNFINISHED_OUTPUT, NULL);
    free(o->part);
    *o = (struct pl_output_file){ 0 };
}
