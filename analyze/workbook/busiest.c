/* Ranks processes. */
#include "analyze/workbook/busiest.h"

#include "analyze/replay/group_identity.h"
#include "analyze/amounts/ranking.h"
#include "format/base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const pl_busiest_counters[PL_NUM_BUSIEST] = {
    [PL_BUSIEST_CPU] = "% Processor Time",
    [PL_BUSIEST_IO] = "IO Data Bytes/sec",
    [PL_BUSIEST_MEMORY] = "Working Set",
};

static const struct pl_layout layout = {
    .name = "xlsx",
    .numbers_only = true,
    .reads_twice = true,
    .keeps_names = true,
};

struct process {
    const struct pl_group *group;
    struct pl_score scores[PL_NUM_BUSIEST];
};

/* The pass, within that of a workbook. */
struct pass {
    struct pl_query *outer;
    struct pl_busiest *to;
    struct process *processes;
    size_t num, cap;
    const struct process *top[PL_NUM_BUSIEST][PL_BUSIEST_MOST];
    size_t num_top[PL_NUM_BUSIEST];
    double all[PL_NUM_BUSIEST]; /* what all processes did */
};

/* ---- the pass ------------------------------------------------------------ */

/* The column of its series is its place in b->processes. */
static struct process *process_of(struct pass *b, struct pl_group *g)
{
    for (uint32_t k = 0; k < g->num_slots; k++)
        if (g->series[k].column < b->num)
            return &b->processes[g->series[k].column];
    if (!pl_array_grow((void **)&b->processes, &b->cap, b->num,
                       sizeof *b->processes))
        return NULL;
    b->processes[b->num] = (struct process){ .group = g };
    for (uint32_t k = 0; k < g->num_slots; k++)
        g->series[k].column = (uint32_t)b->num;
    return &b->processes[b->num++];
}

static enum pl_busiest_by measure_of(const struct pl_cell_at *at)
{
    const char *name = at->group->object->counters[at->slot].name;
    enum pl_busiest_by by = 0;

    while (by < PL_NUM_BUSIEST && strcmp(name, pl_busiest_counters[by]) != 0)
        by++;
    return by;
}

static enum pl_status take_process_row(struct pl_query *e, void *ctx,
                                       const struct pl_row *row)
{
    struct pass *b = ctx;

    (void)e;
    for (size_t i = 0; i < row->num_cells; i++) {
        const struct pl_cell_at *at = &row->cells[i];
        enum pl_busiest_by by = measure_of(at);
        struct process *p;

        if (by == PL_NUM_BUSIEST || !at->group->instance ||
            pl_ranking_excludes(at->group->object->name, at->group->instance))
            continue;
        p = process_of(b, at->group);
        if (!p)
            return PL_NOMEM;
        pl_score_add(&p->scores[by], PL_TOP_AMOUNT, row, at);
    }
    return PL_OK;
}

/* ---- the order ----------------------------------------------------------- */

static double amount_of(const struct process *p, enum pl_busiest_by by)
{
    return p->scores[by].any ? p->scores[by].value : 0;
}

static void insert(struct pass *b, enum pl_busiest_by by,
                   const struct process *p)
{
    const struct process **top = b->top[by];
    size_t at = b->num_top[by];

    if (at == PL_BUSIEST_MOST) {
        if (amount_of(p, by) <= amount_of(top[at - 1], by))
            return;
        at--;
    } else {
        b->num_top[by]++;
    }
    for (; at && amount_of(top[at - 1], by) < amount_of(p, by); at--)
        top[at] = top[at - 1];
    top[at] = p;
}

static void rank_processes(struct pass *b)
{
    for (enum pl_busiest_by by = 0; by < PL_NUM_BUSIEST; by++)
        for (size_t i = 0; i < b->num; i++) {
            const struct process *p = &b->processes[i];

            b->all[by] += amount_of(p, by);
            if (amount_of(p, by) > 0)
                insert(b, by, p);
        }
}

/* ---- results ------------------------------------------------------------- */

