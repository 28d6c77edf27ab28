/*
 * What the Linux sampler does when keys, files or sense are missing from
 * /proc and /sys: it leaves out what depends on them and nothing else.
 */
#include "logger/linux/objects.h"
#include "tests/proc_tree.h"
#include "tests/sample.h"
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sample sample;

/* Open the tree as it is now. */
static void open_again(void)
{
    const char *why;

    ck_assert_int_eq(sample_open(&sample, temp_dir(), NULL, &why), PL_OK);
}

/* ---- keys that are not there -------------------------------------------- */

/* True if 'word' stands in 'from' and is not a part of a longer name. */
static bool mentions(const char *from, const char *word)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_()";
    size_t n = strlen(word);

    for (const char *p = from; (p = strstr(p, word)); p++)
        if ((p == from || !strchr(letters, p[-1])) &&
            (!p[n] || !strchr(letters, p[n])))
            return true;
    return false;
}

/* The rows of Memory that need 'key' are gone, all others as before. */
static void check_memory_without(const char *key, const struct sample *whole)
{
    for (size_t i = 0; i < pl_memory.num; i++) {
        const struct pl_counter *row = &pl_memory.rows[i];
        bool has_base = i + 1 < pl_memory.num && !row[1].name;
        uint64_t was = 0, is = 0;
        bool gone;

        if (!row->name)
            continue;
        gone = mentions(row->from, key) ||
               (has_base && mentions(row[1].from, key));
        ck_assert_msg(has_counter(&sample, "Memory", row->name) == !gone,
                      "%s without %s", row->name, key);
        if (gone)
            continue;
        ck_assert(sample_value(whole, "Memory", NULL, row->name, false, &was));
        ck_assert(sample_value(&sample, "Memory", NULL, row->name, false, &is));
        ck_assert_msg(is == was, "%s without %s", row->name, key);
    }
}

/* 'text' without the line at 'line'; the key of that line in 'key'. */
static void cut_line(const char *text, const char *line, char *out,
                     char key[64])
{
    const char *end = strchr(line, '\n') + 1;
    size_t before = (size_t)(line - text), n = strcspn(line, ": ");

    memcpy(out, text, before);
    strcpy(out + before, end);
    memcpy(key, line, n);
    key[n] = 0;
}

static void without_each_key(const char *path, const char *text)
{
    struct sample whole;
    char *cut = malloc(strlen(text) + 1), key[64];

    sample_open_tree(&sample);
    sample_take(&sample);
    whole = sample;
    for (const char *p = text; *p; p = strchr(p, '\n') + 1) {
        cut_line(text, p, cut, key);
        /* from the beginning */
        proc_tree_put(temp_dir(), path, cut);
        open_again();
        sample_take(&sample);
        check_memory_without(key, &whole);
        sample_close(&sample);
        /* while we look, and back again */
        proc_tree_put(temp_dir(), path, text);
        open_again();
        sample_take(&sample);
        proc_tree_put(temp_dir(), path, cut);
        sample_take(&sample);
        check_memory_without(key, &whole);
        proc_tree_put(temp_dir(), path, text);
        sample_take(&sample);
        check_memory_without("no such key", &whole);
        sample_close(&sample);
    }
    sample_close(&whole);
    free(cut);
}

START_TEST(a_missing_key_takes_exactly_its_counters_along)
{
    without_each_key("proc/meminfo", proc_tree_meminfo);
    without_each_key("proc/vmstat", proc_tree_vmstat);
}
END_TEST

START_TEST(a_missing_file_takes_its_counters_along)
{
    sample_open_tree(&sample);
    sample_take(&sample);
    proc_tree_remove(temp_dir(), "proc/vmstat");
    sample_close(&sample);
    open_again();
    sample_take(&sample);
    ck_assert(!has_counter(&sample, "Memory", "Pages/sec"));
    ck_assert(has_counter(&sample, "Memory", "Available Bytes"));
    proc_tree_remove(temp_dir(), "proc/diskstats");
    sample_close(&sample);
    open_again();
    sample_take(&sample);
    ck_assert_uint_eq(sample_index(&sample, "PhysicalDisk"), 0);
    ck_assert(!has_counter(&sample, "LogicalDisk", "Disk Reads/sec"));
    ck_assert(has_counter(&sample, "LogicalDisk", "Free Bytes"));
    sample_close(&sample);
}
END_TEST

