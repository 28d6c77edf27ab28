/* A region that is met when there is no memory for it: each allocation of that
 * scan fails once.  It is in a later sample, and takes no more than its share. */
#include "logger/linux/published/region_parts.h"
#include "tests/support/faults.h"
#include "tests/support/publishing.h"
#include "tests/support/support.h"
#include "tests/support/watching.h"

#include <errno.h>

static struct watch w;

/* The region once it is read: one over a limit is tried again in its turn. */
static struct pl_region *read_later(void)
{
    struct pl_region *g;

    do {
        watch_until(&w, "late");
        g = watch_region(&w, "late");
        ck_assert(g->table || g->state == PL_STATE_OVER_LIMIT);
    } while (!g->table);
    return g;
}

/* False: the fault was not met. */
static bool run(const struct fault *f, bool is_notified)
{
    struct pl_prov *p;
    struct pl_region *g;

    watch_is_notified = is_notified;
    watch_begin(&w);
    p = publish("late");
    faults_set(f, 1);
    faults_on();
    watch_scan(&w);
    faults_off();
    g = read_later();
    ck_assert_int_eq(g->state, PL_STATE_LIVE);
    ck_assert_uint_eq(g->publisher->taken[PL_SHARE_PLACES], 1);
    ck_assert_uint_eq(g->publisher->taken[PL_SHARE_UNVALIDATED], 0);
    ck_assert_uint_eq(g->publisher->taken[PL_SHARE_MEMORY], g->memory);
    pl_prov_close(p);
    watch_end(&w);
    return faults_hit();
}

START_TEST(a_region_without_memory_is_read_later)
{
    struct fault f = { CALL_ALLOC, 1, 1, ENOMEM };

    while (run(&f, _i))
        f.first++;
    ck_assert_uint_gt(f.first, 7);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("regions_no_memory");

    tcase_add_loop_test(t, a_region_without_memory_is_read_later, 0, 2);
    return run_suite("regions_no_memory", (TCase *[]){ t, NULL });
}
