/* When processes are read for what identifies them, and what is read. */
#include "logger/linux/identity/bounded_read.h"
#include "logger/linux/identity/identity.h"

#include "format/time/time_text.h"
#include "format/payload/process_identity.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/identity/identity_files.h"
#include "logger/linux/processes/process.h"
#include "logger/linux/identity/user_names.h"
#include "tests/support/proc_tree.h"
#include "tests/support/support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MANY = 300 };

static struct pl_machine machine;
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
    machine = (struct pl_machine){ .now.boot_ns = PL_NS_PER_SEC };
    machine.proc = open(path, O_RDONLY | O_DIRECTORY);
    pl_units_fill(machine.units, 1000);
    source = (struct pl_source){ .machine = &machine, .fields = fields };
    source.num_fields = PL_NUM_PROCESS_FIELDS;
    fields[PL_P_UID].present = fields[PL_P_UID].wanted =
        true; /* who saved it */
    source.rows.width = PL_NUM_PROCESS_FIELDS;
    ck_assert_int_eq(pl_identity_tracker_new(&tracker, &machine, INT64_MAX / 2,
                                             no_command_lines),
                     PL_OK);
}

static void start(void)
{
    start_with(false);
}

static void stop(void)
{
    pl_identity_tracker_free(tracker);
    pl_source_rows_release(&source.rows);
    pl_buf_release(&out);
    close(machine.proc);
}

/* The files of a process; 'started' in ticks of 10 ms. */
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
    snprintf(path, sizeof path, "proc/%u/status", pid);
    proc_tree_put(dir, path, "Name:\tx\nUid:\t5\t1000\t7\t8\nGid:\t1\t2\n");
    snprintf(path, sizeof path, "proc/%u/cgroup", pid);
    proc_tree_put(dir, path, "0::/a.slice/b.service\n");
}

/* In 100 ns. */
enum { ENOUGH = PL_NOTICED_RUN_NS / 100 };

static uint64_t *add(uint32_t pid, uint32_t started, const char *name)
{
    uint64_t *v = pl_source_rows_add(&source.rows, pl_text_of(name));

    ck_assert_ptr_nonnull(v);
    v[PL_P_PID] = pid;
    v[PL_P_PARENT] = 1;
    v[PL_P_STARTED] = UINT64_C(100000) * started;
    v[PL_P_STATE] = 'S';
    v[PL_P_PROGRAM] = 1;
    v[PL_P_RUN_TIME] = ENOUGH;
    return v;
}

/* What happens before it is asked whether a process has its number still. */
static bool is_known, is_another_by_then;

bool __wrap_pl_tasks_has_not_ended(struct pl_machine *m, uint64_t pid,
                                   uint64_t started);

bool __wrap_pl_tasks_has_not_ended(struct pl_machine *m, uint64_t pid,
                                   uint64_t started)
{
    (void)m;
    (void)started;
    if (is_another_by_then)
        put_files((uint32_t)pid, 9999, "another");
    return is_known;
}

static bool has_no_memory; /* for the next entry */

/* The number of entries of this sample; the first one in *p. */
static size_t follow(struct pl_process_identity *p)
{
    struct pl_process_identity one;
    struct pl_cur c;
    size_t n = 0;

    machine.tick++;
    machine.now.boot_ns += PL_NS_PER_SEC;
    pl_buf_clear(&out);
    out.oom = has_no_memory;
    has_no_memory = false;
    machine.live_processes = source.rows.num;
    pl_identity_tracker_follow(tracker, &source, &out);
    c = pl_cur_of(out.p, out.len);
    while (!pl_process_identity_next(&c, &one))
        if (!n++ && p)
            *p = one;
    return n;
}

static void check_text(struct pl_text t, const char *want)
{
    ck_assert_msg(pl_text_equal(t, pl_text_of(want)), "%.*s, not %s", (int)t.n,
                  t.p, want);
}

