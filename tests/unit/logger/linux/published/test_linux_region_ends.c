/* What ends a region: its process, an exec, its publisher; and groups of counts that do not end. */
#include "tests/support/publishing.h"
#include "tests/support/support.h"
#include "tests/support/watching.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- life and death ---------------------------------------------------------*/

START_TEST(the_last_counts_of_the_dead_are_read_once_and_the_file_removed)
{
    struct watch w;
    pid_t child;

    publishing_dir();
    child = publishing_child("mortal", NULL);
    watch_begin(&w);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "mortal")->state, PL_STATE_LIVE);
    kill_child(child);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "mortal")->state, PL_STATE_FINAL);
    ck_assert_uint_eq(watch_word(watch_region(&w, "mortal"), 0, 0, 0), 42);
    watch_scan(&w);
    ck_assert_ptr_null(watch_find(&w, "mortal"));
    ck_assert_uint_eq(publishing_files(), 0);
    watch_end(&w);
}
END_TEST

START_TEST(who_died_before_the_recorder_came_is_read_too)
{
    struct watch w;

    publishing_dir();
    kill_child(publishing_child("early", NULL));
    watch_begin(&w);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "early")->state, PL_STATE_FINAL);
    ck_assert_uint_eq(watch_word(watch_region(&w, "early"), 0, 0, 0), 42);
    watch_scan(&w);
    ck_assert_uint_eq(publishing_files(), 0);
    watch_end(&w);
}
END_TEST

START_TEST(what_is_closed_is_read_once_more_though_its_file_is_gone)
{
    struct pl_prov *p = publish("closing");
    struct watch w;

    watch_begin(&w);
    watch_scan(&w);
    pl_add(pl_prov_word_of(pl_prov_single(p, ENGINE), TURNS), 7);
    pl_prov_close(p);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "closing")->state, PL_STATE_FINAL);
    ck_assert_uint_eq(watch_word(watch_region(&w, "closing"), 0, 0, 0), 7);
    watch_scan(&w);
    ck_assert_ptr_null(watch_find(&w, "closing"));
    watch_end(&w);
}
END_TEST

START_TEST(a_stopped_process_is_alive)
{
    struct watch w;
    pid_t child;

    publishing_dir();
    child = publishing_child("stopped", NULL);
    watch_begin(&w);
    kill(child, SIGSTOP);
    for (int i = 0; i < 3; i++)
        watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "stopped")->state, PL_STATE_LIVE);
    kill_child(child);
    watch_end(&w);
}
END_TEST

/* A POSIX lock would be lost by closing any descriptor of the file. */
static void close_strays(struct pl_prov *p)
{
    close(open(pl_prov_path(p), O_RDWR));
    syscall(SYS_close_range, 3, 50, 0);
    syscall(SYS_close_range, 52, ~0U, 0);
}

static void daemonise(struct pl_prov *p)
{
    (void)p;
    setsid();
    if (chdir("/"))
        _exit(1);
}

START_TEST(what_processes_do_to_descriptors_does_not_end_their_life)
{
    struct watch w;
    pid_t a, b;

    publishing_dir();
    a = publishing_child("daemon", daemonise);
    b = fork();
    if (!b) { /* closes whatever it has open */
        struct pl_prov *p = publish("strays");

        close_strays(p);
        for (;;)
            pause();
    }
    watch_begin(&w);
    watch_until(&w, "strays");
    for (int i = 0; i < 3; i++)
        watch_scan(&w);
    /* One of them is shown in the other's place, but both are alive. */
    ck_assert_int_ne(watch_region(&w, "daemon")->state, PL_STATE_FINAL);
    ck_assert_int_ne(watch_region(&w, "strays")->state, PL_STATE_FINAL);
    kill_child(a);
    kill_child(b);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "strays")->state, PL_STATE_FINAL);
    watch_end(&w);
}
END_TEST

static pid_t grandchild;

static void leave_a_child(struct pl_prov *p)
{
    (void)p;
    grandchild = fork();
    if (!grandchild)
        for (;;)
            sleep(1);
}

START_TEST(a_forked_child_does_not_keep_its_dead_parent_alive)
{
    struct watch w;
    pid_t child;

    publishing_dir();
    child = publishing_child("forker", leave_a_child);
    watch_begin(&w);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "forker")->state, PL_STATE_LIVE);
    kill_child(child);
    do /* the child's child may not have run yet */
        watch_scan(&w);
    while (watch_region(&w, "forker")->state == PL_STATE_LIVE);
    ck_assert_int_eq(watch_region(&w, "forker")->state, PL_STATE_FINAL);
    watch_end(&w);
}
END_TEST

START_TEST(exec_ends_a_region_as_death_does)
{
    int ready[2];
    struct watch w;
    pid_t child;
    char byte;

    publishing_dir();
    ck_assert_int_eq(pipe2(ready, O_CLOEXEC), 0);
    child = fork();
    if (!child) {
        publish("exec");
        execlp("sleep", "sleep", "60", (char *)NULL);
        _exit(1);
    }
    close(ready[1]);
    ck_assert_int_eq(read(ready[0], &byte, 1), 0); /* closed by exec */
    watch_begin(&w);
    do /* the kernel lets go a moment later */
        watch_scan(&w);
    while (watch_region(&w, "exec")->state == PL_STATE_LIVE);
    ck_assert_int_eq(watch_region(&w, "exec")->state, PL_STATE_FINAL);
    kill_child(child);
    watch_end(&w);
}
END_TEST

