/*
 * Objects whose members come and go, files that change their shape, and what
 * is recorded only on request.
 */
#include "tests/support/proc_tree.h"
#include "tests/support/sample.h"
#include "tests/support/support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define A "sys/fs/cgroup/a.slice"
#define US UINT64_C(10) /* in 100 ns */

static struct sample sample;

static void open_all(void)
{
    proc_tree_make(temp_dir());
    ck_assert_int_eq(sample_open_all(&sample, temp_dir()), PL_OK);
    sample_take(&sample);
}

static void put(const char *path, const char *text)
{
    proc_tree_put(temp_dir(), path, text);
}

static void gone(const char *path)
{
    proc_tree_remove(temp_dir(), path);
}

/* ---- control groups ----------------------------------------------------- */

START_TEST(groups_come_and_go)
{
    open_all();
    ck_assert(!has_instance(&sample, "Control Group", "/new"));
    put("sys/fs/cgroup/new/cpu.stat", "usage_usec 5\n");
    gone(A "/b/c/cpu.stat");
    gone(A "/b/c/d/cpu.stat");
    gone(A "/b/c/d");
    gone(A "/b/c");
    sample_take(&sample);
    ck_assert_uint_eq(
        value_of(&sample, "Control Group", "/new", "% Processor Time"), 5 * US);
    ck_assert(has_instance(&sample, "Control Group", "/a.slice/b"));
    ck_assert(!has_instance(&sample, "Control Group", "/a.slice/b/c"));
    sample_close(&sample);
}
END_TEST

/* What has the name of another is told from it by its number. */
START_TEST(a_group_made_anew_is_another)
{
    uint64_t before;

    open_all();
    before =
        value_of(&sample, "Control Group", "/a.slice/b/c", "Control Group ID");
    ck_assert_int_eq(rename(path_in(temp_dir(), A "/b/c"),
                            path_in(temp_dir(), "sys/fs/old")),
                     0);
    put(A "/b/c/cpu.stat", "usage_usec 77\n");
    sample_take(&sample);
    ck_assert_uint_ne(
        value_of(&sample, "Control Group", "/a.slice/b/c", "Control Group ID"),
        before);
    ck_assert_uint_eq(
        value_of(&sample, "Control Group", "/a.slice/b/c", "% Processor Time"),
        77 * US);
    sample_close(&sample);
}
END_TEST

/* What nobody had is not there; what somebody has is, from then on. */
START_TEST(a_controller_may_be_switched_on)
{
    static const char *const files[] = {
        "current", "max", "high", "swap.current", "events", "stat", "pressure",
    };
    char path[128];

    proc_tree_make(temp_dir());
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, A "/memory.%s", files[i]);
        gone(path);
    }
    ck_assert_int_eq(sample_open_all(&sample, temp_dir()), PL_OK);
    sample_take(&sample);
    ck_assert(!has_counter(&sample, "Control Group", "Memory Bytes"));
    put(A "/b/memory.current", "4711\n");
    sample_take(&sample);
    ck_assert_uint_eq(
        value_of(&sample, "Control Group", "/a.slice/b", "Memory Bytes"), 4711);
    /* not measured there, and said so: memory is bit 1 */
    ck_assert_uint_eq(
        value_of(&sample, "Control Group", "/a.slice", "Memory Bytes"), 0);
    ck_assert_uint_eq(
        value_of(&sample, "Control Group", "/a.slice", "Data Flags") & 2, 2);
    ck_assert_uint_eq(
        value_of(&sample, "Control Group", "/a.slice/b", "Data Flags") & 2, 0);
    sample_close(&sample);
}
END_TEST

START_TEST(deep_groups_want_their_name)
{
    static const struct {
        const char *path;
        bool deep, usual;
    } cases[] = {
        { "Control Group", false, true },
        { "+Control Group(/a.slice/b/c/d)\\*", true, true },
        { "Control Group(/a.slice/b/c/d)\\*", true, false },
        { "Control Group(*/d)\\*", true, false },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *paths[] = { cases[i].path, NULL }, *why;

        proc_tree_make(temp_dir());
        ck_assert_int_eq(sample_open(&sample, temp_dir(), paths, &why), PL_OK);
        sample_take(&sample);
        ck_assert_msg(has_instance(&sample, "Control Group",
                                   "/a.slice/b/c/d") == cases[i].deep,
                      "%s", cases[i].path);
        ck_assert_msg(has_instance(&sample, "Control Group", "/a.slice") ==
                          cases[i].usual,
                      "%s", cases[i].path);
        sample_close(&sample);
    }
}
END_TEST