START_TEST(a_process_is_read_once)
{
    struct pl_process_identity p;
    char path[128];

    put_files(7, 1500, "prog -x\n");
    snprintf(path, sizeof path, "%s/proc/7/exe", dir);
    ck_assert_int_eq(symlink("/usr/bin/prog", path), 0);
    add(1, 3, "init:1");
    add(7, 1500, "prog:7");
    ck_assert_uint_eq(follow(&p), 1); /* init has no files */
    ck_assert_uint_eq(p.pid, 7);
    ck_assert_uint_eq(p.start, 1000 + 150000000);
    check_text(p.command_line, "prog -x\n");
    check_text(p.executable, "/usr/bin/prog");
    check_text(p.control_group, "/a.slice/b.service");
    ck_assert(p.has_user && p.user == 1000);
    ck_assert_uint_eq(p.parent, 1);
    ck_assert_uint_eq(p.parent_start, 1000 + 300000);
    check_text(p.parent_name, "init:1");
    ck_assert_uint_eq(follow(NULL), 0);
}
END_TEST

START_TEST(one_without_memory_is_read_in_the_next_sample)
{
    struct pl_process_identity p;

    put_files(7, 1500, "x");
    put_files(8, 1500, "y");
    add(7, 1500, "prog:7");
    add(8, 1500, "prog:8");
    has_no_memory = true;
    ck_assert_uint_eq(follow(&p), 1);
    ck_assert_uint_eq(p.pid, 8);
    ck_assert_uint_eq(follow(&p), 1);
    ck_assert_uint_eq(p.pid, 7);
    ck_assert_uint_eq(follow(NULL), 0);
}
END_TEST

START_TEST(a_process_that_became_another_is_read_again)
{
    uint64_t *v;

    put_files(7, 1500, "x");
    v = add(7, 1500, "prog:7");
    ck_assert_uint_eq(follow(NULL), 1);
    v[PL_P_PROGRAM] = 2;
    ck_assert_uint_eq(follow(NULL), 1);
    v[PL_P_UID] = 3;
    ck_assert_uint_eq(follow(NULL), 1);
    pl_source_rows_clear(&source.rows);
    v = add(7, 1500, "prog2:7");
    v[PL_P_PROGRAM] = 2;
    v[PL_P_UID] = 3;
    ck_assert_uint_eq(follow(NULL), 1);
    ck_assert_uint_eq(follow(NULL), 0);
    v[PL_P_STARTED] += 100000; /* its files are still the old ones */
    ck_assert_uint_eq(follow(NULL), 0);
    put_files(7, 1501, "y");
    ck_assert_uint_eq(follow(NULL), 1);
}
END_TEST

/* Without its memory it shows no mark of a program, and no command line. */
START_TEST(one_that_ends_keeps_what_was_read)
{
    uint64_t *v;

    put_files(7, 1500, "x");
    v = add(7, 1500, "prog:7");
    ck_assert_uint_eq(follow(NULL), 1);
    put_files(7, 1500, "");
    v[PL_P_PROGRAM] = 0;
    ck_assert_uint_eq(follow(NULL), 0);
    pl_source_rows_clear(&source.rows);
    add(6, 1500, "other:6"); /* so that all are compared one by one */
    v = add(7, 1500, "prog:7");
    v[PL_P_PROGRAM] = 0;
    ck_assert_uint_eq(follow(NULL), 0);
    v[PL_P_PROGRAM] = 1;
    ck_assert_uint_eq(follow(NULL), 0);
    v[PL_P_PROGRAM] = 2;
    ck_assert_uint_eq(follow(NULL), 1);
}
END_TEST

START_TEST(one_that_changes_all_the_time_is_read_seldom)
{
    size_t n = 0;
    uint64_t *v;

    put_files(7, 1500, "x");
    v = add(7, 1500, "prog:7");
    for (uint64_t i = 0; i < 1000; i++) {
        v[PL_P_PROGRAM] = i + 1;
        n += follow(NULL);
    }
    ck_assert_uint_ge(n, PL_IDENTITY_FREE + 10);
    ck_assert_uint_le(n, PL_IDENTITY_FREE + 1000 / 60 + 1);
}
END_TEST

