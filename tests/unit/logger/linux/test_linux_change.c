/* The Linux sampler over a made-up machine that changes between samples. */
#include "tests/support/proc_tree.h"
#include "tests/support/sample.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define MS UINT64_C(10000) /* in 100 ns */

static struct sample sample;

START_TEST(thirty_two_bits_are_widened)
{
    sample_open_tree(&sample);
    sample_take(&sample);
    /* 4294967000 ms wrapped to 704: 1000 ms more, and 500 written */
    proc_tree_put(temp_dir(), "proc/diskstats",
                  "240 0 sda 1001 20 80000 704 501 30 40000 3000 2 5000 6000 "
                  "70 1 900 35 40 44\n");
    proc_tree_put(temp_dir(), "proc/stat",
                  "cpu0 1 1 1 1 1 1 1 1 1 1\nintr 1\nctxt 1\nprocesses 1\n"
                  "procs_running 1\nprocs_blocked 0\nsoftirq 4\n");
    sample_take(&sample);
    ck_assert_uint_eq(
        value_of(&sample, "PhysicalDisk", "sda", "% Disk Read Time"),
        4294968000 * MS);
    ck_assert_uint_eq(value_of(&sample, "PhysicalDisk", "sda", "% Disk Time"),
                      4294971000 * MS);
    ck_assert_uint_eq(
        value_of(&sample, "System", NULL, "Total DPCs Queued/sec"), 4294967300);
    ck_assert_uint_eq(value_of(&sample, "System", NULL, "Processors Online"),
                      1);
    sample_close(&sample);
}
END_TEST

/* LogicalDisk alone: nobody else asks for the statistics of its device. */
START_TEST(file_systems_are_widened_too)
{
    static const char format[] =
        "%u %u under1 1 2 3 %u 5 6 7 8 9 10 11 12 13 14 15 16 17\n";
    const char *dir = temp_dir(), *why, *paths[] = { "LogicalDisk", NULL };
    char text[128];
    struct stat st;

    ck_assert_int_eq(stat(dir, &st), 0);
    if (!major(st.st_dev)) {
        fprintf(stderr, "skipped: %s lies on no device\n", dir);
        return;
    }
    proc_tree_make(dir);
    snprintf(text, sizeof text, format, major(st.st_dev), minor(st.st_dev),
             4294967295u);
    proc_tree_put(dir, "proc/diskstats", text);
    ck_assert_int_eq(sample_open(&sample, dir, paths, &why), PL_OK);
    sample_take(&sample);
    snprintf(text, sizeof text, format, major(st.st_dev), minor(st.st_dev), 4u);
    proc_tree_put(dir, "proc/diskstats", text);
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, "LogicalDisk", dir, "% Disk Read Time"),
                      4294967300 * MS);
    sample_close(&sample);
}
END_TEST

START_TEST(a_gauge_of_four_bytes_stops_at_the_largest)
{
    sample_open_tree(&sample);
    proc_tree_put(temp_dir(), "proc/loadavg",
                  "99999999.99 1.00 1.00 1/4294967296 1\n");
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, "System", NULL, "Threads"), UINT32_MAX);
    ck_assert_uint_eq(
        value_of(&sample, "System", NULL, "Load Average 1 Minute"), UINT32_MAX);
    sample_close(&sample);
}
END_TEST

START_TEST(a_device_made_anew_is_looked_at_again)
{
    sample_open_tree(&sample);
    sample_take(&sample);
    proc_tree_put(temp_dir(), "sys/dev/block/240:0/diskseq", "12\n");
    proc_tree_put(temp_dir(), "sys/dev/block/240:0/size", "2000\n");
    sample_take(&sample); /* nothing happened that anybody could see */
    ck_assert_uint_eq(value_of(&sample, "PhysicalDisk", "sda", "Disk Sequence"),
                      9);
    proc_tree_put(temp_dir(), "proc/diskstats",
                  "240 0 sda 10 0 80 7 0 0 0 0 0 7 7 0 0 0 0 0 0\n");
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, "PhysicalDisk", "sda", "Disk Sequence"),
                      12);
    ck_assert_uint_eq(value_of(&sample, "PhysicalDisk", "sda", "Size Bytes"),
                      2000 * 512);
    /* begun anew, not widened by nearly 2^32 */
    ck_assert_uint_eq(value_of(&sample, "PhysicalDisk", "sda", "% Disk Time"),
                      7 * MS);
    sample_close(&sample);
}
END_TEST

