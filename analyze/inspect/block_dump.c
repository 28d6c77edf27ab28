/* Shows blocks, objects, definitions and instances, field by field. */
#include "analyze/inspect/block_dump.h"

#include "analyze/calc/calc.h"
#include "analyze/replay/instance_parents.h"
#include "analyze/replay/counter_plan.h"
#include "analyze/inspect/raw_value.h"
#include "analyze/calc/counter_type_text.h"
#include "format/time/time_text.h"
#include "format/block/counter_path.h"
#include "format/base/utf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* State that one dump needs at every level. */
struct dump {
    struct pl_dump_tree *t;
    const struct pl_titles *titles;
    struct pl_block block;
    struct pl_instance_parents parents;
    struct pl_raw_reader raw;
    struct pl_buf text;    /* one name */
    struct pl_buf heading; /* of one branch */
    bool oom;              /* one of them ran out of memory */
};

enum { UNNUMBERED = -1 };

/* ---- names and headings -------------------------------------------------- */

/* Empty a buffer, but remember whether it ran out of memory. */
static void begin(struct dump *d, struct pl_buf *b)
{
    d->oom = d->oom || b->oom;
    pl_buf_clear(b);
}

/*
 * "WHAT 3 at byte 168: NAME" in d->heading; numbers begin at 0, as in Windows.
 */
static const char *heading(struct dump *d, const char *what, int64_t number,
                           size_t at, struct pl_text name)
{
    char text[64];

    begin(d, &d->heading);
    pl_buf_string(&d->heading, what);
    if (number != UNNUMBERED) {
        snprintf(text, sizeof text, " %" PRId64, number);
        pl_buf_string(&d->heading, text);
    }
    snprintf(text, sizeof text, " at byte %zu%s", at, name.n ? ": " : "");
    pl_buf_string(&d->heading, text);
    pl_buf_bytes(&d->heading, name.p, name.n);
    pl_buf_u8(&d->heading, 0);
    return d->heading.oom ? what : (const char *)d->heading.p;
}

static void show_title(struct dump *d, const char *key, uint32_t index)
{
    struct pl_text name = pl_titles_name(d->titles, index);

    pl_dump_tree_text(d->t, key, name.n ? name : (struct pl_text){ 0 });
}

static void show_help(struct dump *d, const char *key, uint32_t index)
{
    struct pl_text help = pl_titles_help(d->titles, index);

    pl_dump_tree_text(d->t, key, help.n ? help : (struct pl_text){ 0 });
}

static void show_hex(struct dump *d, const char *key, uint32_t v)
{
    char text[16];

    snprintf(text, sizeof text, "0x%08" PRIx32, v);
    pl_dump_tree_string(d->t, key, text);
}

static void show_detail(struct dump *d, uint32_t level)
{
    pl_dump_tree_count(d->t, "DetailLevel", level);
    pl_dump_tree_string(d->t, "DetailLevelName", pl_detail_name(level));
}

/* ---- definitions --------------------------------------------------------- */

static void show_definition(struct dump *d, const struct pl_counter_def *c,
                            int64_t number, size_t at)
{
    struct pl_dump_tree *t = d->t;
    char scratch[16];

    pl_dump_tree_open_item(
        t, heading(d, "PERF_COUNTER_DEFINITION", number, at,
                   pl_title_or_number(d->titles, c->title_index, scratch)));
    if (t->as_json)
        pl_dump_tree_count(t, "offset", at);
    pl_dump_tree_count(t, "ByteLength", c->len);
    pl_dump_tree_count(t, "CounterNameTitleIndex", c->title_index);
    show_title(d, "CounterName", c->title_index);
    pl_dump_tree_count(t, "CounterNameTitle", c->title_pointer);
    pl_dump_tree_count(t, "CounterHelpTitleIndex", c->help_index);
    show_help(d, "CounterHelp", c->help_index);
    pl_dump_tree_count(t, "CounterHelpTitle", c->help_pointer);
    pl_dump_tree_integer(t, "DefaultScale", c->scale);
    show_detail(d, c->detail_level);
    if (t->as_json)
        pl_dump_tree_count(t, "CounterType", c->type);
    show_hex(d, t->as_json ? "CounterTypeHex" : "CounterType", c->type);
    pl_dump_tree_string(t, "CounterTypeName", pl_type_name(c->type, c->size));
    begin(d, &d->text);
    pl_type_describe(&d->text, c->type, c->size);
    pl_dump_tree_text(t, "CounterTypeFields",
                      (struct pl_text){ (const char *)d->text.p, d->text.len });
    pl_dump_tree_count(t, "CounterSize", c->size);
    pl_dump_tree_count(t, "CounterOffset", c->offset);
    pl_dump_tree_close(t);
}

