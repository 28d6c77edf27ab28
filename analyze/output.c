/* Standard output, or a file made whole before it is named. */
#include "analyze/output.h"

#include "format/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char unfinished[] = ".part";

enum pl_status pl_output_open(struct pl_output *o, const char *path)
{
    const char *name = path;

    *o = (struct pl_output){ 0 };
    if (!path || !strcmp(path, "-")) {
        o->f = stdout;
        return PL_OK;
    }
    o->path = path;
    if (pl_dir_exists(path)) {
        errno = EISDIR;
        return PL_IO;
    }
    if (!pl_file_is_special(path)) { /* a pipe is written as it is */
        o->part = malloc(strlen(path) + sizeof unfinished);
        if (!o->part)
            return PL_NOMEM;
        strcpy(o->part, path);
        strcat(o->part, unfinished);
        name = o->part;
    }
    o->f = fopen(name, "wb");
    if (!o->f) {
        free(o->part);
        *o = (struct pl_output){ 0 };
        return PL_IO;
    }
    setvbuf(o->f, NULL, _IONBF, 0); /* writers hand over large chunks */
    return PL_OK;
}

enum pl_status pl_output_write(void *ctx, const void *p, size_t n)
{
    struct pl_output *o = ctx;

    return fwrite(p, 1, n, o->f) == n ? PL_OK : PL_IO;
}

enum pl_status pl_output_commit(struct pl_output *o)
{
    FILE *f = o->f;
    int error;

    if (!o->path)
        return fflush(f) ? PL_IO : PL_OK;
    o->f = NULL;
    if (fclose(f) || (o->part && rename(o->part, o->path))) {
        error = errno;
        pl_output_discard(o);
        errno = error;
        return PL_IO;
    }
    free(o->part);
    *o = (struct pl_output){ 0 };
    return PL_OK;
}

void pl_output_discard(struct pl_output *o)
{
    if (o->path && o->f)
        fclose(o->f);
    if (o->part)
        remove(o->part);
    free(o->part);
    *o = (struct pl_output){ 0 };
}
