/* Reads cmdline, exe and cgroup of a process. */
#include "logger/linux/identity/identity_files.h"

#include "logger/linux/machine/machine.h"
#include "logger/linux/machine/proctext.h"
#include "logger/linux/processes/proc_files.h"
#include "logger/linux/processes/process.h"
#include "logger/linux/processes/stat_line.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Fill 'room' from the beginning of a file of a process.  The kernel makes these
 * files whole: less than asked for is all (fs/seq_file.c). */
static size_t read_file(struct pl_machine *m, uint64_t pid, const char *name,
                        char *room, size_t size)
{
    char path[PL_PROC_PATH_ROOM];
    int fd = pl_proc_open(m, m->proc, pl_proc_path(path, (uint32_t)pid, name));
    ssize_t got;

    if (fd < 0)
        return 0;
    m->system_calls++;
    got = read(fd, room, size);
    pl_proc_close(m, fd);
    if (got <= 0)
        return 0;
    m->bytes_read += (uint64_t)got;
    return (size_t)got;
}

static void read_executable(struct pl_machine *m, struct pl_identity_room *room,
                            struct pl_process_identity *p)
{
    char path[PL_PROC_PATH_ROOM];
    ssize_t n = readlinkat(m->proc, pl_proc_path(path, (uint32_t)p->pid, "exe"),
                           room->executable, sizeof room->executable);

    m->system_calls++;
    if (n > 0)
        p->executable = (struct pl_text){ room->executable, (size_t)n };
}

/* The kernel shows the folder as the effective user's, also that of a process that
 * protects its memory, whose files are root's (fs/proc/base.c, task_dump_owner). */
static void read_owner(struct pl_machine *m, struct pl_process_identity *p)
{
    char path[PL_PROC_PATH_ROOM];
    struct stat st;

    m->system_calls++;
    p->has_user =
        !fstatat(m->proc, pl_proc_path(path, (uint32_t)p->pid, ""), &st, 0);
    p->user = p->has_user ? st.st_uid : 0;
}

/* In a saved tree folders are of the user who saved it.  "Uid:" has the real, the
 * effective and further users. */
static void read_saved_user(struct pl_machine *m, struct pl_identity_room *room,
                            struct pl_process_identity *p)
{
    struct pl_text text = { room->text,
                            read_file(m, p->pid, "status", room->text,
                                      sizeof room->text) };
    struct pl_proctext rest = pl_proctext_of(text), line;
    struct pl_text key;
    uint64_t uid;

    while (pl_proctext_line(&rest, &line))
        if (pl_proctext_word(&line, &key) && key.n == strlen("Uid:") &&
            !memcmp(key.p, "Uid:", key.n)) {
            p->has_user = pl_proctext_number(&line, &uid) &&
                          pl_proctext_number(&line, &uid) && uid <= UINT32_MAX;
            p->user = p->has_user ? (uint32_t)uid : 0;
        }
}

/* ---- control groups ------------------------------------------------------- */

static bool begins(struct pl_text t, const char *with)
{
    size_t n = strlen(with);

    return t.n >= n && !memcmp(t.p, with, n);
}

/* The path in "ID:CONTROLLERS:PATH"; empty: the root, or no such line. */
static struct pl_text path_of(struct pl_text line)
{
    const char *end = line.p + line.n, *p = line.p;

    for (int colons = 0; colons < 2; colons++) {
        p = memchr(p, ':', (size_t)(end - p));
        if (!p++)
            return (struct pl_text){ 0 };
    }
    return end - p > 1 ? (struct pl_text){ p, (size_t)(end - p) }
                       : (struct pl_text){ 0 };
}

struct pl_text pl_identity_control_group(struct pl_text text)
{
    struct pl_text first = { 0 }, systemd = { 0 }, unified = { 0 };

    const char *end;

    while (text.n && (end = memchr(text.p, '\n', text.n))) {
        struct pl_text line = { text.p, (size_t)(end - text.p) };
        struct pl_text path = path_of(line);

        if (begins(line, "0::"))
            unified = path;
        else if (memmem(line.p, line.n,
                        ":name=systemd:", strlen(":name=systemd:")))
            systemd = path;
        else if (!first.n)
            first = path;
        text.p += line.n + 1;
        text.n -= line.n + 1;
    }
    if (unified.n)
        return unified;
    if (systemd.n)
        return systemd;
    return first.n ? first : (struct pl_text){ "/", 1 };
}

/* ---- one process ---------------------------------------------------------- */

static bool read_stat(struct pl_machine *m, uint64_t pid,
                      uint64_t columns[PL_STAT_NUM_COLUMNS])
{
    char line[1024];
    struct pl_text text = { line,
                            read_file(m, pid, "stat", line, sizeof line) };
    struct pl_text comm;

    return text.n && pl_stat_line_scan(text, columns, &comm);
}

static bool is_ending(struct pl_machine *m, uint64_t pid)
{
    enum { PF_EXITING = 0x4 }; /* include/linux/sched.h */
    uint64_t columns[PL_STAT_NUM_COLUMNS];

    return read_stat(m, pid, columns) && columns[PL_STAT_FLAGS] & PF_EXITING;
}

/* Version 1 shows the root as the group of a process that ends, wherever it was
 * (kernel/cgroup/cgroup.c, proc_cgroup_show). */
static void set_control_group(struct pl_machine *m, struct pl_text text,
                              struct pl_process_identity *p)
{
    struct pl_text group = pl_identity_control_group(text);

    if (group.n > 1 || begins(text, "0::") || !is_ending(m, p->pid))
        p->control_group = group;
}

int pl_identity_files_open(struct pl_machine *m, uint64_t pid)
{
    char path[PL_PROC_PATH_ROOM];

    return pl_proc_open(m, m->proc,
                        pl_proc_path(path, (uint32_t)pid, "cmdline"));
}

void pl_identity_files_read(struct pl_machine *m, struct pl_identity_room *room,
                            struct pl_process_identity *p)
{
    size_t n;

    read_executable(m, room, p);
    if (!p->has_user && m->live)
        read_owner(m, p);
    else if (!p->has_user)
        read_saved_user(m, room, p);
    n = read_file(m, p->pid, "cgroup", room->control_groups,
                  sizeof room->control_groups);
    if (n)
        set_control_group(m, (struct pl_text){ room->control_groups, n }, p);
}

bool pl_identity_files_are_of(struct pl_machine *m, uint64_t pid,
                              uint64_t started)
{
    uint64_t columns[PL_STAT_NUM_COLUMNS];

    return read_stat(m, pid, columns) &&
           pl_convert(&m->units[PL_TICKS], columns[PL_STAT_STARTED]) ==
               pl_task_started_in_proc(m->units, started);
}

/* Arguments end with a NUL each; a program that overwrites its title may end it
 * with many, which are nothing that is cut. */
void pl_identity_set_command_line(struct pl_process_identity *p,
                                  struct pl_text line)
{
    size_t all = line.n;

    while (line.n && !line.p[line.n - 1])
        line.n--;
    p->is_cut = all > PL_MAX_COMMAND_LINE && line.n >= PL_MAX_COMMAND_LINE;
    p->command_line = line;
}
