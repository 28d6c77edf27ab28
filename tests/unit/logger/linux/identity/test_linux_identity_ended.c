/* What identifies processes that have ended, from rows and command lines made here. */
#include "logger/linux/identity/identity.h"
#include "logger/linux/identity/identity_ended.h"

#include "format/payload/process_identity.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/process.h"
#include "logger/linux/processes/tasks.h"
#include "tests/support/proc_tree.h"
#include "tests/support/support.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TICK_NS = 10 * 1000 * 1000,
    ENOUGH = PL_NOTICED_RUN_NS / 100, /* as in a row */
};

static struct pl_machine machine;
static struct pl_tasks tasks;
static struct pl_source source;
static struct pl_field fields[PL_NUM_PROCESS_FIELDS];
static struct pl_identity_tracker *tracker;
static struct pl_buf out;
static const char *dir;

static void start_with(bool no_command_lines)
{
    char path[128];

    dir = temp_dir();
    snprintf(path, sizeof path, "%s/proc", dir);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    tasks = (struct pl_tasks){ .sees_ends = true };
    machine = (struct pl_machine){ .tasks = &tasks };
    machine.proc = open(path, O_RDONLY | O_DIRECTORY);
    pl_units_fill(machine.units, 1000);
    source = (struct pl_source){ .machine = &machine, .fields = fields };
    source.num_fields = PL_NUM_PROCESS_FIELDS;
    source.rows.width = PL_NUM_PROCESS_FIELDS;
    fields[PL_P_UID].present = true;
    ck_assert_int_eq(pl_identity_tracker_new(&tracker, &machine, INT64_MAX / 2,
                                             no_command_lines),
                     PL_OK);
    ck_assert_int_eq(tasks.wants_lines, !no_command_lines);
}

static void start(void)
{
    start_with(false);
}

static void start_without(void)
{
    start_with(true);
}

static void stop(void)
{
    pl_identity_tracker_free(tracker);
    pl_source_rows_release(&source.rows);
    pl_buf_release(&tasks.lines);
    pl_buf_release(&out);
    close(machine.proc);
}

/* ---- a sample -------------------------------------------------------------- */

static void begin_sample(void)
{
    pl_source_rows_clear(&source.rows);
    pl_buf_clear(&tasks.lines);
    machine.live_processes = 0;
    machine.tick++;
    machine.now.boot_ns += PL_NS_PER_SEC;
}

/* Amid that tick, in 100 ns. */
static uint64_t start_of(uint32_t tick)
{
    return UINT64_C(100000) * tick + 50000;
}

/* The start in ticks. */
static uint64_t *add(uint32_t pid, uint32_t started, const char *name)
{
    uint64_t *v = pl_source_rows_add(&source.rows, pl_text_of(name));

    ck_assert_ptr_nonnull(v);
    v[PL_P_PID] = pid;
    v[PL_P_STARTED] = start_of(started);
    v[PL_P_STATE] = 'S';
    return v;
}

/* Before those that have ended, in the order of their numbers. */
static uint64_t *live(uint32_t pid, uint32_t started, const char *name)
{
    machine.live_processes++;
    return add(pid, started, name);
}

static uint64_t *ended(uint32_t pid, uint32_t started, uint64_t run_time)
{
    uint64_t *v = add(pid, started, "ended");

    source.rows.row[source.rows.num - 1].has_ended = true;
    v[PL_P_STATE] = 'X';
    v[PL_P_RUN_TIME] = run_time;
    v[PL_P_EXITS] = 1;
    return v;
}

static void line_of(uint32_t pid, uint32_t started, const char *text, size_t n)
{
    static const char zeros[8];
    struct pl_task_line l = {
        .kind = PL_TASK_LINE,
        .pid = pid,
        .start_ns = (uint64_t)started * TICK_NS + TICK_NS / 2,
        .length = (uint32_t)n,
        .is_cut = n == PL_TASK_LINE_TEXT,
    };

    memcpy(l.text, text, n);
    pl_buf_bytes(&tasks.lines, &l, offsetof(struct pl_task_line, text) + n);
    pl_buf_bytes(&tasks.lines, zeros, (8 - n % 8) % 8);
}

#define LINE(pid, started, text) line_of(pid, started, text, sizeof(text))