START_TEST(a_device_that_grows_is_as_large_within_a_minute)
{
    sample_open_tree(&sample);
    sample_take(&sample);
    proc_tree_put(temp_dir(), "sys/dev/block/240:0/size", "2000000\n");
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, "PhysicalDisk", "sda", "Size Bytes"),
                      UINT64_C(1000000) * 512);
    sample.tick.monotonic_ns += 60 * INT64_C(1000000000);
    ck_assert_int_eq(pl_sampler_read(sample.sampler, &sample.tick,
                                     &sample.stats, &sample.block),
                     PL_OK);
    ck_assert_uint_eq(value_of(&sample, "PhysicalDisk", "sda", "Size Bytes"),
                      UINT64_C(2000000) * 512);
    sample_close(&sample);
}
END_TEST

START_TEST(an_empty_drive_appears_when_it_is_used)
{
    sample_open_tree(&sample);
    sample_take(&sample);
    ck_assert(!has_instance(&sample, "PhysicalDisk", "sr0"));
    proc_tree_put(temp_dir(), "sys/dev/block/241:0/size", "100\n");
    proc_tree_put(temp_dir(), "proc/diskstats",
                  "241 0 sr0 1 0 8 1 0 0 0 0 0 1 1 0 0 0 0 0 0\n");
    sample_take(&sample);
    ck_assert(has_instance(&sample, "PhysicalDisk", "sr0"));
    ck_assert(!has_instance(&sample, "PhysicalDisk", "sda"));
    sample_close(&sample);
}
END_TEST

enum { LEFT_OUT = 1 << 16 };

static bool is_left_out(const char *object, const char *instance)
{
    return value_of(&sample, object, instance, "Data Flags") & LEFT_OUT;
}

static void take_after_a_minute(void)
{
    sample.tick.monotonic_ns += 60 * INT64_C(1000000000);
    ck_assert_int_eq(pl_sampler_read(sample.sampler, &sample.tick,
                                     &sample.stats, &sample.block),
                     PL_OK);
}

START_TEST(a_device_upon_others_is_left_out_of_the_total)
{
    static const char stacked[] =
        "   7       0 loop0 5 0 40 3 0 0 0 0 0 3 3 0 0 0 0 0 0\n"
        " 240       0 sda 10 0 80 7 0 0 0 0 0 7 7 0 0 0 0 0 0\n"
        " 242       0 dm-0 10 0 80 7 0 0 0 0 0 7 7 0 0 0 0 0 0\n";
    const char *paths[] = { "PhysicalDisk", "PhysicalDisk(loop0)\\*", NULL };
    const char *why;

    proc_tree_make(temp_dir());
    proc_tree_put(temp_dir(), "proc/diskstats", stacked);
    proc_tree_put(temp_dir(), "sys/dev/block/242:0/size", "1000000\n");
    proc_tree_put(temp_dir(), "sys/dev/block/242:0/slaves/sda", "");
    proc_tree_put(temp_dir(), "sys/dev/block/240:0/slaves/x", "");
    proc_tree_remove(temp_dir(), "sys/dev/block/240:0/slaves/x"); /* empty */
    proc_tree_put(temp_dir(), "sys/dev/block/7:0/loop/backing_file", "/x\n");
    ck_assert_int_eq(sample_open(&sample, temp_dir(), paths, &why), PL_OK);
    sample_take(&sample);
    ck_assert(!is_left_out("PhysicalDisk", "sda"));
    ck_assert(is_left_out("PhysicalDisk", "dm-0"));
    ck_assert(is_left_out("PhysicalDisk", "loop0"));
    /* another table was loaded into it */
    proc_tree_remove(temp_dir(), "sys/dev/block/242:0/slaves/sda");
    take_after_a_minute();
    ck_assert(!is_left_out("PhysicalDisk", "dm-0"));
    sample_close(&sample);
}
END_TEST

START_TEST(a_file_system_without_a_device_of_its_own_is_left_out)
{
    const char *dir = temp_dir(), *paths[] = { "LogicalDisk", NULL }, *why;
    char name[96];
    struct stat st;

    ck_assert_int_eq(stat(dir, &st), 0);
    proc_tree_make(dir);
    ck_assert_int_eq(sample_open(&sample, dir, paths, &why), PL_OK);
    sample_take(&sample);
    ck_assert_int_eq(is_left_out("LogicalDisk", dir), major(st.st_dev) == 0);
    sample_close(&sample);
    snprintf(name, sizeof name, "sys/dev/block/%u:%u/loop/backing_file",
             major(st.st_dev), minor(st.st_dev));
    proc_tree_put(dir, name, "/image\n");
    ck_assert_int_eq(sample_open(&sample, dir, paths, &why), PL_OK);
    sample_take(&sample);
    ck_assert(is_left_out("LogicalDisk", dir));
    sample_close(&sample);
}
END_TEST

