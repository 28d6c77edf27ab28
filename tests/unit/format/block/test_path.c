/* Counter paths: taken apart, matched, escaped, collected from -c. */
#include "format/block/counter_path.h"

#include "tests/support/support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUM(table) (sizeof(table) / sizeof *(table))

/* ---- parsing ------------------------------------------------------------- */

static const struct {
    const char *path;
    const char *host, *object, *instance, *counter; /* NULL: left out */
} paths[] = {
    { "\\Memory\\Available Bytes", NULL, "Memory", NULL, "Available Bytes" },
    { "Memory\\Available Bytes", NULL, "Memory", NULL, "Available Bytes" },
    { "\\Processor(0)\\% User Time", NULL, "Processor", "0", "% User Time" },
    { "\\\\HOST\\Processor(0)\\% User Time", "HOST", "Processor", "0",
      "% User Time" },
    { "\\\\*\\Memory\\*", "*", "Memory", NULL, "*" },
    { "Process", NULL, "Process", NULL, NULL },
    { "\\Process\\", NULL, "Process", NULL, NULL },
    { "Process(bash)", NULL, "Process", "bash", NULL },
    { "Process(bash)\\", NULL, "Process", "bash", NULL },
    { "\\\\HOST\\Process", "HOST", "Process", NULL, NULL },
    { "\\Process()\\x", NULL, "Process", "", "x" },
    { "\\Thread(sh/1)\\x", NULL, "Thread", "sh/1", "x" },
    { "\\Process((sd-pam))\\x", NULL, "Process", "(sd-pam)", "x" },
    { "\\Process(a)b)\\x", NULL, "Process", "a)b", "x" },
    { "\\Process(a\\b)\\x", NULL, "Process", "a\\b", "x" },
    { "\\Process(a)\\b)\\x", NULL, "Process", "a)\\b", "x" },
    { "\\SQLServer:Locks(_Total)\\Average Wait Time (ms)", NULL,
      "SQLServer:Locks", "_Total", "Average Wait Time (ms)" },
    { "\\Database\\Latency (ms)", NULL, "Database", NULL, "Latency (ms)" },
    { "\\Disk\\Bytes\\sec", NULL, "Disk", NULL, "Bytes\\sec" },
};

static void check_part(const char *path, struct pl_text got, const char *want)
{
    ck_assert_msg(!got.p == !want && pl_text_equal(got, pl_text_of(want)),
                  "%s: \"%.*s\" instead of \"%s\"", path, (int)got.n,
                  got.p ? got.p : "", want ? want : "(none)");
}

START_TEST(a_path_is_taken_apart)
{
    const char *path = paths[_i].path;
    char *exact = (char *)exact_copy(path, strlen(path) + 1);
    struct pl_counter_path p;

    ck_assert_msg(pl_counter_path_parse(&p, exact) == PL_OK, "%s", path);
    check_part(path, p.host, paths[_i].host);
    check_part(path, p.object, paths[_i].object);
    check_part(path, p.instance, paths[_i].instance);
    check_part(path, p.counter, paths[_i].counter);
    free(exact);
}
END_TEST

static const char *const no_paths[] = {
    "",
    "\\",
    "\\\\",
    "\\\\HOST",
    "\\\\HOST\\",
    "\\\\\\Memory\\x",
    "(0)\\x",
    "\\(0)\\x",
    "Process(bash",
    "\\Process(bash\\x",
    "\\Process(bash)x\\y",
};

START_TEST(a_path_without_object_or_with_an_open_instance_is_none)
{
    const char *path = no_paths[_i];
    char *exact = (char *)exact_copy(path, strlen(path) + 1);
    struct pl_counter_path p;

    ck_assert_msg(pl_counter_path_parse(&p, exact) == PL_USAGE, "%s", path);
    free(exact);
}
END_TEST

/* ---- matching ------------------------------------------------------------ */

