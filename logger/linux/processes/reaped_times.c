/* Shares what parents were charged among the processes that they waited for. */
#include "logger/linux/processes/reaped_times.h"

#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/process.h"
#include "logger/linux/processes/process_rows.h"

#include <string.h>

enum {
    NS_100 = 100,
    LEAST_PLACES = 64,
    NO_MEMBER = 0,
    /* Ending takes about 0.2 us for each page of memory, 5 where that is slow,
     * and as long as 200 pages if there are none. */
    PAGES_OF_NONE = 200,
    FOR_PAGE = 2, /* 100 ns */
    MOST_FOR_PAGE = 50,
};

/* A process that waited for others, and is in the walk. */
struct reaper {
    uint64_t pid;
    int64_t missing; /* charged to it, but not shown, in 100 ns */
};

/* A process that ended and was waited for, as it seems. */
struct member {
    uint64_t own;   /* its time as it is shown, in 100 ns, as is the next */
    uint64_t shown; /* with that of those that it waited for */
    uint32_t pid, parent;
    uint32_t above;  /* the member that is its parent, number + 1 */
    uint32_t report; /* number + 1; 0: shown as ended before */
    size_t row;      /* of the first one above it that is alive */
    uint64_t likely; /* that it used without being shown */
    uint64_t most;   /* likewise, that it can have used */
};

/* What the process of a row of the walk waited for in this sample. */
struct parent {
    uint64_t shown, likely; /* of its members */
    int64_t missing;
    uint64_t charged; /* in this sample */
    uint64_t given;
};

/* What the steps of one sample share. */
struct pass {
    struct pl_reaped_times *t;
    const struct pl_source *s;
    const struct pl_buf *reports;
    size_t live_before;
    uint64_t tick; /* 100 ns */
    size_t mask;   /* of the table */
};

static struct member *member_at(const struct pass *p, size_t i)
{
    return (struct member *)(void *)p->t->members.p + i;
}

static size_t num_members(const struct pass *p)
{
    return p->t->members.len / sizeof(struct member);
}

static struct parent *parent_at(const struct pass *p, size_t row)
{
    return (struct parent *)(void *)p->t->parents.p + row;
}

static struct pl_task_exit *report_at(const struct pass *p, size_t i)
{
    return (struct pl_task_exit *)(void *)p->reports->p + i;
}

static uint64_t time_of(const uint64_t *v)
{
    return v[PL_P_UTIME] + v[PL_P_STIME];
}

static uint64_t charged_to(const uint64_t *v)
{
    return v[PL_P_CUTIME] + v[PL_P_CSTIME];
}

/* /proc rounds each of its two numbers down to ticks. */
static int64_t rounded(const struct pass *p)
{
    return 2 * (int64_t)p->tick;
}

/* ---- what was known before ---------------------------------------------- */

/* What is missing of a row of the previous sample. */
static int64_t missing_before(const struct pass *p, const uint64_t *v)
{
    const struct reaper *r =
        (const struct reaper *)(const void *)p->t->was.reapers.p;
    size_t num = p->t->was.reapers.len / sizeof *r, low = 0, high = num;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (r[mid].pid < v[PL_P_PID])
            low = mid + 1;
        else
            high = mid;
    }
    return low < num && r[low].pid == v[PL_P_PID] ? r[low].missing : 0;
}

/* What the process of a row of the previous sample was charged, less what is
 * missing: its parent's charge will have that, too. */
static uint64_t shown_before(const struct pass *p, const uint64_t *v)
{
    int64_t shown = (int64_t)charged_to(v) - missing_before(p, v);

    return shown > 0 ? (uint64_t)shown : 0;
}

/* ---- who ended ---------------------------------------------------------- */

static void add_member(struct pass *p, const struct member *one)
{
    pl_buf_bytes(&p->t->members, one, sizeof *one);
}

/* True if the previous sample's row is of a process that had ended, but that was
 * not waited for. */
static bool was_left(const struct pl_source_rows *before, size_t i)
{
    return !before->row[i].gone &&
           (before->row[i].ends ||
            pl_source_rows_values(before, i)[PL_P_EXITS]);
}

