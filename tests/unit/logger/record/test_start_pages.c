/* Pages that the start needed are unmapped, and all works on. */
#include "logger/record/start_pages.h"

#include "tests/support/support.h"

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

/* The loader writes these addresses, and makes them read-only after that. */
static const char *const words[] = { "one", "two" };

/* A part of this program's file; what is beside it may be mapped with its ends. */
static const char part[1 << 20] = { 1 };

/* How many of its pages are mapped, by pagemap's bit 63
 * (Documentation/admin-guide/mm/pagemap.rst). */
static size_t mapped(size_t page)
{
    FILE *f = fopen("/proc/self/pagemap", "r");
    uint64_t entry;
    size_t num = 0;

    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(
        fseek(f, (long)((uintptr_t)part / page * sizeof entry), SEEK_SET), 0);
    for (size_t i = 0; i < sizeof part / page; i++) {
        ck_assert_uint_eq(fread(&entry, sizeof entry, 1, f), 1);
        num += entry >> 63;
    }
    fclose(f);
    return num;
}

START_TEST(pages_that_were_read_are_unmapped)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const volatile char *at = part; /* or the compiler knows what is there */
    int sum = 0;

    for (size_t i = 0; i < sizeof part; i += page)
        sum += at[i];
    ck_assert_int_eq(sum, 1);
    ck_assert_uint_ge(mapped(page), sizeof part / page - 1);
    pl_start_pages_unmap();
    ck_assert_uint_lt(mapped(page), sizeof part / page / 2);
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
