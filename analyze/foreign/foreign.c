/* Recognizes files of other formats. */
#include "analyze/foreign/foreign.h"

#include "format/base/file.h"
#include "format/record/record.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_LOOK = 4096 };

static const struct pl_foreign_format *const formats[] = {
    &pl_format_blg,
    &pl_format_sheet,
};

/* How a block begins: "PERF" in UTF-16 of either byte order. */
static const char signatures[][8] = {
    { 'P', 0, 'E', 0, 'R', 0, 'F', 0 },
    { 0, 'P', 0, 'E', 0, 'R', 0, 'F' },
};

/*
 * Other formats are guessed from a few bytes, which in one block of 256 are
 * those of a .blg; a signature does not occur by chance.
 */
static bool has_signature(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
        if (n >= sizeof *signatures &&
            !memcmp(p, signatures[i], sizeof *signatures))
            return true;
    return pl_record_may_begin(p, n);
}

/* *format is set for PL_CONTENT_FOREIGN. */
static enum pl_status look_at(const char *path, enum pl_content *content,
                              const struct pl_foreign_format **format)
{
    uint8_t look[FIRST_LOOK];
    struct pl_file *f;
    size_t got = 0;
    enum pl_status s = pl_file_open(&f, path);

    *content = PL_CONTENT_UNKNOWN;
    if (s)
        return s;
    if (!pl_file_is_stream(f)) /* a pipe can be read only once */
        s = pl_file_read(f, 0, look, sizeof look, &got);
    pl_file_close(f);
    if (s)
        return s;
    if (has_signature(look, got))
        *content = PL_CONTENT_OWN;
    for (size_t i = 0; !*content && i < sizeof formats / sizeof *formats; i++)
        if (formats[i]->is_one(look, got)) {
            *content = PL_CONTENT_FOREIGN;
            *format = formats[i];
        }
    return PL_OK;
}

enum pl_status pl_foreign_detect(const char *path,
                                 const struct pl_foreign_format **out)
{
    enum pl_content content;
    enum pl_status s = look_at(path, &content, out);

    return !s && content != PL_CONTENT_FOREIGN ? PL_NOT_A_LOG : s;
}

enum pl_status pl_foreign_content(const char *path, enum pl_content *out)
{
    const struct pl_foreign_format *format;

    return look_at(path, out, &format);
}

enum pl_status pl_foreign_look(struct pl_foreign_file **out, const char *path)
{
    const struct pl_foreign_format *format;
    enum pl_status s = pl_foreign_detect(path, &format);

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
