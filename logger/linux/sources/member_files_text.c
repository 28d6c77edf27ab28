/* Parses the text of one file of a family's member. */
#include "logger/linux/sources/member_files_text.h"

#include "logger/linux/machine/proctext.h"

#include <string.h>

struct scan {
    struct pl_member_files_source *f;
    const struct pl_part *part;
    uint64_t *values;
    uint64_t seen;
    size_t next; /* the field expected next */
};

static uint64_t bit(size_t field)
{
    return UINT64_C(1) << field;
}

static bool take(struct pl_text *name, struct pl_text piece)
{
    if (!piece.n)
        return true;
    if (name->n < piece.n || memcmp(name->p, piece.p, piece.n) != 0)
        return false;
    name->p += piece.n;
    name->n -= piece.n;
    return true;
}

/* What this part calls the field, if not by its name; else NULL. */
static const struct pl_alias *alias_of(const struct scan *s, size_t field)
{
    return s->part->aliases ? &s->part->aliases[field - s->part->first_field]
                            : NULL;
}

/* A number of the file as the field's value: added to it, or in its place. */
static void put(struct scan *s, size_t field, uint64_t v)
{
    const struct pl_alias *a = alias_of(s, field);

    if (a && a->per)
        v = v * a->times / a->per;
    s->values[field] = s->part->shape == PL_SUMS ? s->values[field] + v : v;
    s->seen |= bit(field);
}

/* True if the field's name is prefix + word + "_" + key; word may be empty. */
static bool is_called(const struct scan *s, size_t field, struct pl_text word,
                      struct pl_text key)
{
    const struct pl_field *f = &s->f->base.fields[field];
    const struct pl_alias *a = alias_of(s, field);
    struct pl_text name = { f->name, f->name_len };

    if (a)
        return a->key && pl_text_equal(pl_text_of(a->key), key);
    return take(&name, pl_text_of(s->part->prefix)) &&
           (!word.n || (take(&name, word) && take(&name, pl_text_of("_")))) &&
           pl_text_equal(name, key);
}

/* The number of the field, or PL_NO_FIELD.  Files keep their order. */
static size_t find(struct scan *s, struct pl_text word, struct pl_text key)
{
    size_t n = s->part->num_fields;

    for (size_t i = 0; i < n; i++) {
        size_t k = (s->next + i) % n;

        if (is_called(s, s->part->first_field + k, word, key)) {
            s->next = k + 1;
            return s->part->first_field + k;
        }
    }
    return PL_NO_FIELD;
}

/* "max", or -1 in older files: no limit. */
static bool is_unlimited(struct pl_proctext *line)
{
    struct pl_proctext ahead = *line;
    struct pl_text word;

    if (!pl_proctext_word(&ahead, &word) ||
        (!pl_text_equal(word, pl_text_of("max")) &&
         !pl_text_equal(word, pl_text_of("-1"))))
        return false;
    *line = ahead;
    return true;
}

static void scan_numbers(struct scan *s, struct pl_proctext text)
{
    struct pl_proctext line;

    if (!pl_proctext_line(&text, &line))
        return;
    for (size_t i = 0; i < s->part->num_fields; i++) {
        uint64_t v = 0;

        if (!is_unlimited(&line) && !pl_proctext_number(&line, &v))
            return;
        put(s, s->part->first_field + i, v);
    }
}

static struct pl_text take_key(struct pl_proctext *line, const char *ends)
{
    struct pl_text key = { NULL, 0 };

    while (line->p < line->end && (*line->p == ' ' || *line->p == '\t'))
        line->p++;
    key.p = line->p;
    while (line->p < line->end && !strchr(ends, *line->p))
        line->p++;
    key.n = (size_t)(line->p - key.p);
    if (line->p < line->end)
        line->p++;
    return key;
}

static void scan_keys(struct scan *s, struct pl_proctext text)
{
    struct pl_proctext line;
    struct pl_text word = { NULL, 0 }, key;

    while (pl_proctext_line(&text, &line)) {
        size_t field;
        uint64_t v;

        for (unsigned i = 0; i < s->part->skip_words; i++)
            pl_proctext_word(&line, &word);
        key = take_key(&line, ": \t");
        field = find(s, pl_text_of(""), key);
        if (field == PL_NO_FIELD || pl_seen(s->seen, field) ||
            !pl_proctext_number(&line, &v))
            continue;
        put(s, field, v);
    }
}

/* Skip the rest of a number, such as a fraction. */
static void skip_rest(struct pl_proctext *line)
{
    while (line->p < line->end && *line->p != ' ' && *line->p != '\t')
        line->p++;
}

static void scan_pairs(struct scan *s, struct pl_proctext text)
{
    bool sums = s->part->shape == PL_SUMS;
    struct pl_proctext line;

    while (pl_proctext_line(&text, &line)) {
        struct pl_text word = take_key(&line, sums ? " \t" : ": \t"), key;
        uint64_t v;

        if (sums && !s->f->family->counts(s->f, word))
            continue;
        while ((key = take_key(&line, "= \t")).n) {
            size_t field = find(s, sums ? pl_text_of("") : word, key);
            bool is_number = pl_proctext_number(&line, &v);

            skip_rest(&line);
            if (field != PL_NO_FIELD && is_number)
                put(s, field, v);
        }
    }
    for (size_t i = 0; sums && i < s->part->num_fields; i++)
        s->seen |= bit(s->part->first_field + i);
}

uint64_t pl_member_files_scan(struct pl_member_files_source *f,
                              const struct pl_part *part, uint64_t *values)
{
    struct pl_text text = { (const char *)f->text.p, f->text.len };
    struct scan s = { .f = f, .part = part, .values = values };

    switch (part->shape) {
    case PL_NUMBERS:
        scan_numbers(&s, pl_proctext_of(text));
        break;
    case PL_KEYS:
        scan_keys(&s, pl_proctext_of(text));
        break;
    case PL_PAIRS:
    case PL_SUMS:
        scan_pairs(&s, pl_proctext_of(text));
        break;
    }
    return s.seen;
}
