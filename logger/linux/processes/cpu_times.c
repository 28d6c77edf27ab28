/* Scales user and system times to their sum, as /proc does. */
#include "logger/linux/processes/cpu_times.h"

#include "format/base/array.h"

#include <stdlib.h>
#include <string.h>

static int by_id(const void *a, const void *b)
{
    const struct pl_cpu_time *x = a, *y = b;

    return x->id < y->id ? -1 : x->id > y->id;
}

/* The values shown before for the task; zeros if it is new. */
static struct pl_cpu_time shown_before(struct pl_cpu_times *c,
                                       const struct pl_cpu_time *t)
{
    const struct pl_cpu_time_list *was = &c->was;
    const struct pl_cpu_time *found = NULL;

    while (c->at < was->num && was->p[c->at].id < t->id)
        c->at++;
    if (c->at < was->num && was->p[c->at].id == t->id)
        found = &was->p[c->at];
    else if (was->num) /* it may be earlier in the list */
        found = bsearch(t, was->p, was->num, sizeof *was->p, by_id);
    return found && found->start == t->start ? *found
                                             : (struct pl_cpu_time){ 0 };
}

static enum pl_status remember(struct pl_cpu_time_list *l,
                               const struct pl_cpu_time *t)
{
    if (!pl_array_grow((void **)&l->p, &l->cap, l->num, sizeof *l->p))
        return PL_NOMEM;
    l->unsorted |= l->num && l->p[l->num - 1].id > t->id;
    l->p[l->num++] = *t;
    return PL_OK;
}

/* The system's share of 'run_time'; a double is exact to 100 ns for years. */
static uint64_t share(uint64_t run_time, uint64_t user, uint64_t system)
{
    double part = (double)system / ((double)user + (double)system);
    uint64_t v;

    v = (uint64_t)((double)run_time * part);
    return user && v < run_time ? v : run_time;
}

void pl_cpu_time_scale(struct pl_cpu_time *t, uint64_t run_time,
                       const struct pl_cpu_time *before)
{
    if (run_time <= before->user + before->system) {
        t->user = before->user;
        t->system = before->system;
        return;
    }
    /* Before its first tick a task has neither; the kernel calls that user. */
    t->system = t->system ? share(run_time, t->user, t->system) : 0;
    if (t->system < before->system)
        t->system = before->system;
    t->user = run_time - t->system;
    if (t->user < before->user) {
        t->user = before->user;
        t->system = run_time - t->user;
    }
}

enum pl_status pl_cpu_times_scale(struct pl_cpu_times *c, uint64_t run_time,
                                  struct pl_cpu_time *t)
{
    struct pl_cpu_time before = shown_before(c, t);

    if (c->may_be_inherited && run_time < before.user + before.system)
        before = (struct pl_cpu_time){ .heirs = before.heirs + 1 };
    t->heirs = before.heirs;
    pl_cpu_time_scale(t, run_time, &before);
    return remember(&c->now, t);
}

void pl_cpu_times_end(struct pl_cpu_times *c, bool all_seen)
{
    struct pl_cpu_time_list list = c->was;

    c->at = 0;
    if (all_seen) {
        c->was = c->now;
        c->now = list;
        if (c->was.unsorted)
            qsort(c->was.p, c->was.num, sizeof *c->was.p, by_id);
    }
    c->now.num = 0;
    c->now.unsorted = false;
}

void pl_cpu_times_release(struct pl_cpu_times *c)
{
    free(c->was.p);
    free(c->now.p);
    *c = (struct pl_cpu_times){ 0 };
}
