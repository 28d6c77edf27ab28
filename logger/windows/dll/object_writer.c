/* The objects of a table as Windows takes them from a provider. */
#include "logger/windows/dll/object_writer.h"

#include "format/base/utf.h"
#include "format/block/winperf.h"
#include "logger/provider/titles.h"
#include "logger/region/region_values.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 16 << 20 };
#define TICKS_PER_SEC 10000000u /* of pl_prov_ticks */

/* ---- questions ---------------------------------------------------------- */

static bool begins_with(const wchar_t *value, const wchar_t *word)
{
    return !_wcsnicmp(value, word, wcslen(word));
}

bool pl_question_is_ours(const wchar_t **value)
{
    if (!*value || !**value || begins_with(*value, L"Global")) {
        *value = NULL;
        return true;
    }
    return **value >= L'0' && **value <= L'9';
}

static bool asks_for(const struct pl_question *q, uint32_t index)
{
    const wchar_t *at = q->value;

    while (at && *at) {
        wchar_t *end;
        unsigned long n = wcstoul(at, &end, 10);

        if (end == at)
            return false;
        if (n == index)
            return true;
        at = end;
    }
    return !at;
}

/* ---- one object --------------------------------------------------------- */

struct object {
    const struct pl_region_object *layout;
    const struct pl_region_counter *counters;
    uint32_t index;
    struct pl_region_cell *cells;
    uint32_t block_len;
    bool has_clock;
    bool is_ratio;
    bool is_asked_for;
    const struct pl_region_groups_region
        *holder; /* who is shown, if only one can be */
};

struct pl_object_writer {
    struct pl_region_groups *groups;
    struct pl_question question;
    struct object *objects;
    struct pl_buf *out;
    uint32_t num, end;
};

static bool has_instances(const struct object *o)
{
    return o->layout->max_instances >= 0 ||
           (o->layout->flags & PL_PROV_PER_PROCESS);
}

/* Sets the place of object 'k'; the index behind its last title, 0: no memory. */
static uint32_t prepare(struct pl_object_writer *a, uint32_t k, uint32_t index)
{
    struct pl_region_groups *s = a->groups;
    struct object *o = &a->objects[k];
    uint32_t num;

    o->layout = &pl_region_objects(s->definitions)[k];
    o->counters = pl_region_counters(&s->header, s->definitions) +
                  o->layout->first_counter;
    o->index = index;
    o->is_asked_for = asks_for(&a->question, index);
    num = o->layout->num_counters;
    o->cells = calloc(num, sizeof *o->cells);
    if (!o->cells)
        return 0;
    for (uint32_t i = 0; i < num; i++) {
        o->cells[i] = pl_region_cell_of(o->counters, i, PL_REGION_AS_TYPE);
        o->has_clock = o->has_clock || o->cells[i].since_boot;
        o->is_ratio = o->is_ratio || pl_type_is_base(o->counters[i].type);
    }
    o->block_len = (pl_region_cells_place(o->cells, num) + 7) & ~7u;
    return pl_region_cells_number(o->cells, num, o->counters, index + 2);
}

static const struct pl_region_copy *
copy_at(const struct object *o, const struct pl_region_groups_region *r,
        size_t slot)
{
    return &r->image.copies[o->layout->first_set + slot];
}

static bool is_readable(const struct object *o, const struct pl_region_copy *c)
{
    return c->copied == PL_COPIED_GOOD ||
           (c->copied == PL_COPIED_LOOSE && !o->is_ratio);
}

/* An object with place for one shows the oldest; the others are reported. */
static void settle(struct pl_object_writer *a, struct object *o)
{
    for (size_t i = 0; i < a->groups->num && !has_instances(o); i++) {
        struct pl_region_groups_region *r = &a->groups->regions[i];

        if (!is_readable(o, copy_at(o, r, 0)))
            continue;
        if (!o->holder)
            o->holder = r;
        else if (r->state == PL_GROUPS_LIVE)
            r->state = PL_GROUPS_DUPLICATE;
    }
}

/* ---- values ------------------------------------------------------------- */