/* Routers keep theirs on flash, which is no block device. */
START_TEST(a_file_system_may_have_space_without_a_device)
{
    static const char *const types[] = { "ubifs", "tmpfs", "proc" };
    const char *dir = temp_dir(), *paths[] = { "LogicalDisk", NULL }, *why;
    char text[512];
    struct stat st;

    ck_assert_int_eq(stat("/proc", &st), 0);
    ck_assert_uint_eq(major(st.st_dev), 0);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        proc_tree_make(dir);
        snprintf(text, sizeof text,
                 "40 27 0:%u / /proc rw - %s ubi0:rootfs rw\n",
                 minor(st.st_dev), types[i]);
        proc_tree_put(dir, "proc/self/mountinfo", text);
        ck_assert_int_eq(sample_open(&sample, dir, paths, &why), PL_OK);
        sample_take(&sample);
        ck_assert_msg(has_instance(&sample, "LogicalDisk", "/proc") == (i < 2),
                      "%s", types[i]);
        sample_close(&sample);
    }
}
END_TEST

/*
 * An id says nothing of age: the next mount has the lowest that is free, so in
 * a service's own namespace a folder mounted upon itself may have a lower one
 * than the root.
 */
START_TEST(a_file_system_is_named_by_its_first_mount)
{
    const char *dir = temp_dir(), *paths[] = { "LogicalDisk", NULL }, *why;
    char text[1024], inner[256];
    struct stat st;

    proc_tree_make(dir);
    ck_assert_int_eq(stat(dir, &st), 0);
    snprintf(inner, sizeof inner, "%s/sys", dir);
    snprintf(text, sizeof text,
             "67 66 %u:%u / %s rw - tmpfs t rw\n"
             "44 67 %u:%u /sys %s rw - tmpfs t rw\n",
             major(st.st_dev), minor(st.st_dev), dir, major(st.st_dev),
             minor(st.st_dev), inner);
    proc_tree_put(dir, "proc/self/mountinfo", text);
    ck_assert_int_eq(sample_open(&sample, dir, paths, &why), PL_OK);
    sample_take(&sample);
    ck_assert(has_instance(&sample, "LogicalDisk", dir));
    ck_assert(!has_instance(&sample, "LogicalDisk", inner));
    sample_close(&sample);
}
END_TEST

/* As of btrfs, each mount of which may be a file system of its own. */
START_TEST(a_device_of_two_file_systems_counts_once)
{
    const char *dir = temp_dir(), *paths[] = { "LogicalDisk", NULL }, *why;
    char text[1024], second[256];
    struct stat st;

    if (stat("/dev/loop0", &st) || !S_ISBLK(st.st_mode))
        return; /* a container without device nodes */
    proc_tree_make(dir);
    snprintf(second, sizeof second, "%s/sys", dir);
    snprintf(text, sizeof text,
             "40 27 0:70 / %s rw - btrfs /dev/loop0 rw\n"
             "41 27 0:71 / %s rw - btrfs /dev/loop0 rw\n",
             dir, second);
    proc_tree_put(dir, "proc/self/mountinfo", text);
    ck_assert_int_eq(sample_open(&sample, dir, paths, &why), PL_OK);
    sample_take(&sample);
    ck_assert(!is_left_out("LogicalDisk", dir));
    ck_assert(is_left_out("LogicalDisk", second));
    sample_close(&sample);
}
END_TEST

START_TEST(processes_come_and_go)
{
    sample_open_tree(&sample);
    sample_take(&sample);
    proc_tree_remove(temp_dir(), "proc/300/stat");
    proc_tree_put(temp_dir(), "proc/9/stat", "9 (cut");
    sample_take(&sample);
    ck_assert(!has_instance(&sample, "Process", "a) R (b:300"));
    ck_assert(has_instance(&sample, "Process", "init:1"));
    ck_assert(has_instance(&sample, "Process", "gone: wild:2000"));
    sample_close(&sample);
}
END_TEST

START_TEST(names_of_kernel_threads_are_cut)
{
    sample_open_tree(&sample);
    sample_take(&sample);
    ck_assert(has_instance(&sample, "Process", "kworker/0:1:17"));
    ck_assert(has_instance(&sample, "Process", "a_kernel_thread:18"));
    sample_close(&sample);
}
END_TEST

