/* Reasons why counters of the tables are not recorded on this machine. */
#include "logger/linux/sources/cgroups.h"
#include "logger/linux/sources/member_files.h"
#include "logger/linux/block/layout.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/process.h"
#include "logger/linux/processes/tasks.h"
#include "logger/linux/source_kinds.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { WHY_ROOM = 512 };

struct reporter {
    struct pl_machine machine;
    void (*report)(void *context, const char *path, const char *why);
    void *context;
    unsigned major, minor; /* of the running kernel */
    struct pl_buf shared;  /* one reason, and the counters that have it */
};

/* ---- files -------------------------------------------------------------- */

/* True if the source's file cannot be read; 'why' then has the reason. */
static bool explain_file(struct reporter *r, const struct pl_source *s,
                         char why[WHY_ROOM])
{
    const struct pl_source_kind *kind = s->kind;
    bool in_sys = kind->family && kind->family->in_sys;
    int dir = in_sys ? r->machine.sys : r->machine.proc, fd, error = 0;
    const char *root = in_sys ? "/sys" : "/proc";
    char byte;

    if (!kind->path && kind->absent && !s->readable)
        snprintf(why, WHY_ROOM, "%s", kind->absent);
    if (!kind->path)
        return kind->absent && !s->readable;
    fd = pl_proc_open(&r->machine, dir, kind->path);
    if (fd < 0 || (pread(fd, &byte, 1, 0) < 0 && errno != EISDIR))
        error = errno;
    if (fd >= 0)
        pl_proc_close(&r->machine, fd);
    if (error == ENOENT)
        snprintf(why, WHY_ROOM, "there is no %s/%s", root, kind->path);
    else if (error == EACCES || error == EPERM)
        snprintf(why, WHY_ROOM, "%s/%s: not permitted", root, kind->path);
    else if (error)
        snprintf(why, WHY_ROOM, "%s/%s: %s", root, kind->path, strerror(error));
    return error != 0;
}

/* ---- names -------------------------------------------------------------- */

static bool is_name(char c)
{
    return c && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                       "0123456789_()",
                       c);
}

static bool has_field(const struct pl_object_layout *l, struct pl_text name)
{
    for (size_t i = 0; i < l->num_sources; i++)
        if (pl_source_find(l->sources[i], name) != PL_NO_FIELD)
            return true;
    return false;
}

/* The first name in an expression that no source has; empty if all do. */
static struct pl_text missing_name(const struct pl_object_layout *l,
                                   const char *from)
{
    while (*from) {
        struct pl_text name = { from, 0 };

        while (is_name(from[name.n]))
            name.n++;
        from += name.n ? name.n : 1;
        if (!name.n || *from == ':' || (*name.p >= '0' && *name.p <= '9'))
            continue;
        if (!has_field(l, name))
            return name;
    }
    return (struct pl_text){ from, 0 };
}

static bool is_too_old(const struct reporter *r, const struct pl_counter *row,
                       char why[WHY_ROOM])
{
    unsigned since = row->since;

    if (PL_LINUX(r->major, r->minor) >= since)
        return false;
    snprintf(why, WHY_ROOM, "Linux %u.%u and later have it, this is %u.%u",
             since >> 8, since & 0xff, r->major, r->minor);
    return true;
}

/* True for a counter that the kernel has but that is switched off. */
static bool is_off(struct reporter *r, struct pl_text name, char why[WHY_ROOM])
{
    if (!pl_text_equal(name, pl_text_of("blkio_delay")) ||
        pl_delays_are_counted(&r->machine))
        return false;
    snprintf(why, WHY_ROOM, "kernel.task_delayacct is off (sysctl)");
    return true;
}

/* The part of a family that gives the field; NULL if none does. */
static const struct pl_part *part_of(const struct pl_source *s,
                                     struct pl_text name)
{
    const struct pl_member_files *family = s->kind->family;

    for (size_t f = 0; family && f < s->num_fields; f++) {
        const struct pl_field *field = &s->fields[f];

        if (field->name_len != name.n || memcmp(field->name, name.p, name.n))
            continue;
        for (size_t i = 0; i < family->num_parts; i++) {
            const struct pl_part *part = &family->parts[i];

            if (f - part->first_field < part->num_fields)
                return part;
        }
    }
    return NULL;
}

static bool has_sys(const struct reporter *r)
{
    struct statfs fs;

    return r->machine.sys >= 0 && !fstatfs(r->machine.sys, &fs) &&
           fs.f_type == SYSFS_MAGIC;
}

/* Counters of Process that need a source of the ends of processes: a BPF
 * program, else taskstats. */
static bool explain_ends(const struct reporter *r,
                         const struct pl_object_layout *l,
                         const struct pl_counter *row, char why[WHY_ROOM])
{
    const struct pl_machine *m = &r->machine;
    bool is_of_ends = pl_process_is_of_ends(row->from);

    if (l->def->sources[0] != PL_PROCESS || (m->tasks && m->sees_exits) ||
        !(is_of_ends || pl_process_is_of_reaped(row->from)))
        return false;
    if (m->tasks)
        snprintf(why, WHY_ROOM, "no BPF program sees processes end: %s",
                 m->tasks->why_not ? m->tasks->why_not : "unknown");
    else if (m->sees_exits || !is_of_ends)
        snprintf(why, WHY_ROOM,
                 "taskstats does not say it, and BPF is not "
                 "used: %s",
                 m->why ? m->why : "it was not asked for");
    else
        snprintf(why, WHY_ROOM, "not by BPF: %s; not by taskstats: %s",
                 m->why ? m->why : "it was not asked for",
                 m->why_no_exits ? m->why_no_exits : "unknown");
    return true;
}

