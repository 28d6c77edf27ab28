/* Helpers of the test programs. */
#include "tests/support.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int run_suite(const char *name, TCase *const tcases[])
{
    Suite *suite = suite_create(name);
    SRunner *runner;
    int failed;

    for (; *tcases; tcases++)
        suite_add_tcase(suite, *tcases);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

uint8_t *exact_copy(const void *p, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);

    ck_assert_ptr_nonnull(copy);
    if (n)
        memcpy(copy, p, n);
    return copy;
}

static char dir_name[] = "/tmp/perflog-test-XXXXXX";
static pid_t dir_owner;

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static void remove_dir(void)
{
    if (dir_owner == getpid())
        nftw(dir_name, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *temp_dir(void)
{
    if (dir_owner == getpid())
        return dir_name;
    memcpy(dir_name + strlen(dir_name) - 6, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(dir_name));
    dir_owner = getpid();
    atexit(remove_dir);
    return dir_name;
}

const char *path_in(const char *dir, const char *name)
{
    static char paths[4][512];
    static unsigned turn;
    char *path = paths[turn++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", dir, name);
    return path;
}

uint8_t *read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    uint8_t *p = NULL;
    size_t cap = 0;

    ck_assert_msg(f != NULL, "%s cannot be read", path);
    *n = 0;
    do {
        cap += 1 << 16;
        p = realloc(p, cap);
        ck_assert_ptr_nonnull(p);
        *n += fread(p + *n, 1, cap - *n, f);
    } while (*n == cap);
    fclose(f);
    return p;
}

void write_file(const char *path, const void *p, size_t n)
{
    FILE *f = fopen(path, "wb");

    ck_assert_msg(f != NULL, "%s cannot be written", path);
    ck_assert_uint_eq(fwrite(p, 1, n, f), n);
    ck_assert_int_eq(fclose(f), 0);
}