/* The other side of a name is where it leads: bytes are only bytes. */
START_TEST(hostile_names_of_groups_do_no_harm)
{
    const char *dir = path_in(temp_dir(), "sys/fs/cgroup");

    proc_tree_make(temp_dir());
    put("sys/fs/cgroup/x\xff\n(#*)%s/cpu.stat", "usage_usec 9\n");
    ck_assert_int_eq(symlink("/", path_in(dir, "link")), 0);
    ck_assert_int_eq(sample_open_all(&sample, temp_dir()), PL_OK);
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, "Control Group",
                               "/x\xef\xbf\xbd\n(#*)%s", "% Processor Time"),
                      9 * US);
    ck_assert(!has_instance(&sample, "Control Group", "/link"));
    ck_assert(!has_instance(&sample, "Control Group", "/link/proc"));
    sample_close(&sample);
    gone("sys/fs/cgroup/link");
}
END_TEST

static const char *const roots[] = { "/sys/fs/cgroup/unified",
                                     "/sys/fs/cgroup" };

static bool has_groups(void)
{
    char path[128];

    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/cgroup.procs", roots[i]);
        if (!access(path, F_OK))
            return true;
    }
    return false;
}

/* A folder of the live hierarchy, removed and made again; NULL: may not. */
static const char *make_group(void)
{
    static char path[128];

    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/cgroup.procs", roots[i]);
        if (access(path, F_OK))
            continue;
        snprintf(path, sizeof path, "%s/perflog-test-%d", roots[i],
                 (int)getpid());
        if (!mkdir(path, 0700))
            return path;
    }
    return NULL;
}

START_TEST(live_groups_are_followed)
{
    const char *paths[] = { "Control Group", NULL }, *why, *path;
    uint64_t id;
    char name[64];

    if (!has_groups()) {
        fprintf(stderr, "skipped: no control groups of version 2 here\n");
        return;
    }
    ck_assert_int_eq(sample_open(&sample, NULL, paths, &why), PL_OK);
    sample_take(&sample);
    path = make_group();
    if (!path) {
        fprintf(stderr, "skipped: no right to make a control group\n");
        sample_close(&sample);
        return;
    }
    snprintf(name, sizeof name, "/perflog-test-%d", (int)getpid());
    sample_take(&sample);
    id = value_of(&sample, "Control Group", name, "Control Group ID");
    ck_assert_int_eq(rmdir(path), 0);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    sample_take(&sample);
    ck_assert_uint_ne(
        value_of(&sample, "Control Group", name, "Control Group ID"), id);
    ck_assert_int_eq(rmdir(path), 0);
    sample_take(&sample);
    ck_assert(!has_instance(&sample, "Control Group", name));
    ck_assert(has_instance(&sample, "Control Group", "/"));
    sample_close(&sample);
}
END_TEST

/* ---- others ------------------------------------------------------------- */

#define CPU "sys/devices/system/cpu"

static uint64_t calls_of_a_sample(void)
{
    uint64_t before;

    before = value_of(&sample, "Performance Logger", NULL, "System Calls/sec");
    sample_take(&sample);
    return value_of(&sample, "Performance Logger", NULL, "System Calls/sec") -
           before;
}

/* Where some come and go, the others are not looked at anew. */
START_TEST(a_new_group_is_not_paid_by_the_old_ones)
{
    enum { OLD = 30, READS_OF_ONE = 20, ALL_ELSE = 100 };
    const char *paths[] = { "Control Group", NULL }, *why, *path;
    uint64_t calls, groups;
    char old[OLD][160], new[160];

    path = has_groups() ? make_group() : NULL;
    if (!path) {
        fprintf(stderr, "skipped: no right to make a control group\n");
        return;
    }
    for (int i = 0; i < OLD; i++) {
        snprintf(old[i], sizeof old[i], "%s/%d", path, i);
        ck_assert_int_eq(mkdir(old[i], 0700), 0);
    }
    ck_assert_int_eq(sample_open(&sample, NULL, paths, &why), PL_OK);
    sample_take(&sample);
    snprintf(new, sizeof new, "%s/new", path);
    ck_assert_int_eq(mkdir(new, 0700), 0);
    calls = calls_of_a_sample();
    groups = value_of(&sample, "Performance Logger", NULL, "Instances");
    rmdir(new);
    for (int i = 0; i < OLD; i++)
        rmdir(old[i]);
    ck_assert_int_eq(rmdir(path), 0);
    sample_close(&sample);
    ck_assert_uint_le(calls, groups * READS_OF_ONE + ALL_ELSE);
}
END_TEST

