/* The table of blocks of an import. */
#include "analyze/blocks/block_index.h"

#include "format/base/array.h"
#include "format/time/time_text.h"
#include "format/base/utf.h"

#include <stdlib.h>
#include <string.h>

#define MINUTE_NS (60 * PL_NS_PER_SEC)
#define QUARTER_NS (15 * MINUTE_NS)
#define MOST_ZONE_NS (14 * 60 * MINUTE_NS)
/* A clock with more seconds, or more ticks a second, is not valid. */
#define MOST_SECONDS INT64_C(9000000000)
#define MOST_FREQ INT64_C(10000000000)

/* ---- time ---------------------------------------------------------------- */

/* SystemTime as if it were UTC. */
static bool system_time(const struct pl_block *b, int64_t *ns)
{
    const uint16_t *t = b->system_time;
    struct pl_civil c = {
        t[0], t[1], t[3], t[4], t[5], t[6], (int32_t)(t[7] * PL_NS_PER_MS)
    };

    if (t[0] < 1700 || t[0] > 2200 || t[1] < 1 || t[1] > 12 || t[3] < 1 ||
        t[3] > 31 || t[4] > 23 || t[5] > 59 || t[6] > 59 || t[7] > 999)
        return false;
    *ns = pl_civil_to_ns(&c);
    return true;
}

static bool filetime(const struct pl_block *b, int64_t *ns)
{
    int64_t t = b->perf_time_100ns;

    if (t <= 0 || t > PL_FILETIME_OF_1970 + INT64_MAX / 100)
        return false;
    t -= PL_FILETIME_OF_1970;
    if (t < INT64_MIN / 100)
        return false;
    *ns = t * 100;
    return true;
}

bool pl_block_utc(const struct pl_block *b, int64_t *utc_ns)
{
    return filetime(b, utc_ns) || system_time(b, utc_ns);
}

int64_t pl_block_boot(const struct pl_block *b)
{
    int64_t t = b->perf_time, f = b->perf_freq;

    if (t < 0 || f <= 0 || f > MOST_FREQ || t / f > MOST_SECONDS)
        return 0;
    return t / f * PL_NS_PER_SEC +
           (int64_t)((uint64_t)(t % f) * (uint64_t)PL_NS_PER_SEC / (uint64_t)f);
}

/*
 * SystemTime may be local: then it differs from UTC by a multiple of 15
 * minutes.
 */
static void learn_zone(struct pl_block_machine *m, const struct pl_block *b)
{
    int64_t utc, local, east, rest;

    if (m->has_zone || !filetime(b, &utc) || !system_time(b, &local))
        return;
    east = local - utc;
    if (east < -MOST_ZONE_NS - MINUTE_NS || east > MOST_ZONE_NS + MINUTE_NS)
        return;
    rest = east % QUARTER_NS;
    if (rest > QUARTER_NS / 2)
        rest -= QUARTER_NS;
    else if (rest < -QUARTER_NS / 2)
        rest += QUARTER_NS;
    if (rest < -MINUTE_NS || rest > MINUTE_NS)
        return;
    m->has_zone = true;
    m->zone_minutes = (int32_t)((east - rest) / MINUTE_NS);
}

/* ---- machines ------------------------------------------------------------ */

static enum pl_status find_machine(struct pl_block_index *g,
                                   const struct pl_block *b, uint32_t *out)
{
    struct pl_buf name = { 0 };
    struct pl_block_machine *m;

    if (b->name)
        pl_utf16_to_utf8(&name, b->name, b->name_len, b->big_endian);
    pl_buf_u8(&name, 0);
    if (name.oom) {
        pl_buf_release(&name);
        return PL_NOMEM;
    }
    for (size_t i = 0; i < g->num_machines; i++)
        if (g->machines[i].big_endian == b->big_endian &&
            !strcmp(g->machines[i].name, (char *)name.p)) {
            pl_buf_release(&name);
            *out = (uint32_t)i;
            return PL_OK;
        }
    if (!g->machines)
        g->machines = calloc(PL_MAX_MACHINES, sizeof *g->machines);
    if (!g->machines || g->num_machines == PL_MAX_MACHINES) {
        pl_buf_release(&name);
        return g->machines ? PL_TOO_LARGE : PL_NOMEM;
    }
    m = &g->machines[g->num_machines];
    *m = (struct pl_block_machine){ .name = (char *)name.p,
                                    .big_endian = b->big_endian,
                                    .file = UINT32_MAX };
    *out = (uint32_t)g->num_machines++;
    return PL_OK;
}

/* ---- titles -------------------------------------------------------------- */

static enum pl_status learn_object(struct pl_block_index *g,
                                   struct pl_object *o)
{
    struct pl_counter_def c;
    enum pl_status s = pl_title_set_add(&g->objects, o->title_index);

    if (!s)
        s = pl_title_set_add(&g->names, o->title_index);
    if (!s)
        s = pl_title_set_add(&g->helps, o->help_index);
    while (!s && !pl_counter_next(o, &c)) {
        s = pl_title_set_add(&g->names, c.title_index);
        if (!s)
            s = pl_title_set_add(&g->helps, c.help_index);
    }
    return s;
}

/* ---- pieces -------------------------------------------------------------- */

static struct pl_piece *add_piece(struct pl_block_index *g)
{
    if (!pl_array_grow((void **)&g->pieces, &g->cap_pieces, g->num_pieces,
                       sizeof *g->pieces))
        return NULL;
    return &g->pieces[g->num_pieces++];
}

enum pl_status pl_block_index_add(struct pl_block_index *g, struct pl_block b,
                                  uint32_t file, uint64_t at)
{
    struct pl_block_machine *m;
    struct pl_piece *piece;
    struct pl_object o;
    int64_t utc_ns;
    uint32_t machine;
    enum pl_status s;

    if (!pl_block_utc(&b, &utc_ns))
        return PL_CORRUPT;
    s = g->num_pieces == PL_MAX_PIECES ? PL_TOO_LARGE
                                       : find_machine(g, &b, &machine);
    if (s)
        return s;
    m = &g->machines[machine];
    learn_zone(m, &b);
    if (m->file != file || utc_ns > m->newest)
        m->newest = utc_ns;
    m->file = file;
    piece = add_piece(g);
    if (!piece)
        return PL_NOMEM;
    *piece = (struct pl_piece){ .order = m->newest,
                                .at = at,
                                .len = (uint32_t)b.len,
                                .file = file,
                                .machine = machine };
    while (!s && !pl_object_next(&b, &o))
        s = learn_object(g, &o);
    return s;
}

static int by_order(const void *x, const void *y)
{
    const struct pl_piece *a = x, *b = y;

    if (a->machine != b->machine)
        return a->machine < b->machine ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

void pl_block_index_sort(struct pl_block_index *g)
{
    if (g->num_pieces)
        qsort(g->pieces, g->num_pieces, sizeof *g->pieces, by_order);
}

void pl_block_index_release(struct pl_block_index *g)
{
    for (size_t i = 0; i < g->num_machines; i++)
        free(g->machines[i].name);
    free(g->machines);
    free(g->pieces);
    pl_title_set_release(&g->objects);
    pl_title_set_release(&g->names);
    pl_title_set_release(&g->helps);
    *g = (struct pl_block_index){ 0 };
}
