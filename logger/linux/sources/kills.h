/*                                             logger/linux/sources/kills.h
 * Whether the kernel has killed a process for want of memory, as /proc/vmstat
 * counts: if not, no control group's own count of kills has changed.
 */
#ifndef PL_LOGGER_LINUX_SOURCES_KILLS_H
#define PL_LOGGER_LINUX_SOURCES_KILLS_H

#include <stdbool.h>
#include <stdint.h>

struct pl_machine;

struct pl_kills {
    uint64_t count;
    unsigned steady; /* samples in which it did not change, up to 2 */
};

/*
 * Once per sample: look at the count, if /proc/vmstat is read in it anyway.  If a
 * sample is lost, 'steady' begins at 0 again.
 */
void pl_kills_look(struct pl_kills *k, const struct pl_machine *m);

/*
 * True if there was none since the sample before.  A kill is counted in
 * /proc/vmstat first (mm/oom_kill.c, __oom_kill_process()): a group's file that
 * was read in between has it in the next sample, which must read it, too.
 */
bool pl_kills_are_none(const struct pl_kills *k);

#endif
