/*
 * What the Linux sampler does when keys, files or sense are missing from
 * /proc and /sys: it leaves out what depends on them and nothing else.
 */
#include "logger/linux/tables/objects.h"
#include "tests/support/proc_tree.h"
#include "tests/support/sample.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sample sample;

/* Open the tree as it is now; no paths: the default set. */
static void open_again(const char *const *paths)
{
    const char *why;

    ck_assert_int_eq(sample_open(&sample, temp_dir(), paths, &why), PL_OK);
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

/*
 * True if the row cannot do without 'key': it and no other is in it, or it
 * is not one of several that will do.
 */
static bool depends_on(const char *from, const char *key)
{
    return mentions(from, key) && !strchr(from, '?');
}

/* The rows of 'object' that need 'key' are gone, all others as before. */
static void check_without(const char *object, const struct pl_table *table,
                          const char *key, const struct sample *whole)
{
    for (size_t i = 0; i < table->num; i++) {
        const struct pl_counter *row = &table->rows[i];
        bool has_base = i + 1 < table->num && !row[1].name;
        uint64_t was = 0, is = 0;
        bool gone;

        if (!row->name)
            continue;
        gone = depends_on(row->from, key) ||
               (has_base && depends_on(row[1].from, key)) ||
               !has_counter(whole, object, row->name);
        ck_assert_msg(has_counter(&sample, object, row->name) == !gone,
                      "%s without %s", row->name, key);
        if (gone || mentions(row->from, key))
            continue;
        ck_assert(sample_value(whole, object, NULL, row->name, false, &was));
        ck_assert(sample_value(&sample, object, NULL, row->name, false, &is));
        ck_assert_msg(is == was, "%s without %s", row->name, key);
    }
}

static void check_memory_without(const char *key, const struct sample *whole)
{
    check_without("Memory", &pl_object_memory.tables[0], key, whole);
    check_without("Virtual Memory", &pl_object_virtual_memory.tables[0], key,
                  whole);
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
    static const char *const paths[] = { "Memory", "Virtual Memory", NULL };
    struct sample whole;
    char *cut = malloc(strlen(text) + 1), key[64];

    proc_tree_make(temp_dir());
    open_again(paths);
    sample_take(&sample);
    whole = sample;
    for (const char *p = text; *p; p = strchr(p, '\n') + 1) {
        cut_line(text, p, cut, key);
        /* from the beginning */
        proc_tree_put(temp_dir(), path, cut);
        open_again(paths);
        sample_take(&sample);
        check_memory_without(key, &whole);
        sample_close(&sample);
        /* while we look, and back again */
        proc_tree_put(temp_dir(), path, text);
        open_again(paths);
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
    open_again(NULL);
    sample_take(&sample);
    ck_assert(!has_counter(&sample, "Memory", "Pages/sec"));
    ck_assert(has_counter(&sample, "Memory", "Available Bytes"));
    proc_tree_remove(temp_dir(), "proc/diskstats");
    sample_close(&sample);
    open_again(NULL);
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

/* These do not depend on one another: all at once. */
static const char *const more_files[] = {
    "proc/net/snmp", "proc/net/netstat", "proc/net/snmp6",
    "proc/net/sockstat", "proc/net/softnet_stat", "proc/interrupts",
    "proc/softirqs", "proc/slabinfo", "proc/cpuinfo", "proc/self/mountstats",
    "proc/pressure/cpu", "proc/sys/fs/file-nr",
    "sys/devices/system/node/node0/meminfo",
    "sys/devices/system/cpu/cpu0/cpuidle/state0/name",
    "sys/class/hwmon/hwmon0/temp1_input",
    "sys/class/hwmon/hwmon0/temp1_label",
    "sys/class/powercap/intel-rapl:0/energy_uj",
    "sys/fs/cgroup/a.slice/cpu.stat", "sys/fs/cgroup/a.slice/cpu.max",
    "sys/fs/cgroup/a.slice/io.stat", "sys/fs/cgroup/a.slice/memory.pressure",
    "sys/fs/cgroup/cgroup.stat",
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
    "Ip: InReceives OutRequests\nIp: 1\nTcp: InSegs InSegs\nTcp: 1 2\n",
    "Ip:\nIp:\nIp: a b c\n",
    "Ip6InReceives\nIp6\nUdp6InDatagrams x\n",
    "TCP: inuse\nTCP: inuse x orphan = tw==3\nTCP:\n",
    "0000000g\nffffffffffffffffff 1\n\n1 2 3\n",
    "CPU0 CPUx CPU\n24: 1 2 3 4\nLOC: x\n:: 1\nERR: 1 2\n",
    "slabinfo\n#\nx 1 2 3 4 5 : tunables 1 1 1 : slabdata 1\n",
    "processor\t:\ncpu MHz\t\t: 1\nprocessor : 0\ncpu MHz : x\n",
    "device a mounted on / with fstype nfs\nper-op\n:\nREAD: 1 2\n",
    "max\n",
    "8:0\n8: rbytes=1\n240:0 rbytes=x =1 ==\nDefault rbytes=7\n",
    "some total=\nfull total=-1\nsome\n",
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

/* What stands in a file of the tree. */
static char *text_of(const char *path)
{
    size_t n;
    uint8_t *bytes = read_file(path_in(temp_dir(), path), &n);
    char *text = malloc(n + 1);

    memcpy(text, bytes, n);
    text[n] = 0;
    free(bytes);
    return text;
}

static void open_with(bool all)
{
    if (all)
        ck_assert_int_eq(sample_open_all(&sample, temp_dir()), PL_OK);
    else
        open_again(NULL);
}

/* Samples before, while and after each nonsense stands in 'num' files. */
static void try_nonsense(const char *const paths[], size_t num,
                         const char *line, bool all)
{
    char *sense[64];

    ck_assert_uint_le(num, 64);
    for (size_t f = 0; f < num; f++)
        sense[f] = text_of(paths[f]);
    for (size_t n = 0; n <= sizeof nonsense / sizeof *nonsense; n++) {
        const char *text =
            n < sizeof nonsense / sizeof *nonsense ? nonsense[n] : line;

        open_with(all);
        sample_take(&sample);
        for (size_t f = 0; f < num; f++)
            proc_tree_put(temp_dir(), paths[f], text);
        sample_take(&sample);
        sample_take(&sample);
        sample_close(&sample);
        open_with(all);
        sample_take(&sample);
        for (size_t f = 0; f < num; f++)
            proc_tree_put(temp_dir(), paths[f], sense[f]);
        sample_take(&sample);
        sample_close(&sample);
    }
    for (size_t f = 0; f < num; f++)
        free(sense[f]);
}

START_TEST(nonsense_in_a_file_never_does_harm)
{
    char *line = long_line();

    proc_tree_make(temp_dir());
    try_nonsense(&files[_i], 1, line, false);
    free(line);
}
END_TEST

START_TEST(nonsense_in_many_files_never_does_harm)
{
    char *line = long_line();

    proc_tree_make(temp_dir());
    try_nonsense(more_files, sizeof more_files / sizeof *more_files, line,
                 true);
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
    tcase_add_loop_test(t, nonsense_in_a_file_never_does_harm, 0,
                        sizeof files / sizeof *files);
    tcase_add_test(t, nonsense_in_many_files_never_does_harm);
    tcase_add_test(t, a_text_longer_than_the_buffer_is_read_whole);
    return run_suite("linux_faults", tcases);
}
