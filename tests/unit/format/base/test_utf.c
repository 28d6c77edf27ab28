/* UTF-8 and UTF-16: valid text is kept, the rest becomes U+FFFD or \xHH. */
#include "format/base/utf.h"

#include "format/base/cursor.h"
#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>

/* The units of 'b' as UTF-16LE against up to four expected ones. */
static void check_units(const struct pl_buf *b, const uint16_t *want,
                        size_t num, const char *what)
{
    ck_assert_msg(b->len == 2 * num, "%s: %zu bytes", what, b->len);
    for (size_t i = 0; i < num; i++)
        ck_assert_msg(pl_get_le16(b->p + 2 * i) == want[i], "%s: unit %zu",
                      what, i);
}

static const struct {
    const char *what;
    const char *utf8;
    size_t n, num;
    uint16_t want[5];
} decodings[] = {
    { "ASCII", "aZ", 2, 2, { 'a', 'Z' } },
    { "two bytes, least", "\xC2\x80", 2, 1, { 0x80 } },
    { "three bytes, least", "\xE0\xA0\x80", 3, 1, { 0x800 } },
    { "four bytes, least", "\xF0\x90\x80\x80", 4, 2, { 0xD800, 0xDC00 } },
    { "four bytes, most", "\xF4\x8F\xBF\xBF", 4, 2, { 0xDBFF, 0xDFFF } },
    { "beyond Unicode",
      "\xF4\x90\x80\x80",
      4,
      4,
      { 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD } },
    { "five-byte lead", "\xF8\x80", 2, 2, { 0xFFFD, 0xFFFD } },
    { "lead F5", "\xF5\x80\x80\x80", 4, 4, { 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD } },
    { "overlong slash", "\xC0\xAF", 2, 2, { 0xFFFD, 0xFFFD } },
    { "overlong of C1", "\xC1\xBF", 2, 2, { 0xFFFD, 0xFFFD } },
    { "overlong in three", "\xE0\x9F\xBF", 3, 3, { 0xFFFD, 0xFFFD, 0xFFFD } },
    { "overlong in four",
      "\xF0\x8F\xBF\xBF",
      4,
      4,
      { 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD } },
    { "first surrogate", "\xED\xA0\x80", 3, 3, { 0xFFFD, 0xFFFD, 0xFFFD } },
    { "last surrogate", "\xED\xBF\xBF", 3, 3, { 0xFFFD, 0xFFFD, 0xFFFD } },
    { "before surrogates", "\xED\x9F\xBF", 3, 1, { 0xD7FF } },
    { "after surrogates", "\xEE\x80\x80", 3, 1, { 0xE000 } },
    { "lone continuation", "\x80z", 2, 2, { 0xFFFD, 'z' } },
    { "cut in two", "\xC3", 1, 1, { 0xFFFD } },
    { "cut in three", "\xE2\x82", 2, 2, { 0xFFFD, 0xFFFD } },
    { "lead, then ASCII",
      "\xE2"
      "ab",
      3,
      3,
      { 0xFFFD, 'a', 'b' } },
    { "NUL is a character", "a\0b", 3, 3, { 'a', 0, 'b' } },
};

START_TEST(utf8_becomes_utf16)
{
    struct pl_buf b = { 0 };
    uint8_t *p = exact_copy(decodings[_i].utf8, decodings[_i].n);

    pl_utf8_to_utf16(&b, p, decodings[_i].n);
    check_units(&b, decodings[_i].want, decodings[_i].num, decodings[_i].what);
    pl_buf_release(&b);
    free(p);
}
END_TEST

START_TEST(every_character_goes_there_and_back)
{
    struct pl_buf utf8 = { 0 }, utf16 = { 0 }, back = { 0 };
    size_t len;

    for (uint32_t code = 1; code < 0x110000; code++) {
        if (code >= 0xD800 && code < 0xE000)
            continue;
        pl_buf_clear(&utf8);
        pl_buf_clear(&utf16);
        pl_buf_clear(&back);
        pl_utf8_put(&utf8, code);
        if (pl_utf8_decode(utf8.p, utf8.len, &len) != code || len != utf8.len)
            ck_abort_msg("U+%X decodes to another", code);
        pl_utf8_to_utf16(&utf16, utf8.p, utf8.len);
        pl_utf16_to_utf8(&back, utf16.p, utf16.len, false);
        if (back.len != utf8.len || memcmp(back.p, utf8.p, back.len) != 0)
            ck_abort_msg("U+%X comes back as another", code);
    }
    pl_buf_release(&utf8);
    pl_buf_release(&utf16);
    pl_buf_release(&back);
}
END_TEST

