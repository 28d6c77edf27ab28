/* UTF-8 and UTF-16, both from untrusted sources. */
#include "format/base/utf.h"

#include "format/base/cursor.h"

#include <stdio.h>

uint32_t pl_utf8_decode(const uint8_t *p, size_t n, size_t *len)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    uint32_t code;
    size_t need;

    *len = 1;
    if (p[0] < 0x80)
        return p[0];
    if (p[0] >= 0xC2 && p[0] < 0xE0) {
        need = 2;
        code = p[0] & 0x1F;
    } else if (p[0] >= 0xE0 && p[0] < 0xF0) {
        need = 3;
        code = p[0] & 0x0F;
    } else if (p[0] >= 0xF0 && p[0] < 0xF5) {
        need = 4;
        code = p[0] & 0x07;
    } else {
        return PL_REPLACEMENT;
    }
    if (need > n)
        return PL_REPLACEMENT;
    for (size_t i = 1; i < need; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return PL_REPLACEMENT;
        code = code << 6 | (p[i] & 0x3F);
    }
    if (code < least[need] || code > 0x10FFFF ||
        (code >= 0xD800 && code < 0xE000))
        return PL_REPLACEMENT;
    *len = need;
    return code;
}

bool pl_utf8_is_valid(struct pl_text text)
{
    for (size_t i = 0, len; i < text.n; i += len)
        if (pl_utf8_decode((const uint8_t *)text.p + i, text.n - i, &len) ==
                PL_REPLACEMENT &&
            len == 1)
            return false;
    return true;
}

struct pl_text pl_utf8_valid(struct pl_buf *room, struct pl_text text)
{
    if (pl_utf8_is_valid(text))
        return text;
    pl_buf_clear(room);
    for (size_t i = 0, len; i < text.n; i += len)
        pl_utf8_put(room, pl_utf8_decode((const uint8_t *)text.p + i,
                                         text.n - i, &len));
    return (struct pl_text){ (const char *)room->p, room->len };
}

void pl_utf8_put(struct pl_buf *out, uint32_t code)
{
    uint8_t b[4];
    size_t n;

    if (code < 0x80) {
        b[0] = (uint8_t)code;
        n = 1;
    } else if (code < 0x800) {
        b[0] = (uint8_t)(0xC0 | code >> 6);
        b[1] = (uint8_t)(0x80 | (code & 0x3F));
        n = 2;
    } else if (code < 0x10000) {
        b[0] = (uint8_t)(0xE0 | code >> 12);
        b[1] = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        b[2] = (uint8_t)(0x80 | (code & 0x3F));
        n = 3;
    } else {
        b[0] = (uint8_t)(0xF0 | code >> 18);
        b[1] = (uint8_t)(0x80 | (code >> 12 & 0x3F));
        b[2] = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        b[3] = (uint8_t)(0x80 | (code & 0x3F));
        n = 4;
    }
    pl_buf_bytes(out, b, n);
}

/* Four bytes of ASCII as four UTF-16 units. */
static uint64_t units_of(uint32_t ascii)
{
    uint64_t v = ascii;

    v = (v | v << 16) & UINT64_C(0x0000FFFF0000FFFF);
    return (v | v << 8) & UINT64_C(0x00FF00FF00FF00FF);
}

size_t pl_utf16_put(uint8_t *out, const void *utf8, size_t n)
{
    const uint8_t *p = utf8;
    uint8_t *to = out;
    size_t i = 0, len;

    for (; n - i >= 4 && !(pl_get_le32(p + i) & 0x80808080); i += 4, to += 8) {
        uint64_t units = units_of(pl_get_le32(p + i));

        pl_put_le64s(to, &units, 1);
    }
    for (; i < n; i += len, to += 2) {
        uint32_t code = p[i];

        len = 1;
        if (code >= 0x80)
            code = pl_utf8_decode(p + i, n - i, &len);
        if (code >= 0x10000) {
            code -= 0x10000;
            pl_put_le16(to, (uint16_t)(0xD800 | code >> 10));
            to += 2;
            code = 0xDC00 | (code & 0x3FF);
        }
        pl_put_le16(to, (uint16_t)code);
    }
    return (size_t)(to - out);
}

void pl_utf8_to_utf16(struct pl_buf *out, const void *utf8, size_t n)
{
    uint8_t *to = pl_buf_room(out, 2 * n);

    if (to)
        out->len += pl_utf16_put(to, utf8, n);
}

void pl_utf16_to_utf8(struct pl_buf *out, const uint8_t *utf16, size_t n,
                      bool big_endian)
{
    for (size_t i = 0; i + 2 <= n; i += 2) {
        uint32_t unit =
            big_endian ? pl_get_be16(utf16 + i) : pl_get_le16(utf16 + i);

        if (!unit)
            break;
        if (unit >= 0xD800 && unit < 0xDC00 && i + 4 <= n) {
            uint32_t low = big_endian ? pl_get_be16(utf16 + i + 2)
                                      : pl_get_le16(utf16 + i + 2);

            if (low >= 0xDC00 && low < 0xE000) {
                unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                i += 2;
            }
        }
        if (unit >= 0xD800 && unit < 0xE000)
            unit = PL_REPLACEMENT;
        pl_utf8_put(out, unit);
    }
}

