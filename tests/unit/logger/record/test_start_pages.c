/* Pages that the start needed are unmapped, and all works on. */
#include "logger/record/start_pages.h"

#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The loader writes these addresses, and makes them read-only after that. */
static const char *const words[] = { "one", "two" };

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

START_TEST(most_pages_are_unmapped)
{
    long before = mapped();

    pl_start_pages_unmap();
    ck_assert_int_lt(mapped(), before * 3 / 4);
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

    tcase_add_test(t, most_pages_are_unmapped);
    tcase_add_loop_test(t, what_was_written_is_kept, 0, 2);
    return run_suite("start_pages", (TCase *[]){ t, NULL });
}