static const struct {
    const char *what;
    const char *utf16; /* little-endian */
    size_t n;
    const char *want;
} names[] = {
    { "plain", "a\0b\0", 4, "ab" },
    { "stops at its terminator", "a\0\0\0b\0", 6, "a" },
    { "odd last byte", "a\0b", 3, "a" },
    { "empty", "", 0, "" },
    { "one byte", "a", 1, "" },
    { "pair", "\x3D\xD8\x00\xDE", 4, "\xF0\x9F\x98\x80" },
    { "high surrogate at the end", "a\0\x3D\xD8", 4, "a\xEF\xBF\xBD" },
    { "high surrogate, half a unit", "\x3D\xD8\x00", 3, "\xEF\xBF\xBD" },
    { "two high surrogates", "\x3D\xD8\x3D\xD8", 4,
      "\xEF\xBF\xBD\xEF\xBF\xBD" },
    { "high surrogate, letter",
      "\x3D\xD8"
      "a\0",
      4,
      "\xEF\xBF\xBD"
      "a" },
    { "low surrogate alone",
      "\x00\xDE"
      "a\0",
      4,
      "\xEF\xBF\xBD"
      "a" },
};

START_TEST(what_is_no_utf8_is_made_so)
{
    static const struct {
        const char *text, *want; /* NULL: the text itself */
    } texts[] = {
        { "", NULL },
        { "Memory", NULL },
        { "Gr\xC3\xB6\xC3\x9F"
          "e \xE2\x82\xAC",
          NULL },
        { "\xEF\xBF\xBD", NULL }, /* that character itself */
        { "f\xFC"
          "r",
          "f\xEF\xBF\xBD"
          "r" },
        { "\xE2\x82", "\xEF\xBF\xBD\xEF\xBF\xBD" },
    };
    struct pl_buf room = { 0 };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct pl_text text = pl_text_of(texts[i].text),
                       valid = pl_utf8_valid(&room, text);
        const char *want = texts[i].want ? texts[i].want : texts[i].text;

        ck_assert_int_eq(pl_utf8_is_valid(text), !texts[i].want);
        ck_assert(pl_text_equal(valid, pl_text_of(want)));
        ck_assert_int_eq(valid.p == text.p, !texts[i].want);
    }
    pl_buf_release(&room);
}
END_TEST

START_TEST(utf16_becomes_utf8_in_both_byte_orders)
{
    size_t n = names[_i].n;
    uint8_t *p = exact_copy(names[_i].utf16, n);
    struct pl_buf b = { 0 };

    for (int big = 0; big < 2; big++) {
        pl_buf_clear(&b);
        pl_utf16_to_utf8(&b, p, n, big);
        ck_assert_msg(b.len == strlen(names[_i].want) &&
                          (!b.len || !memcmp(b.p, names[_i].want, b.len)),
                      "%s", names[_i].what);
        for (size_t i = 0; i + 2 <= n; i += 2) { /* the other order */
            uint8_t first = p[i];

            p[i] = p[i + 1];
            p[i + 1] = first;
        }
    }
    pl_buf_release(&b);
    free(p);
}
END_TEST

static const struct {
    const char *text;
    const char *want;
} prints[] = {
    { "plain \xC3\xA4 \xE2\x82\xAC", "plain \xC3\xA4 \xE2\x82\xAC" },
    { "\x1B[31m", "\\x1B[31m" },
    { "\x1F \x7F~", "\\x1F \\x7F~" },
    { "\n\t", "\\x0A\\x09" },
    { "\xC2\x9B"
      "31m",
      "\\u{9B}31m" },           /* C1: control sequence */
    { "\xC2\xA0", "\xC2\xA0" }, /* just behind C1 */
    { "\xFF"
      "a",
      "\\xFFa" },
    { "\xE2\x80\xAE", "\\u{202E}" },    /* right-to-left override */
    { "\xE2\x80\xA8", "\\u{2028}" },    /* line separator */
    { "\xE2\x80\xA7", "\xE2\x80\xA7" }, /* just before */
    { "\xE2\x81\xA6\xE2\x81\xA9", "\\u{2066}\\u{2069}" },
    { "\xE2\x80\x8E\xE2\x80\x8F\xD8\x9C", "\\u{200E}\\u{200F}\\u{61C}" },
    { "\xEF\xBB\xBF", "\\u{FEFF}" },
    { "\xEF\xBF\xBD", "\xEF\xBF\xBD" }, /* a real U+FFFD is text */
};

START_TEST(nothing_reaches_the_terminal_but_text)
{
    struct pl_buf b = { 0 };

    pl_utf8_visible(&b, prints[_i].text, strlen(prints[_i].text));
    pl_buf_u8(&b, 0);
    ck_assert_str_eq((const char *)b.p, prints[_i].want);
    pl_buf_release(&b);
}
END_TEST

