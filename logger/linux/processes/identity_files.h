/*                                    logger/linux/processes/identity_files.h
 * What /proc says of one process once: cmdline and exe (fs/proc/base.c), the
 * effective user in status (fs/proc/array.c) and cgroup (kernel/cgroup/cgroup.c, proc_cgroup_show, since Linux 2.6.24).
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
#include "logger/linux/processes/bounded_read.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_machine;

/* Room for the texts of one process; all zero at first. */
struct pl_identity_room {
    struct pl_bounded_reader reader;
    bool hung; /* the command line could not be read in time: try later */
    char command_line[PL_BOUNDED_READ_SIZE];
    char executable[PL_MAX_IDENTITY_TEXT];
    char control_group[PL_MAX_IDENTITY_TEXT];
    char text[1024]; /* of stat or status */
};

/*
 * Set the texts of 'p' that can be read, and the user unless it has one; the
 * command line only if 'with_command_line'.  p->pid is the process's; 'started'
 * is its start as in a row.  They are valid as long as 'room'.  False: that
 * process is gone, even if another has its number now.
 */
bool pl_identity_files_read(struct pl_machine *m, struct pl_identity_room *room,
                            uint64_t started, bool with_command_line,
                            struct pl_process_identity *p);

/*
 * The path in a text of /proc/PID/cgroup: that of version 2 unless the process
 * is in its root, else that of systemd's hierarchy, else the first one.
 */
struct pl_text pl_identity_control_group(struct pl_text text);

#endif
