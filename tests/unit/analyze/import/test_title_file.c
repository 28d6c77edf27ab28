/* Lists of titles in every form, and which of them are chosen. */
#include "analyze/blocks/title_set.h"
#include "analyze/import/title_import.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <string.h>

static struct pl_title_text list;

static enum pl_status load(const void *p, size_t n)
{
    const char *path = path_in(temp_dir(), "titles");

    write_file(path, p, n);
    return pl_title_import_load(&list, path);
}

/* "index=name;" for each title, then the number of strings that are none. */
static const char *as_text(void)
{
    static char text[4096];
    size_t n = 0;

    for (size_t i = 0; i < list.num; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%u=%.*s;",
                              list.titles[i].index, (int)list.titles[i].len,
                              (char *)list.text.p + list.titles[i].at);
    snprintf(text + n, sizeof text - n, " %d", (int)list.num_bad);
    pl_title_text_release(&list);
    return text;
}

/* The bytes of 'strings', NULs included, in UTF-16. */
static size_t widen(uint8_t *out, const char *strings, size_t n, bool big)
{
    for (size_t i = 0; i < n; i++) {
        out[2 * i + big] = (uint8_t)strings[i];
        out[2 * i + !big] = 0;
    }
    return 2 * n;
}

#define STRINGS(s) s, sizeof s - 1

static const struct {
    const char *strings;
    size_t n;
    const char *want;
} dumps[] = {
    { STRINGS("1\0001847\0002\0System\0004\0Memory\0\0"),
      "1=1847;2=System;4=Memory; 0" },
    { STRINGS("4\0Memory\0002\0System\0"), "2=System;4=Memory; 0" },
    { STRINGS("2\0Old\0002\0New\0"), "2=New; 0" },
    /* a name is missing, then an index, then an end */
    { STRINGS("2\0004\0Memory\0006\0Time\0"), "4=Memory;6=Time; 1" },
    { STRINGS("2\0System\0Memory\0006\0Time\0"), "2=System;6=Time; 1" },
    { STRINGS("2\0System\0006\0"), "2=System; 1" },
    { STRINGS("2\0System\0006\0Tim"), "2=System;6=Tim; 0" },
    /* an empty name, zeros in between, numbers that are no index */
    { STRINGS("2\0\0004\0Memory\0"), "4=Memory; 1" },
    { STRINGS("2\0System\0\0\0\0004\0Memory\0"), "2=System;4=Memory; 0" },
    { STRINGS("0\0Zero\0004294967296\0Far\0004294967295\0Most\0"),
      "4294967295=Most; 4" },
};

START_TEST(registry_dump)
{
    uint8_t bytes[512] = { 0xFF, 0xFE };
    size_t n = widen(bytes + 2, dumps[_i].strings, dumps[_i].n, false);

    ck_assert_int_eq(load(bytes, n + 2), PL_OK);
    ck_assert_str_eq(as_text(), dumps[_i].want);
    ck_assert_int_eq(load(bytes + 2, n), PL_OK);
    ck_assert_str_eq(as_text(), dumps[_i].want);
    n = widen(bytes, dumps[_i].strings, dumps[_i].n, true);
    ck_assert_int_eq(load(bytes, n), PL_OK);
    ck_assert_str_eq(as_text(), dumps[_i].want);
    ck_assert_int_eq(load(bytes, n - n % 2 + 1), PL_OK); /* an odd byte */
    as_text();
}
END_TEST

START_TEST(lines)
{
    static const char text[] = "# 8\tcomment\n\n2\tSystem\r\n4\tTab\tin it\n"
                               "6 blank\n\tnone\n8\t\nx\ty\n"
                               "12\tf\xFC"
                               "r\n10\tlast";

    ck_assert_int_eq(load(text, sizeof text - 1), PL_OK);
    ck_assert_str_eq(as_text(), "2=System;4=Tab\tin it;10=last; 5");
}
END_TEST

START_TEST(no_titles)
{
    ck_assert_int_eq(load("", 0), PL_NOT_A_LOG);
    ck_assert_int_eq(load("hello", 5), PL_NOT_A_LOG);
    ck_assert_int_eq(load("\0\0\0\0\0", 5), PL_NOT_A_LOG);
    ck_assert_int_eq(load("\xFF\xFE", 2), PL_NOT_A_LOG);
    ck_assert_int_eq(pl_title_import_load(&list, "/nowhere/at all"), PL_IO);
}
END_TEST

START_TEST(file_that_is_too_long)
{
    const char *path = path_in(temp_dir(), "titles");
    FILE *f = fopen(path, "wb");

    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fseek(f, PL_MAX_TITLE_LIST, SEEK_SET), 0);
    ck_assert_int_eq(fputc('x', f), 'x');
    ck_assert_int_eq(fclose(f), 0);
    ck_assert_int_eq(pl_title_import_load(&list, path), PL_TOO_LARGE);
}
END_TEST

