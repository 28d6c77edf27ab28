/*
 * Processes made of messages of threads, in every order that the kernel may send
 * them in: made by hand, as which order it is cannot be chosen.
 */
#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/exit_events.h"
#include "logger/linux/processes/taskstats.h"
#include "tests/support/support.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PID = 70,
    OTHER = 71,
    WRITTEN = 1,       /* index of bytes written */
    MAX_NOTES = 65536, /* as in exit_events.c */
};

enum pl_status __wrap_pl_taskstats_open(struct pl_taskstats **out,
                                        const char **why);
void __wrap_pl_taskstats_close(struct pl_taskstats *t);
unsigned __wrap_pl_taskstats_take(struct pl_taskstats *t,
                                  void (*take)(void *context,
                                               const struct pl_thread_end *x),
                                  void *context);
uint64_t __wrap_pl_taskstats_lost(const struct pl_taskstats *t);

static struct pl_thread_end messages[MAX_NOTES + 2];
static size_t num_messages;
static uint64_t lost;

static struct pl_exit_events *events;
static struct pl_machine machine;
static uint32_t listed[4];

enum pl_status __wrap_pl_taskstats_open(struct pl_taskstats **out,
                                        const char **why)
{
    *out = NULL;
    *why = NULL;
    return PL_OK;
}

void __wrap_pl_taskstats_close(struct pl_taskstats *t)
{
    (void)t;
}

unsigned __wrap_pl_taskstats_take(struct pl_taskstats *t,
                                  void (*take)(void *context,
                                               const struct pl_thread_end *x),
                                  void *context)
{
    (void)t;
    for (size_t i = 0; i < num_messages; i++)
        take(context, &messages[i]);
    num_messages = 0;
    return 0;
}

uint64_t __wrap_pl_taskstats_lost(const struct pl_taskstats *t)
{
    (void)t;
    return lost;
}

/* ---- the list of processes ------------------------------------------------- */

static bool has_no_memory;

enum pl_status __real_pl_pids_read(struct pl_machine *m);
enum pl_status __wrap_pl_pids_read(struct pl_machine *m);

enum pl_status __wrap_pl_pids_read(struct pl_machine *m)
{
    return has_no_memory ? PL_NOMEM : __real_pl_pids_read(m);
}

/* ---- messages -------------------------------------------------------------- */

/* The next message: of a thread that wrote 'written' bytes and ran as many ns. */
static struct pl_thread_end *ends(uint32_t tid, uint32_t pid, uint64_t written,
                                  const char *comm)
{
    struct pl_thread_end *x = &messages[num_messages++];

    *x = (struct pl_thread_end){ .tid = tid, .pid = pid };
    x->sums.io[WRITTEN] = x->sums.run_time = written;
    memcpy(x->comm, comm, strnlen(comm, sizeof x->comm - 1));
    return x;
}

/* Likewise of the last one, of several whose messages the kernel has made. */
static struct pl_thread_end *ends_last(uint32_t tid, uint32_t pid,
                                       uint64_t written, const char *comm,
                                       uint64_t run_time)
{
    struct pl_thread_end *x = ends(tid, pid, written, comm);

    x->is_last = true;
    x->group_run_time = run_time;
    return x;
}

/* ---- processes ------------------------------------------------------------- */

static void setup(void)
{
    const char *why;

    machine = (struct pl_machine){ 0 };
    machine.pids = (struct pl_pids){ .pid = listed, .readable = true };
    num_messages = lost = 0;
    ck_assert_int_eq(pl_exit_events_open(&events, &why), PL_OK);
}

static void teardown(void)
{
    pl_exit_events_close(events);
}

static void drain(void)
{
    machine.pids.tick = ++machine.tick;
    ck_assert_int_eq(pl_exit_events_drain(events, &machine), PL_OK);
}

static size_t num_ended(void)
{
    return pl_exit_events_ended(events)->len / sizeof(struct pl_task_exit);
}