/* True for sums of times that Windows reads with its performance counter. */
static bool counts_ticks(const struct object *o, size_t i)
{
    static const uint32_t types[] = {
        PERF_COUNTER_TIMER,         PERF_COUNTER_TIMER_INV,
        PERF_COUNTER_MULTI_TIMER,   PERF_COUNTER_MULTI_TIMER_INV,
        PERF_COUNTER_QUEUELEN_TYPE, PERF_COUNTER_LARGE_QUEUELEN_TYPE,
        PERF_AVERAGE_TIMER,         PERF_PRECISION_SYSTEM_TIMER,
    };
    uint32_t type = o->counters[i].type;

    if (type == PERF_LARGE_RAW_BASE)
        return i && o->counters[i - 1].type == PERF_PRECISION_SYSTEM_TIMER;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (types[k] == type)
            return true;
    return false;
}

/* From 100 ns to the steps of the performance counter. */
static uint64_t in_perf_ticks(uint64_t v, int64_t freq)
{
    return v / TICKS_PER_SEC * (uint64_t)freq +
           v % TICKS_PER_SEC * (uint64_t)freq / TICKS_PER_SEC;
}

/*
 * Bits that both parts of a fraction of 4 bytes lose, so that it stays what it
 * is; 0 for other types.
 */
static unsigned excess_bits(const struct object *o, uint32_t i,
                            const uint64_t *words)
{
    const uint32_t part = o->counters[i].type == PERF_RAW_BASE ? i - 1 : i;
    uint64_t either;
    unsigned n = 0;

    if (o->counters[part].type != PERF_RAW_FRACTION)
        return 0;
    either = words[o->cells[part].word] | words[o->cells[part + 1].word];
    while (either >> n > UINT32_MAX)
        n++;
    return n;
}

static void put_values(struct pl_object_writer *a, const struct object *o,
                       const struct pl_region_groups_region *r, size_t slot)
{
    const struct pl_question *q = &a->question;
    const uint64_t *words = pl_region_image_words(&r->image, o->layout, slot);
    uint8_t *p = pl_put_counter_block(a->out, o->block_len);

    for (uint32_t i = 0; p && i < o->layout->num_counters; i++) {
        uint64_t v = words[o->cells[i].word];

        if (o->cells[i].since_boot && !v) /* it has not begun yet */
            v = (uint64_t)q->now_100ns;
        if (q->perf_freq != TICKS_PER_SEC && counts_ticks(o, i))
            v = in_perf_ticks(v, q->perf_freq);
        pl_region_cell_put(&o->cells[i], p, v >> excess_bits(o, i, words));
    }
}

/* ---- instances ---------------------------------------------------------- */

struct parent {
    uint32_t object, position;
};

/* False: its parent is not shown, so it is not either. */
static bool find_parent(const struct pl_object_writer *a,
                        const struct object *o,
                        const struct pl_region_groups_region *r,
                        const struct pl_region_copy *c, struct parent *out)
{
    const struct object *up;
    const struct pl_region_copy *at;

    *out = (struct parent){
        a->question.own, a->question.own_at + (uint32_t)(r - a->groups->regions)
    };
    if (!c->parent_object)
        return true;
    if (c->parent_object > (size_t)(o - a->objects))
        return false;
    up = &a->objects[c->parent_object - 1];
    if (up->layout->max_instances <= c->parent_slot)
        return false;
    at = copy_at(up, r, c->parent_slot);
    *out = (struct parent){ up->index, at->written };
    return at->serial == c->parent_serial && at->written != UINT32_MAX;
}

static bool put_slot(struct pl_object_writer *a, const struct object *o,
                     struct pl_region_groups_region *r, size_t slot,
                     uint32_t num)
{
    struct pl_region_copy *c = &r->image.copies[o->layout->first_set + slot];
    bool per_process = o->layout->max_instances < 0;
    struct pl_text name =
        per_process
            ? pl_text_of(r->called.label)
            : pl_region_image_name(&r->image, o->layout->first_set + slot);
    struct parent parent = { 0, 0 };

    if (!is_readable(o, c) || a->out->len > MOST_BYTES ||
        (!per_process && !find_parent(a, o, r, c, &parent)))
        return false;
    pl_put_instance_called(a->out, parent.object, parent.position, c->unique_id,
                           name);
    put_values(a, o, r, slot);
    c->written = num;
    return true;
}

static int32_t put_instances(struct pl_object_writer *a, const struct object *o)
{
    size_t slots =
        o->layout->max_instances < 0 ? 1 : (size_t)o->layout->max_instances;
    uint32_t num = 0;

    for (size_t i = 0; i < a->groups->num; i++)
        for (size_t k = 0; k < slots; k++)
            num += put_slot(a, o, &a->groups->regions[i], k, num);
    return (int32_t)num;
}

/* ---- objects ------------------------------------------------------------ */

