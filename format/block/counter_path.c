/* Counter paths: parsed, matched, escaped, collected from -c. */
#include "format/base/array.h"
#include "format/block/counter_path.h"

#include "format/base/text_lines.h"
#include "format/base/utf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one path ------------------------------------------------------------ */

static struct pl_text piece(const char *from, const char *to)
{
    return (struct pl_text){ from, (size_t)(to - from) };
}

/*
 * The last ')' that is followed by a backslash; if there is none, the one at
 * the end, since "(ms)" may end a counter's name.  NULL: the instance is not
 * closed.
 */
static const char *instance_end(const char *s)
{
    const char *end = NULL;

    for (; *s; s++)
        if (*s == ')' && (s[1] == '\\' || (!s[1] && !end)))
            end = s;
    return end;
}

enum pl_status pl_counter_path_parse(struct pl_counter_path *out,
                                     const char *text)
{
    const char *s = text, *end, *open;

    *out = (struct pl_counter_path){ 0 };
    if (s[0] == '\\' && s[1] == '\\') {
        s += 2;
        end = strchr(s, '\\');
        if (!end || end == s)
            return PL_USAGE;
        out->host = piece(s, end);
        s = end;
    }
    if (*s == '\\')
        s++;
    open = strchr(s, '(');
    end = strchr(s, '\\');
    if (!end)
        end = s + strlen(s);
    if (open && open < end) {
        const char *close = instance_end(open);

        if (!close)
            return PL_USAGE;
        out->object = piece(s, open);
        out->instance = piece(open + 1, close);
        end = close + 1;
    } else {
        out->object = piece(s, end);
    }
    if (*end == '\\' && end[1])
        out->counter = pl_text_of(end + 1);
    return out->object.n ? PL_OK : PL_USAGE;
}

/* ---- matching ------------------------------------------------------------ */

/* One element of a pattern: a literal, or any one, or any run. */
enum element { LITERAL, ANY_ONE, ANY_RUN };

static enum element next_element(struct pl_text *pattern, uint32_t *code)
{
    const char *p = pattern->p;
    size_t len = 1;
    enum element kind = LITERAL;

    if (*p == '[' && pattern->n >= 3 && p[2] == ']' && strchr("*?#[", p[1]) &&
        p[1]) {
        *code = (uint8_t)p[1];
        len = 3;
    } else if (*p == '*') {
        kind = ANY_RUN;
    } else if (*p == '?') {
        kind = ANY_ONE;
    } else {
        *code = pl_fold(pl_utf8_decode((const uint8_t *)p, pattern->n, &len));
    }
    pattern->p += len;
    pattern->n -= len;
    return kind;
}

static uint32_t next_code(struct pl_text *text)
{
    size_t len;
    uint32_t code =
        pl_fold(pl_utf8_decode((const uint8_t *)text->p, text->n, &len));

    text->p += len;
    text->n -= len;
    return code;
}

/* An ASCII character that stands for itself, folded; 0: another one. */
static unsigned char plain_of(char c)
{
    if ((unsigned char)c >= 0x80 || c == '*' || c == '?' || c == '[')
        return 0;
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

/* Skip what both begin with; false: they differ behind it, so nothing fits. */
static bool skip_plain(struct pl_text *pattern, struct pl_text *text)
{
    size_t n = pattern->n < text->n ? pattern->n : text->n, i = 0;
    unsigned char a = 0, b = 0;

    for (; i < n; i++) {
        a = plain_of(pattern->p[i]);
        b = plain_of(text->p[i]);
        if (a != b || !a)
            break;
    }
    pattern->p += i;
    pattern->n -= i;
    text->p += i;
    text->n -= i;
    return i == n || !a || !b || a == b;
}

bool pl_pattern_match(struct pl_text pattern, struct pl_text text)
{
    struct pl_text retry_pattern = { 0 }, retry_text = { 0 };

    /* Most names are ASCII, and most patterns fit few of them. */
    if (!skip_plain(&pattern, &text))
        return false;
    /* Greedy with one restart point: only the last '*' has to be retried. */
    for (;;) {
        if (pattern.n) {
            struct pl_text before = text;
            uint32_t code = 0;
            enum element kind = next_element(&pattern, &code);

            if (kind == ANY_RUN) {
                retry_pattern = pattern;
                retry_text = before;
                if (!pattern.n)
                    return true;
                continue;
            }
            if (text.n && (next_code(&text) == code || kind == ANY_ONE))
                continue;
        } else if (!text.n) {
            return true;
        }
        if (!retry_pattern.p || !retry_text.n)
            return false;
        next_code(&retry_text);
        pattern = retry_pattern;
        text = retry_text;
    }
}

bool pl_pattern_may_begin(struct pl_text pattern, struct pl_text start)
{
    while (pattern.n && start.n) {
        uint32_t code;
        enum element kind = next_element(&pattern, &code);

        if (kind == ANY_RUN)
            return true;
        if (next_code(&start) != code && kind == LITERAL)
            return false;
    }
    return !start.n;
}

bool pl_pattern_is_literal(struct pl_text pattern)
{
    uint32_t code;

    while (pattern.n)
        if (next_element(&pattern, &code) != LITERAL)
            return false;
    return true;
}

void pl_counter_path_escape(struct pl_buf *out, struct pl_text name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];

        if (c == '*' || c == '?' || c == '#' || c == '[') {
            char escaped[3] = { '[', c, ']' };

            pl_buf_bytes(out, escaped, sizeof escaped);
        } else {
            pl_buf_bytes(out, &c, 1);
        }
    }
}

/* ---- finding literal paths ------------------------------------------------ */