START_TEST(a_sleeper_that_cannot_be_disturbed_waits)
{
    uint64_t *v;

    put_files(7, 1500, "x");
    v = add(7, 1500, "prog:7");
    v[PL_P_STATE] = 'D';
    ck_assert_uint_eq(follow(NULL), 0);
    v[PL_P_STATE] = 'S';
    ck_assert_uint_eq(follow(NULL), 1);
}
END_TEST

/* A command line "hang" cannot be read in time; after "slow" the time is over. */
enum pl_bounded_result __real_pl_bounded_read(struct pl_bounded_reader *r,
                                              const int *fds, size_t num,
                                              struct pl_bounded_texts *texts,
                                              size_t *num_read);
enum pl_bounded_result __wrap_pl_bounded_read(struct pl_bounded_reader *r,
                                              const int *fds, size_t num,
                                              struct pl_bounded_texts *texts,
                                              size_t *num_read);

enum pl_bounded_result __wrap_pl_bounded_read(struct pl_bounded_reader *r,
                                              const int *fds, size_t num,
                                              struct pl_bounded_texts *texts,
                                              size_t *num_read)
{
    enum pl_bounded_result result =
        __real_pl_bounded_read(r, fds, num, texts, num_read);

    for (size_t i = 0; i < *num_read; i++)
        if (pl_text_equal(pl_bounded_text(texts, i), pl_text_of("hang"))) {
            *num_read = i;
            return PL_BOUNDED_HUNG;
        } else if (i + 1 < num && pl_text_equal(pl_bounded_text(texts, i),
                                                pl_text_of("slow"))) {
            *num_read = i + 1;
            return PL_BOUNDED_SLOW;
        }
    return result;
}

/* The others have their turn meanwhile, and it is recorded without. */
START_TEST(a_command_line_that_hangs_delays_two_samples)
{
    struct pl_process_identity p = { 0 };

    for (uint32_t pid = 7; pid < 10; pid++) {
        put_files(pid, 1500, pid == 8 ? "hang" : "x");
        add(pid, 1500, "prog");
    }
    ck_assert_uint_eq(follow(&p), 1);
    ck_assert_uint_eq(p.pid, 7);
    ck_assert_uint_eq(follow(&p), 2);
    ck_assert_uint_eq(p.pid, 9);
    check_text(p.command_line, "x");
    ck_assert_uint_eq(follow(NULL), 0);
    pl_source_rows_values(&source.rows, 1)[PL_P_PROGRAM] = 2;
    ck_assert_uint_eq(follow(&p), 1); /* another program, but it still hangs */
    check_text(p.command_line, "");
    check_text(p.control_group, "/a.slice/b.service");
}
END_TEST

/* All have theirs, however long that takes. */
START_TEST(command_lines_that_take_long_are_recorded)
{
    struct pl_process_identity p = { 0 };

    for (uint32_t pid = 7; pid < 12; pid++) {
        put_files(pid, 1500, "slow");
        add(pid, 1500, "prog");
    }
    for (uint32_t pid = 7; pid < 12; pid++) {
        ck_assert_uint_eq(follow(&p), 1);
        ck_assert_uint_eq(p.pid, pid);
        check_text(p.command_line, "slow");
    }
    ck_assert_uint_eq(follow(NULL), 0);
}
END_TEST

