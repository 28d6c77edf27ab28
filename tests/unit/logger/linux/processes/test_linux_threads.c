/*
 * Threads, and counters summed over them, from a saved /proc: process 300
 * ("a) R (b") has three threads, 2000 a single one.
 */
#include "tests/support/proc_tree.h"
#include "tests/support/sample.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static struct sample sample;

static void put_file(unsigned pid, unsigned tid, const char *name,
                     const char *text)
{
    char path[64];

    snprintf(path, sizeof path, "proc/%u/task/%u/%s", pid, tid, name);
    proc_tree_put(temp_dir(), path, text);
}

/* Numbers that tell the thread: utime, faults and so on grow with it. */
static void put_thread(unsigned pid, unsigned tid, const char *comm, char state,
                       unsigned started)
{
    unsigned n = tid - pid + 1;
    char text[512];

    snprintf(text, sizeof text,
             "%u (%s) %c 1 1 1 0 -1 0 %u 0 %u 0 %u %u 0 0 %d 5 3 0 %u "
             "1048576 99 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 %u 0 "
             "0 0 0 0 0 0 0 0 0 0 0 0\n",
             tid, comm, state, 100 * n, n, 50 * n, 20 * n, n == 2 ? -51 : 25,
             started, n);
    put_file(pid, tid, "stat", text);
    snprintf(text, sizeof text, "%u00099 %u5000 %u\n", n, n, 7 * n);
    put_file(pid, tid, "schedstat", text);
    snprintf(text, sizeof text,
             "Name:\tx\nvoluntary_ctxt_switches:\t%u\n"
             "nonvoluntary_ctxt_switches:\t%u\n",
             10 * n, n);
    put_file(pid, tid, "status", text);
    snprintf(text, sizeof text, "rchar: 1\nread_bytes: %u\nwrite_bytes: %u\n",
             4096 * n, 512 * n);
    put_file(pid, tid, "io", text);
}

static void put_threads(void)
{
    put_thread(300, 300, "a) R (b", 'R', 1500);
    put_thread(300, 301, "wor/ker", 'S', 1600);
    put_thread(300, 302, "last", 'D', 1700);
    put_thread(2000, 2000, "gone: wild", 'Z', 1500);
    put_file(300, 300, "cgroup", "2:cpu:/x\n0::/of/mine\n");
    proc_tree_put(temp_dir(), "sys/fs/cgroup/cgroup.procs", "");
    proc_tree_put(temp_dir(), "sys/fs/cgroup/of/mine/cgroup.procs", "");
}

static void make(void)
{
    proc_tree_make(temp_dir());
    put_threads();
}

static void open_tree(const char *const *paths)
{
    const char *why = NULL;
    enum pl_status s = sample_open(&sample, temp_dir(), paths, &why);

    ck_assert_msg(s == PL_OK, "%s", why ? why : "");
    sample_take(&sample);
}

static uint64_t of_thread(const char *name, const char *counter)
{
    return value_of(&sample, "Thread", name, counter);
}

static const char *const everything[] = {
    "Thread", "Thread\\Context Switches/sec", "Thread\\Storage Read Bytes/sec",
    "Thread\\Storage Write Bytes/sec", NULL
};

START_TEST(every_number_is_where_it_belongs)
{
    static const struct {
        const char *counter;
        uint64_t want; /* of the second thread */
    } wanted[] = {
        { "% Processor Time", 2000 }, /* 200099 ns */
        { "% User Time", 10000000 },
        { "% Privileged Time", 4000000 },
        { "Context Switches/sec", 22 },
        { "Priority Current", 90 },
        { "Priority Base", 14 }, /* nice 5 */
        { "Thread State", 5 },
        { "ID Process", 300 },
        { "ID Thread", 301 },
        { "State", 'S' },
        { "% Run Queue Wait Time", 250 },
        { "Time Slices/sec", 14 },
        { "Page Faults/sec", 202 },
        { "Last Processor", 2 },
        { "Storage Read Bytes/sec", 8192 },
        { "Storage Write Bytes/sec", 1024 },
        { "Data Flags", 0 },
    };

    make();
    open_tree(everything);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        ck_assert_msg(
            of_thread("wor/ker:301", wanted[i].counter) == wanted[i].want,
            "%s is %llu", wanted[i].counter,
            (unsigned long long)of_thread("wor/ker:301", wanted[i].counter));
    ck_assert_uint_eq(of_thread("a) R (b:300", "Thread State"), 2);
    ck_assert_uint_eq(of_thread("gone: wild:2000", "Thread State"), 4);
    ck_assert_uint_eq(of_thread("last:302", "Elapsed Time") -
                          of_thread("wor/ker:301", "Elapsed Time"),
                      10000000);
    sample_close(&sample);
}
END_TEST