START_TEST(what_cannot_be_read_is_flagged)
{
    sample_open_tree(&sample);
    proc_tree_spoil(temp_dir(), "proc/300/io");
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, "Process", "a) R (b:300", "Data Flags"),
                      1 << 2);
    ck_assert_uint_eq(
        value_of(&sample, "Process", "a) R (b:300", "IO Data Bytes/sec"), 0);
    ck_assert_uint_eq(
        value_of(&sample, "Process", "a) R (b:300", "Working Set"), 409600);
    ck_assert_uint_eq(value_of(&sample, "Process", "init:1", "Data Flags"), 0);
    sample_close(&sample);
}
END_TEST

START_TEST(swap_decides_what_private_bytes_cost)
{
    const char *dir = temp_dir();
    char *none = strdup(proc_tree_meminfo);

    sample_open_tree(&sample);
    sample_take(&sample);
    ck_assert(!has_counter(&sample, "Process", "Private Bytes"));
    /* Without swap it follows from statm: (100 - 40) pages. */
    memcpy(strstr(none, "SwapTotal:       2000000"), "SwapTotal:             0",
           24);
    proc_tree_put(dir, "proc/meminfo", none);
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, "Process", "init:1", "Private Bytes"),
                      245760);
    ck_assert_uint_eq(value_of(&sample, "Process", "init:1", "Page File Bytes"),
                      0);
    proc_tree_put(dir, "proc/meminfo", proc_tree_meminfo);
    sample_take(&sample);
    ck_assert(!has_counter(&sample, "Process", "Private Bytes"));
    free(none);
    sample_close(&sample);
}
END_TEST

/* Named, the counter goes over to the costly file at once. */
START_TEST(fields_wanted_anew_are_read_in_the_same_sample)
{
    const char *paths[] = { "+Process\\Private Bytes", NULL }, *why;
    const char *dir = temp_dir();
    char *none = strdup(proc_tree_meminfo);

    memcpy(strstr(none, "SwapTotal:       2000000"), "SwapTotal:             0",
           24);
    proc_tree_make(dir);
    proc_tree_put(dir, "proc/meminfo", none);
    ck_assert_int_eq(sample_open(&sample, dir, paths, &why), PL_OK);
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, "Process", "init:1", "Private Bytes"),
                      245760);
    proc_tree_put(dir, "proc/meminfo", proc_tree_meminfo);
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, "Process", "init:1", "Private Bytes"),
                      (240 + 16) * 1024);
    free(none);
    sample_close(&sample);
}
END_TEST

START_TEST(an_unreadable_source_comes_back)
{
    sample_open_tree(&sample);
    sample_take(&sample);
    proc_tree_put(temp_dir(), "proc/loadavg", "x");
    sample_take(&sample);
    ck_assert(!has_counter(&sample, "System", "Threads"));
    ck_assert(has_counter(&sample, "System", "Processes"));
    proc_tree_put(temp_dir(), "proc/loadavg", "1.00 2.00 3.00 4/5 6\n");
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, "System", NULL, "Threads"), 5);
    sample_close(&sample);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("change");
    TCase *const tcases[] = { t, NULL };

    tcase_add_test(t, thirty_two_bits_are_widened);
    tcase_add_test(t, file_systems_are_widened_too);
    tcase_add_test(t, a_gauge_of_four_bytes_stops_at_the_largest);
    tcase_add_test(t, a_device_made_anew_is_looked_at_again);
    tcase_add_test(t, a_device_that_grows_is_as_large_within_a_minute);
    tcase_add_test(t, an_empty_drive_appears_when_it_is_used);
    tcase_add_test(t, a_device_upon_others_is_left_out_of_the_total);
    tcase_add_test(t, a_file_system_without_a_device_of_its_own_is_left_out);
    tcase_add_test(t, a_file_system_may_have_space_without_a_device);
    tcase_add_test(t, a_file_system_is_named_by_its_first_mount);
    tcase_add_test(t, a_device_of_two_file_systems_counts_once);
    tcase_add_test(t, processes_come_and_go);
    tcase_add_test(t, names_of_kernel_threads_are_cut);
    tcase_add_test(t, what_cannot_be_read_is_flagged);
    tcase_add_test(t, swap_decides_what_private_bytes_cost);
    tcase_add_test(t, fields_wanted_anew_are_read_in_the_same_sample);
    tcase_add_test(t, an_unreadable_source_comes_back);
    return run_suite("linux_change", tcases);
}