static const struct {
    const char *pattern, *text;
    bool want;
} matches[] = {
    { "", "", true },
    { "", "a", false },
    { "a", "", false },
    { "*", "", true },
    { "*", "anything", true },
    { "**", "a", true },
    { "?", "", false },
    { "?", "a", true },
    { "?", "ab", false },
    { "?", "\xC3\xA4", true }, /* one character, not one byte */
    { "a*", "abc", true },
    { "a*", "bac", false },
    { "*c", "abc", true },
    { "*c", "abcd", false },
    { "a*c", "abcbc", true },
    { "a*b*c", "axbxbxc", true },
    { "a*b*c", "axbxbx", false },
    { "*ab", "aab", true },
    { "*aab", "aaaab", true },
    { "a?c", "abc", true },
    { "a?c", "ac", false },
    { "*?", "", false },
    { "*?", "a", true },
    { "PROCESSOR", "processor", true },
    { "\xC3\x84rger", "\xC3\xA4RGER", true },
    { "\xD0\x96", "\xD0\xB6", true },
    { "a", "b", false },
    { "[*]", "*", true },
    { "[*]", "a", false },
    { "[?]", "?", true },
    { "[?]", "a", false },
    { "[#]", "#", true },
    { "[[]", "[", true },
    { "[[]*]", "[*]", true },
    { "[a]", "[a]", true }, /* no set of characters */
    { "[a]", "a", false },
    { "[*", "[abc", true },
    { "[", "[", true },
    { "[]", "[]", true },
    { "name[#]1", "name#1", true },
    { "\xFF", "\xFE", true }, /* what is not valid is one U+FFFD */
    { "%", "%", true },
};

START_TEST(a_pattern)
{
    const char *pattern = matches[_i].pattern, *text = matches[_i].text;
    char *p = (char *)exact_copy(pattern, strlen(pattern));
    char *t = (char *)exact_copy(text, strlen(text));
    bool got = pl_pattern_match((struct pl_text){ p, strlen(pattern) },
                                (struct pl_text){ t, strlen(text) });

    ck_assert_msg(got == matches[_i].want, "\"%s\", \"%s\"", pattern, text);
    free(p);
    free(t);
}
END_TEST

START_TEST(many_stars_cost_no_more_than_their_product)
{
    enum { LENGTH = 20000 };
    struct pl_buf pattern = { 0 }, text = { 0 };

    for (int i = 0; i < 100; i++)
        pl_buf_bytes(&pattern, "*a", 2);
    pl_buf_u8(&pattern, 'b');
    for (int i = 0; i < LENGTH; i++)
        pl_buf_u8(&text, 'a');
    ck_assert(
        !pl_pattern_match((struct pl_text){ (char *)pattern.p, pattern.len },
                          (struct pl_text){ (char *)text.p, text.len }));
    pl_buf_release(&pattern);
    pl_buf_release(&text);
}
END_TEST

static const struct {
    const char *pattern;
    bool want;
} literals[] = {
    { "", true },       { "_Total", true },    { "a*", false },
    { "?", false },     { "[*][?][#]", true }, { "[[]", true },
    { "name#1", true }, { "[*", false },       { "[", true },
};

START_TEST(a_literal_has_no_wildcard)
{
    ck_assert_msg(pl_pattern_is_literal(pl_text_of(literals[_i].pattern)) ==
                      literals[_i].want,
                  "%s", literals[_i].pattern);
}
END_TEST

/* All names of up to four of these characters, escaped. */
START_TEST(an_escaped_name_matches_itself_and_nothing_else)
{
    static const char letters[] = "*?#[]a";
    struct pl_buf b = { 0 };
    char other[8];

    for (unsigned n = 0; n < 7 * 7 * 7 * 7; n++) {
        char name[5] = "";
        size_t len = 0;
        struct pl_text escaped;

        for (unsigned rest = n; rest; rest /= 7)
            if (rest % 7)
                name[len++] = letters[rest % 7 - 1];
        pl_buf_clear(&b);
        pl_counter_path_escape(&b, (struct pl_text){ name, len });
        escaped = (struct pl_text){ (char *)b.p, b.len };
        ck_assert_msg(pl_pattern_is_literal(escaped), "%s", name);
        ck_assert_msg(pl_pattern_match(escaped, (struct pl_text){ name, len }),
                      "%s is escaped as %.*s", name, (int)b.len, b.p);
        snprintf(other, sizeof other, "%sx", name);
        ck_assert_msg(!pl_pattern_match(escaped, pl_text_of(other)), "%s",
                      name);
    }
    pl_buf_release(&b);
}
END_TEST

