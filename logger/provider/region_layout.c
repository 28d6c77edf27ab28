/* Checks a table, and lays it out as the bytes of a region. */
#include "logger/provider/internal.h"
#include "logger/provider/types.h"

#define XXH_INLINE_ALL /* one function of it: nothing to link */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <xxhash.h>

/* ---- texts -------------------------------------------------------------- */

/* Control characters, direction marks, line ends: terminals interpret them. */
static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C ||
           code == 0x200E || code == 0x200F ||
           (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

/* The length of the character at 'p', 0 if invalid or a control character. */
static size_t character(const unsigned char *p)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t n = *p < 0x80 ? 1 : *p < 0xE0 ? 2 : *p < 0xF0 ? 3 : 4;
    uint32_t code = n == 1 ? *p : *p & (0x7Fu >> n);

    if ((*p >= 0x80 && *p < 0xC2) || *p > 0xF4)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3Fu);
    }
    if (code < least[n] || code > 0x10FFFF || (code & ~0x7FFu) == 0xD800 ||
        is_control(code))
        return 0;
    return n;
}

bool pl_prov_is_text(const char *text, size_t max)
{
    const unsigned char *p = (const unsigned char *)text;

    if (strnlen(text, max + 1) > max)
        return false;
    while (*p) {
        size_t n = character(p);

        if (!n)
            return false;
        p += n;
    }
    return true;
}

/* ---- the rules ---------------------------------------------------------- */

/* Where an error is written, and the row being checked. */
struct report {
    char *why;
    size_t len;
    uint32_t object;  /* its id; 0: not known yet */
    const char *what; /* NULL, or "row" or "counter" */
    uint32_t which;
};

