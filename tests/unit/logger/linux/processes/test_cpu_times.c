/* User and system time, scaled to the time that the scheduler counted. */
#include "logger/linux/processes/cpu_times.h"
#include "tests/support/support.h"

/* One task in one walk; then the walk is over. */
static struct pl_cpu_time walk(struct pl_cpu_times *c, struct pl_cpu_time t,
                               uint64_t run_time)
{
    ck_assert_int_eq(pl_cpu_times_scale(c, run_time, &t), PL_OK);
    pl_cpu_times_end(c, true);
    return t;
}

#define TASK(user, system)                                                     \
    ((struct pl_cpu_time){ 7, 1000, (user), (system), 0 })

static void check(struct pl_cpu_time t, uint64_t user, uint64_t system)
{
    ck_assert_uint_eq(t.user, user);
    ck_assert_uint_eq(t.system, system);
}

START_TEST(parts_add_up_to_what_the_scheduler_counted)
{
    struct pl_cpu_times c = { 0 };

    check(walk(&c, TASK(0, 0), 500), 500, 0); /* before its first tick */
    check(walk(&c, TASK(4000, 0), 2000), 2000, 0);
    check(walk(&c, TASK(4000, 4000), 6000), 3000, 3000);
    pl_cpu_times_release(&c);
    check(walk(&c, TASK(0, 4000), 3000), 0, 3000);
    pl_cpu_times_release(&c);
    check(walk(&c, TASK(3000, 1000), 10000), 7500, 2500);
    pl_cpu_times_release(&c);
}
END_TEST

/* The shares of a long life change; what was shown does not go back. */
START_TEST(no_part_ever_falls)
{
    struct pl_cpu_times c = { 0 };

    check(walk(&c, TASK(4000, 4000), 8000), 4000, 4000);
    check(walk(&c, TASK(8000, 4000), 8100), 4100, 4000); /* not 5400, 2700 */
    check(walk(&c, TASK(8000, 16000), 8200), 4100, 4100);
    check(walk(&c, TASK(8000, 16000), 8200), 4100, 4100);
    check(walk(&c, TASK(9000, 16000), 8100), 4100, 4100);
    pl_cpu_times_release(&c);
}
END_TEST

START_TEST(a_number_that_is_used_again_begins_anew)
{
    struct pl_cpu_times c = { 0 };
    struct pl_cpu_time young = TASK(1000, 0);

    young.start++;
    check(walk(&c, TASK(4000, 4000), 8000), 4000, 4000);
    check(walk(&c, young, 100), 100, 0);
    pl_cpu_times_release(&c);
}
END_TEST

/* As after exec by another thread than the main one, which takes its place. */
START_TEST(who_has_run_less_is_another)
{
    struct pl_cpu_times c = { .may_be_inherited = true };
    static const struct {
        uint64_t user, run_time;
        uint32_t heirs;
    } walks[] = {
        { 8000, 8000, 0 }, { 100, 7999, 1 }, { 200, 8100, 1 },
        { 300, 8100, 1 },  { 300, 50, 2 },
    };

    for (size_t i = 0; i < sizeof walks / sizeof *walks; i++) {
        struct pl_cpu_time t =
            walk(&c, TASK(walks[i].user, 0), walks[i].run_time);

        check(t, walks[i].run_time, 0);
        ck_assert_uint_eq(t.heirs, walks[i].heirs);
    }
    pl_cpu_times_release(&c);
}
END_TEST

START_TEST(a_walk_that_breaks_off_forgets_nothing)
{
    struct pl_cpu_times c = { 0 };
    struct pl_cpu_time other = { 3, 1, 50, 50, 0 };

    check(walk(&c, TASK(4000, 4000), 8000), 4000, 4000);
    ck_assert_int_eq(pl_cpu_times_scale(&c, 100, &other), PL_OK);
    pl_cpu_times_end(&c, false);
    check(walk(&c, TASK(8000, 4000), 8100), 4100, 4000);
    pl_cpu_times_release(&c);
}
END_TEST

/* All of two walks, the second in any order, as tasks that ended come late. */
START_TEST(every_task_is_found_again)
{
    enum { TASKS = 1000, STEP = 7 };
    struct pl_cpu_times c = { 0 };

    for (unsigned round = 0; round < 4; round++) {
        for (unsigned i = 0; i < TASKS; i++) {
            uint64_t id = round % 2 ? i * STEP % TASKS : i;
            struct pl_cpu_time t = { id, 1, 100 + round * 900, 100, 0 };

            ck_assert_int_eq(pl_cpu_times_scale(&c, id + 200 + 10 * round, &t),
                             PL_OK);
            /* The system's share would sink but for what it was before. */
            ck_assert_uint_eq(t.system, (id + 200) / 2);
            ck_assert_uint_eq(t.user + t.system, id + 200 + 10 * round);
        }
        pl_cpu_times_end(&c, true);
    }
    pl_cpu_times_release(&c);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("cpu_times");
    TCase *const tcases[] = { t, NULL };

    tcase_add_test(t, parts_add_up_to_what_the_scheduler_counted);
    tcase_add_test(t, no_part_ever_falls);
    tcase_add_test(t, a_number_that_is_used_again_begins_anew);
    tcase_add_test(t, who_has_run_less_is_another);
    tcase_add_test(t, a_walk_that_breaks_off_forgets_nothing);
    tcase_add_test(t, every_task_is_found_again);
    return run_suite("cpu_times", tcases);
}
