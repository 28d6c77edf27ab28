/* Counts what a log holds of each object. */
#include "analyze/inspect/object_counts.h"

#include "analyze/replay/counter_plan.h"
#include "format/base/array.h"
#include "format/base/utf.h"
#include "format/block/winperf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pl_object_counts_release(struct pl_object_counts *c)
{
    for (size_t i = 0; i < c->num; i++)
        free(c->list[i].name);
    free(c->list);
    *c = (struct pl_object_counts){ 0 };
}

/* ---- counting ------------------------------------------------------------ */

static bool is_named(const struct pl_object_count *o, struct pl_text name)
{
    return pl_text_equal(pl_text_of(o->name), name);
}

static struct pl_object_count *add(struct pl_object_counts *c,
                                   struct pl_text name)
{
    void *list = c->list;
    char *copy;

    if (!pl_array_grow(&list, &c->cap, c->num, sizeof *c->list))
        return NULL;
    c->list = list;
    copy = pl_text_copy(name);
    if (!copy)
        return NULL;
    c->list[c->num] = (struct pl_object_count){ .name = copy };
    return &c->list[c->num++];
}

/*
 * The entry of 'name', made if needed.  Samples have their objects in the same
 * order, so the next one is tried first.  *s: PL_NOMEM, PL_END: left out.
 */
static struct pl_object_count *entry(struct pl_object_counts *c,
                                     struct pl_text name, enum pl_status *s)
{
    struct pl_object_count *o = NULL;

    *s = PL_OK;
    if (c->next < c->num && is_named(&c->list[c->next], name))
        o = &c->list[c->next];
    for (size_t i = 0; i < c->num && !o; i++)
        if (is_named(&c->list[i], name))
            o = &c->list[i];
    if (!o && c->num == PL_MAX_COUNTED_OBJECTS) {
        c->more = true;
        *s = PL_END;
        return NULL;
    }
    if (!o)
        o = add(c, name);
    if (o)
        c->next = (size_t)(o - c->list) + 1;
    else
        *s = PL_NOMEM;
    return o;
}

/* Denominators are never shown. */
static uint32_t shown_counters(struct pl_object *o)
{
    struct pl_counter_def def;
    uint32_t num = 0;

    while (!pl_counter_next(o, &def))
        num += !pl_type_is_base(def.type);
    return num;
}

static void count(struct pl_object_counts *c, struct pl_object_count *to,
                  struct pl_object *o)
{
    /* An import may have merged blocks that hold one object twice. */
    to->samples += to->seen_in != c->samples;
    to->seen_in = c->samples;
    if (o->num_counters > to->defined) {
        to->defined = o->num_counters;
        to->counters = shown_counters(o);
    }
    if (o->num_instances == PERF_NO_INSTANCES)
        return;
    to->has_instances = true;
    if ((uint32_t)o->num_instances > to->instances)
        to->instances = (uint32_t)o->num_instances;
}

static enum pl_status count_block(struct pl_object_counts *c,
                                  const struct pl_titles *titles,
                                  const struct pl_buf *bytes)
{
    struct pl_block block;
    struct pl_object o;
    char scratch[16];
    enum pl_status s = PL_OK;

    if (pl_block_parse(&block, bytes->p, bytes->len))
        return PL_OK;
    c->next = 0;
    while (s != PL_NOMEM && !pl_object_next(&block, &o)) {
        struct pl_object_count *to =
            entry(c, pl_title_or_number(titles, o.title_index, scratch), &s);

        if (to)
            count(c, to, &o);
    }
    return s == PL_NOMEM ? s : PL_OK;
}

/* What is stated of many samples. */
static enum pl_status count_named(struct pl_object_counts *c,
                                  const struct pl_titles *titles,
                                  struct pl_stated_names names)
{
    struct pl_named_object o;
    char scratch[16];
    enum pl_status s = PL_OK;

    c->samples += names.samples;
    c->next = 0;
    while (s != PL_NOMEM && !pl_stated_names_object(&names, &o)) {
        struct pl_object_count *to =
            entry(c, pl_title_or_number(titles, o.title_index, scratch), &s);

        if (to)
            to->samples += o.samples;
    }
    return s == PL_NOMEM ? s : PL_OK;
}