/* 'base' is the base of 'row', or NULL. */
static void explain(struct reporter *r, const struct pl_object_layout *l,
                    const struct pl_counter *row, const struct pl_counter *base,
                    char why[WHY_ROOM])
{
    struct pl_text name = missing_name(l, row->from);
    const struct pl_part *part = NULL;

    if (explain_ends(r, l, row, why))
        return;
    if (!name.n && base)
        name = missing_name(l, base->from);
    if (is_too_old(r, row, why) || is_off(r, name, why))
        return;
    for (size_t i = 0; i < l->num_sources; i++) {
        if (explain_file(r, l->sources[i], why))
            return;
        part = part ? part : part_of(l->sources[i], name);
    }
    if (!has_sys(r))
        snprintf(why, WHY_ROOM, "there is no /sys, and /proc has no '%.*s'",
                 (int)name.n, name.p);
    else if (part && *part->file)
        snprintf(why, WHY_ROOM, "nothing here has '%.*s' (file %s)",
                 (int)name.n, name.p, part->file);
    else
        snprintf(why, WHY_ROOM, "this kernel has no '%.*s'", (int)name.n,
                 name.p);
}

/* ---- objects ------------------------------------------------------------ */

static bool has_row(const struct pl_object_layout *l,
                    const struct pl_counter *row)
{
    for (size_t i = 0; i < l->num_cells; i++)
        if (l->cells[i].row == row)
            return true;
    return false;
}

/* True if the row is one of several that are reported in one line. */
static bool shares_reason(struct reporter *r,
                          const struct pl_object_layout *all,
                          const struct pl_counter *row)
{
    char why[WHY_ROOM];

    if (!pl_cgroups_explain(all->sources[0], why, sizeof why))
        return false;
    if (r->shared.len)
        pl_buf_bytes(&r->shared, ", ", 2);
    else
        pl_buf_string(&r->shared, why);
    pl_buf_string(&r->shared, row->name);
    return true;
}

static void report_row(struct reporter *r, const struct pl_object_layout *all,
                       size_t i, bool whole_object)
{
    const struct pl_object_def *def = all->def;
    const struct pl_candidate *c = &all->candidates[i];
    const struct pl_counter *row = c->row, *base = NULL;
    char why[WHY_ROOM], path[256];

    if (i + 1 < all->num_candidates && !c[1].row->name)
        base = c[1].row;
    snprintf(path, sizeof path, "\\%s%s\\%s", def->name,
             def->has_instances ? "(*)" : "", row->name);
    if (!has_row(all, row) && shares_reason(r, all, row))
        return;
    if (!has_row(all, row))
        explain(r, all, row, base, why);
    else if (whole_object)
        snprintf(why, sizeof why, "on request: -c '+%s'", def->name);
    else
        snprintf(why, sizeof why, "on request: -c '+%s'", path);
    r->report(r->context, path, why);
}

/* All counters of an object without instances have the same reason. */
static void report_none(struct reporter *r, const struct pl_object_def *def,
                        const char *why)
{
    char path[256];

    snprintf(path, sizeof path, "\\%s(*)\\*", def->name);
    r->report(r->context, path, why);
}

/* What shares_reason has gathered of an object. */
static enum pl_status report_shared(struct reporter *r,
                                    const struct pl_object_def *def)
{
    if (!r->shared.len)
        return PL_OK;
    pl_buf_u8(&r->shared, 0);
    if (r->shared.oom)
        return PL_NOMEM;
    report_none(r, def, (const char *)r->shared.p);
    pl_buf_clear(&r->shared);
    return PL_OK;
}

static enum pl_status report_object(struct reporter *r,
                                    const struct pl_object_def *def)
{
    struct pl_counter_filter everything = { .all = true },
                             usual = { .all = false };
    struct pl_object_layout all = { 0 }, by_default = { 0 };
    char why[WHY_ROOM];
    enum pl_status s =
        pl_object_layout_init(&all, &r->machine, def, &everything);

    if (!s)
        s = pl_object_layout_init(&by_default, &r->machine, def, &usual);
    if (!s && pl_object_layout_none(&all))
        report_none(r, def, pl_object_layout_none(&all));
    for (size_t i = 0;
         i < all.num_candidates && !s && !pl_object_layout_none(&all); i++) {
        const struct pl_counter *row = all.candidates[i].row;

        if (row->name && !has_row(&by_default, row))
            report_row(r, &all, i, by_default.num_cells == 0);
    }
    s = s ? s : report_shared(r, def);
    if (!s && pl_cgroups_left_out(all.sources[0], why, sizeof why))
        report_none(r, def, why);
    pl_object_layout_release(&all);
    pl_object_layout_release(&by_default);
    return s;
}

enum pl_status pl_sampler_missing(void (*report)(void *context,
                                                 const char *path,
                                                 const char *why),
                                  void *context)
{
    static const struct pl_sampler_options options;
    struct reporter r = { .report = report, .context = context };
    struct utsname uts;
    enum pl_status s = pl_machine_open(&r.machine, &options, pl_source_kinds);

    if (uname(&uts) == 0)
        sscanf(uts.release, "%u.%u", &r.major, &r.minor);
    for (size_t i = 0; i < pl_num_objects && !s; i++)
        s = report_object(&r, pl_objects[i]);
    pl_buf_release(&r.shared);
    pl_machine_close(&r.machine);
    return s;
}
