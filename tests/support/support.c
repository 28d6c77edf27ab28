/* Helpers of the test programs. */
#include "tests/support/support.h"

#include "format/time/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Seconds that a test may take: on a busy machine, where Check's own 4 are too
 * few.  Check asks when a test case is made, so this is said before main.
 */
static __attribute__((constructor)) void allow_time(void)
{
    set_default("CK_DEFAULT_TIMEOUT", "300");
}

int run_suite(const char *name, TCase *const tcases[])
{
    Suite *suite = suite_create(name);
    SRunner *runner;
    int failed;

    for (; *tcases; tcases++) {
        tcase_add_checked_fixture(*tcases, forget_files, NULL);
        suite_add_tcase(suite, *tcases);
    }
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

bool runs_in_full(void)
{
    const char *full = getenv("PERFLOG_TEST_FULL");

    return full && *full;
}

uint8_t *exact_copy(const void *p, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);

    ck_assert_ptr_nonnull(copy);
    if (n)
        memcpy(copy, p, n);
    return copy;
}

bool use_zone(const char *name)
{
    if (!PL_ZONES_HAVE_NAMES && strchr(name, '/'))
        return false;
    ck_assert_int_eq(pl_zone_set(name), PL_OK);
    return true;
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