/* The number of entries; the last one in *p. */
static size_t follow(struct pl_process_identity *p)
{
    struct pl_process_identity one;
    struct pl_cur c;
    size_t n = 0;

    pl_buf_clear(&out);
    if (p)
        *p = (struct pl_process_identity){ 0 };
    pl_identity_tracker_follow(tracker, &source, &out);
    c = pl_cur_of(out.p, out.len);
    while (!pl_process_identity_next(&c, &one)) {
        n++;
        if (p)
            *p = one;
    }
    return n;
}

static void check_text(struct pl_text t, const char *want, size_t n)
{
    ck_assert_msg(t.n == n && !memcmp(t.p, want, n), "%.*s, not %s", (int)t.n,
                  t.p, want);
}

#define CHECK(t, want) check_text(t, want, sizeof(want) - 1)

/* ---- who has what ---------------------------------------------------------- */

START_TEST(one_that_ended_has_all_that_is_known)
{
    struct pl_process_identity p;
    uint64_t *v;

    begin_sample();
    live(5, 100, "shell:5");
    v = ended(7, 200, ENOUGH);
    v[PL_P_PARENT] = 5;
    v[PL_P_UID] = 1234;
    LINE(6, 200, "other");
    LINE(7, 199, "earlier");
    LINE(7, 200, "cc\0-c\0x.c");
    ck_assert_uint_eq(follow(&p), 1);
    ck_assert_uint_eq(p.pid, 7);
    ck_assert_uint_eq(p.start,
                      pl_convert(&machine.units[PL_SINCE_BOOT], start_of(200)));
    CHECK(p.command_line, "cc\0-c\0x.c");
    ck_assert(!p.is_cut && !p.is_left_out);
    ck_assert(p.has_user && p.user == 1234);
    ck_assert_uint_eq(p.parent, 5);
    ck_assert_uint_eq(p.parent_start,
                      pl_convert(&machine.units[PL_SINCE_BOOT], start_of(100)));
    CHECK(p.parent_name, "shell:5");
    ck_assert_uint_eq(p.executable.n + p.control_group.n, 0);
    begin_sample();
    ck_assert_uint_eq(follow(NULL), 0);
}
END_TEST

/* One that only forked has not its parent's. */
START_TEST(without_a_line_there_are_user_and_parent)
{
    struct pl_process_identity p;

    begin_sample();
    ended(7, 200, ENOUGH)[PL_P_PARENT] = 5;
    LINE(5, 100, "parent");
    LINE(7, 201, "later");
    ck_assert_uint_eq(follow(&p), 1);
    ck_assert_uint_eq(p.command_line.n, 0);
    ck_assert(p.has_user && !p.is_left_out);
    ck_assert_uint_eq(p.parent, 5);
    ck_assert_uint_eq(p.parent_start, 0);
}
END_TEST

START_TEST(a_long_line_is_cut)
{
    static char text[PL_TASK_LINE_TEXT];
    struct pl_process_identity p;

    memset(text, 'x', sizeof text);
    begin_sample();
    ended(7, 200, ENOUGH);
    ended(8, 200, ENOUGH);
    line_of(7, 200, text, sizeof text);
    LINE(8, 200, "short");
    ck_assert_uint_eq(follow(&p), 2);
    CHECK(p.command_line, "short");
    ck_assert(!p.is_cut);
    source.rows.num--;
    ck_assert_uint_eq(follow(&p), 1);
    ck_assert_uint_eq(p.command_line.n, PL_TASK_LINE_TEXT);
    ck_assert(p.is_cut);
}
END_TEST

/* They come in another order than the rows do. */
START_TEST(each_has_its_own_line)
{
    enum { NUM = 50 };
    struct pl_process_identity p;
    struct pl_cur c;
    char text[16];
    size_t n = 0;

    begin_sample();
    for (uint32_t k = 0; k < NUM; k++) {
        ended(100 + k * 7 % NUM, 200, ENOUGH);
        line_of(100 + k, 200, text,
                (size_t)snprintf(text, sizeof text, "line-%u", k) + 1);
    }
    follow(NULL);
    c = pl_cur_of(out.p, out.len);
    for (; !pl_process_identity_next(&c, &p); n++) {
        snprintf(text, sizeof text, "line-%u", (unsigned)p.pid - 100);
        check_text(p.command_line, text, strlen(text));
    }
    ck_assert_uint_eq(n, NUM);
}
END_TEST

