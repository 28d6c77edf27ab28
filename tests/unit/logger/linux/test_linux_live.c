/*
 * The Linux sampler on the machine that runs the test: what it stores agrees
 * with what /proc says before and after, and it stops allocating.
 */
#include "tests/support/allocations.h"
#include "tests/support/sample.h"
#include "tests/support/support.h"

#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sample sample;
static enum pl_process_way way; /* of reading processes, in this case */

static void use_proc(void)
{
    way = PL_PROCESSES_PROC;
}

static void use_bpf(void)
{
    way = PL_PROCESSES_BPF;
}

static void open_machine(const char *const *paths)
{
    const char *why = NULL;

    ck_assert_int_eq(sample_open_way(&sample, way, paths, &why), PL_OK);
}

/* The number behind 'key' in a file. */
static uint64_t number_in(const char *path, const char *key)
{
    char line[4096];
    unsigned long long v = 0;
    FILE *f = fopen(path, "r");

    ck_assert_msg(f != NULL, "%s", path);
    while (fgets(line, sizeof line, f)) {
        if (!strncmp(line, key, strlen(key))) {
            ck_assert_int_eq(sscanf(line + strlen(key), " %llu", &v), 1);
            break;
        }
    }
    fclose(f);
    return v;
}

static const struct {
    const char *path, *key;
    const char *object, *counter;
} growing[] = {
    { "/proc/stat", "ctxt ", "System", "Context Switches/sec" },
    { "/proc/stat", "intr ", "System", "Total Interrupts/sec" },
    { "/proc/stat", "processes ", "System", "Threads Created/sec" },
    { "/proc/vmstat", "pgfault ", "Memory", "Page Faults/sec" },
    { "/proc/vmstat", "pgmajfault ", "Memory", "Page Reads/sec" },
};

START_TEST(counts_lie_between_two_readings_of_their_file)
{
    enum { NUM = sizeof growing / sizeof *growing };
    uint64_t before[NUM];

    open_machine(NULL);
    for (size_t i = 0; i < NUM; i++)
        before[i] = number_in(growing[i].path, growing[i].key);
    sample_take(&sample);
    for (size_t i = 0; i < NUM; i++) {
        uint64_t v =
            value_of(&sample, growing[i].object, NULL, growing[i].counter);

        ck_assert_msg(v >= before[i], "%s", growing[i].counter);
        ck_assert_msg(v <= number_in(growing[i].path, growing[i].key), "%s",
                      growing[i].counter);
    }
    ck_assert_uint_eq(value_of(&sample, "Memory", NULL, "Total Bytes"),
                      number_in("/proc/meminfo", "MemTotal:") * 1024);
    ck_assert_uint_eq(value_of(&sample, "System", NULL, "Processors Online"),
                      (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    sample_close(&sample);
}
END_TEST

/* "comm:pid" of this process, as its instance is called. */
static const char *own_name(void)
{
    static char name[64];
    size_t n;
    uint8_t *comm = read_file("/proc/self/comm", &n);

    snprintf(name, sizeof name, "%.*s:%d", (int)n - 1, (char *)comm,
             (int)getpid());
    free(comm);
    return name;
}

START_TEST(a_process_finds_itself)
{
    const char *me = own_name();
    uint64_t started;

    open_machine((const char *const[]){ "+Process\\Handle Count", NULL });
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, "Process", me, "ID Process"),
                      (uint64_t)getpid());
    ck_assert_uint_eq(value_of(&sample, "Process", me, "Creating Process ID"),
                      (uint64_t)getppid());
    ck_assert_uint_eq(value_of(&sample, "Process", me, "State"), 'R');
    ck_assert_uint_eq(value_of(&sample, "Process", me, "User ID"), geteuid());
    ck_assert_uint_eq(value_of(&sample, "Process", me, "Data Flags"), 0);
    ck_assert_uint_gt(value_of(&sample, "Process", me, "Working Set"), 0);
    ck_assert_uint_ge(value_of(&sample, "Process", me, "Handle Count"), 3);
    started = value_of(&sample, "Process", me, "Elapsed Time");
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, "Process", me, "Elapsed Time"),
                      started);
    sample_close(&sample);
}
END_TEST