START_TEST(processors_come_and_go)
{
    open_all();
    ck_assert(has_instance(&sample, "CPU Frequency", "1"));
    proc_tree_spoil(temp_dir(), CPU "/cpu1/cpufreq/scaling_cur_freq");
    put("proc/softirqs", "  CPU0\n HI: 7\n");
    put("proc/stat", "cpu0 1 1 1 1 1 1 1 1 1 1\ncpu1 1 1 1 1 1 1 1 1 1 1\n"
                     "intr 1\nctxt 1\nprocesses 1\nprocs_running 1\n"
                     "procs_blocked 0\nsoftirq 4\n");
    sample_take(&sample);
    ck_assert(has_instance(&sample, "CPU Frequency", "0"));
    ck_assert(!has_instance(&sample, "CPU Frequency", "1"));
    /* One file knows it, the other not any more: it is left out. */
    ck_assert(has_instance(&sample, "Processor", "0"));
    ck_assert(!has_instance(&sample, "Processor", "1"));
    /* Sums over other processors than the last time begin anew. */
    ck_assert(!has_instance(&sample, "Soft Interrupt", "HI"));
    sample_take(&sample);
    ck_assert_uint_eq(
        value_of(&sample, "Soft Interrupt", "HI", "Soft Interrupts/sec"), 7);
    sample_close(&sample);
}
END_TEST

START_TEST(a_processor_that_comes_back_is_no_burst_of_interrupts)
{
    static const char *const tables[] = {
        "  CPU0 CPU1\n 36: 12 3  x virtio1-req.0\n",
        "  CPU0\n 36: 13  x virtio1-req.0\n",
        "  CPU0 CPU1\n 36: 14 1000003  x virtio1-req.0\n",
        "  CPU0 CPU1\n 36: 15 1000004  x virtio1-req.0\n",
    };
    static const uint64_t sums[] = { 15, 0, 0, 1000019 };

    open_all();
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        uint64_t v = 0;

        put("proc/interrupts", tables[i]);
        sample_take(&sample);
        sample_value(&sample, "Interrupt", "36 virtio1-req.0", "Interrupts/sec",
                     false, &v);
        ck_assert_uint_eq(v, sums[i]);
    }
    sample_close(&sample);
}
END_TEST

/* A network card that is reset gets new interrupts under the old names. */
START_TEST(a_sum_that_falls_has_not_wrapped)
{
    static const unsigned sums[] = { 1000000, 7, 9 };
    char table[128];

    open_all();
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        snprintf(table, sizeof table,
                 "  CPU0 CPU1\n 36: %u 0  x virtio1-req.0\n", sums[i]);
        put("proc/interrupts", table);
        sample_take(&sample);
        ck_assert_uint_eq(value_of(&sample, "Interrupt", "36 virtio1-req.0",
                                   "Interrupts/sec"),
                          sums[i]);
    }
    sample_close(&sample);
}
END_TEST

START_TEST(a_sum_of_interrupts_is_widened)
{
    open_all();
    put("proc/interrupts", "           CPU0       CPU1\n"
                           " 36:         12          9  x virtio1-req.0\n");
    sample_take(&sample);
    /* 2 - 1 was 1; now 21 */
    ck_assert_uint_eq(
        value_of(&sample, "Interrupt", "36 virtio1-req.0", "Interrupts/sec"),
        21);
    put("proc/net/softnet_stat",
        "00000005 00000002 00000002 0 0 0 0 0 0 0 0 0 00000000 0 0\n");
    sample_take(&sample);
    ck_assert_uint_eq(
        value_of(&sample, "Network Backlog", "0", "Packets Processed/sec"),
        UINT64_C(4294967296) + 5);
    ck_assert(!has_instance(&sample, "Network Backlog", "1"));
    sample_close(&sample);
}
END_TEST

START_TEST(a_column_that_goes_takes_its_counters_along)
{
    open_all();
    put("proc/net/snmp", "Tcp: RtoAlgorithm OutSegs InSegs CurrEstab\n"
                         "Tcp: 1 500 400 3\n");
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, "TCPv4", NULL, "Segments/sec"), 900);
    ck_assert_uint_eq(value_of(&sample, "TCPv4", NULL, "Segments Sent/sec"),
                      500);
    ck_assert(!has_counter(&sample, "TCPv4", "Resets Sent/sec"));
    ck_assert_uint_eq(sample_index(&sample, "UDPv4"), 0);
    ck_assert(!has_counter(&sample, "IPv4", "Datagrams/sec"));
    ck_assert(has_counter(&sample, "IPv4", "Bytes Sent/sec"));
    put("proc/net/snmp", "Tcp: OutRsts\nTcp: 8\nUdp: InDatagrams\nUdp: 7\n");
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, "TCPv4", NULL, "Resets Sent/sec"), 8);
    ck_assert(!has_counter(&sample, "TCPv4", "Segments Sent/sec"));
    ck_assert_uint_eq(
        value_of(&sample, "UDPv4", NULL, "Datagrams Received/sec"), 7);
    sample_close(&sample);
}
END_TEST