START_TEST(no_byte_pair_yields_a_control_byte)
{
    struct pl_buf b = { 0 };

    for (unsigned pair = 0; pair < 0x10000; pair++) {
        uint8_t two[2] = { (uint8_t)(pair >> 8), (uint8_t)pair };

        pl_buf_clear(&b);
        pl_utf8_visible(&b, two, 2);
        for (size_t i = 0; i < b.len; i++)
            if (b.p[i] < 0x20 || b.p[i] == 0x7F)
                ck_abort_msg("%04X prints a control", pair);
    }
    pl_buf_release(&b);
}
END_TEST

static const struct {
    uint32_t upper, lower;
} cases[] = {
    { 'A', 'a' },     { 'Z', 'z' },     { 0xC4, 0xE4 },   { 0xDE, 0xFE },
    { 0x100, 0x101 }, { 0x136, 0x137 }, { 0x141, 0x142 }, { 0x160, 0x161 },
    { 0x17D, 0x17E }, { 0x178, 0xFF },  { 0x391, 0x3B1 }, { 0x3A9, 0x3C9 },
    { 0x400, 0x450 }, { 0x410, 0x430 }, { 0x42F, 0x44F },
};

START_TEST(case_is_folded)
{
    ck_assert_uint_eq(pl_fold(cases[_i].upper), cases[_i].lower);
    ck_assert_uint_eq(pl_fold(cases[_i].lower), cases[_i].lower);
}
END_TEST

START_TEST(what_has_no_case_stays)
{
    static const uint32_t same[] = { '0',   '@',   '[',   '_',    0xD7,
                                     0xDF,  0xF7,  0x130, 0x131,  0x138,
                                     0x149, 0x17F, 0x3A2, 0x4E00, 0x1F600 };

    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        ck_assert_uint_eq(pl_fold(same[i]), same[i]);
    for (uint32_t code = 0; code < 0x110000; code++)
        if (pl_fold(pl_fold(code)) != pl_fold(code))
            ck_abort_msg("U+%X folds twice", code);
}
END_TEST

START_TEST(columns_of_a_terminal)
{
    static const struct {
        const char *text;
        size_t columns;
    } texts[] = {
        { "", 0 },
        { "abc", 3 },
        { "\u00e9", 1 },
        { "e\u0301x", 2 },           /* a mark on a letter */
        { "\u670d\u52a1\u5668", 6 }, /* Chinese */
        { "\uac00", 2 },             /* Korean, also of three parts */
        { "\u1112\u1161\u11ab", 2 },
        { "\uff76\uff86\u303f", 3 }, /* of half the width */
        { "\U0001f600", 2 },
        { "\u2581\u2588", 2 }, /* of spark lines */
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_uint_eq(pl_utf8_columns(texts[i].text, strlen(texts[i].text)),
                          texts[i].columns);
}
END_TEST

START_TEST(the_part_that_fits)
{
    static const struct {
        const char *text, *shown;
    } texts[] = {
        { "", "" },
        { "abcdef", "abcdef" },
        { "abcdefg", "abc..." },
        { "e\u0301bcdef", "e\u0301bcdef" },
        { "e\u0301bcde\u0301fgh", "e\u0301bc..." },
        { "\u670d\u52a1\u5668", "\u670d\u52a1\u5668" },
        { "\u670d\u52a1\u5668x", "\u670d..." }, /* no half of the second */
        { "ab\n", "ab\\x0A" },
        { "abc\n", "abc..." },
    };
    struct pl_buf out = { 0 };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        pl_buf_clear(&out);
        pl_buf_bytes(&out, "before", 6);
        pl_utf8_visible_part(&out, pl_text_of(texts[i].text), 6);
        pl_buf_u8(&out, 0);
        ck_assert_mem_eq(out.p, "before", 6);
        ck_assert_str_eq((const char *)out.p + 6, texts[i].shown);
    }
    pl_buf_release(&out);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("utf");

    tcase_add_loop_test(t, utf8_becomes_utf16, 0,
                        sizeof decodings / sizeof *decodings);
    tcase_add_test(t, every_character_goes_there_and_back);
    tcase_add_test(t, what_is_no_utf8_is_made_so);
    tcase_add_loop_test(t, utf16_becomes_utf8_in_both_byte_orders, 0,
                        sizeof names / sizeof *names);
    tcase_add_loop_test(t, nothing_reaches_the_terminal_but_text, 0,
                        sizeof prints / sizeof *prints);
    tcase_add_test(t, no_byte_pair_yields_a_control_byte);
    tcase_add_test(t, columns_of_a_terminal);
    tcase_add_test(t, the_part_that_fits);
    tcase_add_loop_test(t, case_is_folded, 0, sizeof cases / sizeof *cases);
    tcase_add_test(t, what_has_no_case_stays);
    return run_suite("utf", (TCase *[]){ t, NULL });
}
