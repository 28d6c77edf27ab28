/*                                        logger/linux/processes/task_dir.h
 * The folder /proc/PID/task: the threads of one process and their files.  An
 * open folder stays that of the same process even if its number is reused;
 * after the process has ended nothing in it can be read.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_TASK_DIR_H
#define PL_LOGGER_LINUX_PROCESSES_TASK_DIR_H

#include "format/base/buf.h"
#include "format/base/text.h"
#include "logger/linux/machine/pids.h"
#include "logger/linux/processes/proc_files.h"

struct pl_machine;

/* All zero except for 'machine' is a folder that is not open. */
struct pl_task_dir {
    struct pl_machine *machine;
    int fd;
    struct pl_pids threads; /* ascending */
    struct pl_buf text;     /* of the file read last */
};

/* List the threads of 'pid'; must be closed after PL_GOOD. */
enum pl_outcome pl_task_dir_open(struct pl_task_dir *d, uint32_t pid);
void pl_task_dir_close(struct pl_task_dir *d);
void pl_task_dir_release(struct pl_task_dir *d);

/* Read the file 'name' of one thread; *out is valid until the next. */
enum pl_outcome pl_task_dir_read(struct pl_task_dir *d, uint32_t tid,
                                 const char *name, struct pl_text *out);

#endif
