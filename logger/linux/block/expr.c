/* Compiles the text of a counter's expression to terms. */
#include "logger/linux/block/expr.h"

#include <string.h>

struct compiler {
    const char *p;
    struct pl_source *const *sources;
    size_t num_sources;
};

static void skip_blanks(struct compiler *c)
{
    while (*c->p == ' ')
        c->p++;
}

static bool take(struct compiler *c, char wanted)
{
    skip_blanks(c);
    if (*c->p != wanted)
        return false;
    c->p++;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           c == '_' || c == '(' || c == ')';
}

static struct pl_text take_name(struct compiler *c)
{
    struct pl_text name = { c->p, 0 };

    while (is_name(*c->p))
        c->p++;
    name.n = (size_t)(c->p - name.p);
    return name;
}

/* Find a field; PL_END if no source, or not the named one, has it. */
static enum pl_status find(const struct compiler *c, struct pl_text source,
                           struct pl_text field, struct pl_place *out)
{
    for (size_t i = 0; i < c->num_sources; i++) {
        const struct pl_source *s = c->sources[i];
        size_t f;

        if (source.n && !pl_text_equal(source, pl_text_of(s->kind->name)))
            continue;
        f = pl_source_find(s, field);
        if (f != PL_NO_FIELD) {
            *out = (struct pl_place){ (uint16_t)i, (uint16_t)f };
            return PL_OK;
        }
    }
    return PL_END;
}

/* A number, a field, or source:field; '?' marks it as optional. */
static enum pl_status factor(struct compiler *c, struct pl_term *t,
                             bool *optional)
{
    struct pl_text source = { NULL, 0 }, name;
    struct pl_place place = { 0, 0 };
    enum pl_status s;

    skip_blanks(c);
    if (is_digit(*c->p)) {
        uint64_t v = 0;

        while (is_digit(*c->p))
            v = v * 10 + (uint64_t)(*c->p++ - '0');
        t->number *= (uint32_t)v;
        return PL_OK;
    }
    name = take_name(c);
    if (name.n && *c->p == ':') {
        c->p++;
        source = name;
        name = take_name(c);
    }
    if (!name.n || t->num_factors == PL_MAX_FACTORS)
        return PL_USAGE;
    s = find(c, source, name, &place);
    t->factors[t->num_factors++] = place;
    if (*c->p == '?') {
        c->p++;
        *optional = true;
    }
    return s;
}

/* PL_END and *optional: the field is missing, the term is left out. */
static enum pl_status term(struct compiler *c, struct pl_term *t,
                           bool *optional)
{
    enum pl_status s = PL_OK;

    *optional = false;
    *t = (struct pl_term){ .number = 1 };
    do {
        enum pl_status one = factor(c, t, optional);

        if (one == PL_USAGE)
            return one;
        s = s ? s : one;
    } while (take(c, '*'));
    return s;
}

/* One alternative; parsed to its end even if a field is missing. */
static enum pl_status sum(struct compiler *c, struct pl_expr *e)
{
    bool minus = false, missing = false, optional;

    e->num_terms = 0;
    for (;;) {
        struct pl_term t;
        enum pl_status s = term(c, &t, &optional);

        if (s == PL_USAGE || e->num_terms == PL_MAX_TERMS)
            return PL_USAGE;
        t.minus = minus;
        if (!s)
            e->terms[e->num_terms++] = t;
        else if (!optional)
            missing = true;
        if (take(c, '+'))
            minus = false;
        else if (take(c, '-'))
            minus = true;
        else
            break;
    }
    return missing || !e->num_terms ? PL_END : PL_OK;
}

enum pl_status pl_expr_compile(struct pl_expr *e, const char *text,
                               struct pl_source *const sources[],
                               size_t num_sources)
{
    struct compiler c = { text, sources, num_sources };
    enum pl_status s = PL_END;

    do {
        struct pl_expr one;
        enum pl_status found = sum(&c, &one);

        if (found == PL_USAGE)
            return found;
        if (s && !found) {
            *e = one;
            s = PL_OK;
        }
    } while (take(&c, '|'));
    return *c.p ? PL_USAGE : s;
}
