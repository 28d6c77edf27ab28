/*                                                   tests/fuzz/proc_list.h
 * The files of the made-up machine (tests/support/proc_tree.h) that fuzz_proc
 * replaces, in the order of its parts.
 */
#ifndef PL_TESTS_FUZZ_PROC_LIST_H
#define PL_TESTS_FUZZ_PROC_LIST_H

static const char *const proc_list[] = {
    "proc/stat",       "proc/meminfo",   "proc/vmstat",  "proc/loadavg",
    "proc/swaps",      "proc/diskstats", "proc/net/dev", "proc/self/mountinfo",
    "proc/1/stat",     "proc/1/statm",   "proc/1/io",    "proc/1/status",
    "proc/self/statm",
};

enum { NUM_PROC_LIST = sizeof proc_list / sizeof *proc_list };

#endif
