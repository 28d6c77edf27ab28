/* Reads the rows of a window, and writes a page of them. */
#include "analyze/moment/top.h"

#include "analyze/cli/common_options.h"
#include "analyze/hosts/hosts_print.h"
#include "analyze/moment/moment_text.h"
#include "analyze/amounts/interval_sums.h"

#include <math.h>
#include <string.h>

enum { USUAL_PROCESSES = 20, MOST_HOSTS = 10, MOST_PAGES = 3 };

/* Processes that have ended are kept so many, and looked at after so many more. */
enum { MOST_ENDED = 1000, MORE_GROUPS = 4000 };

struct page {
    const struct pl_top_plan *plan;
    struct pl_query *e;
    struct pl_moment moment;
    struct pl_interval_sums sums;
    struct pl_buf text;
    struct pl_hosts_restriction only; /* the hosts that have pages */
    const struct pl_host *host;       /* of the last row */
    size_t groups;                    /* after which ended ones are left out */
    bool unranked; /* of all processes of a page that are summed up */
};

/* ---- gathering ----------------------------------------------------------- */

/* Of one host: with several, the busiest of each would have to be found. */
static enum pl_status leave_out_ended(struct page *p)
{
    const struct pl_registry *r = &p->e->registry;
    enum pl_status s;

    if (p->e->logs.num > 1 || r->num_groups < p->groups)
        return PL_OK;
    s = pl_moment_leave_out(&p->moment, &p->sums,
                            (size_t)p->plan->rows + MOST_ENDED);
    p->groups = r->num_groups + MORE_GROUPS;
    return s;
}

/* The window is what was asked for, not a multiple of a length of time. */
static void begin_window(struct page *p)
{
    const struct pl_time_range *w = &p->plan->query.replay.window;

    pl_interval_sums_clear(&p->sums);
    for (struct pl_group *g = p->e->registry.groups; g; g = g->later)
        g->score = (struct pl_score){ 0 };
    p->moment.num_states = p->moment.num_spans = 0;
    p->sums.open = true;
    p->sums.start_ns = w->has_from ? w->from_ns : INT64_MIN;
    p->sums.end_ns = w->has_to ? w->to_ns : INT64_MAX;
}

/*
 * A clock that was set back may lead into the window again; the log's end is what
 * came then.  Of several hosts all is summed up together, and those of a file of
 * several follow one another.
 */
static bool enters_again(const struct page *p, const struct pl_row *row)
{
    return p->plan->query.of_end && p->e->logs.num == 1 &&
           p->moment.num_spans && row->host == p->host &&
           (row->older_ns <= p->sums.start_ns ||
            row->older_ns > p->sums.end_ns);
}

static enum pl_status take_row(struct pl_query *e, void *ctx,
                               const struct pl_row *row)
{
    struct page *p = ctx;
    enum pl_status s;

    (void)e;
    if (enters_again(p, row))
        begin_window(p);
    p->host = row->host;
    s = pl_moment_note(&p->moment, row);
    if (!s)
        s = pl_interval_sums_add(&p->sums, row);
    return s ? s : leave_out_ended(p);
}

static void begin(struct page *p)
{
    p->sums = (struct pl_interval_sums){ .calc = p->plan->query.replay.calc,
                                         .registry = &p->e->registry };
    p->groups = MORE_GROUPS;
    begin_window(p);
}

/* ---- pages --------------------------------------------------------------- */

static bool is_unranked(const struct pl_moment *m)
{
    const struct pl_moment_table *t = &m->tables[PL_MOMENT_PROCESS];

    for (size_t i = 0; i < t->num; i++)
        if (!isnan(t->rows[i].ranked_by))
            return false;
    return t->num > 0;
}

static void put_page(struct page *p)
{
    const size_t wanted = (size_t)p->plan->rows;
    struct pl_moment_size size = { 0 };
    unsigned lines, columns;

    if (!p->moment.host)
        return;
    if (p->text.len)
        pl_buf_u8(&p->text, '\n');
    pl_moment_rank(&p->moment);
    p->unranked |= p->plan->query.group &&
                   p->plan->sort != pl_moment_sort_of("cpu") && /* not asked */
                   is_unranked(&p->moment);
    size.processes = wanted ? wanted : USUAL_PROCESSES;
    if (!p->plan->query.output && pl_stdout_size(&lines, &columns)) {
        size.lines = wanted ? 0 : lines;
        size.columns = columns;
    }
    pl_moment_put_text(&p->text, &p->moment, &size);
    pl_moment_clear(&p->moment);
}

static enum pl_status take_window(void *ctx, const struct pl_row *row)
{
    struct page *p = ctx;
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < row->num_cells && !s; i++) {
        const struct pl_cell_at *cell = &row->cells[i];

        if (cell->group->host != p->moment.host)
            put_page(p);
        p->moment.host = cell->group->host;
        s = pl_moment_add(&p->moment, cell);
    }
    return s;
}

static enum pl_status write_pages(struct page *p)
{
    enum pl_status s = pl_interval_sums_close(&p->sums, take_window, p);

