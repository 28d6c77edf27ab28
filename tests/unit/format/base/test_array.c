/* Growing arrays: elements survive growth, and what does not fit fails. */
#include "format/base/array.h"

#include "tests/support/support.h"

#include <stdint.h>
#include <stdlib.h>

/* Lets a request no machine can meet return NULL under AddressSanitizer. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

START_TEST(elements_survive_growth)
{
    uint32_t *p = NULL;
    size_t cap = 0;

    for (uint32_t i = 0; i < 10000; i++) {
        ck_assert(pl_array_grow((void **)&p, &cap, i, sizeof *p));
        ck_assert_uint_gt(cap, i);
        p[i] = i * 2654435761u;
    }
    for (uint32_t i = 0; i < 10000; i++)
        ck_assert_uint_eq(p[i], i * 2654435761u);
    free(p);
}
END_TEST

/* Appending one by one copies little: room doubles and then stays. */
START_TEST(room_doubles_and_is_kept)
{
    uint64_t *p = NULL, *was;
    size_t cap = 0, first;

    ck_assert(pl_array_reserve((void **)&p, &cap, 0, sizeof *p));
    ck_assert_ptr_null(p);
    ck_assert(pl_array_grow((void **)&p, &cap, 0, sizeof *p));
    first = cap;
    ck_assert(pl_array_grow((void **)&p, &cap, first, sizeof *p));
    ck_assert_uint_eq(cap, 2 * first);
    ck_assert(pl_array_reserve((void **)&p, &cap, 8 * first + 1, sizeof *p));
    ck_assert_uint_eq(cap, 16 * first);
    was = p;
    ck_assert(pl_array_reserve((void **)&p, &cap, 3, sizeof *p));
    ck_assert_ptr_eq(p, was);
    ck_assert_uint_eq(cap, 16 * first);
    free(p);
}
END_TEST

/* Numbers whose bytes no size_t counts, and bytes that no machine has. */
START_TEST(what_does_not_fit_leaves_the_array_as_it_was)
{
    static const struct {
        size_t num, size;
    } most[] = {
        { SIZE_MAX, 1 },         { SIZE_MAX / 2 + 2, 1 },
        { SIZE_MAX / 8 + 1, 8 }, { (size_t)1 << (8 * sizeof(size_t) - 4), 32 },
        { SIZE_MAX / 8, 4 },
    };
    uint32_t *p = NULL;
    size_t cap = 0, was;

    ck_assert(pl_array_grow((void **)&p, &cap, 0, sizeof *p));
    p[0] = 7;
    was = cap;
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        ck_assert(
            !pl_array_reserve((void **)&p, &cap, most[i].num, most[i].size));
        ck_assert_uint_eq(cap, was);
        ck_assert_uint_eq(p[0], 7);
    }
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        if (most[i].size > 1)
            ck_assert(!pl_array_resize((void **)&p, most[i].num, most[i].size));
        ck_assert_uint_eq(p[0], 7);
    }
    ck_assert(!pl_array_grow((void **)&p, &cap, SIZE_MAX, 1));
    ck_assert_uint_eq(cap, was);
    free(p);
}
END_TEST

START_TEST(room_is_exact_where_it_is_asked_for)
{
    uint32_t *p = NULL;

    ck_assert(pl_array_resize((void **)&p, 3, sizeof *p));
    for (uint32_t i = 0; i < 3; i++)
        p[i] = i;
    ck_assert(pl_array_resize((void **)&p, 1000, sizeof *p));
    p[999] = 1;
    ck_assert_uint_eq(p[2], 2);
    ck_assert(pl_array_resize((void **)&p, 1, sizeof *p));
    ck_assert_uint_eq(p[0], 0);
    free(p);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("array");

    tcase_add_test(t, elements_survive_growth);
    tcase_add_test(t, room_doubles_and_is_kept);
    tcase_add_test(t, room_is_exact_where_it_is_asked_for);
    tcase_add_test(t, what_does_not_fit_leaves_the_array_as_it_was);
    return run_suite("array", (TCase *[]){ t, NULL });
}