enum { FIRST_CAP = 64, PART_ENDS = 0x110000, NO_PART = 0x110001 };

static uint64_t mix(uint64_t hash, uint32_t code)
{
    hash = (hash ^ code) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

/* name NULL: the path omits that part. */
static uint64_t mix_name(uint64_t hash, const char *name)
{
    struct pl_text text;

    if (!name)
        return mix(hash, NO_PART);
    text = pl_text_of(name);
    while (text.n)
        hash = mix(hash, next_code(&text));
    return mix(hash, PART_ENDS);
}

static uint64_t mix_pattern(uint64_t hash, struct pl_text pattern)
{
    uint32_t code = 0;

    if (!pattern.p)
        return mix(hash, NO_PART);
    while (pattern.n) {
        next_element(&pattern, &code);
        hash = mix(hash, code);
    }
    return mix(hash, PART_ENDS);
}

static bool is_exact(const struct pl_counter_path *p)
{
    return p->counter.p && pl_pattern_is_literal(p->object) &&
           pl_pattern_is_literal(p->counter) &&
           (!p->instance.p || pl_pattern_is_literal(p->instance));
}

static void place_path(struct pl_counter_path_list *list, size_t i)
{
    const struct pl_counter_path *p = &list->paths[i];
    uint32_t *at = &list->loose;
    uint64_t hash;

    if (is_exact(p)) {
        hash = mix_pattern(0, p->object);
        hash = mix_pattern(mix_pattern(hash, p->instance), p->counter);
        at = &list->first[hash & (list->cap - 1)];
    }
    list->next[i] = *at;
    *at = (uint32_t)i + 1;
}

/* Enter the path at position 'num', after the last; false: out of memory. */
static bool enter_path(struct pl_counter_path_list *list)
{
    size_t cap = list->cap ? 2 * list->cap : FIRST_CAP;
    uint32_t *first;

    if (list->num < list->cap) {
        place_path(list, list->num);
        return true;
    }
    if (!pl_array_resize((void **)&list->next, cap, sizeof *list->next))
        return false;
    first = calloc(cap, sizeof *first);
    if (!first)
        return false;
    free(list->first);
    list->first = first;
    list->cap = cap;
    list->loose = 0;
    for (size_t i = 0; i <= list->num; i++)
        place_path(list, i);
    return true;
}

void pl_counter_path_walk_start(struct pl_counter_path_walk *w,
                                const char *object, const char *instance,
                                const char *counter)
{
    uint64_t hash = mix_name(0, object);

    *w = (struct pl_counter_path_walk){ 0 };
    w->hashes[0] = mix_name(mix_name(hash, instance), counter);
    w->hashes[1] = mix_name(mix_name(hash, NULL), counter);
}

size_t pl_counter_path_walk_next(struct pl_counter_path_walk *w,
                                 const struct pl_counter_path_list *list)
{
    size_t mask = list->cap - 1;

    if (w->at)
        w->at = list->next[w->at - 1];
    while (!w->at && list->cap && w->stage < 3) {
        if (w->stage == 2)
            w->at = list->loose;
        else if (!w->stage || ((w->hashes[0] ^ w->hashes[1]) & mask))
            w->at = list->first[w->hashes[w->stage] & mask];
        w->stage++;
    }
    return w->at ? w->at - 1 : SIZE_MAX;
}

/* ---- arguments of -c ------------------------------------------------------ */

/* Takes ownership of 'text', also on failure. */
static enum pl_status add_owned(struct pl_counter_path_list *list, char *text)
{
    const char *path = text;
    struct pl_counter_path parsed;
    enum pl_status s;

    if (!text)
        return PL_NOMEM;
    if (*path == '+')
        path++;
    s = pl_counter_path_parse(&parsed, path);
    if (!s && !(pl_array_grow((void **)&list->paths, &list->cap_paths,
                              list->num, sizeof *list->paths) &&
                pl_array_grow((void **)&list->texts, &list->cap_texts,
                              list->num, sizeof *list->texts)))
        s = PL_NOMEM;
    if (!s) {
        list->paths[list->num] = parsed;
        s = enter_path(list) ? PL_OK : PL_NOMEM;
    }
    if (s) {
        free(text);
        return s;
    }
    if (*text == '+')
        list->adds = true;
    else
        list->replaces = true;
    list->texts[list->num++] = text;
    return PL_OK;
}

/* On PL_USAGE *why is the wrong line. */
static enum pl_status add_file(struct pl_counter_path_list *list,
                               const char *path, const char **why)
{
    static char wrong[256];
    struct pl_buf all = { 0 };
    enum pl_status s = pl_text_lines_read(&all, path);
    char *rest = s ? NULL : (char *)all.p, *text;

    while (!s && (text = pl_text_lines_next(&rest))) {
        s = add_owned(list, strdup(text));
        if (s == PL_USAGE) {
            snprintf(wrong, sizeof wrong, "%s", text);
            *why = wrong;
        }
    }
    pl_buf_release(&all);
    return s;
}

enum pl_status pl_counter_path_list_add(struct pl_counter_path_list *list,
                                        const char *arg, const char **why)
{
    *why = arg;
    if (*arg != '@')
        return add_owned(list, strdup(arg));
    *why = arg + 1;
    return add_file(list, arg + 1, why);
}

void pl_counter_path_list_release(struct pl_counter_path_list *list)
{
    for (size_t i = 0; i < list->num; i++)
        free(list->texts[i]);
    free(list->texts);
    free(list->paths);
    free(list->first);
    free(list->next);
    *list = (struct pl_counter_path_list){ 0 };
}
