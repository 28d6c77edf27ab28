/* Blocks as others make them: what does not add up is reported by offset and
 * reason, what is merely odd is read. */
#include "format/base/codepage.h"
#include "format/time/time_text.h"
#include "format/block/winperf.h"
#include "tests/support/support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NUM(a) (sizeof(a) / sizeof *(a))

enum {
    HEADER = PL_SIZEOF_DATA_BLOCK,
    OBJECT = HEADER,        /* the only object */
    DEFS = OBJECT + 64,     /* two definitions of 40 bytes */
    INSTANCE = DEFS + 80,   /* "a", then "b": 24 + 8 bytes each */
    VALUES = INSTANCE + 32, /* a counter block of 16 bytes */
    SECOND = VALUES + 16,   /* instance "b" */
    BLOCK_LEN = SECOND + 32 + 16,
};

/* Object 900 with instances "a" and "b" of two counters. */
static void put_block(struct pl_buf *b)
{
    const struct pl_block_stamp stamp = { .perf_freq = 1000 };
    const struct pl_object o = { .title_index = 900 };
    const struct pl_counter_def c[] = {
        { .title_index = 902,
          .type = PERF_COUNTER_RAWCOUNT,
          .size = 4,
          .offset = 4 },
        { .title_index = 904,
          .type = PERF_COUNTER_LARGE_RAWCOUNT,
          .size = 8,
          .offset = 8 },
    };
    size_t block = pl_put_block(b, &stamp, NULL, 0);
    size_t at = pl_put_object(b, &o);

    for (size_t i = 0; i < NUM(c); i++)
        pl_put_counter(b, &c[i]);
    pl_put_definitions_close(b, at, NUM(c));
    for (uint8_t i = 0; i < 2; i++) {
        const uint8_t name[2] = { (uint8_t)('a' + i), 0 };
        uint8_t *values;

        pl_put_instance(b, 0, 0, name, sizeof name);
        values = pl_put_counter_block(b, 16);
        pl_put_le32(values + 4, 11u * (i + 1u));
        pl_put_le64(values + 8, 1000u * (i + 1u));
    }
    pl_put_object_close(b, at, 2);
    pl_put_block_close(b, block, 1, 900);
    ck_assert_uint_eq(b->len, BLOCK_LEN);
}

static bool check(const void *p, size_t n, struct pl_misfit *m)
{
    uint8_t *copy = exact_copy(p, n);
    bool good = pl_block_check(copy, n, m);

    free(copy);
    return good;
}

static const struct {
    size_t field;
    uint32_t value;
    size_t at; /* where it is reported */
    const char *reason;
} lies[] = {
    { 0, 0, 0, "no PERF signature" },
    { 24, 80, 24, "HeaderLength is less than the header's fields" },
    { 24, 9999, 24, "HeaderLength is more than the block" },
    { 80, 9, 80, "SystemName lies outside the header" },
    { OBJECT, 8, OBJECT, "an object's lengths contradict each other" },
    { OBJECT + 4, 32, OBJECT, "an object's lengths contradict each other" },
    { OBJECT + 8, 40, OBJECT, "an object's lengths contradict each other" },
    { OBJECT, 9999, OBJECT, "an object is longer than the rest of the block" },
    { OBJECT + 32, 3, OBJECT + 32,
      "NumCounters is more than the definitions hold" },
    { OBJECT + 40, 9, OBJECT + 40,
      "NumInstances is more than the object holds" },
    { DEFS, 8, DEFS, "a counter definition is shorter than its fields" },
    { DEFS, 48, DEFS + 48, "a counter definition is cut" },
    { DEFS + 40, 48, DEFS + 40,
      "a counter definition is longer than all of them" },
    { INSTANCE, 8, INSTANCE, "an instance is shorter than its fields" },
    { SECOND, 999, SECOND, "an instance is longer than the object" },
    { SECOND + 20, 99, SECOND, "an instance's name lies outside it" },
    { VALUES, 3, VALUES, "a counter block is shorter than its length field" },
    { VALUES, 999, VALUES, "a counter block is longer than the object" },
    { OBJECT + 40, 3, BLOCK_LEN, "fewer instances than NumInstances" },
    { SECOND, 46, BLOCK_LEN - 2, "a counter block is cut" },
};

START_TEST(a_misfit_is_told_by_offset_and_reason)
{
    struct pl_buf b = { 0 };
    struct pl_misfit m;

    put_block(&b);
    ck_assert(check(b.p, b.len, &m));
    ck_assert_ptr_null(m.reason);
    pl_buf_set_u32(&b, lies[_i].field, lies[_i].value);
    ck_assert(!check(b.p, b.len, &m));
    ck_assert_ptr_nonnull(m.reason);
    ck_assert_str_eq(m.reason, lies[_i].reason);
    ck_assert_uint_eq(m.at, lies[_i].at);
    pl_buf_release(&b);
}
END_TEST