static const struct pl_task_exit *ended(size_t i)
{
    ck_assert_uint_lt(i, num_ended());
    return (const struct pl_task_exit *)(const void *)pl_exit_events_ended(
               events)
               ->p +
           i;
}

static void check_ended(size_t i, uint32_t threads, uint64_t written,
                        uint64_t run_time)
{
    ck_assert_uint_eq(ended(i)->head.threads, threads);
    ck_assert_uint_eq(ended(i)->sums.io[WRITTEN], written);
    ck_assert_uint_eq(ended(i)->sums.run_time, run_time);
}

static const struct pl_task_sums *of_threads(uint32_t pid)
{
    const struct pl_ended_threads *ended =
        pl_exit_events_of_threads(events, pid, true);

    return ended ? &ended->sums : NULL;
}

/* A number that no process has. */
static uint32_t number_of_none(void)
{
    pid_t pid = fork();

    if (!pid)
        _exit(0);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    return (uint32_t)pid;
}

/* ---- late ones ------------------------------------------------------------- */

START_TEST(a_thread_that_is_late_is_its_processs)
{
    ends(PID + 1, PID, 1, "first");
    ends_last(PID + 2, PID, 20, "last", 21);
    ends(OTHER, OTHER, 7, "another")->is_last = true;
    ends(PID + 3, PID, 300, "late");
    ends(PID + 4, PID, 4000, "late");
    drain();
    ck_assert_uint_eq(num_ended(), 2);
    check_ended(0, 4, 4321, 4321);
    check_ended(1, 1, 7, 7);
    ck_assert_ptr_null(of_threads(PID));
    ends(PID, PID, 5, "new")->is_last = true;
    drain();
    ck_assert_uint_eq(num_ended(), 1);
    check_ended(0, 1, 5, 5);
    ck_assert_str_eq(ended(0)->head.comm, "new");
}
END_TEST

/* The kernel's sum has threads that ended before this listened, and may have the
 * late one already. */
START_TEST(time_is_not_counted_twice)
{
    ends_last(PID + 2, PID, 20, "last", 1320)->group_run_delay = 50;
    ends(PID + 3, PID, 300, "late")->sums.run_delay = 40;
    drain();
    check_ended(0, 2, 320, 1320);
    ck_assert_uint_eq(ended(0)->sums.run_delay, 50);
}
END_TEST

START_TEST(a_main_thread_that_is_late_names_the_process)
{
    ends_last(PID + 2, PID, 20, "last", 20);
    ends(PID, PID, 300, "main")->status = 3 << 8;
    drain();
    check_ended(0, 2, 320, 320);
    ck_assert_str_eq(ended(0)->head.comm, "main");
    ck_assert_uint_eq(ended(0)->end.status, 3 << 8);
    ck_assert_ptr_null(of_threads(PID));
}
END_TEST

START_TEST(two_of_a_number_in_a_sample_are_two)
{
    ends_last(PID + 2, PID, 20, "one", 20);
    ends(PID + 3, PID, 300, "late");
    ends_last(PID + 2, PID, 1, "two", 1);
    ends(PID + 3, PID, 4, "late");
    ends(PID, PID, 6, "three")->is_last = true;
    drain();
    ck_assert_uint_eq(num_ended(), 3);
    check_ended(0, 2, 320, 320);
    check_ended(1, 2, 5, 5);
    check_ended(2, 1, 6, 6);
}
END_TEST

/* ---- children without faults --------------------------------------------- */

static bool reaps_unseen(uint32_t pid)
{
    const struct pl_ended_threads *ended =
        pl_exit_events_of_threads(events, pid, false);

    return ended && ended->reaps_unseen;
}