/* What an ends states of the samples of its segment. */
static enum pl_status count_stated(struct pl_object_counts *c,
                                   const struct pl_titles *titles,
                                   struct pl_stated_counts counts)
{
    struct pl_counted_object o;
    char scratch[16];
    enum pl_status s = PL_OK;

    c->samples += counts.samples;
    c->next = 0;
    while (s != PL_NOMEM && !pl_stated_counts_object(&counts, &o)) {
        struct pl_object_count *to =
            entry(c, pl_title_or_number(titles, o.title_index, scratch), &s);

        if (!to)
            continue;
        to->samples += o.samples;
        if (o.defined > to->defined) {
            to->defined = o.defined;
            to->counters = o.defined - o.bases;
        }
        to->has_instances |= o.has_instances;
        if (o.has_instances && o.instances > to->instances)
            to->instances = o.instances;
    }
    return s == PL_NOMEM ? s : PL_OK;
}

static void count_again(struct pl_object_counts *c)
{
    for (size_t i = 0; i < c->num; i++)
        if (c->list[i].seen_in == c->samples - 1) {
            c->list[i].samples++;
            c->list[i].seen_in++;
        }
}

enum pl_status pl_object_counts_add(struct pl_object_counts *c,
                                    const struct pl_reader *r,
                                    const struct pl_item *item)
{
    if (item->unread)
        return count_stated(c, pl_reader_titles(r), item->unread->counts);
    if (item->kind != PL_ITEM_SAMPLE || item->is_counted)
        return PL_OK;
    if (item->of_names)
        return item->names ? count_named(c, pl_reader_titles(r), *item->names)
                           : PL_OK;
    c->samples++;
    if (item->block)
        return count_block(c, pl_reader_titles(r), item->block);
    count_again(c);
    return PL_OK;
}

static int compare_names(const void *a, const void *b)
{
    const struct pl_object_count *one = a, *other = b;

    return strcmp(one->name, other->name);
}

void pl_object_counts_sort(struct pl_object_counts *c)
{
    if (c->num)
        qsort(c->list, c->num, sizeof *c->list, compare_names);
}

const struct pl_object_count *
pl_object_counts_find(const struct pl_object_counts *c, const char *name)
{
    for (size_t i = 0; i < c->num; i++)
        if (is_named(&c->list[i], pl_text_of(name)))
            return &c->list[i];
    return NULL;
}

/* ---- printing ------------------------------------------------------------ */

enum pl_status pl_object_counts_print(const struct pl_object_counts *c,
                                      const char *title, size_t width)
{
    struct pl_buf word = { 0 };
    size_t at = strlen(title), indent = at;
    enum pl_status s;

    printf("%s", title);
    for (size_t i = 0; i < c->num && !word.oom; i++) {
        const struct pl_object_count *o = &c->list[i];
        bool last = i + 1 == c->num && !c->more;
        char most[24] = "";
        size_t n;

        pl_buf_clear(&word);
        pl_utf8_visible(&word, o->name, strlen(o->name));
        if (o->has_instances)
            snprintf(most, sizeof most, " (%" PRIu32 ")", o->instances);
        pl_buf_string(&word, most);
        if (!last)
            pl_buf_u8(&word, ',');
        n = pl_utf8_columns(word.p, word.len);
        if (i && at + 1 + n > width) {
            printf("\n%*s", (int)indent, "");
            at = indent;
        } else if (i) {
            printf(" ");
            at++;
        }
        if (!word.oom && word.len)
            fwrite(word.p, 1, word.len, stdout);
        at += n;
    }
    printf("%s\n", c->more ? " ..." : "");
    s = word.oom ? PL_NOMEM : PL_OK;
    pl_buf_release(&word);
    return s;
}

void pl_object_counts_json(const struct pl_object_counts *c, struct pl_json *j)
{
    pl_json_key(j, "objects");
    pl_json_open_array(j);
    for (size_t i = 0; i < c->num; i++) {
        const struct pl_object_count *o = &c->list[i];

        pl_json_open_object(j);
        pl_json_put_string(j, "object", o->name);
        pl_json_put_count(j, "counters", o->counters);
        pl_json_key(j, "most_instances");
        if (o->has_instances)
            pl_json_count(j, o->instances);
        else
            pl_json_null(j);
        pl_json_put_count(j, "samples", o->samples);
        pl_json_close_object(j);
    }
    pl_json_close_array(j);
}