START_TEST(they_are_left_out_on_request)
{
    struct pl_process_identity p;

    begin_sample();
    ended(7, 200, ENOUGH);
    LINE(7, 200, "secret");
    ck_assert_uint_eq(follow(&p), 1);
    ck_assert(p.is_left_out && p.has_user);
    ck_assert_uint_eq(p.command_line.n, 0);
}
END_TEST

/* Of the rows of a number, that of the process which was there when it ended. */
START_TEST(the_parent_may_have_ended_too)
{
    struct pl_process_identity p;

    begin_sample();
    live(5, 300, "later:5");
    ended(5, 100, 0);
    ended(5, 150, 0);
    ended(5, 120, 0);
    ended(5, 250, 0);
    ended(7, 200, ENOUGH)[PL_P_PARENT] = 5;
    ck_assert_uint_eq(follow(&p), 1);
    ck_assert_uint_eq(p.parent_start,
                      pl_convert(&machine.units[PL_SINCE_BOOT], start_of(150)));
    CHECK(p.parent_name, "ended");
}
END_TEST

/* ---- who did enough -------------------------------------------------------- */

static size_t of_one(enum pl_process_field field, uint64_t value)
{
    begin_sample();
    ended(7, 200, 0)[field] = value;
    return follow(NULL);
}

START_TEST(only_those_that_did_enough)
{
    ck_assert_uint_eq(of_one(PL_P_RUN_TIME, ENOUGH - 1), 0);
    ck_assert_uint_eq(of_one(PL_P_RUN_TIME, ENOUGH), 1);
    ck_assert_uint_eq(of_one(PL_P_READ_BYTES, PL_NOTICED_BYTES - 1), 0);
    ck_assert_uint_eq(of_one(PL_P_READ_BYTES, PL_NOTICED_BYTES), 1);
    ck_assert_uint_eq(of_one(PL_P_WRITE_BYTES, PL_NOTICED_BYTES), 1);
    ck_assert_uint_eq(of_one(PL_P_FAILED, 1), 1);
    ck_assert_uint_eq(of_one(PL_P_KILLED, 1), 1);
    ck_assert_uint_eq(of_one(PL_P_OOM_VICTIMS, 1), 1);
    ck_assert_uint_eq(of_one(PL_P_RCHAR, PL_NOTICED_BYTES), 0);
}
END_TEST

/* Neither those whose end was shown before, nor from /proc. */
START_TEST(only_those_whose_end_is_new)
{
    begin_sample();
    ended(7, 200, ENOUGH);
    source.rows.row[0].has_ended = false;
    ck_assert_uint_eq(follow(NULL), 0);
    source.rows.row[0].has_ended = true;
    machine.tasks = NULL;
    ck_assert_uint_eq(follow(NULL), 0);
    machine.tasks = &tasks;
    ck_assert_uint_eq(follow(NULL), 1);
}
END_TEST

/* Bytes of the entries of so many samples with many that ended. */
static size_t bytes_of(int samples, bool failed)
{
    enum { EACH = 200 };
    static char text[PL_TASK_LINE_TEXT];
    size_t bytes = 0;

    memset(text, 'x', sizeof text);
    for (; samples; samples--) {
        begin_sample();
        for (uint32_t k = 1; k <= EACH; k++) {
            ended(k, 200, failed ? 0 : ENOUGH)[PL_P_FAILED] = failed;
            line_of(k, 200, text, sizeof text);
        }
        follow(NULL);
        bytes += out.len;
    }
    return bytes;
}

START_TEST(bytes_are_bounded)
{
    enum { SECONDS = 100, MORE = 2000 }; /* the last entry */
    size_t bytes = bytes_of(SECONDS, true);

    ck_assert_uint_ge(bytes, PL_ENDED_RESERVE / 2);
    ck_assert_uint_le(bytes, PL_ENDED_RESERVE / 2 +
                                 SECONDS * (PL_IDENTITY_RATE + MORE));
    bytes = bytes_of(SECONDS, false); /* which those have left */
    ck_assert_uint_ge(bytes,
                      PL_ENDED_RESERVE / 2 + (SECONDS - 1) * PL_IDENTITY_RATE);
    ck_assert_uint_le(bytes, PL_ENDED_RESERVE / 2 +
                                 SECONDS * (PL_IDENTITY_RATE + MORE));
}
END_TEST

