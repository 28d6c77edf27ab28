/* Standard output, or a file made whole before it is named. */
#include "analyze/output.h"

#include "format/file.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 100, NAME_ROOM = 16 };

/* For the signal handler: what is unfinished now. */
static char *volatile unfinished;

static void on_signal(int sig)
{
    if (unfinished)
        remove(unfinished);
    signal(sig, SIG_DFL);
    raise(sig);
}

/*
 * Make a new file beside 'path'.  Never an existing one: it could be somebody
 * else's, a link to somewhere, or the very log being read.
 */
static FILE *make_part(struct pl_output *o)
{
    size_t cap = strlen(o->path) + NAME_ROOM;
    FILE *f = NULL;

    o->part = malloc(cap);
    for (int i = 0; o->part && !f && i < MAX_NAMES; i++) {
        if (i)
            snprintf(o->part, cap, "%s.part-%d", o->path, i);
        else
            snprintf(o->part, cap, "%s.part", o->path);
        f = fopen(o->part, "wbx");
        if (!f && errno != EEXIST)
            break;
    }
    if (!f)
        return NULL;
    unfinished = o->part;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    return f;
}

enum pl_status pl_output_open(struct pl_output *o, const char *path)
{
    *o = (struct pl_output){ 0 };
    if (!path || !strcmp(path, "-")) {
        o->f = stdout;
    } else if (pl_dir_exists(path)) {
        errno = EISDIR;
        return PL_IO;
    } else {
        o->path = path;
        if (pl_file_is_special(path)) /* a pipe is written as it is */
            o->f = fopen(path, "wb");
        else
            o->f = make_part(o);
    }
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
    unfinished = NULL;
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
    unfinished = NULL;
    free(o->part);
    *o = (struct pl_output){ 0 };
}
