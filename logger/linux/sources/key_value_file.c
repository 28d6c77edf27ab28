/*
 * Files of "key: value" or "key value" lines; with a prefix, only lines that
 * begin with it, and keys without it.  The line of each key is remembered: as
 * long as the file keeps its form only keys that counters want are parsed.
 */
#include "logger/linux/machine/proctext.h"
#include "format/base/array.h"
#include "logger/linux/machine/source.h"

#include <stdlib.h>
#include <string.h>

enum { NO_KEY = UINT16_MAX, MAX_KEYS = 4096 };

struct keyed {
    struct pl_source base;
    struct pl_procfile *file;
    char *names; /* the file's text at opening: fields point into it */
    uint16_t *field_of_line;
    size_t num_lines;
    size_t cap_lines, cap_fields;
};

/* Skip the prefix of the kind; false if the line has another. */
static bool take_prefix(const struct keyed *k, struct pl_proctext *line)
{
    const char *prefix = k->base.kind->columns.prefix;
    size_t n = prefix ? strlen(prefix) : 0;

    if ((size_t)(line->end - line->p) < n ||
        (n && memcmp(line->p, prefix, n) != 0))
        return false;
    line->p += n;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/*
 * Take the key, which ends at ':' or a blank, off the line.  Empty if the line
 * is not to be used.
 */
static struct pl_text take_key(const struct keyed *k, struct pl_proctext *line)
{
    struct pl_text key = { line->p, 0 };

    if (!take_prefix(k, line))
        return key;
    key.p = line->p;
    while (line->p < line->end && *line->p != ':' && !is_blank(*line->p))
        line->p++;
    key.n = (size_t)(line->p - key.p);
    pl_proctext_skip(line, ':');
    return key;
}

/* The value of the line if its key is that of 'f'. */
static bool value_of(struct pl_proctext *line, const struct pl_field *f,
                     uint64_t *v)
{
    size_t left = (size_t)(line->end - line->p);

    if (left <= f->name_len || memcmp(line->p, f->name, f->name_len) != 0)
        return false;
    line->p += f->name_len;
    if (!pl_proctext_skip(line, ':') && !is_blank(*line->p))
        return false;
    return pl_proctext_number(line, v);
}

/* False if the file's form changed since the previous sample. */
static bool read_known(struct keyed *k, struct pl_text text, uint64_t *values)
{
    struct pl_proctext rest = pl_proctext_of(text), line;
    size_t i = 0;

    for (; pl_proctext_line(&rest, &line); i++) {
        size_t f;

        if (i == k->num_lines)
            return false;
        f = k->field_of_line[i];
        if (f == NO_KEY || !k->base.fields[f].wanted)
            continue;
        if (!take_prefix(k, &line) ||
            !value_of(&line, &k->base.fields[f], &values[f]))
            return false;
    }
    return i == k->num_lines;
}

/* Files rarely change their order: the field after the last one is tried. */
static size_t find_key(const struct keyed *k, struct pl_text key, size_t guess)
{
    size_t n = k->base.num_fields;

    for (size_t i = 0; i < n; i++) {
        size_t f = (guess + i) % n;
        const struct pl_field *field = &k->base.fields[f];

        if (field->name_len == key.n && !memcmp(field->name, key.p, key.n))
            return f;
    }
    return NO_KEY;
}

static bool room_for_line(struct keyed *k)
{
    return pl_array_grow((void **)&k->field_of_line, &k->cap_lines,
                         k->num_lines, sizeof *k->field_of_line);
}

/* Parse every line; counters of missing keys are left out. */
static enum pl_status read_anew(struct keyed *k, struct pl_text text,
                                uint64_t *values)
{
    struct pl_proctext rest = pl_proctext_of(text), line;
    bool seen[MAX_KEYS] = { false };
    size_t next = 0;

    k->num_lines = 0;
    while (pl_proctext_line(&rest, &line)) {
        size_t f = find_key(k, take_key(k, &line), next);
        uint64_t v;

        if (!room_for_line(k))
            return PL_NOMEM;
        if (f != NO_KEY) {
            next = f + 1;
            if (seen[f] || !pl_proctext_number(&line, &v))
                f = NO_KEY;
        }
        if (f != NO_KEY) {
            seen[f] = true;
            values[f] = v;
        }
        k->field_of_line[k->num_lines++] = (uint16_t)f;
    }
    for (size_t f = 0; f < k->base.num_fields; f++)
        pl_source_set_present(&k->base, f, seen[f]);
    return PL_OK;
}

enum pl_status pl_key_value_file_read(struct pl_source *s)
{
    struct keyed *k = (struct keyed *)s;
    struct pl_text text = pl_procfile_read(k->file);
    uint64_t *values;

    pl_source_set_readable(s, text.p != NULL);
    if (!text.p || !s->num_fields)
        return PL_OK;
    values = pl_source_rows_add(&s->rows, (struct pl_text){ NULL, 0 });
    if (!values)
        return PL_NOMEM;
    if (read_known(k, text, values))
        return PL_OK;
    return read_anew(k, text, values);
}

static enum pl_status add_field(struct keyed *k, struct pl_text key)
{
    struct pl_source *s = &k->base;

    if (!pl_array_grow((void **)&s->fields, &k->cap_fields, s->num_fields,
                       sizeof *s->fields))
        return PL_NOMEM;
    s->fields[s->num_fields++] = (struct pl_field){
        .name = key.p,
        .name_len = key.n,
        .group = PL_NO_GROUP,
        .present = true,
    };
    return PL_OK;
}

/* Every key followed by a number is a field; of equal keys the first. */
static enum pl_status learn_keys(struct keyed *k, struct pl_text text)
{
    struct pl_proctext rest, line;

    k->names = malloc(text.n + 1);
    if (!k->names)
        return PL_NOMEM;
    memcpy(k->names, text.p, text.n);
    rest = pl_proctext_of((struct pl_text){ k->names, text.n });
    while (pl_proctext_line(&rest, &line) && k->base.num_fields < MAX_KEYS) {
        struct pl_text key = take_key(k, &line);
        uint64_t v;

        if (key.n && pl_proctext_number(&line, &v) &&
            find_key(k, key, 0) == NO_KEY && add_field(k, key))
            return PL_NOMEM;
    }
    k->base.rows.width = k->base.before.width = k->base.num_fields;
    return PL_OK;
}

enum pl_status pl_key_value_file_open(struct pl_source **out,
                                      struct pl_machine *m,
                                      const struct pl_source_kind *kind)
{
    struct keyed *k = calloc(1, sizeof *k);
    struct pl_text text;
    enum pl_status s;

    if (!k)
        return PL_NOMEM;
    s = pl_source_init(&k->base, m, kind);
    if (!s)
        s = pl_procfile_open(&k->file, m, kind->path, kind->file_kind);
    if (!s) {
        text = pl_procfile_read(k->file);
        if (text.p)
            s = learn_keys(k, text);
    }
    if (s) {
        pl_key_value_file_close(&k->base);
        return s;
    }
    *out = &k->base;
    return PL_OK;
}

void pl_key_value_file_close(struct pl_source *s)
{
    struct keyed *k = (struct keyed *)s;

    free(k->field_of_line);
    free(k->names);
    pl_source_release(s);
    free(k);
}
