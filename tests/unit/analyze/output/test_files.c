/* Names that every file system takes, and pages of a sheet. */
#include "analyze/output/csv.h"
#include "analyze/output/output_folder.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *safe;
} names[] = {
    { "Process", "Process" },
    { "Paging File", "Paging File" },
    { "a/b\\c:d*e?f\"g<h>i|j", "a_b_c_d_e_f_g_h_i_j" },
    { "..", "_" },
    { ".hidden", "_hidden" },
    { "-rf", "_rf" },
    { "", "_" },
    { "   ", "_" },
    { "end. ", "end" },
    { "tab\tline\n\x01\x7f", "tab_line___" },
    { "Gr\xc3\xb6\xc3\x9f"
      "e",
      "Gr____e" },
    { "CON", "CON_" },
    { "con.x", "con.x_" },
    { "lpt1", "lpt1_" },
    { "com", "com" },
    { "console", "console" },
    { "nul", "nul_" },
};

START_TEST(names_are_safe)
{
    struct pl_buf out = { 0 };

    pl_safe_name(&out, pl_text_of(names[_i].name), NULL, 0);
    ck_assert_str_eq((char *)out.p, names[_i].safe);
    pl_buf_release(&out);
}
END_TEST

START_TEST(no_name_is_given_twice)
{
    static const char *const taken[] = { "a_b", "A_B-2", "x" };
    struct pl_buf out = { 0 };

    pl_safe_name(&out, pl_text_of("a*b"), taken, 3);
    ck_assert_str_eq((char *)out.p, "a_b-3"); /* a_B-2 is one but for case */
    pl_buf_clear(&out);
    pl_safe_name(&out, pl_text_of("X"), taken, 3);
    ck_assert_str_eq((char *)out.p, "X-2");
    pl_buf_clear(&out);
    pl_safe_name(&out, pl_text_of("a_"), taken, 3);
    ck_assert_str_eq((char *)out.p, "a_");
    pl_buf_release(&out);
}
END_TEST

/* What CPU time may be rounded to. */
#define TICK 0.1

/* The CPU time of naming 'num' files whose names are equal. */
static double time_to_name(size_t num)
{
    enum { MAX = 500, LETTERS = 60 };
    static char given[MAX][LETTERS + 16];
    static const char *taken[MAX];
    char name[LETTERS], last[16];
    double begun = cpu_seconds();
    struct pl_buf out = { 0 };

    memset(name, '*', sizeof name);
    for (size_t i = 0; i < num; i++) {
        pl_buf_clear(&out);
        pl_safe_name(&out, (struct pl_text){ name, sizeof name }, taken, i);
        strcpy(given[i], (char *)out.p);
        taken[i] = given[i];
    }
    snprintf(last, sizeof last, "-%zu", num);
    ck_assert_str_eq(given[num - 1] + LETTERS, last);
    pl_buf_release(&out);
    return cpu_seconds() - begun;
}

/* As a log may have them that was made to keep an export busy: each name is
 * compared with those before it, once. */
START_TEST(many_equal_names_take_no_time)
{
    double few = time_to_name(100);

    ck_assert_double_lt(time_to_name(500), 2.5 * 5 * 5 * few + TICK);
}
END_TEST

START_TEST(long_names_are_cut_and_stay_apart)
{
    char name[1000], first[200];
    const char *taken[] = { first };
    struct pl_buf out = { 0 };

    memset(name, 'n', sizeof name);
    pl_safe_name(&out, (struct pl_text){ name, sizeof name }, NULL, 0);
    ck_assert_uint_eq(strlen((char *)out.p), 100);
    strcpy(first, (char *)out.p);
    pl_buf_clear(&out);
    pl_safe_name(&out, (struct pl_text){ name, sizeof name }, taken, 1);
    ck_assert_str_eq((char *)out.p + 100, "-2");
    pl_buf_release(&out);
}
END_TEST

/* A sheet of 'rows' rows, three to a file; what the files hold. */
static void write_sheet(const char *folder, int rows, bool pdh)
{
    const struct pl_csv_style style = { .pdh = pdh, .bom = !pdh };
    struct pl_output_folder files;
    struct pl_paged page = { &files, "s", ".csv", 1, 2, NULL };
    struct pl_csv c;

    ck_assert_int_eq(pl_output_folder_open(&files, folder, 0666), PL_OK);
    pl_csv_init(&c, &style, pl_paged_write, &page);
    c.pages = (struct pl_csv_pages){ 3, pl_paged_next };
    pl_csv_text(&c, pl_text_of("head"));
    ck_assert_int_eq(pl_csv_end_header(&c), PL_OK);
    for (int i = 0; i < rows; i++) {
        char digit = (char)('0' + i);

        pl_csv_raw(&c, &digit, 1);
        ck_assert_int_eq(pl_csv_end_row(&c), PL_OK);
    }
    ck_assert_int_eq(pl_csv_flush(&c), PL_OK);
    pl_csv_release(&c);
    ck_assert_int_eq(pl_output_folder_commit(&files), PL_OK);
}

static void holds(const char *folder, const char *name, const char *text)
{
    size_t n;
    uint8_t *bytes = read_file(path_in(folder, name), &n);

    ck_assert_uint_eq(n, strlen(text));
    ck_assert(!memcmp(bytes, text, n));
    free(bytes);
}

static bool is_there(const char *folder, const char *name)
{
    FILE *f = fopen(path_in(folder, name), "rb");

    if (f)
        fclose(f);
    return f != NULL;
}

#define BOM "\xEF\xBB\xBF"

START_TEST(pages_are_full_before_the_next_begins)
{
    char folder[512];

    for (int rows = 3; rows <= 4; rows++) {
        strcpy(folder, path_in(temp_dir(), rows == 3 ? "three" : "four"));
        write_sheet(folder, rows, false);
        holds(folder, "s-001.csv", BOM "head\n0\n1\n2\n");
        ck_assert_int_eq(is_there(folder, "s-003.csv"), rows == 4);
    }
    holds(folder, "s-003.csv", BOM "head\n3\n");
}
END_TEST

START_TEST(every_page_begins_with_the_header)
{
    char folder[512];

    strcpy(folder, path_in(temp_dir(), "pdh"));
    write_sheet(folder, 7, true);
    holds(folder, "s-001.csv", "\"head\"\r\n\"0\"\r\n\"1\"\r\n\"2\"\r\n");
    holds(folder, "s-003.csv", "\"head\"\r\n\"3\"\r\n\"4\"\r\n\"5\"\r\n");
    holds(folder, "s-005.csv", "\"head\"\r\n\"6\"\r\n");
}
END_TEST

int main(void)
{
    TCase *names_case = tcase_create("names"), *pages = tcase_create("pages");
    TCase *all[] = { names_case, pages, NULL };

    tcase_add_loop_test(names_case, names_are_safe, 0,
                        (int)(sizeof names / sizeof *names));
    tcase_add_test(names_case, no_name_is_given_twice);
    tcase_add_test(names_case, many_equal_names_take_no_time);
    tcase_add_test(names_case, long_names_are_cut_and_stay_apart);
    tcase_add_test(pages, pages_are_full_before_the_next_begins);
    tcase_add_test(pages, every_page_begins_with_the_header);
    return run_suite("files", all);
}
