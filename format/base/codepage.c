/* Numbers and names of code pages. */
#include "format/base/codepage.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Windows' number, iconv's name, and another one.  Only stateless encodings:
 * shift states are of no use in a name, and iconv's stateful converters have had
 * security holes.
 */
static const struct {
    uint32_t code_page;
    const char *name, *other;
} pages[] = {
    { 437, "CP437", NULL },
    { 737, "CP737", NULL },
    { 775, "CP775", NULL },
    { 850, "CP850", NULL },
    { 852, "CP852", NULL },
    { 855, "CP855", NULL },
    { 857, "CP857", NULL },
    { 858, "CP858", NULL },
    { 860, "CP860", NULL },
    { 861, "CP861", NULL },
    { 862, "CP862", NULL },
    { 863, "CP863", NULL },
    { 864, "CP864", NULL },
    { 865, "CP865", NULL },
    { 866, "CP866", NULL },
    { 869, "CP869", NULL },
    { 874, "CP874", NULL },
    { 932, "CP932", "SHIFT_JIS" },
    { 936, "GBK", "GB2312" },
    { 949, "UHC", NULL },
    { 950, "BIG5", "CP950" },
    { 1250, "CP1250", NULL },
    { 1251, "CP1251", NULL },
    { 1252, "CP1252", NULL },
    { 1253, "CP1253", NULL },
    { 1254, "CP1254", NULL },
    { 1255, "CP1255", NULL },
    { 1256, "CP1256", NULL },
    { 1257, "CP1257", NULL },
    { 1258, "CP1258", NULL },
    { 10000, "MACINTOSH", "MAC" },
    { 20866, "KOI8-R", NULL },
    { 21866, "KOI8-U", NULL },
    { 28591, "ISO-8859-1", "LATIN1" },
    { 28592, "ISO-8859-2", "LATIN2" },
    { 28593, "ISO-8859-3", NULL },
    { 28594, "ISO-8859-4", NULL },
    { 28595, "ISO-8859-5", NULL },
    { 28596, "ISO-8859-6", NULL },
    { 28597, "ISO-8859-7", NULL },
    { 28598, "ISO-8859-8", NULL },
    { 28599, "ISO-8859-9", NULL },
    { 28603, "ISO-8859-13", NULL },
    { 28605, "ISO-8859-15", "LATIN9" },
    { 51932, "EUC-JP", NULL },
    { 51949, "EUC-KR", NULL },
    { 54936, "GB18030", NULL },
    { PL_CODE_PAGE_UTF8, "UTF-8", NULL },
};

/* Those that Windows has as ANSI code pages. */
static const uint32_t ansi[] = { 874,  932,  936,  949,  950,  1250, 1251,
                                 1252, 1253, 1254, 1255, 1256, 1257, 1258 };

static uint32_t given;

const char *pl_code_page_name(uint32_t code_page)
{
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (pages[i].code_page == code_page)
            return pages[i].name;
    return NULL;
}

/* Letters and digits alone tell names apart. */
static bool is_alike(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a == '-' || *a == '_')
            a++;
        while (*b == '-' || *b == '_')
            b++;
        if (toupper((unsigned char)*a) != toupper((unsigned char)*b))
            return false;
        if (!*a)
            return true;
    }
}

/* The length of 'before', in either case, at the beginning of a name; or 0. */
static size_t length_before(const char *name, const char *before)
{
    size_t n = 0;

    while (before[n] && toupper((unsigned char)name[n]) == before[n])
        n++;
    return before[n] ? 0 : n;
}

/* Behind "cp", "windows-" and the like, a number. */
static const char *number_in(const char *name)
{
    static const char *const before[] = { "CP", "WINDOWS", "MS", "IBM" };
    size_t n = 0;

    for (size_t i = 0; i < sizeof before / sizeof *before && !n; i++)
        n = length_before(name, before[i]);
    return name + n + (name[n] == '-' || name[n] == '_');
}

uint32_t pl_code_page_of(const char *name)
{
    const char *number = number_in(name);
    size_t digits = strspn(number, "0123456789");
    unsigned long code_page =
        digits && digits < 6 && !number[digits] ? strtoul(number, NULL, 10) : 0;

    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (code_page ? pages[i].code_page == code_page
                      : is_alike(name, pages[i].name) ||
                            (pages[i].other && is_alike(name, pages[i].other)))
            return pages[i].code_page;
    return 0;
}

size_t pl_code_page_text(uint32_t code_page, char out[PL_CODE_PAGE_TEXT])
{
    const char *name = pl_code_page_name(code_page);

    for (size_t i = 0; i < sizeof ansi / sizeof *ansi; i++)
        if (ansi[i] == code_page)
            name = NULL;
    if (name)
        return (size_t)snprintf(out, PL_CODE_PAGE_TEXT, "%s", name);
    return (size_t)snprintf(out, PL_CODE_PAGE_TEXT, "Windows-%" PRIu32,
                            code_page);
}

void pl_code_page_set(uint32_t code_page)
{
    given = code_page;
}

uint32_t pl_code_page_given(void)
{
    return given;
}