static void put_name(struct pl_buf *out, struct pl_text t)
{
    pl_buf_bytes(out, t.p, t.n);
}

static bool keep_process(const struct pass *b, const struct process *p,
                         enum pl_busiest_by by)
{
    struct pl_busy_process *to = &b->to->top[by][b->to->num[by]++];

    to->mean = pl_score_of(&p->scores[by], PL_TOP_MEAN);
    to->share = amount_of(p, by) / b->all[by];
    pl_buf_bytes(&to->name, p->group->instance, strlen(p->group->instance) + 1);
    put_name(&to->host, pl_text_of(p->group->host->name));
    put_name(&to->user, pl_group_identity_text(p->group, PL_USER));
    put_name(&to->command, pl_group_identity_text(p->group, PL_COMMAND_LINE));
    return !to->name.oom && !to->host.oom && !to->user.oom && !to->command.oom;
}

static enum pl_status keep_all(const struct pass *b)
{
    bool good = true;

    for (enum pl_busiest_by by = 0; by < PL_NUM_BUSIEST; by++)
        for (size_t i = 0; i < b->num_top[by] && good; i++)
            good = keep_process(b, b->top[by][i], by);
    return good ? PL_OK : PL_NOMEM;
}

static void add_name(struct pl_busiest *b, const char *name)
{
    size_t i = 0;

    while (i < PL_BUSIEST_NAMES && b->names[i] &&
           strcmp(b->names[i], name) != 0)
        i++;
    if (i < PL_BUSIEST_NAMES)
        b->names[i] = name;
}

static void gather_names(struct pl_busiest *b)
{
    for (size_t i = 0; i < PL_BUSIEST_MOST; i++)
        for (enum pl_busiest_by by = 0; by < PL_NUM_BUSIEST; by++)
            if (i < b->num[by])
                add_name(b, (const char *)b->top[by][i].name.p);
}

/* ---- all of it ----------------------------------------------------------- */

static enum pl_status choose(struct pl_counter_path_list *paths)
{
    enum pl_status s = PL_OK;
    char path[64];
    const char *why;

    for (size_t i = 0; i < PL_NUM_BUSIEST && !s; i++) {
        snprintf(path, sizeof path, "\\Process(*)\\%s", pl_busiest_counters[i]);
        s = pl_counter_path_list_add(paths, path, &why);
    }
    return s;
}

static enum pl_status run(struct pl_query *e, void *ctx)
{
    struct pass *b = ctx;
    const struct pl_rows rows = { take_process_row, NULL, b };
    enum pl_status s = pl_query_begin(e);

    if (!s)
        s = pl_query_rows(e, &rows);
    if (s)
        b->outer->code = e->code;
    rank_processes(b);
    if (!s)
        s = keep_all(b);
    free(b->processes);
    return s;
}

enum pl_status pl_busiest_find(struct pl_busiest *b, struct pl_query *e,
                               uint64_t samples)
{
    struct pl_counter_path_list paths = { 0 };
    struct pl_query_plan plan = { .command = e->plan->command,
                                  .layout = &layout,
                                  .identity = true,
                                  .replay = e->plan->replay };
    struct pass pass = { .outer = e, .to = b };
    enum pl_status s = choose(&paths);

    b->keys_only = samples > PL_BUSIEST_SAMPLES;
    plan.replay.key_rows = b->keys_only;
    plan.replay.choice = (struct pl_series_filter){ .paths = &paths };
    if (!s)
        s = pl_query_within(e, &plan, run, &pass);
    if (!s)
        gather_names(b);
    pl_counter_path_list_release(&paths);
    return s;
}

void pl_busiest_release(struct pl_busiest *b)
{
    for (enum pl_busiest_by by = 0; by < PL_NUM_BUSIEST; by++)
        for (size_t i = 0; i < b->num[by]; i++) {
            pl_buf_release(&b->top[by][i].name);
            pl_buf_release(&b->top[by][i].host);
            pl_buf_release(&b->top[by][i].user);
            pl_buf_release(&b->top[by][i].command);
        }
    *b = (struct pl_busiest){ 0 };
}