static enum pl_status show_definitions(struct dump *d, struct pl_object *o)
{
    struct pl_counter_def c;
    enum pl_status s;

    pl_dump_tree_open_list(d->t, "counters");
    for (;;) {
        size_t at = o->at + (size_t)(o->counters.p - o->bytes);

        s = pl_counter_next(o, &c);
        if (s)
            break;
        show_definition(d, &c, (int64_t)o->counters_seen - 1, at);
    }
    pl_dump_tree_close_list(d->t);
    return s;
}

/* ---- values -------------------------------------------------------------- */

static void value_json(struct dump *d, const struct pl_counter_def *c,
                       const struct pl_raw_value *v)
{
    struct pl_dump_tree *t = d->t;

    pl_dump_tree_open_item(t, "");
    pl_dump_tree_count(t, "CounterNameTitleIndex", c->title_index);
    show_title(d, "CounterName", c->title_index);
    if (v->is_number)
        pl_dump_tree_count(t, "value", v->number);
    else
        pl_dump_tree_text(t, v->is_bytes ? "bytes" : "value", v->text);
    if (v->is_number)
        pl_dump_tree_string(t, "hex", v->hex);
    if (v->status)
        pl_dump_tree_string(t, "status", v->status);
    pl_dump_tree_close(t);
}

/* The formula's kind says which numbers are shown as hexadecimal only. */
static void value_line(struct dump *d, const struct pl_counter_def *c,
                       const struct pl_raw_value *v)
{
    struct pl_formula scratch;
    const struct pl_formula *f = pl_formula_of(c->type, c->size, &scratch);
    char name[16], number[64];
    struct pl_text text = v->text;

    if (v->status) {
        snprintf(number, sizeof number, "(%s)", v->status);
        text = pl_text_of(number);
    } else if (v->is_number && f && f->kind == PL_VALUE_HEX) {
        text = pl_text_of(v->hex);
    } else if (v->is_number) {
        snprintf(number, sizeof number, "%" PRIu64 " %s", v->number, v->hex);
        text = pl_text_of(number);
    }
    pl_dump_tree_line(d->t, pl_title_or_number(d->titles, c->title_index, name),
                      text);
}

static void show_values(struct dump *d, const struct pl_object *o,
                        const struct pl_instance *i)
{
    struct pl_object walk = *o;
    struct pl_counter_def c;
    size_t at = o->at + (size_t)(i->block - o->bytes);

    pl_dump_tree_open(d->t, "block",
                      heading(d, "PERF_COUNTER_BLOCK", UNNUMBERED, at,
                              (struct pl_text){ 0 }));
    pl_dump_tree_count(d->t, "ByteLength", i->block_len);
    pl_dump_tree_open_list(d->t, "values");
    while (!pl_counter_next(&walk, &c)) {
        struct pl_raw_value v;

        pl_raw_value_read(&v, &d->raw, o, i, &c);
        d->oom = d->oom || d->raw.text.oom;
        if (d->t->as_json)
            value_json(d, &c, &v);
        else
            value_line(d, &c, &v);
    }
    pl_dump_tree_close_list(d->t);
    pl_dump_tree_close(d->t);
}

/* ---- instances ----------------------------------------------------------- */

static enum pl_status show_parent(struct dump *d, const struct pl_instance *i)
{
    enum pl_status s;

    show_title(d, "ParentObjectName", i->parent_object);
    pl_dump_tree_count(d->t, "ParentObjectInstance", i->parent_instance);
    begin(d, &d->text);
    s = pl_instance_parents_name(&d->parents, &d->raw.pages, &d->block,
                                 i->parent_object, i->parent_instance,
                                 &d->text);
    if (!s && d->text.len)
        pl_dump_tree_text(
            d->t, "ParentName",
            (struct pl_text){ (const char *)d->text.p, d->text.len });
    return s;
}

static enum pl_status show_instance_fields(struct dump *d,
                                           const struct pl_object *o,
                                           const struct pl_instance *i)
{
    struct pl_dump_tree *t = d->t;
    size_t at = o->at + (size_t)(i->definition - o->bytes);
    enum pl_status s;

    if (t->as_json) {
        pl_dump_tree_count(t, "offset", at);
        pl_dump_tree_text(
            t, "Name",
            (struct pl_text){ (const char *)d->text.p, d->text.len });
    }
    pl_dump_tree_count(t, "ByteLength", i->definition_len);
    pl_dump_tree_count(t, "ParentObjectTitleIndex", i->parent_object);
    s = show_parent(d, i);
    pl_dump_tree_integer(t, "UniqueID", i->unique_id);
    pl_dump_tree_count(t, "NameOffset", i->name_at);
    pl_dump_tree_count(t, "NameLength", i->name_len);
    return s;
}

