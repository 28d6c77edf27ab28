/*                                      logger/linux/processes/proc_files.h
 * The files of every process, /proc/PID/NAME.  Their descriptors stay open
 * from sample to sample where the limit on open files allows, which saves
 * opening and closing.  Reading one of a process that ended gives ESRCH, even
 * if its number is reused.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_PROC_FILES_H
#define PL_LOGGER_LINUX_PROCESSES_PROC_FILES_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "logger/linux/machine/pids.h"
#include "logger/linux/processes/own_io.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_machine;

enum pl_proc_file {
    PL_PROC_STAT,
    PL_PROC_STATM,
    PL_PROC_IO,
    PL_PROC_STATUS,
    PL_PROC_OOM,
    PL_PROC_TASK_IO, /* task/PID/io, the main thread's */
    PL_NUM_PROC_FILES
};

/* What they are called. */
extern const char *const pl_proc_file_names[PL_NUM_PROC_FILES];

enum { PL_PROC_IO_FIELDS = PL_IO_WORDS };

/* Samples after which a file read only for processes that ran is closed. */
enum { PL_PROC_KEPT = 8 };

/* Values that do not change as long as a process does not run. */
struct pl_proc_quiet {
    bool known;
    uint8_t samples; /* since it last ran, at most PL_PROC_KEPT */
    uint32_t uid;
    uint32_t flags;    /* of Data Flags */
    uint64_t started;  /* identifies the process */
    uint64_t run_time; /* ns, when it was read */
    uint64_t io[PL_PROC_IO_FIELDS];
};

struct pl_proc_entry {
    uint32_t pid;
    uint64_t child_faults;     /* of children that it has reaped */
    bool main_ended;           /* its main thread is ending, or has ended */
    uint32_t holder;           /* thread that has its memory then; 0: itself */
    int fd[PL_NUM_PROC_FILES]; /* -1: not open */
    struct pl_proc_quiet quiet;
    struct pl_own_io own;
};

struct pl_proc_files {
    struct pl_machine *machine;
    struct pl_proc_entry *list; /* one per process, ascending */
    size_t num;
    size_t cap;
    size_t budget;      /* descriptors that may still be kept */
    struct pl_buf text; /* of the file read last */
};

enum pl_outcome {
    PL_GOOD,
    PL_GONE,    /* the process ended during the read */
    PL_REFUSED, /* the file is not readable or has another form */
    PL_NO_MEMORY,
};

void pl_proc_files_init(struct pl_proc_files *f, struct pl_machine *m);
void pl_proc_files_release(struct pl_proc_files *f);

/* Update the list to the processes of 'pids'.  PL_OK or PL_NOMEM. */
enum pl_status pl_proc_files_follow(struct pl_proc_files *f,
                                    const struct pl_pids *pids);

/* Read one file of one entry of the list into f->text. */
enum pl_outcome pl_proc_files_read(struct pl_proc_files *f,
                                   struct pl_proc_entry *e,
                                   enum pl_proc_file file);

/* True if process 'pid' certainly has the number still that it had when this sample
 * read its 'stat': that is held open, and can be read. */
bool pl_proc_files_has_number(struct pl_proc_files *f, uint32_t pid);

/* From now on the thread 'tid' of a process is asked for its memory and its open
 * files; 0: the main one. */
void pl_proc_files_hold(struct pl_proc_files *f, struct pl_proc_entry *e,
                        uint32_t tid);

/* Close one file, if open: each takes about 4 kB of the kernel's memory. */
void pl_proc_files_close(struct pl_proc_files *f, struct pl_proc_entry *e,
                         enum pl_proc_file file);

/* Why a call on a file of 'pid' failed, after errno; not PL_GOOD. */
enum pl_outcome pl_proc_reason(struct pl_machine *m, uint32_t pid);

enum { PL_PROC_PATH_ROOM = 48 };

/* "PID/NAME" in 'room', or "PID" if the name is empty. */
const char *pl_proc_path(char room[PL_PROC_PATH_ROOM], uint32_t pid,
                         const char *name);

/* "PID/task/TID/NAME" in 'room', or "PID/NAME" if 'tid' is 0. */
const char *pl_proc_thread_path(char room[PL_PROC_PATH_ROOM], uint32_t pid,
                                uint32_t tid, const char *name);

#endif
