/* What -c records on Linux, and what it refuses. */
#include "tests/support/proc_tree.h"
#include "tests/support/sample.h"
#include "tests/support/support.h"

#include <string.h>

enum { MAX_PATHS = 3 };

static struct sample sample;

static enum pl_status open_paths(const char *const *paths, const char **why)
{
    proc_tree_make(temp_dir());
    return sample_open(&sample, temp_dir(), paths, why);
}

/* Fails the test unless they are understood; takes two samples. */
static void record(const char *const *paths)
{
    const char *why = NULL;

    ck_assert_msg(open_paths(paths, &why) == PL_OK, "%s", why);
    sample_take(&sample);
    sample_take(&sample);
}

/* clang-format off */
static const struct {
    const char *paths[MAX_PATHS + 1];
    const char *object, *counter; /* NULL: the object as a whole */
    bool recorded;
} cases[] = {
    { { NULL }, "Memory", "Available Bytes", true },
    { { NULL }, "Process", "Handle Count", false },
    { { NULL }, "Process", "Working Set Peak", false },
    { { NULL }, "Performance Logger", "Instances", true },

    { { "Memory" }, "Memory", "Available Bytes", true },
    { { "Memory" }, "System", NULL, false },
    { { "Memory" }, "Performance Logger", "Instances", true },
    { { "memory\\available *" }, "Memory", "Available MBytes", true },
    { { "memory\\available *" }, "Memory", "Committed Bytes", false },
    { { "\\Memory\\Committed Bytes" }, "Memory", "Committed Bytes", true },
    { { "\\Memory\\Committed Bytes" }, "Memory", "Commit Limit", false },
    { { "\\\\*\\Memory\\*" }, "Memory", "Commit Limit", true },
    { { "*\\*" }, "System", "Threads", true },
    { { "*\\*" }, "Process", "Handle Count", false },

    { { "+Process\\Handle Count" }, "Process", "Handle Count", true },
    { { "+Process\\Handle Count" }, "Process", "Working Set", true },
    { { "+Process\\Handle Count" }, "Memory", "Commit Limit", true },
    { { "+Process\\Handle Count", "Memory" }, "System", NULL, false },
    { { "+Process\\Handle Count", "Memory" }, "Process", "Handle Count",
      true },
    { { "Process\\*" }, "Process", "Handle Count", false },
    { { "Process\\Working Set Peak" }, "Process", "Working Set Peak", true },

    /* what an object cannot do without */
    { { "Process\\Working Set" }, "Process", "ID Process", true },
    { { "Process\\Working Set" }, "Process", "Elapsed Time", true },
    { { "Process\\Working Set" }, "Process", "Data Flags", true },
    { { "Process\\Working Set" }, "Process", "Thread Count", false },
    { { "PhysicalDisk\\Disk Reads/sec" }, "PhysicalDisk", "Device Number",
      true },
    { { "PhysicalDisk\\Disk Reads/sec" }, "PhysicalDisk", "Disk Sequence",
      true },
    { { "PhysicalDisk(nothing yet)\\*" }, "PhysicalDisk", NULL, true },
};
/* clang-format on */

START_TEST(paths_choose_counters)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        record(cases[i].paths);
        ck_assert_msg(
            (cases[i].counter
                 ? has_counter(&sample, cases[i].object, cases[i].counter)
                 : sample_index(&sample, cases[i].object) != 0) ==
                cases[i].recorded,
            "case %zu: %s", i, cases[i].paths[0]);
        sample_close(&sample);
    }
}
END_TEST

/* clang-format off */
static const struct {
    const char *path, *object, *instance;
    bool recorded;
} instances[] = {
    { "Process(init:*)\\*", "Process", "init:1", true },
    { "Process(init:*)\\*", "Process", "a) R (b:300", false },
    { "Process(a) R (b:300)\\*", "Process", "a) R (b:300", true },
    { "Process(*:300)\\Handle Count", "Process", "a) R (b:300", true },
    { "Process(*:300)\\Handle Count", "Process", "init:1", false },
    { "Process(_Total)\\*", "Process", "init:1", true },
    { "Process(_total)\\*", "Process", "a) R (b:300", true },
    { "+Process(init:*)\\Handle Count", "Process", "a) R (b:300", true },
    { "Processor(1)\\*", "Processor", "1", true },
    { "Processor(1)\\*", "Processor", "0", false },
    { "PhysicalDisk", "PhysicalDisk", "sda", true },
    { "PhysicalDisk", "PhysicalDisk", "loop0", false },
    { "PhysicalDisk(*)\\*", "PhysicalDisk", "loop0", false },
    { "PhysicalDisk(loop*)\\*", "PhysicalDisk", "loop0", false },
    { "PhysicalDisk(loop0)\\*", "PhysicalDisk", "loop0", true },
    { "+PhysicalDisk(loop0)\\*", "PhysicalDisk", "loop0", true },
    { "+PhysicalDisk(loop0)\\*", "PhysicalDisk", "sda", true },
    { "PhysicalDisk(sda1)\\*", "PhysicalDisk", "sda1", false },
};
/* clang-format on */

