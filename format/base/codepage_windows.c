/*
 * Code pages by MultiByteToWideChar, one character at a time, since it does not
 * report where an error is.
 */
#include "format/base/codepage.h"

#include "format/base/utf.h"

#include <string.h>
#include <windows.h>

enum {
    LONGEST = 4, /* bytes of a character */
    UTF_7 = 65000,
    FIRST_SHIFTED = 50220, /* ISO 2022 and others with shift states */
    LAST_SHIFTED = 50229,
    FIRST_ISO = 28591,
    LAST_ISO = 28605,
    VIETNAMESE = 1258,
};

/* Marks a slot's code page as known: Windows keeps the tables itself. */
static char known;

void pl_codepages_release(struct pl_codepages *c)
{
    *c = (struct pl_codepages){ 0 };
}

static bool has_tables(uint32_t code_page)
{
    return code_page != UTF_7 &&
           (code_page < FIRST_SHIFTED || code_page > LAST_SHIFTED) &&
           IsValidCodePage(code_page);
}

static bool is_known(struct pl_codepages *c, uint32_t code_page)
{
    size_t slot = c->next;

    if (!code_page)
        return false;
    for (size_t i = 0; i < PL_OPEN_CODE_PAGES; i++)
        if (c->open[i].code_page == code_page)
            return c->open[i].converter;
    c->next = (slot + 1) % PL_OPEN_CODE_PAGES;
    c->open[slot].code_page = code_page;
    c->open[slot].converter = has_tables(code_page) ? &known : NULL;
    return c->open[slot].converter;
}

/*
 * Windows converts undefined bytes to control or private-use characters.  ISO
 * 8859 does define control characters.
 */
static bool is_made_up(uint32_t code_page, wchar_t c)
{
    bool has_controls = code_page >= FIRST_ISO && code_page <= LAST_ISO;

    return (c >= 0x80 && c < 0xA0 && !has_controls) ||
           (c >= 0xE000 && c < 0xF900);
}

/* The first character of 'p'; returns its length, 0 if 'p' begins with none. */
static size_t first_character(uint32_t code_page, const char *p, size_t n,
                              wchar_t wide[2], int *num)
{
    for (size_t len = 1; len <= LONGEST && len <= n; len++) {
        *num = MultiByteToWideChar(code_page, MB_ERR_INVALID_CHARS, p, (int)len,
                                   wide, 2);
        if (*num == 1 && is_made_up(code_page, wide[0]))
            continue;
        if (*num == 1 || (*num == 2 && IS_HIGH_SURROGATE(wide[0])))
            return len;
    }
    return 0;
}

/* The last letter of a text, which an accent may follow. */
struct letter {
    struct pl_buf *out;
    bool accents;  /* may follow */
    uint32_t code; /* 0: none */
};

static void flush(struct letter *l)
{
    if (l->code)
        pl_utf8_put(l->out, l->code);
    l->code = 0;
}

/* Windows keeps letter and accent apart; other converters compose them. */
static bool compose(struct letter *l, uint32_t accent)
{
    const wchar_t pair[2] = { (wchar_t)l->code, (wchar_t)accent };
    wchar_t one[4];

    if (!l->accents || !l->code || l->code > 0xFFFF || accent < 0x300 ||
        accent > 0x36F || NormalizeString(NormalizationC, pair, 2, one, 4) != 1)
        return false;
    l->code = one[0];
    return true;
}

static void put(struct letter *l, uint32_t code)
{
    if (compose(l, code))
        return;
    flush(l);
    l->code = code;
}

static uint32_t code_of(const wchar_t *wide, int num)
{
    if (num == 2)
        return 0x10000 + ((wide[0] - 0xD800u) << 10) + (wide[1] - 0xDC00u);
    return wide[0];
}

void pl_codepage_to_utf8(struct pl_codepages *c, struct pl_buf *out,
                         uint32_t code_page, const void *bytes, size_t n)
{
    const char *p = bytes;
    bool has_page = is_known(c, code_page);
    struct letter last = { out, code_page == VIETNAMESE, 0 };

    n = strnlen(p, n);
    while (n) {
        wchar_t wide[2] = { (uint8_t)*p, 0 };
        int num = 1;
        size_t len = 1;

        if (wide[0] >= 0x80)
            len = has_page ? first_character(code_page, p, n, wide, &num) : 0;
        put(&last, len ? code_of(wide, num) : PL_REPLACEMENT);
        p += len ? len : 1;
        n -= len ? len : 1;
    }
    flush(&last);
}
