/*                                     logger/linux/identity/identity_files.h
 * What /proc says of one process once: cmdline and exe (fs/proc/base.c), the
 * effective user, who owns the folder (in a saved tree: status, fs/proc/array.c), and
 * cgroup (kernel/cgroup/cgroup.c, proc_cgroup_show, since Linux 2.6.24).
 *
 * The kernel reads a command line from the process's own memory, under the
 * lock of its memory map, for which it may wait without end: see
 * bounded_read.h.  It reads no memory mapped from files (since 4.17), so a slow
 * file system alone cannot delay it.
 */
#ifndef PL_LOGGER_LINUX_IDENTITY_IDENTITY_FILES_H
#define PL_LOGGER_LINUX_IDENTITY_IDENTITY_FILES_H

#include "format/base/text.h"
#include "format/payload/process_identity.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_machine;

/* Room for the texts of one process.  Of version 1 each hierarchy of control
 * groups has a line of its own, with a path of up to 4,096 bytes. */
struct pl_identity_room {
    char executable[PL_MAX_IDENTITY_TEXT];
    char control_groups[16 * PL_MAX_IDENTITY_TEXT];
    char text[1024]; /* of status */
};

/* The command line of process 'pid', for pl_bounded_read(); -1: it is gone. */
int pl_identity_files_open(struct pl_machine *m, uint64_t pid);

/*
 * Set the texts of 'p', whose number it has, but for the command line, and the
 * user unless it has one; valid as long as 'room'.  Each file is opened by the
 * number, which costs less than opening the folder first.  What was read is the
 * process's if it has its number still, see pl_identity_files_are_of().
 */
void pl_identity_files_read(struct pl_machine *m, struct pl_identity_room *room,
                            struct pl_process_identity *p);

/* True if the process started at 'started', as in a row, has that number still,
 * and so had it when its files were read before.  Costs a third of the rest. */
bool pl_identity_files_are_of(struct pl_machine *m, uint64_t pid,
                              uint64_t started);

/* Set the command line of 'p', as the kernel has it or its beginning, a byte more
 * than PL_MAX_COMMAND_LINE at least; valid as long as 'line'. */
void pl_identity_set_command_line(struct pl_process_identity *p,
                                  struct pl_text line);

/*
 * The path in a text of /proc/PID/cgroup: that of version 2 unless the process
 * is in its root, else that of systemd's hierarchy, else the first one.  Of lines
 * without an end, as the text was cut, nothing is taken.
 */
struct pl_text pl_identity_control_group(struct pl_text text);

#endif