/* It shared its parent's memory. */
START_TEST(who_had_a_child_without_faults_reaps_unseen)
{
    const struct {
        uint64_t minor, major, memory;
        bool unseen;
    } children[] = { { 1, 0, 4096, false },
                     { 0, 1, 4096, false },
                     { 0, 0, 0, false }, /* a thread of the kernel */
                     { 0, 0, 4096, true } };

    listed[0] = OTHER;
    machine.pids.num = 1;
    for (size_t i = 0; i < sizeof children / sizeof *children; i++) {
        struct pl_thread_end *x = ends_last(PID, PID, 2000, "child", 0);

        x->parent = OTHER;
        x->sums.minflt = children[i].minor;
        x->sums.majflt = children[i].major;
        x->max_rss = children[i].memory;
        drain();
        ck_assert_int_eq(reaps_unseen(OTHER), children[i].unseen);
    }
    drain();
    ck_assert(reaps_unseen(OTHER)); /* as long as it lives */
    ends_last(OTHER, OTHER, 5, "parent", 0);
    drain();
    check_ended(0, 1, 5, 5);
    ck_assert(!reaps_unseen(OTHER));
}
END_TEST

/* One of its threads had them. */
START_TEST(faults_are_those_of_all_threads)
{
    struct pl_thread_end *x;

    ends(PID + 1, PID, 300, "first")->sums.minflt = 1;
    x = ends_last(PID, PID, 20, "last", 20);
    x->parent = OTHER;
    x->max_rss = 4096;
    drain();
    ck_assert(!reaps_unseen(OTHER));
}
END_TEST

/* ---- notes ----------------------------------------------------------------- */

/* It was not there when the processes were listed, before the message came. */
START_TEST(a_note_of_a_process_that_is_gone_is_forgotten)
{
    uint32_t none = number_of_none();

    ends(none + 1, none, 300, "late");
    drain();
    ck_assert_ptr_nonnull(of_threads(none)); /* or it is a new one */
    drain();
    ck_assert_ptr_null(of_threads(none));
    ends(none, none, 5, "new")->is_last = true;
    drain();
    check_ended(0, 1, 5, 5);
}
END_TEST

START_TEST(a_note_of_a_process_that_is_there_is_kept)
{
    uint32_t none = number_of_none(), hidden = (uint32_t)getpid();

    ends(none + 1, none, 300, "listed");
    ends(hidden + 1, hidden, 20, "hidden");
    listed[0] = 1;
    listed[1] = none;
    machine.pids.num = 2;
    for (int i = 0; i < 3; i++)
        drain();
    ck_assert_uint_eq(of_threads(none)->io[WRITTEN], 300);
    ck_assert_uint_eq(of_threads(hidden)->io[WRITTEN], 20);
    machine.pids = (struct pl_pids){ .pid = listed }; /* could not be listed */
    drain();
    ck_assert_uint_eq(of_threads(none)->io[WRITTEN], 300);
}
END_TEST

START_TEST(a_message_that_was_lost_may_have_been_the_last)
{
    uint32_t none = number_of_none();

    ends(none + 1, none, 300, "one");
    lost = 1;
    drain();
    ck_assert_ptr_null(of_threads(none));
    ck_assert_uint_eq(machine.exits_lost, 1);
}
END_TEST

/* The note of a process that was reported is of no later sample. */
START_TEST(a_list_without_memory_leaves_no_report)
{
    ends(PID + 1, PID, 1, "first");
    ends_last(PID + 2, PID, 20, "last", 21);
    ends(OTHER + 1, OTHER, 300, "lives");
    lost = 1;
    has_no_memory = true;
    machine.pids.tick = ++machine.tick;
    ck_assert_int_eq(pl_exit_events_drain(events, &machine), PL_NOMEM);
    has_no_memory = false;
    ck_assert_ptr_null(of_threads(PID));
    ck_assert_uint_eq(of_threads(OTHER)->io[WRITTEN], 300);
    listed[0] = PID;
    machine.pids.num = 1;
    ends(PID + 3, PID, 300, "of another");
    drain();
    ck_assert_uint_eq(num_ended(), 0);
    ck_assert_uint_eq(of_threads(PID)->io[WRITTEN], 300);
}
END_TEST

/* ---- samples that show none ------------------------------------------------ */