START_TEST(a_block_cut_anywhere_says_why)
{
    struct pl_buf b = { 0 };
    struct pl_misfit m;

    put_block(&b);
    for (size_t n = 0; n < b.len; n++) {
        bool good = check(b.p, n, &m);

        ck_assert_uint_le(m.at, n);
        ck_assert(good ? !m.reason && n == HEADER : m.reason != NULL);
    }
    pl_buf_release(&b);
}
END_TEST

/* Samba leaves the header out of TotalByteLength, Wine writes less still. */
START_TEST(the_received_length_rules)
{
    static const uint32_t stated[] = {
        0, 8, BLOCK_LEN - HEADER, BLOCK_LEN, BLOCK_LEN + 4096, UINT32_MAX
    };
    struct pl_buf b = { 0 };
    struct pl_misfit m;
    struct pl_block view;

    put_block(&b);
    for (size_t i = 0; i < NUM(stated); i++) {
        pl_buf_set_u32(&b, 20, stated[i]);
        ck_assert(check(b.p, b.len, &m));
        ck_assert_int_eq(pl_block_parse(&view, b.p, b.len), PL_OK);
        ck_assert_uint_eq(view.total_len, stated[i]);
        ck_assert_uint_eq(view.len, b.len);
    }
    pl_buf_release(&b);
}
END_TEST

START_TEST(slack_behind_parts_is_passed_over)
{
    struct pl_buf b = { 0 };
    struct pl_misfit m;

    put_block(&b);
    pl_buf_zeros(&b, 24); /* behind the last instance, in the object */
    pl_buf_set_u32(&b, OBJECT, (uint32_t)b.len - OBJECT);
    ck_assert(check(b.p, b.len, &m));
    pl_buf_zeros(&b, 13); /* behind the last object */
    ck_assert(check(b.p, b.len, &m));
    pl_buf_release(&b);
}
END_TEST

START_TEST(values_cannot_outnumber_bytes)
{
    enum { COUNTERS = 200, INSTANCES = 1000 };
    const struct pl_block_stamp stamp = { .perf_freq = 1000 };
    const struct pl_object o = { .title_index = 900 };
    const struct pl_counter_def c = { .title_index = 902, .size = 4 };
    struct pl_buf b = { 0 };
    struct pl_misfit m;
    size_t block = pl_put_block(&b, &stamp, NULL, 0);
    size_t at = pl_put_object(&b, &o);

    for (int i = 0; i < COUNTERS; i++)
        pl_put_counter(&b, &c);
    pl_put_definitions_close(&b, at, COUNTERS);
    for (int i = 0; i < INSTANCES; i++) {
        pl_put_instance(&b, 0, 0, NULL, 0);
        pl_put_counter_block(&b, 4);
    }
    pl_put_object_close(&b, at, INSTANCES);
    pl_put_block_close(&b, block, 1, 900);
    ck_assert(!check(b.p, b.len, &m));
    ck_assert_str_eq(m.reason, "more values than the object has bytes");
    ck_assert_uint_eq(m.at, at + 32);
    pl_buf_release(&b);
}
END_TEST

START_TEST(there_is_a_cap_on_objects)
{
    const struct pl_block_stamp stamp = { .perf_freq = 1000 };
    const struct pl_object o = { .title_index = 900 };
    struct pl_buf b = { 0 };
    struct pl_misfit m;
    size_t block = pl_put_block(&b, &stamp, NULL, 0), at = 0;

    for (uint32_t i = 0; i <= PL_MAX_OBJECTS; i++) {
        if (i == PL_MAX_OBJECTS)
            ck_assert(check(b.p, b.len, &m));
        at = pl_put_object(&b, &o);
        pl_put_definitions_close(&b, at, 0);
        pl_put_object_close(&b, at, 0);
        pl_put_block_close(&b, block, i + 1, 900);
    }
    ck_assert(!check(b.p, b.len, &m));
    ck_assert_uint_eq(m.at, at);
    pl_buf_release(&b);
}
END_TEST

/* ---- names ---------------------------------------------------------------- */

static const struct {
    const char *what;
    uint32_t code_page;
    int32_t unique_id;
    const char *bytes;
    size_t len;
    const char *name;
} names[] = {
    { "with terminator", 0, -1, "a\0b\0\0\0", 6, "ab" },
    { "without", 0, -1, "a\0b\0", 4, "ab" },
    { "odd length", 0, -1, "a\0b\0c", 5, "ab" },
    { "name and number", 0, 7, "a\0\0\0", 4, "a" },
    { "no name at all", 0, -1, "", 0, "" },
    { "number for a name", 0, 4711, "", 0, "4711" },
    { "number for a terminator", 0, 4711, "\0\0", 2, "4711" },
    { "number below -1", 0, -2, "", 0, "-2" },
    { "ANSI, with terminator", 1252, -1, "B\xFCro\0", 5, "Büro" },
    { "ANSI, without", 1251, -1, "\xC4\xE8\xF1\xEA", 4, "Диск" },
    { "ANSI, number", 1252, 12, "\0", 1, "12" },
    { "unknown page", 99999, -1, "B\xFCro", 4, "B\uFFFDro" },
};