/* ---- text nobody would write -------------------------------------------- */

/* clang-format off */
static const char *const files[] = {
    "proc/stat",     "proc/loadavg",        "proc/meminfo",
    "proc/vmstat",   "proc/swaps",          "proc/diskstats",
    "proc/net/dev",  "proc/self/mountinfo", "proc/self/statm",
    "proc/300/stat", "proc/300/statm",      "proc/300/io",
    "proc/300/status", "sys/dev/block/240:0/size", "sys/class/net/lo/mtu",
};
/* clang-format on */

static const char *const nonsense[] = {
    "",
    "\n",
    "\n\n\n",
    ":",
    " : : : \n",
    "cpu0",
    "cpu0 \ncpu1 x\ncpu99999999999999999999 1\n",
    "MemTotal: kB\nMemFree\nCached: -1 kB\nShmem: 9 9 9\n",
    "99999999999999999999999999999999999999999999\n",
    "-99999999999999999999999999999999999999999999 -1 -1 -1\n",
    "300 (",
    "300 )x(",
    "300 ()",
    "300 () R",
    "300 (\xff\xfe\x80) R 1 2 3",
    "8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n8 0\n8\n",
    "Filename\n/dev/\\777 partition 1 2 3\n/\\04 f -1 -1 -1\n",
    "a\nb\n eth0:\n:\n/../x: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n",
    "1 2 3:4 / / rw - \n1 2 :/ \n1 2 3:4 / /\\000 rw - tmpfs x x\n",
    "1.2.3 4 5/6/7 8\n",
};

/* A line without end, longer than any buffer there is at first. */
static char *long_line(void)
{
    enum { LEN = 300000 };
    char *p = malloc(LEN + 1);

    memset(p, '9', LEN);
    memcpy(p, "cpu0 1 ", 7);
    p[LEN] = 0;
    return p;
}

START_TEST(nonsense_never_does_harm)
{
    char *line = long_line();

    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        for (size_t n = 0; n <= sizeof nonsense / sizeof *nonsense; n++) {
            const char *text =
                n < sizeof nonsense / sizeof *nonsense ? nonsense[n] : line;

            sample_open_tree(&sample);
            sample_take(&sample);
            proc_tree_put(temp_dir(), files[f], text);
            sample_take(&sample);
            sample_take(&sample);
            sample_close(&sample);
            open_again();
            sample_take(&sample);
            sample_close(&sample);
        }
    }
    free(line);
}
END_TEST

START_TEST(a_text_longer_than_the_buffer_is_read_whole)
{
    enum { NUM = 20000 };
    char *text = malloc(NUM * 8 + 1024), *p = text;

    p += sprintf(p, "cpu0 1 2 3 4 5 6 7 8 9 10\nintr 5");
    for (unsigned i = 0; i < NUM; i++)
        p += sprintf(p, " %u", i);
    strcpy(p, "\nctxt 77\nprocesses 6\nprocs_running 1\nprocs_blocked 0\n"
              "softirq 8\n");
    sample_open_tree(&sample);
    sample_take(&sample);
    proc_tree_put(temp_dir(), "proc/stat", text);
    sample_take(&sample);
    ck_assert_uint_eq(value_of(&sample, "System", NULL, "Context Switches/sec"),
                      77);
    ck_assert_uint_eq(value_of(&sample, "System", NULL, "Total Interrupts/sec"),
                      5);
    free(text);
    sample_close(&sample);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("faults");
    TCase *const tcases[] = { t, NULL };

    tcase_add_test(t, a_missing_key_takes_exactly_its_counters_along);
    tcase_add_test(t, a_missing_file_takes_its_counters_along);
    tcase_add_test(t, nonsense_never_does_harm);
    tcase_add_test(t, a_text_longer_than_the_buffer_is_read_whole);
    tcase_set_timeout(t, 120);
    return run_suite("linux_faults", tcases);
}