START_TEST(what_was_left_half_made_is_removed)
{
    struct watch w;
    int fd;

    publishing_dir();
    fd = open(path_in(publishing_dir(), ".tmp-0123456789abcdef"),
              O_RDWR | O_CREAT | O_EXCL, 0600);
    watch_begin(&w);
    for (int i = 0; i < 3; i++)
        watch_scan(&w);
    ck_assert_uint_eq(publishing_files(), 0);
    close(fd);
    /* One that is being made is locked. */
    fd = open(path_in(publishing_dir(), ".tmp-0123456789abcdef"),
              O_RDWR | O_CREAT | O_EXCL, 0600);
    ck_assert_int_eq(fcntl(fd, F_OFD_SETLK,
                           &(struct flock){ .l_type = F_WRLCK, .l_len = 1 }),
                     0);
    for (int i = 0; i < 4; i++)
        watch_scan(&w);
    ck_assert_uint_eq(publishing_files(), 1);
    close(fd);
    for (int i = 0; i < 3; i++)
        watch_scan(&w);
    ck_assert_uint_eq(publishing_files(), 0);
    watch_end(&w);
}
END_TEST

/* ---- groups that do not end ---------------------------------------------------*/

START_TEST(a_group_that_never_ends_is_told_and_holds_up_nobody)
{
    struct pl_prov *p = publish("stuck"), *q = publish("fine");
    struct pl_prov_set valve = pl_prov_add(p, VALVE, "v", -1, NULL);
    struct timespec from, to;
    struct pl_region *g;
    struct watch w;

    pl_begin(pl_prov_single(p, ENGINE));
    pl_add(pl_prov_word_of(valve, OPENED), 5);
    watch_begin(&w);
    clock_gettime(CLOCK_MONOTONIC, &from);
    watch_scan(&w);
    clock_gettime(CLOCK_MONOTONIC, &to);
    ck_assert_int_lt(to.tv_sec - from.tv_sec, 2);
    g = watch_region(&w, "stuck");
    ck_assert_int_eq(g->state, PL_STATE_BUSY);
    ck_assert_int_eq(g->reason, PL_REASON_BUSY);
    ck_assert_uint_eq(g->image.busy, 1);
    ck_assert_int_eq(watch_copy(g, 0, 0)->copied, PL_COPIED_LOOSE);
    ck_assert_int_eq(watch_copy(g, 1, 0)->copied, PL_COPIED_GOOD);
    ck_assert_int_eq(watch_region(&w, "fine")->state, PL_STATE_LIVE);
    pl_end(pl_prov_single(p, ENGINE));
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "stuck")->state, PL_STATE_LIVE);
    watch_end(&w);
    pl_prov_close(p);
    pl_prov_close(q);
}
END_TEST

/* One of the region holds for all of its sets. */
START_TEST(a_group_of_the_region_that_never_ends_is_one_of_all_sets)
{
    struct pl_prov *p = publish("stuck");
    struct pl_prov_set valve = pl_prov_add(p, VALVE, "v", -1, NULL);
    struct pl_region *g;
    struct watch w;

    pl_begin(pl_prov_region(p));
    pl_add(pl_prov_word_of(valve, OPENED), 5);
    watch_begin(&w);
    watch_scan(&w);
    g = watch_region(&w, "stuck");
    ck_assert_int_eq(g->state, PL_STATE_BUSY);
    ck_assert_uint_eq(g->image.busy, 2);
    ck_assert_int_eq(watch_copy(g, 0, 0)->copied, PL_COPIED_LOOSE);
    ck_assert_int_eq(watch_copy(g, 1, 0)->copied, PL_COPIED_LOOSE);
    pl_end(pl_prov_region(p));
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "stuck")->state, PL_STATE_LIVE);
    watch_end(&w);
    pl_prov_close(p);
}
END_TEST

static TCase *ends_case(const char *name, SFun way)
{
    TCase *ends = tcase_create(name);

    tcase_add_checked_fixture(ends, way, NULL);
    tcase_add_test(
        ends, the_last_counts_of_the_dead_are_read_once_and_the_file_removed);
    tcase_add_test(ends, who_died_before_the_recorder_came_is_read_too);
    tcase_add_test(ends,
                   what_is_closed_is_read_once_more_though_its_file_is_gone);
    tcase_add_test(ends, a_stopped_process_is_alive);
    tcase_add_test(ends,
                   what_processes_do_to_descriptors_does_not_end_their_life);
    tcase_add_test(ends, a_forked_child_does_not_keep_its_dead_parent_alive);
    tcase_add_test(ends, exec_ends_a_region_as_death_does);
    tcase_add_test(ends, what_was_left_half_made_is_removed);
    tcase_add_test(ends, a_group_that_never_ends_is_told_and_holds_up_nobody);
    tcase_add_test(ends,
                   a_group_of_the_region_that_never_ends_is_one_of_all_sets);
    return ends;
}

int main(void)
{
    TCase *const tcases[] = { ends_case("ends", watch_by_events),
                              ends_case("ends, all asked", watch_by_asking),
                              NULL };

    return run_suite("linux_region_ends", tcases);
}
