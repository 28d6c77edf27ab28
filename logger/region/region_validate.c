/* Validates a published region before its contents are used. */
#include "logger/region/region_validate.h"

#include "format/record/record.h"
#include "format/base/utf.h"
#include "logger/provider/types.h"

#include <string.h>

const char *pl_region_reason_text(enum pl_region_reason reason)
{
    static const char *const texts[PL_NUM_REASONS] = {
        [PL_REASON_NONE] = "good",
        [PL_REASON_FILE] = "file",
        [PL_REASON_PERMISSION] = "permission",
        [PL_REASON_SHORT] = "short",
        [PL_REASON_MAGIC] = "magic",
        [PL_REASON_VERSION] = "version",
        [PL_REASON_SIZE] = "size",
        [PL_REASON_AREA] = "area",
        [PL_REASON_HASH] = "hash",
        [PL_REASON_OBJECT] = "object",
        [PL_REASON_COUNTER] = "counter",
        [PL_REASON_STRING] = "string",
        [PL_REASON_NAME] = "name",
        [PL_REASON_INSTANCE] = "instance",
        [PL_REASON_LIMIT] = "limit",
        [PL_REASON_SPARSE] = "sparse",
        [PL_REASON_TRUNCATED] = "truncated",
        [PL_REASON_BUSY] = "busy",
        [PL_REASON_DUPLICATE] = "duplicate",
    };

    return texts[reason];
}

/* ---- header ------------------------------------------------------------- */

/* [at, at + len) lies after *end and in 'size' bytes; advances *end. */
static bool follows(uint32_t at, uint32_t len, uint32_t align, uint64_t size,
                    uint64_t *end)
{
    if (at % align || at < *end || at > size || len > size - at)
        return false;
    *end = (uint64_t)at + len;
    return true;
}

static bool areas_fit(const struct pl_region_header *h)
{
    uint64_t end = h->header_size, size = h->size;
    uint64_t tables =
        (uint64_t)h->num_objects * sizeof(struct pl_region_object) +
        (uint64_t)h->num_counters * sizeof(struct pl_region_counter);

    return follows(h->def_at, h->def_len, 8, size, &end) &&
           follows(h->set_at, h->set_len, 8, size, &end) &&
           follows(h->inst_at, h->inst_len, PL_REGION_ALIGN, size, &end) &&
           follows(h->val_at, h->val_len, PL_REGION_ALIGN, size, &end) &&
           h->set_len == (uint64_t)h->num_sets * sizeof(struct pl_prov_sync) &&
           tables <= h->def_len && h->str_at == h->def_at + tables &&
           h->str_len == h->def_len - tables && h->str_len > 0;
}

enum pl_region_reason pl_region_check_header(struct pl_region_header *h,
                                             const uint8_t *p, size_t n,
                                             uint64_t size)
{
    if (n < sizeof *h)
        return PL_REASON_SHORT;
    memcpy(h, p, sizeof *h);
    if (memcmp(h->magic, PL_REGION_MAGIC, sizeof h->magic) != 0)
        return PL_REASON_MAGIC;
    if (h->order != PL_REGION_ORDER || h->critical || h->num_shards != 1)
        return PL_REASON_VERSION;
    if (h->size != size || size > PL_REGION_MAX_SIZE ||
        h->header_size < sizeof *h)
        return PL_REASON_SIZE;
    if (!h->num_objects || h->num_objects > PL_REGION_MAX_OBJECTS ||
        !h->num_counters || h->num_counters > PL_REGION_MAX_ALL_COUNTERS)
        return PL_REASON_LIMIT;
    return areas_fit(h) ? PL_REASON_NONE : PL_REASON_AREA;
}

/* ---- definitions -------------------------------------------------------- */

bool pl_region_is_text(const char *text, size_t n)
{
    const uint8_t *p = (const uint8_t *)text;
    size_t len;

    for (size_t i = 0; i < n; i += len) {
        uint32_t code = pl_utf8_decode(p + i, n - i, &len);

        if (pl_is_control(code))
            return false;
        /* Invalid UTF-8 is decoded as U+FFFD, which may also be in the text. */
        if (code == PL_REPLACEMENT &&
            (len != 3 || memcmp(p + i, "\xEF\xBF\xBD", 3) != 0))
            return false;
    }
    return true;
}

/* State of the walk over the definitions. */
struct walk {
    const struct pl_region_header *h;
    const char *texts;
    uint32_t counters, sets;
    uint64_t inst_end, val_end;
};

static bool is_good_text(const struct walk *w, uint32_t at, size_t max,
                         bool may_be_empty)
{
    size_t room, n;

    if (at >= w->h->str_len)
        return false;
    room = w->h->str_len - at;
    n = strnlen(w->texts + at, room);
    return n < room && n <= max && (n || may_be_empty) &&
           pl_region_is_text(w->texts + at, n);
}

