/* Regions of Windows as objects of a block. */
#include "logger/windows/published.h"

#include "format/base/file.h"
#include "format/block/winperf.h"
#include "logger/windows/dll/object_writer.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_TABLES = 256,
    UNSEEN_LEAST = 3, /* a region may not be found once, and be there again */
};

static const struct pl_own_titles own = {
    .object = PL_PUBLISHED_OWN,
    .counters = { [PL_OWN_STATE] = PL_PUBLISHED_OWN + 2,
                  [PL_OWN_BUSY] = PL_PUBLISHED_OWN + 6,
                  [PL_OWN_REFUSED] = PL_PUBLISHED_OWN + 12,
                  [PL_OWN_PROCESS] = PL_PUBLISHED_OWN + 16 },
};

/* A table, known by its definitions; it keeps its titles. */
struct table {
    struct pl_region_groups groups;
    uint32_t first;  /* title */
    bool answered;   /* by what was read last */
    unsigned unseen; /* times in a row that no region of it was found */
    struct pl_object_writer *answer; /* while a block is made */
};

struct published {
    struct pl_published base;
    struct pl_titles *titles;
    struct table *tables[MOST_TABLES];
    size_t num;
    uint32_t first, next; /* titles */
    unsigned skip;        /* files, the next time */
    struct pl_buf known;  /* struct pl_region_file_name, of the last time */
};

/* ---- tables ------------------------------------------------------------- */

static const char *text_of(const struct pl_region_groups *s, uint32_t at)
{
    return pl_region_text(&s->header, s->definitions, at);
}

static struct pl_text name_of(const struct pl_region_groups *s, uint32_t k)
{
    return pl_text_of(text_of(s, pl_region_objects(s->definitions)[k].name));
}

static enum pl_status label(struct pl_titles *t, uint32_t index,
                            const char *name, const char *help)
{
    enum pl_status s = pl_titles_set(t, index, PL_TITLE_NAME,
                                     PL_LANGUAGE_ENGLISH, pl_text_of(name));

    if (!s && *help)
        s = pl_titles_set(t, index + 1, PL_TITLE_HELP, PL_LANGUAGE_ENGLISH,
                          pl_text_of(help));
    return s;
}

/* In the order in which answers number them; *next is behind the last. */
static enum pl_status label_object(struct pl_titles *t,
                                   const struct pl_region_groups *s, uint32_t k,
                                   uint32_t *next)
{
    const struct pl_region_object *o = &pl_region_objects(s->definitions)[k];
    const struct pl_region_counter *c =
        pl_region_counters(&s->header, s->definitions) + o->first_counter;
    enum pl_status status =
        label(t, *next, text_of(s, o->name), text_of(s, o->help));

    *next += 2;
    for (uint32_t i = 0; i < o->num_counters && !status; i++) {
        if (pl_type_is_base(c[i].type))
            continue;
        status = label(t, *next, text_of(s, c[i].name), text_of(s, c[i].help));
        *next += 2;
    }
    return status;
}

static enum pl_status label_table(struct published *p, struct table *t)
{
    enum pl_status status = PL_OK;

    t->first = p->next;
    for (uint32_t k = 0; k < t->groups.header.num_objects && !status; k++)
        status = label_object(p->titles, &t->groups, k, &p->next);
    return status;
}

/* Forget the oldest table that none publishes any more; its titles stay. */
static bool forget_table(struct published *p)
{
    size_t i = 0;

    while (i < p->num &&
           (p->tables[i]->groups.num || p->tables[i]->unseen < UNSEEN_LEAST))
        i++;
    if (i == p->num)
        return false;
    pl_region_groups_release(&p->tables[i]->groups);
    free(p->tables[i]);
    p->num--;
    memmove(&p->tables[i], &p->tables[i + 1], (p->num - i) * sizeof *p->tables);
    return true;
}

static struct pl_region_groups *add_table(struct published *p,
                                          const struct pl_region_header *h,
                                          uint8_t *definitions)
{
    uint32_t titles = 2 * (h->num_objects + h->num_counters);
    struct table *t;

    if (titles > PL_PUBLISHED_MOST - (p->next - p->first) ||
        (p->num == MOST_TABLES && !forget_table(p))) {
        p->base.left_out = true;
        return NULL;
    }
    t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->groups.header = *h;
    t->groups.definitions = definitions;
    if (label_table(p, t)) {
        free(t);
        return NULL;
    }
    p->tables[p->num++] = t;
    return &t->groups;
}

static struct pl_region_groups *
groups_of(void *context, const struct pl_region_header *h, uint8_t *definitions)
{
    struct published *p = context;

    for (size_t i = 0; i < p->num; i++)
        if (pl_region_groups_is_of(&p->tables[i]->groups, h, definitions))
            return &p->tables[i]->groups;
    return add_table(p, h, definitions);
}

/* ---- a block ------------------------------------------------------------ */

/* False: nobody publishes it now, or Windows has told of it. */
static bool is_wanted(const struct table *t,
                      const struct pl_published_wish *wish)
{
    for (uint32_t k = 0; k < t->groups.header.num_objects; k++)
        if (wish->is_there(wish->context, name_of(&t->groups, k)))
            return false;
    return t->groups.num;
}

