/* Pages that the start needed are unmapped, and all works on. */
#include "logger/record/start_pages.h"

#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The loader writes these addresses, and makes them read-only after that. */
static const char *const words[] = { "one", "two" };

/* Pages of this program's file, as many as do not hang on what else is mapped. */
enum { PAGES_KB = 1024 };
static const volatile char pages[PAGES_KB << 10] = { 1 };

/* Kilobytes of files that are mapped. */
static long mapped(void)
{
    static const char key[] = "RssFile:";
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    long kb = 0;

    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f))
        if (!strncmp(line, key, strlen(key)))
            kb = strtol(line + strlen(key), NULL, 10);
    fclose(f);
    ck_assert_int_gt(kb, 0);
    return kb;
}

START_TEST(pages_that_were_read_are_unmapped)
{
    int sum = 0;
    long before;

    for (size_t i = 0; i < sizeof pages; i += 1024)
        sum += pages[i];
    ck_assert_int_eq(sum, 1);
    before = mapped();
    ck_assert_int_ge(before, PAGES_KB);
    pl_start_pages_unmap();
    ck_assert_int_lt(mapped(), before - PAGES_KB * 3 / 4);
}
END_TEST

START_TEST(what_was_written_is_kept)
{
    static int number = 1;

    number++;
    pl_start_pages_unmap();
    pl_start_pages_unmap();
    ck_assert_int_eq(number, 2);
    ck_assert_str_eq(words[_i], _i ? "two" : "one");
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("start_pages");

    tcase_add_test(t, pages_that_were_read_are_unmapped);
    tcase_add_loop_test(t, what_was_written_is_kept, 0, 2);
    return run_suite("start_pages", (TCase *[]){ t, NULL });
}