static bool is_detail(uint32_t detail)
{
    return detail && detail <= PL_PROV_WIZARD && detail % 100 == 0;
}

static enum pl_region_reason check_counter(const struct walk *w,
                                           const struct pl_region_object *o,
                                           const struct pl_region_counter *c,
                                           uint32_t i)
{
    const struct pl_prov_type *type = pl_prov_type_of(c[i].type);
    const struct pl_prov_type *above =
        i ? pl_prov_type_of(c[i - 1].type) : NULL;

    if (!type || !is_detail(c[i].detail) || c[i].scale < -PL_REGION_MAX_SCALE ||
        c[i].scale > PL_REGION_MAX_SCALE ||
        c[i].word >= o->val_stride / sizeof(uint64_t))
        return PL_REASON_COUNTER;
    if ((type->is_base && (!above || above->base != c[i].type)) ||
        (type->base &&
         (i + 1 == o->num_counters || c[i + 1].type != type->base)))
        return PL_REASON_COUNTER;
    if (!is_good_text(w, c[i].name, PL_REGION_MAX_NAME, type->is_base) ||
        !is_good_text(w, c[i].help, PL_REGION_MAX_HELP, true))
        return PL_REASON_STRING;
    return PL_REASON_NONE;
}

/* Slots and words of an object lie after those of the previous object. */
static bool is_placed(struct walk *w, const struct pl_region_object *o,
                      uint32_t slots)
{
    const struct pl_region_header *h = w->h;
    uint64_t inst_end = (uint64_t)h->inst_at + h->inst_len;
    uint64_t val_end = (uint64_t)h->val_at + h->val_len;

    if (!o->inst_stride || o->inst_stride % PL_REGION_ALIGN ||
        o->inst_stride < sizeof(struct pl_region_slot) + o->name_max ||
        !o->val_stride || o->val_stride % PL_REGION_ALIGN ||
        o->inst_at % PL_REGION_ALIGN || o->val_at % PL_REGION_ALIGN ||
        o->inst_at < w->inst_end || o->val_at < w->val_end ||
        o->inst_at > inst_end || o->val_at > val_end ||
        (inst_end - o->inst_at) / o->inst_stride < slots ||
        (val_end - o->val_at) / o->val_stride < slots)
        return false;
    w->inst_end = o->inst_at + (uint64_t)slots * o->inst_stride;
    w->val_end = o->val_at + (uint64_t)slots * o->val_stride;
    return true;
}

static enum pl_region_reason check_object(struct walk *w,
                                          const struct pl_region_object *o)
{
    bool single = o->max_instances == PL_PROV_NO_INSTANCES;
    uint32_t slots = single ? 1 : (uint32_t)o->max_instances;

    if (!slots || slots > PL_REGION_MAX_INSTANCES ||
        o->name_max > PL_REGION_MAX_INSTANCE_NAME || !is_detail(o->detail) ||
        (o->flags && !single) || o->first_set != w->sets ||
        slots > w->h->num_sets - w->sets || o->first_counter != w->counters ||
        !o->num_counters || o->num_counters > PL_REGION_MAX_COUNTERS ||
        o->num_counters > w->h->num_counters - w->counters)
        return PL_REASON_OBJECT;
    w->sets += slots;
    w->counters += o->num_counters;
    if (!is_placed(w, o, slots))
        return PL_REASON_AREA;
    return is_good_text(w, o->name, PL_REGION_MAX_NAME, false) &&
                   is_good_text(w, o->help, PL_REGION_MAX_HELP, true)
               ? PL_REASON_NONE
               : PL_REASON_STRING;
}

enum pl_region_reason
pl_region_check_definitions(const struct pl_region_header *h, const uint8_t *p)
{
    const struct pl_region_object *o = pl_region_objects(p);
    const struct pl_region_counter *c = pl_region_counters(h, p);
    struct walk w = { .h = h,
                      .texts = pl_region_text(h, p, 0),
                      .inst_end = h->inst_at,
                      .val_end = h->val_at };

    if (pl_hash(p, h->def_len, 0) != h->def_hash)
        return PL_REASON_HASH;
    for (uint32_t k = 0; k < h->num_objects; k++) {
        enum pl_region_reason r = check_object(&w, &o[k]);

        for (uint32_t i = 0; !r && i < o[k].num_counters; i++)
            r = check_counter(&w, &o[k], c + o[k].first_counter, i);
        if (r)
            return r;
    }
    return w.sets == h->num_sets && w.counters == h->num_counters
               ? PL_REASON_NONE
               : PL_REASON_OBJECT;
}

bool pl_region_is_same_table(const struct pl_region_header *a,
                             const uint8_t *a_definitions,
                             const struct pl_region_header *b,
                             const uint8_t *b_definitions)
{
    return a->def_hash == b->def_hash && a->num_objects == b->num_objects &&
           a->num_counters == b->num_counters && a->def_len == b->def_len &&
           !memcmp(a_definitions, b_definitions, a->def_len);
}
