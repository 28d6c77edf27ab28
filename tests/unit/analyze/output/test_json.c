/* JSON as it is written, byte for byte. */
#include "analyze/output/json.h"

#include "tests/support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define TEXT(s) ((struct pl_text){ s, sizeof s - 1 })
#define FFFD "\xEF\xBF\xBD"

struct page {
    FILE *f;
    char *text;
    size_t n;
};

static void begin(struct page *p, struct pl_json *j)
{
    p->f = open_memstream(&p->text, &p->n);
    ck_assert_ptr_nonnull(p->f);
    pl_json_init(j, p->f);
}

static void assert_page(struct page *p, struct pl_json *j, const char *want)
{
    ck_assert_int_eq(pl_json_finish(j), PL_OK);
    fclose(p->f);
    ck_assert_uint_eq(p->n, strlen(p->text));
    ck_assert_str_eq(p->text, want);
    free(p->text);
}

START_TEST(nested_things_are_indented)
{
    struct page p;
    struct pl_json j;

    begin(&p, &j);
    pl_json_open_object(&j);
    pl_json_key(&j, "host");
    pl_json_string(&j, "a");
    pl_json_key(&j, "none");
    pl_json_open_array(&j);
    pl_json_close_array(&j);
    pl_json_key(&j, "empty");
    pl_json_open_object(&j);
    pl_json_close_object(&j);
    pl_json_key(&j, "list");
    pl_json_open_array(&j);
    pl_json_count(&j, 1);
    pl_json_open_object(&j);
    pl_json_key(&j, "deep");
    pl_json_null(&j);
    pl_json_close_object(&j);
    pl_json_bool(&j, true);
    pl_json_close_array(&j);
    pl_json_key(&j, "last");
    pl_json_bool(&j, false);
    pl_json_close_object(&j);
    assert_page(&p, &j,
                "{\n"
                "  \"host\": \"a\",\n"
                "  \"none\": [],\n"
                "  \"empty\": {},\n"
                "  \"list\": [\n"
                "    1,\n"
                "    {\n"
                "      \"deep\": null\n"
                "    },\n"
                "    true\n"
                "  ],\n"
                "  \"last\": false\n"
                "}\n");
}
END_TEST

START_TEST(numbers_are_exact)
{
    struct page p;
    struct pl_json j;

    begin(&p, &j);
    pl_json_open_array(&j);
    pl_json_integer(&j, INT64_MIN);
    pl_json_integer(&j, -1);
    pl_json_count(&j, UINT64_MAX);
    pl_json_number(&j, 0.1);
    pl_json_number(&j, 1e300);
    pl_json_number(&j, NAN);
    pl_json_number(&j, -INFINITY);
    pl_json_close_array(&j);
    assert_page(&p, &j,
                "[\n"
                "  -9223372036854775808,\n"
                "  -1,\n"
                "  18446744073709551615,\n"
                "  0.1,\n"
                "  1e+300,\n"
                "  null,\n"
                "  null\n"
                "]\n");
}
END_TEST

static const struct {
    struct pl_text text;
    const char *want;
} strings[] = {
    { TEXT(""), "\"\"\n" },
    { TEXT("a/b"), "\"a/b\"\n" },
    { TEXT("\\Memory\\\"x\""), "\"\\\\Memory\\\\\\\"x\\\"\"\n" },
    { TEXT("a\nb\tc\r"), "\"a\\nb\\u0009c\\u000d\"\n" },
    { TEXT("\0\x1F"), "\"\\u0000\\u001f\"\n" },
    /* what a terminal would obey: DEL, and C1's CSI in UTF-8 */
    { TEXT("\x1B[2J\x7F\xC2\x9B"), "\"\\u001b[2J\\u007f\\u009b\"\n" },
    { TEXT("\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80"),
      "\"\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80\"\n" },
    /* no UTF-8: alone, cut short, a surrogate, over-long */
    { TEXT("\xFFx"), "\"" FFFD "x\"\n" },
    { TEXT("\xE2\x82"), "\"" FFFD FFFD "\"\n" },
    { TEXT("\xED\xA0\x80"), "\"" FFFD FFFD FFFD "\"\n" },
    { TEXT("\xC0\xA2"), "\"" FFFD FFFD "\"\n" },
};

