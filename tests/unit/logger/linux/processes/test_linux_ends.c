/*
 * Processes that end while a sample is made, just before the walk over all of
 * them or just after it: each sample shows what was done until then, and the
 * end is counted once.  Needs what BPF needs; says so and is skipped else.
 */
#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/bpf/program.h"
#include "logger/linux/processes/bpf/task_record.h"
#include "logger/linux/processes/tasks.h"
#include "tests/support/sample.h"
#include "tests/support/support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORK_MS = 50, NS_PER_MS = 1000000, TICKS_PER_MS = 10000 };

static struct sample sample;
static pid_t worker, ends_before_walk, ends_after_walk;
static int orders[2], answers[2];
static char name[64];

int __real_pl_task_program_walk(struct pl_task_program *p);
int __wrap_pl_task_program_walk(struct pl_task_program *p);
enum pl_status __real_pl_task_program_drain(struct pl_task_program *p,
                                            struct pl_buf *out);
enum pl_status __wrap_pl_task_program_drain(struct pl_task_program *p,
                                            struct pl_buf *out);

/* ---- ends at a given moment ---------------------------------------------- */

/* True if there was a process to end; it is waited for. */
static bool end_it(pid_t *who)
{
    pid_t pid = *who;

    if (!pid)
        return false;
    *who = 0;
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    return true;
}

int __wrap_pl_task_program_walk(struct pl_task_program *p)
{
    end_it(&ends_before_walk);
    return __real_pl_task_program_walk(p);
}

static bool has_final(const struct pl_buf *reports)
{
    const struct pl_task_exit *x = (const void *)reports->p;

    for (size_t i = 0; i < reports->len / sizeof *x; i++)
        if (x[i].head.pid == (uint32_t)worker && x[i].end.final)
            return true;
    return false;
}

/* Its last report comes when the kernel has released it. */
enum pl_status __wrap_pl_task_program_drain(struct pl_task_program *p,
                                            struct pl_buf *out)
{
    bool ended = end_it(&ends_after_walk);
    enum pl_status s;

    do
        s = __real_pl_task_program_drain(p, out);
    while (!s && ended && !has_final(out));
    return s;
}

/* ---- a process that works on request ---------------------  */

static int64_t worked_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000 * NS_PER_MS + t.tv_nsec;
}

static void work_on_orders(void)
{
    char c;

    close(orders[1]); /* it ends with the test */
    while (read(orders[0], &c, 1) == 1) {
        int64_t until = worked_ns() + WORK_MS * NS_PER_MS;

        while (worked_ns() < until)
            ;
        if (write(answers[1], &c, 1) != 1)
            break;
    }
    _exit(0);
}

static void begin_worker(void)
{
    ck_assert_int_eq(pipe(orders), 0);
    ck_assert_int_eq(pipe(answers), 0);
    worker = fork();
    ck_assert_int_ge(worker, 0);
    if (!worker)
        work_on_orders();
    snprintf(name, sizeof name, "test_linux_ends:%d", (int)worker);
}

static void let_work(void)
{
    char c = 0;

    ck_assert_int_eq(write(orders[1], &c, 1), 1);
    ck_assert_int_eq(read(answers[0], &c, 1), 1);
}

static uint64_t time_used(void)
{
    sample_take(&sample);
    return value_of(&sample, "Process", name, "% Processor Time");
}

static uint64_t exits(void)
{
    return value_of(&sample, "Process", name, "Exits/sec");
}

/* ---- tests ----------------------------------------------------------------- */

/* Neither shown as it was in the previous sample, nor a sample later. */
START_TEST(just_before_the_walk)
{
    uint64_t before = time_used(), now;

    let_work();
    ends_before_walk = worker;
    now = time_used();
    ck_assert_uint_ge(now - before, WORK_MS * TICKS_PER_MS);
    ck_assert_uint_eq(exits(), 1);
}
END_TEST

START_TEST(just_after_the_walk)
{
    uint64_t before = time_used(), now;

    let_work();
    ends_after_walk = worker;
    now = time_used();
    ck_assert_uint_ge(now - before, WORK_MS * TICKS_PER_MS);
    ck_assert_uint_eq(exits(), 0);
    ck_assert_uint_ge(time_used(), now);
    ck_assert_uint_eq(exits(), 1);
    ck_assert_uint_eq(
        value_of(&sample, "Process", name, "Killed By Signal/sec"), 1);
    sample_take(&sample);
    ck_assert(!has_instance(&sample, "Process", name));
}
END_TEST

static void open_it(void)
{
    static const char *const paths[] = { "+Process", NULL };
    const char *why = NULL;

    ck_assert_msg(sample_open_way(&sample, PL_PROCESSES_BPF, paths, &why) ==
                      PL_OK,
                  "%s", why);
    begin_worker();
}

static void close_it(void)
{
    close(orders[0]);
    close(orders[1]);
    close(answers[0]);
    close(answers[1]);
    sample_close(&sample);
}

static uint64_t boot_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * 1000 * NS_PER_MS + (uint64_t)t.tv_nsec;
}

/* From when the program is loaded on: who ended before has no first report. */
START_TEST(ends_are_seen_since_then)
{
    struct pl_machine machine = { 0 };
    const char *why = NULL;
    uint64_t before = boot_ns();

    ck_assert_int_eq(pl_tasks_open(&machine, &why), PL_OK);
    ck_assert_uint_gt(machine.tasks->since_ns, before);
    ck_assert_uint_le(machine.tasks->since_ns, boot_ns());
    pl_tasks_close(machine.tasks);
}
END_TEST

/* Its report comes before its number is free. */
START_TEST(who_has_ended_is_known_at_once)
{
    struct pl_machine machine = { 0 };
    const char *why = NULL;
    uint64_t started;
    pid_t pid;

    ck_assert_int_eq(pl_tasks_open(&machine, &why), PL_OK);
    machine.tick = 1;
    ck_assert_int_eq(pl_tasks_drain(&machine), PL_OK);
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (!pid)
        for (;;)
            pause();
    started = boot_ns() / 100 + 1;
    machine.tick = 2;
    ck_assert_int_eq(pl_tasks_drain(&machine), PL_OK);
    while (!pl_tasks_has_not_ended(&machine, (uint64_t)pid, started))
        ; /* the report of another process is being written */
    ends_before_walk = pid;
    ck_assert(end_it(&ends_before_walk));
    ck_assert(!pl_tasks_has_not_ended(&machine, (uint64_t)pid, started));
    pl_tasks_close(machine.tasks);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("ends"), *begin = tcase_create("begin");
    int status = sample_without_bpf("linux_ends");

    if (status)
        return status;
    tcase_add_checked_fixture(t, open_it, close_it);
    tcase_add_test(t, just_before_the_walk);
    tcase_add_test(t, just_after_the_walk);
    tcase_add_test(begin, ends_are_seen_since_then);
    tcase_add_test(begin, who_has_ended_is_known_at_once);
    return run_suite("linux_ends", (TCase *const[]){ t, begin, NULL });
}
