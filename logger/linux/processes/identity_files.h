/*                                    logger/linux/processes/identity_files.h
 * What /proc says of one process once: cmdline and exe (fs/proc/base.c), the
 * effective user in status (fs/proc/array.c) and cgroup (kernel/cgroup/cgroup.c,
 * proc_cgroup_show, since Linux 2.6.24).
 *
 * The kernel reads a command line from the process's own memory, under the
 * lock of its memory map, for which it may wait without end: see
 * bounded_read.h.  It reads no memory mapped from files (since 4.17), so a slow
 * file system alone cannot delay it.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_IDENTITY_FILES_H
#define PL_LOGGER_LINUX_PROCESSES_IDENTITY_FILES_H

#include "format/base/text.h"
#include "format/log/process_identity.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_machine;

/* Room for the texts of one process.  Of version 1 each hierarchy of control
 * groups has a line of its own, with a path of up to 4,096 bytes. */
struct pl_identity_room {
    char executable[PL_MAX_IDENTITY_TEXT];
    char control_groups[16 * PL_MAX_IDENTITY_TEXT];
    char text[1024]; /* of stat or status */
};

/*
 * The folder of process 'pid', which stays that process's and must be closed;
 * -1: it is gone.  *command_line: its file for pl_bounded_read(), or -1; NULL:
 * not wanted.
 */
int pl_identity_files_open(struct pl_machine *m, uint64_t pid,
                           int *command_line);

/*
 * Set the texts of 'p' that can be read in 'dir', its folder, but for the
 * command line, and the user unless it has one.  'started' is its start as in a
 * row.  They are valid as long as 'room'.  False: that process is gone, even if
 * another has its number now.
 */
bool pl_identity_files_read(struct pl_machine *m, int dir,
                            struct pl_identity_room *room, uint64_t started,
                            struct pl_process_identity *p);

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