/* Thread after thread, and whose they are by the place in the other list. */
static void check_order(const char *const *names, const uint32_t *parents,
                        size_t num)
{
    struct pl_instance in;
    struct pl_object o;

    ck_assert(sample_object(&sample, "Thread", &o));
    ck_assert_int_eq(o.num_instances, (int)num);
    for (size_t i = 0; i < num; i++) {
        ck_assert_int_eq(pl_instance_next(&o, &in), PL_OK);
        ck_assert_uint_eq(in.parent_object, 230);
        ck_assert_uint_eq(in.parent_instance, parents[i]);
        ck_assert(has_instance(&sample, "Thread", names[i]));
    }
}

START_TEST(threads_stand_in_the_order_of_their_processes)
{
    make();
    open_tree((const char *const[]){ "Thread", NULL });
    check_order((const char *const[]){ "a) R (b:300", "wor/ker:301", "last:302",
                                       "gone: wild:2000" },
                (const uint32_t[]){ 3, 3, 3, 4 }, 4);
    /* All processes are there, with what identifies them. */
    ck_assert(has_instance(&sample, "Process", "init:1"));
    ck_assert(has_counter(&sample, "Process", "ID Process"));
    ck_assert(has_counter(&sample, "Process", "Elapsed Time"));
    ck_assert(!has_counter(&sample, "Process", "% Processor Time"));
    sample_close(&sample);
}
END_TEST

START_TEST(threads_are_recorded_on_request_only)
{
    make();
    open_tree(NULL);
    ck_assert_uint_eq(sample_index(&sample, "Thread"), 0);
    ck_assert(has_counter(&sample, "Process", "% Processor Time"));
    sample_close(&sample);
    open_tree((const char *const[]){ "+Thread", NULL });
    ck_assert(has_instance(&sample, "Thread", "last:302"));
    ck_assert(has_counter(&sample, "Process", "% Processor Time"));
    ck_assert(!has_counter(&sample, "Thread", "Context Switches/sec"));
    ck_assert(!has_counter(&sample, "Thread", "Storage Read Bytes/sec"));
    sample_close(&sample);
}
END_TEST

static const struct {
    const char *path;
    const char *names[4];
} chosen[] = {
    { "Thread(*/*)",
      { "a) R (b:300", "wor/ker:301", "last:302", "gone: wild:2000" } },
    { "Thread(a) R (b:300/*)\\*",
      { "a) R (b:300", "wor/ker:301", "last:302" } },
    { "Thread(*/wor/ker:*)\\*", { "wor/ker:301" } },
    { "Thread(gone*)\\*", { "gone: wild:2000" } },
    { "Thread(*:302)\\*", { "last:302" } },
    { "Thread(nobody)\\*", { NULL } },
};

START_TEST(paths_choose_by_process_and_thread)
{
    make();
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
        struct pl_object o;
        int want = 0;

        open_tree((const char *const[]){ chosen[i].path, NULL });
        for (; want < 4 && chosen[i].names[want]; want++)
            ck_assert_msg(
                has_instance(&sample, "Thread", chosen[i].names[want]),
                "%s has no %s", chosen[i].path, chosen[i].names[want]);
        ck_assert(sample_object(&sample, "Thread", &o));
        ck_assert_int_eq(o.num_instances, want);
        sample_close(&sample);
    }
}
END_TEST

START_TEST(what_cannot_be_read_is_flagged)
{
    make();
    proc_tree_remove(temp_dir(), "proc/300/task/301/io");
    proc_tree_spoil(temp_dir(), "proc/300/task/301/io");
    proc_tree_put(temp_dir(), "proc/300/task/302/schedstat", "nonsense\n");
    open_tree(everything);
    ck_assert_uint_eq(of_thread("wor/ker:301", "Data Flags"), 1 << 2);
    ck_assert_uint_eq(of_thread("wor/ker:301", "Storage Read Bytes/sec"), 0);
    ck_assert_uint_eq(of_thread("last:302", "Data Flags"), 1 << 5);
    ck_assert_uint_eq(of_thread("last:302", "% Processor Time"), 0);
    ck_assert_uint_eq(of_thread("a) R (b:300", "Data Flags"), 0);
    sample_close(&sample);
}
END_TEST

/* The number 300 got a new owner after the processes were read. */
START_TEST(threads_of_another_process_are_left_out)
{
    make();
    put_thread(300, 300, "a) R (b", 'R', 1501);
    open_tree((const char *const[]){ "Thread", NULL });
    ck_assert(has_instance(&sample, "Process", "a) R (b:300"));
    check_order((const char *const[]){ "gone: wild:2000" },
                (const uint32_t[]){ 4 }, 1);
    sample_close(&sample);
}
END_TEST

START_TEST(a_thread_that_goes_while_we_look_is_left_out)
{
    make();
    proc_tree_remove(temp_dir(), "proc/300/task/301/stat");
    proc_tree_remove(temp_dir(), "proc/300/task/302/schedstat");
    open_tree((const char *const[]){ "Thread", NULL });
    check_order((const char *const[]){ "a) R (b:300", "gone: wild:2000" },
                (const uint32_t[]){ 3, 4 }, 2);
    sample_close(&sample);
}
END_TEST

