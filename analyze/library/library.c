/* Logs as time series, for other programs. */
#include "analyze/calc/calc.h"
#include "format/base/status.h"
#define PERFLOG_INSIDE
#include "analyze/library/perflog.h"

#include "analyze/input/host_log.h"
#include "analyze/replay/replay.h"
#include "format/base/buf.h"
#include "format/block/counter_path.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct pl_log {
    struct pl_host_logs logs;
    struct pl_counter_path_list choice;
    struct pl_registry registry;
    /* one per host log; NULL: no reading in progress */
    struct pl_replay **replays;
    char **names;           /* by column */
    struct pl_value *cells; /* of the current row, by column */
    uint32_t num;           /* number of columns */
    bool settled;           /* the columns have been determined, */
    enum pl_status outcome; /* with this outcome */
    bool started;
    uint64_t losses;
};

/* ---- replays ------------------------------------------------------------- */

static void stop(struct pl_log *l)
{
    for (size_t i = 0; i < l->logs.num; i++) {
        pl_replay_stop(l->replays[i]);
        l->replays[i] = NULL;
    }
}

static enum pl_status start(struct pl_log *l, bool names_only)
{
    const struct pl_replay_options options = {
        .registry = &l->registry,
        .choice = { .paths = &l->choice },
        .names_only = names_only,
        .numbers_only = true,
    };
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < l->logs.num && !s; i++)
        s = pl_replay_start(&l->replays[i], &l->logs.logs[i], &options);
    if (s)
        stop(l);
    return s;
}

static uint64_t sum_of(const struct pl_replay_losses *x)
{
    return x->damaged_ranges + x->unreachable + x->malformed + x->too_new +
           x->holes;
}

/* Read all rows of one host log, for their names. */
static enum pl_status read_names(struct pl_replay *r)
{
    int64_t time_ns;
    struct pl_row row;
    enum pl_status s;

    while (!(s = pl_replay_peek(r, &time_ns)))
        if ((s = pl_replay_row(r, &row)) != PL_OK)
            break;
    return s == PL_END ? PL_OK : s;
}

/* ---- series -------------------------------------------------------------- */

static enum pl_status name_series(struct pl_log *l, const struct pl_group *g,
                                  uint32_t slot)
{
    struct pl_buf path = { 0 };

    pl_series_path(&path, g, slot, true, true);
    pl_buf_u8(&path, 0);
    if (path.oom) {
        pl_buf_release(&path);
        return PL_NOMEM;
    }
    l->names[pl_group_series(g, slot)->column] = (char *)path.p;
    return PL_OK;
}

static enum pl_status make_columns(struct pl_log *l)
{
    struct pl_group **groups;
    size_t num_groups;
    enum pl_status s =
        pl_registry_columns(&l->registry, &groups, &num_groups, &l->num);

    if (s)
        return s;
    l->names = calloc((size_t)l->num + 1, sizeof *l->names);
    l->cells = calloc((size_t)l->num + 1, sizeof *l->cells);
    if (!l->names || !l->cells)
        s = PL_NOMEM;
    for (size_t i = 0; i < num_groups && !s; i++)
        for (uint32_t k = 0; k < groups[i]->num_slots && !s; k++) {
            const struct pl_series *one = pl_group_series(groups[i], k);

            if (one && one->present)
                s = name_series(l, groups[i], k);
        }
    free(groups);
    return s;
}

static enum pl_status settle(struct pl_log *l)
{
    enum pl_status s;

    if (l->settled)
        return l->outcome;
    s = start(l, true);
    for (size_t i = 0; i < l->logs.num && !s; i++)
        s = read_names(l->replays[i]);
    stop(l);
    l->settled = true;
    l->outcome = s ? s : make_columns(l);
    return l->outcome;
}

/* ---- rows ---------------------------------------------------------------- */

/* The time of the earliest next row of any host log. */
static enum pl_status earliest(struct pl_log *l, int64_t *time_ns)
{
    bool any = false;

    for (size_t i = 0; i < l->logs.num; i++) {
        int64_t t;
        enum pl_status s = pl_replay_peek(l->replays[i], &t);

        if (s == PL_END)
            continue;
        if (s)
            return s;
        if (!any || t < *time_ns)
            *time_ns = t;
        any = true;
    }
    return any ? PL_OK : PL_END;
}

