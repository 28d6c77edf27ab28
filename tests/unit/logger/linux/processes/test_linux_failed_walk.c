/*
 * A walk over all processes that fails: those that ended until then are in the
 * next sample that has processes, or are counted as lost.  Needs what BPF
 * needs; says so and is skipped else.
 */
#include "logger/linux/processes/bpf/program.h"
#include "logger/linux/processes/bpf/task_record.h"
#include "tests/support/sample.h"
#include "tests/support/support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 30000, STATUS = 7 };

static struct sample sample;
static bool fails;
static size_t more; /* reports of processes that never were */

int __real_pl_task_program_walk(struct pl_task_program *p);
int __wrap_pl_task_program_walk(struct pl_task_program *p);
enum pl_status __real_pl_task_program_drain(struct pl_task_program *p,
                                            struct pl_buf *out);
enum pl_status __wrap_pl_task_program_drain(struct pl_task_program *p,
                                            struct pl_buf *out);

int __wrap_pl_task_program_walk(struct pl_task_program *p)
{
    errno = EMFILE;
    return fails ? -1 : __real_pl_task_program_walk(p);
}

enum pl_status __wrap_pl_task_program_drain(struct pl_task_program *p,
                                            struct pl_buf *out)
{
    struct pl_task_exit x = { .head = { .comm = "many" },
                              .end = { .ended = 1 } };

    for (; more; more--) {
        x.head.pid = (uint32_t)(1 << 30 | more);
        x.end.final = more % 2 ? PL_FINAL : PL_FINAL_AGAIN;
        pl_buf_bytes(out, &x, sizeof x);
    }
    return __real_pl_task_program_drain(p, out);
}

/* A process that ends well; its instance's name. */
static const char *run_one(void)
{
    static char name[64];
    int status;
    pid_t pid = fork();

    if (!pid)
        _exit(STATUS);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    snprintf(name, sizeof name, "test_linux_fail:%d", (int)pid);
    return name;
}

static void take(bool failing)
{
    struct pl_object o;

    fails = failing;
    sample_take(&sample);
    ck_assert(sample_object(&sample, "Process", &o) == !failing);
}

static uint64_t num_lost(void)
{
    return value_of(&sample, "Performance Logger", NULL, "Exits Lost");
}

START_TEST(who_ended_is_in_the_next_sample)
{
    const char *name;

    take(false);
    name = run_one();
    take(true);
    take(true);
    take(false);
    ck_assert_uint_eq(value_of(&sample, "Process", name, "Exits/sec"), 1);
    ck_assert_uint_eq(value_of(&sample, "Process", name, "Exit Status"),
                      STATUS);
    take(false);
    take(false);
    ck_assert_uint_eq(num_lost(), 0);
}
END_TEST

START_TEST(too_many_are_counted_as_lost)
{
    take(false);
    more = MANY;
    take(true);
    ck_assert_uint_eq(num_lost(), 0);
    take(true);
    ck_assert_uint_ge(num_lost(), MANY / 2); /* the others had an end before */
    ck_assert_uint_lt(num_lost(), MANY / 2 + MANY / 10);
    take(false);
    ck_assert(!has_instance(&sample, "Process", "many:0"));
}
END_TEST

static void open_it(void)
{
    static const char *const paths[] = { "+Process", "Performance Logger",
                                         NULL };
    const char *why = NULL;

    fails = false;
    ck_assert_msg(sample_open_way(&sample, PL_PROCESSES_BPF, paths, &why) ==
                      PL_OK,
                  "%s", why);
}

static void close_it(void)
{
    sample_close(&sample);
}

int main(void)
{
    TCase *t = tcase_create("failed_walk");
    int status = sample_without_bpf("linux_failed_walk");

    if (status)
        return status;
    tcase_add_checked_fixture(t, open_it, close_it);
    tcase_add_test(t, who_ended_is_in_the_next_sample);
    tcase_add_test(t, too_many_are_counted_as_lost);
    return run_suite("linux_failed_walk", (TCase *const[]){ t, NULL });
}
