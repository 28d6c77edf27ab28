/* Completes counter paths. */
#include "analyze/cli/path_completion.h"

#include "format/base/array.h"
#include "format/block/counter_path.h"
#include "format/base/utf.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The typed text, parsed; its last part is incomplete. */
struct typed {
    const char *text;
    /* offsets where they begin; 0: not typed yet */
    size_t object, instance, counter;
    struct pl_text object_name, instance_name;
};

static struct typed take_apart(const char *text)
{
    struct typed t = { .text = text };
    const char *p = text + (*text == '+'), *end, *closed = NULL;

    p += *p == '\\';
    t.object = (size_t)(p - text);
    end = p + strcspn(p, "(\\");
    t.object_name = (struct pl_text){ p, (size_t)(end - p) };
    if (*end == '(') {
        t.instance = (size_t)(end + 1 - text);
        for (p = end; (p = strstr(p, ")\\")); p++)
            closed = p;
        if (closed) {
            t.instance_name =
                (struct pl_text){ end + 1, (size_t)(closed - end) - 1 };
            t.counter = (size_t)(closed + 2 - text);
        }
    } else if (*end) {
        t.counter = (size_t)(end + 1 - text);
    }
    return t;
}

/* ---- completions --------------------------------------------------------- */

struct ways {
    char **lines;
    size_t num, cap;
    bool oom;
};

static void release(struct ways *w)
{
    for (size_t i = 0; i < w->num; i++)
        free(w->lines[i]);
    free(w->lines);
    *w = (struct ways){ 0 };
}

/* Equal completions mostly come in a row. */
static void add_line(struct ways *w, const char *line)
{
    char *copy;

    if (w->num && !strcmp(w->lines[w->num - 1], line))
        return;
    if (!pl_array_grow((void **)&w->lines, &w->cap, w->num, sizeof *w->lines)) {
        w->oom = true;
        return;
    }
    copy = strdup(line);
    if (copy)
        w->lines[w->num++] = copy;
    else
        w->oom = true;
}

/* Does 'name' begin with 'start', ignoring case? */
static bool begins(const struct pl_buf *name, const char *start)
{
    size_t left = strlen(start), at = 0, a, b;

    while (left && at < name->len) {
        uint32_t typed = pl_utf8_decode((const uint8_t *)start, left, &a);
        uint32_t known = pl_utf8_decode(name->p + at, name->len - at, &b);

        if (pl_fold(typed) != pl_fold(known))
            return false;
        start += a;
        left -= a;
        at += b;
    }
    return !left;
}

/*
 * Add the completion of typed.text up to 'at', 'name' and 'end', if 'name'
 * begins with the text typed after 'at'.
 */
static void add(struct ways *w, const struct typed *t, size_t at,
                const char *name, const char *end)
{
    struct pl_buf escaped = { 0 }, line = { 0 };

    pl_counter_path_escape(&escaped, pl_text_of(name));
    if (begins(&escaped, t->text + at)) {
        pl_buf_bytes(&line, t->text, at);
        pl_path_visible(&line, &escaped);
        pl_buf_bytes(&line, end, strlen(end) + 1);
        if (!line.oom)
            add_line(w, (char *)line.p);
    }
    w->oom = w->oom || escaped.oom || line.oom;
    pl_buf_release(&escaped);
    pl_buf_release(&line);
}

static bool pattern_fits(struct pl_text pattern, const char *name)
{
    return pl_pattern_match(pattern, pl_text_of(name));
}

static bool has_any(const struct pl_group *g)
{
    for (uint32_t k = 0; k < g->num_slots; k++) {
        const struct pl_series *s = pl_group_series(g, k);

        if (s && s->present)
            return true;
    }
    return false;
}

static void add_counters(struct ways *w, const struct typed *t,
                         const struct pl_group *g)
{
    for (uint32_t k = 0; k < g->num_slots; k++) {
        const struct pl_series *s = pl_group_series(g, k);

        if (s && s->present)
            add(w, t, t->counter, g->object->counters[k].name, "");
    }
}

static void add_group(struct ways *w, const struct typed *t,
                      const struct pl_group *g)
{
    if (!has_any(g))
        return;
    if (!t->instance && !t->counter)
        add(w, t, t->object, g->object->name, g->instance ? "(" : "\\");
    else if (!pattern_fits(t->object_name, g->object->name) ||
             (t->instance && !g->instance))
        return;
    else if (!t->counter)
        add(w, t, t->instance, g->instance, ")\\");
    else if (!t->instance || pattern_fits(t->instance_name, g->instance))
        add_counters(w, t, g);
}

static int by_text(const void *a, const void *b)
{
    return pl_natural_compare(*(char *const *)a, *(char *const *)b);
}

static void sort_unique(struct ways *w)
{
    size_t kept = 0;

    if (w->num)
        qsort(w->lines, w->num, sizeof *w->lines, by_text);
    for (size_t i = 0; i < w->num; i++)
        if (kept && !strcmp(w->lines[kept - 1], w->lines[i]))
            free(w->lines[i]);
        else
            w->lines[kept++] = w->lines[i];
    w->num = kept;
}

/* The colon of "5:NAME", or of ":NAME"; NULL: it is a path. */
static const char *colon_of(const char *text)
{
    text += strspn(text, "0123456789");
    return *text == ':' ? text : NULL;
}

/* Names of counters, which a number stays before: without a number its colon is
 * another word. */
static void find_names(struct ways *w, const char *text, const char *colon,
                       struct pl_group *const *groups, size_t num)
{
    size_t at = (size_t)(colon + 1 - text);
    struct typed t = { .text = text, .counter = at };

    if (at == 1)
        t = (struct typed){ .text = colon + 1 };
    for (size_t i = 0; i < num; i++)
        add_counters(w, &t, groups[i]);
    sort_unique(w);
}

static void find_ways(struct ways *w, const char *text,
                      struct pl_group *const *groups, size_t num)
{
    struct typed t = take_apart(text);
    const char *colon = colon_of(text);

    if (colon) {
        find_names(w, text, colon, groups, num);
        return;
    }
    for (size_t i = 0; i < num; i++)
        add_group(w, &t, groups[i]);
    sort_unique(w);
    if (t.instance && !t.counter && w->num > 1 && !text[t.instance]) {
        struct pl_buf all = { 0 };

        pl_buf_bytes(&all, text, t.instance);
        pl_buf_bytes(&all, "*)\\", 4);
        if (!all.oom)
            add_line(w, (char *)all.p);
        w->oom = w->oom || all.oom;
        pl_buf_release(&all);
    }
}

static bool is_whole(const char *line)
{
    return take_apart(line).counter && line[take_apart(line).counter];
}

enum pl_status pl_path_completion(struct pl_buf *out, const char *text,
                                  struct pl_group *const *groups,
                                  size_t num_groups)
{
    struct ways w = { 0 }, next = { 0 };

    find_ways(&w, text, groups, num_groups);
    while (!colon_of(text) && w.num == 1 && !w.oom && !is_whole(w.lines[0])) {
        find_ways(&next, w.lines[0], groups, num_groups);
        if (!next.num || !strcmp(next.lines[0], w.lines[0]))
            break; /* a name may be empty, and adds nothing */
        release(&w);
        w = next;
        next = (struct ways){ 0 };
    }
    for (size_t i = 0; i < w.num; i++) {
        pl_buf_string(out, w.lines[i]);
        pl_buf_u8(out, '\n');
    }
    out->oom = out->oom || w.oom || next.oom;
    release(&w);
    release(&next);
    return out->oom ? PL_NOMEM : PL_OK;
}