START_TEST(pressure_may_be_switched_off)
{
    open_all();
    proc_tree_spoil(temp_dir(), "proc/pressure/memory");
    sample_take(&sample);
    ck_assert(has_instance(&sample, "Pressure Stall", "cpu"));
    ck_assert(!has_instance(&sample, "Pressure Stall", "memory"));
    sample_close(&sample);
}
END_TEST

/* ---- on request --------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *path, *object;
    bool recorded;
} requests[] = {
    { NULL, "ICMP", false },
    { NULL, "Slab Cache", false },
    { NULL, "Interrupt", false },
    { NULL, "NUMA Node", true }, /* there are two */
    { NULL, "Control Group", true },
    { "+ICMP", "ICMP", true },
    { "+ICMP", "ICMPv6", false },
    { "+ICMP", "Memory", true },
    { "icmp", "ICMP", true },
    { "icmp", "Memory", false },
    { "*\\*", "ICMP", false },
    { "*\\*", "NUMA Node", true },
    { "Slab Cache(dentry)\\Bytes", "Slab Cache", true },
    { "Performance Logger Source", "Performance Logger Source", true },
};
/* clang-format on */

START_TEST(some_objects_are_recorded_on_request)
{
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        const char *paths[] = { requests[i].path, NULL }, *why;

        proc_tree_make(temp_dir());
        ck_assert_int_eq(sample_open(&sample, temp_dir(), paths, &why), PL_OK);
        sample_take(&sample);
        sample_take(&sample);
        ck_assert_msg((sample_index(&sample, requests[i].object) != 0) ==
                          requests[i].recorded,
                      "%s with %s", requests[i].object, requests[i].path);
        sample_close(&sample);
    }
}
END_TEST

START_TEST(a_single_node_is_recorded_on_request)
{
    static const char *const files[] = { "/numastat", "/meminfo", "" };
    const char *why, *request[] = { "+NUMA Node", NULL };

    proc_tree_make(temp_dir());
    for (size_t i = 0; i < 3; i++) {
        char path[64];

        snprintf(path, sizeof path, "sys/devices/system/node/node10%s",
                 files[i]);
        gone(path);
    }
    ck_assert_int_eq(sample_open(&sample, temp_dir(), NULL, &why), PL_OK);
    sample_take(&sample);
    ck_assert_uint_eq(sample_index(&sample, "NUMA Node"), 0);
    sample_close(&sample);
    ck_assert_int_eq(sample_open(&sample, temp_dir(), request, &why), PL_OK);
    sample_take(&sample);
    ck_assert(has_instance(&sample, "NUMA Node", "0"));
    sample_close(&sample);
}
END_TEST

START_TEST(the_cost_of_each_object_is_counted)
{
    open_all();
    ck_assert(
        !has_instance(&sample, "Performance Logger Source", "Slab Cache"));
    sample_take(&sample);
    ck_assert_uint_gt(
        value_of(&sample, "Performance Logger Source", "Slab Cache", "Bytes"),
        100);
    ck_assert_uint_eq(value_of(&sample, "Performance Logger Source",
                               "Slab Cache", "Instances"),
                      2);
    ck_assert_uint_gt(value_of(&sample, "Performance Logger Source",
                               "Slab Cache", "Bytes Read/sec"),
                      200);
    ck_assert_uint_ge(value_of(&sample, "Performance Logger Source",
                               "Slab Cache", "System Calls/sec"),
                      2);
    sample_close(&sample);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("family");
    TCase *const tcases[] = { t, NULL };

    tcase_add_test(t, groups_come_and_go);
    tcase_add_test(t, a_group_made_anew_is_another);
    tcase_add_test(t, a_controller_may_be_switched_on);
    tcase_add_test(t, deep_groups_want_their_name);
    tcase_add_test(t, hostile_names_of_groups_do_no_harm);
    tcase_add_test(t, live_groups_are_followed);
    tcase_add_test(t, a_new_group_is_not_paid_by_the_old_ones);
    tcase_add_test(t, processors_come_and_go);
    tcase_add_test(t, a_processor_that_comes_back_is_no_burst_of_interrupts);
    tcase_add_test(t, a_sum_of_interrupts_is_widened);
    tcase_add_test(t, a_sum_that_falls_has_not_wrapped);
    tcase_add_test(t, a_column_that_goes_takes_its_counters_along);
    tcase_add_test(t, pressure_may_be_switched_off);
    tcase_add_test(t, some_objects_are_recorded_on_request);
    tcase_add_test(t, a_single_node_is_recorded_on_request);
    tcase_add_test(t, the_cost_of_each_object_is_counted);
    return run_suite("linux_family", tcases);
}
