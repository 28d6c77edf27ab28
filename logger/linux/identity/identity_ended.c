/* Identifies processes that no sample has met alive. */
#include "logger/linux/identity/identity_ended.h"

#include "format/payload/process_identity.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/process.h"
#include "logger/linux/processes/process_rows.h"
#include "logger/linux/processes/tasks.h"

enum { NS_100 = 100 };

void pl_identity_ended_begin(struct pl_identity_ended *e, struct pl_machine *m,
                             bool no_command_lines)
{
    e->machine = m;
    e->budget.reserve = e->budget.left = PL_ENDED_RESERVE;
    e->no_command_lines = no_command_lines;
    if (m->tasks && !no_command_lines)
        pl_tasks_want_lines(m->tasks);
}

/* ---- who is identified ---------------------------------------------------- */

bool pl_identity_did_enough(const uint64_t *v)
{
    return v[PL_P_RUN_TIME] >= PL_NOTICED_RUN_NS / NS_100 ||
           v[PL_P_READ_BYTES] + v[PL_P_WRITE_BYTES] >= PL_NOTICED_BYTES ||
           v[PL_P_KILLED] || v[PL_P_OOM_VICTIMS];
}

static bool is_to_be_written(const struct pl_identity_ended *e,
                             const uint64_t *v)
{
    if (pl_identity_did_enough(v))
        return e->budget.left > 0;
    return v[PL_P_FAILED] && e->budget.left > e->budget.reserve / 2;
}

/* ---- one process ---------------------------------------------------------- */

/* The row of the parent: it was there when the process ended, and is the last of its
 * number that began before it. */
static size_t find_parent(const struct pl_source *s, const uint64_t *v)
{
    size_t live = s->machine->live_processes, found = PL_NO_ROW;
    uint64_t began = 0;

    for (size_t i = pl_first_row_from(&s->rows, live, v[PL_P_PARENT]);
         i < s->rows.num; i = i < live ? live : i + 1) {
        const uint64_t *p = pl_source_rows_values(&s->rows, i);

        if (p[PL_P_PID] != v[PL_P_PARENT] || p[PL_P_STARTED] < began ||
            p[PL_P_STARTED] > v[PL_P_STARTED])
            continue;
        began = p[PL_P_STARTED];
        found = i;
    }
    return found;
}

static uint64_t start_of(const struct pl_machine *m, const uint64_t *v)
{
    return pl_convert(&m->units[PL_SINCE_BOOT], v[PL_P_STARTED]);
}

static void add_parent(const struct pl_source *s, const uint64_t *v,
                       struct pl_process_identity *p)
{
    size_t i = v[PL_P_PARENT] ? find_parent(s, v) : PL_NO_ROW;

    p->parent = v[PL_P_PARENT];
    if (i == PL_NO_ROW)
        return;
    p->parent_start = start_of(s->machine, pl_source_rows_values(&s->rows, i));
    p->parent_name = pl_source_rows_name(&s->rows, i);
}

bool pl_identity_ended_command_line(struct pl_identity_ended *e,
                                    const uint64_t *v,
                                    struct pl_process_identity *p)
{
    const struct pl_task_line *l;
    struct pl_text text;

    if (!e->machine->tasks || e->no_command_lines)
        return false;
    l = pl_tasks_line(e->machine, v[PL_P_PID], v[PL_P_STARTED], &e->next_line);
    if (!l)
        return false;
    text = (struct pl_text){ l->text, l->length };
    while (text.n && !text.p[text.n - 1])
        text.n--;
    p->command_line = text;
    p->is_cut = l->is_cut;
    return true;
}

static void write_one(struct pl_identity_ended *e, const struct pl_source *s,
                      const uint64_t *v, const struct pl_user_names *users,
                      struct pl_buf *out)
{
    struct pl_process_identity p = { .pid = v[PL_P_PID],
                                     .start = start_of(e->machine, v),
                                     .has_user = s->fields[PL_P_UID].present,
                                     .is_left_out = e->no_command_lines };
    size_t before = out->len;

    if (p.has_user) {
        p.user = (uint32_t)v[PL_P_UID];
        p.user_name = pl_user_names_find(users, p.user);
    }
    pl_identity_ended_command_line(e, v, &p);
    add_parent(s, v, &p);
    pl_process_identity_write(&p, out);
    if (out->oom) {
        out->len = before;
        out->oom = false;
    }
    e->budget.left -= (int64_t)(out->len - before);
}

void pl_identity_ended_next(struct pl_identity_ended *e)
{
    e->next_line = 0;
    e->has_users = false;
    pl_identity_budget_refill(&e->budget, e->machine->now.boot_ns);
}

void pl_identity_ended_write(struct pl_identity_ended *e,
                             const struct pl_source *s, size_t i,
                             struct pl_user_names *users, struct pl_buf *out)
{
    const uint64_t *v = pl_source_rows_values(&s->rows, i);

    if (!e->machine->tasks || !is_to_be_written(e, v))
        return;
    if (!e->has_users)
        pl_user_names_refresh(users);
    e->has_users = true;
    write_one(e, s, v, users, out);
}
