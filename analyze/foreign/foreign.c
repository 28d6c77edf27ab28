/* Files of other formats, told apart. */
#include "analyze/foreign/foreign.h"

#include "format/base/file.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_LOOK = 4096 };

static const struct pl_foreign_format *const formats[] = {
    &pl_format_blg,
    &pl_format_sheet,
};

enum pl_status pl_foreign_tell(const char *path,
                               const struct pl_foreign_format **out)
{
    uint8_t look[FIRST_LOOK];
    struct pl_file *f;
    size_t got = 0;
    enum pl_status s = pl_file_open(&f, path);

    if (s)
        return s;
    if (!pl_file_is_stream(f)) /* a pipe can be read only once */
        s = pl_file_read(f, 0, look, sizeof look, &got);
    pl_file_close(f);
    if (s)
        return s;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i]->is_one(look, got)) {
            *out = formats[i];
            return PL_OK;
        }
    return PL_NOT_A_LOG;
}

enum pl_status pl_foreign_look(struct pl_foreign_file **out, const char *path)
{
    const struct pl_foreign_format *format;
    enum pl_status s = pl_foreign_tell(path, &format);

    *out = NULL;
    if (s)
        return s == PL_NOT_A_LOG ? PL_OK : s;
    return format->look(out, path);
}

struct pl_foreign_file *pl_foreign_share(struct pl_foreign_file *f)
{
    if (f)
        f->users++;
    return f;
}

void pl_foreign_drop(struct pl_foreign_file *f)
{
    if (!f || --f->users)
        return;
    for (size_t i = 0; i < f->num_hosts; i++) {
        free(f->hosts[i].name);
        free(f->hosts[i].zone);
    }
    free(f->hosts);
    f->format->release(f);
}

enum pl_status pl_foreign_read(struct pl_reader **r, struct pl_foreign_file *f,
                               size_t host,
                               const struct pl_reader_options *options)
{
    const struct pl_foreign *calls;
    void *ctx;
    enum pl_status s = f->format->open(f, host, options, &calls, &ctx);

    if (s)
        return s;
    return *r ? pl_reader_continue_foreign(*r, calls, ctx)
              : pl_reader_open_foreign(r, calls, ctx);
}