bool pl_is_control(uint32_t code)
{
    if (code < 0x20 || (code >= 0x7F && code < 0xA0))
        return true;
    return code == 0x061C || code == 0x200E || code == 0x200F ||
           (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

void pl_utf8_visible(struct pl_buf *out, const void *utf8, size_t n)
{
    const uint8_t *p = utf8;
    size_t len;

    for (size_t i = 0; i < n; i += len) {
        uint32_t code = pl_utf8_decode(p + i, n - i, &len);
        char escape[16];
        int chars;

        if (code == PL_REPLACEMENT && len == 1)
            chars = snprintf(escape, sizeof escape, "\\x%02X", p[i]);
        else if (code < 0x80 && pl_is_control(code))
            chars = snprintf(escape, sizeof escape, "\\x%02X", (unsigned)code);
        else if (pl_is_control(code))
            chars = snprintf(escape, sizeof escape, "\\u{%X}", (unsigned)code);
        else {
            pl_buf_bytes(out, p + i, len);
            continue;
        }
        pl_buf_bytes(out, escape, (size_t)chars);
    }
}

/* Blocks of characters, in their order; by Unicode's EastAsianWidth.txt and its
 * categories Mn and Me. */
struct range {
    uint32_t first, last;
};

static const struct range marks[] = {
    { 0x0300, 0x036F }, { 0x0483, 0x0489 }, { 0x0591, 0x05BD },
    { 0x0610, 0x061A }, { 0x064B, 0x065F }, { 0x0E31, 0x0E31 },
    { 0x0E34, 0x0E3A }, { 0x0E47, 0x0E4E }, { 0x1160, 0x11FF },
    { 0x1AB0, 0x1AFF }, { 0x1DC0, 0x1DFF }, { 0x200B, 0x200D },
    { 0x20D0, 0x20FF }, { 0x302A, 0x302D }, { 0x3099, 0x309A },
    { 0xFE00, 0xFE0F }, { 0xFE20, 0xFE2F }, { 0xE0100, 0xE01EF },
};
static const struct range wide[] = {
    { 0x1100, 0x115F },   { 0x2E80, 0x303E },   { 0x3041, 0x3247 },
    { 0x3250, 0x4DBF },   { 0x4E00, 0xA4CF },   { 0xA960, 0xA97F },
    { 0xAC00, 0xD7A3 },   { 0xF900, 0xFAFF },   { 0xFE10, 0xFE19 },
    { 0xFE30, 0xFE6F },   { 0xFF01, 0xFF60 },   { 0xFFE0, 0xFFE6 },
    { 0x16FE0, 0x1B2FF }, { 0x1F300, 0x1F64F }, { 0x1F680, 0x1F6FF },
    { 0x1F900, 0x1FAFF }, { 0x20000, 0x3FFFD },
};

static bool is_in(const struct range *ranges, size_t num, uint32_t code)
{
    size_t i = 0;

    while (i < num && code > ranges[i].last)
        i++;
    return i < num && code >= ranges[i].first;
}

size_t pl_code_columns(uint32_t code)
{
    if (code < marks[0].first)
        return 1;
    if (is_in(marks, sizeof marks / sizeof *marks, code))
        return 0;
    return is_in(wide, sizeof wide / sizeof *wide, code) ? 2 : 1;
}

size_t pl_utf8_columns(const void *utf8, size_t n)
{
    const uint8_t *p = utf8;
    size_t columns = 0, len;

    for (size_t i = 0; i < n; i += len)
        columns += pl_code_columns(pl_utf8_decode(p + i, n - i, &len));
    return columns;
}

void pl_utf8_cut(struct pl_buf *out, size_t from, size_t most)
{
    size_t num = 0, len;

    for (size_t i = from; i < out->len; i += len) {
        num += pl_code_columns(pl_utf8_decode(out->p + i, out->len - i, &len));
        if (num > most) {
            out->len = i;
            return;
        }
    }
}

void pl_utf8_visible_part(struct pl_buf *out, struct pl_text text, size_t most)
{
    static const char rest[] = "...";
    const size_t from = out->len, num_rest = sizeof rest - 1;

    pl_utf8_visible(out, text.p, text.n);
    if (pl_utf8_columns(out->p + from, out->len - from) <= most)
        return;
    pl_utf8_cut(out, from, most - num_rest);
    pl_buf_bytes(out, rest, num_rest);
}

uint32_t pl_fold(uint32_t code)
{
    if (code >= 'A' && code <= 'Z')
        return code + 32;
    if (code < 0x80)
        return code;
    if ((code >= 0xC0 && code <= 0xDE && code != 0xD7) ||
        (code >= 0x391 && code <= 0x3A9 && code != 0x3A2) ||
        (code >= 0x410 && code <= 0x42F))
        return code + 32;
    if (code >= 0x400 && code <= 0x40F)
        return code + 80;
    if (code == 0x178)
        return 0xFF;
    /* Extended Latin: upper and lower case in turn, but for 0x130 and 0x131. */
    if (((code >= 0x100 && code <= 0x137 && code != 0x130) ||
         (code >= 0x14A && code <= 0x177)) &&
        !(code & 1))
        return code + 1;
    if (code >= 0x139 && code <= 0x17E && code & 1 &&
        (code <= 0x147 || code >= 0x179))
        return code + 1;
    return code;
}