START_TEST(wildcards_and_number_signs_are_escaped_as_documented)
{
    struct pl_buf b = { 0 };

    pl_counter_path_escape(&b, pl_text_of("a*b?c#1"));
    ck_assert_uint_eq(b.len, 13);
    ck_assert_mem_eq(b.p, "a[*]b[?]c[#]1", 13);
    pl_buf_release(&b);
}
END_TEST

/* ---- what stands behind -c ------------------------------------------------ */

START_TEST(paths_replace_or_add)
{
    struct pl_counter_path_list list = { 0 };
    const char *why;

    ck_assert_int_eq(pl_counter_path_list_add(&list, "+\\Memory\\*", &why),
                     PL_OK);
    ck_assert(list.adds && !list.replaces);
    ck_assert_int_eq(pl_counter_path_list_add(&list, "Process(a)", &why),
                     PL_OK);
    ck_assert(list.adds && list.replaces);
    ck_assert_uint_eq(list.num, 2);
    ck_assert(pl_text_equal(list.paths[0].object, pl_text_of("Memory")));
    ck_assert(pl_text_equal(list.paths[1].instance, pl_text_of("a")));
    pl_counter_path_list_release(&list);
    ck_assert_uint_eq(list.num, 0);
    ck_assert_ptr_null(list.paths);
    pl_counter_path_list_release(&list); /* once more does no harm */
}
END_TEST

/* What fits is found, once, whichever way it is written. */
START_TEST(a_walk_meets_all_that_fit)
{
    static const char *const parts[] = { "a", "B", "b#1", "*", "?", "[*]", "" };
    enum { NUM = sizeof parts / sizeof *parts };
    struct pl_counter_path_list list = { 0 };
    char text[64], name[3][8];
    const char *why;

    for (size_t i = 0; i < NUM * NUM * NUM; i++) {
        const char *instance = parts[i / NUM % NUM];

        snprintf(text, sizeof text, "\\%s%s%s%s\\%s",
                 *parts[i % NUM] ? parts[i % NUM] : "c", *instance ? "(" : "",
                 instance, *instance ? ")" : "", parts[i / NUM / NUM]);
        ck_assert_int_eq(pl_counter_path_list_add(&list, text, &why), PL_OK);
    }
    for (size_t i = 0; i < NUM * NUM * NUM; i++) {
        const size_t at[3] = { i % NUM, i / NUM % NUM, i / NUM / NUM };
        unsigned met[NUM * NUM * NUM] = { 0 };
        struct pl_counter_path_walk walk;
        size_t k;

        for (size_t j = 0; j < 3; j++) /* "[*]" is one of the names as well */
            snprintf(name[j], sizeof name[j], "%s",
                     strcmp(parts[at[j]], "B") != 0 ? parts[at[j]] : "b");
        pl_counter_path_walk_start(&walk, name[0], name[1], name[2]);
        while ((k = pl_counter_path_walk_next(&walk, &list)) != SIZE_MAX)
            met[k]++;
        for (k = 0; k < list.num; k++) {
            const struct pl_counter_path *p = &list.paths[k];
            bool fits = pl_pattern_match(p->object, pl_text_of(name[0])) &&
                        (!p->instance.p ||
                         pl_pattern_match(p->instance, pl_text_of(name[1]))) &&
                        (!p->counter.p ||
                         pl_pattern_match(p->counter, pl_text_of(name[2])));

            ck_assert_msg(met[k] <= 1 && (met[k] || !fits), "%s for %s %s %s",
                          list.texts[k], name[0], name[1], name[2]);
        }
    }
    pl_counter_path_list_release(&list);
}
END_TEST

START_TEST(arguments_are_copied)
{
    char arg[] = "Memory";
    struct pl_counter_path_list list = { 0 };
    const char *why;

    ck_assert_int_eq(pl_counter_path_list_add(&list, arg, &why), PL_OK);
    memset(arg, 'x', 6);
    ck_assert(pl_text_equal(list.paths[0].object, pl_text_of("Memory")));
    pl_counter_path_list_release(&list);
}
END_TEST

START_TEST(a_wrong_argument_is_named_and_leaves_the_list_as_it_was)
{
    struct pl_counter_path_list list = { 0 };
    const char *why = NULL;

    ck_assert_int_eq(pl_counter_path_list_add(&list, "Memory", &why), PL_OK);
    ck_assert_int_eq(pl_counter_path_list_add(&list, "+\\\\", &why), PL_USAGE);
    ck_assert_str_eq(why, "+\\\\");
    ck_assert(!list.adds);
    ck_assert_uint_eq(list.num, 1);
    pl_counter_path_list_release(&list);
}
END_TEST

