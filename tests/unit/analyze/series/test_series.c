/* Names are found again however often, and whatever bytes, they are given. */
#include "analyze/series/series_registry.h"
#include "tests/support/support.h"

#include <string.h>

static const struct pl_text none = { NULL, 0 };

/* Text of a log may hold any bytes; a name ends at its first NUL. */
#define WITH_NUL(text)                                                         \
    ((struct pl_text){ text "\0rest", sizeof text "\0rest" - 1 })

START_TEST(a_name_with_a_nul_is_found_again)
{
    struct pl_registry r = { 0 };
    struct pl_object_names *o;
    struct pl_host *h = pl_registry_host(&r, WITH_NUL("host"), 7);

    ck_assert_ptr_nonnull(h);
    ck_assert_str_eq(h->name, "host");
    ck_assert_ptr_eq(pl_registry_host(&r, WITH_NUL("host"), 7), h);
    o = pl_registry_object(&r, WITH_NUL("Disk"), none);
    ck_assert_ptr_nonnull(o);
    ck_assert_ptr_eq(pl_registry_object(&r, WITH_NUL("Disk"), none), o);
    for (int set = 0; set < 3; set++) {
        o->mark++;
        ck_assert_uint_eq(pl_object_slot(&r, o, WITH_NUL("Reads"), none, 0), 0);
        ck_assert_uint_eq(pl_object_slot(&r, o, WITH_NUL("Reads"), none, 0), 1);
        ck_assert_uint_eq(pl_object_slot(&r, o, pl_text_of("Size"), none, 0),
                          2);
    }
    pl_registry_release(&r);
}
END_TEST

/* More counters than the table begins with: it grows, and all are put into it again. */
START_TEST(many_counters_keep_their_slots)
{
    enum { MANY = 300 };
    struct pl_registry r = { 0 };
    struct pl_object_names *o = pl_registry_object(&r, WITH_NUL("Disk"), none);

    for (int set = 0; set < 2; set++) {
        o->mark++;
        for (uint32_t i = 0; i < MANY; i++) {
            char name[] = { (char)('a' + i % 26), (char)('a' + i / 26), 0,
                            'x' };
            struct pl_text text = { name, sizeof name };

            ck_assert_uint_eq(pl_object_slot(&r, o, text, none, 0), i);
        }
    }
    pl_registry_release(&r);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("series");
    TCase *const tcases[] = { t, NULL };

    tcase_add_test(t, a_name_with_a_nul_is_found_again);
    tcase_add_test(t, many_counters_keep_their_slots);
    return run_suite("series", tcases);
}
