/* Numbers and words out of text, and the texts that make counters of them. */
#include "logger/linux/block/expr.h"
#include "logger/linux/machine/proctext.h"
#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>

/* A scan over an exact copy, so that a byte too far is seen. */
static struct pl_proctext scan_of(const char *text, uint8_t **copy)
{
    *copy = exact_copy(text, strlen(text));
    return (struct pl_proctext){ (const char *)*copy,
                                 (const char *)*copy + strlen(text) };
}

static const struct {
    const char *text;
    bool good;
    uint64_t value;
} numbers[] = {
    { "0", true, 0 },
    { "  42 kB", true, 42 },
    { "\t7\n", true, 7 },
    { "-2", true, UINT64_MAX - 1 },
    { "9999999999999999999", true, UINT64_C(9999999999999999999) },
    { "18446744073709551615", true, UINT64_MAX },
    { "18446744073709551616", true, UINT64_MAX },
    { "99999999999999999999999", true, UINT64_MAX },
    { "00000000000000000000000000000012", true, 12 },
    { "12abc", true, 12 },
    { "", false, 0 },
    { "   ", false, 0 },
    { "-", false, 0 },
    { "- 1", false, 0 },
    { "x1", false, 0 },
    { "+1", false, 0 },
};

START_TEST(a_number_is_what_the_digits_say)
{
    uint8_t *copy;
    struct pl_proctext s = scan_of(numbers[_i].text, &copy);
    const char *start = s.p;
    uint64_t v = 99;

    ck_assert(pl_proctext_number(&s, &v) == numbers[_i].good);
    ck_assert_uint_eq(v, numbers[_i].value);
    if (!numbers[_i].good)
        ck_assert_ptr_eq(s.p, start);
    free(copy);
}
END_TEST

/* clang-format off */
static const struct {
    const char *text;
    uint64_t value;
} decimals[] = {
    { "1.32 x", 1320 },   { "0.05", 50 },   { "7", 7000 },
    { "12.3456", 12345 }, { "1.", 1000 },   { "0.0009", 0 },
    { "18446744073709551.0", UINT64_MAX },
};
/* clang-format on */

START_TEST(a_decimal_is_kept_in_thousandths)
{
    uint8_t *copy;
    struct pl_proctext s = scan_of(decimals[_i].text, &copy);
    uint64_t v;

    ck_assert(pl_proctext_thousandths(&s, &v));
    ck_assert_uint_eq(v, decimals[_i].value);
    free(copy);
}
END_TEST

START_TEST(lines_and_words_end_where_the_text_does)
{
    uint8_t *copy;
    struct pl_proctext s = scan_of("a  bc\n\n d", &copy), line;
    struct pl_text w;

    ck_assert(pl_proctext_line(&s, &line));
    ck_assert(pl_proctext_word(&line, &w) && pl_text_equal(w, pl_text_of("a")));
    ck_assert(pl_proctext_word(&line, &w) &&
              pl_text_equal(w, pl_text_of("bc")));
    ck_assert(!pl_proctext_word(&line, &w));
    ck_assert(pl_proctext_line(&s, &line) && line.p == line.end);
    ck_assert(pl_proctext_line(&s, &line));
    ck_assert(pl_proctext_word(&line, &w) && pl_text_equal(w, pl_text_of("d")));
    ck_assert(!pl_proctext_line(&s, &line));
    free(copy);
}
END_TEST

/* clang-format off */
static const struct {
    const char *text, *want;
} escapes[] = {
    { "/mnt/a\\040b", "/mnt/a b" }, { "\\134", "\\" }, { "\\04", "\\04" },
    { "\\048", "\\048" },           { "\\", "\\" },    { "", "" },
    { "\\303\\244", "\xc3\xa4" },
};
/* clang-format on */