/* All in the first sample; later a few in each, and each has its turn. */
START_TEST(many_new_ones_are_spread_over_samples)
{
    static uint8_t times[MANY + 1];
    size_t samples = 0, sum = 0;

    for (uint32_t i = 1; i <= MANY; i++) {
        put_files(i, 10, "x");
        add(i, 10, "x:1");
    }
    ck_assert_uint_eq(follow(NULL), MANY);
    for (uint32_t i = 0; i < MANY; i++)
        pl_source_rows_values(&source.rows, i)[PL_P_PROGRAM] = 2;
    while (sum < MANY && samples++ < MANY) {
        struct pl_process_identity p;
        struct pl_cur c;
        size_t n = follow(NULL);

        ck_assert_uint_le(n, PL_IDENTITY_READS);
        sum += n;
        c = pl_cur_of(out.p, out.len);
        while (!pl_process_identity_next(&c, &p))
            ck_assert_uint_eq(times[p.pid]++, 0);
    }
    ck_assert_uint_eq(sum, MANY);
    ck_assert_uint_eq(samples, (MANY - 1) / PL_IDENTITY_READS + 1);
}
END_TEST

/* Those that did nothing yet: as many as the time since has room for. */
START_TEST(idle_ones_have_a_rate)
{
    static const struct {
        int ms;
        size_t num;
    } waits[] = { { 1000, PL_IDENTITY_IDLE_RATE },
                  { 2000, 2 * PL_IDENTITY_IDLE_RATE },
                  { 3600 * 1000, PL_IDENTITY_READS },
                  { 1040, PL_IDENTITY_IDLE_RATE }, /* one takes 62.5 ms */
                  { 1040, PL_IDENTITY_IDLE_RATE + 1 } };
    struct pl_process_identity p;

    for (uint32_t i = 1; i <= MANY; i++) {
        put_files(i, 10, "x");
        add(i, 10, "x:1")[PL_P_RUN_TIME] = ENOUGH - 1;
    }
    ck_assert_uint_eq(follow(NULL), MANY);
    for (uint32_t i = 0; i < MANY; i++)
        pl_source_rows_values(&source.rows, i)[PL_P_PROGRAM] = 2;
    machine.now.boot_ns += 10 * PL_NS_PER_SEC;
    ck_assert_uint_eq(follow(NULL), PL_IDENTITY_READS);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        machine.now.boot_ns += (waits[i].ms - 1000) * PL_NS_PER_MS;
        ck_assert_uint_eq(follow(NULL), waits[i].num);
    }
    machine.now.boot_ns -= PL_NS_PER_SEC; /* no time has passed */
    ck_assert_uint_eq(follow(NULL), 0);
    pl_source_rows_values(&source.rows, MANY - 1)[PL_P_RUN_TIME] = ENOUGH;
    machine.now.boot_ns -= PL_NS_PER_SEC;
    ck_assert_uint_eq(follow(&p), 1);
    ck_assert_uint_eq(p.pid, MANY);
}
END_TEST

/* As most of a storm is gone then. */
START_TEST(where_many_idle_ones_are_new_those_that_stay_are_read)
{
    struct pl_process_identity p;

    add(1, 10, "x");
    put_files(1, 10, "x");
    ck_assert_uint_eq(follow(NULL), 1);
    machine.now.boot_ns += 10 * PL_NS_PER_SEC;
    for (uint32_t i = 2; i < 3 + PL_IDENTITY_READS; i++) {
        put_files(i, 10, "x");
        add(i, 10, "x")[PL_P_RUN_TIME] = ENOUGH - 1;
    }
    add(500, 10, "x");
    put_files(500, 10, "x");
    ck_assert_uint_eq(follow(&p), 1);
    ck_assert_uint_eq(p.pid, 500);
    ck_assert_uint_eq(follow(NULL), PL_IDENTITY_READS);
    machine.now.boot_ns += 10 * PL_NS_PER_SEC;
    for (uint32_t i = 501; i < 502 + PL_IDENTITY_READS; i++) {
        put_files(i, 10, "x");
        add(i, 10, "x")[PL_P_RUN_TIME] = ENOUGH - 1;
    }
    ck_assert_uint_eq(follow(&p), 1); /* the last of those before */
    ck_assert_uint_eq(p.pid, 2 + PL_IDENTITY_READS);
    ck_assert_uint_eq(follow(NULL), PL_IDENTITY_READS);
    ck_assert_uint_eq(follow(NULL), 1);
    machine.now.boot_ns += 10 * PL_NS_PER_SEC;
    for (uint32_t i = 701; i < 701 + PL_IDENTITY_READS; i++) { /* no more */
        put_files(i, 10, "x");
        add(i, 10, "x")[PL_P_RUN_TIME] = ENOUGH - 1;
    }
    ck_assert_uint_eq(follow(NULL), PL_IDENTITY_READS);
}
END_TEST