START_TEST(a_file_has_a_path_a_line)
{
    static const char text[] = "# chosen counters\n"
                               "\\Memory\\*\r\n"
                               "\n"
                               "  \t+Process(a b)\t \n"
                               "   # indented comment\n"
                               "Disk#1"; /* the last line has no end */
    struct pl_counter_path_list list = { 0 };
    const char *path = path_in(temp_dir(), "paths"), *why;
    char arg[600];

    write_file(path, text, sizeof text - 1);
    snprintf(arg, sizeof arg, "@%s", path);
    ck_assert_int_eq(pl_counter_path_list_add(&list, arg, &why), PL_OK);
    ck_assert_uint_eq(list.num, 3);
    ck_assert(list.adds && list.replaces);
    ck_assert(pl_text_equal(list.paths[0].counter, pl_text_of("*")));
    ck_assert(pl_text_equal(list.paths[1].instance, pl_text_of("a b")));
    ck_assert(pl_text_equal(list.paths[2].object, pl_text_of("Disk#1")));
    pl_counter_path_list_release(&list);
}
END_TEST

START_TEST(a_long_file_is_read_whole)
{
    enum { LINES = 3000 };
    struct pl_counter_path_list list = { 0 };
    struct pl_buf text = { 0 };
    const char *path = path_in(temp_dir(), "long"), *why;
    char arg[600];

    for (int i = 0; i < LINES; i++)
        pl_buf_bytes(&text, "\\Object\\Counter\n", 16);
    write_file(path, text.p, text.len);
    snprintf(arg, sizeof arg, "@%s", path);
    ck_assert_int_eq(pl_counter_path_list_add(&list, arg, &why), PL_OK);
    ck_assert_uint_eq(list.num, LINES);
    pl_counter_path_list_release(&list);
    pl_buf_release(&text);
}
END_TEST

START_TEST(an_empty_file_is_an_empty_list)
{
    struct pl_counter_path_list list = { 0 };
    const char *path = path_in(temp_dir(), "empty"), *why;
    char arg[600];

    write_file(path, "", 0);
    snprintf(arg, sizeof arg, "@%s", path);
    ck_assert_int_eq(pl_counter_path_list_add(&list, arg, &why), PL_OK);
    ck_assert_uint_eq(list.num, 0);
    pl_counter_path_list_release(&list);
}
END_TEST

START_TEST(a_file_that_is_not_there_is_an_error_of_the_system)
{
    struct pl_counter_path_list list = { 0 };
    const char *path = path_in(temp_dir(), "missing"), *why;
    char arg[600];

    snprintf(arg, sizeof arg, "@%s", path);
    ck_assert_int_eq(pl_counter_path_list_add(&list, arg, &why), PL_IO);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_str_eq(why, path);
    pl_counter_path_list_release(&list);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("path");

    tcase_add_loop_test(t, a_path_is_taken_apart, 0, NUM(paths));
    tcase_add_loop_test(t,
                        a_path_without_object_or_with_an_open_instance_is_none,
                        0, NUM(no_paths));
    tcase_add_loop_test(t, a_pattern, 0, NUM(matches));
    tcase_add_test(t, many_stars_cost_no_more_than_their_product);
    tcase_add_loop_test(t, a_literal_has_no_wildcard, 0, NUM(literals));
    tcase_add_test(t, an_escaped_name_matches_itself_and_nothing_else);
    tcase_add_test(t, wildcards_and_number_signs_are_escaped_as_documented);
    tcase_add_test(t, paths_replace_or_add);
    tcase_add_test(t, a_walk_meets_all_that_fit);
    tcase_add_test(t, arguments_are_copied);
    tcase_add_test(t, a_wrong_argument_is_named_and_leaves_the_list_as_it_was);
    tcase_add_test(t, a_file_has_a_path_a_line);
    tcase_add_test(t, a_long_file_is_read_whole);
    tcase_add_test(t, an_empty_file_is_an_empty_list);
    tcase_add_test(t, a_file_that_is_not_there_is_an_error_of_the_system);
    return run_suite("path", (TCase *[]){ t, NULL });
}
