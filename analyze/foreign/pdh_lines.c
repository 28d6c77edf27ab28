/* Finds lines, and where headers begin in them. */
#include "analyze/foreign/pdh_lines.h"

#include "format/base/cursor.h"

#include <string.h>

#define HEADER_BEGINS "(PDH-" /* perhaps quoted */

enum { NUM_BEGINS = sizeof HEADER_BEGINS - 1 };

enum pl_pdh_letters pl_pdh_letters_of(const uint8_t *p, size_t n, size_t *mark)
{
    *mark = 2;
    if (n >= 2 && p[0] == 0xFF && p[1] == 0xFE)
        return PL_PDH_UTF16_LITTLE;
    if (n >= 2 && p[0] == 0xFE && p[1] == 0xFF)
        return PL_PDH_UTF16_BIG;
    *mark = 0;
    if (n >= 2 && p[0] && !p[1])
        return PL_PDH_UTF16_LITTLE;
    if (n >= 2 && !p[0] && p[1])
        return PL_PDH_UTF16_BIG;
    if (n >= 3 && !memcmp(p, "\xEF\xBB\xBF", 3))
        *mark = 3;
    return PL_PDH_UTF8;
}

size_t pl_pdh_letter_len(enum pl_pdh_letters letters)
{
    return letters == PL_PDH_UTF16_LITTLE || letters == PL_PDH_UTF16_BIG ? 2
                                                                         : 1;
}

/* The next character if it is ASCII; others, and the end, are 0. */
static char letter_at(const uint8_t *p, size_t n, enum pl_pdh_letters letters,
                      size_t i)
{
    size_t at = i * pl_pdh_letter_len(letters);
    uint32_t unit;

    if (at + pl_pdh_letter_len(letters) > n)
        return 0;
    if (letters == PL_PDH_UTF16_LITTLE)
        unit = pl_get_le16(p + at);
    else if (letters == PL_PDH_UTF16_BIG)
        unit = pl_get_be16(p + at);
    else
        unit = p[at];
    return unit < 0x80 ? (char)unit : 0;
}

int pl_pdh_is_line_end(unsigned char c)
{
    return c == '\n' || c == '\r';
}

/* How many letters of lines' ends and spaces come first, as of typeperf. */
static size_t blank_len(const uint8_t *p, size_t n, enum pl_pdh_letters letters)
{
    size_t i = 0;
    char c;

    while ((c = letter_at(p, n, letters, i)) == '\r' || c == '\n' || c == ' ')
        i++;
    return i;
}

/* The letter behind a quote that may be at 'i'. */
static char behind_quote(const uint8_t *p, size_t n,
                         enum pl_pdh_letters letters, size_t i)
{
    char c = letter_at(p, n, letters, i);

    return c == '"' ? letter_at(p, n, letters, i + 1) : c;
}

char pl_pdh_delimiter(const uint8_t *p, size_t n, enum pl_pdh_letters letters)
{
    size_t i = blank_len(p, n, letters);
    char c;

    if (behind_quote(p, n, letters, i) != '(')
        return 0;
    for (; (i + 1) * pl_pdh_letter_len(letters) <= n; i++) {
        c = letter_at(p, n, letters, i);
        if (pl_pdh_is_line_end((unsigned char)c))
            return 0;
        if ((c == ',' || c == '\t' || c == ';') &&
            behind_quote(p, n, letters, i + 1) == '\\')
            return c;
    }
    return 0;
}

/* How many letters from 'i' on are as a header begins, behind a quote. */
static size_t num_as_header(const uint8_t *p, size_t n,
                            enum pl_pdh_letters letters, size_t i)
{
    size_t num = 0;

    while (num < NUM_BEGINS &&
           letter_at(p, n, letters, i + num) == HEADER_BEGINS[num])
        num++;
    return num;
}

bool pl_pdh_begins_zone(const uint8_t *p, size_t n)
{
    return behind_quote(p, n, PL_PDH_UTF8, 0) == '(';
}

bool pl_pdh_begins_header(const uint8_t *p, size_t n,
                          enum pl_pdh_letters letters)
{
    size_t quote = letter_at(p, n, letters, 0) == '"';

    return num_as_header(p, n, letters, quote) == NUM_BEGINS;
}

bool pl_pdh_has_path(const uint8_t *p, size_t n, char delimiter)
{
    const uint8_t *at = p;

    for (; (at = memchr(at, '\\', n - (size_t)(at - p))); at++) {
        size_t i = (size_t)(at - p);

        i -= i && p[i - 1] == '"';
        if (i && p[i - 1] == (uint8_t)delimiter)
            return true;
    }
    return false;
}

size_t pl_pdh_len_without_begun_header(const uint8_t *p, size_t n,
                                       enum pl_pdh_letters letters)
{
    size_t unit = pl_pdh_letter_len(letters), num = n / unit;
    size_t i = num > NUM_BEGINS ? num - NUM_BEGINS - 1 : 0;

    for (; i < num; i++) {
        size_t begun = i + (letter_at(p, n, letters, i) == '"');

        if (begun + num_as_header(p, n, letters, begun) == num)
            return i * unit;
    }
    return n;
}

/* The length up to a header, or all of it. */
static size_t len_to_header(const uint8_t *p, size_t n)
{
    const uint8_t *at = p;

    while ((at = memchr(at, HEADER_BEGINS[0], n - (size_t)(at - p)))) {
        size_t i = (size_t)(at - p);

        i -= i && p[i - 1] == '"';
        if (pl_pdh_begins_header(p + i, n - i, PL_PDH_UTF8))
            return i;
        at++;
    }
    return n;
}

/* Of letters of one byte. */
static size_t line_len(const uint8_t *p, size_t n, bool at_header)
{
    const uint8_t *end = memchr(p, '\n', n);
    size_t len = end ? (size_t)(end - p) + 1 : n;
    const uint8_t *cr = memchr(p, '\r', len);

    len = cr && cr + 1 != end ? (size_t)(cr - p) + 1 : len;
    return at_header ? len_to_header(p, len) : len;
}

size_t pl_pdh_line_len(const uint8_t *p, size_t n, enum pl_pdh_letters letters,
                       bool at_header)
{
    size_t unit = pl_pdh_letter_len(letters);

    if (unit == 1)
        return line_len(p, n, at_header);
    for (size_t i = 0; i < n; i += unit) {
        char c = letter_at(p + i, n - i, letters, 0);

        if (at_header && pl_pdh_begins_header(p + i, n - i, letters))
            return i;
        if (c == '\n' ||
            (c == '\r' && letter_at(p + i, n - i, letters, 1) != '\n'))
            return i + unit;
    }
    return n;
}

bool pl_pdh_is_one(const uint8_t *p, size_t n)
{
    size_t mark;
    enum pl_pdh_letters letters = pl_pdh_letters_of(p, n, &mark);

    return pl_pdh_delimiter(p + mark, n - mark, letters) != 0;
}