/* The time of a sample is over before the first is read: a few in each, until all
 * are known; then more are no longer read than later. */
START_TEST(the_first_ones_do_not_delay_the_next_sample)
{
    size_t samples = 0, sum = 0;

    machine.now.monotonic_ns = INT64_MIN / 2;
    for (uint32_t i = 1; i <= MANY; i++) {
        put_files(i, 10, "x");
        add(i, 10, "x:1");
    }
    while (sum < MANY && samples++ < MANY) {
        size_t n = follow(NULL);

        ck_assert_uint_ge(n, 1);
        ck_assert_uint_le(n, PL_BOUNDED_READ_FILES);
        sum += n;
    }
    ck_assert_uint_eq(sum, MANY);
    ck_assert_uint_eq(follow(NULL), 0);
    machine.now.monotonic_ns = 0;
    for (uint32_t i = 0; i < MANY; i++)
        pl_source_rows_values(&source.rows, i)[PL_P_PROGRAM] = 2;
    ck_assert_uint_eq(follow(NULL), PL_IDENTITY_READS);
}
END_TEST

/* Long command lines, each time others: the bytes of a second are bounded. */
START_TEST(bytes_are_bounded)
{
    enum { EACH = PL_MAX_COMMAND_LINE, SECONDS = 600 };
    static char text[EACH + 2];
    size_t bytes = 0;

    memset(text, 'x', EACH + 1);
    for (uint32_t k = 1; k <= 100; k++) {
        put_files(k, 0, text);
        add(k, 0, "x:1");
    }
    for (uint32_t i = 0; i < SECONDS; i++) {
        source.rows.num = i % 2 ? 0 : 100; /* all new, in every other sample */
        follow(NULL);
        bytes += out.len;
    }
    ck_assert_uint_le(bytes, PL_IDENTITY_RESERVE +
                                 (size_t)SECONDS * PL_IDENTITY_RATE +
                                 PL_IDENTITY_READS * 2 * EACH);
    ck_assert_uint_gt(bytes, PL_IDENTITY_RESERVE);
}
END_TEST

START_TEST(a_long_command_line_is_cut)
{
    static char text[1 << 20];
    struct pl_process_identity p;

    memset(text, 'x', sizeof text - 1);
    put_files(7, 1500, text);
    add(7, 1500, "prog:7");
    ck_assert_uint_eq(follow(&p), 1);
    ck_assert_uint_eq(p.command_line.n, PL_MAX_COMMAND_LINE);
    ck_assert(p.is_cut);
}
END_TEST

static void check_cut(size_t title, size_t zeros, bool is_cut)
{
    static char text[2 * PL_MAX_COMMAND_LINE];
    struct pl_process_identity p;

    memset(text, 'x', title);
    memset(text + title, 0, zeros);
    pl_identity_set_command_line(&p, (struct pl_text){ text, title + zeros });
    ck_assert_uint_eq(p.command_line.n, title);
    ck_assert_int_eq(p.is_cut, is_cut);
}

/* A program that overwrites its title leaves zeros after it. */
START_TEST(what_is_cut_is_not_only_zeros)
{
    check_cut(0, 0, false);
    check_cut(5, PL_MAX_COMMAND_LINE - 4, false);
    check_cut(PL_MAX_COMMAND_LINE - 1, 2, false);
    check_cut(PL_MAX_COMMAND_LINE, 0, false);
    check_cut(PL_MAX_COMMAND_LINE, 1, true); /* here an argument ends */
    check_cut(PL_MAX_COMMAND_LINE + 1, 0, true);
}
END_TEST