START_TEST(any_text_is_a_valid_string)
{
    struct page p;
    struct pl_json j;
    uint8_t *exact = exact_copy(strings[_i].text.p, strings[_i].text.n);

    begin(&p, &j);
    pl_json_text(&j, (struct pl_text){ (char *)exact, strings[_i].text.n });
    free(exact);
    assert_page(&p, &j, strings[_i].want);
}
END_TEST

START_TEST(key_is_escaped_too)
{
    struct page p;
    struct pl_json j;

    begin(&p, &j);
    pl_json_open_object(&j);
    pl_json_key(&j, "a\"b");
    pl_json_integer(&j, 1);
    pl_json_close_object(&j);
    assert_page(&p, &j, "{\n  \"a\\\"b\": 1\n}\n");
}
END_TEST

START_TEST(failed_stream_is_reported)
{
    FILE *f = fopen("/dev/full", "w");
    struct pl_json j;

    ck_assert_ptr_nonnull(f);
    pl_json_init(&j, f);
    pl_json_string(&j, "lost");
    ck_assert_int_eq(pl_json_finish(&j), PL_IO);
    fclose(f);
}
END_TEST

/* Streams of output files have no buffer: each write is a call of the system. */
START_TEST(writes_are_large_pieces)
{
    enum { NUMBERS = 200000, LARGE = 1 << 16 };
    struct pl_json j;
    FILE *f = tmpfile();

    ck_assert_ptr_nonnull(f);
    setvbuf(f, NULL, _IONBF, 0);
    pl_json_init(&j, f);
    pl_json_open_array(&j);
    for (int i = 0; i < NUMBERS; i++) {
        const long was = ftell(f);

        pl_json_count(&j, 10000000 + (uint64_t)i);
        ck_assert(ftell(f) == was || ftell(f) >= was + LARGE);
        ck_assert_uint_lt(j.text.cap, 4 * LARGE);
    }
    pl_json_close_array(&j);
    ck_assert_int_eq(pl_json_finish(&j), PL_OK);
    ck_assert_int_eq(ftell(f), (long)sizeof "[\n]" + NUMBERS * 12L - 1);
    fclose(f);
}
END_TEST

START_TEST(lack_of_memory_is_reported)
{
    struct page p;
    struct pl_json j;

    begin(&p, &j);
    pl_json_open_array(&j);
    pl_json_string(&j, "a");
    j.text.oom = true; /* as a text too large for memory leaves it */
    pl_json_close_array(&j);
    ck_assert_int_eq(pl_json_finish(&j), PL_NOMEM);
    fclose(p.f);
    free(p.text);
}
END_TEST

/* The caller's own text, of which the writer cannot know. */
START_TEST(lack_of_memory_elsewhere_is_reported)
{
    struct page p;
    struct pl_json j;

    begin(&p, &j);
    pl_json_string(&j, "a");
    j.oom = true;
    ck_assert_int_eq(pl_json_finish(&j), PL_NOMEM);
    fclose(p.f);
    ck_assert_str_eq(p.text, "\"a\"\n");
    free(p.text);
}
END_TEST

int main(void)
{
    TCase *json = tcase_create("json");
    TCase *const all[] = { json, NULL };

    tcase_add_test(json, nested_things_are_indented);
    tcase_add_test(json, numbers_are_exact);
    tcase_add_loop_test(json, any_text_is_a_valid_string, 0, COUNT(strings));
    tcase_add_test(json, key_is_escaped_too);
    tcase_add_test(json, failed_stream_is_reported);
    tcase_add_test(json, writes_are_large_pieces);
    tcase_add_test(json, lack_of_memory_is_reported);
    tcase_add_test(json, lack_of_memory_elsewhere_is_reported);
    return run_suite("json", all);
}