START_TEST(names_and_helps_that_are_wanted)
{
    static const char names[] = "2\tSystem\n4\tMemory\n6\tTime\n7\tSeven\n",
                      helps[] = "3\tabout\n4\tfour\n7\tseven\n9\tnine\n";
    struct pl_title_text helped;
    struct pl_title_set some = { 0 }, others = { 0 };
    struct pl_titles *titles;
    struct pl_buf payload = { 0 };

    ck_assert_int_eq(load(helps, sizeof helps - 1), PL_OK);
    helped = list;
    ck_assert_int_eq(load(names, sizeof names - 1), PL_OK);
    pl_title_set_add(&some, 2);
    pl_title_set_add(&some, 7);
    pl_title_set_add(&some, 100);
    pl_title_set_add(&others, 4);
    pl_title_set_add(&others, 7);
    struct pl_title_choice choices[2] = {
        { &list, &some, PL_TITLE_NAME, 0 },
        { &helped, &others, PL_TITLE_HELP, 0 },
    };
    ck_assert_int_eq(pl_titles_new(&titles), PL_OK);
    ck_assert_int_eq(pl_titles_choose(choices, titles), PL_OK);
    ck_assert_uint_eq(choices[0].num, 2);
    ck_assert_uint_eq(choices[1].num, 2);
    ck_assert(pl_text_equal(pl_titles_name(titles, 2), pl_text_of("System")));
    ck_assert(pl_text_equal(pl_titles_name(titles, 7), pl_text_of("Seven")));
    ck_assert_uint_eq(pl_titles_name(titles, 4).n, 0);
    ck_assert(pl_text_equal(pl_titles_help(titles, 4), pl_text_of("four")));
    ck_assert(pl_text_equal(pl_titles_help(titles, 7), pl_text_of("seven")));
    ck_assert_uint_eq(pl_titles_help(titles, 9).n, 0);
    pl_titles_write(titles, &payload);
    ck_assert_int_eq(pl_titles_parse(titles, payload.p, payload.len), PL_OK);
    pl_titles_free(titles);
    pl_buf_release(&payload);
    pl_title_set_release(&some);
    pl_title_set_release(&others);
    pl_title_text_release(&helped);
    pl_title_text_release(&list);
}
END_TEST

START_TEST(set_of_indexes)
{
    enum { STEP = 256, NUM = 5000 }; /* multiples fall together */
    struct pl_title_set s = { 0 };

    ck_assert(!pl_title_set_has(&s, 1));
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 1; i <= NUM; i++)
            ck_assert_int_eq(pl_title_set_add(&s, i * STEP), PL_OK);
    ck_assert_int_eq(pl_title_set_add(&s, UINT32_MAX), PL_OK);
    ck_assert_int_eq(pl_title_set_add(&s, 0), PL_OK);
    ck_assert_uint_eq(s.num, NUM + 1);
    for (uint32_t i = 1; i <= NUM; i++)
        ck_assert(pl_title_set_has(&s, i * STEP) &&
                  !pl_title_set_has(&s, i * STEP + 1));
    ck_assert(pl_title_set_has(&s, UINT32_MAX) && !pl_title_set_has(&s, 0));
    pl_title_set_release(&s);
}
END_TEST

/* What CPU time may be rounded to. */
#define TICK 0.1

/* The CPU time of filling a set with multiples of 'step'. */
static double time_to_fill(uint32_t step)
{
    enum { NUM = 32767 };
    struct pl_title_set s = { 0 };
    double begun = cpu_seconds();

    for (uint32_t round = 0; round < 4; round++)
        for (uint32_t i = 1; i <= NUM; i++)
            ck_assert_int_eq(pl_title_set_add(&s, i * step), PL_OK);
    ck_assert_uint_eq(s.num, NUM);
    pl_title_set_release(&s);
    return cpu_seconds() - begun;
}

/* Multiples of a large power of two have the same lowest bits, and any table
 * that goes by these puts all in one row: far more work. */
START_TEST(set_is_quick_whatever_is_in_it)
{
    double plain = time_to_fill(1);

    ck_assert_double_lt(time_to_fill(1 << 17), 4 * plain + TICK);
}
END_TEST

START_TEST(set_has_a_limit)
{
    struct pl_title_set s = { 0 };

    for (uint32_t i = 1; i <= PL_MAX_TITLES + 10; i++)
        ck_assert_int_eq(pl_title_set_add(&s, i), PL_OK);
    ck_assert_uint_eq(s.num, PL_MAX_TITLES);
    ck_assert(!pl_title_set_has(&s, PL_MAX_TITLES + 1));
    pl_title_set_release(&s);
}
END_TEST

int main(void)
{
    TCase *titles = tcase_create("titles");
    TCase *const tcases[] = { titles, NULL };

    tcase_add_loop_test(titles, registry_dump, 0, sizeof dumps / sizeof *dumps);
    tcase_add_test(titles, lines);
    tcase_add_test(titles, no_titles);
    tcase_add_test(titles, file_that_is_too_long);
    tcase_add_test(titles, names_and_helps_that_are_wanted);
    tcase_add_test(titles, set_of_indexes);
    tcase_add_test(titles, set_is_quick_whatever_is_in_it);
    tcase_add_test(titles, set_has_a_limit);
    return run_suite("title file", tcases);
}