START_TEST(command_lines_are_left_out_on_request)
{
    struct pl_process_identity p;

    put_files(7, 1500, "secret");
    add(7, 1500, "prog:7");
    ck_assert_uint_eq(follow(&p), 1);
    ck_assert(p.is_left_out);
    ck_assert_uint_eq(p.command_line.n, 0);
    check_text(p.control_group, "/a.slice/b.service");
}
END_TEST

static void start_without(void)
{
    start_with(true);
}

/* ---- control groups and users --------------------------------------------- */

static void check_group(const char *text, const char *want)
{
    check_text(pl_identity_control_group(pl_text_of(text)), want);
}

START_TEST(the_control_group_is_that_of_a_unit)
{
    check_group("0::/user.slice/x.scope\n", "/user.slice/x.scope");
    check_group("0::/\n", "/");
    check_group("", "/");
    check_group("5:cpu,cpuacct:/c\n1:name=systemd:/s/a:b\n0::/\n", "/s/a:b");
    check_group("1:name=systemd:/s\n0::/u\n", "/u");
    check_group("5:cpu:/c\n4:memory:/m\n", "/c");
    check_group("5:cpu:/c\n1:name=systemd:/cut", "/c");
    check_group("no colons\n7:\n", "/");
}
END_TEST

static void check_group_of_flags(const char *flags, const char *groups,
                                 const char *want)
{
    struct pl_process_identity p;
    static uint32_t pid = 100;
    char path[64], text[256];

    put_files(++pid, 1500, "x");
    snprintf(path, sizeof path, "proc/%u/stat", pid);
    snprintf(text, sizeof text,
             "%u (a b) R 1 1 1 0 -1 %s 0 0 0 0 0 0 0 0 20 0 1 0 1500 0 0 0 1 1 "
             "0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
             pid, flags);
    proc_tree_put(dir, path, text);
    snprintf(path, sizeof path, "proc/%u/cgroup", pid);
    proc_tree_put(dir, path, groups);
    add(pid, 1500, "prog:0");
    ck_assert_uint_eq(follow(&p), 1);
    check_text(p.control_group, want);
}

/* Version 1 shows the root as the group of each that ends. */
START_TEST(the_group_of_one_that_ends_is_not_the_root)
{
    static const char root[] = "2:cpu:/\n1:name=systemd:/\n0::/\n";

    check_group_of_flags("4194304", root, "/");
    check_group_of_flags("4194308", root, "");
    check_group_of_flags("4194308", "2:cpu:/\n1:name=systemd:/s\n0::/\n", "/s");
    check_group_of_flags("4194308", "0::/\n", "/");
}
END_TEST

START_TEST(one_that_is_known_to_live_is_not_asked)
{
    struct pl_process_identity p;

    put_files(7, 9999, "x");
    add(7, 1500, "prog:7");
    is_known = true;
    ck_assert_uint_eq(follow(&p), 1);
    check_text(p.control_group, "/a.slice/b.service");
    is_known = false;
}
END_TEST

/* It is asked when all was read, so nothing of another one is taken for it. */
START_TEST(a_number_that_becomes_anothers_meanwhile)
{
    put_files(7, 1500, "x");
    add(7, 1500, "prog:7");
    is_another_by_then = true;
    ck_assert_uint_eq(follow(NULL), 0);
    is_another_by_then = false;
}
END_TEST