/* Those that had ended before, and are gone. */
static void add_left(struct pass *p)
{
    const struct pl_source_rows *before = &p->s->before;

    for (size_t i = 0; i < p->live_before; i++) {
        const uint64_t *v = pl_source_rows_values(before, i);

        if (!was_left(before, i) ||
            pl_walk_row(&p->s->rows, p->s->rows.num, v) != PL_NO_ROW)
            continue;
        add_member(p,
                   &(struct member){ .own = time_of(v),
                                     .shown = time_of(v) + shown_before(p, v),
                                     .pid = (uint32_t)v[PL_P_PID],
                                     .parent = (uint32_t)v[PL_P_PARENT],
                                     .likely = PAGES_OF_NONE * FOR_PAGE });
    }
}

/* One whose end is reported, unless the walk has it still. */
static void add_reported(struct pass *p, size_t i)
{
    const struct pl_task_exit *x = report_at(p, i);
    const uint64_t who[PL_NUM_PROCESS_FIELDS] = {
        [PL_P_PID] = x->head.pid,
        [PL_P_STARTED] = x->head.start_ns / NS_100,
    };
    struct member one = {
        .own = x->sums.run_time / NS_100,
        .pid = x->head.pid,
        .parent = x->head.parent,
        .report = (uint32_t)i + 1,
    };
    uint64_t pages = PAGES_OF_NONE + x->max_rss;
    size_t before = pl_walk_row(&p->s->before, p->live_before, who);

    if (pl_walk_row(&p->s->rows, p->s->rows.num, who) != PL_NO_ROW)
        return;
    if (before != PL_NO_ROW) {
        const uint64_t *v = pl_source_rows_values(&p->s->before, before);

        one.own = one.own > time_of(v) ? one.own : time_of(v);
        one.shown = shown_before(p, v);
    }
    one.shown += one.own;
    one.likely = x->sums.unseen / NS_100 + pages * FOR_PAGE;
    one.most = x->head.threads * p->tick + pages * MOST_FOR_PAGE;
    add_member(p, &one);
}

/* ---- whose children they are -------------------------------------------- */

static bool make_room(struct pass *p)
{
    size_t places = LEAST_PLACES;

    while (places < 2 * num_members(p))
        places *= 2;
    p->mask = places - 1;
    pl_buf_clear(&p->t->table);
    pl_buf_clear(&p->t->parents);
    return !p->t->members.oom &&
           pl_buf_zeros(&p->t->table, places * sizeof(uint32_t)) &&
           pl_buf_zeros(&p->t->parents,
                        (p->s->rows.num + 1) * sizeof(struct parent));
}

/* Where the number of that process' member is, or would be. */
static uint32_t *place_of(const struct pass *p, uint32_t pid)
{
    uint32_t *table = (uint32_t *)(void *)p->t->table.p;
    size_t i = pid * UINT64_C(0x9E3779B97F4A7C15) >> 32;

    while (table[i & p->mask] &&
           member_at(p, table[i & p->mask] - 1)->pid != pid)
        i++;
    return &table[i & p->mask];
}

/* The parent ended later in this sample, or is in the walk, or is unknown. */
static void find_parent(struct pass *p, size_t i)
{
    const struct pl_source_rows *rows = &p->s->rows;
    struct member *one = member_at(p, i);

    one->above = *place_of(p, one->parent);
    if (one->above) {
        one->row = member_at(p, one->above - 1)->row;
    } else {
        one->row = pl_first_row_from(rows, rows->num, one->parent);
        if (one->row < rows->num &&
            pl_source_rows_values(rows, one->row)[PL_P_PID] != one->parent)
            one->row = rows->num;
    }
    *place_of(p, one->pid) = (uint32_t)i + 1;
}

/* A parent ends after the children that it waited for: they come first. */
static void sum_up(struct pass *p)
{
    for (size_t i = num_members(p); i > 0; i--)
        find_parent(p, i - 1);
    for (size_t i = 0; i < num_members(p); i++) {
        const struct member *one = member_at(p, i);
        struct parent *parent = parent_at(p, one->row);

        parent->likely += one->likely;
        if (one->above)
            member_at(p, one->above - 1)->shown += one->shown;
        else
            parent->shown += one->shown;
    }
}

/* ---- what they were charged --------------------------------------------- */

/* True if nothing says what was charged before: no row of the previous sample,
 * nor that it was started since. */
static bool is_unknown(const struct pass *p, size_t before, const uint64_t *v)
{
    const struct pl_reaped_sample *was = &p->t->was;

    return p->s->machine->exits_lost != was->lost ||
           (before == PL_NO_ROW &&
            (!was->tick ||
             (v[PL_P_STARTED] + p->tick) * NS_100 <= (uint64_t)was->boot_ns));
}

