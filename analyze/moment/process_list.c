/* Filters, and orders processes as a tree, by control groups or by programs. */
#include "analyze/moment/process_list.h"

#include "analyze/replay/group_identity.h"
#include "format/base/utf.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, DEEPEST = 12, HIGHEST = 64 };

static struct pl_text name_of(const struct pl_moment_row *row)
{
    return pl_text_of(row->group->instance);
}

/* ---- filter -------------------------------------------------------------- */

/* True if 't' begins with 'what', in whatever case. */
static bool begins(struct pl_text t, struct pl_text what)
{
    while (what.n) {
        size_t a, b;

        if (!t.n ||
            pl_fold(pl_utf8_decode((const uint8_t *)t.p, t.n, &a)) !=
                pl_fold(pl_utf8_decode((const uint8_t *)what.p, what.n, &b)))
            return false;
        t = (struct pl_text){ t.p + a, t.n - a };
        what = (struct pl_text){ what.p + b, what.n - b };
    }
    return true;
}

static bool contains(struct pl_text t, struct pl_text what)
{
    for (; t.n; t.p++, t.n--)
        if (begins(t, what))
            return true;
    return false;
}

static bool matches(const struct pl_moment_row *row, const char *filter)
{
    const struct pl_text what = pl_text_of(filter);

    if (!what.n || contains(name_of(row), what))
        return true;
    for (size_t k = 0; k < PL_NUM_IDENTITY_COLUMNS; k++)
        if (k != PL_PARENT &&
            contains(
                pl_group_identity_text(row->group, (enum pl_identity_column)k),
                what))
            return true;
    return false;
}

/* ---- what orders are made of --------------------------------------------- */

/* A process and its place among those below the same parent or group. */
struct node {
    const struct pl_moment_row *row;
    struct pl_text key; /* its name, its control group, or its program */
    size_t parent;      /* place of its parent; NONE */
    size_t child, next; /* first of its children, its next brother; NONE */
    double rank;        /* its own and that of all below it */
    bool shown;
    bool done;
};

#define NONE SIZE_MAX

struct nodes {
    struct node *p;
    size_t num;
    size_t *by_key; /* their places, in the order of keys */
};

/* Pairs for sorting, as qsort() hands on no context. */
struct keyed {
    struct pl_text key;
    size_t place;
};

static int by_key(const void *x, const void *y)
{
    const struct keyed *a = x, *b = y;
    const int order = pl_text_compare(a->key, b->key);

    return order ? order : (a->place > b->place) - (a->place < b->place);
}

static bool sort_keys(struct nodes *n)
{
    struct keyed *k = malloc((n->num + 1) * sizeof *k);

    if (!k)
        return false;
    for (size_t i = 0; i < n->num; i++)
        k[i] = (struct keyed){ n->p[i].key, i };
    qsort(k, n->num, sizeof *k, by_key);
    for (size_t i = 0; i < n->num; i++)
        n->by_key[i] = k[i].place;
    free(k);
    return true;
}

static struct pl_text key_of(const struct pl_moment_row *row,
                             enum pl_process_order order)
{
    if (order == PL_BY_CONTROL_GROUP)
        return pl_group_identity_text(row->group, PL_CONTROL_GROUP);
    if (order == PL_BY_PROGRAM && row->group->instance)
        return pl_group_program(row->group);
    return name_of(row);
}

static enum pl_status make_nodes(struct nodes *n,
                                 const struct pl_moment_table *t,
                                 const struct pl_process_view *view)
{
    n->num = t->num;
    n->p = calloc(t->num + 1, sizeof *n->p);
    n->by_key = calloc(t->num + 1, sizeof *n->by_key);
    if (!n->p || !n->by_key)
        return PL_NOMEM;
    for (size_t i = 0; i < t->num; i++) {
        const struct pl_moment_row *row = &t->rows[i];

        n->p[i] = (struct node){
            .row = row,
            .key = key_of(row, view->order),
            .parent = NONE,
            .child = NONE,
            .next = NONE,
            .rank = row->rank,
            .shown = row->group->instance &&
                     (!view->filter || matches(row, view->filter)),
        };
    }
    return sort_keys(n) ? PL_OK : PL_NOMEM;
}

static void free_nodes(struct nodes *n)
{
    free(n->p);
    free(n->by_key);
}

