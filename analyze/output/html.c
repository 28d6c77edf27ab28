/* Escapes HTML and writes it in large chunks. */
#include "analyze/output/html.h"

#include "format/base/utf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK = 1 << 16, FORMATTED = 512 };

static void flush(struct pl_html *h)
{
    if (!h->status && h->bytes.oom)
        h->status = PL_NOMEM;
    if (!h->status && h->bytes.len) {
        h->status = pl_output_file_write(h->output, h->bytes.p, h->bytes.len);
        h->error = errno;
    }
    pl_buf_clear(&h->bytes);
}

void pl_html_bytes(struct pl_html *h, const void *p, size_t n)
{
    pl_buf_bytes(&h->bytes, p, n);
    if (h->bytes.len >= CHUNK)
        flush(h);
}

void pl_html_put(struct pl_html *h, const char *markup)
{
    pl_html_bytes(h, markup, strlen(markup));
}

void pl_html_format(struct pl_html *h, const char *format, ...)
{
    char text[FORMATTED];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pl_html_put(h, text);
}

static const char *entity_of(uint8_t c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void pl_html_text(struct pl_html *h, struct pl_text text)
{
    pl_buf_clear(&h->text);
    pl_utf8_visible(&h->text, text.p, text.n);
    h->bytes.oom |= h->text.oom;
    for (size_t i = 0; i < h->text.len; i++) {
        const char *entity = entity_of(h->text.p[i]);

        if (entity)
            pl_html_put(h, entity);
        else
            pl_html_bytes(h, &h->text.p[i], 1);
    }
}

void pl_html_string(struct pl_html *h, const char *s)
{
    pl_html_text(h, pl_text_of(s));
}

void pl_html_lines(struct pl_html *h, struct pl_text text)
{
    const char *end;

    while (text.n && (end = memchr(text.p, '\n', text.n))) {
        size_t n = (size_t)(end - text.p);

        pl_html_text(h, (struct pl_text){ text.p, n });
        pl_html_put(h, "\n");
        text.p += n + 1;
        text.n -= n + 1;
    }
    pl_html_text(h, text);
}

enum pl_status pl_html_finish(struct pl_html *h)
{
    flush(h);
    pl_buf_release(&h->bytes);
    pl_buf_release(&h->text);
    if (h->status == PL_IO)
        errno = h->error;
    return h->status;
}