static void put_object(struct pl_object_writer *a, const struct object *o)
{
    uint32_t num_counters = o->layout->num_counters;
    struct pl_object head = {
        .title_index = o->index,
        .help_index = o->index + 1,
        .detail_level = o->layout->detail,
        .default_counter = pl_region_cells_default(
            o->cells, num_counters, o->counters, o->layout->default_counter),
    };
    int32_t num = PERF_NO_INSTANCES;
    size_t at;

    if (!has_instances(o) && !o->holder)
        return;
    at = pl_put_object(a->out, &head);
    pl_region_cells_define(a->out, o->cells, num_counters, o->counters);
    pl_put_definitions_close(a->out, at, num_counters);
    if (o->has_clock)
        pl_put_object_clock(a->out, at, a->question.now_100ns, TICKS_PER_SEC);
    if (has_instances(o))
        num = put_instances(a, o);
    else
        put_values(a, o, o->holder, 0);
    pl_put_object_close(a->out, at, num);
    a->num++;
}

bool pl_object_writer_needs_own(const struct pl_object_writer *a)
{
    bool needs = asks_for(&a->question, a->question.own);

    for (uint32_t k = 0; k < a->groups->header.num_objects; k++)
        needs = needs || (a->objects[k].is_asked_for &&
                          a->objects[k].layout->max_instances >= 0);
    return needs;
}

uint32_t pl_object_writer_end(const struct pl_object_writer *a)
{
    return a->end;
}

bool pl_object_writer_is_single(const struct pl_object_writer *a, uint32_t k)
{
    return a->objects[k].holder != NULL;
}

void pl_object_writer_yield(struct pl_object_writer *a, uint32_t k)
{
    for (size_t i = 0; i < a->groups->num; i++)
        if (&a->groups->regions[i] == a->objects[k].holder &&
            a->groups->regions[i].state == PL_GROUPS_LIVE)
            a->groups->regions[i].state = PL_GROUPS_DUPLICATE;
    a->objects[k].holder = NULL;
}

enum pl_status pl_object_writer_prepare(struct pl_object_writer **out,
                                        struct pl_region_groups *s,
                                        const struct pl_question *q)
{
    struct pl_object_writer *a = calloc(1, sizeof *a);
    uint32_t num = s->header.num_objects, index = q->first;

    if (!a)
        return PL_NOMEM;
    a->groups = s;
    a->question = *q;
    a->objects = calloc(num, sizeof *a->objects);
    for (uint32_t k = 0; k < num && a->objects && index; k++) {
        index = prepare(a, k, index);
        if (index)
            settle(a, &a->objects[k]);
    }
    if (!a->objects || !index) {
        pl_object_writer_free(a);
        return PL_NOMEM;
    }
    a->end = index;
    *out = a;
    return PL_OK;
}

void pl_object_writer_free(struct pl_object_writer *a)
{
    for (uint32_t k = 0; a->objects && k < a->groups->header.num_objects; k++)
        free(a->objects[k].cells);
    free(a->objects);
    free(a);
}

enum pl_status pl_object_writer_put(struct pl_object_writer *a,
                                    struct pl_buf *out, uint32_t *num)
{
    a->out = out;
    a->num = 0;
    for (uint32_t k = 0; k < a->groups->header.num_objects; k++)
        if (a->objects[k].is_asked_for)
            put_object(a, &a->objects[k]);
    *num += a->num;
    return out->oom ? PL_NOMEM : PL_OK;
}

/* ---- what Windows asks for ---------------------------------------------- */

enum pl_status pl_object_writer_table(struct pl_buf *out, uint32_t *num,
                                      struct pl_region_groups *s,
                                      const struct pl_question *q,
                                      uint32_t last)
{
    struct pl_own_titles own = { .object = q->own };
    struct pl_object_writer *a;
    enum pl_status status;

    *num = 0;
    if (!s->num)
        return PL_OK;
    for (uint32_t i = 0; i < PL_NUM_OWN; i++)
        own.counters[i] = q->own + 2 + 2 * i;
    status = pl_object_writer_prepare(&a, s, q);
    if (status)
        return status;
    if (pl_object_writer_end(a) - 2 > last)
        status = PL_UNSUPPORTED;
    if (!status && pl_object_writer_needs_own(a)) {
        status = pl_object_writer_own(out, &own, &s, 1);
        ++*num;
    }
    if (!status)
        status = pl_object_writer_put(a, out, num);
    pl_object_writer_free(a);
    return status;
}