/* Of objects with place for one process the first of a name is shown. */
static void settle(const struct published *p, size_t n, uint32_t k)
{
    struct table *t = p->tables[n];

    if (!pl_object_writer_is_single(t->answer, k))
        return;
    for (size_t i = 0; i <= n; i++) {
        const struct table *e = p->tables[i];
        uint32_t num = i < n ? e->groups.header.num_objects : k;

        for (uint32_t j = 0; e->answer && j < num; j++)
            if (pl_object_writer_is_single(e->answer, j) &&
                pl_text_equal(name_of(&e->groups, j), name_of(&t->groups, k))) {
                pl_object_writer_yield(t->answer, k);
                return;
            }
    }
}

static enum pl_status prepare(struct published *p,
                              const struct pl_published_wish *wish,
                              struct pl_region_groups **groups, size_t *num)
{
    struct pl_question q = { .own = PL_PUBLISHED_OWN,
                             .perf_freq = wish->perf_freq,
                             .now_100ns = pl_clock_boot() / 100 };

    *num = 0;
    for (size_t i = 0; i < p->num; i++) {
        struct table *t = p->tables[i];

        t->answered = is_wanted(t, wish);
        if (!t->answered)
            continue;
        q.first = t->first;
        pl_region_groups_sort(&t->groups);
        if (pl_object_writer_prepare(&t->answer, &t->groups, &q))
            return PL_NOMEM;
        q.own_at += (uint32_t)t->groups.num;
        groups[(*num)++] = &t->groups;
        for (uint32_t k = 0; k < t->groups.header.num_objects; k++)
            settle(p, i, k);
    }
    return PL_OK;
}

static enum pl_status put_objects(struct published *p, struct pl_buf *block,
                                  struct pl_region_groups *const *groups,
                                  size_t num)
{
    const struct pl_block_stamp stamp = { .perf_freq = 1 };
    size_t at = pl_put_block(block, &stamp, NULL, 0);
    uint32_t objects = 0;
    enum pl_status status = PL_OK;

    if (num) {
        status = pl_object_writer_own(block, &own, groups, num);
        objects++;
    }
    for (size_t i = 0; i < p->num && !status; i++)
        if (p->tables[i]->answer)
            status =
                pl_object_writer_put(p->tables[i]->answer, block, &objects);
    pl_put_block_close(block, at, objects, -1);
    return status;
}

static void clear(struct published *p, bool reported)
{
    for (size_t i = 0; i < p->num; i++)
        pl_region_groups_clear(&p->tables[i]->groups,
                               reported && p->tables[i]->answered);
}

/* Those that were good are looked at first the next time. */
static void note_known(struct published *p)
{
    pl_buf_clear(&p->known);
    for (size_t i = 0; i < p->num; i++) {
        struct table *t = p->tables[i];

        t->unseen = t->groups.num ? 0 : t->unseen + 1;
        for (size_t k = 0; k < t->groups.num; k++)
            pl_buf_bytes(&p->known, &t->groups.regions[k].called,
                         sizeof t->groups.regions[k].called);
    }
}

static enum pl_status read_all(struct pl_published *base,
                               const struct pl_published_wish *wish,
                               struct pl_buf *block)
{
    struct published *p = (struct published *)base;
    struct pl_region_groups_keeper keeper = { .groups_of = groups_of,
                                              .context = p,
                                              .skip = &p->skip };
    struct pl_region_groups *groups[MOST_TABLES];
    enum pl_status status;
    size_t num;

    clear(p, false);
    p->base.left_out = false;
    pl_buf_clear(block);
    keeper.known = (const void *)p->known.p;
    keeper.num_known = p->known.len / sizeof *keeper.known;
    pl_region_groups_fill(&keeper, L"", wish->budget_ns);
    note_known(p);
    status = prepare(p, wish, groups, &num);
    if (!status)
        status = put_objects(p, block, groups, num);
    for (size_t i = 0; i < p->num; i++) {
        if (p->tables[i]->answer)
            pl_object_writer_free(p->tables[i]->answer);
        p->tables[i]->answer = NULL;
    }
    return status;
}

/* ---- the seam ----------------------------------------------------------- */

static void reported(struct pl_published *base)
{
    clear((struct published *)base, true);
}

static void close_all(struct pl_published *base)
{
    struct published *p = (struct published *)base;

    clear(p, false);
    for (size_t i = 0; i < p->num; i++) {
        pl_region_groups_release(&p->tables[i]->groups);
        free(p->tables[i]);
    }
    pl_titles_free(p->titles);
    pl_buf_release(&p->known);
    free(p);
}

static enum pl_status label_own(struct pl_titles *t)
{
    enum pl_status s =
        label(t, own.object, PL_PUBLISHED_NAME, pl_prov_own_object.help);

    for (size_t i = 0; i < PL_NUM_OWN && !s; i++)
        s = label(t, own.counters[i], pl_prov_own_titles[i].name,
                  pl_prov_own_titles[i].help);
    return s;
}

enum pl_status pl_published_open(struct pl_published **out, uint32_t first)
{
    struct published *p = calloc(1, sizeof *p);
    enum pl_status status = p ? pl_titles_new(&p->titles) : PL_NOMEM;

    if (!status)
        status = label_own(p->titles);
    if (status) {
        if (p)
            pl_titles_free(p->titles);
        free(p);
        return status;
    }
    p->base = (struct pl_published){ p->titles, false, read_all, reported,
                                     close_all };
    p->first = p->next = first;
    *out = &p->base;
    return PL_OK;
}