static int fault(const struct report *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int fault(const struct report *r, const char *format, ...)
{
    char object[24] = "", row[24] = "", rest[128];
    va_list args;

    va_start(args, format);
    vsnprintf(rest, sizeof rest, format, args);
    va_end(args);
    if (r->object)
        snprintf(object, sizeof object, "object %u", r->object);
    if (r->what)
        snprintf(row, sizeof row, "%s %u", r->what, r->which);
    if (r->why)
        snprintf(r->why, r->len, "%s%s%s%s%s", object,
                 *object && *row ? ", " : "", row, *object || *row ? ": " : "",
                 rest);
    return -1;
}

static bool is_detail(uint32_t detail)
{
    return detail >= PL_PROV_NOVICE && detail <= PL_PROV_WIZARD &&
           detail % 100 == 0;
}

static const struct pl_prov_counter *
find_counter(const struct pl_prov_object *o, uint32_t n, uint32_t id)
{
    for (uint32_t i = 0; i < n; i++)
        if (o->counters[i].id == id)
            return &o->counters[i];
    return NULL;
}

static int check_type(const struct pl_prov_object *o, uint32_t i,
                      const struct report *r)
{
    const struct pl_prov_counter *c = &o->counters[i];
    const struct pl_prov_type *type = pl_prov_type_of(c->type);
    const struct pl_prov_type *above =
        i ? pl_prov_type_of(o->counters[i - 1].type) : NULL;

    if (!type)
        return fault(r, "type 0x%08x is not one that can be published",
                     c->type);
    if (type->is_base)
        return above && above->base == c->type
                   ? 0
                   : fault(r, "a base must follow the counter it belongs to");
    if (type->base &&
        (i + 1 == o->num_counters || o->counters[i + 1].type != type->base))
        return fault(r, "the next row must be its base, of type 0x%08x",
                     type->base);
    if (!c->name || !*c->name)
        return fault(r, "has no name");
    if (!strcasecmp(c->name, PL_REGION_IDENTITY))
        return fault(r, "the name belongs to a counter of perflog's own");
    for (uint32_t k = 0; k < i; k++)
        if (o->counters[k].name && !strcmp(o->counters[k].name, c->name))
            return fault(r, "the name is taken");
    return 0;
}

static int check_counter(const struct pl_prov_object *o, uint32_t i,
                         struct report *r)
{
    const struct pl_prov_counter *c = &o->counters[i];

    r->what = "row";
    r->which = i + 1;
    if (!c->id || find_counter(o, i, c->id))
        return fault(r, "the counter's id %u is 0 or taken", c->id);
    r->what = "counter";
    r->which = c->id;
    if ((c->name && !pl_prov_is_text(c->name, PL_REGION_MAX_NAME)) ||
        (c->help && !pl_prov_is_text(c->help, PL_REGION_MAX_HELP)))
        return fault(r, "name or help text is too long, no UTF-8, or has "
                        "control characters");
    if (c->scale < -PL_REGION_MAX_SCALE || c->scale > PL_REGION_MAX_SCALE ||
        !is_detail(c->detail))
        return fault(r, "scale or detail level is out of range");
    if (c->value_of && !find_counter(o, i, c->value_of))
        return fault(r, "value_of must be the id of an earlier counter, not %u",
                     c->value_of);
    return check_type(o, i, r);
}

static int check_object(const struct pl_prov_object *table, uint32_t k,
                        struct report *r)
{
    const struct pl_prov_object *o = &table[k];

    *r = (struct report){ r->why, r->len, 0, "row", k + 1 };
    if (!o->id)
        return fault(r, "an object's id cannot be 0");
    for (uint32_t i = 0; i < k; i++)
        if (table[i].id == o->id)
            return fault(r, "the object's id %u is taken", o->id);
    *r = (struct report){ r->why, r->len, o->id, NULL, 0 };
    if (!o->name || !*o->name ||
        !pl_prov_is_text(o->name, PL_REGION_MAX_NAME) ||
        (o->help && !pl_prov_is_text(o->help, PL_REGION_MAX_HELP)))
        return fault(r, "name or help text is missing, too long, no UTF-8, or "
                        "has control characters");
    for (uint32_t i = 0; i < k; i++)
        if (!strcmp(table[i].name, o->name))
            return fault(r, "the name is taken");
    if (o->max_instances != PL_PROV_NO_INSTANCES &&
        (o->max_instances < 1 || o->max_instances > PL_REGION_MAX_INSTANCES))
        return fault(r, "instances must be 1 to %d, or PL_PROV_NO_INSTANCES",
                     PL_REGION_MAX_INSTANCES);
    if (o->name_max > PL_REGION_MAX_INSTANCE_NAME || !is_detail(o->detail))
        return fault(r, "name_max or detail level is out of range");
    if ((o->flags & ~(uint32_t)PL_PROV_PER_PROCESS) ||
        (o->flags && o->max_instances != PL_PROV_NO_INSTANCES))
        return fault(r, "its flags are unknown, or not for objects with "
                        "instances");
    if (!o->counters || !o->num_counters ||
        o->num_counters > PL_REGION_MAX_COUNTERS)
        return fault(r, "must have 1 to %d counters", PL_REGION_MAX_COUNTERS);
    for (uint32_t i = 0; i < o->num_counters; i++)
        if (check_counter(o, i, r))
            return -1;
    r->what = NULL;
    if (!find_counter(o, o->num_counters, o->default_counter))
        return fault(r, "has no default counter %u", o->default_counter);
    return 0;
}

PL_PROV_API int pl_prov_check(const struct pl_prov_object *table, uint32_t n,
                              char *why, size_t len)
{
    struct report r = { why, len, 0, NULL, 0 };
    struct pl_region_header h;
    size_t all = 0;

    if (!table || !n || n > PL_REGION_MAX_OBJECTS)
        return fault(&r, "a table must have 1 to %d objects",
                     PL_REGION_MAX_OBJECTS);
    for (uint32_t k = 0; k < n; k++) {
        if (check_object(table, k, &r))
            return -1;
        all += table[k].num_counters;
    }
    r = (struct report){ why, len, 0, NULL, 0 };
    if (all > PL_REGION_MAX_ALL_COUNTERS || !pl_prov_measure(table, n, &h))
        return fault(&r, "the table needs more than %d counters or %d MiB",
                     PL_REGION_MAX_ALL_COUNTERS, PL_REGION_MAX_SIZE >> 20);
    return 0;
}

/* ---- the bytes ---------------------------------------------------------- */

uint32_t pl_prov_word_number(const struct pl_prov_object *o, uint32_t i)
{
    const struct pl_prov_counter *c = &o->counters[i];
    uint32_t n = 0;

    while (c->value_of)
        c = find_counter(o, i, c->value_of);
    for (const struct pl_prov_counter *k = o->counters; k < c; k++)
        n += !k->value_of;
    return n;
}

static size_t up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static uint32_t num_slots(const struct pl_prov_object *o)
{
    return o->max_instances < 0 ? 1 : (uint32_t)o->max_instances;
}

static size_t val_stride(const struct pl_prov_object *o)
{
    size_t words = 0;

    for (uint32_t i = 0; i < o->num_counters; i++)
        words += !o->counters[i].value_of;
    return up(words * sizeof(uint64_t), PL_REGION_ALIGN);
}

static size_t inst_stride(const struct pl_prov_object *o)
{
    return up(sizeof(struct pl_region_slot) + o->name_max, PL_REGION_ALIGN);
}

static size_t text_len(const char *text)
{
    return text ? strlen(text) + 1 : 1;
}

/* The lengths of all areas; they fit 32 bits as the total is limited. */
size_t pl_prov_measure(const struct pl_prov_object *table, uint32_t n,
                       struct pl_region_header *h)
{
    uint64_t def = 0, str = 0, sets = 0, inst = 0, val = 0, counters = 0, size;

    for (uint32_t k = 0; k < n; k++) {
        const struct pl_prov_object *o = &table[k];

        counters += o->num_counters;
        sets += num_slots(o);
        inst += num_slots(o) * inst_stride(o);
        val += num_slots(o) * val_stride(o);
        str += text_len(o->name) + text_len(o->help);
        for (uint32_t i = 0; i < o->num_counters; i++)
            str +=
                text_len(o->counters[i].name) + text_len(o->counters[i].help);
    }
    def = n * sizeof(struct pl_region_object) +
          counters * sizeof(struct pl_region_counter);
    size = sizeof *h + def + str + 8 + sets * sizeof(struct pl_prov_sync) +
           2 * PL_REGION_ALIGN + inst + val;
    if (size > PL_REGION_MAX_SIZE)
        return 0;
    *h = (struct pl_region_header){
        .header_size = sizeof *h,
        .order = PL_REGION_ORDER,
        .def_at = sizeof *h,
        .def_len = (uint32_t)(def + str),
        .str_at = (uint32_t)(sizeof *h + def),
        .str_len = (uint32_t)str,
        .set_at = (uint32_t)up(sizeof *h + def + str, 8),
        .set_len = (uint32_t)(sets * sizeof(struct pl_prov_sync)),
        .inst_len = (uint32_t)inst,
        .val_len = (uint32_t)val,
        .num_objects = n,
        .num_counters = (uint32_t)counters,
        .num_sets = (uint32_t)sets,
        .num_shards = 1,
    };
    memcpy(h->magic, PL_REGION_MAGIC, sizeof h->magic);
    h->inst_at = (uint32_t)up(h->set_at + h->set_len, PL_REGION_ALIGN);
    h->val_at = (uint32_t)up(h->inst_at + h->inst_len, PL_REGION_ALIGN);
    h->size = h->val_at + h->val_len;
    return (size_t)h->size;
}

/* Append a text; returns its place. */
static uint32_t put_text(uint8_t *texts, uint32_t *at, const char *text)
{
    uint32_t place = *at;

    memcpy(texts + place, text ? text : "", text_len(text));
    *at += (uint32_t)text_len(text);
    return place;
}

void pl_prov_fill(uint8_t *region, const struct pl_region_header *header,
                  const struct pl_prov_object *table, uint32_t n)
{
    struct pl_region_header *h = (struct pl_region_header *)(void *)region;
    struct pl_region_object *out = (void *)(region + header->def_at);
    struct pl_region_counter *c = (void *)(out + n);
    uint8_t *texts = region + header->str_at;
    uint32_t text = 0, counter = 0, set = 0;
    uint32_t inst = header->inst_at, val = header->val_at;

    *h = *header;
    for (uint32_t k = 0; k < n; k++) {
        const struct pl_prov_object *o = &table[k];

        out[k] = (struct pl_region_object){
            .id = o->id,
            .name = put_text(texts, &text, o->name),
            .help = put_text(texts, &text, o->help),
            .detail = o->detail,
            .first_counter = counter,
            .num_counters = o->num_counters,
            .max_instances = o->max_instances,
            .name_max = o->name_max,
            .first_set = set,
            .val_at = val,
            .val_stride = (uint32_t)val_stride(o),
            .inst_at = inst,
            .inst_stride = (uint32_t)inst_stride(o),
            .default_counter = o->default_counter,
            .flags = o->flags,
        };
        for (uint32_t i = 0; i < o->num_counters; i++)
            c[counter++] = (struct pl_region_counter){
                .id = o->counters[i].id,
                .name = put_text(texts, &text, o->counters[i].name),
                .help = put_text(texts, &text, o->counters[i].help),
                .detail = o->counters[i].detail,
                .type = o->counters[i].type,
                .scale = o->counters[i].scale,
                .word = pl_prov_word_number(o, i),
            };
        if (o->max_instances < 0) { /* its one slot is never free */
            struct pl_region_slot *slot = (void *)(region + inst);

            slot->serial = k + 1;
            slot->unique_id = PL_REGION_NONE;
        }
        set += num_slots(o);
        inst += num_slots(o) * out[k].inst_stride;
        val += num_slots(o) * out[k].val_stride;
    }
    h->def_hash = XXH3_64bits(region + h->def_at, h->def_len);
}