static void add_entry(struct pl_process_list *list,
                      const struct pl_moment_row *row, struct pl_text name,
                      unsigned depth)
{
    list->entries[list->num++] = (struct pl_process_entry){ row, name, depth };
}

/* ---- the tree of parents ------------------------------------------------- */

static size_t find_key(const struct nodes *n, struct pl_text key)
{
    size_t low = 0, high = n->num;

    while (low < high) {
        const size_t mid = low + (high - low) / 2;

        if (pl_text_compare(n->p[n->by_key[mid]].key, key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low < n->num && !pl_text_compare(n->p[n->by_key[low]].key, key)
               ? n->by_key[low]
               : NONE;
}

static void find_parents(struct nodes *n)
{
    for (size_t i = 0; i < n->num; i++) {
        const struct pl_text parent =
            pl_group_identity_text(n->p[i].row->group, PL_PARENT);
        const size_t at = parent.n ? find_key(n, parent) : NONE;

        n->p[i].parent = at == i ? NONE : at;
    }
}

/* Logs are untrusted: a chain may be as long as the log likes, or a ring. */
static void add_up_ranks(struct nodes *n)
{
    for (size_t i = 0; i < n->num; i++) {
        size_t at = n->p[i].parent;

        for (unsigned up = 0; at != NONE && up < HIGHEST; up++) {
            n->p[at].rank += n->p[i].row->rank;
            at = n->p[at].parent;
        }
    }
}

struct ranked {
    double rank;
    size_t place;
};

static int by_tree(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;

    if (a->rank != b->rank)
        return a->rank > b->rank ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* Put the last one first, so that the busiest is the first child. */
static void link_children(struct nodes *n, const struct ranked *order)
{
    for (size_t i = n->num; i-- > 0;) {
        struct node *one = &n->p[order[i].place];

        if (one->parent == NONE)
            continue;
        one->next = n->p[one->parent].child;
        n->p[one->parent].child = order[i].place;
    }
}

/* Logs are untrusted: parents may form a ring. */
static void show_ancestors(struct nodes *n)
{
    for (size_t i = 0; i < n->num; i++)
        for (size_t at = n->p[i].shown ? n->p[i].parent : NONE;
             at != NONE && !n->p[at].shown; at = n->p[at].parent)
            n->p[at].shown = true;
}

/* 'top' and all below it, without recursion: a log decides about the depth. */
static void add_tree(struct pl_process_list *list, struct nodes *n, size_t top)
{
    unsigned depth = 0;
    size_t at = top;

    while (at != NONE) {
        struct node *one = &n->p[at];
        size_t next = one->child;

        if (!one->done && one->shown)
            add_entry(list, one->row, name_of(one->row), depth);
        if (!one->done && next != NONE && !n->p[next].done) {
            one->done = true;
            depth++;
            at = next;
            continue;
        }
        one->done = true;
        while (at != top && n->p[at].next == NONE) {
            at = n->p[at].parent;
            depth--;
        }
        at = at == top ? NONE : n->p[at].next;
    }
}

static enum pl_status order_by_parent(struct pl_process_list *list,
                                      struct nodes *n)
{
    struct ranked *order = malloc((n->num + 1) * sizeof *order);

    if (!order)
        return PL_NOMEM;
    find_parents(n);
    add_up_ranks(n);
    for (size_t i = 0; i < n->num; i++)
        order[i] = (struct ranked){ n->p[i].rank, i };
    qsort(order, n->num, sizeof *order, by_tree);
    link_children(n, order);
    show_ancestors(n);
    for (size_t i = 0; i < n->num; i++)
        if (n->p[order[i].place].parent == NONE)
            add_tree(list, n, order[i].place);
    free(order);
    /* Rings have no top: what is left is listed as it is. */
    for (size_t i = 0; i < n->num; i++)
        if (!n->p[i].done && n->p[i].shown)
            add_entry(list, n->p[i].row, name_of(n->p[i].row), 0);
    return PL_OK;
}

/* ---- sums ---------------------------------------------------------------- */

static void add_to(double *sum, double v)
{
    if (!isnan(v))
        *sum = isnan(*sum) ? v : *sum + v;
}

/* What is a number of something, such as a user's, has no sum. */
static void add_up(struct pl_moment_row *sum, const struct pl_moment_row *row)
{
    const struct pl_moment_column *c =
        pl_moment_columns[PL_MOMENT_PROCESS].columns;

    for (size_t i = 0; i < PL_MOMENT_COLUMNS && c[i].title; i++)
        if (c[i].unit != PL_UNIT_CODE)
            add_to(&sum->values[i], row->values[i]);
    add_to(&sum->ranked_by, row->ranked_by);
    sum->rank += row->rank;
}

/* A run of equal keys in nodes.by_key. */
struct run {
    const struct pl_moment_row *sum;
    size_t first, num, shown;
};

static int runs_by_rank(const void *x, const void *y)
{
    const struct run *a = x, *b = y;

    if (a->sum->rank != b->sum->rank)
        return a->sum->rank > b->sum->rank ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static size_t find_runs(const struct nodes *n, struct run *runs,
                        struct pl_moment_row *sums)
{
    size_t num = 0;

    for (size_t i = 0; i < n->num; i++) {
        const struct node *one = &n->p[n->by_key[i]];

        if (!one->shown)
            continue;
        if (!num || pl_text_compare(n->p[n->by_key[runs[num - 1].first]].key,
                                    one->key)) {
            sums[num] = (struct pl_moment_row){ .ranked_by = NAN };
            for (size_t k = 0; k < PL_MOMENT_COLUMNS; k++)
                sums[num].values[k] = NAN;
            runs[num] = (struct run){ .sum = &sums[num], .first = i };
            num++;
        }
        add_up(&sums[num - 1], one->row);
        runs[num - 1].num = i - runs[num - 1].first + 1;
        runs[num - 1].shown++;
    }
    return num;
}

static void add_run(struct pl_process_list *list, const struct nodes *n,
                    const struct run *run, bool of_one)
{
    const struct pl_text key = n->p[n->by_key[run->first]].key;
    const bool has_sum = of_one || run->shown > 1;

    if (has_sum)
        add_entry(list, run->sum, key.n ? key : pl_text_of("(none)"), 0);
    for (size_t i = run->first; i < run->first + run->num; i++) {
        const struct node *one = &n->p[n->by_key[i]];

        if (one->shown)
            add_entry(list, one->row, name_of(one->row), has_sum);
    }
}

/* Within equal keys, places are ranks.  'of_one': one process has a sum, too. */
static enum pl_status order_by_key(struct pl_process_list *list,
                                   const struct nodes *n, bool of_one)
{
    struct run *runs = calloc(n->num + 1, sizeof *runs);
    size_t num;

    list->sums = calloc(n->num + 1, sizeof *list->sums);
    if (!runs || !list->sums) {
        free(runs);
        return PL_NOMEM;
    }
    num = find_runs(n, runs, list->sums);
    qsort(runs, num, sizeof *runs, runs_by_rank);
    for (size_t i = 0; i < num; i++)
        add_run(list, n, &runs[i], of_one);
    free(runs);
    return PL_OK;
}

/* ---- the list ------------------------------------------------------------ */

static enum pl_status order(struct pl_process_list *list, struct nodes *n,
                            enum pl_process_order order)
{
    if (order == PL_BY_CONTROL_GROUP || order == PL_BY_PROGRAM)
        return order_by_key(list, n, order == PL_BY_CONTROL_GROUP);
    if (order == PL_BY_PARENT)
        return order_by_parent(list, n);
    for (size_t i = 0; i < n->num; i++)
        if (n->p[i].shown)
            add_entry(list, n->p[i].row, name_of(n->p[i].row), 0);
    return PL_OK;
}

enum pl_status pl_process_list_make(struct pl_process_list *list,
                                    const struct pl_moment *m,
                                    const struct pl_process_view *view)
{
    const struct pl_moment_table *t = &m->tables[PL_MOMENT_PROCESS];
    struct nodes n = { 0 };
    enum pl_status s;

    pl_process_list_release(list);
    /* Each process, and in the worst case a group for each. */
    list->entries = calloc(2 * t->num + 1, sizeof *list->entries);
    s = list->entries ? make_nodes(&n, t, view) : PL_NOMEM;
    if (!s)
        s = order(list, &n, view->order);
    free_nodes(&n);
    return s;
}

void pl_process_list_release(struct pl_process_list *list)
{
    free(list->entries);
    free(list->sums);
    *list = (struct pl_process_list){ 0 };
}

size_t pl_process_indent(const struct pl_process_entry *e)
{
    return INDENT * (size_t)(e->depth < DEEPEST ? e->depth : DEEPEST);
}