static enum pl_status show_instance(struct dump *d, const struct pl_object *o,
                                    const struct pl_instance *i, int64_t number)
{
    enum pl_status s = PL_OK;

    if (!i->name) { /* an object without instances: the counter block alone */
        show_values(d, o, i);
        return PL_OK;
    }
    begin(d, &d->text);
    pl_instance_name(&d->raw.pages, &d->text, o, i);
    pl_buf_u8(&d->text, 0);
    d->text.len -= !d->text.oom;
    pl_dump_tree_open_item(
        d->t,
        heading(d, "PERF_INSTANCE_DEFINITION", number,
                o->at + (size_t)(i->definition - o->bytes),
                (struct pl_text){ (const char *)d->text.p, d->text.len }));
    s = show_instance_fields(d, o, i);
    show_values(d, o, i);
    pl_dump_tree_close(d->t);
    return s;
}

static enum pl_status show_instances(struct dump *d, struct pl_object *o)
{
    const struct pl_object definitions = *o;
    struct pl_object walk = *o;
    struct pl_instance i;
    enum pl_status s, shown = PL_OK;
    bool named = o->num_instances != PERF_NO_INSTANCES;

    if (named)
        pl_dump_tree_open_list(d->t, "instances");
    while (!shown && !(s = pl_instance_next(&walk, &i)))
        shown = show_instance(d, &definitions, &i,
                              (int64_t)walk.instances_seen - 1);
    if (named)
        pl_dump_tree_close_list(d->t);
    o->misfit = walk.misfit;
    return shown ? shown : s;
}

/* ---- objects ------------------------------------------------------------- */

static void show_object_fields(struct dump *d, const struct pl_object *o)
{
    struct pl_dump_tree *t = d->t;

    if (t->as_json)
        pl_dump_tree_count(t, "offset", o->at);
    pl_dump_tree_count(t, "TotalByteLength", o->len);
    pl_dump_tree_count(t, "DefinitionLength", o->definition_len);
    pl_dump_tree_count(t, "HeaderLength", o->header_len);
    pl_dump_tree_count(t, "ObjectNameTitleIndex", o->title_index);
    show_title(d, "ObjectName", o->title_index);
    pl_dump_tree_count(t, "ObjectNameTitle", o->title_pointer);
    pl_dump_tree_count(t, "ObjectHelpTitleIndex", o->help_index);
    show_help(d, "ObjectHelp", o->help_index);
    pl_dump_tree_count(t, "ObjectHelpTitle", o->help_pointer);
    show_detail(d, o->detail_level);
    pl_dump_tree_count(t, "NumCounters", o->num_counters);
    pl_dump_tree_integer(t, "DefaultCounter", o->default_counter);
    pl_dump_tree_integer(t, "NumInstances", o->stored_instances);
    pl_dump_tree_count(t, "CodePage", o->code_page);
    if (o->header_len < PL_SIZEOF_OBJECT)
        return; /* objects of 1992 have no clock */
    pl_dump_tree_integer(t, "PerfTime", o->perf_time);
    pl_dump_tree_integer(t, "PerfFreq", o->perf_freq);
}

/* An inconsistency inside one object does not hide the next object. */
static enum pl_status show_object(struct dump *d, const struct pl_object *o,
                                  int64_t number, struct pl_misfit *misfit)
{
    struct pl_object walk = *o;
    char scratch[16];
    enum pl_status s;

    pl_dump_tree_open_item(
        d->t, heading(d, "PERF_OBJECT_TYPE", number, o->at,
                      pl_title_or_number(d->titles, o->title_index, scratch)));
    show_object_fields(d, o);
    s = show_definitions(d, &walk);
    if (s != PL_END && !misfit->reason)
        *misfit = walk.misfit;
    walk = *o;
    s = show_instances(d, &walk);
    if (s != PL_END && s != PL_NOMEM && !misfit->reason)
        *misfit = walk.misfit;
    pl_dump_tree_close(d->t);
    return s == PL_NOMEM ? s : PL_OK;
}

static bool is_chosen(const struct dump *d, struct pl_dump_choice *choice,
                      uint32_t index)
{
    struct pl_text name = pl_titles_name(d->titles, index);
    char number[16];

    if (!choice->object)
        return true;
    snprintf(number, sizeof number, "%" PRIu32, index);
    if (strcmp(choice->object, number) &&
        !pl_pattern_match(pl_text_of(choice->object), name))
        return false;
    choice->matched++;
    return true;
}

