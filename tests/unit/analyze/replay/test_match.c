/* Which instance was which: by name, by identity, and each only once. */
#include "analyze/replay/instance_match.h"

#include "analyze/series/series_registry.h"
#include "tests/support/support.h"

static struct pl_group group;
static struct pl_sampled_instance was[3];
static struct pl_sampled_object object = { .num = 3 };
static struct pl_sample older = { .row = 1,
                                  .instances = was,
                                  .num_instances = 3 };
static struct pl_counter_plan plan;
static struct pl_instance_match match;
static bool by_table;

/* Three instances of which the last two are the same; not found by name. */
static void begin(void)
{
    group = (struct pl_group){ .place.older_row = 99 };
    plan.num_identity = 1;
    /* looked through first, or by the table at once */
    pl_instance_match_begin(&match);
    if (by_table)
        match.looked = SIZE_MAX / 2;
    for (uint64_t i = 0; i < 3; i++)
        was[i] = (struct pl_sampled_instance){ .group = &group,
                                               .identity = { i ? 7 : 5 } };
}

static void begin_by_table(void)
{
    by_table = true;
    begin();
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
    return (int)(found - older.instances);
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

/* More of them than are looked through are found by the table, which takes over
 * in between. */
START_TEST(many_are_found_too)
{
    static struct pl_sampled_instance many[40];
    const struct pl_sample before = older;
    const struct pl_sampled_object all = object;

    older.instances = many;
    older.num_instances = object.num = 40;
    for (uint64_t first = 0; first < 200; first += 100) {
        pl_instance_match_begin(&match);
        for (uint64_t i = 0; i < 40; i++)
            many[i] =
                (struct pl_sampled_instance){ .group = &group,
                                              .identity = { first + i / 2 } };
        for (uint64_t i = 0; i < 40; i++)
            ck_assert_int_eq(find(first + 19 - i / 2),
                             38 - (int)i / 2 * 2 + (int)i % 2);
    }
    older = before;
    object = all;
    pl_instance_match_release(&match);
}
END_TEST

/* What was matched of one object says nothing of the next. */
START_TEST(another_object_begins_with_its_first_one)
{
    for (int round = 0; round < 2; round++) {
        begin();
        ck_assert_int_eq(find(5), 0);
        ck_assert_int_eq(find(7), 1);
        ck_assert_int_eq(find(7), 2);
        ck_assert_int_eq(find(7), -1);
    }
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

static TCase *case_of(const char *name, void (*start)(void))
{
    TCase *t = tcase_create(name);

    tcase_add_checked_fixture(t, start, NULL);
    tcase_add_test(t, equal_ones_are_found_in_their_order_each_once);
    tcase_add_test(t, who_is_found_by_name_is_found_once_too);
    tcase_add_test(t, objects_that_share_a_name_have_their_own_instances);
    tcase_add_test(t, many_are_found_too);
    tcase_add_test(t, another_object_begins_with_its_first_one);
    tcase_add_test(t, without_an_identity_the_name_tells);
    return t;
}

int main(void)
{
    return run_suite("match",
                     (TCase *[]){ case_of("few", begin),
                                  case_of("table", begin_by_table), NULL });
}