START_TEST(an_instance_has_a_name)
{
    uint8_t *copy = exact_copy(names[_i].bytes, names[_i].len);
    const struct pl_object o = { .code_page = names[_i].code_page };
    const struct pl_instance i = { .unique_id = names[_i].unique_id,
                                   .name = copy,
                                   .name_len = names[_i].len };
    struct pl_codepages pages = { 0 };
    struct pl_buf out = { 0 };

    pl_instance_name(&pages, &out, &o, &i);
    pl_buf_u8(&out, 0);
    ck_assert_msg(!strcmp((char *)out.p, names[_i].name), "%s: %s",
                  names[_i].what, (char *)out.p);
    pl_buf_release(&out);
    pl_codepages_release(&pages);
    free(copy);
}
END_TEST

static const struct {
    const char *what;
    uint32_t type, offset, size;
    bool big_endian;
    const char *text; /* NULL: does not lie in the block */
} texts[] = {
    /* the counter block below: 4 bytes of length, then what is read */
    { "UTF-16", PERF_COUNTER_TEXT, 4, 4, false, "ab" },
    { "UTF-16 of the other order", PERF_COUNTER_TEXT, 5, 4, true, "bc" },
    { "up to a terminator", PERF_COUNTER_TEXT, 4, 12, false, "abc" },
    { "ASCII of the page", PERF_COUNTER_TEXT | PERF_TEXT_ASCII, 12, 4, false,
      "für" },
    { "no bytes", PERF_COUNTER_TEXT, 16, 0, false, "" },
    { "in the length", PERF_COUNTER_TEXT, 3, 4, false, NULL },
    { "beyond", PERF_COUNTER_TEXT, 12, 5, false, NULL },
    { "far beyond", PERF_COUNTER_TEXT, 17, 0, false, NULL },
    { "wrapping", PERF_COUNTER_TEXT, 8, UINT32_MAX, false, NULL },
};

START_TEST(a_text_counter_is_as_long_as_its_size)
{
    uint8_t *block = exact_copy("\x10\0\0\0"
                                "a\0b\0c\0\0\0"
                                "f\xFCr\0",
                                16);
    const struct pl_object o = { .code_page = 1252,
                                 .big_endian = texts[_i].big_endian };
    const struct pl_instance i = { .block = block, .block_len = 16 };
    const struct pl_counter_def c = { .type = texts[_i].type,
                                      .offset = texts[_i].offset,
                                      .size = texts[_i].size };
    struct pl_codepages pages = { 0 };
    struct pl_buf out = { 0 };
    bool inside = pl_counter_text(&pages, &out, &o, &i, &c);

    ck_assert_msg(inside == (texts[_i].text != NULL), "%s", texts[_i].what);
    pl_buf_u8(&out, 0);
    if (inside)
        ck_assert_str_eq((char *)out.p, texts[_i].text);
    pl_buf_release(&out);
    pl_codepages_release(&pages);
    free(block);
}
END_TEST

/* ---- real blocks ------------------------------------------------------------ */

static const char *vista;

/* All 88 blocks of a Vista machine add up; no prefix is read beyond its end. */
START_TEST(blocks_of_a_real_machine_add_up)
{
    DIR *dir = opendir(vista);
    const struct dirent *entry;
    size_t num = 0;

    while ((entry = readdir(dir))) {
        struct pl_misfit m;
        size_t n;
        uint8_t *p;

        if (entry->d_name[0] == '.')
            continue;
        p = read_file(path_in(vista, entry->d_name), &n);
        ck_assert_msg(check(p, n, &m), "%s: at %zu: %s", entry->d_name, m.at,
                      m.reason);
        for (size_t cut = 1; cut < n; cut += 97)
            ck_assert(!check(p, n - cut, &m) || n - cut <= 104);
        free(p);
        num++;
    }
    closedir(dir);
    ck_assert_uint_eq(num, 88);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("misfit"), *all[] = { t, NULL };

    tcase_add_loop_test(t, a_misfit_is_told_by_offset_and_reason, 0, NUM(lies));
    tcase_add_test(t, a_block_cut_anywhere_says_why);
    tcase_add_test(t, the_received_length_rules);
    tcase_add_test(t, slack_behind_parts_is_passed_over);
    tcase_add_test(t, values_cannot_outnumber_bytes);
    tcase_add_test(t, there_is_a_cap_on_objects);
    tcase_add_loop_test(t, an_instance_has_a_name, 0, NUM(names));
    tcase_add_loop_test(t, a_text_counter_is_as_long_as_its_size, 0,
                        NUM(texts));
    vista = PL_SHARED_DATA "/vista/blocks";
    if (access(vista, R_OK) == 0)
        tcase_add_test(t, blocks_of_a_real_machine_add_up);
    if (run_suite("misfit", all))
        return EXIT_FAILURE;
    if (access(vista, R_OK) != 0) {
        printf("%s is not here: real blocks were not read\n", vista);
        return 77;
    }
    return EXIT_SUCCESS;
}