static void find_missing(struct pass *p, size_t row)
{
    const uint64_t *v = pl_source_rows_values(&p->s->rows, row);
    size_t before = pl_walk_row(&p->s->before, p->live_before, v);
    struct parent *parent = parent_at(p, row);

    parent->charged = charged_to(v);
    if (is_unknown(p, before, v)) {
        *parent =
            (struct parent){ .missing = parent->charged ? -rounded(p) : 0 };
        return;
    }
    if (before != PL_NO_ROW) {
        const uint64_t *was = pl_source_rows_values(&p->s->before, before);

        parent->charged -= charged_to(was);
        parent->missing = missing_before(p, was);
    }
    parent->missing += (int64_t)parent->charged - (int64_t)parent->shown;
}

/* What is left may be of those that are reported in the next sample, and what is
 * too much, of those that are waited for until then. */
static void remember(struct pass *p, size_t row)
{
    const uint64_t *v = pl_source_rows_values(&p->s->rows, row);
    const struct parent *parent = parent_at(p, row);
    int64_t left = parent->missing - (int64_t)parent->given;
    int64_t least = -(int64_t)parent->shown - rounded(p);
    struct reaper one = { v[PL_P_PID], left };

    if (left > (int64_t)parent->charged)
        one.missing = (int64_t)parent->charged;
    else if (left < least)
        one.missing = least;
    if (one.missing)
        pl_buf_bytes(&p->t->now.reapers, &one, sizeof one);
}

/* ---- shared among them -------------------------------------------------- */

/* All that follows a message is the kernel's work. */
static void add_time(struct pl_task_sums *s, uint64_t shown_ns, uint64_t ns)
{
    uint64_t ticks = s->utime + s->stime;

    s->run_time = shown_ns > s->run_time ? shown_ns : s->run_time;
    s->stime =
        ticks
            ? (uint64_t)((double)s->run_time * (double)s->stime / (double)ticks)
            : 0;
    s->utime = s->run_time - s->stime;
    s->run_time += ns;
    s->stime += ns;
}

static void give(struct pass *p, const struct member *one)
{
    struct parent *parent = parent_at(p, one->row);
    uint64_t part;

    if (!one->report || parent->missing <= 0)
        return;
    part = (uint64_t)((double)parent->missing * (double)one->likely /
                      (double)parent->likely);
    part = part < one->most ? part : one->most;
    parent->given += part;
    add_time(&report_at(p, one->report - 1)->sums, one->own * NS_100,
             part * NS_100);
}

/* ---- all of it ---------------------------------------------------------- */

static void begin_sample(struct pl_reaped_times *t, const struct pl_machine *m)
{
    struct pl_reaped_sample was = t->was;

    t->was = t->now;
    t->now = was;
    t->now.tick = m->tick;
    t->now.boot_ns = m->now.boot_ns;
    t->now.lost = m->exits_lost;
    pl_buf_clear(&t->now.reapers);
    pl_buf_clear(&t->members);
}

enum pl_status pl_reaped_times_add(struct pl_reaped_times *t,
                                   const struct pl_source *s,
                                   size_t live_before,
                                   const struct pl_buf *reports, size_t num)
{
    const struct pl_conversion *ticks = &s->machine->units[PL_TICKS];
    struct pass p = { .t = t,
                      .s = s,
                      .reports = reports,
                      .live_before = live_before,
                      .tick = ticks->multiply / ticks->divide };

    begin_sample(t, s->machine);
    add_left(&p);
    for (size_t i = 0; i < num; i++)
        add_reported(&p, i);
    if (!make_room(&p))
        return PL_NOMEM;
    sum_up(&p);
    for (size_t row = 0; row < s->rows.num; row++)
        find_missing(&p, row);
    for (size_t i = 0; i < num_members(&p); i++)
        give(&p, member_at(&p, i));
    for (size_t i = 0; i < num; i++)
        report_at(&p, i)->sums.unseen = 0;
    for (size_t row = 0; row < s->rows.num; row++)
        remember(&p, row);
    return t->now.reapers.oom ? PL_NOMEM : PL_OK;
}

void pl_reaped_times_undo(struct pl_reaped_times *t, uint64_t tick)
{
    struct pl_reaped_sample was = t->was;

    if (t->now.tick != tick)
        return;
    t->was = t->now;
    t->now = was;
}

void pl_reaped_times_release(struct pl_reaped_times *t)
{
    pl_buf_release(&t->was.reapers);
    pl_buf_release(&t->now.reapers);
    pl_buf_release(&t->members);
    pl_buf_release(&t->table);
    pl_buf_release(&t->parents);
}