static void put_cells(struct pl_log *l, const struct pl_row *row)
{
    for (size_t i = 0; i < row->num_cells; i++) {
        const struct pl_cell_at *at = &row->cells[i];
        uint32_t column = at->group->series[at->slot].column;

        if (column < l->num)
            l->cells[column] = at->value;
    }
}

static enum pl_status gather(struct pl_log *l, int64_t time_ns)
{
    enum pl_status s = PL_OK;

    for (uint32_t i = 0; i < l->num; i++)
        l->cells[i] = (struct pl_value){ .cell = PL_CELL_ABSENT };
    for (size_t i = 0; i < l->logs.num && !s; i++) {
        struct pl_row row;
        int64_t t;

        s = pl_replay_peek(l->replays[i], &t);
        if (!s && t == time_ns && !(s = pl_replay_row(l->replays[i], &row)))
            put_cells(l, &row);
        s = s == PL_END ? PL_OK : s;
    }
    return s;
}

/* ---- the library --------------------------------------------------------- */

static void free_words(char **words, size_t num)
{
    for (size_t i = 0; words && i < num; i++)
        free(words[i]);
    free(words);
}

/*
 * Copies, as the caller may change them; "-" is a file name here.  NULL: no
 * memory.
 */
static char **copy_words(const char *const *words, size_t num)
{
    char **copy = calloc(num + 1, sizeof *copy);

    for (size_t i = 0; copy && i < num; i++)
        if (!(copy[i] = strdup(strcmp(words[i], "-") ? words[i] : "./-"))) {
            free_words(copy, num);
            return NULL;
        }
    return copy;
}

enum pl_status pl_log_open(struct pl_log **out, const char *const *paths,
                           size_t num_paths)
{
    struct pl_log *l = calloc(1, sizeof *l);
    char **operands = copy_words(paths, num_paths);
    const char *bad;
    enum pl_status s = num_paths ? PL_NOMEM : PL_USAGE;

    if (l && operands && num_paths)
        s = pl_host_logs_open(&l->logs, operands, num_paths, &bad);
    free_words(operands, num_paths);
    if (!s && pl_host_logs_is_stream(&l->logs))
        s = PL_USAGE;
    if (!s && !(l->replays = calloc(l->logs.num + 1, sizeof *l->replays)))
        s = PL_NOMEM;
    if (!s) {
        *out = l;
        return PL_OK;
    }
    if (l)
        pl_host_logs_release(&l->logs);
    free(l);
    return s;
}

void pl_log_close(struct pl_log *l)
{
    if (!l)
        return;
    stop(l);
    for (uint32_t i = 0; l->names && i < l->num; i++)
        free(l->names[i]);
    free(l->names);
    free(l->cells);
    free(l->replays);
    pl_registry_release(&l->registry);
    pl_counter_path_list_release(&l->choice);
    pl_host_logs_release(&l->logs);
    free(l);
}

enum pl_status pl_log_choose(struct pl_log *l, const char *path)
{
    const char *why;

    if (l->settled || *path == '@' || *path == '+')
        return PL_USAGE;
    return pl_counter_path_list_add(&l->choice, path, &why);
}

enum pl_status pl_log_count(struct pl_log *l, size_t *num)
{
    enum pl_status s = settle(l);

    *num = s ? 0 : l->num;
    return s;
}

const char *pl_log_series(const struct pl_log *l, size_t i)
{
    return l->names && i < l->num ? l->names[i] : NULL;
}

enum pl_status pl_log_next(struct pl_log *l, int64_t *time_ns)
{
    enum pl_status s = settle(l);

    if (!s && !l->started) {
        s = start(l, false);
        l->started = !s;
    }
    if (!s)
        s = earliest(l, time_ns);
    if (!s)
        s = gather(l, *time_ns);
    l->losses = 0;
    for (size_t i = 0; l->started && i < l->logs.num; i++)
        l->losses += sum_of(pl_replay_losses(l->replays[i]));
    return s;
}

double pl_log_value(const struct pl_log *l, size_t i, enum pl_cell *cell)
{
    const struct pl_value none = { .cell = PL_CELL_ABSENT }, *v = &none;

    if (l->started && i < l->num)
        v = &l->cells[i];
    if (cell)
        *cell = v->cell;
    if (!pl_cell_has_value(v->cell))
        return NAN;
    return v->kind == PL_VALUE_INTEGER ? (double)v->integer : v->number;
}

uint64_t pl_log_losses(const struct pl_log *l)
{
    return l->losses;
}