/* ---- the block ----------------------------------------------------------- */

static void show_system_time(struct dump *d)
{
    static const char *const days[] = { "Sunday",    "Monday",   "Tuesday",
                                        "Wednesday", "Thursday", "Friday",
                                        "Saturday" };
    const uint16_t *st = d->block.system_time;
    char text[96];

    snprintf(text, sizeof text, "%04u-%02u-%02u %02u:%02u:%02u.%03u, %s",
             (unsigned)st[0], (unsigned)st[1], (unsigned)st[3], (unsigned)st[4],
             (unsigned)st[5], (unsigned)st[6], (unsigned)st[7],
             st[2] < 7 ? days[st[2]] : "no day of the week");
    pl_dump_tree_string(d->t, "SystemTime", text);
}

/* Show a FILETIME as text, if it is in the range of an instant. */
static void show_filetime(struct dump *d, const char *key, int64_t filetime)
{
    const int64_t longest = INT64_MAX / 100;
    char text[PL_INSTANT_TEXT];

    if (filetime < 0 || filetime - PL_FILETIME_OF_1970 > longest)
        return;
    if (filetime - PL_FILETIME_OF_1970 < -longest)
        return;
    pl_instant_text((filetime - PL_FILETIME_OF_1970) * 100, text);
    pl_dump_tree_string(d->t, key, text);
}

static void show_block_fields(struct dump *d)
{
    const struct pl_block *b = &d->block;
    struct pl_dump_tree *t = d->t;

    pl_dump_tree_string(t, "Signature", "PERF");
    pl_dump_tree_count(t, "LittleEndian", !b->big_endian);
    pl_dump_tree_count(t, "Version", b->version);
    pl_dump_tree_count(t, "Revision", b->revision);
    pl_dump_tree_count(t, "TotalByteLength", b->total_len);
    pl_dump_tree_count(t, "HeaderLength", b->header_len);
    pl_dump_tree_count(t, "NumObjectTypes", b->num_objects);
    pl_dump_tree_integer(t, "DefaultObject", b->default_object);
    show_system_time(d);
    pl_dump_tree_integer(t, "PerfTime", b->perf_time);
    pl_dump_tree_integer(t, "PerfFreq", b->perf_freq);
    pl_dump_tree_integer(t, "PerfTime100nSec", b->perf_time_100ns);
    show_filetime(d, "PerfTime100nSecUtc", b->perf_time_100ns);
    pl_dump_tree_count(t, "SystemNameLength", b->name_len);
    pl_dump_tree_count(t, "SystemNameOffset", b->name_at);
    begin(d, &d->text);
    pl_utf16_to_utf8(&d->text, b->name, b->name_len, b->big_endian);
    pl_dump_tree_text(t, "SystemName",
                      (struct pl_text){ (const char *)d->text.p, d->text.len });
}

static enum pl_status show_objects(struct dump *d,
                                   struct pl_dump_choice *choice,
                                   struct pl_misfit *misfit)
{
    struct pl_block walk = d->block;
    struct pl_object o;
    enum pl_status s = PL_OK;

    pl_dump_tree_open_list(d->t, "objects");
    while (!s && !(s = pl_object_next(&walk, &o)))
        if (is_chosen(d, choice, o.title_index))
            s = show_object(d, &o, (int64_t)walk.objects_seen - 1, misfit);
    pl_dump_tree_close_list(d->t);
    if (s != PL_END && s != PL_NOMEM && !misfit->reason)
        *misfit = walk.misfit;
    return s == PL_NOMEM ? s : PL_OK;
}

enum pl_status pl_dump_block(struct pl_dump_tree *t, const void *bytes,
                             size_t len, const struct pl_titles *titles,
                             struct pl_dump_choice *choice,
                             struct pl_misfit *misfit)
{
    struct dump d = { .t = t, .titles = titles, .raw.budget = len };
    enum pl_status s = pl_block_parse(&d.block, bytes, len);

    *misfit = d.block.misfit;
    if (!s) {
        pl_dump_tree_open(t, "block",
                          heading(&d, "PERF_DATA_BLOCK", UNNUMBERED, 0,
                                  (struct pl_text){ 0 }));
        show_block_fields(&d);
        s = show_objects(&d, choice, misfit);
        pl_dump_tree_close(t);
    }
    if (d.oom || d.text.oom || d.heading.oom)
        s = PL_NOMEM;
    pl_instance_parents_release(&d.parents);
    pl_buf_release(&d.text);
    pl_buf_release(&d.heading);
    pl_raw_reader_release(&d.raw);
    return s == PL_NOMEM ? s : PL_OK;
}
