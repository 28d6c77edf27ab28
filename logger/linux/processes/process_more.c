/*
 * Sums over the threads of a process, and its control group, from /proc:
 * task/TID/schedstat (fs/proc/base.c) and cgroup (kernel/cgroup/cgroup.c,
 * proc_cgroup_show).
 */
#include "logger/linux/processes/process_more.h"

#include "logger/linux/machine/machine.h"
#include "logger/linux/machine/proctext.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

void pl_process_more_init(struct pl_process_more *p, struct pl_machine *m)
{
    *p = (struct pl_process_more){
        .machine = m,
        .dir = { .machine = m, .fd = -1 },
    };
    /* Both versions mounted together, or only the second. */
    if (pl_sys_exists(m, "fs/cgroup/unified/cgroup.procs"))
        p->cgroup_mount = "fs/cgroup/unified";
    else if (pl_sys_exists(m, "fs/cgroup/cgroup.procs"))
        p->cgroup_mount = "fs/cgroup";
}

void pl_process_more_release(struct pl_process_more *p)
{
    pl_task_dir_release(&p->dir);
    pl_buf_release(&p->cgroup);
}

/* ---- sums --------------------------------------------------------------- */

static enum pl_outcome add_switches(struct pl_process_more *p, uint32_t tid,
                                    uint64_t *v)
{
    struct pl_text text;
    enum pl_outcome o = pl_task_dir_read(&p->dir, tid, "status", &text);
    uint64_t voluntary, forced;

    if (o != PL_GOOD)
        return o;
    if (!pl_proctext_key(text, "voluntary_ctxt_switches", &voluntary) ||
        !pl_proctext_key(text, "nonvoluntary_ctxt_switches", &forced))
        return PL_REFUSED;
    v[PL_P_NVCSW] += voluntary;
    v[PL_P_NIVCSW] += forced;
    return PL_GOOD;
}

/*
 * "run_ns wait_ns slices"; all 0 means that an older kernel does not count, as
 * every thread has run.
 */
static enum pl_outcome add_delay(struct pl_process_more *p, uint32_t tid,
                                 uint64_t *run_ns, uint64_t *delay_ns)
{
    struct pl_text text;
    struct pl_proctext line;
    enum pl_outcome o = pl_task_dir_read(&p->dir, tid, "schedstat", &text);
    uint64_t run, wait;

    if (o != PL_GOOD)
        return o;
    line = pl_proctext_of(text);
    if (!pl_proctext_number(&line, &run) || !pl_proctext_number(&line, &wait))
        return PL_REFUSED;
    *run_ns += run;
    *delay_ns += wait;
    return PL_GOOD;
}

/* Threads that end during the read are not in the sum. */
static enum pl_outcome sum_threads(struct pl_process_more *p,
                                   const struct pl_field *fields, uint64_t *v)
{
    bool switches = fields[PL_P_NVCSW].wanted || fields[PL_P_NIVCSW].wanted;
    bool delays = fields[PL_P_RUN_DELAY].wanted;
    uint64_t run_ns = 0, delay_ns = 0;

    for (size_t i = 0; i < p->dir.threads.num; i++) {
        uint32_t tid = p->dir.threads.pid[i];
        enum pl_outcome o = PL_GOOD;

        if (switches)
            o = add_switches(p, tid, v);
        if (delays && o == PL_GOOD)
            o = add_delay(p, tid, &run_ns, &delay_ns);
        if (o == PL_REFUSED || o == PL_NO_MEMORY)
            return o;
    }
    v[PL_P_RUN_DELAY] = pl_convert(&p->machine->units[PL_NS], delay_ns);
    return PL_GOOD;
}

/* ---- control group ------------------------------------------------------ */

/* The path after "0::", the line of version 2; false if there is none. */
static bool find_group(struct pl_text text, struct pl_text *path)
{
    struct pl_proctext rest = pl_proctext_of(text), line;

    while (pl_proctext_line(&rest, &line)) {
        if (line.end - line.p < 4 || memcmp(line.p, "0::/", 4) != 0)
            continue;
        *path = (struct pl_text){ line.p + 3, (size_t)(line.end - line.p - 3) };
        return true;
    }
    return false;
}

/* A group's number is the inode of its folder; processes share groups. */
static enum pl_outcome look_up(struct pl_process_more *p, struct pl_text path)
{
    struct pl_text last = { (const char *)p->cgroup.p,
                            p->cgroup.len ? p->cgroup.len - 1 : 0 };
    size_t skip = strlen(p->cgroup_mount);
    struct stat st;

    if (last.n == skip + path.n && !memcmp(last.p + skip, path.p, path.n))
        return p->cgroup_id ? PL_GOOD : PL_REFUSED;
    pl_buf_clear(&p->cgroup);
    pl_buf_bytes(&p->cgroup, p->cgroup_mount, skip);
    pl_buf_bytes(&p->cgroup, path.p, path.n);
    pl_buf_u8(&p->cgroup, 0);
    if (p->cgroup.oom)
        return PL_NO_MEMORY;
    p->machine->system_calls++;
    p->cgroup_id = fstatat(p->machine->sys, (const char *)p->cgroup.p, &st, 0)
                       ? 0
                       : st.st_ino;
    return p->cgroup_id ? PL_GOOD : PL_REFUSED;
}

static enum pl_outcome read_group(struct pl_process_more *p, uint32_t pid,
                                  uint64_t *v)
{
    struct pl_text text, path;
    enum pl_outcome o = pl_task_dir_read(&p->dir, pid, "cgroup", &text);

    if (o != PL_GOOD)
        return o;
    if (!p->cgroup_mount || !find_group(text, &path))
        return PL_REFUSED;
    o = look_up(p, path);
    if (o == PL_GOOD)
        v[PL_P_CGROUP] = p->cgroup_id;
    return o;
}

/* ---- one process -------------------------------------------------------- */

bool pl_process_more_probe(struct pl_process_more *p, uint32_t pid)
{
    uint64_t v[PL_NUM_PROCESS_FIELDS] = { 0 }, run = 0, delay = 0;

    if (pl_task_dir_open(&p->dir, pid) != PL_GOOD)
        return true;
    p->has_schedstat |= add_delay(p, pid, &run, &delay) == PL_GOOD && run;
    p->has_cgroup |= read_group(p, pid, v) == PL_GOOD;
    pl_task_dir_close(&p->dir);
    return !p->has_schedstat || (p->cgroup_mount && !p->has_cgroup);
}

enum pl_outcome pl_process_more_read(struct pl_process_more *p,
                                     const struct pl_field *fields,
                                     uint32_t pid, uint64_t *v)
{
    enum pl_outcome o = pl_task_dir_open(&p->dir, pid);

    if (o != PL_GOOD)
        return o;
    o = sum_threads(p, fields, v);
    if (o == PL_GOOD && fields[PL_P_CGROUP].wanted)
        o = read_group(p, pid, v);
    pl_task_dir_close(&p->dir);
    return o;
}
