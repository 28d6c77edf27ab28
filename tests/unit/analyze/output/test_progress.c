/* The line that tells how far long work has come. */
#include "analyze/output/progress.h"
#include "format/base/file.h"
#include "format/time/time_text.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is shown 'seconds' after the start, on a terminal or as if it were. */
static char *shown(bool on, int64_t seconds, uint64_t done, uint64_t total)
{
    static char text[512];
    const char *path = path_in(temp_dir(), "err");
    struct pl_progress p;
    uint8_t *bytes;
    size_t n;

    ck_assert_ptr_nonnull(freopen(path, "w", stderr));
    pl_progress_start(&p, "exporting", total, false);
    ck_assert(!p.on); /* this is no terminal */
    p.on = on;
    p.started -= seconds * PL_NS_PER_SEC;
    p.next -= seconds * PL_NS_PER_SEC;
    pl_progress_at(&p, done);
    fflush(stderr);
    bytes = read_file(path, &n);
    ck_assert_uint_lt(n, sizeof text);
    memcpy(text, bytes, n);
    text[n] = 0;
    free(bytes);
    return text;
}

START_TEST(bar_rate_and_time_left)
{
    /* a quarter of 80 MB in ten seconds: 2 MB a second, 30 seconds more */
    ck_assert_str_eq(shown(true, 10, 20000000, 80000000),
                     "\rexporting: [#####...............] 25 %, 2.0 MB/s, 30s "
                     "left\033[K");
    ck_assert_str_eq(shown(true, 10, 80000000, 80000000),
                     "\rexporting: [####################] 100 %, 8.0 MB/s, 0s "
                     "left\033[K");
}
END_TEST

START_TEST(without_an_end_in_sight)
{
    ck_assert_str_eq(shown(true, 10, 20000000, 0),
                     "\rexporting: 20.0 MB, 2.0 MB/s\033[K");
    ck_assert_str_eq(shown(true, 10, 20000000, 10000000), /* it has grown */
                     "\rexporting: 20.0 MB, 2.0 MB/s\033[K");
}
END_TEST

START_TEST(nothing_at_first_or_where_nobody_looks)
{
    ck_assert_str_eq(shown(true, 0, 1, 2), "");
    ck_assert_str_eq(shown(false, 10, 1, 2), "");
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("progress");
    TCase *all[] = { t, NULL };

    tcase_add_test(t, bar_rate_and_time_left);
    tcase_add_test(t, without_an_end_in_sight);
    tcase_add_test(t, nothing_at_first_or_where_nobody_looks);
    return run_suite("progress", all);
}