/* A child that lives until it is killed; 'wanted' is its number, 0: any. */
static pid_t start_child(pid_t wanted)
{
    struct clone_args args = {
        .exit_signal = SIGCHLD,
        .set_tid = wanted ? (uintptr_t)&wanted : 0,
        .set_tid_size = wanted ? 1 : 0,
    };
    pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof args);

    if (!pid)
        for (;;)
            pause();
    return pid;
}

static void end_child(pid_t pid)
{
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

START_TEST(a_process_that_ends_leaves_no_instance)
{
    pid_t pid = start_child(0);
    char name[64];

    ck_assert_int_gt(pid, 0);
    open_machine((const char *const[]){ "Process", NULL });
    snprintf(name, sizeof name, "%s", own_name());
    snprintf(strrchr(name, ':'), 16, ":%d", (int)pid);
    sample_take(&sample);
    sample_take(&sample);
    ck_assert(has_instance(&sample, "Process", name));
    end_child(pid);
    sample_take(&sample);
    /* Where its end is seen, it is shown until its final values are known. */
    for (int i = 0; has_instance(&sample, "Process", name); i++) {
        ck_assert_int_lt(i, 100);
        ck_assert_uint_eq(value_of(&sample, "Process", name, "State"), 'X');
        usleep(10000);
        sample_take(&sample);
    }
    sample_close(&sample);
}
END_TEST

START_TEST(a_number_that_lives_on_is_another_process)
{
    pid_t pid = start_child(0);
    uint64_t started;
    char name[64];

    ck_assert_int_gt(pid, 0);
    open_machine((const char *const[]){ "Process", NULL });
    snprintf(name, sizeof name, "%s", own_name());
    snprintf(strrchr(name, ':'), 16, ":%d", (int)pid);
    sample_take(&sample);
    started = value_of(&sample, "Process", name, "Elapsed Time");
    usleep(30000); /* starts are told apart by ticks of 10 ms */
    end_child(pid);
    if (start_child(pid) == pid) {
        sample_take(&sample);
        end_child(pid);
        ck_assert_uint_gt(value_of(&sample, "Process", name, "Elapsed Time"),
                          started);
    } else {
        fprintf(stderr, "skipped: only root can choose a number\n");
    }
    sample_close(&sample);
}
END_TEST

/* A machine where processes come may need more room now and then. */
static void check_that_sizes_settle(void)
{
    enum { TRIES = 20 };
    size_t least = SIZE_MAX;

    sample_take(&sample);
    sample_take(&sample);
    for (unsigned i = 0; i < TRIES && least; i++) {
        enum pl_status s;
        size_t n;

        pl_sampler_clocks(&sample.tick);
        allocations = 0;
        s = pl_sampler_read(sample.sampler, &sample.tick, &sample.stats,
                            &sample.block);
        n = allocations; /* the test framework allocates too */
        ck_assert_int_eq(s, PL_OK);
        least = n < least ? n : least;
    }
    ck_assert_uint_eq(least, 0);
    sample_close(&sample);
}

START_TEST(sizes_settle)
{
    open_machine(NULL);
    check_that_sizes_settle();
}
END_TEST

START_TEST(sizes_settle_with_everything)
{
    ck_assert_int_eq(sample_open_all(&sample, NULL), PL_OK);
    check_that_sizes_settle();
}
END_TEST

START_TEST(the_logger_counts_itself)
{
    uint64_t calls;

    open_machine(NULL);
    sample_take(&sample);
    sample.stats.system_calls = 1000000;
    calls = value_of(&sample, "Performance Logger", NULL, "System Calls/sec");
    ck_assert_uint_gt(calls, 10);
    sample_take(&sample);
    ck_assert_uint_gt(
        value_of(&sample, "Performance Logger", NULL, "System Calls/sec"),
        calls + 1000000);
    ck_assert_uint_eq(
        value_of(&sample, "Performance Logger", NULL, "ID Process"),
        (uint64_t)getpid());
    ck_assert_uint_gt(
        value_of(&sample, "Performance Logger", NULL, "% Processor Time"), 0);
    sample_close(&sample);
}
END_TEST

/* Of all that is recorded by default, but processes and control groups. */
static void open_system(void)
{
    static const char *const all[] = {
        "System",         "Processor",      "Pressure Stall",
        "Memory",         "Virtual Memory", "Paging File",
        "PhysicalDisk",   "LogicalDisk",    "Network Interface",
        "IPv4",           "IPv6",           "TCPv4",
        "TCP Extensions", "UDPv4",          "UDPv6",
        "Sockets",        "Kernel Tables",
    };
    enum { NUM = sizeof all / sizeof *all };
    const char *here[NUM + 1] = { NULL };
    size_t n = 0;

    for (size_t i = 0; i < NUM; i++) {
        const char *one[] = { all[i], NULL }, *why;

        if (sample_open(&sample, NULL, one, &why) == PL_OK)
            here[n++] = all[i];
        sample_close(&sample);
    }
    open_machine(here);
}

/* Files are held open, and none is read twice. */
START_TEST(a_sample_of_the_system_takes_few_calls)
{
    enum { TRIES = 20, MOST = 45, MOUNTS = 4, LISTED_AT_ONCE = 1000 };
    uint64_t least = UINT64_MAX, before, calls, most;
    struct pl_object o;

    open_system();
    sample_take(&sample);
    before = value_of(&sample, "Performance Logger", NULL, "System Calls/sec");
    for (unsigned i = 0; i < TRIES; i++) {
        sample_take(&sample);
        calls =
            value_of(&sample, "Performance Logger", NULL, "System Calls/sec");
        least = calls - before < least ? calls - before : least;
        before = calls;
    }
    /* One more for each mount, and where processes can only be listed. */
    most =
        MOST + value_of(&sample, "System", NULL, "Processes") / LISTED_AT_ONCE;
    if (sample_object(&sample, "LogicalDisk", &o) && o.num_instances > MOUNTS)
        most += (uint64_t)(o.num_instances - MOUNTS);
    ck_assert_uint_gt(least, 10);
    ck_assert_uint_le(least, most);
    sample_close(&sample);
}
END_TEST

static TCase *tests_by(const char *name, void (*use)(void))
{
    TCase *t = tcase_create(name);

    tcase_add_checked_fixture(t, use, NULL);
    tcase_add_test(t, counts_lie_between_two_readings_of_their_file);
    tcase_add_test(t, a_process_finds_itself);
    tcase_add_test(t, a_process_that_ends_leaves_no_instance);
    tcase_add_test(t, a_number_that_lives_on_is_another_process);
    tcase_add_test(t, sizes_settle);
    tcase_add_test(t, sizes_settle_with_everything);
    tcase_add_test(t, the_logger_counts_itself);
    tcase_add_test(t, a_sample_of_the_system_takes_few_calls);
    return t;
}

int main(void)
{
    struct pl_sampler_options options = { .processes = PL_PROCESSES_BPF };
    TCase *tcases[] = { tests_by("proc", use_proc), NULL, NULL };
    struct pl_sampler *sampler = NULL;
    const char *why = NULL;

    if (!pl_sampler_open(&sampler, &options, &why))
        tcases[1] = tests_by("bpf", use_bpf);
    else
        printf("linux_live: /proc only, no BPF here: %s\n", why ? why : "?");
    pl_sampler_close(sampler);
    return run_suite("linux_live", tcases);
}