/* Those of version 1 that matter are the last ones of many. */
START_TEST(all_control_groups_are_read)
{
    static char text[1 << 17];
    struct pl_process_identity p;
    size_t n = 0;

    put_files(7, 1500, "x");
    for (int i = 14; i > 1; i--)
        n += (size_t)snprintf(text + n, sizeof text - n, "%d:c%d:/%04000d\n", i,
                              i, 0);
    snprintf(text + n, sizeof text - n, "1:name=systemd:/kubepods/pod\n");
    proc_tree_put(dir, "proc/7/cgroup", text);
    add(7, 1500, "prog:7");
    ck_assert_uint_eq(follow(&p), 1);
    check_text(p.control_group, "/kubepods/pod");
}
END_TEST

START_TEST(users_have_the_names_of_the_file)
{
    const char *path = path_in(temp_dir(), "passwd");
    struct pl_user_names u = { .path = path };
    static const char first[] = "root:x:0:0:root:/root:/bin/sh\n"
                                "toor:x:0:0::/:/bin/sh\n\nbad\nbad2:x:\n"
                                "neg:x:-1:0::/:\nbig:x:4294967296:0::/:\n"
                                "ann:x:1000:1000:A:/:/bin/sh\ncut:x:9";
    static const char second[] = "bob:x:1000:1000:A:/:/bin/sh\n";

    pl_user_names_refresh(&u); /* there is none */
    ck_assert_uint_eq(pl_user_names_find(&u, 0).n, 0);
    write_file(path, first, sizeof first - 1);
    pl_user_names_refresh(&u);
    check_text(pl_user_names_find(&u, 0), "root");
    check_text(pl_user_names_find(&u, 1000), "ann");
    check_text(pl_user_names_find(&u, 9), "");
    check_text(pl_user_names_find(&u, 4294967295U), "");
    ck_assert_uint_eq(u.num, 3);
    write_file(path, second, sizeof second - 1);
    pl_user_names_refresh(&u);
    check_text(pl_user_names_find(&u, 1000), "bob");
    check_text(pl_user_names_find(&u, 0), "");
    pl_user_names_release(&u);
}
END_TEST

int main(void)
{
    TCase *reads = tcase_create("reads"), *none = tcase_create("none");
    TCase *texts = tcase_create("texts");
    TCase *const cases[] = { reads, none, texts, NULL };

    tcase_add_checked_fixture(reads, start, stop);
    tcase_add_checked_fixture(none, start_without, stop);
    tcase_add_test(reads, a_process_is_read_once);
    tcase_add_test(reads, one_that_is_known_to_live_is_not_asked);
    tcase_add_test(reads, a_number_that_becomes_anothers_meanwhile);
    tcase_add_test(reads, one_without_memory_is_read_in_the_next_sample);
    tcase_add_test(reads, a_process_that_became_another_is_read_again);
    tcase_add_test(reads, one_that_ends_keeps_what_was_read);
    tcase_add_test(reads, one_that_changes_all_the_time_is_read_seldom);
    tcase_add_test(reads, a_sleeper_that_cannot_be_disturbed_waits);
    tcase_add_test(reads, a_command_line_that_hangs_delays_two_samples);
    tcase_add_test(reads, command_lines_that_take_long_are_recorded);
    tcase_add_test(reads, the_first_ones_do_not_delay_the_next_sample);
    tcase_add_test(reads, many_new_ones_are_spread_over_samples);
    tcase_add_test(reads, idle_ones_have_a_rate);
    tcase_add_test(reads,
                   where_many_idle_ones_are_new_those_that_stay_are_read);
    tcase_add_test(reads, bytes_are_bounded);
    tcase_add_test(reads, a_long_command_line_is_cut);
    tcase_add_test(reads, all_control_groups_are_read);
    tcase_add_test(reads, the_group_of_one_that_ends_is_not_the_root);
    tcase_add_test(texts, what_is_cut_is_not_only_zeros);
    tcase_add_test(none, command_lines_are_left_out_on_request);
    tcase_add_test(texts, the_control_group_is_that_of_a_unit);
    tcase_add_test(texts, users_have_the_names_of_the_file);
    return run_suite("linux_identity", cases);
}
