/* Which instance was which: by name, by identity, and each only once. */
#include "analyze/replay/instance_match.h"

#include "analyze/replay/series_registry.h"
#include "tests/support/support.h"

static struct pl_group group;
static struct pl_sampled_instance was[3];
static struct pl_sampled_object object = { .num = 3 };
static struct pl_sample older = { .row = 1,
                                  .instances = was,
                                  .num_instances = 3 };
static struct pl_counter_plan plan;
static struct pl_instance_match match;

/* Three instances of which the last two are the same; not found by name. */
static void begin(void)
{
    group = (struct pl_group){ .place.older_row = 99 };
    plan.num_identity = 1;
    match.ready = false;
    for (uint64_t i = 0; i < 3; i++)
        was[i] = (struct pl_sampled_instance){ .group = &group,
                                               .identity = { i ? 7 : 5 } };
}

/* What an instance of that identity was: its number, -1 if it is new. */
static int find(uint64_t identity)
{
    struct pl_sampled_instance now = { .group = &group,
                                       .identity = { identity } };
    struct pl_sampled_instance *found;

    ck_assert_int_eq(
        pl_instance_match_find(&match, &older, &object, &plan, &now, &found),
        PL_OK);
    if (!found)
        return -1;
    found->paired = true;
    return (int)(found - was);
}

START_TEST(equal_ones_are_found_in_their_order_each_once)
{
    ck_assert_int_eq(find(7), 1);
    ck_assert_int_eq(find(7), 2);
    ck_assert_int_eq(find(7), -1);
    ck_assert_int_eq(find(5), 0);
    ck_assert_int_eq(find(5), -1);
    ck_assert_int_eq(find(6), -1);
    pl_instance_match_release(&match);
}
END_TEST

START_TEST(who_is_found_by_name_is_found_once_too)
{
    group.place.older_row = 1;
    group.place.older_index = 1;
    ck_assert_int_eq(find(7), 1);
    ck_assert_int_eq(find(7), 2);
    ck_assert_int_eq(find(7), -1);
    pl_instance_match_release(&match);
}
END_TEST

START_TEST(objects_that_share_a_name_have_their_own_instances)
{
    group.shared = true;
    was[0].identity[0] = 7;
    ck_assert_int_eq(find(7), 0);
    ck_assert_int_eq(find(7), 1);
    ck_assert_int_eq(find(7), 2);
    ck_assert_int_eq(find(7), -1);
    pl_instance_match_release(&match);
}
END_TEST

START_TEST(without_an_identity_the_name_tells)
{
    plan.num_identity = 0;
    ck_assert_int_eq(find(7), -1);
    group.place.older_row = 1;
    group.place.older_index = 2;
    ck_assert_int_eq(find(5), 2);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("match");

    tcase_add_checked_fixture(t, begin, NULL);
    tcase_add_test(t, equal_ones_are_found_in_their_order_each_once);
    tcase_add_test(t, who_is_found_by_name_is_found_once_too);
    tcase_add_test(t, objects_that_share_a_name_have_their_own_instances);
    tcase_add_test(t, without_an_identity_the_name_tells);
    return run_suite("match", (TCase *[]){ t, NULL });
}
