/* Groups that stay open: how long a copy waits for them. */
#include "logger/linux/published/region_parts.h"
#include "tests/support/publishing.h"
#include "tests/support/support.h"
#include "tests/support/watching.h"

#include <stdio.h>

enum { MANY = 1024 }; /* counters: 8 KiB of values in a set */

static struct pl_prov_counter counters[MANY];
static char names[MANY][8];
static struct pl_prov_object large = {
    1, "Large", "", 1, 8, PL_PROV_NOVICE, 0, 1, counters, MANY
};

static struct pl_prov *publish_large(void)
{
    struct pl_prov *p;

    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "C%u", i);
        counters[i] = (struct pl_prov_counter){
            i + 1, PERF_COUNTER_LARGE_RAWCOUNT, names[i], "", 0, PL_PROV_NOVICE,
            0
        };
    }
    publishing_dir();
    ck_assert_int_eq(pl_prov_open(&p, "large", &large, 1, NULL), 0);
    return p;
}

/* Retries of a copy whose deadline has passed. */
static uint64_t retries_when_late(const char *program)
{
    struct pl_region *g;
    struct watch w;
    uint64_t retries;

    watch_begin(&w);
    watch_scan(&w);
    g = watch_region(&w, program);
    retries = g->image.retries;
    ck_assert_int_eq(pl_region_copy_values(g, pl_regions_tables(w.regions), 0),
                     PL_REASON_BUSY);
    retries = g->image.retries - retries;
    watch_end(&w);
    return retries;
}

/* Each would copy all of it, 16 MiB perhaps. */
START_TEST(a_busy_region_is_not_retried_after_the_deadline)
{
    struct pl_prov *p = publish("busy");

    pl_begin(pl_prov_region(p));
    ck_assert_uint_eq(retries_when_late("busy"), 0);
    pl_prov_close(p);
}
END_TEST

/* The clock is read for each 4 KiB. */
START_TEST(a_busy_set_is_hardly_retried_after_the_deadline)
{
    struct pl_prov *p = publish("busy"), *q = publish_large();

    pl_begin(pl_prov_single(p, ENGINE));
    ck_assert_uint_lt(retries_when_late("busy"), 64);
    pl_begin(pl_prov_add(q, 1, "one", -1, NULL));
    ck_assert_uint_eq(retries_when_late("large"), 0);
    pl_prov_close(p);
    pl_prov_close(q);
}
END_TEST

/* So none is below it, even if it was copied only once. */
START_TEST(a_new_occupant_is_in_no_block_before_it_is_written)
{
    struct pl_prov *p = publish_large();
    const struct pl_region_copy *c;
    struct pl_region *g;
    struct watch w;

    watch_begin(&w);
    watch_scan(&w);
    g = watch_region(&w, "large");
    pl_begin(pl_prov_add(p, 1, "one", -1, NULL));
    pl_region_copy_values(g, pl_regions_tables(w.regions), 0);
    c = watch_copy(g, 0, 0);
    ck_assert_int_eq(c->copied, PL_COPIED_LOOSE);
    ck_assert_uint_eq(c->written, UINT32_MAX);
    watch_end(&w);
    pl_prov_close(p);
}
END_TEST

int main(void)
{
    TCase *busy = tcase_create("busy");

    tcase_add_test(busy, a_busy_region_is_not_retried_after_the_deadline);
    tcase_add_test(busy, a_busy_set_is_hardly_retried_after_the_deadline);
    tcase_add_test(busy, a_new_occupant_is_in_no_block_before_it_is_written);
    return run_suite("linux_busy", (TCase *const[]){ busy, NULL });
}