/* ---- processes ------------------------------------------------------------- */

static uint64_t of_process(const char *counter)
{
    return value_of(&sample, "Process", "a) R (b:300", counter);
}

static const char *const sums[] = { "Process\\Voluntary Switches/sec",
                                    "Process\\Involuntary Switches/sec",
                                    "Process\\% Run Queue Wait Time",
                                    "Process\\Control Group ID", NULL };

START_TEST(sums_over_threads)
{
    struct stat st;

    make();
    open_tree(sums);
    ck_assert_uint_eq(of_process("Voluntary Switches/sec"), 10 + 20 + 30);
    ck_assert_uint_eq(of_process("Involuntary Switches/sec"), 1 + 2 + 3);
    ck_assert_uint_eq(of_process("% Run Queue Wait Time"),
                      (15000 + 25000 + 35000) / 100);
    ck_assert_int_eq(stat(path_in(temp_dir(), "sys/fs/cgroup/of/mine"), &st),
                     0);
    ck_assert_uint_eq(of_process("Control Group ID"), st.st_ino);
    ck_assert_uint_eq(of_process("Data Flags"), 0);
    sample_close(&sample);
}
END_TEST

START_TEST(sums_that_lack_a_part_are_flagged)
{
    make();
    proc_tree_put(temp_dir(), "proc/300/task/302/status", "Name:\tx\n");
    open_tree(sums);
    ck_assert_uint_eq(of_process("Data Flags"), 1 << 5);
    sample_close(&sample);
    make();
    proc_tree_put(temp_dir(), "proc/300/task/300/cgroup", "0::/of/yours\n");
    put_file(2000, 2000, "cgroup", "0::/of/mine\n");
    open_tree(sums + 3);
    ck_assert_uint_eq(of_process("Data Flags"), 1 << 5);
    ck_assert_uint_eq(of_process("Control Group ID"), 0);
    sample_close(&sample);
}
END_TEST

START_TEST(counters_of_absent_files_are_no_counters)
{
    const char *const delay[] = { "Process\\% Run Queue Wait Time", NULL };
    const char *const group[] = { "Process\\Control Group ID", NULL };
    const char *why = NULL;

    make();
    for (unsigned tid = 300; tid <= 302; tid++) {
        char path[64];

        snprintf(path, sizeof path, "proc/300/task/%u/schedstat", tid);
        proc_tree_remove(temp_dir(), path);
    }
    proc_tree_remove(temp_dir(), "proc/2000/task/2000/schedstat");
    proc_tree_remove(temp_dir(), "sys/fs/cgroup/cgroup.procs");
    ck_assert_int_eq(sample_open(&sample, temp_dir(), delay, &why), PL_USAGE);
    sample_close(&sample);
    ck_assert_int_eq(sample_open(&sample, temp_dir(), group, &why), PL_USAGE);
    sample_close(&sample);
    open_tree((const char *const[]){ "Thread", NULL });
    ck_assert(!has_counter(&sample, "Thread", "Time Slices/sec"));
    ck_assert_uint_eq(of_thread("wor/ker:301", "% Processor Time"),
                      10000000 + 4000000); /* then from stat */
    sample_close(&sample);
}
END_TEST

/* Kernels before 5.14 may have the file, but not count. */
START_TEST(a_file_of_zeros_is_none)
{
    const char *const delay[] = { "Process\\% Run Queue Wait Time", NULL };
    const char *why = NULL;

    make();
    for (unsigned tid = 300; tid <= 302; tid++)
        put_file(300, tid, "schedstat", "0 0 0\n");
    put_file(2000, 2000, "schedstat", "0 0 0\n");
    ck_assert_int_eq(sample_open(&sample, temp_dir(), delay, &why), PL_USAGE);
    sample_close(&sample);
    open_tree((const char *const[]){ "Thread", NULL });
    ck_assert(!has_counter(&sample, "Thread", "% Run Queue Wait Time"));
    ck_assert_uint_eq(of_thread("wor/ker:301", "% Processor Time"),
                      10000000 + 4000000);
    sample_close(&sample);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("threads");

    tcase_add_test(t, every_number_is_where_it_belongs);
    tcase_add_test(t, threads_stand_in_the_order_of_their_processes);
    tcase_add_test(t, threads_are_recorded_on_request_only);
    tcase_add_test(t, paths_choose_by_process_and_thread);
    tcase_add_test(t, what_cannot_be_read_is_flagged);
    tcase_add_test(t, threads_of_another_process_are_left_out);
    tcase_add_test(t, a_thread_that_goes_while_we_look_is_left_out);
    tcase_add_test(t, sums_over_threads);
    tcase_add_test(t, sums_that_lack_a_part_are_flagged);
    tcase_add_test(t, counters_of_absent_files_are_no_counters);
    tcase_add_test(t, a_file_of_zeros_is_none);
    return run_suite("linux_threads", (TCase *const[]){ t, NULL });
}