/* ---- those that a sample has met ------------------------------------------- */

static void put_files(uint32_t pid, uint32_t started, const char *command)
{
    char path[64], text[256];

    snprintf(path, sizeof path, "proc/%u/stat", pid);
    snprintf(text, sizeof text,
             "%u (a b) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %u 0 0 0 1 1 0 "
             "0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
             pid, started);
    proc_tree_put(dir, path, text);
    snprintf(path, sizeof path, "proc/%u/cmdline", pid);
    proc_tree_put(dir, path, command);
    snprintf(path, sizeof path, "proc/%u/cgroup", pid);
    proc_tree_put(dir, path, "0::/a.slice/b.service\n");
}

START_TEST(one_that_was_read_is_not_read_again)
{
    struct pl_process_identity p;

    begin_sample();
    put_files(7, 200, "alive");
    live(7, 200, "prog:7");
    ck_assert_uint_eq(follow(NULL), 1);
    begin_sample();
    ended(7, 200, ENOUGH);
    LINE(7, 200, "at exec");
    ended(7, 201, ENOUGH); /* another one */
    LINE(7, 201, "of the other");
    ck_assert_uint_eq(follow(&p), 1);
    CHECK(p.command_line, "of the other");
}
END_TEST

START_TEST(one_that_could_not_be_read_is_at_its_end)
{
    struct pl_process_identity p;

    begin_sample();
    live(7, 200, "prog:7"); /* it has no files any more */
    ck_assert_uint_eq(follow(NULL), 0);
    begin_sample();
    ended(7, 200, ENOUGH);
    LINE(7, 200, "at exec");
    ck_assert_uint_eq(follow(&p), 1);
    CHECK(p.command_line, "at exec");
}
END_TEST

/* Its number is another's by now. */
START_TEST(one_that_ended_after_the_walk_has_its_line)
{
    struct pl_process_identity p;

    begin_sample();
    put_files(7, 201, "another");
    live(7, 200, "prog:7");
    LINE(7, 200, "at exec");
    ck_assert_uint_eq(follow(&p), 1);
    CHECK(p.command_line, "at exec");
    ck_assert_uint_eq(p.executable.n + p.control_group.n, 0);
    begin_sample();
    ended(7, 200, ENOUGH);
    ck_assert_uint_eq(follow(NULL), 0);
}
END_TEST

START_TEST(one_that_is_not_waited_for_has_its_line)
{
    struct pl_process_identity p;

    begin_sample();
    put_files(7, 200, "");
    put_files(8, 200, "alive");
    live(7, 200, "prog:7")[PL_P_STATE] = 'Z';
    live(8, 200, "prog:8");
    LINE(7, 200, "at exec");
    LINE(8, 200, "at exec");
    ck_assert_uint_eq(follow(&p), 2);
    CHECK(p.command_line, "alive");
    ck_assert_uint_eq(p.pid, 8);
    begin_sample();
    put_files(9, 200, "");
    live(9, 200, "prog:9")[PL_P_STATE] = 'Z';
    LINE(9, 200, "at exec");
    ck_assert_uint_eq(follow(&p), 1);
    CHECK(p.command_line, "at exec");
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("ended"), *without = tcase_create("without");

    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, one_that_ended_has_all_that_is_known);
    tcase_add_test(t, without_a_line_there_are_user_and_parent);
    tcase_add_test(t, a_long_line_is_cut);
    tcase_add_test(t, each_has_its_own_line);
    tcase_add_test(t, the_parent_may_have_ended_too);
    tcase_add_test(t, only_those_that_did_enough);
    tcase_add_test(t, only_those_whose_end_is_new);
    tcase_add_test(t, bytes_are_bounded);
    tcase_add_test(t, one_that_was_read_is_not_read_again);
    tcase_add_test(t, one_that_could_not_be_read_is_at_its_end);
    tcase_add_test(t, one_that_ended_after_the_walk_has_its_line);
    tcase_add_test(t, one_that_is_not_waited_for_has_its_line);
    tcase_add_checked_fixture(without, start_without, stop);
    tcase_add_test(without, they_are_left_out_on_request);
    return run_suite("linux_identity_ended",
                     (TCase *const[]){ t, without, NULL });
}