START_TEST(paths_choose_instances)
{
    for (size_t i = 0; i < sizeof instances / sizeof *instances; i++) {
        record((const char *const[]){ instances[i].path, NULL });
        ck_assert_msg(
            has_instance(&sample, instances[i].object, instances[i].instance) ==
                instances[i].recorded,
            "%s: %s", instances[i].path, instances[i].instance);
        sample_close(&sample);
    }
}
END_TEST

/* How late an instance that a sample lacks may be said to count from 0. */
static const struct {
    const char *path;
    uint32_t object, slack; /* 100 ns */
} births[] = {
    { "Process", 230, 50000000 },
    { "Process(*)\\% Processor Time", 230, 50000000 },
    { "+Process(init:*)\\Handle Count", 230, 50000000 },
    /* it may have had another name until then */
    { "Process(init:*)\\% Processor Time", 230, 99999 },
    { "Thread", 232, 99999 },
};

START_TEST(what_had_another_name_does_not_count_from_0)
{
    for (size_t i = 0; i < sizeof births / sizeof *births; i++) {
        struct pl_birth_facts b = { 0 };
        uint32_t generation;

        record((const char *const[]){ births[i].path, NULL });
        ck_assert_msg(
            pl_titles_birth(pl_sampler_titles(sample.sampler, &generation),
                            births[i].object, &b) &&
                b.slack == births[i].slack,
            "%s: %u", births[i].path, b.slack);
        sample_close(&sample);
    }
}
END_TEST

static const char *const nothing[] = {
    "Memry",
    "Memory\\Available Byte",
    "\\\\no-such-host\\Memory\\*",
    "Memory(x)\\*",
    "Process\\Handle C*", /* costly ones need their name */
    "Heap\\*",
    "Process(init:1)\\No Such Counter",
};

START_TEST(a_path_that_names_nothing_is_refused)
{
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        const char *paths[] = { "Memory", nothing[i], NULL };
        const char *why = NULL;

        ck_assert_msg(open_paths(paths, &why) == PL_USAGE, "%s", nothing[i]);
        ck_assert_str_eq(why, nothing[i]);
        sample_close(&sample);
    }
}
END_TEST

START_TEST(a_base_comes_with_its_numerator)
{
    struct pl_counter_def def;

    record((const char *const[]){ "LogicalDisk\\% Free Space", NULL });
    ck_assert(
        sample_counter(&sample, "LogicalDisk", "% Free Space", true, &def));
    ck_assert(
        !sample_counter(&sample, "LogicalDisk", "% Free Inodes", true, &def));
    sample_close(&sample);
}
END_TEST

START_TEST(costly_files_are_read_when_named)
{
    record((const char *const[]){
        "+Process\\Handle Count", "+Process\\Private Bytes",
        "+Process\\Page File Bytes", "+Process\\Locked Bytes", NULL });
    ck_assert_uint_eq(value_of(&sample, "Process", "init:1", "Handle Count"),
                      2);
    ck_assert_uint_eq(value_of(&sample, "Process", "init:1", "Private Bytes"),
                      (240 + 16) * 1024);
    ck_assert_uint_eq(value_of(&sample, "Process", "init:1", "Page File Bytes"),
                      16 * 1024);
    ck_assert_uint_eq(value_of(&sample, "Process", "init:1", "Locked Bytes"),
                      4 * 1024);
    proc_tree_spoil(temp_dir(), "proc/300/status");
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, "Process", "a) R (b:300", "Data Flags"),
                      1 << 3);
    sample_close(&sample);
    record((const char *const[]){ "Process\\OOM Score Adjustment", NULL });
    ck_assert_uint_eq(
        value_of(&sample, "Process", "init:1", "OOM Score Adjustment"), 0);
    sample_close(&sample);
}
END_TEST

START_TEST(all_disks_means_all)
{
    struct pl_sampler_options options = { .all_disks = true };
    const char *why;

    proc_tree_make(temp_dir());
    options.proc = path_in(temp_dir(), "proc");
    options.sys = path_in(temp_dir(), "sys");
    memset(&sample, 0, sizeof sample);
    ck_assert_int_eq(pl_sampler_open(&sample.sampler, &options, &why), PL_OK);
    sample_take(&sample);
    ck_assert(has_instance(&sample, "PhysicalDisk", "loop0"));
    ck_assert(!has_instance(&sample, "PhysicalDisk", "sda1"));
    sample_close(&sample);
}
END_TEST

START_TEST(a_missing_proc_is_said)
{
    struct pl_sampler_options options = { .proc = "/nowhere/at/all" };
    struct pl_sampler *s;
    const char *why;

    ck_assert_int_eq(pl_sampler_open(&s, &options, &why), PL_IO);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("choice");
    TCase *const tcases[] = { t, NULL };

    tcase_add_test(t, paths_choose_counters);
    tcase_add_test(t, paths_choose_instances);
    tcase_add_test(t, what_had_another_name_does_not_count_from_0);
    tcase_add_test(t, a_path_that_names_nothing_is_refused);
    tcase_add_test(t, a_base_comes_with_its_numerator);
    tcase_add_test(t, costly_files_are_read_when_named);
    tcase_add_test(t, all_disks_means_all);
    tcase_add_test(t, a_missing_proc_is_said);
    return run_suite("linux_choice", tcases);
}