    if (!s)
        put_page(p);
    if (s || p->text.oom)
        return s ? s : PL_NOMEM;
    if (p->unranked) {
        pl_say("top: --sort '%s': has no sum, which --group needs",
               p->plan->sort->counters[0]);
        return PL_USAGE;
    }
    if (!p->text.len) {
        pl_say("%s: holds nothing that a page shows; 'perflog list' shows what "
               "there is",
               p->e->logs.logs[0].paths[0]);
        return PL_USAGE;
    }
    return pl_output_file_write(&p->e->output, p->text.p, p->text.len);
}

static enum pl_status gather(struct page *p)
{
    const struct pl_rows rows = { take_row, NULL, p };
    enum pl_status s = pl_query_begin(p->e);

    begin(p);
    if (!s)
        s = pl_query_rows(p->e, &rows);
    return !s && !p->e->rows ? PL_END : s;
}

/* Report a counter to sort by that no process has. */
static bool say_unmatched(const struct page *p)
{
    const struct pl_series_filter *choice = &p->plan->query.replay.choice;

    /* pl_top_choose() puts its paths first, one for each name of the object. */
    if (p->plan->sort != &p->plan->named || choice->matched[0] ||
        choice->matched[1])
        return false;
    pl_say_unmatched(p->e->logs.logs[0].paths[0], &p->e->registry,
                     choice->paths, 0);
    return true;
}

/*
 * The table of hosts, if there are several; pages are of those most unlike.
 * Without rows there is nothing to compare, which the pages report.
 */
static enum pl_status compare_hosts(struct page *p)
{
    struct pl_hosts h = { 0 };
    enum pl_status s;

    if (p->e->logs.num < PL_HOSTS_FEWEST)
        return PL_OK;
    s = pl_hosts_gather(&h, p->e);
    if (!s && h.compared) {
        pl_hosts_put_text(&p->text, &h, MOST_HOSTS);
        pl_hosts_restrict(&p->only, &h, p->e, MOST_PAGES);
    }
    pl_hosts_release(&h);
    return s == PL_END ? PL_OK : s;
}

static enum pl_status run(struct pl_query *e)
{
    struct page p = { .plan = (const struct pl_top_plan *)e->plan, .e = e };
    enum pl_status s;

    p.moment.sort = p.plan->sort;
    if (p.plan->query.group) {
        p.moment.processes = pl_regroup_title(p.plan->query.group);
        p.moment.names_last = pl_regroup_is_long(p.plan->query.group);
    }
    s = compare_hosts(&p);
    if (!s)
        s = gather(&p);
    if (!s && say_unmatched(&p))
        s = PL_USAGE;
    if (!s)
        s = write_pages(&p);
    pl_hosts_release_logs(&p.only, e);
    pl_interval_sums_release(&p.sums);
    pl_moment_release(&p.moment);
    pl_buf_release(&p.text);
    return s;
}

const struct pl_layout pl_layout_top = {
    .name = "top",
    .for_people = true,
    .keeps_names = true,
    .one_window = true,
    .run = run,
};

/* ---- counters ------------------------------------------------------------ */

static enum pl_status add_path(struct pl_counter_path_list *list,
                               const char *object, const char *counter)
{
    struct pl_buf path = { 0 };
    const char *why;
    enum pl_status s = PL_NOMEM;

    pl_buf_u8(&path, '\\');
    pl_buf_string(&path, object);
    pl_buf_u8(&path, '\\');
    pl_buf_bytes(&path, counter, strlen(counter) + 1);
    if (!path.oom)
        s = pl_counter_path_list_add(list, (const char *)path.p, &why);
    pl_buf_release(&path);
    return s;
}

/* All names of all columns, for all names of the object. */
static enum pl_status add_names(struct pl_counter_path_list *list,
                                enum pl_moment_section section,
                                const char *const counters[PL_MOMENT_NAMES])
{
    const char *const *objects = pl_moment_columns[section].objects;
    enum pl_status s = PL_OK;

    for (size_t o = 0; o < PL_MOMENT_NAMES && objects[o]; o++)
        for (size_t i = 0; i < PL_MOMENT_NAMES && counters[i] && !s; i++)
            s = add_path(list, objects[o], counters[i]);
    return s;
}

/* What processes are sorted by comes first, see say_unmatched(). */
static enum pl_status choose_of_processes(const struct pl_moment_sort *sort,
                                          struct pl_counter_path_list *list)
{
    static const char *const state[PL_MOMENT_NAMES] = { "State" };
    enum pl_status s = add_names(list, PL_MOMENT_PROCESS, sort->counters);

    return s ? s : add_names(list, PL_MOMENT_PROCESS, state);
}

enum pl_status pl_top_choose(const struct pl_moment_sort *sort,
                             struct pl_counter_path_list *list)
{
    enum pl_status s = sort ? choose_of_processes(sort, list) : PL_OK;

    for (size_t i = 0; i < PL_MOMENT_SECTIONS; i++) {
        const struct pl_moment_column *c = pl_moment_columns[i].columns;

        if (i == PL_MOMENT_PROCESS && !sort)
            continue;
        for (size_t k = 0; k < PL_MOMENT_COLUMNS && c[k].title && !s; k++)
            s = add_names(list, (enum pl_moment_section)i, c[k].counters);
    }
    return s;
}
