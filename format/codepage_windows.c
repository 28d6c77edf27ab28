/* Code pages by Windows, byte after byte, as it tells of no place of errors. */
#include "format/codepage.h"

#include "format/utf.h"

#include <string.h>
#include <windows.h>

enum { REPLACEMENT = 0xFFFD, LONGEST = 4 /* bytes of a character */ };

/* Nothing is kept open. */
void pl_codepages_release(struct pl_codepages *c)
{
    *c = (struct pl_codepages){ 0 };
}

/*
 * Of bytes that mean nothing Windows makes control characters and private
 * ones.  ISO 8859 and ISO-like pages do have the former.
 */
static bool is_made_up(uint32_t code_page, wchar_t c)
{
    bool has_controls = code_page >= 28591 && code_page <= 28605;

    return (c >= 0x80 && c < 0xA0 && !has_controls) ||
           (c >= 0xE000 && c < 0xF900);
}

static bool is_known(uint32_t code_page)
{
    return code_page && code_page != 65000 /* UTF-7: bytes have memory */ &&
           (code_page < 50220 || code_page > 50229) /* ISO 2022, too */ &&
           IsValidCodePage(code_page);
}

/* The first character of 'p'; returns its length, 0 if it is none. */
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

static void put(struct pl_buf *out, const wchar_t *wide, int num)
{
    uint32_t c = wide[0];

    if (num == 2)
        c = 0x10000 + ((c - 0xD800) << 10) + (wide[1] - 0xDC00u);
    pl_utf8_put(out, c);
}

void pl_codepage_to_utf8(struct pl_codepages *c, struct pl_buf *out,
                         uint32_t code_page, const void *bytes, size_t n)
{
    const char *p = bytes;
    bool known = is_known(code_page);

    (void)c;
    n = strnlen(p, n);
    while (n) {
        wchar_t wide[2];
        int num = 1;
        size_t len = 1;

        wide[0] = (uint8_t)*p;
        if (wide[0] >= 0x80)
            len = known ? first_character(code_page, p, n, wide, &num) : 0;
        if (len)
            put(out, wide, num);
        else
            pl_utf8_put(out, REPLACEMENT);
        p += len ? len : 1;
        n -= len ? len : 1;
    }
}
