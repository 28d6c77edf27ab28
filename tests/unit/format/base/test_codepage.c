/* Names in Windows' code pages, known and unknown. */
#include "format/base/codepage.h"
#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>

/* The tables of unicode.org for these pages say so. */
static const struct {
    uint32_t code_page;
    const char *bytes;
    const char *utf8;
} cases[] = {
    { 1252, "", "" },
    { 1252, "plain", "plain" },
    { 1252,
      "Gr\xF6\xDF"
      "e 5 \x80",
      "Größe 5 €" },
    { 1252, "\x81", "\uFFFD" }, /* a hole in the table */
    { 1250, "\x8Aum", "Šum" },
    { 1251, "\xCF\xF0\xEE\xF6\xE5\xF1\xF1", "Процесс" },
    { 1253, "\xC4\xDF\xF3\xEA\xEF\xF2", "Δίσκος" },
    { 437,
      "\x81"
      "ber",
      "über" },
    { 1255, "\xE9\xE0", "יא" }, /* the last may wait for a point */
    { 1258, "Vi\xEA\xF2t", "Việt" },
    { 1258, "Vi\xEA", "Viê" },
    { 850, "\xE1", "ß" },
    { 866, "\x84\xA8\xE1\xAA", "Диск" },
    { 20866, "\xF4\xCF\xCD", "Том" },
    { 932, "\x83\x76\x83\x8D\x83\x5A\x83\x58", "プロセス" },
    { 932, "\x83\x76\x83", "プ\uFFFD" }, /* cut in a character */
    { 932,
      "\xFF"
      "a",
      "\uFFFD"
      "a" },
    { 936, "\xB4\xC5\xC5\xCC", "磁盘" },
    { 949, "\xB5\xF0\xBD\xBA\xC5\xA9", "디스크" },
    { 950, "\xBA\xCF\xBA\xD0", "磁碟" },
    { 28605, "\xA4", "€" },
    { 65001,
      "Gr\xC3\xB6\xC3\x9F"
      "e\xFF",
      "Größe\uFFFD" },
    { 0, "caf\xE9", "caf\uFFFD" },
    { 4711, "caf\xE9 au lait", "caf\uFFFD au lait" },
    { 50220, "\x1B$B%W", "\x1B$B%W" }, /* shift states are refused */
    { UINT32_MAX, "x\x80y", "x\uFFFDy" },
};

static void check(struct pl_codepages *c, size_t i)
{
    size_t n = strlen(cases[i].bytes);
    uint8_t *copy = exact_copy(cases[i].bytes, n);
    struct pl_buf out = { 0 };

    pl_codepage_to_utf8(c, &out, cases[i].code_page, copy, n);
    pl_buf_u8(&out, 0);
    ck_assert(!out.oom);
    ck_assert_str_eq((const char *)out.p, cases[i].utf8);
    pl_buf_release(&out);
    free(copy);
}

START_TEST(bytes_of_a_page_become_utf8)
{
    struct pl_codepages c = { 0 };

    check(&c, (size_t)_i);
    check(&c, (size_t)_i); /* and once more with the page open */
    pl_codepages_release(&c);
}
END_TEST

START_TEST(more_pages_than_slots_take_turns)
{
    struct pl_codepages c = { 0 };

    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            check(&c, i);
    pl_codepages_release(&c);
}
END_TEST

START_TEST(a_page_in_use_is_opened_once)
{
    struct pl_codepages c = { 0 };
    struct pl_buf out = { 0 };
    void *first;

    pl_codepage_to_utf8(&c, &out, 1252, "a", 1);
    first = c.open[0].converter;
    ck_assert_ptr_nonnull(first);
    for (int i = 0; i < 10; i++)
        pl_codepage_to_utf8(&c, &out, 1252, "a", 1);
    ck_assert_ptr_eq(c.open[0].converter, first);
    ck_assert_uint_eq(c.next, 1);
    pl_codepages_release(&c);
    pl_buf_release(&out);
}
END_TEST

START_TEST(a_name_ends_at_its_terminator_or_its_length)
{
    struct pl_codepages c = { 0 };
    struct pl_buf out = { 0 };
    uint8_t *copy = exact_copy("ab\0cd", 5);

    pl_codepage_to_utf8(&c, &out, 1252, copy, 5);
    pl_codepage_to_utf8(&c, &out, 1252, copy + 3, 2);
    pl_codepage_to_utf8(&c, &out, 4711, copy, 5);
    ck_assert_uint_eq(out.len, 6);
    ck_assert_int_eq(memcmp(out.p, "abcdab", 6), 0);
    pl_codepages_release(&c);
    pl_buf_release(&out);
    free(copy);
}
END_TEST

START_TEST(a_name_longer_than_any_buffer_is_whole)
{
    enum { LONG = 100000 };
    struct pl_codepages c = { 0 };
    struct pl_buf out = { 0 };
    char *name = malloc(LONG);

    memset(name, 0xE4, LONG);
    pl_codepage_to_utf8(&c, &out, 1252, name, LONG);
    ck_assert_uint_eq(out.len, 2 * LONG);
    for (size_t i = 0; i < out.len; i += 2)
        ck_assert_int_eq(memcmp(out.p + i, "ä", 2), 0);
    pl_codepages_release(&c);
    pl_buf_release(&out);
    free(name);
}
END_TEST

static const struct {
    const char *name;
    uint32_t code_page;
    const char *text;
} names[] = {
    { "1251", 1251, "Windows-1251" },
    { "cp1251", 1251, "Windows-1251" },
    { "CP-1251", 1251, "Windows-1251" },
    { "windows-1251", 1251, "Windows-1251" },
    { "Windows_932", 932, "Windows-932" },
    { "Shift_JIS", 932, "Windows-932" },
    { "shift-jis", 932, "Windows-932" },
    { "gbk", 936, "Windows-936" },
    { "Big5", 950, "Windows-950" },
    { "koi8-r", 20866, "KOI8-R" },
    { "KOI8R", 20866, "KOI8-R" },
    { "ibm866", 866, "CP866" },
    { "iso-8859-2", 28592, "ISO-8859-2" },
    { "latin1", 28591, "ISO-8859-1" },
    { "utf8", 65001, "UTF-8" },
    { "UTF-8", 65001, "UTF-8" },
    { "", 0, NULL },
    { "cp", 0, NULL },
    { "-", 0, NULL },
    { "1251x", 0, NULL },
    { "cp1251 ", 0, NULL },
    { "50220", 0, NULL },
    { "4294968547", 0, NULL }, /* 1251 in 32 bits */
    { "utf-16", 0, NULL },
};

START_TEST(pages_have_names)
{
    char text[PL_CODE_PAGE_TEXT];

    ck_assert_uint_eq(pl_code_page_of(names[_i].name), names[_i].code_page);
    if (!names[_i].text)
        return;
    ck_assert_uint_eq(pl_code_page_text(names[_i].code_page, text),
                      strlen(names[_i].text));
    ck_assert_str_eq(text, names[_i].text);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("codepage"), *all[] = { t, NULL };

    tcase_add_loop_test(t, bytes_of_a_page_become_utf8, 0,
                        sizeof cases / sizeof *cases);
    tcase_add_loop_test(t, pages_have_names, 0, sizeof names / sizeof *names);
    tcase_add_test(t, more_pages_than_slots_take_turns);
    tcase_add_test(t, a_page_in_use_is_opened_once);
    tcase_add_test(t, a_name_ends_at_its_terminator_or_its_length);
    tcase_add_test(t, a_name_longer_than_any_buffer_is_whole);
    return run_suite("codepage", all);
}
