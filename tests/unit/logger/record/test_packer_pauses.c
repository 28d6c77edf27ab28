/* When the recorder tries to pack again what could not be packed.  The program
 * that it starts is this one: it notes that, and ends as it is asked to. */
#include "logger/record/packer.h"

#include "format/base/file.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { SEGMENTS = 200 };

static const char *tries_path;

static void end_with(const char *status)
{
    ck_assert_int_eq(setenv("PACKER_ENDS", status, 1), 0);
}

static int be_packer(void)
{
    FILE *f = fopen(getenv("PACKER_TRIES"), "ab");

    if (!f || fputc('x', f) == EOF || fclose(f))
        return 99;
    return atoi(getenv("PACKER_ENDS"));
}

static size_t tries(void)
{
    uint8_t *all;
    size_t n;

    if (!pl_path_exists(tries_path))
        return 0;
    all = read_file(tries_path, &n);
    free(all);
    return n;
}

/* So many segments were begun; what that starts has ended and been noticed. */
static size_t begin(struct pl_packer *p, uint32_t segments)
{
    const struct pl_writer_stats stats = { .segments = segments };
    siginfo_t info;

    pl_packer_look(p, &stats, "none");
    if (!waitid(P_ALL, 0, &info, WEXITED | WNOWAIT))
        pl_packer_look(p, &stats, "none");
    return tries();
}

static struct pl_packer *start(char **log)
{
    struct pl_packer *p;
    FILE *segment =
        fopen(path_in(temp_dir(), "a-20200101T000000Z-000.plog"), "wb");

    ck_assert_ptr_nonnull(segment);
    ck_assert_int_eq(fclose(segment), 0);
    tries_path = strdup(path_in(temp_dir(), "tries"));
    ck_assert_int_eq(setenv("PACKER_TRIES", tries_path, 1), 0);
    *log = strdup(path_in(temp_dir(), "a.plog"));
    ck_assert_int_eq(pl_packer_new(&p, *log), PL_OK);
    return p;
}

START_TEST(after_failures_it_waits_for_twice_as_many_segments)
{
    static const uint32_t tried_at[] = { 1, 2, 4, 8, 16, 32, 64, 128, 192 };
    char *log;
    struct pl_packer *p = start(&log);
    size_t num = 0;

    end_with("1");
    for (uint32_t n = 1; n <= SEGMENTS; n++) {
        num += num < sizeof tried_at / sizeof *tried_at && n == tried_at[num];
        ck_assert_uint_eq(begin(p, n), num);
    }
    pl_packer_end(p);
    free(log);
}
END_TEST

START_TEST(once_it_could_pack_it_does_so_with_each_segment)
{
    char *log;
    struct pl_packer *p = start(&log);

    end_with("1");
    for (uint32_t n = 1; n <= 4; n++)
        begin(p, n);
    end_with("0");
    ck_assert_uint_eq(begin(p, 7), 3);
    ck_assert_uint_eq(begin(p, 8), 4);
    for (uint32_t n = 9; n <= 20; n++)
        ck_assert_uint_eq(begin(p, n), n - 4);
    pl_packer_end(p);
    free(log);
}
END_TEST

START_TEST(it_tries_once_for_each_segment)
{
    char *log;
    struct pl_packer *p = start(&log);

    end_with("0");
    for (uint32_t n = 1; n <= 3; n++)
        for (int looks = 0; looks < 5; looks++)
            ck_assert_uint_eq(begin(p, n), n);
    pl_packer_end(p);
    free(log);
}
END_TEST

int main(int argc, char **argv)
{
    TCase *t;

    if (argc > 1 && !strcmp(argv[1], "pack"))
        return be_packer();
    t = tcase_create("packer_pauses");
    tcase_add_test(t, after_failures_it_waits_for_twice_as_many_segments);
    tcase_add_test(t, it_tries_once_for_each_segment);
    tcase_add_test(t, once_it_could_pack_it_does_so_with_each_segment);
    return run_suite("packer_pauses", (TCase *[]){ t, NULL });
}