START_TEST(what_ended_waits_for_a_sample)
{
    uint64_t start;

    ends(PID, PID, 1, "one")->is_last = true;
    drain();
    start = ended(0)->head.start_ns;
    pl_exit_events_keep(events, machine.tick);
    ends(OTHER, OTHER, 2, "two")->is_last = true;
    drain();
    ck_assert_uint_eq(num_ended(), 2);
    check_ended(0, 1, 1, 1);
    check_ended(1, 1, 2, 2);
    ck_assert_uint_eq(ended(0)->head.start_ns, start);
    pl_exit_events_keep(events, machine.tick - 1); /* not this one */
    drain();
    ck_assert_uint_eq(num_ended(), 0);
    ck_assert_uint_eq(machine.exits_lost, 0);
}
END_TEST

START_TEST(too_many_that_wait_are_lost)
{
    enum { ROUND = MAX_NOTES / 4, MOST_KEPT = 8 << 20 };
    uint64_t waiting;

    do {
        for (uint32_t i = 0; i < ROUND; i++)
            ends(i + 1, i + 1, 1, "one")->is_last = true;
        drain();
        pl_exit_events_keep(events, machine.tick);
    } while (num_ended() * sizeof(struct pl_task_exit) <= MOST_KEPT);
    waiting = num_ended();
    ck_assert_uint_eq(machine.exits_lost, 0);
    drain();
    ck_assert_uint_eq(num_ended(), 0);
    ck_assert_uint_eq(machine.exits_lost, waiting);
}
END_TEST

START_TEST(a_thread_without_a_note_is_counted_as_lost)
{
    for (uint32_t i = 0; i < MAX_NOTES; i++)
        ends(2 * i + 2, 2 * i + 1, 1, "thread");
    machine.pids.readable = false; /* all are kept */
    drain();
    ck_assert_uint_eq(machine.exits_lost, 0);
    ends(3, 1, 1, "noted");
    ends(2 * MAX_NOTES + 2, 2 * MAX_NOTES + 1, 1, "another");
    drain();
    ck_assert_uint_eq(machine.exits_lost, 1);
    ck_assert_uint_eq(of_threads(1)->io[WRITTEN], 2);
}
END_TEST

/* ---- exec ------------------------------------------------------------------ */

/* Called by another thread than the main one, which the kernel ends. */
START_TEST(a_program_ends_by_its_own_name_and_status)
{
    ends(PID, PID, 300, "before")->status = SIGKILL;
    drain();
    ends_last(PID, PID, 20, "after", 320);
    drain();
    check_ended(0, 2, 320, 320);
    ck_assert_str_eq(ended(0)->head.comm, "after");
    ck_assert_uint_eq(ended(0)->end.status, 0);
}
END_TEST

int main(void)
{
    TCase *late = tcase_create("late"), *notes = tcase_create("notes");

    tcase_add_checked_fixture(late, setup, teardown);
    tcase_add_checked_fixture(notes, setup, teardown);
    tcase_add_test(late, a_thread_that_is_late_is_its_processs);
    tcase_add_test(late, time_is_not_counted_twice);
    tcase_add_test(late, a_main_thread_that_is_late_names_the_process);
    tcase_add_test(late, two_of_a_number_in_a_sample_are_two);
    tcase_add_test(late, a_program_ends_by_its_own_name_and_status);
    tcase_add_test(late, who_had_a_child_without_faults_reaps_unseen);
    tcase_add_test(late, faults_are_those_of_all_threads);
    tcase_add_test(notes, a_note_of_a_process_that_is_gone_is_forgotten);
    tcase_add_test(notes, a_note_of_a_process_that_is_there_is_kept);
    tcase_add_test(notes, a_message_that_was_lost_may_have_been_the_last);
    tcase_add_test(notes, a_list_without_memory_leaves_no_report);
    tcase_add_test(notes, what_ended_waits_for_a_sample);
    tcase_add_test(notes, too_many_that_wait_are_lost);
    tcase_add_test(notes, a_thread_without_a_note_is_counted_as_lost);
    return run_suite("exit_events", (TCase *const[]){ late, notes, NULL });
}
