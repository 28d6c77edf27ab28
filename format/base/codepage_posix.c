/* Code pages by iconv. */
#include "format/base/codepage.h"

#include "format/base/utf.h"

#include <errno.h>
#include <iconv.h>
#include <string.h>

#define NO_CONVERTER ((iconv_t)-1)

static iconv_t open_page(uint32_t code_page)
{
    const char *name = pl_code_page_name(code_page);

    return name ? iconv_open("UTF-8", name) : NO_CONVERTER;
}

static void close_slot(struct pl_codepages *c, size_t slot)
{
    if (c->open[slot].converter)
        iconv_close(c->open[slot].converter);
    c->open[slot].converter = NULL;
    c->open[slot].code_page = 0;
}

void pl_codepages_release(struct pl_codepages *c)
{
    for (size_t i = 0; i < PL_OPEN_CODE_PAGES; i++)
        close_slot(c, i);
}

/* The converter of a page, NULL if there is none. */
static iconv_t converter_of(struct pl_codepages *c, uint32_t code_page)
{
    size_t slot = c->next;
    iconv_t converter;

    if (!code_page)
        return NULL;
    for (size_t i = 0; i < PL_OPEN_CODE_PAGES; i++)
        if (c->open[i].code_page == code_page)
            return c->open[i].converter;
    close_slot(c, slot);
    converter = open_page(code_page);
    c->next = (slot + 1) % PL_OPEN_CODE_PAGES;
    c->open[slot].code_page = code_page;
    c->open[slot].converter = converter == NO_CONVERTER ? NULL : converter;
    return c->open[slot].converter;
}

static void keep_ascii(struct pl_buf *out, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        pl_utf8_put(out, (uint8_t)p[i] < 0x80 ? (uint8_t)p[i] : PL_REPLACEMENT);
}

/* One step of the conversion; at the end, flush the converter. */
static void convert(iconv_t converter, struct pl_buf *out, char **from,
                    size_t *left)
{
    char chunk[256], *to = chunk;
    size_t room = sizeof chunk;
    size_t done =
        iconv(converter, *left ? from : NULL, *left ? left : NULL, &to, &room);
    int error = done == (size_t)-1 ? errno : 0;

    pl_buf_bytes(out, chunk, (size_t)(to - chunk));
    if (error && error != E2BIG && *left) {
        pl_utf8_put(out, PL_REPLACEMENT);
        ++*from;
        --*left;
    }
}

void pl_codepage_to_utf8(struct pl_codepages *c, struct pl_buf *out,
                         uint32_t code_page, const void *bytes, size_t n)
{
    char *from = (char *)(uintptr_t)bytes; /* iconv does not change them */
    size_t left = strnlen(from, n);
    iconv_t converter = converter_of(c, code_page);

    if (!converter) {
        keep_ascii(out, from, left);
        return;
    }
    iconv(converter, NULL, NULL, NULL, NULL);
    while (left)
        convert(converter, out, &from, &left);
    convert(converter, out, &from, &left);
}