START_TEST(octal_escapes_become_bytes)
{
    uint8_t *copy = exact_copy(escapes[_i].text, strlen(escapes[_i].text));
    struct pl_buf out = { 0 };

    pl_proctext_unescape(
        (struct pl_text){ (const char *)copy, strlen(escapes[_i].text) }, &out);
    ck_assert_uint_eq(out.len, strlen(escapes[_i].want));
    if (out.len)
        ck_assert_mem_eq(out.p, escapes[_i].want, out.len);
    pl_buf_release(&out);
    free(copy);
}
END_TEST

/* ---- expressions -------------------------------------------------------- */

/* a = 10, b(x) = 4, and c = 3 in the second source; "gone" is not there. */
static struct pl_field first_fields[] = { PL_FIELD("a"), PL_FIELD("b(x)"),
                                          PL_FIELD("gone") };
static struct pl_field second_fields[] = { PL_FIELD("a"), PL_FIELD("c") };
static const uint64_t first_row[] = { 10, 4, 1000 }, second_row[] = { 5, 3 };

static const struct {
    const char *text;
    enum pl_status status;
    uint64_t value;
} texts[] = {
    { "a", PL_OK, 10 },
    { "second:a", PL_OK, 5 },
    { "a + c", PL_OK, 13 },
    { "a - c - 1", PL_OK, 6 },
    { "c - a", PL_OK, 0 },
    { "c - a + 8", PL_OK, 1 },
    { "b(x) * c", PL_OK, 12 },
    { "a * 1000 + b(x) * 2", PL_OK, 10008 },
    { "0", PL_OK, 0 },
    { "a + gone?", PL_OK, 10 },
    { "gone? + c", PL_OK, 3 },
    { "gone?", PL_END, 0 },
    { "a + gone", PL_END, 0 },
    { "first:c", PL_END, 0 },
    { "a * gone", PL_END, 0 },
    { "gone | c", PL_OK, 3 },
    { "a + gone | b(x) | c", PL_OK, 4 },
    { "a | gone", PL_OK, 10 },
    { "gone | gone", PL_END, 0 },
    { "", PL_USAGE, 0 },
    { "a +", PL_USAGE, 0 },
    { "a c", PL_USAGE, 0 },
    { "a * b(x) * c", PL_USAGE, 0 },
    { "gone | a b", PL_USAGE, 0 },
    { "second:", PL_USAGE, 0 },
    { "1+1+1+1+1+1+1+1+1", PL_USAGE, 0 },
};

START_TEST(an_expression_means_what_it_says)
{
    static const struct pl_source_kind kinds[] = { { .name = "first" },
                                                   { .name = "second" } };
    struct pl_source first = { .kind = &kinds[0],
                               .fields = first_fields,
                               .num_fields = 3,
                               .readable = true };
    struct pl_source second = { .kind = &kinds[1],
                                .fields = second_fields,
                                .num_fields = 2,
                                .readable = true };
    struct pl_source *const sources[] = { &first, &second };
    const uint64_t *const rows[] = { first_row, second_row };
    struct pl_expr e = { 0 };

    first_fields[2].present = false;
    ck_assert_msg(pl_expr_compile(&e, texts[_i].text, sources, 2) ==
                      texts[_i].status,
                  "%s", texts[_i].text);
    if (!texts[_i].status)
        ck_assert_msg(pl_terms_value(e.terms, e.num_terms, rows) ==
                          texts[_i].value,
                      "%s", texts[_i].text);
}
END_TEST

#define NUM(array) (int)(sizeof array / sizeof *array)

int main(void)
{
    TCase *t = tcase_create("text");
    TCase *const tcases[] = { t, NULL };

    tcase_add_loop_test(t, a_number_is_what_the_digits_say, 0, NUM(numbers));
    tcase_add_loop_test(t, a_decimal_is_kept_in_thousandths, 0, NUM(decimals));
    tcase_add_test(t, lines_and_words_end_where_the_text_does);
    tcase_add_loop_test(t, octal_escapes_become_bytes, 0, NUM(escapes));
    tcase_add_loop_test(t, an_expression_means_what_it_says, 0, NUM(texts));
    return run_suite("linux_text", tcases);
}
